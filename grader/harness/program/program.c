/* Starts, calls and ends the student's program; see program.h. program_failure.c knows what a program can do wrong. */
#include "program/program.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wchar.h>

#include "base/clock.h"
#include "base/environment.h"
#include "base/folder.h"
#include "source/solved_code.h"
#include "program/device_process.h"
#include "program/grounds.h"
#include "sandbox/device.h"

#define SANITIZED "LAB_CHECK_SANITIZED"

_Static_assert((int)CHECK_MAX_BYTES == (int)PROTOCOL_DATA_BYTES, "check.h promises what a message holds");

/* ---- failures that the program reports --------------------------------------------------------------------- */

/* Failures that the student's code cannot prevent: no compiler for kernels, no device, no place for files. */
static bool is_fault_of_the_machine(lab_status status)
{
    return status == LAB_ERROR_COMPILER_UNAVAILABLE || status == LAB_ERROR_NO_DEVICE || status == LAB_ERROR_IO ||
           status == LAB_ERROR_NOT_INITIALIZED;
}

static void request(check_program *program, protocol_kind kind, const char *step);

/* The program's word does not suffice for a fault of the grader. The reference tries the device, the compiler and a
 * file; if it fails too, the check ends as a fault. */
static void probe_machine(void)
{
    check_program *reference = check_start_reference(1);
    request(reference, PROTOCOL_PROBE, "the probe of the machine");
}

_Noreturn void program_fail_left_unjoined(const check_program *program, const char *text, check_place at)
{
    program_fail(program, CHECK_RACE_SUSPECTED, text, .at = at,
                 .expected = "all that the function starts has ended when it returns",
                 .cause = "a thread that is not joined: wait for every thread that you start, with pthread_join or "
                          "thrd_join");
}

static const char launch_words[] = "the launch is at ", fork_words[] = "the fork is at ";

/* The text of a kernel's bad access ends with the place of its launch, that of a capture which does not end well with
 * the place of the fork: there the student can act, not where it surfaced. */
static check_place origin_place(const check_program *program, const char *text, const char *words)
{
    const char *place = strstr(text, words);
    if (!place) return (check_place){0};
    place += strlen(words);
    return program_place(program, check_text("%.*s", (int)strcspn(place, "; ,"), place), 0);
}

/* The line of the student's file that the text names, as that of a kernel has it: nearer to the mistake than the
 * launch. */
static check_place kernel_place(const check_program *program, const char *text)
{
    const char *source = getenv("LAB_CHECK_SOURCE"), *kernel = strstr(text, "kernel '");
    const char *place = source && kernel ? strstr(kernel, check_text(" %s:", source)) : NULL;
    const char *launch = kernel ? strstr(kernel, launch_words) : NULL;
    if (!place || (launch && launch < place)) return (check_place){0};
    const size_t name = 1 + strlen(source) + 1;
    return program_place(program, check_text("%.*s", (int)(name - 1 + strspn(place + name, "0123456789")), place + 1),
                         0);
}

/* Where a failure began, if its text says so: the line of a kernel, or else the launch or the fork that led there. */
static check_place told_place(const check_program *program, const char *text)
{
    const check_place kernel = kernel_place(program, text);
    if (kernel.known) return kernel;
    const check_place launch = origin_place(program, text, launch_words);
    return launch.known ? launch : origin_place(program, text, fork_words);
}

/* The kernel that a text begins with; NULL for none. */
static const char *kernel_name(const char *text)
{
    static const char words[] = "kernel '";
    if (strncmp(text, words, strlen(words)) != 0) return NULL;
    const char *name = text + strlen(words);
    return check_text("%.*s", (int)strcspn(name, "'"), name);
}

/* The text of a failure for a lab, which has a target for what the library asks for. */
static const char *in_words_of_the_lab(const char *text)
{
    static const char variable[] = "LAB_MEMCHECK=1 in the environment makes it name the thread and the line";
    const char *found = strstr(text, variable);
    if (!found) return text;
    return check_text("%.*s`make %s-memcheck` names the thread and the line%s", (int)(found - text), text,
                      check_lab_name, found + strlen(variable));
}

/* What a failure of the machine's own would be, else the program's. */
static void require_machine(const check_program *program, lab_status status, const char *step, const char *text)
{
    if (!is_fault_of_the_machine(status)) return;
    if (program->reference) check_fault("%s failed: %s", step, text);
    probe_machine();
}

