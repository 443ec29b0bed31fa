/* Tries to move the numbers by the host, and enqueues the copy that is asked for from the target to itself. Gains the
 * checks of one copy and of its edges. */
#include <stdlib.h>

lab_status lab11_move(const lab11_work *work, lab_array *to, lab_array *from)
{
    float *numbers = malloc(lab_array_bytes(from));
    lab_stream *stream = work->device[lab_array_device(to)].stream;
    if (!numbers) return LAB_ERROR_OUT_OF_MEMORY;
    LAB_TRY(lab_stream_synchronize(work->device[lab_array_device(from)].stream));
    LAB_TRY(lab_stream_synchronize(stream));
    LAB_TRY(lab_array_get(from, numbers));
    LAB_TRY(lab_array_set(to, numbers));
    free(numbers);
    return lab_memcpy_peer_async(lab_array_data(to), lab_array_device(to), lab_array_data(to), lab_array_device(to),
                                 lab_array_bytes(to), stream);
}
