/* The cost of the wire: the rows of wire_rounds, a program with the other library. */
#include "bench.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 5 };

/* wire_rounds lies next to this program. */
static FILE *start_rounds(void)
{
    char path[PATH_MAX + 32];
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash : path, "/tests/wire_rounds");
    return popen(path, "r");
}

void bench_wire(void)
{
    static const bench_row row[ROWS] = {{"call over the wire, a core idle", "us", BENCH_AT_MOST, 1},
                                        {"call over the wire, all cores busy", "us", BENCH_AT_MOST, 10},
                                        {"empty launch over the wire", "us", BENCH_NO_GOAL, 0},
                                        {"event record over the wire", "us", BENCH_NO_GOAL, 0},
                                        {"pageable copy of 4 MiB over the wire", "GB/s", BENCH_NO_GOAL, 0}};
    bench_samples samples[ROWS] = {0};
    double value[ROWS];
    FILE *rounds = start_rounds();
    while (rounds &&
           fscanf(rounds, "%lf %lf %lf %lf %lf", &value[0], &value[1], &value[2], &value[3], &value[4]) == ROWS)
        for (int i = 0; i < ROWS; i++) bench_add_sample(&samples[i], value[i]);
    bool ran = rounds && pclose(rounds) == 0 && samples[0].count == BENCH_ROUNDS;
    for (int i = 0; i < ROWS; i++) bench_add_row(row[i], &samples[i], ran ? LAB_SUCCESS : LAB_ERROR_NOT_INITIALIZED);
}
