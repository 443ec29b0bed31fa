/* From submissions to results by way of the store; see grading.h. */
#include "grading.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "course/student_facts.h"
#include "course/attempts.h"
#include "base/clock.h"
#include "base/folder.h"
#include "grading_internal.h"
#include "course/groups.h"
#include "judge/job.h"
#include "judge/kernel_probe.h"
#include "sandbox/sandbox_cuda.h"
#include "judge/source_file.h"
#include "base/text.h"

static bool no_memory(grader_fault *fault) { return fault_set(fault, "not enough memory for the grading"); }

/* ---- labs -------------------------------------------------------------------------------------------------------- */

static bool open_lab(grading *of, const char *name, grader_fault *fault)
{
    graded_lab *larger = realloc(of->lab, (of->labs + 1) * sizeof *larger);
    if (!larger) return no_memory(fault);
    of->lab = larger;
    graded_lab *lab = &of->lab[of->labs];
    *lab = (graded_lab){0};
    const lab_parts_places places = {.root = of->settings->root, .build = of->settings->build, .name = name};
    if (!lab_parts_open(&lab->parts, &places, fault)) return false;
    of->labs++;
    return lab_parts_key(&lab->key, &lab->parts, fault);
}

/* Opens each lab of a list with spaces between. */
static bool open_labs(grading *of, const char *names, grader_fault *fault)
{
    char *list = strdup(names), *rest = list;
    bool ok = list || no_memory(fault);
    for (const char *name; ok && (name = strsep(&rest, " "));) {
        if (*name) ok = open_lab(of, name, fault);
    }
    free(list);
    if (ok && of->labs == 0) ok = fault_set(fault, "say which lab to grade");
    return ok;
}

/* A program that may choose its device would quietly take the CPU in a sandbox without the GPU. */
static bool prove_gpu(grading *of, grader_fault *fault)
{
    char *tool = folder_path(of->settings->build, "bin/labdevice"), *whole = tool ? realpath(tool, NULL) : NULL;
    bool ok = tool ? sandbox_cuda_prove(&of->box, whole ? whole : tool, fault) : no_memory(fault);
    free(tool);
    free(whole);
    return ok;
}

/* Opens the sandbox that the command line asks for. */
static bool open_sandbox(grading *of, grader_fault *fault)
{
    const grading_settings *settings = of->settings;
    const char *const hidden[] = {settings->root, settings->build, of->folder ? of->folder : settings->root,
                                  settings->out, NULL};
    sandbox_options options = {.hidden = hidden, .memory_bytes = settings->memory_bytes};
    for (size_t i = 0; i < of->labs; i++) {
        options.cuda = options.cuda || strcmp(of->lab[i].parts.device.kind, "cuda") == 0;
    }
    if (!sandbox_choose(&of->use, &of->box, &settings->sandbox, &options, fault)) return false;
    if (!of->use) fprintf(stderr, "labgrade: sandbox: %s\n", of->box.description);
    return true;
}

/* Proves that kernels run where submissions will run. */
static bool prove_kernels(grading *of, grader_fault *fault)
{
    if (of->use && of->box.cuda && !prove_gpu(of, fault)) return false;
    return of->labs == 0 || kernel_probe_run(of->use, of->lab[0].parts.reference, fault);
}

/* Says where each lab's results go, and makes that folder. */
static bool place_labs(grading *of, grader_fault *fault)
{
    bool ok = true;
    for (size_t i = 0; ok && i < of->labs; i++) {
        graded_lab *lab = &of->lab[i];
        lab->out = of->flat ? strdup(of->settings->out) : folder_path(of->settings->out, lab->parts.name);
        ok = lab->out ? folder_make(lab->out, fault) : no_memory(fault);
    }
    return ok;
}

static void close_grading(grading *of)
{
    for (size_t i = 0; i < of->labs; i++) {
        lab_parts_close(&of->lab[i].parts);
        intake_close(&of->lab[i].taken);
        free(of->lab[i].out);
        free(of->lab[i].about);
    }
    sandbox_close(&of->box);
    roster_free(&of->students);
    free(of->lab);
    free(of->folder);
    store_close(of->store);
}

/* ---- options, kept with the grading ------------------------------------------------------------------------------ */

static char *options_text(const grading *of)
{
    json_t *options = json_pack("{s:f, s:b}", "seconds", of->seconds, "flat", of->flat);
    char *text = options ? json_dumps(options, JSON_COMPACT) : NULL;
    json_decref(options);
    return text;
}

static void read_options(grading *of, const char *text)
{
    json_t *options = json_loads(text, 0, NULL);
    of->seconds = json_number_value(json_object_get(options, "seconds"));
    of->flat = json_is_true(json_object_get(options, "flat"));
    json_decref(options);
}

