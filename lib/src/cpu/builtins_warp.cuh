// The functions at which a thread waits for others of its block or warp. Each stands on one function whose symbol
// is lab_suspend_ and CUDA's name without the underscores. It is never inlined, so that the compiled code tells
// which kernels may suspend a thread; and it is an inline function, hence replaceable at link time, from whose body
// the optimiser concludes nothing. A kernel whose threads run one after another must not reach them.

#define LAB_SUSPEND extern "C" inline __attribute__((noinline))
#define LAB_SUSPEND_BODY(name)                                                                                         \
    {                                                                                                                  \
        lab_stop("__" #name "() was called where the threads of a block run one after another", "kernel", 0, #name);   \
    }

LAB_SUSPEND void lab_suspend_syncthreads() LAB_SUSPEND_BODY(syncthreads)
LAB_SUSPEND int lab_suspend_syncthreads_count(int predicate) LAB_SUSPEND_BODY(syncthreads_count)
LAB_SUSPEND int lab_suspend_syncthreads_and(int predicate) LAB_SUSPEND_BODY(syncthreads_and)
LAB_SUSPEND int lab_suspend_syncthreads_or(int predicate) LAB_SUSPEND_BODY(syncthreads_or)
LAB_SUSPEND void lab_suspend_syncwarp(unsigned mask) LAB_SUSPEND_BODY(syncwarp)
LAB_SUSPEND unsigned lab_suspend_activemask() LAB_SUSPEND_BODY(activemask)
LAB_SUSPEND int lab_suspend_all_sync(unsigned mask, int predicate) LAB_SUSPEND_BODY(all_sync)
LAB_SUSPEND int lab_suspend_any_sync(unsigned mask, int predicate) LAB_SUSPEND_BODY(any_sync)
LAB_SUSPEND unsigned lab_suspend_ballot_sync(unsigned mask, int predicate) LAB_SUSPEND_BODY(ballot_sync)

#define LAB_SUSPEND_SHUFFLE(name)                                                                                      \
    LAB_SUSPEND unsigned long long lab_suspend_##name(unsigned mask, unsigned long long value, unsigned lane,          \
                                                      int width) LAB_SUSPEND_BODY(name)                                \
    template <class T> LAB_BUILTIN T __##name(unsigned mask, T value, unsigned lane, int width = warpSize)             \
    {                                                                                                                  \
        static_assert((__is_integral(T) || __is_floating_point(T)) && (sizeof(T) == 4 || sizeof(T) == 8),              \
                      "a shuffle takes an integer or a floating-point number of 32 or 64 bits");                       \
        unsigned long long bits = 0;                                                                                   \
        memcpy(&bits, &value, sizeof value);                                                                           \
        bits = lab_suspend_##name(mask, bits, lane, width);                                                            \
        memcpy(&value, &bits, sizeof value);                                                                           \
        return value;                                                                                                  \
    }
LAB_SUSPEND_SHUFFLE(shfl_sync)
LAB_SUSPEND_SHUFFLE(shfl_up_sync)
LAB_SUSPEND_SHUFFLE(shfl_down_sync)
LAB_SUSPEND_SHUFFLE(shfl_xor_sync)
#undef LAB_SUSPEND_SHUFFLE

#define LAB_SUSPEND_MATCH(name)                                                                                        \
    LAB_SUSPEND unsigned lab_suspend_##name(unsigned mask, unsigned long long value, int *all)                         \
        LAB_SUSPEND_BODY(name)
LAB_SUSPEND_MATCH(match_any_sync)
LAB_SUSPEND_MATCH(match_all_sync)
#undef LAB_SUSPEND_MATCH
template <class T> LAB_BUILTIN unsigned __match_any_sync(unsigned mask, T value)
{
    unsigned long long bits = 0;
    memcpy(&bits, &value, sizeof value);
    return lab_suspend_match_any_sync(mask, bits, nullptr);
}
template <class T> LAB_BUILTIN unsigned __match_all_sync(unsigned mask, T value, int *all)
{
    unsigned long long bits = 0;
    memcpy(&bits, &value, sizeof value);
    return lab_suspend_match_all_sync(mask, bits, all);
}

#define LAB_SUSPEND_REDUCE(name, type)                                                                                 \
    LAB_SUSPEND type lab_suspend_##name(unsigned mask, type value) LAB_SUSPEND_BODY(name)                              \
    LAB_BUILTIN type __##name(unsigned mask, type value) { return lab_suspend_##name(mask, value); }
LAB_SUSPEND_REDUCE(reduce_and_sync, unsigned)
LAB_SUSPEND_REDUCE(reduce_or_sync, unsigned)
LAB_SUSPEND_REDUCE(reduce_xor_sync, unsigned)
#undef LAB_SUSPEND_REDUCE

#undef LAB_SUSPEND
#undef LAB_SUSPEND_BODY

LAB_BUILTIN void __syncthreads() { lab_suspend_syncthreads(); }
LAB_BUILTIN int __syncthreads_count(int predicate) { return lab_suspend_syncthreads_count(predicate); }
LAB_BUILTIN int __syncthreads_and(int predicate) { return lab_suspend_syncthreads_and(predicate); }
LAB_BUILTIN int __syncthreads_or(int predicate) { return lab_suspend_syncthreads_or(predicate); }
LAB_BUILTIN void __syncwarp(unsigned mask = 0xffffffff) { lab_suspend_syncwarp(mask); }
LAB_BUILTIN unsigned __activemask() { return lab_suspend_activemask(); }
LAB_BUILTIN int __all_sync(unsigned mask, int predicate) { return lab_suspend_all_sync(mask, predicate); }
LAB_BUILTIN int __any_sync(unsigned mask, int predicate) { return lab_suspend_any_sync(mask, predicate); }
LAB_BUILTIN unsigned __ballot_sync(unsigned mask, int predicate) { return lab_suspend_ballot_sync(mask, predicate); }
