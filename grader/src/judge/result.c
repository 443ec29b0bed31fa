/* Concluding and writing results; see result.h. */
#include "result.h"

#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/text.h"

const char *result_verdict_name(result_verdict verdict)
{
    static const char *const names[] = {
#define RESULT_NAME(name, text) text,
        RESULT_VERDICT_TABLE(RESULT_NAME)
#undef RESULT_NAME
    };
    return names[verdict];
}

result_verdict result_verdict_named(const char *name)
{
    int verdict = 0;
    while (verdict < RESULT_VERDICTS && strcmp(name, result_verdict_name((result_verdict)verdict)) != 0) verdict++;
    return (result_verdict)verdict;
}

bool result_verdict_is_failure(result_verdict verdict)
{
    return verdict >= RESULT_WRONG_RESULT && verdict <= RESULT_FAILED;
}

const char *result_string(const json_t *entry, const char *field)
{
    const char *text = json_string_value(json_object_get(entry, field));
    return text ? text : "";
}

int result_integer(const json_t *entry, const char *field)
{
    return (int)json_integer_value(json_object_get(entry, field));
}

const json_t *result_first_failure(const grading_result *result)
{
    const json_t *check;
    size_t index;
    json_array_foreach(result->checks, index, check)
    {
        if (strcmp(result_string(check, "status"), "failed") == 0) return check;
    }
    return NULL;
}

/* ---- from checks to a verdict ---------------------------------------------------------------------------------- */

/* The verdict that a result has by one check alone. */
static result_verdict verdict_by(const json_t *check)
{
    const char *status = result_string(check, "status"), *kind = result_string(check, "kind");
    if (strcmp(status, "grader fault") == 0) return RESULT_GRADER_FAULT;
    if (strcmp(status, "passed") == 0) return RESULT_PASSED;
    if (strcmp(status, "not measured") == 0) return RESULT_NOT_MEASURED;
    result_verdict verdict = result_verdict_named(kind);
    return verdict >= RESULT_CRASH && verdict <= RESULT_LEAK ? verdict : RESULT_FAILED;
}

/* Names the level of a check that failed after reaching one. */
static void add_level(text_buffer *summary, const json_t *check)
{
    const char *level = result_string(check, "level");
    if (*level)
        text_format(summary, " (reached: %s, %d of %d points)", level, result_integer(check, "points"),
                    result_integer(check, "max_points"));
}

static bool write_summary(grading_result *result, size_t passed, const json_t *decisive, grader_fault *fault)
{
    size_t count = json_array_size(result->checks);
    text_buffer summary = {0};
    switch (result->verdict) {
    case RESULT_PASSED:
        if (passed == count)
            text_format(&summary, "all %zu checks passed", count);
        else
            text_format(&summary, "all required checks passed, %zu of %zu", passed, count);
        break;
    case RESULT_GRADER_FAULT: text_format(&summary, "not graded: %s", result_string(decisive, "message")); break;
    case RESULT_WRONG_RESULT:
    case RESULT_RACE_SUSPECTED:
    case RESULT_LEAK:
    case RESULT_FAILED:
        text_format(&summary, "%zu of %zu checks passed; first failure: \"%s\"", passed, count,
                    result_string(decisive, "title"));
        add_level(&summary, decisive);
        break;
    case RESULT_NOT_MEASURED:
        text_format(&summary, "%zu of %zu checks passed; \"%s\" was not measured: %s", passed, count,
                    result_string(decisive, "title"), result_string(decisive, "message"));
        break;
    default:
        text_format(&summary, "%s (%zu of %zu checks passed)", result_string(decisive, "message"), passed, count);
        break;
    }
    free(result->summary);
    result->summary = summary.text;
    return !summary.failed || fault_memory(fault, "a summary");
}

bool result_is_extra(const json_t *check) { return json_is_true(json_object_get(check, "extra")); }

static bool is_impossible(const json_t *check) { return strcmp(result_string(check, "kind"), "impossible time") == 0; }

