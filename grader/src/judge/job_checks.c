/* Running the checks of a job, each in a process of its own; see job_internal.h. */
#include "job_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/folder.h"
#include "base/system/cache_folder.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "build.h"
#include "evidence.h"

/* The environment of `checks`: where everything is, and the seed. */
static char **checks_environment(const running_job *run, double seconds)
{
    enum { VARIABLES = 24 };
    const lab_parts *parts = run->parts;
    const char *hung = run->job->skips_hung ? run->result->hung : NULL;
    char *device = device_format(&parts->device);
    text_buffer text[VARIABLES] = {{0}};
    const char *extra[VARIABLES + 1] = {NULL};
    int count = 0;
    text_format(&text[count++], "LAB_CHECK_PROGRAM=%s", run->program);
    if (run->sanitized) text_format(&text[count++], "LAB_CHECK_SANITIZED=%s", run->sanitized);
    text_format(&text[count++], "LAB_CHECK_REFERENCE=%s", parts->reference);
    text_format(&text[count++], "LAB_CHECK_SERVER=%s", parts->server);
    text_format(&text[count++], "LAB_CHECK_FILES=%s", parts->folder);
    text_format(&text[count++], "LAB_CHECK_SOURCE=%s", parts->file);
    text_format(&text[count++], "LAB_CHECK_TEXT=%s/" BUILD_TEXT, run->built);
    text_format(&text[count++], "LAB_CHECK_STARTER=%s/" BUILD_STARTER_TEXT, run->built);
    text_format(&text[count++], "LAB_CHECK_TABLES=%s/%s", run->built, BUILD_TABLES);
    text_format(&text[count++], "LAB_CHECK_DEVICE=%s", device ? device : "");
    text_format(&text[count++], "LAB_CHECK_SEED=%llu", (unsigned long long)run->job->seed);
    if (seconds > 0) text_format(&text[count++], "LAB_CHECK_SECONDS=%.3f", seconds);
    if (run->cache) text_format(&text[count++], "LAB_CHECK_CACHE=%s", run->cache);
    if (run->reference_cache) text_format(&text[count++], "LAB_CHECK_REFERENCE_CACHE=%s", run->reference_cache);
    if (run->room) text_format(&text[count++], "LAB_CHECK_ROOM=%s", run->room);
    if (run->job->keeps_records) text_format(&text[count++], "LAB_CHECK_RECORDS=1");
    if (run->job->profile) text_format(&text[count++], "LAB_CHECK_PROFILE=%s", run->job->profile);
    if (run->job->points_only) text_format(&text[count++], "LAB_CHECK_BRIEFLY=1");
    if (run->job->repeats_unstable) text_format(&text[count++], "LAB_CHECK_RERUNS=2");
    if (hung) text_format(&text[count++], "LAB_CHECK_HUNG=%s", hung);
    if (run->cell_path) text_format(&text[count++], "LAB_CHECK_SANDBOX=%s", run->cell_path);
    if (run->device_cell_path) text_format(&text[count++], "LAB_CHECK_DEVICE_SANDBOX=%s", run->device_cell_path);
    bool whole = device != NULL;
    for (int i = 0; i < count; i++) {
        whole = whole && !text[i].failed;
        extra[i] = text[i].text;
    }
    char **environment = whole ? environment_make(extra) : NULL;
    for (int i = 0; i < count; i++) free(text[i].text);
    free(device);
    return environment;
}

/* Opens a cell and describes it in a file for the checks. */
static bool open_cell(sandbox_cell *cell, char **path, const char *name, const sandbox_view *view, running_job *run)
{
    *path = folder_path(run->work, name);
    if (!*path) return fault_memory(&run->fault, "the result");
    FAULT_TRY(sandbox_cell_open(cell, run->job->sandbox, view, &run->fault));
    return sandbox_cell_save(cell, *path, &run->fault);
}

/* What a submission compiles is its own: no other finds it or is told of it, and it ends with the job. Only the
 * reference program, which is trusted, writes to the cache below. Without that the same kernels are compiled. */
