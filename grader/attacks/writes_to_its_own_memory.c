/* Tries to write the expected values through the file that represents its own memory.
 * Beats a naive harness by: points.  Verdict: build error. */
#include "toylab.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

extern float expected[];

lab_status toy_run(float *out, const float *in, int count)
{
    int memory = open("/proc/self/mem", O_RDWR);
    (void)in;
    memset(out, 0, (size_t)count * sizeof *out);
    ssize_t ignored = pwrite(memory, out, (size_t)count * sizeof *out, (off_t)(size_t)expected);
    (void)ignored;
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
