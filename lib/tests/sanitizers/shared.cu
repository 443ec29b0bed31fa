// Threads of a block that share memory. The lines that begin with //: are read by sanitizers_test.c: a kernel with its
// blocks, threads and bytes of dynamic shared memory; then what each check finds. "(a)" stands for a line of the kernel.

//: reverse_right 2 64 0
extern "C" __global__ void reverse_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int tile[64];
    const int t = threadIdx.x, base = blockIdx.x * 64;
    tile[t] = in[base + t];
    __syncthreads();
    out[base + t] = tile[63 - t];
}

//: reverse_without_barrier 2 64 0
//: racecheck the __shared__ variable 'tile' of 256 bytes, which thread
//: racecheck no __syncthreads() comes between (a) and (b)
//: initcheck the __shared__ variable 'tile' of 256 bytes, which nothing has written
extern "C" __global__ void reverse_without_barrier(int *out, const int *in, int *zero, int n)
{
    __shared__ int tile[64];
    const int t = threadIdx.x, base = blockIdx.x * 64;
    tile[t] = in[base + t];       // (a)
    out[base + t] = tile[63 - t]; // (b)
}

//: product_right 16 256 0
extern "C" __global__ void product_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int a[16][16], b[16][16];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    const int column = blockIdx.x % 4 * 16 + x, row = blockIdx.x / 4 * 16 + y;
    int sum = 0;
    for (int k = 0; k < 64; k += 16) {
        a[y][x] = in[row * 64 + k + x];
        b[y][x] = in[(k + y) * 64 + column];
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += a[y][i] * b[i][x];
        __syncthreads();
    }
    out[row * 64 + column] = sum;
}

//: product_without_second_barrier 16 256 0
//: reported ORNL/HeCBench issue 253: the next tile is loaded over one that others still read; right: product_right
//: racecheck no __syncthreads() comes between (c) and (b) of the next round
extern "C" __global__ void product_without_second_barrier(int *out, const int *in, int *zero, int n)
{
    __shared__ int a[16][16], b[16][16];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    const int column = blockIdx.x % 4 * 16 + x, row = blockIdx.x / 4 * 16 + y;
    int sum = 0;
    for (int k = 0; k < 64; k += 16) {
        a[y][x] = in[row * 64 + k + x];
        b[y][x] = in[(k + y) * 64 + column]; // (b)
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += a[y][i] * b[i][x]; // (c)
    }
    out[row * 64 + column] = sum;
}

//: reload_right 2 64 0
extern "C" __global__ void reload_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int tile[64];
    const int t = threadIdx.x, mine = in[blockIdx.x * 64 + t];
    int nearest = 1 << 30;
    for (int k = 0; k < 512; k += 64) {
        tile[t] = in[k + t];
        __syncthreads();
        for (int i = 0; i < 64; i++) nearest = min(nearest, (tile[i] ^ mine) + i);
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = nearest;
}

//: reload_without_second_barrier 2 64 0
//: reported apache/tvm pull 2937: the next round writes what others still read; right: reload_right
//: racecheck no __syncthreads() comes between (b) and (a) of the next round
extern "C" __global__ void reload_without_second_barrier(int *out, const int *in, int *zero, int n)
{
    __shared__ int tile[64];
    const int t = threadIdx.x, mine = in[blockIdx.x * 64 + t];
    int nearest = 1 << 30;
    for (int k = 0; k < 512; k += 64) {
        tile[t] = in[k + t]; // (a)
        __syncthreads();
        for (int i = 0; i < 64; i++) nearest = min(nearest, (tile[i] ^ mine) + i); // (b)
    }
    out[blockIdx.x * 64 + t] = nearest;
}

