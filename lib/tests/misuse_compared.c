/*
 * What a misuse of each call is answered with: the library's status and the raw driver's.
 *
 *   misuse_compared FILE [keep]
 *
 * Each misuse is written once, over a table of calls that is filled in twice: with lab.h's functions and with the
 * driver's, which is opened by dlopen. On a GPU both answer, and `keep` writes the driver's answers to FILE; on the CPU
 * device FILE has them. An answer of the library's that differs is a failure unless the misuse has a reason for it, and
 * so is a reason without a difference. Misuses run in forked processes: a crash there, or a wait without end, is an
 * answer too, from which the library's may differ if it is an error. Using what was destroyed is undefined in CUDA, so
 * that the driver's answer may be any.
 */
#include "lab.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 4096, CRASHES = -1, HANGS = -2, NO_ANSWER = -3, MOST_SECONDS = 200, NO_SUCH_DEVICE = 99 };
enum { KERNEL = 0, FILL = 1 }; /* the nodes of the graph */

/* ---- the calls: name, the driver's, the library's, parameters ---- */

/* clang-format off */
#define SAME_CALLS(X)                                                                                                  \
    X(mem_alloc, "cuMemAlloc_v2", lab_mem_alloc, (uint64_t *out, size_t bytes))                                        \
    X(mem_free, "cuMemFree_v2", lab_mem_free, (uint64_t memory))                                                       \
    X(mem_info, "cuMemGetInfo_v2", lab_mem_get_info, (size_t *free_bytes, size_t *total))                              \
    X(host_free, "cuMemFreeHost", lab_host_free, (void *memory))                                                       \
    X(host_unregister, "cuMemHostUnregister", lab_host_unregister, (void *memory))                                     \
    X(htod, "cuMemcpyHtoD_v2", lab_memcpy_htod, (uint64_t to, const void *from, size_t bytes))                         \
    X(dtoh, "cuMemcpyDtoH_v2", lab_memcpy_dtoh, (void *to, uint64_t from, size_t bytes))                               \
    X(htod_async, "cuMemcpyHtoDAsync_v2", lab_memcpy_htod_async,                                                       \
      (uint64_t to, const void *from, size_t bytes, void *stream))                                                     \
    X(dtod_async, "cuMemcpyDtoDAsync_v2", lab_memcpy_dtod_async,                                                       \
      (uint64_t to, uint64_t from, size_t bytes, void *stream))                                                        \
    X(fill, "cuMemsetD8Async", lab_memset_async, (uint64_t to, unsigned char value, size_t bytes, void *stream))       \
    X(stream_create, "cuStreamCreate", lab_stream_create, (void **out, unsigned flags))                                \
    X(stream_destroy, "cuStreamDestroy_v2", lab_stream_destroy, (void *stream))                                        \
    X(stream_synchronize, "cuStreamSynchronize", lab_stream_synchronize, (void *stream))                               \
    X(stream_query, "cuStreamQuery", lab_stream_query, (void *stream))                                                 \
    X(host_function, "cuLaunchHostFunc", lab_stream_launch_host_func,                                                  \
      (void *stream, void (*function)(void *user), void *user))                                                        \
    X(event_create, "cuEventCreate", lab_event_create, (void **out, unsigned flags))                                   \
    X(event_destroy, "cuEventDestroy_v2", lab_event_destroy, (void *event))                                            \
    X(event_record, "cuEventRecord", lab_event_record, (void *event, void *stream))                                    \
    X(event_query, "cuEventQuery", lab_event_query, (void *event))                                                     \
    X(event_synchronize, "cuEventSynchronize", lab_event_synchronize, (void *event))                                   \
    X(elapsed_time, "cuEventElapsedTime", lab_event_elapsed_time, (float *out, void *start, void *end))                \
    X(context_destroy, "cuCtxDestroy_v2", lab_context_destroy, (void *context))                                        \
    X(context_push, "cuCtxPushCurrent_v2", lab_context_push, (void *context))                                          \
    X(context_pop, "cuCtxPopCurrent_v2", lab_context_pop, (void **out))                                                \
    X(context_set, "cuCtxSetCurrent", lab_context_set, (void *context))                                                \
    X(disable_peer, "cuCtxDisablePeerAccess", lab_context_disable_peer_access, (void *peer))                           \
    X(primary_retain, "cuDevicePrimaryCtxRetain", lab_context_primary_retain, (void **out, int device))                \
    X(primary_release, "cuDevicePrimaryCtxRelease_v2", lab_context_primary_release, (int device))                      \
    X(module_unload, "cuModuleUnload", lab_module_unload, (void *module))                                              \
    X(get_global, "cuModuleGetGlobal_v2", lab_module_get_global,                                                       \
      (uint64_t *out, size_t *bytes, void *module, const char *name))                                                  \
    X(begin_capture, "cuStreamBeginCapture_v2", lab_stream_begin_capture, (void *stream, int mode))                    \
    X(is_capturing, "cuStreamIsCapturing", ours_is_capturing, (void *stream, int *status))                       \
    X(exchange_mode, "cuThreadExchangeStreamCaptureMode", lab_thread_exchange_capture_mode, (int *mode))               \
    X(graph_launch, "cuGraphLaunch", lab_graph_launch, (void *exec, void *stream))                                     \
    X(graph_destroy, "cuGraphDestroy", lab_graph_destroy, (void *graph))                                               \
    X(exec_destroy, "cuGraphExecDestroy", lab_graph_exec_destroy, (void *exec))

