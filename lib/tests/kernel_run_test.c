/* What compiled kernels compute: casts, built-in variables, shared memory, atomics, floating point. */
#include "casts_h200.h"
#include "kernels.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

/* ---- casts ---- */

/* One kernel for each type, so that the compiler turns each into vector code. */
static const char casts_source[] =
    "#define BODY(type) { int i = threadIdx.x; if (i < n) y[i] = (long long)(type)x[i]; }\n"
    "extern \"C\" __global__ void int8_float(const float *x, long long *y, int n) BODY(signed char)\n"
    "extern \"C\" __global__ void uint8_float(const float *x, long long *y, int n) BODY(unsigned char)\n"
    "extern \"C\" __global__ void int16_float(const float *x, long long *y, int n) BODY(short)\n"
    "extern \"C\" __global__ void uint16_float(const float *x, long long *y, int n) BODY(unsigned short)\n"
    "extern \"C\" __global__ void int32_float(const float *x, long long *y, int n) BODY(int)\n"
    "extern \"C\" __global__ void uint32_float(const float *x, long long *y, int n) BODY(unsigned)\n"
    "extern \"C\" __global__ void int64_float(const float *x, long long *y, int n) BODY(long long)\n"
    "extern \"C\" __global__ void uint64_float(const float *x, long long *y, int n) BODY(unsigned long long)\n"
    "extern \"C\" __global__ void int8_double(const double *x, long long *y, int n) BODY(signed char)\n"
    "extern \"C\" __global__ void uint8_double(const double *x, long long *y, int n) BODY(unsigned char)\n"
    "extern \"C\" __global__ void int16_double(const double *x, long long *y, int n) BODY(short)\n"
    "extern \"C\" __global__ void uint16_double(const double *x, long long *y, int n) BODY(unsigned short)\n"
    "extern \"C\" __global__ void int32_double(const double *x, long long *y, int n) BODY(int)\n"
    "extern \"C\" __global__ void uint32_double(const double *x, long long *y, int n) BODY(unsigned)\n"
    "extern \"C\" __global__ void int64_double(const double *x, long long *y, int n) BODY(long long)\n"
    "extern \"C\" __global__ void uint64_double(const double *x, long long *y, int n) BODY(unsigned long long)\n";

/* Casts the values of the rows, `bytes` bytes each, in a kernel for each type. */
static void check_casts(const char *source, const casts_row *row, int rows, size_t bytes)
{
    kernels_use_kept_cache();
    cpu_module *module = kernels_load(casts_source);
    unsigned char *value = calloc((size_t)rows, bytes);
    int64_t *result = calloc((size_t)rows, sizeof *result);
    for (int i = 0; i < rows; i++) memcpy(value + (size_t)i * bytes, &row[i].bits, bytes);
    for (int type = 0; type < CASTS_TYPES; type++) {
        char name[32];
        snprintf(name, sizeof name, "%s_%s", casts_type[type], source);
        kernels_run(kernels_find(module, name), 1, 128, &value, &result, &rows);
        for (int i = 0; i < rows; i++)
            cr_assert_eq(result[i], row[i].result[type], "bits %llx to %s: %lld, but %lld on the H200",
                         (unsigned long long)row[i].bits, casts_type[type], (long long)result[i],
                         (long long)row[i].result[type]);
    }
    free(result);
    free(value);
    cpu_module_unload(module);
}

Test(kernel_run, float_casts_give_what_an_h200_gives)
{
    check_casts("float", casts_float32, sizeof casts_float32 / sizeof *casts_float32, sizeof(float));
}

Test(kernel_run, double_casts_give_what_an_h200_gives)
{
    check_casts("double", casts_float64, sizeof casts_float64 / sizeof *casts_float64, sizeof(double));
}

/* ---- division ---- */

