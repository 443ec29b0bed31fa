/* /proc/self/task tells the system call that each thread is in. Where the system does not tell, no thread waits. */
#include "host_threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_LEFT_OUT = 64 };

static atomic_int left_out[MOST_LEFT_OUT]; /* thread numbers; 0 is none */
static atomic_int places;
static _Thread_local int own_place = -1;

void host_threads_count_caller(bool counts)
{
    if (own_place < 0) own_place = atomic_fetch_add(&places, 1);
    if (own_place < MOST_LEFT_OUT) atomic_store(&left_out[own_place], counts ? 0 : gettid());
}

static bool is_left_out(int thread)
{
    for (int i = 0; i < MOST_LEFT_OUT; i++)
        if (atomic_load(&left_out[i]) == thread) return true;
    return false;
}

typedef enum activity { RUNS, WAITS_FOR_ANOTHER, WAITS_FOR_SOMETHING } activity;

/* The file begins with the number of the system call, or with the word "running". */
static activity find_activity(int folder, const char *thread)
{
    char path[sizeof((struct dirent){0}.d_name) + sizeof "/syscall"], text[16] = "";
    snprintf(path, sizeof path, "%s/syscall", thread);
    const int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return RUNS;
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0 || text[0] < '0' || text[0] > '9') return RUNS;
    return strtol(text, NULL, 10) == SYS_futex ? WAITS_FOR_ANOTHER : WAITS_FOR_SOMETHING;
}

bool host_threads_all_wait(void)
{
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return false;
    bool runs = false, waits = false;
    for (const struct dirent *each; !runs && (each = readdir(tasks));) {
        if (each->d_name[0] == '.' || is_left_out(atoi(each->d_name))) continue;
        const activity now = find_activity(dirfd(tasks), each->d_name);
        runs = now == RUNS;
        waits = waits || now == WAITS_FOR_ANOTHER;
    }
    closedir(tasks);
    return waits && !runs;
}
