/* The table of system calls; see system_calls.h. */
#include "system_calls.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

const system_call_rule system_call_rules[] = {
    {SCMP_ACT_ALLOW,
     "read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 open openat openat2 creat close "
     "close_range lseek sendfile copy_file_range readahead fadvise64 fallocate truncate ftruncate fsync fdatasync sync "
     "syncfs sync_file_range flock fcntl dup dup2 dup3 pipe pipe2 umask",
     "files and pipes"},
    {SCMP_ACT_ALLOW,
     "stat fstat lstat newfstatat statx statfs fstatfs access faccessat faccessat2 readlink readlinkat getcwd chdir "
     "fchdir getdents getdents64 mkdir mkdirat rmdir rename renameat renameat2 link linkat symlink symlinkat unlink "
     "unlinkat chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes utimensat futimesat getxattr "
     "lgetxattr fgetxattr listxattr llistxattr flistxattr inotify_init inotify_init1 inotify_add_watch "
     "inotify_rm_watch",
     "names of files"},
    {SCMP_ACT_ALLOW, "ioctl", "the GPU's driver; there is no terminal to type into"},
    {SCMP_ACT_ALLOW, "mknod mknodat", "pipes with a name; nvidia-modprobe tries devices, which need a capability"},
    {SCMP_ACT_ALLOW,
     "brk mmap munmap mremap mprotect madvise msync mincore mlock mlock2 mlockall munlock munlockall membarrier "
     "memfd_create pkey_alloc pkey_free pkey_mprotect map_shadow_stack",
     "memory"},
    {SCMP_ACT_ALLOW, "get_mempolicy set_mempolicy mbind", "CUDA places pinned memory near its GPU"},
    {SCMP_ACT_ALLOW,
     "fork vfork execve execveat exit exit_group wait4 waitid getpid getppid gettid getpgid getpgrp getsid setsid "
     "setpgid kill tkill tgkill pidfd_open pidfd_send_signal set_tid_address set_robust_list get_robust_list rseq "
     "arch_prctl prctl seccomp capget restart_syscall",
     "processes and threads, of which only the job's own are visible"},
    {SCMP_ACT_ALLOW,
     "futex futex_waitv futex_wake futex_wait futex_requeue sched_yield sched_getaffinity sched_setaffinity "
     "sched_getparam sched_setparam sched_getscheduler sched_setscheduler sched_get_priority_max "
     "sched_get_priority_min sched_rr_get_interval sched_getattr sched_setattr getpriority setpriority getcpu",
     "waiting and scheduling; CUDA sets both for its threads"},
    {SCMP_ACT_ALLOW,
     "rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait rt_sigqueueinfo "
     "rt_tgsigqueueinfo sigaltstack signalfd signalfd4 pause alarm setitimer getitimer timer_create timer_settime "
     "timer_gettime timer_getoverrun timer_delete timerfd_create timerfd_settime timerfd_gettime",
     "signals and timers"},
    {SCMP_ACT_ALLOW,
     "poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd "
     "eventfd2",
     "waiting for descriptors"},
    {SCMP_ACT_ALLOW,
     "socketpair connect bind listen accept accept4 getsockname getpeername getsockopt setsockopt shutdown sendto "
     "recvfrom sendmsg recvmsg sendmmsg recvmmsg",
     "the socket to the check, and CUDA's to its daemons"},
    {SCMP_ACT_ALLOW,
     "clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times getrandom uname sysinfo getrlimit "
     "setrlimit prlimit64 getrusage getuid geteuid getgid getegid getgroups getresuid getresgid",
     "the clock, and questions about the system and itself"},
    {SCMP_ACT_ALLOW, "process_vm_readv process_vm_writev",
     "the library's copies in memory that may be gone; other processes than the job's are out of sight"},

    {SCMP_ACT_ERRNO(ENOSYS), "clone3", "its flags are in memory, which no filter sees; the C library takes clone"},
    {SCMP_ACT_ERRNO(EPERM), "personality", "turns off random addresses; sanitizers and debuggers try it"},
    {SCMP_ACT_ERRNO(EPERM), "move_pages migrate_pages", "move pages of other processes; numactl tries it"},
    {SCMP_ACT_ERRNO(EPERM), "kcmp pidfd_getfd process_madvise", "look into other processes; drivers may ask"},
    {SCMP_ACT_KILL_PROCESS, "keyctl add_key request_key", "a key outlives its job, and the next job reads it"},
    {SCMP_ACT_KILL_PROCESS, "ptrace", "controls other processes"},
    {SCMP_ACT_KILL_PROCESS, "userfaultfd", "stops the kernel where a race wants it"},
    {SCMP_ACT_KILL_PROCESS, "bpf perf_event_open", "programs and counters in the kernel"},
    {SCMP_ACT_KILL_PROCESS, "io_uring_setup io_uring_enter io_uring_register", "makes calls that no filter sees"},
    {SCMP_ACT_KILL_PROCESS,
     "mount umount2 pivot_root chroot move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr "
     "open_by_handle_at",
     "changes or leaves the view of files"},
    {SCMP_ACT_KILL_PROCESS, "unshare setns", "new namespaces bring capabilities"},
    {SCMP_ACT_KILL_PROCESS, "kexec_load kexec_file_load init_module finit_module delete_module",
     "the kernel's own code"},
    {SCMP_ACT_KILL_PROCESS,
     "reboot swapon swapoff acct quotactl syslog vhangup iopl ioperm sethostname setdomainname settimeofday "
     "clock_settime adjtimex clock_adjtime fanotify_init lookup_dcookie",
     "the whole machine's; no program of a lab has a reason"},
    {0, NULL, NULL},
};

