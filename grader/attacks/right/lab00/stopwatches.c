/* A right answer: a stopwatch is a struct of state and functions, and each measurement is a table of what to do. */
#include "lab00.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Stopwatch Stopwatch;
typedef lab_status Step(Stopwatch *self);

struct Stopwatch {
    const lab00_task *m_task;
    double m_start, m_stop;
    lab_event *m_event[2];
    float m_device;
};

static Step wait_, press_, work_, release_, mark0_, mark1_, make_, read_, drop_;

static lab_status run(Stopwatch *self, size_t count, Step *const steps[])
{
    for (size_t i = 0; i < count; i++) LAB_TRY(steps[i](self));
    return LAB_SUCCESS;
}
#define RUN(self, ...) run((self), sizeof((Step *const[]){__VA_ARGS__}) / sizeof(Step *), (Step *const[]){__VA_ARGS__})

static lab_status wait_(Stopwatch *self) { return lab_stream_synchronize(self->m_task->stream); }
static lab_status work_(Stopwatch *self) { return (*self->m_task->enqueue)(self->m_task->user); }
static lab_status press_(Stopwatch *self) { return self->m_start = lab00_clock(), LAB_SUCCESS; }
static lab_status release_(Stopwatch *self) { return self->m_stop = lab00_clock(), LAB_SUCCESS; }
static lab_status mark0_(Stopwatch *self) { return lab_event_record(self->m_event[0], self->m_task->stream); }
static lab_status mark1_(Stopwatch *self) { return lab_event_record(self->m_event[1], self->m_task->stream); }
static lab_status read_(Stopwatch *self)
{
    return lab_event_elapsed_time(&self->m_device, self->m_event[0], self->m_event[1]);
}
static lab_status make_(Stopwatch *self)
{
    for (lab_event **e = self->m_event; e < self->m_event + 2; e++) LAB_TRY(lab_event_create(e, LAB_EVENT_DEFAULT));
    return LAB_SUCCESS;
}
static lab_status drop_(Stopwatch *self)
{
    lab_status first = lab_event_destroy(self->m_event[0]), second = lab_event_destroy(self->m_event[1]);
    return first ? first : second;
}

lab_status lab00_first_kernel(lab_function label, lab_array *numbers, int count)
{
    const lab_dim grid = {(unsigned)ceil((double)count / LAB00_BLOCK), 1, 1}, block = {LAB00_BLOCK, 1, 1};
    return lab_launch(label, grid, block, 0, lab_stream_null(), LAB_ARGS(lab_array_data(numbers), count));
}

lab_status lab00_wrong_time(double *milliseconds, const lab00_task *task)
{
    Stopwatch watch = {.m_task = task};
    LAB_TRY(RUN(&watch, press_, work_, release_));
    return *milliseconds = watch.m_stop - watch.m_start, LAB_SUCCESS;
}

lab_status lab00_host_time(double *milliseconds, const lab00_task *task)
{
    Stopwatch watch = {.m_task = task};
    LAB_TRY(RUN(&watch, wait_, press_, work_, wait_, release_));
    return *milliseconds = watch.m_stop - watch.m_start, LAB_SUCCESS;
}

lab_status lab00_device_time(float *milliseconds, const lab00_task *task)
{
    Stopwatch watch = {.m_task = task};
    LAB_TRY(RUN(&watch, make_, mark0_, work_, mark1_, wait_, read_, drop_));
    *milliseconds = watch.m_device;
    return LAB_SUCCESS;
}

static int compare(const void *a, const void *b)
{
    const double difference = *(const double *)a - *(const double *)b;
    return signbit(difference) ? -1 : difference > 0;
}

static lab00_numbers of_times(size_t n, const double times[static n])
{
    double sorted[n], sum = 0, sum_of_squares = 0;
    memcpy(sorted, times, sizeof sorted);
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 0; i < n; i++) sum += sorted[i];
    for (size_t i = 0; i < n; i++) sum_of_squares += pow(sorted[i] - sum / (double)n, 2);
    return (lab00_numbers){
        .most = sorted[n - 1],
        .least = *sorted,
        .mean = sum / (double)n,
        .median = n & 1 ? sorted[n / 2] : (sorted[n / 2] + sorted[n / 2 - 1]) / 2,
        .deviation = sqrt(sum_of_squares / (double)n),
    };
}

lab_status lab00_benchmark(lab00_result *result, const lab00_task *task, int warm_up, int repeats)
{
    Stopwatch watch = {.m_task = task};
    double times[2][LAB00_MOST_REPEATS];
    LAB_TRY(RUN(&watch, make_));
    for (int k = -warm_up; k < repeats; k++) {
        if (k < 0) {
            LAB_TRY(RUN(&watch, work_, wait_));
            continue;
        }
        LAB_TRY(RUN(&watch, wait_, mark0_, press_, work_, release_, mark1_, wait_, read_));
        times[0][k] = watch.m_stop - watch.m_start;
        times[1][k] = watch.m_device;
    }
    LAB_TRY(RUN(&watch, drop_));
    result->device = of_times((size_t)repeats, times[1]);
    result->host = of_times((size_t)repeats, times[0]);
    return LAB_SUCCESS;
}
