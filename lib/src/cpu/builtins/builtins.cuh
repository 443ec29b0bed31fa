// CUDA's built-in types, variables and qualifiers for a kernel that is compiled for the host. A thread of the host runs
// one block at a time, and the block's threads one after another. Shared and built-in variables are therefore
// thread-local here. The built-in functions are in builtins_*.cuh. No system header is included: reading one would take
// longer than the rest of the front end's work.

typedef __SIZE_TYPE__ size_t;

#define __CUDACC__ 1
#define __CUDA_ARCH__ 700

#define __global__ __attribute__((annotate("lab.kernel"), always_inline))
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __shared__ static __thread // kernel_scan.c rewrites `extern __shared__`
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))

#define LAB_EXPORT __attribute__((__visibility__("default")))
#define LAB_BUILTIN static inline __attribute__((always_inline))

// Vector types, with CUDA's alignments.

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

// threadIdx and the others. Their storage has a type of its own, to which nothing can point, and is read through
// properties. The optimiser therefore sees that no store of a kernel changes it, and keeps indices in registers.

enum class lab_index : unsigned {};
struct lab_index3 {
    lab_index x, y, z;
};
static __thread lab_index3 lab_thread, lab_block, lab_block_extent, lab_grid_extent;
static __thread const cpu_launch *lab_launch;

// __tls_get_addr gives the address of a thread-local variable. LLVM assumes that it preserves the registers that
// AVX-512 added. The first call on a thread does not: it allocates and clears memory. The linker sends every call here
// (--wrap), where the registers are saved.
#ifdef __x86_64__
#ifdef __AVX512F__
#ifdef __AVX512BW__
#define LAB_MOVE_MASK "kmovq"
#else
#define LAB_MOVE_MASK "kmovw"
#endif
#define LAB_EACH_VECTOR ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
#define LAB_EACH_MASK ".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n"
#define LAB_SAVE                                                                                                       \
    LAB_EACH_VECTOR "vmovups %zmm\\n, 64 * (\\n - 16)(%rsp)\n.endr\n"                                                  \
    LAB_EACH_MASK LAB_MOVE_MASK " %k\\n, 16 * 64 + 8 * \\n(%rsp)\n.endr\n"
#define LAB_RESTORE                                                                                                    \
    LAB_EACH_VECTOR "vmovups 64 * (\\n - 16)(%rsp), %zmm\\n\n.endr\n"                                                  \
    LAB_EACH_MASK LAB_MOVE_MASK " 16 * 64 + 8 * \\n(%rsp), %k\\n\n.endr\n"
#else
#define LAB_SAVE
#define LAB_RESTORE
#endif
__asm__(".pushsection .text\n"
        ".globl __wrap___tls_get_addr\n"
        ".hidden __wrap___tls_get_addr\n"
        ".type __wrap___tls_get_addr, @function\n"
        "__wrap___tls_get_addr:\n"
        ".cfi_startproc\n"
        "pushq %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "movq %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "subq $(16 * 64 + 64), %rsp\n"
        "andq $-64, %rsp\n"
        LAB_SAVE
        "call __real___tls_get_addr@PLT\n"
        LAB_RESTORE
        "leave\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size __wrap___tls_get_addr, . - __wrap___tls_get_addr\n"
        ".popsection\n");
#undef LAB_SAVE
#undef LAB_RESTORE
#endif

#define LAB_INDEX_VARIABLE(name, storage, type)                                                                        \
    static const struct lab_##name##_type {                                                                            \
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
#define assert(condition)                                                                                              \
    ((condition) ? (void)0                                                                                             \
                 : lab_stop(CPU_FAILURE_ASSERT, "Assertion `" #condition "` failed", __FILE__, __LINE__,               \
                            __PRETTY_FUNCTION__))
#define __trap() lab_stop(CPU_FAILURE_TRAP, "__trap() was called", __FILE__, __LINE__, __PRETTY_FUNCTION__)
