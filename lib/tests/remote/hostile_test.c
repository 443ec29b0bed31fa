/* Messages that no program sends. Each ends its connection with a reason; the device process serves others. */
#include "lab_trace.h"
#include "stranger.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static stranger self;

static void begin(void)
{
    stranger_start_device();
    stranger_meet(&self);
}

/* Sends a call whose arguments are these bytes. */
static void send_call(const char *call, const void *arguments, size_t bytes)
{
    stranger_begin(&self, call);
    wire_put(&self.message, arguments, bytes);
    stranger_send(&self, WIRE_CALL);
}

static void is_refused(const char *words) { stranger_is_refused(&self, words); }

Test(hostile, a_program_in_order_is_served)
{
    int count = 0;
    begin();
    cr_assert_eq(stranger_count_devices(&self, &count), LAB_SUCCESS);
    cr_assert_gt(count, 0);
    stranger_end_device();
}

Test(hostile, calls_that_do_not_exist)
{
    begin();
    const uint32_t numbers[] = {100000, UINT32_MAX, 1u << 31};
    for (int i = 0; i < 3; i++) {
        stranger_begin(&self, "lab_device_count");
        self.channel->request.number = numbers[i];
        stranger_send(&self, WIRE_CALL);
        is_refused("no such call");
    }
    stranger_end_device();
}

Test(hostile, messages_of_impossible_lengths)
{
    begin();
    const uint64_t lengths[] = {UINT64_MAX, WIRE_BYTES + 1, (uint64_t)1 << 63, UINT64_MAX - 7};
    for (int i = 0; i < 4; i++) {
        stranger_begin(&self, "lab_device_count");
        self.channel->request.kind = WIRE_CALL;
        self.channel->request.length = lengths[i];
        wire_pass(self.channel, WIRE_PROGRAM);
        is_refused("impossible length");
    }
    stranger_end_device();
}

Test(hostile, messages_that_are_too_short_or_too_long)
{
    begin();
    const unsigned char bytes[64] = {0};
    send_call("lab_device_count", bytes, 0);
    is_refused("lab_device_count: the message ends too early");
    send_call("lab_mem_alloc", bytes, 3);
    is_refused("the message ends too early");
    send_call("lab_device_synchronize", bytes, 1);
    is_refused("longer than the call");
    stranger_begin(&self, "lab_device_synchronize");
    self.message.at = 2;
    stranger_send(&self, WIRE_CALL);
    is_refused("the message ends too early");
    stranger_end_device();
}

Test(hostile, truth_values_of_2)
{
    begin();
    const unsigned char bytes[17] = {[16] = 2};
    send_call("lab_next_uses", bytes, sizeof bytes);
    is_refused("neither 0 nor 1");
    const unsigned char present[1] = {255};
    send_call("lab_device_count", present, sizeof present);
    is_refused("neither 0 nor 1");
    stranger_end_device();
}

/* A text as a message holds it: where it is, its length, its bytes or its address. */
static void put_text(unsigned char where, uint64_t count, const void *bytes, size_t sent)
{
    stranger_begin(&self, "lab_module_load_source");
    wire_put_object(&self.message, NULL, 0);
    wire_put(&self.message, &where, 1);
    wire_put(&self.message, &count, sizeof count);
    wire_put(&self.message, bytes, sent);
}

Test(hostile, texts_that_end_elsewhere)
{
    begin();
    put_text(1, 4, "abcd", 4);
    stranger_send(&self, WIRE_CALL);
    is_refused("does not end where it says");
    put_text(1, 4, "a\0c", 4);
    stranger_send(&self, WIRE_CALL);
    is_refused("does not end where it says");
    put_text(1, UINT64_MAX, "abc", 4);
    stranger_send(&self, WIRE_CALL);
    is_refused("ends after the message");
    put_text(1, 100, "abc", 4);
    stranger_send(&self, WIRE_CALL);
    is_refused("ends after the message");
    put_text(7, 4, "abc", 4);
    stranger_send(&self, WIRE_CALL);
    is_refused("ends after the message");
    const uint64_t address = 4096;
    put_text(2, UINT64_MAX, &address, sizeof address);
    stranger_send(&self, WIRE_CALL);
    is_refused("too long");
    stranger_end_device();
}

/* Answers the question in the channel. */
static void answer(int64_t status, const void *bytes, size_t count)
{
    const wire_told told = {.status = status};
    self.message = (wire){.bytes = self.channel->request.bytes, .end = WIRE_BYTES};
    wire_put(&self.message, &told, sizeof told);
    if (count) wire_put(&self.message, bytes, count);
    stranger_send(&self, WIRE_ANSWER);
}

