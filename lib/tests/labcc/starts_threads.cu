// Host functions, callbacks and nodes of graphs start threads, which use the results of the work before them.
// options: --host-accesses
// run LAB_ORDER=report: LAB_ORDER: no findings in
// run LAB_SCHEDULE=adversarial:1: host function 4, callback 4, graph 4
// run LAB_ORDER=report EARLY=1: the host (host+
// run LAB_ORDER=report EARLY=1: writes host memory that copy dtoh (starts_threads.cu:67) writes
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <semaphore.h>

const int n = 1 << 12;

__global__ void add(int *x, int y) { x[blockIdx.x * blockDim.x + threadIdx.x] += y; }

struct work {
    int *host, *device, result;
    cudaStream_t stream;
    sem_t done;
};

static void *go_on(void *user)
{
    work *w = (work *)user;
    cudaStream_t other;
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    w->host[1]++;
    add<<<n / 256, 256, 0, other>>>(w->device, 1);
    cudaMemcpyAsync(w->host, w->device, n * sizeof *w->host, cudaMemcpyDeviceToHost, other);
    cudaStreamSynchronize(other);
    w->result = w->host[1];
    cudaFreeHost(w->host);
    cudaFree(w->device);
    sem_post(&w->done);
    return NULL;
}

static void begin(void *user)
{
    pthread_t thread;
    pthread_create(&thread, NULL, go_on, user);
    pthread_detach(thread);
}

static void callback(cudaStream_t, cudaError_t, void *user) { begin(user); }

// The way is 0 for a host function, 1 for a callback, 2 for a graph. The thread of an early host function is wrong.
static int start(int way, bool early)
{
    work w = {};
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    sem_init(&w.done, 0, 0);
    cudaStreamCreateWithFlags(&w.stream, cudaStreamNonBlocking);
    cudaMallocHost(&w.host, n * sizeof *w.host);
    cudaMalloc(&w.device, n * sizeof *w.device);
    for (int i = 0; i < n; i++) w.host[i] = 1;

    if (way == 2) cudaStreamBeginCapture(w.stream, cudaStreamCaptureModeRelaxed);
    cudaMemcpyAsync(w.device, w.host, n * sizeof *w.host, cudaMemcpyHostToDevice, w.stream);
    add<<<n / 256, 256, 0, w.stream>>>(w.device, 2);
    cudaStream_t last = w.stream;
    if (early) cudaStreamCreateWithFlags(&last, cudaStreamNonBlocking);

    // An early function does not wait for this copy.

    cudaMemcpyAsync(w.host, w.device, n * sizeof *w.host, cudaMemcpyDeviceToHost, w.stream);
    if (way == 1)
        cudaStreamAddCallback(last, callback, &w, 0);
    else
        cudaLaunchHostFunc(last, begin, &w);
    if (way == 2) {
        cudaStreamEndCapture(w.stream, &graph);
        cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphLaunch(exec, w.stream);
    }
    sem_wait(&w.done);
    return w.result;
}

int main()
{
    if (getenv("EARLY")) {
        start(0, true);
    } else {
        const int host_function = start(0, false), call = start(1, false), replayed = start(2, false);
        printf("host function %d, callback %d, graph %d\n", host_function, call, replayed);
    }
}
