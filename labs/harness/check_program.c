/*
 * The student's program as a check sees it: start, shared memory, calls, end. It knows messages, deadlines and what
 * a program can do wrong; it refuses to know what is computed, and believes nothing it is told.
 */
#include "check_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bounded_folder.h"
#include "clock.h"
#include "environment.h"
#include "folder.h"
#include "sandbox.h"
#include "subprocess.h"
#include "text.h"

_Static_assert((int)CHECK_MAX_BYTES == (int)PROTOCOL_DATA_BYTES, "check.h promises what a message holds");

struct check_program {
    check_program *next;
    bool reference;
    const char *path;
    char *folder; /* its current directory; removed with it */
    int socket;
    int memory_descriptor;
    unsigned char *memory;
    size_t memory_bytes;
    subprocess *process;
    sandbox_cell cell;     /* empty for no sandbox */
    unsigned memory_kills; /* in the cell before this program was started */
    bool greeted;          /* it has said that it is ready */
    bool in_call;
    char *unordered;          /* by its last call, where the check allows it */
    protocol_message message; /* the last one received */
    protocol_message *stuck;  /* where the call is that does not return, as the program said; NULL if it did not */
};

const char *check_program_folder(const check_program *program) { return program->folder; }

/* ---- what a program did wrong ----------------------------------------------------------------------------- */

