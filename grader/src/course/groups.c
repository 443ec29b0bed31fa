/* Giving a group's submission to its members; see groups.h. */
#include "groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "roster_match.h"

typedef struct sharing {
    intake *taken;
    const roster *students;
    const char **listed; /* for each submission the group that it was listed in for one member, or NULL */
} sharing;

static submission *entry_at(const sharing *work, size_t number) { return &work->taken->list.entry[number]; }

static submission_student described(const roster_student *student)
{
    return (submission_student){.name = *student->name ? student->name : student->id,
                                .id = *student->id ? student->id : NULL,
                                .email = *student->email ? student->email : NULL};
}

/* Names a submission, in ASCII: `number` makes the name unique, the group's name makes it readable. */
static bool name_group(submission *entry, size_t number, const char *group, grader_fault *fault)
{
    char name[64];
    char *safe = text_safe_name(group);
    if (safe) snprintf(name, sizeof name, "submission_%zu_%s", number + 1, safe);
    entry->group = safe ? strdup(name) : NULL;
    free(safe);
    return entry->group || fault_memory(fault, "the groups");
}

/* ---- a submission with the name of a group ----------------------------------------------------------------------- */

/* The member whose id Canvas gives to the group's file; NULL for other systems, whose number is the group's. */
static const roster_student *find_sender(const sharing *work, const submission *entry)
{
    char no_name[] = "";
    const submission by_id = {.name = no_name, .id = entry->id};
    return strcmp(work->taken->layout, "Canvas") == 0 ? roster_find(work->students, &by_id) : NULL;
}

/* The sender has a share of the submission, also without being in the group. */
static bool give_to_sender(sharing *work, size_t number, const roster_student *sender, const char *group,
                           grader_fault *fault)
{
    if (!sender || roster_is_member(work->students, sender, group)) return true;
    const submission_student student = described(sender);
    intake_notes_add(&work->taken->notes, entry_at(work, number)->name,
                     "has the id of %s, who is not in %s on the roster: it is theirs too", student.name, group);
    return submissions_share(&work->taken->list, number, &student, fault);
}

static bool give_to_members(sharing *work, size_t number, const char *group, grader_fault *fault)
{
    const roster *students = work->students;
    const roster_student *sender = find_sender(work, entry_at(work, number));
    bool first = true;
    FAULT_TRY(name_group(entry_at(work, number), number, group, fault));
    FAULT_TRY(give_to_sender(work, number, sender, group, fault));
    for (size_t i = 0; i < students->members; i++) {
        if (strcmp(students->member[i].group, group) != 0) continue;
        const submission_student student = described(&students->student[students->member[i].student]);
        FAULT_TRY(first ? submissions_give(entry_at(work, number), &student, fault)
                        : submissions_share(&work->taken->list, number, &student, fault));
        first = false;
    }
    return true;
}

/* The student who has the name of a group without being in it; NULL for none. */
static const roster_student *find_namesake(const roster *students, const char *name, const char *group)
{
    for (size_t i = 0; i < students->count; i++) {
        const roster_student *student = &students->student[i];
        if (roster_is_name(student, name) && !roster_is_member(students, student, group)) return student;
    }
    return NULL;
}

/* ---- submissions of each member ---------------------------------------------------------------------------------- */

/* The first entry of the same submission that is listed for another member; NULL for none. */
static const submission *find_listed(const sharing *work, size_t number, const char *group)
{
    const submission *entry = entry_at(work, number);
    for (size_t i = 0; i < number; i++) {
        const submission *other = entry_at(work, i);
        if (work->listed[i] && strcmp(work->listed[i], group) == 0 && other->order == entry->order) return other;
    }
    return NULL;
}

static bool list_member(sharing *work, size_t number, const char *group, const roster_student *member,
                        grader_fault *fault)
{
    submission *entry = entry_at(work, number);
    const submission *other = find_listed(work, number, group);
    const submission_student student = described(member);
    work->listed[number] = group;
    if (!other) FAULT_TRY(name_group(entry, number, group, fault));
    if (other && !(entry->group = strdup(other->group))) return fault_memory(fault, "the groups");
    return submissions_give(entry, &student, fault);
}

