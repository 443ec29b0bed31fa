/*
 * The arguments that functions of kernels are called with, random and special ones, and what the host makes of them for
 * its own results. The kernel `arguments` (prelude.h) writes them.
 */
#ifndef LAB_TESTS_BUILTINS_ARGUMENTS_H
#define LAB_TESTS_BUILTINS_ARGUMENTS_H

#include <stdint.h>

/* `a`, `b` and `c` are words whose bytes are often the least or the greatest, or equal ones of another word. The halves
 * of `f`, `g` and `h` are any bits, or special ones of __half and __nv_bfloat16. */
typedef struct arguments {
    double p, q, r;
    uint64_t n, o;
    float x, y, z;
    uint32_t w, a, b, c, f, g, h;
} arguments;

#endif
