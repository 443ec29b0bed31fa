/*
 * Lab 07, kernels: what you are given and what you write.
 */
#ifndef LAB07_H
#define LAB07_H

#include "lab.h"

/* A function that succeeds has released what it made. If a call fails, it returns that status at once. All work is
 * on the current stream. Arrays have one dimension and may be empty. */

/* Task 1. Writes (x - y) * (x - y) to out, with one elementwise kernel named difference. All three arrays have one
 * type, float32 or int32. */
lab_status lab07_difference(lab_array *out, const lab_array *x, const lab_array *y);

/* Task 1. Writes sin(x) + cos(y) / sqrt(z) to out, float32, with one elementwise kernel named wave. It reads each
 * input once and writes the result once, and uses no other memory of the device. */
lab_status lab07_wave(lab_array *out, const lab_array *x, const lab_array *y, const lab_array *z);

/* Given: the same numbers as lab07_wave, with a kernel for each operation. */
lab_status lab07_steps(lab_array *out, const lab_array *x, const lab_array *y, const lab_array *z);

/* Task 1. Your prediction: how many bytes all kernels of a function read and write for each element of float32
 * arrays. An array that two kernels read counts twice. */
enum { LAB07_DIFFERENCE, LAB07_WAVE, LAB07_STEPS, LAB07_FUNCTIONS };
enum { LAB07_READ, LAB07_WRITTEN, LAB07_COLUMNS };
extern const int lab07_bytes[LAB07_FUNCTIONS][LAB07_COLUMNS];

/* Begins the text of a kernel, each of whose lines is one line of lab07.c. Messages about it then name these. */
#define LAB07_KERNEL "#line " LAB07_WORD(__LINE__) " \"lab07.c\"\n\n"
#define LAB07_WORD(line) LAB07_WORD_OF(line)
#define LAB07_WORD_OF(line) #line

/* Task 2. A kernel tree(float *partial, const float *x, int count), in CUDA C. Its blocks share the count numbers of
 * x. Each block combines its own with combine(a, b) in shared memory and writes the result to partial[blockIdx.x]:
 * IDENTITY if it has none. This memory has a fixed size, and the threads share the work alike. A block has
 * LAB07_THREADS threads, and a grid any number of blocks. A barrier orders what two threads do with the same memory,
 * and all threads of the block that have not returned reach it. Nothing outside the arrays is read or written. */
enum { LAB07_THREADS = 256 };
const char *lab07_tree(void);

/* Task 2. What combine(a, b) returns and what IDENTITY is, in CUDA C: for a sum, and for the largest number.
 * Combining with the identity changes no number. The largest of no numbers is -Inf, in CUDA C
 * -INFINITY. */
typedef struct lab07_operation {
    const char *combine, *identity;
} lab07_operation;
extern const lab07_operation lab07_sum, lab07_max;

/* Task 2. Reduces the count numbers of x to the one number of out. It launches tree twice: with LAB07_BLOCKS blocks
 * from x to partial, with one block from partial to out. The same numbers give the same bits every time. A sum is
 * wrong by at most 96 * 2^-24 of the sum of the absolute values. */
enum { LAB07_BLOCKS = 64 };
typedef struct lab07_work {
    int count;
    lab_array *x, *partial, *out; /* partial has LAB07_BLOCKS elements, out has one */
    lab_function tree;
} lab07_work;
lab_status lab07_reduce(const lab07_work *work);

/* Task 3. Writes softplus, log(1 + e^x), of each element of x to y, float32. Both are arrays of the device, or both
 * are host arrays (LAB_HOST_ARRAY). The device computes what is on the device, in one kernel named softplus; the
 * host computes what is on the host. One formula serves both. Every result is right to 8 ulps, for large and small x
 * too. */
lab_status lab07_softplus(lab_arg x, lab_arg y);

/* Task 4. A kernel scale(float *x, float factor, int count), in CUDA C. It multiplies each of the count numbers by
 * the factor, once, and changes nothing else. Its grid and its blocks are of any size, in one dimension. */
const char *lab07_scale(void);

/* Task 5, if you want more. The kernel tree of task 2 without shared memory: a block is one warp of LAB07_WARP
 * threads, which combine by __shfl_down_sync. */
enum { LAB07_WARP = 32 };
const char *lab07_shuffle(void);

#endif