bool result_conclude(grading_result *result, grader_fault *fault)
{
    const json_t *check, *decisive = NULL;
    size_t index, passed = 0;
    result->verdict = RESULT_PASSED;
    result->points = 0;
    json_array_foreach(result->checks, index, check)
    {
        result_verdict verdict = verdict_by(check);
        passed += verdict == RESULT_PASSED;
        result->points += result_integer(check, "points");
        if (verdict == RESULT_NOT_MEASURED && !is_impossible(check))
            result->max_points -= result_integer(check, "max_points");
        /* Of several failures the first counts, of other verdicts the worst. */
        bool later = result_verdict_is_failure(verdict) && result_verdict_is_failure(result->verdict);
        bool decides = verdict == RESULT_GRADER_FAULT || !result_is_extra(check);
        if (verdict < result->verdict && !later && decides) {
            result->verdict = verdict;
            decisive = check;
        }
    }
    return write_summary(result, passed, decisive, fault);
}

/* ---- root causes ------------------------------------------------------------------------------------------------ */

static bool is(const json_t *check, const char *field, const char *value)
{
    return strcmp(result_string(check, field), value) == 0;
}

/* The length of a message without the schedule under which its check ran. */
static size_t plain_length(const char *message)
{
    const char *schedule = strstr(message, " (under LAB_SCHEDULE=");
    return schedule ? (size_t)(schedule - message) : strlen(message);
}

static bool same_message(const json_t *one, const json_t *other)
{
    const char *message = result_string(one, "message"), *again = result_string(other, "message");
    const size_t length = plain_length(message);
    return length > 0 && plain_length(again) == length && strncmp(message, again, length) == 0;
}

static bool same_text(const json_t *one, const json_t *other, const char *field)
{
    return *result_string(one, field) && is(one, field, result_string(other, field));
}

/* Whether both have numbers that differ, and neither knows why. */
static bool lack_a_cause(const json_t *one, const json_t *other)
{
    return result_integer(one, "mismatch_count") > 0 && result_integer(other, "mismatch_count") > 0 &&
           !*result_string(one, "cause") && !*result_string(other, "cause");
}

static bool is_unwritten(const json_t *check) { return json_is_true(json_object_get(check, "unwritten")); }

static bool same_root(const json_t *one, const json_t *other)
{
    const json_t *edge = json_object_get(one, "edge"), *at = json_object_get(one, "location");
    const json_t *other_edge = json_object_get(other, "edge");
    if (edge || other_edge) return edge && other_edge && json_equal(edge, other_edge);
    if (!json_equal(at, json_object_get(other, "location"))) return false;
    if (json_is_object(at) && is_unwritten(one) && is_unwritten(other)) return true;
    if (!is(one, "kind", result_string(other, "kind"))) return false;
    if (same_message(one, other) || same_text(one, other, "cause")) return true;
    const bool is_known = json_is_object(at) && !json_object_get(at, "guessed");
    return is_known && (same_text(one, other, "found") || lack_a_cause(one, other));
}

static const char *noun_of(const json_t *check)
{
    if (is_unwritten(check)) return "unwritten part";
    if (json_object_get(check, "edge")) return "missing order";
    if (is(check, "kind", "leak")) return "leak";
    if (is(check, "kind", "crash")) return "crash";
    if (is(check, "kind", "timeout")) return "hang";
    return "mistake";
}

static const json_t *check_named(const json_t *checks, const char *name)
{
    const json_t *check;
    size_t index;
    json_array_foreach(checks, index, check)
    {
        if (is(check, "name", name)) return check;
    }
    return NULL;
}

/* The root of check number `index`, by those before it; NULL for a check that no mistake keeps from passing. */
static const char *find_root(const json_t *checks, size_t index)
{
    const json_t *check = json_array_get(checks, index);
    if (is(check, "status", "not run")) {
        const json_t *failed = check_named(checks, result_string(check, "needs"));
        return failed ? json_string_value(json_object_get(failed, "root")) : NULL;
    }
    if (!is(check, "status", "failed")) return NULL;
    for (size_t i = 0; i < index; i++) {
        const json_t *earlier = json_array_get(checks, i);
        if (result_tells_root(earlier) && same_root(earlier, check)) return result_string(earlier, "name");
    }
    return result_string(check, "name");
}

