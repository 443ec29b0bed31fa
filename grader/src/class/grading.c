/* From submissions to results by way of the store; see grading.h. */
#include "grading.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/folder.h"
#include "base/system/kernels_apart.h"
#include "base/text.h"
#include "course/accounts.h"
#include "course/attempts.h"
#include "course/groups.h"
#include "course/accept.h"
#include "course/roster_doubts.h"
#include "course/student_facts.h"
#include "grading_internal.h"
#include "judge/job.h"
#include "judge/source_file.h"

/* ---- options, kept with the grading ------------------------------------------------------------------------------ */

static char *options_text(const grading *run)
{
    json_t *options =
        json_pack("{s:f, s:b, s:b}", "seconds", run->seconds, "flat", run->flat, "in_parts", run->in_parts);
    char *text = options ? json_dumps(options, JSON_COMPACT) : NULL;
    json_decref(options);
    return text;
}

static void read_options(grading *run, const char *text)
{
    json_t *options = json_loads(text, 0, NULL);
    run->seconds = json_number_value(json_object_get(options, "seconds"));
    run->flat = json_is_true(json_object_get(options, "flat"));
    run->in_parts = json_is_true(json_object_get(options, "in_parts"));
    json_decref(options);
}

/* ---- what is asked for ------------------------------------------------------------------------------------------- */

/* Refuses a course with an unknown lab: otherwise a penalty for "lab1" would quietly apply to nothing. */
static bool course_labs_exist(const grading *run, const char *path, grader_fault *fault)
{
    for (size_t i = 0; i < run->course.labs; i++) {
        const lab_parts_places places = {.root = run->settings->root, .name = run->course.lab[i].name};
        if (lab_parts_exists(&places, fault)) continue;
        const grader_fault why = *fault;
        return fault_set(fault, "%s: %s", path, why.text);
    }
    return true;
}

static bool read_request(grading *run, const grading_request *request, grader_fault *fault)
{
    run->folder = strdup(request->submissions);
    if (!run->folder) return fault_memory(fault, "the grading");
    const roster_reading how = {.columns = request->columns, .dropped_zeros = request->dropped_zeros};
    if (request->roster) FAULT_TRY(roster_read(&run->students, &how, request->roster, fault));
    if (request->accept) FAULT_TRY(accept_read(&run->accepted, request->accept, fault));
    if (!request->course) return true;
    FAULT_TRY(course_read(&run->course, request->course, fault));
    return course_labs_exist(run, request->course, fault);
}

/* Opens each lab of a list with spaces between. */
static bool open_named_labs(grading *run, const char *names, grader_fault *fault)
{
    char *list = strdup(names), *rest = list;
    if (!list) return fault_memory(fault, "the grading");
    bool ok = true;
    for (const char *name; ok && (name = strsep(&rest, " "));) ok = !*name || grading_open_lab(run, name, fault);
    free(list);
    FAULT_TRY(ok);
    return run->labs > 0 || fault_set(fault, "say which lab to grade");
}

static bool open_course_labs(grading *run, grader_fault *fault)
{
    for (size_t i = 0; i < run->course.labs; i++) FAULT_TRY(grading_open_lab(run, run->course.lab[i].name, fault));
    return run->labs > 0 || fault_set(fault, "say which lab to grade: the course's file names none");
}

static bool open_labs(grading *run, const grading_request *request, grader_fault *fault)
{
    FAULT_TRY(request->labs ? open_named_labs(run, request->labs, fault) : open_course_labs(run, fault));
    run->flat = run->labs == 1 && !request->course;
    if (run->labs == 1 || !run->students.has_times) return true;
    return fault_set(fault, "%s: its times are those of one lab: grade the labs one by one", request->roster);
}

/* ---- submissions ------------------------------------------------------------------------------------------------- */

static void print_notes(const intake_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++) {
        const intake_note *note = &notes->note[i];
        char *name = text_clean_line(note->name, strlen(note->name));
        char *reason = text_clean_line(note->reason, strlen(note->reason));
        fprintf(stderr, "labgrade: %s: %s\n", name ? name : "?", reason ? reason : "?");
        free(name);
        free(reason);
    }
}

