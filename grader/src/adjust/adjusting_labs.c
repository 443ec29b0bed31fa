/* The labs whose results are adjusted; see adjusting_internal.h. */
#include <stdlib.h>
#include <string.h>

#include "adjusting_internal.h"
#include "base/folder.h"
#include "base/near_words.h"
#include "base/text.h"
#include "class/adjustments.h"
#include "class/class_file.h"
#include "course/score.h"
#include "judge/result.h"

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static bool add_lab(void *user, const char *name, int64_t grading)
{
    adjusting *all = user;
    adjusted_lab *larger = realloc(all->lab, (all->labs + 1) * sizeof *larger);
    if (!larger) return false;
    all->lab = larger;
    adjusted_lab *lab = &all->lab[all->labs++];
    *lab = (adjusted_lab){.name = strdup(name)};
    lab->out = all->flat ? strdup(all->folder) : folder_path(all->folder, name);
    lab->results = (class_results){.store = all->store, .grading = grading, .lab = lab->name};
    return lab->name && lab->out;
}

static bool read_flat(adjusting *all, grader_fault *fault)
{
    store_grading last = {0};
    FAULT_TRY(store_find_grading(&last, all->store, 0, fault));
    json_t *options = json_loads(last.options, 0, NULL);
    all->flat = json_is_true(json_object_get(options, "flat"));
    json_decref(options);
    store_grading_free(&last);
    return true;
}

bool adjusting_open(adjusting *all, const char *folder, grader_fault *fault)
{
    *all = (adjusting){.folder = folder};
    FAULT_TRY(store_is_there(folder, fault));
    FAULT_TRY(store_open(&all->store, folder, fault));
    FAULT_TRY(read_flat(all, fault));
    return store_each_lab(all->store, add_lab, all, fault);
}

static void close_lab(adjusted_lab *lab)
{
    class_results_close(&lab->results);
    json_decref(lab->students);
    lab->students = NULL;
}

void adjusting_plan_free(adjusting_plan *plan)
{
    char *texts[] = {plan->before, plan->student, plan->id, plan->says, plan->who, plan->why};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
}

void adjusting_close(adjusting *all)
{
    for (size_t i = 0; i < all->labs; i++) {
        close_lab(&all->lab[i]);
        free(all->lab[i].name);
        free(all->lab[i].out);
    }
    for (size_t i = 0; i < all->plans; i++) adjusting_plan_free(&all->plan[i]);
    free(all->lab);
    free(all->plan);
    store_close(all->store);
}

static bool is_done(const adjusted_lab *lab, grader_fault *fault)
{
    store_grading grading = {0};
    FAULT_TRY(store_find_grading(&grading, lab->results.store, lab->results.grading, fault));
    const bool done = *grading.ended != '\0';
    store_grading_free(&grading);
    return done ||
           fault_set(fault, "the last grading of %s was cut short: continue it first (labgrade resume)", lab->name);
}

static bool keep_student(void *user, json_t *result)
{
    adjusted_lab *lab = user;
    const int full = score_full_points(result);
    if (full > lab->results.full) lab->results.full = full;
    json_array_append(lab->students, result);
    return true;
}

