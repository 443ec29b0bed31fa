// refused: refuses_other_files.cu:3: error: halve is declared, but not defined in this file
__device__ float halve(float);
__global__ void kernel(float *x) { *x = halve(*x); }
int main() { kernel<<<1, 1>>>(nullptr); }
