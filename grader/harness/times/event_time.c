/* The time between two events, as the record knows it; see check.h. */
#include "check_state.h"

#include <string.h>

check_bounds check_event_time(const lab_trace_op *start, const lab_trace_op *end)
{
    return (check_bounds){(double)(end->start_ns - start->end_ns) / 1e6, (double)(end->end_ns - start->start_ns) / 1e6};
}

bool check_is_event_time(double measured, check_bounds recorded)
{
    /* A GPU's events count in steps of about 0.5 us, and each of the four moments is known to such a step. */
    const double step = strcmp(check_device()->kind, "cuda") == 0 ? 0.01 : 0.002;
    const double slack = step + 1e-5 * recorded.high;
    return measured >= recorded.low - slack && measured <= recorded.high + slack;
}

void check_reports_event_time(double measured, check_bounds recorded, const char *function, check_finding finding)
{
    if (check_is_event_time(measured, recorded)) return;
    finding.kind = CHECK_WRONG_RESULT;
    finding.expected = check_text("%s, as recorded", check_bounds_text(recorded));
    finding.found = check_text("%.4f ms", measured);
    if (!finding.cause) finding.at = check_at_name(check_text("lab_event_elapsed_time in %s", function));
    if (measured < 0 && !finding.cause)
        finding.cause = "the two events are the wrong way round: the earlier one comes first";
    check_fail_with(finding);
}

const char *check_bounds_text(check_bounds time)
{
    return time.low == time.high ? check_text("%.4f ms", time.high)
                                 : check_text("from %.4f to %.4f ms", time.low, time.high);
}
