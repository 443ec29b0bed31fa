/*
 * What becomes of values that a thread reads from shared memory (LAB_INITCHECK) or gets from a shuffle (LAB_SYNCCHECK).
 * A value that nothing has written may be copied from cell to cell of shared memory, and one from a lane that takes no
 * part may be shuffled again; it is a mistake where it matters: a branch, an address, a store to other memory, a call.
 * So each value that may be such a one has a shadow, a number of 32 bits next to it: 0, or which read or shuffle it
 * comes from. A local variable whose address nothing else takes has one too.
 *
 * The code is that of memcheck.h, not optimised: local variables are still in memory. Values that go through other
 * memory, or to another function, are used there. Shuffles are not followed in a function that passes on in these ways
 * what it gets, or branches on it: a maximum of two values is a branch, and the value may be discarded behind it.
 */
#ifndef LAB_CPU_PASSES_SHADOWS_H
#define LAB_CPU_PASSES_SHADOWS_H

#include "cpu/ir/emit.h"
#include "cpu/ir/origins.h"

/* A hash table of names. */
typedef struct name_set {
    span *name;
    size_t names, slots;
} name_set;

typedef struct shadows {
    name_set values;    /* that have a shadow */
    name_set variables; /* local variables that have one */
    name_set taken;     /* local variables whose address is taken, or that are no single value */
    name_set unset;     /* local variables that may have no value */
    bool reads;         /* whether reads of shared memory are followed, */
    bool shuffles;      /* and shuffles, */
    bool locals;        /* and local variables without a value */
    unsigned moves;     /* from variable to variable, so far */
    bool failed;        /* memory ran out */
} shadows;

void shadows_free(shadows *s);

/* Finds the values with shadows in the function whose lines begin at `body`. The origins are those of the whole
 * function. `locals`: variables that begin with a pattern, which the compiler has put there, have no value yet. */
void shadows_find(shadows *s, const origins *o, const char *body, bool locals);

/* Whether the address is one of the block's shared memory. */
bool shadows_is_shared(const origins *o, span value);

/* Whether the line reads a value from shared memory that has a shadow from then on. */
bool shadows_begin(const origins *o, span line);

/* Whether the line is a shuffle. */
bool shadows_is_shuffle(span line);

/* The shadow of an operand, "i32 %lab.s.12"; "i32 0" if it has none. */
void shadows_write(const shadows *s, const ir_emitter *e, span value);
bool shadows_have(const shadows *s, span value);

/* The beginning of "%lab.s.12 = ". */
void shadows_write_name(const ir_emitter *e, span name);

/* Whether the line puts a value with a shadow into memory that has none of its own: lab_check_holds decides. */
bool shadows_stores(const shadows *s, const origins *o, span line);

/* Writes a call of lab_check_use for each operand that the line uses, as source line `number`; before a shuffle, what
 * the lane brings. */
void shadows_write_uses(const shadows *s, const ir_emitter *e, const origins *o, span line, unsigned number);

/* Whether the line reads a local variable that may have no value. shadows_write_result then leaves it to the caller to
 * make the shadow from "i32 %lab.u.12", which is SHADOW_OF_NO_VALUE if it has none. */
bool shadows_reads_local(const shadows *s, const origins *o, span line);
void shadows_write_local(const ir_emitter *e, span name);
#define SHADOW_OF_NO_VALUE "-1"

/* Writes, behind the line, the shadow of what it computes or stores. */
void shadows_write_result(shadows *s, const ir_emitter *e, const origins *o, span line);

#endif
