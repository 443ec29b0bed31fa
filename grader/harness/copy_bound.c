/* The least time that a copy can take: from the most that a link between host and device can carry. It knows devices by
 * their names and measures what memory can do here; a bound must be below what any honest program needs, so it errs on
 * the fast side. */
#include "check_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* The most bytes a second that this process copies in memory, out of its caches too, on all processors together. */
static double host_rate(void)
{
    enum { BYTES = 128 << 10, COPIES = 64, TRIES = 20 };
    char *from = check_alloc(BYTES), *to = check_alloc(BYTES);
    double best = 1;
    for (int i = 0; i < TRIES; i++) {
        double begun = clock_seconds();
        for (int k = 0; k < COPIES; k++) {
            memcpy(to, from, BYTES);
            __asm__ volatile("" : : "r"(to) : "memory"); /* every copy is done */
        }
        double seconds = clock_seconds() - begun;
        if (seconds > 0 && (double)BYTES * COPIES / seconds > best) best = (double)BYTES * COPIES / seconds;
    }
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return best * (double)(processors > 0 ? processors : 1);
}

/* Of one direction. An H200's PCIe 5 link with 16 lanes carries 64 GB/s (the profile's copies reach 54); the widest link
 * between any host and GPU that we know of, NVLink-C2C, carries 450. */
static double link_rate(const check_device_info *device)
{
    if (strcmp(device->kind, "cuda") != 0) return 2 * host_rate();
    bool h200 = strstr(device->name, "H200") && !strstr(device->name, "GH200");
    return h200 ? 64e9 : 450e9;
}

double check_least_ms(double bytes)
{
    static double rate; /* of this process's one check */
    if (rate == 0) rate = link_rate(check_device());
    return 1000 * bytes / rate;
}