static bool open_lab(adjusted_lab *lab, grader_fault *fault)
{
    if (lab->students) return true;
    lab->students = json_array();
    FAULT_TRY(is_done(lab, fault));
    FAULT_TRY(class_results_open(&lab->results, fault));
    return class_results_everybody(&lab->results, keep_student, lab, fault);
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

static bool unknown_lab(const adjusting *all, const char *name, grader_fault *fault)
{
    text_buffer names = {0};
    for (size_t i = 0; i < all->labs; i++) text_format(&names, "%s%s", i ? ", " : "", all->lab[i].name);
    if (name)
        fault_set(fault, "%s was not graded in %s: there is %s", name, all->folder, names.text ? names.text : "none");
    else
        fault_set(fault, "--lab must say which lab: %s", names.text ? names.text : "none was graded");
    free(names.text);
    return false;
}

bool adjusting_find_lab(adjusted_lab **out, adjusting *all, const char *name, grader_fault *fault)
{
    *out = NULL;
    for (size_t i = 0; i < all->labs; i++) {
        if (name ? strcmp(all->lab[i].name, name) == 0 : all->labs == 1) *out = &all->lab[i];
    }
    return *out ? open_lab(*out, fault) : unknown_lab(all, name, fault);
}

const json_t *adjusting_known(const json_t *student)
{
    const json_t *submission = json_object_get(student, "submission");
    return submission ? json_object_get(submission, "student") : student;
}

enum { NAMES = 4 };

/* The names of a student; "" where one is not known. */
static void list_names(const char *names[NAMES], const json_t *result)
{
    const json_t *known = adjusting_known(result);
    names[0] = adjustments_name(result);
    names[1] = result_string(known, "id");
    names[2] = result_string(known, "email");
    names[3] = result_string(known, "name");
}

static bool unknown_student(const adjusted_lab *lab, const char *wanted, grader_fault *fault)
{
    near_words near = {.wanted = wanted};
    size_t index;
    json_t *student;
    json_array_foreach(lab->students, index, student)
    {
        const char *names[NAMES];
        list_names(names, student);
        for (int i = 0; i < NAMES; i++) near_words_offer(&near, names[i]);
    }
    char *told = near_words_text(&near);
    fault_set(fault, "%s has no student \"%s\"%s", lab->name, wanted, told ? told : "");
    free(told);
    return false;
}

/* Whether one of the first `kinds` names of the student is this one. */
static bool has_name(const json_t *student, const char *wanted, int kinds)
{
    const char *names[NAMES];
    list_names(names, student);
    for (int i = 0; i < kinds; i++) {
        if (strcmp(names[i], wanted) == 0) return true;
    }
    return false;
}

/* Finds students by one of the first `kinds` names. Returns how many there are. */
static size_t find_named(const json_t **out, const adjusted_lab *lab, const char *wanted, int kinds)
{
    size_t index, found = 0;
    json_t *student;
    json_array_foreach(lab->students, index, student)
    {
        if (!*wanted || !has_name(student, wanted, kinds)) continue;
        *out = student;
        found++;
    }
    return found;
}

bool adjusting_find_student(const json_t **out, const adjusted_lab *lab, const char *wanted, grader_fault *fault)
{
    if (find_named(out, lab, wanted, 1) == 1) return true;
    const size_t found = find_named(out, lab, wanted, NAMES);
    if (found > 1) return fault_set(fault, "several students of %s are called %s: use an id", lab->name, wanted);
    return found == 1 || unknown_student(lab, wanted, fault);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static bool write_results(const adjusted_lab *lab, class_file *file, double seconds, grader_fault *fault)
{
    size_t index;
    json_t *student;
    json_array_foreach(lab->students, index, student)
    {
        if (!json_object_get(student, "submission") || class_file_add(file, student, fault)) continue;
        class_file_abandon(file);
        return false;
    }
    return class_file_finish(file, seconds, fault);
}

/* Writes the file with the fields that it has, and the lab's facts and results as they are now. */
static bool write_again(const adjusted_lab *lab, const char *path, grader_fault *fault)
{
    class_file *file;
    json_t *head = json_load_file(path, 0, NULL);
    if (!head) return fault_set(fault, "%s cannot be read: grade again, to write it", path);
    const double seconds = json_number_value(json_object_get(head, "seconds"));
    json_object_del(head, "seconds");
    json_object_del(head, "submissions");
    json_object_update(head, lab->results.facts);
    bool ok = class_file_begin_again(&file, path, head, fault) && write_results(lab, file, seconds, fault);
    json_decref(head);
    return ok;
}

static bool write_lab(adjusted_lab *lab, grader_fault *fault)
{
    close_lab(lab);
    FAULT_TRY(open_lab(lab, fault));
    char *path = folder_path(lab->out, "results.json");
    if (!path) return fault_memory(fault, "the adjustments");
    bool ok = write_again(lab, path, fault);
    free(path);
    return ok;
}

bool adjusting_write(adjusting *all, grader_fault *fault)
{
    for (size_t i = 0; i < all->labs; i++) {
        if (!all->lab[i].changed || write_lab(&all->lab[i], fault)) continue;
        const grader_fault why = *fault;
        return fault_set(fault, "the adjustment is kept, but pages and exports have it only after labgrade resume: %s",
                         why.text);
    }
    return true;
}
