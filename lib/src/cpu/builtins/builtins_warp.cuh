// The functions in which a thread waits for others of its block or warp. Each calls one function whose symbol is
// lab_suspend_ and CUDA's name without the underscores. That function is never inlined, so that the compiled code shows
// which kernels may suspend a thread. It is an inline function, which the linker could replace, so the optimiser
// concludes nothing from its body. It is convergent: no optimisation may make a call depend on more conditions than the
// source does. Nor may two calls become one, which would have no line. The file and line of the call are default
// arguments.
//
// Meanwhile the other threads of the block run on this host thread and change threadIdx. The kernel's own code restores
// it, since it already has the addresses of thread-local variables, each of which costs a call.

#define LAB_SUSPEND extern "C" inline __attribute__((noinline, convergent, nomerge))
#define LAB_LINE const char *lab_file = __builtin_FILE(), unsigned lab_line = __builtin_LINE()

// threadIdx is kept member by member. A copy of the whole would take its address, and then every store of every kernel
// of the module might change threadIdx: no loop over threads became vector code.
#define LAB_KEEP_THREAD const lab_index self_x = lab_thread.x, self_y = lab_thread.y, self_z = lab_thread.z
#define LAB_RESTORE_THREAD lab_thread.x = self_x, lab_thread.y = self_y, lab_thread.z = self_z

// Calls the function and gives its result. There is no object that restores threadIdx: a checked kernel would ask
// whether it may use the memory that `this` points to.
#define LAB_WAIT(call)                                                                                                 \
    LAB_KEEP_THREAD;                                                                                                   \
    const auto result = call;                                                                                          \
    LAB_RESTORE_THREAD;                                                                                                \
    return result

#define LAB_BARRIER(name, kind)                                                                                        \
    LAB_SUSPEND unsigned lab_suspend_##name(const cpu_launch *launch, unsigned predicate, const char *file,            \
                                            unsigned line)                                                             \
    {                                                                                                                  \
        return launch->barrier(launch, kind, predicate, file, line);                                                   \
    }
LAB_SUSPEND void lab_suspend_syncthreads(const cpu_launch *launch, const char *file, unsigned line)
{
    launch->syncthreads(launch, file, line);
}
LAB_BARRIER(syncthreads_count, CPU_WAIT_BARRIER_COUNT)
LAB_BARRIER(syncthreads_and, CPU_WAIT_BARRIER_AND)
LAB_BARRIER(syncthreads_or, CPU_WAIT_BARRIER_OR)
#undef LAB_BARRIER

LAB_BUILTIN void __syncthreads(LAB_LINE)
{
    LAB_KEEP_THREAD;
    lab_suspend_syncthreads(lab_launch, lab_file, lab_line);
    LAB_RESTORE_THREAD;
}
LAB_BUILTIN int __syncthreads_count(int predicate, LAB_LINE)
{
    LAB_WAIT((int)lab_suspend_syncthreads_count(lab_launch, predicate != 0, lab_file, lab_line));
}
LAB_BUILTIN int __syncthreads_and(int predicate, LAB_LINE)
{
    LAB_WAIT((int)lab_suspend_syncthreads_and(lab_launch, predicate != 0, lab_file, lab_line));
}
LAB_BUILTIN int __syncthreads_or(int predicate, LAB_LINE)
{
    LAB_WAIT((int)lab_suspend_syncthreads_or(lab_launch, predicate != 0, lab_file, lab_line));
}

// One thread of the block waits for the other blocks of a cooperative launch.
static __attribute__((noinline)) void lab_grid_wait(const char *file, unsigned line)
{
    if (!lab_launch->grid_wait)
        lab_stop(CPU_FAILURE_TRAP, "grid_group::sync() was called, but the launch is not cooperative", file, line, "");
    if (!lab_launch->grid_wait(lab_launch))
        lab_stop(CPU_FAILURE_BARRIER, "grid_group::sync() waits for a block that has ended", file, line, "");
}