_Noreturn void check_program_fail(const check_program *program, check_kind kind, const char *format, ...)
{
    char message[PROTOCOL_TEXT_BYTES + 512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (program->reference) check_fault("the reference program failed: %s", message);
    check_fail(kind, "%s", message);
}

/* The last line that the program printed: programs that give up mostly say why. */
static void show_last_words(const check_program *program)
{
    size_t bytes;
    const char *output = subprocess_output(program->process, &bytes);
    while (bytes > 0 && (output[bytes - 1] == '\n' || output[bytes - 1] == ' ')) bytes--;
    size_t start = bytes;
    while (start > 0 && output[start - 1] != '\n' && bytes - start < 400) start--;
    if (bytes > start) check_found("its last line of output: %.*s", (int)(bytes - start), output + start);
}

/* Keeps the first output of a program of the student's: the result shows it. */
static void keep_output(const check_program *program)
{
    size_t bytes;
    const char *output = subprocess_output(program->process, &bytes);
    if (bytes == 0 || program->reference || check_now.output) return;
    check_now.output_truncated = bytes > CHECK_SHOWN_OUTPUT;
    check_now.output = text_clean(output, bytes < CHECK_SHOWN_OUTPUT ? bytes : CHECK_SHOWN_OUTPUT);
}

/* Ends the process and everything it started. */
static bool end_process(check_program *program, subprocess_exit *how, grader_fault *fault)
{
    subprocess *process = program->process;
    if (!process) return true;
    keep_output(program);
    program->process = NULL;
    return subprocess_end(process, how, fault);
}

static _Noreturn void fail_signal(check_program *program, int number, const char *what)
{
    const char *name = sigabbrev_np(number), *meaning = sigdescr_np(number);
    if (number == SIGXCPU) check_program_fail(program, CHECK_TIMEOUT, "%s used up its CPU time", what);
    check_program_fail(program, CHECK_CRASH, "the program was ended by the signal SIG%s (%s) during %s",
                       name ? name : "?", meaning ? meaning : "unknown", what);
}

/* bubblewrap says why it cannot run a program, and ends, before the program could say anything. */
static void require_sandbox(const check_program *program)
{
    static const char begin[] = "bwrap: ";
    size_t bytes;
    const char *output = subprocess_output(program->process, &bytes);
    if (program->greeted || !program->cell.wrapper || strncmp(output, begin, strlen(begin)) != 0) return;
    check_fault("the sandbox does not start: %.*s", (int)strcspn(output, "\n"), output);
}

/* The group of processes that it belongs to had no memory left, so that the system ended it. */
static void require_memory(const check_program *program, const subprocess_exit *how, const char *what)
{
    if (how->signal != SIGKILL || sandbox_cell_memory_kills(&program->cell) == program->memory_kills) return;
    check_cause("a loop that allocates, or memory that is never given back");
    check_program_fail(program, CHECK_MEMORY, "the program used more memory than it may during %s", what);
}

/* What the grader bounds the files of the student's program with, if it does. */
static const char *room_of(const check_program *program)
{
    return program->reference ? NULL : getenv("LAB_CHECK_ROOM");
}

static void require_room(const check_program *program, const char *what)
{
    const char *room = room_of(program);
    if (!room || !bounded_folder_is_full(room)) return;
    check_expected("files that fit into the room that there is for them");
    check_cause("a loop that writes to a file, or files that are never removed");
    check_program_fail(program, CHECK_OUTPUT_FLOOD, "the program filled all the room for its files during %s", what);
}

/* It has ended although it was asked for something. */
static _Noreturn void fail_ended(check_program *program, const char *what)
{
    subprocess_exit how;
    grader_fault fault;
    require_room(program, what);
    show_last_words(program);
    require_sandbox(program);
    if (!end_process(program, &how, &fault)) check_fault("%s", fault.text);
    require_memory(program, &how, what);
    if (how.signal) fail_signal(program, how.signal, what);
    check_expected("the program runs until the check is done with it");
    check_program_fail(program, CHECK_CRASH, "the program exited by itself, with status %d, during %s", how.status,
                       what);
}

static void wait_for_end(check_program *program)
{
    enum { SECONDS = 2 };
    grader_fault fault;
    double deadline = clock_seconds() + SECONDS;
    if (subprocess_wait(program->process, -1, deadline, &fault) == SUBPROCESS_FAULT) check_fault("%s", fault.text);
}

static _Noreturn void fail_rule(check_program *program, const char *did, const char *what)
{
    check_expected("the program leaves the connection to its check alone");
    check_program_fail(program, CHECK_RULE, "the program %s during %s", did, what);
}

/* The socket is readable: takes the message, or ends the check with what is wrong with it. */
static void take_message(check_program *program, const char *what)
{
    protocol_message *message = &program->message;
    ssize_t bytes = recv(program->socket, message, sizeof *message, MSG_DONTWAIT | MSG_TRUNC);
    if (bytes <= 0) { /* its end of the connection is closed: mostly because it has ended */
        grader_fault fault;
        subprocess_event event = subprocess_wait(program->process, -1, clock_seconds() + 1, &fault);
        if (event == SUBPROCESS_EXITED) fail_ended(program, what);
        fail_rule(program, "closed the connection to its check", what);
    }
    if (!protocol_from_program_is_valid(message, (size_t)bytes)) {
        fail_rule(program, "sent its check a message that is none", what);
    }
    if (message->kind == PROTOCOL_CRASH) {
        wait_for_end(program);
        check_crash_report(message, program->path, program->reference);
    }
}

/* A wait that ended neither with a message nor with the program's end. */
static _Noreturn void fail_event(check_program *program, subprocess_event event, double allowed, const char *what,
                                 const grader_fault *fault)
{
    if (event == SUBPROCESS_FLOOD) {
        check_program_fail(program, CHECK_OUTPUT_FLOOD, "the program printed more than %d KiB during %s",
                           CHECK_PROGRAM_OUTPUT / 1024, what);
    }
    if (event == SUBPROCESS_DEADLINE) {
        const char *sentence = check_text("%s did not end within %.3g seconds", what, ceil(allowed * 10) / 10);
        grader_fault at_its_end;
        if (!end_process(program, NULL, &at_its_end)) check_fault("%s", at_its_end.text);
        check_hang_report(program->stuck, program->path, program->reference, sentence);
    }
    check_fault("%s", fault->text);
}

/* What a program may still take. The reference's time is its own: a program that leaves little must not make the reference
 * late, which would be the grader's fault. */
static double *time_left(const check_program *program)
{
    return program->reference ? &check_now.reference_seconds_left : &check_now.seconds_left;
}

/* Whether the message that was taken only says where the program is. That is kept, and its answer may still come. */
static bool keep_where_it_is(check_program *program)
{
    if (program->message.kind != PROTOCOL_STUCK || !program->in_call) return false;
    if (!program->stuck) program->stuck = check_alloc(sizeof *program->stuck);
    *program->stuck = program->message;
    return true;
}

/* Its time is up: it may still say where it is, and nothing else counts any more. */
static void ask_where_it_is(check_program *program)
{
    enum { SECONDS = 1 };
    grader_fault fault;
    protocol_message *message = &program->message;
    if (program->stuck || !program->in_call) return;
    subprocess_event event = subprocess_wait(program->process, program->socket, clock_seconds() + SECONDS, &fault);
    if (event != SUBPROCESS_READABLE) return;
    ssize_t bytes = recv(program->socket, message, sizeof *message, MSG_DONTWAIT | MSG_TRUNC);
    if (bytes > 0 && protocol_from_program_is_valid(message, (size_t)bytes)) keep_where_it_is(program);
}

/* Waits for the next message while the program runs. */
static void wait_message(check_program *program, const char *what)
{
    grader_fault fault;
    double begun = clock_seconds(), *left = time_left(program), allowed = *left;
    subprocess_event event;
    do {
        event = subprocess_wait(program->process, program->socket, begun + allowed, &fault);
        if (event == SUBPROCESS_READABLE) take_message(program, what);
    } while (event == SUBPROCESS_READABLE && keep_where_it_is(program));
    *left -= clock_seconds() - begun;
    if (event == SUBPROCESS_EXITED) fail_ended(program, what);
    if (event == SUBPROCESS_DEADLINE) ask_where_it_is(program);
    if (event != SUBPROCESS_READABLE) fail_event(program, event, allowed, what, &fault);
}

/* What no code can help: no compiler for kernels, no device, no place for files. */
static bool is_fault_of_the_machine(lab_status status)
{
    return status == LAB_ERROR_COMPILER_UNAVAILABLE || status == LAB_ERROR_NO_DEVICE || status == LAB_ERROR_IO ||
           status == LAB_ERROR_NOT_INITIALIZED;
}

/* Where an answer says that a call stands, if that is in the student's file. */
static void locate(const char *place)
{
    const char *source = getenv("LAB_CHECK_SOURCE"), *colon = strrchr(place, ':');
    if (!source || !colon || (size_t)(colon - place) != strlen(source)) return;
    if (strncmp(place, source, strlen(source)) == 0) check_location(source, atoi(colon + 1), NULL);
}

/* The program's word is not enough, or a fault of the grader would be had for the asking: the reference tries device,
 * compiler and a file. If it cannot either, that ends the check as a fault. */
static void probe_machine(void)
{
    check_program *reference = check_start_reference(1);
    check_program_request(reference, PROTOCOL_PROBE, "", "the probe of the machine");
}

/* The function has returned, and a thread of its own goes on. */
static _Noreturn void fail_left_running(const check_program *program, const char *text)
{
    check_expected("all that the function starts has ended when it returns");
    check_cause("a thread that is not joined: who starts a thread waits for its end with pthread_join or thrd_join");
    check_program_fail(program, CHECK_RACE_SUSPECTED, "%s", text);
}

static _Noreturn void fail_unordered(check_program *program, const char *what, const char *text)
{
    char *finding = check_text("%s", text);
    check_expected("something that orders every two uses of the same memory, one of them a write");
    check_cause("that the numbers were right this time, if they were, is luck");
    check_trace_show_finding(program, what, finding);
    check_program_fail(program, CHECK_RACE_SUSPECTED, "in %s, %s", what, finding);
}

/* The program says that it could not do what it was asked for; returns where the check allows that. */
static void take_failure(check_program *program, const char *what)
{
    const protocol_message *message = &program->message;
    const char *text = message->text[0] ? message->text : "no message";
    require_room(program, what);
    if (is_fault_of_the_machine((lab_status)message->status)) {
        if (program->reference || !program->greeted) check_fault("%s failed: %s", what, text);
        probe_machine();
    }
    if (message->status == LAB_ERROR_NOT_ORDERED && check_now.definition->any_order) {
        program->unordered = check_text("%s", text);
        return;
    }
    locate(message->name);
    if (message->status == LAB_ERROR_NOT_ORDERED) fail_unordered(program, what, text);
    if (message->status == PROTOCOL_LEFT_RUNNING) fail_left_running(program, text);
    check_expected("LAB_SUCCESS");
    check_found("%s", lab_status_name((lab_status)message->status));
    check_program_fail(program, CHECK_WRONG_RESULT, "%s failed: %s", what, text);
}

static void expect(check_program *program, protocol_kind kind, uint64_t number, const char *what)
{
    wait_message(program, what);
    const protocol_message *message = &program->message;
    bool answers = message->kind == (uint32_t)kind || message->kind == PROTOCOL_FAILED;
    if (!answers || message->number != number) fail_rule(program, "gave an answer that it was not asked for", what);
    if (message->kind == PROTOCOL_FAILED) take_failure(program, what);
}

/* ---- starting --------------------------------------------------------------------------------------------- */

/* Bytes that can be had without driving anything out; SIZE_MAX if the system does not say. */
static size_t available_memory(void)
{
    size_t kib = SIZE_MAX / 1024;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemAvailable: %zu kB", &kib) == 1) break;
    }
    if (file) fclose(file);
    return kib * 1024;
}

