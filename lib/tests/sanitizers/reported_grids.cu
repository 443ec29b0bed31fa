// What others reported of blocks that work together; as in reported_blocks.cu.
#include <cooperative_groups.h>

//: done_before_the_block_is 4 64 0
//: reported NVIDIA/cccl pull 10627: thread 0 says that its block is done, and the others still add
//: racecheck a race (
extern "C" __global__ void done_before_the_block_is(int *out, const int *in, int *zero, int n)
{
    __shared__ bool last;
    atomicAdd(&zero[1 + in[blockIdx.x * 64 + threadIdx.x] % 4], 1);
    __threadfence();
    if (threadIdx.x == 0) last = atomicAdd(zero, 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x < 4) out[threadIdx.x] = zero[1 + threadIdx.x];
}

//: done_before_the_block_is_right 4 64 0
extern "C" __global__ void done_before_the_block_is_right(int *out, const int *in, int *zero, int n)
{
    __shared__ bool last;
    atomicAdd(&zero[1 + in[blockIdx.x * 64 + threadIdx.x] % 4], 1);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(zero, 1) == gridDim.x - 1;
    __syncthreads();
    __threadfence();
    if (last && threadIdx.x < 4) out[threadIdx.x] = zero[1 + threadIdx.x];
}

//: zeroed_by_the_first_thread 4 64 0
//: reported openwall/john issue 4975: the first thread sets the counter to 0 in the kernel that counts
//: racecheck a race (
extern "C" __global__ void zeroed_by_the_first_thread(int *out, const int *in, int *zero, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i == 0) *zero = 0;
    if (in[i] & 1) atomicAdd(zero, 1);
}

//: zeroed_by_the_first_thread_right 4 64 0
extern "C" __global__ void zeroed_by_the_first_thread_right(int *out, const int *in, int *zero, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (in[i] & 1) atomicAdd(zero, 1);
}

//: looks_before_it_counts 4 64 0
//: reported IntelPython/numba-dpex issue 832: a thread reads, without an atomic operation, what others count
//: racecheck a race (
extern "C" __global__ void looks_before_it_counts(int *out, const int *in, int *zero, int n)
{
    int *seen = zero + 1 + in[blockIdx.x * 64 + threadIdx.x] % 16;
    if (*seen > 0) return;
    if (atomicAdd(seen, 1) == 0) atomicAdd(zero, 1);
}

//: looks_before_it_counts_right 4 64 0
extern "C" __global__ void looks_before_it_counts_right(int *out, const int *in, int *zero, int n)
{
    int *seen = zero + 1 + in[blockIdx.x * 64 + threadIdx.x] % 16;
    if (atomicAdd(seen, 0) > 0) return;
    if (atomicAdd(seen, 1) == 0) atomicAdd(zero, 1);
}

//: entry_of_a_list_without_its_value 4 32 0
//: reported ORNL/HeCBench pull 292: an entry is linked by an atomic operation, and no fence stands behind its value
//: racecheck a race (read after write)
extern "C" __global__ void entry_of_a_list_without_its_value(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x) return;
    const int mine = blockIdx.x + 1;
    out[mine] = in[mine];
    int before = atomicExch(zero, mine);
    zero[mine] = before;
    if (before) {
        __threadfence();
        out[64 + mine] = out[before];
    }
}

//: entry_of_a_list_without_its_value_right 4 32 0
extern "C" __global__ void entry_of_a_list_without_its_value_right(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x) return;
    const int mine = blockIdx.x + 1;
    out[mine] = in[mine];
    __threadfence();
    int before = atomicExch(zero, mine);
    zero[mine] = before;
    if (before) {
        __threadfence();
        out[64 + mine] = out[before];
    }
}

//: coefficient_that_a_block_replaces 4 64 0
//: reported ptycho/ptypy pull 301: a block writes back the coefficient that other blocks still read
//: racecheck a race (
extern "C" __global__ void coefficient_that_a_block_replaces(int *out, const int *in, int *zero, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x, coefficient = zero[0];
    out[i] = in[i] * coefficient;
    if (i == 255) zero[0] = coefficient + 1;
}

