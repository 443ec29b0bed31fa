/* Three channels to the child, and one poll loop. */
#include "process.h"
#include "fork_server.h"
#include "spawn.h"
#include "base/status.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK_BYTES = 64 * 1024, FLOOD_BYTES = 256 * 1024 * 1024 };

/* Both ends of the three channels; -1 is closed. */
enum { INPUT, OUTPUT, ERRORS, CHANNELS };
typedef struct channels {
    int ours[CHANNELS];
    int theirs[CHANNELS];
} channels;

static void close_one(int *descriptor)
{
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
}

static void close_all(channels *ends)
{
    for (int i = 0; i < CHANNELS; i++) {
        close_one(&ends->ours[i]);
        close_one(&ends->theirs[i]);
    }
}

/* Sockets, not pipes: writing to a socket whose reader is gone can be kept from raising a signal. */
static bool open_channels(channels *ends)
{
    *ends = (channels){{-1, -1, -1}, {-1, -1, -1}};
    for (int i = 0; i < CHANNELS; i++) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return false;
        ends->ours[i] = spawn_move_up(pair[0]);
        ends->theirs[i] = spawn_move_up(pair[1]);
        if (ends->ours[i] < 0 || ends->theirs[i] < 0) return false;
    }
    return true;
}

/* Returns 0, or the errno of why the child could not be started. A server that makes no copy is left out. */
static int start(pid_t *child, bool *is_copy, const lab_process *process, const channels *ends)
{
    *child = process->server
                 ? fork_server_run(process->server, process->arguments + 1, process->environment, ends->theirs)
                 : -1;
    *is_copy = *child >= 0;
    return *is_copy ? 0
                    : spawn_program(child, process->program, process->arguments, process->environment, ends->theirs);
}

static long long milliseconds_of(struct timespec time) { return time.tv_sec * 1000LL + time.tv_nsec / 1000000; }

static long long milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return milliseconds_of(now);
}

/* Of processor time. Of a child that has ended the system may have no clock: 0. */
static long long milliseconds_used_by(pid_t child)
{
    clockid_t clock;
    struct timespec used = {0};
    if (clock_getcpuclockid(child, &clock) == 0) clock_gettime(clock, &used);
    return milliseconds_of(used);
}

/* How long the child can run before it may have reached a limit; 0 once it has. */
static int milliseconds_left(pid_t child, const lab_process *process, long long begin)
{
    const long long processor = process->processor_seconds * 1000LL - milliseconds_used_by(child);
    const long long all = process->seconds * 1000LL - (milliseconds_now() - begin);
    const long long least = processor < all ? processor : all;
    return least > 0 ? (int)least : 0;
}

/* Appends the bytes that can be read now, and closes the channel at its end. False if memory ran out. */
static bool read_some(int *descriptor, char **text, size_t *size)
{
    char *grown = realloc(*text, *size + CHUNK_BYTES + 1);
    if (!grown) return false;
    *text = grown;
    const ssize_t count = recv(*descriptor, grown + *size, CHUNK_BYTES, 0);
    if (count > 0) *size += (size_t)count;
    if (count == 0 || (count < 0 && errno != EINTR)) close_one(descriptor);
    grown[*size] = '\0';
    return true;
}

static void write_some(int *descriptor, const char **input, size_t *left)
{
    const ssize_t count = send(*descriptor, *input, *left, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
        *input += count;
        *left -= (size_t)count;
    }
    const bool gone = count < 0 && errno != EINTR && errno != EAGAIN;
    if (gone || *left == 0) close_one(descriptor);
}

/* Feeds the child and reads it until both outputs end, or a limit is reached. False if memory ran out. */
static bool exchange(lab_process_result *result, pid_t child, const lab_process *process, channels *ends)
{
    const long long begin = milliseconds_now();
    const char *input = process->input;
    size_t left = process->input_size;
    if (left == 0) close_one(&ends->ours[INPUT]);
    while (ends->ours[OUTPUT] >= 0 || ends->ours[ERRORS] >= 0) {
        struct pollfd ready[CHANNELS];
        for (int i = 0; i < CHANNELS; i++)
            ready[i] = (struct pollfd){.fd = ends->ours[i], .events = i == INPUT ? POLLOUT : POLLIN};
        const bool any = poll(ready, CHANNELS, milliseconds_left(child, process, begin)) > 0;
        if (any && ready[INPUT].revents) write_some(&ends->ours[INPUT], &input, &left);
        if (any && ready[OUTPUT].revents && !read_some(&ends->ours[OUTPUT], &result->output, &result->output_size))
            return false;
        if (any && ready[ERRORS].revents && !read_some(&ends->ours[ERRORS], &result->errors, &result->errors_size))
            return false;
        result->timed_out = milliseconds_left(child, process, begin) == 0;
        result->flooded = result->output_size + result->errors_size > FLOOD_BYTES;
        if (result->timed_out || result->flooded) return true;
    }
    return true;
}

/* A host program that ignores SIGCHLD loses its children's status, which then counts as 0. */
static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

lab_status lab_process_run(lab_process_result *result, const lab_process *process)
{
    *result = (lab_process_result){0};
    channels ends;
    pid_t child = 0;
    bool is_copy = false;
    int error = open_channels(&ends) ? start(&child, &is_copy, process, &ends) : errno;
    if (error) {
        close_all(&ends);
        return lab_fail(LAB_ERROR_FILE_NOT_FOUND, "%s cannot be run: %s", process->program, strerror(error));
    }
    for (int i = 0; i < CHANNELS; i++) close_one(&ends.theirs[i]);

    bool complete = exchange(result, child, process, &ends);
    if (!complete || result->timed_out || result->flooded) kill(child, SIGKILL);
    close_all(&ends);
    result->status = is_copy ? fork_server_wait(process->server) : wait_for(child);
    if (complete && !result->output) complete = (result->output = strdup("")) != NULL;
    if (complete && !result->errors) complete = (result->errors = strdup("")) != NULL;
    return complete ? LAB_SUCCESS
                    : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory for the output of %s", process->program);
}

void lab_process_result_free(lab_process_result *result)
{
    free(result->output);
    free(result->errors);
    *result = (lab_process_result){0};
}

bool lab_process_is_program(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0;
}

bool lab_process_find(char *path, size_t bytes, const char *folders, const char *name)
{
    for (const char *folder = folders; folder; folder = strchr(folder, ':') ? strchr(folder, ':') + 1 : NULL) {
        const int length = (int)strcspn(folder, ":");
        if (length && (size_t)snprintf(path, bytes, "%.*s/%s", length, folder, name) < bytes &&
            lab_process_is_program(path))
            return true;
    }
    return false;
}

void lab_process_find_beside(char *path, size_t bytes, const char *variable, const char *name)
{
    const char *chosen = getenv(variable);
    char own[2048];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(own, '/');
        if (slash) *slash = '\0';
    }
    if (chosen && *chosen)
        snprintf(path, bytes, "%s", chosen);
    else
        snprintf(path, bytes, "%s/bin/%s", own, name);
}
