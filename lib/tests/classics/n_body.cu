// The acceleration of each body by all others, softened: a block holds a tile of bodies at a time in shared memory.
extern "C" __global__ void n_body(const float4 *body, float4 *acceleration, int n)
{
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = i < n ? body[i] : make_float4(0, 0, 0, 0);
    float3 sum = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += blockDim.x) {
        int other = first + threadIdx.x;
        tile[threadIdx.x] = other < n ? body[other] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++) {
            float x = tile[k].x - own.x, y = tile[k].y - own.y, z = tile[k].z - own.z;
            float inverse = rsqrtf(x * x + y * y + z * z + 0.01f);
            float pull = tile[k].w * inverse * inverse * inverse;
            sum.x += x * pull;
            sum.y += y * pull;
            sum.z += z * pull;
        }
        __syncthreads();
    }
    if (i < n) acceleration[i] = make_float4(sum.x, sum.y, sum.z, 0);
}