/* Calls of which the two have different forms. */
#define OWN_CALLS(X)                                                                                                   \
    X(start, (void))                                                                                                   \
    X(null_stream, (void **out))                                                                                       \
    X(synchronize, (void))                                                                                             \
    X(get_device, (int device))                                                                                        \
    X(host_alloc, (void **out, size_t bytes))                                                                          \
    X(host_register, (void *memory, size_t bytes))                                                                     \
    X(wait_event, (void *stream, void *event))                                                                         \
    X(callback, (void *stream, bool function))                                                                         \
    X(context_create, (void **out, int device))                                                                        \
    X(enable_peer, (void *peer))                                                                                       \
    X(module_load, (void **out, const char *kind))                                                                     \
    X(get_function, (void **out, void *module, const char *name))                                                      \
    X(launch, (void *function, void *stream, const unsigned *size, size_t shared, bool argument))                      \
    X(launch_together, (void *function, void *stream, const unsigned *size, size_t shared, bool argument))             \
    X(end_capture, (void *stream, void **out))                                                                         \
    X(instantiate, (void **out, void *graph))                                                                          \
    X(update, (void *exec, void *graph, int node, void *function, unsigned threads))
/* clang-format on */

typedef struct calls {
#define SAME_FIELD(name, symbol, ours, parameters) int(*name) parameters;
#define OWN_FIELD(name, parameters) int(*name) parameters;
    SAME_CALLS(SAME_FIELD) OWN_CALLS(OWN_FIELD)
} calls;

/* ---- the library's ---- */

static lab_function as_function(void *function) { return (lab_function){(uintptr_t)function}; }

static int ours_start(void) { return lab_device_use(0); }
static int ours_null_stream(void **out)
{
    *out = lab_stream_null();
    return LAB_SUCCESS;
}
static int ours_synchronize(void) { return lab_device_synchronize(); }
static int ours_get_device(int device)
{
    lab_device_info info;
    return lab_device_get_info(&info, device);
}
static int ours_host_alloc(void **out, size_t bytes) { return lab_host_alloc(out, bytes); }
static int ours_host_register(void *memory, size_t bytes) { return lab_host_register(memory, bytes); }
static int ours_wait_event(void *stream, void *event) { return lab_stream_wait_event(stream, event); }
static void our_callback(lab_stream *stream, lab_status status, void *user) { (void)stream, (void)status, (void)user; }
static int ours_callback(void *stream, bool function)
{
    return lab_stream_add_callback(stream, function ? our_callback : NULL, NULL);
}
static int ours_context_create(void **out, int device) { return lab_context_create((lab_context **)out, device); }
static int ours_enable_peer(void *peer) { return lab_context_enable_peer_access(peer); }
static int ours_module_load(void **out, const char *kind)
{
    static const char good[] = "__device__ int counter;\n"
                               "extern \"C\" __global__ void store(float *place) { if (place) *place = counter; }\n";
    return lab_module_load_source((lab_module **)out, !kind ? NULL : *kind ? kind : good, "misuse.cu");
}
static int ours_get_function(void **out, void *module, const char *name)
{
    lab_function found = {0};
    const int status = lab_module_get_function(&found, module, name);
    *out = (void *)(uintptr_t)found.handle;
    return status;
}
static int ours_launch(void *function, void *stream, const unsigned *size, size_t shared, bool argument)
{
    const lab_dim grid = {size[0], size[1], size[2]}, block = {size[3], size[4], size[5]};
    return lab_launch(as_function(function), grid, block, shared, stream,
                      argument ? LAB_ARGS((lab_deviceptr)0) : LAB_NO_ARGS);
}
static int ours_launch_together(void *function, void *stream, const unsigned *size, size_t shared, bool argument)
{
    const lab_dim grid = {size[0], size[1], size[2]}, block = {size[3], size[4], size[5]};
    return lab_launch_cooperative(as_function(function), grid, block, shared, stream,
                                  argument ? LAB_ARGS((lab_deviceptr)0) : LAB_NO_ARGS);
}
static int ours_end_capture(void *stream, void **out) { return lab_stream_end_capture((lab_graph **)out, stream); }
static int ours_instantiate(void **out, void *graph) { return lab_graph_instantiate((lab_graph_exec **)out, graph); }
static int ours_update(void *exec, void *graph, int node, void *function, unsigned threads)
{
    (void)graph;
    return lab_graph_exec_update_kernel(exec, node, as_function(function), LAB_DIM(1), LAB_DIM(threads), 0,
                                        LAB_ARGS((lab_deviceptr)0));
}

/* The driver's parameters are the other way round. */
static int ours_is_capturing(void *stream, int *status) { return lab_stream_is_capturing((void *)status, stream); }

static calls ours;

static void fill_in_ours(void)
{
#define SAME_OURS(name, symbol, function, parameters) ours.name = (__typeof__(ours.name))(void (*)(void))function;
#define OWN_OURS(name, parameters) ours.name = ours_##name;
    SAME_CALLS(SAME_OURS)
    OWN_CALLS(OWN_OURS)
}

/* ---- the driver's ---- */

typedef struct kernel_node { /* CUDA_KERNEL_NODE_PARAMS_v1 */
    void *function;
    unsigned size[6], shared;
    void **arguments, **extra;
} kernel_node;

#define DRIVER_CALLS(X)                                                                                                \
    X(cuInit, (unsigned flags))                                                                                        \
    X(cuDeviceGet, (int *out, int ordinal))                                                                            \
    X(cuCtxSynchronize, (void))                                                                                        \
    X(cuMemHostAlloc, (void **out, size_t bytes, unsigned flags))                                                      \
    X(cuMemHostRegister_v2, (void *memory, size_t bytes, unsigned flags))                                              \
    X(cuStreamWaitEvent, (void *stream, void *event, unsigned flags))                                                  \
    X(cuStreamAddCallback,                                                                                             \
      (void *stream, void (*function)(void *stream, int status, void *user), void *user, unsigned flags))              \
    X(cuCtxCreate_v2, (void **out, unsigned flags, int device))                                                        \
    X(cuCtxEnablePeerAccess, (void *peer, unsigned flags))                                                             \
    X(cuModuleLoadData, (void **out, const void *image))                                                               \
    X(cuModuleGetFunction, (void **out, void *module, const char *name))                                               \
    X(cuLaunchKernel,                                                                                                  \
      (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,          \
       unsigned block_z, unsigned shared, void *stream, void **arguments, void **extra))                               \
    X(cuLaunchCooperativeKernel,                                                                                       \
      (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,          \
       unsigned block_z, unsigned shared, void *stream, void **arguments))                                             \
    X(cuStreamEndCapture, (void *stream, void **out))                                                                  \
    X(cuGraphInstantiateWithFlags, (void **out, void *graph, unsigned long long flags))                                \
    X(cuGraphGetNodes, (void *graph, void **nodes, size_t *count))                                                     \
    X(cuGraphNodeGetType, (void *node, int *type))                                                                     \
    X(cuGraphExecKernelNodeSetParams, (void *exec, void *node, const kernel_node *parameters))