static bool add_lab(grading *of, const graded_lab *lab, grader_fault *fault)
{
    const store_lab row = {.name = lab->parts.name,
                           .kit = lab->key,
                           .seed = lab->seed,
                           .seed_secret = lab->seed_secret,
                           .about = lab->about};
    return store_add_lab(of->store, of->id, &row, fault);
}

/* ---- grade ------------------------------------------------------------------------------------------------------- */

/* A store whose results lie in OUT itself is for one lab only. */
static bool fits_store(const grading *of, grader_fault *fault)
{
    store_grading last = {0};
    grader_fault none;
    store_lab *labs = NULL;
    size_t count = 0;
    grading before = {0};
    if (!store_find_grading(&last, of->store, 0, &none)) return true;
    read_options(&before, last.options);
    bool ok = store_labs(&labs, &count, of->store, last.id, fault);
    if (ok && (before.flat != of->flat || (of->flat && strcmp(labs[0].name, of->lab[0].parts.name) != 0))) {
        ok = fault_set(fault, "%s holds the grades of %s%s: grade into another folder", of->settings->out,
                       count ? labs[0].name : "other labs", before.flat ? " alone" : " and others");
    }
    store_labs_free(labs, count);
    store_grading_free(&last);
    return ok;
}

/* The number in the course's seed file, whose path is relative to the course's. */
static bool read_seed_file(uint64_t *seed, const grading_request *request, const course *settings, grader_fault *fault)
{
    text_buffer path = {0};
    char *text = NULL, *end = NULL;
    size_t bytes = 0;
    const char *file = settings->seed_file, *slash = *file == '/' ? NULL : strrchr(request->course, '/');
    text_format(&path, "%.*s%s", slash ? (int)(slash - request->course) + 1 : 0, request->course, file);
    bool ok = !path.failed && folder_read(&text, &bytes, path.text, 64, fault) == FOLDER_FILE;
    if (ok) *seed = strtoull(text, &end, 10);
    ok = ok && end > text && end[strspn(end, " \r\n")] == '\0';
    if (!ok)
        fault_set(fault, "%s: this file should hold the secret seed, a whole number", path.failed ? file : path.text);
    free(text);
    free(path.text);
    return ok;
}

static bool choose_seed(grading *of, graded_lab *lab, const grading_request *request, grader_fault *fault)
{
    const uint64_t *seed = request->seed;
    bool found;
    lab->seed_secret = !seed;
    if (seed) lab->seed = *seed;
    if (seed) return true;
    if (of->course.has_seed) {
        lab->seed = of->course.seed;
        return true;
    }
    if (*of->course.seed_file) return read_seed_file(&lab->seed, request, &of->course, fault);
    return store_secret_seed(of->store, lab->parts.name, &lab->seed, &found, fault) &&
           (found || job_random_seed(&lab->seed, fault));
}

static course_attempts attempts_rule(const grading *of, const graded_lab *lab)
{
    const course_lab *settings = course_find(&of->course, lab->parts.name);
    return settings ? settings->attempts : COURSE_LATEST;
}

static bool add_submission(grading *of, const graded_lab *lab, const submission *from, grader_fault *fault)
{
    source_file file = {0};
    char *path = NULL, *json = NULL;
    bool ok = intake_find(&path, &file.refusal, from, lab->parts.file, fault);
    if (ok && path) ok = source_file_read(&file, path, lab->parts.file, fault);
    if (ok && file.refusal && from->why) ok = source_file_explain(&file, from->why, fault);
    store_entry entry = {.lab = lab->parts.name, .name = from->name, .directory = from->safe};
    const char *zone = *of->course.time_zone ? of->course.time_zone : "UTC";
    json_t *about = student_facts_submission(from, &of->students, course_find(&of->course, lab->parts.name), zone);
    char *about_text = about ? json_dumps(about, JSON_COMPACT) : NULL;
    if (ok && !about_text) ok = no_memory(fault);
    if (ok) {
        entry.about = about_text;
        entry.refusal = file.refusal;
        entry.group = from->group;
        entry.kept_only = attempts_is_kept_only(from, attempts_rule(of, lab));
        entry.source = file.bytes ? file.bytes : "";
        entry.bytes = file.count;
        entry.key = grading_result_key(of, lab, entry.source, entry.bytes);
        ok = store_find_result(of->store, &entry, &entry.previous, &json, fault);
        if (json && !grading_files_are_there(lab, entry.directory, json)) entry.previous = 0;
        if (entry.kept_only) entry.previous = 0;
        ok = ok && store_add_job(of->store, of->id, &entry, fault);
    }
    json_decref(about);
    free(about_text);
    free(json);
    free(path);
    source_file_free(&file);
    return ok;
}