/* With several labs, each may have a folder of its own: SUBMISSIONS/lab03. */
static bool open_intake(const grading *run, graded_lab *lab, const char *submissions, grader_fault *fault)
{
    char *own = folder_path(submissions, lab->parts.name);
    if (!own) return fault_memory(fault, "the grading");
    const char *source = run->flat || access(own, F_OK) < 0 ? submissions : own;
    const unpack_reader reader = {.program = run->unpack, .box = run->use};
    bool ok = intake_open(&lab->taken, source, run->settings->out, &reader, fault);
    free(own);
    return ok;
}

static const char *time_zone(const grading *run) { return *run->course.time_zone ? run->course.time_zone : "UTC"; }

static bool find_files(graded_lab *lab, grader_fault *fault)
{
    intake_wanted wanted;
    FAULT_TRY(intake_wanted_read(&wanted, lab->parts.file, lab->parts.starter, lab->parts.solution, fault));
    bool ok = attempts_number(&lab->taken, &wanted, fault);
    intake_wanted_free(&wanted);
    return ok;
}

static bool take_in(const grading *run, graded_lab *lab, const char *submissions, grader_fault *fault)
{
    FAULT_TRY(open_intake(run, lab, submissions, fault));
    FAULT_TRY(accounts_find(&lab->taken, &run->students, fault));
    FAULT_TRY(accept_students(&lab->taken, &run->accepted, &run->students, fault));
    FAULT_TRY(groups_share(&lab->taken, &run->students, fault));
    FAULT_TRY(accept_files(&lab->taken, &run->accepted, fault));
    FAULT_TRY(find_files(lab, fault));
    roster_doubts_note(&lab->taken, &run->students);
    const course_lab *settings = course_find(&run->course, lab->parts.name);
    json_t *facts = student_facts_lab(&lab->taken, &run->students, settings, time_zone(run));
    lab->facts = facts ? json_dumps(facts, JSON_COMPACT) : NULL;
    json_decref(facts);
    if (!lab->facts) return fault_memory(fault, "the grading");
    print_notes(&lab->taken.notes);
    return true;
}

/* ---- beginning in the store -------------------------------------------------------------------------------------- */

/* Whether this grading's labs are those of an earlier one in the same folder. */
static bool fits_grading(const grading *run, const store_grading *last, grader_fault *fault)
{
    store_lab *labs = NULL;
    size_t count = 0;
    grading before = {0};
    read_options(&before, last->options);
    FAULT_TRY(store_labs(&labs, &count, run->store, last->id, fault));
    bool fits = before.flat == run->flat && (!run->flat || strcmp(labs[0].name, run->lab[0].parts.name) == 0);
    if (!fits) {
        if (!before.flat)
            fault_set(fault,
                      "%s holds the grades of a course or of several labs: grade with the same --course and labs, or "
                      "into another folder",
                      run->settings->out);
        else
            fault_set(fault, "%s holds the grades of %s alone%s: grade into another folder", run->settings->out,
                      labs[0].name, run->flat ? "" : ", without --course");
    }
    store_labs_free(labs, count);
    return fits;
}

/* A store whose results lie in OUT itself is for one lab only. */
static bool fits_store(const grading *run, grader_fault *fault)
{
    store_grading last = {0};
    grader_fault none;
    if (!store_find_grading(&last, run->store, 0, &none)) return true;
    bool fits = fits_grading(run, &last, fault);
    store_grading_free(&last);
    return fits;
}

/* Writes OUT/course.json, which says what was read. A file that a teacher wrote is not overwritten. */
static bool write_course_file(const char *path, const grading *run, const grading_request *request, grader_fault *fault)
{
    json_t *there = json_load_file(path, 0, NULL);
    bool ours = access(path, F_OK) != 0 || strcmp(result_string(there, "written_by"), "labgrade") == 0;
    json_decref(there);
    if (!ours) return fault_set(fault, "%s was not written by labgrade: move it away, or grade without --course", path);
    json_t *facts = student_facts_course(&run->course, request->course);
    char *text = facts ? json_dumps(facts, JSON_INDENT(1)) : NULL;
    bool ok = text ? folder_write(path, text, strlen(text), fault) : fault_memory(fault, "the grading");
    json_decref(facts);
    free(text);
    return ok;
}

static bool write_course(const grading *run, const grading_request *request, grader_fault *fault)
{
    char *path = folder_path(run->settings->out, "course.json");
    if (!path) return fault_memory(fault, "the grading");
    bool ok = write_course_file(path, run, request, fault);
    free(path);
    return ok;
}

