/*
 * result.h: the result of one submission to one lab, "lab-result/1", as grader/docs/results.md describes it.
 * It knows the schema, the order of verdicts, how points add up and which failures are one mistake. Independent of how
 * anything is found.
 */
#ifndef GRADER_JUDGE_RESULT_H
#define GRADER_JUDGE_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "sandbox/device.h"

/* Verdicts, by precedence: a result has the first that applies. "crash" to "leak" are also the kinds of a check's
 * failure; a failure of another kind is "failed". Among "wrong result" to "failed" the first failed check decides. "not
 * measured" is a result whose other checks passed. */
#define RESULT_VERDICT_TABLE(X)                                                                                        \
    X(RESULT_GRADER_FAULT, "grader fault")                                                                             \
    X(RESULT_MISSING_FILE, "missing file")                                                                             \
    X(RESULT_BUILD_ERROR, "build error")                                                                               \
    X(RESULT_CRASH, "crash")                                                                                           \
    X(RESULT_TIMEOUT, "timeout")                                                                                       \
    X(RESULT_MEMORY, "memory")                                                                                         \
    X(RESULT_OUTPUT_FLOOD, "output flood")                                                                             \
    X(RESULT_RECORD_FLOOD, "record flood")                                                                             \
    X(RESULT_WRONG_RESULT, "wrong result")                                                                             \
    X(RESULT_RACE_SUSPECTED, "race suspected")                                                                         \
    X(RESULT_LEAK, "leak")                                                                                             \
    X(RESULT_FAILED, "failed")                                                                                         \
    X(RESULT_NOT_MEASURED, "not measured")                                                                             \
    X(RESULT_PASSED, "passed")

typedef enum result_verdict {
#define RESULT_ENUM(name, text) name,
    RESULT_VERDICT_TABLE(RESULT_ENUM)
#undef RESULT_ENUM
        RESULT_VERDICTS
} result_verdict;

/* Texts are owned by the result; NULL stands for "". */
typedef struct grading_result {
    char *lab_name, *lab_title;
    char *submission, *file;
    char *directory; /* its folder among the results: "ada"; "" for a single result */
    device_info device;
    char started[32]; /* UTC, "2026-11-20T10:00:00Z" */
    double seconds;
    uint64_t seed;
    bool seed_secret;
    result_verdict verdict;
    char *summary;
    int points, max_points;
    bool build_ok;
    double build_seconds;
    char *build_messages;
    json_t *checks, *timings, *ratios;          /* lists, each entry as in the schema */
    char *trace, *timeline_svg, *timeline_text; /* paths */
    bool findings_marked;                       /* in these; not part of the schema */
    json_t *records;                            /* texts by the number of their check; not part of the schema */
    char *hung; /* functions that did not end in time, one a line, or NULL; not part of the schema */
    char *output;
    bool output_truncated;
    char *open_tasks; /* "1, 3": which TODO(n) of the file are not done; not part of the schema */
} grading_result;

const char *result_verdict_name(result_verdict verdict);

/* The verdict of this name; RESULT_VERDICTS for another text. */
result_verdict result_verdict_named(const char *name);

/* Whether the program ran to the end of its checks, and not all of them passed. */
bool result_verdict_is_failure(result_verdict verdict);

/* A string field of an entry of one of the lists; "" if it is missing. Borrowed. */
const char *result_string(const json_t *entry, const char *field);
int result_integer(const json_t *entry, const char *field);

/* The first check that failed; NULL for none. Borrowed. */
const json_t *result_first_failure(const grading_result *result);

/* Whether the check is of a task for those who want more: it gives points, and fails no lab. */
bool result_is_extra(const json_t *check);

/* Sets verdict, points and summary by the checks, of which some ran. A check that was not measured does not count in
 * points and max_points, except for an impossible time: its points stay open until a person has looked. An extra check
 * decides no verdict, unless the grader itself failed. */
bool result_conclude(grading_result *result, grader_fault *fault);

/* Gives each failed check the field "root", the name of the first check that failed for the same reason, which may be
 * its own; and each check that did not run because another had failed, the root of that. The first check of a reason
 * also gets "mistake", a noun for it: "missing order". Fields of an earlier run are replaced. False without memory.
 *
 * Two failed checks have one root cause if
 *   nothing orders the same two operations, at the same lines ("edge"); or
 *   they are of one kind, tell the same place, and say the same of it: in message, cause or what was found, or that
 *   numbers differ there without a known cause; for a place that is guessed, in message or cause; or
 *   they fail in the same function or table, in which nothing has been written yet. */
bool result_mark_roots(json_t *checks);

/* Whether this check is the first of its root cause. */
bool result_tells_root(const json_t *check);

/* The checks of the root cause that this check belongs to: their number, and the points that they do not give. */
typedef struct root_cost {
    int checks, points;
} root_cost;
root_cost result_root_cost(const json_t *checks, const json_t *check);

/* The result in the form of its schema, yours; NULL without memory. */
json_t *result_json(const grading_result *result);

/* Writes it to a file, whole or not at all. */
bool result_write(const grading_result *result, const char *path, grader_fault *fault);

void result_free(grading_result *result);

#endif
