/* The steps from a submission to its result; see job.h. */
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/bounded_folder.h"
#include "build.h"
#include "base/clock.h"
#include "base/environment.h"
#include "evidence.h"
#include "base/folder.h"
#include "compiler_messages.h"
#include "source_file.h"
#include "base/subprocess.h"
#include "open_tasks.h"
#include "base/text.h"

enum { TRACE, TIMELINE_SVG, TIMELINE_TEXT, BUILD_LOG };
const char *const job_files[] = {"trace.json", "timeline.svg", "timeline.txt", "build.log", NULL};

/* What a job holds while it runs. */
typedef struct running_job {
    const grading_job *job;
    const lab_parts *kit;
    grading_result *result;
    char *work;        /* private folder with all that follows; removed at the end */
    char *built;       /* where source, object and program are: the compiler writes here */
    char *room;        /* where the program writes; NULL where nothing bounds that */
    char *program;     /* the student's program */
    char *cache;       /* its compiled kernels; NULL for the user's own cache */
    sandbox_cell cell; /* of all its checks; empty for no sandbox */
    char *cell_path;   /* where it is written down for them */
    grader_fault fault;
} running_job;

bool job_random_seed(uint64_t *seed, grader_fault *fault)
{
    if (getrandom(seed, sizeof *seed, 0) == sizeof *seed) return true;
    return fault_errno(fault, "the system gives no random seed");
}

static bool no_memory(running_job *run) { return fault_set(&run->fault, "not enough memory for the result"); }

/* ---- verdicts without checks ----------------------------------------------------------------------------------- */

/* The list of checks when none of them ran. */
static bool list_not_run(running_job *run)
{
    const json_t *check;
    json_array_clear(run->result->checks);
    for (size_t i = 0; (check = lab_parts_check(run->kit, i)); i++) {
        if (!evidence_append_without(run->result->checks, check, "not run", "")) return no_memory(run);
    }
    return true;
}

static bool conclude_early(running_job *run, result_verdict verdict, const char *summary)
{
    run->result->verdict = verdict;
    run->result->points = 0;
    free(run->result->summary);
    run->result->summary = text_clean_line(summary, strlen(summary));
    return run->result->summary && list_not_run(run) ? true : no_memory(run);
}

/* ---- folders ---------------------------------------------------------------------------------------------------- */

/* What a stranger's compiler and program write is bounded where that can be had, and no file of the grader's is there. */
static bool make_folders(running_job *run)
{
    const sandbox *box = run->job->sandbox;
    uint64_t bytes = box ? box->room_bytes : 0;
    if (!folder_make_private(&run->work, "lab-job", &run->fault)) return false;
    run->built = folder_path(run->work, "built");
    run->room = bytes ? folder_path(run->work, "room") : NULL;
    if (!run->built || (bytes && !run->room)) return no_memory(run);
    if (!bytes) return folder_make(run->built, &run->fault);
    return bounded_folder_make(run->built, bytes, &run->fault) && bounded_folder_make(run->room, bytes, &run->fault);
}

static void remove_folders(running_job *run)
{
    if (run->room) bounded_folder_release(run->built);
    if (run->room) bounded_folder_release(run->room);
    if (run->work) folder_remove(run->work);
    free(run->work);
    free(run->built);
    free(run->room);
    free(run->cache);
}

/* ---- intake ---------------------------------------------------------------------------------------------------- */

/* Copies the submission into the job's own folder, under the name that the lab gives it. True if there is a file to
 * go on with; otherwise the result is concluded or the fault set. */
static bool take_in(running_job *run, bool *concluded)
{
    source_file file = {0};
    const char *refusal = run->job->refusal;
    if (!refusal) {
        if (!source_file_read(&file, run->job->source, run->kit->file, &run->fault)) return false;
        refusal = file.refusal;
    }
    *concluded = refusal != NULL;
    bool ok;
    if (refusal) {
        ok = conclude_early(run, RESULT_MISSING_FILE, refusal);
    } else {
        run->result->open_tasks = open_tasks_list(file.bytes);
        char *path = folder_path(run->built, run->kit->file);
        ok = path && run->result->open_tasks ? folder_write(path, file.bytes, file.count, &run->fault) : no_memory(run);
        free(path);
    }
    source_file_free(&file);
    return ok;
}

/* ---- build ----------------------------------------------------------------------------------------------------- */

static bool write_out(running_job *run, const char *name, const char *text)
{
    char *path = folder_path(run->job->out, name);
    bool ok = path ? folder_write(path, text, strlen(text), &run->fault) : no_memory(run);
    free(path);
    return ok;
}

