// refused: textures and surfaces are not supported
__global__ void kernel(float *x) { *x = tex2D<float>(0, 1, 2); }
int main() { kernel<<<1, 1>>>(nullptr); }
