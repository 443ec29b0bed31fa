/* The current stream at each step of a call of lab 01; see checks_current.h. */
#include "checks_current.h"

#include <stdio.h>

static void take_mark(currents *seen, const lab_trace_op *mark)
{
    int number, length = 0;
    if (sscanf(mark->name, LAB01_AFTER_MARK, &number) == 1) {
        seen->after = mark->stream;
        seen->returned = number;
    }
    if (sscanf(mark->name, LAB01_STEP_MARK "%n", &number, &length) != 1) return;
    if (mark->name[length]) seen->strange = true;
    if (seen->calls < LAB01_STEPS) {
        seen->step[seen->calls] = number;
        seen->current[seen->calls] = mark->stream;
        seen->by_scope += mark->bytes == 1;
    }
    seen->calls++;
}

currents watch(check_program *program, const char *function, lab01_failure failure)
{
    check_trace_begin(program);
    check_call(program, function, &failure, sizeof failure, NULL, 0);
    const lab_trace *trace = check_trace(program);
    currents seen = {
        .before = check_mark(trace, LAB01_BEFORE_MARK)->stream,
        .given = {check_mark(trace, LAB01_FIRST_MARK)->stream, check_mark(trace, LAB01_SECOND_MARK)->stream}};
    const bool distinct =
        seen.before != seen.given[0] && seen.before != seen.given[1] && seen.given[0] != seen.given[1];
    CHECK_THAT(distinct, CHECK_RULE, check_text("%s did not get its streams", function));
    for (size_t i = 0; i < trace->ops; i++)
        if (trace->op[i].kind == LAB_OP_MARK) take_mark(&seen, &trace->op[i]);
    return seen;
}

/* The name of a stream in the words of the task. */
static const char *stream_name(const currents *seen, uint64_t id)
{
    if (id == seen->given[0]) return "the first stream";
    if (id == seen->given[1]) return "the second stream";
    if (id == seen->before) return "the stream from before";
    return id == 0 ? "none" : "another stream";
}

static const char *step_name(int number)
{
    static const char *const names[LAB01_STEPS] = {"step 1", "step 2", "step 3"};
    return number >= 1 && number <= LAB01_STEPS ? names[number - 1] : "a step that there is not";
}

void check_steps(const currents *seen, int steps, bool failed, const char *function)
{
    static const int given[LAB01_STEPS] = {0, 1, 0};
    const char *cause = seen->calls ? NULL : check_text("no step is called: is %s written yet?", function);
    for (int k = 0; k < steps; k++) {
        CHECK_THAT(k < seen->calls && seen->step[k] == k + 1, CHECK_WRONG_RESULT,
                   check_text("%s does not call step %d%s", function, k + 1, k ? " next" : " first"),
                   .expected = check_text("call %d: step %d", k + 1, k + 1),
                   .found = check_text("call %d: %s", k + 1, k < seen->calls ? step_name(seen->step[k]) : "none"),
                   .cause = cause);
        CHECK_THAT(seen->current[k] == seen->given[given[k]], CHECK_WRONG_RESULT,
                   check_text("%s does not have the right stream current", function),
                   .expected = check_text("in step %d: %s", k + 1, stream_name(seen, seen->given[given[k]])),
                   .found = check_text("in step %d: %s", k + 1, stream_name(seen, seen->current[k])));
    }
    CHECK_THAT(seen->calls == steps, CHECK_WRONG_RESULT, check_text("%s goes on after step %d", function, steps),
               .expected = check_text("%d call%s of a step", steps, steps == 1 ? "" : "s"),
               .found = check_text("%d", seen->calls),
               .cause =
                   failed
                       ? check_text("the status of step %d is not looked at: LAB_TRY(step.call(...)) returns it", steps)
                       : NULL);
    CHECK_THAT(!seen->strange, CHECK_WRONG_RESULT, check_text("%s does not pass step.user to the step", function),
               .expected = "step.call(step.user, ...)", .found = "another pointer than step.user");
}

void check_manner(const currents *seen, bool scopes, const char *function)
{
    const char *asked = scopes ? "LAB_WITH_STREAM" : "lab_stream_use";
    CHECK_THAT(seen->by_scope == (scopes ? seen->calls : 0), CHECK_RULE,
               check_text("%s is to do it with %s", function, asked),
               .expected = check_text("%s makes the streams current", asked),
               .found = check_text("%s does, in %d of %d steps", scopes ? "lab_stream_use" : "LAB_WITH_STREAM",
                                   scopes ? seen->calls - seen->by_scope : seen->by_scope, seen->calls),
               .cause = check_text("this task is about %s; the other one is about the other way", asked));
}

void check_returned(const currents *seen, lab01_failure failure, const char *function, const char *cause)
{
    CHECK_THAT(seen->returned == failure.status, CHECK_WRONG_RESULT,
               failure.step
                   ? check_text("%s does not return the status of step %d, which failed", function, failure.step)
                   : check_text("%s fails although no step does", function),
               .expected = check_text("status %s", lab_status_name((lab_status)failure.status)),
               .found = check_text("status %s", lab_status_name((lab_status)seen->returned)), .cause = cause);
}

void check_after(const currents *seen, const char *function, const char *cause)
{
    CHECK_THAT(seen->after == seen->before, CHECK_RULE,
               check_text("%s leaves another stream current than it found", function),
               .expected = "afterwards: the stream from before",
               .found = check_text("afterwards: %s", stream_name(seen, seen->after)), .cause = cause);
}
