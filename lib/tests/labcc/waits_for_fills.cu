// A fill of managed or pinned memory waits until it is done, unless it is asynchronous by its name.
// options: --host-accesses
// run LAB_ORDER=report: LAB_ORDER: 1 finding in
// run LAB_ORDER=report: reads host memory that host function (waits_for_fills.cu:33) writes
// run LAB_SCHEDULE=adversarial:1: managed 8, pinned 4
#include <cstdio>

__global__ void add(int *x) { *x += 1; }

int main()
{
    int *managed, *pinned;
    cudaStream_t apart;
    cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
    cudaMallocManaged(&managed, sizeof *managed);
    cudaMallocHost(&pinned, 2 * sizeof *pinned);

    cudaMemset(managed, 0, sizeof *managed);
    add<<<1, 1, 0, apart>>>(managed);
    cudaStreamSynchronize(apart);
    cudaMemset2D(managed, sizeof *managed, 0, 1, 1);
    *managed += 3;
    cudaMemset(pinned, 0, sizeof *pinned);
    cudaMemset3D(make_cudaPitchedPtr(pinned, sizeof *pinned, 1, 1), 0, make_cudaExtent(1, 1, 1));
    add<<<1, 1, 0, apart>>>(managed);
    *pinned += 4;
    cudaStreamSynchronize(apart);
    *managed += 4;
    printf("managed %d, pinned %d\n", *managed, *pinned);

    // This one does not wait.

    cudaMemsetAsync(pinned + 1, 0, sizeof *pinned);
    printf("at once: %d\n", pinned[1]);
    cudaDeviceSynchronize();
}