/* The memory gets its pages at once: running out of them later would be a signal, not an error. The system would rather
 * kill processes than refuse them, so it is asked first. */
static void make_memory(check_program *program, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), available = available_memory();
    if (bytes > available) check_fault("%zu bytes of shared memory are needed, %zu are available", bytes, available);
    program->memory_bytes = bytes > 0 ? (bytes + page - 1) / page * page : page;
    program->memory_descriptor = memfd_create("lab-shared", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int descriptor = program->memory_descriptor;
    if (descriptor < 0) check_fault("cannot create shared memory: %s", strerror(errno));
    int error = posix_fallocate(descriptor, 0, (off_t)program->memory_bytes);
    if (error) check_fault("cannot get %zu bytes of shared memory: %s", program->memory_bytes, strerror(error));
    void *memory = mmap(NULL, program->memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) check_fault("cannot map shared memory: %s", strerror(errno));
    program->memory = memory;
    if (fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
        check_fault("cannot seal shared memory: %s", strerror(errno));
    }
}

static void make_folder(check_program *program)
{
    grader_fault fault;
    const char *files = getenv("LAB_CHECK_FILES");
    const char *room = room_of(program);
    require_room(program, "an earlier call");
    bool made = room ? folder_make_private_in(&program->folder, room, "lab-run", &fault)
                     : folder_make_private(&program->folder, "lab-run", &fault);
    if (!made) check_fault("%s", fault.text);
    if (files && !folder_copy_files(files, ".cu", program->folder, &fault)) check_fault("%s", fault.text);
}

