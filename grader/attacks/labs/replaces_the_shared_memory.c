/* Tries to put memory of its own in the place of what it shares with the check, and to take the pages of the real one.
 * Gains a check that crashes when it looks at outputs. */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    char *page = (char *)((uintptr_t)out & ~4095ul);
    madvise(page, 4096, MADV_REMOVE);
    for (int file = 3; file < 32; file++)
        if (ftruncate(file, 0) == 0) ftruncate(file, 1l << 40);
    mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    for (int i = 0; i < count && (char *)&out[i] < page + 4096; i++) out[i] = 1;
    return LAB_SUCCESS;
}
