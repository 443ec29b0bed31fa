/* What kernels find on the host, in front of them (host_kernels.py). */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
typedef struct adversary_dim {
    unsigned x, y, z;
} adversary_dim;
static _Thread_local adversary_dim threadIdx, blockIdx, blockDim, gridDim;
static unsigned adversary_atomic_add(unsigned *at, unsigned more)
{
    unsigned was = *at;
    *at += more;
    return was;
}
#define atomicAdd(at, more) adversary_atomic_add(at, more)
#define __device__
#define __shared__ static
/* A thread of a kernel with a barrier has a context of its own, and comes to the barrier by leaving it. One thread of
 * the host runs such kernels. */
enum { ADVERSARY_THREADS = 256, ADVERSARY_STACK = 32 << 10 };
static ucontext_t adversary_block, adversary_thread[ADVERSARY_THREADS];
static char adversary_stack[ADVERSARY_THREADS][ADVERSARY_STACK];
static void adversary_meet(void) { (void)swapcontext(&adversary_thread[threadIdx.x], &adversary_block); }
#define __syncthreads() adversary_meet()
/* A kernel's parameter: the size of an element and how many there are, in argument `counter` or as a number; whether
 * the kernel writes it, and whether it is the number of another's elements. */
typedef struct adversary_parameter {
    const char *kernel;
    int place;
    size_t size, number;
    int counter;
    bool writes, counts;
} adversary_parameter;
