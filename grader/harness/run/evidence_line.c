/* Writes a check's evidence: one line of JSON on standard output. Only the check writes there; the program's output
 * goes elsewhere. */
#include "run/evidence_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "record/records.h"

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

static json_t *location(const check_place *at)
{
    if (!at->file && !at->function) return json_null();
    json_t *after = json_array();
    json_t *place =
        json_pack("{s:o, s:i, s:o}", "file", sentence(at->file), "line", at->line, "function", sentence(at->function));
    if (at->called_at) json_object_set_new(place, "called_at", json_integer(at->called_at));
    if (at->last_call) json_object_set_new(place, "last_call", json_integer(at->last_call));
    for (int i = CHECK_STEPS; i-- > 0;)
        if (at->after[i]) json_array_append_new(after, json_integer(at->after[i]));
    if (at->after[0]) json_object_set(place, "after", after);
    json_decref(after);
    if (at->guessed) json_object_set_new(place, "guessed", json_true());
    return place;
}

/* The two operations that nothing orders. */
static json_t *edge(const check_finding *finding)
{
    static const char *const keys[] = {"first", "second"};
    json_t *both = json_object();
    for (int i = 0; i < 2; i++) {
        json_t *side = location(&finding->pair[i].at);
        if (json_is_null(side)) side = json_object();
        json_object_set_new(side, "what", sentence(finding->pair[i].what));
        json_object_set_new(both, keys[i], side);
    }
    return both;
}

static json_t *mismatches(const check_difference *difference)
{
    json_t *list = json_array();
    for (size_t i = 0; difference && i < difference->count && i < CHECK_SHOWN_MISMATCHES; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "where", difference->shown[i].where, "expected",
                                              difference->shown[i].expected, "found", difference->shown[i].found));
    return list;
}

/* Of an ending that is no failure, the evidence has the message alone. */
static json_t *check_entry(const check_state *state, const check_ending *ending)
{
    static const check_finding nothing;
    const check_definition *definition = state->definition;
    const bool failed = ending->outcome == CHECK_FAILED, passed = ending->outcome == CHECK_PASSED;
    const check_finding *finding = failed ? &ending->finding : &nothing;
    const check_level *level = failed ? state->level : NULL;
    /* clang-format off */
    json_t *entry = json_pack("{s:s, s:i, s:i, s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:f}",
                     "name", definition->name,
                     "points", passed ? definition->points : level ? level->points : 0,
                     "max_points", definition->points,
                     "status", status_name(ending->outcome),
                     "kind", failed ? kind_name(finding->kind) : state->impossible ? "impossible time" : "",
                     "message", sentence(passed ? NULL : ending->finding.message),
                     "expected", sentence(finding->expected),
                     "found", sentence(finding->found),
                     "mismatches", mismatches(finding->difference),
                     "mismatch_count", (json_int_t)(finding->difference ? finding->difference->count : 0),
                     "cause", sentence(finding->cause),
                     "location", location(&finding->at),
                     "seconds", clock_seconds() - state->started);
    /* clang-format on */
    if (level) json_object_set_new(entry, "level", json_string(level->name));
    if (finding->pair[0].what) json_object_set_new(entry, "edge", edge(finding));
    return entry;
}

/* The record of a check for its own timeline, where one is asked for: the one that it shows, or else its last. */
static json_t *own_record(const check_state *state)
{
    if (!getenv("LAB_CHECK_RECORDS")) return json_string("");
    char *last = state->trace ? NULL : records_write_last();
    json_t *record = json_string(state->trace ? state->trace : last ? last : "");
    free(last);
    return record;
}

bool evidence_line_write(const check_state *state, const check_ending *ending)
{
    /* clang-format off */
    json_t *evidence = json_pack("{s:o, s:O, s:O, s:o, s:{s:s, s:s, s:s, s:I}, s:s, s:s, s:b}",
                                 "check", check_entry(state, ending),
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
