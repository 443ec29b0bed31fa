/*
 * find.h: operations of a record, found by what they are, and what several labs ask of one; a part of check.h's manual.
 *
 *     const lab_trace_op *block = check_pool_block(trace, 1),
 *                        *out = check_find(trace, (check_sought){LAB_OP_COPY_DTOH, .block = block});
 */
#ifndef GRADER_HARNESS_FIND_H
#define GRADER_HARNESS_FIND_H

#include "check.h"

/* What is looked for. What is 0 or NULL may be anything, but for the kind. */
typedef struct check_sought {
    lab_op_kind kind;
    const char *name;          /* of a kernel */
    const lab_trace_op *block; /* the pool block that it reads or writes */
    uint64_t stream;
} check_sought;

/* The first such operation, or the last; NULL without one. */
const lab_trace_op *check_find(const lab_trace *trace, check_sought what);
const lab_trace_op *check_find_last(const lab_trace *trace, check_sought what);

/* Why a kernel makes wrong numbers, where it reads nothing that the last kernel `before` has written, or writes there;
 * NULL if it reads some of that, or if one of the two is not there. */
const char *check_cause_unread(const lab_trace *trace, const char *before, const char *kernel);

/* Why what is copied from this memory of the device behind the span is wrong, and where: only kernels that read it are
 * there, a fill comes behind the work, or fills set a part of what a kernel then changes. Else `why`. */
check_finding check_explain_memory(check_span span, lab_trace_access memory, check_finding why);

/* The launch of one of these kernels that has another value than the argument of its name, or an array with fewer
 * elements than the argument that counts them; else `why`. Arguments end with the first without a name, and NULL has
 * none; kernels end with the first without a declaration. */
check_finding check_explain_arguments(check_span span, const check_kernel *kernel, const check_argument *argument,
                                      check_finding why);

/* From now on a kernel that uses memory where there is none is explained by its launch, with these. A case has its own
 * kernels explained. Both live as long as the check. */
void check_expect_launches(const check_kernel *kernel, const check_argument *argument);

/* The number, below `count`, of a mark that is named "after step 3", where `begin` is "after step "; -1 for any other
 * operation. */
int check_numbered(const lab_trace_op *op, const char *begin, int count);

/* What the operation accesses first of the host's memory, or of the device's: a copy's source or target. All zeros if
 * it accesses nothing there. */
lab_trace_access check_host_access(const lab_trace_op *op);
lab_trace_access check_device_access(const lab_trace_op *op);

/* The record of one check_call, which begins with it. */
const lab_trace *check_recorded(check_program *program, const char *function, const void *arguments,
                                size_t argument_bytes, void *result, size_t result_bytes);

/* The records of two calls with the same arguments. The second is the one to judge: nothing may come from the first.
 * Fails the check (kind rule) if the first did less: check_first_call. */
typedef struct check_two_calls {
    const lab_trace *first, *second;
} check_two_calls;
check_two_calls check_call_twice(check_program *program, const char *function, const void *arguments,
                                 size_t argument_bytes, void *result, size_t result_bytes);

/* Fails the check (kind rule) unless an event was recorded just before the kernel and another just after it, on its
 * stream. `what` is how messages name the kernel: "the kernel of array 3". Without an event on another stream to blame,
 * the verdict points at `before` or `after`, or where these are not known, at what stands next to the kernel. */
typedef struct check_event_pair {
    const lab_trace_op *start, *end;
} check_event_pair;
check_event_pair check_events_around(const lab_trace *trace, const lab_trace_op *kernel, const char *what,
                                     check_place before, check_place after);

/* Fails the check unless array number k of `names`, of `count` floats one after the other at this offset of the shared
 * memory, holds the number k + 1, and the device's fills made all of them. The names end with NULL. */
void check_filled(check_program *program, const lab_trace *trace, const char *function, const char *const *names,
                  size_t offset, size_t count);

#endif
