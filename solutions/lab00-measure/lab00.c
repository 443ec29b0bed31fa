/* Lab 00, measuring. The lesson is in README.md, the contract in lab00.h. */
#include "lab00.h"

#include <math.h>
#include <stdlib.h>

lab_status lab00_first_kernel(lab_function label, lab_array *numbers, int count)
{
    /* Task 0: count / LAB00_BLOCK, rounded up. */
    unsigned blocks = (unsigned)(count + LAB00_BLOCK - 1) / LAB00_BLOCK;
    return lab_launch(label, LAB_DIM(blocks), LAB_DIM(LAB00_BLOCK), 0, NULL,
                      LAB_ARGS(numbers, count));
}

lab_status lab00_wrong_time(double *milliseconds, const lab00_task *task)
{
    /* Task 1: clock, enqueue, clock. */
    double start = lab00_clock();
    LAB_TRY(task->enqueue(task->user));
    *milliseconds = lab00_clock() - start;
    return LAB_SUCCESS;
}

lab_status lab00_host_time(double *milliseconds, const lab00_task *task)
{
    /* Task 2: the same, with a wait in each of the two places that need one. */
    LAB_TRY(lab_stream_synchronize(task->stream));
    double start = lab00_clock();
    LAB_TRY(task->enqueue(task->user));
    LAB_TRY(lab_stream_synchronize(task->stream));
    *milliseconds = lab00_clock() - start;
    return LAB_SUCCESS;
}

lab_status lab00_device_time(float *milliseconds, const lab00_task *task)
{
    /* Task 3: two events on the stream, around the work; wait, ask, release the events. */
    lab_event *start, *end;
    LAB_TRY(lab_event_create(&start, LAB_EVENT_DEFAULT));
    LAB_TRY(lab_event_create(&end, LAB_EVENT_DEFAULT));
    LAB_TRY(lab_event_record(start, task->stream));
    LAB_TRY(task->enqueue(task->user));
    LAB_TRY(lab_event_record(end, task->stream));
    LAB_TRY(lab_event_synchronize(end));
    LAB_TRY(lab_event_elapsed_time(milliseconds, start, end));
    LAB_TRY(lab_event_destroy(start));
    LAB_TRY(lab_event_destroy(end));
    return LAB_SUCCESS;
}

/* Given: the order of two times, for qsort. */
static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Summarizes `count` times, and sorts them. */
static lab00_numbers summarize(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, by_size);
    lab00_numbers numbers = {.least = times[0], .most = times[count - 1]};
    /* Task 4: median, mean and deviation. */
    numbers.median = (times[(count - 1) / 2] + times[count / 2]) / 2;
    for (int k = 0; k < count; k++) numbers.mean += times[k] / count;
    for (int k = 0; k < count; k++) numbers.deviation += pow(times[k] - numbers.mean, 2) / count;
    numbers.deviation = sqrt(numbers.deviation);
    return numbers;
}

lab_status lab00_benchmark(lab00_result *result, const lab00_task *task, int warm_up, int repeats)
{
    double host[LAB00_MOST_REPEATS] = {0}, device[LAB00_MOST_REPEATS] = {0};
    /* Task 4: warm up, then repeat: clock around the call, events around the work, then wait. */
    lab_event *start, *end;
    LAB_TRY(lab_event_create(&start, LAB_EVENT_DEFAULT));
    LAB_TRY(lab_event_create(&end, LAB_EVENT_DEFAULT));
    for (int k = 0; k < warm_up; k++) LAB_TRY(task->enqueue(task->user));
    LAB_TRY(lab_stream_synchronize(task->stream));
    for (int k = 0; k < repeats; k++) {
        float milliseconds;
        LAB_TRY(lab_event_record(start, task->stream));
        double begin = lab00_clock();
        LAB_TRY(task->enqueue(task->user));
        host[k] = lab00_clock() - begin;
        LAB_TRY(lab_event_record(end, task->stream));
        LAB_TRY(lab_event_synchronize(end));
        LAB_TRY(lab_event_elapsed_time(&milliseconds, start, end));
        device[k] = milliseconds;
    }
    LAB_TRY(lab_event_destroy(start));
    LAB_TRY(lab_event_destroy(end));
    *result = (lab00_result){summarize(host, repeats), summarize(device, repeats)};
    return LAB_SUCCESS;
}