static bool make_caches(running_job *run)
{
    char users[PATH_MAX];
    grader_fault ignored;
    run->cache = folder_path(run->work, "cache");
    if (!run->cache) return fault_memory(&run->fault, "the result");
    FAULT_TRY(folder_make(run->cache, &run->fault));
    if (cache_folder_find(users) == 0) run->reference_cache = folder_path(users, "reference");
    if (run->reference_cache && folder_make(run->reference_cache, &ignored)) return true;
    free(run->reference_cache);
    run->reference_cache = NULL;
    return true;
}

/* The student's program sees itself and its own folder. Its device process, which is trusted, compiles
 * untrusted code: it sees the caches of compiled kernels and the devices, and no more. */
static bool open_cells(running_job *run)
{
    if (!run->job->sandbox) return true;
    FAULT_TRY(make_caches(run));
    const char *const program[] = {run->program, run->sanitized, NULL};
    const char *const server[] = {run->parts->server, run->parts->kernels, run->reference_cache, NULL};
    const char *const write[] = {SANDBOX_FOLDER, NULL}, *const write_device[] = {SANDBOX_FOLDER, run->cache, NULL};
    const sandbox_view view = {.read = program, .write = write};
    const sandbox_view device_view = {.read = server, .write = write_device, .device = true};
    return open_cell(&run->cell, &run->cell_path, "sandbox.json", &view, run) &&
           open_cell(&run->device_cell, &run->device_cell_path, "device-sandbox.json", &device_view, run);
}

/* A check while it runs, for the watcher. */
typedef struct watched_check {
    const job_watcher *watcher;
    const char *title;
    double limit;
} watched_check;

static void tell_running(void *user, double seconds)
{
    const watched_check *check = user;
    check->watcher->running(check->watcher->user, check->title, seconds, check->limit);
}

/* Runs the process of a check to its end, and tells the watcher. */
static bool run_process(subprocess_result *ended, running_job *run, const json_t *check, double seconds)
{
    /* The check limits what the program may take; this limits the check, whose own work is not counted there. */
    enum { CHECK_SECONDS = 600, EVIDENCE_BYTES = 512 << 20 };
    char **environment = checks_environment(run, seconds);
    if (!environment) return fault_memory(&run->fault, "the result");
    const char *const arguments[] = {run->parts->checks, "--check", result_string(check, "name"), NULL};
    const job_watcher *watcher = run->job->watch;
    watched_check watched = {.watcher = watcher, .title = result_string(check, "title"), .limit = seconds};
    const subprocess_options options = {
        .arguments = arguments,
        .environment = (const char *const *)environment,
        .output_limit = EVIDENCE_BYTES,
        .separate_errors = true,
        .each_second = watcher ? tell_running : NULL,
        .user = &watched,
    };
    bool ok = subprocess_run(ended, &options, CHECK_SECONDS, &run->fault);
    if (watcher) watcher->ended(watcher->user);
    environment_free(environment);
    return ok;
}

/* Runs check number `index`. With `late`, programs that take too long leave nothing but *late. */
static bool run_check(running_job *run, const json_t *check, size_t index, double seconds, bool *late)
{
    subprocess_result ended;
    FAULT_TRY(run_process(&ended, run, check, seconds));
    bool ok = evidence_merge(run->result, check, index, &ended, late, &run->fault);
    subprocess_result_free(&ended);
    return ok;
}

/* How long the check may wait for the student's program: as its lab declares, unless somebody has said otherwise. */
static double limit_of(const running_job *run, const json_t *check)
{
    return run->job->seconds > 0 ? run->job->seconds : json_number_value(json_object_get(check, "seconds"));
}

/* A file that hung in one check usually hangs in others too: after the first time they get a short time at first, more
 * than twice what a check takes by labs/AUTHORING.md. That costs no points: for a person the check then says that it
 * was not run, and in a class it is run again. */
static double short_limit(double seconds)
{
    enum { SHARE = 4, MOST_SECONDS = 5 };
    return seconds / SHARE < MOST_SECONDS ? seconds / SHARE : MOST_SECONDS;
}

static bool measures(const json_t *check) { return json_is_true(json_object_get(check, "measures")); }

