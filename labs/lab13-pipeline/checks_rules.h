/* Rules of lab 13's contract, for checks: what the record of a run says beside the results. */
#ifndef LAB13_CHECKS_RULES_H
#define LAB13_CHECKS_RULES_H

#include "checks_folder.h"

/* Fails the check unless each picture took one launch of a graph, and no kernel ran by itself. */
void rule_replays(const folder *now, check_span span);

/* Fails the check if memory was allocated in the call. */
void rule_no_allocation(check_span span);

/* Fails the check unless picture k was on the stream that lab13_open made for its lane. */
void rule_lanes(const folder *now, const lab_trace *trace);

/* Fails the check unless copies in, graphs and copies out may run beside each other. */
void rule_overlap(const lab_trace *trace);

/* Fails the check if the host waits before everything is enqueued. */
void rule_waits(const lab_trace *trace, check_span span);

/* The same under the adversarial schedule, also for waits that no record shows: work that ends while the folder is
 * being enqueued has run because the host did not go on. */
void rule_enqueued_first(check_span span);

/* A copy that copies the same once more; no line without one. */
check_place rule_repeated(const lab_trace *trace, check_span span);

/* Fails the check unless each picture is saved in its turn, when it is there, and before the host waits for others. */
void rule_saves(const folder *now, const lab_trace *trace, check_span span);

/* How many pictures were saved. */
int rule_count_saves(const lab_trace *trace);

#endif
