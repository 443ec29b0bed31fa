/* Tries calls by which others have gone around filters: rings, stopped page faults, programs in the kernel, the calls of
 * 32-bit programs. Gains any call. Each of them must end the process, one at a time. */
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static char room[4096];
    const long calls[] = {SYS_io_uring_setup, SYS_userfaultfd, SYS_bpf,    SYS_perf_event_open, SYS_unshare,
                          SYS_mount,          SYS_ptrace,      SYS_setns,  SYS_keyctl,          SYS_open_by_handle_at,
                          SYS_personality,    SYS_pidfd_getfd, SYS_kcmp,   SYS_process_madvise, SYS_clone3,
                          SYS_chroot,         SYS_pivot_root,  SYS_reboot, SYS_init_module,     SYS_clock_settime};
    for (int i = 0; i < 20; i++) {
        int status;
        const pid_t child = fork();
        if (child == 0) {
            syscall(calls[i], i == 4 ? 0x10000000l : 1l, room, room, room, room, room);
            _exit(0);
        }
        if (child > 0) waitpid(child, &status, 0);
    }
#ifdef __x86_64__
    if (fork() == 0) __asm__ volatile("int $0x80" : : "a"(20));
    if (fork() == 0) __asm__ volatile("syscall" : : "a"(0x40000000 + 39) : "rcx", "r11");
#endif
    return LAB_SUCCESS;
}