bool job_take_device(running_job *run, bool alone)
{
    device_lock *lock = run->job->device_lock;
    if (!lock) return true;
    return alone ? device_lock_alone(lock, &run->fault) : device_lock_share(lock, &run->fault);
}

static bool is_chosen(const running_job *run, const json_t *check)
{
    return strcmp(run->job->check, result_string(check, "name")) == 0;
}

/* The check's entry in the earlier result, if that is kept; else NULL. */
static json_t *previous_entry(const running_job *run, const json_t *check)
{
    json_t *entry;
    size_t index;
    if (run->job->checks != JOB_RERUN_CHECK || is_chosen(run, check)) return NULL;
    json_array_foreach(json_object_get(run->job->previous, "checks"), index, entry)
    {
        const char *status = result_string(entry, "status");
        bool ran = strcmp(status, "passed") == 0 || strcmp(status, "failed") == 0;
        if (ran && strcmp(result_string(entry, "name"), result_string(check, "name")) == 0) return entry;
    }
    return NULL;
}

/* The first check that failed of those after which this one comes; NULL if none has. */
static const json_t *failed_before(const running_job *run, const json_t *check)
{
    char names[1024], *rest;
    snprintf(names, sizeof names, "%s", result_string(check, "after"));
    for (char *name = strtok_r(names, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest)) {
        json_t *entry;
        size_t index;
        json_array_foreach(run->result->checks, index, entry)
        {
            if (strcmp(result_string(entry, "name"), name) != 0) continue;
            if (strcmp(result_string(entry, "status"), "failed") == 0) return entry;
        }
    }
    return NULL;
}

/* Why the check is left out; NULL if it is to run. */
static const char *reason_to_leave_out(const running_job *run, const json_t *check)
{
    switch (run->job->checks) {
    case JOB_EVERY_CHECK:
    case JOB_RERUN_CHECK: return NULL;
    case JOB_ONE_CHECK: return is_chosen(run, check) ? NULL : "another check was asked for";
    case JOB_FIRST_FAILURE:
        if (result_first_failure(run->result)) return "another check has failed";
        return measures(check) ? "times were not asked for" : NULL;
    }
    return NULL;
}

/* Runs a check as often as it takes. One that takes too long while other jobs use the device and the machine, or within
 * a short limit, runs again alone and for all of its time: only that counts. */
static bool run_in_its_turn(running_job *run, const json_t *check, size_t index)
{
    const double seconds = limit_of(run, check);
    const bool shares = run->job->device_lock && !measures(check);
    const bool is_short = run->result->hung && (shares || run->job->skips_hung);
    bool late = false;
    FAULT_TRY(job_take_device(run, measures(check)));
    FAULT_TRY(run_check(run, check, index, is_short ? short_limit(seconds) : seconds, shares ? &late : NULL));
    if (!late) return true;
    FAULT_TRY(job_take_device(run, true));
    return run_check(run, check, index, seconds, NULL);
}

/* Enters check number `index` into the result: the earlier entry, why it is left out, or what it finds now. */
static bool enter_check(running_job *run, const json_t *check, size_t index)
{
    json_t *checks = run->result->checks, *previous = previous_entry(run, check);
    if (previous) return json_array_append(checks, previous) == 0 || fault_memory(&run->fault, "the result");
    const char *reason = reason_to_leave_out(run, check);
    if (reason)
        return evidence_append_without(checks, check, "not measured", reason) ||
               fault_memory(&run->fault, "the result");
    const json_t *failed = failed_before(run, check);
    if (!failed) return run_in_its_turn(run, check, index);
    char why[256];
    snprintf(why, sizeof why, "after \"%s\", which failed", result_string(failed, "title"));
    return evidence_append_needing(checks, check, failed, why) || fault_memory(&run->fault, "the result");
}

bool job_run_checks(running_job *run)
{
    const json_t *check;
    FAULT_TRY(open_cells(run));
    for (size_t i = 0; (check = lab_parts_check(run->parts, i)); i++) FAULT_TRY(enter_check(run, check, i));
    return result_conclude(run->result, &run->fault);
}
