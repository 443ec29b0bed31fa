/* Channels: shared memory, and whose turn it is. */
#include "channel.h"

#include "base/monotonic.h"

#include <linux/futex.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How long a thread waits awake, and after how many waits it tries again whether that helps. Waking a thread on an idle
 * core takes 50 us in a virtual machine: a shorter wait would end before the other side is awake, every time. */
enum { SPIN_NS = 100 * 1000, TRIED_AGAIN = 64 };

int wire_channel_create(void)
{
    int file = memfd_create("lab channel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -1;
    if (ftruncate(file, sizeof(wire_channel)) == 0 &&
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return file;
    close(file);
    return -1;
}

wire_channel *wire_channel_map(int file)
{
    void *memory = mmap(NULL, sizeof(wire_channel), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) return NULL;
    madvise(memory, sizeof(wire_channel), MADV_DONTFORK);
    return memory;
}

void wire_channel_unmap(wire_channel *channel) { munmap(channel, sizeof *channel); }

static void futex(_Atomic uint32_t *word, int operation, uint32_t value)
{
    syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static bool can_spin(void)
{
    static _Atomic int cores;
    int known = atomic_load_explicit(&cores, memory_order_relaxed);
    if (known == 0) {
        cpu_set_t set;
        known = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
        atomic_store_explicit(&cores, known, memory_order_relaxed);
    }
    return known > 1;
}

static inline void pause_core(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

/* The thread sanitizer sees one process: what the other orders counts as ordered. */
#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *address);
void __tsan_release(void *address);
static char other_process;
static void order_after_other(void) { __tsan_acquire(&other_process); }
static void order_before_other(void) { __tsan_release(&other_process); }
#else
static void order_after_other(void) {}
static void order_before_other(void) {}
#endif

bool wire_pass(wire_channel *channel, wire_side self)
{
    order_before_other();
    wire_side other = self == WIRE_PROGRAM ? WIRE_DEVICE : WIRE_PROGRAM;
    bool had = atomic_exchange(&channel->turn, other) == (uint32_t)self;
    if (atomic_load(&channel->sleeps[other])) futex(&channel->turn, FUTEX_WAKE, 1);
    return had;
}

static inline bool has_turn(wire_channel *channel, wire_side self)
{
    return atomic_load_explicit(&channel->turn, memory_order_acquire) == (uint32_t)self;
}

static bool sleep_for(wire_channel *channel, wire_side self, const atomic_bool *ended)
{
    atomic_store(&channel->sleeps[self], 1);
    uint32_t turn;
    while ((turn = atomic_load(&channel->turn)) != (uint32_t)self && !atomic_load(ended))
        futex(&channel->turn, FUTEX_WAIT, turn);
    atomic_store(&channel->sleeps[self], 0);
    return turn == (uint32_t)self;
}

/* Waits awake. Where the other side has no core of its own that only delays it: after spins in vain a thread seldom
 * spins. */
static bool spin_for(wire_channel *channel, wire_side self)
{
    static _Thread_local int64_t spin_ns = SPIN_NS;
    static _Thread_local unsigned waits;
    if (!can_spin()) return false;
    if (++waits % TRIED_AGAIN == 0) spin_ns = SPIN_NS;
    const int64_t end = spin_ns > 0 ? monotonic_ns() + spin_ns : 0;
    while (end && monotonic_ns() < end) {
        for (int i = 0; i < 8; i++) {
            if (has_turn(channel, self)) {
                spin_ns = SPIN_NS;
                return true;
            }
            pause_core();
        }
    }
    spin_ns /= 4;
    return false;
}

bool wire_await(wire_channel *channel, wire_side self, const atomic_bool *ended)
{
    bool awaited = has_turn(channel, self) || spin_for(channel, self) || sleep_for(channel, self, ended);
    order_after_other();
    return awaited;
}

void wire_abandon(wire_channel *channel)
{
    enum { OF_NO_SIDE = 2 };
    atomic_fetch_or(&channel->turn, OF_NO_SIDE);
    wire_wake(channel);
}

void wire_wake(wire_channel *channel) { futex(&channel->turn, FUTEX_WAKE, INT_MAX); }
