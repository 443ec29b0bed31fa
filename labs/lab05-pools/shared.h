/* The memory and arguments that checks.c and program.c of lab 05 share. The student's file does not need them. */
#ifndef LAB05_SHARED_H
#define LAB05_SHARED_H

#include <stddef.h>
#include <stdint.h>

#include "lab05.h"

/* LAB05_MOST numbers are too many for 128 blocks of 1024 threads: a launch with grid and block exchanged fails. */
enum { LAB05_MOST = 128 * 1025, LAB05_ROWS = 16, LAB05_SCRIPT = 400, LAB05_POOLS = 2 };

/* Arguments of the calls with numbers. `limit`, in bytes, is for lab05_twice; for lab05_upload count is that of a row,
 * and steps the number of rows. */
typedef struct lab05_arguments {
    int count, steps;
    size_t limit;
} lab05_arguments;

/* The beginning of the names of the marks after the steps of "lab05_sequence"; the step's number follows. The other
 * mark is for a look that was called with another user than its own. */
#define LAB05_AFTER "after step "
#define LAB05_OTHER_USER "look with another user"

/* One call of a pool of the student's own and its result. It allocates `bytes`, or, if that is 0, frees the block of
 * call number `frees`, or, if that is negative, the address. */
typedef struct lab05_call {
    int pool;
    size_t bytes;
    int frees;
    int status;
    uint64_t address;
} lab05_call;

/* Arguments of "lab05_alloc": the pieces of memory of the pools, and the number of calls. */
typedef struct lab05_script {
    uint64_t base[LAB05_POOLS];
    size_t capacity;
    int calls;
} lab05_script;

/* The shared memory. */
typedef struct lab05_memory {
    float input[LAB05_MOST];
    float output[LAB05_MOST];
    float row[LAB05_ROWS][LAB05_MOST / LAB05_ROWS];
    float arrived[LAB05_ROWS][LAB05_MOST / LAB05_ROWS];
    lab05_call call[LAB05_SCRIPT];
    lab05_pool after[LAB05_SCRIPT]; /* the call's pool after each call */
} lab05_memory;

#endif