static bool build(running_job *run, bool *concluded)
{
    build_outcome outcome;
    grading_result *result = run->result;
    *concluded = true;
    if (!build_program(&outcome, run->kit, run->job->sandbox, run->job->any_symbol, run->built, &run->fault))
        return false;
    result->build_ok = outcome.ok;
    result->build_seconds = outcome.seconds;
    result->build_messages = strdup(outcome.messages);
    run->program = strdup(outcome.program);
    bool ok =
        result->build_messages && run->program ? write_out(run, job_files[BUILD_LOG], outcome.log) : no_memory(run);
    *concluded = !outcome.ok;
    if (ok && !outcome.ok) {
        text_buffer summary = {0};
        const char *first = compiler_messages_first_error(outcome.messages);
        text_format(&summary, "%s %s: %.*s", run->kit->file, outcome.refused ? "is refused" : "does not build",
                    (int)strcspn(first, "\n"), first);
        result_verdict verdict = outcome.refused ? RESULT_REFUSED : RESULT_BUILD_ERROR;
        ok = summary.failed ? no_memory(run) : conclude_early(run, verdict, summary.text);
        free(summary.text);
    }
    build_free(&outcome);
    return ok;
}

static bool make_cache(running_job *run)
{
    run->cache = folder_path(run->room ? run->room : run->work, "cache");
    return run->cache ? folder_make(run->cache, &run->fault) : no_memory(run);
}

/* ---- checks ---------------------------------------------------------------------------------------------------- */

/* The environment of `checks`: where everything is, and the seed. */
static char **checks_environment(const running_job *run, double seconds)
{
    enum { VARIABLES = 12 };
    const lab_parts *kit = run->kit;
    const char *hung = run->job->hangs_once ? run->result->hung : NULL;
    char *device = device_format(&kit->device);
    text_buffer text[VARIABLES] = {{0}};
    const char *extra[VARIABLES + 1] = {NULL};
    int count = 0;
    text_format(&text[count++], "LAB_CHECK_PROGRAM=%s", run->program);
    text_format(&text[count++], "LAB_CHECK_REFERENCE=%s", kit->reference);
    text_format(&text[count++], "LAB_CHECK_FILES=%s", kit->folder);
    text_format(&text[count++], "LAB_CHECK_SOURCE=%s", kit->file);
    text_format(&text[count++], "LAB_CHECK_DEVICE=%s", device ? device : "");
    text_format(&text[count++], "LAB_CHECK_SEED=%llu", (unsigned long long)run->job->seed);
    if (seconds > 0) text_format(&text[count++], "LAB_CHECK_SECONDS=%.3f", seconds);
    if (run->cache) text_format(&text[count++], "LAB_CHECK_CACHE=%s", run->cache);
    if (run->room) text_format(&text[count++], "LAB_CHECK_ROOM=%s", run->room);
    if (run->job->device_lock) text_format(&text[count++], "LAB_CHECK_RERUNS=2");
    if (hung) text_format(&text[count++], "LAB_CHECK_HUNG=%s", hung);
    if (run->cell_path) text_format(&text[count++], "LAB_CHECK_SANDBOX=%s", run->cell_path);
    bool ok = device != NULL;
    for (int i = 0; i < count; i++) {
        ok = ok && !text[i].failed;
        extra[i] = text[i].text;
    }
    char **environment = ok ? environment_make(extra) : NULL;
    for (int i = 0; i < count; i++) free(text[i].text);
    free(device);
    return environment;
}

/* The sandbox of the checks' programs: they see the program, their kernels and their own folder. */
static bool open_cell(running_job *run)
{
    if (!run->job->sandbox) return true;
    const char *const read[] = {run->program, NULL};
    const char *const write[] = {SANDBOX_FOLDER, run->cache, NULL};
    const sandbox_view view = {.read = read, .write = write};
    run->cell_path = folder_path(run->work, "sandbox.json");
    if (!run->cell_path) return no_memory(run);
    return sandbox_cell_open(&run->cell, run->job->sandbox, &view, &run->fault) &&
           sandbox_cell_save(&run->cell, run->cell_path, &run->fault);
}

/* A check while it runs, for the watcher. */
typedef struct watched_check {
    const job_watcher *watcher;
    const char *title;
    double limit;
} watched_check;

static void tell_running(void *user, double seconds)
{
    const watched_check *of = user;
    of->watcher->running(of->watcher->user, of->title, seconds, of->limit);
}

