/* Tries to get the size of the shared memory from the harness and look through all of it. */
#include <string.h>

size_t worker_memory_bytes(void);

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    (void)honest, (void)arguments, (void)bytes, (void)in, (void)count;
    memset(out, 0, worker_memory_bytes());
    return LAB_SUCCESS;
}
