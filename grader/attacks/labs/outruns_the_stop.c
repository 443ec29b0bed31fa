/* Tries to escape from being stopped: a chain of processes, each of which forks the next and ends, so that a list of all
 * processes is never complete. Gains work between the calls. */
#include <time.h>
#include <unistd.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const time_t end = time(NULL) + 3;
    if (fork() == 0) {
        while (time(NULL) < end) {
            if (fork() != 0) _exit(0);
            out[0] += 1;
        }
        _exit(0);
    }
    return LAB_SUCCESS;
}