/* Asks the device process to read a long text of this program. */
static void be_asked(void)
{
    const uint64_t address = 4096;
    put_text(2, 5000, &address, sizeof address);
    wire_put_text(&self.message, NULL);
    stranger_send(&self, WIRE_CALL);
    cr_assert(stranger_await(&self));
    cr_assert_eq(self.channel->reply.kind, (uint32_t)WIRE_QUESTION);
    cr_assert_eq(self.channel->reply.number, (uint32_t)WIRE_READ);
}

Test(hostile, answers_without_a_question_and_the_reverse)
{
    begin();
    answer(1, NULL, 0);
    is_refused("without a question");
    be_asked();
    stranger_send(&self, WIRE_END);
    is_refused("was not answered");
    be_asked();
    stranger_send(&self, 77);
    is_refused("was not answered");
    be_asked();
    answer(0, NULL, 0);
    is_refused("not in the program's memory");
    stranger_send(&self, 77);
    is_refused("without a question");
    stranger_end_device();
}

Test(hostile, calls_within_questions_are_served_up_to_a_depth)
{
    int count = 0;
    begin();
    be_asked();
    cr_assert_eq(stranger_count_devices(&self, &count), LAB_SUCCESS);
    for (int depth = 1; depth < 32; depth++) be_asked();
    stranger_begin(&self, "lab_device_synchronize");
    stranger_send(&self, WIRE_CALL);
    is_refused("too many calls in calls");
    stranger_end_device();
}

Test(hostile, arguments_of_impossible_number_and_size)
{
    begin();
    const struct {
        int32_t count;
        unsigned char present;
        const char *words;
    } tried[] = {{INT32_MAX, 1, "number of arguments"},
                 {66, 1, "number of arguments"},
                 {1, 0, "number of arguments"},
                 {2, 1, "ends too early"}};
    for (int i = 0; i < 4; i++) {
        stranger_begin(&self, "lab_elementwise_launch");
        const uint64_t handles[2] = {0};
        wire_put(&self.message, handles, sizeof handles);
        wire_put(&self.message, &tried[i].count, sizeof tried[i].count);
        wire_put(&self.message, &tried[i].present, 1);
        stranger_send(&self, WIRE_CALL);
        is_refused(tried[i].words);
    }
    stranger_begin(&self, "lab_array_fill");
    const uint64_t handle = 0, size = (uint64_t)1 << 40;
    const lab_arg_kind kind = LAB_ARG_BYTES;
    wire_put(&self.message, &handle, sizeof handle);
    wire_put(&self.message, &kind, sizeof kind);
    wire_put(&self.message, &size, sizeof size);
    wire_put(&self.message, "", 1);
    wire_put(&self.message, &handle, sizeof handle);
    stranger_send(&self, WIRE_CALL);
    is_refused("another size");
    stranger_end_device();
}

Test(hostile, what_is_for_the_check_alone)
{
    begin();
    send_call("lab_trace_begin", "", 0);
    is_refused("lab_trace_begin: the call is for the check alone");
    const lab_order_mode mode = LAB_ORDER_OFF;
    send_call("lab_order_start", &mode, sizeof mode);
    is_refused("for the check alone");
    stranger_end_device();
}

Test(hostile, notes_of_other_kinds_and_sizes)
{
    begin();
    wire_note note = {.kind = 4711};
    cr_assert(wire_send_note(self.socket, &note, -1));
    is_refused("unknown kind");
    for (size_t bytes = 1; bytes < 2000; bytes += 333) {
        char text[2000] = {NOTE_OPEN};
        cr_assert_eq(send(self.socket, text, bytes, 0), (ssize_t)bytes);
        stranger_leave(&self);
        stranger_meet(&self);
    }
    note = (wire_note){.kind = NOTE_OPEN};
    cr_assert(wire_send_note(self.socket, &note, STDERR_FILENO), "a file that nobody asked for is closed");
    stranger_leave(&self);
    stranger_meet(&self);
    stranger_end_device();
}

/* A note with two files, for which the buffer of a note with one has room, since its size is rounded up. */
static void send_twice(int file)
{
    const wire_note note = {.kind = NOTE_OPEN};
    const int files[2] = {file, file};
    union {
        char bytes[CMSG_SPACE(sizeof files)];
        struct cmsghdr aligned;
    } data = {.bytes = {0}};
    struct iovec part = {(void *)&note, sizeof note};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = data.bytes, .msg_controllen = sizeof data.bytes};
    data.aligned = (struct cmsghdr){CMSG_LEN(sizeof files), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&data.aligned), files, sizeof files);
    cr_assert_eq(sendmsg(self.socket, &message, 0), (ssize_t)sizeof note);
}

