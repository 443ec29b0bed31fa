/* What kernels are written with: headers, CUDA's own functions and groups of threads, the same on every device. */
#include "test.h"

#include "lab.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Runs the source's kernel k(uint32_t *out), and copies `out` there and back. */
#define run(out, source, grid, block) run_kernel(out, sizeof(out), source, grid, block)
static void run_kernel(uint32_t *out, size_t bytes, const char *source, lab_dim grid, lab_dim block)
{
    lab_module *module;
    lab_function function;
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, bytes));
    LAB_CHECK(lab_memcpy_htod(memory, out, bytes));
    LAB_CHECK(lab_module_load_source(&module, source, "language.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, "k"));
    LAB_CHECK(lab_launch(function, grid, block, 0, NULL, LAB_ARGS(memory)));
    LAB_CHECK(lab_memcpy_dtoh(out, memory, bytes));
    LAB_CHECK(lab_module_unload(module));
    LAB_CHECK(lab_mem_free(memory));
}

/* lab.h, Modules and kernels: the headers that every device has. */
Test(kernel_language, a_source_may_include_the_usual_headers_of_cuda_and_c)
{
    static const char source[] =
        "#include \"cuda_runtime.h\"\n#include \"device_launch_parameters.h\"\n#include <cuda.h>\n"
        "#include <vector_types.h>\n#include <math_constants.h>\n#include <assert.h>\n#include <float.h>\n"
        "#include <limits.h>\n#include <math.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <cmath>\n#include <cstdint>\n"
        "struct pair { int8_t first; uint64_t second; };\n"
        "__device__ float infinite = INFINITY, largest = FLT_MAX;\n"
        "extern \"C\" __global__ void k(uint32_t *out)\n"
        "{\n"
        "    const float sixteen = out[0] + 16;\n"
        "    assert(out != NULL);\n"
        "    const bool all = isinf(infinite) && isnan(NAN) && infinite > largest && CUDART_INF_F == infinite &&\n"
        "                     CUDART_PI_F == (float)M_PI && DBL_MAX < HUGE_VAL && FLT_EPSILON + 1 > 1;\n"
        "    out[0] = (uint32_t)(sqrt(sixteen) + sinf(0) + fmin(sixteen, 100.0f) + abs(-1) + M_PI);\n"
        "    out[1] = INT_MAX;\n"
        "    out[2] = UINT32_MAX;\n"
        "    out[3] = offsetof(pair, second) + sizeof(ptrdiff_t) + sizeof(uintptr_t);\n"
        "    out[4] = all;\n"
        "    const int64_t wide = INT64_MIN + UINT8_MAX + CHAR_BIT;\n"
        "    memcpy(&out[5], &wide, sizeof wide);\n"
        "    memset(&out[7], 1, sizeof out[7]);\n"
        "}\n";
    const uint32_t expected[] = {4 + 16 + 1 + 3, INT_MAX, UINT32_MAX, 8 + 8 + 8, 1, 255 + 8, 0x80000000, 0x01010101};
    uint32_t out[8] = {0};
    run(out, source, LAB_DIM(1), LAB_DIM(1));
    for (int i = 0; i < 8; i++) cr_assert_eq(out[i], expected[i], "%d: %x", i, out[i]);
}
