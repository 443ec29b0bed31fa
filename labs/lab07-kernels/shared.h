/* The memory and arguments that checks.c and program.c of lab 07 share. The student's file does not need them. */
#ifndef LAB07_SHARED_H
#define LAB07_SHARED_H

#include <stdbool.h>

enum {
    LAB07_MOST = (1 << 20) + 7,
    LAB07_INPUTS = 3,
    LAB07_BEHIND = 64,    /* numbers behind an array, which no kernel may use */
    LAB07_UNWRITTEN = -7, /* what a result's array holds before */
};

/* What follows an input, so that a kernel that reads it gives a wrong result. */
#define LAB07_LARGE 1e30f

/* Arguments of all calls. */
typedef struct lab07_arguments {
    int count;
    bool exact;   /* arrays end where their memory ends, for the checks of kernels; else LAB07_BEHIND follow */
    int type;     /* "lab07_difference": a lab_dtype */
    bool largest; /* "lab07_reduce", "lab07_tree", "lab07_shuffle": the largest; else the sum */
    bool on_host; /* "lab07_softplus" */
    int blocks;   /* "lab07_scale": its launch. "lab07_tree", "lab07_shuffle": of one launch; 0: of two */
    int modulus;  /* with `blocks`: a sum modulo this number; 0: as `largest` says */
    int threads;  /* "lab07_scale" */
    float factor; /* "lab07_scale" */
} lab07_arguments;

/* The shared memory. float32 and int32 have the same size. */
typedef struct lab07_memory {
    float input[LAB07_INPUTS][LAB07_MOST + LAB07_BEHIND];
    float output[LAB07_MOST + LAB07_BEHIND];
    float identity; /* what IDENTITY is in the kernel that reduced last */
} lab07_memory;

#endif
