/* A right answer: pragmas, goto, statement expressions, own macros, prints left in; what fails says so and cleans up. */
#include "lab03.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC optimize("O2")

#define S(k) (work->stream[(k) % work->streams])
#define CHECKED(call)                                                                                                  \
    ({                                                                                                                 \
        lab_status s_ = (call);                                                                                        \
        if (__builtin_expect(s_ != LAB_SUCCESS, 0)) {                                                                  \
            fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call, lab_error_message(), strerror(errno));  \
            status = s_;                                                                                               \
            goto failed;                                                                                               \
        }                                                                                                              \
        (void)0;                                                                                                       \
    })
#define LAUNCH(k, s)                                                                                                   \
    lab_launch(work->advance, LAB03_GRID, LAB03_BLOCK, 0, s,                                                           \
               LAB_ARGS(work->device[k], work->length, work->rate[k], work->steps))

lab_status lab03_serial(const lab03_work *work)
{
    lab_status status = LAB_SUCCESS;
    for (unsigned k = 0; k < work->arrays; k++) {
        CHECKED(lab_array_set(work->device[k], work->input[k]));
        CHECKED(LAUNCH(k, lab_stream_null()));
        CHECKED(lab_array_get(work->device[k], work->output[k]));
    }
failed:
    return status;
}

lab_status lab03_open(lab03_work *work)
{
    lab_status status = LAB_SUCCESS;
    int s = 0;
    for (; s < work->streams; s++) CHECKED(lab_stream_create(&work->stream[s], LAB_STREAM_NON_BLOCKING));
    return status;
failed:
    while (s-- > 0) lab_stream_destroy(work->stream[s]);
    return status;
}

lab_status lab03_close(lab03_work *work)
{
    lab_status status = LAB_SUCCESS;
#pragma GCC unroll 4
    for (int s = 0; s < work->streams; s++) CHECKED(lab_stream_destroy(work->stream[s]));
failed:
    return status;
}

static lab_status finish(const lab03_work *work)
{
    lab_status status = LAB_SUCCESS;
#pragma GCC ivdep
    for (int s = work->streams - 1; s >= 0; s--) CHECKED(lab_stream_synchronize(work->stream[s]));
failed:
    return status;
}

lab_status lab03_depth_first(const lab03_work *work)
{
    lab_status status = LAB_SUCCESS;
    clock_t fork = clock(); /* the time before: no fork(), no asm */
    int k = 0;
again:
    if (k == work->arrays) goto wait;
    CHECKED(lab_array_set_async(work->device[k], work->input[k], S(k)));
    CHECKED(LAUNCH(k, S(k)));
    CHECKED(lab_array_get_async(work->device[k], work->output[k], S(k)));
    k++;
    goto again;
wait:
    CHECKED(finish(work));
    printf("depth first: %d arrays, %.3f s of the processor\n", k, (double)(clock() - fork) / CLOCKS_PER_SEC);
failed:
    return status;
}

lab_status lab03_breadth_first(const lab03_work *work)
{
    lab_status status = LAB_SUCCESS;
    for (int system = 0; system < 3 * work->arrays; system++) {
        const int k = system % work->arrays;
        switch (system / work->arrays) {
        case 0: CHECKED(lab_array_set_async(work->device[k], work->input[k], S(k))); break;
        case 1: CHECKED(LAUNCH(k, S(k))); break;
        case 2: CHECKED(lab_array_get_async(work->device[k], work->output[k], S(k))); break;
        default: assert(!"reached");
        }
    }
    CHECKED(finish(work));
failed:
    return status;
}

lab_status lab03_pin(const lab03_work *work)
{
    lab_status status = LAB_SUCCESS;
    for (int k = 0; k < work->arrays; k++) CHECKED(lab_host_register(work->input[k], work->bytes));
    for (int k = 0; k < work->arrays; k++) CHECKED(lab_host_register(work->output[k], work->bytes));
failed:
    return status;
}

lab_status lab03_unpin(const lab03_work *work)
{
    lab_status status = LAB_SUCCESS;
    for (int k = 0; k < work->arrays; k++) CHECKED(lab_host_unregister(work->output[k]));
    for (int k = 0; k < work->arrays; k++) CHECKED(lab_host_unregister(work->input[k]));
failed:
    return status;
}

lab_status lab03_time_kernels(lab03_times *times, const lab03_work *work)
{
    lab_status status = LAB_SUCCESS;
    long double mean = 0, squares = 0;
    memset(work->start, 0, sizeof *work->start * (size_t)work->arrays);
    memset(work->end, 0, sizeof *work->end * (size_t)work->arrays);
    for (int k = 0; k < work->arrays; k++) {
        CHECKED(lab_event_create(&work->start[k], LAB_EVENT_DEFAULT));
        CHECKED(lab_event_create(&work->end[k], LAB_EVENT_DEFAULT));
    }
    for (int k = 0; k < work->arrays; k++) {
        CHECKED(lab_array_set_async(work->device[k], work->input[k], S(k)));
        CHECKED(lab_event_record(work->start[k], S(k)));
        CHECKED(LAUNCH(k, S(k)));
        CHECKED(lab_event_record(work->end[k], S(k)));
        CHECKED(lab_array_get_async(work->device[k], work->output[k], S(k)));
    }
    CHECKED(finish(work));
    for (int k = 0; k < work->arrays; k++) {
        CHECKED(lab_event_elapsed_time(&times->milliseconds[k], work->start[k], work->end[k]));
        long double delta = times->milliseconds[k] - mean;
        mean += delta / (k + 1);
        squares += delta * (times->milliseconds[k] - mean);
    }
    times->mean = (float)mean;
    times->deviation = (float)sqrtl(squares / work->arrays);
failed:
    for (int k = 0; k < work->arrays; k++) lab_event_destroy(work->start[k]), lab_event_destroy(work->end[k]);
    return status;
}
#pragma GCC diagnostic pop