/* Runs check number `index` in a process of its own. With `late`, programs that take too long leave nothing but *late. */
static bool run_check(running_job *run, const json_t *check, size_t index, double seconds, bool *late)
{
    /* The check limits what the program may take; this limits the check, whose own work is not counted there. */
    enum { CHECK_SECONDS = 600, EVIDENCE_BYTES = 512 << 20 };
    char **environment = checks_environment(run, seconds);
    bool ok = environment || no_memory(run);
    const char *const arguments[] = {run->kit->checks, "--check", result_string(check, "name"), NULL};
    subprocess_options options = {
        .arguments = arguments,
        .environment = (const char *const *)environment,
        .output_limit = EVIDENCE_BYTES,
        .separate_errors = true,
    };
    const job_watcher *watcher = run->job->watch;
    watched_check watched = {.watcher = watcher, .title = result_string(check, "title"), .limit = seconds};
    if (watcher) {
        options.each_second = tell_running;
        options.user = &watched;
    }
    subprocess_result ended;
    ok = ok && subprocess_run(&ended, &options, CHECK_SECONDS, &run->fault);
    if (watcher) watcher->ended(watcher->user);
    environment_free(environment);
    if (!ok) return false;
    ok = evidence_merge(run->result, check, index, &ended, late, &run->fault);
    subprocess_result_free(&ended);
    return ok;
}

static double seconds_of(const running_job *run, const json_t *check)
{
    enum { DEFAULT_SECONDS = 20 };
    double own = json_number_value(json_object_get(check, "seconds"));
    return run->job->seconds > 0 ? run->job->seconds : own > 0 ? own : DEFAULT_SECONDS;
}

/* What hung once mostly hangs in other checks too: after the first time they are given a short time at first, more than twice
 * what a check takes by labs/AUTHORING.md. Nobody loses by that: for a person the check then says that it was not run, and
 * in a class it is run again. */
static double short_seconds(double seconds)
{
    enum { SHARE = 4, MOST_SECONDS = 5 };
    return seconds / SHARE < MOST_SECONDS ? seconds / SHARE : MOST_SECONDS;
}

static bool measures(const json_t *check) { return json_is_true(json_object_get(check, "measures")); }

/* Waits until the device is as the check needs it. */
static bool take_device(running_job *run, const json_t *check)
{
    device_lock *lock = run->job->device_lock;
    if (!lock) return true;
    return measures(check) ? device_lock_alone(lock, &run->fault) : device_lock_share(lock, &run->fault);
}

/* The check's entry in the earlier result, if it is not to be run again; else NULL. */
static json_t *previous_entry(const running_job *run, const json_t *check)
{
    const char *name = result_string(check, "name"), *only = run->job->only_check;
    json_t *entry;
    size_t index;
    if (!only || strcmp(only, name) == 0) return NULL;
    json_array_foreach(json_object_get(run->job->previous, "checks"), index, entry)
    {
        const char *status = result_string(entry, "status");
        bool ran = strcmp(status, "passed") == 0 || strcmp(status, "failed") == 0;
        if (ran && strcmp(result_string(entry, "name"), name) == 0) return entry;
    }
    return NULL;
}

/* Why the check is left out; NULL if it is to run. */
static const char *reason_to_leave_out(const running_job *run, const json_t *check)
{
    const grading_job *job = run->job;
    const json_t *before;
    size_t index;
    json_array_foreach(run->result->checks, index, before)
    {
        bool failed = strcmp(result_string(before, "status"), "failed") == 0;
        if (failed && job->until_failure) return "another check has failed";
    }
    if (job->lone_check && strcmp(job->lone_check, result_string(check, "name")) != 0)
        return "another check was asked for";
    return job->without_measuring && measures(check) ? "times were not asked for" : NULL;
}

/* Takes the check's entry from the earlier result, or says why it has none; *entered is whether either was so. */
static bool enter_without_running(running_job *run, const json_t *check, bool *entered)
{
    json_t *checks = run->result->checks, *previous = previous_entry(run, check);
    const char *reason = reason_to_leave_out(run, check);
    *entered = previous || reason;
    if (previous) return json_array_append(checks, previous) == 0 || no_memory(run);
    return !reason || evidence_append_without(checks, check, "not measured", reason) || no_memory(run);
}

/* What takes too long while other jobs use the device and the machine too, or in less than its time, is run again alone, for
 * all of its time: only that counts. */
static bool run_in_its_turn(running_job *run, const json_t *check, size_t index)
{
    const double seconds = seconds_of(run, check);
    const bool shares = run->job->device_lock && !measures(check);
    const bool is_short = run->result->hung && (shares || run->job->hangs_once);
    bool late = false;
    if (!take_device(run, check) ||
        !run_check(run, check, index, is_short ? short_seconds(seconds) : seconds, shares ? &late : NULL))
        return false;
    return !late ||
           (device_lock_alone(run->job->device_lock, &run->fault) && run_check(run, check, index, seconds, NULL));
}

