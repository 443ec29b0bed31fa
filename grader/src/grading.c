/* From submissions to results by way of the store; see grading.h. */
#include "grading.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "class_file.h"
#include "clock.h"
#include "folder.h"
#include "grading_page.h"
#include "intake.h"
#include "job.h"
#include "job_pool.h"
#include "kit.h"
#include "source_file.h"
#include "store.h"
#include "text.h"

enum { TRIES = 3 };

typedef struct graded_lab {
    grading_kit kit;
    content_key key;
    uint64_t seed;
    bool seed_secret;
    char *out;    /* OUT, or OUT/lab03 where several labs are graded */
    intake taken; /* empty where the submissions are the store's */
} graded_lab;

typedef struct grading {
    const grading_settings *settings;
    grade_store *store;
    int64_t id;
    graded_lab *lab;
    size_t labs;
    bool flat; /* one lab, whose results lie in OUT itself */
    double seconds, begun;
    char *folder;
    grading_page page;
} grading;

static bool no_memory(grader_fault *fault) { return fault_set(fault, "not enough memory for the grading"); }

/* ---- labs -------------------------------------------------------------------------------------------------------- */

static bool open_lab(grading *of, const char *name, grader_fault *fault)
{
    graded_lab *larger = realloc(of->lab, (of->labs + 1) * sizeof *larger);
    if (!larger) return no_memory(fault);
    of->lab = larger;
    graded_lab *lab = &of->lab[of->labs];
    *lab = (graded_lab){0};
    const kit_places places = {.root = of->settings->root, .build = of->settings->build, .name = name};
    if (!kit_open(&lab->kit, &places, fault)) return false;
    of->labs++;
    return content_key_of_kit(&lab->key, &lab->kit, fault);
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

/* Says where each lab's results go, and makes that folder. */
static bool place_labs(grading *of, grader_fault *fault)
{
    bool ok = true;
    for (size_t i = 0; ok && i < of->labs; i++) {
        graded_lab *lab = &of->lab[i];
        lab->out = of->flat ? strdup(of->settings->out) : folder_path(of->settings->out, lab->kit.name);
        ok = lab->out ? folder_make(lab->out, fault) : no_memory(fault);
    }
    return ok;
}

static graded_lab *find_lab(const grading *of, const char *name)
{
    for (size_t i = 0; i < of->labs; i++) {
        if (strcmp(of->lab[i].kit.name, name) == 0) return &of->lab[i];
    }
    return NULL;
}

static void close_grading(grading *of)
{
    for (size_t i = 0; i < of->labs; i++) {
        kit_close(&of->lab[i].kit);
        intake_close(&of->lab[i].taken);
        free(of->lab[i].out);
    }
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

/* ---- the results of one job -------------------------------------------------------------------------------------- */

static content_key result_key(const grading *of, const graded_lab *lab, const char *source, size_t bytes)
{
    content_key key = lab->key;
    content_key_add(&key, &lab->seed, sizeof lab->seed);
    content_key_add(&key, &of->seconds, sizeof of->seconds);
    content_key_add(&key, source, bytes);
    return key;
}

static bool is_there(const graded_lab *lab, const char *path)
{
    char *whole = *path ? folder_path(lab->out, path) : NULL;
    bool there = !*path || (whole && access(whole, R_OK) == 0);
    free(whole);
    return there;
}

/* Whether the files of an earlier result are still where it says. */
static bool files_are_there(const graded_lab *lab, const char *directory, const char *json)
{
    json_t *result = json_loads(json, 0, NULL);
    const json_t *artifacts = json_object_get(result, "artifacts");
    text_buffer own = {0};
    text_format(&own, "%s/result.json", directory);
    bool there = result && !own.failed && is_there(lab, own.text) && is_there(lab, result_string(artifacts, "trace")) &&
                 is_there(lab, result_string(artifacts, "timeline_svg")) &&
                 is_there(lab, result_string(artifacts, "timeline_text"));
    free(own.text);
    json_decref(result);
    return there;
}

static bool write_result(const graded_lab *lab, const char *directory, const json_t *result, grader_fault *fault)
{
    text_buffer path = {0};
    text_format(&path, "%s/%s/result.json", lab->out, directory);
    char *text = json_dumps(result, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    bool ok = text && !path.failed ? folder_write(path.text, text, strlen(text), fault) : no_memory(fault);
    free(text);
    free(path.text);
    return ok;
}

/* ---- doing jobs ---------------------------------------------------------------------------------------------------- */

/* A job in the pool. */
typedef struct job_under_way {
    store_job job;
    bool used;
} job_under_way;

/* The folder of a submission's results, and in it the file as it is graded: OUT/ada/source/lab03.c. */
static bool place_source(const graded_lab *lab, const store_job *job, char **out, char **source, grader_fault *fault)
{
    *out = folder_path(lab->out, job->directory);
    char *folder = *out ? folder_path(*out, "source") : NULL;
    *source = folder ? folder_path(folder, lab->kit.file) : NULL;
    bool ok = *source ? folder_make(folder, fault) : no_memory(fault);
    if (ok && job->refusal) unlink(*source);
    if (ok && !job->refusal) ok = folder_write(*source, job->source, job->bytes, fault);
    free(folder);
    return ok;
}

static grading_job describe(const grading *of, const graded_lab *lab, const store_job *job, const char *out,
                            const char *source)
{
    return (grading_job){
        .kit = &lab->kit,
        .source = source,
        .refusal = job->refusal,
        .submission = job->name,
        .out = out,
        .out_name = job->directory,
        .seed = lab->seed,
        .seed_secret = lab->seed_secret,
        .seconds = of->seconds,
        .only_check = job->check,
        .private_cache = true,
    };
}

/* The key of the result to come. One that keeps checks of an earlier result, made with other files of the lab, is no
 * result of these files. */
static void set_key(const grading *of, const graded_lab *lab, store_job *job)
{
    content_key key = result_key(of, lab, job->source, job->bytes);
    if (job->check && memcmp(&key, &job->key, sizeof key) != 0) content_key_add(&key, job->check, strlen(job->check));
    job->key = key;
}

static bool start_job(grading *of, job_pool *pool, store_job *job, int64_t ticket, grader_fault *fault)
{
    const graded_lab *lab = find_lab(of, job->lab);
    char *out = NULL, *source = NULL;
    json_t *previous = job->previous ? json_loads(job->previous, 0, NULL) : NULL;
    bool ok = lab && place_source(lab, job, &out, &source, fault);
    if (ok) {
        set_key(of, lab, job);
        grading_job described = describe(of, lab, job, out, source);
        described.previous = previous;
        ok = job_pool_start(pool, &described, ticket, fault);
    }
    json_decref(previous);
    free(out);
    free(source);
    return ok;
}

/* The result as JSON, also of a job whose process left none. */
static json_t *result_of(const grading *of, const store_job *job, const job_pool_end *end)
{
    if (end->json) return json_loads(end->json, 0, NULL);
    const graded_lab *lab = find_lab(of, job->lab);
    grading_job described = describe(of, lab, job, "", "");
    grading_result result;
    job_conclude_fault(&result, &described, &end->why);
    json_t *json = result_json(&result);
    result_free(&result);
    return json;
}

static bool keep_result(grading *of, const store_job *job, const json_t *json, grader_fault *fault)
{
    const store_result result = {
        .verdict = result_string(json, "verdict"),
        .points = result_integer(json, "points"),
        .max_points = result_integer(json, "max_points"),
    };
    store_result whole = result;
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9));
    whole.json = text;
    bool ok = text ? write_result(find_lab(of, job->lab), job->directory, json, fault) : no_memory(fault);
    ok = ok && store_finish_job(of->store, job, &whole, fault);
    free(text);
    if (ok) grading_page_result(&of->page, json);
    return ok;
}

/* What a job came to: a result to keep, or a fault of the grader that may go away. */
static bool take_end(grading *of, const store_job *job, const job_pool_end *end, grader_fault *fault)
{
    json_t *json = result_of(of, job, end);
    if (!json) return no_memory(fault);
    bool ok, faulty = strcmp(result_string(json, "verdict"), result_verdict_name(RESULT_GRADER_FAULT)) == 0;
    if (faulty && job->tries < TRIES) {
        grading_page_retry(&of->page, job->name, result_string(json, "summary"));
        ok = store_put_back(of->store, job->id, fault);
    } else {
        ok = keep_result(of, job, json, fault);
    }
    json_decref(json);
    return ok;
}

static bool do_jobs(grading *of, job_under_way *slot, job_pool *pool, grader_fault *fault)
{
    bool ok = true, found = true;
    while (ok) {
        while (ok && !job_pool_is_full(pool)) {
            size_t free_slot = 0;
            while (slot[free_slot].used) free_slot++;
            ok = store_take_job(of->store, of->id, &slot[free_slot].job, &found, fault);
            if (!ok || !found) break;
            slot[free_slot].used = true;
            ok = start_job(of, pool, &slot[free_slot].job, (int64_t)free_slot, fault);
        }
        if (!ok || job_pool_busy(pool) == 0) break;
        job_pool_end end;
        if (!job_pool_wait(pool, &end, fault)) return false;
        job_under_way *ended = &slot[end.ticket];
        ok = take_end(of, &ended->job, &end, fault);
        free(end.json);
        store_job_free(&ended->job);
        ended->used = false;
    }
    return ok;
}

static bool run_jobs(grading *of, grader_fault *fault)
{
    size_t count = of->settings->jobs;
    job_pool *pool = NULL;
    job_under_way *slot = calloc(count, sizeof *slot);
    bool ok = slot ? job_pool_create(&pool, count, fault) : no_memory(fault);
    ok = ok && do_jobs(of, slot, pool, fault);
    job_pool_free(pool);
    for (size_t i = 0; slot && i < count; i++) {
        if (slot[i].used) store_job_free(&slot[i].job);
    }
    free(slot);
    return ok;
}

/* ---- results.json -------------------------------------------------------------------------------------------------- */

typedef struct class_writing {
    class_file *file;
    grader_fault *fault;
    size_t count, verdicts[RESULT_VERDICTS];
    bool ok;
} class_writing;

static bool add_row(void *user, const store_row *row)
{
    class_writing *writing = user;
    json_t *json = json_loads(row->json, 0, NULL);
    writing->count++;
    for (int verdict = 0; verdict < RESULT_VERDICTS; verdict++) {
        writing->verdicts[verdict] += strcmp(row->verdict, result_verdict_name((result_verdict)verdict)) == 0;
    }
    writing->ok = json ? class_file_add(writing->file, json, writing->fault) : no_memory(writing->fault);
    json_decref(json);
    return writing->ok;
}

static void print_close(const grading_page *page, const graded_lab *lab, const class_writing *writing, double seconds)
{
    FILE *to = page->page.to;
    fprintf(to, "\n%zu submission%s of %s in %.1f s:", writing->count, writing->count == 1 ? "" : "s", lab->kit.name,
            seconds);
    const char *separator = " ";
    for (int verdict = RESULT_VERDICTS - 1; verdict >= 0; verdict--) {
        if (writing->verdicts[verdict] == 0) continue;
        fprintf(to, "%s%zu %s", separator, writing->verdicts[verdict], result_verdict_name((result_verdict)verdict));
        separator = ", ";
    }
    fprintf(to, "\n%s/results.json\n", lab->out);
    if (writing->verdicts[RESULT_GRADER_FAULT]) {
        fprintf(to, "A grader fault is no student's zero: mend what it names and grade again.\n");
    }
}

static bool write_class(grading *of, const graded_lab *lab, double seconds, grader_fault *fault)
{
    class_writing writing = {.fault = fault, .ok = true};
    char *path = folder_path(lab->out, "results.json");
    bool ok = path ? class_file_begin(&writing.file, path, &lab->kit, of->folder, fault) : no_memory(fault);
    if (ok) {
        ok = store_each_row(of->store, of->id, lab->kit.name, add_row, &writing, fault) && writing.ok;
        if (ok)
            ok = class_file_finish(writing.file, seconds, fault);
        else
            class_file_abandon(writing.file);
    }
    if (ok) print_close(&of->page, lab, &writing, seconds);
    free(path);
    return ok;
}

/* Runs what the grading has left to do and writes what came of it. */
static bool carry_out(grading *of, grader_fault *fault)
{
    store_counts counts;
    store_grading row = {0};
    of->page.several_labs = of->labs > 1;
    if (!store_count_jobs(of->store, of->id, &counts, fault) ||
        !grading_page_begin(&of->page, of->settings->out, of->id, counts.waiting, counts.done, fault)) {
        return false;
    }
    if (counts.done) printf("%lld kept as they were\n", (long long)counts.done);
    bool ok = run_jobs(of, fault) && store_worked(of->store, of->id, clock_seconds() - of->begun, fault) &&
              store_find_grading(&row, of->store, of->id, fault);
    grading_page_end(&of->page, ok ? "done" : fault->text);
    for (size_t i = 0; ok && i < of->labs; i++) ok = write_class(of, &of->lab[i], row.seconds, fault);
    store_grading_free(&row);
    return ok;
}

/* ---- grade --------------------------------------------------------------------------------------------------------- */

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
    if (ok && (before.flat != of->flat || (of->flat && strcmp(labs[0].name, of->lab[0].kit.name) != 0))) {
        ok = fault_set(fault, "%s holds the grades of %s%s: grade into another folder", of->settings->out,
                       count ? labs[0].name : "other labs", before.flat ? " alone" : " and others");
    }
    store_labs_free(labs, count);
    store_grading_free(&last);
    return ok;
}

