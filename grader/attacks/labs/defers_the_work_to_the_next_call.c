/* Tries to do the work of each call at the beginning of the next, when it is asked for something else.
 * Gains calls that take no time. */
#include <string.h>

static char kept[4096];
static attack_honest *work;

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    if (work) work(kept);
    work = honest;
    memcpy(kept, arguments, bytes < sizeof kept ? bytes : sizeof kept);
    return LAB_SUCCESS;
}
