// options: -rdc=true %D/parts/linked_other.cu -I%D/parts
// run LAB_DEVICE=cpu: the device code of its files cannot be linked
// run LAB_DEVICE=cpu: 'weights': symbol multiply defined!
#include "linked.h"
__constant__ int weights[3];
__device__ float counted(float x) { return x; }
__device__ int calls;
__managed__ int shared_count;

int main()
{
    float *x;
    cudaMalloc(&x, sizeof *x);
    other_step(x);
}
