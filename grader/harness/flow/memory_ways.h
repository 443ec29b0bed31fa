/*
 * Who wrote the device memory that each recorded operation read: the record replayed in the order of its calls. An
 * operation is named by its id, 0 stands for nobody.
 *
 * A kernel that the check does not know, and the launch of a graph with unknown nodes, may write anything anywhere as
 * long as they run: these are unknown operations.
 */
#ifndef GRADER_HARNESS_FLOW_MEMORY_WAYS_H
#define GRADER_HARNESS_FLOW_MEMORY_WAYS_H

#include "declaration.h"
#include "flow.h"

typedef enum way_kind {
    WAY_NOTHING, /* uses no device memory, or is an unknown operation */
    WAY_UPLOAD,
    WAY_DELIVERY,
    WAY_COPY, /* within device memory */
    WAY_FILL, /* a memset, or an operation of the library's that sets values, such as lab_array_fill */
    WAY_KERNEL,
} way_kind;

/* Memory that an operation read, and who had written it. */
typedef struct way_edge {
    uint32_t writer;
    bool under; /* it did not read it, but perhaps has not written it completely either */
    uint64_t first, end;
} way_edge;

typedef struct way_node {
    way_kind kind;
    int kernel;         /* check_way's; -1 for the library's own */
    bool uses_host;     /* a kernel that uses host memory by itself */
    size_t edge, edges; /* in memory_ways.edge */
} way_node;

/* An unknown operation, and when it ran. `latest` is, of it and all that started earlier, the one that ended last. */
typedef struct way_unknown {
    uint32_t op, latest;
    int64_t start_ns, end_ns;
} way_unknown;

typedef struct memory_ways {
    const lab_trace *trace;
    declaration kernel[CHECK_KERNELS];
    way_node *node; /* of each operation, by its id */
    way_edge *edge;
    size_t edges, edge_capacity;
    way_unknown *unknown; /* by start */
    size_t unknowns;
} memory_ways;

/* Call memory_ways_free in any case. */
flow_verdict memory_ways_find(memory_ways *out, flow_finding *finding, const flow_evidence *evidence,
                              const check_way *way);
void memory_ways_free(memory_ways *ways);

/* An unknown operation that may have run between the writer's work and the reader's, or at the same time; 0 if there is
 * none. */
uint32_t memory_ways_unknown(const memory_ways *ways, uint32_t writer, uint32_t reader);

#endif
