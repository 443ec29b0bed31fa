/* Calls of lab 11: what every call is asked, and the shares of lab11_split. */
#ifndef LAB11_CHECKS_CALL_H
#define LAB11_CHECKS_CALL_H

#include "case.h"
#include "lab11.h"
#include "shared.h"

/* For the tables of calls. */
#define CALL_COMMON                                                                                                    \
    .block = "array", .memory_bytes = sizeof(lab11_memory),                                                            \
    .given = CHECK_CASE_GIVEN(lab11_arguments, count, {"steps", offsetof(lab11_arguments, steps), 3, 6, true}),        \
    .kernel = {{"kernels.cu", "advance(float to[count], const float from[count], int count, int steps)"},              \
               {"kernels.cu", "mix(float to[count], const float a[count], const float b[count], int count)"}}
#define CALL_IN(which) offsetof(lab11_memory, in[which]), .low = 0.1f, .high = 0.9f
#define CALL_OUT(which) offsetof(lab11_memory, out[which])

static inline const lab11_arguments *call_given(const check_case_run *now) { return now->arguments; }
uint64_t call_stream(const check_case_run *now, int device);

/* Fails the check unless an operation of the call is on this device and its stream. */
void call_check_place(const check_case_run *now, const lab_trace_op *op, int device);

/* check_case_prove, and nothing may be left. */
void call_prove(const check_case_run *now);

/* checks_split.c: lab11_split. Fails the check unless each device does its share, side by side, and all that a call is
 * asked holds; or only, unless the numbers are right and came from their own. */
extern const check_case split_case;
void split_check(const check_case_run *now);
void split_prove(const check_case_run *now);

/* No record shows a lock, or a flag that a host function sets: the times do. A device that is late by luck is not so
 * beside work that takes longer and longer, of CPU devices: the longest takes a GPU two milliseconds. */
void split_check_turns(const check_case_run *before);

#endif
