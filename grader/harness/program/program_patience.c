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

/* Waits for at most `most` seconds. */
static subprocess_event wait_for(double most, double *left, subprocess *process, int descriptor, grader_fault *fault)
{
    const double begun = clock_seconds();
    const subprocess_event event = subprocess_wait(process, descriptor, begun + most, fault);
    const double passed = clock_seconds() - begun;
    *left -= passed;
    this_check.patience.passed += passed;
    return event;
}

subprocess_event program_await(subprocess *process, int descriptor, double *left, const char *step, grader_fault *fault)
{
    for (double more = 0;; *left += more) {
        const subprocess_event event = wait_for(*left, left, process, descriptor, fault);
        if (event != SUBPROCESS_DEADLINE || !was_starved(&more, step)) return event;
    }
}

double program_idle_seconds(void)
{
    enum { SHARE = 4, LEAST_SECONDS = 3 }; /* of the limit; a right answer waits for milliseconds */
    return fmax(this_check.limit / SHARE, LEAST_SECONDS);
}

double program_stuck_seconds(const check_program *program)
{
    return fmin(program_seconds(program), program_idle_seconds());
}

bool program_is_idle(const check_program *program) { return program->looks.idle >= PATIENCE_LOOKS; }

/* Whether something may still happen by itself: a thread has work, or the device is in a call of its own. */
static bool is_anything_busy(void)
{
    for (const check_program *each = this_check.programs; each; each = each->next) {
        if (each->process && subprocess_is_busy(each->process)) return true;
        if (each->device && subprocess_is_busy(each->device)) return true;
        if (each->own_time && own_time_of_stay(each->own_time, monotonic_ns()) > 0) return true;
    }
    return false;
}

/* Of a GPU's work the system tells nothing: there only the limit ends a call. */
static bool may_be_idle(const check_program *program)
{
    return program->in_call && !program->reference && check_is_on_cpu_device();
}

/* Waits like program_await; a call also ends when neither the program nor its device has had anything to do for as long
 * as program_idle_seconds: whatever the program waits for, it never happens. */
static subprocess_event await_with_looks(double *left, check_program *program, subprocess *process, int descriptor,
                                         const char *step, grader_fault *fault)
{
    const double apart = program_idle_seconds() / PATIENCE_LOOKS;
    while (may_be_idle(program) && *left > apart) {
        const subprocess_event event = wait_for(apart, left, process, descriptor, fault);
        if (event != SUBPROCESS_DEADLINE) return event;
        patience_look(&program->looks, apart, program_processor_time(), is_anything_busy());
        if (program_is_idle(program)) return event;
    }
    return program_await(process, descriptor, left, step, fault);
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
    const subprocess_event event = await_with_looks(left, program, process, descriptor, step, fault);
    const double took = before - *left;
    if (program->reference) this_check.reference_seconds_left -= took;
    if (!program->reference) this_check.whole_left -= took;
    if (!program->reference && program->greeted) this_check.seconds_left -= took;
    return event;
}
