/*
 * What misuses of CUDA's runtime API, driver API and NVRTC are answered with: the code of a call, the last error after
 * it, the last error once more, and whether memory can still be allocated.
 *
 *   runtime_misuse [FILE]
 *
 * The program is written for CUDA's own headers and for those of lib/include/cuda, and compiles unchanged with either.
 * Without FILE it prints the answers; lib/tests/cudart/runtime_misuse_gpu.txt keeps those of NVIDIA's libraries. With
 * FILE it compares: an answer that differs is a failure unless `reasons` has one, and so is a reason without a
 * difference. Each
 * misuse runs in a process of its own: a crash there, or a wait without end, is an answer too. What CUDA leaves
 * undefined, as the use of what was destroyed, may be answered with anything where ours is an error.
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <nvrtc.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 4096, NOWHERE = 99, MOST_SECONDS = 300, MOST_CASES = 256, MOST_PROCESSES = 8, CRASHES = -1, HANGS = -2 };

/* How a misuse runs: after the fixture was made, without any call before it, or undefined in CUDA. */
enum { USUAL = 0, BARE = 1, UNDEFINED = 2 };

static struct {
    const char *name;
    int (*run)(void);
    int how;
} cases[MOST_CASES];
static int case_count;

static void add_case(const char *name, int (*run)(void), int how)
{
    cases[case_count].name = name;
    cases[case_count].run = run;
    cases[case_count++].how = how;
}

#define MISUSE_AS(name, how)                                                                                           \
    static int name(void);                                                                                             \
    __attribute__((constructor)) static void add_##name(void) { add_case(#name, name, how); }                          \
    static int name(void)
#define MISUSE(name) MISUSE_AS(name, USUAL)

/* ---- the fixture ---- */

static char host[BYTES];
static void *memory, *pinned, *out;
static cudaStream_t stream;
static cudaEvent_t event;
static size_t size;

static void must(int code)
{
    if (code) exit(2);
}

static void make_fixture(void)
{
    must(cudaMalloc(&memory, BYTES));
    must(cudaMallocHost(&pinned, BYTES));
    must(cudaStreamCreate(&stream));
    must(cudaEventCreateWithFlags(&event, cudaEventDefault));
}

/* Holds a stream back until `held` is cleared. */
static volatile int held = 1;
static void wait_for_release(void *user)
{
    (void)user;
    while (held) usleep(1000); /* the alarm ends what hangs */
}
static void hold_stream(void) { must(cudaLaunchHostFunc(stream, wait_for_release, NULL)); }
static int release_stream(int code)
{
    held = 0;
    cudaStreamSynchronize(stream);
    return code;
}

/* ---- memory ---- */

MISUSE(malloc_to_nowhere) { return cudaMalloc(NULL, 4); }
MISUSE(malloc_0_bytes) { return cudaMalloc(&out, 0); }
MISUSE(malloc_0_bytes_gives_null)
{
    out = host;
    cudaMalloc(&out, 0);
    return out == NULL;
}
MISUSE(malloc_too_much) { return cudaMalloc(&out, (size_t)1 << 50); }
MISUSE(malloc_too_much_leaves_the_pointer)
{
    out = host;
    cudaMalloc(&out, (size_t)1 << 50);
    return out == (void *)host;
}
MISUSE(free_null) { return cudaFree(NULL); }
MISUSE(free_twice)
{
    must(cudaFree(memory));
    return cudaFree(memory);
}
MISUSE(free_inside) { return cudaFree((char *)memory + 256); }
MISUSE(free_of_host_memory) { return cudaFree(host); }
MISUSE(free_of_pinned_memory) { return cudaFree(pinned); }
MISUSE(free_host_null) { return cudaFreeHost(NULL); }
MISUSE(free_host_twice)
{
    must(cudaFreeHost(pinned));
    return cudaFreeHost(pinned);
}
MISUSE(free_host_of_host_memory) { return cudaFreeHost(host); }
MISUSE(free_host_of_device_memory) { return cudaFreeHost(memory); }
MISUSE(free_host_of_registered_memory)
{
    must(cudaHostRegister(host, BYTES, 0));
    return cudaFreeHost(host);
}
MISUSE(host_alloc_to_nowhere) { return cudaHostAlloc(NULL, BYTES, 0); }
MISUSE(host_alloc_0_bytes) { return cudaHostAlloc(&out, 0, 0); }
MISUSE(host_alloc_with_unknown_flags) { return cudaHostAlloc(&out, BYTES, 0x100); }
MISUSE(host_alloc_too_much) { return cudaMallocHost(&out, (size_t)1 << 50); }
MISUSE(register_null) { return cudaHostRegister(NULL, BYTES, 0); }
MISUSE(register_0_bytes) { return cudaHostRegister(host, 0, 0); }
MISUSE(register_with_unknown_flags) { return cudaHostRegister(host, BYTES, 0x100); }
MISUSE(register_twice)
{
    must(cudaHostRegister(host, BYTES, 0));
    return cudaHostRegister(host, BYTES, 0);
}
MISUSE(unregister_never_registered) { return cudaHostUnregister(host); }
MISUSE(unregister_twice)
{
    must(cudaHostRegister(host, BYTES, 0));
    must(cudaHostUnregister(host));
    return cudaHostUnregister(host);
}
MISUSE(unregister_of_pinned_memory) { return cudaHostUnregister(pinned); }
MISUSE(device_pointer_of_host_memory) { return cudaHostGetDevicePointer(&out, host, 0); }
MISUSE(device_pointer_with_flags) { return cudaHostGetDevicePointer(&out, pinned, 1); }
MISUSE(managed_0_bytes) { return cudaMallocManaged(&out, 0, cudaMemAttachGlobal); }
MISUSE(managed_with_unknown_flags) { return cudaMallocManaged(&out, BYTES, 9); }
MISUSE(managed_freed_as_pinned)
{
    must(cudaMallocManaged(&out, BYTES, cudaMemAttachGlobal));
    return cudaFreeHost(out);
}
MISUSE(pitch_to_nowhere) { return cudaMallocPitch(&out, NULL, 100, 10); }
MISUSE(pitch_of_0_width) { return cudaMallocPitch(&out, &size, 0, 10); }
MISUSE(memory_info_to_nowhere) { return cudaMemGetInfo(NULL, NULL); }