/* Why a call failed with this text; NULL if that says it. */
static const char *failure_cause(lab_status status, const char *text)
{
    for (const check_failure_cause *each = this_check.definition->failure_causes; each && each->part; each++)
        if (fnmatch(check_text("*%s*", each->part), text, 0) == 0) return each->cause;
    if (strstr(text, " was loaded in "))
        return "a kernel belongs to the context in which its file was loaded, and runs on streams of that one";
    if (strstr(text, "the module was already unloaded"))
        return "a module is unloaded once, and ends with its context: release what is in a context before that";
    if (strstr(text, " was destroyed before ") || strstr(text, " was already destroyed"))
        return "what is destroyed can be neither used nor destroyed again, nor what belonged to it: is another "
               "variable meant, or does this call belong before that one?";
    if (strstr(text, " is pinned already"))
        return "memory is pinned once: is the size, in bytes, larger than the array, so that it reaches into the next "
               "one, or is the same array pinned twice?";
    if (strstr(text, " was created with LAB_EVENT_DISABLE_TIMING"))
        return "such an event only orders: one whose time is asked for is made with LAB_EVENT_DEFAULT";
    if (strstr(text, " has no context to pop"))
        return "lab_context_destroy pops the context that is on top: after it there is nothing left to pop";
    if (strstr(text, " bytes from there to the end of its allocation"))
        return "a size is in bytes: so many numbers, times the size of each";
    if (strstr(text, ", where there is none, was used by"))
        return "threads went past the end of an array, or to no array: is the count that the kernel gets that of this "
               "array?";
    if (strstr(text, "but the pool's limit is "))
        return "the pool has no more: release what you are done with before you take more, or ask for less";
    /* A query sets no message. */
    if (status == LAB_ERROR_NOT_READY && strcmp(text, lab_status_text(LAB_ERROR_NOT_READY)) == 0)
        return "LAB_ERROR_NOT_READY is an answer of a query: compare the status with it, do not LAB_TRY it";
    return NULL;
}

/* The program reports that a request failed: with what the device process says, else the program. */
static _Noreturn void take_failure(check_program *program, const char *step)
{
    const protocol_message *message = &program->message;
    const lab_status status = (lab_status)message->status;
    program_require_space(program, step);
    if (message->status == PROTOCOL_LEFT_UNJOINED) {
        const check_place at = {.known = true, .program = program, .caller = message->started_at};
        program_fail_left_unjoined(program, message->text, at);
    }
    const control_message *answer = device_process_tell(program, CONTROL_FAILURE, message->status, step);
    const char *text = *answer->text    ? in_words_of_the_lab(check_text("%s", answer->text))
                       : *message->text ? message->text
                                        : lab_status_text(status);
    const check_place told = told_place(program, answer->text),
                      at = told.known ? told : program_place(program, answer->place, answer->caller);
    const char *strayed = status == LAB_ERROR_ILLEGAL_ADDRESS ? kernel_name(answer->text) : NULL;
    require_machine(program, status, step, text);
    program_fail(program, CHECK_WRONG_RESULT, check_text("%s failed: %s", step, text), .at = at,
                 .expected = "LAB_SUCCESS", .found = lab_status_name(status), .cause = failure_cause(status, text),
                 .strayed = {strayed ? program : NULL, strayed, told.known});
}

/* The call has ended, as far as the device process is concerned. What the order checker has found in it fails the
 * check, unless that allows any order. */
static void end_call(check_program *program, const char *step)
{
    const control_message *answer = device_process_tell(program, CONTROL_CALL_ENDS, 0, step);
    if (!answer->text[0]) return;
    if (this_check.definition->any_order) {
        program->unordered = check_text("%s", answer->text);
        return;
    }
    const char *sentence = check_text("%s", answer->text);
    program_fail(program, CHECK_RACE_SUSPECTED, check_text("in %s, %s", step, sentence),
                 .at = program_place(program, answer->place, 0),
                 .expected = "something that orders every two uses of the same memory, one of them a write",
                 .cause = "nothing makes one of the two wait for the other; if the numbers were right this time, that "
                          "was luck",
                 .unordered = {program, step, sentence});
}