/* The student's program runs in the sandbox that the grader made for this check, if it made one. */
static void enter_sandbox(check_program *program, subprocess_options *options)
{
    grader_fault fault;
    const char *path = program->reference ? NULL : getenv("LAB_CHECK_SANDBOX");
    if (!path) return;
    if (!sandbox_cell_load(&program->cell, path, program->folder, &fault)) check_fault("%s", fault.text);
    sandbox_cell_apply(&program->cell, options);
    program->memory_kills = sandbox_cell_memory_kills(&program->cell);
}

static void start_process(check_program *program, int its_socket)
{
    enum { FILE_BYTES = 256 << 20, THREADS = 1024, SPARE_SECONDS = 10 };
    grader_fault fault;
    /* The reference keeps its kernels elsewhere: a program must not be able to prepare them. */
    const char *cache = program->reference ? NULL : getenv("LAB_CHECK_CACHE");
    char *temporary = check_text("TMPDIR=%s", program->folder);
    const char *extra[5] = {temporary};
    int count = 1;
    if (cache) extra[count++] = check_text("LAB_CACHE_DIR=%s", cache);
    if (check_now.schedule) extra[count++] = check_text("LAB_SCHEDULE=%s", check_now.schedule);
    if (!program->reference && getenv("LAB_CHECK_SANDBOX")) extra[count++] = "HOME=/tmp";
    char **environment = environment_make(extra);
    if (!environment) check_fault("not enough memory for the program's environment");
    const char *const arguments[] = {program->path, NULL};
    const int descriptors[] = {its_socket, program->memory_descriptor};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    subprocess_options options = {
        .arguments = arguments,
        .environment = (const char *const *)environment,
        .directory = program->folder,
        .descriptors = descriptors,
        .descriptor_count = 2,
        .output_limit = CHECK_PROGRAM_OUTPUT,
        .file_limit = FILE_BYTES,
        .cpu_limit = (unsigned)((*time_left(program) + SPARE_SECONDS) * (double)(cores > 0 ? cores : 1)),
        .thread_limit = THREADS,
    };
    enter_sandbox(program, &options);
    bool started = subprocess_start(&program->process, &options, &fault);
    environment_free(environment);
    if (!started) check_fault("%s", fault.text);
}

