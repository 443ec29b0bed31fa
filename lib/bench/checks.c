/* What the checks of kernels cost: processes of this program, each with another check in its environment, run the same
 * launches in turns with one that has none. A ratio is that of processor times or of wall times. */
#include "bench.h"
#include "loops.h"
#include "rerun.h"

#include <stdio.h>
#include <time.h>

enum { COUNT = 1 << 20, ROUNDS = 9 };

/* A kernel of loops.cu, with a launch that takes milliseconds at most without a check. */
typedef struct subject {
    const char *name, *kernel;
    int n, rows;
    unsigned grid[2], block[2];
} subject;

static const subject subjects[] = {
    {"saxpy 2^20", "saxpy", COUNT, 1, {COUNT / 256, 1}, {256, 1}},
    {"warp sum 2^18", "warp_sum", COUNT / 4, 1, {COUNT / 1024, 1}, {256, 1}},
    {"tree sum 2^18", "tree_sum", COUNT / 4, 1, {COUNT / 1024, 1}, {256, 1}},
    {"product 128^2 in tiles", "product", 128, 128, {8, 8}, {16, 16}},
    {"transpose 512^2", "transpose", 512, 512, {16, 16}, {32, 8}},
    {"laplace3d 64^3", "laplace3d", 64, 64, {2, 8}, {32, 8}},
};
enum { KERNELS = sizeof subjects / sizeof *subjects };

/* A check, and how many times as long a kernel takes under it at most. */
typedef struct check {
    const char *name, *setting;
    bench_goal goal;
    double target;
} check;

static const check checks[] = {{"unchecked", "LAB_MEMCHECK=0", BENCH_NO_GOAL, 0},
                               {"memcheck", "LAB_MEMCHECK=1", BENCH_AT_MOST, 10},
                               {"racecheck", "LAB_RACECHECK=1", BENCH_AT_MOST, 40},
                               {"initcheck", "LAB_INITCHECK=1", BENCH_AT_MOST, 50},
                               {"synccheck", "LAB_SYNCCHECK=1", BENCH_NO_GOAL, 0}};
enum { CHECKS = sizeof checks / sizeof *checks };

/* ---- a run that measures ---- */

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Prints the seconds of processor and of wall time of each launch that it is asked for. */
int bench_checked_kernels(void)
{
    lab_module *module;
    lab_array *in, *out;
    int number;
    LAB_CHECK(lab_module_load_source(&module, loops_text, "loops.cu"));
    LAB_CHECK(lab_array_ones(&in, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_array_zeros(&out, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_device_synchronize());
    while (rerun_next(&number, KERNELS)) {
        const subject *s = &subjects[number];
        lab_function function;
        LAB_CHECK(lab_module_get_function(&function, module, s->kernel));
        const double processor = read_clock(CLOCK_PROCESS_CPUTIME_ID), wall = read_clock(CLOCK_MONOTONIC);
        LAB_CHECK(lab_launch(function, LAB_DIM(s->grid[0], s->grid[1]), LAB_DIM(s->block[0], s->block[1]), 0, NULL,
                             LAB_ARGS(out, in, in, (int)s->n, (int)s->rows)));
        LAB_CHECK(lab_device_synchronize());
        printf("%.9f %.9f\n", read_clock(CLOCK_PROCESS_CPUTIME_ID) - processor, read_clock(CLOCK_MONOTONIC) - wall);
    }
    return 0;
}

/* ---- the runs that are compared ---- */

typedef struct ratios {
    bench_samples of_processor, of_wall;
} ratios;

/* Runs the kernel under all checks in turns, each round in the other direction, the one without checks each time too.
 */
static lab_status measure(ratios ratio[CHECKS], const rerun run[CHECKS], int kernel)
{
    for (int round = -BENCH_WARM_UPS; round < ROUNDS; round++) {
        double seconds[CHECKS][2];
        for (int i = 0; i < CHECKS; i++) {
            const int c = round % 2 == 0 ? i : CHECKS - 1 - i;
            LAB_TRY(rerun_ask(seconds[c], 2, &run[c], kernel));
        }
        for (int c = 1; c < CHECKS && round >= 0; c++) {
            bench_add_sample(&ratio[c].of_processor, seconds[c][0] / seconds[0][0]);
            bench_add_sample(&ratio[c].of_wall, seconds[c][1] / seconds[0][1]);
        }
    }
    return LAB_SUCCESS;
}

static void add_rows(const ratios ratio[CHECKS], int kernel, lab_status status)
{
    for (int c = 1; c < CHECKS; c++) {
        static char name[KERNELS][CHECKS][64];
        snprintf(name[kernel][c], sizeof name[kernel][c], "%s, %s: times unchecked", checks[c].name,
                 subjects[kernel].name);
        bench_add_row((bench_row){name[kernel][c], "", checks[c].goal, checks[c].target}, &ratio[c].of_processor,
                      status);
        bench_add_row((bench_row){"  in wall time", "", BENCH_NO_GOAL, 0}, &ratio[c].of_wall, status);
    }
}

void bench_checks(void)
{
    rerun run[CHECKS] = {0};
    lab_status status = LAB_SUCCESS;
    for (int c = 0; c < CHECKS && status == LAB_SUCCESS; c++)
        status = rerun_start(&run[c], "--checks", (const char *const[]){checks[c].setting, NULL});
    for (int k = 0; k < KERNELS; k++) {
        ratios ratio[CHECKS] = {0};
        if (status == LAB_SUCCESS) status = measure(ratio, run, k);
        add_rows(ratio, k, status);
    }
    for (int c = 0; c < CHECKS; c++) rerun_end(&run[c]);
}
