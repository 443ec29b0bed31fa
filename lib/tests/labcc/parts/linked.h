extern __device__ int calls;
extern __constant__ int weights[3];
extern __managed__ int shared_count;

__device__ float halve(float x);
__device__ float counted(float x);
__device__ float block_sum(float x);

// Their names are as in C.
extern "C" __device__ float third(float x);
extern "C" __host__ __device__ int squared(int x);
extern "C" {
extern __device__ int thirds;
__global__ void divide(float *x);
}

inline __device__ float twice(float x) { return 2 * x; }
template <int N> __global__ void increase(float *x) { *x += twice(N); }
template <float (*F)(float)> __global__ void change(float *x) { *x = F(*x); }

struct shape {
    float side;
    __device__ float area() const;
};

void other_step(float *x);
void other_increase(float *x);
void other_change(float *x);
int other_own();
