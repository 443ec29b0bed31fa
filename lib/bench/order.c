/* What the order checker costs: the same enqueueing with it and without, and what it remembers after a million
 * operations. Only the caller's own work counts: the device stands still meanwhile, and the clock is that of the
 * processor's time of the calling thread, so that what else the machine does is not in it. */
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
    lab_array *from, *to;
} order_bed;

/* Each step: a kernel, an event, a wait for it on the other stream, a kernel there. */
static lab_status enqueue(const order_bed *of, int steps)
{
    for (int i = 0; i < steps; i++) {
        lab_stream *here = of->stream[i % 2], *there = of->stream[1 - i % 2];
        LAB_TRY(lab_launch(of->take, LAB_DIM(1), LAB_DIM(LENGTH), 0, here, LAB_ARGS(of->to, of->from)));
        LAB_TRY(lab_event_record(of->event, here));
        LAB_TRY(lab_stream_wait_event(there, of->event));
        LAB_TRY(lab_launch(of->take, LAB_DIM(1), LAB_DIM(LENGTH), 0, there, LAB_ARGS(of->from, of->to)));
    }
    return LAB_SUCCESS;
}

/* What holds the streams: a host function that waits until it is let go. */
typedef struct hold {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool over;
} hold;

static void wait_for_end(void *user)
{
    hold *of = user;
    pthread_mutex_lock(&of->lock);
    while (!of->over) pthread_cond_wait(&of->changed, &of->lock);
    pthread_mutex_unlock(&of->lock);
}

static void end_hold(hold *of)
{
    pthread_mutex_lock(&of->lock);
    of->over = true;
    pthread_cond_broadcast(&of->changed);
    pthread_mutex_unlock(&of->lock);
}

static double own_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static lab_status enqueue_held(const order_bed *of, hold *held, double *seconds)
{
    for (int i = 0; i < 2; i++) LAB_TRY(lab_stream_launch_host_func(of->stream[i], wait_for_end, held));
    double start = own_seconds();
    LAB_TRY(enqueue(of, STEPS));
    *seconds += own_seconds() - start;
    return LAB_SUCCESS;
}

static lab_status round_of(const order_bed *of, lab_order_mode mode, double *seconds)
{
    hold held = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    LAB_TRY(lab_order_start(mode));
    lab_status status = enqueue_held(of, &held, seconds);
    end_hold(&held);
    lab_status done = lab_device_synchronize();
    return status == LAB_SUCCESS ? done : status;
}

static lab_status measure(const order_bed *of, bench_samples *without, bench_samples *with, bench_samples *ratio)
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        double off = 0, on = 0;
        for (int turn = 0; turn < TURNS; turn++) {
            LAB_TRY(round_of(of, LAB_ORDER_OFF, &off));
            LAB_TRY(round_of(of, LAB_ORDER_COLLECT, &on));
        }
        LAB_TRY(lab_order_start(LAB_ORDER_OFF));
        if (round < 0) continue;
        bench_add_sample(without, 1e9 * off / (TURNS * OPERATIONS));
        bench_add_sample(with, 1e9 * on / (TURNS * OPERATIONS));
        bench_add_sample(ratio, on / off);
    }
    return LAB_SUCCESS;
}

static lab_status remember(const order_bed *of, bench_samples *segments)
{
    LAB_TRY(lab_order_start(LAB_ORDER_COLLECT));
    for (int done = 0; done < MILLION; done += OPERATIONS) {
        LAB_TRY(enqueue(of, STEPS));
        LAB_TRY(lab_device_synchronize());
    }
    bench_add_sample(segments, (double)lab_order_get_counts().segments);
    return lab_order_start(LAB_ORDER_OFF);
}

static lab_status prepare(order_bed *of)
{
    LAB_TRY(lab_module_load_source(&of->module,
                                   "extern \"C\" __global__ void take(float *to, const float *from)\n"
                                   "{ to[threadIdx.x] = from[threadIdx.x]; }\n",
                                   "take.cu"));
    LAB_TRY(lab_module_get_function(&of->take, of->module, "take"));
    for (int i = 0; i < 2; i++) LAB_TRY(lab_stream_create(&of->stream[i], LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_event_create(&of->event, LAB_EVENT_DISABLE_TIMING));
    LAB_TRY(lab_array_empty(&of->from, LAB_FLOAT32, LAB_SHAPE(LENGTH)));
    return lab_array_empty(&of->to, LAB_FLOAT32, LAB_SHAPE(LENGTH));
}

void bench_order(void)
{
    order_bed of = {0};
    bench_samples without = {0}, with = {0}, ratio = {0}, segments = {0};
    lab_status status = prepare(&of);
    if (status == LAB_SUCCESS) status = measure(&of, &without, &with, &ratio);
    if (status == LAB_SUCCESS) status = remember(&of, &segments);
    bench_add_row((bench_row){"enqueueing, kernels and events", "ns", BENCH_NO_GOAL, 0}, &without, status);
    bench_add_row((bench_row){"enqueueing with the order checker", "ns", BENCH_NO_GOAL, 0}, &with, status);
    bench_add_row((bench_row){"order checker, times as long", "", BENCH_AT_MOST, 2}, &ratio, status);
    bench_add_row((bench_row){"order checker, ranges kept after a million operations", "", BENCH_NO_GOAL, 0}, &segments,
                  status);
    lab_array_destroy(of.from);
    lab_array_destroy(of.to);
    lab_event_destroy(of.event);
    for (int i = 0; i < 2; i++) lab_stream_destroy(of.stream[i]);
    lab_module_unload(of.module);
}