static struct {
#define DRIVER_FIELD(name, parameters) int(*name) parameters;
    DRIVER_CALLS(DRIVER_FIELD)
} driver;

static calls theirs;

static int theirs_start(void)
{
    void *primary;
    int status = driver.cuInit(0);
    if (status == 0) status = theirs.primary_retain(&primary, 0);
    return status ? status : theirs.context_set(primary);
}
static int theirs_null_stream(void **out)
{
    *out = (void *)0x1; /* CU_STREAM_LEGACY */
    return 0;
}
static int theirs_synchronize(void) { return driver.cuCtxSynchronize(); }
static int theirs_get_device(int device)
{
    int found;
    return driver.cuDeviceGet(&found, device);
}
static int theirs_host_alloc(void **out, size_t bytes) { return driver.cuMemHostAlloc(out, bytes, 1); }
static int theirs_host_register(void *memory, size_t bytes) { return driver.cuMemHostRegister_v2(memory, bytes, 1); }
static int theirs_wait_event(void *stream, void *event) { return driver.cuStreamWaitEvent(stream, event, 0); }
static void their_callback(void *stream, int status, void *user) { (void)stream, (void)status, (void)user; }
static int theirs_callback(void *stream, bool function)
{
    return driver.cuStreamAddCallback(stream, function ? their_callback : NULL, NULL, 0);
}
static int theirs_context_create(void **out, int device) { return driver.cuCtxCreate_v2(out, 0, device); }
static int theirs_enable_peer(void *peer) { return driver.cuCtxEnablePeerAccess(peer, 0); }
static int theirs_module_load(void **out, const char *kind)
{
    static const char good[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".visible .global .align 4 .b32 counter;\n"
                               ".visible .entry store(.param .u64 place)\n{\n    ret;\n}\n";
    return driver.cuModuleLoadData(out, !kind ? NULL : *kind ? kind : good);
}
static int theirs_get_function(void **out, void *module, const char *name)
{
    return driver.cuModuleGetFunction(out, module, name);
}
static int theirs_launch(void *function, void *stream, const unsigned *size, size_t shared, bool argument)
{
    uint64_t place = 0;
    void *arguments[] = {&place};
    return driver.cuLaunchKernel(function, size[0], size[1], size[2], size[3], size[4], size[5], (unsigned)shared,
                                 stream, argument ? arguments : NULL, NULL);
}
static int theirs_launch_together(void *function, void *stream, const unsigned *size, size_t shared, bool argument)
{
    uint64_t place = 0;
    void *arguments[] = {&place};
    return driver.cuLaunchCooperativeKernel(function, size[0], size[1], size[2], size[3], size[4], size[5],
                                            (unsigned)shared, stream, argument ? arguments : NULL);
}
static int theirs_end_capture(void *stream, void **out) { return driver.cuStreamEndCapture(stream, out); }
static int theirs_instantiate(void **out, void *graph) { return driver.cuGraphInstantiateWithFlags(out, graph, 0); }
static int theirs_update(void *exec, void *graph, int node, void *function, unsigned threads)
{
    enum { KERNEL_TYPE = 0 };
    void *nodes[2] = {NULL, NULL}, *wanted = NULL, *arguments[1];
    uint64_t place = 0;
    size_t count = 2;
    driver.cuGraphGetNodes(graph, nodes, &count);
    for (size_t i = 0; i < count && i < 2; i++) {
        int type = -1;
        driver.cuGraphNodeGetType(nodes[i], &type);
        if ((type == KERNEL_TYPE) == (node == KERNEL)) wanted = nodes[i];
    }
    arguments[0] = &place;
    const kernel_node parameters = {function, {1, 1, 1, threads, 1, 1}, 0, arguments, NULL};
    return driver.cuGraphExecKernelNodeSetParams(exec, node > FILL ? NULL : wanted, &parameters);
}

static bool find_call(void *library, const char *symbol, void *field)
{
    void *found = dlsym(library, symbol);
    memcpy(field, &found, sizeof found);
    if (!found) fprintf(stderr, "the driver has no %s\n", symbol);
    return found;
}

/* False where there is no driver. */
static bool fill_in_theirs(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    bool all = library != NULL;
#define SAME_THEIRS(name, symbol, function, parameters) all = all && find_call(library, symbol, &theirs.name);
#define OWN_THEIRS(name, parameters) theirs.name = theirs_##name;
#define FIND_DRIVER(name, parameters) all = all && find_call(library, #name, &driver.name);
    SAME_CALLS(SAME_THEIRS)
    OWN_CALLS(OWN_THEIRS)
    DRIVER_CALLS(FIND_DRIVER)
    return all;
}

/* ---- what misuses need ---- */

static const calls *c; /* of the side that runs */

/* Made once in each process; `other` has a context of its own. */
static struct things {
    void *stream, *other_stream, *event, *untimed, *other_event, *module, *function, *other_function, *context;
    void *other_context, *graph, *exec, *pinned;
    uint64_t memory;
    char host[BYTES];
} t;

static void must(int status, const char *what)
{
    if (status == 0) return;
    fprintf(stderr, "misuse: %s: %d %s\n", what, status, c == &ours ? lab_error_message() : "");
    _exit(1);
}
#define MUST(call) must(call, #call)

static const unsigned one[] = {1, 1, 1, 1, 1, 1};

static void *make_stream(void)
{
    void *made;
    MUST(c->stream_create(&made, 0));
    return made;
}

static void *make_event(void)
{
    void *made;
    MUST(c->event_create(&made, 0));
    return made;
}

static void *load(void **function)
{
    void *module;
    MUST(c->module_load(&module, ""));
    MUST(c->get_function(function, module, "store"));
    return module;
}

static void *make_graph(void *stream)
{
    void *graph;
    MUST(c->begin_capture(stream, LAB_CAPTURE_RELAXED));
    MUST(c->launch(t.function, stream, one, 0, true));
    MUST(c->fill(t.memory, 0, 4, stream));
    MUST(c->end_capture(stream, &graph));
    return graph;
}

static void make_things(void)
{
    MUST(c->start());
    MUST(c->primary_retain(&t.context, 0));
    t.stream = make_stream();
    t.event = make_event();
    MUST(c->event_record(t.event, t.stream));
    MUST(c->event_create(&t.untimed, LAB_EVENT_DISABLE_TIMING));
    MUST(c->event_record(t.untimed, t.stream));
    MUST(c->mem_alloc(&t.memory, BYTES));
    MUST(c->host_alloc(&t.pinned, BYTES));
    t.module = load(&t.function);
    t.graph = make_graph(t.stream);
    MUST(c->instantiate(&t.exec, t.graph));
    MUST(c->context_create(&t.other_context, 0));
    t.other_stream = make_stream();
    t.other_event = make_event();
    MUST(c->event_record(t.other_event, t.other_stream));
    load(&t.other_function);
    MUST(c->context_pop(&(void *){NULL}));
    MUST(c->synchronize());
}

static int status_of_launch(unsigned grid_x, unsigned grid_y, unsigned block_x, unsigned block_y, unsigned block_z)
{
    return c->launch(t.function, t.stream, (unsigned[]){grid_x, grid_y, 1, block_x, block_y, block_z}, 0, true);
}

static int status_together(unsigned blocks, unsigned threads)
{
    return c->launch_together(t.function, t.stream, (unsigned[]){blocks, 1, 1, threads, 1, 1}, 0, true);
}

/* Two streams, of which the first captures. What is in a capture afterwards is dropped. */
static void *first, *second;

static void begin(int mode)
{
    first = make_stream();
    second = make_stream();
    MUST(c->begin_capture(first, mode));
}

static int leave(int status)
{
    void *graph;
    c->end_capture(first, &graph);
    c->end_capture(second, &graph);
    c->stream_destroy(first);
    c->stream_destroy(second);
    return status;
}

/* Makes the second stream a fork of the first one's capture. */
static void fork_capture(void)
{
    void *event = make_event();
    MUST(c->event_record(event, first));
    MUST(c->wait_event(second, event));
    MUST(c->launch(t.function, second, one, 0, true));
}

static atomic_bool gate_is_open;
static void wait_for_gate(void *user)
{
    (void)user;
    while (!atomic_load(&gate_is_open)) usleep(1000);
}

static void *end_in_thread(void *status)
{
    void *graph;
    if (c != &ours) c->context_set(t.context);
    *(int *)status = c->end_capture(first, &graph);
    return NULL;
}

/* ---- the misuses: name, why the library answers otherwise or NULL, the last call and what comes before ---- */

#define NOWHERE "the library refuses a missing place for a result, always and first"
#define STALE "undefined in CUDA; the library knows that the object is gone"

/* clang-format off */
#define MISUSES(X)                                                                                                     \
    X(alloc_to_nowhere, NULL, , c->mem_alloc(NULL, 64))                                                                \
    X(alloc_0_bytes, NULL, uint64_t m, c->mem_alloc(&m, 0))                                                            \
    X(alloc_too_much, NULL, uint64_t m, c->mem_alloc(&m, SIZE_MAX / 4))                                                \
    X(free_twice, NULL, uint64_t m; MUST(c->mem_alloc(&m, 64)); MUST(c->mem_free(m)), c->mem_free(m))                  \
    X(free_inside, NULL, , c->mem_free(t.memory + 64))                                                                 \
    X(free_host_memory, NULL, , c->mem_free((uintptr_t)t.host))                                                        \
    X(free_a_variable, NULL, uint64_t m; size_t n; MUST(c->get_global(&m, &n, t.module, "counter")), c->mem_free(m))   \
    X(memory_info_to_nowhere, NOWHERE, size_t n, c->mem_info(&n, NULL))                                                \
    X(host_alloc_to_nowhere, NULL, , c->host_alloc(NULL, 64))                                                          \
    X(host_alloc_0_bytes, "lab.h: 0 bytes is refused", void *m, c->host_alloc(&m, 0))                                  \
    X(host_alloc_too_much, NULL, void *m, c->host_alloc(&m, SIZE_MAX / 4))                                             \
    X(host_free_twice, NULL, void *m; MUST(c->host_alloc(&m, 64)); MUST(c->host_free(m)), c->host_free(m))             \
    X(host_free_of_malloc, NULL, , c->host_free(t.host))                                                               \
    X(host_free_of_registered, NULL, MUST(c->host_register(t.host, BYTES)); const int s = c->host_free(t.host);        \
      c->host_unregister(t.host), s)                                                                                   \
    X(register_nothing, NULL, , c->host_register(NULL, 64))                                                            \
    X(register_0_bytes, NULL, , c->host_register(t.host, 0))                                                           \
    X(register_twice, NULL, MUST(c->host_register(t.host, BYTES)); const int s = c->host_register(t.host, BYTES);      \
      c->host_unregister(t.host), s)                                                                                   \
    X(register_what_is_not_there, NULL, , c->host_register((void *)0x10000, 64))                                       \
    X(unregister_never_registered, NULL, , c->host_unregister(t.host))                                                 \
    X(unregister_of_alloc, NULL, , c->host_unregister(t.pinned))                                                       \
    X(unregister_twice, NULL, MUST(c->host_register(t.host, BYTES)); MUST(c->host_unregister(t.host)),                 \
      c->host_unregister(t.host))                                                                                      \
    X(upload_beyond_the_end, NULL, , c->htod(t.memory + BYTES - 8, t.host, 16))                                        \
    X(download_beyond_the_end, NULL, , c->dtoh(t.host, t.memory + BYTES - 8, 16))                                      \
    X(copy_beyond_the_end, NULL, , c->dtod_async(t.memory + BYTES - 8, t.memory, 16, t.stream))                        \
    X(fill_beyond_the_end, NULL, , c->fill(t.memory + BYTES - 8, 1, 16, t.stream))                                     \
    X(upload_from_nowhere, NULL, , c->htod(t.memory, NULL, 16))                                                        \
    X(download_to_nowhere, NULL, , c->dtoh(NULL, t.memory, 16))                                                        \
    X(stream_to_nowhere, NULL, , c->stream_create(NULL, 0))                                                            \
    X(stream_with_unknown_flags, NULL, void *s, c->stream_create(&s, 0x80))                                            \
    X(destroy_the_null_stream, NULL, void *s; MUST(c->null_stream(&s)), c->stream_destroy(s))                          \
    X(host_function_missing, NULL, , c->host_function(t.stream, NULL, NULL))                                           \
    X(callback_missing, NULL, , c->callback(t.stream, false))                                                          \
    X(event_to_nowhere, NULL, , c->event_create(NULL, 0))                                                              \
    X(event_with_unknown_flags, NULL, void *e, c->event_create(&e, 0x80))                                              \
    X(wait_for_no_event, NULL, , c->wait_event(t.stream, NULL))                                                        \
    X(record_no_event, NULL, , c->event_record(NULL, t.stream))                                                        \
    X(query_no_event, NULL, , c->event_query(NULL))                                                                    \
    X(synchronize_no_event, NULL, , c->event_synchronize(NULL))                                                        \
    X(record_on_stream_of_another_context, NULL, , c->event_record(t.event, t.other_stream))                           \
    X(elapsed_to_nowhere, NOWHERE, , c->elapsed_time(NULL, t.event, t.event))                                          \
    X(elapsed_of_no_event, NULL, float ms, c->elapsed_time(&ms, NULL, t.event))                                        \
    X(elapsed_without_timing, NULL, float ms, c->elapsed_time(&ms, t.untimed, t.untimed))                              \
    X(elapsed_never_recorded, NULL, float ms; void *e = make_event(), c->elapsed_time(&ms, t.event, e))                \
    X(elapsed_of_two_contexts, NULL, float ms, c->elapsed_time(&ms, t.event, t.other_event))                           \
    X(elapsed_not_done, NULL, float ms; void *e = make_event(); MUST(c->host_function(t.stream, wait_for_gate, NULL)); \
      MUST(c->event_record(e, t.stream)); const int s = c->elapsed_time(&ms, t.event, e);                              \
      atomic_store(&gate_is_open, true); MUST(c->synchronize()), s)                                                    \
    X(device_that_is_not_there, NULL, , c->get_device(NO_SUCH_DEVICE))                                                 \
    X(device_below_0, NULL, , c->get_device(-1))                                                                       \
    X(context_to_nowhere, NULL, , c->context_create(NULL, 0))                                                          \
    X(context_on_no_device, NULL, void *x, c->context_create(&x, NO_SUCH_DEVICE))                                      \
    X(destroy_the_primary_context, NULL, , c->context_destroy(t.context))                                              \
    X(retain_to_nowhere, NULL, , c->primary_retain(NULL, 0))                                                           \
    X(retain_on_no_device, NULL, void *x, c->primary_retain(&x, NO_SUCH_DEVICE))                                       \
    X(release_on_no_device, NULL, , c->primary_release(NO_SUCH_DEVICE))                                                \
    X(peer_none, NULL, , c->enable_peer(NULL))                                                                         \
    X(peer_itself, "documented so for cuCtxEnablePeerAccess", , c->enable_peer(t.context))                             \
    X(peer_on_the_same_device, NULL, , c->enable_peer(t.other_context))                                                \
    X(peer_not_enabled, NULL, , c->disable_peer(t.other_context))                                                      \
    X(disable_no_peer, NULL, , c->disable_peer(NULL))                                                                  \
    X(load_nothing, NULL, void *m, c->module_load(&m, NULL))                                                           \
    X(load_to_nowhere, NULL, , c->module_load(NULL, ""))                                                               \
    X(load_nonsense, "the library compiles a source; the driver is given an image", void *m,                           \
      c->module_load(&m, "nonsense"))                                                                                  \
    X(function_not_there, NULL, void *f, c->get_function(&f, t.module, "missing"))                                     \
    X(function_without_a_name, NULL, void *f, c->get_function(&f, t.module, NULL))                                     \
    X(variable_not_there, NULL, uint64_t m; size_t n, c->get_global(&m, &n, t.module, "missing"))                      \
    X(variable_without_a_name, NULL, uint64_t m; size_t n, c->get_global(&m, &n, t.module, NULL))                      \
    X(launch_too_many_threads, NULL, , status_of_launch(1, 1, 1025, 1, 1))                                             \
    X(launch_too_many_threads_in_all, NULL, , status_of_launch(1, 1, 64, 32, 1))                                       \
    X(launch_block_too_deep, NULL, , status_of_launch(1, 1, 1, 1, 65))                                                 \
    X(launch_no_threads, NULL, , status_of_launch(1, 1, 0, 1, 1))                                                      \
    X(launch_no_blocks, NULL, , status_of_launch(0, 1, 1, 1, 1))                                                       \
    X(launch_grid_too_high, NULL, , status_of_launch(1, 65536, 1, 1, 1))                                               \
    X(launch_too_much_shared_memory, NULL, , c->launch(t.function, t.stream, one, 1 << 20, true))                      \
    X(launch_no_function, NULL, , c->launch(NULL, t.stream, one, 0, true))                                             \
    X(launch_without_arguments, NULL, , c->launch(t.function, t.stream, one, 0, false))                                \
    X(launch_kernel_of_another_context, NULL, , c->launch(t.other_function, t.stream, one, 0, true))                   \
    X(launch_on_stream_of_another_context, NULL, , c->launch(t.function, t.other_stream, one, 0, true))                \
    X(together_without_a_barrier, NULL, , c->launch_together(t.function, t.stream, one, 0, true))                      \
    X(together_too_many_blocks, NULL, , status_together(1 << 20, 32))                                                  \
    X(together_no_blocks, NULL, , status_together(0, 1))                                                               \
    X(together_no_threads, NULL, , status_together(1, 0))                                                              \
    X(together_too_many_threads, NULL, , status_together(1, 1025))                                                     \
    X(together_too_much_shared_memory, NULL, , c->launch_together(t.function, t.stream, one, 1 << 20, true))           \
    X(together_no_function, NULL, , c->launch_together(NULL, t.stream, one, 0, true))                                  \
    X(together_without_arguments, NULL, , c->launch_together(t.function, t.stream, one, 0, false))                     \
    X(together_kernel_of_another_context, NULL, , c->launch_together(t.other_function, t.stream, one, 0, true))        \
    X(together_on_stream_of_another, NULL, ,                                                                           \
      c->launch_together(t.function, t.other_stream, one, 0, true))                                                    \
    X(capture_on_the_null_stream, NULL, void *s; MUST(c->null_stream(&s)), c->begin_capture(s, LAB_CAPTURE_GLOBAL))    \
    X(capture_in_no_mode, NULL, void *s = make_stream(), c->begin_capture(s, 7))                                       \
    X(capture_twice, NULL, begin(LAB_CAPTURE_GLOBAL), leave(c->begin_capture(first, LAB_CAPTURE_GLOBAL)))              \
    X(capture_on_a_fork, NULL, begin(LAB_CAPTURE_GLOBAL); fork_capture(),                                              \
      leave(c->begin_capture(second, LAB_CAPTURE_GLOBAL)))                                                             \
    X(exchange_no_mode, NULL, , c->exchange_mode(NULL))                                                                \
    X(exchange_unknown_mode, "the driver takes any number for a mode", int mode = 7, c->exchange_mode(&mode))          \
    X(end_never_begun, NULL, void *g, c->end_capture(t.stream, &g))                                                    \
    X(end_to_nowhere, NOWHERE, begin(LAB_CAPTURE_GLOBAL), leave(c->end_capture(first, NULL)))                          \
    X(end_unjoined, NULL, void *g; begin(LAB_CAPTURE_GLOBAL); fork_capture(), leave(c->end_capture(first, &g)))        \
    X(end_on_the_fork, NULL, void *g; begin(LAB_CAPTURE_GLOBAL); fork_capture(), leave(c->end_capture(second, &g)))    \
    X(end_invalidated, NULL, void *g; begin(LAB_CAPTURE_GLOBAL); c->stream_query(first),                               \
      leave(c->end_capture(first, &g)))                                                                                \
    X(end_on_another_thread, NULL, int s = 0; pthread_t thread; begin(LAB_CAPTURE_THREAD_LOCAL);                       \
      MUST(pthread_create(&thread, NULL, end_in_thread, &s)); pthread_join(thread, NULL), leave(s))                    \
    X(captured_stream_synchronized, NULL, begin(LAB_CAPTURE_RELAXED), leave(c->stream_synchronize(first)))             \
    X(captured_stream_queried, NULL, begin(LAB_CAPTURE_RELAXED), leave(c->stream_query(first)))                        \
    X(captured_context_synchronized, NULL, begin(LAB_CAPTURE_RELAXED), leave(c->synchronize()))                        \
    X(captured_callback, NULL, begin(LAB_CAPTURE_RELAXED), leave(c->callback(first, true)))                            \
    X(alloc_in_capture, NULL, uint64_t m; begin(LAB_CAPTURE_GLOBAL), leave(c->mem_alloc(&m, 64)))                      \
    X(free_in_capture, NULL, begin(LAB_CAPTURE_GLOBAL), leave(c->mem_free(t.memory)))                                  \
    X(host_alloc_in_capture, NULL, void *m; begin(LAB_CAPTURE_GLOBAL), leave(c->host_alloc(&m, 64)))                   \
    X(unload_in_capture, NULL, void *f; void *m = load(&f); begin(LAB_CAPTURE_GLOBAL), leave(c->module_unload(m)))     \
    X(event_query_in_capture, NULL, begin(LAB_CAPTURE_GLOBAL), leave(c->event_query(t.event)))                         \
    X(null_stream_in_capture, NULL, void *s; MUST(c->null_stream(&s)); begin(LAB_CAPTURE_RELAXED),                     \
      leave(c->fill(t.memory, 0, 4, s)))                                                                               \
    X(null_stream_asked_in_capture, NULL, void *s; int is; MUST(c->null_stream(&s)); begin(LAB_CAPTURE_RELAXED),       \
      leave(c->is_capturing(s, &is)))                                                                                  \
    X(is_capturing_to_nowhere, NULL, , c->is_capturing(t.stream, NULL))                                                \
    X(wait_for_event_outside, NULL, begin(LAB_CAPTURE_RELAXED), leave(c->wait_event(first, t.event)))                  \
    X(two_captures_in_one, NULL, void *e = make_event(); begin(LAB_CAPTURE_RELAXED);                                   \
      MUST(c->begin_capture(second, LAB_CAPTURE_RELAXED)); MUST(c->event_record(e, first)),                            \
      leave(c->wait_event(second, e)))                                                                                 \
    X(captured_event_queried, NULL, void *e = make_event(); begin(LAB_CAPTURE_RELAXED);                                \
      MUST(c->event_record(e, first)), leave(c->event_query(e)))                                                       \
    X(captured_event_synchronized, NULL, void *e = make_event(); begin(LAB_CAPTURE_RELAXED);                           \
      MUST(c->event_record(e, first)), leave(c->event_synchronize(e)))                                                 \
    X(captured_event_measured, NULL, float ms; void *e = make_event(); begin(LAB_CAPTURE_RELAXED);                     \
      MUST(c->event_record(e, first)), leave(c->elapsed_time(&ms, t.event, e)))                                        \
    X(instantiate_nothing, NULL, void *x, c->instantiate(&x, NULL))                                                    \
    X(instantiate_to_nowhere, NULL, , c->instantiate(NULL, t.graph))                                                   \
    X(launch_no_graph, NULL, , c->graph_launch(NULL, t.stream))                                                        \
    X(graph_on_stream_of_another_context, "lab.h: a launch runs on a stream of the graph's context", ,                 \
      c->graph_launch(t.exec, t.other_stream))                                                                         \
    X(update_too_many_threads, NULL, , c->update(t.exec, t.graph, KERNEL, t.function, 1025))                           \
    X(update_no_threads, NULL, , c->update(t.exec, t.graph, KERNEL, t.function, 0))                                    \
    X(update_no_kernel, NULL, , c->update(t.exec, t.graph, KERNEL, NULL, 1))                                           \
    X(update_no_node, NULL, , c->update(t.exec, t.graph, 2, t.function, 1))                                            \
    X(update_a_fill, NULL, , c->update(t.exec, t.graph, FILL, t.function, 1))                                          \
    X(update_kernel_of_another_context, NULL, , c->update(t.exec, t.graph, KERNEL, t.other_function, 1))               \
    X(update_no_graph, NULL, , c->update(NULL, t.graph, KERNEL, t.function, 1))

/* The same for those that may harm what runs after them: each has a process of its own. */
#define ALONE(X)                                                                                                \
    X(upload_to_freed_memory, NULL, uint64_t m; MUST(c->mem_alloc(&m, 1 << 24)); MUST(c->mem_free(m)),                 \
      c->htod(m, t.host, 16))                                                                                          \
    X(upload_to_no_memory, NULL, , c->htod(16, t.host, 16))                                                            \
    X(fill_of_no_memory, NULL, , c->fill(16, 1, 16, t.stream))                                                         \
    X(upload_too_much, NULL, , c->htod(t.memory, t.host, SIZE_MAX / 4))                                                \
    X(push_no_context, NULL, , c->context_push(NULL))                                                                  \
    X(pop_no_context, NULL, MUST(c->context_set(NULL)); if (c == &ours) lab_context_pop(NULL),                         \
      c->context_pop(&(void *){NULL}))                                                                                 \
    X(alloc_in_a_destroyed_context, NULL, uint64_t m; void *x; MUST(c->context_create(&x, 0));                         \
      MUST(c->context_push(t.context)); MUST(c->context_destroy(x)); MUST(c->context_pop(&(void *){NULL})),            \
      c->mem_alloc(&m, 64))                                                                                            \
    X(release_without_retain, NULL, for (int i = 0; i < 8 && c->primary_release(0) == 0; i++) {},                      \
      c->primary_release(0))                                                                                           \
    X(context_destroyed_twice, STALE, MUST(c->context_destroy(t.other_context)),                                       \
      c->context_destroy(t.other_context))                                                                             \
    X(context_pushed_after_its_end, STALE, MUST(c->context_destroy(t.other_context)),                                  \
      c->context_push(t.other_context))                                                                                \
    X(stream_destroyed_twice, STALE, MUST(c->stream_destroy(t.stream)), c->stream_destroy(t.stream))                   \
    X(stream_queried_after_its_end, STALE, MUST(c->stream_destroy(t.stream)), c->stream_query(t.stream))               \
    X(stream_used_after_its_end, STALE, MUST(c->stream_destroy(t.stream)), c->fill(t.memory, 0, 4, t.stream))          \
    X(event_destroyed_twice, STALE, MUST(c->event_destroy(t.event)), c->event_destroy(t.event))                        \
    X(event_queried_after_its_end, STALE, MUST(c->event_destroy(t.event)), c->event_query(t.event))                    \
    X(event_recorded_after_its_end, STALE, MUST(c->event_destroy(t.event)), c->event_record(t.event, t.stream))        \
    X(module_unloaded_twice, STALE, MUST(c->module_unload(t.module)), c->module_unload(t.module))                      \
    X(kernel_of_an_unloaded_module, STALE, MUST(c->module_unload(t.module)),                                           \
      c->launch(t.function, t.stream, one, 0, true))                                                                   \
    X(graph_destroyed_twice, STALE, MUST(c->graph_destroy(t.graph)), c->graph_destroy(t.graph))                        \
    X(graph_instantiated_after_its_end, STALE, void *x; MUST(c->graph_destroy(t.graph)), c->instantiate(&x, t.graph))  \
    X(graph_launched_after_its_end, STALE, MUST(c->exec_destroy(t.exec)), c->graph_launch(t.exec, t.stream))
/* clang-format on */

typedef struct misuse {
    const char *name, *reason;
    int (*perform)(void);
    bool alone;
} misuse;

#define FUNCTION(name, reason, before, last)                                                                           \
    static int perform_##name(void)                                                                                    \
    {                                                                                                                  \
        before;                                                                                                        \
        return last;                                                                                                   \
    }
MISUSES(FUNCTION)
ALONE(FUNCTION)

static const misuse all[] = {
#define ENTRY(name, reason, before, last) {#name, reason, perform_##name, false},
#define ALONE_ENTRY(name, reason, before, last) {#name, reason, perform_##name, true},
    MISUSES(ENTRY) ALONE(ALONE_ENTRY)};
enum { COUNT = sizeof all / sizeof *all };

/* ---- running them ---- */

typedef struct answers {
    int status[COUNT];
    int running; /* the misuse that runs, or would be next */
} answers;

static _Noreturn void perform(answers *out, int from, int end)
{
    make_things();
    for (out->running = from; out->running < end; out->running++) {
        alarm(MOST_SECONDS);
        out->status[out->running] = all[out->running].perform();
    }
    _exit(0);
}

/* What a process answers by its end; the misuse's status if it has one. */
static int status_of_end(pid_t child)
{
    int how;
    if (waitpid(child, &how, 0) < 0 || !WIFSIGNALED(how)) return NO_ANSWER;
    return WTERMSIG(how) == SIGALRM ? HANGS : CRASHES;
}

/* Those that may share a process, which a crash ends: the next ones get another. False if none can be started. */
static bool perform_together(answers *out, int count)
{
    for (int from = 0; from < count; from = out->running + 1) {
        out->running = -1;
        const pid_t child = fork();
        if (child == 0) perform(out, from, count);
        const int end = child < 0 ? NO_ANSWER : status_of_end(child);
        if (out->running < 0) return false;
        if (out->running < count && end != NO_ANSWER) out->status[out->running] = end;
    }
    return true;
}

/* The others, all at once: on a GPU their contexts take most of the time. */
static void perform_alone(answers *out, int first_alone)
{
    pid_t child[COUNT];
    for (int i = first_alone; i < COUNT; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            make_things();
            alarm(MOST_SECONDS);
            out->status[i] = all[i].perform();
            _exit(0);
        }
    }
    for (int i = first_alone; i < COUNT; i++) {
        const int end = child[i] < 0 ? NO_ANSWER : status_of_end(child[i]);
        if (end != NO_ANSWER) out->status[i] = end;
    }
}

