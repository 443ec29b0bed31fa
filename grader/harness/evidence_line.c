/* Writes a check's evidence: one line of JSON on standard output. Only the check writes there; the program's output
 * goes elsewhere. */
#include "check_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

static const char *kind_name(check_kind kind)
{
    switch (kind) {
    case CHECK_WRONG_RESULT: return "wrong result";
    case CHECK_RACE_SUSPECTED: return "race suspected";
    case CHECK_LEAK: return "leak";
    case CHECK_RULE: return "rule";
    case CHECK_CRASH: return "crash";
    case CHECK_TIMEOUT: return "timeout";
    case CHECK_OUTPUT_FLOOD: return "output flood";
    case CHECK_RECORD_FLOOD: return "record flood";
    case CHECK_MEMORY: return "memory";
    }
    return "";
}

static const char *status_name(check_outcome outcome)
{
    switch (outcome) {
    case CHECK_PASSED: return "passed";
    case CHECK_FAILED: return "failed";
    case CHECK_NOT_RUN: return "not run";
    case CHECK_NOT_MEASURED: return "not measured";
    case CHECK_FAULTED: return "grader fault";
    }
    return "grader fault";
}

/* A sentence, cleaned because it may quote the program; "" for NULL. NULL if memory runs out. */
static json_t *sentence(const char *text)
{
    char *clean = text ? text_clean(text, strlen(text)) : strdup("");
    json_t *string = clean ? json_string(clean) : NULL;
    free(clean);
    return string;
}

static json_t *location(const check_state *state)
{
    if (!state->location_file && !state->location_function) return json_null();
    json_t *after = json_array();
    json_t *place = json_pack("{s:o, s:i, s:o}", "file", sentence(state->location_file), "line", state->location_line,
                              "function", sentence(state->location_function));
    if (state->called_at) json_object_set_new(place, "called_at", json_integer(state->called_at));
    if (state->last_call) json_object_set_new(place, "last_call", json_integer(state->last_call));
    for (int i = CHECK_STEPS; i-- > 0;)
        if (state->after[i]) json_array_append_new(after, json_integer(state->after[i]));
    if (state->after[0]) json_object_set(place, "after", after);
    json_decref(after);
    if (state->guessed) json_object_set_new(place, "guessed", json_true());
    return place;
}

static json_t *check_entry(const check_state *state)
{
    const check_definition *definition = state->definition;
    bool failed = state->outcome == CHECK_FAILED, passed = state->outcome == CHECK_PASSED;
    const check_level *level = failed ? state->level : NULL;
    /* clang-format off */
    json_t *entry = json_pack("{s:s, s:i, s:i, s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:f}",
                     "name", definition->name,
                     "points", passed ? definition->points : level ? level->points : 0,
                     "max_points", definition->points,
                     "status", status_name(state->outcome),
                     "kind", failed ? kind_name(state->kind) : state->impossible ? "impossible time" : "",
                     "message", sentence(passed ? NULL : state->message),
                     "expected", sentence(failed ? state->expected : NULL),
                     "found", sentence(failed ? state->found : NULL),
                     "mismatches", failed ? json_incref(state->mismatches) : json_array(),
                     "mismatch_count", (json_int_t)(failed ? state->mismatch_count : 0),
                     "cause", sentence(failed ? state->cause : NULL),
                     "location", failed ? location(state) : json_null(),
                     "seconds", clock_seconds() - state->started);
    /* clang-format on */
    if (level) json_object_set_new(entry, "level", json_string(level->name));
    return entry;
}

/* The record of a check for its own timeline, where one is asked for: the one that it shows, or else its last. */
static json_t *own_record(const check_state *state)
{
    if (!getenv("LAB_CHECK_RECORDS")) return json_string("");
    char *last = !state->trace && state->write_record ? state->write_record() : NULL;
    json_t *record = json_string(state->trace ? state->trace : last ? last : "");
    free(last);
    return record;
}

bool evidence_line_write(const check_state *state)
{
    /* clang-format off */
    json_t *evidence = json_pack("{s:o, s:O, s:O, s:o, s:{s:s, s:s, s:s, s:I}, s:s, s:s, s:b}",
                                 "check", check_entry(state),
                                 "timings", state->timings,
                                 "ratios", state->ratios,
                                 "record", own_record(state),
                                 "artifacts",
                                 "trace", state->trace ? state->trace : "",
                                 "timeline_svg", state->timeline_svg ? state->timeline_svg : "",
                                 "timeline_text", state->timeline_text ? state->timeline_text : "",
                                 "findings", (json_int_t)state->findings,
                                 "hung", state->hung ? state->hung : "",
                                 "output", state->output ? state->output : "",
                                 "output_truncated", state->output_truncated);
    /* clang-format on */
    char *line = evidence ? json_dumps(evidence, JSON_COMPACT) : NULL;
    bool written = line && fprintf(stdout, "%s\n", line) > 0 && fflush(stdout) == 0;
    free(line);
    json_decref(evidence);
    return written;
}
