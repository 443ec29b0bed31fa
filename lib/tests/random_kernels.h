/* Random kernels as text. Every kernel has one argument, an array with an element for each thread of the launch. */
#ifndef LAB_TESTS_RANDOM_KERNELS_H
#define LAB_TESTS_RANDOM_KERNELS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define START                                                                                                          \
    "    const unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;\n"                    \
    "    const unsigned n = blockDim.x * blockDim.y * blockDim.z, g = blockIdx.x * n + t;\n"

#define KERNEL(name, body) "extern \"C\" __global__ void " name "(unsigned *out)\n{\n" START body "}\n"

enum { SOURCE_BYTES = 200000 };

typedef struct program {
    char *text;
    size_t used;
    uint64_t random;
    int loops;
    bool has_exit;
} program;

static unsigned pick(program *p, unsigned below)
{
    p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(p->random >> 33) % below;
}

static void add(program *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(program *p, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    p->used += (size_t)vsnprintf(p->text + p->used, SOURCE_BYTES - p->used, format, values);
    va_end(values);
}

static char variable(program *p) { return "abc"[pick(p, 3)]; }

/* Adds work of each thread on its own. */
static void add_own(program *p)
{
    const char target = variable(p), source = variable(p);
    switch (pick(p, 7)) {
    case 0: add(p, "%c = %c * %uu + t;\n", target, source, 2 * pick(p, 50) + 1); break;
    case 1: add(p, "%c ^= %c >> %u;\n", target, source, pick(p, 9)); break;
    case 2: add(p, "l[%c & 7] += %c;\n", target, source); break;
    case 3: add(p, "%c += l[%c %% 8] + blockIdx.x;\n", target, source); break;
    case 4:
        add(p, "if ((%c ^ t) & %uu) %c += 3; else { %c ^= t; l[%u] = %c; }\n", target, 1 + pick(p, 7), source, target,
            pick(p, 8), source);
        break;
    case 5: add(p, "for (unsigned i = 0; i < (%c & 3); i++) { %c = %c * 3 + i; }\n", source, target, target); break;
    default: add(p, "%c -= threadIdx.x + %u * threadIdx.y;\n", target, pick(p, 9)); break;
    }
}

#endif