/* The divisors are 0 for some threads: their results are undefined, but they and all other threads end. */
Test(kernel_run, integer_division_by_zero_stops_nothing)
{
    enum { THREADS = 64 };
    kernels_use_kept_cache();
    cpu_module *module = kernels_load(
        "template <class T> __device__ long long all(T a, T b) { return (long long)(a / b) * 1000 + a % b; }\n"
        "extern \"C\" __global__ void divide(long long *y, int zero)\n"
        "{\n"
        "    const int t = threadIdx.x, by = t % 4;\n"
        "    y[t] = all<int>(t, by) + all<unsigned>(t, by) + all<long long>(t, by) + all<unsigned long long>(t, by)\n"
        "        + all<signed char>(t, by) + all<unsigned short>(t, by);\n"
        "    y[t] += 0 * (t / zero);\n"
        "}\n"
        "extern \"C\" __global__ void least(long long *y, int minus)\n"
        "{\n"
        "    const int a = -2147483647 - 1; const long long b = -9223372036854775807LL - 1;\n"
        "    y[0] = a / minus; y[1] = a % minus; y[2] = b / minus; y[3] = b % minus; y[4] = 7 / minus;\n"
        "    y[5] = -7 % minus; y[6] = (a + 1) / minus;\n"
        "}\n");
    long long y[THREADS] = {0}, *const result = y;
    const int zero = 0, minus = -1;
    kernels_run(kernels_find(module, "divide"), 1, THREADS, &result, &zero);
    for (int t = 0; t < THREADS; t++)
        if (t % 4) cr_assert_eq(y[t], 6 * (t / (t % 4) * 1000 + t % (t % 4)), "thread %d: %lld", t, y[t]);
    kernels_run(kernels_find(module, "least"), 1, 1, &result, &minus);
    cr_assert_eq(y[0], INT32_MIN);
    cr_assert_eq(y[1], 0);
    cr_assert_eq(y[2], INT64_MIN);
    cr_assert_eq(y[3], 0);
    cr_assert_eq(y[4], -7);
    cr_assert_eq(y[5], 0);
    cr_assert_eq(y[6], INT32_MAX);
    cpu_module_unload(module);
}

/* The compiler may evaluate a cast of a constant by rules of its own. */
Test(kernel_run, casts_of_constants_follow_the_same_rules)
{
    kernels_use_kept_cache();
    cpu_module *module = kernels_load("__device__ int saved = (int)3e9f;\n"
                                      "extern \"C\" __global__ void constants(long long *y)\n"
                                      "{\n"
                                      "    const float nan = __int_as_float(0x7fc00000);\n"
                                      "    y[0] = (unsigned char)300.0f;\n"
                                      "    y[1] = (signed char)200.0;\n"
                                      "    y[2] = (unsigned)-1.0f;\n"
                                      "    y[3] = (int)nan;\n"
                                      "    y[4] = (int)(double)nan;\n"
                                      "    y[5] = (long long)nan;\n"
                                      "    unsigned char narrow = 7; narrow += 1e10; y[6] = narrow;\n"
                                      "    y[7] = saved;\n"
                                      "}\n");
    int64_t result[8] = {0}, *const results = result;
    static const int64_t expected[] = {44, -56, 0, 0, INT32_MIN, INT64_MIN, 255, INT32_MAX};
    kernels_run(&module->kernel[0], 1, 1, &results);
    for (int i = 0; i < 8; i++)
        cr_assert_eq(result[i], expected[i], "constant %d: %lld, not %lld", i, (long long)result[i],
                     (long long)expected[i]);
    cpu_module_unload(module);
}

/* ---- built-in variables and blocks ---- */

Test(kernel_run, every_thread_of_every_block_runs_once_with_its_indices)
{
    kernels_use_kept_cache();
    cpu_module *module =
        kernels_load("extern \"C\" __global__ void visit(unsigned *seen)\n"
                     "{\n"
                     "    dim3 g = gridDim; uint3 b = blockIdx;\n"
                     "    unsigned block = (b.z * g.y + b.y) * g.x + b.x;\n"
                     "    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;\n"
                     "    seen[block * (blockDim.x * blockDim.y * blockDim.z) + thread] +=\n"
                     "        1000000 + b.z * 100000 + b.y * 10000 + b.x * 1000 + threadIdx.z * 100 + threadIdx.y * 10 "
                     "+ threadIdx.x;\n"
                     "}\n");
    enum { BLOCKS = 3 * 5 * 2, THREADS = 7 * 4 * 3 };
    static unsigned seen[BLOCKS * THREADS];
    unsigned *const counts = seen;
    const void *const args[] = {&counts};
    const cpu_launch launch = {.grid = {3, 5, 2}, .block = {7, 4, 3}};
    const unsigned long part[] = {0, 1, 4, 16, 29, BLOCKS};
    for (int i = 0; i < 5; i++) module->kernel[0].entry(args, &launch, part[i], part[i + 1] - part[i]);
    for (unsigned i = 0; i < BLOCKS * THREADS; i++) {
        const unsigned block = i / THREADS, thread = i % THREADS;
        const unsigned expected = 1000000 + block / 15 * 100000 + block / 3 % 5 * 10000 + block % 3 * 1000 +
                                  thread / 28 * 100 + thread / 7 % 4 * 10 + thread % 7;
        cr_assert_eq(seen[i], expected, "thread %u of block %u: %u", thread, block, seen[i]);
    }
    cpu_module_unload(module);
}

