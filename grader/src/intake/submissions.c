/* Listing submissions; see submissions.h. */
#include "submissions.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

static int by_name(const void *a, const void *b)
{
    const submission *x = a, *y = b;
    int names = strcmp(x->name, y->name);
    if (names) return names;
    int students = strcmp(x->id ? x->id : "", y->id ? y->id : "");
    if (students) return students;
    int orders = (x->order > y->order) - (x->order < y->order);
    return orders ? orders : strcmp(x->folder, y->folder);
}

bool submissions_append(submission_list *list, const submission *entry, grader_fault *fault)
{
    submission *larger = realloc(list->entry, (list->count + 1) * sizeof *larger);
    if (larger) list->entry = larger;
    if (larger && entry->name && entry->folder) {
        list->entry[list->count++] = *entry;
        return true;
    }
    submission lost = *entry;
    submissions_entry_free(&lost);
    return fault_memory(fault, "the list of submissions");
}

static bool copy_text(char **out, const char *text)
{
    *out = text ? strdup(text) : NULL;
    return *out || !text;
}

static bool differ(const char *one, const char *other) { return one && other && strcasecmp(one, other) != 0; }

bool submissions_are_of_two(const submission_student *one, const submission_student *other)
{
    if (one->email && other->email) return differ(one->email, other->email);
    return differ(one->name, other->name);
}

const char *submissions_account(const submission *entry) { return entry->account ? entry->account : entry->name; }

bool submissions_give(submission *entry, const submission_student *student, grader_fault *fault)
{
    char *name, *id, *email;
    const bool named = copy_text(&name, student->name), known = copy_text(&id, student->id),
               reachable = copy_text(&email, student->email);
    free(entry->name);
    free(entry->id);
    free(entry->email);
    free(entry->account);
    entry->account = NULL; /* whose it is needs no finding any more */
    entry->name = name;
    entry->id = id;
    entry->email = email;
    return (named && known && reachable) || fault_memory(fault, "the list of submissions");
}

bool submissions_share(submission_list *list, size_t number, const submission_student *student, grader_fault *fault)
{
    const submission *shared = &list->entry[number];
    submission copy = {.order = shared->order};
    bool copied = submissions_give(&copy, student, fault) && copy_text(&copy.folder, shared->folder) &&
                  copy_text(&copy.more, shared->more) && copy_text(&copy.why, shared->why) &&
                  copy_text(&copy.cut, shared->cut) && copy_text(&copy.submitted, shared->submitted) &&
                  copy_text(&copy.group, shared->group) && copy_text(&copy.accepted, shared->accepted);
    if (copied) return submissions_append(list, &copy, fault);
    submissions_entry_free(&copy);
    return fault_memory(fault, "the list of submissions");
}

/* Two names may have the same safe name, also on systems where "Ada" and "ada" are the same. */
static bool is_taken(const submission_list *list, size_t before, const char *safe)
{
    for (size_t i = 0; i < before; i++) {
        if (strcasecmp(list->entry[i].safe, safe) == 0) return true;
    }
    return false;
}

static bool make_safe_names(submission_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        char *safe = text_safe_name(list->entry[i].name);
        for (int number = 2; safe && is_taken(list, i, safe); number++) {
            char *plain = text_safe_name(list->entry[i].name);
            free(safe);
            safe = plain ? text_make("%s-%d", plain, number) : NULL;
            free(plain);
        }
        if (!safe) return false;
        free(list->entry[i].safe);
        list->entry[i].safe = safe;
    }
    return true;
}

bool submissions_finish(submission_list *list, grader_fault *fault)
{
    if (list->count > 1) qsort(list->entry, list->count, sizeof *list->entry, by_name);
    return make_safe_names(list) || fault_memory(fault, "the list of submissions");
}

void submissions_file_free(submission_file *file)
{
    free(file->path);
    free(file->refusal);
    free(file->note);
    free(file->likely);
    *file = (submission_file){0};
}

void submissions_entry_free(submission *entry)
{
    char *texts[] = {entry->name,     entry->folder, entry->safe,      entry->more,  entry->why,
                     entry->id,       entry->email,  entry->submitted, entry->group, entry->cut,
                     entry->accepted, entry->whole,  entry->account};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    submissions_file_free(&entry->found);
    *entry = (submission){0};
}

void submissions_free(submission_list *list)
{
    for (size_t i = 0; i < list->count; i++) submissions_entry_free(&list->entry[i]);
    free(list->entry);
    *list = (submission_list){0};
}
