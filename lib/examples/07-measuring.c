/*
 * Measuring work that runs while the host goes on.
 *
 * A launch returns when the work is enqueued. The host's clock around it shows the cost of enqueuing, not of the work.
 * Wait before you stop the clock, or measure device time with two events. The first run does not count: it includes
 * one-time costs (see 15-one-time-overheads.c).
 */
#include "arrays.h"

/* Makes an array of ones, as numpy.ones and cupy.ones do. */
static lab_array *ones(void)
{
    lab_array *array;
    LAB_CHECK(lab_array_ones(&array, LAB_FLOAT64, LAB_SHAPE(100, 100, 200)));
    return array;
}

int main(void)
{
    lab_event *start, *end;
    lab_array *total;
    float on_device;
    double sum;
    LAB_CHECK(lab_event_create(&start, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_event_create(&end, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_array_destroy(ones())); /* warms up */
    LAB_CHECK(lab_device_synchronize());

    LAB_CHECK(lab_event_record(start, NULL));
    const double begin = host_clock();
    lab_array *array = ones();
    const double enqueued = host_clock();
    LAB_CHECK(lab_event_record(end, NULL));
    LAB_CHECK(lab_event_synchronize(end));
    const double done = host_clock();
    LAB_CHECK(lab_event_elapsed_time(&on_device, start, end));

    printf("host's clock, not waiting: %.3f ms (only what enqueuing costs)\n", enqueued - begin);
    printf("host's clock, waiting: %.3f ms\n", done - begin);
    printf("device's events: %.3f ms\n", on_device);

    LAB_CHECK(lab_array_empty(&total, LAB_FLOAT64, LAB_SHAPE(1)));
    LAB_CHECK(lab_array_sum(total, array, NULL));
    LAB_CHECK(lab_array_get_item(total, 0, &sum));
    printf("sum of the ones: %.0f\n", sum);

    LAB_CHECK(lab_array_destroy(array));
    LAB_CHECK(lab_array_destroy(total));
    LAB_CHECK(lab_event_destroy(start));
    LAB_CHECK(lab_event_destroy(end));
    return 0;
}
