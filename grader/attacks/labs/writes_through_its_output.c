/* Tries to turn standard output into one descriptor after another. What it prints then answers its check,
 * or changes the code of compiled kernels. */
#include <stdio.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static const char message[8192] = {1, 0, 0, 0, 3};
    (void)honest, (void)arguments, (void)bytes, (void)out, (void)in, (void)count;
    fflush(stdout);
    for (int descriptor = 3; descriptor < 32; descriptor++) {
        stdout->_fileno = descriptor;
        fwrite(message, sizeof message, 1, stdout);
        fflush(stdout);
        stdout->_flags &= ~0x20; /* the error that it had */
    }
    stdout->_fileno = 1;
    return LAB_SUCCESS;
}
