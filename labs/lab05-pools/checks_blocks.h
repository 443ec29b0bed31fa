/* Uses of a pool's blocks in lab 05: rows that go through pinned blocks, and a block that is lent to another stream. */
#ifndef LAB05_CHECKS_BLOCKS_H
#define LAB05_CHECKS_BLOCKS_H

#include "case.h"
#include "shared.h"

/* For the tables of calls. */
#define CALL_COMMON                                                                                                    \
    .memory_bytes = sizeof(lab05_memory), .begins = LAB05_BEGINS, .ends = LAB05_ENDS, .most = LAB05_MOST,              \
    .given = CHECK_CASE_GIVEN(lab05_arguments, count, {.name = NULL})
#define CALL_INPUT                                                                                                     \
    {                                                                                                                  \
        "input", offsetof(lab05_memory, input), .low = 1.0f, .high = 2.0f                                              \
    }
#define CALL_OUTPUT(what)                                                                                              \
    {                                                                                                                  \
        "output", offsetof(lab05_memory, output), .is = (what), .from = { "input" }                                    \
    }

/* What the kernels twice and gather make of the input. */
check_reference call_doubled;

/* Whether the driver's memory that a block lies in goes back in the record: the program destroys its pool after the
 * call, and the default pool keeps what it has. */
bool is_of_given_pool(const lab_trace *trace, const lab_trace_op *block);

/* Task 4: one call for so many rows of this length. */
void check_upload(check_program *program, int rows, int length);

/* Task 5: one loan of a block of so many numbers. */
void check_loan(check_program *program, int count);

#endif