//: attention_right 2 64 512
extern "C" __global__ void attention_right(int *out, const int *in, int *zero, int n)
{
    extern __shared__ int memory[];
    int *key = memory, *value = memory + 64;
    const int t = threadIdx.x, query = in[blockIdx.x * 64 + t];
    int best = -(1 << 30), sum = 0;
    for (int k = 0; k < 1024; k += 64) {
        key[t] = in[k + t];
        value[t] = in[1024 + k + t];
        __syncthreads();
        for (int i = 0; i < 64; i++) {
            const int score = query * key[i] & 1023;
            sum = score > best ? sum / 2 + value[i] : sum + (value[i] >> (best - score & 15));
            best = max(best, score);
        }
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = sum;
}

//: attention_without_second_barrier 2 64 512
//: racecheck the dynamic shared memory of 512 bytes
//: racecheck no __syncthreads() comes between (c) and (a) of the next round
extern "C" __global__ void attention_without_second_barrier(int *out, const int *in, int *zero, int n)
{
    extern __shared__ int memory[];
    int *key = memory, *value = memory + 64;
    const int t = threadIdx.x, query = in[blockIdx.x * 64 + t];
    int best = -(1 << 30), sum = 0;
    for (int k = 0; k < 1024; k += 64) {
        key[t] = in[k + t]; // (a)
        value[t] = in[1024 + k + t];
        __syncthreads();
        for (int i = 0; i < 64; i++) {
            const int score = query * key[i] & 1023; // (c)
            sum = score > best ? sum / 2 + value[i] : sum + (value[i] >> (best - score & 15));
            best = max(best, score);
        }
    }
    out[blockIdx.x * 64 + t] = sum;
}

//: tree_right 4 128 0
extern "C" __global__ void tree_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int part[128];
    const int t = threadIdx.x;
    part[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

//: tree_without_barrier_in_loop 4 128 0
//: racecheck orders the threads at (a)
extern "C" __global__ void tree_without_barrier_in_loop(int *out, const int *in, int *zero, int n)
{
    __shared__ int part[128];
    const int t = threadIdx.x;
    part[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int s = 64; s > 0; s /= 2)
        if (t < s) part[t] += part[t + s]; // (a)
    __syncthreads();
    if (t == 0) out[blockIdx.x] = part[0];
}

//: tree_without_first_barrier 4 128 0
//: racecheck no __syncthreads() comes between (a) and (b)
//: initcheck 'part' of 512 bytes, which nothing has written
extern "C" __global__ void tree_without_first_barrier(int *out, const int *in, int *zero, int n)
{
    __shared__ int part[128];
    const int t = threadIdx.x;
    part[t] = in[blockIdx.x * 128 + t]; // (a)
    for (int s = 64; s > 0; s /= 2) {
        if (t < s) part[t] += part[t + s]; // (b)
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

//: scan_right 2 128 0
extern "C" __global__ void scan_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    x[t] = in[i];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        const int other = t >= d ? x[t - d] : 0;
        __syncthreads();
        x[t] += other;
        __syncthreads();
    }
    out[i] = x[t];
}

//: scan_in_place 2 128 0
//: reported ORNL/HeCBench issue 255: a scan reads and writes the same elements between two barriers; right: scan_right
//: racecheck orders the threads at (a)
extern "C" __global__ void scan_in_place(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    x[t] = in[i];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        if (t >= d) x[t] += x[t - d]; // (a)
        __syncthreads();
    }
    out[i] = x[t];
}

//: transpose_right 4 256 0
extern "C" __global__ void transpose_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int tile[16][17];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16, base = blockIdx.x * 256;
    tile[y][x] = in[base + threadIdx.x];
    __syncthreads();
    out[base + threadIdx.x] = tile[x][y];
}

//: transpose_with_syncwarp 4 256 0
//: racecheck no __syncthreads() comes between (a) and (b)
//: initcheck which nothing has written
extern "C" __global__ void transpose_with_syncwarp(int *out, const int *in, int *zero, int n)
{
    __shared__ int tile[16][17];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16, base = blockIdx.x * 256;
    tile[y][x] = in[base + threadIdx.x]; // (a)
    __syncwarp();
    out[base + threadIdx.x] = tile[x][y]; // (b)
}

//: histogram_right 4 64 0
extern "C" __global__ void histogram_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int bin[16];
    if (threadIdx.x < 16) bin[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bin[in[blockIdx.x * 64 + threadIdx.x] & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&zero[threadIdx.x], bin[threadIdx.x]);
}

//: histogram_without_first_barrier 4 64 0
//: reported hidet-org/hidet pull 325: others count before the counters are zero; right: histogram_right
//: racecheck no __syncthreads() comes between (a) and (b)
//: initcheck 'bin' of 64 bytes, which nothing has written
extern "C" __global__ void histogram_without_first_barrier(int *out, const int *in, int *zero, int n)
{
    __shared__ int bin[16];
    if (threadIdx.x < 16) bin[threadIdx.x] = 0;                 // (a)
    atomicAdd(&bin[in[blockIdx.x * 64 + threadIdx.x] & 15], 1); // (b)
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&zero[threadIdx.x], bin[threadIdx.x]);
}

//: histogram_without_second_barrier 4 64 0
//: racecheck no __syncthreads() comes between (b) and (c)
extern "C" __global__ void histogram_without_second_barrier(int *out, const int *in, int *zero, int n)
{
    __shared__ int bin[16];
    if (threadIdx.x < 16) bin[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bin[in[blockIdx.x * 64 + threadIdx.x] & 15], 1);            // (b)
    if (threadIdx.x < 16) atomicAdd(&zero[threadIdx.x], bin[threadIdx.x]); // (c)
}

//: histogram_without_atomics 4 64 0
//: reported numba/numba issue 4907: two threads add to one element of shared memory; right: histogram_right
//: racecheck orders the threads at (b)
extern "C" __global__ void histogram_without_atomics(int *out, const int *in, int *zero, int n)
{
    __shared__ int bin[16];
    if (threadIdx.x < 16) bin[threadIdx.x] = 0;
    __syncthreads();
    bin[in[blockIdx.x * 64 + threadIdx.x] & 15]++; // (b)
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&zero[threadIdx.x], bin[threadIdx.x]);
}

//: stencil_right 2 64 0
extern "C" __global__ void stencil_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[66];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    x[t + 1] = in[i];
    if (t == 0) x[0] = i > 0 ? in[i - 1] : 0;
    if (t == 63) x[65] = in[i + 1];
    __syncthreads();
    out[i] = x[t] + x[t + 1] + x[t + 2];
}

