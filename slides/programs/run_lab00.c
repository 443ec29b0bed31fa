/*
 * Lab 00's functions with work whose length is given:
 *
 *     host_time STEPS       one measurement: a record, with a mark where the clock is read
 *     earlier_work STEPS    the same, with earlier work on the stream
 *     benchmark STEPS       the times of all calls, beginning with the very first, which loads the kernel
 *
 * The readings of the clock and the launch get the place of the line in lab00.c that asks for them.
 */
#include "slide.h"

#include "lab00.h"

#include <string.h>

/* lab00.c is included below; these macros see its calls and not the declarations of lab00.h. */
static struct {
    const char *file;
    int line;
} caller;
#define lab00_clock() slide_clock_at(__FILE__, __LINE__)
#define enqueue(user) enqueue((caller.file = __FILE__, caller.line = __LINE__, (user)))
#include ANSWER
#undef lab00_clock
#undef enqueue

enum { COUNT = 4096, WARM_UPS = 3, REPEATS = 40 };

static lab_array *array;
static lab_stream *stream;
static lab_function kernel;
static int steps, calls;
static double host[WARM_UPS + REPEATS];

static lab_status launch(void *user)
{
    (void)user;
    lab_here(caller.file, caller.line);
    return lab_here_ends(
        (lab_launch)(kernel, LAB_DIM(COUNT / 128), LAB_DIM(128), 0, stream, LAB_ARGS(array, (int)COUNT, steps)));
}

/* The first call is like that of a program that has done nothing yet: it also loads the kernel. */
static lab_status launch_and_note(void *user)
{
    const double begin = slide_clock();
    if (calls == 0) kernel = slide_kernel("labs/lab00-measure/kernels.cu", "work");
    LAB_TRY(launch(user));
    host[calls++] = slide_clock() - begin;
    return LAB_SUCCESS;
}

static void host_time(void)
{
    double milliseconds;
    LAB_CHECK(lab00_host_time(&milliseconds, &(lab00_task){launch, NULL, stream}));
}

static void earlier_work(void)
{
    LAB_CHECK(lab_launch(kernel, LAB_DIM(COUNT / 128), LAB_DIM(128), 0, stream, LAB_ARGS(array, (int)COUNT, steps)));
    host_time();
}

/* The host's times are those of the calls; the device's are those of the kernels, warm-ups included. */
static void benchmark(void)
{
    lab00_result result;
    lab_trace *trace;
    json_t *rows = json_array();
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab00_benchmark(&result, &(lab00_task){launch_and_note, NULL, stream}, WARM_UPS, REPEATS));
    LAB_CHECK(lab_trace_end(&trace));
    for (size_t i = 0, call = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (op->kind != LAB_OP_KERNEL) continue;
        json_array_append_new(rows, json_pack("{s:b, s:f, s:f}", "warm_up", call < WARM_UPS, "host_ms", host[call],
                                              "device_ms", (double)(op->end_ns - op->start_ns) / 1e6));
        call++;
    }
    lab_trace_free(trace);
    slide_save(json_pack("{s:o}", "calls", rows));
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 2);
    steps = slide_number(1);
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    float *numbers = slide_pinned(COUNT, 0.1f, 0.9f);
    LAB_CHECK(lab_array_set(array, numbers));
    if (strcmp(slide_text(0), "benchmark") == 0) {
        benchmark();
        return 0;
    }
    kernel = slide_kernel("labs/lab00-measure/kernels.cu", "work");
    const char *mode = slide_text(0);
    slide_record(mode, 21, (slide_run){NULL, strcmp(mode, "earlier_work") == 0 ? earlier_work : host_time});
    return 0;
}
