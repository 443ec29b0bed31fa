/* Submissions that may not be who they seem to be; see roster_doubts.h. */
#include "roster_doubts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "roster_match.h"

enum { NEAREST = 3 };

static const char *called(const roster_student *student) { return *student->name ? student->name : student->id; }

/* Appends "(nearest: Hopper, Grace (17); Ada Lovelace)": names may have commas. */
static void append_nearest(text_buffer *text, const roster_student *const *near, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool both = *near[i]->name && *near[i]->id;
        text_format(text, "%s%s%s%s", i ? "; " : " (nearest: ", called(near[i]), both ? " " : "",
                    both ? near[i]->id : "");
    }
    if (count) text_format(text, ")");
}

/* Canvas names a student "anon_Xy12z" as long as an assignment is graded anonymously. */
static bool is_anonymous(const submission *entry) { return strncmp(entry->name, "anon_", strlen("anon_")) == 0; }

static void append_unknown(text_buffer *text, const roster *students, const submission *entry)
{
    const roster_student *near[NEAREST], *same = roster_find_without_zeros(students, entry);
    if (is_anonymous(entry)) {
        text_format(text, "is anonymous, and the roster has no such anonymous_id: Canvas names students in a download "
                          "after their grades are posted");
    } else if (same) {
        text_format(text,
                    "is no student of the roster, where %s has the id %s: spreadsheets drop zeros at the beginning of "
                    "numbers; --dropped-zeros takes the two as the same",
                    called(same), same->id);
    } else {
        text_format(text, students->members ? "is neither a student nor a group of the roster"
                                            : "is no student of the roster");
        append_nearest(text, near, roster_nearest(near, NEAREST, students, entry));
        text_format(text, ": listed by its own name");
    }
}

/* The doubt about a submission: NULL without memory. The caller frees it. */
static char *doubt_of(const roster *students, const submission *entry)
{
    text_buffer text = {0};
    const roster_student *student = roster_find(students, entry);
    bool groups = false;
    text_append(&text, "", 0);
    if (students->count == 0 || entry->group || entry->has_accepted_owner) return text.text;
    roster_find_group(students, submissions_account(entry), &groups);
    if (!student && groups)
        text_format(&text, "could be the work of more than one group of the roster: listed by its own name");
    else if (roster_fits_several(students, entry))
        text_format(&text, "fits the names of several students of the roster: listed by its own name");
    else if (!student)
        append_unknown(&text, students, entry);
    else if (roster_contradicts(student, entry))
        text_format(&text, "has the id of %s on the roster, and another name%s: graded as theirs", called(student),
                    students->members ? ", and that of no group" : "");
    if (!text.failed) return text.text;
    free(text.text);
    return NULL;
}

static json_t *clean(const char *text)
{
    char *line = text ? text_clean_line(text, strlen(text)) : NULL;
    json_t *string = json_string(line ? line : "");
    free(line);
    return string;
}

static json_t *nearest_json(const roster *students, const submission *entry)
{
    const roster_student *near[NEAREST], *same = roster_find_without_zeros(students, entry);
    const size_t count = same ? 1 : roster_nearest(near, NEAREST, students, entry);
    json_t *list = json_array();
    if (same) near[0] = same;
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:o, s:o}", "id", clean(near[i]->id), "name", clean(near[i]->name)));
    return list;
}

json_t *roster_doubts_json(const roster *students, const submission *entry)
{
    if (students->count == 0) return json_null();
    const bool found = roster_find(students, entry) != NULL;
    char *doubt = doubt_of(students, entry);
    json_t *json = json_pack("{s:b, s:o, s:o}", "found", found, "doubt", clean(doubt), "nearest",
                             found ? json_array() : nearest_json(students, entry));
    free(doubt);
    return json;
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

static bool nobody_is_found(const intake *taken, const roster *students)
{
    for (size_t i = 0; i < taken->list.count; i++) {
        const submission *entry = &taken->list.entry[i];
        if (entry->group || roster_find(students, entry) || roster_fits_several(students, entry)) return false;
    }
    return true;
}

static void note_one(intake *taken, const roster *students, const submission *entry)
{
    char *doubt = doubt_of(students, entry);
    if (doubt && *doubt) intake_notes_add(&taken->notes, entry->name, "%s", doubt);
    free(doubt);
}

void roster_doubts_note(intake *taken, const roster *students)
{
    if (students->count == 0) return;
    if (taken->list.count > 1 && nobody_is_found(taken, students)) {
        intake_notes_add(&taken->notes, "the roster",
                         "none of its %zu students is found among the %zu submissions. Its columns: %s. --columns "
                         "'id=COLUMN,name=COLUMN' says which is which",
                         students->count, taken->list.count, students->columns);
        return;
    }
    for (size_t i = 0; i < taken->list.count; i++) {
        const submission *entry = &taken->list.entry[i];
        if (entry->attempt == entry->attempts) note_one(taken, students, entry);
    }
}