/* Sizes around the width of vectors: memory behind the end must stay as it was, and no element may be left out. */
Test(kernel_run, guarded_kernels_touch_exactly_their_elements)
{
    kernels_use_kept_cache();
    cpu_module *module =
        kernels_load("extern \"C\" __global__ void guarded(const float *x, float *y, int n)\n"
                     "{\n"
                     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "    if (i < n) y[i] = 3.0f * x[i] + y[i];\n"
                     "}\n"
                     "extern \"C\" __global__ void twice(const unsigned char *x, unsigned char *y, int n)\n"
                     "{\n"
                     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "    if (i >= n) return;\n"
                     "    if (x[i] & 1) y[i] += x[i];\n"
                     "}\n");
    const cpu_kernel *guarded = kernels_find(module, "guarded"), *twice = kernels_find(module, "twice");
    static float x[512], y[512];
    static unsigned char a[512], b[512];
    const float *const px = x;
    float *const py = y;
    const unsigned char *const pa = a;
    unsigned char *const pb = b;
    for (unsigned block = 1; block <= 100; block += 9) {
        for (int n = 0; n <= 200; n += 7) {
            for (int i = 0; i < 512; i++) x[i] = (float)i, y[i] = 1.0f, a[i] = (unsigned char)i, b[i] = 1;
            const unsigned grid = (unsigned)n / block + 1;
            kernels_run(guarded, grid, block, &px, &py, &n);
            kernels_run(twice, grid, block, &pa, &pb, &n);
            for (int i = 0; i < 512; i++) {
                cr_assert_eq(y[i], i < n ? 3.0f * (float)i + 1.0f : 1.0f, "block %u, n %d, element %d", block, n, i);
                cr_assert_eq(b[i], i < n && i % 2 ? (unsigned char)(i + 1) : 1, "block %u, n %d, byte %d", block, n, i);
            }
        }
    }
    cpu_module_unload(module);
}

/* The guards hold for the first threads and the last, but not for those between, whose index has wrapped around from
 * the largest number to the smallest. */
Test(kernel_run, guards_are_right_where_indices_wrap_around)
{
    kernels_use_kept_cache();
    cpu_module *module =
        kernels_load("extern \"C\" __global__ void above(int *y, unsigned base)\n"
                     "{ unsigned u = base + threadIdx.x; if (u > 20) y[threadIdx.x] = 1; }\n"
                     "extern \"C\" __global__ void signed_above(int *y, unsigned base)\n"
                     "{ int s = (int)(base + threadIdx.x); if (s > -2147483628) y[threadIdx.x] = 1; }\n"
                     "extern \"C\" __global__ void widened(int *y, unsigned base)\n"
                     "{ unsigned long long u = base + threadIdx.x; if (u + 5 > 25) y[threadIdx.x] = 1; }\n"
                     "extern \"C\" __global__ void between(int *y, unsigned base)\n"
                     "{ int s = (int)(base + threadIdx.x); if (s >= -40 && s < 60) y[threadIdx.x] = 1; }\n"
                     "extern \"C\" __global__ void later(int *y, unsigned base)\n"
                     "{ int s = (int)(base + threadIdx.x); if (s >= 50) y[threadIdx.x] = 1; }\n"
                     "extern \"C\" __global__ void narrow(int *y, unsigned base)\n"
                     "{ unsigned char c = (unsigned char)(base + threadIdx.x); if (c < 40) y[threadIdx.x] = 1; }\n");
    static const unsigned base[] = {0xffffffff - 30, 0x7fffffff - 30, 0xffffffff - 30, 0xffffffff - 45, 7, 3};
    enum { THREADS = 272, KERNELS = sizeof base / sizeof *base };
    for (int k = 0; k < KERNELS; k++) {
        int y[THREADS] = {0}, *const result = y;
        kernels_run(&module->kernel[k], 1, THREADS, &result, &base[k]);
        for (unsigned i = 0; i < THREADS; i++) {
            const unsigned u = base[k] + i;
            const bool holds[] = {
                u > 20,       (int)u > -2147483628, (unsigned long long)u + 5 > 25, (int)u >= -40 && (int)u < 60,
                (int)u >= 50, (unsigned char)u < 40};
            cr_assert_eq(y[i], holds[k], "%s, thread %u", module->kernel[k].name, i);
        }
    }
    cpu_module_unload(module);
}

