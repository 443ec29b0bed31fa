/* Tries to begin again as a new program with the same sockets: to the check and to the device process.
 * Gains a fresh record, or two programs that speak to one device process. */
#include <fcntl.h>
#include <unistd.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    char *own[] = {"program", NULL};
    for (int file = 3; file < 64; file++) fcntl(file, F_SETFD, 0);
    execv("/proc/self/exe", own);
    return LAB_SUCCESS;
}