static int type_of(const void *address)
{
    struct cudaPointerAttributes of;
    must(cudaPointerGetAttributes(&of, address));
    return of.type;
}
MISUSE(attributes_to_nowhere) { return cudaPointerGetAttributes(NULL, memory); }
MISUSE(type_of_host_memory) { return type_of(host); }
MISUSE(type_of_null) { return type_of(NULL); }
MISUSE(type_of_pinned_memory) { return type_of((char *)pinned + 100); }
MISUSE(type_of_device_memory) { return type_of((char *)memory + 100); }
MISUSE(type_of_managed_memory)
{
    must(cudaMallocManaged(&out, BYTES, cudaMemAttachGlobal));
    return type_of(out);
}
MISUSE(type_of_registered_memory)
{
    must(cudaHostRegister(host, BYTES, 0));
    return type_of(host);
}
MISUSE(type_of_freed_memory)
{
    must(cudaFree(memory));
    return type_of(memory);
}

/* ---- copies and fills ---- */

MISUSE(copy_of_unknown_kind) { return cudaMemcpy(memory, host, 16, (enum cudaMemcpyKind)9); }
MISUSE(copy_of_0_bytes_from_null) { return cudaMemcpy(memory, NULL, 0, cudaMemcpyHostToDevice); }
MISUSE(copy_of_0_bytes_of_unknown_kind) { return cudaMemcpy(memory, host, 0, (enum cudaMemcpyKind)9); }
MISUSE(upload_from_null) { return cudaMemcpy(memory, NULL, 16, cudaMemcpyHostToDevice); }
MISUSE(upload_to_null) { return cudaMemcpy(NULL, host, 16, cudaMemcpyHostToDevice); }
MISUSE(download_to_null) { return cudaMemcpy(NULL, memory, 16, cudaMemcpyDeviceToHost); }
MISUSE(upload_beyond_the_end) { return cudaMemcpy((char *)memory + BYTES - 8, host, 16, cudaMemcpyHostToDevice); }
MISUSE(download_beyond_the_end) { return cudaMemcpy(host, (char *)memory + BYTES - 8, 16, cudaMemcpyDeviceToHost); }
MISUSE(upload_with_swapped_arguments) { return cudaMemcpy(host, memory, 16, cudaMemcpyHostToDevice); }
MISUSE(download_with_swapped_arguments) { return cudaMemcpy(memory, host, 16, cudaMemcpyDeviceToHost); }
MISUSE(device_copy_from_host_memory) { return cudaMemcpy(memory, host, 16, cudaMemcpyDeviceToDevice); }
MISUSE(device_copy_from_pinned_memory) { return cudaMemcpy(memory, pinned, 16, cudaMemcpyDeviceToDevice); }
MISUSE(host_copy_from_device_memory) { return cudaMemcpy(host, memory, 16, cudaMemcpyHostToHost); }
MISUSE(upload_from_device_memory) { return cudaMemcpy(memory, (char *)memory + 64, 16, cudaMemcpyHostToDevice); }
MISUSE(upload_to_pinned_memory) { return cudaMemcpy(pinned, host, 16, cudaMemcpyHostToDevice); }
MISUSE(default_copy_on_the_host) { return cudaMemcpy(host, host + 64, 16, cudaMemcpyDefault); }
MISUSE(upload_to_freed_memory)
{
    must(cudaFree(memory));
    return cudaMemcpy(memory, host, 16, cudaMemcpyHostToDevice);
}
MISUSE(async_copy_of_unknown_kind) { return cudaMemcpyAsync(memory, host, 16, (enum cudaMemcpyKind)9, stream); }
MISUSE(async_upload_with_swapped_arguments)
{
    return cudaMemcpyAsync(host, memory, 16, cudaMemcpyHostToDevice, stream);
}
MISUSE_AS(async_copy_on_a_destroyed_stream, UNDEFINED)
{
    must(cudaStreamDestroy(stream));
    return cudaMemcpyAsync(memory, pinned, 16, cudaMemcpyHostToDevice, stream);
}
MISUSE(copy_2d_wider_than_its_pitch) { return cudaMemcpy2D(memory, 32, host, 32, 64, 4, cudaMemcpyHostToDevice); }
MISUSE(copy_2d_of_no_row) { return cudaMemcpy2D(memory, 64, host, 64, 64, 0, cudaMemcpyHostToDevice); }
MISUSE(copy_2d_of_no_row_wider_than_its_pitch)
{
    return cudaMemcpy2D(memory, 32, host, 32, 64, 0, cudaMemcpyHostToDevice);
}
MISUSE(copy_2d_of_unknown_kind) { return cudaMemcpy2D(memory, 64, host, 64, 64, 4, (enum cudaMemcpyKind)9); }
MISUSE(copy_2d_beyond_the_end) { return cudaMemcpy2D(memory, 1024, host, 64, 64, 5, cudaMemcpyHostToDevice); }
MISUSE(peer_copy_to_an_unknown_device) { return cudaMemcpyPeer(memory, NOWHERE, memory, 0, 16); }
MISUSE(fill_of_null) { return cudaMemset(NULL, 0, 16); }
MISUSE(fill_of_0_bytes_of_null) { return cudaMemset(NULL, 0, 0); }
MISUSE(fill_of_host_memory) { return cudaMemset(host, 0, 16); }
MISUSE(fill_of_pinned_memory) { return cudaMemset(pinned, 0, 16); }
MISUSE(fill_beyond_the_end) { return cudaMemset((char *)memory + BYTES - 8, 0, 16); }
MISUSE(fill_2d_wider_than_its_pitch) { return cudaMemset2D(memory, 32, 0, 64, 4); }
MISUSE(copy_to_an_unknown_symbol) { return cudaMemcpyToSymbol(host, host, 16, 0, cudaMemcpyHostToDevice); }
MISUSE(copy_to_a_symbol_of_another_kind) { return cudaMemcpyToSymbol(host, host, 16, 0, cudaMemcpyDeviceToHost); }
MISUSE(address_of_an_unknown_symbol) { return cudaGetSymbolAddress(&out, host); }