/* Reads a name as "GROUP-STUDENT", where the student is a member of the group; false for another name. */
static bool split_name(const char **group, const roster_student **member, const sharing *work, char *name,
                       const submission *entry)
{
    for (char *dash = name; (dash = strchr(dash, '-')); dash++) {
        bool several;
        const submission rest = {.name = dash + 1, .id = entry->id};
        *dash = '\0';
        *group = roster_find_group(work->students, name, &several);
        *dash = '-';
        *member = *group ? roster_find(work->students, &rest) : NULL;
        if (*member && roster_is_member(work->students, *member, *group)) return true;
    }
    return false;
}

/* Moodle up to 4.0 lists one submission for each member of a group: "Team A-Ada Lovelace", where Ada is in Team A. */
static bool take_listed(sharing *work, size_t number, grader_fault *fault)
{
    const char *group;
    const roster_student *member;
    char *name = strdup(entry_at(work, number)->name);
    if (!name) return fault_memory(fault, "the groups");
    const bool is_listed = split_name(&group, &member, work, name, entry_at(work, number));
    free(name);
    return !is_listed || list_member(work, number, group, member, fault);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static bool take(sharing *work, size_t number, grader_fault *fault)
{
    const submission *entry = entry_at(work, number);
    bool several;
    const char *group = roster_find_group(work->students, submissions_account(entry), &several);
    if (several) return true; /* roster_doubts.h says so */
    if (group && find_namesake(work->students, entry->name, group)) {
        intake_notes_add(&work->taken->notes, entry->name,
                         "is the name of a student and of a group without them: taken as the student's");
        return true;
    }
    if (group) return give_to_members(work, number, group, fault);
    return take_listed(work, number, fault);
}

static void note_several_groups(const sharing *work)
{
    const roster *students = work->students;
    for (size_t i = 0; i < students->members; i++) {
        for (size_t k = 0; k < i; k++) {
            if (students->member[k].student != students->member[i].student) continue;
            intake_notes_add(&work->taken->notes, described(&students->student[students->member[i].student]).name,
                             "is in %s and in %s on the roster: what either handed in is an attempt of theirs",
                             students->member[k].group, students->member[i].group);
        }
    }
}

/* Whether one of the submissions is the student's and a group's. */
static bool has_group(const submission_list *list, const roster_student *const *students, const roster_student *student)
{
    for (size_t i = 0; i < list->count; i++) {
        if (students[i] == student && list->entry[i].group) return true;
    }
    return false;
}

/* Makes the submission of a student who also has one with a group an attempt of the same student. `students` has the
 * student of each submission. */
static bool join_each(sharing *work, const roster_student *const *students, grader_fault *fault)
{
    submission_list *list = &work->taken->list;
    for (size_t i = 0; i < list->count; i++) {
        if (!students[i] || list->entry[i].group || !has_group(list, students, students[i])) continue;
        const submission_student student = described(students[i]);
        intake_notes_add(&work->taken->notes, student.name, "handed in alone and with a group: each is an attempt");
        FAULT_TRY(submissions_give(&list->entry[i], &student, fault));
    }
    return true;
}

static bool join_own(sharing *work, grader_fault *fault)
{
    submission_list *list = &work->taken->list;
    const roster_student **students = calloc(list->count + 1, sizeof *students);
    if (!students) return fault_memory(fault, "the groups");
    for (size_t i = 0; i < list->count; i++) students[i] = roster_find(work->students, &list->entry[i]);
    bool ok = join_each(work, students, fault);
    free(students);
    return ok;
}

/* Takes the submissions that are there now; sharing appends more. */
static bool take_each(sharing *work, size_t count, grader_fault *fault)
{
    for (size_t i = 0; i < count; i++) {
        if (!entry_at(work, i)->group) FAULT_TRY(take(work, i, fault));
    }
    note_several_groups(work);
    return join_own(work, fault);
}

bool groups_share(intake *taken, const roster *students, grader_fault *fault)
{
    const size_t count = taken->list.count;
    if (students->members == 0 || strcmp(taken->layout, "Gradescope") == 0) return true;
    sharing work = {.taken = taken, .students = students, .listed = calloc(count + 1, sizeof *work.listed)};
    if (!work.listed) return fault_memory(fault, "the groups");
    bool ok = take_each(&work, count, fault);
    free(work.listed);
    FAULT_TRY(ok);
    return submissions_finish(&taken->list, fault);
}