/* Waits for an answer of this kind, or for one that tells of a failure. */
static void await_answer(check_program *program, protocol_kind kind, uint64_t number, const char *step)
{
    program_wait(program, step);
    const protocol_message *message = &program->message;
    bool answers = message->kind == (uint32_t)kind || message->kind == PROTOCOL_FAILED;
    if (!answers || message->number != number)
        program_fail_rule(program, "gave an answer that it was not asked for", step);
}

static void expect(check_program *program, protocol_kind kind, uint64_t number, const char *step)
{
    await_answer(program, kind, number, step);
    if (program->message.kind == PROTOCOL_FAILED) take_failure(program, step);
}

/* ---- the end -------------------------------------------------------------------------------------------------- */

static void release_program(check_program *program)
{
    sandbox_cell_close(&program->box.cell);
    if (program->folder) folder_remove(program->folder);
    free(program->folder);
    if (program->memory) munmap(program->memory, program->memory_bytes);
    if (program->memory_descriptor >= 0) close(program->memory_descriptor);
    kept_bytes_unmap(&program->kept);
    if (program->kept_descriptor >= 0) close(program->kept_descriptor);
    if (program->socket >= 0) close(program->socket);
}

/* Ends a program; its place in the list of programs is the caller's matter. */
static bool end_program(check_program *program, grader_fault *fault)
{
    grader_fault second;
    bool ended = program_end(program, NULL, fault);
    if (!device_process_end(program, ended ? fault : &second)) ended = false;
    release_program(program);
    return ended;
}

void program_drop(check_program *program)
{
    grader_fault fault;
    check_program **link = &this_check.programs;
    while (*link != program) link = &(*link)->next;
    *link = program->next;
    if (!end_program(program, &fault)) check_fault("%s", fault.text);
}

void programs_end(void)
{
    grader_fault fault;
    bool ended = true;
    for (; this_check.programs; this_check.programs = this_check.programs->next)
        if (!end_program(this_check.programs, &fault)) ended = false;
    if (!ended) check_fault("%s", fault.text);
}

/* ---- starting --------------------------------------------------------------------------------------------- */

/* The bytes that the system can give without swapping; SIZE_MAX if it does not say. */
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

/* Gets the shared memory from the device process, with all its pages: running out of them later would be a signal
 * instead of an error. The system kills processes rather than refusing pages, so it is asked first how many it has. */
static void make_memory(check_program *program, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), available = available_memory();
    if (bytes > available) check_fault("%zu bytes of shared memory are needed, %zu are available", bytes, available);
    program->memory_bytes = bytes > 0 ? (bytes + page - 1) / page * page : page;
    const control_message request = {.kind = CONTROL_MEMORY, .bytes = program->memory_bytes};
    device_process_ask(program, &request, &program->memory_descriptor, "the start of the device process");
    if (program->memory_descriptor < 0) check_fault("cannot get %zu bytes of shared memory", program->memory_bytes);
    void *memory = mmap(NULL, program->memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, program->memory_descriptor, 0);
    if (memory == MAP_FAILED) check_fault("cannot map shared memory: %s", strerror(errno));
    program->memory = memory;
}

/* Has what the program's copies move kept. */
static void keep_bytes(check_program *program)
{
    const control_message request = {.kind = CONTROL_EVIDENCE, .bytes = KEPT_BYTES_ROOM};
    device_process_ask(program, &request, &program->kept_descriptor, "the start of the device process");
    if (program->kept_descriptor < 0) check_fault("cannot get memory for what copies move");
}

const check_evidence *check_evidence_of(check_program *program)
{
    if (program->kept_descriptor < 0) check_fault("the check asks for what copies moved, which is not kept");
    if (!program->kept.head && !kept_bytes_map(&program->kept, program->kept_descriptor))
        check_fault("cannot read what copies moved");
    return &program->kept;
}

static void make_folder(check_program *program)
{
    grader_fault fault;
    const char *files = getenv("LAB_CHECK_FILES");
    const char *bounded = program_bounded_folder(program);
    program_require_space(program, "an earlier call");
    bool made = bounded ? folder_make_private_in(&program->folder, bounded, "lab-run", &fault)
                        : folder_make_private(&program->folder, "lab-run", &fault);
    if (!made) check_fault("%s", fault.text);
    if (files && !folder_copy_files(files, ".cu", program->folder, &fault)) check_fault("%s", fault.text);
}

/* Without a sandbox, the same limit as in one: an endless loop of allocations must not take down a student's desktop. A
 * GPU's driver does not run under a limit. */
