/* How the program and the device process meet and part: the socket, the window of pinned memory, the thread that
 * listens to the socket, forks, and the program's end. */
#include "connect.h"

#include "base/program/host_threads.h"
#include "base/program/program.h"
#include "base/status.h"
#include "base/processes/process.h"
#include "wire/note.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_PROPOSALS = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows, and is held while a channel opens */
static bool connected;
static atomic_bool forked; /* this process is a child of one that was connected */
static int socket_file = -1;
static pid_t started; /* the device process, if the program started it */
static pthread_t listener;
static char reason[256]; /* why the connection ended */
static void *(*serve_callbacks)(void *channel);

static pthread_mutex_t arrival_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrival = PTHREAD_COND_INITIALIZER;
static remote_channel *arrived; /* the channel that was asked for */
static bool has_arrived;
static remote_channel *channels; /* all of them, guarded by arrival_lock */

atomic_bool remote_lost;
_Thread_local remote_channel *remote_channel_mine;

const char *connect_reason(void) { return *reason ? reason : "the device process has ended"; }

/* ---- Channels ---- */

static remote_channel *make_channel(int file, uint32_t number, bool callbacks)
{
    remote_channel *made = file >= 0 ? calloc(1, sizeof *made) : NULL;
    wire_channel *shared = made ? wire_channel_map(file) : NULL;
    if (!shared) {
        free(made);
        return NULL;
    }
    *made = (remote_channel){.shared = shared, .number = number, .callbacks = callbacks};
    pthread_mutex_lock(&arrival_lock);
    made->next = channels;
    channels = made;
    pthread_mutex_unlock(&arrival_lock);
    return made;
}

void connect_drop(remote_channel *channel)
{
    pthread_mutex_lock(&arrival_lock);
    remote_channel **link = &channels;
    while (*link != channel) link = &(*link)->next;
    *link = channel->next;
    pthread_mutex_unlock(&arrival_lock);
    wire_channel_unmap(channel->shared);
    free(channel->taken);
    free(channel);
}

/* ---- The thread that listens to the socket ---- */

static void arrive(remote_channel *channel)
{
    pthread_mutex_lock(&arrival_lock);
    arrived = channel;
    has_arrived = true;
    pthread_cond_signal(&arrival);
    pthread_mutex_unlock(&arrival_lock);
}

static void start_callbacks(int file, uint32_t number)
{
    pthread_t thread;
    remote_channel *channel = make_channel(file, number, true);
    if (channel && pthread_create(&thread, NULL, serve_callbacks, channel) == 0) pthread_detach(thread);
}

static void lose(void)
{
    atomic_store(&remote_lost, true);
    arrive(NULL);
    pthread_mutex_lock(&arrival_lock);
    for (remote_channel *each = channels; each; each = each->next) wire_abandon(each->shared);
    pthread_mutex_unlock(&arrival_lock);
}

static void answer_look(uint32_t number)
{
    int64_t computed;
    const bool all_wait = program_all_wait(&computed);
    const wire_note looked = {.kind = NOTE_LOOKED, .number = number, .address = (uint64_t)computed, .bytes = all_wait};
    wire_send_note(socket_file, &looked, -1);
}

static void *listen_to_device(void *unused)
{
    wire_note note;
    int file;
    host_threads_count_caller(false);
    while (wire_receive_note(&note, &file, socket_file)) {
        if (note.kind == NOTE_CHANNEL)
            arrive(make_channel(file, note.number, false));
        else if (note.kind == NOTE_CALLBACKS)
            start_callbacks(file, note.number);
        else if (note.kind == NOTE_LOOK)
            answer_look(note.number);
        else if (note.kind == NOTE_REFUSED)
            snprintf(reason, sizeof reason, "%s", note.text);
    }
    lose();
    return unused;
}

/* ---- Meeting ---- */

static lab_status start_device_process(void)
{
    int pair[2], error;
    char path[2200], *arguments[] = {path, "3", NULL};
    posix_spawn_file_actions_t actions;
    lab_process_find_beside(path, sizeof path, "LAB_SERVER", "labserver");
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return lab_fail(LAB_ERROR_NOT_INITIALIZED, "no socket for the device process: %s", strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pair[1], 3);
    error = posix_spawn(&started, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(pair[1]);
    socket_file = pair[0];
    if (error == 0) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_NOT_INITIALIZED, "the device process %s does not start: %s", path, strerror(error));
}

/* Maps the window where the device process proposes it or, if that place is taken here, somewhere else. */
static bool map_window(wire_note *note, int file)
{
    const int flags = MAP_SHARED | MAP_NORESERVE;
    void *wish = (void *)(uintptr_t)note->address;
    void *memory = mmap(wish, note->bytes, PROT_NONE, flags | MAP_FIXED_NOREPLACE, file, 0);
    if (memory == MAP_FAILED) memory = mmap(NULL, note->bytes, PROT_NONE, flags, file, 0);
    note->kind = NOTE_MAPPED;
    note->number = &remote_cooperative_is_linked != NULL;
    note->address = (uintptr_t)memory;
    return memory != MAP_FAILED;
}

