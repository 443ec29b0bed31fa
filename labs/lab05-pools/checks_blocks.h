/* Uses of a pool's blocks in lab 05: rows that go through pinned blocks, and a block that is lent to another stream. */
#ifndef LAB05_CHECKS_BLOCKS_H
#define LAB05_CHECKS_BLOCKS_H

#include "check.h"
#include "shared.h"

/* Puts new inputs into the shared memory and returns the check's own. never_written is then what each output holds. */
const float *fill(check_program *program, int count, uint64_t stream);
const void *never_written(void);

/* The student's function in a record. */
check_span span_of(const lab_trace *trace, const char *function);

/* Fails the check unless the output came from the input by way of this kernel. */
void check_way_of(check_program *program, const lab_trace *trace, const char *function, const char *kernel,
                  check_bytes output, check_bytes input);

/* Whether the driver's memory that a block lies in goes back in the record: the program destroys its pool after the
 * call, and the default pool keeps what it has. */
bool is_of_given_pool(const lab_trace *trace, const lab_trace_op *block);

/* Task 4: one call for so many rows of this length. */
void check_upload(check_program *program, int rows, int length);

/* Task 5: one loan of a block of so many numbers. */
void check_loan(check_program *program, int count);

#endif