static uint64_t data_limit(const check_program *program)
{
    device_info device;
    const char *known = getenv("LAB_CHECK_DEVICE");
    if (program->reference || !known || !device_parse(&device, known) || strcmp(device.kind, "cpu") != 0) return 0;
    return sandbox_default_memory(false);
}

/* The seconds of CPU time that one process of the program may use, on all cores. */
static uint64_t cpu_limit(const check_program *program)
{
    enum { SPARE_SECONDS = 10 };
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return (uint64_t)((program_whole_seconds(program) + SPARE_SECONDS) * (double)(cores > 0 ? cores : 1));
}

void check_builds_on(unsigned tasks) { this_check.builds_on = tasks; }

/* The file that is started: the program, or a copy in its own folder that has the code of the tasks on which the check
 * builds. Addresses in both are the same. */
static const char *file_to_start(const check_program *program)
{
    grader_fault fault;
    if (program->reference || !this_check.builds_on) return program->path;
    const char *copy = check_text("%s/program", program->folder);
    if (!solved_code_copy(copy, program->path, this_check.builds_on, &fault)) check_fault("%s", fault.text);
    return copy;
}

static void start_process(check_program *program, int check_socket, int device_socket)
{
    enum { FILE_BYTES = 256 << 20, THREADS = 1024 };
    grader_fault fault;
    const char *source = getenv("LAB_CHECK_SOURCE");
    const char *extra[9] = {check_text("TMPDIR=%s", program->folder),
                            check_text("LAB_DEVICE_SOCKET=%d", PROTOCOL_DEVICE)};
    int count = 2;
    if (program->schedule) extra[count++] = check_text("LAB_SCHEDULE=%s", program->schedule);
    if (!program->reference && source) extra[count++] = check_text("LAB_STUDENT_FILE=%s", source);
    if (program->reference) extra[count++] = "LAB_DEBUG=";
    if (!program->reference && getenv("LAB_CHECK_SANDBOX")) extra[count++] = "HOME=/tmp";
    if (!this_check.definition->measures) extra[count++] = "LAB_CALLERS=1"; /* finding them takes time */
    if (program->sanitized) extra[count++] = sanitizer_address_options;
    if (program->sanitized) extra[count++] = sanitizer_undefined_options;
    char **environment = environment_make(extra);
    if (!environment) check_fault("not enough memory for the program's environment");
    const char *const arguments[] = {file_to_start(program), check_text("%zu", program->memory_bytes), NULL};
    const int descriptors[] = {check_socket, program->memory_descriptor, device_socket};
    subprocess_options options = {
        .arguments = arguments,
        .environment = (const char *const *)environment,
        .directory = program->folder,
        .descriptors = descriptors,
        .descriptor_count = 3,
        .output_limit = CHECK_PROGRAM_OUTPUT,
        .file_limit = FILE_BYTES,
        .data_limit = data_limit(program),
        .cpu_limit = (unsigned)cpu_limit(program),
        .thread_limit = THREADS,
    };
    program_box_enter(&program->box, &options, program, "LAB_CHECK_SANDBOX", program->folder);
    if (program->sanitized && options.data_limit) options.data_limit += sanitizer_data_bytes;
    bool started = subprocess_start(&program->process, &options, &fault);
    environment_free(environment);
    if (!started) check_fault("%s", fault.text);
    subprocess_watch_beside(program->process, program->device);
}

void program_continue(check_program *program)
{
    device_process_continue(program);
    if (program->process) subprocess_continue(program->process);
}

/* Stops the program and everything it started until program_continue. */
static void pause_process(check_program *program)
{
    grader_fault fault;
    if (program->process && !subprocess_stop(program->process, &fault)) check_fault("%s", fault.text);
}

void program_pause(check_program *program)
{
    if (getenv("LAB_DEBUG")) return; /* a debugger has it */
    pause_process(program);
    device_process_pause(program);
}

static void require_running(const check_program *program)
{
    if (!program->process) check_fault("the check calls a program that has ended");
}

