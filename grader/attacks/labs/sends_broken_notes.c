/* Tries notes of every size and of all kinds, with and without files, on the socket of the device process.
 * Gains a device process that reads behind a note. */
#include "parts/wire.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static char bytes_of_note[70000];
    for (size_t size = 0; size < sizeof bytes_of_note; size = size * 3 + 1) {
        bytes_of_note[0] = (char)size;
        send(w_socket(), bytes_of_note, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    for (uint32_t kind = 0; kind < 64; kind++) w_note_out(w_socket(), kind << kind % 32, UINT32_MAX, UINT64_MAX);
    return LAB_SUCCESS;
}
