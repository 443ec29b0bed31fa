/*
 * A kernel cut into regions at its waits: its barriers and warp functions. A thread runs a region from a wait, or the
 * kernel's start, to the next wait, or the kernel's end. A branch that decides which wait comes next ends a region too:
 * mostly all threads of a block or warp then leave a region for the same next one. So does each iteration of some loops
 * (loops.h). The analysis finds which values live from one region to another.
 */
#ifndef LAB_CPU_REGIONS_REGIONS_H
#define LAB_CPU_REGIONS_REGIONS_H

#include "waits.h"
#include "dataflow.h"

typedef struct ir_regions {
    cpu_text text;   /* the kernel, if loops.h has changed it */
    const char *why; /* it cannot be cut, if it is not understood */
    ir_graph graph;
    ir_wait *wait;  /* of each node that ends with one */
    int regions;    /* how many; region 0 begins with the kernel */
    int *entry;     /* of each region: its first node */
    int *region_at; /* of each node: the region that begins with it, or -1 */
    bool *is_cut;   /* of each node: it ends with such a branch, or such an iteration */
    bool has_turns; /* there are such loops */

    /* Of each value: */
    bool *varies;    /* threads of a block may have different values at the same place */
    bool *is_remade; /* computed again where it is used, rather than kept */
    bool *is_kept;   /* kept from one region to another */
    bool *is_moved;  /* a phi at the start of a region: its incoming value is kept too */
    bool *is_local;  /* the address of a variable of a thread */

    bool *is_needed; /* of each instruction: it has effects, or such an instruction uses its value */
    int words;       /* in a set of values */
    ir_word *live;   /* of each region: the set of values that are used in it or after it */
} ir_regions;

/* Where regions end besides waits: at such branches and iterations too, or nowhere else. Then every thread runs from
 * wait to wait before the next one does. */
typedef enum ir_cuts { IR_CUT_AT_BRANCHES, IR_CUT_AT_WAITS } ir_cuts;

/* Analyses the kernel. Call ir_regions_free whatever the result. */
ir_reading ir_regions_find(ir_regions *r, span kernel, ir_cuts cuts);
void ir_regions_free(ir_regions *r);

/* Whether a value is used in a region, or after it, that was defined before. */
static inline bool ir_lives(const ir_regions *r, int region, int value)
{
    return ir_has(r->live + (size_t)region * (size_t)r->words, value);
}

/* The wait before a region; NULL if it begins elsewhere. */
const ir_wait *ir_wait_before(const ir_regions *r, int region);

/* Whether the kernel calls warp functions. It then runs warp by warp. */
static inline bool ir_has_warp_waits(const ir_regions *r)
{
    for (int n = 0; n < r->graph.nodes; ++n)
        if (r->graph.node[n].waits && ir_is_of_warp(&r->wait[n])) return true;
    return false;
}

/* Whether the successors of a node belong to other regions. */
static inline bool ir_ends_region(const ir_regions *r, int node)
{
    return r->graph.node[node].waits || r->is_cut[node];
}

/* Where a thread goes that leaves a region by a branch to a node: to the region that begins with it, or
 * CPU_SPLIT_EXITED if nothing is left to do. */
static inline int ir_region_from(const ir_regions *r, int node)
{
    return ir_is(&r->graph.instr[r->graph.node[node].first], "ret") ? CPU_SPLIT_EXITED : r->region_at[node];
}

/* varying.c: fills in r->varies, given the beginnings and ends of regions. False when memory runs out. */
bool ir_find_varying(ir_regions *r);

/* liveness.c: fills in the rest. False when memory runs out. */
bool ir_find_live(ir_regions *r);

#endif
