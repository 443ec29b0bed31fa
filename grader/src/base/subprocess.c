/* Starting, watching and ending processes; see subprocess.h. */
#include "subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "machine/patience.h"
#include "process_tree.h"
#include "text.h"

typedef struct capture {
    int descriptor; /* -1 when the other end is closed */
    text_buffer text;
} capture;

struct subprocess {
    pid_t pid;
    int pid_descriptor; /* readable when it has ended */
    capture output, errors;
    size_t output_limit;
    bool wrapped;
    process_set stopped;
    subprocess *beside; /* watched together with this one; NULL if none is */
};

/* ---- in the new process, between fork and exec: only async-signal-safe calls ----------------------------- */

enum { MOST_GROUPS = 4, MOST_WRAPPER_FILES = 2 };

typedef struct launch_plan {
    const subprocess_options *options;
    const char *const *arguments; /* wrapper and arguments */
    int output, errors;           /* become 1 and 2 */
    int report;                   /* takes the reason if exec fails */
    int group[MOST_GROUPS];       /* the control groups' lists of processes, open for writing */
    int group_count;
    pid_t parent;
    rlim_t threads; /* 0 for no limit */
    /* Where to open the wrapper's files once more: each process reads them from their beginning. */
    char wrapper_path[MOST_WRAPPER_FILES][32];
} launch_plan;

static _Noreturn void launch_failed(int report)
{
    int error = errno;
    ssize_t ignored = write(report, &error, sizeof error);
    (void)ignored;
    _exit(127);
}

static bool set_limit(int resource, rlim_t soft, rlim_t hard)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) < 0) return false;
    limit.rlim_max = hard < limit.rlim_max ? hard : limit.rlim_max;
    limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
    return setrlimit(resource, &limit) == 0;
}

static bool set_limits(const launch_plan *plan)
{
    const subprocess_options *options = plan->options;
    rlim_t data = options->data_limit, file = options->file_limit, cpu = options->cpu_limit, threads = plan->threads;
    if (data && !set_limit(RLIMIT_DATA, data, data)) return false;
    if (file && !set_limit(RLIMIT_FSIZE, file, file)) return false;
    if (cpu && !set_limit(RLIMIT_CPU, cpu, cpu + 1)) return false;
    if (threads && !set_limit(RLIMIT_NPROC, threads, threads)) return false;
    return set_limit(RLIMIT_CORE, 0, 0);
}

/* Closes the descriptors from `first` on, below `end`. */
static void close_from(int first, int end)
{
    if (syscall(SYS_close_range, first, end - 1, 0) == 0) return;
    for (int i = first; i < end && i < 4096; i++) close(i);
}

/* Arranges 0, 1, 2, then the named descriptors from 3 on, then the report, then the wrapper's files, and closes all
 * others. High-numbered copies are made first, so that no new descriptor overwrites one that is still needed. Returns
 * the new number of the report. */
static int arrange_descriptors(const launch_plan *plan)
{
    enum { HIGH = 64, MOST = 16 };
    const subprocess_options *options = plan->options;
    int copy[MOST + 4], wrapper_file[MOST_WRAPPER_FILES], count = 0;
    for (size_t i = 0; i < options->wrapper_file_count; i++) {
        wrapper_file[i] = fcntl(open(plan->wrapper_path[i], O_RDONLY | O_CLOEXEC), F_DUPFD, HIGH);
        if (wrapper_file[i] < 0) launch_failed(plan->report);
    }
    copy[count++] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    copy[count++] = plan->output;
    copy[count++] = plan->errors;
    for (size_t i = 0; i < options->descriptor_count && i < MOST; i++) copy[count++] = options->descriptors[i];
    copy[count++] = plan->report;
    for (int i = 0; i < count; i++) {
        copy[i] = fcntl(copy[i], F_DUPFD, HIGH);
        if (copy[i] < 0) launch_failed(plan->report);
    }
    for (int i = 0; i < count; i++) {
        if (dup2(copy[i], i) < 0) launch_failed(copy[count - 1]);
    }
    fcntl(count - 1, F_SETFD, FD_CLOEXEC);
    const int first = SUBPROCESS_WRAPPER_FILE, files = (int)options->wrapper_file_count;
    for (int i = 0; i < files; i++) {
        if (dup2(wrapper_file[i], first + i) < 0) launch_failed(count - 1);
    }
    close_from(count, first);
    close_from(first + files, INT_MAX);
    return count - 1;
}

