/*
 * subprocess.h: starts, watches and ends other programs: the compiler, the checks, a student's program.
 *
 * A process gets a session, process group and keyring of its own, exactly the given environment, empty standard input,
 * limits, and only the named descriptors. It dies with the process that started it, and everything it started dies with
 * it.
 * `wrapper` is the seam for a sandbox: a command that runs the rest of its arguments.
 */
#ifndef GRADER_BASE_SUBPROCESS_H
#define GRADER_BASE_SUBPROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "machine/processor_time.h"

enum { SUBPROCESS_WRAPPER_FILE = 32 };

/* Another user whom the process becomes before it runs its program, without rights to gain. New files are the user's
 * alone. Only root can start such a process. */
typedef struct subprocess_user {
    unsigned id;        /* of the user, and of the user's own group */
    unsigned group;     /* the only other one */
    const char *filter; /* of system calls, as the kernel takes it; must outlive the start */
    size_t filter_bytes;
} subprocess_user;

typedef struct subprocess_options {
    const char *const *arguments;   /* ends with NULL; the first is the program's path, with a slash in it */
    const char *const *environment; /* ends with NULL; "NAME=value" */
    /* Put before the arguments; ends with NULL; NULL for none. A wrapper that exits with 128 + n reports that signal n
     * ended the program. */
    const char *const *wrapper;
    const int *wrapper_files; /* at most two that the wrapper reads, as SUBPROCESS_WRAPPER_FILE and the one after */
    size_t wrapper_file_count;
    const char *const *groups;     /* folders of the control groups to enter; ends with NULL; NULL for none */
    const subprocess_user *become; /* NULL for the caller's own user */
    const char *directory;         /* the working directory; NULL for the caller's */
    const int *descriptors;        /* become 3, 4, ... in the process */
    size_t descriptor_count;
    size_t output_limit;   /* bytes of standard output, and of standard error, before they count as a flood */
    bool separate_errors;  /* captures standard error apart from standard output; else both in the order of writing */
    uint64_t file_limit;   /* bytes of the largest file it may write; 0 for no limit */
    uint64_t data_limit;   /* bytes of private memory of one process; 0 for no limit */
    unsigned cpu_limit;    /* seconds of CPU time of one process; 0 for no limit */
    unsigned thread_limit; /* threads that its user may have beyond the present ones; 0 for no limit */
    /* subprocess_run calls it about once a second with the seconds that the process has run; may be NULL. */
    void (*each_second)(void *user, double seconds);
    void *user;
} subprocess_options;

typedef struct subprocess subprocess;

/* Starts a process. */
bool subprocess_start(subprocess **out, const subprocess_options *options, grader_fault *fault);

/* The event that ended a wait. */
typedef enum subprocess_event {
    SUBPROCESS_FAULT,    /* the grader cannot watch the process: the fault says why */
    SUBPROCESS_READABLE, /* the descriptor has something to read, or its other end is closed */
    SUBPROCESS_EXITED,   /* the process has ended; its output is complete */
    SUBPROCESS_DEADLINE, /* the clock has reached the deadline */
    SUBPROCESS_FLOOD,    /* the process, or the one watched with it, wrote more than its output limit */
    SUBPROCESS_LOST,     /* the process watched with it has ended */
} subprocess_event;

/* Waits and gathers output. `descriptor` is one of the caller's to watch as well, -1 for none. The deadline is a value
 * of clock_seconds(). */
subprocess_event subprocess_wait(subprocess *process, int descriptor, double deadline, grader_fault *fault);

/* Waits for the process's end. The limit is in seconds of a machine that has a processor for the process (patience.h);
 * it is a fault if others keep the machine busy for many times as long. */
subprocess_event subprocess_wait_for_end(subprocess *process, double seconds, grader_fault *fault);

/* What the process and everything it started had of the processors so far. */
processor_time subprocess_processor_time(const subprocess *process);

/* Whether one of their threads now runs, waits for a processor or a disk, or is held by a debugger. */
bool subprocess_is_busy(const subprocess *process);

/* Watches another process together with this one from now on; NULL ends that. */
void subprocess_watch_beside(subprocess *process, subprocess *beside);

/* Stops the process and everything it started, until continued. Returns when all of them stand still. */
bool subprocess_stop(subprocess *process, grader_fault *fault);
void subprocess_continue(subprocess *process);

/* The output so far, valid until the next wait. Never NULL; ends with NUL; may hold any bytes. */
const char *subprocess_output(const subprocess *process, size_t *bytes);

/* How a process ended: by exiting or by a signal. */
typedef struct subprocess_exit {
    int status; /* its exit status; -1 if a signal ended it */
    int signal; /* 0 if it exited */
} subprocess_exit;

/* Kills what is left of the process and of everything it started, takes its exit, and frees it in any case. Accepts
 * NULL. `out` may be NULL. */
bool subprocess_end(subprocess *process, subprocess_exit *out, grader_fault *fault);

/* The result of a process that ran from start to end; freed with subprocess_result_free. */
typedef struct subprocess_result {
    subprocess_event event; /* EXITED, DEADLINE or FLOOD */
    subprocess_exit exit;
    double seconds;
    char *output;
    size_t output_bytes;
    char *errors;
    size_t error_bytes;
} subprocess_result;

/* Runs a process to its end, which is waited for as in subprocess_wait_for_end. */
bool subprocess_run(subprocess_result *out, const subprocess_options *options, double seconds, grader_fault *fault);
void subprocess_result_free(subprocess_result *result);

/* The path of a program found in PATH; the caller frees it; NULL if PATH has none of this name. */
char *subprocess_find_program(const char *name);

#endif
