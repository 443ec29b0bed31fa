/*
 * worker.h: for who writes a lab's program.c.
 *
 * A lab's program is the student's file, the lab's program.c, worker.c and the runtime library. It is started by
 * a check, never by hand, and waits for calls. program.c does nothing but translate: it lists entries by name,
 * and each takes the student's arguments out of the shared memory and calls the student's function.
 *
 *     #include "lab03.h"
 *     #include "worker.h"
 *
 *     static lab_status run(void *memory, const void *arguments, void *result)
 *     {
 *         const struct lab03_arguments *a = arguments;
 *         struct lab03_memory *m = memory;
 *         (void)result;
 *         return lab03_run(m->out, m->in, a->arrays, a->count);
 *     }
 *
 *     const worker_entry worker_entries[] = {{"lab03_run", run}, {0}};
 *
 * What the program finds: its current directory is a private folder that holds the lab's .cu files and goes away
 * with the program; standard input is empty; standard output and error are shown to the student, the first
 * 16 KiB, and more than 8 MiB ends the program; of the environment only PATH, HOME, LANG, TMPDIR,
 * XDG_CACHE_HOME and the LAB_ variables that are not the check's own.
 *
 * Nothing in this process is trusted by the other side, this file included.
 */
#ifndef GRADER_HARNESS_WORKER_H
#define GRADER_HARNESS_WORKER_H

#include <stdbool.h>
#include <stddef.h>

#include "lab.h"

/* One call that a check can make, named as the student's function: messages show the name. `memory` is the shared memory; `arguments` is what the check passed, aligned to
 * 16 bytes; `result` takes up to WORKER_MAX_BYTES and starts as zeros, aligned to 16 bytes. What it returns goes
 * back to the check, with what worker_runtime_failure says of it. */
typedef struct worker_entry {
    const char *name;
    lab_status (*function)(void *memory, const void *arguments, void *result);
} worker_entry;
enum { WORKER_MAX_BYTES = 2048 };

/* Defined by program.c; ends with {0}. */
extern const worker_entry worker_entries[];

/* Size of the shared memory in bytes. */
size_t worker_memory_bytes(void);

/*
 * What the worker needs of the runtime library, so that a program can be linked without one: defined in
 * worker_runtime.c for labs, and by the grader's own tests.
 */
typedef struct worker_device {
    char kind[8];
    char name[128];
    int multiprocessors;
} worker_device;

lab_status worker_runtime_device(worker_device *device);
/* From here on uses of memory that nothing orders are found (lab_trace.h, the order checker). */
lab_status worker_runtime_order_begin(void);

/* The next finding that has not been asked for yet, in words; NULL if there is none. `place` gets "FILE:LINE" of the
 * second of its two uses. */
const char *worker_runtime_finding(const char **place);

/* Uses what a program can fail for through no fault of its own: the compiler for kernels, the device, on which a kernel
 * runs and is right, a file in the current directory. */
lab_status worker_runtime_probe(void);

/* Marks in the record that a call of this entry returns: what the device is still doing then is outstanding. */
void worker_runtime_returned(const char *name);

lab_status worker_runtime_record_begin(void);

/* A call begins, and has returned. What is enqueued between calls was left to a thread that nobody waits for. */
void worker_runtime_call_begins(void);
void worker_runtime_call_ends(void);

/* LAB_ERROR_NOT_READY, and nothing is saved, if something was enqueued between calls. worker_runtime_left_running then says
 * what, with "FILE:LINE" of it; NULL otherwise. */
lab_status worker_runtime_record_save(const char *path);
const char *worker_runtime_left_running(const char **place);
const char *worker_runtime_message(void);

/* Why a call of the student's returned this status: what went wrong in the library since it began, on whatever
 * thread, and "FILE:LINE" of that call, "" if it is not known. */
typedef struct worker_failure {
    char message[3000], place[256];
} worker_failure;
worker_failure worker_runtime_failure(lab_status status);

/* In a signal handler: what a call of the runtime that has not returned waits for, or "" if that is not known; of the
 * calling thread if *own, else of another thread, which the words then name by its call. */
void worker_runtime_describe_wait(char *words, size_t bytes, bool *own);

#endif
