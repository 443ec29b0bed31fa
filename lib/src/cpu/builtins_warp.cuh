// The functions at which a thread waits for others of its block or warp. Each stands on one function whose symbol
// is lab_suspend_ and CUDA's name without the underscores. It is never inlined, so that the compiled code tells
// which kernels may suspend a thread; and it is an inline function, hence replaceable at link time, from whose body
// the optimiser concludes nothing. It is convergent: no optimisation may make a call depend on more conditions than
// the source does. The line of the call travels as a default argument.

#define LAB_SUSPEND extern "C" inline __attribute__((noinline, convergent))
#define LAB_LINE unsigned lab_line = __builtin_LINE()

// Waits on the caller's fiber. The other threads of the block meanwhile run on this host thread and change threadIdx.
LAB_BUILTIN unsigned long long lab_wait(cpu_wait *wait, const char *name)
{
    const lab_index3 self = lab_thread;
    if (!lab_launch->wait) lab_stop("waits where the threads of a block run one after another", "kernel", wait->line, name);
    lab_launch->wait(lab_launch, wait);
    lab_thread = self;
    return wait->result;
}

#define LAB_SUSPEND_BARRIER(name, kind)                                                                                \
    LAB_SUSPEND int lab_suspend_##name(int predicate, unsigned line)                                                   \
    {                                                                                                                  \
        cpu_wait wait = {kind, line, 0, 0, 0, (unsigned long long)(predicate != 0), 0, false};                         \
        return (int)lab_wait(&wait, "__" #name);                                                                       \
    }
LAB_SUSPEND_BARRIER(syncthreads, CPU_WAIT_BARRIER)
LAB_SUSPEND_BARRIER(syncthreads_count, CPU_WAIT_BARRIER_COUNT)
LAB_SUSPEND_BARRIER(syncthreads_and, CPU_WAIT_BARRIER_AND)
LAB_SUSPEND_BARRIER(syncthreads_or, CPU_WAIT_BARRIER_OR)
#undef LAB_SUSPEND_BARRIER

LAB_BUILTIN void __syncthreads(LAB_LINE) { lab_suspend_syncthreads(0, lab_line); }
LAB_BUILTIN int __syncthreads_count(int predicate, LAB_LINE) { return lab_suspend_syncthreads_count(predicate, lab_line); }
LAB_BUILTIN int __syncthreads_and(int predicate, LAB_LINE) { return lab_suspend_syncthreads_and(predicate, lab_line); }
LAB_BUILTIN int __syncthreads_or(int predicate, LAB_LINE) { return lab_suspend_syncthreads_or(predicate, lab_line); }

// Votes and reductions: a mask and a value in, a number out.
#define LAB_SUSPEND_VOTE(name, kind)                                                                                   \
    LAB_SUSPEND unsigned lab_suspend_##name(unsigned mask, unsigned value, unsigned line)                              \
    {                                                                                                                  \
        cpu_wait wait = {kind, line, mask, 0, 0, value, 0, false};                                                     \
        return (unsigned)lab_wait(&wait, "__" #name);                                                                  \
    }
LAB_SUSPEND_VOTE(syncwarp, CPU_WAIT_SYNCWARP)
LAB_SUSPEND_VOTE(activemask, CPU_WAIT_ACTIVEMASK)
LAB_SUSPEND_VOTE(all_sync, CPU_WAIT_ALL)
LAB_SUSPEND_VOTE(any_sync, CPU_WAIT_ANY)
LAB_SUSPEND_VOTE(ballot_sync, CPU_WAIT_BALLOT)
LAB_SUSPEND_VOTE(reduce_and_sync, CPU_WAIT_REDUCE_AND)
LAB_SUSPEND_VOTE(reduce_or_sync, CPU_WAIT_REDUCE_OR)
LAB_SUSPEND_VOTE(reduce_xor_sync, CPU_WAIT_REDUCE_XOR)
#undef LAB_SUSPEND_VOTE

LAB_BUILTIN void __syncwarp(unsigned mask = 0xffffffff, LAB_LINE) { lab_suspend_syncwarp(mask, 0, lab_line); }
LAB_BUILTIN unsigned __activemask(LAB_LINE) { return lab_suspend_activemask(0, 0, lab_line); }
LAB_BUILTIN int __all_sync(unsigned mask, int predicate, LAB_LINE)
{
    return (int)lab_suspend_all_sync(mask, predicate != 0, lab_line);
}
LAB_BUILTIN int __any_sync(unsigned mask, int predicate, LAB_LINE)
{
    return (int)lab_suspend_any_sync(mask, predicate != 0, lab_line);
}
LAB_BUILTIN unsigned __ballot_sync(unsigned mask, int predicate, LAB_LINE)
{
    return lab_suspend_ballot_sync(mask, predicate != 0, lab_line);
}
LAB_BUILTIN unsigned __reduce_and_sync(unsigned mask, unsigned value, LAB_LINE)
{
    return lab_suspend_reduce_and_sync(mask, value, lab_line);
}
LAB_BUILTIN unsigned __reduce_or_sync(unsigned mask, unsigned value, LAB_LINE)
{
    return lab_suspend_reduce_or_sync(mask, value, lab_line);
}
LAB_BUILTIN unsigned __reduce_xor_sync(unsigned mask, unsigned value, LAB_LINE)
{
    return lab_suspend_reduce_xor_sync(mask, value, lab_line);
}

#define LAB_SUSPEND_SHUFFLE(name, kind)                                                                                \
    LAB_SUSPEND unsigned long long lab_suspend_##name(unsigned mask, unsigned long long value, unsigned lane,          \
                                                      int width, unsigned line)                                        \
    {                                                                                                                  \
        cpu_wait wait = {kind, line, mask, lane, width, value, 0, false};                                              \
        return lab_wait(&wait, "__" #name);                                                                            \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    LAB_BUILTIN T __##name(unsigned mask, T value, unsigned lane, int width = warpSize, LAB_LINE)                      \
    {                                                                                                                  \
        static_assert((__is_integral(T) || __is_floating_point(T)) && (sizeof(T) == 4 || sizeof(T) == 8),              \
                      "a shuffle takes an integer or a floating-point number of 32 or 64 bits");                       \
        unsigned long long bits = 0;                                                                                   \
        memcpy(&bits, &value, sizeof value);                                                                           \
        bits = lab_suspend_##name(mask, bits, lane, width, lab_line);                                                  \
        memcpy(&value, &bits, sizeof value);                                                                           \
        return value;                                                                                                  \
    }
LAB_SUSPEND_SHUFFLE(shfl_sync, CPU_WAIT_SHUFFLE)
LAB_SUSPEND_SHUFFLE(shfl_up_sync, CPU_WAIT_SHUFFLE_UP)
LAB_SUSPEND_SHUFFLE(shfl_down_sync, CPU_WAIT_SHUFFLE_DOWN)
LAB_SUSPEND_SHUFFLE(shfl_xor_sync, CPU_WAIT_SHUFFLE_XOR)
#undef LAB_SUSPEND_SHUFFLE

#define LAB_SUSPEND_MATCH(name, kind)                                                                                  \
    LAB_SUSPEND unsigned lab_suspend_##name(unsigned mask, unsigned long long value, int *all, unsigned line)          \
    {                                                                                                                  \
        cpu_wait wait = {kind, line, mask, 0, 0, value, 0, false};                                                     \
        const unsigned lanes = (unsigned)lab_wait(&wait, "__" #name);                                                  \
        if (all) *all = wait.all_equal;                                                                                \
        return lanes;                                                                                                  \
    }
LAB_SUSPEND_MATCH(match_any_sync, CPU_WAIT_MATCH_ANY)
LAB_SUSPEND_MATCH(match_all_sync, CPU_WAIT_MATCH_ALL)
#undef LAB_SUSPEND_MATCH

template <class T> LAB_BUILTIN unsigned __match_any_sync(unsigned mask, T value, LAB_LINE)
{
    unsigned long long bits = 0;
    memcpy(&bits, &value, sizeof value);
    return lab_suspend_match_any_sync(mask, bits, nullptr, lab_line);
}
template <class T> LAB_BUILTIN unsigned __match_all_sync(unsigned mask, T value, int *all, LAB_LINE)
{
    unsigned long long bits = 0;
    memcpy(&bits, &value, sizeof value);
    return lab_suspend_match_all_sync(mask, bits, all, lab_line);
}

#undef LAB_SUSPEND
#undef LAB_LINE
