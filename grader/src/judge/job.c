/* The steps from a submission to its result; see job.h. The checks are in job_checks.c. */
#include "job_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/folder.h"
#include "source/solved_code.h"
#include "base/text.h"
#include "build.h"
#include "definitions.h"
#include "compiler_messages.h"
#include "evidence.h"
#include "file_definitions.h"
#include "open_tasks.h"
#include "sandbox/bounded_folder.h"
#include "source_file.h"

enum { TRACE, TIMELINE_SVG, TIMELINE_TEXT, BUILD_LOG };
const char *const job_files[] = {"trace.json", "timeline.svg", "timeline.txt", "build.log", NULL};

bool job_random_seed(uint64_t *seed, grader_fault *fault)
{
    if (getrandom(seed, sizeof *seed, 0) == sizeof *seed) return true;
    return fault_errno(fault, "the system gives no random seed");
}

/* ---- verdicts without checks ----------------------------------------------------------------------------------- */

/* Lists every check as not run. */
static bool list_not_run(running_job *run)
{
    const json_t *check;
    json_array_clear(run->result->checks);
    for (size_t i = 0; (check = lab_parts_check(run->parts, i)); i++) {
        if (!evidence_append_without(run->result->checks, check, "not run", ""))
            return fault_memory(&run->fault, "the result");
    }
    return true;
}

static bool conclude_early(running_job *run, result_verdict verdict, const char *summary)
{
    run->concluded = true;
    run->result->verdict = verdict;
    run->result->points = 0;
    free(run->result->summary);
    run->result->summary = text_clean_line(summary, strlen(summary));
    return run->result->summary ? list_not_run(run) : fault_memory(&run->fault, "the result");
}

/* ---- folders ---------------------------------------------------------------------------------------------------- */

/* Bounds what an untrusted program and its compiler write, where the machine can. No file of the grader is there. */
static bool make_folders(running_job *run)
{
    const sandbox *box = run->job->sandbox;
    uint64_t bytes = box ? box->room_bytes : 0;
    FAULT_TRY(folder_make_private(&run->work, "lab-job", &run->fault));
    run->built = folder_path(run->work, "built");
    run->room = bytes ? folder_path(run->work, "room") : NULL;
    if (!run->built || (bytes && !run->room)) return fault_memory(&run->fault, "the result");
    if (!bytes) return folder_make(run->built, &run->fault);
    FAULT_TRY(bounded_folder_make(run->built, bytes, &run->fault));
    return bounded_folder_make(run->room, bytes, &run->fault);
}

static void remove_folders(running_job *run)
{
    if (run->room) bounded_folder_release(run->built);
    if (run->room) bounded_folder_release(run->room);
    if (run->work) folder_remove(run->work);
    free(run->work);
    free(run->built);
    free(run->room);
}

/* ---- intake ---------------------------------------------------------------------------------------------------- */

/* Copies the file into the job's own folder, under the name that the lab gives it. */
static bool copy_file(running_job *run, const source_file *file)
{
    run->marked = open_tasks_marked(file->bytes, strlen(file->bytes));
    char *path = folder_path(run->built, run->parts->file);
    if (!path) {
        free(path);
        return fault_memory(&run->fault, "the result");
    }
    bool ok = folder_write(path, file->bytes, file->count, &run->fault);
    free(path);
    return ok;
}

/* Takes the submission in, or concludes the result because there is no file to grade. */
static bool take_in(running_job *run)
{
    source_file file = {0};
    if (run->job->refusal) return conclude_early(run, RESULT_MISSING_FILE, run->job->refusal);
    FAULT_TRY(source_file_read(&file, run->job->source, run->parts->file, &run->fault));
    bool ok = file.refusal ? conclude_early(run, RESULT_MISSING_FILE, file.refusal) : copy_file(run, &file);
    source_file_free(&file);
    return ok;
}

/* ---- build ----------------------------------------------------------------------------------------------------- */

