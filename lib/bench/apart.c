/* What kernels cost in a process of their own: two runs of this program measure the same launches in turns, one of them
 * with kernels apart. */
#include "bench.h"
#include "rerun.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SAXPY_COUNT = 1 << 22, SAXPY_REPEATS = 10, LAUNCHES = 1000, BLOCK = 256 };

/* Those of lab 03 on the CPU device, with its grid and block. */
enum { ARRAYS = 200, LENGTH = 16 * 1024, STEPS = 8 };

static const char SOURCE[] = "extern \"C\" __global__ void nothing() {}\n"
                             "extern \"C\" __global__ void saxpy(float *y, const float *x, float a, int count)\n"
                             "{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < count) y[i] = a * x[i] + y[i];\n"
                             "}\n";

typedef struct apart_bed {
    lab_function nothing, saxpy, advance;
    lab_array *x, *y;
} apart_bed;

static lab_status prepare(apart_bed *setup)
{
    lab_module *own, *lab;
    LAB_TRY(lab_module_load_source(&own, SOURCE, "apart.cu"));
    LAB_TRY(lab_module_load_file(&lab, "labs/lab03-concurrency/kernels.cu"));
    LAB_TRY(lab_module_get_function(&setup->nothing, own, "nothing"));
    LAB_TRY(lab_module_get_function(&setup->saxpy, own, "saxpy"));
    LAB_TRY(lab_module_get_function(&setup->advance, lab, "advance"));
    LAB_TRY(lab_array_zeros(&setup->x, LAB_FLOAT32, LAB_SHAPE(SAXPY_COUNT)));
    return lab_array_zeros(&setup->y, LAB_FLOAT32, LAB_SHAPE(SAXPY_COUNT));
}

/* ---- The measurements ---- */

static lab_status launch_and_wait(const apart_bed *setup)
{
    for (int i = 0; i < LAUNCHES; i++) {
        LAB_TRY(lab_launch(setup->nothing, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_NO_ARGS));
        LAB_TRY(lab_stream_synchronize(NULL));
    }
    return LAB_SUCCESS;
}

static lab_status launch_many(const apart_bed *setup)
{
    for (int i = 0; i < LAUNCHES; i++)
        LAB_TRY(lab_launch(setup->nothing, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_NO_ARGS));
    return lab_stream_synchronize(NULL);
}

static lab_status run_saxpy(const apart_bed *setup)
{
    for (int i = 0; i < SAXPY_REPEATS; i++) {
        LAB_TRY(lab_launch(setup->saxpy, LAB_DIM(SAXPY_COUNT / BLOCK), LAB_DIM(BLOCK), 0, NULL,
                           LAB_ARGS(setup->y, setup->x, 0.5f, (int)SAXPY_COUNT)));
        LAB_TRY(lab_stream_synchronize(NULL));
    }
    return LAB_SUCCESS;
}

static lab_status run_lab(const apart_bed *setup)
{
    for (int k = 0; k < ARRAYS; k++)
        LAB_TRY(lab_launch(setup->advance, LAB_DIM(1), LAB_DIM(64), 0, NULL,
                           LAB_ARGS(setup->x, (int)LENGTH, 3.7f, (int)STEPS)));
    return lab_stream_synchronize(NULL);
}

static const struct {
    bench_row ratio;
    const char *time; /* the row of the time with kernels apart; NULL if there is none */
    int parts;        /* of which that row is one */
    lab_status (*work)(const apart_bed *setup);
} measured[] = {
    {{"kernels apart, launch and wait: times one process's", "", BENCH_NO_GOAL, 0},
     "  launch and wait",
     LAUNCHES,
     launch_and_wait},
    {{"kernels apart, launches: times one process's", "", BENCH_NO_GOAL, 0},
     "  one launch of many",
     LAUNCHES,
     launch_many},
    {{"kernels apart, saxpy 2^22: times one process's", "", BENCH_AT_MOST, 1.1}, NULL, 0, run_saxpy},
    {{"kernels apart, lab 03: times one process's", "", BENCH_AT_MOST, 1.1}, NULL, 0, run_lab},
};
enum { MEASURED = sizeof measured / sizeof *measured };

/* ---- A run that measures ---- */

/* Prints the seconds of each measurement that it is asked for. */
int bench_apart_rounds(void)
{
    apart_bed setup;
    int number;
    LAB_CHECK(prepare(&setup));
    while (rerun_next(&number, MEASURED)) {
        const double start = bench_now();
        LAB_CHECK(measured[number].work(&setup));
        printf("%.9f\n", bench_now() - start);
    }
    return 0;
}

/* ---- The runs that are compared ---- */

/* labkernels lies in the folder bin next to this program. */
static lab_status start_run(rerun *made, const char *apart)
{
    char path[PATH_MAX + 32], kernels[PATH_MAX + 64];
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    path[length > 0 ? length : 0] = '\0';
    snprintf(kernels, sizeof kernels, "LAB_KERNELS=%.*s/bin/labkernels", (int)(strrchr(path, '/') - path), path);
    return rerun_start(made, "--apart", (const char *const[]){kernels, apart, NULL});
}

static lab_status compare(bench_samples *ratio, bench_samples *microseconds, const rerun run[2], int number)
{
    double seconds[2];
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        for (int i = 0; i < 2; i++) {
            const int which = (i + round) & 1;
            LAB_TRY(rerun_ask(&seconds[which], 1, &run[which], number));
        }
        if (round < 0) continue;
        bench_add_sample(ratio, seconds[1] / seconds[0]);
        if (measured[number].time) bench_add_sample(microseconds, 1e6 * seconds[1] / measured[number].parts);
    }
    return LAB_SUCCESS;
}

void bench_apart(void)
{
    rerun run[2] = {0};
    lab_status status = start_run(&run[0], "LAB_KERNELS_APART=0");
    if (status == LAB_SUCCESS) status = start_run(&run[1], "LAB_KERNELS_APART=1");
    for (int i = 0; i < MEASURED; i++) {
        bench_samples ratio = {0}, microseconds = {0};
        if (status == LAB_SUCCESS) status = compare(&ratio, &microseconds, run, i);
        bench_add_row(measured[i].ratio, &ratio, status);
        if (measured[i].time)
            bench_add_row((bench_row){measured[i].time, "us", BENCH_NO_GOAL, 0}, &microseconds, status);
    }
    for (int i = 0; i < 2; i++) rerun_end(&run[i]);
}
