// Accesses that miss their memory, and reads of memory that nothing has written.

//: guarded_right 5 64 0
extern "C" __global__ void guarded_right(int *out, const int *in, int *zero, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i < 300) out[i] = in[i];
}

//: past_the_end 65 64 0
//: any just past the end of the 16384 bytes allocated at launch.h
extern "C" __global__ void past_the_end(int *out, const int *in, int *zero, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i <= n) out[i] = 1;
}

//: before_the_beginning 1 64 0
//: any 4 bytes before the beginning of the 16384 bytes allocated at launch.h
extern "C" __global__ void before_the_beginning(int *out, const int *in, int *zero, int n)
{
    out[threadIdx.x] = in[(int)threadIdx.x - 1];
}

//: past_shared_memory 1 64 0
//: any the __shared__ variable 'x' of 256 bytes
extern "C" __global__ void past_shared_memory(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[64];
    x[threadIdx.x + 1] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = x[threadIdx.x];
}

//: past_dynamic_shared_memory 1 64 128
//: any the dynamic shared memory of 128 bytes
extern "C" __global__ void past_dynamic_shared_memory(int *out, const int *in, int *zero, int n)
{
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = dynamic[63 - threadIdx.x];
}

//: misaligned 1 64 0
//: any which is no multiple of 8
extern "C" __global__ void misaligned(int *out, const int *in, int *zero, int n)
{
    ((long long *)(out + 1))[threadIdx.x] = 1;
}

//: reads_its_result 1 64 0
//: reported ORNL/HeCBench pull 289: a kernel adds to memory that nothing has written; right: reads_its_result_later_right
//: initcheck reads 4 bytes, at the beginning of the 16384 bytes allocated at launch.h
extern "C" __global__ void reads_its_result(int *out, const int *in, int *zero, int n)
{
    out[threadIdx.x] += in[threadIdx.x];
}

//: reads_its_result_later_right 1 64 0
extern "C" __global__ void reads_its_result_later_right(int *out, const int *in, int *zero, int n)
{
    out[threadIdx.x] = 0;
    for (int i = 0; i < 4; i++) out[threadIdx.x] += in[threadIdx.x + i];
}

//: writes_half_of_it 1 64 0
//: initcheck 256 bytes into the 16384 bytes allocated at launch.h
extern "C" __global__ void writes_half_of_it(int *out, const int *in, int *zero, int n)
{
    out[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32) zero[threadIdx.x] = out[2 * threadIdx.x] + out[64 + threadIdx.x];
}

