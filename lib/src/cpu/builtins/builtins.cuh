// CUDA's built-in types, variables and qualifiers for a kernel that is compiled for the host. A thread of the host runs
// one block at a time, and the block's threads one after another. Shared and built-in variables are therefore
// thread-local here. The built-in functions are in builtins_*.cuh. No system header is included: reading one would take
// longer than the rest of the front end's work.
//
// labcc's programs have the same built-ins. There clang reads CUDA itself (__CUDA__ is defined), the host's headers
// follow, the functions here are overloads for the device, and the attributes of CUDA take the place of the host's: what
// is thread-local here lies in a section by whose name a pass finds it (cpu/retarget/retarget.h).

typedef __SIZE_TYPE__ size_t;

#ifdef __CUDA__
#pragma clang attribute push(__attribute__((device)), apply_to = any(function))
#define LAB_VARIABLE __attribute__((device))
#define LAB_THREAD_VARIABLE static __attribute__((device, section("lab.thread")))
#define LAB_BOTH __attribute__((host, device))
#undef __global__
#undef __forceinline__
#undef __noinline__
#undef __align__
#undef __managed__
#define __managed__ __attribute__((device, section("lab.managed")))
#ifdef __CUDACC_DEBUG__ // labcc -G: a debugger knows kernels as functions
#define __global__ __attribute__((global, noinline))
#else
#define __global__ __attribute__((global, always_inline))
#endif
#define __syncthreads lab_syncthreads // a name that clang has for its own function
#else
#define LAB_VARIABLE
#define LAB_THREAD_VARIABLE static __thread
#define LAB_BOTH
#define __CUDACC__ 1
#define __CUDA_ARCH__ 700
#define __global__ __attribute__((annotate("lab.kernel"), always_inline))
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ static __thread // kernel_scan.c rewrites `extern __shared__`
#endif
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))

#define LAB_EXPORT __attribute__((__visibility__("default")))
#define LAB_BUILTIN static inline __attribute__((always_inline))

// Vector types, with CUDA's alignments. A program of labcc has the types and their functions for the host too.

#ifndef __CUDA__
#define LAB_VECTOR_TYPES(name, element, align2, align4)                                                                \
    struct name##1 {                                                                                                   \
        element x;                                                                                                     \
    };                                                                                                                 \
    struct __align__(align2) name##2 {                                                                                 \
        element x, y;                                                                                                  \
    };                                                                                                                 \
    struct name##3 {                                                                                                   \
        element x, y, z;                                                                                               \
    };                                                                                                                 \
    struct __align__(align4) name##4 {                                                                                 \
        element x, y, z, w;                                                                                            \
    };                                                                                                                 \
    LAB_BUILTIN name##1 make_##name##1(element x) { return {x}; }                                                      \
    LAB_BUILTIN name##2 make_##name##2(element x, element y) { return {x, y}; }                                        \
    LAB_BUILTIN name##3 make_##name##3(element x, element y, element z) { return {x, y, z}; }                          \
    LAB_BUILTIN name##4 make_##name##4(element x, element y, element z, element w) { return {x, y, z, w}; }
LAB_VECTOR_TYPES(char, signed char, 2, 4)
LAB_VECTOR_TYPES(uchar, unsigned char, 2, 4)
LAB_VECTOR_TYPES(short, short, 4, 8)
LAB_VECTOR_TYPES(ushort, unsigned short, 4, 8)
LAB_VECTOR_TYPES(int, int, 8, 16)
LAB_VECTOR_TYPES(uint, unsigned, 8, 16)
LAB_VECTOR_TYPES(long, long, 16, 16)
LAB_VECTOR_TYPES(ulong, unsigned long, 16, 16)
LAB_VECTOR_TYPES(longlong, long long, 16, 16)
LAB_VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
LAB_VECTOR_TYPES(float, float, 8, 16)
LAB_VECTOR_TYPES(double, double, 16, 16)
#undef LAB_VECTOR_TYPES

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    operator uint3() const { return {x, y, z}; }
};
#endif

