/* The thread that starts the process lives as long as the process: the system ends a child when the thread that made it
 * ends (PR_SET_PDEATHSIG). */
#include "process.h"

#include "base/status.h"
#include "base/processes/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_FILES = 8, SAFE_FILE = APART_FIRST_FILE + MOST_FILES };

atomic_bool process_ended;
static char end_text[128] = "has ended";
static int end_signal;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t done;
    int file[MOST_FILES], files;
    int error; /* of the start; -1 until it is known */
    char path[2200];
    void (*awaits_end)(void);
} start = {.lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

const char *process_end(int *signal_number)
{
    *signal_number = end_signal;
    return end_text;
}

static int spawn(pid_t *child)
{
    char parent[32], *arguments[] = {start.path, parent, NULL}, *environment[] = {NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int error = 0;
    snprintf(parent, sizeof parent, "%ld", (long)getpid());
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    for (int i = 0; i < start.files && !error; i++)
        error = posix_spawn_file_actions_adddup2(&actions, start.file[i], APART_FIRST_FILE + i);
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(&actions, APART_FIRST_FILE + start.files);
    if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(&attributes, &all);
    if (!error) error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (!error) error = posix_spawn(child, start.path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void note_end(int status)
{
    if (WIFSIGNALED(status)) {
        end_signal = WTERMSIG(status);
        snprintf(end_text, sizeof end_text, "was ended by signal %d (%s)", end_signal, strsignal(end_signal));
    } else if (WIFEXITED(status)) {
        snprintf(end_text, sizeof end_text, "ended with status %d", WEXITSTATUS(status));
    }
    atomic_store(&process_ended, true);
    start.awaits_end();
}

static void *watch(void *unused)
{
    pid_t child = 0;
    const int error = spawn(&child);
    pthread_mutex_lock(&start.lock);
    start.error = error;
    pthread_cond_signal(&start.done);
    pthread_mutex_unlock(&start.lock);
    int status = 0;
    if (error) return unused;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    note_end(status);
    return unused;
}

static lab_status start_thread(void)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&thread, NULL, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no thread for the process of kernels");
    pthread_detach(thread);
    pthread_mutex_lock(&start.lock);
    while (start.error < 0) pthread_cond_wait(&start.done, &start.lock);
    pthread_mutex_unlock(&start.lock);
    if (start.error == 0) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_NOT_INITIALIZED, "the process of kernels, %s, does not start: %s", start.path,
                    strerror(start.error));
}

lab_status process_start(const int *files, int count, void (*awaits_end)(void))
{
    lab_status status = LAB_SUCCESS;
    start.error = -1;
    start.awaits_end = awaits_end;
    lab_process_find_beside(start.path, sizeof start.path, "LAB_KERNELS", "labkernels");
    /* Descriptors that no other is made to be. */
    for (start.files = 0; start.files < count && status == LAB_SUCCESS; start.files++) {
        start.file[start.files] = fcntl(files[start.files], F_DUPFD_CLOEXEC, SAFE_FILE);
        if (start.file[start.files] < 0)
            status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no descriptor for the process of kernels: %s", strerror(errno));
    }
    if (status == LAB_SUCCESS) status = start_thread();
    for (int i = 0; i < start.files; i++)
        if (start.file[i] >= 0) close(start.file[i]);
    return status;
}