/* ---- streams ---- */

static void do_nothing(void *user) { (void)user; }
static void CUDART_CB call_nothing(cudaStream_t of, cudaError_t status, void *user)
{
    (void)of, (void)status, (void)user;
}

MISUSE(stream_to_nowhere) { return cudaStreamCreate(NULL); }
MISUSE(stream_with_unknown_flags) { return cudaStreamCreateWithFlags(&stream, 9); }
MISUSE(stream_of_impossible_priority) { return cudaStreamCreateWithPriority(&stream, 0, -1000); }
MISUSE(destroy_the_default_stream) { return cudaStreamDestroy(0); }
MISUSE(destroy_the_legacy_stream) { return cudaStreamDestroy(cudaStreamLegacy); }
MISUSE(destroy_the_stream_of_the_thread) { return cudaStreamDestroy(cudaStreamPerThread); }
MISUSE_AS(destroy_a_stream_twice, UNDEFINED)
{
    must(cudaStreamDestroy(stream));
    return cudaStreamDestroy(stream);
}
MISUSE_AS(synchronize_a_destroyed_stream, UNDEFINED)
{
    must(cudaStreamDestroy(stream));
    return cudaStreamSynchronize(stream);
}
MISUSE(query_of_an_idle_stream) { return cudaStreamQuery(stream); }
MISUSE(query_of_a_busy_stream)
{
    hold_stream();
    const int code = cudaStreamQuery(stream);
    const int last = cudaPeekAtLastError();
    return release_stream(code * 1000 + last);
}
MISUSE(flags_of_a_stream_to_nowhere) { return cudaStreamGetFlags(stream, NULL); }
MISUSE(wait_for_no_event) { return cudaStreamWaitEvent(stream, NULL, 0); }
MISUSE(wait_with_unknown_flags) { return cudaStreamWaitEvent(stream, event, 9); }
MISUSE(wait_for_an_event_never_recorded) { return cudaStreamWaitEvent(stream, event, 0); }
MISUSE(no_host_function) { return cudaLaunchHostFunc(stream, NULL, NULL); }
MISUSE(no_callback) { return cudaStreamAddCallback(stream, NULL, NULL, 0); }
MISUSE(callback_with_flags) { return cudaStreamAddCallback(stream, call_nothing, NULL, 1); }
static int answer_inside = -1;
static void allocate_inside(void *user)
{
    (void)user;
    answer_inside = cudaMalloc(&out, 16);
}
MISUSE(host_function_that_calls_cuda)
{
    must(cudaLaunchHostFunc(stream, allocate_inside, NULL));
    must(cudaStreamSynchronize(stream));
    return answer_inside;
}

/* ---- events ---- */

MISUSE(event_to_nowhere) { return cudaEventCreate(NULL); }
MISUSE(event_with_unknown_flags) { return cudaEventCreateWithFlags(&event, 0x40); }
MISUSE(shared_event_that_measures_time) { return cudaEventCreateWithFlags(&event, cudaEventInterprocess); }
MISUSE(destroy_no_event) { return cudaEventDestroy(NULL); }
MISUSE(record_no_event) { return cudaEventRecord(NULL, stream); }
MISUSE(query_no_event) { return cudaEventQuery(NULL); }
MISUSE(synchronize_no_event) { return cudaEventSynchronize(NULL); }
MISUSE(query_of_an_event_never_recorded) { return cudaEventQuery(event); }
MISUSE(synchronize_with_an_event_never_recorded) { return cudaEventSynchronize(event); }
MISUSE_AS(query_of_a_destroyed_event, UNDEFINED)
{
    must(cudaEventDestroy(event));
    return cudaEventQuery(event);
}
MISUSE(query_of_a_busy_event)
{
    hold_stream();
    must(cudaEventRecord(event, stream));
    const int code = cudaEventQuery(event);
    return release_stream(code);
}
static float milliseconds;
MISUSE(time_to_nowhere) { return cudaEventElapsedTime(NULL, event, event); }
MISUSE(time_of_events_never_recorded) { return cudaEventElapsedTime(&milliseconds, event, event); }
MISUSE(time_of_no_event) { return cudaEventElapsedTime(&milliseconds, NULL, event); }
MISUSE(time_without_timing)
{
    cudaEvent_t other;
    must(cudaEventCreateWithFlags(&other, cudaEventDisableTiming));
    must(cudaEventRecord(event, stream));
    must(cudaEventRecord(other, stream));
    must(cudaStreamSynchronize(stream));
    return cudaEventElapsedTime(&milliseconds, event, other);
}
MISUSE(time_before_the_end)
{
    hold_stream();
    must(cudaEventRecord(event, stream));
    const int code = cudaEventElapsedTime(&milliseconds, event, event);
    return release_stream(code);
}

