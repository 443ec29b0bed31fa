/* How long the check waits for its programs on a machine that others use too; see program.h. */
#include "program.h"

#include "base/clock.h"

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
    const patience_answer answer = patience_ask(&this_check.patience, more, time_of_running());
    const processor_time own = program_processor_time();
    if (answer == PATIENCE_BUSY)
        check_fault("the machine is busy: %s did not end, because the program and its device had a processor for %.1f "
                    "seconds and waited %.1f seconds for one that others had",
                    step, own.used, own.waited);
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