static bool run_checks(running_job *run)
{
    const json_t *check;
    bool entered;
    if (!open_cell(run)) return false;
    for (size_t i = 0; (check = lab_parts_check(run->kit, i)); i++) {
        if (!enter_without_running(run, check, &entered)) return false;
        if (entered) continue;
        if (!run_in_its_turn(run, check, i)) return false;
    }
    return result_conclude(run->result, &run->fault);
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
    bool ok = path.failed ? no_memory(run) : write_out(run, name, text);
    free(text);
    return ok;
}

static bool place_artifacts(running_job *run)
{
    grading_result *result = run->result;
    return place_artifact(run, &result->trace, job_files[TRACE]) &&
           place_artifact(run, &result->timeline_svg, job_files[TIMELINE_SVG]) &&
           place_artifact(run, &result->timeline_text, job_files[TIMELINE_TEXT]);
}

/* What only the checks that were not run again could have said, as it was: the rows of the tables that are not there
 * anew, the artifacts, the output. */
static bool keep_rows(json_t *rows, const json_t *previous)
{
    json_t *old, *row;
    size_t i, k;
    bool ok = true;
    json_array_foreach(previous, i, old)
    {
        bool again = false;
        json_array_foreach(rows, k, row)
        {
            again = again || (strcmp(result_string(old, "label"), result_string(row, "label")) == 0 &&
                              strcmp(result_string(old, "who"), result_string(row, "who")) == 0);
        }
        ok = ok && (again || json_array_append(rows, old) == 0);
    }
    return ok;
}

static bool keep_text(char **into, const json_t *from, const char *field)
{
    const char *text = result_string(from, field);
    return *into || !*text || (*into = strdup(text));
}

static bool keep_previous(running_job *run)
{
    grading_result *result = run->result;
    const json_t *previous = run->job->previous, *artifacts = json_object_get(previous, "artifacts");
    if (!run->job->only_check) return true;
    bool ok =
        keep_rows(result->timings, json_object_get(previous, "timings")) &&
        keep_rows(result->ratios, json_object_get(previous, "ratios")) &&
        keep_text(&result->trace, artifacts, "trace") && keep_text(&result->timeline_svg, artifacts, "timeline_svg") &&
        keep_text(&result->timeline_text, artifacts, "timeline_text") && keep_text(&result->output, previous, "output");
    return ok || no_memory(run);
}

/* Those of an earlier run must not look like this one's. */
static void remove_old_files(const grading_job *job)
{
    if (job->only_check) return;
    for (size_t i = 0; job_files[i]; i++) {
        char *path = folder_path(job->out, job_files[i]);
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
    result->lab_name = strdup(run->kit->name);
    result->lab_title = strdup(run->kit->title);
    result->submission = text_clean(job->submission, strlen(job->submission));
    result->file = strdup(run->kit->file);
    result->directory = strdup(job->out_name);
    result->device = run->kit->device;
    result->seed = job->seed;
    result->seed_secret = job->seed_secret;
    result->max_points = run->kit->max_points;
    result->checks = json_array();
    result->timings = json_array();
    result->ratios = json_array();
    bool ok = result->lab_name && result->lab_title && result->submission && result->file && result->directory;
    return (ok && result->checks && result->timings && result->ratios) || no_memory(run);
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

void job_run(grading_result *out, const grading_job *job)
{
    *out = (grading_result){0};
    running_job run = {.job = job, .kit = job->kit, .result = out};
    double begun = clock_seconds();
    bool concluded = false;
    remove_old_files(job);
    bool ok = begin_result(&run) && make_folders(&run) && take_in(&run, &concluded);
    if (ok && !concluded) ok = take_device(&run, NULL) && build(&run, &concluded);
    if (ok && !concluded && job->private_cache) ok = make_cache(&run);
    if (ok && !concluded) ok = run_checks(&run) && place_artifacts(&run) && keep_previous(&run);
    if (!ok) conclude_fault(&run);
    if (job->device_lock) device_lock_release(job->device_lock);
    sandbox_cell_close(&run.cell);
    remove_folders(&run);
    free(run.cell_path);
    free(run.program);
    out->seconds = clock_seconds() - begun;
}

void job_conclude_fault(grading_result *out, const grading_job *job, const grader_fault *fault)
{
    *out = (grading_result){0};
    running_job run = {.job = job, .kit = job->kit, .result = out, .fault = *fault};
    begin_result(&run);
    run.fault = *fault;
    conclude_fault(&run);
}