/* The keys of a session outlive its processes. Fails where the kernel has no keys or a container forbids them: then the
 * process has none either. */
static void join_new_keyring(void) { syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL); }

/* From here on the process has no more rights than any program of that user. */
static bool become_user(const subprocess_user *user)
{
    const gid_t group = user->group;
    umask(077);
    return setgroups(1, &group) == 0 && setresgid(user->id, user->id, user->id) == 0 &&
           setresuid(user->id, user->id, user->id) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

static bool filter_calls(const subprocess_user *user)
{
    const struct sock_fprog program = {.len = (unsigned short)(user->filter_bytes / sizeof(struct sock_filter)),
                                       .filter = (struct sock_filter *)user->filter};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

static _Noreturn void become(const launch_plan *plan)
{
    for (int i = 0; i < plan->group_count; i++) {
        if (write(plan->group[i], "0", 1) != 1) launch_failed(plan->report);
    }
    int report = arrange_descriptors(plan);
    setsid();
    join_new_keyring();
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (!set_limits(plan)) launch_failed(report);
    if (plan->options->directory && chdir(plan->options->directory) < 0) launch_failed(report);
    const subprocess_user *user = plan->options->become;
    if (user && !become_user(user)) launch_failed(report);
    /* A change of the user takes this back. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != plan->parent) _exit(127);
    if (user && !filter_calls(user)) launch_failed(report);
    execve(plan->arguments[0], (char *const *)plan->arguments, (char *const *)plan->options->environment);
    launch_failed(report);
}

/* ---- starting ------------------------------------------------------------------------------------------- */

static size_t count_words(const char *const *words)
{
    size_t count = 0;
    while (words && words[count]) count++;
    return count;
}

static const char **join_arguments(const subprocess_options *options)
{
    size_t before = count_words(options->wrapper), after = count_words(options->arguments);
    const char **all = calloc(before + after + 1, sizeof *all);
    if (!all) return NULL;
    for (size_t i = 0; i < before; i++) all[i] = options->wrapper[i];
    for (size_t i = 0; i < after; i++) all[before + i] = options->arguments[i];
    return all;
}

/* Opens the process lists of the groups to enter. */
static bool open_groups(launch_plan *plan, grader_fault *fault)
{
    const char *const *group = plan->options->groups;
    for (; group && *group && plan->group_count < MOST_GROUPS; group++) {
        char *path = text_make("%s/cgroup.procs", *group);
        int list = path ? open(path, O_WRONLY | O_CLOEXEC) : -1;
        free(path);
        if (list < 0) return fault_errno(fault, "cannot enter the control group %s", *group);
        plan->group[plan->group_count++] = list;
    }
    return true;
}

static void close_pair(const int pair[2])
{
    if (pair[0] >= 0) close(pair[0]);
    if (pair[1] >= 0) close(pair[1]);
}

/* Forks and waits until the new process runs its program, or says why not. */
static bool launch_process(subprocess *process, launch_plan *plan, grader_fault *fault)
{
    int report[2] = {-1, -1};
    if (pipe2(report, O_CLOEXEC) < 0) return fault_errno(fault, "cannot create a pipe");
    plan->report = report[1];
    plan->parent = getpid();
    process->pid = fork();
    if (process->pid == 0) become(plan);
    if (process->pid < 0) {
        bool failed = fault_errno(fault, "cannot start a process for %s", plan->arguments[0]);
        close_pair(report);
        return failed;
    }
    close(report[1]);
    int error = 0;
    ssize_t bytes;
    do {
        bytes = read(report[0], &error, sizeof error);
    } while (bytes < 0 && errno == EINTR);
    close(report[0]);
    if (bytes == 0) return true;
    waitpid(process->pid, NULL, 0);
    process->pid = -1;
    errno = error;
    return fault_errno(fault, "cannot start %s", plan->arguments[0]);
}

static void free_process(subprocess *process)
{
    if (process->pid_descriptor >= 0) close(process->pid_descriptor);
    if (process->output.descriptor >= 0) close(process->output.descriptor);
    if (process->errors.descriptor >= 0) close(process->errors.descriptor);
    free(process->output.text.text);
    free(process->errors.text.text);
    free(process->stopped.pid);
    free(process);
}

/* Registers the new process with the process tree and makes its end something to poll for. */
static bool watch_process(subprocess *process, grader_fault *fault)
{
    FAULT_TRY(process_tree_own(process->pid, fault));
    process->pid_descriptor = (int)syscall(SYS_pidfd_open, process->pid, 0);
    if (process->pid_descriptor >= 0) return true;
    return fault_errno(fault, "cannot watch process %d", process->pid);
}

/* Makes a pipe whose reading end is the capture's. */
static bool open_capture(capture *stream, int *writing_end, grader_fault *fault)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return fault_errno(fault, "cannot create a pipe");
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    stream->descriptor = ends[0];
    *writing_end = ends[1];
    return true;
}

static bool start_planned(subprocess *process, launch_plan *plan, grader_fault *fault)
{
    FAULT_TRY(process_tree_adopt(fault));
    FAULT_TRY(open_capture(&process->output, &plan->output, fault));
    plan->errors = plan->output;
    if (plan->options->separate_errors) FAULT_TRY(open_capture(&process->errors, &plan->errors, fault));
    if (plan->options->thread_limit) {
        const unsigned present = plan->options->become ? 0 : process_tree_threads_of_user();
        plan->threads = plan->options->thread_limit + present;
    }
    FAULT_TRY(open_groups(plan, fault));
    FAULT_TRY(launch_process(process, plan, fault));
    return watch_process(process, fault);
}

static void close_plan(const launch_plan *plan)
{
    for (int i = 0; i < plan->group_count; i++) close(plan->group[i]);
    if (plan->errors >= 0 && plan->errors != plan->output) close(plan->errors);
    if (plan->output >= 0) close(plan->output);
}

bool subprocess_start(subprocess **out, const subprocess_options *options, grader_fault *fault)
{
    *out = NULL;
    const char **arguments = join_arguments(options);
    subprocess *process = calloc(1, sizeof *process);
    if (!process || !arguments) {
        free(process);
        free(arguments);
        return fault_memory(fault, "a process");
    }
    process->pid = process->pid_descriptor = process->output.descriptor = process->errors.descriptor = -1;
    process->output_limit = options->output_limit;
    process->wrapped = options->wrapper != NULL;
    launch_plan plan = {.options = options, .arguments = arguments, .output = -1, .errors = -1};
    for (size_t i = 0; i < options->wrapper_file_count; i++)
        snprintf(plan.wrapper_path[i], sizeof plan.wrapper_path[i], "/proc/self/fd/%d", options->wrapper_files[i]);
    bool started = start_planned(process, &plan, fault);
    close_plan(&plan);
    free(arguments);
    grader_fault second;
    if (started)
        *out = process;
    else if (process->pid > 0)
        subprocess_end(process, NULL, &second);
    else
        free_process(process);
    return started;
}

/* ---- watching ------------------------------------------------------------------------------------------- */

/* Reads what is there now, up to the limit. */
static void drain(capture *stream, size_t limit)
{
    char bytes[16384];
    while (stream->descriptor >= 0 && stream->text.length <= limit && !stream->text.failed) {
        ssize_t count = read(stream->descriptor, bytes, sizeof bytes);
        if (count > 0) {
            size_t room = limit + 1 - stream->text.length;
            text_append(&stream->text, bytes, (size_t)count < room ? (size_t)count : room);
        } else if (count == 0) {
            close(stream->descriptor);
            stream->descriptor = -1;
        } else if (errno != EINTR) {
            return;
        }
    }
}

static bool is_flood(const subprocess *process)
{
    return process->output.text.length > process->output_limit || process->errors.text.length > process->output_limit;
}

void subprocess_watch_beside(subprocess *process, subprocess *beside) { process->beside = beside; }

static void drain_all(subprocess *process)
{
    drain(&process->output, process->output_limit);
    drain(&process->errors, process->output_limit);
}

/* What the process has come to; DEADLINE for nothing. */
static subprocess_event look_at(subprocess *process, bool ended, subprocess_event end, grader_fault *fault)
{
    drain_all(process);
    if (process->output.text.failed || process->errors.text.failed) {
        fault_memory(fault, "the output of a process");
        return SUBPROCESS_FAULT;
    }
    if (is_flood(process)) return SUBPROCESS_FLOOD;
    return ended ? end : SUBPROCESS_DEADLINE;
}

/* Polls what belongs to the process, from `watched` on. */
static void watch(struct pollfd watched[3], const subprocess *process)
{
    watched[0] = (struct pollfd){.fd = process ? process->output.descriptor : -1, .events = POLLIN};
    watched[1] = (struct pollfd){.fd = process ? process->errors.descriptor : -1, .events = POLLIN};
    watched[2] = (struct pollfd){.fd = process ? process->pid_descriptor : -1, .events = POLLIN};
}

subprocess_event subprocess_wait(subprocess *process, int descriptor, double deadline, grader_fault *fault)
{
    for (;;) {
        double left = deadline - clock_seconds();
        int milliseconds = left <= 0 ? 0 : left > 3600 ? 3600000 : (int)(left * 1000) + 1;
        struct pollfd watched[7] = {{.fd = descriptor, .events = POLLIN}};
        watch(watched + 1, process);
        watch(watched + 4, process->beside);
        int ready = poll(watched, 7, milliseconds);
        if (ready < 0 && errno != EINTR) {
            fault_errno(fault, "cannot wait for process %d", process->pid);
            return SUBPROCESS_FAULT;
        }
        if (ready < 0) continue;
        if (watched[0].revents) return SUBPROCESS_READABLE;
        subprocess_event event = look_at(process, watched[3].revents, SUBPROCESS_EXITED, fault);
        if (event == SUBPROCESS_DEADLINE && process->beside)
            event = look_at(process->beside, watched[6].revents, SUBPROCESS_LOST, fault);
        if (event != SUBPROCESS_DEADLINE || clock_seconds() >= deadline) return event;
    }
}

bool subprocess_stop(subprocess *process, grader_fault *fault)
{
    bool stopped = process_tree_stop(process->pid, &process->stopped, fault);
    drain_all(process);
    return stopped;
}

void subprocess_continue(subprocess *process) { process_tree_continue(&process->stopped); }

static const char *text_of(const capture *stream, size_t *bytes)
{
    *bytes = stream->text.length;
    return stream->text.text ? stream->text.text : "";
}

const char *subprocess_output(const subprocess *process, size_t *bytes) { return text_of(&process->output, bytes); }

/* ---- ending --------------------------------------------------------------------------------------------- */

static subprocess_exit exit_of(int status, bool wrapped)
{
    enum { SIGNALS = 128 }; /* a wrapper's exit status for signal n is SIGNALS + n */
    if (WIFSIGNALED(status)) return (subprocess_exit){.status = -1, .signal = WTERMSIG(status)};
    int code = WEXITSTATUS(status);
    if (wrapped && code > SIGNALS && code < SIGNALS + NSIG) {
        return (subprocess_exit){.status = -1, .signal = code - SIGNALS};
    }
    return (subprocess_exit){.status = code};
}

bool subprocess_end(subprocess *process, subprocess_exit *out, grader_fault *fault)
{
    if (!process) return true;
    int status = 0;
    bool ended = process_tree_kill(process->pid, fault);
    if (ended && waitpid(process->pid, &status, 0) < 0) ended = fault_errno(fault, "process %d is lost", process->pid);
    process_tree_disown(process->pid);
    if (out) *out = exit_of(status, process->wrapped);
    free_process(process);
    return ended;
}

static char *take_text(capture *stream, size_t *bytes)
{
    text_append(&stream->text, "", 0);
    char *text = stream->text.text;
    *bytes = stream->text.length;
    stream->text = (text_buffer){0};
    return text;
}

/* Waits like subprocess_wait and calls each_second meanwhile. */
static subprocess_event wait_by_seconds(subprocess *process, const subprocess_options *options, double started,
                                        double deadline, grader_fault *fault)
{
    for (double passed = 0;;) {
        double second = started + (double)(long)passed + 1;
        bool last = !options->each_second || second >= deadline;
        subprocess_event event = subprocess_wait(process, -1, last ? deadline : second, fault);
        if (last || event != SUBPROCESS_DEADLINE) return event;
        passed = clock_seconds() - started;
        options->each_second(options->user, passed);
    }
}

/* Waits like that until the process has had its seconds. */
static subprocess_event wait_patiently(subprocess *process, const subprocess_options *options, double seconds,
                                       grader_fault *fault)
{
    patience given;
    const double started = clock_seconds();
    double deadline = started + seconds;
    patience_begin(&given, seconds);
    for (double more;; deadline += more) {
        subprocess_event event = wait_by_seconds(process, options, started, deadline, fault);
        if (event != SUBPROCESS_DEADLINE) return event;
        given.passed = clock_seconds() - started;
        const patience_answer answer = patience_ask(&given, &more, subprocess_processor_time(process));
        if (answer == PATIENCE_OVER) return event;
        if (answer == PATIENCE_MORE) continue;
        fault_set(fault,
                  "the machine is busy: a program that has %.0f seconds did not end in %.0f, and waited for a "
                  "processor most of that time",
                  seconds, given.passed);
        return SUBPROCESS_FAULT;
    }
}

subprocess_event subprocess_wait_for_end(subprocess *process, double seconds, grader_fault *fault)
{
    return wait_patiently(process, &(subprocess_options){0}, seconds, fault);
}

processor_time subprocess_processor_time(const subprocess *process)
{
    return process_tree_processor_time(process->pid);
}

bool subprocess_is_busy(const subprocess *process) { return process_tree_is_busy(process->pid); }

bool subprocess_run(subprocess_result *out, const subprocess_options *options, double seconds, grader_fault *fault)
{
    *out = (subprocess_result){0};
    subprocess *process;
    double started = clock_seconds();
    if (!subprocess_start(&process, options, fault)) return false;
    out->event = wait_patiently(process, options, seconds, fault);
    out->seconds = clock_seconds() - started;
    out->output = take_text(&process->output, &out->output_bytes);
    out->errors = take_text(&process->errors, &out->error_bytes);
    grader_fault second;
    bool watched = out->event != SUBPROCESS_FAULT;
    bool ended = subprocess_end(process, &out->exit, watched ? fault : &second);
    if (watched && ended && out->output && out->errors) return true;
    if (watched && ended) fault_memory(fault, "the output of a process");
    subprocess_result_free(out);
    return false;
}

void subprocess_result_free(subprocess_result *result)
{
    free(result->output);
    free(result->errors);
    *result = (subprocess_result){0};
}

char *subprocess_find_program(const char *name)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        char *candidate = text_make("%.*s/%s", (int)length, path, name);
        if (candidate && length > 0 && access(candidate, X_OK) == 0) return candidate;
        free(candidate);
        path += length + (path[length] == ':');
    }
    return NULL;
}