/* Reads the number in the course's seed file, whose path is relative to the course's. */
static bool read_seed_file(uint64_t *seed, const grading_request *request, const course *settings, grader_fault *fault)
{
    text_buffer path = {0};
    char *text = NULL, *end = NULL;
    size_t bytes = 0;
    const char *file = settings->seed_file, *slash = *file == '/' ? NULL : strrchr(request->course, '/');
    text_format(&path, "%.*s%s", slash ? (int)(slash - request->course) + 1 : 0, request->course, file);
    bool found = !path.failed && folder_read(&text, &bytes, path.text, 64, fault) == FOLDER_FILE;
    if (found) *seed = strtoull(text, &end, 10);
    bool whole = found && end > text && end[strspn(end, " \r\n")] == '\0';
    if (!whole)
        fault_set(fault, "%s: this file should hold the secret seed, a whole number", path.failed ? file : path.text);
    free(text);
    free(path.text);
    return whole;
}

/* The seed of the command line, else of the course, else of earlier gradings, else a new one. */
static bool choose_seed(const grading *run, graded_lab *lab, const grading_request *request, grader_fault *fault)
{
    bool found;
    lab->seed_secret = !request->seed;
    if (request->seed || run->course.has_seed) {
        lab->seed = request->seed ? *request->seed : run->course.seed;
        return true;
    }
    if (*run->course.seed_file) return read_seed_file(&lab->seed, request, &run->course, fault);
    FAULT_TRY(store_secret_seed(run->store, lab->parts.name, &lab->seed, &found, fault));
    return found || job_random_seed(&lab->seed, fault);
}

static bool add_lab(const grading *run, const graded_lab *lab, grader_fault *fault)
{
    const store_lab row = {.name = lab->parts.name,
                           .key = lab->key,
                           .seed = lab->seed,
                           .seed_secret = lab->seed_secret,
                           .facts = lab->facts};
    return store_add_lab(run->store, run->id, &row, fault);
}

/* Reads the submission's file, or says why there is none to grade. */
static bool read_submission(source_file *out, const submission *entry, const char *file, grader_fault *fault)
{
    const submission_file *found = &entry->found;
    if (found->refusal)
        out->refusal = strdup(found->refusal);
    else
        FAULT_TRY(source_file_read(out, found->path, file, fault));
    if (found->refusal && !out->refusal) return fault_memory(fault, "the submissions");
    if (!out->refusal) return true;
    if (!found->refusal && found->note) FAULT_TRY(source_file_explain(out, found->note, fault));
    return !entry->why || source_file_explain(out, entry->why, fault);
}

/* What is known of the submission besides its result, as text; NULL without memory. */
static char *submission_facts(const grading *run, const graded_lab *lab, const submission *entry)
{
    const course_lab *settings = course_find(&run->course, lab->parts.name);
    json_t *facts = student_facts_submission(entry, &run->students, settings, time_zone(run));
    char *text = facts ? json_dumps(facts, JSON_COMPACT) : NULL;
    json_decref(facts);
    return text;
}

static course_attempts attempts_rule(const grading *run, const graded_lab *lab)
{
    const course_lab *settings = course_find(&run->course, lab->parts.name);
    return settings ? settings->attempts : COURSE_LATEST;
}

/* Adds a job, or the result that an earlier grading found for the same submission. */
static bool add_job(const grading *run, const graded_lab *lab, const submission *entry, const source_file *file,
                    const char *facts, grader_fault *fault)
{
    char *json = NULL;
    store_entry row = {.lab = lab->parts.name,
                       .name = entry->name,
                       .directory = entry->safe,
                       .facts = facts,
                       .refusal = file->refusal,
                       .group = entry->group,
                       .kept_only = attempts_is_kept_only(entry, attempts_rule(run, lab)),
                       .source = file->bytes ? file->bytes : "",
                       .bytes = file->count};
    row.key = grading_result_key(run, lab, row.source, row.bytes);
    FAULT_TRY(store_find_result(run->store, &row, &row.previous, &json, fault));
    if (row.kept_only || (json && !grading_files_are_there(lab, row.directory, json))) row.previous = 0;
    free(json);
    return store_add_job(run->store, run->id, &row, fault);
}

static bool add_submission(const grading *run, const graded_lab *lab, const submission *entry, grader_fault *fault)
{
    source_file file = {0};
    char *facts = submission_facts(run, lab, entry);
    if (!facts) return fault_memory(fault, "the grading");
    bool ok = read_submission(&file, entry, lab->parts.file, fault) && add_job(run, lab, entry, &file, facts, fault);
    free(facts);
    source_file_free(&file);
    return ok;
}

