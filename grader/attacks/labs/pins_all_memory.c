/* Tries to have the device process use up the memory of the machine: pinned memory without end, which is made there.
 * Gains a device process or a grader that is killed, which would be no fault of its own. */
#include <string.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    void *memory;
    for (size_t size = (size_t)1 << 36; size >= 4096; size /= 2)
        while (lab_host_alloc(&memory, size) == LAB_SUCCESS) memset(memory, 1, size);
    return LAB_SUCCESS;
}
