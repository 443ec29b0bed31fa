/* What is known besides results; see student_facts.h. */
#include "student_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "judge/result.h"
#include "roster_doubts.h"
#include "roster_match.h"

static json_t *clean(const char *text)
{
    char *line = text ? text_clean_line(text, strlen(text)) : NULL;
    json_t *string = json_string(line ? line : "");
    free(line);
    return string;
}

/* Work that was this little too late is for a person to look at: clocks and networks are not exact. */
enum { NEAR_SECONDS = 600 };

static json_t *over_json(const course_lab *lab, int64_t submitted, const char *time_zone)
{
    const int64_t over = course_seconds_over(lab, submitted, time_zone, NEAR_SECONDS);
    return over ? json_integer((json_int_t)over) : json_null();
}

/* `status` is the lateness by Moodle's status, for a submission whose time is not known. */
static json_t *late_json(const char *submitted, int64_t status, const course_lab *lab, const char *time_zone)
{
    int64_t seconds;
    if (!lab || !lab->due) return json_null();
    if (!submitted && status == ROSTER_UNKNOWN) return json_null();
    if (!submitted) seconds = lab->due + status;
    if (submitted && !course_time(&seconds, submitted, time_zone)) return json_null();
    course_lateness late = course_late(lab, seconds, time_zone);
    return json_pack("{s:i, s:f, s:I, s:o}", "days", late.days, "percent", late.percent, "seconds",
                     (json_int_t)(seconds - lab->due), "over", over_json(lab, seconds, time_zone));
}

/* The groups of a student on the roster, who may be NULL. */
static json_t *groups_json(const roster *students, const roster_student *student)
{
    json_t *list = json_array();
    for (size_t i = 0; student && i < students->members; i++) {
        if (&students->student[students->member[i].student] == student)
            json_array_append_new(list, clean(students->member[i].group));
    }
    return list;
}

/* What the intake says about the file; null for a file alone in its place, with a text of its own. */
static json_t *handed_in_json(const submission_file *found)
{
    if (!found->note && !found->is_starter && !found->is_solution && !found->likely) return json_null();
    return json_pack("{s:o, s:b, s:b, s:o}", "note", clean(found->note), "starter", found->is_starter, "solution",
                     found->is_solution, "likely", clean(found->likely));
}

json_t *student_facts_submission(const submission *entry, const roster *students, const course_lab *lab,
                                 const char *time_zone)
{
    const roster_student *student = roster_find(students, entry);
    const char *id = student && *student->id ? student->id : entry->id;
    const char *email = student && *student->email ? student->email : entry->email;
    const bool latest = entry->attempt == entry->attempts;
    const char *on_roster = student && latest && *student->submitted ? student->submitted : NULL;
    const char *submitted = entry->submitted ? entry->submitted : on_roster;
    const char *rule = course_attempts_name(lab ? lab->attempts : COURSE_LATEST);
    json_t *attempt = json_pack("{s:i, s:i, s:s, s:o}", "number", entry->attempt, "of", entry->attempts, "rule", rule,
                                "group", clean(entry->group));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "id", clean(id), "name",
                     clean(student ? student->name : NULL), "email", clean(email), "section",
                     clean(student ? student->section : NULL), "groups", groups_json(students, student), "submitted",
                     clean(submitted), "late",
                     late_json(submitted, student && latest ? student->late : ROSTER_UNKNOWN, lab, time_zone),
                     "attempt", attempt, "handed_in", handed_in_json(&entry->found), "roster",
                     roster_doubts_json(students, entry));
}

static json_t *without_submission(const roster *students, const bool *has_submission)
{
    json_t *list = json_array();
    for (size_t i = 0; i < students->count; i++) {
        const roster_student *student = &students->student[i];
        if (has_submission[i]) continue;
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:o}", "id", clean(student->id), "name",
                                              clean(student->name), "email", clean(student->email), "section",
                                              clean(student->section), "groups", groups_json(students, student)));
    }
    return list;
}

static json_t *not_handed_in(const intake *taken, const roster *students)
{
    bool *has_submission = calloc(students->count + 1, sizeof *has_submission);
    if (!has_submission) return NULL;
    for (size_t i = 0; i < taken->list.count; i++) {
        const roster_student *student = roster_find(students, &taken->list.entry[i]);
        if (student) has_submission[student - students->student] = true;
    }
    json_t *list = without_submission(students, has_submission);
    free(has_submission);
    return list;
}

static json_t *course_json(const course_lab *lab)
{
    char due[32] = "", release_at[32] = "";
    if (!lab) return json_null();
    if (lab->due) course_utc(due, sizeof due, lab->due);
    if (lab->release_at) course_utc(release_at, sizeof release_at, lab->release_at);
    return json_pack("{s:f, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:f}", "weight", lab->weight, "due", due, "visibility",
                     course_visibility_name(lab->visibility), "attempts", course_attempts_name(lab->attempts),
                     "release", course_release_name(lab->release), "release_at", release_at, "penalty", lab->penalty,
                     "most", lab->most, "grace", lab->grace);
}