/* ---- devices and errors ---- */

static int number;
MISUSE(use_an_unknown_device) { return cudaSetDevice(NOWHERE); }
MISUSE(use_device_minus_1) { return cudaSetDevice(-1); }
MISUSE(device_to_nowhere) { return cudaGetDevice(NULL); }
MISUSE(count_to_nowhere) { return cudaGetDeviceCount(NULL); }
MISUSE(properties_to_nowhere) { return cudaGetDeviceProperties(NULL, 0); }
MISUSE(properties_of_an_unknown_device)
{
    static struct cudaDeviceProp of;
    return cudaGetDeviceProperties(&of, NOWHERE);
}
MISUSE(unknown_attribute) { return cudaDeviceGetAttribute(&number, (enum cudaDeviceAttr)9999, 0); }
MISUSE(attribute_of_an_unknown_device) { return cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, NOWHERE); }
MISUSE(unknown_limit) { return cudaDeviceGetLimit(&size, (enum cudaLimit)NOWHERE); }
MISUSE(limit_to_nowhere) { return cudaDeviceGetLimit(NULL, cudaLimitStackSize); }
MISUSE(unknown_device_flags) { return cudaSetDeviceFlags(0x1000); }
MISUSE(peer_of_itself_can) { return cudaDeviceCanAccessPeer(&number, 0, 0) * 1000 + number; }
MISUSE(peer_of_itself) { return cudaDeviceEnablePeerAccess(0, 0); }
MISUSE(unknown_peer) { return cudaDeviceEnablePeerAccess(NOWHERE, 0); }
MISUSE(peer_never_enabled) { return cudaDeviceDisablePeerAccess(0); }
MISUSE(version_to_nowhere) { return cudaRuntimeGetVersion(NULL); }
MISUSE(driver_version_to_nowhere) { return cudaDriverGetVersion(NULL); }
MISUSE(free_after_reset)
{
    must(cudaDeviceReset());
    return cudaFree(memory);
}
MISUSE(copy_after_reset)
{
    must(cudaDeviceReset());
    return cudaMemcpy(memory, host, 16, cudaMemcpyHostToDevice);
}
MISUSE_AS(stream_after_reset, UNDEFINED)
{
    must(cudaDeviceReset());
    return cudaStreamSynchronize(stream);
}
MISUSE(success_keeps_the_last_error)
{
    cudaMemcpy(memory, host, 16, (enum cudaMemcpyKind)9);
    return cudaStreamQuery(stream);
}
MISUSE(a_later_error_is_the_last)
{
    cudaMemcpy(memory, host, 16, (enum cudaMemcpyKind)9);
    return cudaSetDevice(NOWHERE);
}
MISUSE(peeking_keeps_the_last_error)
{
    cudaSetDevice(NOWHERE);
    return cudaPeekAtLastError() * 1000 + cudaPeekAtLastError();
}
MISUSE(name_of_an_unknown_error) { return strcmp(cudaGetErrorName((cudaError_t)5000), "unrecognized error code"); }

/* ---- kernels of the runtime ---- */

static dim3 extent_of(unsigned x)
{
    dim3 made = {x, 1, 1};
    return made;
}
static void not_a_kernel(void) {}
static const void *not_registered(void)
{
    void (*function)(void) = not_a_kernel;
    const void *address;
    memcpy(&address, &function, sizeof address);
    return address;
}
MISUSE(launch_of_a_host_function)
{
    return cudaLaunchKernel(not_registered(), extent_of(1), extent_of(1), NULL, 0, stream);
}
MISUSE(launch_of_nothing) { return cudaLaunchKernel(NULL, extent_of(1), extent_of(1), NULL, 0, stream); }
MISUSE(attributes_of_a_host_function)
{
    struct cudaFuncAttributes of;
    return cudaFuncGetAttributes(&of, not_registered());
}
MISUSE(occupancy_of_a_host_function)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, not_registered(), 32, 0);
}

/* ---- capture and graphs ---- */

static cudaGraph_t graph;
static cudaGraphExec_t exec;

static void begin_capture(void) { must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal)); }