static bool choose_seed(grading *of, graded_lab *lab, const uint64_t *seed, grader_fault *fault)
{
    bool found;
    lab->seed_secret = !seed;
    if (seed) lab->seed = *seed;
    if (seed) return true;
    return store_secret_seed(of->store, lab->kit.name, &lab->seed, &found, fault) &&
           (found || job_random_seed(&lab->seed, fault));
}

static bool add_submission(grading *of, const graded_lab *lab, const submission *from, grader_fault *fault)
{
    source_file file = {0};
    char *path = NULL, *json = NULL;
    bool ok = intake_find(&path, &file.refusal, from, lab->kit.file, fault);
    if (ok && path) ok = source_file_read(&file, path, lab->kit.file, fault);
    store_entry entry = {.lab = lab->kit.name, .name = from->name, .directory = from->safe};
    if (ok) {
        entry.refusal = file.refusal;
        entry.source = file.bytes ? file.bytes : "";
        entry.bytes = file.count;
        entry.key = result_key(of, lab, entry.source, entry.bytes);
        ok = store_find_result(of->store, &entry, &entry.previous, &json, fault);
        if (json && !files_are_there(lab, entry.directory, json)) entry.previous = 0;
        ok = ok && store_add_job(of->store, of->id, &entry, fault);
    }
    free(json);
    free(path);
    source_file_free(&file);
    return ok;
}