static lab_status agree(int file)
{
    wire_note note;
    int window;
    if (!wire_receive_note(&note, &window, file) || note.kind != NOTE_HELLO || window < 0)
        return lab_fail(LAB_ERROR_NOT_INITIALIZED, "the device process does not say hello");
    bool agreed = note.version == remote_version;
    if (!agreed) lab_fail(LAB_ERROR_NOT_INITIALIZED, "the device process is of another build of the library");
    for (int i = 0; agreed && note.kind != NOTE_AGREED; i++) {
        int none;
        if (note.kind == NOTE_MAPPED) munmap((void *)(uintptr_t)note.address, note.bytes);
        agreed = i < MOST_PROPOSALS && map_window(&note, window) && wire_send_note(file, &note, -1) &&
                 wire_receive_note(&note, &none, file);
        if (!agreed) lab_fail(LAB_ERROR_NOT_INITIALIZED, "no place for pinned memory suits both processes");
    }
    close(window);
    return agreed ? LAB_SUCCESS : LAB_ERROR_NOT_INITIALIZED;
}

/* Whether the device process has ended as LAB_ORDER=report:STATUS asks for. */
static bool reports_findings(int status)
{
    static const char report[] = "report:";
    const char *wish = getenv("LAB_ORDER");
    return wish && strncmp(wish, report, sizeof report - 1) == 0 && WIFEXITED(status) &&
           WEXITSTATUS(status) == atoi(wish + sizeof report - 1);
}

/* The device process ends when the socket does; what it writes at its end, it has written when the program ends. */
static void part(void)
{
    if (!connected || atomic_load(&forked)) return;
    shutdown(socket_file, SHUT_WR);
    pthread_join(listener, NULL);
    int status = 0;
    if (started > 0) waitpid(started, &status, 0);
    if (status == 0) return;
    const bool found = reports_findings(status);
    if (!found) fprintf(stderr, "%s, with status %d\n", connect_reason(), status);
    fflush(NULL);
    _exit(found ? WEXITSTATUS(status) : EXIT_FAILURE);
}

static void note_fork(void)
{
    if (!atomic_exchange(&forked, true)) close(socket_file);
    remote_channel_mine = NULL;
}

static lab_status start_listener(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&listener, NULL, listen_to_device, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no thread for the socket of the device process");
    return LAB_SUCCESS;
}

/* The lock is held. */
static lab_status meet(void)
{
    if (connected) return LAB_SUCCESS;
    const char *inherited = getenv("LAB_DEVICE_SOCKET");
    if (inherited && *inherited) {
        socket_file = atoi(inherited);
        fcntl(socket_file, F_SETFD, FD_CLOEXEC);
    } else {
        LAB_TRY(start_device_process());
    }
    lab_status status = agree(socket_file);
    if (status == LAB_SUCCESS) status = start_listener();
    if (status != LAB_SUCCESS) {
        close(socket_file);
        return status;
    }
    pthread_atfork(NULL, NULL, note_fork);
    atexit(part);
    connected = true;
    return LAB_SUCCESS;
}

/* The lock is held. */
static remote_channel *ask_for_channel(uint32_t starter)
{
    wire_note note = {.kind = NOTE_OPEN, .number = starter};
    has_arrived = false;
    if (atomic_load(&remote_lost) || !wire_send_note(socket_file, &note, -1)) return NULL;
    pthread_mutex_lock(&arrival_lock);
    while (!has_arrived && !atomic_load(&remote_lost)) pthread_cond_wait(&arrival, &arrival_lock);
    remote_channel *channel = has_arrived ? arrived : NULL;
    pthread_mutex_unlock(&arrival_lock);
    return channel;
}

remote_channel *connect_open(uint32_t starter, void *(*serve)(void *channel))
{
    if (atomic_load(&forked)) {
        lab_fail(LAB_ERROR_NOT_INITIALIZED,
                 "the process was forked after it used the device; use the device before or after the fork, not both");
        return NULL;
    }
    pthread_mutex_lock(&lock);
    if (!connected) serve_callbacks = serve;
    remote_channel *opened = NULL;
    if (meet() == LAB_SUCCESS) {
        opened = ask_for_channel(starter);
        if (!opened)
            lab_fail(LAB_ERROR_NOT_INITIALIZED, "%s",
                     atomic_load(&remote_lost) ? connect_reason()
                                               : "the device process has no channel for this thread");
    }
    pthread_mutex_unlock(&lock);
    return opened;
}