/* ---- shared memory, global variables ---- */

Test(kernel_run, dynamic_shared_memory_has_one_address_under_every_name)
{
    kernels_use_kept_cache();
    cpu_module *module = kernels_load(
        "extern __shared__ double at_file_scope[];\n"
        "template <class T> __device__ T first() { extern __shared__ __align__(16) T typed[]; return typed[0]; }\n"
        "extern \"C\" __global__ void use(float *y)\n"
        "{\n"
        "    extern /* a comment; with a semicolon */ __shared__ float tile[], same[];\n"
        "    const int i = threadIdx.x;\n"
        "    tile[i] = i + 0.5f;\n"
        "    y[i] = same[i];\n"
        "    y[8] = (void *)tile == (void *)at_file_scope && (unsigned long long)tile % 16 == 0;\n"
        "    y[9] = first<float>();\n"
        "}\n");
    cr_assert(module->kernel[0].dynamic_shared);
    float y[10] = {0}, *const result = y;
    kernels_run(&module->kernel[0], 1, 8, &result);
    for (int i = 0; i < 8; i++) cr_assert_eq(y[i], (float)i + 0.5f);
    cr_assert_eq(y[8], 1.0f);
    cr_assert_eq(y[9], 0.5f);
    cpu_module_unload(module);
}

Test(kernel_run, shared_variables_belong_to_the_thread_that_runs_the_block)
{
    kernels_use_kept_cache();
    cpu_module *module = kernels_load(
        "extern \"C\" __global__ void where(unsigned long long *address)\n"
        "{ __shared__ float tile[32]; tile[threadIdx.x] = 1; address[blockIdx.x] = (unsigned long long)tile; }\n");
    cr_assert_eq(module->kernel[0].shared_bytes, 128);
    unsigned long long address[2], *const result = address;
    const void *const args[] = {&result};
    const cpu_launch launch = {.grid = {2, 1, 1}, .block = {32, 1, 1}};
    module->kernel[0].entry(args, &launch, 0, 2);
    cr_assert_eq(address[0], address[1]);
    cpu_module_unload(module);
}

typedef struct first_use {
    const cpu_kernel *kernel;
    float y[16];
} first_use;

static void *run_first_time(void *argument)
{
    first_use *use = argument;
    float *const y = use->y;
    const float a = 1.5f, b = 2.5f, c = 3.5f, d = 4.5f;
    kernels_run(use->kernel, 1, 16, &y, &a, &b, &c, &d);
    return NULL;
}

/* At a thread's first block the system allocates thread-local memory, which must leave the kernel's registers alone. */
Test(kernel_run, the_first_block_on_a_thread_gets_its_arguments)
{
    kernels_use_kept_cache();
    cpu_module *module = kernels_load(
        "extern \"C\" __global__ void use(float *y, float a, float b, float c, float d)\n"
        "{\n"
        "    __shared__ float large[8192];\n"
        "    large[threadIdx.x] = a;\n"
        "    y[threadIdx.x] = abs(-a) + abs(-b) * 10 + abs(-c) * 100 + abs(d) * 1000 + large[threadIdx.x] * 10000;\n"
        "}\n");
    for (int i = 0; i < 4; i++) {
        first_use use = {.kernel = &module->kernel[0]};
        pthread_t thread;
        cr_assert_eq(pthread_create(&thread, NULL, run_first_time, &use), 0);
        pthread_join(thread, NULL);
        for (int k = 0; k < 16; k++) cr_assert_eq(use.y[k], 1.5f + 25 + 350 + 4500 + 15000, "%g", use.y[k]);
    }
    cpu_module_unload(module);
}

