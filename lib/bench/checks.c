/* What the checks of kernels cost: runs of this program, each with another check in its environment, measure the same
 * launches. They are compared with a run without checks in which each thread has a stack, as in a checked kernel. */
#include "bench.h"
#include "kernels.h"

#include "base/status.h"

#include <stdio.h>
#include <unistd.h>

enum { COUNT = 1 << 20, SIDE = 128, BLOCK = 256, TRIES = 3, ROUNDS = 3 };

static const char *const kernels[] = {"saxpy", "tree_sum", "product"};
static const char *const names[] = {"saxpy 2^20", "tree sum 2^20", "product 128^2 in tiles"};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* ---- a run that measures ---- */

static lab_status launch(int kernel, lab_function function, lab_array *x, lab_array *y)
{
    const unsigned tiles = SIDE / PRODUCT_TILE;
    if (kernel == 0)
        return lab_launch(function, LAB_DIM(COUNT / BLOCK), LAB_DIM(BLOCK), 0, NULL, LAB_ARGS(y, x, 0.5f, (int)COUNT));
    if (kernel == 1)
        return lab_launch(function, LAB_DIM(TREE_BLOCKS), LAB_DIM(TREE_THREADS), 0, NULL, LAB_ARGS(x, y, (int)COUNT));
    return lab_launch(function, LAB_DIM(tiles, tiles), LAB_DIM(PRODUCT_TILE, PRODUCT_TILE), 0, NULL,
                      LAB_ARGS(x, x, y, (int)SIDE));
}

/* Prints the seconds of each kernel, the best of a few. */
int bench_checked_kernels(void)
{
    lab_module *module;
    lab_array *x, *y;
    LAB_CHECK(lab_module_load_source(&module, BENCH_KERNELS_CUDA, "checks.cu"));
    LAB_CHECK(lab_array_ones(&x, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_array_zeros(&y, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_device_synchronize());
    for (int k = 0; k < KERNELS; k++) {
        lab_function function;
        double best = 1e9;
        LAB_CHECK(lab_module_get_function(&function, module, kernels[k]));
        for (int i = 0; i < TRIES; i++) {
            const double start = bench_now();
            LAB_CHECK(launch(k, function, x, y));
            LAB_CHECK(lab_device_synchronize());
            const double seconds = bench_now() - start;
            if (seconds < best) best = seconds;
        }
        printf("%.9f\n", best);
    }
    return 0;
}

/* ---- the runs that are compared ---- */

static lab_status measure(double seconds[KERNELS], const char *setting)
{
    char command[128];
    snprintf(command, sizeof command, "LAB_BARRIERS=fibers %s exec /proc/%d/exe --checks", setting, (int)getpid());
    FILE *run = popen(command, "r");
    if (!run) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no process for %s", setting);
    int read = 0;
    while (read < KERNELS && fscanf(run, "%lf", &seconds[read]) == 1) read++;
    if (pclose(run) == 0 && read == KERNELS) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_UNKNOWN, "the run with %s failed", setting);
}

/* A check, and how many times as long a kernel takes under it at most. */
typedef struct check {
    const char *name, *setting;
    bench_goal goal;
    double target;
} check;

void bench_checks(void)
{
    static const check checks[] = {{"memcheck", "LAB_MEMCHECK=1", BENCH_AT_MOST, 10},
                                   {"racecheck", "LAB_RACECHECK=1", BENCH_AT_MOST, 40},
                                   {"initcheck", "LAB_INITCHECK=1", BENCH_AT_MOST, 50},
                                   {"synccheck", "LAB_SYNCCHECK=1", BENCH_NO_GOAL, 0}};
    enum { CHECKS = sizeof checks / sizeof *checks };
    static bench_samples times[CHECKS][KERNELS];
    lab_status status = LAB_SUCCESS;
    for (int round = 0; round < ROUNDS && status == LAB_SUCCESS; round++) {
        double unchecked[KERNELS], checked[CHECKS][KERNELS];
        status = measure(unchecked, "");
        for (int c = 0; c < CHECKS && status == LAB_SUCCESS; c++) status = measure(checked[c], checks[c].setting);
        for (int c = 0; c < CHECKS && status == LAB_SUCCESS; c++)
            for (int k = 0; k < KERNELS; k++) bench_add_sample(&times[c][k], checked[c][k] / unchecked[k]);
    }
    for (int c = 0; c < CHECKS; c++)
        for (int k = 0; k < KERNELS; k++) {
            static char name[CHECKS][KERNELS][64];
            snprintf(name[c][k], sizeof name[c][k], "%s, %s: times unchecked", checks[c].name, names[k]);
            bench_add_row((bench_row){name[c][k], "", checks[c].goal, checks[c].target}, &times[c][k], status);
        }
}
