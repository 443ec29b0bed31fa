/* Tries to recognise inputs that it has seen, by a sum over them, and to give the output of that time without any work.
 * Gains every call whose inputs come again. */
#include <string.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static float sums[64], outputs[64][1024];
    static int known;
    float sum = 0;
    const size_t part = (size_t)(count < 1024 ? count : 1024) * sizeof *out;
    for (int i = 0; i < count; i++) sum += in[i] * (float)(i % 13 + 1);
    for (int k = 0; k < known; k++) {
        if (sums[k] != sum) continue;
        memcpy(out, outputs[k], part);
        return LAB_SUCCESS;
    }
    if (known == 64) return LAB_SUCCESS;
    sums[known] = sum;
    memcpy(outputs[known++], out, part);
    return LAB_SUCCESS;
}
