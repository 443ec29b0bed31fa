/*
 * subprocess.h: other programs, started, watched and ended: the compiler, the checks, a student's program.
 *
 * A process gets its own session and process group, an environment that is exactly the one given, standard input
 * that is empty, limits, and no descriptors but those named. It dies with the process that started it. It ends with
 * everything it started itself. `wrapper` is the seam for a sandbox: a command that runs the rest of its arguments.
 * It knows nothing of labs, messages or verdicts.
 */
#ifndef GRADER_BASE_SUBPROCESS_H
#define GRADER_BASE_SUBPROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"

typedef struct subprocess_options {
    const char *const *arguments;   /* ends with NULL; the first is the program's path, with a slash in it */
    const char *const *environment; /* ends with NULL; "NAME=value" */
    const char *const *wrapper; /* ends with NULL; put before the arguments; NULL for none. A wrapper that exits with
                                       128 + n says that signal n ended what it ran */
    const char *const *groups;  /* ends with NULL: folders of control groups that it enters; NULL for none */
    const char *directory;      /* where it runs; NULL for the caller's */
    const int *descriptors;     /* given to it as 3, 4, ... */
    size_t descriptor_count;
    size_t output_limit;   /* bytes of standard output, and of standard error, before it counts as a flood */
    bool separate_errors;  /* standard error apart from standard output; otherwise both in the order of writing */
    uint64_t file_limit;   /* bytes of the largest file it may write; 0 for no limit */
    uint64_t data_limit;   /* bytes of private memory of one process; 0 for no limit */
    unsigned cpu_limit;    /* seconds of CPU time of one process; 0 for no limit */
    unsigned thread_limit; /* threads that its user may have beyond those there are now; 0 for no limit */
    /* subprocess_run calls it about once a second, with how long the process has run; NULL for nothing. */
    void (*each_second)(void *user, double seconds);
    void *user;
} subprocess_options;

typedef struct subprocess subprocess;

/* Starts a process; false with a fault if there is none then. */
bool subprocess_start(subprocess **out, const subprocess_options *options, grader_fault *fault);

/* What ended a wait. */
typedef enum subprocess_event {
    SUBPROCESS_FAULT,    /* the grader cannot watch it: the fault says why */
    SUBPROCESS_READABLE, /* the descriptor has something to read, or its other end is closed */
    SUBPROCESS_EXITED,   /* it has ended; what it wrote before is in the output */
    SUBPROCESS_DEADLINE, /* the clock has reached the deadline */
    SUBPROCESS_FLOOD,    /* it wrote more than its output limit */
} subprocess_event;

/* Waits, gathering output. `descriptor` is one of the caller's to watch as well, -1 for none. The deadline is a value
 * of clock_seconds(). */
subprocess_event subprocess_wait(subprocess *process, int descriptor, double deadline, grader_fault *fault);

/* Stops it and everything it started, until continued; returns when all of it stands still. */
bool subprocess_stop(subprocess *process, grader_fault *fault);
void subprocess_continue(subprocess *process);

/* What it has written so far: valid until the next wait. Never NULL, ends with NUL, may hold any bytes. */
const char *subprocess_output(const subprocess *process, size_t *bytes);
const char *subprocess_errors(const subprocess *process, size_t *bytes);

/* How it ended: exactly one of the two means something. */
typedef struct subprocess_exit {
    int status; /* what it exited with; -1 if a signal ended it */
    int signal; /* 0 if it exited */
} subprocess_exit;

/* Kills what is left of it and of everything it started, and takes its exit; frees it in any case. NULL is accepted.
 * `out` may be NULL. */
bool subprocess_end(subprocess *process, subprocess_exit *out, grader_fault *fault);

/* A process from start to end. Text is yours to free with subprocess_result_free. */
typedef struct subprocess_result {
    subprocess_event event; /* EXITED, DEADLINE or FLOOD */
    subprocess_exit exit;
    double seconds;
    char *output;
    size_t output_bytes;
    char *errors;
    size_t error_bytes;
} subprocess_result;

bool subprocess_run(subprocess_result *out, const subprocess_options *options, double seconds, grader_fault *fault);
void subprocess_result_free(subprocess_result *result);

/* The path of a program that PATH names, yours to free; NULL if there is none. */
char *subprocess_find_program(const char *name);

#endif
