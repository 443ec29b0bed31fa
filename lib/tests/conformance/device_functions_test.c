/* Functions of kernels that reach memory or other threads: loads and stores with hints for the caches, the heap,
 * asynchronous copies to shared memory, the kinds of memory, sums and shuffles of half precision.
 * lib/tests/builtins_compared.c compares the results of those that compute. */
#include "test.h"

#include "lab.h"

#include <stdint.h>
#include <string.h>

enum { LANES = 32, COUNT = 4096 };

static const char SOURCE[] =
    "#include <cuda_fp16.h>\n"
    "#include \"cuda_bf16.h\"\n"
    "#include <cuda_pipeline.h>\n"
    "template <class T> __device__ bool copies(char *bytes)\n"
    "{\n"
    "    T *const at = (T *)bytes;\n"
    "    __stwb(at + 1, __ldca(at));\n"
    "    __stcg(at + 2, __ldcg(at + 1));\n"
    "    __stcs(at + 3, __ldcs(at + 2));\n"
    "    __stwt(at + 4, __ldcv(at + 3));\n"
    "    at[5] = __ldlu(at + 4);\n"
    "    at[6] = __ldg((const T *)(bytes + 128));\n" /* memory that the kernel does not write */
    "    bool same = true;\n"
    "    for (unsigned i = 0; i < sizeof(T); i++)\n"
    "        same = same && bytes[5 * sizeof(T) + i] == bytes[i] && bytes[6 * sizeof(T) + i] == bytes[128 + i];\n"
    "    return same;\n"
    "}\n"
    "template <class T> __device__ int copies_all(char *b) { return copies<T>(b); }\n"
    "template <class T, class U, class... More> __device__ int copies_all(char *b)\n"
    "{ return copies<T>(b) + copies_all<U, More...>(b); }\n"
    "extern \"C\" __global__ void hints(char *bytes, int *count)\n"
    "{\n"
    "    *count = copies_all<char, signed char, short, int, long, long long, unsigned char, unsigned short, unsigned,\n"
    "        unsigned long, unsigned long long, float, double, char2, char4, short2, short4, int2, int4, longlong2,\n"
    "        uchar2, uchar4, ushort2, ushort4, uint2, uint4, ulonglong2, float2, float4, double2, __half, __half2,\n"
    "        __nv_bfloat16, __nv_bfloat162>(bytes);\n"
    "}\n"
    "extern \"C\" __global__ void waits_for_a_flag(int *flag, int *out)\n"
    "{\n"
    "    if (atomicAdd(&flag[1], 1) == 1) {\n"
    "        while (__ldcv(flag) == 0) {}\n"
    "        *out = 1;\n"
    "    } else {\n"
    "        atomicExch(flag, 1);\n"
    "    }\n"
    "}\n"
    "struct node { int value; node *next; };\n"
    "extern \"C\" __global__ void list(int *out, int count)\n"
    "{\n"
    "    node *first = nullptr;\n"
    "    for (int i = 0; i < count; i++) {\n"
    "        node *made = (node *)malloc(sizeof(node));\n"
    "        made->value = i + (int)threadIdx.x;\n"
    "        made->next = first;\n"
    "        first = made;\n"
    "    }\n"
    "    int *const sum = new int(0);\n"
    "    while (first) {\n"
    "        node *const next = first->next;\n"
    "        *sum += first->value;\n"
    "        free(first);\n"
    "        first = next;\n"
    "    }\n"
    "    out[threadIdx.x] = *sum;\n"
    "    delete sum;\n"
    "}\n"
    "extern \"C\" __global__ void stages(const float4 *in, float *out, int tiles)\n"
    "{\n"
    "    __shared__ float4 stage[2][32];\n"
    "    const int i = threadIdx.x;\n"
    "    float sum = 0;\n"
    "    __pipeline_memcpy_async(&stage[0][i], &in[i], 16);\n"
    "    __pipeline_commit();\n"
    "    for (int tile = 0; tile < tiles; tile++) {\n"
    "        if (tile + 1 < tiles) __pipeline_memcpy_async(&stage[(tile + 1) % 2][i], &in[32 * (tile + 1) + i], 16);\n"
    "        __pipeline_commit();\n"
    "        __pipeline_wait_prior(1);\n"
    "        __syncthreads();\n"
    "        const float4 other = stage[tile % 2][31 - i];\n"
    "        sum += other.x + 2 * other.y + 3 * other.z + 4 * other.w;\n"
    "        __syncthreads();\n"
    "    }\n"
    "    out[i] = sum;\n"
    "}\n"
    "extern \"C\" __global__ void zeros(const int *in, int *out)\n"
    "{\n"
    "    __shared__ int part[4];\n"
    "    for (int i = 0; i < 4; i++) part[i] = -1;\n"
    "    __pipeline_memcpy_async(&part[0], in, 16, 6);\n"
    "    __pipeline_commit();\n"
    "    __pipeline_wait_prior(0);\n"
    "    for (int i = 0; i < 4; i++) out[i] = part[i];\n"
    "}\n"
    "__constant__ int table[4];\n"
    "static __constant__ const double ratio[2] = {0.5, 2.0};\n"
    "__device__ int counter;\n"
    "__device__ int kinds(const void *p)\n"
    "{ return __isGlobal(p) + 2 * __isShared(p) + 4 * __isConstant(p) + 8 * __isLocal(p); }\n"
    "__device__ void ask(const int *in, int *out, int *tile, int *local)\n"
    "{\n"
    "    extern __shared__ int sized[];\n"
    "    int *const heap = (int *)malloc(sizeof(int));\n"
    "    const int t = threadIdx.x;\n"
    "    out += 9 * t;\n"
    "    out[0] = kinds(in + t);\n"
    "    out[1] = kinds(out);\n"
    "    out[2] = kinds(&counter);\n"
    "    out[3] = kinds(heap);\n"
    "    out[4] = kinds(tile + t);\n"
    "    out[5] = kinds(sized);\n"
    "    out[6] = kinds(&table[t % 4]);\n"
    "    out[7] = kinds(&ratio[t % 2]);\n"
    "    out[8] = kinds(local);\n"
    "    free(heap);\n"
    "}\n"
    "__device__ void fill(const int *in, int *tile, int *local)\n"
    "{\n"
    "    for (int i = 0; i < 4; i++) local[i] = in[i];\n"
    "    tile[threadIdx.x] = local[in[4]];\n"
    "}\n"
    "extern \"C\" __global__ void asks(const int *in, int *out)\n"
    "{\n"
    "    __shared__ int tile[32];\n"
    "    int local[4];\n"
    "    fill(in, tile, local);\n"
    "    ask(in, out, tile, &local[in[4]]);\n"
    "}\n"
    "extern \"C\" __global__ void asks_behind_a_barrier(const int *in, int *out)\n"
    "{\n"
    "    __shared__ int tile[32];\n"
    "    int local[4];\n"
    "    fill(in, tile, local);\n"
    "    __syncthreads();\n"
    "    ask(in, out, tile, &local[in[4]]);\n"
    "}\n"
    "extern \"C\" __global__ void asks_behind_a_shuffle(const int *in, int *out)\n"
    "{\n"
    "    __shared__ int tile[32];\n"
    "    int local[4];\n"
    "    fill(in, tile, local);\n"
    "    out[9 * threadIdx.x] = __shfl_xor_sync(~0u, local[in[4]], 1);\n"
    "    ask(in, out, tile, &local[in[4]]);\n"
    "}\n"
    "extern \"C\" __global__ void sums(__half *half, __half2 *pair, __nv_bfloat16 *wide, __nv_bfloat162 *wide_pair)\n"
    "{\n"
    "    atomicAdd(half, __half(0.5f));\n"
    "    atomicAdd(pair, __half2(__half(0.25f), __half(2.0f)));\n"
    "    atomicAdd(wide, __nv_bfloat16(0.5f));\n"
    "    atomicAdd(wide_pair, __nv_bfloat162(__nv_bfloat16(0.25f), __nv_bfloat16(2.0f)));\n"
    "}\n"
    "extern \"C\" __global__ void shuffles(float *out)\n"
    "{\n"
    "    const int i = threadIdx.x;\n"
    "    const __half half = i + 0.5f;\n"
    "    const __nv_bfloat162 pair(__nv_bfloat16(i), __nv_bfloat16(2.0f * i));\n"
    "    out[i] = __shfl_sync(~0u, half, 31 - i);\n"
    "    out[32 + i] = __shfl_xor_sync(~0u, half, 5, 16);\n"
    "    out[64 + i] = __low2float(__shfl_down_sync(~0u, pair, 3));\n"
    "    out[96 + i] = __high2float(__shfl_up_sync(~0u, pair, 1));\n"
    "}\n";