MISUSE(capture_the_legacy_stream) { return cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal); }
MISUSE(capture_in_an_unknown_mode) { return cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)9); }
MISUSE(capture_twice)
{
    begin_capture();
    return cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
}
MISUSE(end_of_no_capture) { return cudaStreamEndCapture(stream, &graph); }
MISUSE(end_of_a_capture_to_nowhere)
{
    begin_capture();
    return cudaStreamEndCapture(stream, NULL);
}
MISUSE(synchronize_a_capturing_stream)
{
    begin_capture();
    return cudaStreamSynchronize(stream);
}
MISUSE(query_of_a_capturing_stream)
{
    begin_capture();
    return cudaStreamQuery(stream);
}
MISUSE(synchronize_the_device_in_a_capture)
{
    begin_capture();
    return cudaDeviceSynchronize();
}
MISUSE(malloc_in_a_capture)
{
    begin_capture();
    return cudaMalloc(&out, 16);
}
MISUSE(free_in_a_capture)
{
    begin_capture();
    return cudaFree(memory);
}
MISUSE(copy_that_waits_in_a_capture)
{
    begin_capture();
    return cudaMemcpy(memory, host, 16, cudaMemcpyHostToDevice);
}
MISUSE(legacy_work_in_a_capture)
{
    begin_capture();
    return cudaMemsetAsync(memory, 0, 16, 0);
}
MISUSE(end_of_an_invalid_capture)
{
    begin_capture();
    cudaStreamSynchronize(stream);
    return cudaStreamEndCapture(stream, &graph);
}
MISUSE(capture_with_an_unjoined_fork)
{
    cudaStream_t other;
    must(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    begin_capture();
    must(cudaEventRecord(event, stream));
    must(cudaStreamWaitEvent(other, event, 0));
    must(cudaMemsetAsync(memory, 0, 16, other));
    return cudaStreamEndCapture(stream, &graph);
}
MISUSE(event_of_a_capture_queried)
{
    begin_capture();
    must(cudaEventRecord(event, stream));
    return cudaEventQuery(event);
}
MISUSE(wait_in_a_capture_for_work_outside)
{
    cudaStream_t other;
    must(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    must(cudaEventRecord(event, other));
    begin_capture();
    return cudaStreamWaitEvent(stream, event, 0);
}
MISUSE(callback_in_a_capture)
{
    begin_capture();
    return cudaStreamAddCallback(stream, call_nothing, NULL, 0);
}
MISUSE(graph_with_flags) { return cudaGraphCreate(&graph, 1); }
MISUSE(graph_to_nowhere) { return cudaGraphCreate(NULL, 0); }
MISUSE(destroy_no_graph) { return cudaGraphDestroy(NULL); }
MISUSE(instantiate_no_graph) { return cudaGraphInstantiate(&exec, NULL, 0); }
MISUSE(launch_no_graph) { return cudaGraphLaunch(NULL, stream); }
MISUSE(destroy_no_executable_graph) { return cudaGraphExecDestroy(NULL); }
MISUSE(node_of_no_graph)
{
    cudaGraphNode_t node;
    return cudaGraphAddEmptyNode(&node, NULL, NULL, 0);
}
MISUSE(node_without_its_dependencies)
{
    cudaGraphNode_t node;
    must(cudaGraphCreate(&graph, 0));
    return cudaGraphAddEmptyNode(&node, graph, NULL, 1);
}
MISUSE(node_after_one_of_another_graph)
{
    cudaGraph_t other;
    cudaGraphNode_t node, next;
    must(cudaGraphCreate(&graph, 0));
    must(cudaGraphCreate(&other, 0));
    must(cudaGraphAddEmptyNode(&node, other, NULL, 0));
    return cudaGraphAddEmptyNode(&next, graph, &node, 1);
}
MISUSE(node_of_a_null_host_function)
{
    const struct cudaHostNodeParams call = {NULL, NULL};
    cudaGraphNode_t node;
    must(cudaGraphCreate(&graph, 0));
    return cudaGraphAddHostNode(&node, graph, NULL, 0, &call);
}
MISUSE(nodes_to_nowhere)
{
    must(cudaGraphCreate(&graph, 0));
    return cudaGraphGetNodes(graph, NULL, NULL);
}
MISUSE(empty_graph)
{
    must(cudaGraphCreate(&graph, 0));
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaGraphLaunch(exec, stream));
    return cudaStreamSynchronize(stream);
}
MISUSE(update_with_another_shape)
{
    const struct cudaHostNodeParams call = {do_nothing, NULL};
    cudaGraphExecUpdateResultInfo result;
    cudaGraph_t other;
    cudaGraphNode_t node;
    must(cudaGraphCreate(&graph, 0));
    must(cudaGraphCreate(&other, 0));
    must(cudaGraphAddHostNode(&node, graph, NULL, 0, &call));
    must(cudaGraphAddHostNode(&node, other, NULL, 0, &call));
    must(cudaGraphAddHostNode(&node, other, &node, 1, &call));
    must(cudaGraphInstantiate(&exec, graph, 0));
    return cudaGraphExecUpdate(exec, other, &result);
}

/* ---- memory pools ---- */

static cudaMemPool_t pool;
static unsigned long long value;

MISUSE(async_malloc_to_nowhere) { return cudaMallocAsync(NULL, 16, stream); }
MISUSE(async_malloc_of_0_bytes) { return cudaMallocAsync(&out, 0, stream); }
MISUSE(async_malloc_too_much) { return cudaMallocAsync(&out, (size_t)1 << 50, stream); }
MISUSE(async_free_of_null) { return cudaFreeAsync(NULL, stream); }
MISUSE(async_free_of_host_memory) { return cudaFreeAsync(host, stream); }
MISUSE(async_free_of_plain_memory) { return cudaFreeAsync(memory, stream); }
MISUSE(async_free_twice)
{
    must(cudaMallocAsync(&out, 16, stream));
    must(cudaFreeAsync(out, stream));
    return cudaFreeAsync(out, stream);
}
MISUSE(free_of_async_memory)
{
    must(cudaMallocAsync(&out, 16, stream));
    return cudaFree(out);
}
MISUSE(pool_of_an_unknown_device) { return cudaDeviceGetDefaultMemPool(&pool, NOWHERE); }
MISUSE(pool_to_nowhere) { return cudaDeviceGetDefaultMemPool(NULL, 0); }
MISUSE(destroy_the_default_pool)
{
    must(cudaDeviceGetDefaultMemPool(&pool, 0));
    return cudaMemPoolDestroy(pool);
}
MISUSE(unknown_attribute_of_a_pool)
{
    must(cudaDeviceGetDefaultMemPool(&pool, 0));
    return cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)NOWHERE, &value);
}
MISUSE(set_what_a_pool_has_in_use)
{
    must(cudaDeviceGetDefaultMemPool(&pool, 0));
    return cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value);
}
MISUSE(set_a_high_mark_to_1)
{
    value = 1;
    must(cudaDeviceGetDefaultMemPool(&pool, 0));
    return cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value);
}

