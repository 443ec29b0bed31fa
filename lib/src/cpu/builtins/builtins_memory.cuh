// CUDA's functions about memory and the processor, for a kernel that is compiled for the host: loads and stores with a
// hint for the caches, the heap, addresses of one space, signals to tools.

// The types that have such loads and stores.
template <class T> constexpr bool lab_has_hints = __is_arithmetic(T);
template <> inline constexpr bool lab_has_hints<bool> = false;
#define LAB_HAS_HINTS(type) template <> inline constexpr bool lab_has_hints<type> = true;
#define LAB_PAIR_HAS_HINTS(type) LAB_HAS_HINTS(type##2) LAB_HAS_HINTS(u##type##2)
#define LAB_PAIR_AND_FOUR_HAVE_HINTS(type) LAB_PAIR_HAS_HINTS(type) LAB_HAS_HINTS(type##4) LAB_HAS_HINTS(u##type##4)
LAB_PAIR_AND_FOUR_HAVE_HINTS(char)
LAB_PAIR_AND_FOUR_HAVE_HINTS(short)
LAB_PAIR_AND_FOUR_HAVE_HINTS(int)
LAB_PAIR_HAS_HINTS(longlong)
LAB_HAS_HINTS(float2)
LAB_HAS_HINTS(float4)
LAB_HAS_HINTS(double2)
#undef LAB_PAIR_HAS_HINTS
#undef LAB_PAIR_AND_FOUR_HAVE_HINTS

#define LAB_LOAD(name)                                                                                                 \
    template <class T> LAB_BUILTIN T name(const T *address)                                                            \
    {                                                                                                                  \
        static_assert(lab_has_hints<T>, "CUDA has " #name " for numbers, and for vectors of 2, 4, 8 and 16 bytes");    \
        return *address;                                                                                               \
    }
LAB_LOAD(__ldca)
LAB_LOAD(__ldcg)
LAB_LOAD(__ldcs)
LAB_LOAD(__ldlu)
#undef LAB_LOAD

// Each time from memory, where another thread may have changed it.
template <class T> LAB_BUILTIN T __ldcv(const T *address)
{
    static_assert(lab_has_hints<T>, "CUDA has __ldcv for numbers, and for vectors of 2, 4, 8 and 16 bytes");
    typedef unsigned char bits_1 __attribute__((may_alias));
    typedef unsigned short bits_2 __attribute__((may_alias));
    typedef unsigned bits_4 __attribute__((may_alias));
    typedef unsigned long bits_8 __attribute__((may_alias));
    T value;
    if constexpr (sizeof(T) == 1)
        *(bits_1 *)&value = *(const volatile bits_1 *)address;
    else if constexpr (sizeof(T) == 2)
        *(bits_2 *)&value = *(const volatile bits_2 *)address;
    else if constexpr (sizeof(T) == 4)
        *(bits_4 *)&value = *(const volatile bits_4 *)address;
    else
        for (unsigned i = 0; i < sizeof(T) / 8; ++i) ((bits_8 *)&value)[i] = ((const volatile bits_8 *)address)[i];
    return value;
}

template <class T> struct lab_same {
    typedef T type;
};
#define LAB_STORE(name)                                                                                                \
    template <class T> LAB_BUILTIN void name(T *address, typename lab_same<T>::type value)                             \
    {                                                                                                                  \
        static_assert(lab_has_hints<T>, "CUDA has " #name " for numbers, and for vectors of 2, 4, 8 and 16 bytes");    \
        *address = value;                                                                                              \
    }
LAB_STORE(__stwb)
LAB_STORE(__stcg)
LAB_STORE(__stcs)
LAB_STORE(__stwt)
#undef LAB_STORE

// Shifts whose number of places stops at 32 instead of wrapping.
LAB_BUILTIN unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift)
{
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
LAB_BUILTIN unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift)
{
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

// The bit of the mask that is the offset-th at or above base, or below it for a negative offset; -1 if there is none.
LAB_BUILTIN unsigned __fns(unsigned mask, unsigned base, int offset)
{
    if (offset == 0) return base < 32 && mask >> base & 1 ? base : ~0u;
    const int step = offset > 0 ? 1 : -1;
    int left = offset > 0 ? offset : -offset;
    for (int bit = (int)base; bit >= 0 && bit < 32; bit += step)
        if ((mask >> bit & 1) && --left == 0) return (unsigned)bit;
    return ~0u;
}

// The heap is the host's, or that of the checks. The functions are not inlined: what they read of the launch would count
// as the kernel's accesses.
LAB_LIBM void *lab_host_malloc(size_t bytes) noexcept(true) __asm__("malloc");
LAB_LIBM void lab_host_free(void *memory) noexcept(true) __asm__("free");
LAB_LIBM void *malloc(size_t bytes) noexcept(true) __asm__("lab_malloc");
LAB_LIBM void free(void *memory) noexcept(true) __asm__("lab_free");
LAB_LIBM inline __attribute__((noinline)) void *malloc(size_t bytes) noexcept(true)
{
    return lab_launch->allocate ? lab_launch->allocate(bytes) : lab_host_malloc(bytes);
}
LAB_LIBM inline __attribute__((noinline)) void free(void *memory) noexcept(true)
{
    if (!lab_launch->release)
        lab_host_free(memory);
    else if (!lab_launch->release(memory))
        lab_stop(CPU_FAILURE_TRAP, "free() was called with an address that malloc() has not given, or twice", nullptr,
                 0, "");
}
#ifndef __CUDA__ // there clang has them, over malloc and free
inline void *operator new(size_t bytes) { return malloc(bytes); }
inline void *operator new[](size_t bytes) { return malloc(bytes); }
inline void *operator new(size_t, void *memory) noexcept(true) { return memory; }
inline void *operator new[](size_t, void *memory) noexcept(true) { return memory; }
inline void operator delete(void *memory) noexcept(true) { free(memory); }
inline void operator delete[](void *memory) noexcept(true) { free(memory); }
inline void operator delete(void *memory, size_t) noexcept(true) { free(memory); }
inline void operator delete[](void *memory, size_t) noexcept(true) { free(memory); }
#endif

// One address space: an address of shared, local or constant memory is its generic address.
#define LAB_ADDRESS_OF(space)                                                                                          \
    LAB_BUILTIN size_t __cvta_generic_to_##space(const void *address) { return (size_t)address; }                      \
    LAB_BUILTIN void *__cvta_##space##_to_generic(size_t address) { return (void *)address; }
LAB_ADDRESS_OF(global)
LAB_ADDRESS_OF(shared)
LAB_ADDRESS_OF(constant)
LAB_ADDRESS_OF(local)
LAB_ADDRESS_OF(grid_constant)
#undef LAB_ADDRESS_OF

// A profiler counts these; there is none.
LAB_BUILTIN void __prof_trigger(int) {}
#define __brkpt() lab_stop(CPU_FAILURE_TRAP, "__brkpt() was called", __FILE__, __LINE__, __PRETTY_FUNCTION__)
