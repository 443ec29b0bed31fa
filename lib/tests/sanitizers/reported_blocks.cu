// What others reported of the threads of a block, in the fewest lines that have the mistake; the kernel whose name also
// ends in _right is the same without it. "reported" says where, and then what is wrong.

__device__ int sum_of_block(int *scratch, int value, bool with_barrier)
{
    if (with_barrier) __syncthreads();
    scratch[threadIdx.x] = value; // (w)
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 64; i++) sum += scratch[i]; // (r)
    return sum;
}

//: scratch_of_two_reductions 2 64 0
//: reported NVIDIA/Fuser pull 489: the second call of a reduction writes the scratch that the first still reads
//: racecheck a race (
extern "C" __global__ void scratch_of_two_reductions(int *out, const int *in, int *zero, int n)
{
    __shared__ int scratch[64];
    const int first = sum_of_block(scratch, in[threadIdx.x], false);
    out[blockIdx.x * 64 + threadIdx.x] = first - sum_of_block(scratch, in[64 + threadIdx.x], false);
}

//: scratch_of_two_reductions_right 2 64 0
extern "C" __global__ void scratch_of_two_reductions_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int scratch[64];
    const int first = sum_of_block(scratch, in[threadIdx.x], true);
    out[blockIdx.x * 64 + threadIdx.x] = first - sum_of_block(scratch, in[64 + threadIdx.x], true);
}

union phases {
    int rows[64];
    short keys[128];
};

//: union_of_two_phases 2 64 0
//: reported NVIDIA/cccl pull 2699: two phases share their memory in a union, and the second begins without a barrier
//: racecheck no __syncthreads() comes between (a) and (b)
extern "C" __global__ void union_of_two_phases(int *out, const int *in, int *zero, int n)
{
    __shared__ phases both;
    const int t = threadIdx.x;
    both.rows[t] = in[t];
    __syncthreads();
    const int other = both.rows[63 - t]; // (a)
    both.keys[2 * t] = other;            // (b)
    __syncthreads();
    out[blockIdx.x * 64 + t] = both.keys[2 * (t ^ 1)];
}

//: union_of_two_phases_right 2 64 0
extern "C" __global__ void union_of_two_phases_right(int *out, const int *in, int *zero, int n)
{
    __shared__ phases both;
    const int t = threadIdx.x;
    both.rows[t] = in[t];
    __syncthreads();
    const int other = both.rows[63 - t];
    __syncthreads();
    both.keys[2 * t] = other;
    __syncthreads();
    out[blockIdx.x * 64 + t] = both.keys[2 * (t ^ 1)];
}

//: parts_of_shared_memory_overlap 1 64 800
//: reported Xtra-Computing/thundersvm issue 99: the second part of dynamic memory begins before the end of the first
//: racecheck a race (
extern "C" __global__ void parts_of_shared_memory_overlap(int *out, const int *in, int *zero, int n)
{
    extern __shared__ double parts[];
    int *index = (int *)parts;
    double *value = parts + 16; // 32 numbers of int, though there are 64
    index[threadIdx.x] = 63 - threadIdx.x;
    value[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = (int)value[index[threadIdx.x] & 63];
}

//: parts_of_shared_memory_overlap_right 1 64 800
extern "C" __global__ void parts_of_shared_memory_overlap_right(int *out, const int *in, int *zero, int n)
{
    extern __shared__ double parts[];
    int *index = (int *)parts;
    double *value = parts + 32;
    index[threadIdx.x] = 63 - threadIdx.x;
    value[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = (int)value[index[threadIdx.x] & 63];
}

//: idle_threads_write_too 1 64 0
//: reported ROCm/rocMLIR pull 2447: threads without a slot of their own write into that of another
//: racecheck a race (write after write)
extern "C" __global__ void idle_threads_write_too(int *out, const int *in, int *zero, int n)
{
    __shared__ int slot[48];
    slot[threadIdx.x % 48] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 24) out[threadIdx.x] = slot[threadIdx.x] + slot[threadIdx.x + 24];
}

//: idle_threads_write_too_right 1 64 0
extern "C" __global__ void idle_threads_write_too_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int slot[48];
    if (threadIdx.x < 48) slot[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 24) out[threadIdx.x] = slot[threadIdx.x] + slot[threadIdx.x + 24];
}

//: fence_instead_of_a_barrier 1 64 0
//: reported kokkos/kokkos pull 8648: a fence orders what its own thread does, and waits for nobody
//: racecheck no __syncthreads() comes between (a) and (b)
//: initcheck which nothing has written
extern "C" __global__ void fence_instead_of_a_barrier(int *out, const int *in, int *zero, int n)
{
    __shared__ int total;
    if (threadIdx.x == 63) total = in[63]; // (a)
    __threadfence_block();
    out[threadIdx.x] = total; // (b)
}

