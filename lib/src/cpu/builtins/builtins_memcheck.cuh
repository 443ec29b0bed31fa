// The calls before each access to memory in a module that is compiled for checking (passes/memcheck.h). They become
// part of the kernel, and ask the library about accesses that lie outside the window that the same line found last.
// What they tell the library is at hand in the kernel: another function would look up each thread-local variable.

#define LAB_CHECK extern "C" __attribute__((always_inline, used)) inline

static __attribute__((noinline, cold, noreturn)) void lab_check_refuse(const void *address, unsigned long bytes,
                                                                       const void *site, const void *object,
                                                                       unsigned long object_bytes)
{
    const cpu_access access = {(const cpu_site *)site,
                               address,
                               bytes,
                               object,
                               object_bytes,
                               {blockIdx.x, blockIdx.y, blockIdx.z},
                               {threadIdx.x, threadIdx.y, threadIdx.z}};
    lab_launch->refuse(lab_launch, &access);
    __builtin_unreachable();
}

// Whether racecheck is on: what checks the code makes it a constant (passes/memcheck.h).
extern "C" {
static LAB_VARIABLE bool lab_check_races = true;
}

LAB_BUILTIN cpu_known_accesses *lab_check_known_accesses(const cpu_launch *launch)
{
    return lab_check_races ? launch->known : nullptr;
}

static __attribute__((noinline)) void lab_check_ask(const cpu_launch *launch, unsigned thread, const void *address,
                                                    unsigned long bytes, const cpu_site *site)
{
    if (!launch->check(launch, thread, address, bytes, site)) lab_check_refuse(address, bytes, site, nullptr, 0);
}

LAB_BUILTIN unsigned lab_check_thread()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

// Notes that a number is written, or returns whether it is.
template <class T> LAB_BUILTIN bool lab_check_number(unsigned char *written, cpu_site_kind kind)
{
    const T all = (T)-1 / 255;
    T known = all;
    if (kind == CPU_SITE_WRITE)
        __builtin_memcpy(written, &all, sizeof all);
    else
        __builtin_memcpy(&known, written, sizeof known);
    return known == all;
}

LAB_BUILTIN bool lab_check_written(unsigned char *written, unsigned long bytes, cpu_site_kind kind)
{
    return bytes == 4    ? lab_check_number<unsigned>(written, kind)
           : bytes == 8  ? lab_check_number<unsigned long>(written, kind)
           : bytes == 16 ? lab_check_number<unsigned __int128>(written, kind)
           : bytes == 2  ? lab_check_number<unsigned short>(written, kind)
           : bytes == 1  ? lab_check_number<unsigned char>(written, kind)
                         : false;
}

// Whether the access lies in the window, and nothing is left to be asked.
LAB_BUILTIN bool lab_check_known(const cpu_window *window, const void *address, unsigned long bytes,
                                 const cpu_site *site)
{
    const unsigned long offset = (unsigned long)address - window->address;
    if (((unsigned long)address & (site->align - 1)) != 0 || offset >= window->bytes || bytes > window->bytes - offset)
        return false;
    return !window->written || (site->followed && site->kind == CPU_SITE_READ) ||
           lab_check_written(window->written + offset, bytes, site->kind);
}

// Whether a read is one from which racecheck learns nothing.
LAB_BUILTIN bool lab_check_known_read(cpu_known_accesses *known, const void *address, unsigned long bytes,
                                      const cpu_site *site)
{
    if (site->kind != CPU_SITE_READ || site->strength != CPU_ACCESS_PLAIN || (bytes != 4 && bytes != 8)) return false;
    const cpu_known_read *cell = &known->cell[cpu_known_read_place((unsigned long)address)];
    if (cell->key != (unsigned long)address + (bytes == 8) || cell->epoch != known->epoch ||
        ((unsigned long)address & (site->align - 1)) != 0)
        return false;
    const unsigned thread = lab_check_thread();
    if (thread - cell->first >= cell->count) return false;
    if (known->deepest[thread] < site->line) known->deepest[thread] = site->line;
    return true;
}

// Whether an access to a word of shared memory, inside a variable if that is known, need not be told of.
LAB_BUILTIN bool lab_check_shared_word(cpu_known_accesses *known, const void *address, unsigned long bytes,
                                       const cpu_site *site, bool inside)
{
    if (site->kind == CPU_SITE_ATOMIC || site->strength != CPU_ACCESS_PLAIN || bytes != 4) return false;
    const unsigned long offset = (unsigned long)address - known->begin;
    if (offset >= known->end - known->begin || (site->align < 4 && offset % 4 != 0) ||
        ((unsigned long)address & (site->align - 1)) != 0)
        return false;
    cpu_shared_word *word = &known->word[offset / 4];
    const unsigned thread = lab_check_thread();
    if (site->kind == CPU_SITE_READ && cpu_shared_word_is_read(known, word, thread)) {
        if (known->deepest[thread] < site->line) known->deepest[thread] = site->line;
        return true;
    }
    return (inside || word->is_memory) && cpu_shared_word_access(known, word, thread, site);
}

// Whether a read is one of many that are written down together.
LAB_BUILTIN bool lab_check_read_run(cpu_known_accesses *known, const void *address, unsigned long bytes,
                                    const cpu_site *site)
{
    if (site->kind != CPU_SITE_READ || site->strength != CPU_ACCESS_PLAIN || (bytes != 4 && bytes != 8 && bytes != 16))
        return false;
    return cpu_read_run_continues(known, (unsigned long)address, lab_check_thread(), site);
}