/* ---- the driver ---- */

static CUdevice device;
static CUcontext context;
static CUmodule module;
static CUfunction function;
static CUdeviceptr address;

static int make_context(CUcontext *made)
{
#if CUDA_VERSION >= 13000
    return cuCtxCreate(made, NULL, 0, 0);
#else
    return cuCtxCreate(made, 0, 0);
#endif
}

MISUSE_AS(driver_before_init, BARE) { return cuDeviceGetCount(&number); }
MISUSE_AS(init_with_flags, BARE) { return cuInit(1); }
MISUSE_AS(malloc_without_a_context, BARE)
{
    must(cuInit(0));
    return cuMemAlloc(&address, 16);
}
MISUSE_AS(synchronize_without_a_context, BARE)
{
    must(cuInit(0));
    return cuCtxSynchronize();
}
MISUSE_AS(current_context_before_any, BARE)
{
    must(cuInit(0));
    context = (CUcontext)host;
    return cuCtxGetCurrent(&context) * 1000 + (context != NULL);
}
MISUSE_AS(pop_no_context, BARE)
{
    must(cuInit(0));
    return cuCtxPopCurrent(&context);
}
MISUSE_AS(device_of_no_context, BARE)
{
    must(cuInit(0));
    return cuCtxGetDevice(&device);
}
MISUSE_AS(primary_context_is_not_active, BARE)
{
    unsigned flags;
    must(cuInit(0));
    return cuDevicePrimaryCtxGetState(0, &flags, &number) * 1000 + number;
}
MISUSE_AS(primary_context_released_too_often, BARE)
{
    must(cuInit(0));
    return cuDevicePrimaryCtxRelease(0);
}
MISUSE_AS(current_context_after_creation, BARE)
{
    CUcontext current;
    must(cuInit(0));
    must(make_context(&context));
    return cuCtxGetCurrent(&current) * 1000 + (current == context);
}
MISUSE_AS(malloc_after_the_context_was_destroyed, BARE)
{
    must(cuInit(0));
    must(make_context(&context));
    must(cuCtxDestroy(context));
    return cuMemAlloc(&address, 16);
}
MISUSE(runtime_makes_a_context_current) { return cuCtxGetCurrent(&context) * 1000 + (context != NULL); }
MISUSE(unknown_driver_device) { return cuDeviceGet(&device, NOWHERE); }
MISUSE(driver_device_to_nowhere) { return cuDeviceGet(NULL, 0); }
MISUSE(unknown_driver_attribute) { return cuDeviceGetAttribute(&number, (CUdevice_attribute)9999, 0); }
MISUSE(driver_malloc_of_0_bytes) { return cuMemAlloc(&address, 0); }
MISUSE(driver_free_of_0) { return cuMemFree(0); }
MISUSE(driver_free_host_of_null) { return cuMemFreeHost(NULL); }
MISUSE(driver_upload_from_null) { return cuMemcpyHtoD((CUdeviceptr)(size_t)memory, NULL, 16); }
MISUSE(driver_upload_to_host_memory) { return cuMemcpyHtoD((CUdeviceptr)(size_t)host, host + 64, 16); }
MISUSE(driver_download_to_device_memory) { return cuMemcpyDtoH(memory, (CUdeviceptr)(size_t)memory + 64, 16); }
MISUSE(driver_copy_on_the_host) { return cuMemcpy((CUdeviceptr)(size_t)host, (CUdeviceptr)(size_t)(host + 64), 16); }
MISUSE(driver_fill_of_unaligned_words) { return cuMemsetD32((CUdeviceptr)(size_t)memory + 2, 7, 4); }
MISUSE(range_of_an_unknown_address) { return cuMemGetAddressRange(&address, &size, (CUdeviceptr)(size_t)host); }
MISUSE(destroy_no_context) { return cuCtxDestroy(NULL); }
MISUSE(push_no_context) { return cuCtxPushCurrent(NULL); }
MISUSE(no_image) { return cuModuleLoadData(&module, NULL); }
MISUSE(image_that_is_none) { return cuModuleLoadData(&module, "this is no image"); }
MISUSE(module_of_no_file) { return cuModuleLoad(&module, "/no/such/file.cubin"); }
MISUSE(launch_of_no_function) { return cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL); }
MISUSE_AS(error_text_to_nowhere, UNDEFINED) { return cuGetErrorString(CUDA_SUCCESS, NULL); }
MISUSE(text_of_an_unknown_error)
{
    const char *text;
    return cuGetErrorString((CUresult)5000, &text);
}

