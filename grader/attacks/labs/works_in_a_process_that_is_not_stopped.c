/* Tries to work while the check has stopped the program: a child of a child, in a session of its own, looks at the
 * shared memory for new inputs and writes there. Gains answers that were prepared before the clock starts. */
#include <sys/mman.h>
#include <unistd.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static int started;
    if (started++) return LAB_SUCCESS;
    if (fork() == 0) {
        setsid();
        if (fork() != 0) _exit(0);
        for (;;) {
            float sum = 0;
            for (int i = 0; i < count; i++) sum += in[i];
            out[0] = sum;
        }
    }
    usleep(20000);
    return LAB_SUCCESS;
}