static lab_module *module;

static lab_function find(const char *kernel)
{
    lab_function function;
    if (!module) LAB_CHECK(lab_module_load_source(&module, SOURCE, "functions.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, kernel));
    return function;
}

static lab_deviceptr zeroed(size_t bytes)
{
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, bytes));
    LAB_CHECK(lab_memset_async(memory, 0, bytes, NULL));
    return memory;
}

/* CUDA C++ Programming Guide, Load Functions Using Cache Hints: the types of __ldca and its sisters. */
Test(device_functions, loads_and_stores_with_hints_copy_every_type)
{
    const lab_deviceptr bytes = zeroed(256), count = zeroed(sizeof(int));
    char pattern[16];
    int copied = 0;
    for (int i = 0; i < 16; i++) pattern[i] = (char)(17 * i + 3);
    LAB_CHECK(lab_memcpy_htod(bytes, pattern, sizeof pattern));
    LAB_CHECK(lab_memcpy_htod(bytes + 128, pattern, sizeof pattern));
    LAB_CHECK(lab_launch(find("hints"), LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(bytes, count)));
    LAB_CHECK(lab_memcpy_dtoh(&copied, count, sizeof copied));
    cr_assert_eq(copied, 34, "of 34 types %d were copied", copied);
}

/* CUDA C++ Programming Guide, Load Functions Using Cache Hints: __ldcv does not cache. */
Test(device_functions, a_volatile_load_sees_what_another_block_stores)
{
    const lab_deviceptr flag = zeroed(2 * sizeof(int)), out = zeroed(sizeof(int));
    int value = 0;
    LAB_CHECK(lab_launch(find("waits_for_a_flag"), LAB_DIM(2), LAB_DIM(1), 0, NULL, LAB_ARGS(flag, out)));
    LAB_CHECK(lab_memcpy_dtoh(&value, out, sizeof value));
    cr_assert_eq(value, 1);
}

