// Memory of a pool is there for the work after its allocation, in the order of streams: others wait for the allocation,
// and the stream that frees it waits for them. Each way to use it on a second stream is run without and with the wait.
// run LAB_ORDER=report WAY=kernel: kernel add (finds_unordered_pools.cu:58) writes device memory that pool alloc (finds_unordered_pools.cu:91) gives to the later work of its own stream, and nothing orders them
// run LAB_ORDER=report WAY=kernel: It has the cause of finding 1
// run LAB_ORDER=report WAY=kernel: LAB_ORDER: 2 findings in
// run LAB_ORDER=report WAY=fill: fill (finds_unordered_pools.cu:60) writes device memory that pool alloc
// run LAB_ORDER=report WAY=copy: copy htod (finds_unordered_pools.cu:62) writes device memory that pool alloc
// run LAB_ORDER=report WAY=peer: copy dtod (finds_unordered_pools.cu:64) reads device memory that pool alloc
// run LAB_ORDER=report WAY=null: copy htod (finds_unordered_pools.cu:66) writes device memory that pool alloc
// run LAB_ORDER=report WAY=graph: graph node fill (finds_unordered_pools.cu:72, launched at finds_unordered_pools.cu:75) writes device memory that pool alloc
// run LAB_ORDER=report WAY=pool: pool alloc (finds_unordered_pools.cu:89) gives to the later work of its own stream
// run LAB_ORDER=report WAY=free: pool free (finds_unordered_pools.cu:101) frees device memory that pool alloc (finds_unordered_pools.cu:91) gives
// run LAB_ORDER=report WAY=free: LAB_ORDER: 1 finding in
// run LAB_ORDER=report WAY=back: pool free (finds_unordered_pools.cu:99) frees device memory that kernel add (finds_unordered_pools.cu:58) writes
// run LAB_ORDER=report WAY=back: LAB_ORDER: 1 finding in
// run LAB_ORDER=report WAY=kernel RIGHT=event: LAB_ORDER: no findings in
// run LAB_ORDER=report WAY=fill RIGHT=event: LAB_ORDER: no findings in
// run LAB_ORDER=report WAY=copy RIGHT=wait: LAB_ORDER: no findings in
// run LAB_ORDER=report WAY=peer RIGHT=event: LAB_ORDER: no findings in
// run LAB_ORDER=report WAY=null RIGHT=wait: LAB_ORDER: no findings in
// run LAB_ORDER=report WAY=graph RIGHT=event: LAB_ORDER: no findings in
// run LAB_ORDER=report WAY=pool RIGHT=wait: LAB_ORDER: no findings in
// run LAB_ORDER=report WAY=free RIGHT=event: LAB_ORDER: no findings in
// run LAB_ORDER=report WAY=back RIGHT=event: LAB_ORDER: no findings in
// run LAB_ORDER=report WAY=again: LAB_ORDER: no findings in
#include <cstdio>
#include <cstdlib>
#include <cstring>

const int n = 1 << 10;

__global__ void add(int *x, int y) { x[blockIdx.x * blockDim.x + threadIdx.x] += y; }

static const char *way, *right;
static cudaStream_t one, two;
static cudaEvent_t event;
static int host[n];

static bool is(const char *name) { return strcmp(way, name) == 0; }

// Lets `later` wait for what `earlier` has been given so far.
static void order(cudaStream_t earlier, cudaStream_t later)
{
    if (strcmp(right, "event") == 0) {
        cudaEventRecord(event, earlier);
        cudaStreamWaitEvent(later, event, 0);
    } else if (strcmp(right, "wait") == 0) {
        cudaStreamSynchronize(earlier);
    }
}

static void use(int *x)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    if (is("again")) add<<<n / 256, 256, 0, one>>>(x, 1);
    if (is("kernel") || is("pool") || is("back"))
        add<<<n / 256, 256, 0, two>>>(x, 1);
    else if (is("fill"))
        cudaMemsetAsync(x, 0, n, two);
    else if (is("copy"))
        cudaMemcpyAsync(x, host, n, cudaMemcpyHostToDevice, two);
    else if (is("peer"))
        cudaMemcpyPeerAsync(x, 0, x + n / 2, 0, n, two);
    else if (is("null"))
        cudaMemcpy(x, host, n, cudaMemcpyHostToDevice), cudaStreamSynchronize(NULL);
    if (is("graph")) {

        // A node is judged by the launch, not by the capture.

        cudaStreamBeginCapture(two, cudaStreamCaptureModeRelaxed);
        cudaMemsetAsync(x, 0, n, two);
        cudaStreamEndCapture(two, &graph);
        cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphLaunch(exec, two);
    }
}

int main()
{
    way = getenv("WAY"), right = getenv("RIGHT") ? getenv("RIGHT") : "";
    cudaMemPoolProps properties = {cudaMemAllocationTypePinned, cudaMemHandleTypeNone, {cudaMemLocationTypeDevice, 0}};
    cudaMemPool_t pool;
    int *x;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaEventCreate(&event);
    if (is("pool")) cudaMemPoolCreate(&pool, &properties);
    if (is("pool"))
        cudaMallocFromPoolAsync(&x, n * sizeof *x, pool, one);
    else
        cudaMallocAsync(&x, n * sizeof *x, one);
    if (is("back"))
        cudaStreamSynchronize(one);
    else if (!is("again"))
        order(one, two);
    use(x);
    if (is("back")) order(two, one);
    if (is("back") || is("again"))
        cudaFreeAsync(x, one);
    else
        cudaFreeAsync(x, two);
    if (is("again")) {

        // The pool hands memory out again when its last owner's work is done.

        cudaMallocAsync(&x, n * sizeof *x, two);
        add<<<n / 256, 256, 0, two>>>(x, 1);
        cudaFreeAsync(x, two);
    }
    cudaDeviceSynchronize();
}
