/*
 * labserver: the device process of a program that uses liblab-remote.
 *
 *   labserver SOCKET [--untrusted | --check CONTROL]
 *
 * SOCKET is the number of an inherited socket (SOCK_SEQPACKET). If it listens, programs are served one after another,
 * each at a connection of its own; else the program at its other end is served, and then labserver ends. A listening
 * labserver starts itself again after an untrusted program whose kernel has failed or does not end. CONTROL is the
 * number of another inherited socket, at whose other end is the check of a program that is not trusted. The kernels of
 * an untrusted program run in a process of their own.
 */
#include "base/system/cache.h"
#include "cpu/apart/apart.h"
#include "cpu/engine/process_failure.h"
#include "seam/source_files.h"
#include "served/served.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* The program is gone: a record is still saved, but nothing waits for a kernel that never ends. */
enum { MOST_SECONDS_TO_END = 60, MOST_SECONDS_TO_RELEASE = 2 };

static char **own_arguments;

/* Begins again as a new process, with the same number and socket. The process of kernels ends with the old one. */
static void begin_again(void)
{
    execv("/proc/self/exe", own_arguments);
    _exit(1);
}

static int serve(int socket, bool trusted)
{
    const char *fault = served_run(socket, trusted);
    if (fault) fprintf(stderr, "labserver: %s\n", fault);
    close(socket);
    return fault != NULL;
}

/* Begins again unless the release is done in time. */
static void *watch_release(void *done)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += MOST_SECONDS_TO_RELEASE;
    while (sem_clockwait(done, CLOCK_MONOTONIC, &until) != 0)
        if (errno == ETIMEDOUT) begin_again();
    return NULL;
}

/* Frees what the program held, unless one of its kernels runs for ever, or has failed the device for good. */
static void release(bool trusted)
{
    sem_t done;
    pthread_t watcher;
    sem_init(&done, 0, 0);
    bool watched = !trusted && pthread_create(&watcher, NULL, watch_release, &done) == 0;
    served_release();
    sem_post(&done);
    if (watched) pthread_join(watcher, NULL);
    sem_destroy(&done);
    if (!trusted && atomic_load(&cpu_process_failure)) begin_again();
}

static void serve_all(int socket, bool trusted)
{
    for (int program; (program = accept4(socket, NULL, NULL, SOCK_CLOEXEC)) >= 0;) {
        serve(program, trusted);
        release(trusted);
    }
}

int main(int arguments, char **argument)
{
    const bool trusted = arguments == 2, checked = arguments == 4 && strcmp(argument[2], "--check") == 0;
    if (!trusted && !checked && (arguments != 3 || strcmp(argument[2], "--untrusted") != 0)) {
        fprintf(stderr, "usage: %s SOCKET [--untrusted | --check CONTROL]\n", argument[0]);
        return 2;
    }
    int socket = atoi(argument[1]), listens = 0;
    setvbuf(stdout, NULL, _IOLBF, 0); /* what kernels print appears when it does in one process */
    socklen_t size = sizeof listens;
    signal(SIGPIPE, SIG_IGN);
    if (!trusted) {
        apart_require();
        source_files_refuse();
        cache_serve_untrusted();
        prctl(PR_SET_DUMPABLE, 0);
    }
    if (checked && !served_control(atoi(argument[3]))) return 1;
    if (getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || !listens) {
        int status = serve(socket, trusted);
        while (checked) pause(); /* the check may still ask; with it this process ends */
        alarm(MOST_SECONDS_TO_END);
        return status;
    }
    own_arguments = argument;
    serve_all(socket, trusted);
    return 0;
}
