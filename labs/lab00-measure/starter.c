/* Lab 00, measuring. The lesson is in README.md, the contract in lab00.h. */
#include "lab00.h"

#include <math.h>
#include <stdlib.h>

lab_status lab00_first_kernel(lab_function label, lab_array *numbers, int count)
{
    unsigned blocks = 1; /* TODO(0): one block reaches 256 numbers; how many does `count` take? */
    return lab_launch(label, LAB_DIM(blocks), LAB_DIM(LAB00_BLOCK), 0, NULL,
                      LAB_ARGS(numbers, count));
}

lab_status lab00_wrong_time(double *milliseconds, const lab00_task *task)
{
    /* TODO(1): clock, task->enqueue(task->user), clock; write the difference to *milliseconds. */
    return LAB_SUCCESS;
}

lab_status lab00_host_time(double *milliseconds, const lab00_task *task)
{
    /* TODO(2): the same, with a wait in each of the two places that need one. */
    return LAB_SUCCESS;
}

lab_status lab00_device_time(float *milliseconds, const lab00_task *task)
{
    /* TODO(3): two events on task->stream, around the work; wait, ask, release the events. */
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
    /* TODO(4): median, mean and deviation. */
    return numbers;
}

lab_status lab00_benchmark(lab00_result *result, const lab00_task *task, int warm_up, int repeats)
{
    double host[LAB00_MOST_REPEATS] = {0}, device[LAB00_MOST_REPEATS] = {0};
    /* TODO(4): warm up, then repeat: clock around the call, events around the work, then wait. */
    *result = (lab00_result){summarize(host, repeats), summarize(device, repeats)};
    return LAB_SUCCESS;
}
