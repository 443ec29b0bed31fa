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

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call.h"
#include "lab.h"

/* A call that a check can make. Name it like the student's function, because messages show the name. `memory` is the
 * shared memory. `arguments` are the check's, aligned to 16 bytes. `result` has room for WORKER_MAX_BYTES, is zeroed,
 * and is aligned to 16 bytes. The returned status goes back to the check. */
typedef struct worker_entry {
    const char *name;
    lab_status (*function)(void *memory, const void *arguments, void *result);
} worker_entry;
enum { WORKER_MAX_BYTES = 2048 };

/* program.c defines this list, which ends with {0}. */
extern const worker_entry worker_entries[];

/* The size of the shared memory in bytes. */
size_t worker_memory_bytes(void);

/* Lends an array in the shared memory to the student's function. In the program with the sanitizers, an access to
 * shared memory that is not lent then fails the check, with its line. An entry that lends one array lends all that the
 * function may use. It ends with worker_take_back, or when the entry returns. */
void worker_lend(const void *array, size_t bytes);
void worker_take_back(void);

/* The arrays and numbers of a call whose case leaves the shared memory to the harness (case.h). The arrays are lent. */
typedef struct worker_drawn {
    size_t count;               /* of numbers in each array */
    float *array[DRAWN_ARRAYS]; /* as the case lists them, then NULL; where they begin, the shared memory does */
    const float *real;          /* row i of what the case draws is real[i], or whole[i] */
    const int *whole;
} worker_drawn;
worker_drawn worker_take(void *memory, const void *arguments);

/* Calls the student's function between the marks of check_span_of: LAB_TRY(WORKER_CALL(lab99_run(&work))). */
#define WORKER_CALL(call) (worker_begins(), worker_ends(call))
void worker_begins(void);
lab_status worker_ends(lab_status status); /* returns it */

/* Waits for the device, where work may run on after the call, and takes back what is lent: before anything is copied
 * out or released, as in LAB_TRY(worker_settle(WORKER_CALL(lab99_run(&work)))). Returns the status. After another one
 * than LAB_SUCCESS there is nothing to wait for. */
lab_status worker_settle(lab_status status);

/* Pins the shared memory, once for each program: for a contract that says "pinned". It is pageable before. */
lab_status worker_pin(void *memory);

/* A function that does what the student's function of a task must do, for later tasks, which build on it:
 *
 *     WORKER_SOLVES(1) static lab_status advance_rightly(const lab11_work *work, lab_array *to, lab_array *from)
 *
 * Its code is in the program only where the check says so (check_builds_on in check.h): where the task itself is tried,
 * a student's function could find it. What such a function does at such a time is a crash; give the student another
 * one. Tasks 1 to 4 can be marked (source/solved_code.h). */
#define WORKER_SOLVES(task) __attribute__((noinline, section("solved_" #task)))

/* The linker's symbol for the beginning of this program, where its ELF header is. */
extern const Elf64_Ehdr __executable_start;

/* Where addresses in the file count from: 0 in a program that is linked to a fixed address. */
static inline uint64_t worker_base(void)
{
    return __executable_start.e_type == ET_EXEC ? 0 : (uint64_t)(uintptr_t)&__executable_start;
}

/*
 * What the worker needs from the runtime library. worker_runtime.c implements it for labs; the grader's own tests have
 * an implementation without the library.
 */
enum { WORKER_MOST_DEVICES = 64 };

typedef struct worker_device {
    char kind[8];
    char name[128];
    int multiprocessors; /* of device 0 */
    int devices;
    char uuids[WORKER_MOST_DEVICES * 33]; /* of all devices, in hexadecimal digits, separated by commas */
} worker_device;

lab_status worker_runtime_device(worker_device *device);

/* The memory that is shared with the check: the first bytes of the file. */
lab_status worker_runtime_memory(void **out, int file, size_t bytes);

/* Tries everything that can fail through no fault of the program: the compiler for kernels, the device, the result of a
 * kernel, a file in the current directory. */
lab_status worker_runtime_probe(void);

/* Marks in the record that a call of this entry returns. Work that the device has not finished by then is
 * outstanding. */
void worker_runtime_returned(const char *name);

/* Makes a non-blocking stream, and a mark with this name while it is current: so the checks know which one it is. It is
 * destroyed when the entry has returned LAB_SUCCESS; after another status it stays as it is. */
lab_status worker_runtime_stream(lab_stream **out, const char *mark);
lab_status worker_runtime_release(lab_status status); /* by the worker, with the entry's status; returns its own */

/* Pins so much of the shared memory, in the first call of a program. */
lab_status worker_runtime_pin(void *memory, size_t bytes);

/* A kernel of the lab's kernels.cu in the primary context of device 0, which loads the file once. */
lab_status worker_runtime_kernel(lab_function *out, const char *name);

/* Tells where the student's file started the calling thread: an address in the program's file. */
void worker_runtime_thread(uint64_t started_at);

/* What the calling thread has waited for is known to the one that takes it on with the same key. */
void worker_runtime_hand_on(const void *key);
void worker_runtime_take_on(const void *key);

/* Waits for the device. */
lab_status worker_runtime_synchronize(void);

/* Adds a mark to the record. */
void worker_runtime_mark(const char *name);

/* The message for the last status that was not LAB_SUCCESS. */
const char *worker_runtime_message(void);

/* Why a function returned this status, if the device process does not know. */
const char *worker_runtime_explanation(lab_status status);

#endif