/* Everything the program started stands still from here until the next resume. */
static void pause_program(check_program *program)
{
    grader_fault fault;
    if (!subprocess_stop(program->process, &fault)) check_fault("%s", fault.text);
}

static void require_running(const check_program *program)
{
    if (!program->process) check_fault("the check calls a program that has ended");
}

static check_program *start(const char *variable, bool reference, size_t bytes)
{
    check_program *program = check_alloc(sizeof *program);
    program->socket = program->memory_descriptor = -1;
    program->reference = reference;
    program->path = getenv(variable);
    if (!program->path) check_fault("%s does not say which program to start", variable);
    program->next = check_now.programs;
    check_now.programs = program;

    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) {
        check_fault("cannot create a socket: %s", strerror(errno));
    }
    program->socket = sockets[0];
    make_memory(program, bytes);
    make_folder(program);
    start_process(program, sockets[1]);
    close(sockets[1]);
    expect(program, PROTOCOL_HELLO, 0, "the program's start");
    program->greeted = true;
    pause_program(program);
    return program;
}

check_program *check_start(size_t bytes) { return start("LAB_CHECK_PROGRAM", false, bytes); }

check_program *check_start_reference(size_t bytes) { return start("LAB_CHECK_REFERENCE", true, bytes); }

/* ---- calls -------------------------------------------------------------------------------------------------- */