Test(kernel_run, each_load_has_device_variables_of_its_own)
{
    kernels_use_kept_cache();
    static const char source[] = "__device__ int counter = 40; __constant__ int step[2] = {1, 2};\n"
                                 "extern \"C\" __global__ void next(int *y) { *y = counter += step[1]; }\n";
    cpu_module *one = kernels_load(source), *two = kernels_load(source);
    int y = 0, *const result = &y;
    kernels_run(&one->kernel[0], 1, 1, &result);
    cr_assert_eq(y, 42);
    kernels_run(&one->kernel[0], 1, 1, &result);
    cr_assert_eq(y, 44);
    kernels_run(&two->kernel[0], 1, 1, &result);
    cr_assert_eq(y, 42, "the second module's counter is its own");
    cpu_module_unload(two);
    cpu_module_unload(one);
}

/* ---- atomics ---- */

typedef struct half {
    const cpu_kernel *kernel;
    const void *const *args;
    unsigned long first;
} half;

static void *run_half(void *argument)
{
    const half *h = argument;
    const cpu_launch launch = {.grid = {200, 1, 1}, .block = {64, 1, 1}};
    h->kernel->entry(h->args, &launch, h->first, 100);
    return NULL;
}

Test(kernel_run, atomics_of_blocks_on_two_threads_lose_nothing)
{
    kernels_use_kept_cache();
    cpu_module *module =
        kernels_load("extern \"C\" __global__ void count(int *odd, float *sum, double *wide, unsigned *ring)\n"
                     "{\n"
                     "    if (threadIdx.x % 2 == 0) return;\n"
                     "    atomicAdd(odd, 1);\n"
                     "    atomicAdd(sum, 0.5f);\n"
                     "    atomicAdd(wide, 0.25);\n"
                     "    atomicInc(ring, 9);\n"
                     "}\n");
    int odd = 0, *const p_odd = &odd;
    float sum = 0, *const p_sum = &sum;
    double wide = 0, *const p_wide = &wide;
    unsigned ring = 0, *const p_ring = &ring;
    const void *const args[] = {&p_odd, &p_sum, &p_wide, &p_ring};
    half one = {&module->kernel[0], args, 0}, two = {&module->kernel[0], args, 100};
    pthread_t other;
    cr_assert_eq(pthread_create(&other, NULL, run_half, &two), 0);
    run_half(&one);
    pthread_join(other, NULL);
    cr_assert_eq(odd, 6400);
    cr_assert_eq(sum, 3200.0f);
    cr_assert_eq(wide, 1600.0);
    cr_assert_eq(ring, 6400 % 10);
    cpu_module_unload(module);
}

Test(kernel_run, atomics_return_the_value_before_and_wrap_at_their_bound)
{
    kernels_use_kept_cache();
    cpu_module *module =
        kernels_load("extern \"C\" __global__ void steps(unsigned *v, int *s, unsigned *before)\n"
                     "{\n"
                     "    before[0] = atomicInc(&v[0], 7);  before[1] = atomicInc(&v[1], 7);\n"
                     "    before[2] = atomicDec(&v[2], 7);  before[3] = atomicDec(&v[3], 7);\n"
                     "    before[4] = atomicCAS(&v[4], 5u, 50u); before[5] = atomicCAS(&v[5], 6u, 60u);\n"
                     "    before[6] = atomicExch(&v[6], 60u);    before[7] = atomicMax(&v[7], 9u);\n"
                     "    atomicMin(&s[0], -3); atomicSub(&s[1], 4); atomicOr(&s[2], 8); atomicXor(&s[3], 5);\n"
                     "    atomicAnd(&s[4], 6);\n"
                     "}\n");
    unsigned v[] = {7, 8, 0, 9, 5, 5, 6, 7}, before[8], *const p_v = v, *const p_before = before;
    int s[] = {2, 10, 3, 3, 3}, *const p_s = s;
    kernels_run(&module->kernel[0], 1, 1, &p_v, &p_s, &p_before);
    static const unsigned v_after[] = {0, 0, 7, 7, 50, 5, 60, 9}, v_before[] = {7, 8, 0, 9, 5, 5, 6, 7};
    static const int s_after[] = {-3, 6, 11, 6, 2};
    cr_assert_arr_eq(v, v_after, sizeof v);
    cr_assert_arr_eq(before, v_before, sizeof before);
    cr_assert_arr_eq(s, s_after, sizeof s);
    cpu_module_unload(module);
}

/* ---- floating point ---- */

