/*
 * bench: measures the library beside hand-written code on the CPU device and prints a table; with --json also writes it
 * to a file of the program's own name and `.json`.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int arguments, char **argument)
{
    bool json = arguments == 2 && strcmp(argument[1], "--json") == 0;
    if (arguments > 1 && !json) {
        fprintf(stderr, "usage: %s [--json]\n", argument[0]);
        return 2;
    }
    setenv("LAB_DEVICE", "cpu", 1);
    unsetenv("LAB_TRACE"); /* recording takes time, and so does the order checker */
    unsetenv("LAB_ORDER");

    bench_watch_others();
    bench_saxpy();
    bench_streams();
    bench_overheads();
    bench_order();
    bench_pools();
    bench_compile();
    bench_copies();
    bench_generated();
    bench_barriers();
    bench_graphs();
    bench_against_opencl();
    bench_print_table();
    if (!json) return 0;

    char path[4096];
    snprintf(path, sizeof path, "%s.json", argument[0]);
    if (bench_write_json(path) == LAB_SUCCESS) return 0;
    fprintf(stderr, "%s: %s\n", path, lab_error_message());
    return 1;
}
