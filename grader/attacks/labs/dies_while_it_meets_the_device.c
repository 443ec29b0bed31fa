/* Tries to end the process before main, with half a greeting to the device process, and no answer to its hello.
 * Gains a device process that waits for ever for the rest. */
#include "parts/wire.h"

__attribute__((constructor)) static void meet_halfway(void)
{
    w_note note;
    if (w_socket() < 0) return;
    recv(w_socket(), &note, sizeof note, 0);
    w_note_out(w_socket(), W_MAPPED, 0, note.address + 4096);
    _exit(0);
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    return LAB_SUCCESS;
}
