/* How much of the machine other programs used during the measurements: a busy machine makes every row doubtful. */
#include "bench.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static double began, busy_before;

/* Seconds that all cores together have worked since the machine started; negative if unknown. */
static double busy_seconds(void)
{
    unsigned long user = 0, nice_user = 0, system = 0;
    FILE *file = fopen("/proc/stat", "re");
    int read = file ? fscanf(file, "cpu %lu %lu %lu", &user, &nice_user, &system) : 0;
    if (file) fclose(file);
    return read == 3 ? (double)(user + nice_user + system) / (double)sysconf(_SC_CLK_TCK) : -1;
}

static double seconds_of(int who)
{
    struct rusage usage;
    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void bench_watch_others(void)
{
    began = bench_now();
    busy_before = busy_seconds();
}

double bench_share_of_others(void)
{
    double busy = busy_seconds();
    if (busy < 0 || busy_before < 0) return 0;
    double others = busy - busy_before - seconds_of(RUSAGE_SELF) - seconds_of(RUSAGE_CHILDREN);
    return others > 0 ? others / ((bench_now() - began) * (double)sysconf(_SC_NPROCESSORS_ONLN)) : 0;
}
