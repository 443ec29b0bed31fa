/* The accesses of a source's kernels, found without compiling them to an object. They are those that the CPU device
 * finds when it does. */
#include "seam/kernel_accesses.h"
#include "arrays/elementwise.h"
#include "kernels.h"
#include "lab_trace.h"
#include "test_folder.h"

/* Describes the kernel k as "k rwb calls=b", or as "" if nothing is known about it. */
static void describe(char *text, size_t capacity, const char *source)
{
    kernel_scan scan;
    kernel_accesses found;
    cr_assert(kernel_scan_source(&scan, source));
    cr_assert(kernel_accesses_find(&found, &scan, "test.cu"));
    const kernel_access *kernel = kernel_accesses_of(&found, "k");
    int used = snprintf(text, capacity, "%s%s", kernel ? "k " : "", kernel ? kernel->params : "");
    for (int i = 0; kernel && i < kernel->variables; i++)
        used += snprintf(text + used, capacity - (size_t)used, " %s=%c", kernel->variable[i].name,
                         kernel->variable[i].letter);
    kernel_accesses_free(&found);
    kernel_scan_free(&scan);
}

static void assert_accesses(const char *source, const char *expected)
{
    char found[1000];
    kernels_use_kept_cache();
    describe(found, sizeof found, source);
    cr_assert_str_eq(found, expected, "%s\nis '%s'", source, found);
}

Test(kernel_accesses, tells_reading_from_writing)
{
    assert_accesses("extern \"C\" __global__ void k(float *in, float *out, float *both, int *unused, int n)\n"
                    "{ int i = threadIdx.x; if (i < n) { out[i] = in[i]; both[i] += 1; } }\n",
                    "k rwbnb");
}

Test(kernel_accesses, tells_what_other_threads_than_the_first_do)
{
    assert_accesses("extern \"C\" __global__ void k(float *in, float *out, float *wide, float *low)\n"
                    "{ if (threadIdx.x > 0 && blockIdx.y > 2) out[0] = in[1]; if (blockDim.x > 32) wide[0] = 1;\n"
                    "  if (gridDim.z > 1) low[0] += 1; }\n",
                    "k rwwb");
}

Test(kernel_accesses, tells_of_the_inputs_of_a_loop_over_a_grid)
{
    assert_accesses("extern \"C\" __global__ void k(float *x, float *y, float *z, long long n)\n"
                    "{ for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)\n"
                    "      z[i] = x[i] / y[i]; }\n",
                    "k rrwb");
}

Test(kernel_accesses, a_question_about_an_address_is_no_access)
{
    assert_accesses("__device__ int asked; __constant__ int table[4];\n"
                    "extern \"C\" __global__ void k(int *out, int *in, int *unused)\n"
                    "{ __shared__ int tile[8]; tile[threadIdx.x] = in[threadIdx.x];\n"
                    "  out[threadIdx.x] = __isGlobal(in) + __isShared(unused) + __isLocal(&asked) + table[1] +\n"
                    "      __isConstant(&table[threadIdx.x]) + tile[threadIdx.x ^ 1]; }\n",
                    "k wrn table=r");
}

Test(kernel_accesses, names_the_variables_that_a_kernel_uses)
{
    assert_accesses("__device__ int one, two, three, four;\n"
                    "__device__ void put(int value) { two = value; }\n"
                    "extern \"C\" __global__ void k(int *out) { out[0] = one; put(1); three += 1; }\n"
                    "extern \"C\" __global__ void other() { one = four; }\n",
                    "k w one=r two=w three=b");
}

Test(kernel_accesses, names_variables_that_only_the_source_can_name)
{
    assert_accesses(
        "static __device__ int table[2];\n"
        "namespace space { static __device__ int a; __device__ int b; }\n"
        "extern \"C\" __global__ void k(int *out)\n"
        "{ static __device__ int inside; out[0] = inside++ + space::a++ + space::b++; table[0]++; table[1]++; }\n",
        "k w _ZL5table=b _ZN5space1bE=b _ZN5spaceL1aE=b _ZZ1kE6inside=b");
}

Test(kernel_accesses, a_kernel_without_parameters_has_no_letters)
{
    assert_accesses("__device__ int calls;\nextern \"C\" __global__ void k() { calls += 1; }\n", "k  calls=b");
}

Test(kernel_accesses, a_source_that_clang_does_not_accept_has_no_kernels_and_leaves_the_message_alone)
{
    const test_folder folder = test_folder_make("cache");
    char found[100];
    setenv("LAB_CACHE_DIR", folder.path, 1);
    lab_fail(LAB_ERROR_UNKNOWN, "said before");
    for (int round = 0; round < 2; round++) { /* the second time from the cache */
        describe(found, sizeof found,
                 "extern \"C\" __global__ void k(int *out)\n"
                 "{ asm(\"mov.u32 %0, %%clock;\" : \"=r\"(out[0]) nonsense); }\n");
        cr_assert_str_eq(found, "");
        cr_assert_str_eq(lab_error_message(), "said before");
        cr_assert_eq(lab_failures(), 1);
    }
    cr_assert_eq(test_folder_remove(&folder), 1);
}

Test(kernel_accesses, nobody_can_tell_without_clang)
{
    setenv("LAB_CLANG", "/no/such/clang", 1);
    assert_accesses("extern \"C\" __global__ void k(int *out) { out[0] = 1; }\n", "");
    cr_assert_eq(lab_failures(), 0);
}

/* x86-64 passes the struct as two parameters of the function, aarch64 as one. */
Test(kernel_accesses, a_struct_by_value_leaves_the_parameters_unknown)
{
#ifdef __aarch64__
    const char *accesses = "k wb calls=w";
#else
    const char *accesses = "k  calls=w";
#endif
    assert_accesses("struct box { float low, high; int steps; };\n"
                    "__device__ int calls;\n"
                    "extern \"C\" __global__ void k(float *out, box from) { out[0] = from.low; calls = from.steps; }\n",
                    accesses);
}

Test(kernel_accesses, a_kernel_that_was_removed_or_is_no_kernel_is_not_there)
{
    assert_accesses("#if 0\nextern \"C\" __global__ void k(int *out) { out[0] = 1; }\n#endif\n", "");
    assert_accesses("template <class T> __global__ void k(T *out) { out[0] = 1; }\n", "");
}

/* As labcc writes it, but for the functions of the checks. */
Test(kernel_accesses, code_of_a_program_is_read_too)
{
    kernel_accesses found;
    kernels_use_kept_cache();
    cr_assert(kernel_accesses_find_in_code(
        &found, "; kernel kernel_Z1kPfS_ 1 _Z1kPfS_ pp k\n"
                "@llvm.global.annotations = @kernel_Z1kPfS_\n"
                "@_ZL5count = hidden global float 1.0, align 4\n"
                "define hidden void @kernel_Z1kPfS_(float* noundef %in, float* noundef %out) {\n"
                "  %x = load float, float* %in, align 4\n"
                "  %c = load float, float* @_ZL5count, align 4\n"
                "  %sum = fadd float %x, %c\n"
                "  store float %sum, float* %out, align 4\n"
                "  ret void\n"
                "}\n"));
    const kernel_access *kernel = kernel_accesses_of(&found, "kernel_Z1kPfS_");
    cr_assert_not_null(kernel);
    cr_assert_str_eq(kernel->params, "rw");
    cr_assert_eq(kernel->variables, 1);
    cr_assert_str_eq(kernel->variable[0].name, "_ZL5count");
    cr_assert_eq(kernel->variable[0].letter, 'r');
    kernel_accesses_free(&found);
}
