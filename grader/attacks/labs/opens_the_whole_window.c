/* Tries to write into all pinned memory at once, whoever it belongs to: the whole window that it shares with the device
 * process is made writable. Gains the blocks of others, what the check put there, and what lies between them. */
#include "parts/wire.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    w_range window[8];
    const int found = w_maps("memfd:lab pinned", window, 8);
    for (int i = 0; i < found; i++) {
        const size_t size = window[i].end - window[i].begin;
        mprotect((void *)window[i].begin, size, PROT_READ | PROT_WRITE);
        for (size_t at = 0; at < size && at < (size_t)256 << 20; at += 4096) *(float *)(window[i].begin + at) = 1;
    }
    return LAB_SUCCESS;
}
