/* What the files that write split kernels share: the kernel, the region, and the instructions that all of them write.
 * write_kernel.c describes the result. */
#ifndef LAB_CPU_SPLIT_WRITER_H
#define LAB_CPU_SPLIT_WRITER_H

#include "cpu/regions/regions.h"

#include "cpu/ir/emit.h"

enum { ENTRY_PARAMS = 4 }; /* of a cpu_thread_entry */

/* The module around the kernels. */
typedef struct split_module {
    bool typed_pointers;  /* "float*" rather than "ptr" */
    int attributes;       /* the next kernel's group; the one after it is for functions that are inlined */
    int metadata;         /* the next free number of a metadata node */
    span thread_index[3]; /* the variables that hold threadIdx.x, .y and .z; length 0 if nothing reads it */
    bool whole_index;     /* all three are fields of one variable */
    bool with_shapes;     /* kernels may have loops for rows of some widths */
} split_module;

enum {
    SPLIT_ROW = 16,   /* threads in a row of the blocks that have loops of their own */
    RESULT_FIELD = 0, /* the field of the frame with the last barrier's result */
    NO_GROUP = -1,    /* no group: an access to the region's own variables */
};

/* The first slots are those of cpu_split_slots. A kernel without warp functions has only the first two. */
enum {
    NEXT_SLOT,
    PREDICATE_SLOT,
    MASK_SLOT,
    ARGUMENT_SLOT,
    WIDTH_SLOT,
    VALUE_SLOT,
    RESULT_SLOT,
    WARP_SLOTS,
    BARRIER_SLOTS = PREDICATE_SLOT + 1,
};

/* Where a value is kept from region to region: a field of the frame, which all threads have in common, or a slot, which
 * has an element for each thread. */
typedef struct split_place {
    span type; /* of the value */
    bool is_slot;
    int number; /* of the field or slot */
} split_place;

/* What the loop of a region is over. */
typedef enum split_loop {
    LOOP_OF_RANGE, /* the threads of a range */
    LOOP_OF_ROWS,  /* whole rows of SPLIT_ROW threads */
    LOOP_OF_WARPS, /* whole rows of warps */
    LOOP_OF_LANES, /* the lanes of a warp in a row */
} split_loop;

typedef struct split_kernel {
    const ir_regions *r;
    const ir_graph *g;
    split_module *module;
    span name;
    span frame, slots;  /* the names of their types, %lab.frame.k and %lab.slots.k */
    split_place *place; /* in the order of their numbers */
    int places, fields, slot_count;
    bool has_warps;    /* calls warp functions */
    split_loop shape;  /* what else its regions are written for, or LOOP_OF_RANGE */
    int own_slots;     /* the slots before those of values */
    int *kept, *moved; /* of each value: the place where it is kept, and that of a phi's incoming value; or -1 */
} split_kernel;

/* The region that is being written. Its body comes first, since that shows what must be loaded before it. */
typedef struct split_region {
    const split_kernel *k;
    int number;
    int group;    /* the group of accesses that do not depend on other threads */
    bool *inside; /* of each node: it belongs to the region */
    split_loop loop;
    bool calls; /* calls functions, which may read threadIdx */
    int exits;
    int fixed;      /* the one region to which all exits lead, or -1 */
    bool agrees;    /* all threads leave by the same exit */
    bool is_narrow; /* its loop over x ends at %lab.hi */

    ir_emitter body, ways_out;        /* its instructions; the incoming values of the phi of next regions */
    bool *uses_variable, *uses_moved; /* of each value: the variable with it, that with a phi's incoming value */
    bool *touches;                    /* of each place: the slot is used, the field is changed */
    int *outgoing;                    /* of each value: 1 + the last node at whose end it was copied for phis */
    int temporaries;
    bool out_of_memory;
} split_region;

/* ---- writer.c ---- */

ir_emitter split_emitter(const split_kernel *k, FILE *out);

span split_byte_type(void);

/* The type of a slot's elements. A bit is kept as a byte: arrays of bits cannot be loaded as vectors. */
span split_slot_type(span type);

/* The type of the elements of one of the first slots. */
span split_own_slot_type(int slot);

/* The next name %tN. */
ir_piece split_temporary(split_region *region);

/* Writes a load or store. It belongs to the group, unless that is NO_GROUP. */
void split_write_load(const ir_emitter *e, ir_piece result, span type, ir_piece address, int group);
void split_write_store(const ir_emitter *e, span type, ir_piece value, ir_piece address, int group);

/* Writes the address of the thread's element of a slot, and returns its name. The second is of a slot for numbers of 64
 * bits that has some of 32: each warp's are at the beginning of its own part, since other warps may wait meanwhile. */