// Votes, reductions and matches take a mask and a value, and return a number.
#define LAB_VOTE(name, kind)                                                                                           \
    LAB_SUSPEND unsigned lab_suspend_##name(const cpu_launch *launch, unsigned mask, unsigned long long value,         \
                                            const char *file, unsigned line)                                           \
    {                                                                                                                  \
        cpu_wait wait = {kind, file, line, mask, 0, 0, value, 0};                                                      \
        launch->wait(launch, &wait);                                                                                   \
        return (unsigned)wait.result;                                                                                  \
    }                                                                                                                  \
    LAB_BUILTIN unsigned lab_##name(unsigned mask, unsigned long long value, const char *file, unsigned line)          \
    {                                                                                                                  \
        LAB_WAIT(lab_suspend_##name(lab_launch, mask, value, file, line));                                             \
    }
LAB_VOTE(syncwarp, CPU_WAIT_SYNCWARP)
LAB_VOTE(activemask, CPU_WAIT_ACTIVEMASK)
LAB_VOTE(all_sync, CPU_WAIT_ALL)
LAB_VOTE(any_sync, CPU_WAIT_ANY)
LAB_VOTE(ballot_sync, CPU_WAIT_BALLOT)
LAB_VOTE(match_any_sync, CPU_WAIT_MATCH_ANY)
LAB_VOTE(match_all_sync, CPU_WAIT_MATCH_ALL)
LAB_VOTE(reduce_and_sync, CPU_WAIT_REDUCE_AND)
LAB_VOTE(reduce_or_sync, CPU_WAIT_REDUCE_OR)
LAB_VOTE(reduce_xor_sync, CPU_WAIT_REDUCE_XOR)
LAB_VOTE(reduce_add_sync, CPU_WAIT_REDUCE_ADD)
LAB_VOTE(reduce_min_sync, CPU_WAIT_REDUCE_MIN)
LAB_VOTE(reduce_max_sync, CPU_WAIT_REDUCE_MAX)
#undef LAB_VOTE

LAB_BUILTIN void __syncwarp(unsigned mask = 0xffffffff, LAB_LINE) { lab_syncwarp(mask, 0, lab_file, lab_line); }
LAB_BUILTIN unsigned __activemask(LAB_LINE) { return lab_activemask(0, 0, lab_file, lab_line); }
LAB_BUILTIN int __all_sync(unsigned mask, int predicate, LAB_LINE)
{
    return (int)lab_all_sync(mask, predicate != 0, lab_file, lab_line);
}
LAB_BUILTIN int __any_sync(unsigned mask, int predicate, LAB_LINE)
{
    return (int)lab_any_sync(mask, predicate != 0, lab_file, lab_line);
}
LAB_BUILTIN unsigned __ballot_sync(unsigned mask, int predicate, LAB_LINE)
{
    return lab_ballot_sync(mask, predicate != 0, lab_file, lab_line);
}
LAB_BUILTIN unsigned __reduce_and_sync(unsigned mask, unsigned value, LAB_LINE)
{
    return lab_reduce_and_sync(mask, value, lab_file, lab_line);
}
LAB_BUILTIN unsigned __reduce_or_sync(unsigned mask, unsigned value, LAB_LINE)
{
    return lab_reduce_or_sync(mask, value, lab_file, lab_line);
}
LAB_BUILTIN unsigned __reduce_xor_sync(unsigned mask, unsigned value, LAB_LINE)
{
    return lab_reduce_xor_sync(mask, value, lab_file, lab_line);
}

// The sums of signed and of unsigned numbers are the same bits.
LAB_BUILTIN unsigned __reduce_add_sync(unsigned mask, unsigned value, LAB_LINE)
{
    return lab_reduce_add_sync(mask, value, lab_file, lab_line);
}
LAB_BUILTIN int __reduce_add_sync(unsigned mask, int value, LAB_LINE)
{
    return (int)lab_reduce_add_sync(mask, (unsigned)value, lab_file, lab_line);
}
LAB_BUILTIN unsigned __reduce_min_sync(unsigned mask, unsigned value, LAB_LINE)
{
    return lab_reduce_min_sync(mask, value, lab_file, lab_line);
}
LAB_BUILTIN unsigned __reduce_max_sync(unsigned mask, unsigned value, LAB_LINE)
{
    return lab_reduce_max_sync(mask, value, lab_file, lab_line);
}
// Adding half the range maps signed numbers to unsigned ones in the same order.
LAB_BUILTIN int __reduce_min_sync(unsigned mask, int value, LAB_LINE)
{
    return (int)(lab_reduce_min_sync(mask, (unsigned)value ^ 0x80000000u, lab_file, lab_line) ^ 0x80000000u);
}
LAB_BUILTIN int __reduce_max_sync(unsigned mask, int value, LAB_LINE)
{
    return (int)(lab_reduce_max_sync(mask, (unsigned)value ^ 0x80000000u, lab_file, lab_line) ^ 0x80000000u);
}

template <class T> LAB_BUILTIN unsigned long long lab_bits(T value)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a warp exchanges numbers of 32 or 64 bits");
    unsigned long long bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T> LAB_BUILTIN unsigned __match_any_sync(unsigned mask, T value, LAB_LINE)
{
    return lab_match_any_sync(mask, lab_bits(+value), lab_file, lab_line);
}
template <class T> LAB_BUILTIN unsigned __match_all_sync(unsigned mask, T value, int *all, LAB_LINE)
{
    const unsigned lanes = lab_match_all_sync(mask, lab_bits(+value), lab_file, lab_line);
    *all = lanes != 0;
    return lanes;
}

// As CUDA's functions of int, float and so on take them, small integers and enumerations become int: +value.
#define LAB_SHUFFLE(name, argument, kind)                                                                              \
    LAB_SUSPEND unsigned long long lab_suspend_##name(const cpu_launch *launch, unsigned mask,                         \
                                                      unsigned long long value, unsigned lane, int width,              \
                                                      const char *file, unsigned line)                                 \
    {                                                                                                                  \
        cpu_wait wait = {kind, file, line, mask, lane, width, value, 0};                                               \
        launch->wait(launch, &wait);                                                                                   \
        return wait.result;                                                                                            \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    LAB_BUILTIN auto __##name(unsigned mask, T value, argument lane, int width = warpSize, LAB_LINE)->decltype(+value) \
    {                                                                                                                  \
        auto number = +value;                                                                                          \
        static_assert(__is_integral(decltype(number)) || __is_floating_point(decltype(number)),                        \
                      "a shuffle takes a number");                                                                     \
        LAB_KEEP_THREAD;                                                                                               \
        const unsigned long long bits =                                                                                \
            lab_suspend_##name(lab_launch, mask, lab_bits(number), (unsigned)lane, width, lab_file, lab_line);         \
        LAB_RESTORE_THREAD;                                                                                            \
        memcpy(&number, &bits, sizeof number);                                                                         \
        return number;                                                                                                 \
    }
LAB_SHUFFLE(shfl_sync, int, CPU_WAIT_SHUFFLE)
LAB_SHUFFLE(shfl_up_sync, unsigned, CPU_WAIT_SHUFFLE_UP)
LAB_SHUFFLE(shfl_down_sync, unsigned, CPU_WAIT_SHUFFLE_DOWN)
LAB_SHUFFLE(shfl_xor_sync, int, CPU_WAIT_SHUFFLE_XOR)
#undef LAB_SHUFFLE

#undef LAB_WAIT
#undef LAB_SUSPEND
#undef LAB_LINE