json_t *student_facts_course(const course *settings, const char *file)
{
    json_t *labs = json_array();
    for (size_t i = 0; i < settings->labs; i++) {
        json_t *lab = course_json(&settings->lab[i]);
        if (!lab || json_object_set_new(lab, "name", json_string(settings->lab[i].name)) < 0 ||
            json_array_append_new(labs, lab) < 0) {
            json_decref(labs);
            return NULL;
        }
    }
    const char *seed = settings->has_seed ? "in the course's file" : settings->seed_file;
    return json_pack("{s:s, s:s, s:o, s:o, s:s, s:o, s:o}", "schema", "lab-course/1", "written_by", "labgrade", "file",
                     clean(file), "title", clean(settings->name), "time_zone",
                     *settings->time_zone ? settings->time_zone : "UTC", "seed", clean(*seed ? seed : "in grades.db"),
                     "labs", labs);
}

json_t *student_facts_lab(const intake *taken, const roster *students, const course_lab *lab, const char *time_zone)
{
    json_t *settings = course_json(lab);
    if (lab) json_object_set_new(settings, "time_zone", json_string(time_zone));
    json_t *notes = json_array();
    for (size_t i = 0; i < taken->notes.count; i++) {
        const intake_note *note = &taken->notes.note[i];
        json_array_append_new(notes, json_pack("{s:o, s:o}", "name", clean(note->name), "reason", clean(note->reason)));
    }
    return json_pack("{s:o, s:o, s:o}", "intake", notes, "not_handed_in", not_handed_in(taken, students), "course",
                     settings);
}

/* Sets the points that lateness leaves. */
static void set_late_points(json_t *late, const json_t *result)
{
    const double kept = 100 - json_number_value(json_object_get(late, "percent"));
    const double points = json_number_value(json_object_get(result, "points"));
    json_object_set_new(late, "points", json_real(kept * points / 100));
}

void student_facts_complete(json_t *result, const char *facts)
{
    json_t *known = json_loads(facts, 0, NULL), *late = json_object_get(known, "late");
    if (!json_is_object(known)) {
        json_decref(known);
        return;
    }
    if (json_is_object(late)) set_late_points(late, result);
    json_object_set(result, "late", late);
    json_t *handed_in = json_object_get(known, "handed_in");
    if (json_is_object(handed_in)) json_object_set(result, "handed_in", handed_in);
    json_object_del(known, "late");
    json_object_del(known, "attempt");
    json_object_del(known, "handed_in");
    if (!json_object_get(known, "roster")) json_object_set_new(known, "roster", json_null());
    json_object_set_new(json_object_get(result, "submission"), "student", known);
}

void student_facts_extend(json_t *result, const json_t *settings, const char *due)
{
    int64_t own, common;
    json_t *late = json_object_get(result, "late"), *seconds = json_object_get(late, "seconds");
    if (!json_is_integer(seconds) || !course_time(&own, due, "UTC") ||
        !course_time(&common, result_string(settings, "due"), "UTC") || own <= common)
        return;
    const course_lab lab = {.due = own,
                            .penalty = json_number_value(json_object_get(settings, "penalty")),
                            .most = json_number_value(json_object_get(settings, "most")),
                            .grace = json_number_value(json_object_get(settings, "grace"))};
    const char *time_zone = result_string(settings, "time_zone");
    const int64_t submitted = common + json_integer_value(seconds);
    const course_lateness now = course_late(&lab, submitted, time_zone);
    json_object_set_new(late, "days", json_integer(now.days));
    json_object_set_new(late, "percent", json_real(now.percent));
    json_object_set_new(late, "over", over_json(&lab, submitted, time_zone));
    set_late_points(late, result);
}

student_facts_attempt student_facts_read_attempt(const char *facts)
{
    json_t *known = json_loads(facts, 0, NULL);
    const json_t *attempt = json_object_get(known, "attempt");
    student_facts_attempt out = {.number = result_integer(attempt, "number"), .count = result_integer(attempt, "of")};
    if (out.count < 1 || out.number < 1 || out.number > out.count) out.number = out.count = 1;
    bool best = strcmp(result_string(attempt, "rule"), course_attempts_name(COURSE_BEST)) == 0;
    out.rule = best ? COURSE_BEST : COURSE_LATEST;
    snprintf(out.submitted, sizeof out.submitted, "%s", result_string(known, "submitted"));
    snprintf(out.group, sizeof out.group, "%s", result_string(attempt, "group"));
    json_decref(known);
    return out;
}
