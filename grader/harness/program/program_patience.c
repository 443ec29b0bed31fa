/* How long the check waits for its programs on a machine that others use too; see program.h. */
#include "program/program.h"

#include "base/clock.h"
#include "base/monotonic.h"

#include <math.h>

/* What the programs and device processes that still run had. */
static processor_time time_of_running(void)
{
    processor_time sum = {0};
    for (const check_program *each = this_check.programs; each; each = each->next) {
        if (each->process) sum = processor_time_sum(sum, subprocess_processor_time(each->process));
        if (each->device) sum = processor_time_sum(sum, subprocess_processor_time(each->device));
    }
    return sum;
}

/* How long the device processes have been at work on their own. */
static double device_time(void)
{
    double sum = this_check.device_time;
    for (const check_program *each = this_check.programs; each; each = each->next)
        if (each->own_time) sum += (double)own_time_of_all(each->own_time, monotonic_ns()) / 1e9;
    return sum;
}

processor_time program_processor_time(void) { return processor_time_sum(this_check.patience.ended, time_of_running()); }

bool program_end_process(subprocess *process, subprocess_exit *ended, grader_fault *fault)
{
    processor_time *gone = &this_check.patience.ended;
    if (process) *gone = processor_time_sum(*gone, subprocess_processor_time(process));
    return subprocess_end(process, ended, fault);
}

/* Whether the programs were not given what the time that has passed gives them; they are to have so many seconds more.
 */
static bool was_starved(double *more, const char *step)
{
    this_check.patience.device = device_time();
    const patience_answer answer = patience_ask(&this_check.patience, more, time_of_running());
    const processor_time own = program_processor_time();
    if (answer == PATIENCE_BUSY)
        check_fault("the machine is busy: %s did not end, because the program and its device had a processor for %.1f "
                    "seconds and waited %.1f seconds for one that others had; the device was at work on its own for "
                    "%.1f seconds",
                    step, own.used, own.waited, this_check.patience.device);
    return answer == PATIENCE_MORE;
}

subprocess_event program_await(subprocess *process, int descriptor, double *left, const char *step, grader_fault *fault)
{
    for (double more = 0;; *left += more) {
        const double begun = clock_seconds();
        const subprocess_event event = subprocess_wait(process, descriptor, begun + *left, fault);
        const double passed = clock_seconds() - begun;
        *left -= passed;
        this_check.patience.passed += passed;
        if (event != SUBPROCESS_DEADLINE || !was_starved(&more, step)) return event;
    }
}

/* The reference has time of its own. A student's program that leaves little time must not make the reference late,
 * which would be a fault of the grader. */
double program_whole_seconds(const check_program *program)
{
    return program->reference ? this_check.reference_seconds_left : this_check.whole_left;
}

double program_seconds(const check_program *program)
{
    const double whole = program_whole_seconds(program);
    return program->reference ? whole : fmin(this_check.limit, whole);
}

void program_time_is_up(const check_program *program)
{
    double *whole = program->reference ? &this_check.reference_seconds_left : &this_check.whole_left;
    *whole = 1;
}

subprocess_event program_await_answer(double *left, check_program *program, subprocess *process, int descriptor,
                                      const char *step, grader_fault *fault)
{
    const double before = *left;
    const subprocess_event event = program_await(process, descriptor, left, step, fault);
    const double took = before - *left;
    if (program->reference) this_check.reference_seconds_left -= took;
    if (!program->reference) this_check.whole_left -= took;
    if (!program->reference && program->greeted) this_check.seconds_left -= took;
    return event;
}