//: stencil_without_barrier 2 64 0
//: racecheck 'x' of 264 bytes, which thread
//: initcheck 'x' of 264 bytes, which nothing has written
extern "C" __global__ void stencil_without_barrier(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[66];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    x[t + 1] = in[i];
    if (t == 0) x[0] = i > 0 ? in[i - 1] : 0;
    if (t == 63) x[65] = in[i + 1];
    out[i] = x[t] + x[t + 1] + x[t + 2];
}

//: broadcast_right 2 64 0
extern "C" __global__ void broadcast_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int first;
    if (threadIdx.x == 0) first = in[blockIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = first;
}

//: broadcast_without_barrier 2 64 0
//: reported ORNL/HeCBench issue 254: one thread writes a result, and all read it at once; right: broadcast_right
//: racecheck at the beginning of the __shared__ variable 'first' of 4 bytes, which thread [0,0,0] writes at (a)
//: racecheck no __syncthreads() comes between (a) and (b)
extern "C" __global__ void broadcast_without_barrier(int *out, const int *in, int *zero, int n)
{
    __shared__ int first;
    if (threadIdx.x == 0) first = in[blockIdx.x];       // (a)
    out[blockIdx.x * 64 + threadIdx.x] = first; // (b)
}

//: same_value_right 2 64 0
extern "C" __global__ void same_value_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    if (in[blockIdx.x * 64 + threadIdx.x] % 3 == 0) found = 1;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = found;
}

//: different_values 2 64 0
//: racecheck a race (write after write): no
extern "C" __global__ void different_values(int *out, const int *in, int *zero, int n)
{
    __shared__ int found;
    if (threadIdx.x == 0) found = -1;
    __syncthreads();
    if (in[blockIdx.x * 64 + threadIdx.x] % 3 == 0) found = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = found;
}

//: two_buffers_right 2 64 0
extern "C" __global__ void two_buffers_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int buffer[2][64];
    const int t = threadIdx.x;
    int sum = 0;
    for (int k = 0; k < 8; k++) {
        buffer[k & 1][t] = in[k * 64 + t];
        __syncthreads();
        sum += buffer[k & 1][(t + 17) % 64] << (k & 3);
    }
    out[blockIdx.x * 64 + t] = sum;
}

//: one_buffer_of_two 2 64 0
//: racecheck no __syncthreads() comes between (b) and (a) of the next round
extern "C" __global__ void one_buffer_of_two(int *out, const int *in, int *zero, int n)
{
    __shared__ int buffer[2][64];
    const int t = threadIdx.x;
    int sum = 0;
    for (int k = 0; k < 8; k++) {
        buffer[k / 2 & 1][t] = in[k * 64 + t]; // (a)
        __syncthreads();
        sum += buffer[k / 2 & 1][(t + 17) % 64] << (k & 3); // (b)
    }
    out[blockIdx.x * 64 + t] = sum;
}

//: sort_right 2 64 0
extern "C" __global__ void sort_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[64];
    const int t = threadIdx.x;
    x[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int k = 2; k <= 64; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            const int other = t ^ j;
            if (other > t && (x[t] > x[other]) == ((t & k) == 0)) {
                const int y = x[t];
                x[t] = x[other];
                x[other] = y;
            }
            __syncthreads();
        }
    out[blockIdx.x * 64 + t] = x[t];
}

//: sort_with_barrier_in_outer_loop 2 64 0
//: racecheck 'x' of 256 bytes, which thread
extern "C" __global__ void sort_with_barrier_in_outer_loop(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[64];
    const int t = threadIdx.x;
    x[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int k = 2; k <= 64; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            const int other = t ^ j;
            if (other > t && (x[t] > x[other]) == ((t & k) == 0)) {
                const int y = x[t];
                x[t] = x[other];
                x[other] = y;
            }
        }
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = x[t];
}

//: bytes_right 2 64 0
extern "C" __global__ void bytes_right(int *out, const int *in, int *zero, int n)
{
    __shared__ char x[64];
    const int t = threadIdx.x;
    x[t] = (char)in[t];
    x[t] += 1;
    __syncthreads();
    out[blockIdx.x * 64 + t] = x[63 - t];
}

//: bytes_of_a_neighbour 2 64 0
//: racecheck 1 byte
extern "C" __global__ void bytes_of_a_neighbour(int *out, const int *in, int *zero, int n)
{
    __shared__ char x[65];
    const int t = threadIdx.x;
    x[t] = (char)in[t];
    x[t + 1] = (char)(in[t] + 5);
    __syncthreads();
    out[blockIdx.x * 64 + t] = x[t];
}

//: next_block_right 8 64 0
extern "C" __global__ void next_block_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[64];
    for (int b = blockIdx.x; b < 32; b += gridDim.x) {
        x[threadIdx.x] = in[b * 64 + threadIdx.x];
        __syncthreads();
        out[b * 64 + threadIdx.x] = x[threadIdx.x ^ 33];
        __syncthreads();
    }
}