/* 1 + 2^-12 squared is 1 + 2^-11 + 2^-24: the last part is lost when the product is rounded by itself. */
Test(kernel_run, products_are_contracted_into_sums_unless_asked_not_to_be)
{
    kernels_use_kept_cache();
    cpu_module *module =
        kernels_load("extern \"C\" __global__ void contract(const float *x, float *fused, float *apart, int n)\n"
                     "{\n"
                     "    int i = threadIdx.x;\n"
                     "    if (i >= n) return;\n"
                     "    float product = x[i] * x[i];\n"
                     "    fused[i] = product - 1.0f;\n"
                     "    apart[i] = __fadd_rn(__fmul_rn(x[i], x[i]), -1.0f);\n"
                     "}\n");
    float x[40], fused[40], apart[40];
    for (int i = 0; i < 40; i++) x[i] = 1.0f + 0x1p-12f;
    const float *const p_x = x;
    float *const p_fused = fused, *const p_apart = apart;
    const int n = 40;
    kernels_run(&module->kernel[0], 1, 64, &p_x, &p_fused, &p_apart, &n);
    for (int i = 0; i < 40; i++) {
        cr_assert_eq(apart[i], 0x1p-11f);
#ifdef __x86_64__
        if (__builtin_cpu_supports("fma")) cr_assert_eq(fused[i], 0x1p-11f + 0x1p-24f);
#endif
    }
    cpu_module_unload(module);
}

Test(kernel_run, subnormal_numbers_are_kept)
{
    kernels_use_kept_cache();
    cpu_module *module = kernels_load("extern \"C\" __global__ void halve(float *x) { x[threadIdx.x] *= 0.5f; }\n");
    float x[32], *const p_x = x;
    for (int i = 0; i < 32; i++) x[i] = FLT_MIN;
    kernels_run(&module->kernel[0], 1, 32, &p_x);
    for (int i = 0; i < 32; i++) cr_assert_eq(x[i], FLT_MIN / 2);
    cpu_module_unload(module);
}

Test(kernel_run, mathematical_functions_pick_the_overload_of_their_argument)
{
    kernels_use_kept_cache();
    cpu_module *module = kernels_load(
        "extern \"C\" __global__ void calculate(float a, double b, double *y)\n"
        "{\n"
        "    y[0] = sqrt(a) == sqrtf(a) && sizeof sqrt(a) == 4 && sizeof sqrt(b) == 8 && sizeof sqrt(2) == 8;\n"
        "    y[1] = pow(a, 2);\n"
        "    y[2] = min(3, -7) + (int)max(2u, 5u) + min(1.5, a) + fmaxf(a, 0.0f);\n"
        "    y[3] = max(-1, 1u);\n"
        "    y[4] = abs(-a) + abs(-3) + fabs(-b);\n"
        "    y[5] = rsqrtf(0.25f) + fmaf(2.0f, 3.0f, 4.0f) + __saturatef(7.0f);\n"
        "    y[6] = __float_as_int(1.0f);\n"
        "    y[7] = __popc(255) + __clz(1) + __clz(0) + __ffs(8) + (__brev(1) >> 31);\n"
        "    y[8] = __float2int_rn(2.5f) * 100 + __float2int_ru(2.1f) * 10 + __float2int_rz(-2.9f);\n"
        "    float4 v = make_float4(1, 2, 3, 4); int2 w = {5, 6};\n"
        "    y[9] = v.x + v.y + v.z + v.w + w.x + w.y + sizeof(float3) + alignof(float4);\n"
        "}\n");
    double y[10], *const result = y;
    const float a = 2.25f;
    const double b = 0.5;
    kernels_run(&module->kernel[0], 1, 1, &a, &b, &result);
    const double expected[] = {1,          5.0625,     -7 + 5 + 1.5 + 2.25, 4294967295.0, 2.25 + 3 + 0.5,
                               2 + 10 + 1, 0x3f800000, 8 + 31 + 32 + 4 + 1, 200 + 30 - 2, 21 + 12 + 16};
    for (int i = 0; i < 10; i++) cr_assert_eq(y[i], expected[i], "result %d is %.9g, not %.9g", i, y[i], expected[i]);
    cpu_module_unload(module);
}

/* ---- printing and stopping ---- */

static void print_from_kernel(void *module)
{
    const int n = 3;
    kernels_run(&((cpu_module *)module)->kernel[0], 1, 3, &n);
}

