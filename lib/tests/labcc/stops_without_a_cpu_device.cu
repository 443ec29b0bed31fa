// run LAB_DEVICE=cuda: the program has no code for a GPU; compile its files with labcc --gpu
#include <cstdio>

__global__ void set(int *number) { *number = 1; }

// Asks for no status, as programs do that would print a wrong number.
int main()
{
    int *number, result = 0;
    cudaMalloc(&number, sizeof result);
    set<<<1, 1>>>(number);
    cudaMemcpy(&result, number, sizeof result, cudaMemcpyDeviceToHost);
    std::printf("%d\n", result);
}