static bool write_out(running_job *run, const char *name, const char *text)
{
    char *path = folder_path(run->job->out, name);
    if (!path) return fault_memory(&run->fault, "the result");
    bool ok = folder_write(path, text, strlen(text), &run->fault);
    free(path);
    return ok;
}

/* Concludes the result of a file that does not build. */
static bool conclude_build(running_job *run, const build_outcome *outcome)
{
    const char *first = compiler_messages_first_error(outcome->messages);
    char *summary = text_make("%s does not build: %.*s", run->parts->file, (int)strcspn(first, "\n"), first);
    bool ok = summary ? conclude_early(run, RESULT_BUILD_ERROR, summary) : fault_memory(&run->fault, "the result");
    free(summary);
    return ok;
}

/* Leaves out what solves a task: a check that needs it there has a copy with it (source/solved_code.h). */
static bool take_out_solved_code(const build_outcome *outcome, grader_fault *fault)
{
    return !outcome->ok || (solved_code_take_out(outcome->program, fault) &&
                            (!outcome->sanitized || solved_code_take_out(outcome->sanitized, fault)));
}

static bool keep_outcome(running_job *run, const build_outcome *outcome)
{
    grading_result *result = run->result;
    result->build_ok = outcome->ok;
    result->build_seconds = outcome->seconds;
    result->build_messages = strdup(outcome->messages);
    run->program = strdup(outcome->program);
    run->sanitized = outcome->sanitized ? strdup(outcome->sanitized) : NULL;
    if (!result->build_messages || !run->program || (outcome->sanitized && !run->sanitized))
        return fault_memory(&run->fault, "the result");
    FAULT_TRY(write_out(run, job_files[BUILD_LOG], outcome->log));
    FAULT_TRY(take_out_solved_code(outcome, &run->fault));
    return outcome->ok || conclude_build(run, outcome);
}

/* Whether the one check that runs has this flag in the manifest; `among_all` where every check may run. */
static bool chosen_has(const running_job *run, const char *flag, bool among_all)
{
    const json_t *check;
    for (size_t i = 0; run->job->checks == JOB_ONE_CHECK && (check = lab_parts_check(run->parts, i)); i++)
        if (strcmp(run->job->check, result_string(check, "name")) == 0)
            return json_is_true(json_object_get(check, flag));
    return among_all;
}

static bool build(running_job *run)
{
    build_outcome outcome;
    const build_wants wants = {.sanitized = !run->job->points_only && !chosen_has(run, "measures", false),
                               .texts = chosen_has(run, "counts_lines", true)};
    FAULT_TRY(build_program(&outcome, run->parts, run->job->sandbox, run->built, wants, &run->fault));
    bool ok = keep_outcome(run, &outcome);
    build_free(&outcome);
    return ok;
}

/* ---- the lines of failures --------------------------------------------------------------------------------------- */

static folder_found read_file(char **text, const char *path)
{
    size_t bytes;
    grader_fault unread;
    *text = NULL;
    return path ? folder_read(text, &bytes, path, SOURCE_FILE_MOST_BYTES, &unread) : FOLDER_NOTHING;
}

/* Compares the file with the starter: what is untouched in it, and which findings are in functions that the starter
 * gives. Without a starter everything is the student's. */
static bool compare_with_starter(json_t **untouched, running_job *run, const json_t *definitions)
{
    json_t *given = NULL;
    char *path = folder_path(run->built, run->parts->file), *starter = NULL, *source = NULL;
    json_t *checks = run->result->checks;
    bool ok = true;
    if (read_file(&starter, run->parts->starter) == FOLDER_FILE && read_file(&source, path) == FOLDER_FILE) {
        ok = file_definitions_of_starter(&given, run->parts, &run->fault);
        if (ok && open_tasks_mark_calls(checks, run->parts->file, source, definitions, starter, given))
            *untouched = open_tasks_untouched(source, definitions, starter, given);
    } else {
        *untouched = json_object();
    }
    free(path);
    free(starter);
    free(source);
    json_decref(given);
    return ok && (*untouched || fault_memory(&run->fault, "the result"));
}

