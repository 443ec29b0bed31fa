/*
 * worker.c: main of every lab's program: answers the check's messages by calling the program's entries.
 *
 * The check trusts nothing that this process sends, so nothing here defends against the student's code. It serves the
 * student: a crash should be reported with its line, and a message should arrive complete.
 *
 * `program --device` prints the device that the program would use, one value a line: kind, name, multiprocessors, how
 * many devices there are, and the UUIDs of all of them.
 * `program --probe` tries what can fail through no fault of the program, and says what fails.
 */
#include "worker.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "source/solved_code.h"
#include "protocol.h"
#include "student_threads.h"

_Static_assert((int)WORKER_MAX_BYTES == (int)PROTOCOL_DATA_BYTES, "worker.h promises what a message holds");

/* The marks around the code that solves a task (source/solved_code.h), in sections that student_code.ld puts there. */
#define MARK(name, text, task)                                                                                         \
    __asm__(".pushsection solved_" #task "_" #name ", \"ax\"\n\t.ascii \"" text #task "]\"\n\t.popsection")
#define MARKS(task)                                                                                                    \
    MARK(begins, SOLVED_CODE_BEGINS, task);                                                                            \
    MARK(ends, SOLVED_CODE_ENDS, task)
MARKS(1);
MARKS(2);
MARKS(3);
MARKS(4);
_Static_assert((int)SOLVED_CODE_TASKS == 4, "each task has its marks");

static void *shared_memory;
static size_t memory_bytes;
/* Prepared in advance: the signal handlers only fill them in. */
static protocol_message crash_message, stuck_message;

size_t worker_memory_bytes(void) { return memory_bytes; }

/* ---- crashes ----------------------------------------------------------------------------------------- */

/* Adds the frames of the calling handler and of the code that its signal interrupted. */
static inline __attribute__((always_inline)) void note_frames(protocol_message *message)
{
    void *frame[PROTOCOL_FRAMES];
    int frames = backtrace(frame, PROTOCOL_FRAMES);
    message->crash.frames = (uint32_t)frames;
    for (int i = 0; i < frames; i++) message->crash.frame[i] = (uint64_t)(uintptr_t)frame[i];
}

static void report_crash(int number, siginfo_t *info, void *context)
{
    (void)context;
    note_frames(&crash_message);
    crash_message.crash.signal = number;
    crash_message.started_at = student_thread_start();
    crash_message.crash.code = info->si_code;
    crash_message.crash.address = (uint64_t)(uintptr_t)info->si_addr;
    send(PROTOCOL_SOCKET, &crash_message, sizeof crash_message, MSG_NOSIGNAL);
    /* SA_RESETHAND has restored the default action: the process ends by the signal itself, as its exit status should
     * say. */
    raise(number);
}

static void install_crash_handlers(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    enum { STACK_BYTES = 64 * 1024 };

    crash_message = (protocol_message){.version = PROTOCOL_VERSION, .kind = PROTOCOL_CRASH};
    crash_message.crash.base = worker_base();
    crash_message.crash.stack = (uint64_t)(uintptr_t)__builtin_frame_address(0);

    void *unused[1];
    backtrace(unused, 1); /* loads libgcc now: that allocates memory, which a handler must not do */

    stack_t stack = {.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES};
    bool on_stack = stack.ss_sp && sigaltstack(&stack, NULL) == 0;
    struct sigaction action = {.sa_sigaction = report_crash};
    action.sa_flags = SA_SIGINFO | (int)SA_RESETHAND | (on_stack ? SA_ONSTACK : 0);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
}

/* ---- calls that do not return ------------------------------------------------------------------------- */

/* A timer of the calling thread. A watching thread would disturb the adversarial schedule, which looks at all
 * threads. */
static timer_t call_timer;
static bool has_timer;
static double call_seconds, ready_before; /* the timer's; what the thread was ready when it was set */
static volatile sig_atomic_t call_rounds; /* of the timer since then */

/* The seconds in which the calling thread has waited for a processor; 0 where the system does not tell. */
static double waited_seconds(void)
{
    char text[64];
    const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    const ssize_t bytes = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0) close(file);
    text[bytes < 0 ? 0 : bytes] = '\0';
    const char *second = strchr(text, ' ');
    return second ? (double)strtoull(second, NULL, 10) / 1e9 : 0;
}

/* The seconds in which the calling thread had a processor or waited for one. */
static double ready_seconds(void)
{
    struct timespec used;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0) return 0;
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9 + waited_seconds();
}

static void report_stuck(int number, siginfo_t *info, void *context)
{
    enum { LOOP_SHARE = 20 }; /* an endless loop is ready all the time, whatever else is running */
    (void)number, (void)info, (void)context;
    int error = errno;
    call_rounds = call_rounds + 1;
    stuck_message.waits = ready_seconds() - ready_before < call_seconds * call_rounds / LOOP_SHARE;
    note_frames(&stuck_message);
    send(PROTOCOL_SOCKET, &stuck_message, sizeof stuck_message, MSG_NOSIGNAL | MSG_DONTWAIT);
    errno = error;
}

