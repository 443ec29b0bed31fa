/*
 * worker.h: the manual for the author of a lab's program.c.
 *
 * A lab's program consists of the student's file, the lab's program.c, worker.c and the runtime library. A check starts
 * it, never a person, and it waits for calls. program.c only translates: it lists entries by name, and each entry takes
 * the arguments from the shared memory and calls the student's function.
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
 * The program's surroundings:
 *
 *   current directory    a private folder with the lab's .cu files, removed with the program
 *   standard input       empty
 *   output and errors    the first 16 KiB are shown to the student; more than 8 MiB ends the program
 *   environment          PATH, HOME, LANG, TMPDIR and the like, and the LAB_ variables except the check's own (all in
 *                        environment.h)
 *
 * The check trusts nothing in this process, not even this file.
 */
#ifndef GRADER_HARNESS_WORKER_H
#define GRADER_HARNESS_WORKER_H

#include <stdbool.h>
#include <stddef.h>

#include "lab.h"

/* A call that a check can make. Name it like the student's function, because messages show the name. `memory` is the
 * shared memory. `arguments` are the check's, aligned to 16 bytes. `result` has room for WORKER_MAX_BYTES, is zeroed,
 * and is aligned to 16 bytes. The returned status goes back to the check, with worker_runtime_failure's explanation. */
typedef struct worker_entry {
    const char *name;
    lab_status (*function)(void *memory, const void *arguments, void *result);
} worker_entry;
enum { WORKER_MAX_BYTES = 2048 };

/* program.c defines this list, which ends with {0}. */
extern const worker_entry worker_entries[];

/* The size of the shared memory in bytes. */
size_t worker_memory_bytes(void);

/*
 * What the worker needs from the runtime library. worker_runtime.c implements it for labs; the grader's own tests have
 * an implementation without the library.
 */
typedef struct worker_device {
    char kind[8];
    char name[128];
    int multiprocessors;
} worker_device;

lab_status worker_runtime_device(worker_device *device);

/* Starts the order checker (lab_trace.h), which collects its findings. */
lab_status worker_runtime_order_begin(void);

/* The next finding that has not been returned yet, as a sentence; NULL after the last. `place` gets the "FILE:LINE" of
 * the second of its two uses. */
const char *worker_runtime_finding(const char **place);

/* Tries everything that can fail through no fault of the program: the compiler for kernels, the device, the result of a
 * kernel, a file in the current directory. */
lab_status worker_runtime_probe(void);

/* Marks in the record that a call of this entry returns. Work that the device has not finished by then is
 * outstanding. */
void worker_runtime_returned(const char *name);

lab_status worker_runtime_record_begin(void);

/* Tell that a call begins, and that it has returned. Whatever is enqueued between calls comes from a thread that the
 * function should have waited for. */
void worker_runtime_call_begins(void);
void worker_runtime_call_ends(void);

/* Ends the record and saves it. If something was enqueued between calls, nothing is saved and the status is
 * LAB_ERROR_NOT_READY; worker_runtime_left_running then describes it, with its "FILE:LINE", and is NULL otherwise. */
lab_status worker_runtime_record_save(const char *path);
const char *worker_runtime_left_running(const char **place);

/* The message for the last status that was not LAB_SUCCESS. */
const char *worker_runtime_message(void);

/* Why the student's function returned this status: the library's last failure with it since the call began, on any
 * thread, and the "FILE:LINE" of the failing call, "" if unknown. */
typedef struct worker_failure {
    char message[3000], place[256];
} worker_failure;
worker_failure worker_runtime_failure(lab_status status);

/* For a signal handler: describes what an unfinished call of the library waits for, or "" if unknown. *own says whether
 * the calling thread made that call; if not, the description names the call. */
void worker_runtime_describe_wait(char *description, size_t bytes, bool *own);

#endif