//: tile_with_a_rest 1 64 0
//: initcheck into the __shared__ variable 'tile' of 256 bytes, which nothing has written
extern "C" __global__ void tile_with_a_rest(int *out, const int *in, int *zero, int n)
{
    __shared__ int tile[64];
    if (threadIdx.x < 48) tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

//: tile_with_zeros_right 1 64 0
extern "C" __global__ void tile_with_zeros_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x < 48 ? in[threadIdx.x] : 0;
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

//: shared_counter_from_nothing 1 64 0
//: reported numba/numba issue 6076: shared memory holds what the kernel before has left; right: exchanged_before_it_is_read_right
//: initcheck atomically updates 4 bytes, at the beginning of the __shared__ variable 'count' of 4 bytes
extern "C" __global__ void shared_counter_from_nothing(int *out, const int *in, int *zero, int n)
{
    __shared__ int count;
    atomicAdd(&count, in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = count;
}

//: halo_from_nothing 2 64 0
//: initcheck the __shared__ variable 'x' of 264 bytes, which nothing has written
extern "C" __global__ void halo_from_nothing(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[66];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    x[t + 1] = in[i];
    __syncthreads();
    out[i] = x[t] + x[t + 1] + x[t + 2];
}

struct item {
    char kind;
    int value;
};

//: padding_right 1 64 0
extern "C" __global__ void padding_right(int *out, const int *in, int *zero, int n)
{
    item *made = (item *)out;
    made[threadIdx.x].kind = 1;
    made[threadIdx.x].value = in[threadIdx.x];
    __syncthreads();
    ((item *)zero)[threadIdx.x] = made[63 - threadIdx.x];
}

__device__ int written_by_the_loader[64];

//: module_variable_right 1 64 0
extern "C" __global__ void module_variable_right(int *out, const int *in, int *zero, int n)
{
    out[threadIdx.x] = written_by_the_loader[63 - threadIdx.x];
}

//: exchanged_before_it_is_read_right 1 64 0
extern "C" __global__ void exchanged_before_it_is_read_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[64];
    atomicExch(&x[threadIdx.x], in[threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = x[63 - threadIdx.x];
}

//: copies_cells_that_nothing_has_written_right 1 64 0
extern "C" __global__ void copies_cells_that_nothing_has_written_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[64], y[64];
    const int t = threadIdx.x;
    if (t < 50) x[t] = in[t];
    __syncthreads();
    y[t] = x[t];
    __syncthreads();
    if (t < 50) out[t] = y[t];
}

//: reads_a_copy_of_what_nothing_has_written 1 64 0
//: initcheck reads 4 bytes, 200 bytes into the __shared__ variable 'y' of 256 bytes, which nothing has written;
extern "C" __global__ void reads_a_copy_of_what_nothing_has_written(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[64], y[64];
    const int t = threadIdx.x;
    if (t < 50) x[t] = in[t];
    y[t] = 0;
    __syncthreads();
    y[t] = x[t];
    __syncthreads();
    out[t] = y[t]; // (a)
}

//: sums_that_nobody_reads_right 1 64 0
extern "C" __global__ void sums_that_nobody_reads_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[128];
    const int t = threadIdx.x;
    x[t] = in[t];
    __syncthreads();
    for (int s = 32; s > 0; s /= 2) {
        const int sum = x[t] + x[t + s];
        __syncthreads();
        x[t] = sum;
        __syncthreads();
    }
    if (t == 0) out[0] = x[0];
}

//: sum_of_what_nothing_has_written 1 64 0
//: initcheck 'x' of 512 bytes, which nothing has written
extern "C" __global__ void sum_of_what_nothing_has_written(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[128];
    const int t = threadIdx.x;
    x[t] = in[t];
    __syncthreads();
    for (int s = 32; s > 0; s /= 2) {
        const int sum = x[t] + x[t + s];
        __syncthreads();
        x[t] = sum;
        __syncthreads();
    }
    if (t <= 1) out[t] = x[t];
}

//: discards_what_nothing_has_written_right 1 64 64
extern "C" __global__ void discards_what_nothing_has_written_right(int *out, const int *in, int *zero, int n)
{
    extern __shared__ float some[];
    __shared__ float x[64];
    const int t = threadIdx.x;
    if (t < 16) some[t] = in[t];
    if (t < 48) x[t] = in[t];
    __syncthreads();
    float sum = 2 * x[t] + some[t % 16];
    if (t >= 48) sum = 0;
    out[t] = sum;
    const float again = x[t];
    out[64 + t] = t < 48 ? again : 1;
}

//: decides_by_what_nothing_has_written 1 64 0
//: initcheck 192 bytes into the __shared__ variable 'x' of 256 bytes, which nothing has written, and uses the value at (b)
extern "C" __global__ void decides_by_what_nothing_has_written(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[64];
    const int t = threadIdx.x;
    if (t < 48) x[t] = in[t];
    __syncthreads();
    int twice = x[t];
    twice *= 2;
    if (twice > 3) out[t] = 1; // (b)
}

//: an_address_that_nothing_has_written 1 64 0
//: initcheck 192 bytes into the __shared__ variable 'x' of 256 bytes, which nothing has written
extern "C" __global__ void an_address_that_nothing_has_written(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[64];
    const int t = threadIdx.x;
    if (t < 48) x[t] = in[t];
    __syncthreads();
    out[t] = in[x[t] & 63];
}

//: exchanges_cells_right 1 64 0
extern "C" __global__ void exchanges_cells_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[64];
    const int t = threadIdx.x;
    if (t < 48) x[t] = in[t];
    __syncthreads();
    if (t < 32) {
        const int mine = x[t];
        x[t] = x[63 - t];
        x[63 - t] = mine;
    }
    __syncthreads();
    if (t >= 16) out[t] = x[t];
}

//: reads_an_exchanged_cell 1 64 0
//: initcheck 60 bytes into the __shared__ variable 'x' of 256 bytes, which nothing has written
extern "C" __global__ void reads_an_exchanged_cell(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[64];
    const int t = threadIdx.x;
    if (t < 48) x[t] = in[t];
    __syncthreads();
    if (t < 32) {
        const int mine = x[t];
        x[t] = x[63 - t];
        x[63 - t] = mine;
    }
    __syncthreads();
    if (t >= 15) out[t] = x[t];
}
