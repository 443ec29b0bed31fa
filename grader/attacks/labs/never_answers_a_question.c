/* Tries to leave the device process with a question for ever: on a channel of its own it starts a copy, and never gives
 * the bytes. Gains a lock of the device that is held when the check wants the record. */
#include "parts/wire.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_array *array;
    lab_stream *stream;
    LAB_TRY(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(1000)));
    LAB_TRY(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    const uint64_t copy[] = {(uint64_t)(uintptr_t)array, (uint64_t)(uintptr_t)in};
    w_channel *one = w_open(), *two = w_open(), *three = w_open();
    if (!one || !two || !three) return LAB_SUCCESS;
    const unsigned char text[] = {0, 2, 0x88, 0x13, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0};
    unsigned char pinned[] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
    w_send(one, CALL_NUMBER(lab_array_set), copy, sizeof copy);
    w_send(two, CALL_NUMBER(lab_module_load_source), text, sizeof text);
    w_send(three, CALL_NUMBER(lab_host_alloc), pinned, sizeof pinned);
    usleep(20000);
    return LAB_SUCCESS;
}