/* Starts a program and its device process, up to the program's first word. */
static check_program *start_unheard(const char *variable, bool reference, size_t bytes, bool keeps)
{
    check_program *program = check_alloc(sizeof *program);
    program->socket = program->memory_descriptor = program->control = program->kept_descriptor = -1;
    program->reference = reference;
    program->sanitized = strcmp(variable, SANITIZED) == 0;
    program->schedule = this_check.schedule;
    program->path = getenv(variable);
    if (!program->path) check_fault("%s does not say which program to start", variable);
    program->next = this_check.programs;
    this_check.programs = program;

    int sockets[2];
    device_process_sockets(sockets);
    program->socket = sockets[0];
    int device_socket = device_process_start(program, data_limit(program));
    device_process_watch_time(program);
    make_memory(program, bytes);
    if (keeps) keep_bytes(program);
    make_folder(program);
    start_process(program, sockets[1], device_socket);
    close(sockets[1]);
    close(device_socket);
    device_process_begin_record(program);
    device_process_continue(program);
    return program;
}

/* Waits for the program's HELLO, and stops it until it is called. */
static check_program *greet(check_program *program)
{
    expect(program, PROTOCOL_HELLO, 0, "the program's start");
    program->greeted = true;
    program_pause(program);
    return program;
}

/* Whether the program's first word is HELLO, which stays to be read. */
static bool says_hello(check_program *program)
{
    grader_fault fault;
    protocol_message *message = &program->message;
    double left = program_seconds(program);
    subprocess_event event =
        program_await_answer(&left, program, program->process, program->socket, "the program's start", &fault);
    if (event != SUBPROCESS_READABLE) return false;
    ssize_t got = recv(program->socket, message, sizeof *message, MSG_DONTWAIT | MSG_PEEK);
    return got == (ssize_t)sizeof *message && message->kind == PROTOCOL_HELLO;
}

/* Starts the student's program: the one with the sanitizers where no times are measured. On some machines the
 * sanitizers cannot start: then the plain one, which also says better what is wrong if the file is to blame. */
static check_program *start_students(size_t bytes, bool keeps)
{
    if (!this_check.definition->measures && getenv(SANITIZED)) {
        check_program *program = start_unheard(SANITIZED, false, bytes, keeps);
        if (says_hello(program)) return greet(program);
        program_drop(program);
    }
    return greet(start_unheard("LAB_CHECK_PROGRAM", false, bytes, keeps));
}

check_program *check_start(size_t bytes) { return start_students(bytes, !this_check.definition->measures); }

check_program *check_start_kept(size_t bytes) { return start_students(bytes, true); }

check_program *program_start_plain(size_t bytes)
{
    check_program *program = start_unheard("LAB_CHECK_PROGRAM", false, bytes, false);
    program->fails = true;
    return greet(program);
}

check_program *check_start_reference(size_t bytes)
{
    return greet(start_unheard("LAB_CHECK_REFERENCE", true, bytes, false));
}

/* ---- calls -------------------------------------------------------------------------------------------------- */

