/* The handler changes nothing but the page's protection before it tells of the access. */
#include "guarded_memory.h"

#include "base/program/host_memory.h"
#include "base/program/host_place.h"
#include "window.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096, MOST_FRAMES = 32 };
static const uint64_t MOST_BYTES = (uint64_t)64 << 30;

static window pinned = {.file = -1};
static unsigned char *other; /* the library's mapping of the window */
static guarded_met *told;
static struct sigaction before;
static const void *c_library, *program; /* their bases */

/* ---- The program's memory ---- */

static void *local(uint64_t address, size_t bytes)
{
    if (!window_holds(&pinned, address, bytes)) return (void *)(uintptr_t)address;
    return other + (address - pinned.address);
}

static bool pinned_alloc(uint64_t *address, size_t bytes)
{
    *address = window_take(&pinned, bytes);
    return *address != 0;
}

static void pinned_free(uint64_t address, size_t bytes) { window_give(&pinned, address, bytes); }

bool guarded_memory_holds(uint64_t address, uint64_t bytes) { return window_holds(&pinned, address, bytes); }

void guarded_memory_refuse(uint64_t start, uint64_t end, bool reads, bool writes)
{
    const int allowed = (reads ? 0 : PROT_READ) | (reads || writes ? 0 : PROT_WRITE);
    mprotect((void *)(uintptr_t)start, end - start, allowed);
}

/* ---- Accesses ---- */

/* Where the signal struck, and whether by a write. Elsewhere than on x86-64 it counts as a read. */
static const void *find_instruction(bool *writes, const ucontext_t *context)
{
#if defined(__x86_64__)
    enum { WRITES = 2 };
    *writes = context->uc_mcontext.gregs[REG_ERR] & WRITES;
    return (const void *)(uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    *writes = false;
    return (const void *)(uintptr_t)context->uc_mcontext.pc;
#endif
}

static const void *base_of(const void *code)
{
    Dl_info object;
    return dladdr(code, &object) ? object.dli_fbase : NULL;
}

/* The instruction, or the program's call that led to it if it is one of the C library, such as memcpy. */
static const void *find_program(const void *instruction)
{
    if (base_of(instruction) != c_library) return instruction;
    void *frame[MOST_FRAMES];
    const int frames = backtrace(frame, MOST_FRAMES);
    int i = 0;
    while (i < frames && frame[i] != instruction) i++;
    for (i++; i < frames; i++)
        if (base_of(frame[i]) == program) return (const char *)frame[i] - 1;
    return instruction;
}

/* Does what would have happened without this handler. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    } else {
        signal(number, SIG_DFL);
        if (info->si_code <= 0) raise(number); /* sent by a process; otherwise the instruction raises it again */
    }
}

static void handle(int number, siginfo_t *info, void *context)
{
    const uint64_t address = (uintptr_t)info->si_addr;
    void *page = (void *)(uintptr_t)(address / PAGE * PAGE);
    if (info->si_code <= 0 || !window_holds(&pinned, address, 1) || mprotect(page, PAGE, PROT_READ | PROT_WRITE) != 0) {
        pass_on(number, info, context);
        return;
    }
    const int error = errno;
    bool writes;
    const void *instruction = find_instruction(&writes, context);
    told(address, writes, host_place_name(find_program(instruction)));
    errno = error;
}

static bool map_twice(void)
{
    const uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) / 2 * (uint64_t)sysconf(_SC_PAGESIZE);
    if (!window_make(&pinned, "lab pinned memory", half < MOST_BYTES ? half : MOST_BYTES) ||
        !window_map_near(&pinned, WINDOW_FIRST_PLACE))
        return false;
    void *memory = mmap(NULL, pinned.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, pinned.file, 0);
    other = memory == MAP_FAILED ? NULL : memory;
    return other;
}

bool guarded_memory_begin(guarded_met *met)
{
    static const host_memory_access access = {
        .local = local, .pinned_alloc = pinned_alloc, .pinned_free = pinned_free, .pinned = &pinned};
    void *frame[1];
    struct sigaction mine = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    if (!map_twice()) return false;
    told = met;
    c_library = base_of(dlsym(RTLD_DEFAULT, "gnu_get_libc_version")); /* which no sanitizer replaces */
    program = base_of((const void *)(uintptr_t)getauxval(AT_ENTRY));
    backtrace(frame, 1); /* its first call loads a library, which a handler must not */
    sigemptyset(&mine.sa_mask);
    if (sigaction(SIGSEGV, &mine, &before) != 0) return false;
    host_memory_use(&access);
    return true;
}
