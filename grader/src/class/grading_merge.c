/* Merging what machines found out; see grading_parts.h. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/text.h"
#include "class_results.h"
#include "grading_internal.h"
#include "grading_parts.h"
#include "judge/job.h"
#include "plan/outcome.h"
#include "plan/plan.h"

typedef struct class_merge {
    grading run;
    store_grading last;
    work_plan *plan; /* the first is OUT's own */
    size_t plans, left;
    store_waiting_job *waiting;
    size_t count;
    bool give_up, page_begun;
    double seconds; /* of work that the outcomes say they took */
} class_merge;

/* ---- the same work ----------------------------------------------------------------------------------------------- */

static bool same_labs(const work_plan *own, const work_plan *other, grader_fault *fault)
{
    size_t index;
    const json_t *lab;
    json_array_foreach(json_object_get(own->head, "labs"), index, lab)
    {
        const char *name = result_string(lab, "name");
        const json_t *theirs = plan_lab(other, name);
        const char *differs = !theirs ? "is not in the plan there"
                              : strcmp(result_string(lab, "seed"), result_string(theirs, "seed")) != 0
                                  ? "has another seed there (plan both with --seed N, or with the course's seed file)"
                              : strcmp(result_string(lab, "version"), result_string(theirs, "version")) != 0
                                  ? "has another version there: workbook, build or C compiler differ"
                                  : NULL;
        if (differs)
            return fault_set(fault, "%s cannot be merged into %s: %s %s", other->folder, own->folder, name, differs);
    }
    return true;
}

/* Both plans know the submission: their keys say whether it is the same. */
static bool same_submission(const work_plan *own, size_t number, const work_plan *other, size_t theirs,
                            grader_fault *fault)
{
    if (strcmp(plan_key(own, number), plan_key(other, theirs)) == 0) return true;
    const json_t *row = json_array_get(own->jobs, number - 1);
    return fault_set(fault, "%s cannot be merged into %s: the submission of %s to %s is another one there",
                     other->folder, own->folder, json_string_value(json_array_get(row, 1)),
                     json_string_value(json_array_get(row, 0)));
}

static bool same_submissions(const work_plan *own, const work_plan *other, grader_fault *fault)
{
    for (size_t number = 1; number <= plan_count(own); number++) {
        const json_t *row = json_array_get(own->jobs, number - 1);
        size_t theirs =
            plan_number(other, json_string_value(json_array_get(row, 0)), json_string_value(json_array_get(row, 1)));
        if (theirs) FAULT_TRY(same_submission(own, number, other, theirs, fault));
    }
    return true;
}

