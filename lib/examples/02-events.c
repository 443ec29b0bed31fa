/*
 * Events: a marker in a stream that other streams can wait for, and a moment on the device's clock.
 *
 * The second event stands for everything enqueued on its stream before it. Another stream waits for it on the device,
 * without holding the host, and only then copies the result. The time between two events is device time: it includes
 * everything between them, not only the kernel.
 */
#include "lab.h"

#include <stdio.h>

int main(void)
{
    lab_stream *work, *copies;
    lab_event *begin, *end;
    lab_array *a, *b;
    lab_expression *formula;
    long long result[10];
    float milliseconds;

    LAB_CHECK(lab_stream_create(&work, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&copies, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_event_create(&begin, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_event_create(&end, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_expression_create(&formula, "a, b", "b * a + 8", "formula"));

    LAB_WITH_STREAM(work)
    {
        LAB_CHECK(lab_array_arange(&a, LAB_INT64, 10, LAB_ARG(0), LAB_ARG(1)));
        LAB_CHECK(lab_array_arange(&b, LAB_INT64, 10, LAB_ARG(0), LAB_ARG(1)));
        LAB_CHECK(lab_event_record(begin, NULL));
        LAB_CHECK(lab_expression_apply(formula, NULL, LAB_ARGS(a, b, a)));
        LAB_CHECK(lab_event_record(end, NULL));
    }

    LAB_CHECK(lab_stream_wait_event(copies,
                                    end)); /* without this the copy could run first: nothing else orders the streams */
    LAB_CHECK(lab_array_get_async(a, result, copies));
    LAB_CHECK(
        lab_stream_synchronize(copies)); /* the copy comes after `end`: waiting for the event would be too early */

    printf("b * a + 8:");
    for (int i = 0; i < 10; i++) printf(" %lld", result[i]);
    LAB_CHECK(lab_event_elapsed_time(&milliseconds, begin, end));
    printf("\nbetween the events: %.3f ms\n", milliseconds);

    LAB_CHECK(lab_expression_destroy(formula));
    LAB_CHECK(lab_array_destroy(a));
    LAB_CHECK(lab_array_destroy(b));
    LAB_CHECK(lab_event_destroy(begin));
    LAB_CHECK(lab_event_destroy(end));
    LAB_CHECK(lab_stream_destroy(work));
    LAB_CHECK(lab_stream_destroy(copies));
    return 0;
}