/* The answers of one side; false if it cannot be started. */
static bool perform_all(answers *out, const calls *side)
{
    int together = 0;
    c = side;
    for (int i = 0; i < COUNT; i++) out->status[i] = NO_ANSWER;
    while (together < COUNT && !all[together].alone) together++;
    if (!perform_together(out, together)) return false;
    perform_alone(out, together);
    return true;
}

static const char *text_of(char text[64], int status)
{
    const char *name = status == CRASHES ? "crashes" : status == HANGS ? "hangs" : status == NO_ANSWER ? "none" : NULL;
#define NAME_OF(name, code, meaning)                                                                                   \
    if (status == (code)) return #name;
    LAB_STATUS_TABLE(NAME_OF)
    if (name) return name;
    snprintf(text, 64, "%d", status);
    return text;
}

static bool read_answers(answers *out, const char *path)
{
    char line[256], name[100];
    int status, found = 0;
    FILE *file = fopen(path, "r");
    for (int i = 0; i < COUNT; i++) out->status[i] = NO_ANSWER;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%99s %d", name, &status) != 2) continue;
        for (int i = 0; i < COUNT; i++)
            if (strcmp(all[i].name, name) == 0) out->status[i] = status, found++;
    }
    if (file) fclose(file);
    return found > 0;
}

