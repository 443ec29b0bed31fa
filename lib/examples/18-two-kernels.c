/*
 * Two kernels at once, and two in order.
 *
 * On two streams they may run at the same time. If the second needs the first's result, it waits for an event recorded
 * right after the first: not for the whole stream, which has more work, and without the host.
 */
#include "lab.h"

#include <stdio.h>

enum { COUNT = 10 };

int main(void)
{
    lab_stream *one, *two;
    lab_event *sync_point;
    lab_expression *computation, *squared_diff;
    lab_array *x, *y, *z, *first, *more, *difference;
    double result[COUNT];

    LAB_CHECK(lab_stream_create(&one, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&two, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_event_create(&sync_point, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_expression_create(&computation, "x, y, z", "sin(x) + cos(y) / sqrt(z)", "elementwise_computation"));
    LAB_CHECK(lab_expression_create(&squared_diff, "x, y", "(x - y) * (x - y)", "squared_diff"));
    LAB_CHECK(lab_array_arange(&x, LAB_FLOAT64, COUNT, LAB_ARG(0), LAB_ARG(1)));
    LAB_CHECK(lab_array_arange(&y, LAB_FLOAT64, COUNT, LAB_ARG(10), LAB_ARG(1)));
    LAB_CHECK(lab_array_arange(&z, LAB_FLOAT64, COUNT, LAB_ARG(20), LAB_ARG(1)));
    LAB_CHECK(lab_array_empty(&first, LAB_FLOAT64, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_array_empty(&more, LAB_FLOAT64, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_array_empty(&difference, LAB_FLOAT64, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_device_synchronize()); /* both streams can use the inputs now */

    /* Unrelated: nothing orders them. */
    LAB_CHECK(lab_expression_apply(computation, one, LAB_ARGS(x, y, z, first)));
    LAB_CHECK(lab_expression_apply(squared_diff, two, LAB_ARGS(y, z, difference)));
    LAB_CHECK(lab_array_get_async(difference, result, two));
    LAB_CHECK(lab_stream_synchronize(two));
    printf("unrelated: %.4f ... %.4f\n", result[0], result[COUNT - 1]);

    /* The second needs the first's result, and runs next to the third. */
    LAB_CHECK(lab_expression_apply(computation, one, LAB_ARGS(x, y, z, first)));
    LAB_CHECK(lab_event_record(sync_point, one));
    LAB_CHECK(lab_expression_apply(computation, one, LAB_ARGS(z, y, x, more)));
    LAB_CHECK(lab_stream_wait_event(two, sync_point));
    LAB_CHECK(lab_expression_apply(squared_diff, two, LAB_ARGS(first, y, difference)));
    LAB_CHECK(lab_array_get_async(difference, result, two));
    LAB_CHECK(lab_stream_synchronize(two));
    printf("in order: %.4f ... %.4f\n", result[0], result[COUNT - 1]);

    lab_array *const made[] = {x, y, z, first, more, difference};
    for (int k = 0; k < 6; k++) LAB_CHECK(lab_array_destroy(made[k]));
    LAB_CHECK(lab_expression_destroy(computation));
    LAB_CHECK(lab_expression_destroy(squared_diff));
    LAB_CHECK(lab_event_destroy(sync_point));
    LAB_CHECK(lab_stream_destroy(one));
    LAB_CHECK(lab_stream_destroy(two));
    return 0;
}