/* CUDA C++ Programming Guide, Dynamic Global Memory Allocation: malloc and free, new and delete. */
Test(device_functions, a_kernel_has_a_heap)
{
    enum { NODES = 50 };
    const lab_deviceptr out = zeroed(LANES * sizeof(int));
    int sum[LANES];
    LAB_CHECK(lab_launch(find("list"), LAB_DIM(1), LAB_DIM(LANES), 0, NULL, LAB_ARGS(out, (int)NODES)));
    LAB_CHECK(lab_memcpy_dtoh(sum, out, sizeof sum));
    for (int i = 0; i < LANES; i++) cr_assert_eq(sum[i], NODES * (NODES - 1) / 2 + NODES * i, "%d: %d", i, sum[i]);
}

/* What is not in the window of constant, local or shared memory is global: PTX ISA, Generic Addressing. */
/* CUDA C++ Programming Guide, Address Space Predicate Functions: 1 if the address is in that space, else 0. */
Test(device_functions, a_kernel_is_told_in_which_memory_an_address_lies)
{
    enum { GLOBAL = 1, SHARED = 2, CONSTANT = 4, LOCAL = 8, ADDRESSES = 9 };
    static const char *const kernels[] = {"asks", "asks_behind_a_barrier", "asks_behind_a_shuffle"};
    static const int wanted[] = {GLOBAL, GLOBAL, GLOBAL, GLOBAL, SHARED, SHARED, CONSTANT, CONSTANT, LOCAL};
    const lab_deviceptr in = zeroed(LANES * sizeof(int)), out = zeroed(LANES * ADDRESSES * sizeof(int));
    int found[LANES][ADDRESSES];
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        LAB_CHECK(lab_launch(find(kernels[k]), LAB_DIM(1), LAB_DIM(LANES), 256, NULL, LAB_ARGS(in, out)));
        LAB_CHECK(lab_memcpy_dtoh(found, out, sizeof found));
        for (int i = 0; i < LANES; i++)
            for (int a = 0; a < ADDRESSES; a++)
                cr_assert_eq(found[i][a], wanted[a], "%s, thread %d, address %d: %d", kernels[k], i, a, found[i][a]);
    }
}

