/* The results of a lab's students; see class_results.h. */
#include "class_results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adjustments.h"
#include "base/folder.h"
#include "base/text.h"
#include "course/attempts.h"
#include "course/decisions.h"
#include "course/score.h"
#include "course/student_facts.h"
#include "judge/result.h"

/* ---- result.json ------------------------------------------------------------------------------------------------- */

static char *result_path(const char *out, const char *directory, grader_fault *fault)
{
    char *path = text_make("%s/%s/result.json", out, directory);
    if (!path) fault_memory(fault, "the grading");
    return path;
}

/* Writes result.json by one of folder.h's functions. */
static bool write_by(bool (*write)(const char *path, const char *bytes, size_t count, grader_fault *fault),
                     const char *out, const char *directory, const json_t *result, grader_fault *fault)
{
    char *path = result_path(out, directory, fault);
    char *text = path ? json_dumps(result, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) : NULL;
    bool ok = text ? write(path, text, strlen(text), fault) : fault_memory(fault, "the grading");
    free(text);
    free(path);
    return ok;
}

bool class_results_write(const char *out, const char *directory, const json_t *result, grader_fault *fault)
{
    return write_by(folder_write, out, directory, result, fault);
}

bool class_results_write_unflushed(const char *out, const char *directory, const json_t *result, grader_fault *fault)
{
    return write_by(folder_write_unflushed, out, directory, result, fault);
}

/* Writes a result again whose file somebody changed, and says so: what was graded counts. */
static bool restore_result(const char *out, const char *directory, const json_t *result, grader_fault *fault)
{
    char *path = result_path(out, directory, fault);
    json_t *there = path ? json_load_file(path, 0, NULL) : NULL;
    bool ok = path != NULL;
    if (path && !json_equal(there, result)) {
        fprintf(stderr, "labgrade: %s differed from the result of the grading, which counts: written again\n", path);
        ok = class_results_write(out, directory, result, fault);
    }
    json_decref(there);
    free(path);
    return ok;
}

/* ---- the students ------------------------------------------------------------------------------------------------ */

typedef struct class_reading {
    const class_results *lab;
    bool (*each)(void *user, json_t *result);
    void *user;
    grader_fault *fault;
    json_t *results, *listed; /* the attempts of one student so far */
    bool more, ok;
} class_reading;

static const json_t *decisions(const class_results *lab) { return json_object_get(lab->facts, "decisions"); }

/* Whether results of the student, {section, ...}, are held back. */
static bool set_held(const class_results *lab, json_t *entry, const json_t *student)
{
    const json_t *settings = json_object_get(lab->facts, "course");
    const bool held = decisions_hold(decisions(lab), settings, result_string(student, "section"));
    return json_object_set_new(entry, "held", json_boolean(held)) == 0;
}

static bool set_score(const class_results *lab, json_t *result)
{
    json_t *own = adjustments_of(lab->adjustments, result);
    bool ok = score_set(result, own, lab->full) &&
              set_held(lab, result, json_object_get(json_object_get(result, "submission"), "student"));
    json_decref(own);
    return ok;
}

/* Completes what the grader found by what is known of the student and by what persons decided. */
static void complete(const class_results *lab, json_t *result, const char *facts)
{
    decisions_weigh(result, decisions(lab));
    student_facts_complete(result, facts);
    json_t *own = adjustments_of(lab->adjustments, result);
    student_facts_extend(result, json_object_get(lab->facts, "course"), score_due(own));
    score_waive_lateness(result, own);
    json_decref(own);
}

/* Takes the attempt that counts of a student's attempts. */
static bool end_student(class_reading *reading, course_attempts rule)
{
    json_t *counts;
    if (!attempts_choose(&counts, reading->results, reading->listed, rule) || !set_score(reading->lab, counts))
        return fault_memory(reading->fault, "the grading");
    reading->more = reading->each(reading->user, counts);
    json_array_clear(reading->results);
    json_array_clear(reading->listed);
    return true;
}

