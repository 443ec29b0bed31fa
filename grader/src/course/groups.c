/* Giving a group's submission to its members; see groups.h. */
#include "groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

typedef struct sharing {
    intake *taken;
    const roster *students;
    const char **listed; /* of each submission the group that lists it beside its other members'; or NULL */
} sharing;

static bool no_memory(grader_fault *fault) { return fault_set(fault, "not enough memory for the groups"); }

static submission *entry_of(const sharing *of, size_t number) { return &of->taken->list.entry[number]; }

static submission_student known_of(const roster_student *student)
{
    return (submission_student){.name = *student->name ? student->name : student->id,
                                .id = *student->id ? student->id : NULL,
                                .email = *student->email ? student->email : NULL};
}

/* Names a submission, in ASCII: `number` tells it from all others, the group's name is for who reads it. */
static bool name_group(submission *entry, size_t number, const char *group, grader_fault *fault)
{
    char name[64];
    char *safe = text_safe_name(group);
    if (safe) snprintf(name, sizeof name, "submission_%zu_%s", number + 1, safe);
    entry->group = safe ? strdup(name) : NULL;
    free(safe);
    return entry->group || no_memory(fault);
}

/* ---- a submission called like its group -------------------------------------------------------------------------- */

/* Canvas gives the group's file the id of a member; NULL for other systems, whose number is the group's. */
static const roster_student *find_sender(const sharing *of, const submission *entry)
{
    char nobody[] = "";
    const submission by_id = {.name = nobody, .id = entry->id};
    return strcmp(of->taken->layout, "Canvas") == 0 ? roster_find(of->students, &by_id) : NULL;
}

static bool give_to_members(sharing *of, size_t number, const char *group, grader_fault *fault)
{
    const roster *students = of->students;
    const roster_student *sender = find_sender(of, entry_of(of, number));
    bool ok = name_group(entry_of(of, number), number, group, fault), first = true;
    if (ok && sender && !roster_is_member(students, sender, group)) {
        intake_notes_add(&of->taken->notes, entry_of(of, number)->name,
                         "has the id of %s, who is not in %s on the roster: it is theirs too", known_of(sender).name,
                         group);
        const submission_student who = known_of(sender);
        ok = submissions_share(&of->taken->list, number, &who, fault);
    }
    for (size_t i = 0; ok && i < students->members; i++) {
        if (strcmp(students->member[i].group, group) != 0) continue;
        const submission_student who = known_of(&students->student[students->member[i].student]);
        ok = first ? submissions_give(entry_of(of, number), &who, fault)
                   : submissions_share(&of->taken->list, number, &who, fault);
        first = false;
    }
    return ok;
}

/* Who is called like a group without being in it; NULL for nobody. */
static const roster_student *find_namesake(const roster *students, const char *name, const char *group)
{
    for (size_t i = 0; i < students->count; i++) {
        const roster_student *student = &students->student[i];
        if (roster_is_name(student, name) && !roster_is_member(students, student, group)) return student;
    }
    return NULL;
}

/* ---- submissions of each member ---------------------------------------------------------------------------------- */

/* The first of the same submission that another member is listed with. */
static const submission *find_listed(const sharing *of, size_t number, const char *group)
{
    const submission *entry = entry_of(of, number);
    for (size_t i = 0; i < number; i++) {
        const submission *other = entry_of(of, i);
        if (of->listed[i] && strcmp(of->listed[i], group) == 0 && other->order == entry->order) return other;
    }
    return NULL;
}

static bool list_member(sharing *of, size_t number, const char *group, const roster_student *student,
                        grader_fault *fault)
{
    submission *entry = entry_of(of, number);
    const submission *other = find_listed(of, number, group);
    const submission_student who = known_of(student);
    of->listed[number] = group;
    if (other && !(entry->group = strdup(other->group))) return no_memory(fault);
    return (other || name_group(entry, number, group, fault)) && submissions_give(entry, &who, fault);
}

