/* How generated kernels run on the CUDA devices. The assembler includes their prelude, whose path is relative to the
 * folder in which make runs. */
#include "cuda_device_state.h"

extern const char cuda_generated_prelude[];
__asm__(".pushsection .rodata\n"
        ".global cuda_generated_prelude\n"
        "cuda_generated_prelude:\n"
        ".incbin \"lib/src/cuda/cuda_generated.cuh\"\n"
        ".byte 0\n"
        ".popsection\n");

const backend_generated cuda_generated = {
    .prelude = cuda_generated_prelude,
    .block_threads = 256,
    .reduction_threads = 256, /* LAB_LANES, which lab_reduce_columns requires */
    .reduction_columns = 32,
    .block_elements = 1024, /* LAB_BATCH for each thread */
    .blocks_per_multiprocessor = 4096,
};