// threadIdx and the others. Their storage has a type of its own, to which nothing can point, and is read through
// properties. The optimiser therefore sees that no store of a kernel changes it, and keeps indices in registers.

enum class lab_index : unsigned {};
struct lab_index3 {
    lab_index x, y, z;
};
LAB_THREAD_VARIABLE lab_index3 lab_thread, lab_block, lab_block_extent, lab_grid_extent;
LAB_THREAD_VARIABLE const cpu_launch *lab_launch;

#define LAB_INDEX_VARIABLE(name, storage, type)                                                                        \
    static LAB_VARIABLE const struct lab_##name##_type {                                                                            \
        __declspec(property(get = get_x)) unsigned x;                                                                  \
        __declspec(property(get = get_y)) unsigned y;                                                                  \
        __declspec(property(get = get_z)) unsigned z;                                                                  \
        LAB_BUILTIN unsigned get_x() { return (unsigned)storage.x; }                                                   \
        LAB_BUILTIN unsigned get_y() { return (unsigned)storage.y; }                                                   \
        LAB_BUILTIN unsigned get_z() { return (unsigned)storage.z; }                                                   \
        inline operator uint3() const { return {get_x(), get_y(), get_z()}; }                                          \
        inline operator dim3() const { return {get_x(), get_y(), get_z()}; }                                           \
        lab_##name##_type *operator&() const = delete;                                                                 \
    } name{};
LAB_INDEX_VARIABLE(threadIdx, lab_thread, uint3)
LAB_INDEX_VARIABLE(blockIdx, lab_block, uint3)
LAB_INDEX_VARIABLE(blockDim, lab_block_extent, dim3)
LAB_INDEX_VARIABLE(gridDim, lab_grid_extent, dim3)
#undef LAB_INDEX_VARIABLE
static const int warpSize = 32;

// Functions that stop a kernel, and that print.

extern "C" int printf(const char *format, ...);
extern "C" int dprintf(int descriptor, const char *format, ...);
extern "C" [[noreturn]] void abort() noexcept(true);

static __attribute__((noinline, cold)) void lab_stop(cpu_failure_kind kind, const char *what, const char *file,
                                                     unsigned line, const char *function)
{
    const cpu_failure failure = {kind,
                                 what,
                                 file,
                                 function,
                                 line,
                                 {blockIdx.x, blockIdx.y, blockIdx.z},
                                 {threadIdx.x, threadIdx.y, threadIdx.z}};
    if (lab_launch->failed) lab_launch->failed(lab_launch, &failure);
    dprintf(2, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] %s.\n", file, line, function, failure.block[0],
            failure.block[1], failure.block[2], failure.thread[0], failure.thread[1], failure.thread[2], what);
    abort();
}
#ifdef __CUDA__
// The host's assert.h defines the macro, which calls this.
LAB_THREAD_VARIABLE char lab_assertion[512];
extern "C" [[noreturn]] inline void __assert_fail(const char *condition, const char *file, unsigned line,
                                                  const char *function) noexcept(true)
{
    char *to = lab_assertion, *const end = lab_assertion + sizeof lab_assertion - 10;
    for (const char *from = "Assertion `"; *from;) *to++ = *from++;
    while (*condition && to < end) *to++ = *condition++;
    for (const char *from = "` failed"; *from;) *to++ = *from++;
    *to = 0;
    lab_stop(CPU_FAILURE_ASSERT, lab_assertion, file, line, function);
    abort();
}
#else
#define assert(condition)                                                                                              \
    ((condition) ? (void)0                                                                                             \
                 : lab_stop(CPU_FAILURE_ASSERT, "Assertion `" #condition "` failed", __FILE__, __LINE__,               \
                            __PRETTY_FUNCTION__))
#endif
LAB_BUILTIN void lab_trap(const char *file, unsigned line, const char *function)
{
    lab_stop(CPU_FAILURE_TRAP, "__trap() was called", file, line, function);
}
#define __trap() lab_trap(__FILE__, __LINE__, __PRETTY_FUNCTION__)
