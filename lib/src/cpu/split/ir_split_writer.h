/* What the files that write split kernels share: the kernel and the region that is being written, and the small pieces of
 * text that all of them need. ir_split_write.c says what is written. */
#ifndef LAB_CPU_SPLIT_IR_SPLIT_WRITER_H
#define LAB_CPU_SPLIT_IR_SPLIT_WRITER_H

#include "ir_split_write.h"

enum { SLOT_THREADS = CPU_SPLIT_STRIDE };

typedef struct split_writer {
    FILE *out;
    const ir_regions *r;
    const ir_graph *g;
    ir_split_context *context;
    span name;
    bool typed;
    const char *bytes;             /* the type of a pointer to bytes */
    int *field, *slot;             /* of each value: where it is kept, or -1 */
    int *moved_field, *moved_slot; /* of what comes to a phi */
    int fields, slots;

    /* The region that is being written: */
    int state;
    FILE *body;
    bool *inside;                                 /* of each node: in the region */
    bool *uses_variable, *uses_moved, *uses_slot; /* of each value; of each slot */
    int *outgoing;                                /* of each value: the last node at whose end it got a name for phis */
    int temporaries, exits, group;
    int fixed;   /* the one state that all exits lead to, or -1 */
    bool agrees; /* all threads take the same exit */
    bool calls;  /* functions that may look at threadIdx */
    FILE *next;  /* what the phi of next states has from each exit */
} split_writer;

/* ---- ir_split_writer.c ---- */

void split_write_pointer(FILE *out, const split_writer *w, span type);

span split_type_of(const split_writer *w, int value, char made[static 32]);

/* A bit is kept as a byte: arrays of bits cannot be read as vectors. */
span split_kept_type(span type);

/* "%lab.frame.k" as the type of a pointer to it. */
void split_write_pointer_to(FILE *out, const split_writer *w, const char *prefix);

/* Whether the value is there when the region begins. */
bool split_lives(const split_writer *w, int value);

/* The instruction that defines it, NULL for a parameter; the last one of a node. */
const ir_instr *split_defining(const split_writer *w, int value);
const ir_instr *split_last_instr(const split_writer *w, int node);

/* Writes a pointer to where the thread keeps something, and returns N for its name %tN. */
int split_write_slot_address(FILE *out, split_writer *w, int slot, span type);

/* Writes a store, as an access of the loop's group if it is to memory that other threads may see. */
void split_write_store(FILE *out, const split_writer *w, span type, const char *value, const char *address,
                       bool in_group);

/* Writes `name` as a pointer to a field of the frame. */
void split_write_field_address(FILE *out, const split_writer *w, const char *name, const char *frame, int field);

/* What an alloca is of. */
span split_local_type(const split_writer *w, int value);

/* The bytes of a thread's own variables, one after another: %lab.local.N up to the N-th of them; a whole, odd number of
 * cache lines in the end, so that threads do not all meet in the same ones. */
void split_write_local_layout(FILE *out, const split_writer *w);

/* ---- ir_split_body.c ---- */

/* Marks what belongs to the region, from this node on. */
void split_find_inside(split_writer *w, int node);

/* Writes a node of the region to w->body, and its exits to w->next; marks the fields that it changes. */
void split_write_node(split_writer *w, int node, bool *outs);

/* ---- ir_split_loop.c ---- */

/* Writes the loop of a state's region, and to `cases` its call. False when memory runs out. */
bool split_write_region(split_writer *w, int state, FILE *cases);

#endif
