/*
 * The walk back from memory to what it came from: from a range that an operation read, to who had written it, to what
 * the writer had read, and so on.
 */
#ifndef GRADER_HARNESS_FLOW_WALK_H
#define GRADER_HARNESS_FLOW_WALK_H

#include "memory_ways.h"
#include "spans.h"
#include "uploads.h"

/* Memory that is to be looked at: what `reader` read. */
typedef struct visit {
    way_edge edge;
    uint32_t reader;
    bool last; /* the output's own bytes, which a kernel must have written */
} visit;

typedef struct visits {
    visit *visit;
    size_t count, capacity;
} visits;

typedef struct walk {
    const flow_evidence *evidence;
    const check_way *way;
    flow_finding *finding;
    flow_verdict verdict;
    memory_ways ways;
    uploads uploads;
    kept_runs deliveries;
    bool knows_delivered; /* uploads_add_delivered has been called */
    visits stack;
    size_t steps;
    uint64_t *seen; /* of each operation: the number of the latest walk that came by */
    uint64_t number;
    uint32_t *race; /* of each operation: the number of a finding of the order checker plus 1; 0 for none */
} walk;

/* Reads the evidence. walk_end frees all, in any case. Sets the verdict. */
void walk_begin(walk *out, flow_finding *finding, const flow_evidence *evidence, const check_way *way);
void walk_end(walk *ended);

/* Refuses, if nothing was refused before: the sentence is the finding's message. walk_say adds to it. */
void walk_refuse(walk *now, flow_verdict verdict, uint32_t op, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define WALK_SAY(now, field, ...) snprintf((now)->finding->field, sizeof(now)->finding->field, __VA_ARGS__)

/* Puts on the stack what an operation read in this range of device memory. */
void walk_push(walk *now, uint32_t op, uint64_t first, uint64_t end, bool last);

/* Adds to a list of visits; the verdict says if memory runs out. */
void walk_add(walk *now, visits *list, visit added);

/* Whether all memory on the stack comes from inputs by way of kernels, or as the check wants it. */
bool walk_back(walk *now, const check_passage *passage);

/* Goes back from the memory on the stack, which has been found to be in order, and adds all bytes of the input that
 * were read on the way. `input` is its number among all. */
void walk_collect(walk *now, spans *out, size_t input);

#endif