static bool keep(const answers *driver_answers, const char *path)
{
    char text[64];
    FILE *file = fopen(path, "w");
    if (!file) return false;
    fprintf(file, "# What the CUDA driver answers to each misuse of misuse_compared.c; -1: it crashes, -2: it hangs. "
                  "Measured.\n");
    for (int i = 0; i < COUNT; i++)
        fprintf(file, "%s %d %s\n", all[i].name, driver_answers->status[i], text_of(text, driver_answers->status[i]));
    return fclose(file) == 0;
}

/* Prints the answers that differ; returns how many do without a reason, or have one without a difference. Misuses that
 * FILE does not have yet are told and counted apart. */
static int compare(const answers *own, const answers *driver_answers, bool on_gpu)
{
    int wrong = 0, unknown = 0;
    for (int i = 0; i < COUNT; i++) {
        const int mine = own->status[i], other = driver_answers->status[i];
        char mine_text[64], other_text[64];
        const bool fails = other == CRASHES || other == HANGS, stale = mine == other && all[i].reason && !all[i].alone;
        if (!on_gpu && other == NO_ANSWER && mine >= 0) {
            printf("      %-36s %-38s the driver's answer is not known\n", all[i].name, text_of(mine_text, mine));
            unknown++;
            continue;
        }
        const bool bad =
            mine < 0 || other == NO_ANSWER || stale || (fails ? mine == LAB_SUCCESS : mine != other && !all[i].reason);
        wrong += bad;
        if (!bad && mine == other) continue;
        const char *note = mine != other && all[i].reason ? all[i].reason : "";
        printf("%s %-36s %-38s %-38s %s\n", bad ? "WRONG" : "     ", all[i].name, text_of(mine_text, mine),
               text_of(other_text, other), stale ? "has a reason, but no difference" : note);
    }
    if (unknown) printf("%d not run, which is no pass: make test-misuse DEVICE=cuda KEEP=1, on a GPU\n", unknown);
    printf("%d passed, %d failed\n", COUNT - wrong - unknown, wrong);
    return wrong;
}

int main(int count, char **argument)
{
    if (count < 2) return 2;
    answers *own = mmap(NULL, 2 * sizeof *own, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    answers *driver_answers = own + 1;
    const char *device = getenv("LAB_DEVICE");
    if (own == MAP_FAILED) return 2;
    fill_in_ours();
    const bool on_gpu =
        (!device || strcmp(device, "cpu") != 0) && fill_in_theirs() && perform_all(driver_answers, &theirs);
    if (count > 2 && (!on_gpu || !keep(driver_answers, argument[1]))) {
        fprintf(stderr, "%s is not written: that takes a GPU\n", argument[1]);
        return EXIT_FAILURE;
    }
    if (!on_gpu && !read_answers(driver_answers, argument[1])) {
        printf("%s has no answers of a driver: make test-misuse DEVICE=cuda KEEP=1 writes it, on a GPU\n", argument[1]);
        return EXIT_FAILURE;
    }
    if (!perform_all(own, &ours)) return EXIT_FAILURE;
    return compare(own, driver_answers, on_gpu) ? EXIT_FAILURE : EXIT_SUCCESS;
}
