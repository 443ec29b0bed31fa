/* Tries to be slow at first and skip the work later, so that fewer repeats are made and the later ones look fast.
 * Gains a better time. The outputs of later calls are missing. */
#include <unistd.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static int calls;
    if (calls++ > 2) return LAB_SUCCESS;
    usleep(300000);
    return honest(arguments);
}
