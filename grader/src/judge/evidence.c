/* Reading the checks' evidence; see evidence.h. */
#include "evidence.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Marks a check of a task for those who want more; others have no such field. */
static bool add_extra(json_t *entry, const json_t *check)
{
    return !result_is_extra(check) || json_object_set_new(entry, "extra", json_true()) == 0;
}

/* Adds what only the manifest knows: the title, whether it is extra, and how to get the hint. */
static bool add_manifest_fields(json_t *entry, const json_t *check, const char *lab, size_t index)
{
    json_t *hint = json_sprintf("make %s-hint CHECK=%zu", lab, index + 1);
    return json_object_set(entry, "title", json_object_get(check, "title")) == 0 && add_extra(entry, check) &&
           json_object_set_new(entry, "hint", hint) == 0;
}

bool evidence_append_without(json_t *checks, const json_t *check, const char *status, const char *message)
{
    /* clang-format off */
    json_t *entry = json_pack("{s:O, s:O, s:i, s:O, s:s, s:s, s:s, s:s, s:s, s:[], s:i, s:s, s:n, s:s, s:f}",
                              "name", json_object_get(check, "name"),
                              "title", json_object_get(check, "title"),
                              "points", 0,
                              "max_points", json_object_get(check, "points"),
                              "status", status,
                              "kind", "",
                              "message", message,
                              "expected", "",
                              "found", "",
                              "mismatches",
                              "mismatch_count", 0,
                              "cause", "",
                              "location",
                              "hint", "",
                              "seconds", 0.0);
    /* clang-format on */
    return entry && add_extra(entry, check) && json_array_append_new(checks, entry) == 0;
}

/* Says which failed check kept this one from running. */
static bool add_needed(json_t *entry, const json_t *failed)
{
    return json_object_set(entry, "needs", json_object_get(failed, "name")) == 0;
}

bool evidence_append_needing(json_t *checks, const json_t *check, const json_t *failed, const char *message)
{
    return evidence_append_without(checks, check, "not run", message) &&
           add_needed(json_array_get(checks, json_array_size(checks) - 1), failed);
}

/* A check's process leaves the check out only where it would call again what hung in an earlier one. */
static bool add_hang(const grading_result *result, json_t *entry)
{
    const json_t *earlier;
    size_t index;
    if (strcmp(result_string(entry, "status"), "not run") != 0) return true;
    json_array_foreach(result->checks, index, earlier)
    {
        if (strcmp(result_string(earlier, "kind"), "timeout") == 0) return add_needed(entry, earlier);
    }
    return true;
}

/* Enters why the check's process gave no result, in one sentence, with its last words. */
static bool append_fault(grading_result *result, const json_t *check, const subprocess_result *ended, const char *why)
{
    text_buffer message = {0};
    const char *words = ended->errors;
    size_t bytes = ended->error_bytes, most = 500;
    if (bytes > most) words += bytes - most;
    char *clean = text_clean_line(words, bytes > most ? most : bytes);
    text_format(&message, "the check %s %s", result_string(check, "name"), why);
    if (clean && *clean) text_format(&message, "; it said: %s", clean);
    bool ok = clean && !message.failed && evidence_append_without(result->checks, check, "grader fault", message.text);
    free(clean);
    free(message.text);
    return ok;
}

/* What is wrong with the end of the check's process; NULL if it ended as a check ends. */
static const char *wrong_end(const subprocess_result *ended, const json_t *evidence, const json_t *entry,
                             const char *name)
{
    if (ended->event == SUBPROCESS_DEADLINE) return "did not end";
    if (ended->exit.signal == SIGXCPU)
        return "computes for longer than a check may, which is no fault of the program's";
    if (ended->event == SUBPROCESS_FLOOD) return "left more evidence than can be kept";
    bool whole =
        json_is_array(json_object_get(evidence, "timings")) && json_is_array(json_object_get(evidence, "ratios"));
    if (!whole) return "left no whole evidence";
    if (strcmp(result_string(entry, "name"), name) != 0) return "left the evidence of another check";
    bool says_passed = strcmp(result_string(entry, "status"), "passed") == 0;
    if (says_passed != (ended->exit.status == 0)) return "ended otherwise than its evidence says";
    return NULL;
}

