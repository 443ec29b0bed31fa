/* Outcomes in the folders of a plan; see outcome.h. */
#include "outcome.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/system/write_all.h"
#include "base/text.h"

static const char result_name[] = "result", outcome_name[] = "outcome.json", whole_name[] = "result/outcome.json",
                  fault_name[] = "fault.json";

/* ---- publishing -------------------------------------------------------------------------------------------------- */

bool outcome_begin(char **folder, const work_plan *plan, size_t number, grader_fault *fault)
{
    char *place = plan_path(plan, number, "");
    bool ok = place ? folder_make_private_in(folder, place, "made", fault) : fault_memory(fault, "an outcome");
    free(place);
    return ok;
}

static bool write_outcome(const char *path, const work_plan *plan, size_t number, const json_t *result,
                          grader_fault *fault)
{
    json_t *outcome = json_pack("{s:s, s:O}", "key", plan_key(plan, number), "result", (json_t *)result);
    char *text = outcome ? json_dumps(outcome, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    bool ok = path && text ? folder_write(path, text, strlen(text), fault) : fault_memory(fault, "an outcome");
    json_decref(outcome);
    free(text);
    return ok;
}

/* A rename that a file server did, but whose answer was lost, looks like a failure: what is there decides. */
static bool take_place(const work_plan *plan, size_t number, const char *folder, grader_fault *fault)
{
    char *place = plan_path(plan, number, result_name);
    if (!place) return fault_memory(fault, "an outcome");
    bool ok = rename(folder, place) == 0 || fault_errno(fault, "cannot make the folder %s", place);
    free(place);
    if (!ok) folder_remove(folder);
    return ok || outcome_is_there(plan, number);
}

bool outcome_publish(const work_plan *plan, size_t number, const char *folder, const json_t *result,
                     grader_fault *fault)
{
    char *path = folder_path(folder, outcome_name);
    bool ok = write_outcome(path, plan, number, result, fault);
    free(path);
    return ok && take_place(plan, number, folder, fault);
}

bool outcome_publish_fault(const work_plan *plan, size_t number, const json_t *result, grader_fault *fault)
{
    char *path = plan_path(plan, number, fault_name);
    bool ok = write_outcome(path, plan, number, result, fault);
    free(path);
    return ok;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

bool outcome_is_there(const work_plan *plan, size_t number)
{
    char *path = plan_path(plan, number, whole_name);
    bool there = path && access(path, R_OK) == 0;
    free(path);
    return there;
}

static json_t *read_outcome(const work_plan *plan, size_t number, const char *name)
{
    char *path = plan_path(plan, number, name);
    json_t *outcome = path ? json_load_file(path, 0, NULL) : NULL;
    const char *key = json_string_value(json_object_get(outcome, "key"));
    json_t *result = key && strcmp(key, plan_key(plan, number)) == 0 ? json_object_get(outcome, "result") : NULL;
    if (!json_is_object(result)) result = NULL;
    json_incref(result);
    json_decref(outcome);
    free(path);
    return result;
}

json_t *outcome_read(const work_plan *plan, size_t number) { return read_outcome(plan, number, whole_name); }

json_t *outcome_read_fault(const work_plan *plan, size_t number) { return read_outcome(plan, number, fault_name); }

bool outcome_set_aside(const work_plan *plan, size_t number)
{
    char *place = plan_path(plan, number, result_name), *aside = NULL;
    grader_fault none;
    bool moved =
        place && access(place, F_OK) == 0 && outcome_begin(&aside, plan, number, &none) && rename(place, aside) == 0;
    free(place);
    free(aside);
    return moved;
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

void outcome_note(const work_plan *plan, size_t number, const char *node, const char *what)
{
    char stamp[32];
    struct tm utc;
    time_t now = time(NULL);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    char *path = plan_path(plan, number, "log"), *line = text_make("%s %s %s\n", stamp, node, what);
    int file = path && line ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    if (file >= 0) write_all(file, line, strlen(line));
    if (file >= 0) close(file);
    free(path);
    free(line);
}

outcome_history outcome_look_back(const work_plan *plan, size_t number)
{
    outcome_history found = {0};
    char line[256], node[sizeof found.node], what[16];
    char *path = plan_path(plan, number, "log");
    FILE *file = path ? fopen(path, "re") : NULL;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%*s %127s %15s", node, what) != 2) continue;
        memcpy(found.node, node, sizeof node);
        found.done = strcmp(what, "done") == 0;
        found.begun += !found.done;
    }
    if (file) fclose(file);
    free(path);
    return found;
}
