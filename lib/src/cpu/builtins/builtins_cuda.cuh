// The entries of kernels in a program of labcc. There the compiler's code lists the kernels, so a pass makes the entries
// from this one (cpu/retarget/retarget.h): lab_arguments stands for the loads of the arguments, lab_kernel for the call.

extern "C" void lab_arguments(const void *const *args);
extern "C" void lab_kernel();

extern "C" __attribute__((used, nodebug)) void lab_entry(const void *const *args, const cpu_launch *launch,
                                                         unsigned long first, unsigned long count)
{
    lab_arguments(args);
    LAB_RUN_BLOCKS(launch, first, count, lab_kernel());
}

// Functions that a kernel calls return to the module, where a signal handler looks for it (kernel_signals.h).
extern "C" __attribute__((used, nodebug, disable_tail_calls)) void lab_thread_entry(const void *const *args,
                                                                                    const cpu_launch *launch,
                                                                                    const unsigned *block,
                                                                                    const unsigned *thread)
{
    lab_arguments(args);
    lab_set_thread(launch, block, thread);
    lab_kernel();
}

// What a class with a virtual function that has no body calls in its place.
extern "C" inline void __cxa_pure_virtual() { __trap(); }
