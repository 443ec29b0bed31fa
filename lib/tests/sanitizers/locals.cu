// Local variables that a thread reads without having given them a value: an error where the value matters.

//: branch_on_no_value 1 64 0
//: initcheck reads a local variable, to which nothing has given a value
extern "C" __global__ void branch_on_no_value(int *out, const int *in, int *zero, int n)
{
    int limit;
    if (threadIdx.x < 32) limit = in[0];
    if (in[threadIdx.x] > limit) out[threadIdx.x] = 1;
}

//: branch_on_no_value_right 1 64 0
extern "C" __global__ void branch_on_no_value_right(int *out, const int *in, int *zero, int n)
{
    int limit;
    if (threadIdx.x < 32) limit = in[0];
    if (threadIdx.x < 32 && in[threadIdx.x] > limit) out[threadIdx.x] = 1;
}

//: value_of_the_round_before 1 64 0
//: initcheck nothing has given a value, and uses the value at line
extern "C" __global__ void value_of_the_round_before(int *out, const int *in, int *zero, int n)
{
    for (int round = 0; round < 3; round++) {
        int sum;
        if (round == 0) sum = in[threadIdx.x];
        int twice = 2 * sum;
        twice += 1;
        out[threadIdx.x] = twice;
    }
}

//: value_of_the_round_before_right 1 64 0
extern "C" __global__ void value_of_the_round_before_right(int *out, const int *in, int *zero, int n)
{
    int sum;
    for (int round = 0; round < 3; round++) {
        if (round == 0) sum = in[threadIdx.x];
        int twice = 2 * sum;
        twice += 1;
        out[threadIdx.x] = twice;
    }
}

//: address_of_no_value 1 64 0
//: initcheck reads a local variable, to which nothing has given a value
extern "C" __global__ void address_of_no_value(int *out, const int *in, int *zero, int n)
{
    int which;
    if (in[threadIdx.x] > 1000000) which = 1;
    out[threadIdx.x] = in[which & 63];
}

//: base_of_one_lane_right 1 64 0
extern "C" __global__ void base_of_one_lane_right(int *out, const int *in, int *zero, int n)
{
    int base;
    if (threadIdx.x % 32 == 0) base = atomicAdd(zero, 32);
    base = __shfl_sync(~0u, base, 0);
    out[base + threadIdx.x % 32] = in[threadIdx.x];
}

__device__ int from_lane(int value, int lane) { return __shfl_sync(~0u, value, lane); }

//: base_by_a_function_right 1 64 0
extern "C" __global__ void base_by_a_function_right(int *out, const int *in, int *zero, int n)
{
    int base;
    if (threadIdx.x % 32 == 0) base = atomicAdd(zero, 32);
    base = from_lane(base, 0);
    out[base + threadIdx.x % 32] = in[threadIdx.x];
}

//: base_of_another_lane 1 64 0
//: initcheck reads a local variable, to which nothing has given a value
extern "C" __global__ void base_of_another_lane(int *out, const int *in, int *zero, int n)
{
    int base;
    if (threadIdx.x % 32 == 1) base = atomicAdd(zero, 32);
    if (threadIdx.x % 32 == 0) zero[1 + threadIdx.x / 32] = base;
}

struct found_place {
    int place;
    bool found;
};

__device__ found_place find_first(const int *in, int wanted, int n)
{
    int place;
    bool found = false;
    for (int i = 0; i < n && !found; i++)
        if (in[i] == wanted) place = i, found = true;
    found_place all;
    all.place = place;
    all.found = found;
    return all;
}

__device__ bool find_place(int *at, const int *in, int wanted, int n)
{
    int place;
    bool found = false;
    for (int i = 0; i < n && !found; i++)
        if (in[i] == wanted) place = i, found = true;
    *at = place;
    return found;
}

//: a_place_only_if_there_is_one_right 1 64 0
extern "C" __global__ void a_place_only_if_there_is_one_right(int *out, const int *in, int *zero, int n)
{
    const found_place one = find_first(in, -77, 64);
    int other;
    if (one.found) out[one.place] = 1;
    if (find_place(&other, in, -78, 64)) out[other] = 2;
    out[threadIdx.x] = one.found ? one.place : -1;
}

//: a_cell_of_no_value_that_is_discarded_right 1 64 0
extern "C" __global__ void a_cell_of_no_value_that_is_discarded_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int cell[64];
    int value;
    if (threadIdx.x < 60) value = in[threadIdx.x];
    cell[threadIdx.x] = value;
    __syncthreads();
    const int other = cell[63 - threadIdx.x];
    if (threadIdx.x > 3) out[threadIdx.x] = other;
}

//: a_cell_of_no_value 1 64 0
//: initcheck 'cell' of 256 bytes, which nothing has written
extern "C" __global__ void a_cell_of_no_value(int *out, const int *in, int *zero, int n)
{
    __shared__ int cell[64];
    int value;
    if (threadIdx.x < 60) value = in[threadIdx.x];
    cell[threadIdx.x] = value;
    __syncthreads();
    out[threadIdx.x] = cell[63 - threadIdx.x];
}
