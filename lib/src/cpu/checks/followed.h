/*
 * The values that a block's threads have from reads of unwritten shared memory, and from shuffles with lanes that take
 * no part, until they use them (passes/shadows.h). The code carries a number for each, and 0 for any other value. Knows
 * what lanes bring to shuffles. Independent of what a finding says.
 */
#ifndef LAB_CPU_CHECKS_FOLLOWED_H
#define LAB_CPU_CHECKS_FOLLOWED_H

#include "cpu/kernel/warp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where such a value comes from: a read at a site, or a shuffle. */
typedef struct followed_source {
    const cpu_site *site; /* NULL for a shuffle; that of a local variable has no address */
    uintptr_t address;    /* of the read, and its bytes */
    size_t bytes;
    cpu_wait wait; /* the shuffle, and the lane that was to give the value */
    unsigned from;
    unsigned thread;
    bool told; /* whether the value has been used */
} followed_source;

typedef struct followed followed; /* of the blocks that one thread of the host runs */

/* NULL when memory runs out. */
followed *followed_create(void);
void followed_free(followed *all);

/* A block of so many threads begins. */
void followed_begin(followed *all, unsigned threads);

/* The number of a new source. Numbers are used again after many sources, by the latest. */
unsigned followed_add(followed *all, const followed_source *source);

/* Whether the source is a local variable without a value. */
bool followed_is_local(const followed *all, unsigned number);

/* The source, when a value from it is used for the first time; else NULL. */
const followed_source *followed_use(followed *all, unsigned number);

/* A lane is about to shuffle a value with this number; whether a lane has said so of the shuffle under way. */
void followed_bring(followed *all, unsigned thread, unsigned number);
bool followed_brings(const followed *all, unsigned thread);

/* The lanes of a warp have done a shuffle: decides what those get that have brought a number, until the next one. */
void followed_pass(followed *all, unsigned warp, uint32_t lanes, cpu_wait *const wait[]);
unsigned followed_got(const followed *all, unsigned thread);

/* ---- shuffles that the code does not follow ---- */

/*
 * What lanes make of undefined values that shuffles give them (LAB_SYNCCHECK), where the code does not follow them. A
 * lane that reads from one that takes no part gets CPU_WARP_UNDEFINED. What it brings to its next shuffle tells whether
 * it has used that value: a sum, an exclusive or of the two, or what a floating-point operation makes of a value that
 * is not a number. A lane that brings what it brought before, or anything else, has not, as far as can be told: what is
 * found is certain, and not everything is found.
 */
typedef struct shuffled shuffled; /* of the blocks that one thread of the host runs */

/* NULL when memory runs out. */
shuffled *shuffled_create(void);
void shuffled_free(shuffled *all);

/* A block of so many threads begins: no lane has shuffled. */
void shuffled_begin(shuffled *all, unsigned threads);

/* The lanes of a warp have done a shuffle: those that have brought a value made from an undefined one. */
uint32_t shuffled_pass(shuffled *all, unsigned warp, uint32_t lanes, cpu_wait *const wait[]);

#endif