//: fence_instead_of_a_barrier_right 1 64 0
extern "C" __global__ void fence_instead_of_a_barrier_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int total;
    if (threadIdx.x == 63) total = in[63];
    __syncthreads();
    out[threadIdx.x] = total;
}

//: one_scratch_for_all_warps 1 128 0
//: reported NVIDIA/cudf pull 2669: the warps of a block share scratch that each needs for itself
//: racecheck a race (
extern "C" __global__ void one_scratch_for_all_warps(int *out, const int *in, int *zero, int n)
{
    __shared__ int scratch[32];
    const int lane = threadIdx.x % 32;
    scratch[lane] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = scratch[31 - lane];
}

//: one_scratch_for_all_warps_right 1 128 0
extern "C" __global__ void one_scratch_for_all_warps_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int scratch[4][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    scratch[warp][lane] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = scratch[warp][31 - lane];
}

//: total_of_the_rounds 1 64 0
//: reported alicevision/popsift pull 82: a thread adds to the total of the rounds before all have read it
//: racecheck no __syncthreads() comes between (a) and (b)
extern "C" __global__ void total_of_the_rounds(int *out, const int *in, int *zero, int n)
{
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        out[i * 64 + threadIdx.x] = total + in[i * 64 + threadIdx.x]; // (a)
        if (threadIdx.x == 0) total += in[i * 64];                    // (b)
        __syncthreads();
    }
}

//: total_of_the_rounds_right 1 64 0
extern "C" __global__ void total_of_the_rounds_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        out[i * 64 + threadIdx.x] = total + in[i * 64 + threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) total += in[i * 64];
        __syncthreads();
    }
}

//: condition_of_the_loop_changes 1 64 0
//: reported ORNL/HeCBench issue 264: a thread changes the condition of the loop that others still read
//: racecheck no __syncthreads() comes between (a) and (b)
//: synccheck passes by this __syncthreads()
extern "C" __global__ void condition_of_the_loop_changes(int *out, const int *in, int *zero, int n)
{
    __shared__ int left;
    if (threadIdx.x == 0) left = 3;
    __syncthreads();
    int rounds = 0;
    while (left > 0) { // (a)
        rounds++;
        if (threadIdx.x == 0) left--; // (b)
        __syncthreads();
    }
    out[threadIdx.x] = rounds;
}

//: condition_of_the_loop_changes_right 1 64 0
extern "C" __global__ void condition_of_the_loop_changes_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int left;
    if (threadIdx.x == 0) left = 3;
    __syncthreads();
    int rounds = 0;
    while (left > 0) {
        rounds++;
        __syncthreads();
        if (threadIdx.x == 0) left--;
        __syncthreads();
    }
    out[threadIdx.x] = rounds;
}

//: scattered_and_copied_back 1 64 0
//: reported OP2/PyOP2 pull 94: what a map scatters into shared memory is copied back by other threads at once
//: racecheck no __syncthreads() comes between (a) and (b)
//: initcheck which nothing has written
extern "C" __global__ void scattered_and_copied_back(int *out, const int *in, int *zero, int n)
{
    __shared__ int cell[64];
    cell[threadIdx.x * 5 % 64] = in[threadIdx.x]; // (a)
    out[threadIdx.x] = cell[threadIdx.x];         // (b)
}

//: scattered_and_copied_back_right 1 64 0
extern "C" __global__ void scattered_and_copied_back_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int cell[64];
    cell[threadIdx.x * 5 % 64] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = cell[threadIdx.x];
}

//: returned_before_it_wrote_its_part 1 64 0
//: reported OP-DSL/OP2-Common issue 162: threads without an element return, and the sum reads their parts
//: initcheck which nothing has written
extern "C" __global__ void returned_before_it_wrote_its_part(int *out, const int *in, int *zero, int n)
{
    __shared__ int part[64];
    if (threadIdx.x >= 50) return;
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32) part[threadIdx.x] += part[threadIdx.x + 32];
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < 32; i++) zero[0] += part[i];
}

//: returned_before_it_wrote_its_part_right 1 64 0
extern "C" __global__ void returned_before_it_wrote_its_part_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int part[64];
    part[threadIdx.x] = threadIdx.x < 50 ? in[threadIdx.x] : 0;
    __syncthreads();
    if (threadIdx.x < 32) part[threadIdx.x] += part[threadIdx.x + 32];
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < 32; i++) zero[0] += part[i];
}

//: bits_behind_the_last_row 1 64 0
//: reported NVIDIA/cudf issue 8873: the last word of a mask is counted whole, and only its first byte was written
//: initcheck which nothing has written
extern "C" __global__ void bits_behind_the_last_row(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x < 13) ((unsigned char *)out)[threadIdx.x] = (unsigned char)in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 4) atomicAdd(zero, __popc(out[threadIdx.x]));
}

