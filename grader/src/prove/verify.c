/* Proving a lab; see verify.h. */
#include "verify.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/text.h"
#include "empty_answers.h"
#include "judge/build.h"
#include "judge/compiler_messages.h"
#include "judge/job.h"
#include "starter_marks.h"

static const char named_by[] = "Rejected by:", told_cause[] = "\nCause: ";

enum { MOST_BYTES = 1 << 20, FEWEST_WRONG = 3, HINTS = 3 };

/* The result that a file must have. */
typedef enum expected_end { MUST_FAIL, MUST_PASS, MUST_GET_NOTHING, MUST_BE_REJECTED } expected_end;

typedef struct expectation {
    expected_end end;
    const char *role;    /* "starter" */
    const char *name;    /* how the line names the file */
    const char *rejects; /* for MUST_BE_REJECTED: the check that must fail, */
    const char *cause;   /* and a part of the cause that it must tell; NULL for any */
} expectation;

/* One lab's proof. */
typedef struct verify_run {
    verify_row *row;
    verify_counts *counts;
    const lab_parts *parts;
    const verify_options *options;
    grader_fault *fault;
} verify_run;

/* The actual result of a file, and the words for its line. */
typedef struct proof_finding {
    bool ok;
    text_buffer words;
} proof_finding;

char *verify_named_check(const char *patch)
{
    const char *at = strstr(patch, named_by);
    if (!at) return NULL;
    at += sizeof named_by - 1;
    at += strspn(at, " ");
    size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return length ? strndup(at, length) : NULL;
}

char *verify_told_cause(const char *patch)
{
    const char *at = strstr(patch, told_cause);
    if (!at) return NULL;
    at += sizeof told_cause - 1;
    return strndup(at, strcspn(at, "\n"));
}

static const json_t *find_check(const grading_result *result, const char *name)
{
    const json_t *check;
    size_t index;
    json_array_foreach(result->checks, index, check)
    {
        if (strcmp(result_string(check, "name"), name) == 0) return check;
    }
    return NULL;
}

static void name_other_failures(text_buffer *words, const grading_result *result, const char *named)
{
    const json_t *check;
    size_t index, others = 0;
    json_array_foreach(result->checks, index, check)
    {
        bool failed = strcmp(result_string(check, "status"), "failed") == 0;
        if (!failed || strcmp(result_string(check, "name"), named) == 0) continue;
        text_format(words, "%s%s", others++ ? ", " : " (also fails: ", result_string(check, "name"));
    }
    if (others) text_format(words, ")");
}

static void judge_wrong_answer(proof_finding *finding, const grading_result *result, const expectation *expected)
{
    const char *named = expected->rejects;
    const json_t *check = find_check(result, named);
    const char *status = check ? result_string(check, "status") : "there is no such check";
    finding->ok = strcmp(status, "failed") == 0;
    text_format(&finding->words, "%s%s", named, finding->ok ? "" : " does NOT reject it: ");
    if (!finding->ok) text_format(&finding->words, "%s", status);
    name_other_failures(&finding->words, result, named);
    if (finding->ok && expected->cause && !strstr(result_string(check, "cause"), expected->cause)) {
        finding->ok = false;
        text_format(&finding->words, " does NOT tell the cause: \"%s\"", result_string(check, "cause"));
    }
    if (!*result->build_messages) return;
    /* A warning would tell the mistake before the check does. */
    const char *warning = compiler_messages_first_error(result->build_messages);
    finding->ok = false;
    text_format(&finding->words, "; compiles with a warning: %.*s", (int)strcspn(warning, "\n"), warning);
}

static void judge_starter(proof_finding *finding, const grading_result *result)
{
    const json_t *failed = result_first_failure(result);
    finding->ok = result_verdict_is_failure(result->verdict) && failed;
    const char *name = failed ? result_string(failed, "name") : "";
    text_format(&finding->words, "%s%s", finding->ok ? name : "does NOT fail: ", finding->ok ? "" : result->summary);
    if (finding->ok) name_other_failures(&finding->words, result, name);
}