static void send_message(check_program *program, const protocol_message *message, const char *step)
{
    if (send(program->socket, message, sizeof *message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return;
    /* The program has closed its end or ended; waiting finds out which. */
    if (errno == EPIPE || errno == ECONNRESET) {
        program_wait(program, step);
        program_fail_rule(program, "closed the connection to its check", step);
    }
    check_fault("cannot send to the program: %s", strerror(errno));
}

/* Sends a request that is answered READY, and waits for the answer while the program runs. */
static void request(check_program *program, protocol_kind kind, const char *step)
{
    protocol_message *message = check_alloc(sizeof *message);
    message->version = PROTOCOL_VERSION;
    message->kind = kind;
    require_running(program);
    send_message(program, message, step);
    program_continue(program);
    expect(program, PROTOCOL_READY, 0, step);
    program_pause(program);
}

static uint64_t new_number(void)
{
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number) check_fault("the system gives no random number");
    return number;
}

static protocol_message *make_call(check_program *program, const char *name, const void *arguments, size_t bytes)
{
    protocol_message *call = check_alloc(sizeof *call);
    if (bytes > PROTOCOL_DATA_BYTES)
        check_fault("the check passes more than %d bytes to \"%s\"", CHECK_MAX_BYTES, name);
    *call = (protocol_message){.version = PROTOCOL_VERSION, .kind = PROTOCOL_CALL, .number = new_number()};
    call->data_bytes = (uint32_t)bytes;
    call->seconds = program_stuck_seconds(program);
    snprintf(call->name, sizeof call->name, "%s", name);
    if (bytes) memcpy(call->data, arguments, bytes);
    return call;
}

/* Sends the call and waits for the program's answer. The clock starts while the program stands still, so that no work
 * on these inputs can come before it. The device process goes on afterwards. */
static double run_call(check_program *program, const protocol_message *call, const char *step)
{
    require_running(program);
    this_check.called_under = program->schedule;
    program->unordered = NULL;
    program->stuck = NULL;
    program->waits_for = NULL;
    device_process_tell(program, CONTROL_CALL_BEGINS, 0, step);
    send_message(program, call, step);
    double begun = clock_seconds();
    program->in_call = true;
    program_continue(program);
    await_answer(program, PROTOCOL_DONE, call->number, step);
    program->in_call = false;
    double ended = clock_seconds();
    pause_process(program);
    return (ended - begun) * 1000;
}

double check_call(check_program *program, const char *name, const void *arguments, size_t argument_bytes, void *result,
                  size_t result_bytes)
{
    if (result_bytes > PROTOCOL_DATA_BYTES)
        check_fault("the check asks for more than %d bytes from \"%s\"", CHECK_MAX_BYTES, name);
    double milliseconds = run_call(program, make_call(program, name, arguments, argument_bytes), name);
    if (program->message.kind == PROTOCOL_FAILED) take_failure(program, name);
    end_call(program, name);
    device_process_pause(program);
    program_require_space(program, name);
    if (result_bytes) memcpy(result, program->message.data, result_bytes);
    return milliseconds;
}

program_return program_call_that_may_fail(check_program *program, const char *name, const void *arguments, size_t bytes,
                                          const char *step)
{
    run_call(program, make_call(program, name, arguments, bytes), step);
    device_process_tell(program, CONTROL_CALL_ENDS, 0, step);
    device_process_pause(program);
    program_require_space(program, step);
    const protocol_message *message = &program->message;
    if (message->kind != PROTOCOL_FAILED) return (program_return){LAB_SUCCESS, false};
    const bool failed = message->status != PROTOCOL_LEFT_UNJOINED;
    return (program_return){failed ? (lab_status)message->status : LAB_SUCCESS, message->left_unjoined > 0};
}

const char *check_unordered(const check_program *program) { return program->unordered; }

check_failed_call check_failure(check_program *program, lab_status status)
{
    const control_message *answer =
        device_process_tell(program, CONTROL_FAILURE, (int32_t)status, "the question for a failed call");
    check_failed_call failed = {0};
    if (answer->text[0])
        failed =
            (check_failed_call){check_text("%s", answer->text), program_place(program, answer->place, answer->caller)};
    device_process_pause(program);
    return failed;
}

/* ---- the shared memory ---------------------------------------------------------------------------------------- */

void *check_memory(check_program *program) { return program->memory; }

void check_poison(check_program *program, size_t offset, size_t bytes)
{
    _Static_assert(sizeof(wchar_t) == sizeof(uint32_t), "one character of wmemset is a number");
    wmemset((wchar_t *)(void *)(program->memory + offset), (wchar_t)CHECK_POISON, bytes / sizeof(wchar_t));
}

static void require_range(const check_program *program, size_t offset, size_t bytes)
{
    if (offset <= program->memory_bytes && bytes <= program->memory_bytes - offset) return;
    check_fault("the check reads %zu bytes at %zu of %zu bytes of shared memory", bytes, offset, program->memory_bytes);
}

void check_snapshot(check_program *program, void *out, size_t offset, size_t bytes)
{
    require_range(program, offset, bytes);
    memcpy(out, program->memory + offset, bytes);
    grounds_copied(program, bytes);
}

void check_said(check_program *program, void *out, size_t offset, size_t bytes, const char *why)
{
    if (!why || !*why) check_fault("the check looks at %zu bytes that are no output, and does not say why", bytes);
    require_range(program, offset, bytes);
    memcpy(out, program->memory + offset, bytes);
}

void check_unchanged(check_program *program, size_t offset, const void *copy, size_t bytes, const char *what)
{
    require_range(program, offset, bytes);
    const unsigned char *now = program->memory + offset, *then = copy;
    if (memcmp(now, then, bytes) == 0) return;
    size_t at = 0;
    while (at < bytes && now[at] == then[at]) at++;
    program_fail(program, CHECK_RULE, check_text("the program changed %s", what),
                 .expected = check_text("%s as they were before the call", what),
                 .found = check_text("a different value at byte %zu of %zu", at, bytes));
}