/* ---- NVRTC, and kernels ---- */

static nvrtcProgram program;
static const char source[] = "extern \"C\" __global__ void store(int *place, int number) { *place = number; }\n"
                             "extern \"C\" __global__ void stop() { __trap(); }\n"
                             "extern \"C\" __global__ void misaligned(int *place) { *(volatile int *)((char *)place + "
                             "1) = 1; }\n"
                             "__device__ int variable;\n";

static int compile(const char *text, int options, const char *const *option)
{
    must(nvrtcCreateProgram(&program, text, "misuse.cu", 0, NULL, NULL));
    return nvrtcCompileProgram(program, options, option);
}

static void load(void)
{
    must(compile(source, 0, NULL));
    must(nvrtcGetPTXSize(program, &size));
    char *image = malloc(size);
    must(nvrtcGetPTX(program, image));
    must(cuModuleLoadData(&module, image));
    must(cuModuleGetFunction(&function, module, "store"));
}

static int launch(unsigned blocks, unsigned threads, unsigned shared, void *place)
{
    int stored = 7;
    void *arguments[] = {&place, &stored};
    return cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared, stream, arguments, NULL);
}

MISUSE(program_of_no_source) { return nvrtcCreateProgram(&program, NULL, NULL, 0, NULL, NULL); }
MISUSE(source_that_does_not_compile) { return compile("extern \"C\" __global__ void f() { nothing_such; }", 0, NULL); }
MISUSE(unknown_option)
{
    const char *option[] = {"--no-such-option"};
    return compile(source, 1, option);
}
MISUSE(definition_by_option)
{
    const char *option[] = {"-DTYPE=int"};
    return compile("extern \"C\" __global__ void f(TYPE *x) { *x = 1; }", 1, option);
}
MISUSE(image_before_compilation)
{
    must(nvrtcCreateProgram(&program, source, "misuse.cu", 0, NULL, NULL));
    return nvrtcGetPTXSize(program, &size);
}
MISUSE(lowered_name_before_compilation)
{
    const char *name;
    must(nvrtcCreateProgram(&program, source, "misuse.cu", 0, NULL, NULL));
    must(nvrtcAddNameExpression(program, "store"));
    return nvrtcGetLoweredName(program, "store", &name);
}
MISUSE(name_expression_after_compilation)
{
    must(compile(source, 0, NULL));
    return nvrtcAddNameExpression(program, "store");
}
MISUSE(destroy_no_program)
{
    program = NULL;
    return nvrtcDestroyProgram(&program);
}
MISUSE(function_that_is_not_there)
{
    load();
    return cuModuleGetFunction(&function, module, "no_such_kernel");
}
MISUSE(variable_that_is_not_there)
{
    load();
    return cuModuleGetGlobal(&address, &size, module, "no_such_variable");
}
MISUSE(launch_that_is_right)
{
    load();
    must(launch(1, 1, 0, memory));
    return cuStreamSynchronize(stream);
}
MISUSE(launch_of_too_many_threads)
{
    load();
    return launch(1, 1025, 0, memory);
}
MISUSE(launch_of_no_block)
{
    load();
    return launch(0, 1, 0, memory);
}
MISUSE(launch_of_no_thread)
{
    load();
    return launch(1, 0, 0, memory);
}
MISUSE(launch_with_too_much_shared_memory)
{
    load();
    return launch(1, 1, 1 << 20, memory);
}
MISUSE(launch_without_arguments)
{
    load();
    return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL);
}
MISUSE(attribute_of_no_function) { return cuFuncGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL); }
MISUSE(unknown_attribute_of_a_function)
{
    load();
    return cuFuncGetAttribute(&number, (CUfunction_attribute)NOWHERE, function);
}

/* ---- after a kernel has failed ---- */

static int fail(void)
{
    load();
    must(launch(1, 1, 0, NULL)); /* writes to NULL */
    return cudaStreamSynchronize(stream);
}