static bool add_labs_and_submissions(const grading *run, grader_fault *fault)
{
    for (size_t i = 0; i < run->labs; i++) {
        const graded_lab *lab = &run->lab[i];
        const submission_list *list = &lab->taken.list;
        FAULT_TRY(add_lab(run, lab, fault));
        for (size_t k = 0; k < list->count; k++) FAULT_TRY(add_submission(run, lab, &list->entry[k], fault));
    }
    return true;
}

static bool begin_row(grading *run, const char *why, grader_fault *fault)
{
    char *options = options_text(run);
    bool ok = options ? store_begin(run->store, &run->id, why, run->folder, options, fault)
                      : fault_memory(fault, "the grading");
    free(options);
    return ok;
}

static bool begin_in_store(grading *run, const grading_request *request, grader_fault *fault)
{
    for (size_t i = 0; i < run->labs; i++) FAULT_TRY(choose_seed(run, &run->lab[i], request, fault));
    FAULT_TRY(begin_row(run, request->why ? request->why : "grade", fault));
    return store_begun(run->store, add_labs_and_submissions(run, fault), fault);
}

/* ---- grade ------------------------------------------------------------------------------------------------------- */

bool grading_begin(grading *run, const grading_request *request, grader_fault *fault)
{
    FAULT_TRY(read_request(run, request, fault));
    FAULT_TRY(open_labs(run, request, fault));
    FAULT_TRY(grading_open_sandbox(run, fault));
    for (size_t i = 0; i < run->labs; i++) FAULT_TRY(take_in(run, &run->lab[i], request->submissions, fault));
    if (!run->in_parts) FAULT_TRY(grading_prove_kernels(run, fault));
    FAULT_TRY(folder_make(run->settings->out, fault));
    FAULT_TRY(store_open(&run->store, run->settings->out, fault));
    FAULT_TRY(fits_store(run, fault));
    FAULT_TRY(grading_place_labs(run, fault));
    if (request->course) FAULT_TRY(write_course(run, request, fault));
    return begin_in_store(run, request, fault);
}

bool grading_grade(const grading_settings *settings, const grading_request *request, grader_fault *fault)
{
    grading run = {.settings = settings, .seconds = request->seconds, .begun = clock_seconds()};
    bool ok = grading_begin(&run, request, fault) && grading_carry_out(&run, fault);
    grading_close(&run);
    return ok;
}

/* ---- resume and regrade ------------------------------------------------------------------------------------------ */

/* Opens a lab of the last grading, with its seed; with `unchanged`, only as it was then. */
static bool take_lab(grading *run, store_lab *row, bool unchanged, grader_fault *fault)
{
    FAULT_TRY(grading_open_lab(run, row->name, fault));
    graded_lab *lab = &run->lab[run->labs - 1];
    lab->seed = row->seed;
    lab->seed_secret = row->seed_secret;
    lab->facts = row->facts;
    row->facts = NULL;
    if (!unchanged || memcmp(&lab->key, &row->key, sizeof row->key) == 0) return true;
    return fault_set(
        fault,
        "%s has changed since that grading began; grade the submissions again: what has its result and has "
        "not changed is kept",
        row->name);
}

static bool take_labs(grading *run, int64_t id, bool unchanged, grader_fault *fault)
{
    store_lab *labs = NULL;
    size_t count = 0;
    bool ok = true;
    FAULT_TRY(store_labs(&labs, &count, run->store, id, fault));
    for (size_t i = 0; ok && i < count; i++) ok = take_lab(run, &labs[i], unchanged, fault);
    store_labs_free(labs, count);
    return ok;
}

bool grading_open_last(grading *run, store_grading *last, bool unchanged, grader_fault *fault)
{
    FAULT_TRY(store_is_there(run->settings->out, fault));
    FAULT_TRY(store_open(&run->store, run->settings->out, fault));
    FAULT_TRY(store_find_grading(last, run->store, 0, fault));
    read_options(run, last->options);
    run->folder = strdup(last->folder);
    if (!run->folder) return fault_memory(fault, "the grading");
    FAULT_TRY(take_labs(run, last->id, unchanged && !*last->ended, fault));
    return grading_place_labs(run, fault);
}

