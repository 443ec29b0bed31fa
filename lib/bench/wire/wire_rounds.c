/*
 * What calls cost when the device is in a process of its own: prints, for each round, microseconds of a call while a
 * core is idle, of a call while other work keeps every core busy, of an empty launch and of an event's record, and
 * gigabytes a second of a copy from pageable memory. bench runs it, since a program has one of the two libraries.
 */
#include "../bench.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 2000, COPY_BYTES = 4 << 20, COPIES = 8, MOST_CORES = 256 };

typedef struct wire_bed {
    lab_module *module;
    lab_function nothing;
    lab_stream *stream;
    lab_event *event;
    lab_deviceptr memory;
    void *host;
} wire_bed;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static lab_status prepare(wire_bed *setup)
{
    LAB_TRY(lab_module_load_source(&setup->module, "extern \"C\" __global__ void nothing() {}\n", "nothing.cu"));
    LAB_TRY(lab_module_get_function(&setup->nothing, setup->module, "nothing"));
    LAB_TRY(lab_stream_create(&setup->stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_mem_alloc(&setup->memory, COPY_BYTES));
    setup->host = calloc(1, COPY_BYTES);
    return lab_event_create(&setup->event, LAB_EVENT_DEFAULT);
}

static lab_status query(const wire_bed *setup, double *microseconds)
{
    double start = now();
    for (int i = 0; i < CALLS; i++) LAB_TRY(lab_event_query(setup->event));
    *microseconds = 1e6 * (now() - start) / CALLS;
    return LAB_SUCCESS;
}

/* The same next to a process for each core that never waits. */
static lab_status query_busy(const wire_bed *setup, double *microseconds)
{
    pid_t busy[MOST_CORES];
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (cores > MOST_CORES) cores = MOST_CORES;
    for (int i = 0; i < cores; i++) {
        busy[i] = fork();
        if (busy[i] == 0)
            for (;;) continue;
    }
    usleep(20 * 1000);
    lab_status status = query(setup, microseconds);
    for (int i = 0; i < cores; i++) kill(busy[i], SIGKILL);
    return status;
}

static lab_status launch(const wire_bed *setup, double *microseconds)
{
    double start = now();
    for (int i = 0; i < CALLS; i++)
        LAB_TRY(lab_launch(setup->nothing, LAB_DIM(1), LAB_DIM(1), 0, setup->stream, LAB_NO_ARGS));
    *microseconds = 1e6 * (now() - start) / CALLS;
    return lab_stream_synchronize(setup->stream);
}

static lab_status record(const wire_bed *setup, double *microseconds)
{
    double start = now();
    for (int i = 0; i < CALLS; i++) LAB_TRY(lab_event_record(setup->event, setup->stream));
    *microseconds = 1e6 * (now() - start) / CALLS;
    return lab_stream_synchronize(setup->stream);
}

static lab_status copy(const wire_bed *setup, double *gigabytes)
{
    double start = now();
    for (int i = 0; i < COPIES; i++) LAB_TRY(lab_memcpy_htod(setup->memory, setup->host, COPY_BYTES));
    *gigabytes = 1e-9 * COPIES * COPY_BYTES / (now() - start);
    return LAB_SUCCESS;
}

int main(void)
{
    wire_bed setup = {0};
    double value[5];
    LAB_CHECK(prepare(&setup));
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        LAB_CHECK(query(&setup, &value[0]));
        LAB_CHECK(query_busy(&setup, &value[1]));
        LAB_CHECK(launch(&setup, &value[2]));
        LAB_CHECK(record(&setup, &value[3]));
        LAB_CHECK(copy(&setup, &value[4]));
        if (round >= 0) printf("%g %g %g %g %g\n", value[0], value[1], value[2], value[3], value[4]);
    }
    free(setup.host);
    return 0;
}
