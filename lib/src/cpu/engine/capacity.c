/* What Linux says of the process: its affinity, and the limits of its control groups, of either version. */
#include "capacity.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cpu_usable_cores(void)
{
    cpu_set_t cores;
    int usable = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
    return usable > 0 ? usable : 1;
}

/* The number in a file; SIZE_MAX if the file is missing or holds no number ("max"). */
static size_t read_number(const char *path)
{
    char text[64];
    FILE *file = fopen(path, "re");
    if (!file) return SIZE_MAX;
    bool read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    if (!read) return SIZE_MAX;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    return end == text || errno || number > SIZE_MAX ? SIZE_MAX : (size_t)number;
}

size_t cpu_group_memory_limit(const char *root, const char *group, const char *file)
{
    char folder[PATH_MAX], path[PATH_MAX + 64];
    size_t least = SIZE_MAX, shortest = strlen(root);
    if (snprintf(folder, sizeof folder, "%s%s", root, group) >= (int)sizeof folder) return least;
    for (;;) {
        snprintf(path, sizeof path, "%s/%s", folder, file);
        size_t limit = read_number(path);
        if (limit < least) least = limit;
        char *last = strrchr(folder, '/');
        if (!last || (size_t)(last - folder) < shortest) return least;
        *last = '\0';
    }
}

/* "0::/GROUP" is a line of version 2, "N:LIST:/GROUP" with memory in the list one of version 1. */
static size_t find_limit(char *line)
{
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) return SIZE_MAX;
    *group++ = '\0';
    controllers++;
    if (!*controllers) return cpu_group_memory_limit("/sys/fs/cgroup", group, "memory.max");
    for (char *rest, *name = strtok_r(controllers, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        if (strcmp(name, "memory") == 0)
            return cpu_group_memory_limit("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
    return SIZE_MAX;
}

size_t cpu_usable_memory(void)
{
    size_t least = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    char line[PATH_MAX];
    FILE *groups = fopen("/proc/self/cgroup", "re");
    while (groups && fgets(line, sizeof line, groups)) {
        size_t limit = find_limit(line);
        if (limit < least) least = limit;
    }
    if (groups) fclose(groups);
    return least;
}