/* CUDA C++ Programming Guide, Pipeline Primitives Interface: __pipeline_wait_prior. */
Test(device_functions, asynchronous_copies_are_done_after_the_wait)
{
    enum { TILES = 5 };
    static float in[TILES * LANES][4];
    float out[LANES];
    const lab_deviceptr in_memory = zeroed(sizeof in), out_memory = zeroed(sizeof out);
    for (int i = 0; i < TILES * LANES; i++)
        for (int k = 0; k < 4; k++) in[i][k] = (float)(i * 4 + k);
    LAB_CHECK(lab_memcpy_htod(in_memory, in, sizeof in));
    LAB_CHECK(
        lab_launch(find("stages"), LAB_DIM(1), LAB_DIM(LANES), 0, NULL, LAB_ARGS(in_memory, out_memory, (int)TILES)));
    LAB_CHECK(lab_memcpy_dtoh(out, out_memory, sizeof out));
    for (int i = 0; i < LANES; i++) {
        float sum = 0;
        for (int tile = 0; tile < TILES; tile++)
            for (int k = 0; k < 4; k++) sum += (float)(k + 1) * in[tile * LANES + 31 - i][k];
        cr_assert_eq(out[i], sum, "%d: %g, not %g", i, (double)out[i], (double)sum);
    }
}

/* CUDA C++ Programming Guide, Pipeline Primitives Interface: zfill of __pipeline_memcpy_async. */
Test(device_functions, an_asynchronous_copy_may_end_with_zeros)
{
    const int in[4] = {0x01020304, 0x05060708, 0x090a0b0c, 0x0d0e0f10};
    int out[4];
    const lab_deviceptr in_memory = zeroed(sizeof in), out_memory = zeroed(sizeof out);
    LAB_CHECK(lab_memcpy_htod(in_memory, in, sizeof in));
    LAB_CHECK(lab_launch(find("zeros"), LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(in_memory, out_memory)));
    LAB_CHECK(lab_memcpy_dtoh(out, out_memory, sizeof out));
    cr_assert_eq(out[0], in[0]);
    cr_assert_eq(out[1], in[1]);
    cr_assert_eq(out[2], 0x0b0c, "two bytes and two zeros: %x", (unsigned)out[2]);
    cr_assert_eq(out[3], 0);
}

