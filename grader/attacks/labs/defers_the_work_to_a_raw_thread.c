/* Tries to do the whole work after the return in a thread that the harness does not see: made by the system call, not by
 * pthread_create. Gains the time of the work. */
#include <linux/sched.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The thread shares everything with its maker, also the thread-local data: only one of the two may call at a time. */
static char stack[1 << 20] __attribute__((aligned(64)));
static char kept[4096];
static attack_honest *work;

static int do_later(void *user)
{
    usleep(50000);
    work(kept);
    syscall(SYS_exit, 0);
    return 0;
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    work = honest;
    memcpy(kept, arguments, bytes < sizeof kept ? bytes : sizeof kept);
    clone(do_later, stack + sizeof stack,
          CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, NULL);
    return LAB_SUCCESS;
}