static bool begin_in_store(grading *of, const grading_request *request, grader_fault *fault)
{
    bool ok = true;
    grader_fault second;
    for (size_t i = 0; ok && i < of->labs; i++) ok = choose_seed(of, &of->lab[i], request->seed, fault);
    char *options = ok ? options_text(of) : NULL;
    if (ok && !options) ok = no_memory(fault);
    ok = ok && store_begin(of->store, &of->id, request->why ? request->why : "grade", of->folder, options, fault);
    free(options);
    if (!ok) return false;
    for (size_t i = 0; ok && i < of->labs; i++) {
        const graded_lab *lab = &of->lab[i];
        ok = store_add_lab(of->store, of->id, lab->kit.name, &lab->key, lab->seed, lab->seed_secret, fault);
        for (size_t k = 0; ok && k < lab->taken.list.count; k++) {
            ok = add_submission(of, lab, &lab->taken.list.entry[k], fault);
        }
    }
    return store_begun(of->store, ok, ok ? fault : &second) && ok;
}

/* With several labs, each may have a folder of its own: SUBMISSIONS/lab03. */
static bool take_in(const grading *of, graded_lab *lab, const char *submissions, grader_fault *fault)
{
    char *own = folder_path(submissions, lab->kit.name);
    if (!own) return no_memory(fault);
    const char *from = of->flat || access(own, F_OK) < 0 ? submissions : own;
    bool ok = intake_open(&lab->taken, from, of->settings->out, fault);
    free(own);
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

bool grading_grade(const grading_settings *settings, const grading_request *request, grader_fault *fault)
{
    grading of = {.settings = settings, .seconds = request->seconds, .begun = clock_seconds()};
    of.folder = strdup(request->submissions);
    bool ok = of.folder ? open_labs(&of, request->labs, fault) : no_memory(fault);
    of.flat = of.labs == 1;
    for (size_t i = 0; ok && i < of.labs; i++) ok = take_in(&of, &of.lab[i], request->submissions, fault);
    ok = ok && folder_make(settings->out, fault) && store_open(&of.store, settings->out, fault) &&
         fits_store(&of, fault) && place_labs(&of, fault) && begin_in_store(&of, request, fault) &&
         carry_out(&of, fault);
    close_grading(&of);
    return ok;
}

/* ---- resume and regrade -------------------------------------------------------------------------------------------- */

/* Opens the store and the labs of its last grading, with their seeds. */
static bool open_last(grading *of, store_grading *last, bool same_kit, grader_fault *fault)
{
    store_lab *labs = NULL;
    size_t count = 0;
    bool ok = store_open(&of->store, of->settings->out, fault) && store_find_grading(last, of->store, 0, fault) &&
              store_labs(&labs, &count, of->store, last->id, fault);
    if (ok) read_options(of, last->options);
    if (ok) ok = (of->folder = strdup(last->folder)) != NULL || no_memory(fault);
    for (size_t i = 0; ok && i < count; i++) {
        ok = open_lab(of, labs[i].name, fault);
        if (!ok) break;
        of->lab[i].seed = labs[i].seed;
        of->lab[i].seed_secret = labs[i].seed_secret;
        if (same_kit && memcmp(&of->lab[i].key, &labs[i].kit, sizeof labs[i].kit) != 0) {
            ok = fault_set(fault,
                           "%s has changed since that grading began; grade the submissions again: what has its result "
                           "and has not changed is kept",
                           labs[i].name);
        }
    }
    store_labs_free(labs, count);
    return ok && place_labs(of, fault);
}

bool grading_resume(const grading_settings *settings, grader_fault *fault)
{
    grading of = {.settings = settings, .begun = clock_seconds()};
    store_grading last = {0};
    bool ok = open_last(&of, &last, true, fault);
    of.id = last.id;
    ok = ok && store_put_back_all(of.store, of.id, fault) && carry_out(&of, fault);
    store_grading_free(&last);
    close_grading(&of);
    return ok;
}

static bool has_check(const grading *of, const grading_choice *choice, grader_fault *fault)
{
    for (size_t i = 0; choice->check && i < of->labs; i++) {
        const json_t *check;
        if (choice->lab && strcmp(choice->lab, of->lab[i].kit.name) != 0) continue;
        for (size_t k = 0; (check = kit_check(&of->lab[i].kit, k)); k++) {
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
        ok = store_add_lab(of->store, of->id, lab->kit.name, &lab->key, lab->seed, lab->seed_secret, fault);
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
              begin_again(&of, &last, choice, fault) && carry_out(&of, fault);
    store_grading_free(&last);
    close_grading(&of);
    return ok;
}
