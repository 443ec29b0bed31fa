// refused: refuses_assembly.cu:5: error: inline assembly is a GPU's own, and the CPU device cannot run it
__global__ void lane(int *out)
{
    int number;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(number));
    *out = number;
}
int main() { lane<<<1, 1>>>(nullptr); }
