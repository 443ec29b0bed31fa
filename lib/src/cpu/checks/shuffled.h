/*
 * What lanes make of undefined values that shuffles give them (LAB_SYNCCHECK). A lane that reads from one that takes no
 * part gets CPU_WARP_UNDEFINED. What it brings to its next shuffle tells whether it has used that value: a sum, an
 * exclusive or of the two, or what a floating-point operation makes of a value that is not a number. A lane that brings
 * what it brought before, or anything else, has not, as far as can be told: what is found is certain, and not
 * everything is found. Independent of what a finding says.
 */
#ifndef LAB_CPU_CHECKS_SHUFFLED_H
#define LAB_CPU_CHECKS_SHUFFLED_H

#include "cpu/kernel/warp.h"

#include <stdint.h>

typedef struct shuffled shuffled; /* of the blocks that one thread of the host runs */

/* NULL when memory runs out. */
shuffled *shuffled_create(void);
void shuffled_free(shuffled *all);

/* A block of so many threads begins: no lane has shuffled. */
void shuffled_begin(shuffled *all, unsigned threads);

/* The lanes of a warp have done a shuffle: those that have brought a value made from an undefined one. */
uint32_t shuffled_pass(shuffled *all, unsigned warp, uint32_t lanes, cpu_wait *const wait[]);

#endif