ir_piece split_write_slot_address(const ir_emitter *e, split_region *region, int slot, span type);
ir_piece split_write_narrow_address(const ir_emitter *e, split_region *region, int slot);

/* Writes `name` as the address of a field of the frame. */
void split_write_field_address(const ir_emitter *e, const split_kernel *k, ir_piece name, const char *frame, int field);

/* The type of a thread's variable. */
span split_variable_type(const split_kernel *k, int value);

/* Writes the offset of each of a thread's variables, %lab.at.V, and their size, %lab.bytes. */
void split_write_local_layout(const ir_emitter *e, const split_kernel *k);

/* What of a thread's place an instruction computes, where rows are whole warps: threadIdx.x & 31 or threadIdx.x >> 5,
 * also as divisions by 32. */
typedef enum split_part { NO_PART, PART_LANE, PART_WARP } split_part;
split_part split_part_of_index(const ir_graph *g, const ir_instr *i);

/* Whether the region defines the value. */
bool split_changes(const split_region *region, int value);

/* ---- share_places.c ---- */

/* Finds which kept values have a slot in common. Of the place of value v, element 2 * v, and that of a phi's incoming
 * value, 2 * v + 1: one of those that share it, the same for all of them. The caller frees it. NULL when memory runs
 * out. */
int *split_share_places(const ir_regions *r);

/* ---- write_body.c ---- */

/* Writes the nodes of the region to region->body, and its exits to region->ways_out. */
void split_write_body(split_region *region);

/* What a node passes to a phi at the start of one of its successors. */
const ir_incoming *split_incoming(const ir_graph *g, const ir_instr *phi, int node);

/* The name of a value in the region: %vN; a temporary that is written first; or a thread's index. */
ir_piece split_find_value(split_region *region, int value);

/* ---- narrow.c ---- */

/* How many of a row's threads have something to do: a number that all of them know. */
typedef struct split_bound {
    span number; /* an operand */
    int value;   /* or -1 for a constant */
    bool is_signed, is_last, is_of_lane;
} split_bound;

/* Finds the bound by which the region's first node branches; false if all threads may have something to do. */
bool split_find_narrow(split_bound *bound, const split_region *region);

/* Writes %lab.hi, at the end of the region's first node. `number` is the bound's in the region. */
void split_write_narrow(const split_region *region, const split_bound *bound, ir_piece number);

/* ---- write_region.c ---- */

/* Whether all threads leave the region for the same next one. */
static inline bool split_leaves_as_one(const split_region *region)
{
    return region->fixed >= 0 || (region->exits == 1 && region->agrees);
}

/* Writes the loops of a region to `out`, and their calls to `cases`. False when memory runs out. */
bool split_write_region(const split_kernel *k, int number, FILE *out, FILE *cases);

/* ---- write_warps.c ---- */

/* Whether a whole warp completes the wait without the library, whatever its lanes bring: it is a function of the warp,
 * with the mask of all lanes. */
bool split_completes(const ir_wait *wait);

/* Whether its values are numbers of 32 bits. A whole warp then keeps them as such, in the first half of its part of the
 * slot. */
bool split_is_narrow(const ir_graph *g, const ir_wait *wait);

/* The index of the warp's first element of this type in one of the first slots. */
const char *split_first_of_warp(int slot, span element);

/* Whether this is an operation on vectors, which needs no slot. */
bool split_is_operation(const ir_wait *wait);

/* Writes such an operation, whose names have the number n, on a vector with the lanes' values. Returns the vector of
 * results. */
ir_piece split_write_function(const ir_emitter *e, int n, const ir_wait *wait, bool is_narrow, ir_piece value);

/* For a kernel with warp functions: writes what lab.run.k begins with. */
void split_write_warp_start(const split_kernel *k, const ir_emitter *e);

/* Writes how a warp goes on after a region: with the fixed one, or with any if that is negative. */
void split_write_way_on(const split_kernel *k, const ir_emitter *e, int region, int fixed);

/* Writes the blocks of lab.run.k in which a whole warp goes on to its next region. */
void split_write_warps(const split_kernel *k, const ir_emitter *e);

/* ---- write_vectors.c ---- */

/* Writes block vN of lab.run.k, in which a whole warp runs region N and what can follow it as vectors. Writes nothing,
 * and returns false, if the region does more than compute. */
bool split_write_vectors(const split_kernel *k, int region, const ir_emitter *e);

/* ---- write_kernel.c ---- */

/* The shape of blocks for which the regions of a kernel are written a second time, by what it computes of its index. */
split_loop split_find_shape(const ir_regions *r, const split_module *module);

/* Writes the functions of a kernel k, given the types of the parameters of lab_thread_k. False when memory runs out. */
bool split_write_kernel(FILE *out, const ir_regions *r, split_module *module, const span entry_param[ENTRY_PARAMS]);

#endif
