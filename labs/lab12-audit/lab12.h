/*
 * Lab 12, audit: what you are given and what you write.
 */
#ifndef LAB12_H
#define LAB12_H

#include "lab.h"

/* Each program has one mistake: seven in what waits for what, one in what stands in the way. Mend it, and say which
 * rule of the lesson it broke. A function that succeeds has released what it made. If a call fails, it returns that
 * status at once. */

enum { LAB12_ROWS = 6, LAB12_EVENTS = 4, LAB12_THREADS = 64 };

/* What the programs work on. Everything is ready when they are called. */
typedef struct lab12_work {
    int count;                      /* numbers in each row and in each array */
    size_t bytes;                   /* of these numbers */
    lab_stream *one, *two, *three;  /* non-blocking streams */
    lab_event *event[LAB12_EVENTS]; /* without timing, not recorded yet: use those that you need */
    lab_array *x[LAB12_ROWS], *u[LAB12_ROWS], *v[LAB12_ROWS];
    lab_deviceptr total;          /* of program 1: the address of v[0] */
    lab_array *buffer[2];         /* of program 7 */
    const float *row[LAB12_ROWS]; /* ordinary memory: rows for x */
    float *staging;               /* pinned memory for one row */
    float *pinned[LAB12_ROWS];    /* pinned memory: the rows again */
    lab_mempool *pool;            /* of programs 4 and 6 */
    lab_deviceptr block;          /* of program 4: a row, in a block that was allocated from the pool on `one` */
    lab_array *table;             /* the address of the block */
    lab_function advance, mix, add, gather;
} lab12_work;

/* Given: kernels on a stream. The memory may be arrays or addresses.
 *   advance  to = 3.9 * from * (1 - from)
 *   mix      to = a / 2 + b / 4
 *   add      sum = sum + x
 *   gather   to = the numbers at the address that stands in the table: no call names it */
#define LAB12_LAUNCH(work, kernel, stream, ...)                                                                        \
    lab_launch((work)->kernel, LAB_DIM((unsigned)((work)->count + 127) / 128), LAB_DIM(128), 0, (stream),              \
               LAB_ARGS(__VA_ARGS__, (work)->count))
#define LAB12_ADVANCE(work, to, from, stream) LAB12_LAUNCH(work, advance, stream, to, from)
#define LAB12_MIX(work, to, a, b, stream) LAB12_LAUNCH(work, mix, stream, to, a, b)
#define LAB12_ADD(work, sum, x, stream) LAB12_LAUNCH(work, add, stream, sum, x)
#define LAB12_GATHER(work, to, table, stream) LAB12_LAUNCH(work, gather, stream, to, table)

/* For all programs. Every kernel and every copy that you find stays, once, on its stream. What a program computes is
 * right in every order that CUDA's rules allow. Nothing waits that need not: the longest chain of operations, in which
 * each waits for the one before, is as short as it can be. Except in program 2, no program waits for the device on
 * the host. At most LAB12_LINES lines of a program differ from those that you were given, where a line is a statement:
 * what is new, changed, moved or taken out. Comments, layout and the values of your table do not count. What you write
 * outside of the programs counts for each of them. */
enum { LAB12_LINES = 10 };

/* Task 1. Adds up the rows x on `one`: v[0] is set to 0, then each row is added to it; the longest chain has 7
 * operations. */
lab_status lab12_total(const lab12_work *work);

/* Task 2. Takes the rows of ordinary memory to x by way of the staging memory, on `one`, and advances each on `two`
 * from x to u; the longest chain has 7 operations. All copies are from pinned memory. The host may wait for a copy, not
 * for a kernel. */
lab_status lab12_stage(const lab12_work *work);

/* Task 3. u[0] = advance(x[0]) on `one` and u[1] = advance(x[1]) on `two`, at the same time; then v[0] =
 * mix(u[0], u[1]) on `three`; the longest chain has 2 operations. */
lab_status lab12_meet(const lab12_work *work);

/* Task 4. Gathers the numbers of the block into u[0] on `two` and frees the block. Then it takes another block on
 * `one` for z = advance(x[1]) and v[0] = mix(z, x[1]), which may be the same one; the longest chain has 3 operations.
 */
lab_status lab12_lend(const lab12_work *work);

/* Task 5. For each row u = advance(x) on `one`, then v = mix(u, x) on `two`. A row of the one stream and the row
 * before on the other may run at the same time; the longest chain has 7 operations. */
lab_status lab12_pipeline(const lab12_work *work);

/* Task 6. Captures t = advance(x[0]) and u[0] = advance(t) into a graph, with a block of the pool for t, and
 * launches it on `one`, once. Computes z = advance(x[1]) and v[0] = mix(z, x[1]) on `two`, in another block. If the
 * pool has room for two blocks, the longest chain has 2 operations. With room for one block it must still work; how
 * long its chain is then does not matter. */
lab_status lab12_replay(const lab12_work *work);

/* Task 7. Copies the pinned rows to the two buffers in turn, on `one`, and advances each on `two` from its buffer to
 * u. A copy and the kernel of the row before may run at the same time; the longest chain has 7
 * operations. */
lab_status lab12_two_buffers(const lab12_work *work);

/* Begins the text of a kernel, each of whose lines is one line of lab12.c. Messages about it then name these. */
#define LAB12_KERNEL "#line " LAB12_WORD(__LINE__) " \"lab12.c\"\n\n"
#define LAB12_WORD(line) LAB12_WORD_OF(line)
#define LAB12_WORD_OF(line) #line

/* Task 8. A kernel smooth(float *x, int count, int rounds), in CUDA C, for any number of blocks of LAB12_THREADS
 * threads. In each round every number becomes the mean of itself and of its right neighbour as it was before the round.
 * The last thread of a block has itself for a neighbour; behind the count numbers there are zeros. A line of its text
 * is a line. A barrier orders what two threads do with the same memory, and all threads of the block reach it. */
const char *lab12_smooth(void);

/* The rule that each program broke, by its number in the lesson: lab12_rule[0] is for program 1. */
enum { LAB12_PROGRAMS = 8 };
extern const int lab12_rule[LAB12_PROGRAMS];

#endif
