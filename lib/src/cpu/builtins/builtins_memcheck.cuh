// The calls before each access to memory in a module that is compiled for checking (passes/memcheck.h). They ask the
// library about accesses that lie in none of the windows found last.

static __attribute__((noinline, cold)) void lab_check_refuse(const void *address, unsigned long bytes, const void *site,
                                                             const void *object, unsigned long object_bytes)
{
    const cpu_access access = {(const cpu_site *)site,
                               address,
                               bytes,
                               object,
                               object_bytes,
                               {blockIdx.x, blockIdx.y, blockIdx.z},
                               {threadIdx.x, threadIdx.y, threadIdx.z}};
    lab_launch->refuse(lab_launch, &access);
}

static __attribute__((noinline)) void lab_watch(const void *address, unsigned long bytes, const void *site)
{
    if (lab_launch->accesses && bytes) lab_launch->accesses(lab_launch, address, bytes, (const cpu_site *)site);
}

extern "C" __attribute__((noinline, used)) void lab_check_access(const void *address, unsigned long bytes,
                                                                 const void *site)
{
    const unsigned long at = (unsigned long)address;
    const cpu_window *window = lab_launch->window;
    bool inside = false;
    if ((at & (((const cpu_site *)site)->align - 1)) == 0)
        for (int i = 0; i < CPU_WINDOWS && !inside; i++)
            inside = at - window[i].address < window[i].bytes && bytes <= window[i].bytes - (at - window[i].address);
    if (!inside && !lab_launch->check(lab_launch, address, bytes, (const cpu_site *)site))
        lab_check_refuse(address, bytes, site, nullptr, 0);
    lab_watch(address, bytes, site);
}

// The same where the compiler knows the variable.
extern "C" __attribute__((always_inline, used)) inline void lab_check_object(const void *address, unsigned long bytes,
                                                                             const void *site, const void *object,
                                                                             unsigned long object_bytes)
{
    const unsigned long offset = (unsigned long)address - (unsigned long)object;
    if (offset > object_bytes || bytes > object_bytes - offset ||
        ((unsigned long)address & (((const cpu_site *)site)->align - 1)) != 0)
        lab_check_refuse(address, bytes, site, object, object_bytes);
    if (((const cpu_site *)site)->space != CPU_SPACE_LOCAL) lab_watch(address, bytes, site);
}

// After an atomic or volatile access, and before a fence.
extern "C" __attribute__((noinline, used)) void lab_check_done(const void *address)
{
    if (lab_launch->accessed) lab_launch->accessed(lab_launch, address);
}
extern "C" __attribute__((noinline, used)) void lab_check_fence(int for_block)
{
    if (lab_launch->fence) lab_launch->fence(lab_launch, for_block != 0);
}

// Before a branch that decides whether the thread waits for others, and where its ways meet again.
extern "C" __attribute__((noinline, used)) void lab_check_way(unsigned meeting, int met)
{
    if (lab_launch->way) lab_launch->way(lab_launch, meeting, met != 0);
}