static bool same_work(const work_plan *own, const work_plan *other, grader_fault *fault)
{
    const double ours = json_number_value(json_object_get(own->head, "seconds"));
    const double theirs = json_number_value(json_object_get(other->head, "seconds"));
    const char *here = result_string(own->head, "device"), *there = result_string(other->head, "device");
    if (strcmp(here, there) != 0) {
        return fault_set(fault, "%s cannot be merged into %s: it was planned for the device %s, this one for %s",
                         other->folder, own->folder, *there ? there : "that each has", *here ? here : "that each has");
    }
    if (ours < theirs || ours > theirs) {
        return fault_set(fault, "%s cannot be merged into %s: its checks have %g s, these have %g s", other->folder,
                         own->folder, theirs, ours);
    }
    return same_labs(own, other, fault) && same_submissions(own, other, fault);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Says why there is nothing to merge in a folder, and what to do. */
static bool refuse_without_plan(const char *folder, const char *out, grader_fault *fault)
{
    grader_fault unused;
    if (store_is_there(folder, &unused))
        return fault_set(fault,
                         "the plan in %s was merged into the results there, and is gone: parts are merged in one place "
                         "only. What %s lacks can be graded again: labgrade work --out %s --part 1/1",
                         folder, out, out);
    return fault_set(fault, "there is no plan in %s: name a folder of labgrade plan, or a copy of its +plan", folder);
}

/* Opens the plan of a folder of results, or a plan itself. */
static bool open_from(work_plan *out, const char *folder, const char *into, grader_fault *fault)
{
    char *place = plan_place(folder);
    if (!place) return fault_memory(fault, "the plan");
    const char *found = access(place, F_OK) == 0 ? place : plan_is_in(folder) ? folder : NULL;
    bool ok = found ? plan_open(out, found, fault) : refuse_without_plan(folder, into, fault);
    free(place);
    return ok;
}

static bool open_others(class_merge *merge, const grading_merging *merging, grader_fault *fault)
{
    for (size_t i = 0; i < merging->count; i++) {
        work_plan *other = &merge->plan[merge->plans++];
        FAULT_TRY(open_from(other, merging->from[i], merge->run.settings->out, fault));
        FAULT_TRY(same_work(&merge->plan[0], other, fault));
    }
    return true;
}

static bool open_own_plan(class_merge *merge, grader_fault *fault)
{
    const char *out = merge->run.settings->out;
    char *place = plan_place(out);
    bool ok = place ? plan_open(&merge->plan[merge->plans++], place, fault) : fault_memory(fault, "the plan");
    free(place);
    FAULT_TRY(ok);
    const json_t *number = json_object_get(merge->plan[0].head, "grading");
    if (json_integer_value(number) == merge->last.id) return true;
    return fault_set(fault, "the plan in %s belongs to grading %lld, and grading %lld has begun since: plan again", out,
                     (long long)json_integer_value(number), (long long)merge->last.id);
}

static bool open_plans(class_merge *merge, const grading_merging *merging, grader_fault *fault)
{
    merge->plan = calloc(merging->count + 1, sizeof *merge->plan);
    if (!merge->plan) return fault_memory(fault, "the plans");
    return open_own_plan(merge, fault) && open_others(merge, merging, fault);
}

/* ---- taking outcomes --------------------------------------------------------------------------------------------- */

/* Gives the file a second name; on another file system, copies it. A missing file is not one of this outcome's. */
static bool place_file(const char *from, const char *to, grader_fault *fault)
{
    char *bytes = NULL;
    size_t count = 0;
    unlink(to);
    if (link(from, to) == 0) return true;
    const folder_found found = folder_read(&bytes, &count, from, SIZE_MAX, fault);
    bool ok = found == FOLDER_NOTHING || (found == FOLDER_FILE && folder_write(to, bytes, count, fault));
    free(bytes);
    return ok;
}

/* Places a file of the plan's submission among the results. */
static bool place(const work_plan *plan, size_t number, const char *name, const char *folder, const char *as,
                  grader_fault *fault)
{
    char *from = plan_path(plan, number, name), *to = folder_path(folder, as);
    bool ok = from && to ? place_file(from, to, fault) : fault_memory(fault, "an outcome");
    free(from);
    free(to);
    return ok;
}

static bool place_in(const work_plan *plan, size_t number, const lab_parts *parts, const char *folder,
                     const char *source, grader_fault *fault)
{
    FAULT_TRY(folder_make(source, fault));
    FAULT_TRY(place(plan, number, parts->file, source, parts->file, fault));
    for (size_t i = 0; job_files[i]; i++) {
        char *name = folder_path("result", job_files[i]);
        bool ok = name ? place(plan, number, name, folder, job_files[i], fault) : fault_memory(fault, "an outcome");
        free(name);
        FAULT_TRY(ok);
    }
    return true;
}

/* Places the submission's file and what grading left, in OUT/ada and OUT/ada/source. */
static bool place_files(const work_plan *plan, size_t number, const graded_lab *lab, const char *directory,
                        grader_fault *fault)
{
    char *folder = folder_path(lab->out, directory), *source = folder ? folder_path(folder, "source") : NULL;
    bool ok = source ? place_in(plan, number, &lab->parts, folder, source, fault) : fault_memory(fault, "an outcome");
    free(folder);
    free(source);
    return ok;
}

static bool begin_page(class_merge *merge, grader_fault *fault)
{
    store_counts counts;
    if (merge->page_begun) return true;
    merge->page_begun = true;
    merge->run.page.several_labs = merge->run.labs > 1;
    FAULT_TRY(store_count_jobs(merge->run.store, merge->run.id, &counts, fault));
    return grading_page_begin(&merge->run.page, merge->run.settings->out, merge->run.id, counts.waiting, counts.kept,
                              fault);
}

static bool keep_outcome(class_merge *merge, const work_plan *plan, size_t number, const store_job *job,
                         const json_t *result, grader_fault *fault)
{
    const graded_lab *lab = grading_find_lab(&merge->run, job->lab);
    FAULT_TRY(begin_page(merge, fault));
    FAULT_TRY(place_files(plan, number, lab, job->directory, fault));
    FAULT_TRY(class_results_write_unflushed(lab->out, job->directory, result, fault));
    merge->seconds += json_number_value(json_object_get(result, "seconds"));
    return grading_record_result(&merge->run, job, result, fault);
}

/* Takes what a plan's machines found out about a submission; *taken says whether there was something. */
static bool take_from(bool *taken, class_merge *merge, const work_plan *plan, const store_waiting_job *waiting,
                      grader_fault *fault)
{
    const size_t number = plan_number(plan, waiting->lab, waiting->directory);
    json_t *result = number ? outcome_read(plan, number) : NULL;
    if (!result && number && plan == merge->plan && outcome_set_aside(plan, number))
        fprintf(stderr, "labgrade: a result in %s/%06zu was not whole: put aside\n", plan->folder, number);
    if (!result && number && merge->give_up) result = outcome_read_fault(plan, number);
    *taken = result != NULL;
    if (!result) return true;
    store_job job;
    bool ok = store_read_job(merge->run.store, waiting->id, &job, fault);
    if (ok) {
        ok = keep_outcome(merge, plan, number, &job, result, fault);
        store_job_free(&job);
    }
    json_decref(result);
    return ok;
}

/* Gives a member of a group what another member has. */
static bool take_shared(bool *taken, class_merge *merge, const store_waiting_job *waiting, grader_fault *fault)
{
    store_job job;
    FAULT_TRY(store_read_job(merge->run.store, waiting->id, &job, fault));
    bool ok = !job.group || (begin_page(merge, fault) && grading_share_result(taken, &merge->run, &job, fault));
    store_job_free(&job);
    return ok;
}

/* A submission that no node could finish, and that left not even a fault. */
static bool give_up(class_merge *merge, const store_waiting_job *waiting, grader_fault *fault)
{
    const graded_lab *lab = grading_find_lab(&merge->run, waiting->lab);
    const work_plan *own = &merge->plan[0];
    const size_t number = plan_number(own, waiting->lab, waiting->directory);
    const outcome_history history = number ? outcome_look_back(own, number) : (outcome_history){0};
    grader_fault why;
    grading_result result;
    store_job job;
    if (history.begun)
        fault_set(&why, "%d nodes began it and none finished, the last was %s", history.begun, history.node);
    else
        fault_set(&why, "no node began it");
    FAULT_TRY(store_read_job(merge->run.store, waiting->id, &job, fault));
    const grading_job described = {
        .parts = &lab->parts, .submission = job.name, .out_name = job.directory, .seed_secret = true};
    job_conclude_fault(&result, &described, &why);
    json_t *json = result_json(&result);
    bool ok = json ? keep_outcome(merge, own, number, &job, json, fault) : fault_memory(fault, "a result");
    json_decref(json);
    result_free(&result);
    store_job_free(&job);
    return ok;
}

static bool take(class_merge *merge, const store_waiting_job *waiting, grader_fault *fault)
{
    bool taken = false;
    for (size_t i = 0; !taken && i < merge->plans; i++) {
        FAULT_TRY(take_from(&taken, merge, &merge->plan[i], waiting, fault));
    }
    if (!taken && !waiting->leads) FAULT_TRY(take_shared(&taken, merge, waiting, fault));
    if (!taken && merge->give_up) {
        taken = true;
        FAULT_TRY(give_up(merge, waiting, fault));
    }
    merge->left += !taken;
    return true;
}

/* Takes everything that is there, many in one transaction: a kill repeats at most these. */
static bool take_all(class_merge *merge, grader_fault *fault)
{
    enum { TOGETHER = 1024 };
    for (size_t i = 0; i < merge->count;) {
        FAULT_TRY(store_keep_together(merge->run.store, fault));
        bool ok = true;
        for (size_t k = 0; ok && k < TOGETHER && i < merge->count; k++) ok = take(merge, &merge->waiting[i++], fault);
        ok = ok && folder_flush(merge->run.settings->out, fault);
        FAULT_TRY(store_keep_together_end(merge->run.store, ok, fault));
    }
    return true;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* Notes a sandbox or a device that results name, once. */
static bool note_node(void *user, const store_row *row)
{
    grading *run = user;
    json_t *result = json_loads(row->json, 0, NULL);
    const json_t *device = json_object_get(result, "device");
    const char *box = result_string(json_object_get(result, "node"), "sandbox");
    graded_lab *lab = grading_find_lab(run, row->lab);
    if (*box && (!run->box.description || !strstr(run->box.description, box))) {
        char *longer = text_make("%s%s%s", run->box.description ? run->box.description : "",
                                 run->box.description ? "; " : "", box);
        free(run->box.description);
        run->box.description = longer;
    }
    if (device && lab) {
        snprintf(lab->parts.device.kind, sizeof lab->parts.device.kind, "%s", result_string(device, "kind"));
        snprintf(lab->parts.device.name, sizeof lab->parts.device.name, "%s", result_string(device, "name"));
        lab->parts.device.multiprocessors = result_integer(device, "multiprocessors");
    }
    json_decref(result);
    return true;
}

static bool describe_nodes(grading *run, grader_fault *fault)
{
    FAULT_TRY(store_each_row(run->store, run->id, NULL, note_node, run, fault));
    if (!run->box.description) run->box.description = strdup("that of each node");
    return run->box.description || fault_memory(fault, "the sandbox");
}

static bool finish(class_merge *merge, grader_fault *fault)
{
    if (!merge->left) FAULT_TRY(begin_page(merge, fault));
    FAULT_TRY(store_worked(merge->run.store, merge->run.id, merge->seconds, fault));
    if (merge->page_begun) grading_page_end(&merge->run.page, merge->left ? "some wait" : "done");
    if (merge->left) return true;
    FAULT_TRY(describe_nodes(&merge->run, fault));
    FAULT_TRY(grading_write_classes(&merge->run, fault));
    folder_remove(merge->plan[0].folder);
    return true;
}

static bool merge_plans(class_merge *merge, const grading_merging *merging, grader_fault *fault)
{
    FAULT_TRY(grading_open_last(&merge->run, &merge->last, true, fault));
    merge->run.id = merge->last.id;
    if (*merge->last.ended && !plan_is_there(merge->run.settings->out)) {
        printf("nothing is left to merge: every submission has its result\n");
        return true;
    }
    if (!merge->run.in_parts)
        return fault_set(fault,
                         "the last grading in %s was not planned: labgrade resume "
                         "continues it",
                         merge->run.settings->out);
    FAULT_TRY(open_plans(merge, merging, fault));
    FAULT_TRY(store_waiting(&merge->waiting, &merge->count, merge->run.store, merge->run.id, fault));
    return take_all(merge, fault) && finish(merge, fault);
}

bool grading_merge(const grading_settings *settings, const grading_merging *merging, size_t *left, grader_fault *fault)
{
    class_merge merge = {.run = {.settings = settings, .device = ""}, .give_up = merging->give_up};
    bool ok = merge_plans(&merge, merging, fault);
    *left = merge.left;
    for (size_t i = 0; i < merge.plans; i++) plan_close(&merge.plan[i]);
    free(merge.plan);
    store_waiting_free(merge.waiting, merge.count);
    store_grading_free(&merge.last);
    grading_close(&merge.run);
    return ok;
}