/* CUDA C++ Programming Guide, Atomic Functions: atomicAdd of __half2 is atomic for each half. */
Test(device_functions, sums_of_half_precision_lose_nothing)
{
    const lab_deviceptr half = zeroed(4), pair = zeroed(4), wide = zeroed(4), wide_pair = zeroed(4);
    uint16_t found[4][2];
    /* 128 threads: 64 = 128 * 0.5, and so on, which both formats have exactly at every step. */
    LAB_CHECK(lab_launch(find("sums"), LAB_DIM(4), LAB_DIM(LANES), 0, NULL, LAB_ARGS(half, pair, wide, wide_pair)));
    LAB_CHECK(lab_memcpy_dtoh(found[0], half, 4));
    LAB_CHECK(lab_memcpy_dtoh(found[1], pair, 4));
    LAB_CHECK(lab_memcpy_dtoh(found[2], wide, 4));
    LAB_CHECK(lab_memcpy_dtoh(found[3], wide_pair, 4));
    const uint16_t wanted[4][2] = {{0x5400, 0}, {0x5000, 0x5c00}, {0x4280, 0}, {0x4200, 0x4380}};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) cr_assert_eq(found[i][k], wanted[i][k], "%d %d: %04x", i, k, found[i][k]);
}

/* CUDA C++ Programming Guide, Warp Shuffle Functions: __half2 and __nv_bfloat162 are exchanged too. */
Test(device_functions, a_warp_exchanges_half_precision)
{
    float out[4][LANES];
    const lab_deviceptr memory = zeroed(sizeof out);
    LAB_CHECK(lab_launch(find("shuffles"), LAB_DIM(1), LAB_DIM(LANES), 0, NULL, LAB_ARGS(memory)));
    LAB_CHECK(lab_memcpy_dtoh(out, memory, sizeof out));
    for (int i = 0; i < LANES; i++) {
        cr_assert_eq(out[0][i], (float)(31 - i) + 0.5f);
        cr_assert_eq(out[1][i], (float)(i ^ 5) + 0.5f);
        cr_assert_eq(out[2][i], (float)(i + 3 < LANES ? i + 3 : i));
        cr_assert_eq(out[3][i], 2 * (float)(i >= 1 ? i - 1 : i));
    }
}

/* CuPy, RawModule: complex numbers of cuComplex.h. Exact where sums and products are. */
Test(device_functions, complex_numbers_of_both_types)
{
    static const char source[] =
        "#include <cuComplex.h>\n"
        "extern \"C\" __global__ void compute(cuFloatComplex *out, double *size, const cuFloatComplex *in)\n"
        "{\n"
        "    const int i = threadIdx.x;\n"
        "    const cuFloatComplex a = in[i], b = make_cuFloatComplex(0, 2);\n"
        "    cuFloatComplex *const to = out + 6 * i;\n"
        "    to[0] = cuCaddf(a, b); to[1] = cuCsubf(a, b); to[2] = cuCmulf(a, b); to[3] = cuCdivf(a, b);\n"
        "    to[4] = cuConjf(a); to[5] = cuCfmaf(a, b, a);\n"
        "    const cuDoubleComplex wide = cuComplexFloatToDouble(a);\n"
        "    size[i] = cuCabs(wide) + cuCreal(cuCmul(wide, cuConj(wide)));\n"
        "}\n";
    static const float in[3][2] = {{3, 4}, {-6, 8}, {0, 0}};
    static const double sizes[3] = {5 + 25, 10 + 100, 0};
    lab_module *loaded;
    lab_function compute;
    lab_array *out, *size, *numbers;
    float got[3][6][2];
    double got_size[3];
    LAB_CHECK(lab_module_load_source(&loaded, source, "complex.cu"));
    LAB_CHECK(lab_module_get_function(&compute, loaded, "compute"));
    LAB_CHECK(lab_array_from_host(&numbers, LAB_FLOAT32, LAB_SHAPE(3, 2), in));
    LAB_CHECK(lab_array_empty(&out, LAB_FLOAT32, LAB_SHAPE(3, 6, 2)));
    LAB_CHECK(lab_array_empty(&size, LAB_FLOAT64, LAB_SHAPE(3)));
    LAB_CHECK(lab_launch(compute, LAB_DIM(1), LAB_DIM(3), 0, NULL, LAB_ARGS(out, size, numbers)));
    LAB_CHECK(lab_array_get(out, got));
    LAB_CHECK(lab_array_get(size, got_size));
    for (int i = 0; i < 3; i++) {
        const float x = in[i][0], y = in[i][1];
        const float expected[6][2] = {{x, y + 2},      {x, y - 2}, {-2 * y, 2 * x},
                                      {y / 2, -x / 2}, {x, -y},    {x - 2 * y, y + 2 * x}};
        for (int k = 0; k < 6; k++)
            cr_assert(got[i][k][0] == expected[k][0] && got[i][k][1] == expected[k][1], "number %d, operation %d", i,
                      k);
        cr_assert_eq(got_size[i], sizes[i], "number %d", i);
    }
    LAB_CHECK(lab_module_unload(loaded));
    LAB_CHECK(lab_array_destroy(out));
    LAB_CHECK(lab_array_destroy(size));
    LAB_CHECK(lab_array_destroy(numbers));
}