static bool begin_in_store(grading *of, const grading_request *request, grader_fault *fault)
{
    bool ok = true;
    grader_fault second;
    for (size_t i = 0; ok && i < of->labs; i++) ok = choose_seed(of, &of->lab[i], request, fault);
    char *options = ok ? options_text(of) : NULL;
    if (ok && !options) ok = no_memory(fault);
    ok = ok && store_begin(of->store, &of->id, request->why ? request->why : "grade", of->folder, options, fault);
    free(options);
    if (!ok) return false;
    for (size_t i = 0; ok && i < of->labs; i++) {
        const graded_lab *lab = &of->lab[i];
        ok = add_lab(of, lab, fault);
        for (size_t k = 0; ok && k < lab->taken.list.count; k++) {
            ok = add_submission(of, lab, &lab->taken.list.entry[k], fault);
        }
    }
    return store_begun(of->store, ok, ok ? fault : &second) && ok;
}

/* Else a penalty for "lab1" would be nobody's, and nobody would be told. */
static bool course_labs_exist(const grading *of, const char *path, grader_fault *fault)
{
    for (size_t i = 0; i < of->course.labs; i++) {
        const lab_parts_places places = {.root = of->settings->root, .name = of->course.lab[i].name};
        if (lab_parts_exists(&places, fault)) continue;
        const grader_fault why = *fault;
        return fault_set(fault, "%s: %s", path, why.text);
    }
    return true;
}

static bool open_course_labs(grading *of, grader_fault *fault)
{
    bool ok = of->course.labs > 0 || fault_set(fault, "say which lab to grade: the course's file names none");
    for (size_t i = 0; ok && i < of->course.labs; i++) ok = open_lab(of, of->course.lab[i].name, fault);
    return ok;
}

/* With several labs, each may have a folder of its own: SUBMISSIONS/lab03. */
static bool take_in(const grading *of, graded_lab *lab, const char *submissions, grader_fault *fault)
{
    char *own = folder_path(submissions, lab->parts.name);
    if (!own) return no_memory(fault);
    const char *from = of->flat || access(own, F_OK) < 0 ? submissions : own;
    bool ok = intake_open(&lab->taken, from, of->settings->out, fault) &&
              groups_share(&lab->taken, &of->students, fault) && attempts_number(&lab->taken, lab->parts.file, fault);
    free(own);
    if (ok) {
        json_t *about = student_facts_lab(&lab->taken, &of->students, course_find(&of->course, lab->parts.name));
        lab->about = about ? json_dumps(about, JSON_COMPACT) : NULL;
        ok = lab->about || no_memory(fault);
        json_decref(about);
    }
    for (size_t i = 0; ok && i < lab->taken.notes.count; i++) {
        const intake_note *note = &lab->taken.notes.note[i];
        char *name = text_clean_line(note->name, strlen(note->name));
        char *reason = text_clean_line(note->reason, strlen(note->reason));
        fprintf(stderr, "labgrade: %s: %s\n", name ? name : "?", reason ? reason : "?");
        free(name);
        free(reason);
    }
    return ok;
}

/* OUT/course.json says what was read. One that a teacher wrote is not overwritten. */
static bool write_course(const grading *of, const grading_request *request, grader_fault *fault)
{
    char *path = folder_path(of->settings->out, "course.json"), *text = NULL;
    json_t *there = path ? json_load_file(path, 0, NULL) : NULL, *written = NULL;
    bool ok = path || no_memory(fault);
    if (ok && access(path, F_OK) == 0 && strcmp(result_string(there, "written_by"), "labgrade") != 0) {
        ok = fault_set(fault, "%s was not written by labgrade: move it away, or grade without --course", path);
    }
    if (ok) {
        written = student_facts_course(&of->course, request->course);
        text = written ? json_dumps(written, JSON_INDENT(1)) : NULL;
        ok = text ? folder_write(path, text, strlen(text), fault) : no_memory(fault);
    }
    json_decref(there);
    json_decref(written);
    free(text);
    free(path);
    return ok;
}

bool grading_grade(const grading_settings *settings, const grading_request *request, grader_fault *fault)
{
    grading of = {.settings = settings, .seconds = request->seconds, .begun = clock_seconds()};
    of.folder = strdup(request->submissions);
    bool ok = (of.folder || no_memory(fault)) &&
              (!request->roster || roster_read(&of.students, request->roster, fault)) &&
              (!request->course ||
               (course_read(&of.course, request->course, fault) && course_labs_exist(&of, request->course, fault)));
    if (ok && request->labs)
        ok = open_labs(&of, request->labs, fault);
    else if (ok)
        ok = open_course_labs(&of, fault);
    of.flat = of.labs == 1 && !request->course;
    if (ok && of.labs > 1 && of.students.has_times)
        ok = fault_set(fault, "%s: its times are those of one lab: grade the labs one by one", request->roster);
    for (size_t i = 0; ok && i < of.labs; i++) ok = take_in(&of, &of.lab[i], request->submissions, fault);
    ok = ok && open_sandbox(&of, fault) && prove_kernels(&of, fault) && folder_make(settings->out, fault) &&
         store_open(&of.store, settings->out, fault) && fits_store(&of, fault) && place_labs(&of, fault) &&
         (!request->course || write_course(&of, request, fault)) && begin_in_store(&of, request, fault) &&
         grading_carry_out(&of, fault);
    close_grading(&of);
    return ok;
}