static void make_call_timer(void)
{
    struct sigaction action = {.sa_sigaction = report_stuck, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGVTALRM};
    event._sigev_un._tid = gettid();
    stuck_message = (protocol_message){.version = PROTOCOL_VERSION, .kind = PROTOCOL_STUCK};
    stuck_message.crash.base = worker_base();
    sigemptyset(&action.sa_mask);
    has_timer = sigaction(SIGVTALRM, &action, NULL) == 0 && timer_create(CLOCK_MONOTONIC, &event, &call_timer) == 0;
}

/* Starts the timer, which goes off each time so many seconds have passed; 0 seconds stop it. */
static void set_call_timer(double seconds)
{
    struct itimerspec when = {0};
    call_seconds = seconds;
    call_rounds = 0;
    if (seconds > 0) ready_before = ready_seconds();
    when.it_value.tv_sec = (time_t)seconds;
    when.it_value.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9);
    when.it_interval = when.it_value;
    if (has_timer) timer_settime(call_timer, 0, &when, NULL);
}

/* ---- messages ---------------------------------------------------------------------------------------- */

static _Noreturn void leave_with(const char *action)
{
    fprintf(stderr, "the program cannot talk to its check: %s: %s\n", action, strerror(errno));
    exit(EXIT_FAILURE);
}

/* Waits for the check's next message; false when the check has gone. */
static bool receive(protocol_message *message)
{
    for (;;) {
        ssize_t bytes = recv(PROTOCOL_SOCKET, message, sizeof *message, 0);
        if (bytes == (ssize_t)sizeof *message) return true;
        if (bytes >= 0) return false;
        if (errno != EINTR) leave_with("receive");
    }
}

static void reply(protocol_kind kind, uint64_t number)
{
    static protocol_message message;
    message.version = PROTOCOL_VERSION;
    message.kind = kind;
    message.number = number;
    if (send(PROTOCOL_SOCKET, &message, sizeof message, MSG_NOSIGNAL) < 0) leave_with("send");
}

static void reply_failed(uint64_t number, int32_t status, const char *text)
{
    static protocol_message message;
    message =
        (protocol_message){.version = PROTOCOL_VERSION, .kind = PROTOCOL_FAILED, .number = number, .status = status};
    message.left_unjoined = (uint32_t)student_threads_unjoined();
    message.started_at = student_threads_last_start();
    snprintf(message.text, sizeof message.text, "%s", text);
    if (send(PROTOCOL_SOCKET, &message, sizeof message, MSG_NOSIGNAL) < 0) leave_with("send");
}

static void reply_status(uint64_t number, lab_status status)
{
    if (status == LAB_SUCCESS) {
        reply(PROTOCOL_READY, number);
    } else {
        reply_failed(number, (int32_t)status, worker_runtime_message());
    }
}

/* ---- what is lent ------------------------------------------------------------------------------------------------ */

/* The address sanitizer's, where the program has it. */
void __asan_poison_memory_region(const volatile void *begin, size_t bytes) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void *begin, size_t bytes) __attribute__((weak));

static bool some_is_lent;

void worker_lend(const void *array, size_t bytes)
{
    if (!__asan_poison_memory_region) return;
    if (!some_is_lent) __asan_poison_memory_region(shared_memory, memory_bytes);
    some_is_lent = true;
    __asan_unpoison_memory_region(array, bytes);
}

void worker_take_back(void)
{
    if (some_is_lent) __asan_unpoison_memory_region(shared_memory, memory_bytes);
    some_is_lent = false;
}

worker_drawn worker_take(void *memory, const void *arguments)
{
    const drawn_arguments *given = arguments;
    worker_drawn drawn = {.count = given->count, .real = given->real, .whole = given->whole};
    for (size_t k = 0; k < given->arrays; k++) {
        drawn.array[k] = (float *)(void *)((unsigned char *)memory + k * drawn_room(given->most));
        worker_lend(drawn.array[k], given->count * sizeof(float));
    }
    return drawn;
}

void worker_begins(void) { worker_runtime_mark(CALL_BEGINS); }

lab_status worker_ends(lab_status status)
{
    worker_runtime_mark(CALL_ENDS);
    return status;
}

lab_status worker_settle(lab_status status)
{
    LAB_TRY(status);
    LAB_TRY(worker_runtime_synchronize());
    worker_take_back();
    return LAB_SUCCESS;
}

lab_status worker_pin(void *memory) { return worker_runtime_pin(memory, memory_bytes); }

/* ---- the way of a call ------------------------------------------------------------------------------------------- */

/* The compiler makes the student's file call this at the beginning of each stretch of code without a branch (build.c).
 * Each thread keeps the last of these places. */
void __sanitizer_cov_trace_pc(void);

static _Thread_local uint64_t steps, step_at[PROTOCOL_FRAMES];

void __sanitizer_cov_trace_pc(void) { step_at[steps++ % PROTOCOL_FRAMES] = STUDENT_CALLER; }

static void tell_way(protocol_message *answer)
{
    answer->crash.base = worker_base();
    for (uint64_t step = steps; step > 0 && answer->crash.frames < PROTOCOL_FRAMES; step--)
        answer->crash.frame[answer->crash.frames++] = step_at[(step - 1) % PROTOCOL_FRAMES];
}