static void judge_run(proof_finding *finding, const grading_result *result, const expectation *expected)
{
    switch (expected->end) {
    case MUST_BE_REJECTED: judge_wrong_answer(finding, result, expected); return;
    case MUST_FAIL: judge_starter(finding, result); return;
    case MUST_PASS:
        finding->ok = (result->verdict == RESULT_PASSED || result->verdict == RESULT_NOT_MEASURED) &&
                      result->points == result->max_points;
        text_format(&finding->words, "%s, %d of %d points%s%s", result_verdict_name(result->verdict), result->points,
                    result->max_points, finding->ok ? "" : ": ", finding->ok ? "" : result->summary);
        return;
    case MUST_GET_NOTHING:
        finding->ok = result->verdict != RESULT_PASSED && result->points == 0;
        text_format(&finding->words, "%s, %d of %d points", result_verdict_name(result->verdict), result->points,
                    result->max_points);
        return;
    }
}

static void judge(proof_finding *finding, const grading_result *result, const expectation *expected)
{
    bool ran = result->verdict != RESULT_GRADER_FAULT && result->verdict != RESULT_MISSING_FILE &&
               (result->verdict != RESULT_BUILD_ERROR || expected->end == MUST_GET_NOTHING);
    if (ran)
        judge_run(finding, result, expected);
    else
        text_format(&finding->words, "%s", result->summary ? result->summary : result_verdict_name(result->verdict));
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Prints one line of the lab's table. A line that reports no failure fits 80 columns. */
static bool report(verify_run *run, bool ok, const char *role, const char *name, const char *words)
{
    fprintf(run->options->out, "  %-6s %-8s %-28s  %s\n", ok ? "ok" : "FAILED", role, name, words);
    fflush(run->options->out);
    if (ok)
        run->counts->passed++;
    else
        run->counts->failed++;
    return ok;
}

static const char *base_name(const char *path) { return strrchr(path, '/') ? strrchr(path, '/') + 1 : path; }

/* Runs one file and prints its line. *ok says whether it has the expected result. */
static bool prove(verify_run *run, bool *ok, const char *source, const expectation *expected)
{
    char *out;
    FAULT_TRY(folder_make_private(&out, "lab-verify", run->fault));
    const bool all = run->options->all_checks, wrong = expected->end == MUST_BE_REJECTED;
    const job_checks fewest = wrong ? JOB_ONE_CHECK : expected->end == MUST_FAIL ? JOB_FIRST_FAILURE : JOB_EVERY_CHECK;
    const grading_job job = {.parts = run->parts,
                             .source = source,
                             .submission = source,
                             .out = out,
                             .out_name = "",
                             .seed = run->options->seed,
                             .device_lock = run->options->lock,
                             .without_lines = true,
                             .checks = all ? JOB_EVERY_CHECK : fewest,
                             .check = expected->rejects};
    grading_result result;
    proof_finding finding = {0};
    job_run(&result, &job);
    judge(&finding, &result, expected);
    *ok = report(run, finding.ok, expected->role, expected->name, finding.words.text ? finding.words.text : "");
    bool whole = !finding.words.failed;
    free(finding.words.text);
    result_free(&result);
    folder_remove(out);
    free(out);
    return whole || fault_memory(run->fault, "a finding");
}

static char *read_source(const char *path, grader_fault *fault)
{
    char *text = NULL;
    size_t bytes;
    if (folder_read(&text, &bytes, path, MOST_BYTES, fault) == FOLDER_FILE) return text;
    fault_set(fault, "cannot read %s", path);
    return NULL;
}

/* ---- starter and solution ---------------------------------------------------------------------------------------- */

static bool report_marks(verify_run *run, const char *starter, const char *solution)
{
    char words[96] = "only marked places differ";
    const starter_marks_finding finding = starter_marks_compare(starter, solution);
    if (finding.out_of_memory) return fault_memory(run->fault, "comparing files");
    if (!finding.agree)
        snprintf(words, sizeof words, "differs from the starter outside marked places, from its line %d on",
                 finding.line);
    run->row->marks_agree = report(run, finding.agree, "marks", run->parts->file, words);
    return true;
}

static bool prove_marks(verify_run *run)
{
    char *starter = read_source(run->parts->starter, run->fault);
    char *solution = starter ? read_source(run->parts->solution, run->fault) : NULL;
    bool done = solution && report_marks(run, starter, solution);
    free(starter);
    free(solution);
    return done;
}

/* Writes a file into the folder and runs it. */
static bool prove_hollow_in(verify_run *run, const char *folder, const char *text, const char *name)
{
    const expectation expected = {.end = MUST_GET_NOTHING, .role = "hollow", .name = name};
    char *path = folder_path(folder, run->parts->file);
    if (!path) return fault_memory(run->fault, "a path");
    bool ok = false, done = folder_write(path, text, strlen(text), run->fault) && prove(run, &ok, path, &expected);
    run->row->hollow++;
    run->row->hollow_rejected += ok;
    free(path);
    return done;
}

/* Runs a file derived from the solution, in a private folder. */
static bool prove_hollow(verify_run *run, const char *text, const char *name)
{
    char *folder;
    if (!text) return fault_memory(run->fault, "a file");
    FAULT_TRY(folder_make_private(&folder, "lab-hollow", run->fault));
    bool done = prove_hollow_in(run, folder, text, name);
    folder_remove(folder);
    free(folder);
    return done;
}

/* Makes the solution without bodies of what the compiler's preprocessor makes of it in this folder. */
static bool empty_bodies_in(char **out, verify_run *run, const char *folder, const char *solution)
{
    const lab_parts *parts = run->parts;
    preprocessed_text source = {"", 0};
    char *path = folder_path(folder, parts->file), *text = NULL;
    bool ok = path || fault_memory(run->fault, "a path");
    ok = ok && folder_write(path, solution, strlen(solution), run->fault) &&
         build_text(&text, &source.length, parts, NULL, folder, run->fault);
    if (ok && !text) ok = fault_set(run->fault, "the solution of %s cannot be preprocessed", parts->name);
    source.text = text;
    *out = ok ? empty_answers_bodies(source, parts->file) : NULL;
    free(text);
    free(path);
    return *out || (ok && fault_memory(run->fault, "a file"));
}

static bool empty_bodies(char **out, verify_run *run, const char *solution)
{
    char *folder;
    FAULT_TRY(folder_make_private(&folder, "lab-hollow", run->fault));
    const bool ok = empty_bodies_in(out, run, folder, solution);
    folder_remove(folder);
    free(folder);
    return ok;
}

static bool prove_hollow_files(verify_run *run)
{
    char *solution = read_source(run->parts->solution, run->fault), *bodies = NULL;
    if (!solution) return false;
    char *comments = empty_answers_all(solution);
    bool done = empty_bodies(&bodies, run, solution) && prove_hollow(run, bodies, "all bodies empty") &&
                prove_hollow(run, comments, "all in comments");
    free(bodies);
    free(comments);
    free(solution);
    return done;
}

static void prove_hints(verify_run *run)
{
    const json_t *check;
    size_t index;
    bool whole = true;
    json_array_foreach(run->parts->manifest, index, check)
    {
        size_t hints = json_array_size(json_object_get(check, "hints"));
        if (hints == HINTS) continue;
        char words[64];
        snprintf(words, sizeof words, "has %zu hint%s; a check has %d", hints, hints == 1 ? "" : "s", HINTS);
        whole = report(run, false, "hints", result_string(check, "name"), words);
    }
    run->row->hints_whole = whole;
}

/* ---- wrong answers ----------------------------------------------------------------------------------------------- */

static bool fail_wrong_answer(verify_run *run, const char *name, const char *words)
{
    report(run, false, "wrong", name, words);
    return true;
}

/* Runs the file that make built from the solution and this patch. A patch that names no check fails. */
static bool prove_applied(verify_run *run, const char *patch, const char *name)
{
    char *heading = read_source(patch, run->fault);
    if (!heading) return false;
    char *named = verify_named_check(heading), *cause = verify_told_cause(heading);
    free(heading);
    text_buffer applied = {0};
    text_format(&applied, "%s/%s/wrong/%s.c", run->options->build, run->parts->name, name);
    const expectation expected = {.end = MUST_BE_REJECTED,
                                  .role = "wrong",
                                  .name = name,
                                  .rejects = named ? named : "the check that \"Rejected by:\" should name",
                                  .cause = cause};
    bool ok = false, done;
    if (applied.failed)
        done = fault_memory(run->fault, "a path");
    else if (access(applied.text, R_OK) < 0)
        done = fail_wrong_answer(run, name, "is not applied to the solution: make verify applies it");
    else
        done = prove(run, &ok, applied.text, &expected);
    run->row->wrong_rejected += ok;
    free(named);
    free(cause);
    free(applied.text);
    return done;
}

static bool prove_wrong_answer(verify_run *run, const char *path)
{
    const char *file = base_name(path), *ending = strrchr(file, '.');
    run->row->wrong++;
    if (!ending || strcmp(ending, ".patch") != 0)
        return fail_wrong_answer(run, file, "is not a patch against the solution");
    char *name = strndup(file, (size_t)(ending - file));
    bool done = name ? prove_applied(run, path, name) : fault_memory(run->fault, "a name");
    free(name);
    return done;
}

static bool prove_wrong_answers(verify_run *run)
{
    glob_t found = {0};
    char *pattern = folder_path(run->parts->folder, "wrong/*");
    int failed = pattern ? glob(pattern, 0, NULL, &found) : GLOB_NOSPACE;
    free(pattern);
    if (failed && failed != GLOB_NOMATCH) return fault_set(run->fault, "cannot list %s/wrong", run->parts->folder);
    bool done = true;
    const unsigned turn = run->options->turn;
    for (size_t i = turn ? turn - 1 : 0; done && i < found.gl_pathc; i += turn ? run->options->turns : 1)
        done = prove_wrong_answer(run, found.gl_pathv[i]);
    if (done && found.gl_pathc < FEWEST_WRONG) {
        char words[64];
        snprintf(words, sizeof words, "%zu wrong answers; a lab has at least %d", found.gl_pathc, FEWEST_WRONG);
        report(run, false, "wrong", "wrong/", words);
    }
    globfree(&found);
    return done;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

bool verify_lab(verify_row *row, verify_counts *counts, const lab_parts *parts, const verify_options *options,
                grader_fault *fault)
{
    verify_run run = {row, counts, parts, options, fault};
    const expectation starter = {.end = MUST_FAIL, .role = "starter", .name = base_name(parts->starter)};
    const expectation solution = {.end = MUST_PASS, .role = "solution", .name = parts->file};
    *row = (verify_row){0};
    snprintf(row->lab, sizeof row->lab, "%s", parts->name);
    fprintf(options->out, "\n%s: %s\n  %-6s %-8s %-28s  %s\n", parts->name, parts->title, "", "", "",
            "result, or rejected by");
    FAULT_TRY(prove(&run, &row->starter_fails, parts->starter, &starter));
    FAULT_TRY(prove(&run, &row->solution_passes, parts->solution, &solution));
    FAULT_TRY(prove_marks(&run));
    FAULT_TRY(prove_hollow_files(&run));
    prove_hints(&run);
    return prove_wrong_answers(&run);
}

void verify_table(const verify_row *rows, size_t count, FILE *out)
{
    fprintf(out, "\n  %-8s  %-8s  %-8s  %-15s  %-15s  %-6s  %s\n", "lab", "starter", "solution", "wrong rejected",
            "hollow rejected", "marks", "hints");
    for (size_t i = 0; i < count; i++) {
        const verify_row *row = &rows[i];
        char wrong[32], hollow[32];
        snprintf(wrong, sizeof wrong, "%d of %d", row->wrong_rejected, row->wrong);
        snprintf(hollow, sizeof hollow, "%d of %d", row->hollow_rejected, row->hollow);
        fprintf(out, "  %-8s  %-8s  %-8s  %-15s  %-15s  %-6s  %s\n", row->lab, row->starter_fails ? "fails" : "NOT",
                row->solution_passes ? "passes" : "NOT", wrong, hollow, row->marks_agree ? "agree" : "NOT",
                row->hints_whole ? "three" : "NOT");
    }
    fputc('\n', out);
}