/* ---- resume and regrade ------------------------------------------------------------------------------------------ */

/* Opens the store and the labs of its last grading, with their seeds. */
static bool open_last(grading *of, store_grading *last, bool same_kit, grader_fault *fault)
{
    store_lab *labs = NULL;
    size_t count = 0;
    bool ok = store_is_there(of->settings->out, fault) && store_open(&of->store, of->settings->out, fault) &&
              store_find_grading(last, of->store, 0, fault) && store_labs(&labs, &count, of->store, last->id, fault);
    if (ok) read_options(of, last->options);
    if (ok) ok = (of->folder = strdup(last->folder)) != NULL || no_memory(fault);
    for (size_t i = 0; ok && i < count; i++) {
        ok = open_lab(of, labs[i].name, fault);
        if (!ok) break;
        of->lab[i].seed = labs[i].seed;
        of->lab[i].seed_secret = labs[i].seed_secret;
        of->lab[i].about = labs[i].about;
        labs[i].about = NULL;
        if (same_kit && memcmp(&of->lab[i].key, &labs[i].kit, sizeof labs[i].kit) != 0) {
            ok = fault_set(fault,
                           "%s has changed since that grading began; grade the submissions again: what has its result "
                           "and has not changed is kept",
                           labs[i].name);
        }
    }
    store_labs_free(labs, count);
    return ok && open_sandbox(of, fault) && prove_kernels(of, fault) && place_labs(of, fault);
}

bool grading_resume(const grading_settings *settings, grader_fault *fault)
{
    grading of = {.settings = settings, .begun = clock_seconds()};
    store_grading last = {0};
    bool ok = open_last(&of, &last, true, fault);
    of.id = last.id;
    ok = ok && store_put_back_all(of.store, of.id, fault) && grading_carry_out(&of, fault);
    store_grading_free(&last);
    close_grading(&of);
    return ok;
}

static bool has_check(const grading *of, const grading_choice *choice, grader_fault *fault)
{
    for (size_t i = 0; choice->check && i < of->labs; i++) {
        const json_t *check;
        if (choice->lab && strcmp(choice->lab, of->lab[i].parts.name) != 0) continue;
        for (size_t k = 0; (check = lab_parts_check(&of->lab[i].parts, k)); k++) {
            if (strcmp(result_string(check, "name"), choice->check) == 0) return true;
        }
    }
    return !choice->check || fault_set(fault, "there is no check \"%s\"", choice->check);
}

static bool begin_again(grading *of, const store_grading *last, const grading_choice *choice, grader_fault *fault)
{
    const store_choice chosen_jobs = {.student = choice->student, .lab = choice->lab, .check = choice->check};
    int64_t chosen = 0;
    grader_fault second;
    if (!store_begin(of->store, &of->id, choice->why ? choice->why : "regrade", of->folder, last->options, fault)) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < of->labs; i++) {
        const graded_lab *lab = &of->lab[i];
        ok = add_lab(of, lab, fault);
    }
    ok = ok && store_copy_jobs(of->store, last->id, of->id, &chosen_jobs, &chosen, fault);
    if (ok && chosen == 0) {
        ok = fault_set(fault, "no submission of %s%s%s is in the last grading",
                       choice->student ? choice->student : "anybody", choice->lab ? " for " : "",
                       choice->lab ? choice->lab : "");
    }
    return store_begun(of->store, ok, ok ? fault : &second) && ok;
}

bool grading_regrade(const grading_settings *settings, const grading_choice *choice, grader_fault *fault)
{
    grading of = {.settings = settings, .begun = clock_seconds()};
    store_grading last = {0};
    bool ok = open_last(&of, &last, false, fault) && has_check(&of, choice, fault) &&
              begin_again(&of, &last, choice, fault) && grading_carry_out(&of, fault);
    store_grading_free(&last);
    close_grading(&of);
    return ok;
}

bool grading_show_sandbox(const grading_settings *settings, const char *lab, grader_fault *fault)
{
    grading of = {.settings = settings};
    bool ok = open_lab(&of, lab, fault) && open_sandbox(&of, fault);
    if (ok) printf("sandbox: %s\n", of.box.description);
    for (char **word = ok ? of.box.common : NULL; word && *word; word++) printf("  %s\n", *word);
    ok = ok && prove_kernels(&of, fault);
    close_grading(&of);
    return ok;
}
