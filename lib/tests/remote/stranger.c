/* How an untrusted program starts the device process, meets it and speaks. */
#include "stranger.h"

#include "calls.h"
#include "wire/extra.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>

static pid_t device;
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static socklen_t address_bytes;

static void find_device(char *path, size_t bytes)
{
    ssize_t length = readlink("/proc/self/exe", path, bytes - 32);
    cr_assert_gt(length, 0);
    path[length] = '\0';
    *strrchr(path, '/') = '\0';
    strcpy(strrchr(path, '/'), "/bin/labserver");
}

pid_t stranger_start_device(void)
{
    char path[4096], number[16];
    int socket_file = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    address_bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                                (size_t)sprintf(address.sun_path + 1, "lab stranger %d", (int)getpid()));
    cr_assert_eq(bind(socket_file, (struct sockaddr *)&address, address_bytes), 0);
    cr_assert_eq(listen(socket_file, 16), 0);
    find_device(path, sizeof path);
    sprintf(number, "%d", socket_file);
    setenv("LAB_DEVICE", "cpu", 1);
    device = fork();
    if (device == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl(path, path, number, "--untrusted", (char *)NULL);
        _exit(127);
    }
    cr_assert_gt(device, 0);
    close(socket_file);
    return device;
}

void stranger_end_device(void)
{
    int status;
    cr_assert_eq(waitpid(device, &status, WNOHANG), 0, "the device process has ended");
    kill(device, SIGKILL);
    waitpid(device, &status, 0);
}

static void receive(const stranger *self, wire_note *note, int *file, uint32_t kind)
{
    cr_assert(wire_receive_note(note, file, self->socket), "the connection has ended");
    cr_assert_eq(note->kind, kind, "note %u: %s", note->kind, note->text);
}

wire_channel *stranger_open(const stranger *self)
{
    wire_note note = {.kind = NOTE_OPEN};
    int file;
    cr_assert(wire_send_note(self->socket, &note, -1));
    receive(self, &note, &file, NOTE_CHANNEL);
    return file >= 0 ? wire_channel_map(file) : NULL;
}

int stranger_connect(void)
{
    const int connected = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    return connect(connected, (struct sockaddr *)&address, address_bytes) == 0 ? connected : -1;
}

void stranger_meet(stranger *self)
{
    wire_note note;
    int window, none;
    self->socket = stranger_connect();
    cr_assert_geq(self->socket, 0);
    receive(self, &note, &window, NOTE_HELLO);
    close(window);
    self->window = note.address;
    self->window_bytes = note.bytes;
    note.kind = NOTE_MAPPED;
    cr_assert(wire_send_note(self->socket, &note, -1));
    receive(self, &note, &none, NOTE_AGREED);
    self->channel = stranger_open(self);
    cr_assert_not_null(self->channel);
}

void stranger_leave(stranger *self)
{
    close(self->socket);
    wire_channel_unmap(self->channel);
}

/* "object" and a size: the words of the table with the sizes of the types. */
static const struct {
    const char *name;
    const char *words[12];
    size_t size[12];
} calls[] = WIRE_NAMES;

uint32_t stranger_calls(void) { return WIRE_CALLS; }

const char *stranger_name(uint32_t call) { return calls[call].name; }

const char *stranger_words(uint32_t call)
{
    static char text[256];
    int used = 0;
    *text = '\0';
    for (int i = 0; calls[call].words[i]; i++)
        used += sprintf(text + used, "%s%zu ", calls[call].words[i], calls[call].size[i]);
    return text;
}

static uint32_t find_call(const char *name)
{
    uint32_t number = 0;
    while (number < WIRE_CALLS && strcmp(calls[number].name, name) != 0) number++;
    cr_assert_lt(number, (uint32_t)WIRE_CALLS, "there is no call %s", name);
    return number;
}

void stranger_begin(stranger *self, const char *call)
{
    const int line = 1;
    const uint64_t caller = 0;
    self->message = (wire){.bytes = self->channel->request.bytes, .end = WIRE_BYTES};
    self->channel->request.number = find_call(call);
    wire_put(&self->message, &line, sizeof line);
    wire_put(&self->message, &caller, sizeof caller);
    wire_put_bool(&self->message, false);
    wire_put_text(&self->message, "stranger.c");
}

void stranger_send(stranger *self, wire_kind kind)
{
    self->channel->request.kind = kind;
    self->channel->request.length = self->message.at;
    wire_pass(self->channel, WIRE_PROGRAM);
}

bool stranger_await_for(const stranger *self, int milliseconds)
{
    struct pollfd file = {.fd = self->socket}; /* its end is an event that needs no asking */
    for (int i = 0; i < milliseconds && atomic_load(&self->channel->turn) != WIRE_PROGRAM; i++)
        if (poll(&file, 1, i > 0) > 0) return true;
    return atomic_load(&self->channel->turn) == WIRE_PROGRAM;
}

bool stranger_await(const stranger *self)
{
    while (!stranger_await_for(self, 1000)) continue;
    return atomic_load(&self->channel->turn) == WIRE_PROGRAM;
}

lab_status stranger_count_devices(stranger *self, int *count)
{
    stranger_begin(self, "lab_device_count");
    wire_put_object(&self->message, count, sizeof *count);
    stranger_send(self, WIRE_CALL);
    cr_assert(stranger_await(self), "the connection has ended");
    lab_status status;
    wire reply = {.bytes = self->channel->reply.bytes, .end = self->channel->reply.length};
    wire_get(&reply, &status, sizeof status);
    wire_get(&reply, count, sizeof *count);
    return status;
}

void stranger_is_refused(stranger *self, const char *words)
{
    wire_note note;
    int file, count = 0;
    do cr_assert(wire_receive_note(&note, &file, self->socket), "no reason was given; expected: %s", words);
    while (note.kind != NOTE_REFUSED);
    cr_assert_not_null(strstr(note.text, words), "the reason is \"%s\", not \"%s\"", note.text, words);
    stranger_leave(self);
    stranger_meet(self);
    cr_assert_eq(stranger_count_devices(self, &count), LAB_SUCCESS);
    cr_assert_gt(count, 0);
}