/* Calls that depend on an argument: allowed where it has this value under the mask, otherwise ENOSYS. */
static const struct {
    const char *name;
    unsigned argument;
    uint64_t mask, value;
    const char *why;
} allowed_with[] = {
    {"clone", 0,
     CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP, 0,
     "threads and processes, without namespaces"},
    {"socket", 0, UINT32_MAX, AF_UNIX, "the GPU driver's daemons"},
    {"socket", 0, UINT32_MAX, AF_INET, "fails by itself: there is no network"},
    {"socket", 0, UINT32_MAX, AF_INET6, "fails by itself"},
    {"socket", 0, UINT32_MAX, AF_NETLINK, "lists the interfaces, of which there is one"},
};

static const uint32_t otherwise = SCMP_ACT_ERRNO(ENOSYS);

static int add_names(scmp_filter_ctx filter, uint32_t action, const char *names)
{
    int failed = 0;
    char *list = strdup(names), *rest = list;
    if (!list) return -ENOMEM;
    for (const char *name; !failed && (name = strsep(&rest, " "));) {
        int number = seccomp_syscall_resolve_name(name);
        if (number >= 0 && action != otherwise) failed = seccomp_rule_add(filter, action, number, 0);
    }
    free(list);
    return failed;
}

static int add_rules(scmp_filter_ctx filter, system_calls_network network)
{
    int failed = 0;
    for (const system_call_rule *rule = system_call_rules; !failed && rule->names; rule++)
        failed = add_names(filter, rule->action, rule->names);
    for (size_t i = 0; !failed && i < sizeof allowed_with / sizeof *allowed_with; i++) {
        const struct scmp_arg_cmp is =
            SCMP_CMP64(allowed_with[i].argument, SCMP_CMP_MASKED_EQ, allowed_with[i].mask, allowed_with[i].value);
        int number = seccomp_syscall_resolve_name(allowed_with[i].name);
        if (network == SYSTEM_CALLS_SHARED_NETWORK && strcmp(allowed_with[i].name, "socket") == 0) continue;
        failed = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, 1, &is);
    }
    return failed;
}

/* Writes the filter as the kernel takes it. */
static bool export(char **out, size_t *bytes, scmp_filter_ctx filter, grader_fault *fault)
{
    struct stat status;
    int file = memfd_create("filter", MFD_CLOEXEC);
    bool whole = file >= 0 && seccomp_export_bpf(filter, file) == 0 && fstat(file, &status) == 0;
    *bytes = whole ? (size_t)status.st_size : 0;
    *out = whole ? malloc(*bytes) : NULL;
    whole = *out && pread(file, *out, *bytes, 0) == (ssize_t)*bytes;
    if (file >= 0) close(file);
    if (whole) return true;
    free(*out);
    return fault_set(fault, "cannot write down the filter of system calls");
}

bool system_calls_filter(char **out, size_t *bytes, system_calls_network network, grader_fault *fault)
{
    scmp_filter_ctx filter = seccomp_init(otherwise);
    if (!filter) return fault_memory(fault, "the filter of system calls");
    /* Calls for another processor, by which 32-bit programs would go around the table. */
    int failed = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    if (!failed) failed = add_rules(filter, network);
    bool made = failed ? fault_set(fault, "cannot make the filter of system calls: %s", strerror(-failed))
                       : export(out, bytes, filter, fault);
    seccomp_release(filter);
    return made;
}
