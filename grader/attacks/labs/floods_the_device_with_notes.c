/* Tries to fill the socket of the device process with notes, and never reads its answers.
 * Gains a device process whose thread stands still with a lock held, so that the check waits for it. */
#include "parts/wire.h"

__attribute__((constructor)) static void flood(void)
{
    w_note note;
    if (w_socket() < 0) return;
    recv(w_socket(), &note, sizeof note, 0);
    w_note_out(w_socket(), W_MAPPED, 0, note.address);
    recv(w_socket(), &note, sizeof note, 0);
    for (int i = 0; i < 100000; i++) {
        const w_note open = {.kind = W_OPEN, .number = (uint32_t)i};
        if (send(w_socket(), &open, sizeof open, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) usleep(100);
    }
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    return LAB_SUCCESS;
}
