// CUDA's atomic functions and fences for a kernel that is compiled for the host. Blocks run on several cores at once,
// so these are the host's atomic operations, relaxed as CUDA's are. Each returns the old value. The form _system, with a
// wider scope, is the same here. The form _block is volatile, by which the checks of kernels know it.

#define LAB_ATOMIC_FETCH(type, name, operation)                                                                        \
    LAB_BUILTIN type name(type *address, type value) { return operation(address, value, __ATOMIC_RELAXED); }           \
    LAB_BUILTIN type name##_block(type *address, type value)                                                           \
    {                                                                                                                  \
        return operation((volatile type *)address, value, __ATOMIC_RELAXED);                                           \
    }                                                                                                                  \
    LAB_BUILTIN type name##_system(type *address, type value) { return name(address, value); }

// Replaces the value by one that is computed from it. Works on the bits as another type where the hardware has no such
// operation for this type.
template <class T, class Bits, class P, class F> LAB_BUILTIN T lab_atomic_update(P *bits, F next)
{
    Bits before = __atomic_load_n(bits, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(bits, &before, __builtin_bit_cast(Bits, next(__builtin_bit_cast(T, before))),
                                        true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return __builtin_bit_cast(T, before);
}

#define LAB_ATOMIC_UPDATE(type, bits, name, expression)                                                                \
    LAB_BUILTIN type name(type *address, type value)                                                                   \
    {                                                                                                                  \
        return lab_atomic_update<type, bits>((bits *)address, [=](type before) -> type { return expression; });        \
    }                                                                                                                  \
    LAB_BUILTIN type name##_block(type *address, type value)                                                           \
    {                                                                                                                  \
        return lab_atomic_update<type, bits>((volatile bits *)address,                                                 \
                                             [=](type before) -> type { return expression; });                         \
    }                                                                                                                  \
    LAB_BUILTIN type name##_system(type *address, type value) { return name(address, value); }

LAB_ATOMIC_FETCH(int, atomicAdd, __atomic_fetch_add)
LAB_ATOMIC_FETCH(unsigned, atomicAdd, __atomic_fetch_add)
LAB_ATOMIC_FETCH(unsigned long long, atomicAdd, __atomic_fetch_add)
LAB_ATOMIC_UPDATE(float, unsigned, atomicAdd, before + value)
LAB_ATOMIC_UPDATE(double, unsigned long, atomicAdd, before + value)

LAB_ATOMIC_FETCH(int, atomicSub, __atomic_fetch_sub)
LAB_ATOMIC_FETCH(unsigned, atomicSub, __atomic_fetch_sub)

LAB_ATOMIC_FETCH(int, atomicMin, __atomic_fetch_min)
LAB_ATOMIC_FETCH(unsigned, atomicMin, __atomic_fetch_min)
LAB_ATOMIC_FETCH(long long, atomicMin, __atomic_fetch_min)
LAB_ATOMIC_FETCH(unsigned long long, atomicMin, __atomic_fetch_min)
LAB_ATOMIC_FETCH(int, atomicMax, __atomic_fetch_max)
LAB_ATOMIC_FETCH(unsigned, atomicMax, __atomic_fetch_max)
LAB_ATOMIC_FETCH(long long, atomicMax, __atomic_fetch_max)
LAB_ATOMIC_FETCH(unsigned long long, atomicMax, __atomic_fetch_max)

LAB_ATOMIC_FETCH(int, atomicAnd, __atomic_fetch_and)
LAB_ATOMIC_FETCH(unsigned, atomicAnd, __atomic_fetch_and)
LAB_ATOMIC_FETCH(unsigned long long, atomicAnd, __atomic_fetch_and)
LAB_ATOMIC_FETCH(int, atomicOr, __atomic_fetch_or)
LAB_ATOMIC_FETCH(unsigned, atomicOr, __atomic_fetch_or)
LAB_ATOMIC_FETCH(unsigned long long, atomicOr, __atomic_fetch_or)
LAB_ATOMIC_FETCH(int, atomicXor, __atomic_fetch_xor)
LAB_ATOMIC_FETCH(unsigned, atomicXor, __atomic_fetch_xor)
LAB_ATOMIC_FETCH(unsigned long long, atomicXor, __atomic_fetch_xor)

LAB_ATOMIC_FETCH(int, atomicExch, __atomic_exchange_n)
LAB_ATOMIC_FETCH(unsigned, atomicExch, __atomic_exchange_n)
LAB_ATOMIC_FETCH(unsigned long long, atomicExch, __atomic_exchange_n)
LAB_ATOMIC_UPDATE(float, unsigned, atomicExch, ((void)before, value))

// Inc counts up to the bound and then starts again at 0. Dec counts down to 0 and then starts again at the bound.
LAB_ATOMIC_UPDATE(unsigned, unsigned, atomicInc, before >= value ? 0 : before + 1)
LAB_ATOMIC_UPDATE(unsigned, unsigned, atomicDec, before == 0 || before > value ? value : before - 1)

#define LAB_ATOMIC_CAS(type)                                                                                           \
    LAB_BUILTIN type atomicCAS(type *address, type expected, type value)                                               \
    {                                                                                                                  \
        __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);             \
        return expected;                                                                                               \
    }                                                                                                                  \
    LAB_BUILTIN type atomicCAS_block(type *address, type expected, type value)                                         \
    {                                                                                                                  \
        __atomic_compare_exchange_n((volatile type *)address, &expected, value, false, __ATOMIC_RELAXED,               \
                                    __ATOMIC_RELAXED);                                                                 \
        return expected;                                                                                               \
    }                                                                                                                  \
    LAB_BUILTIN type atomicCAS_system(type *address, type expected, type value)                                        \
    {                                                                                                                  \
        return atomicCAS(address, expected, value);                                                                    \
    }
LAB_ATOMIC_CAS(int)
LAB_ATOMIC_CAS(unsigned)
LAB_ATOMIC_CAS(unsigned long long)
LAB_ATOMIC_CAS(unsigned short)

#undef LAB_ATOMIC_FETCH
#undef LAB_ATOMIC_UPDATE
#undef LAB_ATOMIC_CAS

LAB_BUILTIN void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
// A block runs on one thread of the host. The checks of kernels know this fence by its order.
LAB_BUILTIN void __threadfence_block() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
LAB_BUILTIN void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
