/* Tries to end the process in its own allocator, which the device process calls while it makes an array.
 * Gains a lock of the device process that is held for ever. */
#include <unistd.h>

static lab_status give(lab_deviceptr *memory, size_t bytes, lab_stream *stream, void *user) { _exit(0); }
static lab_status take(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user) { _exit(0); }

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const lab_allocator own = {give, take, NULL};
    lab_array *array;
    LAB_TRY(lab_set_allocator(&own));
    return lab_array_zeros(&array, LAB_FLOAT32, LAB_SHAPE(100));
}
