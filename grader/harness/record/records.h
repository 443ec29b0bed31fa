/* records.h: the records that a check has taken from its programs, for the files that look into them. */
#ifndef GRADER_HARNESS_RECORD_RECORDS_H
#define GRADER_HARNESS_RECORD_RECORDS_H

#include "case.h"
#include "program/program.h"

/* How many records check_trace has given; one of them; and frees all but the first of them. */
int records_kept(void);
const lab_trace *records_get(int number);
void records_drop(int kept);

/* The last record of a student's program; NULL for none. */
const lab_trace *records_last(void);

/* The last record of the student's work as text, which the caller frees; NULL for none. */
char *records_write_last(void);

/* Adds to a finding what the record shows of it: of two operations that nothing orders, both and their missing edge;
 * and the lines that the finding does not know (check_place). */
void records_complete(check_finding *finding);

/* Whether both use the same bytes, and one of them writes there. */
bool records_share_memory(const lab_trace_op *one, const lab_trace_op *other);

/* Why the order checker found two operations that nothing orders: check_cause_no_edge, or the stream of one of them. */
check_edge_cause records_cause_unordered(const lab_trace *trace, const check_edge *edge);

/* The shared memory of the case's programs: the lab's, or else room for its arrays. */
size_t check_case_bytes(const check_case *of);

/* Where its array number k begins there. */
size_t check_case_begin(const check_case *of, int k);

/* The call as it is for one of its rows: with the row's count and arguments. */
check_case_run check_case_row(const check_case_run *now, int row);

/* A call that is not made yet, with these arguments, or else so many numbers, and with what the case draws. */
check_case_run check_case_drawn(const check_case *of, const void *arguments, size_t count);

#endif
