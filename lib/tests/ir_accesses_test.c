/* The compiler finds out what a kernel does through its pointers: a letter for each parameter. */
#include "kernels.h"
#include "seam/ledger.h"

/* The letters of the kernel named `k` in the source. */
static void assert_access(const char *source, const char *expected)
{
    kernels_use_kept_cache();
    cpu_module *module = kernels_load(source);
    cr_assert_str_eq(kernels_find(module, "k")->access, expected, "%s", source);
    cpu_module_unload(module);
}

Test(ir_accesses, tells_reading_from_writing)
{
    assert_access("extern \"C\" __global__ void k(float *in, float *out, float *both, int n)\n"
                  "{ int i = threadIdx.x; if (i < n) { out[i] = in[i]; both[i] += 1; } }\n",
                  "rwbb");
}

Test(ir_accesses, sees_a_pointer_that_is_not_used)
{
    assert_access("extern \"C\" __global__ void k(float *out, const float *unused) { out[0] = 1; }\n", "wn");
}

Test(ir_accesses, sees_that_a_kernel_without_effects_uses_nothing)
{
    assert_access("extern \"C\" __global__ void k(float *x, const float *y, int n) {}\n", "nnn");
    assert_access("extern \"C\" __global__ void k(float *x, int n) { if (n > 3) return; float y = x[n]; }\n", "nn");
}

Test(ir_accesses, follows_a_device_function)
{
    assert_access("__device__ __noinline__ void put(float *to, float value) { *to = value; }\n"
                  "extern \"C\" __global__ void k(float *out, float *in) { put(out + threadIdx.x, in[0]); }\n",
                  "wr");
}

Test(ir_accesses, takes_an_atomic_operation_for_both)
{
    assert_access("extern \"C\" __global__ void k(int *sum, int *in) { atomicAdd(sum, in[threadIdx.x]); }\n", "br");
}

Test(ir_accesses, takes_a_pointer_that_escapes_for_both)
{
    assert_access("__device__ float *kept;\n"
                  "extern \"C\" __global__ void k(float *escapes) { kept = escapes; }\n",
                  "b");
}

Test(ir_accesses, is_not_led_astray_by_const_that_is_cast_away)
{
    assert_access("extern \"C\" __global__ void k(const float *out) { *(float *)out = 1; }\n", "w");
}

#define WAITS                                                                                                          \
    "void k(float *out, float *in, int *unused)\n"                                                                     \
    "{\n"                                                                                                              \
    "    __shared__ float part[64];\n"                                                                                 \
    "    part[threadIdx.x] = in[threadIdx.x];\n"                                                                       \
    "    __syncthreads();\n"                                                                                           \
    "    out[threadIdx.x] = part[63 - threadIdx.x];\n"                                                                 \
    "}\n"

Test(ir_accesses, works_for_kernels_whose_threads_wait_for_each_other)
{
    assert_access("extern \"C\" __global__ " WAITS, "wrn");
}

Test(ir_accesses, works_for_kernels_whose_code_stays_apart)
{
    assert_access(
        "__device__ int seen;\n"
        "extern \"C\" __global__ __noinline__ void k(float *in, float *out, float *both, float *unused, int n)\n"
        "{ int i = threadIdx.x; if (i < n) { out[i] = in[i]; both[i] += seen; } }\n",
        "rwbnb");
    assert_access("extern \"C\" __global__ __noinline__ " WAITS, "wrn");
}

static void assert_variables(const char *source, const char *expected)
{
    kernels_use_kept_cache();
    cpu_module *module = kernels_load(source);
    const char *found = kernels_find(module, "k")->variable_access;
    cr_assert_str_eq(found, expected, "%s\nis '%s'", source, found);
    cpu_module_unload(module);
}

Test(ir_accesses, knows_the_variables_of_kernels_whose_code_stays_apart)
{
    assert_variables("__device__ int a, b, c;\n"
                     "extern \"C\" __global__ __noinline__ void k(int *out) { out[0] = a; b = 1; }\n",
                     "rwn");
    assert_variables("__device__ int a, b, c;\n"
                     "extern \"C\" __global__ __noinline__ void k(int *out) { b = 1; __syncthreads(); out[0] = a; }\n",
                     "rwn");
}

Test(ir_accesses, knows_the_variables_of_the_module_that_a_kernel_uses)
{
    assert_variables("__device__ int a, b, c;\n" /* the letters are in the order of the names */
                     "extern \"C\" __global__ void k(int *out) { out[0] = a; b = 1; c += 1; }\n"
                     "extern \"C\" __global__ void other() { a = 2; b += 1; c += 1; }\n",
                     "rwb");
}

Test(ir_accesses, follows_addresses_computed_in_a_variable)
{
    assert_variables("__device__ float table[64], result[64];\n"
                     "extern \"C\" __global__ void k(int n)\n"
                     "{ for (int i = 0; i < n; i++) result[threadIdx.x + i] = table[threadIdx.x * i]; }\n"
                     "extern \"C\" __global__ void other() { table[threadIdx.x] = 1; }\n",
                     "rw");
}