//: coefficient_that_a_block_replaces_right 4 64 0
extern "C" __global__ void coefficient_that_a_block_replaces_right(int *out, const int *in, int *zero, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x, coefficient = zero[0];
    out[i] = in[i] * coefficient;
    if (i == 255) zero[1] = coefficient + 1;
}

//: grid_rounds_of_each_block 4 32 0
//: reported predibase/lorax pull 156: blocks wait for the grid in different numbers of rounds
//: any waits for a block that has ended
extern "C" __global__ void grid_rounds_of_each_block(int *out, const int *in, int *zero, int n)
{
    for (unsigned i = 0; i <= blockIdx.x; i++) {
        if (threadIdx.x == 0) out[i * 4 + blockIdx.x] = in[i];
        cooperative_groups::this_grid().sync();
    }
}

//: grid_rounds_of_each_block_right 4 32 0
extern "C" __global__ void grid_rounds_of_each_block_right(int *out, const int *in, int *zero, int n)
{
    for (unsigned i = 0; i < gridDim.x; i++) {
        if (threadIdx.x == 0 && i <= blockIdx.x) out[i * 4 + blockIdx.x] = in[i];
        cooperative_groups::this_grid().sync();
    }
}

//: value_of_a_slot_that_another_has_won 2 32 0
//: reported NVIDIA/cuCollections issue 200: who finds the key in the table reads the value, which comes after the key
//: racecheck a race (
extern "C" __global__ void value_of_a_slot_that_another_has_won(int *out, const int *in, int *zero, int n)
{
    const int key = 1 + in[threadIdx.x] % 7;
    if (atomicCAS(&zero[key], 0, key) == 0)
        out[key] = threadIdx.x;
    else
        out[64 + blockIdx.x * 32 + threadIdx.x] = out[key];
}

//: value_of_a_slot_that_another_has_won_right 2 32 0
extern "C" __global__ void value_of_a_slot_that_another_has_won_right(int *out, const int *in, int *zero, int n)
{
    const int key = 1 + in[threadIdx.x] % 7;
    int *value = &zero[64 + key], found;
    if (atomicCAS(&zero[key], 0, key) == 0) {
        atomicExch(value, 1 + threadIdx.x);
    } else {
        while ((found = atomicAdd(value, 0)) == 0) {}
        out[64 + blockIdx.x * 32 + threadIdx.x] = found;
    }
}

//: second_element_without_a_guard 64 64 0
//: reported NVIDIA/cuda-samples issue 21: a sum adds a second element, whose index nobody compares with the length
//: any past the end of the 16384 bytes allocated
extern "C" __global__ void second_element_without_a_guard(int *out, const int *in, int *zero, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) atomicAdd(zero, in[i] + in[i + 64]);
}

//: second_element_without_a_guard_right 64 64 0
extern "C" __global__ void second_element_without_a_guard_right(int *out, const int *in, int *zero, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) atomicAdd(zero, in[i] + (i + 64 < n ? in[i + 64] : 0));
}

//: read_only_data_that_a_block_writes 2 32 0
//: reported ggml-org/llama.cpp pull 24030: loads for read-only data read what another block has just published
//: racecheck writes at (p): a race (read after write): __ldg() is for memory that nothing writes during the kernel
extern "C" __global__ void read_only_data_that_a_block_writes(int *out, const int *in, int *zero, int n)
{
    volatile int *flag = zero;
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        out[0] = in[0]; // (p)
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        out[1] = __ldg(out);
    }
}

//: read_only_data_that_a_block_writes_right 2 32 0
extern "C" __global__ void read_only_data_that_a_block_writes_right(int *out, const int *in, int *zero, int n)
{
    volatile int *flag = zero;
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        out[0] = in[0];
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        out[1] = *out;
    }
}
