/* Keeps people apart whom a learning system gives one id; see intake_internal.h. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "download_names.h"
#include "intake_internal.h"

/* Who a submission belongs to. The name of its folder is no person's. */
static submission_student owner_of(const submission *entry)
{
    const bool is_folder = entry->order > 0 && download_names_gradescope_folder(entry->name) == entry->order;
    return (submission_student){.name = is_folder ? NULL : entry->name, .id = entry->id, .email = entry->email};
}

static bool has_same_id(const submission *one, const submission *other)
{
    return one->id && other->id && strcmp(one->id, other->id) == 0;
}

/* Whether another submission has the same id and is of another person. */
static bool has_doubtful_id(const submission_list *list, const submission *entry)
{
    const submission_student own = owner_of(entry);
    for (size_t i = 0; i < list->count; i++) {
        const submission_student other = owner_of(&list->entry[i]);
        if (has_same_id(entry, &list->entry[i]) && submissions_are_of_two(&own, &other)) return true;
    }
    return false;
}

/* The address of a person, which any of the submissions may have; else the id and the name that the first
 * of the submissions has. NULL without memory. */
static char *make_id(const submission_list *list, const submission *entry)
{
    const submission_student own = owner_of(entry);
    const char *name = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const submission_student other = owner_of(&list->entry[i]);
        if (!has_same_id(entry, &list->entry[i]) || submissions_are_of_two(&own, &other)) continue;
        if (other.email) return strdup(other.email);
        if (!name) name = other.name;
    }
    return text_make("%s %s", entry->id, name ? name : entry->name);
}

/* Gives a submission its new id. */
static void rename_owner(intake *taken, submission *entry, char *id)
{
    intake_notes_add(&taken->notes, entry->name, "shares the id %s with somebody else: known as %s", entry->id, id);
    free(entry->id);
    entry->id = id;
}

bool intake_tell_apart(intake *taken, grader_fault *fault)
{
    const submission_list *list = &taken->list;
    char **ids = calloc(list->count + 1, sizeof *ids);
    bool ok = ids || fault_memory(fault, "the submissions");
    for (size_t i = 0; ok && i < list->count; i++) {
        if (!has_doubtful_id(list, &list->entry[i])) continue;
        ids[i] = make_id(list, &list->entry[i]);
        ok = ids[i] || fault_memory(fault, "the submissions");
    }
    for (size_t i = 0; ids && i < list->count; i++) {
        if (ids[i] && ok)
            rename_owner(taken, &list->entry[i], ids[i]);
        else
            free(ids[i]);
    }
    free(ids);
    return ok;
}
