/* Tries to do the work after the return in the handler of a timer's signal, when the program runs again.
 * Gains the time of the work. */
#include <signal.h>
#include <string.h>
#include <sys/time.h>

static char kept[4096];
static attack_honest *work;

static void do_later(int number) { work(kept); }

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const struct itimerval soon = {.it_value.tv_usec = 50000};
    work = honest;
    memcpy(kept, arguments, bytes < sizeof kept ? bytes : sizeof kept);
    signal(SIGALRM, do_later);
    return setitimer(ITIMER_REAL, &soon, NULL) ? LAB_ERROR_UNKNOWN : LAB_SUCCESS;
}