Test(kernel_run, printf_in_a_kernel_writes_to_stdout)
{
    kernels_use_kept_cache();
    cpu_module *module =
        kernels_load("extern \"C\" __global__ void print(int n) { printf(\"thread %d of %d\\n\", threadIdx.x, n); }\n");
    char output[256];
    test_in_child(print_from_kernel, module, output, sizeof output);
    cr_assert_str_eq(output, "thread 0 of 3\nthread 1 of 3\nthread 2 of 3\n");
    cpu_module_unload(module);
}

static void run_source(void *source)
{
    const int n = 3;
    lab_module *module;
    lab_function function;
    LAB_CHECK(lab_module_load_source(&module, source, "print.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, "print"));
    LAB_CHECK(lab_launch(function, LAB_DIM(1), LAB_DIM(3), 0, NULL, LAB_ARGS(n)));
    LAB_CHECK(lab_device_synchronize());
}

/* What a kernel prints is a text of its module, and may look like the module's own lines. */
Test(kernel_run, printed_words_of_the_compilers_language_are_only_text)
{
    static const char *const words[] = {
        "the global index",
        " = internal thread_local global ",
        "a constant of 3",
        "@dprintf(1)",
        "%1 = load float, @lab_thread",
        "define void @k()",
        "call @llvm.masked.load.v4",
        "call i32 @llvm.fptosi.sat.i32.f32(float x)",
        "!dbg !4, align 4",
    };
    kernels_use_kept_cache();
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char source[512], expected[128], output[512];
        snprintf(source, sizeof source,
                 "__device__ int counter = 7;\n"
                 "extern \"C\" __global__ void print(int n)\n"
                 "{\n"
                 "    __shared__ int slot[3];\n"
                 "    slot[threadIdx.x] = counter * n;\n"
                 "    __syncthreads();\n"
                 "    if (threadIdx.x == 0) printf(\"%%s %%d\\n\", \"%s\", slot[2]);\n"
                 "}\n",
                 words[i]);
        snprintf(expected, sizeof expected, "%s 21\n", words[i]);
        const int status = test_in_child(run_source, source, output, sizeof output);
        cr_assert(status == 0 && strcmp(output, expected) == 0, "%s: status %d: %s", words[i], status, output);
    }
}

static const char asserting_source[] = "extern \"C\" __global__ void check(int limit)\n"
                                       "{\n"
                                       "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                       "    assert(i < limit);\n"
                                       "}\n";

typedef struct caught {
    jmp_buf back;
    cpu_failure failure;
} caught;

static void catch_failure(const cpu_launch *launch, const cpu_failure *failure)
{
    caught *c = launch->user;
    c->failure = *failure;
    longjmp(c->back, 1);
}

Test(kernel_run, failed_assert_tells_place_and_thread)
{
    kernels_use_kept_cache();
    cpu_module *module = kernels_load(asserting_source);
    static caught c;
    const int limit = 20;
    const void *const args[] = {&limit};
    const cpu_launch launch = {.grid = {4, 1, 1}, .block = {8, 1, 1}, .failed = catch_failure, .user = &c};
    if (setjmp(c.back) == 0) {
        module->kernel[0].entry(args, &launch, 0, 4);
        cr_fail("the kernel went on");
    }
    cr_assert_str_eq(c.failure.what, "Assertion `i < limit` failed");
    cr_assert_str_eq(c.failure.file, "test.cu");
    cr_assert_eq(c.failure.line, 4);
    cr_assert_eq(c.failure.block[0], 2);
    cr_assert_eq(c.failure.thread[0], 4);
    cpu_module_unload(module);
}

static void run_asserting(void *module)
{
    const int limit = 5;
    const void *const args[] = {&limit};
    const cpu_launch launch = {.grid = {1, 1, 1}, .block = {8, 1, 1}};
    ((cpu_module *)module)->kernel[0].entry(args, &launch, 0, 1);
}

Test(kernel_run, failed_assert_without_a_handler_aborts)
{
    kernels_use_kept_cache();
    cpu_module *module = kernels_load(asserting_source);
    char output[512];
    const int status = test_in_child(run_asserting, module, output, sizeof output);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    cr_assert_str_eq(output,
                     "test.cu:4: void check(int): block: [0,0,0], thread: [5,0,0] Assertion `i < limit` failed.\n");
    cpu_module_unload(module);
}
