/* Tries to stop itself and all its threads, so that nobody answers the device process or the check any more.
 * Gains a check without end. */
#include <signal.h>
#include <unistd.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    kill(0, SIGSTOP);
    kill(getpid(), SIGSTOP);
    return LAB_SUCCESS;
}
