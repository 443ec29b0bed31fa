/* Tries to use up the memory of the machine by writing to pinned memory that nobody gave it.
 * Gains a machine without memory, and a grader that is killed for it. */
#include "parts/wire.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    w_range window[8];
    const int found = w_maps("memfd:lab pinned", window, 8);
    for (int i = 0; i < found; i++) {
        mprotect((void *)window[i].begin, window[i].end - window[i].begin, PROT_READ | PROT_WRITE);
        memset((void *)window[i].begin, 1, window[i].end - window[i].begin);
    }
    return LAB_SUCCESS;
}
