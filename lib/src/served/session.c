/* The connection to one program: its socket, the threads that serve the program's threads, and its end. */
#include "channels.h"
#include "looks.h"

#include "base/program/host_memory.h"
#include "base/program/program.h"
#include "objects/contexts/context.h"
#include "order/order.h"
#include "record/record.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Milliseconds in which threads end that wait for the program; others may be in calls that take long. */
enum { MOST_PAUSES = 200 };

typedef struct served_thread {
    served_channel channel;
    pthread_t thread;
} served_thread;

static int thread_ended = -1; /* tells the thread of the socket that another has ended */

static void *serve_thread(void *user)
{
    served_channel *channel = channels_own = user;
    order_thread_set_starter(atomic_load(&channel->starter_mark));
    lab_trace_op numbered = {0};
    record_caller(&numbered);
    uint64_t none = 0;
    atomic_compare_exchange_strong(&served_first_thread, &none, numbered.thread);
    served_converse(channel);
    atomic_store(&channel->ended, true);
    eventfd_write(thread_ended, 1);
    return NULL;
}

static void open_channel(uint32_t starter)
{
    served_thread *made = (served_thread *)channels_open(starter, sizeof *made);
    if (!made || pthread_create(&made->thread, NULL, serve_thread, made) == 0) return;
    served_refuse("there is no thread for a thread of the program", NULL);
    channels_drop(&made->channel);
}

/* Joins the threads that have ended, and tells the program. Returns the number of those that have not. */
static int join_ended(void)
{
    int running;
    for (served_channel *ended; (ended = channels_find_ended(&running));) {
        pthread_join(((served_thread *)ended)->thread, NULL);
        wire_pass(ended->shared, WIRE_DEVICE);
        channels_drop(ended);
    }
    return running;
}

/* Serves the socket until it ends. */
static void serve_socket(int socket)
{
    struct pollfd files[] = {{.fd = socket, .events = POLLIN}, {.fd = thread_ended, .events = POLLIN}};
    wire_note note;
    eventfd_t count;
    int file;
    for (;;) {
        if (poll(files, 2, -1) < 0 && errno != EINTR) return;
        if (files[1].revents) {
            eventfd_read(thread_ended, &count);
            join_ended();
        }
        if (!files[0].revents) continue;
        if (!wire_receive_note(&note, &file, socket)) return;
        if (file >= 0) close(file);
        if (note.kind == NOTE_OPEN)
            open_channel(note.number);
        else if (note.kind == NOTE_LOOKED)
            looks_take(&note);
        else
            served_refuse("a note has an unknown kind", NULL);
    }
}

static void pause_and_end(void)
{
    usleep(1000);
    channels_end();
}

const char *served_run(int socket, bool trusted)
{
    if (thread_ended < 0) thread_ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    program_use(&served_program);
    if (thread_ended >= 0 && served_meet(socket)) {
        channels_begin(socket, trusted);
        looks_begin(socket);
        serve_socket(socket);
        looks_begin(-1);
    }
    const char *fault = channels_end();
    for (int i = 0; i < MOST_PAUSES && join_ended() > 0; i++) pause_and_end();
    return fault;
}

void served_release(void)
{
    int devices = 0;
    while (join_ended() > 0) pause_and_end();
    lab_set_allocator(NULL);
    for (lab_context *made; (made = context_list_made());) lab_context_destroy(made);
    if (lab_device_count(&devices) == LAB_SUCCESS)
        for (int device = 0; device < devices; device++) lab_device_reset(device);
}
