/* Starts, asks and ends the device process of a program; see device_process.h. */
#include "program/device_process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/folder.h"
#include "base/monotonic.h"
#include "wire/passing.h"

void device_process_sockets(int pair[2])
{
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        check_fault("cannot create a socket: %s", strerror(errno));
}

/* Adds which caches of compiled kernels it uses, if the check says so. A submission's own is bounded. */
static int add_caches(const char **extra, const check_program *program)
{
    int count = 0;
    const char *own = getenv("LAB_CHECK_CACHE"), *reference = getenv("LAB_CHECK_REFERENCE_CACHE");
    if (program->reference && reference) extra[count++] = check_text("LAB_CACHE_DIR=%s", reference);
    if (program->reference || !own) return count;
    extra[count++] = check_text("LAB_CACHE_DIR=%s", own);
    extra[count++] = check_text("LAB_CACHE_BASE=%s", reference ? reference : "");
    extra[count++] = "LAB_CACHE_SIZE=32M";
    return count;
}

/* Its settings are the check's; its folder holds what it writes for a moment. */
static char **make_environment(const check_program *program)
{
    const char *setting = this_check.setting ? this_check.setting : this_check.definition->setting;
    const char *extra[16] = {check_text("TMPDIR=%s", program->device_folder)};
    int count = 1 + add_caches(extra + 1, program);
    if (program->schedule) extra[count++] = check_text("LAB_SCHEDULE=%s", program->schedule);
    if (setting) extra[count++] = setting;
    if (this_check.definition->devices)
        extra[count++] = check_text("LAB_CPU_DEVICES=%d", this_check.definition->devices);
    static const char *const checks[] = {"LAB_MEMCHECK=1", "LAB_RACECHECK=1", "LAB_INITCHECK=1", "LAB_SYNCCHECK=1"};
    if (!program->reference && getenv("LAB_CHECK_DEVICE_SANDBOX")) extra[count++] = "HOME=/tmp";
    const bool checked = !program->reference && this_check.definition->checks_kernels;
    for (size_t i = 0; checked && i < sizeof checks / sizeof *checks; i++) extra[count++] = checks[i];
    char **environment = environment_make(extra);
    if (!environment) check_fault("not enough memory for the environment of the device process");
    return environment;
}

int device_process_start(check_program *program, uint64_t data_limit)
{
    grader_fault fault;
    int wire[2], control[2];
    const char *path = getenv("LAB_CHECK_SERVER");
    if (!path) check_fault("LAB_CHECK_SERVER does not say which program is the device process");
    if (!folder_make_private(&program->device_folder, "lab-device", &fault)) check_fault("%s", fault.text);
    device_process_sockets(wire);
    device_process_sockets(control);
    program->control = control[0];
    char **environment = make_environment(program);
    const char *const arguments[] = {path, "3", "--check", "4", NULL};
    const int descriptors[] = {wire[1], control[1]};
    subprocess_options options = {
        .arguments = arguments,
        .environment = (const char *const *)environment,
        .directory = program->device_folder,
        .descriptors = descriptors,
        .descriptor_count = 2,
        .output_limit = CHECK_PROGRAM_OUTPUT,
        .data_limit = data_limit,
    };
    program_box_enter(&program->device_box, &options, program, "LAB_CHECK_DEVICE_SANDBOX", program->device_folder);
    bool started = subprocess_start(&program->device, &options, &fault);
    environment_free(environment);
    close(wire[1]);
    close(control[1]);
    if (!started) check_fault("%s", fault.text);
    return wire[0];
}

/* ---- requests ----------------------------------------------------------------------------------------------- */

_Noreturn void device_process_fail_lost(check_program *program, const char *step)
{
    subprocess_exit ended;
    grader_fault fault;
    size_t bytes;
    const char *output = subprocess_output(program->device, &bytes);
    while (bytes > 0 && output[bytes - 1] == '\n') bytes--;
    char *said = check_text("%.*s", (int)bytes, output);
    const char *last = strrchr(said, '\n') ? strrchr(said, '\n') + 1 : said;
    subprocess *device = program->device;
    program->device = NULL;
    if (program->process) subprocess_watch_beside(program->process, NULL);
    if (!program_end_process(device, &ended, &fault)) check_fault("%s", fault.text);
    program_require_memory(program, &program->device_box, &ended, step);
    check_fault("the device process ended during %s, with status %d and signal %d: %s", step, ended.status,
                ended.signal, last);
}

/* The answer that lies in the socket. */
static void take_answer(check_program *program, const control_message *request, int *file, const char *step)
{
    control_message *answer = &program->answer;
    int came;
    if (!passing_receive(answer, sizeof *answer, &came, program->control)) device_process_fail_lost(program, step);
    answer->place[sizeof answer->place - 1] = answer->text[sizeof answer->text - 1] = '\0';
    if (file) *file = came;
    if (!file && came >= 0) close(came);
    if (answer->kind != request->kind) check_fault("the device process answered something else during %s", step);
}

const control_message *device_process_ask(check_program *program, const control_message *request, int *file,
                                          const char *step)
{
    grader_fault fault;
    device_process_continue(program);
    if (!passing_send(program->control, request, sizeof *request, -1)) device_process_fail_lost(program, step);
    double left = program_seconds(program), allowed = left;
    subprocess_event event = program_await_answer(&left, program, program->device, program->control, step, &fault);
    if (event == SUBPROCESS_EXITED) device_process_fail_lost(program, step);
    if (event != SUBPROCESS_READABLE) program_fail_event(program, event, allowed, step, &fault);
    take_answer(program, request, file, step);
    return &program->answer;
}

const control_message *device_process_tell(check_program *program, control_kind kind, int32_t status, const char *step)
{
    control_message request = {.kind = kind, .status = status};
    return device_process_ask(program, &request, NULL, step);
}

void device_process_watch_time(check_program *program)
{
    int file;
    const control_message request = {.kind = CONTROL_OWN_TIME};
    device_process_ask(program, &request, &file, "the start of the device process");
    if (file < 0) check_fault("the device process does not tell how long it is at work on its own");
    void *memory = mmap(NULL, sizeof *program->own_time, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) check_fault("cannot map the device process's own time: %s", strerror(errno));
    program->own_time = memory;
}

static void forget_time(check_program *program)
{
    if (!program->own_time) return;
    this_check.device_time += (double)own_time_of_all(program->own_time, monotonic_ns()) / 1e9;
    munmap((void *)program->own_time, sizeof *program->own_time);
    program->own_time = NULL;
}

void device_process_begin_record(check_program *program)
{
    static const char step[] = "the beginning of the record";
    const control_message *answer = device_process_tell(program, CONTROL_RECORD_BEGIN, 0, step);
    if (answer->status != LAB_SUCCESS) check_fault("%s failed: %s", step, answer->text);
    device_process_pause(program);
}

/* ---- stopping ----------------------------------------------------------------------------------------------- */

void device_process_pause(check_program *program)
{
    grader_fault fault;
    if (program->device && !subprocess_stop(program->device, &fault)) check_fault("%s", fault.text);
}

void device_process_continue(check_program *program)
{
    if (program->device) subprocess_continue(program->device);
}

bool device_process_end(check_program *program, grader_fault *fault)
{
    bool ended = program_end_process(program->device, NULL, fault);
    forget_time(program);
    program->device = NULL;
    if (program->control >= 0) close(program->control);
    program->control = -1;
    if (program->device_folder) folder_remove(program->device_folder);
    free(program->device_folder);
    sandbox_cell_close(&program->device_box.cell);
    program->device_folder = NULL;
    return ended;
}
