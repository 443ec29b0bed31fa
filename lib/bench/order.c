/* The cost of the order checker: the same enqueueing with and without it, and the ranges it keeps after a million
 * operations. Only the caller's own work counts: the device is held meanwhile, and the clock is the calling thread's
 * processor time, which excludes other work on the machine. */
#include "bench.h"

#include "lab_trace.h"

#include <pthread.h>
#include <time.h>

enum { STEPS = 250, OPERATIONS = 4 * STEPS, TURNS = 5, LENGTH = 64, MILLION = 1000 * 1000 };

typedef struct order_bed {
    lab_module *module;
    lab_function take;
    lab_stream *stream[2];
    lab_event *event;
    lab_array *source, *target;
} order_bed;

/* Each step is a kernel, an event, a wait for it on the other stream, and a kernel there. */
static lab_status enqueue(const order_bed *setup, int steps)
{
    for (int i = 0; i < steps; i++) {
        lab_stream *here = setup->stream[i % 2], *there = setup->stream[1 - i % 2];
        LAB_TRY(lab_launch(setup->take, LAB_DIM(1), LAB_DIM(LENGTH), 0, here, LAB_ARGS(setup->target, setup->source)));
        LAB_TRY(lab_event_record(setup->event, here));
        LAB_TRY(lab_stream_wait_event(there, setup->event));
        LAB_TRY(lab_launch(setup->take, LAB_DIM(1), LAB_DIM(LENGTH), 0, there, LAB_ARGS(setup->source, setup->target)));
    }
    return LAB_SUCCESS;
}

/* Holds the streams: a host function waits until `over`. */
typedef struct hold {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool over;
} hold;

static void wait_for_end(void *user)
{
    hold *held = user;
    pthread_mutex_lock(&held->lock);
    while (!held->over) pthread_cond_wait(&held->changed, &held->lock);
    pthread_mutex_unlock(&held->lock);
}

static void end_hold(hold *held)
{
    pthread_mutex_lock(&held->lock);
    held->over = true;
    pthread_cond_broadcast(&held->changed);
    pthread_mutex_unlock(&held->lock);
}

static double own_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static lab_status enqueue_held(const order_bed *setup, hold *held, double *seconds)
{
    for (int i = 0; i < 2; i++) LAB_TRY(lab_stream_launch_host_func(setup->stream[i], wait_for_end, held));
    double start = own_seconds();
    LAB_TRY(enqueue(setup, STEPS));
    *seconds += own_seconds() - start;
    return LAB_SUCCESS;
}

static lab_status round_of(const order_bed *setup, lab_order_mode mode, double *seconds)
{
    hold held = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    LAB_TRY(lab_order_start(mode));
    lab_status status = enqueue_held(setup, &held, seconds);
    end_hold(&held);
    lab_status done = lab_device_synchronize();
    return status == LAB_SUCCESS ? done : status;
}

static lab_status measure(const order_bed *setup, bench_samples *without, bench_samples *checked, bench_samples *ratio)
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        double without_seconds = 0, with_seconds = 0;
        for (int turn = 0; turn < TURNS; turn++) {
            LAB_TRY(round_of(setup, LAB_ORDER_OFF, &without_seconds));
            LAB_TRY(round_of(setup, LAB_ORDER_COLLECT, &with_seconds));
        }
        LAB_TRY(lab_order_start(LAB_ORDER_OFF));
        if (round < 0) continue;
        bench_add_sample(without, 1e9 * without_seconds / (TURNS * OPERATIONS));
        bench_add_sample(checked, 1e9 * with_seconds / (TURNS * OPERATIONS));
        bench_add_sample(ratio, with_seconds / without_seconds);
    }
    return LAB_SUCCESS;
}

static lab_status remember(const order_bed *setup, bench_samples *segments)
{
    LAB_TRY(lab_order_start(LAB_ORDER_COLLECT));
    for (int done = 0; done < MILLION; done += OPERATIONS) {
        LAB_TRY(enqueue(setup, STEPS));
        LAB_TRY(lab_device_synchronize());
    }
    bench_add_sample(segments, (double)lab_order_get_counts().segments);
    return lab_order_start(LAB_ORDER_OFF);
}

static lab_status prepare(order_bed *setup)
{
    LAB_TRY(lab_module_load_source(&setup->module,
                                   "extern \"C\" __global__ void take(float *to, const float *from)\n"
                                   "{ to[threadIdx.x] = from[threadIdx.x]; }\n",
                                   "take.cu"));
    LAB_TRY(lab_module_get_function(&setup->take, setup->module, "take"));
    for (int i = 0; i < 2; i++) LAB_TRY(lab_stream_create(&setup->stream[i], LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_event_create(&setup->event, LAB_EVENT_DISABLE_TIMING));
    LAB_TRY(lab_array_empty(&setup->source, LAB_FLOAT32, LAB_SHAPE(LENGTH)));
    return lab_array_empty(&setup->target, LAB_FLOAT32, LAB_SHAPE(LENGTH));
}

void bench_order(void)
{
    order_bed setup = {0};
    bench_samples without = {0}, with = {0}, ratio = {0}, segments = {0};
    lab_status status = prepare(&setup);
    if (status == LAB_SUCCESS) status = measure(&setup, &without, &with, &ratio);
    if (status == LAB_SUCCESS) status = remember(&setup, &segments);
    bench_add_row((bench_row){"enqueueing, kernels and events", "ns", BENCH_NO_GOAL, 0}, &without, status);
    bench_add_row((bench_row){"enqueueing with the order checker", "ns", BENCH_NO_GOAL, 0}, &with, status);
    bench_add_row((bench_row){"order checker, times as long", "", BENCH_AT_MOST, 2}, &ratio, status);
    bench_add_row((bench_row){"order checker, ranges kept after a million operations", "", BENCH_NO_GOAL, 0}, &segments,
                  status);
    lab_array_destroy(setup.source);
    lab_array_destroy(setup.target);
    lab_event_destroy(setup.event);
    for (int i = 0; i < 2; i++) lab_stream_destroy(setup.stream[i]);
    lab_module_unload(setup.module);
}