bool result_mark_roots(json_t *checks)
{
    json_t *check;
    size_t index;
    json_array_foreach(checks, index, check)
    {
        json_object_del(check, "root");
        json_object_del(check, "mistake");
        const char *root = find_root(checks, index);
        if (root && json_object_set_new(check, "root", json_string(root)) != 0) return false;
        if (result_tells_root(check) && json_object_set_new(check, "mistake", json_string(noun_of(check))) != 0)
            return false;
    }
    return true;
}

bool result_tells_root(const json_t *check)
{
    return is(check, "status", "failed") && is(check, "root", result_string(check, "name"));
}

root_cost result_root_cost(const json_t *checks, const json_t *check)
{
    root_cost cost = {0};
    const json_t *other;
    size_t index;
    json_array_foreach(checks, index, other)
    {
        if (!*result_string(other, "root") || !is(other, "root", result_string(check, "root"))) continue;
        cost.checks++;
        cost.points += result_integer(other, "max_points") - result_integer(other, "points");
    }
    return cost;
}

/* ---- the schema ------------------------------------------------------------------------------------------------ */

static const char *text_or_empty(const char *text) { return text ? text : ""; }

/* Decimal text: a JSON number loses digits in readers that use doubles. */
static json_t *seed_json(const grading_result *result)
{
    if (result->seed_secret) return json_null();
    return json_sprintf("%llu", (unsigned long long)result->seed);
}

/* What a person should look at, one sentence each. */
static json_t *review_json(const grading_result *result)
{
    json_t *list = json_array();
    const json_t *check;
    size_t index;
    json_array_foreach(result->checks, index, check)
    {
        if (!is_impossible(check)) continue;
        json_t *sentence = json_sprintf("%s: %s", result_string(check, "title"), result_string(check, "message"));
        if (json_array_append_new(list, sentence) == 0) continue;
        json_decref(list);
        return NULL;
    }
    return list;
}

json_t *result_json(const grading_result *result)
{
    const device_info *device = &result->device;
    /* clang-format off */
    return json_pack("{s:s, s:{s:s, s:s}, s:{s:s, s:s, s:s}, s:{s:s, s:s, s:i}, s:s, s:f, s:o, s:s, s:s, s:i, s:i, "
                     "s:{s:b, s:f, s:s}, s:O, s:O, s:O, s:{s:s, s:s, s:s}, s:s, s:b, s:o}",
                     "schema", "lab-result/1",
                     "lab", "name", text_or_empty(result->lab_name), "title", text_or_empty(result->lab_title),
                     "submission", "name", text_or_empty(result->submission), "file", text_or_empty(result->file),
                     "directory", text_or_empty(result->directory),
                     "device", "kind", device->kind, "name", device->name, "multiprocessors", device->multiprocessors,
                     "started", result->started,
                     "seconds", result->seconds,
                     "seed", seed_json(result),
                     "verdict", result_verdict_name(result->verdict),
                     "summary", text_or_empty(result->summary),
                     "points", result->points,
                     "max_points", result->max_points,
                     "build", "ok", result->build_ok, "seconds", result->build_seconds,
                              "messages", text_or_empty(result->build_messages),
                     "checks", result->checks,
                     "timings", result->timings,
                     "ratios", result->ratios,
                     "artifacts", "trace", text_or_empty(result->trace),
                                  "timeline_svg", text_or_empty(result->timeline_svg),
                                  "timeline_text", text_or_empty(result->timeline_text),
                     "output", text_or_empty(result->output),
                     "output_truncated", result->output_truncated,
                     "review", review_json(result));
    /* clang-format on */
}

bool result_write(const grading_result *result, const char *path, grader_fault *fault)
{
    json_t *json = result_json(result);
    char *text = json ? json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) : NULL;
    bool ok = text ? folder_write(path, text, strlen(text), fault) : fault_memory(fault, path);
    free(text);
    json_decref(json);
    return ok;
}

void result_free(grading_result *result)
{
    char *texts[] = {result->lab_name,     result->lab_title,      result->submission, result->file,
                     result->directory,    result->summary,        result->trace,      result->output,
                     result->timeline_svg, result->build_messages, result->open_tasks, result->timeline_text,
                     result->hung};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    json_decref(result->checks);
    json_decref(result->timings);
    json_decref(result->ratios);
    json_decref(result->records);
    *result = (grading_result){0};
}
