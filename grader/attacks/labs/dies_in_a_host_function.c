/* Tries to end the process in a host function, while the device process waits for its answer.
 * Gains a device process that waits for ever. */
#include <unistd.h>

static void die(void *user) { _exit(0); }

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_stream *stream;
    LAB_TRY(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_stream_launch_host_func(stream, die, NULL));
    return lab_stream_synchronize(stream);
}