// Whether nothing is left to be asked. Where the library has a list of what is known no site has a window.
LAB_CHECK void lab_check_access(const void *address, unsigned long bytes, const void *place)
{
    const cpu_launch *launch = lab_launch;
    const cpu_site *site = (const cpu_site *)place;
    cpu_known_accesses *known = lab_check_known_accesses(launch);
    if (known) cpu_known_settle(known);
    if (known ? lab_check_read_run(known, address, bytes, site) ||
                    lab_check_shared_word(known, address, bytes, site, false) ||
                    lab_check_known_read(known, address, bytes, site)
              : lab_check_known(&launch->window[site->window], address, bytes, site))
        return;
    lab_check_ask(launch, lab_check_thread(), address, bytes, site);
}

// The same where the compiler knows the variable.
LAB_CHECK void lab_check_object(const void *address, unsigned long bytes, const void *place, const void *object,
                                unsigned long object_bytes)
{
    const unsigned long offset = (unsigned long)address - (unsigned long)object;
    const cpu_launch *launch = lab_launch;
    const cpu_site *site = (const cpu_site *)place;
    if (offset > object_bytes || bytes > object_bytes - offset || ((unsigned long)address & (site->align - 1)) != 0)
        lab_check_refuse(address, bytes, site, object, object_bytes);
    if (site->space == CPU_SPACE_LOCAL) return;
    cpu_known_accesses *known = lab_check_known_accesses(launch);
    if (!known && !launch->accesses) return;
    if (known) cpu_known_settle(known);
    if (known ? (site->space == CPU_SPACE_SHARED && lab_check_shared_word(known, address, bytes, site, true)) ||
                    lab_check_known_read(known, address, bytes, site)
              : lab_check_known(&launch->window[site->window], address, bytes, site))
        return;
    launch->accesses(launch, lab_check_thread(), address, bytes, site);
}

// Which read of the thread this is, if nothing has written the bytes; else 0. What is made of the value has the number.
LAB_CHECK unsigned lab_check_unwritten(const void *address, unsigned long bytes, const void *place)
{
    const cpu_launch *launch = lab_launch;
    if (!launch->unwritten) return 0;
    const cpu_site *site = (const cpu_site *)place;
    const cpu_window *window = &launch->window[site->window];
    const unsigned long offset = (unsigned long)address - window->address;
    if (window->written && offset < window->bytes && bytes <= window->bytes - offset &&
        lab_check_written(window->written + offset, bytes, CPU_SITE_READ))
        return 0;
    return launch->unwritten(launch, lab_check_thread(), address, bytes, site);
}

static __attribute__((noinline, cold)) unsigned lab_check_no_value(const cpu_launch *launch, unsigned thread,
                                                                   const cpu_site *site)
{
    return site && launch->unwritten ? launch->unwritten(launch, thread, nullptr, 0, site) : 0;
}

// The same for a local variable, whose shadow says whether it has no value.
LAB_CHECK unsigned lab_check_local(unsigned source, const void *place)
{
    if (source != ~0u) return source;
    return lab_check_no_value(lab_launch, lab_check_thread(), (const cpu_site *)place);
}

// Before and after a shuffle, with the number of the thread: behind it threadIdx is not yet the thread's own.
LAB_CHECK unsigned lab_check_brings(unsigned source)
{
    const cpu_launch *launch = lab_launch;
    const unsigned thread = lab_check_thread();
    if (launch->brings) launch->brings(launch, thread, source);
    return thread;
}
LAB_CHECK unsigned lab_check_gets(unsigned thread)
{
    const cpu_launch *launch = lab_launch;
    return launch->gets ? launch->gets(launch, thread) : 0;
}

// What the three below tell the library, seldom: a function that is inlined would keep the library's address for later.
static __attribute__((noinline, cold)) void lab_check_tell(const cpu_launch *launch, unsigned thread, unsigned source,
                                                           unsigned line, bool hands_on)
{
    launch->used(launch, thread, source, line, hands_on);
}
static __attribute__((noinline, cold)) void lab_check_put(const cpu_launch *launch, unsigned thread,
                                                          const void *address, unsigned long bytes, unsigned source,
                                                          unsigned line)
{
    launch->holds(launch, thread, address, bytes, source, line);
}

// A value with such a number, or 0, is used in a line; is put into shared memory.
LAB_CHECK void lab_check_use(unsigned source, unsigned line)
{
    if (source) lab_check_tell(lab_launch, lab_check_thread(), source, line, false);
}
LAB_CHECK void lab_check_pass(unsigned source, unsigned line)
{
    if (source) lab_check_tell(lab_launch, lab_check_thread(), source, line, true);
}
LAB_CHECK void lab_check_holds(const void *address, unsigned long bytes, unsigned source, unsigned line)
{
    if (source) lab_check_put(lab_launch, lab_check_thread(), address, bytes, source, line);
}

// After an atomic or volatile access, and before a fence.
LAB_CHECK void lab_check_done(const void *address)
{
    const cpu_launch *launch = lab_launch;
    if (launch->accessed) launch->accessed(launch, lab_check_thread(), address);
}
LAB_CHECK void lab_check_fence(unsigned which)
{
    const cpu_launch *launch = lab_launch;
    if (launch->fence) launch->fence(launch, lab_check_thread(), which);
}

// Before a branch that decides whether the thread waits for others, and where its ways meet again.
LAB_CHECK void lab_check_way(unsigned meeting, int met)
{
    const cpu_launch *launch = lab_launch;
    if (launch->way) launch->way(launch, lab_check_thread(), meeting, met != 0);
}
