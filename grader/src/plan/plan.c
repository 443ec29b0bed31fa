/* The folder of a plan; see plan.h. */
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/text.h"

char *plan_place(const char *out) { return folder_path(out, "+plan"); }

bool plan_is_in(const char *folder)
{
    char *head = folder_path(folder, "plan.json");
    const bool is_there = head && access(head, F_OK) == 0;
    free(head);
    return is_there;
}

bool plan_is_there(const char *out)
{
    char *place = plan_place(out);
    bool there = place && access(place, F_OK) == 0;
    free(place);
    return there;
}

void plan_key_text(char text[PLAN_KEY_DIGITS], const content_key *key)
{
    for (size_t i = 0; i < sizeof key->byte; i++) snprintf(text + 2 * i, 3, "%02x", key->byte[i]);
}

size_t plan_count(const work_plan *plan) { return json_array_size(plan->jobs); }

static const char *job_field(const work_plan *plan, size_t number, size_t field)
{
    const char *text = json_string_value(json_array_get(json_array_get(plan->jobs, number - 1), field));
    return text ? text : "";
}

const char *plan_key(const work_plan *plan, size_t number) { return job_field(plan, number, 2); }

char *plan_path(const work_plan *plan, size_t number, const char *name)
{
    return text_make("%s/%06zu/%s", plan->folder, number, name);
}

void plan_range(size_t *first, size_t *last, const work_plan *plan, size_t part, size_t parts)
{
    const size_t count = plan_count(plan);
    *first = count * (part - 1) / parts + 1;
    *last = count * part / parts;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static bool write_json(const char *path, const json_t *json, grader_fault *fault)
{
    char *text = path ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    bool ok = text ? folder_write_unflushed(path, text, strlen(text), fault) : fault_memory(fault, "the plan");
    free(text);
    return ok;
}

static bool write_named(const work_plan *plan, const char *name, const json_t *json, grader_fault *fault)
{
    char *path = folder_path(plan->folder, name);
    bool ok = write_json(path, json, fault);
    free(path);
    return ok;
}

bool plan_begin(work_plan *out, const char *folder, grader_fault *fault)
{
    *out = (work_plan){.folder = text_make("%s.new", folder), .jobs = json_array()};
    if (!out->folder || !out->jobs) return fault_memory(fault, "the plan");
    folder_remove(out->folder);
    return mkdir(out->folder, 0700) == 0 || fault_errno(fault, "cannot make the folder %s", out->folder);
}

static bool list_job(work_plan *plan, const json_t *job, const content_key *key, grader_fault *fault)
{
    char digits[PLAN_KEY_DIGITS];
    plan_key_text(digits, key);
    json_t *row = json_pack("[O, O, s]", json_object_get(job, "lab"), json_object_get(job, "directory"), digits);
    return json_array_append_new(plan->jobs, row) == 0 || fault_memory(fault, "the plan");
}

static bool write_job(const work_plan *plan, const json_t *job, const char *file, const char *source, size_t bytes,
                      grader_fault *fault)
{
    const size_t number = plan_count(plan);
    char *folder = plan_path(plan, number, ""), *path = plan_path(plan, number, "job.json");
    char *place = file ? plan_path(plan, number, file) : NULL;
    bool ok = folder && path && (place || !file);
    if (!ok) fault_memory(fault, "the plan");
    if (ok && mkdir(folder, 0700) < 0) ok = fault_errno(fault, "cannot make the folder %s", folder);
    ok = ok && write_json(path, job, fault) && (!file || folder_write_unflushed(place, source, bytes, fault));
    free(folder);
    free(path);
    free(place);
    return ok;
}

bool plan_add(work_plan *plan, json_t *job, const content_key *key, const char *file, const char *source, size_t bytes,
              grader_fault *fault)
{
    bool ok = job ? list_job(plan, job, key, fault) && write_job(plan, job, file, source, bytes, fault)
                  : fault_memory(fault, "the plan");
    json_decref(job);
    return ok;
}

/* Renames FOLDER.new to FOLDER. */
static bool appear(const work_plan *plan, grader_fault *fault)
{
    char *place = strndup(plan->folder, strlen(plan->folder) - strlen(".new"));
    if (!place) return fault_memory(fault, "the plan");
    folder_remove(place);
    bool ok = rename(plan->folder, place) == 0 || fault_errno(fault, "cannot make the folder %s", place);
    free(place);
    return ok;
}

bool plan_end(work_plan *plan, json_t *head, grader_fault *fault)
{
    plan->head = head;
    if (!head) return fault_memory(fault, "the plan");
    return write_named(plan, "jobs.json", plan->jobs, fault) && write_named(plan, "plan.json", head, fault) &&
           folder_flush(plan->folder, fault) && appear(plan, fault);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool read_json(json_t **out, const char *path, grader_fault *fault)
{
    json_error_t error;
    *out = path ? json_load_file(path, 0, &error) : NULL;
    if (*out) return true;
    return path ? fault_set(fault, "cannot read %s: %s", path, error.text) : fault_memory(fault, "the plan");
}

static bool read_named(json_t **out, const work_plan *plan, const char *name, grader_fault *fault)
{
    char *path = folder_path(plan->folder, name);
    bool ok = read_json(out, path, fault);
    free(path);
    return ok;
}

bool plan_read_job(json_t **out, const work_plan *plan, size_t number, grader_fault *fault)
{
    char *path = plan_path(plan, number, "job.json");
    bool ok = read_json(out, path, fault);
    free(path);
    return ok;
}

static bool index_jobs(work_plan *plan, grader_fault *fault)
{
    plan->numbers = json_object();
    bool ok = plan->numbers != NULL;
    for (size_t number = 1; ok && number <= plan_count(plan); number++) {
        char *name = text_make("%s/%s", job_field(plan, number, 0), job_field(plan, number, 1));
        ok = name && json_object_set_new_nocheck(plan->numbers, name, json_integer((json_int_t)number)) == 0;
        free(name);
    }
    return ok || fault_memory(fault, "the plan");
}

bool plan_open(work_plan *out, const char *folder, grader_fault *fault)
{
    *out = (work_plan){.folder = strdup(folder)};
    if (!out->folder) return fault_memory(fault, "the plan");
    if (access(folder, X_OK) < 0) return fault_errno(fault, "there is no plan at %s", folder);
    return read_named(&out->head, out, "plan.json", fault) && read_named(&out->jobs, out, "jobs.json", fault) &&
           index_jobs(out, fault);
}

void plan_close(work_plan *plan)
{
    json_decref(plan->head);
    json_decref(plan->jobs);
    json_decref(plan->numbers);
    free(plan->folder);
    *plan = (work_plan){0};
}

const json_t *plan_lab(const work_plan *plan, const char *name)
{
    size_t index;
    const json_t *lab;
    json_array_foreach(json_object_get(plan->head, "labs"), index, lab)
    {
        const char *own = json_string_value(json_object_get(lab, "name"));
        if (own && strcmp(own, name) == 0) return lab;
    }
    return NULL;
}

size_t plan_number(const work_plan *plan, const char *lab, const char *directory)
{
    char *name = text_make("%s/%s", lab, directory);
    const json_t *number = name ? json_object_get(plan->numbers, name) : NULL;
    free(name);
    return (size_t)json_integer_value(number);
}
