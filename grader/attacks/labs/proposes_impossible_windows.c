/* Tries addresses for the window that nobody can map: none, odd ones, those of the kernel, those in use.
 * Gains a device process that maps the window over its own code, or gives up. */
#include "parts/wire.h"

__attribute__((constructor)) static void propose(void)
{
    const uint64_t places[] = {0, 1, 4096, 0x400000, 0xffff800000000000, UINT64_MAX - 4095, 0x7ffffffff000, 0x1000001};
    w_note note;
    if (w_socket() < 0) return;
    recv(w_socket(), &note, sizeof note, 0);
    for (int i = 0; i < 40; i++) {
        if (!w_note_out(w_socket(), W_MAPPED, 0, places[i % 8])) return;
        if (recv(w_socket(), &note, sizeof note, 0) <= 0) return;
    }
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    return LAB_SUCCESS;
}