/* Adds a row to its student's attempts, which follow one another in their order. */
static bool add_row(void *user, const store_row *row)
{
    class_reading *reading = user;
    const char *out = reading->lab->out;
    student_facts_attempt attempt = student_facts_read_attempt(row->facts);
    json_t *result = row->kept_only ? json_null() : json_loads(row->json, 0, NULL);
    reading->ok = !out || !json_is_object(result) || restore_result(out, row->directory, result, reading->fault);
    if (json_is_object(result)) complete(reading->lab, result, row->facts);
    json_t *listed = json_pack("{s:s, s:s, s:s}", "submitted", attempt.submitted, "group", attempt.group, "directory",
                               row->kept_only ? "" : row->directory);
    bool added = json_array_append(reading->results, result) == 0 && json_array_append(reading->listed, listed) == 0;
    json_decref(result);
    json_decref(listed);
    if (!added) reading->ok = fault_memory(reading->fault, "the grading");
    if (reading->ok && attempt.number == attempt.count) reading->ok = end_student(reading, attempt.rule);
    return reading->ok && reading->more;
}

bool class_results_each(const class_results *lab, bool (*each)(void *user, json_t *result), void *user,
                        grader_fault *fault)
{
    class_reading reading = {.lab = lab, .each = each, .user = user, .fault = fault, .more = true, .ok = true};
    reading.results = json_array();
    reading.listed = json_array();
    bool ok = store_each_row(lab->store, lab->grading, lab->lab, add_row, &reading, fault) && reading.ok;
    json_decref(reading.results);
    json_decref(reading.listed);
    return ok;
}

/* ---- a lab ------------------------------------------------------------------------------------------------------- */

static bool find_full_points(void *user, const store_row *row)
{
    class_results *lab = user;
    json_t *result = json_loads(row->json, 0, NULL);
    decisions_weigh(result, decisions(lab));
    const int full = score_full_points(result);
    if (full > lab->full) lab->full = full;
    json_decref(result);
    return true;
}

static bool read_facts(class_results *lab, grader_fault *fault)
{
    store_lab *labs = NULL;
    size_t count = 0;
    FAULT_TRY(store_labs(&labs, &count, lab->store, lab->grading, fault));
    for (size_t i = 0; i < count; i++) {
        if (strcmp(labs[i].name, lab->lab) == 0) lab->facts = json_loads(labs[i].facts, 0, NULL);
    }
    store_labs_free(labs, count);
    return lab->facts || fault_memory(fault, "the results");
}

/* Takes what persons decided about the lab apart from what they said about its students. */
static bool read_adjustments(class_results *lab, grader_fault *fault)
{
    FAULT_TRY(adjustments_read(&lab->adjustments, lab->store, lab->lab, fault));
    bool ok = json_object_set_new(lab->facts, "decisions", decisions_of(lab->adjustments)) == 0;
    for (size_t i = json_array_size(lab->adjustments); i-- > 0;) {
        if (decisions_is_one(json_array_get(lab->adjustments, i))) json_array_remove(lab->adjustments, i);
    }
    return ok || fault_memory(fault, "the results");
}

/* Adds what was adjusted to the students of the lab's facts who handed nothing in. */
static bool complete_absent(const class_results *lab)
{
    bool ok = true;
    size_t index;
    json_t *student;
    json_array_foreach(json_object_get(lab->facts, "not_handed_in"), index, student)
    {
        json_t *own = adjustments_of(lab->adjustments, student);
        if (json_array_size(own) > 0) ok = ok && score_set(student, own, lab->full);
        ok = ok && set_held(lab, student, student);
        json_decref(own);
    }
    return ok;
}

bool class_results_open(class_results *lab, grader_fault *fault)
{
    FAULT_TRY(read_facts(lab, fault));
    FAULT_TRY(read_adjustments(lab, fault));
    lab->full = 0;
    if (json_array_size(lab->adjustments) > 0)
        FAULT_TRY(store_each_row(lab->store, lab->grading, lab->lab, find_full_points, lab, fault));
    return complete_absent(lab) || fault_memory(fault, "the results");
}

void class_results_close(class_results *lab)
{
    json_decref(lab->adjustments);
    json_decref(lab->facts);
    lab->adjustments = lab->facts = NULL;
}

bool class_results_everybody(const class_results *lab, bool (*each)(void *user, json_t *result), void *user,
                             grader_fault *fault)
{
    bool more = true;
    size_t index;
    json_t *student;
    FAULT_TRY(class_results_each(lab, each, user, fault));
    json_array_foreach(json_object_get(lab->facts, "not_handed_in"), index, student) more = more && each(user, student);
    return true;
}
