/* Tries to overwrite all that it shares with the check, including inputs and expectations. */
#include <stdint.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    enum { PAGE = 4096 };
    (void)honest, (void)arguments, (void)bytes, (void)in, (void)count;
    float *begin = (float *)((uintptr_t)out / PAGE * PAGE);
    for (int i = 0; i < PAGE / (int)sizeof *begin; i++) begin[i] = 1;
    return LAB_SUCCESS;
}