static void send_message(check_program *program, const protocol_message *message, const char *what)
{
    if (send(program->socket, message, sizeof *message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return;
    /* It has closed its end or ended: waiting finds out which. */
    if (errno == EPIPE || errno == ECONNRESET) {
        wait_message(program, what);
        fail_rule(program, "closed the connection to its check", what);
    }
    check_fault("cannot send to the program: %s", strerror(errno));
}

void check_program_request(check_program *program, protocol_kind kind, const char *name, const char *what)
{
    protocol_message *message = check_alloc(sizeof *message);
    message->version = PROTOCOL_VERSION;
    message->kind = kind;
    snprintf(message->name, sizeof message->name, "%s", name);
    require_running(program);
    send_message(program, message, what);
    subprocess_continue(program->process);
    expect(program, PROTOCOL_READY, 0, what);
    pause_program(program);
}

static uint64_t new_number(void)
{
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number) check_fault("the system gives no random number");
    return number;
}

double check_call(check_program *program, const char *name, const void *arguments, size_t argument_bytes, void *result,
                  size_t result_bytes)
{
    check_now.location_file = NULL; /* what was said of an earlier call is not of this one */
    if (argument_bytes > PROTOCOL_DATA_BYTES || result_bytes > PROTOCOL_DATA_BYTES) {
        check_fault("the check passes more than %d bytes to or from \"%s\"", CHECK_MAX_BYTES, name);
    }
    protocol_message *call = check_alloc(sizeof *call);
    *call = (protocol_message){.version = PROTOCOL_VERSION, .kind = PROTOCOL_CALL, .number = new_number()};
    call->data_bytes = (uint32_t)argument_bytes;
    call->seconds = *time_left(program);
    snprintf(call->name, sizeof call->name, "%s", name);
    if (argument_bytes) memcpy(call->data, arguments, argument_bytes);

    /* The clock starts while the program stands still: no work on these inputs can be done before it. */
    require_running(program);
    program->unordered = NULL;
    send_message(program, call, name);
    double begun = clock_seconds();
    program->in_call = true;
    program->stuck = NULL;
    subprocess_continue(program->process);
    expect(program, PROTOCOL_DONE, call->number, name);
    program->in_call = false;
    double ended = clock_seconds();
    pause_program(program);
    require_room(program, name);

    if (result_bytes) memcpy(result, program->message.data, result_bytes);
    return (ended - begun) * 1000;
}

const char *check_unordered(const check_program *program) { return program->unordered; }

/* What it may still say on its way out: that it crashes, and nothing else. */
static void take_farewell(check_program *program, const char *what)
{
    protocol_message *message = &program->message;
    ssize_t bytes = recv(program->socket, message, sizeof *message, MSG_DONTWAIT | MSG_TRUNC);
    if (bytes <= 0) return;
    if (!protocol_from_program_is_valid(message, (size_t)bytes) || message->kind != PROTOCOL_CRASH) {
        fail_rule(program, "gave an answer that it was not asked for", what);
    }
    check_crash_report(message, program->path, program->reference);
}

int check_finish(check_program *program)
{
    grader_fault fault;
    const char *what = "the program's end";
    protocol_message *leave = check_alloc(sizeof *leave);
    *leave = (protocol_message){.version = PROTOCOL_VERSION, .kind = PROTOCOL_LEAVE};
    require_running(program);
    send_message(program, leave, what);
    subprocess_continue(program->process);

    double begun = clock_seconds(), *left = time_left(program), allowed = *left;
    subprocess_event event = subprocess_wait(program->process, -1, begun + allowed, &fault);
    *left -= clock_seconds() - begun;
    if (event != SUBPROCESS_EXITED) fail_event(program, event, allowed, what, &fault);
    take_farewell(program, what);

    subprocess_exit how;
    if (!end_process(program, &how, &fault)) check_fault("%s", fault.text);
    require_memory(program, &how, what);
    if (how.signal) fail_signal(program, how.signal, what);
    require_room(program, what);
    return how.status;
}

/* ---- the shared memory ---------------------------------------------------------------------------------------- */

void *check_memory(check_program *program) { return program->memory; }

static void require_range(const check_program *program, size_t offset, size_t bytes)
{
    if (offset <= program->memory_bytes && bytes <= program->memory_bytes - offset) return;
    check_fault("the check reads %zu bytes at %zu of %zu bytes of shared memory", bytes, offset, program->memory_bytes);
}

void check_snapshot(check_program *program, void *to, size_t offset, size_t bytes)
{
    require_range(program, offset, bytes);
    memcpy(to, program->memory + offset, bytes);
}

void check_unchanged(check_program *program, size_t offset, const void *copy, size_t bytes, const char *what)
{
    require_range(program, offset, bytes);
    const unsigned char *now = program->memory + offset, *then = copy;
    if (memcmp(now, then, bytes) == 0) return;
    size_t at = 0;
    while (at < bytes && now[at] == then[at]) at++;
    check_expected("%s as they were before the call", what);
    check_found("a different value at byte %zu of %zu", at, bytes);
    check_program_fail(program, CHECK_RULE, "the program changed %s", what);
}

/* ---- the end -------------------------------------------------------------------------------------------------- */

static void release_program(check_program *program)
{
    sandbox_cell_close(&program->cell);
    if (program->folder) folder_remove(program->folder);
    free(program->folder);
    if (program->memory) munmap(program->memory, program->memory_bytes);
    if (program->memory_descriptor >= 0) close(program->memory_descriptor);
    if (program->socket >= 0) close(program->socket);
}

void check_programs_end(void)
{
    grader_fault fault;
    bool ok = true;
    for (; check_now.programs; check_now.programs = check_now.programs->next) {
        ok = end_process(check_now.programs, NULL, &fault) && ok;
        release_program(check_now.programs);
    }
    if (!ok) check_fault("%s", fault.text);
}