/* Replaces a text unless the new one is empty: of several checks the last one wins. */
static bool take_text(char **text, const char *next)
{
    if (!*next) return true;
    free(*text);
    *text = strdup(next);
    return *text != NULL;
}

/* Takes the record and its drawings: of the last check that has some, but the first that mark a finding of the order
 * checker stay. That check's entry then says how to see them. */
static bool take_record(grading_result *result, json_t *entry, const json_t *artifacts)
{
    const bool marked = json_integer_value(json_object_get(artifacts, "findings")) > 0;
    if (result->findings_marked) return true;
    result->findings_marked = marked;
    return take_text(&result->trace, result_string(artifacts, "trace")) &&
           take_text(&result->timeline_svg, result_string(artifacts, "timeline_svg")) &&
           take_text(&result->timeline_text, result_string(artifacts, "timeline_text")) &&
           (!marked || json_object_set_new(entry, "timeline", json_sprintf("make %s-timeline", result->lab_name)) == 0);
}

/* Keeps the record of check number `index` until it has a file. */
static bool take_own_record(grading_result *result, const char *record, size_t index)
{
    if (!*record) return true;
    char number[24];
    snprintf(number, sizeof number, "%zu", index + 1);
    if (!result->records) result->records = json_object();
    return json_object_set_new(result->records, number, json_string(record)) == 0;
}

/* Takes what programs printed: the first output of a check that failed, or else the first of all. */
static bool take_output(grading_result *result, const json_t *evidence, bool failed)
{
    const char *output = result_string(evidence, "output");
    const json_t *check;
    size_t index, failures = 0;
    json_array_foreach(result->checks, index, check) failures += strcmp(result_string(check, "status"), "failed") == 0;
    bool first_failure = failed && failures == 1;
    if (!*output || (result->output && !first_failure)) return true;
    result->output_truncated = json_is_true(json_object_get(evidence, "output_truncated"));
    return take_text(&result->output, output);
}

static bool take_hung(grading_result *result, const char *what)
{
    text_buffer hung = {0};
    if (!*what) return true;
    text_format(&hung, "%s%s%s", result->hung ? result->hung : "", result->hung ? "\n" : "", what);
    free(result->hung);
    result->hung = hung.text;
    return !hung.failed;
}

static bool take_evidence(grading_result *result, const json_t *evidence, json_t *entry, const json_t *check,
                          size_t index)
{
    const json_t *artifacts = json_object_get(evidence, "artifacts");
    bool failed = strcmp(result_string(entry, "status"), "failed") == 0;
    return add_manifest_fields(entry, check, result->lab_name, index) && add_hang(result, entry) &&
           json_array_append(result->checks, entry) == 0 &&
           json_array_extend(result->timings, json_object_get(evidence, "timings")) == 0 &&
           json_array_extend(result->ratios, json_object_get(evidence, "ratios")) == 0 &&
           take_own_record(result, result_string(evidence, "record"), index) &&
           take_hung(result, result_string(evidence, "hung")) && take_record(result, entry, artifacts) &&
           take_output(result, evidence, failed);
}

bool evidence_merge(grading_result *result, const json_t *check, size_t index, const subprocess_result *ended,
                    bool *late, grader_fault *fault)
{
    json_t *evidence = json_loadb(ended->output, ended->output_bytes, 0, NULL);
    json_t *entry = json_object_get(evidence, "check");
    const char *wrong = wrong_end(ended, evidence, entry, result_string(check, "name"));
    const bool is_late = late && !wrong && strcmp(result_string(entry, "kind"), "timeout") == 0;
    bool whole = true;
    if (is_late)
        *late = true;
    else if (wrong)
        whole = append_fault(result, check, ended, wrong);
    else
        whole = take_evidence(result, evidence, entry, check, index);
    json_decref(evidence);
    return whole || fault_memory(fault, "the result");
}