/* "Team A-Ada Lovelace", where Ada is in Team A: so Moodle up to 4.0 calls what each member has of one submission. */
static bool take_listed(bool *is, sharing *of, size_t number, grader_fault *fault)
{
    char *name = strdup(entry_of(of, number)->name);
    bool ok = name || no_memory(fault);
    *is = false;
    for (char *dash = name; ok && !*is && (dash = strchr(dash, '-')); dash++) {
        bool several;
        const submission rest = {.name = dash + 1, .id = entry_of(of, number)->id};
        *dash = '\0';
        const char *group = roster_find_group(of->students, name, &several);
        *dash = '-';
        const roster_student *student = group ? roster_find(of->students, &rest) : NULL;
        *is = student && roster_is_member(of->students, student, group);
        if (*is) ok = list_member(of, number, group, student, fault);
    }
    free(name);
    return ok;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* What is neither called like a group nor listed by one. */
static void note_own(const sharing *of, const submission *entry)
{
    const roster_student *student = roster_find(of->students, entry);
    if (!student)
        intake_notes_add(&of->taken->notes, entry->name,
                         "is neither a student nor a group of the roster: listed by its own name");
    else if (entry->id && *student->name && !roster_is_name(student, entry->name))
        intake_notes_add(
            &of->taken->notes, entry->name,
            "has the id of %s and is called otherwise, and like no group of the roster: taken as theirs alone",
            student->name);
}

static bool take(sharing *of, size_t number, grader_fault *fault)
{
    const submission *entry = entry_of(of, number);
    bool several, is_listed;
    const char *group = roster_find_group(of->students, entry->name, &several);
    if (several) {
        intake_notes_add(&of->taken->notes, entry->name,
                         "could be the work of more than one group of the roster: listed by its own name");
        return true;
    }
    if (group && find_namesake(of->students, entry->name, group)) {
        intake_notes_add(&of->taken->notes, entry->name,
                         "is the name of a student and of a group without them: taken as the student's");
        return true;
    }
    if (group) return give_to_members(of, number, group, fault);
    if (!take_listed(&is_listed, of, number, fault)) return false;
    if (!is_listed) note_own(of, entry);
    return true;
}

static void note_several_groups(const sharing *of)
{
    const roster *students = of->students;
    for (size_t i = 0; i < students->members; i++) {
        for (size_t k = 0; k < i; k++) {
            if (students->member[k].student != students->member[i].student) continue;
            intake_notes_add(&of->taken->notes, known_of(&students->student[students->member[i].student]).name,
                             "is in %s and in %s on the roster: what either handed in is an attempt of theirs",
                             students->member[k].group, students->member[i].group);
        }
    }
}

/* Lets what a member handed in alone be an attempt of the same student: both are known as on the roster. */
static bool join_own(sharing *of, grader_fault *fault)
{
    submission_list *list = &of->taken->list;
    const roster_student **whose = calloc(list->count + 1, sizeof *whose);
    bool ok = whose || no_memory(fault);
    for (size_t i = 0; ok && i < list->count; i++) whose[i] = roster_find(of->students, &list->entry[i]);
    for (size_t i = 0; ok && i < list->count; i++) {
        size_t k = 0;
        if (!whose[i] || list->entry[i].group) continue;
        while (k < list->count && (whose[k] != whose[i] || !list->entry[k].group)) k++;
        if (k == list->count) continue;
        const submission_student who = known_of(whose[i]);
        intake_notes_add(&of->taken->notes, who.name, "handed in alone and with a group: each is an attempt");
        ok = submissions_give(&list->entry[i], &who, fault);
    }
    free(whose);
    return ok;
}

bool groups_share(intake *taken, const roster *students, grader_fault *fault)
{
    const size_t count = taken->list.count;
    if (students->members == 0 || strcmp(taken->layout, "Gradescope") == 0) return true;
    sharing of = {.taken = taken, .students = students, .listed = calloc(count + 1, sizeof *of.listed)};
    bool ok = of.listed || no_memory(fault);
    for (size_t i = 0; ok && i < count; i++) {
        if (!entry_of(&of, i)->group) ok = take(&of, i, fault);
    }
    if (ok) note_several_groups(&of);
    ok = ok && join_own(&of, fault);
    free(of.listed);
    return ok && submissions_finish(&taken->list, fault);
}