/* A grading in parts is not this machine's alone to do. */
static bool refuse_parts(const grading *run, grader_fault *fault)
{
    return fault_set(fault,
                     "%s is graded in parts: labgrade work --out %s --part K/N does a part, labgrade merge %s takes "
                     "the results in",
                     run->settings->out, run->settings->out, run->settings->out);
}

static bool open_to_grade(grading *run, store_grading *last, bool unchanged, grader_fault *fault)
{
    FAULT_TRY(grading_open_last(run, last, unchanged, fault));
    if (run->in_parts && !*last->ended) return refuse_parts(run, fault);
    run->in_parts = false;
    FAULT_TRY(grading_open_sandbox(run, fault));
    return grading_prove_kernels(run, fault);
}

static bool resume(grading *run, store_grading *last, grader_fault *fault)
{
    FAULT_TRY(open_to_grade(run, last, true, fault));
    run->id = last->id;
    FAULT_TRY(store_put_back_all(run->store, run->id, fault));
    return grading_carry_out(run, fault);
}

bool grading_resume(const grading_settings *settings, grader_fault *fault)
{
    grading run = {.settings = settings, .begun = clock_seconds()};
    store_grading last = {0};
    bool ok = resume(&run, &last, fault);
    store_grading_free(&last);
    grading_close(&run);
    return ok;
}

static bool has_check(const grading *run, const grading_choice *choice, grader_fault *fault)
{
    if (!choice->check) return true;
    for (size_t i = 0; i < run->labs; i++) {
        const json_t *check;
        if (choice->lab && strcmp(choice->lab, run->lab[i].parts.name) != 0) continue;
        for (size_t k = 0; (check = lab_parts_check(&run->lab[i].parts, k)); k++) {
            if (strcmp(result_string(check, "name"), choice->check) == 0) return true;
        }
    }
    return fault_set(fault, "there is no check \"%s\"", choice->check);
}

static bool copy_labs_and_jobs(const grading *run, int64_t last, const grading_choice *choice, grader_fault *fault)
{
    const store_choice chosen_jobs = {.student = choice->student, .lab = choice->lab, .check = choice->check};
    int64_t chosen = 0;
    for (size_t i = 0; i < run->labs; i++) FAULT_TRY(add_lab(run, &run->lab[i], fault));
    FAULT_TRY(store_copy_jobs(run->store, last, run->id, &chosen_jobs, &chosen, fault));
    if (chosen > 0) return true;
    return fault_set(fault, "no submission of %s%s%s is in the last grading",
                     choice->student ? choice->student : "anybody", choice->lab ? " for " : "",
                     choice->lab ? choice->lab : "");
}

static bool regrade(grading *run, store_grading *last, const grading_choice *choice, grader_fault *fault)
{
    const char *why = choice->why ? choice->why : "regrade";
    FAULT_TRY(open_to_grade(run, last, false, fault));
    FAULT_TRY(has_check(run, choice, fault));
    FAULT_TRY(begin_row(run, why, fault));
    FAULT_TRY(store_begun(run->store, copy_labs_and_jobs(run, last->id, choice, fault), fault));
    return grading_carry_out(run, fault);
}

bool grading_regrade(const grading_settings *settings, const grading_choice *choice, grader_fault *fault)
{
    grading run = {.settings = settings, .begun = clock_seconds()};
    store_grading last = {0};
    bool ok = regrade(&run, &last, choice, fault);
    store_grading_free(&last);
    grading_close(&run);
    return ok;
}

/* ---- the sandbox ------------------------------------------------------------------------------------------------- */

static bool show_sandbox(grading *run, const char *labs, grader_fault *fault)
{
    if (labs) FAULT_TRY(open_named_labs(run, labs, fault));
    FAULT_TRY(grading_open_sandbox(run, fault));
    printf("sandbox: %s\n", run->box.description);
    for (char **word = run->box.common; word && *word; word++) printf("  %s\n", *word);
    printf("kernels on the CPU device: in %s\n",
           KERNELS_CAN_BE_APART ? "a process of their own" : "the device process (lib/docs/kernels.md says why)");
    return grading_prove_kernels(run, fault);
}

bool grading_show_sandbox(const grading_settings *settings, const char *labs, grader_fault *fault)
{
    grading run = {.settings = settings};
    bool ok = show_sandbox(&run, labs, fault);
    grading_close(&run);
    return ok;
}