//: bits_behind_the_last_row_right 1 64 0
extern "C" __global__ void bits_behind_the_last_row_right(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x < 16) ((unsigned char *)out)[threadIdx.x] = threadIdx.x < 13 ? (unsigned char)in[threadIdx.x] : 0;
    __syncthreads();
    if (threadIdx.x < 4) atomicAdd(zero, __popc(out[threadIdx.x]));
}

//: rows_that_no_round_writes 1 64 0
//: reported Dao-AILab/flash-attention issue 1813: the last part of the result is not stored, and is read later
//: initcheck which nothing has written
extern "C" __global__ void rows_that_no_round_writes(int *out, const int *in, int *zero, int n)
{
    const int rows = 200;
    for (int i = 0; i < rows / 64; i++) out[i * 64 + threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.x; i < rows; i += 64) zero[i] = out[rows - 1 - i];
}

//: rows_that_no_round_writes_right 1 64 0
extern "C" __global__ void rows_that_no_round_writes_right(int *out, const int *in, int *zero, int n)
{
    const int rows = 200;
    for (int i = threadIdx.x; i < rows; i += 64) out[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < rows; i += 64) zero[i] = out[rows - 1 - i];
}

//: a_buffer_read_past_its_end_for_nothing 1 64 0
//: reported openmm/openmm issue 2825: the last round reads behind the buffer, and uses nothing of it
//: any past the end of the __shared__ variable 'buffer' of 1024 bytes
extern "C" __global__ void a_buffer_read_past_its_end_for_nothing(int *out, const int *in, int *zero, int n)
{
    __shared__ int buffer[256];
    for (int i = threadIdx.x; i < 256; i += 64) buffer[i] = in[i];
    __syncthreads();
    int next = buffer[threadIdx.x];
    for (int i = 0; i < 4; i++) {
        out[i * 64 + threadIdx.x] = next;
        next = buffer[(i + 1) * 64 + threadIdx.x];
    }
}

//: a_buffer_read_past_its_end_for_nothing_right 1 64 0
extern "C" __global__ void a_buffer_read_past_its_end_for_nothing_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int buffer[256];
    for (int i = threadIdx.x; i < 256; i += 64) buffer[i] = in[i];
    __syncthreads();
    int next = buffer[threadIdx.x];
    for (int i = 0; i < 4; i++) {
        out[i * 64 + threadIdx.x] = next;
        if (i < 3) next = buffer[(i + 1) * 64 + threadIdx.x];
    }
}

//: bytes_as_numbers 1 64 0
//: reported kokkos/kokkos issue 686: shared bytes are used as numbers of 8 bytes, at an address that is not theirs
//: any which is no multiple of 8, 4 bytes into the __shared__ variable 'bytes' of 516 bytes
extern "C" __global__ void bytes_as_numbers(int *out, const int *in, int *zero, int n)
{
    __shared__ __align__(8) char bytes[4 + 64 * 8];
    double *numbers = (double *)(bytes + 4);
    numbers[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = (int)numbers[63 - threadIdx.x];
}

//: bytes_as_numbers_right 1 64 0
extern "C" __global__ void bytes_as_numbers_right(int *out, const int *in, int *zero, int n)
{
    __shared__ __align__(8) char bytes[8 + 64 * 8];
    double *numbers = (double *)(bytes + 8);
    numbers[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = (int)numbers[63 - threadIdx.x];
}

//: offset_of_32_bits 4 64 0
//: reported microsoft/onnxruntime pull 28108: a row times its length does not fit into 32 bits
//: any before the beginning of the 16384 bytes allocated
extern "C" __global__ void offset_of_32_bits(int *out, const int *in, int *zero, int n)
{
    const int row = (int)(blockIdx.x + 1) * 65536, length = 16384;
    const long long at = row * length;
    if (at / 16384 < n) zero[at / 16384 + threadIdx.x] = in[threadIdx.x];
}

//: offset_of_32_bits_right 4 64 0
extern "C" __global__ void offset_of_32_bits_right(int *out, const int *in, int *zero, int n)
{
    const int row = (int)(blockIdx.x + 1) * 65536, length = 16384;
    const long long at = (long long)row * length;
    if (at / 16384 < n) zero[at / 16384 + threadIdx.x] = in[threadIdx.x];
}

//: continues_past_the_barrier 1 64 0
//: reported 1bit-MONSTER/1bit-MONSTER issue 1262: some threads leave a round before its barrier by continue
//: synccheck barrier
extern "C" __global__ void continues_past_the_barrier(int *out, const int *in, int *zero, int n)
{
    __shared__ int tile[64];
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        if ((in[threadIdx.x] & 3) == i) continue;
        tile[threadIdx.x] = i;
        __syncthreads();
        sum += tile[threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

//: continues_past_the_barrier_right 1 64 0
extern "C" __global__ void continues_past_the_barrier_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int tile[64];
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        const bool takes_part = (in[threadIdx.x] & 3) != i;
        tile[threadIdx.x] = takes_part ? i : 0;
        __syncthreads();
        if (takes_part) sum += tile[threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
