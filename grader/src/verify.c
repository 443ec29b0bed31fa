/* Proving a lab; see verify.h. */
#include "verify.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "job.h"
#include "text.h"

static const char named_by[] = "Rejected by:";

/* What one file must come to. */
typedef struct expectation {
    bool passes;         /* with full points */
    const char *rejects; /* the check that must fail; NULL if any may */
} expectation;

/* Room for what became of a file, in a line. */
typedef struct proof_finding {
    bool ok;
    text_buffer words;
} proof_finding;

char *verify_named_check(const char *source)
{
    const char *at = strstr(source, named_by);
    if (!at) return NULL;
    at += sizeof named_by - 1;
    at += strspn(at, " ");
    size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return length ? strndup(at, length) : NULL;
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

static void judge_wrong_answer(proof_finding *finding, const grading_result *result, const char *named)
{
    const json_t *check = find_check(result, named);
    const char *status = check ? result_string(check, "status") : "no such check";
    finding->ok = strcmp(status, "failed") == 0;
    if (finding->ok)
        text_format(&finding->words, "rejected by %s", named);
    else
        text_format(&finding->words, "NOT rejected by %s: %s", named, check ? status : "there is no such check");
    name_other_failures(&finding->words, result, named);
}

static void judge(proof_finding *finding, const grading_result *result, const expectation *expected)
{
    bool ran = result->verdict != RESULT_GRADER_FAULT && result->verdict != RESULT_BUILD_ERROR &&
               result->verdict != RESULT_MISSING_FILE;
    if (!ran) {
        text_format(&finding->words, "%s", result->summary ? result->summary : result_verdict_name(result->verdict));
    } else if (expected->rejects) {
        judge_wrong_answer(finding, result, expected->rejects);
    } else if (expected->passes) {
        finding->ok = result->verdict == RESULT_PASSED && result->points == result->max_points;
        text_format(&finding->words, "%s, %d of %d points%s%s", result_verdict_name(result->verdict), result->points,
                    result->max_points, finding->ok ? "" : ": ", finding->ok ? "" : result->summary);
    } else {
        finding->ok = result->verdict == RESULT_FAILED;
        text_format(&finding->words, "%s%s", finding->ok ? "fails its checks: " : "", result->summary);
    }
}

/* Runs one file and prints its line. */
static bool prove(verify_counts *counts, const grading_kit *kit, const char *source, const expectation *expected,
                  uint64_t seed, FILE *to, grader_fault *fault)
{
    char *out;
    if (!folder_make_private(&out, "lab-verify", fault)) return false;
    const grading_job job = {
        .kit = kit, .source = source, .submission = source, .out = out, .out_name = "", .seed = seed};
    grading_result result;
    proof_finding finding = {0};
    job_run(&result, &job);
    judge(&finding, &result, expected);
    const char *name = strrchr(source, '/') ? strrchr(source, '/') + 1 : source;
    const char *role = expected->passes ? "solution" : expected->rejects ? "wrong" : "starter";
    fprintf(to, "  %s  %-8s %-9s %-32s %s\n", finding.ok ? "ok    " : "FAILED", kit->name, role, name,
            finding.words.text ? finding.words.text : "");
    fflush(to);
    if (finding.ok)
        counts->passed++;
    else
        counts->failed++;
    bool ok = !finding.words.failed || fault_set(fault, "not enough memory for a finding");
    free(finding.words.text);
    result_free(&result);
    folder_remove(out);
    free(out);
    return ok;
}

/* A wrong answer that names no check is itself a failure of the lab. */
static bool prove_wrong_answer(verify_counts *counts, const grading_kit *kit, const char *source, uint64_t seed,
                               FILE *to, grader_fault *fault)
{
    enum { MOST_BYTES = 1 << 20 };
    char *text = NULL;
    size_t bytes;
    if (folder_read(&text, &bytes, source, MOST_BYTES, fault) != FOLDER_FILE) {
        return fault_set(fault, "cannot read %s", source);
    }
    char *named = verify_named_check(text);
    free(text);
    const expectation expected = {.rejects = named ? named : "the check that \"Rejected by:\" should name"};
    bool ok = prove(counts, kit, source, &expected, seed, to, fault);
    free(named);
    return ok;
}

static bool prove_wrong_answers(verify_counts *counts, const grading_kit *kit, uint64_t seed, FILE *to,
                                grader_fault *fault)
{
    enum { FEWEST = 3 };
    glob_t found = {0};
    char *pattern = folder_path(kit->folder, "wrong/*.c");
    int failed = pattern ? glob(pattern, 0, NULL, &found) : GLOB_NOSPACE;
    free(pattern);
    if (failed && failed != GLOB_NOMATCH) return fault_set(fault, "cannot list %s/wrong", kit->folder);
    bool ok = true;
    for (size_t i = 0; ok && i < found.gl_pathc; i++) {
        ok = prove_wrong_answer(counts, kit, found.gl_pathv[i], seed, to, fault);
    }
    if (ok && found.gl_pathc < FEWEST) {
        fprintf(to, "  FAILED  %-8s has %zu wrong answers; a lab has at least %d\n", kit->name, found.gl_pathc, FEWEST);
        counts->failed++;
    }
    globfree(&found);
    return ok;
}

bool verify_lab(verify_counts *counts, const grading_kit *kit, uint64_t seed, FILE *to, grader_fault *fault)
{
    const expectation starter = {0}, solution = {.passes = true};
    char *path = folder_path(kit->folder, kit->file);
    bool ok = path || fault_set(fault, "not enough memory for a path");
    ok = ok && prove(counts, kit, path, &starter, seed, to, fault);
    ok = ok && prove(counts, kit, kit->solution, &solution, seed, to, fault);
    ok = ok && prove_wrong_answers(counts, kit, seed, to, fault);
    free(path);
    return ok;
}