/* Gives failed checks their lines, and says what is not written yet and which of them have one root cause. Of checks
 * that have passed there is nothing to say. */
static bool locate_findings(running_job *run)
{
    grading_result *result = run->result;
    const char *file = run->parts->file;
    json_t *definitions = NULL, *untouched = NULL;
    bool ok = true;
    if (result_first_failure(result) && !run->job->without_lines) {
        ok = file_definitions_find(&definitions, run->parts, run->job->sandbox, run->built, &run->fault) &&
             compare_with_starter(&untouched, run, definitions) &&
             ((definitions_locate(result->checks, definitions, file, run->parts->name) &&
               definitions_name(result->checks, definitions, file) &&
               open_tasks_mark(result->checks, untouched, definitions, file) && result_mark_roots(result->checks)) ||
              fault_memory(&run->fault, "the result"));
    }
    result->open_tasks = ok ? open_tasks_left(run->marked, result->checks, untouched) : NULL;
    json_decref(definitions);
    json_decref(untouched);
    return ok && (result->open_tasks || fault_memory(&run->fault, "the result"));
}

/* ---- artifacts ------------------------------------------------------------------------------------------------- */

/* Replaces an artifact's text in the result by its path, and writes the text there. */
static bool place_artifact(running_job *run, char **artifact, const char *name)
{
    char *text = *artifact;
    *artifact = NULL;
    if (!text) return true;
    text_buffer path = {0};
    const char *folder = run->job->out_name;
    text_format(&path, "%s%s%s", folder, *folder ? "/" : "", name);
    *artifact = path.text;
    bool ok = path.failed ? fault_memory(&run->fault, "the result") : write_out(run, name, text);
    free(text);
    return ok;
}

char *job_record_path(const char *out, size_t check) { return text_make("%s/trace-%zu.json", out, check); }

static bool place_records(running_job *run)
{
    const char *number;
    const json_t *record;
    json_object_foreach(run->result->records, number, record)
    {
        char *path = job_record_path(run->job->out, strtoul(number, NULL, 10));
        const bool ok = path ? folder_write(path, json_string_value(record), json_string_length(record), &run->fault)
                             : fault_memory(&run->fault, "the result");
        free(path);
        FAULT_TRY(ok);
    }
    return true;
}

static bool place_artifacts(running_job *run)
{
    grading_result *result = run->result;
    FAULT_TRY(place_records(run));
    FAULT_TRY(place_artifact(run, &result->trace, job_files[TRACE]));
    FAULT_TRY(place_artifact(run, &result->timeline_svg, job_files[TIMELINE_SVG]));
    return place_artifact(run, &result->timeline_text, job_files[TIMELINE_TEXT]);
}

static bool has_row(const json_t *rows, const json_t *wanted)
{
    const json_t *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        if (strcmp(result_string(wanted, "label"), result_string(row, "label")) == 0 &&
            strcmp(result_string(wanted, "who"), result_string(row, "who")) == 0)
            return true;
    }
    return false;
}

/* Adds the earlier rows that this run did not replace. */
static bool keep_rows(json_t *rows, const json_t *previous)
{
    json_t *old;
    size_t index;
    json_array_foreach(previous, index, old)
    {
        if (!has_row(rows, old) && json_array_append(rows, old) != 0) return false;
    }
    return true;
}

static bool keep_text(char **text, const json_t *previous, const char *field)
{
    const char *earlier = result_string(previous, field);
    return *text || !*earlier || (*text = strdup(earlier));
}