MISUSE(wait_for_a_fault) { return fail(); }
MISUSE(wait_for_the_device_after_a_fault)
{
    fail();
    return cudaDeviceSynchronize();
}
MISUSE(wait_for_a_trap)
{
    load();
    must(cuModuleGetFunction(&function, module, "stop"));
    must(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
    return cudaStreamSynchronize(stream);
}
MISUSE(malloc_after_a_fault)
{
    fail();
    return cudaMalloc(&out, 16);
}
MISUSE(free_after_a_fault)
{
    fail();
    return cudaFree(memory);
}
MISUSE(query_after_a_fault)
{
    fail();
    return cudaStreamQuery(stream);
}
MISUSE(copy_after_a_fault)
{
    fail();
    return cudaMemcpy(host, memory, 16, cudaMemcpyDeviceToHost);
}
MISUSE(stream_after_a_fault)
{
    fail();
    return cudaStreamCreate(&stream);
}
MISUSE(destroy_a_stream_after_a_fault)
{
    fail();
    return cudaStreamDestroy(stream);
}
MISUSE(event_after_a_fault)
{
    fail();
    return cudaEventRecord(event, stream);
}
MISUSE(properties_after_a_fault)
{
    static struct cudaDeviceProp of;
    fail();
    return cudaGetDeviceProperties(&of, 0);
}
MISUSE(device_after_a_fault)
{
    fail();
    return cudaSetDevice(0);
}
MISUSE(count_after_a_fault)
{
    fail();
    return cudaGetDeviceCount(&number);
}
MISUSE(reset_after_a_fault)
{
    fail();
    return cudaDeviceReset();
}
MISUSE(malloc_after_fault_and_reset)
{
    fail();
    cudaDeviceReset();
    return cudaMalloc(&out, 16);
}
MISUSE(last_errors_after_a_fault)
{
    fail();
    return cudaGetLastError() * 1000 + cudaGetLastError();
}
MISUSE(driver_malloc_after_a_fault)
{
    fail();
    return cuMemAlloc(&address, 16);
}
MISUSE(misaligned_address)
{
    load();
    must(cuModuleGetFunction(&function, module, "misaligned"));
    void *arguments[] = {&memory};
    must(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
    return cudaStreamSynchronize(stream);
}

/* ---- answers ---- */

typedef struct answer {
    int code, last, next, alloc;
} answer;

typedef struct process {
    pid_t id;
    int channel;
} process;

static process begin(int which)
{
    int channel[2];
    if (pipe(channel) != 0) exit(2);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        answer found;
        memset(&found, 0, sizeof found);
        alarm(MOST_SECONDS);
        if (!(cases[which].how & BARE)) make_fixture();
        found.code = cases[which].run();
        if (!(cases[which].how & BARE)) {
            found.last = cudaGetLastError();
            found.next = cudaGetLastError();
            found.alloc = cudaMalloc(&out, 16);
        }
        if (write(channel[1], &found, sizeof found) != (ssize_t)sizeof found) _exit(3);
        _exit(0);
    }
    close(channel[1]);
    return (process){child, channel[0]};
}

static answer end(process ended)
{
    answer found = {CRASHES, 0, 0, 0};
    int status = 0;
    waitpid(ended.id, &status, 0);
    if (read(ended.channel, &found, sizeof found) != (ssize_t)sizeof found) found.code = CRASHES;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) found.code = HANGS;
    close(ended.channel);
    return found;
}

static answer answers[MOST_CASES];

/* A process for each processor at a time: on a GPU their contexts take most of the time. */
static void find_answers(void)
{
    process running[MOST_PROCESSES];
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const int most = processors > MOST_PROCESSES ? MOST_PROCESSES : processors > 1 ? (int)processors : 1;
    for (int i = 0; i < case_count + most; i++) {
        if (i >= most && i - most < case_count) answers[i - most] = end(running[i % most]);
        if (i < case_count) running[i % most] = begin(i);
    }
}

/* Why an answer of the CPU device differs from NVIDIA's. */
static const struct {
    const char *name, *why;
} reasons[] = {
    {"misaligned_address", "the processor of the host reads and writes at any address; LAB_MEMCHECK=1 finds it"},
};

static const char *reason_of(const char *name)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strcmp(reasons[i].name, name) == 0) return reasons[i].why;
    return NULL;
}

static void print(int which, answer found)
{
    printf("%-44s %d last %d next %d alloc %d\n", cases[which].name, found.code, found.last, found.next, found.alloc);
}

static int find_case(const char *name)
{
    for (int i = 0; i < case_count; i++)
        if (strcmp(cases[i].name, name) == 0) return i;
    return -1;
}

/* Compares one line of the file; 1 if it is a failure. */
static int compare(const char *line, int *compared)
{
    char name[64];
    answer wanted;
    if (sscanf(line, "%63s %d last %d next %d alloc %d", name, &wanted.code, &wanted.last, &wanted.next,
               &wanted.alloc) != 5)
        return 0;
    const int which = find_case(name);
    if (which < 0) return printf("%s: is no misuse of this program\n", name), 1;
    ++*compared;
    const answer found = answers[which];
    const int is_error = (cases[which].how & UNDEFINED) && found.code > 0;
    const int is_same = is_error || memcmp(&found, &wanted, sizeof found) == 0;
    const char *why = reason_of(name), *on = getenv("LAB_DEVICE");
    if (is_same == !why || (is_same && on && strncmp(on, "cuda", strlen("cuda")) == 0)) return 0;
    printf("%s, %s:\n  ours   ", name, why ? "has a reason for a difference that there is not" : "differs");
    print(which, found);
    printf("  NVIDIA ");
    print(which, wanted);
    return 1;
}

int main(int argc, char **argv)
{
    char line[512];
    int failures = 0, compared = 0, recorded = 1;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (argc > 1 && !file) return perror(argv[1]), 2;
    find_answers();
    if (!file) {
        printf("# The answers of NVIDIA's libraries to the misuses of runtime_misuse.c. Measured.\n");
        for (int i = 0; i < case_count; i++) print(i, answers[i]);
        return 0;
    }
    while (fgets(line, sizeof line, file)) {
        if (strstr(line, "Not recorded yet")) recorded = 0;
        if (*line != '#') failures += compare(line, &compared);
    }
    fclose(file);
    failures += case_count - compared;
    if (compared != case_count) printf("%d misuses are in no line of %s\n", case_count - compared, argv[1]);
    if (!recorded) printf("NVIDIA's answers are not recorded yet: these are what CUDA's documentation says\n");
    printf("%d passed, %d failed\n", compared > failures ? compared - failures : 0, failures);
    return failures != 0;
}
