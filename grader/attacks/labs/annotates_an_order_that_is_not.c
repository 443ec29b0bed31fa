/* Tries to tell the order checker by its own notes that everything is ordered: releases, acquires and uses of memory.
 * Gains every check that fails for a race. */
static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    for (int i = 0; i < 100; i++) {
        lab_host_release(out);
        lab_host_acquire(out);
        lab_host_writes(out, (size_t)count * sizeof *out);
        lab_host_reads(in, (size_t)count * sizeof *in);
        lab_next_uses_host(out, (size_t)count * sizeof *out, true);
        lab_next_uses((lab_deviceptr)(uintptr_t)in, (size_t)-1, true);
    }
    return LAB_SUCCESS;
}