/* ---- calls ------------------------------------------------------------------------------------------- */

static const worker_entry *find_entry(const char *name)
{
    for (const worker_entry *entry = worker_entries; entry->name; entry++) {
        if (strcmp(entry->name, name) == 0) return entry;
    }
    return NULL;
}

static void reply_left_unjoined(uint64_t number, const char *function)
{
    char text[PROTOCOL_NAME_BYTES + 80];
    snprintf(text, sizeof text, "%s returned before it had joined a thread that it had started", function);
    reply_failed(number, PROTOCOL_LEFT_UNJOINED, text);
}

static void serve_call(const protocol_message *call)
{
    static _Alignas(16) unsigned char arguments[PROTOCOL_DATA_BYTES];
    static protocol_message answer;
    const worker_entry *entry = find_entry(call->name);
    if (!entry) {
        char text[PROTOCOL_NAME_BYTES + 64];
        snprintf(text, sizeof text, "the program has no entry named \"%s\"", call->name);
        reply_failed(call->number, LAB_ERROR_NOT_FOUND, text);
        return;
    }
    memcpy(arguments, call->data, sizeof arguments);
    answer = (protocol_message){.version = PROTOCOL_VERSION, .kind = PROTOCOL_DONE, .number = call->number};
    answer.data_bytes = PROTOCOL_DATA_BYTES;
    set_call_timer(call->seconds);
    steps = 0;
    const lab_status status = worker_runtime_release(entry->function(shared_memory, arguments, answer.data));
    set_call_timer(0);
    tell_way(&answer);
    worker_take_back();
    worker_runtime_returned(entry->name);
    /* The first of these causes the other: a function that fails early joins no threads. */
    if (status != LAB_SUCCESS)
        reply_failed(call->number, (int32_t)status, worker_runtime_explanation(status));
    else if (student_threads_unjoined() > 0)
        reply_left_unjoined(call->number, entry->name);
    else if (send(PROTOCOL_SOCKET, &answer, sizeof answer, MSG_NOSIGNAL) < 0)
        leave_with("send");
}

static void serve(void)
{
    static protocol_message request;
    while (receive(&request)) {
        switch ((protocol_kind)request.kind) {
        case PROTOCOL_CALL: serve_call(&request); break;
        case PROTOCOL_PROBE: reply_status(0, worker_runtime_probe()); break;
        default: return;
        }
    }
}

static int print_device(void)
{
    worker_device device;
    if (worker_runtime_device(&device) != LAB_SUCCESS) {
        fprintf(stderr, "%s\n", worker_runtime_message());
        return EXIT_FAILURE;
    }
    printf("%s\n%s\n%d\n%d\n%s\n", device.kind, device.name, device.multiprocessors, device.devices, device.uuids);
    return EXIT_SUCCESS;
}

static int probe(void)
{
    if (worker_runtime_probe() == LAB_SUCCESS) return EXIT_SUCCESS;
    fprintf(stderr, "%s\n", worker_runtime_message());
    return EXIT_FAILURE;
}

/* Whether a debugger has this process, as the kernel tells it. */
static bool is_traced(void)
{
    int tracer = 0;
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status) && sscanf(line, "TracerPid: %d", &tracer) != 1) {}
    if (status) fclose(status);
    return tracer != 0;
}

/* make labNN-debug: the first program of a check names itself in the file and waits for the debugger. */
static void wait_for_debugger(void)
{
    enum { SECONDS = 60, A_SECOND = 20 };
    const char *path = getenv("LAB_DEBUG");
    FILE *file = path && *path ? fopen(path, "wx") : NULL;
    if (!file) return;
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    fprintf(file, "%ld\n", (long)getpid());
    fclose(file);
    for (int i = 0; i < SECONDS * A_SECOND && !is_traced(); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000000 / A_SECOND}, NULL);
}

int main(int count, char **argument)
{
    if (count == 2 && strcmp(argument[1], "--device") == 0) return print_device();
    if (count == 2 && strcmp(argument[1], "--probe") == 0) return probe();
    memory_bytes = count == 2 ? strtoul(argument[1], NULL, 10) : 0;
    if (memory_bytes == 0 || fcntl(PROTOCOL_SOCKET, F_GETFD) < 0) {
        fprintf(stderr, "This program is started by a lab's checks: use `make lab03` and the like.\n");
        return EXIT_FAILURE;
    }
    setvbuf(stdout, NULL, _IOLBF, 0); /* the output before a crash is kept */
    wait_for_debugger();
    fcntl(PROTOCOL_SOCKET, F_SETFD, FD_CLOEXEC);
    install_crash_handlers();
    make_call_timer();

    lab_status status = worker_runtime_memory(&shared_memory, PROTOCOL_MEMORY, memory_bytes);
    close(PROTOCOL_MEMORY);
    if (status == LAB_SUCCESS) {
        reply(PROTOCOL_HELLO, 0);
        serve();
    } else {
        reply_failed(0, (int32_t)status, worker_runtime_message());
    }
    return EXIT_SUCCESS;
}
