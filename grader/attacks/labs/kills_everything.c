/* Tries to end or stop whoever it can reach: its parents, its group, all processes, and the owner of the other end of its
 * sockets. Gains a check without verdict. */
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    struct ucred peer;
    socklen_t size;
    signal(SIGTERM, SIG_IGN);
    for (int file = 0; file < 32; file++) {
        size = sizeof peer;
        if (getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 1) kill(peer.pid, SIGKILL);
        fcntl(file, F_SETOWN, getppid());
        fcntl(file, F_SETSIG, SIGKILL);
        fcntl(file, F_SETFL, O_ASYNC);
    }
    for (pid_t process = 1; process < 400; process++)
        if (process != getpid()) syscall(SYS_tgkill, process, process, SIGKILL);
    kill(getppid(), SIGSTOP);
    kill(-getppid(), SIGKILL);
    kill(-1, SIGTERM);
    return LAB_SUCCESS;
}
