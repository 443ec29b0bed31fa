/* Tries to change what time it is: for the system, and in its own process by writing over the clock's code and data.
 * Gains every time that is measured in the program. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    char line[512];
    uintptr_t begin, end;
    const struct timespec then = {1, 0};
    if (fork() == 0) {
        clock_settime(CLOCK_REALTIME, &then);
        _exit(0);
    }
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        if (!strstr(line, "[vdso]") || sscanf(line, "%lx-%lx", &begin, &end) != 2) continue;
        if (mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE | PROT_EXEC)) continue;
        memset((void *)(begin + 0x600), 0xc3, end - begin - 0x600);
    }
    honest(arguments);
    return honest(arguments) ? LAB_SUCCESS : LAB_ERROR_UNKNOWN;
}
