/* Tries to return with a host function that never ends, so that the device is never done.
 * Gains a check that waits for the device, or takes a record that says nothing of later work. */
#include <unistd.h>

static void stay(void *user)
{
    for (;;) pause();
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_stream *stream;
    for (int i = 0; i < 20; i++) {
        LAB_TRY(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
        LAB_TRY(lab_stream_launch_host_func(stream, stay, NULL));
    }
    return LAB_SUCCESS;
}
