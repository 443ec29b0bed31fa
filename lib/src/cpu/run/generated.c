/* How generated kernels run on the CPU device: their prelude, taken in by the assembler; its path is relative to the
 * folder that make runs in. */
#include "cpu_device.h"

extern const char cpu_generated_prelude[];
__asm__(".pushsection .rodata\n"
        ".global cpu_generated_prelude\n"
        "cpu_generated_prelude:\n"
        ".incbin \"lib/src/cpu/run/generated.cuh\"\n"
        ".byte 0\n"
        ".popsection\n");

/* A block of so many elements takes microseconds, so what it costs to hand one out does not matter. */
const backend_generated cpu_generated = {
    .prelude = cpu_generated_prelude,
    .block_threads = 1,
    .reduction_threads = 1,
    .reduction_columns = 256, /* the partial results of a tree of them fit the first cache */
    .block_elements = 8192,
    .blocks_per_multiprocessor = 32,
};