/* Keeps what only the checks that did not run again could have said: rows of tables, artifacts, output. */
static bool keep_previous(running_job *run)
{
    grading_result *result = run->result;
    const json_t *previous = run->job->previous, *artifacts = json_object_get(previous, "artifacts");
    if (run->job->checks != JOB_RERUN_CHECK) return true;
    bool whole =
        keep_rows(result->timings, json_object_get(previous, "timings")) &&
        keep_rows(result->ratios, json_object_get(previous, "ratios")) &&
        keep_text(&result->trace, artifacts, "trace") && keep_text(&result->timeline_svg, artifacts, "timeline_svg") &&
        keep_text(&result->timeline_text, artifacts, "timeline_text") && keep_text(&result->output, previous, "output");
    return whole || fault_memory(&run->fault, "the result");
}

/* Files of an earlier run must not look like this one's. */
static void remove_old_files(const grading_job *job)
{
    if (job->checks == JOB_RERUN_CHECK) return;
    for (size_t i = 0; job_files[i]; i++) {
        char *path = folder_path(job->out, job_files[i]);
        if (path) unlink(path);
        free(path);
    }
    for (size_t i = 1; job->keeps_records && lab_parts_check(job->parts, i - 1); i++) {
        char *path = job_record_path(job->out, i);
        if (path) unlink(path);
        free(path);
    }
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

static bool begin_result(running_job *run)
{
    const grading_job *job = run->job;
    grading_result *result = run->result;
    time_t now = time(NULL);
    struct tm utc;
    strftime(result->started, sizeof result->started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    result->lab_name = strdup(run->parts->name);
    result->lab_title = strdup(run->parts->title);
    result->submission = text_clean(job->submission, strlen(job->submission));
    result->file = strdup(run->parts->file);
    result->directory = strdup(job->out_name);
    result->device = run->parts->device;
    result->seed = job->seed;
    result->seed_secret = job->seed_secret;
    result->max_points = run->parts->max_points;
    result->checks = json_array();
    result->timings = json_array();
    result->ratios = json_array();
    bool texts = result->lab_name && result->lab_title && result->submission && result->file && result->directory;
    return (texts && result->checks && result->timings && result->ratios) || fault_memory(&run->fault, "the result");
}

/* A result that says what the grader could not do. Its own small allocations may fail too: then the text is lost, but
 * never the verdict. */
static void conclude_fault(running_job *run)
{
    grading_result *result = run->result;
    free(result->summary);
    result->verdict = RESULT_GRADER_FAULT;
    result->points = 0;
    text_buffer summary = {0};
    text_format(&summary, "not graded: %s", run->fault.text);
    result->summary = summary.failed ? NULL : text_clean_line(summary.text, summary.length);
    free(summary.text);
    list_not_run(run);
}

static bool run_steps(running_job *run)
{
    FAULT_TRY(begin_result(run));
    FAULT_TRY(make_folders(run));
    FAULT_TRY(take_in(run));
    if (run->concluded) return true;
    FAULT_TRY(job_take_device(run, false));
    FAULT_TRY(build(run));
    if (run->concluded) return true;
    FAULT_TRY(job_run_checks(run));
    FAULT_TRY(locate_findings(run));
    FAULT_TRY(place_artifacts(run));
    return keep_previous(run);
}

void job_run(grading_result *out, const grading_job *job)
{
    *out = (grading_result){0};
    running_job run = {.job = job, .parts = job->parts, .result = out};
    double begun = clock_seconds();
    remove_old_files(job);
    if (!run_steps(&run)) conclude_fault(&run);
    if (job->device_lock) device_lock_release(job->device_lock);
    sandbox_cell_close(&run.cell);
    sandbox_cell_close(&run.device_cell);
    remove_folders(&run);
    free(run.cell_path);
    free(run.device_cell_path);
    free(run.cache);
    free(run.reference_cache);
    free(run.program);
    free(run.sanitized);
    out->seconds = clock_seconds() - begun;
}

void job_conclude_fault(grading_result *out, const grading_job *job, const grader_fault *fault)
{
    *out = (grading_result){0};
    running_job run = {.job = job, .parts = job->parts, .result = out};
    begin_result(&run);
    run.fault = *fault;
    conclude_fault(&run);
}
