/* Tries to keep the compiler of the device process busy for ever, with a new kernel in each round.
 * Gains time that is not counted as the submission's, and the disk of the cache. */
#include <stdio.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    char source[200];
    lab_module *module;
    for (int i = 0; i < 100000; i++) {
        snprintf(source, sizeof source, "extern \"C\" __global__ void k(int *x) { *x = %d; }", i);
        lab_module_load_source(&module, source, "k");
    }
    return LAB_SUCCESS;
}
