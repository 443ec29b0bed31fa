/* Reading processor times from /proc; see processor_time.h. */
#include "processor_time.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static double seconds_of_ticks(unsigned long long ticks) { return (double)ticks / (double)sysconf(_SC_CLK_TCK); }

/* What a process and the children that it has waited for had of a processor. Its name, in parentheses, may hold
 * anything: the fields are counted from the last parenthesis. */
static processor_time used_by(int pid)
{
    char path[64], text[1024] = "";
    unsigned long long user, system, children_user, children_system;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file) return (processor_time){0};
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *end = strrchr(text, ')');
    const int found = !end ? 0
                           : sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu", &user,
                                    &system, &children_user, &children_system);
    if (found != 4) return (processor_time){0};
    const double ended = seconds_of_ticks(children_user + children_system);
    return (processor_time){.used = seconds_of_ticks(user + system) + ended, .ended = ended};
}

/* The seconds that a process's threads have waited for a processor. */
static double waited_by(int pid)
{
    char path[320];
    unsigned long long sum = 0;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *threads = opendir(path);
    for (const struct dirent *entry; threads && (entry = readdir(threads));) {
        unsigned long long waited;
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, entry->d_name);
        FILE *file = fopen(path, "re");
        if (file && fscanf(file, "%*u %llu", &waited) == 1) sum += waited;
        if (file) fclose(file);
    }
    if (threads) closedir(threads);
    return (double)sum / 1e9;
}

void processor_time_add(processor_time *sum, int pid)
{
    *sum = processor_time_sum(*sum, processor_time_sum(used_by(pid), (processor_time){.waited = waited_by(pid)}));
}

static double seconds_of(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

static double used_here(int who)
{
    struct rusage used;
    return getrusage(who, &used) == 0 ? seconds_of(used.ru_utime) + seconds_of(used.ru_stime) : 0;
}

machine_time machine_time_now(void)
{
    unsigned long long user, nice, system, interrupts, soft, stolen;
    FILE *file = fopen("/proc/stat", "re");
    if (!file) return (machine_time){0};
    const int found =
        fscanf(file, "cpu %llu %llu %llu %*u %*u %llu %llu %llu", &user, &nice, &system, &interrupts, &soft, &stolen);
    fclose(file);
    if (found != 6) return (machine_time){0};
    machine_time out = {.worked = seconds_of_ticks(user + nice + system + interrupts + soft),
                        .stolen = seconds_of_ticks(stolen)};
    out.others = out.worked + out.stolen - used_here(RUSAGE_SELF) - used_here(RUSAGE_CHILDREN);
    return out;
}

processor_time processor_time_with_stolen(processor_time time, machine_time from, machine_time to)
{
    const double worked = to.worked - from.worked, stolen = to.stolen - from.stolen;
    if (worked > 0 && stolen > 0) time.waited += (time.used - time.ended) * stolen / worked;
    return time;
}
