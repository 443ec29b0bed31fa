/* The system calls of the process of kernels. Each is tried in a child, since the wrong ones end it. */
#include "test.h"

#include "kernels/system_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

typedef struct system_call {
    const char *name;
    long number, argument[6];
} system_call;

static void make(void *user)
{
    const system_call *call = user;
    if (!system_calls_limit()) _exit(9);
    const long *a = call->argument;
    syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);
    syscall(SYS_exit_group, 0);
}

static int try_call(system_call *call)
{
    char output[256];
    return test_in_child(make, call, output, sizeof output);
}

/* Files, processes, sockets, other processes' memory, and ways around a filter. */
Test(limit, calls_that_reach_out_end_the_process)
{
    static char name[] = "/etc/passwd", *nothing[] = {NULL};
    system_call calls[] = {
        {"openat", SYS_openat, {AT_FDCWD, (long)name, O_RDONLY}},
        {"openat2", 437, {AT_FDCWD, (long)name}},
        {"memfd_create", SYS_memfd_create, {(long)name, 0}},
        {"socket", SYS_socket, {AF_UNIX, SOCK_STREAM, 0}},
        {"socketpair", SYS_socketpair, {AF_UNIX, SOCK_STREAM, 0}},
        {"clone", SYS_clone, {SIGCHLD}},
        {"clone3", SYS_clone3, {0, 0}},
        {"execve", SYS_execve, {(long)name, (long)nothing, (long)nothing}},
        {"execveat", SYS_execveat, {AT_FDCWD, (long)name, (long)nothing, (long)nothing}},
        {"ptrace", SYS_ptrace, {0}},
        {"process_vm_readv", SYS_process_vm_readv, {1}},
        {"process_vm_writev", SYS_process_vm_writev, {1}},
        {"pidfd_open", SYS_pidfd_open, {1}},
        {"kill", SYS_kill, {0, 0}},
        {"tgkill of another", SYS_tgkill, {1, 1, 0}},
        {"read", SYS_read, {0}},
        {"write to another file", SYS_write, {3, (long)name, 1}},
        {"write to a file of 64 bits", SYS_write, {1L << 32 | 1, (long)name, 1}},
        {"writev", SYS_writev, {1}},
        {"sendmsg", SYS_sendmsg, {1}},
        {"ftruncate", SYS_ftruncate, {1, 0}},
        {"lseek", SYS_lseek, {1, 0, 0}},
        {"dup", SYS_dup, {1}},
        {"fcntl", SYS_fcntl, {1, F_GETFL}},
        {"ioctl", SYS_ioctl, {1, 0}},
        {"mmap of a file", SYS_mmap, {0, 4096, PROT_READ, MAP_SHARED, 1, 0}},
        {"mremap", SYS_mremap, {(long)name, 4096, 4096}},
        {"prctl", SYS_prctl, {0}},
        {"seccomp", SYS_seccomp, {0}},
        {"bpf", SYS_bpf, {0}},
        {"io_uring_setup", 425, {1, 0}},
        {"userfaultfd", SYS_userfaultfd, {0}},
        {"keyctl", SYS_keyctl, {0}},
        {"shmget", SYS_shmget, {0, 4096, 0}},
        {"unshare", SYS_unshare, {0}},
        {"sched_setaffinity", SYS_sched_setaffinity, {0}},
        {"setrlimit", SYS_prlimit64, {0}},
        {"timer_create", SYS_timer_create, {0}},
        {"rt_sigaction", SYS_rt_sigaction, {SIGSYS, 0, 0, 8}},
        {"rt_sigqueueinfo", SYS_rt_sigqueueinfo, {1, 0, 0}},
#ifdef __x86_64__
        {"open", SYS_open, {(long)name, O_RDONLY}},
        {"fork", SYS_fork, {0}},
        {"vfork", SYS_vfork, {0}},
        {"arch_prctl", SYS_arch_prctl, {0}},
        {"futex of the x32 processor", 0x40000000 | SYS_futex, {0}},
#endif
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const int status = try_call(&calls[i]);
        cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS, "%s: status %x", calls[i].name, (unsigned)status);
    }
}

Test(limit, calls_that_kernels_need_work)
{
    static char text[] = "x";
    static _Atomic unsigned word;
    system_call calls[] = {
        {"write", SYS_write, {1, (long)text, 1}},
        {"write of errors", SYS_write, {2, (long)text, 1}},
        {"mmap", SYS_mmap, {0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0}},
        {"futex", SYS_futex, {(long)&word, 1, 1}},
        {"sched_yield", SYS_sched_yield, {0}},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const int status = try_call(&calls[i]);
        cr_assert_eq(status, 0, "%s: status %x", calls[i].name, (unsigned)status);
    }
}

static void abort_within(void *unused)
{
    (void)unused;
    if (!system_calls_limit()) _exit(9);
    abort();
}

Test(limit, a_kernel_may_abort)
{
    char output[256];
    const int status = test_in_child(abort_within, NULL, output, sizeof output);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "status %x", (unsigned)status);
}
