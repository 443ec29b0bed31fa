/* Whatever the kernels of a module do, the compiler sees that none of their stores changes threadIdx: nothing but loads
 * and stores names its variable. Else the module's other kernels would read it from memory for each thread, and their
 * loops over threads would not become vector code. */
#include "cpu/compiler/stages.h"
#include "kernels.h"

#include <ctype.h>

static char *optimised_code(const char *source)
{
    kernel_scan scan;
    cpu_unit unit;
    cpu_clang clang;
    cpu_text code = {0};
    kernels_use_kept_cache();
    cr_assert(kernel_scan_source(&scan, source));
    LAB_CHECK(cpu_clang_find(&clang));
    LAB_CHECK(cpu_unit_write(&unit, &scan, "test.cu", false));
    LAB_CHECK(cpu_unit_optimise(&code, &clang, &unit));
    free(unit.text.data);
    kernel_scan_free(&scan);
    return code.data;
}

static void assert_index_is_private(const char *source)
{
    char *code = optimised_code(source);
    bool is_set_whole = false; /* by the function that stands in for the loops over threads */
    int uses = 0;
    for (char *rest = code, *line; (line = strtok_r(rest, "\n", &rest));) {
        if (strncmp(line, "define ", 7) == 0) is_set_whole = strstr(line, "@lab_stand_at(");
        if (is_set_whole || !isspace(*line) || !strstr(line, "@_ZL10lab_thread")) continue;
        cr_assert(strstr(line, " load ") || strstr(line, " store "), "%s\nin the code of\n%s", line, source);
        uses++;
    }
    cr_assert_gt(uses, 0, "no use of threadIdx in the code of\n%s", source);
    free(code);
}

#define KERNEL(text) "extern \"C\" __global__ void k(unsigned *x)\n{\n    " text "\n}\n"

Test(thread_index, stays_private_in_kernels_with_barriers)
{
    assert_index_is_private(KERNEL("__shared__ unsigned s[32];\n    s[threadIdx.x] = x[threadIdx.x];\n"
                                   "    __syncthreads();\n    x[threadIdx.x] = s[31 - threadIdx.x];"));
    assert_index_is_private(KERNEL("x[threadIdx.x] = __syncthreads_count(x[threadIdx.y]);"));
}

Test(thread_index, stays_private_in_kernels_with_warp_functions)
{
    assert_index_is_private(KERNEL("x[threadIdx.x] = __shfl_down_sync(~0u, x[threadIdx.x], 1);"));
    assert_index_is_private(KERNEL("x[threadIdx.x] = __ballot_sync(~0u, x[threadIdx.x] > 3) + __activemask();"));
    assert_index_is_private(KERNEL("x[threadIdx.x] = 1;\n    __syncwarp();\n    x[threadIdx.y] += 1;"));
    assert_index_is_private(KERNEL("x[threadIdx.x] = __match_any_sync(~0u, x[threadIdx.x]);"));
}

Test(thread_index, stays_private_where_it_is_copied_whole)
{
    assert_index_is_private(KERNEL("const uint3 at = threadIdx;\n    x[at.x] = at.y;"));
}
