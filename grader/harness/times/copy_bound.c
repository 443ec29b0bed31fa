/* The least time that a copy can take, from the highest rate of a link between host and device: by the GPU's name, or
 * as measured in this machine's memory. The bound must be below what any honest program needs, so it errs on the fast
 * side. */
#include "times/copy_bound.h"

#include "check_state.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* The highest rate of copies in this machine's memory, with all processors and caches, in bytes per second. */
static double host_rate(void)
{
    enum { BYTES = 128 << 10, COPIES = 64, TRIES = 20 };
    char *source = check_alloc(BYTES), *destination = check_alloc(BYTES);
    double best = 1;
    for (int i = 0; i < TRIES; i++) {
        double begun = clock_seconds();
        for (int k = 0; k < COPIES; k++) {
            memcpy(destination, source, BYTES);
            __asm__ volatile("" : : "r"(destination) : "memory"); /* keeps the compiler from removing copies */
        }
        double seconds = clock_seconds() - begun;
        if (seconds > 0 && (double)BYTES * COPIES / seconds > best) best = (double)BYTES * COPIES / seconds;
    }
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return best * (double)(processors > 0 ? processors : 1);
}

/* The rate of one direction. An H200's PCIe 5 link with 16 lanes carries 64 GB/s (the profile's copies reach 54). The
 * widest known link between a host and a GPU, NVLink-C2C, carries 450 GB/s. */
static double link_rate(const check_device_info *device)
{
    if (strcmp(device->kind, "cuda") != 0) return 2 * host_rate();
    bool h200 = strstr(device->name, "H200") && !strstr(device->name, "GH200");
    return h200 ? 64e9 : 450e9;
}

double copy_bound_ms(double bytes)
{
    static double rate; /* measured once: a process runs one check */
    if (rate == 0) rate = link_rate(check_device());
    return 1000 * bytes / rate;
}