/* H200, cuda_fp16.h of CUDA 13: from a double a NaN keeps its sign and first digits; __float2half gives 7fff. */
Test(device_functions, the_half_of_a_double_that_is_no_number_keeps_its_sign)
{
    static const char source[] = "#include <cuda_fp16.h>\n"
                                 "extern \"C\" __global__ void narrow(unsigned short *out, const double *x)\n"
                                 "{\n"
                                 "    const int i = threadIdx.x;\n"
                                 "    out[3 * i] = __half_as_ushort(__double2half(x[i]));\n"
                                 "    out[3 * i + 1] = __half_as_ushort((__half)x[i]);\n"
                                 "    out[3 * i + 2] = __half_as_ushort(__float2half((float)x[i]));\n"
                                 "}\n";
    static const struct {
        uint64_t bits;
        uint16_t half, of_float;
    } number[] = {{0x7ff8000000000000, 0x7e00, 0x7fff}, {0xfff8000000000000, 0xfe00, 0x7fff},
                  {0x7ff0000000000001, 0x7e00, 0x7fff}, {0xfff4000000000000, 0xff00, 0x7fff},
                  {0x7fffffffffffffff, 0x7fff, 0x7fff}, {0xffffffffffffffff, 0xffff, 0x7fff},
                  {0x7ff0040000000000, 0x7e01, 0x7fff}, {0xfff8f00000000000, 0xfe3c, 0x7fff},
                  {0xfff0000000000000, 0xfc00, 0xfc00}, {0x3ff8000000000000, 0x3e00, 0x3e00}};
    enum { NUMBERS = sizeof number / sizeof *number };
    double x[NUMBERS];
    uint16_t got[3 * NUMBERS];
    lab_module *loaded;
    lab_function narrow;
    lab_deviceptr out, in;
    for (int i = 0; i < NUMBERS; i++) memcpy(&x[i], &number[i].bits, sizeof *x);
    LAB_CHECK(lab_module_load_source(&loaded, source, "narrow.cu"));
    LAB_CHECK(lab_module_get_function(&narrow, loaded, "narrow"));
    LAB_CHECK(lab_mem_alloc(&out, sizeof got));
    LAB_CHECK(lab_mem_alloc(&in, sizeof x));
    LAB_CHECK(lab_memcpy_htod(in, x, sizeof x));
    LAB_CHECK(lab_launch(narrow, LAB_DIM(1), LAB_DIM(NUMBERS), 0, NULL, LAB_ARGS(out, in)));
    LAB_CHECK(lab_memcpy_dtoh(got, out, sizeof got));
    for (int i = 0; i < NUMBERS; i++) {
        cr_assert_eq(got[3 * i], number[i].half, "%d: %04x", i, got[3 * i]);
        cr_assert_eq(got[3 * i + 1], number[i].half, "%d by its constructor: %04x", i, got[3 * i + 1]);
        cr_assert_eq(got[3 * i + 2], number[i].of_float, "%d by way of a float: %04x", i, got[3 * i + 2]);
    }
}
