/*
 * bench: compares the library with hand-written code on the CPU device or, if LAB_DEVICE selects a GPU, with the
 * driver's own calls. Prints a table and, with --json FILE, also writes it to a file.
 */
#include "bench.h"
#include "base/system/kernels_apart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void bench_cpu(void)
{
    setenv("LAB_DEVICE", "cpu", 1);
    bench_saxpy();
    bench_streams();
    bench_overheads();
    bench_order();
    bench_pools();
    bench_compile();
    bench_copies();
    bench_generated();
    bench_barriers();
    bench_checks();
    bench_graphs();
    bench_wire();
    if (KERNELS_CAN_BE_APART) bench_apart();
    bench_against_opencl();
}

int main(int arguments, char **argument)
{
    if (arguments == 3 && strcmp(argument[1], "--first") == 0) return bench_cuda_first_use(argument[2]);
    if (arguments == 2 && strcmp(argument[1], "--checks") == 0) return bench_checked_kernels();
    if (arguments == 2 && strcmp(argument[1], "--apart") == 0) return bench_apart_rounds();
    const char *path = arguments == 3 && strcmp(argument[1], "--json") == 0 ? argument[2] : NULL;
    if (arguments > 1 && !path) {
        fprintf(stderr, "usage: %s [--json FILE]\n", argument[0]);
        return 2;
    }
    unsetenv("LAB_TRACE"); /* recording costs time, and so does the order checker */
    unsetenv("LAB_ORDER");

    const char *device = getenv("LAB_DEVICE");
    bench_watch_others();
    if (device && strncmp(device, "cuda", 4) == 0) {
        if (!bench_cuda(argument[0])) return 1;
    } else {
        bench_cpu();
    }
    bench_print_table();
    if (!path || bench_write_json(path) == LAB_SUCCESS) return 0;
    fprintf(stderr, "%s: %s\n", path, lab_error_message());
    return 1;
}