Test(ir_accesses, follows_as_many_addresses_as_unrolled_vectors_have)
{
    assert_variables(
        "__device__ float table[4096], result[4096];\n"
        "#define STEP(k) result[(i * (k + 3)) & 4095] = table[(i * (k + 5)) & 4095] * k;\n"
        "#define STEPS(k) STEP(k) STEP(k + 1) STEP(k + 2) STEP(k + 3) STEP(k + 4) STEP(k + 5) STEP(k + 6)\n"
        "extern \"C\" __global__ void k(unsigned i)\n"
        "{ STEPS(1) STEPS(8) STEPS(15) STEPS(22) STEPS(29) STEPS(36) STEPS(43) STEPS(50) STEPS(57)\n"
        "  STEPS(64) STEPS(71) STEPS(78) }\n"
        "extern \"C\" __global__ void other() { table[threadIdx.x] = 1; }\n",
        "rw");
}

Test(ir_accesses, leaves_out_what_a_thread_or_block_has_to_itself)
{
    assert_variables("__constant__ int fixed = 3;\n"
                     "extern \"C\" __global__ void k(int *out)\n"
                     "{ __shared__ int mine[64]; mine[threadIdx.x] = fixed; __syncthreads();\n"
                     "  out[threadIdx.x] = mine[63 - threadIdx.x]; }\n",
                     "r");
}

/* Another kernel with barriers makes the compiler take a way with more stages. */
Test(ir_accesses, of_one_kernel_do_not_depend_on_another)
{
    assert_variables("__constant__ float factor[4] = {1, 2, 3, 4};\n"
                     "__device__ float sum[4] = {1, 2, 3, 4};\n"
                     "extern \"C\" __global__ void k(float *x, int n)\n"
                     "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = x[i] * factor[1] + sum[2]; }\n"
                     "extern \"C\" __global__ void reverse(float *x)\n"
                     "{ __shared__ float tile[64]; tile[threadIdx.x] = x[threadIdx.x]; __syncthreads();\n"
                     "  x[threadIdx.x] = tile[63 - threadIdx.x]; }\n",
                     "rr");
}

/* The optimiser compares addresses, also those of two variables, to use vectors where nothing overlaps. */
Test(ir_accesses, a_comparison_of_addresses_is_no_access)
{
    assert_variables("__device__ float from[4], last[3];\n"
                     "extern \"C\" __global__ void k(float *x, int n)\n"
                     "{ for (int i = 0; i < n; i++) { last[1] = i; x[i] = x[i] * from[1] + from[2]; } }\n",
                     "rw");
}

Test(ir_accesses, knows_the_two_sides_of_a_copy)
{
    assert_variables(
        "struct box { int value[40]; };\n"
        "__device__ box from, into;\n"
        "extern \"C\" __global__ void k(int *out)\n"
        "{ box own = from; own.value[threadIdx.x] = 3; into = own; out[0] = own.value[threadIdx.x + 1]; }\n",
        "rw");
}

Test(ir_accesses, follows_a_variable_into_a_function)
{
    assert_variables("__device__ int input[64], output[64], kept[64];\n"
                     "__device__ int *place;\n"
                     "__device__ __noinline__ int sum(const int *of, int n)\n"
                     "{ int all = 0; for (int i = 0; i < n; i++) all += of[i]; return all; }\n"
                     "__device__ __noinline__ void fill(int *to, int n) { for (int i = 0; i < n; i++) to[i] = n; }\n"
                     "__device__ __noinline__ void keep(int *it) { place = it; }\n"
                     "extern \"C\" __global__ void k(int *out, int n)\n"
                     "{ out[0] = sum(input, n); fill(output, n); keep(kept); }\n",
                     "brww");
}

/* Checks pass the address of each access to the library, which is no use of it by the kernel. */
static void assert_same_with_checks(const char *source, const char *params, const char *variables)
{
    setenv("LAB_MEMCHECK", "1", 1);
    LAB_CHECK(ledger_open());
    assert_access(source, params);
    assert_variables(source, variables);
}

Test(ir_accesses, are_the_same_in_a_kernel_with_checks)
{
    assert_same_with_checks("__constant__ float factor[4] = {1, 2, 3, 4};\n"
                            "__device__ float last;\n"
                            "extern \"C\" __global__ void k(float *out, float *in, float *both, float *unused)\n"
                            "{ int i = threadIdx.x; out[i] = in[i] * factor[1]; both[i] += 1; last = i; }\n",
                            "wrbn", "wr");
}

Test(ir_accesses, are_the_same_in_a_function_with_checks)
{
    assert_same_with_checks("__device__ float table[64];\n"
                            "__device__ __noinline__ float sum(const float *of)\n"
                            "{ float all = 0; for (int i = 0; i < 64; i++) all += of[i]; return all; }\n"
                            "extern \"C\" __global__ void k(float *out, float *in)\n"
                            "{ __shared__ float own[64]; own[threadIdx.x] = in[threadIdx.x]; __syncthreads();\n"
                            "  out[threadIdx.x] = sum(table) + own[63 - threadIdx.x]; }\n",
                            "wr", "r");
}
