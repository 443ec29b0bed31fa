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

void bench_checks(void)
{
    static const char *const check[] = {"memcheck", "racecheck", "initcheck", "synccheck"};
    static const char *const setting[] = {"", "LAB_MEMCHECK=1", "LAB_RACECHECK=1", "LAB_INITCHECK=1",
                                          "LAB_SYNCCHECK=1"};
    enum { SETTINGS = sizeof setting / sizeof *setting };
    static bench_samples times[SETTINGS][KERNELS];
    lab_status status = LAB_SUCCESS;
    for (int round = 0; round < ROUNDS && status == LAB_SUCCESS; round++) {
        double seconds[SETTINGS][KERNELS];
        for (int s = 0; s < SETTINGS && status == LAB_SUCCESS; s++) status = measure(seconds[s], setting[s]);
        for (int s = 1; s < SETTINGS && status == LAB_SUCCESS; s++)
            for (int k = 0; k < KERNELS; k++) bench_add_sample(&times[s][k], seconds[s][k] / seconds[0][k]);
    }
    for (int s = 1; s < SETTINGS; s++)
        for (int k = 0; k < KERNELS; k++) {
            static char name[SETTINGS][KERNELS][64];
            snprintf(name[s][k], sizeof name[s][k], "%s, %s: times unchecked", check[s - 1], names[k]);
            bench_add_row((bench_row){name[s][k], "", BENCH_NO_GOAL, 0}, &times[s][k], status);
        }
}