/* The other end of a pipe hangs up when nobody has its file open. */
Test(hostile, a_note_with_two_files_leaves_none_open)
{
    enum { SECONDS = 10 };
    stranger_start_device();
    stranger_meet(&self);
    for (int i = 0; i < 10; i++) {
        int end[2];
        cr_assert_eq(pipe2(end, O_CLOEXEC), 0);
        send_twice(end[1]);
        close(end[1]);
        struct pollfd other = {.fd = end[0]};
        cr_assert_eq(poll(&other, 1, SECONDS * 1000), 1, "a file is still open");
        cr_assert(other.revents & POLLHUP);
        close(end[0]);
        stranger_leave(&self);
        stranger_meet(&self);
    }
    stranger_end_device();
}

Test(hostile, handles_and_addresses_of_nothing_are_refused_by_the_call)
{
    begin();
    for (uint64_t handle = 1; handle; handle <<= 1) {
        send_call("lab_event_query", &handle, sizeof handle);
        cr_assert(stranger_await(&self));
        lab_status status;
        memcpy(&status, self.channel->reply.bytes, sizeof status);
        cr_assert_eq(status, LAB_ERROR_INVALID_HANDLE);
    }
    stranger_end_device();
}

/* The reply's status, and the handle behind it. */
static lab_status take_handle(uint64_t *handle)
{
    lab_status status;
    cr_assert(stranger_await(&self), "the connection has ended");
    wire reply = {.bytes = self.channel->reply.bytes, .end = self.channel->reply.length};
    wire_get(&reply, &status, sizeof status);
    if (handle) wire_get(&reply, handle, sizeof *handle);
    return status;
}

static void put_launch(uint64_t function)
{
    const lab_dim one = {1, 1, 1};
    const size_t shared = 0;
    const uint64_t stream = 0;
    wire_put(&self.message, &function, sizeof function);
    wire_put(&self.message, &one, sizeof one);
    wire_put(&self.message, &one, sizeof one);
    wire_put(&self.message, &shared, sizeof shared);
    wire_put(&self.message, &stream, sizeof stream);
    wire_put_args(&self.message, (lab_args){0});
    stranger_send(&self, WIRE_CALL);
}

/* An untrusted program never says that it may launch so: no thread stands ready. */
Test(hostile, a_cooperative_launch_that_was_not_announced_is_refused_by_the_call)
{
    uint64_t module = 0, function = 0;
    begin();
    stranger_begin(&self, "lab_module_load_source");
    wire_put_object(&self.message, &module, sizeof module);
    wire_put_text(&self.message, "extern \"C\" __global__ void nothing(void) {}");
    wire_put_text(&self.message, "nothing.cu");
    stranger_send(&self, WIRE_CALL);
    cr_assert_eq(take_handle(&module), LAB_SUCCESS);
    stranger_begin(&self, "lab_module_get_function");
    wire_put_object(&self.message, &function, sizeof function);
    wire_put(&self.message, &module, sizeof module);
    wire_put_text(&self.message, "nothing");
    stranger_send(&self, WIRE_CALL);
    cr_assert_eq(take_handle(&function), LAB_SUCCESS);
    stranger_begin(&self, "lab_launch_cooperative");
    put_launch(function);
    cr_assert_eq(take_handle(NULL), LAB_ERROR_NOT_SUPPORTED);
    stranger_begin(&self, "lab_launch");
    put_launch(function);
    cr_assert_eq(take_handle(NULL), LAB_SUCCESS);
    send_call("lab_device_synchronize", "", 0);
    cr_assert_eq(take_handle(NULL), LAB_SUCCESS);
    stranger_end_device();
}

Test(hostile, a_turn_that_is_taken_during_a_call)
{
    begin();
    be_asked();
    stranger other = self;
    other.channel = stranger_open(&self);
    cr_assert_not_null(other.channel);
    self.channel->request.kind = WIRE_ANSWER;
    for (int i = 0; i < 100000; i++) { /* races with the device process, which may notice or not, but lives */
        wire_pass(self.channel, WIRE_PROGRAM);
        atomic_store(&self.channel->turn, WIRE_PROGRAM);
        self.channel->request.kind = (uint32_t)(i % 9);
        self.channel->request.length = (uint64_t)i * 977 % (WIRE_BYTES + 99);
    }
    wire_channel_unmap(other.channel);
    stranger_leave(&self);
    stranger_meet(&self);
    stranger_end_device();
}

Test(hostile, a_flood_of_channels_and_of_connections)
{
    enum { MANY = 700 };
    int opened = 0, count;
    static wire_channel *channel[MANY];
    begin();
    while (opened < MANY && (channel[opened] = stranger_open(&self))) opened++;
    cr_assert_lt(opened, MANY);
    cr_assert_gt(opened, 200, "%d threads are not many", opened);
    cr_assert_eq(stranger_count_devices(&self, &count), LAB_SUCCESS, "the others are served");
    for (int i = 0; i < opened; i++) wire_channel_unmap(channel[i]);
    for (int i = 0; i < 50; i++) {
        stranger_leave(&self);
        stranger_meet(&self);
    }
    stranger_end_device();
}
