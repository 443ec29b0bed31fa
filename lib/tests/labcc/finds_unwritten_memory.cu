// run LAB_INITCHECK=1: finds_unwritten_memory.cu:6: reads 4 bytes
// run LAB_INITCHECK=1: the launch is at finds_unwritten_memory.cu:12
__constant__ float factor = 2;
__global__ void scale(const float *in, float *out)
{
    out[threadIdx.x] = factor * in[threadIdx.x];
}
int main()
{
    float *x;
    cudaMalloc(&x, 64 * sizeof *x);
    scale<<<1, 32>>>(x, x + 32);
    return cudaDeviceSynchronize() != cudaSuccess;
}
