/* Tries to go on after its own end: a child, forked behind the library, keeps the sockets and the channels and calls.
 * Gains work that counts after the clock has stopped, and a device process that never ends. */
#include "parts/wire.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    w_range channel[600];
    const int found = w_maps("memfd:lab channel", channel, 600);
    for (int i = 0; i < found; i++) madvise((void *)channel[i].begin, channel[i].end - channel[i].begin, MADV_DOFORK);
    if (syscall(SYS_fork) != 0) return LAB_SUCCESS;
    setsid();
    for (;;) {
        for (int i = 0; i < found; i++) w_call((w_channel *)channel[i].begin, CALL_NUMBER(lab_stream_null), NULL, 0);
        w_note_out(w_socket(), W_OPEN, 0, 0);
        usleep(1000);
    }
}
