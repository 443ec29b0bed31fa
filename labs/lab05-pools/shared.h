/* The memory, arguments and results that checks.c and program.c of lab 05 share. The student's file does not need
 * them. */
#ifndef LAB05_SHARED_H
#define LAB05_SHARED_H

#include <stddef.h>
#include <stdint.h>

enum { LAB05_MOST = 32768, LAB05_ROWS = 16, LAB05_LOOKS = 8, LAB05_SCRIPT = 400 };

/* Arguments of the calls with numbers. `limit`, in bytes, is for lab05_twice. */
typedef struct lab05_arguments {
    int count, steps;
    size_t limit;
} lab05_arguments;

/* The beginning of the names of the marks after the steps of "lab05_sequence"; the step's number follows. */
#define LAB05_AFTER "after step "

/* Result of "lab05_sequence": used, free and total bytes after each step, as the program says. */
typedef struct lab05_seen {
    size_t found[LAB05_LOOKS][3];
} lab05_seen;

/* Result of "lab05_twice": the pool's limit at the end, as the program says. */
typedef struct lab05_left {
    size_t limit;
} lab05_left;

/* One call of the student's own pool and its result. It allocates `bytes`, or, if that is 0, frees the block of call
 * number `frees`, or, if that is negative, the address. */
typedef struct lab05_call {
    size_t bytes;
    int frees;
    int status;
    uint64_t address; /* from the beginning of the pool's memory */
} lab05_call;

/* Arguments of "lab05_alloc". */
typedef struct lab05_script {
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
} lab05_memory;

#endif
