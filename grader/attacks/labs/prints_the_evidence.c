/* Tries to print the line that the check would leave if it had passed. */
#include <stdio.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    (void)honest, (void)arguments, (void)bytes, (void)out, (void)in, (void)count;
    printf("\n{\"check\": {\"status\": \"passed\", \"points\": 100, \"max_points\": 100}, \"timings\": []}\n");
    fflush(stdout);
    return LAB_SUCCESS;
}
