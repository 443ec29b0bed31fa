/*
 * lab.h: the runtime of the GPU concurrency workbook.
 *
 * Everything here follows CUDA's rules and uses CUDA's words, on two devices: an NVIDIA GPU through the
 * CUDA driver, and the embedded CPU device, which needs no GPU. A program may rely on what NVIDIA's
 * documentation promises, and gives the same answers on both devices.
 *
 * How to read it. Each group opens with the idea, then lists the functions. A comment names the CUDA driver
 * call (cu...), and, where there is one, the CuPy and PyCUDA call that does the same.
 *
 *   Status     every function that can fail returns a lab_status; 0 is success
 *   Ownership  a `T **out` is yours, to be freed with the one destroy function of its type;
 *              a returned pointer is borrowed; a value (lab_function) needs no freeing
 *   Streams    a `lab_stream *` argument of NULL means the calling thread's current stream
 *   Units      sizes are bytes unless the name says count; times are milliseconds where CUDA's are
 *   Threads    every function may be called from any host thread
 *
 * Floating point. Kernels are compiled alike for both devices: a multiplication followed by an addition may
 * be contracted to one fused multiply-add (nvcc's default, -fmad=true), subnormal numbers are kept (no
 * flush-to-zero), and division and square root are correctly rounded. Dividing an integer by 0 gives an unspecified
 * number and stops nothing, on both devices.
 */
#ifndef LAB_H
#define LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------
 * Status and messages
 *
 * A status says what kind of thing went wrong; its number is the CUresult of the same meaning where CUDA
 * has one. The message says what went wrong in this call: "event 3 was recorded on device 1, stream 7 is on
 * device 0". It belongs to the calling thread and stays until that thread's next failing call.
 */

/* clang-format off */
#define LAB_STATUS_TABLE(X)                                                                                 \
    X(LAB_SUCCESS,                           0,   "success")                                                \
    X(LAB_ERROR_INVALID_VALUE,               1,   "an argument is outside the range the call accepts")       \
    X(LAB_ERROR_OUT_OF_MEMORY,               2,   "not enough memory")                                      \
    X(LAB_ERROR_NOT_INITIALIZED,             3,   "the device could not be initialised")                     \
    X(LAB_ERROR_NO_DEVICE,                   100, "no device of the kind asked for")                         \
    X(LAB_ERROR_INVALID_DEVICE,              101, "no device has this number")                               \
    X(LAB_ERROR_INVALID_CONTEXT,             201, "the call needs another context than this one")            \
    X(LAB_ERROR_PEER_ACCESS_UNSUPPORTED,     217, "kernels cannot use the memory of this peer")               \
    X(LAB_ERROR_INVALID_SOURCE,              300, "the kernel source does not compile")                      \
    X(LAB_ERROR_FILE_NOT_FOUND,              301, "the file cannot be read")                                 \
    X(LAB_ERROR_INVALID_HANDLE,              400, "the object does not exist, or not in this context")       \
    X(LAB_ERROR_ILLEGAL_STATE,               401, "the object is not in the state that the call needs")      \
    X(LAB_ERROR_NOT_FOUND,                   500, "no such name")                                            \
    X(LAB_ERROR_NOT_READY,                   600, "the work is not finished yet")                            \
    X(LAB_ERROR_ILLEGAL_ADDRESS,             700, "a kernel or copy used memory that is not allocated")      \
    X(LAB_ERROR_LAUNCH_OUT_OF_RESOURCES,     701, "the launch needs more than the device has")               \
    X(LAB_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704, "access to the peer is already enabled")                   \
    X(LAB_ERROR_PEER_ACCESS_NOT_ENABLED,     705, "access to the peer was not enabled")                      \
    X(LAB_ERROR_CONTEXT_IS_DESTROYED,        709, "the context was destroyed, or was never created")         \
    X(LAB_ERROR_ASSERT,                      710, "an assert in a kernel failed")                           \
    X(LAB_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712, "the host memory is already pinned")                    \
    X(LAB_ERROR_HOST_MEMORY_NOT_REGISTERED,  713, "the host memory was not pinned by this call's partner")   \
    X(LAB_ERROR_MISALIGNED_ADDRESS,          716, "a kernel used an address that does not suit its type")    \
    X(LAB_ERROR_LAUNCH_FAILED,               719, "a kernel stopped with an error")                          \
    X(LAB_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720, "more blocks than can run at the same time")              \
    X(LAB_ERROR_NOT_PERMITTED,               800, "the call is not allowed here")                            \
    X(LAB_ERROR_NOT_SUPPORTED,               801, "this device cannot do that")                              \
    X(LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED,  900, "the call is not allowed while a stream captures")         \
    X(LAB_ERROR_STREAM_CAPTURE_INVALIDATED,  901, "an earlier error made the stream's capture invalid")      \
    X(LAB_ERROR_STREAM_CAPTURE_MERGE,        902, "two captures would have become one")                      \
    X(LAB_ERROR_STREAM_CAPTURE_UNMATCHED,    903, "the capture did not begin on this stream")                \
    X(LAB_ERROR_STREAM_CAPTURE_UNJOINED,     904, "a fork of the capture was not joined to its first stream") \
    X(LAB_ERROR_STREAM_CAPTURE_ISOLATION,    905, "a captured operation would wait for work outside of the capture") \
    X(LAB_ERROR_STREAM_CAPTURE_IMPLICIT,     906, "the null stream would wait for a stream that captures")   \
    X(LAB_ERROR_CAPTURED_EVENT,              907, "the event was last recorded on a stream that captures")   \
    X(LAB_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908, "another thread began the capture")                        \
    X(LAB_ERROR_UNKNOWN,                     999, "an error without a name")                                 \
    X(LAB_ERROR_COMPILER_UNAVAILABLE,        1000, "the kernel compiler cannot be run")                      \
    X(LAB_ERROR_IO,                          1001, "a file cannot be written")                               \
    X(LAB_ERROR_NOT_ORDERED,                 1002, "nothing orders this with earlier work on the same memory")
/* clang-format on */

typedef enum lab_status {
#define LAB_STATUS_ENUM(name, code, text) name = code,
    LAB_STATUS_TABLE(LAB_STATUS_ENUM)
#undef LAB_STATUS_ENUM
} lab_status;

/* The name of a status, "LAB_ERROR_INVALID_VALUE"; never NULL. CUDA: cuGetErrorName. */
const char *lab_status_name(lab_status status);

/* What a status means, in one phrase; never NULL. CUDA: cuGetErrorString. */
const char *lab_status_text(lab_status status);

/* What went wrong in this thread's last failing call; "" if none has failed. */
const char *lab_error_message(void);

/* Prints "file:line: call: message (status)" to stderr and exits with status 1. LAB_CHECK calls it. */
_Noreturn void lab_check_failed(const char *file, int line, const char *call, lab_status status);

/* Propagates: if the call fails, the enclosing function returns the call's status. */
#define LAB_TRY(call)                                                                                                  \
    do {                                                                                                               \
        lab_status lab_try_status_ = (call);                                                                           \
        if (lab_try_status_ != LAB_SUCCESS) return lab_try_status_;                                                    \
    } while (0)

/* Insists: if the call fails, the program prints file, line, call and message, and exits. For main(). */
#define LAB_CHECK(call)                                                                                                \
    do {                                                                                                               \
        lab_status lab_check_status_ = (call);                                                                         \
        if (lab_check_status_ != LAB_SUCCESS) lab_check_failed(__FILE__, __LINE__, #call, lab_check_status_);          \
    } while (0)

/* ------------------------------------------------------------------------------------------------------
 * Devices
 *
 * LAB_DEVICE=auto|cpu|cuda|cuda:N in the environment picks the devices that this process sees, numbered from 0. cuda:N
 * is that one GPU; auto is the GPUs if there are any, else the CPU device. Each core of a CPU device is a
 * multiprocessor (LAB_CPU_MULTIPROCESSORS=N sets their number), and two threads are its copy engines, one for each
 * direction. LAB_CPU_DEVICES=N gives N CPU devices. They share the cores and, in equal parts, half of the process's
 * memory; each has its own queues, threads and memory. A multiprocessor is a thread: with more devices than cores they
 * take turns. LAB_CPU_PRIORITIES=N gives their streams N priorities instead of 6; with 1 there is nothing to choose.
 *
 * LAB_SCHEDULE picks the order in which a CPU device runs operations. CUDA's rules allow each of these orders:
 *   concurrent        the default: operations that may run at the same time do, and timing decides. A program with a
 *                     missing wait is right or wrong by luck
 *   adversarial:SEED  one operation at a time, in the worst order for missing waits: nothing runs before the host
 *                     waits for it, and of two operations on the same memory that nothing orders the later one runs
 *                     first. A correct program never fails. A program that lacks a wait nearly always fails at its
 *                     first run; some, whose work can come out right on either side of a use, fail under some seeds
 *                     only: try several
 *   random:SEED       one at a time: any operation that is ready, now or later
 *   fifo              one at a time, in the order of the calls, each during its call: the lucky order
 * SEED is a number. A program with one host thread runs in the same order whenever the seed is the same, however busy
 * the machine is; only what it does while a host function runs may vary. With any other value of LAB_SCHEDULE the first
 * call fails with LAB_ERROR_INVALID_VALUE. Times measured under a schedule mean nothing.
 *
 * Every host thread has a current device, initially device 0, on which it allocates, creates and launches. Arrays,
 * streams, events and modules stay on the device on which they were created.
 */

typedef struct lab_device_info {
    char name[128];
    char kind[8];            /* "cpu" or "cuda" */
    int multiprocessors;     /* CUDA: CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT */
    int copy_engines;        /* CUDA: CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT */
    int max_block_threads;   /* CUDA: CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK */
    size_t max_shared_bytes; /* per block. CUDA: CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK */
    size_t total_memory;     /* bytes. CUDA: cuDeviceTotalMem */
    unsigned char uuid[16];  /* no two devices share it, nor two MIG slices. The CPU device's holds until the machine
                                restarts. CUDA: cuDeviceGetUuid. CuPy: getDeviceProperties(0)["uuid"] */
    char pci_bus_id[16];     /* where the device is, "0000:3b:00.0": domain, bus, device and function. MIG slices of one
                                GPU share it. A CPU device is at its number, "0000:01:00.0" for device 1.
                                CUDA: cuDeviceGetPCIBusId. CuPy: Device.pci_bus_id */
} lab_device_info;

typedef struct lab_context lab_context; /* see "Contexts" */

/* CUDA: cuDeviceGetCount. CuPy: cupy.cuda.runtime.getDeviceCount(). */
lab_status lab_device_count(int *count);

/* INVALID_DEVICE if no device has this number. CUDA: cuDeviceGetName, cuDeviceGetAttribute. */
lab_status lab_device_get_info(lab_device_info *info, int device);

/* The first device that is at this place: "0000:3b:00.0", in which letters may be large, and the domain or the function
 * may be missing if it is 0. INVALID_VALUE if the text is no such place, INVALID_DEVICE if no device is there.
 * CUDA: cuDeviceGetByPCIBusId. CuPy: Device.from_pci_bus_id. */
lab_status lab_device_by_pci_bus_id(int *device, const char *pci_bus_id);

/* The calling thread's current device. CUDA: cuCtxGetDevice. CuPy: cupy.cuda.Device().id. */
lab_status lab_device_current(int *device);

/* Makes a device current for the calling thread: its primary context takes the place of the current context.
 * The thread keeps a current stream for each device. INVALID_DEVICE if no device has this number.
 * CUDA: cuCtxSetCurrent (cudaSetDevice). CuPy: Device.use(). */
lab_status lab_device_use(int device);

/* LAB_WITH_DEVICE(1) { ... } makes device 1 current inside the braces and restores what was current before,
 * also when the braces are left by return, break or goto. If there is no such device, the braces still run, and
 * every call in them that needs the device fails with INVALID_DEVICE. CuPy: with cupy.cuda.Device(1): */
#define LAB_WITH_DEVICE(device) LAB_WITH_DEVICE_AS(LAB_SCOPE_NAME(lab_device_scope_, __LINE__), device)
#define LAB_WITH_DEVICE_AS(scope, device)                                                                              \
    for (lab_device_scope scope __attribute__((cleanup(lab_device_scope_leave))) = lab_device_scope_enter(device);     \
         scope.entered; scope.entered = false)

/* What LAB_WITH_DEVICE keeps; not for direct use. */
typedef struct lab_device_scope {
    lab_context *context;
    int device, pushed;
    bool entered;
} lab_device_scope;
lab_device_scope lab_device_scope_enter(int device);
void lab_device_scope_leave(lab_device_scope *scope);

/* Whether kernels on `device` can use memory on `peer`; false for a device and itself. lab_context_enable_peer_access
 * permits it, one context at a time. Copies between devices need no permission.
 * CUDA: cuDeviceCanAccessPeer. CuPy: cupy.cuda.runtime.deviceCanAccessPeer. */
lab_status lab_device_can_access_peer(bool *can, int device, int peer);

/* Waits for the work of the device's primary context, then destroys everything that belongs to it: memory, streams,
 * events, modules and arrays become invalid handles. The device can be used again at once. After a kernel has failed,
 * the call returns that failure instead.
 * CUDA: cuDevicePrimaryCtxReset (cudaDeviceReset). */
lab_status lab_device_reset(int device);

/* Waits until everything enqueued so far on every stream of the current context is done.
 * CUDA: cuCtxSynchronize. CuPy: Device.synchronize(). PyCUDA: Context.synchronize(). */
lab_status lab_device_synchronize(void);

/* ------------------------------------------------------------------------------------------------------
 * Contexts
 *
 * A context is what a process has on a device: memory, streams, events, modules and arrays belong to one and end
 * with it. Every device has a primary context, which all threads share and which is created on first use. It is the
 * one you want: host threads need no contexts of their own. A separate context isolates what belongs to it, and costs
 * memory and time on a GPU.
 *
 * Every host thread has a stack of contexts, and the top one is current. While the stack is empty, as it is at first,
 * the primary context of the thread's device is current. Popping a context does not destroy it: a context that is
 * popped and forgotten lives on, with all its memory, until the process ends.
 *
 * The function, the stream and the memory of a launch must belong to one context, and an event is recorded on a stream
 * of its own context. Everything else may cross contexts and devices: waiting for an event, copying, freeing,
 * synchronizing and destroying. A context may be current in several threads at once.
 *
 * An object of a destroyed context is an invalid handle. A call that uses a destroyed context fails with
 * CONTEXT_IS_DESTROYED, even in threads where that context is still current. A call of another thread that makes
 * something in the context, or waits for it, ends before the context does. As in CUDA, other calls with its streams and
 * objects must not run while it is destroyed.
 */

typedef struct lab_context_info {
    uint64_t id; /* no other context of this process has or will have it. CUDA: cuCtxGetId */
    int device;  /* CUDA: cuCtxGetDevice */
    bool primary;
    size_t allocations, device_bytes;        /* device memory now allocated in the context */
    size_t pinned_allocations, pinned_bytes; /* host memory now pinned by it */
} lab_context_info;

/* Creates a context on the device and pushes it onto the calling thread's stack. INVALID_DEVICE if no device has this
 * number, NOT_PERMITTED if the thread has already pushed 64 contexts.
 * CUDA: cuCtxCreate. PyCUDA: Device.make_context(). */
lab_status lab_context_create(lab_context **out, int device);

/* Waits for the context's work, then destroys the context and everything that belongs to it. If the context is on top
 * of the calling thread's stack, it is popped. NULL is accepted; a primary context gives INVALID_CONTEXT.
 * CUDA: cuCtxDestroy. PyCUDA: Context.detach(). */
lab_status lab_context_destroy(lab_context *context);

/* The device's primary context, created if necessary, and retained once more. The handle is borrowed and not pushed.
 * CUDA: cuDevicePrimaryCtxRetain. PyCUDA: Device.retain_primary_context(). */
lab_status lab_context_primary_retain(lab_context **out, int device);

/* Undoes one retain; INVALID_CONTEXT if there is none to undo. The last release destroys everything that belongs to the
 * context, unless a thread has used the device without pushing a context: the library then keeps it until the process
 * ends.
 * CUDA: cuDevicePrimaryCtxRelease. */
lab_status lab_context_primary_release(int device);

/* Pushes a context onto the calling thread's stack. CUDA: cuCtxPushCurrent. PyCUDA: Context.push(). */
lab_status lab_context_push(lab_context *context);

/* Pops the current context from the calling thread's stack: the one below becomes current. The popped context lives on.
 * `popped` may be NULL. INVALID_CONTEXT if the stack is empty. CUDA: cuCtxPopCurrent. PyCUDA: Context.pop(). */
lab_status lab_context_pop(lab_context **popped);

/* Replaces the top of the calling thread's stack; pushes if the stack is empty. NULL pops, or does nothing if the
 * stack is empty. CUDA: cuCtxSetCurrent. */
lab_status lab_context_set(lab_context *context);

/* The calling thread's current context. Borrowed; NULL if it was destroyed. CUDA: cuCtxGetCurrent.
 * PyCUDA: Context.get_current(). */
lab_context *lab_context_current(void);

/* Waits until everything enqueued so far on every stream of the context is done; NULL means the current one.
 * CUDA: cuCtxSynchronize. PyCUDA: Context.synchronize(). */
lab_status lab_context_synchronize(lab_context *context);

/* What a context is and holds; NULL means the current one. The memory that a GPU needs for the context itself is not
 * counted here: compare lab_mem_get_info before and after creating one. */
lab_status lab_context_get_info(lab_context_info *info, const lab_context *context);

/* Lets kernels of the current context use all memory of the peer, a context of another device, but not the reverse.
 * PEER_ACCESS_UNSUPPORTED if the device cannot (lab_device_can_access_peer); PEER_ACCESS_ALREADY_ENABLED the
 * second time. CUDA: cuCtxEnablePeerAccess. PyCUDA: Context.enable_peer_access(). */
lab_status lab_context_enable_peer_access(lab_context *peer);

/* Undoes lab_context_enable_peer_access; PEER_ACCESS_NOT_ENABLED if access was not enabled.
 * CUDA: cuCtxDisablePeerAccess. */
lab_status lab_context_disable_peer_access(lab_context *peer);

/* ------------------------------------------------------------------------------------------------------
 * Streams
 *
 * A stream is a queue: operations on one stream run in the order in which they were enqueued; operations on different
 * streams may run at the same time. There are three kinds:
 *   the null stream (CUDA: legacy default stream): each of its operations waits for everything enqueued
 *     before on every blocking stream, and everything enqueued later on a blocking stream waits for it;
 *   blocking streams (LAB_STREAM_DEFAULT) take part in that;
 *   non-blocking streams (LAB_STREAM_NON_BLOCKING) do not.
 * Every host thread has a current stream in every context, initially the context's null stream. A stream argument
 * of NULL means the thread's current stream in the current context.
 */

typedef struct lab_stream lab_stream;

enum {
    LAB_STREAM_DEFAULT = 0,      /* blocking: ordered with the null stream. CU_STREAM_DEFAULT */
    LAB_STREAM_NON_BLOCKING = 1, /* not ordered with the null stream. CU_STREAM_NON_BLOCKING */
};

/* CUDA: cuStreamCreate. CuPy: cupy.cuda.Stream(non_blocking=...). PyCUDA: Stream(flags). */
lab_status lab_stream_create(lab_stream **out, unsigned flags);

/* The same with a priority. A lower number is a higher priority; 0 is the lowest, and what lab_stream_create gives. A
 * number outside lab_stream_priority_range is clamped. The priority is a hint: of the kernels that are ready, those of
 * the higher priority start first, but a running kernel is not interrupted and copies ignore it.
 * CUDA: cuStreamCreateWithPriority. CuPy: cupy.cuda.Stream(priority=...). */
lab_status lab_stream_create_with_priority(lab_stream **out, unsigned flags, int priority);

/* The current device's range of priorities: from `greatest`, the lower number, to `least`.
 * CUDA: cuCtxGetStreamPriorityRange. */
lab_status lab_stream_priority_range(int *least, int *greatest);

/* Destroys the stream. Its pending work still runs, but the call returns at once without waiting for it. NULL is
 * accepted; the null stream is refused with INVALID_HANDLE. CUDA: cuStreamDestroy. */
lab_status lab_stream_destroy(lab_stream *stream);

/* The null stream of the current context. Borrowed; NULL if the device could not be opened. CUDA: CU_STREAM_LEGACY.
 * CuPy: Stream.null. */
lab_stream *lab_stream_null(void);

/* The calling thread's default stream in the current context: a blocking stream of its own. Borrowed; it lives as
 * long as the thread and the context. NULL if there is no memory for it.
 * CUDA: CU_STREAM_PER_THREAD. CuPy: Stream.ptds. */
lab_stream *lab_stream_per_thread(void);

/* The calling thread's current stream in the current context. Borrowed. CuPy: cupy.cuda.get_current_stream(). */
lab_stream *lab_stream_current(void);

/* Makes a stream current for the calling thread until the next use. INVALID_CONTEXT if the stream does not belong to
 * the current context. CuPy: Stream.use(). */
lab_status lab_stream_use(lab_stream *stream);

/* LAB_WITH_STREAM(s) { ... } makes s current inside the braces and restores the stream that was current
 * before, also when the braces are left by return, break or goto. CuPy: with stream: */
#define LAB_WITH_STREAM(stream) LAB_WITH_STREAM_AS(LAB_SCOPE_NAME(lab_scope_, __LINE__), stream)
#define LAB_WITH_STREAM_AS(scope, stream)                                                                              \
    for (lab_stream_scope scope __attribute__((cleanup(lab_stream_scope_leave))) = lab_stream_scope_enter(stream);     \
         scope.entered; scope.entered = false)
#define LAB_SCOPE_NAME(name, line) LAB_SCOPE_PASTE(name, line)
#define LAB_SCOPE_PASTE(name, line) name##line

/* What LAB_WITH_STREAM keeps; not for direct use. */
typedef struct lab_stream_scope {
    lab_context *context;
    lab_stream *before;
    bool entered, without_place, before_by_scope;
} lab_stream_scope;
lab_stream_scope lab_stream_scope_enter(lab_stream *stream);
void lab_stream_scope_leave(lab_stream_scope *scope);

/* Waits until everything enqueued on the stream before this call is done.
 * CUDA: cuStreamSynchronize. CuPy: Stream.synchronize(). */
lab_status lab_stream_synchronize(lab_stream *stream);

/* LAB_SUCCESS if everything enqueued on the stream is done, else LAB_ERROR_NOT_READY (which sets no
 * message). CUDA: cuStreamQuery. CuPy: Stream.done. PyCUDA: Stream.is_done(). */
lab_status lab_stream_query(lab_stream *stream);

/* A number that no other stream of this process has or will have; 1 is the null stream of device 0.
 * CUDA: cuStreamGetId. */
lab_status lab_stream_get_id(uint64_t *id, lab_stream *stream);

/* The device and the context that the stream belongs to; the context is borrowed.
 * CUDA: cuStreamGetDevice, cuStreamGetCtx. CuPy: Stream.device_id. */
lab_status lab_stream_get_device(int *device, lab_stream *stream);
lab_status lab_stream_get_context(lab_context **context, lab_stream *stream);

/* LAB_STREAM_DEFAULT or LAB_STREAM_NON_BLOCKING; the priority after clamping.
 * CUDA: cuStreamGetFlags, cuStreamGetPriority. CuPy: Stream.is_non_blocking, Stream.priority. */
lab_status lab_stream_get_flags(unsigned *flags, lab_stream *stream);
lab_status lab_stream_get_priority(int *priority, lab_stream *stream);

/* Whether two handles name the same stream. A handle from lab_stream_from_native equals the one it was made from, and
 * NULL equals the current stream. Handles from lab_stream_create are equal if and only if the pointers are.
 * CuPy: Stream.__eq__. */
lab_status lab_stream_is_equal(bool *equal, lab_stream *one, lab_stream *other);

/* The handle by which other libraries know the stream. On a GPU it is the CUstream; on a CPU device only this library
 * understands it. Borrowed: it is valid as long as the stream. CuPy: Stream.ptr. PyCUDA: Stream.handle. */
lab_status lab_stream_native(void **native, lab_stream *stream);

/* A second handle for a stream of the current context, given the stream's native handle. It does not own the stream:
 * lab_stream_destroy ends only the new handle, and destroying the stream itself makes the new handle invalid. On a GPU
 * the stream may also come from another library or from the program's own driver calls: its maker still owns it, and
 * must destroy it after this library's handle. INVALID_HANDLE if no stream of the current context has the native
 * handle; a GPU's driver cannot always detect that, and may crash. CuPy: Stream.from_external, ExternalStream. */
lab_status lab_stream_from_native(lab_stream **out, void *native);

/* Enqueues a call of function(user) on a host thread: it runs when everything before it on the stream is
 * done, and what is enqueued after it waits for its return. The function must not call this library: such
 * calls fail with LAB_ERROR_NOT_PERMITTED. It is not called after a kernel of the context has failed.
 * CUDA: cuLaunchHostFunc. CuPy: Stream.launch_host_func(). */
lab_status lab_stream_launch_host_func(lab_stream *stream, void (*function)(void *user), void *user);

/* The same, but the callback also gets the stream and a status: LAB_SUCCESS, or the error that stopped the device's
 * work. Prefer lab_stream_launch_host_func; this one cannot be captured into a graph. CUDA: cuStreamAddCallback.
 * CuPy: Stream.add_callback(). */
lab_status lab_stream_add_callback(lab_stream *stream,
                                   void (*callback)(lab_stream *stream, lab_status status, void *user), void *user);

/* ------------------------------------------------------------------------------------------------------
 * Events
 *
 * An event is a marker in a stream. Recording it notes the work enqueued on the stream at that moment; the
 * event is done when that work is. Recording it again replaces what it stands for; a wait enqueued earlier
 * keeps what the event stood for then. Two events measure the time between them on the device, whatever ran
 * in between: not only your kernel.
 */

typedef struct lab_event lab_event;

enum {
    LAB_EVENT_DEFAULT = 0,        /* measures time. CU_EVENT_DEFAULT */
    LAB_EVENT_BLOCKING_SYNC = 1,  /* lab_event_synchronize sleeps instead of polling. CU_EVENT_BLOCKING_SYNC */
    LAB_EVENT_DISABLE_TIMING = 2, /* orders only, costs less. CU_EVENT_DISABLE_TIMING */
};

/* CUDA: cuEventCreate. CuPy: cupy.cuda.Event(). PyCUDA: Event(flags). */
lab_status lab_event_create(lab_event **out, unsigned flags);

/* Waits already enqueued keep their effect. NULL is accepted. CUDA: cuEventDestroy. */
lab_status lab_event_destroy(lab_event *event);

/* The device on which the event was created. */
lab_status lab_event_get_device(int *device, const lab_event *event);

/* Enqueues the marker on the stream, which must belong to the event's context: INVALID_HANDLE if it does not.
 * CUDA: cuEventRecord. CuPy: Event.record(stream). */
lab_status lab_event_record(lab_event *event, lab_stream *stream);

/* LAB_SUCCESS if the event's last record is done or it was never recorded, else LAB_ERROR_NOT_READY.
 * CUDA: cuEventQuery. CuPy: Event.done. PyCUDA: Event.query(). */
lab_status lab_event_query(lab_event *event);

/* Waits until the event's last record is done; returns at once if it was never recorded.
 * CUDA: cuEventSynchronize. */
lab_status lab_event_synchronize(lab_event *event);

/* Makes what is enqueued later on the stream wait, on the device, for the event's last record; the host does
 * not wait. No effect if the event was never recorded. The event may belong to another context or device.
 * CUDA: cuStreamWaitEvent. CuPy: Stream.wait_event(). */
lab_status lab_stream_wait_event(lab_stream *stream, lab_event *event);

/* The time from start to end in milliseconds, to about half a microsecond. LAB_ERROR_INVALID_HANDLE if
 * either was never recorded or has timing disabled, or if they belong to different contexts; LAB_ERROR_NOT_READY if
 * either is not done yet.
 * CUDA: cuEventElapsedTime. CuPy: get_elapsed_time(start, end). PyCUDA: start.time_till(end). */
lab_status lab_event_elapsed_time(float *milliseconds, lab_event *start, lab_event *end);

/* ------------------------------------------------------------------------------------------------------
 * Memory
 *
 * Device memory is addressed by a number, not a pointer: the host cannot read it. Host memory is pageable
 * (malloc, the stack) or pinned (page-locked, from lab_host_alloc or lab_host_register). A copy engine can
 * only work on pinned memory, so a copy to or from pageable memory is staged through a pinned buffer by the
 * calling thread. An "async" copy of pageable memory may hold the caller until it is staged or done, and never
 * overlaps as a pinned copy does.
 */

/* CUDA: CUdeviceptr. 0 is no memory. */
typedef unsigned long long lab_deviceptr;

/* At least 256-byte aligned, contents undefined. 0 bytes is refused. CUDA: cuMemAlloc. PyCUDA: mem_alloc. */
lab_status lab_mem_alloc(lab_deviceptr *out, size_t bytes);

/* Waits for the device's work, then frees. 0 is accepted. CUDA: cuMemFree. PyCUDA: DeviceAllocation.free(). */
lab_status lab_mem_free(lab_deviceptr memory);

/* The device that an address belongs to; any address inside an allocation will do. INVALID_VALUE if it is neither
 * device memory nor managed. CUDA: cuPointerGetAttribute(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL).
 * CuPy: MemoryPointer.device_id. */
lab_status lab_mem_get_device(int *device, lab_deviceptr memory);

/* Free and total bytes of the current device's memory. CUDA: cuMemGetInfo. PyCUDA: mem_get_info(). */
lab_status lab_mem_get_info(size_t *free_bytes, size_t *total_bytes);

/* Pinned host memory, aligned to a page. 0 bytes is refused. CUDA: cuMemAllocHost.
 * CuPy: cupy.cuda.alloc_pinned_memory(). */
lab_status lab_host_alloc(void **out, size_t bytes);

/* Waits for the device's work, then frees memory from lab_host_alloc. NULL is accepted. CUDA: cuMemFreeHost. */
lab_status lab_host_free(void *memory);

/* Pins memory you already have, until lab_host_unregister. This takes time in proportion to its size: do it once.
 * CUDA: cuMemHostRegister. PyCUDA: register_host_memory. */
lab_status lab_host_register(void *memory, size_t bytes);

/* Waits for the device's work, then unpins what lab_host_register pinned. CUDA: cuMemHostUnregister. */
lab_status lab_host_unregister(void *memory);

/* Managed memory: the host and kernels use it by one address, (lab_deviceptr)(uintptr_t)memory for a kernel, a copy or
 * lab_array_from_memory. It is pinned memory on every device: nothing migrates, so a kernel's uses cross the bus. The
 * rules are those of a device with concurrentManagedAccess: the host may use it while kernels run, and an order between
 * the two is the program's task, as with pinned memory. (Without that property CUDA forbids the host every use while
 * any kernel runs: for such devices wait for the device first.) 0 bytes is refused.
 * CUDA: cuMemAllocManaged. CuPy: cupy.cuda.malloc_managed(). PyCUDA: managed_empty. */
lab_status lab_managed_alloc(void **out, size_t bytes);

/* Waits for the device's work, then frees memory from lab_managed_alloc. NULL is accepted. CUDA: cuMemFree. */
lab_status lab_managed_free(void *memory);

/* Copies between host and device. Copies without _async run on the null stream and return when the source may
 * be reused (device to host: when the data has arrived). CUDA: cuMemcpyHtoD, cuMemcpyDtoH. */
lab_status lab_memcpy_htod(lab_deviceptr destination, const void *source, size_t bytes);
lab_status lab_memcpy_dtoh(void *destination, lab_deviceptr source, size_t bytes);

/* Enqueues the copy on the stream. With pinned memory the call returns at once, and the host memory must stay
 * untouched until the copy is done; with pageable memory the call may wait. CUDA: cuMemcpyHtoDAsync,
 * cuMemcpyDtoHAsync, cuMemcpyDtoDAsync. PyCUDA: memcpy_htod_async, memcpy_dtoh_async. */
lab_status lab_memcpy_htod_async(lab_deviceptr destination, const void *source, size_t bytes, lab_stream *stream);
lab_status lab_memcpy_dtoh_async(void *destination, lab_deviceptr source, size_t bytes, lab_stream *stream);
lab_status lab_memcpy_dtod_async(lab_deviceptr destination, lab_deviceptr source, size_t bytes, lab_stream *stream);

/* Copies between the memories of two devices or two contexts; each address is checked against its device. The
 * asynchronous copy is ordered on its stream alone, which may belong to either device or to a third. The synchronous
 * copy first waits for the work of both contexts and returns when it is done. Neither needs
 * lab_context_enable_peer_access. CUDA: cuMemcpyPeer, cuMemcpyPeerAsync. CuPy: cupy.cuda.runtime.memcpyPeer,
 * memcpyPeerAsync.
 * PyCUDA: memcpy_peer, memcpy_peer_async. */
lab_status lab_memcpy_peer(lab_deviceptr destination, int destination_device, lab_deviceptr source, int source_device,
                           size_t bytes);
lab_status lab_memcpy_peer_async(lab_deviceptr destination, int destination_device, lab_deviceptr source,
                                 int source_device, size_t bytes, lab_stream *stream);

/* Sets every byte. CUDA: cuMemsetD8Async. */
lab_status lab_memset_async(lab_deviceptr destination, unsigned char value, size_t bytes, lab_stream *stream);

/* ------------------------------------------------------------------------------------------------------
 * Memory pools
 *
 * Allocating device memory is slow, and freeing it waits for all of the device's work. A pool keeps the memory that is
 * freed and hands it out again. Arrays come from the default pool of their device.
 *   Sizes     are rounded up to 512 bytes. The pool takes the smallest free block that is large enough and splits it;
 *             free neighbours merge again. What the pool lacks it allocates from the device, as a chunk.
 *   Streams   a block is allocated on a stream and returns to that stream's arena. The stream may have it again at
 *             once, before its work is done, because a stream runs in order. Streams share their arenas only in a
 *             shortage.
 *   Order     a block is never handed out before the work that uses it is done or ordered before the new user's.
 *             The pool knows the copies, fills and launches that name a block. When the block is freed, an event marks
 *             the place that each other stream has reached, and the next user waits for it on the device. Freeing does
 *             not wait.
 *   Shortage  when the device or the limit gives no more, the pool tries these in turn: free blocks of other streams
 *             whose work is done; free blocks of any stream, with a wait on the device; returning all free chunks to
 *             the device and allocating again; waiting for the device and trying all of that again. Only then it fails.
 * A pool has a limit if LAB_GPU_MEMORY_LIMIT ("1073741824", or "50%" of the device's memory) is set when the pool is
 * created, or once lab_mempool_set_limit sets one. A pool belongs to the context that was current when it was created,
 * and ends with it. A pool argument of NULL means the default pool of the current context; a device's default pool is
 * that of its primary context.
 * CuPy's pools follow the same rules except Order: there, a block freed while another stream uses it is reused early.
 */

typedef struct lab_mempool lab_mempool;

/* Where memory comes from: the interface of all allocators, yours included. `alloc` gives memory of the current
 * device for use on the stream. It is never asked for 0 bytes, and never gives address 0 with success. `free` takes
 * back a block from alloc, with the same number of bytes. Its stream is the one that the block was allocated on, or
 * NULL if that stream was destroyed or is unknown; work on the stream may still be pending. Both may be called from any
 * thread. */
typedef struct lab_allocator {
    lab_status (*alloc)(lab_deviceptr *out, size_t bytes, lab_stream *stream, void *user);
    lab_status (*free)(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user);
    void *user;
} lab_allocator;

/* The default pool of the current context. Borrowed; NULL if the device does not open or LAB_GPU_MEMORY_LIMIT is not a
 * valid limit. CUDA: cuDeviceGetDefaultMemPool. CuPy: cupy.get_default_memory_pool(). */
lab_mempool *lab_mempool_default(void);

/* A pool of the current context's memory that takes its chunks from `source`, or from the device if that is NULL. The
 * source gets a chunk back when the work that used it is done. CUDA: cuMemPoolCreate.
 * CuPy: cupy.cuda.MemoryPool(allocator). */
lab_status lab_mempool_create(lab_mempool **out, const lab_allocator *source);

/* Frees the pool's memory. LAB_ERROR_NOT_PERMITTED while blocks are in use, and for a default pool. NULL is
 * accepted. CUDA: cuMemPoolDestroy. */
lab_status lab_mempool_destroy(lab_mempool *pool);

/* A block of at least `bytes` bytes for use on the stream; contents undefined, 256-byte aligned. 0 bytes succeed and
 * give 0. The message of LAB_ERROR_OUT_OF_MEMORY says what was asked for, what is in use and free, and the limit.
 * CUDA: cuMemAllocFromPoolAsync. CuPy: MemoryPool.malloc(size). */
lab_status lab_mempool_alloc(lab_deviceptr *out, lab_mempool *pool, size_t bytes, lab_stream *stream);

/* Returns a block to the pool, without waiting. Work enqueued so far on the stream, and on every stream whose use of
 * the block is known, is done before others get the block. 0 is accepted. LAB_ERROR_INVALID_VALUE if the address was
 * already freed, lies inside a block or does not belong to this pool; the message names it. CUDA: cuMemFreeAsync. */
lab_status lab_mempool_free(lab_mempool *pool, lab_deviceptr memory, lab_stream *stream);

/* Tells the pool that the stream uses the block. The pool cannot see this itself when a kernel finds the address in
 * memory or in a struct. Holds until the block is freed. PyTorch: Tensor.record_stream. */
lab_status lab_mempool_record_stream(lab_mempool *pool, lab_deviceptr memory, lab_stream *stream);

/* Returns the chunks in which no block is in use to the device, and waits for the device's work. Partly used chunks
 * stay. CUDA: cuMemPoolTrimTo. CuPy: MemoryPool.free_all_blocks(). */
lab_status lab_mempool_free_all_blocks(lab_mempool *pool);

/* The same for the arena of one stream. CuPy: MemoryPool.free_all_blocks(stream). */
lab_status lab_mempool_free_stream_blocks(lab_mempool *pool, lab_stream *stream);

/* Bytes in blocks that are in use, in free blocks, and in both; and the number of free blocks. Sizes count as
 * rounded. 0 for a destroyed pool. CuPy: MemoryPool.used_bytes(), free_bytes(), total_bytes(),
 * n_free_blocks(). */
size_t lab_mempool_used_bytes(const lab_mempool *pool);
size_t lab_mempool_free_bytes(const lab_mempool *pool);
size_t lab_mempool_total_bytes(const lab_mempool *pool);
size_t lab_mempool_n_free_blocks(const lab_mempool *pool);

/* The most bytes that the pool may hold, used and free; 0 means no limit. The later of the two calls counts; a
 * percentage is of the device's total memory. A limit below what the pool holds is accepted: it then allocates no more.
 * CuPy: MemoryPool.set_limit(size=...), set_limit(fraction=...), get_limit(). */
lab_status lab_mempool_set_limit(lab_mempool *pool, size_t bytes);
lab_status lab_mempool_set_limit_percent(lab_mempool *pool, double percent);
size_t lab_mempool_get_limit(const lab_mempool *pool);

/* Sets the allocator of all arrays created from now on, in all threads. The struct is copied; NULL means the default
 * pools. An array returns its memory to the allocator that gave it. LAB_ERROR_ILLEGAL_STATE while the calling thread
 * has an allocator of its own (LAB_WITH_ALLOCATOR). CuPy: cupy.cuda.set_allocator(). */
lab_status lab_set_allocator(const lab_allocator *allocator);

/* The allocator in force for the calling thread. CuPy: cupy.cuda.get_allocator(). */
lab_status lab_get_allocator(lab_allocator *out);

/* Exchanges the calling thread's own allocator with *allocator. A thread has none at first, and then uses that of
 * lab_set_allocator; an allocator without functions stands for none. With one function alone it is refused, and nothing
 * changes. */
lab_status lab_thread_exchange_allocator(lab_allocator *allocator);

/* LAB_WITH_ALLOCATOR(mine) { ... } makes `mine`, a lab_allocator, the calling thread's own allocator inside the braces
 * and restores what was before, also when the braces are left by return, break or goto. If the allocator is refused,
 * the braces run with the one before. CuPy: with cupy.cuda.using_allocator(mine): */
#define LAB_WITH_ALLOCATOR(allocator) LAB_WITH_ALLOCATOR_AS(LAB_SCOPE_NAME(lab_allocator_scope_, __LINE__), allocator)
#define LAB_WITH_ALLOCATOR_AS(scope, allocator)                                                                        \
    for (lab_allocator_scope scope                                                                                     \
         __attribute__((cleanup(lab_allocator_scope_leave))) = lab_allocator_scope_enter(allocator);                   \
         scope.entered; scope.entered = false)

/* What LAB_WITH_ALLOCATOR keeps; not for direct use. */
typedef struct lab_allocator_scope {
    lab_allocator before;
    bool exchanged, entered;
} lab_allocator_scope;
static inline lab_allocator_scope lab_allocator_scope_enter(lab_allocator allocator)
{
    lab_allocator_scope scope = {allocator, false, true};
    scope.exchanged = lab_thread_exchange_allocator(&scope.before) == LAB_SUCCESS;
    return scope;
}
static inline void lab_allocator_scope_leave(lab_allocator_scope *scope)
{
    if (scope->exchanged) (void)lab_thread_exchange_allocator(&scope->before);
}

/* A pool as an allocator. CuPy: cupy.cuda.set_allocator(pool.malloc). */
lab_status lab_mempool_allocator(lab_allocator *out, lab_mempool *pool);

/* lab_mem_alloc and lab_mem_free as an allocator: no pool. CuPy: cupy.cuda.set_allocator(None). */
lab_allocator lab_device_allocator(void);

/* A pool of pinned host memory. Blocks are powers of two of at least 512 bytes and are not split. The host may write to
 * a block at once: a block is handed out only when the copies and kernels that were enqueued with it are done;
 * otherwise the pool pins another. The library itself does not use the pool, and lab_host_alloc bypasses it. A pool
 * argument of NULL means the default pool of the current context. */
typedef struct lab_pinned_mempool lab_pinned_mempool;

/* Borrowed. CuPy: cupy.get_default_pinned_memory_pool(). */
lab_pinned_mempool *lab_pinned_mempool_default(void);

/* CuPy: cupy.cuda.PinnedMemoryPool(). */
lab_status lab_pinned_mempool_create(lab_pinned_mempool **out);

/* Like lab_mempool_destroy. */
lab_status lab_pinned_mempool_destroy(lab_pinned_mempool *pool);

/* 0 bytes succeed and give NULL. CuPy: PinnedMemoryPool.malloc(size). */
lab_status lab_pinned_mempool_alloc(void **out, lab_pinned_mempool *pool, size_t bytes);

/* Does not wait. NULL is accepted. LAB_ERROR_INVALID_VALUE if the address was already freed or is not the beginning of
 * a block of this pool; the message names it. */
lab_status lab_pinned_mempool_free(lab_pinned_mempool *pool, void *memory);

/* Tells the pool that the stream uses the block. The pool cannot see this itself when a host function uses it. */
lab_status lab_pinned_mempool_record_stream(lab_pinned_mempool *pool, void *memory, lab_stream *stream);

/* Waits for the device's work and unpins the free blocks. CuPy: PinnedMemoryPool.free_all_blocks(). */
lab_status lab_pinned_mempool_free_all_blocks(lab_pinned_mempool *pool);

/* As for lab_mempool. CuPy: PinnedMemoryPool.n_free_blocks(). */
size_t lab_pinned_mempool_used_bytes(const lab_pinned_mempool *pool);
size_t lab_pinned_mempool_free_bytes(const lab_pinned_mempool *pool);
size_t lab_pinned_mempool_total_bytes(const lab_pinned_mempool *pool);
size_t lab_pinned_mempool_n_free_blocks(const lab_pinned_mempool *pool);

/* ------------------------------------------------------------------------------------------------------
 * Arrays
 *
 * Device memory that knows its element type and shape. A new array is contiguous, the last index fastest. A view that
 * was transposed or sliced along an inner axis is not: its elements have the strides of the array that it views.
 * Elementwise kernels, reductions, expressions and copies reach every array through its strides.
 * CuPy: cupy.ndarray. PyCUDA: pycuda.gpuarray.GPUArray.
 */

typedef struct lab_array lab_array;

typedef enum lab_dtype {
    LAB_INT8 = 1,
    LAB_UINT8,
    LAB_INT16,
    LAB_UINT16,
    LAB_INT32,
    LAB_UINT32,
    LAB_INT64,
    LAB_UINT64,
    LAB_FLOAT32,
    LAB_FLOAT64,
    LAB_FLOAT16,  /* CUDA's half; the host keeps its 16 bits in a uint16_t */
    LAB_BFLOAT16, /* CUDA's __nv_bfloat16: the first 16 bits of a float32. The same */
} lab_dtype;

enum { LAB_MAX_DIMENSIONS = 8 };

/* The number of dimensions and the size of each: LAB_SHAPE(1024) or LAB_SHAPE(rows, columns). */
typedef struct lab_shape {
    int dimensions;
    size_t size[LAB_MAX_DIMENSIONS];
} lab_shape;
#define LAB_SHAPE(...) ((lab_shape){(int)(sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t)), {__VA_ARGS__}})

/* Axes by their numbers, which count from the last if they are negative: LAB_AXES(0, 2). */
typedef struct lab_axes {
    int count;
    int axis[LAB_MAX_DIMENSIONS];
} lab_axes;
#define LAB_AXES(...) ((lab_axes){(int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), {__VA_ARGS__}})

/* "float32"; "unknown" for an invalid type. */
const char *lab_dtype_name(lab_dtype dtype);

/* Bytes of one element; 0 for an invalid type. */
size_t lab_dtype_size(lab_dtype dtype);

/* The type of that name. CuPy: numpy.dtype(name). */
lab_status lab_dtype_parse(lab_dtype *out, const char *name);

/* An array with undefined contents; its memory comes from the default pool, on the current stream (see "Memory pools").
 * CuPy: cupy.empty(shape, dtype). PyCUDA: gpuarray.empty. */
lab_status lab_array_empty(lab_array **out, lab_dtype dtype, lab_shape shape);

/* An array over device memory that exists: `memory` is the address of its first element. Nothing is allocated or
 * copied. The array belongs to the memory's context. The memory returns to `owner` with the last array that shares it,
 * by owner->free; owner->alloc is not used. lab_mempool_allocator and lab_device_allocator are the owners of a pool's
 * block and of what lab_mem_alloc gave. If the context ends first, owner->free is not called. With NULL the memory
 * stays yours; free it after the array. LAB_ERROR_INVALID_VALUE if the elements do not lie inside one allocation,
 * block or variable, or the address does not suit their type; the caller then still has the memory. A launch with an
 * array whose memory was freed is LAB_ERROR_ILLEGAL_ADDRESS. CuPy: UnownedMemory, ndarray(shape, dtype, memptr).
 * PyCUDA: GPUArray(gpudata). */
lab_status lab_array_from_memory(lab_array **out, lab_dtype dtype, lab_shape shape, lab_deviceptr memory,
                                 const lab_allocator *owner);

/* Destroys the array. The memory returns to its allocator with the last array that shares it. A pool does not wait:
 * work enqueued with the array is still done before the memory is used again. NULL is accepted. */
lab_status lab_array_destroy(lab_array *array);

/* The device that the array is on; -1 for a destroyed array. CuPy: ndarray.device. */
int lab_array_device(const lab_array *array);

/* A view: another array on the same memory. A reshaped view has as many elements in another shape; a slice has `count`
 * indices of the first dimension, beginning at `first`. A write through one is visible through the other. Views are
 * destroyed separately, in any order; the memory goes with the last. An array that is not contiguous is not reshaped:
 * LAB_ERROR_INVALID_VALUE; lab_array_copy makes a contiguous one. CuPy: ndarray.reshape, array[first:first + count].
 * */
lab_status lab_array_reshape(lab_array **out, lab_array *array, lab_shape shape);
lab_status lab_array_slice(lab_array **out, lab_array *array, size_t first, size_t count);

/* Views that are not contiguous in general. A slice of an axis has the `count` indices first, first + step, first + 2
 * step, ... of it; a step is at least 1. A transposed view has the axes of the array in the given order, each once.
 * CuPy: array[:, first::step], ndarray.transpose. */
lab_status lab_array_slice_axis(lab_array **out, lab_array *array, int axis, size_t first, size_t count, size_t step);
lab_status lab_array_transpose(lab_array **out, lab_array *array, lab_axes order);

/* The distance in memory between neighbours along each axis, counted in elements: (columns, 1) for a contiguous matrix.
 * No dimensions for a destroyed array. CuPy: ndarray.strides, in bytes. */
lab_shape lab_array_strides(const lab_array *array);

/* The properties of an array; 0 for a destroyed array. The device pointer is that of its first element and is borrowed;
 * the bytes are those of its elements, without what lies between them. */
lab_deviceptr lab_array_data(const lab_array *array);
size_t lab_array_count(const lab_array *array);
size_t lab_array_bytes(const lab_array *array);
lab_dtype lab_array_dtype(const lab_array *array);
lab_shape lab_array_shape(const lab_array *array);

/* Copies the whole array from or to host memory of lab_array_bytes bytes; "Memory" explains what the stream and
 * the kind of host memory mean. The host's elements are contiguous. If the array's are not, a kernel gathers or spreads
 * them on the device, next to a copy in memory that the library keeps. CuPy: ndarray.set, ndarray.get.
 * PyCUDA: to_gpu, to_gpu_async, get, get_async. */
lab_status lab_array_set(lab_array *array, const void *host);
lab_status lab_array_get(const lab_array *array, void *host);
lab_status lab_array_set_async(lab_array *array, const void *host, lab_stream *stream);
lab_status lab_array_get_async(const lab_array *array, void *host, lab_stream *stream);

/* Reads or writes one element on the current stream, and waits for it. `index` counts elements, the last axis fastest;
 * `value` points to a variable of the array's element type. CuPy: ndarray.item(), array[index] = value. */
lab_status lab_array_get_item(const lab_array *array, size_t index, void *value);
lab_status lab_array_set_item(lab_array *array, size_t index, const void *value);

/* ------------------------------------------------------------------------------------------------------
 * Casts
 *
 * The same cast gives different numbers on a GPU and in NumPy. In C the cast of a floating-point value that the
 * integer type cannot hold is undefined: the machine chooses the result, and the two machines choose differently.
 * lab_array_astype casts on the device. The two functions here compute on the host what each machine gives, by
 * rule, without an undefined cast.
 *
 *   floating point to        the device (both)                       NumPy on x86-64
 *   int32, int64             truncates; saturates                    truncates; a value that does not fit gives the
 *                                                                    lowest integer (INT32_MIN, INT64_MIN)
 *   uint32                   truncates; saturates: -1 gives 0        the low 32 bits of the cast to int64:
 *                                                                    -1 gives 4294967295
 *   uint64                   truncates; saturates                    below 2^63 as int64: -1 gives 2^64 - 1; from
 *                                                                    2^63 on as value - 2^63, plus 2^63: 2^64 gives 0
 *   int8, int16              the low bits of the cast to int32:      the low bits of the cast to int32:
 *                            1e10 gives -1                           1e10 gives 0
 *   uint8, uint16            the low bits of the cast to uint32:     the low bits of the cast to int32:
 *                            -1 gives 0                              -1 gives 255
 *   from NaN                 64 bits: the bit pattern of 2^63;       as a value that does not fit: the low bits of
 *                            float64 to 32 bits: 2^31; else 0        the lowest int32 or int64
 *
 * On both, an integer becomes a narrower one by keeping its low bits, and a floating-point number by rounding to
 * nearest even. The NumPy column for uint32 is that of a single element. In long arrays NumPy's compiler may choose
 * vector instructions that give other results outside -2^31 to 2^32: NumPy 1.24 with AVX-512 gives 2147483648 for NaN
 * instead of 0.
 *
 * float16 and bfloat16 become an integer as the float32 of the same value does. (In a kernel's own C cast cuda_fp16.h
 * saturates for 8 and 16 bits.) A number becomes float16 or bfloat16 by rounding once to nearest even, also from
 * float64 and from 64-bit integers, as in CuPy and in nvcc's code. What is too large is infinite, and subnormal numbers
 * are kept. NaN has the bits 0x7fff on the device; in NumPy it keeps its sign and the first bits of its fraction. NumPy
 * itself has no bfloat16.
 */

/* Converts `count` elements as the device does, in a C cast in a kernel and in lab_array_astype, such as the bits of a
 * float16. Both are host memory. They must not overlap, unless they are equal and the types have the same size. */
lab_status lab_cast_as_device(void *destination, lab_dtype destination_type, const void *source, lab_dtype source_type,
                              size_t count);

/* Converts `count` elements as NumPy does on x86-64, on every machine. NumPy: ndarray.astype. */
lab_status lab_cast_as_numpy(void *destination, lab_dtype destination_type, const void *source, lab_dtype source_type,
                             size_t count);

/* ------------------------------------------------------------------------------------------------------
 * Modules and kernels
 *
 * A kernel is CUDA C, compiled at run time and kept in a cache on disk keyed by its content, so that the
 * second run does not compile (see "The cache of kernels"). Mark kernels `extern "C" __global__`.
 *
 * A kernel may call the functions of its source and CUDA's functions for kernels. The CPU device, like CUDA, refuses
 * functions of the host with LAB_ERROR_INVALID_SOURCE. It also refuses inline assembly and code that would run when the
 * module is loaded.
 *
 * A kernel source may include the usual headers: cuda_runtime.h, device_launch_parameters.h, vector_types.h,
 * math_constants.h, and C's assert.h, float.h, limits.h, math.h, stdbool.h, stddef.h, stdint.h, stdio.h, stdlib.h and
 * string.h. Every device has these, and they define what kernels can use. All but stdint.h are there without being
 * included, as in nvcc: NULL, INT_MAX, FLT_MAX, M_PI, CUDART_INF_F.
 *
 * cooperative_groups.h and its reduce.h, scan.h and memcpy_async.h are there too, with groups of a block or less, and
 * this_grid() for lab_launch_cooperative: in any other launch grid_group::sync fails like __trap, and is_valid says so.
 * On the CPU device a tile of several warps waits with its whole block: a kernel in which other threads wait elsewhere
 * meanwhile fails. Textures, tensor cores and cuda/barrier are missing there.
 *
 * cuda_fp16.h, cuda_bf16.h and cuda_pipeline.h are there as well. A GPU needs the CUDA Toolkit's headers for the first
 * two. The asynchronous copies of the third are plain ones on the CPU device. Arrays of float16 and bfloat16 are for
 * parameters such as `half *` and `__nv_bfloat16 *`; a parameter of type half takes LAB_BYTES(bits). cuComplex.h has
 * complex numbers for kernels: the array for a `cuFloatComplex *` is of float32 with a last dimension of 2. What the
 * CPU device lacks, such as CUB, cuRAND and kernels that launch kernels, is LAB_ERROR_INVALID_SOURCE with a sentence.
 */

typedef struct lab_module lab_module;

/* A kernel of a loaded module: a value, valid while its module is loaded. */
typedef struct lab_function {
    uint64_t handle;
} lab_function;

/* Compiles CUDA C: UTF-8, with or without a byte order mark, with Unix or Windows line ends. Compiler messages call the
 * source `name`; NULL means "kernel.cu". A source that does not compile gives LAB_ERROR_INVALID_SOURCE; the message is
 * the compiler's own text, with file and line. CUDA: nvrtcCompileProgram and cuModuleLoadData.
 * CuPy: RawModule(code=...). PyCUDA: SourceModule. */
lab_status lab_module_load_source(lab_module **out, const char *source, const char *name);

/* The same from a .cu file. (CuPy's RawModule(path=...) loads a compiled module instead.) */
lab_status lab_module_load_file(lab_module **out, const char *path);

/* What a compiler's options say. Each list ends with NULL; NULL is a list of nothing. */
typedef struct lab_module_options {
    const char *const *defines;       /* "NAME", which is then 1, or "NAME=VALUE". nvcc: -D */
    const char *const *include_paths; /* folders in which included files are looked for. nvcc: -I */
    /* Kernels that have no plain name: instances of templates, and kernels that are not extern "C", as the source would
     * name them: "scale<float>", "space::copy". lab_module_get_function finds them by these texts, and records call
     * them scale_float and space_copy. nvrtcAddNameExpression */
    const char *const *name_expressions;
} lab_module_options;

/* lab_module_load_source with options, which may be NULL:
 *
 *     lab_module_load_with(&module, source, NULL, &(lab_module_options){
 *         .defines = (const char *[]){"TILE=32", NULL}, .name_expressions = (const char *[]){"scale<float>", NULL}});
 *
 * LAB_ERROR_NOT_FOUND if the source defines no kernel for a name expression. CuPy: RawModule(code=..., options=...,
 * name_expressions=...). PyCUDA: SourceModule(options=..., include_dirs=...). */
lab_status lab_module_load_with(lab_module **out, const char *source, const char *name,
                                const lab_module_options *options);

/* Waits for the device's work, then unloads; the module's functions become invalid. NULL is accepted.
 * CUDA: cuModuleUnload. */
lab_status lab_module_unload(lab_module *module);

/* The device on which the module was loaded. */
lab_status lab_module_get_device(int *device, const lab_module *module);

/* Finds a kernel by name. LAB_ERROR_NOT_FOUND if there is none; the message lists the module's kernels.
 * CUDA: cuModuleGetFunction. CuPy: RawModule.get_function. PyCUDA: SourceModule.get_function. */
lab_status lab_module_get_function(lab_function *function, lab_module *module, const char *name);

/* Finds a variable of the module by name: the address and size of a `__device__` or `__constant__` variable that is
 * declared outside functions and namespaces and is not const. Until the module is unloaded it is device memory like any
 * other, for copies and for arguments; it must not be freed. Kernels read the new value of a __constant__ variable if
 * they come after the copy in the order of streams. LAB_ERROR_NOT_FOUND if there is no such variable.
 * CUDA: cuModuleGetGlobal. CuPy: RawModule.get_global. PyCUDA: SourceModule.get_global. */
lab_status lab_module_get_global(lab_deviceptr *address, size_t *bytes, lab_module *module, const char *name);

/* Extents of a grid (in blocks) or a block (in threads): LAB_DIM(64), LAB_DIM(16, 16). CUDA: dim3. */
typedef struct lab_dim {
    unsigned x, y, z;
} lab_dim;
#define LAB_DIM(...) lab_dim_make(sizeof((unsigned[]){__VA_ARGS__}) / sizeof(unsigned), (const unsigned[]){__VA_ARGS__})
static inline lab_dim lab_dim_make(size_t count, const unsigned *extent)
{
    return (lab_dim){extent[0], count > 1 ? extent[1] : 1, count > 2 ? extent[2] : 1};
}

/* One argument of a kernel with its type; LAB_ARGS makes them. */
typedef enum lab_arg_kind {
    LAB_ARG_INTEGER,    /* of `size` bytes */
    LAB_ARG_FLOAT,      /* of `size` bytes */
    LAB_ARG_POINTER,    /* a lab_deviceptr */
    LAB_ARG_ARRAY,      /* a lab_array */
    LAB_ARG_BYTES,      /* a struct by value */
    LAB_ARG_HOST_ARRAY, /* a lab_host_array: for expressions, which also compute on the host */
    LAB_ARG_RAW,        /* whatever the kernel declares, in `size` bytes: see lab_args_raw */
} lab_arg_kind;

/* Host memory with an element type and a shape; it stays yours. */
typedef struct lab_host_array {
    void *data;
    lab_dtype dtype;
    lab_shape shape;
} lab_host_array;

typedef struct lab_arg {
    lab_arg_kind kind;
    size_t size;
    union {
        uint64_t integer;
        float f32;
        double f64;
        const lab_array *array;
        const void *bytes;
        const lab_host_array *host;
    } value;
} lab_arg;

typedef struct lab_args {
    const lab_arg *arg;
    int count;
} lab_args;

static inline lab_arg lab_arg_s8(signed char v) { return (lab_arg){LAB_ARG_INTEGER, 1, {.integer = (uint64_t)v}}; }
static inline lab_arg lab_arg_u8(unsigned char v) { return (lab_arg){LAB_ARG_INTEGER, 1, {.integer = v}}; }
static inline lab_arg lab_arg_s16(short v) { return (lab_arg){LAB_ARG_INTEGER, 2, {.integer = (uint64_t)v}}; }
static inline lab_arg lab_arg_u16(unsigned short v) { return (lab_arg){LAB_ARG_INTEGER, 2, {.integer = v}}; }
static inline lab_arg lab_arg_s32(int v) { return (lab_arg){LAB_ARG_INTEGER, 4, {.integer = (uint64_t)v}}; }
static inline lab_arg lab_arg_u32(unsigned v) { return (lab_arg){LAB_ARG_INTEGER, 4, {.integer = v}}; }
static inline lab_arg lab_arg_s64(long v) { return (lab_arg){LAB_ARG_INTEGER, 8, {.integer = (uint64_t)v}}; }
static inline lab_arg lab_arg_u64(unsigned long v) { return (lab_arg){LAB_ARG_INTEGER, 8, {.integer = v}}; }
static inline lab_arg lab_arg_sll(long long v) { return (lab_arg){LAB_ARG_INTEGER, 8, {.integer = (uint64_t)v}}; }
static inline lab_arg lab_arg_ptr(lab_deviceptr v) { return (lab_arg){LAB_ARG_POINTER, 8, {.integer = v}}; }
static inline lab_arg lab_arg_f32(float v) { return (lab_arg){LAB_ARG_FLOAT, 4, {.f32 = v}}; }
static inline lab_arg lab_arg_f64(double v) { return (lab_arg){LAB_ARG_FLOAT, 8, {.f64 = v}}; }
static inline lab_arg lab_arg_array(const lab_array *v) { return (lab_arg){LAB_ARG_ARRAY, 8, {.array = v}}; }
static inline lab_arg lab_arg_self(lab_arg v) { return v; }

/* Host memory as an argument: LAB_HOST_ARRAY(memory, LAB_FLOAT32, LAB_SHAPE(1024)). It lasts as long as the enclosing
 * block. */
#define LAB_HOST_ARRAY(...)                                                                                            \
    ((lab_arg){LAB_ARG_HOST_ARRAY, sizeof(lab_host_array), {.host = &(const lab_host_array){__VA_ARGS__}}})

/* A struct passed by value: LAB_ARGS(array, LAB_BYTES(box)). The kernel must declare the same layout. */
#define LAB_BYTES(object) ((lab_arg){LAB_ARG_BYTES, sizeof(object), {.bytes = &(object)}})

#ifndef __cplusplus
/* clang-format off */
#define LAB_ARG(x) _Generic((x),                                                                                       \
    bool: lab_arg_u8, char: lab_arg_s8, signed char: lab_arg_s8, unsigned char: lab_arg_u8, short: lab_arg_s16,        \
    unsigned short: lab_arg_u16, int: lab_arg_s32, unsigned: lab_arg_u32, long: lab_arg_s64,                           \
    unsigned long: lab_arg_u64, long long: lab_arg_sll, lab_deviceptr: lab_arg_ptr, float: lab_arg_f32,                \
    double: lab_arg_f64, lab_array *: lab_arg_array, const lab_array *: lab_arg_array, lab_arg: lab_arg_self)(x)
#define LAB_EACH_1(x) LAB_ARG(x)
#define LAB_EACH_2(x, ...) LAB_ARG(x), LAB_EACH_1(__VA_ARGS__)
#define LAB_EACH_3(x, ...) LAB_ARG(x), LAB_EACH_2(__VA_ARGS__)
#define LAB_EACH_4(x, ...) LAB_ARG(x), LAB_EACH_3(__VA_ARGS__)
#define LAB_EACH_5(x, ...) LAB_ARG(x), LAB_EACH_4(__VA_ARGS__)
#define LAB_EACH_6(x, ...) LAB_ARG(x), LAB_EACH_5(__VA_ARGS__)
#define LAB_EACH_7(x, ...) LAB_ARG(x), LAB_EACH_6(__VA_ARGS__)
#define LAB_EACH_8(x, ...) LAB_ARG(x), LAB_EACH_7(__VA_ARGS__)
#define LAB_EACH_9(x, ...) LAB_ARG(x), LAB_EACH_8(__VA_ARGS__)
#define LAB_EACH_10(x, ...) LAB_ARG(x), LAB_EACH_9(__VA_ARGS__)
#define LAB_EACH_11(x, ...) LAB_ARG(x), LAB_EACH_10(__VA_ARGS__)
#define LAB_EACH_12(x, ...) LAB_ARG(x), LAB_EACH_11(__VA_ARGS__)
#define LAB_EACH_PICK(a, b, c, d, e, f, g, h, i, j, k, l, name, ...) name
#define LAB_EACH(...)                                                                                                  \
    LAB_EACH_PICK(__VA_ARGS__, LAB_EACH_12, LAB_EACH_11, LAB_EACH_10, LAB_EACH_9, LAB_EACH_8, LAB_EACH_7, LAB_EACH_6,  \
                  LAB_EACH_5, LAB_EACH_4, LAB_EACH_3, LAB_EACH_2, LAB_EACH_1, )(__VA_ARGS__)
/* clang-format on */

/* The arguments of a launch, up to twelve, each with its C type: LAB_ARGS(array, length, 2.0f). Integers and
 * floats must have the size the kernel declares (2.0f is a float, 2.0 a double); nothing is converted. */
#define LAB_ARGS(...)                                                                                                  \
    ((lab_args){(const lab_arg[]){LAB_EACH(__VA_ARGS__)},                                                              \
                (int)(sizeof((const lab_arg[]){LAB_EACH(__VA_ARGS__)}) / sizeof(lab_arg))})
#define LAB_NO_ARGS ((lab_args){NULL, 0})
#endif

/* Enqueues the kernel on the stream: `grid` blocks of `block` threads each, with `shared_bytes` bytes of dynamic shared
 * memory per block. Blocks whose threads wait for each other (__syncthreads, warp operations) run by CUDA's rules.
 *
 * A kernel that fails stops and puts the process into an error state: LAB_ERROR_ASSERT for an assert;
 * LAB_ERROR_ILLEGAL_ADDRESS for memory that is not allocated; LAB_ERROR_LAUNCH_FAILED for __trap, for a barrier that
 * can never complete and for a kernel's other faults. Every later call of the process that enqueues or waits returns
 * that status. The message names kernel, block, thread and line on a CPU device, and the possible kernels on a GPU.
 * Work that has not begun does not run. Objects and memory can still be freed, but no other context works and
 * lab_device_reset does not help: the process must be restarted. A host function must not wait across a failure: on a
 * GPU other waits would then wait for it.
 *
 * A kernel that misses its own memory but hits other allocated memory does not fail: it corrupts what is there. With
 * LAB_MEMCHECK=1 in the environment the CPU device checks every access, and kernels run several times slower:
 *
 *     kernel 'scale', block [15,0,0], thread [40,0,0]: scale.cu:4: writes 4 bytes at 0x5581e0, 12 bytes past the end of
 *     the 4000 bytes allocated at lab03.c:31; the launch is at lab03.c:40; 23 other threads made bad accesses too
 *
 * These accesses are LAB_ERROR_ILLEGAL_ADDRESS, to the byte: past either end of an allocation, an array or a pool's
 * block; memory that was freed before the launch (the message says where); memory of another context without
 * lab_context_enable_peer_access; past the end of a __shared__, __device__ or __constant__ variable, of the launch's
 * dynamic shared memory, or of a local array that is indexed by its name. An address that is not a multiple of its
 * type's alignment is LAB_ERROR_MISALIGNED_ADDRESS. The thread ends there, and the access does not take place. With
 * LAB_MEMCHECK=leaks the process also prints, when it ends, the device memory that was never freed and the lines that
 * allocated it. On a GPU, use compute-sanitizer --tool memcheck --leak-check full.
 *
 * Three more checks have the names of compute-sanitizer's tools. Each of them checks memory as LAB_MEMCHECK does, too:
 *
 *   LAB_RACECHECK=1  Two threads access the same byte of shared or global memory, one of them writes, and nothing
 *                    orders the two: no barrier, no __syncwarp, no atomic operation behind a __threadfence. Found
 *                    whichever thread runs first. The status is LAB_ERROR_NOT_ORDERED.
 *   LAB_INITCHECK=1  A kernel reads device memory or shared memory that nothing has written since it was handed out.
 *                    The status is LAB_ERROR_LAUNCH_FAILED.
 *   LAB_SYNCCHECK=1  A shuffle reads from a lane that takes no part in it. Some threads of a block pass by a barrier,
 *                    or some lanes of its mask by a warp function, without having returned. The status is
 *                    LAB_ERROR_LAUNCH_FAILED. Threads that wait at two different barriers are an error without this
 *                    setting.
 *
 *     kernel 'reverse', block [0,0,0], thread [32,0,0]: tile.cu:9: reads 4 bytes, 124 bytes into the __shared__
 *     variable 'tile' of 256 bytes, which thread [31,0,0] writes at line 8: a race (read after write): no
 *     __syncthreads() comes between line 8 and line 9; found 64 times; the launch is at lab03.c:40
 *
 * The kernel runs to its end and fails there. The message names one pair of lines in full, the others by their numbers.
 * lib/docs/memcheck.md says which accesses do not race, and what each check misses.
 *
 * A fourth is for checks of exercises: LAB_EXCHANGE=shared or LAB_EXCHANGE=shuffles says how the threads of a launch
 * pass values on. Memory outside shared memory that one thread writes and another reads, more than a few votes, and a
 * thread that reads or combines much more than its share are LAB_ERROR_LAUNCH_FAILED; with shuffles alone, shared
 * memory too.
 *
 * A block may wait for a flag that another block sets if that block has begun: it continues, here as on a GPU. Blocks
 * begin in no promised order, and under the adversarial and random schedules in none that helps. So a block takes its
 * number when it begins, from a counter with atomicAdd, and waits for lower numbers alone; or the launch is
 * cooperative. A kernel that stands still because its blocks wait for one that has not begun never ends; after two
 * seconds the CPU device names it on stderr. On the CPU device the threads of one block must wait for each other at
 * barriers and in warp functions: one that waits in a loop of its own for a thread of its block may wait forever, where
 * a GPU of compute capability 7.0 or higher lets the other thread continue.
 *
 * An array as an argument is the address of its first element; the kernel must know its strides. A wrong number of
 * arguments, or an argument of the wrong size or kind, is LAB_ERROR_INVALID_VALUE; the message names
 * the kernel and the parameter. A function of another context than the stream's is LAB_ERROR_INVALID_HANDLE, as in
 * CUDA's driver (asked on an H100, CUDA 13.0). Memory of another context without peer access is
 * LAB_ERROR_INVALID_CONTEXT.
 * CUDA: cuLaunchKernel. CuPy: kernel(grid, block, args). */
lab_status lab_launch(lab_function function, lab_dim grid, lab_dim block, size_t shared_bytes, lab_stream *stream,
                      lab_args args);

/* The same for a kernel whose blocks wait for each other: all run at the same time, and
 * cooperative_groups::this_grid().sync() is a barrier for all threads of the launch, which each of them calls. It also
 * makes what they wrote before visible to all. With more blocks than the device can run at the same time, or more
 * shared memory than a block can have, the call fails with LAB_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE. A multiprocessor of
 * the CPU device runs up to 32 blocks and 2048 threads at the same time, the whole device up to 64 blocks. Blocks that
 * wait for one that has ended fail the launch on the CPU device; on a GPU they wait forever. A GPU that has no such
 * launches fails with LAB_ERROR_NOT_SUPPORTED; without the Toolkit's headers, sync() fails like __trap there. CUDA:
 * cuLaunchCooperativeKernel. */
lab_status lab_launch_cooperative(lab_function function, lab_dim grid, lab_dim block, size_t shared_bytes,
                                  lab_stream *stream, lab_args args);

enum { LAB_MOST_PARAMETERS = 64 };

/* The parameters of a kernel: their number, and the kind and size of each. A kind is LAB_ARG_INTEGER, _FLOAT, _POINTER
 * or _BYTES. */
typedef struct lab_parameters {
    int count;
    struct {
        lab_arg_kind kind;
        size_t size; /* bytes */
    } parameter[LAB_MOST_PARAMETERS];
} lab_parameters;

/* CUDA: cuFuncGetParamInfo. */
lab_status lab_function_get_parameters(lab_parameters *parameters, lab_function function);

/* What a kernel needs of the device. What only a GPU has is 0 on the CPU device. */
typedef struct lab_function_info {
    int registers;           /* of a thread; a GPU's. CU_FUNC_ATTRIBUTE_NUM_REGS */
    int max_block_threads;   /* for this kernel. CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK */
    size_t shared_bytes;     /* a block's __shared__ variables of fixed size. CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES */
    size_t max_launch_bytes; /* the most that lab_launch can give a block as shared_bytes */
    size_t local_bytes;      /* local memory of a thread; a GPU's. CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES */
    size_t constant_bytes;   /* of __constant__ variables; a GPU's. CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES */
    int ptx_version;         /* 90 for 9.0; a GPU's. CU_FUNC_ATTRIBUTE_PTX_VERSION */
    int binary_version;      /* the same. CU_FUNC_ATTRIBUTE_BINARY_VERSION */
} lab_function_info;

/* CUDA: cuFuncGetAttribute. CuPy: RawKernel.attributes. PyCUDA: Function.num_regs. */
lab_status lab_function_get_info(lab_function_info *info, lab_function function);

/* Room for the arguments of one launch. `args` points into it, so it must not be copied. */
typedef struct lab_raw_args {
    lab_args args;
    lab_arg arg[LAB_MOST_PARAMETERS];
} lab_raw_args;

/* The arguments of a launch as cuLaunchKernel takes them: for each parameter of the kernel a pointer to its value,
 * which has the parameter's type. `raw->args` is then an argument of lab_launch, lab_launch_cooperative and
 * lab_graph_exec_update_kernel, which read the values. What a pointer argument points to is not checked, as CUDA does
 * not: it may be any number, and a kernel that uses memory that is not allocated fails. `arguments` may be NULL for a
 * kernel without parameters.
 *
 *     void *arguments[] = {&out, &in, &count};
 *     lab_raw_args raw;
 *     LAB_TRY(lab_args_raw(&raw, function, arguments));
 *     LAB_TRY(lab_launch(function, grid, block, 0, stream, raw.args));
 *
 * CUDA: kernelParams of cuLaunchKernel. */
lab_status lab_args_raw(lab_raw_args *raw, lab_function function, void *const *arguments);

/* ------------------------------------------------------------------------------------------------------
 * The cache of kernels
 *
 * Compiled kernels are kept in a folder: LAB_CACHE_DIR, else $XDG_CACHE_HOME/lab, else ~/.cache/lab, else a private
 * folder among the temporary files. The key of a kernel is everything that went into it: source, included files,
 * compiler, options, processor. An entry holds its key, and is used only for that key; the SHA-256 of the key names its
 * file. Entries appear whole or not at all and are checked when they are read; a damaged entry is discarded and
 * compiled again. Any number of processes may use the folder at once: one compiles a kernel, and others that need it
 * wait for that. The folder may be deleted at any time.
 *
 * LAB_CACHE_SIZE limits the folder, in bytes or as in 64M (K, M, G). The default is 256M; 0 turns the cache off. Above
 * the limit, the least recently used entries are removed. Entries that are being written count; what a process that was
 * ended left of one goes with the next entry. LAB_CACHE_BASE names a second folder, which is looked in first, and never
 * written. If the folder cannot be created or written, or the disk is
 * full, everything works, but kernels are compiled in every run; lab_cache_get_info then says why. build/bin/labcache
 * shows the folder and clears it. CUDA: CUDA_CACHE_PATH, CUDA_CACHE_MAXSIZE. CuPy: CUPY_CACHE_DIR. PyCUDA:
 * SourceModule(cache_dir=...).
 */

enum { LAB_CACHE_FOLDER_BYTES = 4096, LAB_CACHE_PROBLEM_BYTES = 512 };

typedef struct lab_cache_info {
    char folder[LAB_CACHE_FOLDER_BYTES];
    uint64_t entries, bytes, limit; /* what `folder` holds now, from all processes; the most bytes it may hold */
    /* In this process: */
    uint64_t hits, misses;                 /* kernels that were found, and that had to be compiled */
    uint64_t replaced;                     /* misses whose entry was damaged */
    uint64_t evicted;                      /* entries removed because the folder held too much */
    uint64_t not_kept;                     /* kernels that could not be written to the folder */
    char problem[LAB_CACHE_PROBLEM_BYTES]; /* why the first of these could not be written; "" if all could */
} lab_cache_info;

/* In a program that a check of a lab runs, `folder` is "". If the check runs in a sandbox, the cache is the
 * submission's own, and ends with the grading. */
lab_status lab_cache_get_info(lab_cache_info *info);

/* Removes all entries of the folder, also those of other processes, which then compile again. LAB_ERROR_IO if one
 * cannot be removed, LAB_ERROR_NOT_PERMITTED in a program that a check of a lab runs. */
lab_status lab_cache_clear(void);

/* ------------------------------------------------------------------------------------------------------
 * Elementwise kernels
 *
 * The same computation for every element, without a loop: you write the parameters and the body, in CUDA C,
 *
 *     lab_elementwise_create(&kernel, "T x, T y, float32 a", "T z", "z = (x - y) * (x - y) + a", "squared_diff");
 *     lab_elementwise_launch(kernel, stream, LAB_ARGS(x, y, 1.0f, z));
 *
 * and the kernel is generated, compiled and kept for the argument types of each launch. In the body, a parameter names
 * the element, `i` is the element's index and `n` the number of elements (both long long).
 *
 *   types         a name of lab_dtype_name, "float32 x", or one letter, "T x": any type, but the same for every
 *                 parameter with that letter; the body can use the letter as a type. A float16 or bfloat16 is computed
 *                 with as its float32, and rounded where it is stored in a variable, as in CuPy: "T y = x * x". In a
 *                 conditional both sides need one type: "x > 0 ? x : T(0)"
 *   raw           "raw T x" is a pointer to the whole array, which the body indexes itself: x[n - 1 - i]. The array
 *                 must be contiguous
 *   numbers       an input may be a number instead of an array: it is converted to the parameter's type. An integer
 *                 that the type cannot hold is refused, and so is a floating-point number for an integer type
 *   broadcasting  inputs of different shapes are repeated to the shape of the outputs by NumPy's rules: dimensions are
 *                 matched from the last, and a dimension of size 1 is repeated
 *   outputs       are existing arrays, all of one shape. An input that overlaps an output is copied first if it is raw
 *                 or begins at another place; the same array as input and output is not copied
 *   empty         arrays without elements launch nothing
 *
 * Elements are computed in no particular order and must not depend on each other.
 * CuPy: cupy.ElementwiseKernel. PyCUDA: pycuda.elementwise.ElementwiseKernel.
 */

typedef struct lab_elementwise lab_elementwise;

/* `inputs` may be "". Records and messages call the kernel `name`: a C identifier that is not reserved in CUDA C; NULL
 * means "elementwise". The strings are copied. Nothing is compiled yet: if the body does not compile, the first launch
 * fails with LAB_ERROR_INVALID_SOURCE. At most 16 parameters. */
lab_status lab_elementwise_create(lab_elementwise **out, const char *inputs, const char *outputs, const char *body,
                                  const char *name);

/* The same with more to say. */
typedef struct lab_elementwise_source {
    const char *inputs, *outputs, *body, *name; /* as above */
    const char *preamble;   /* CUDA C before the kernel, which may use the letters as types; NULL for none */
    unsigned block_threads; /* of each block on a GPU, 1 to 1024; 0: as the library chooses. On the CPU device a block
                               of such a kernel is one thread, whatever the number is. CuPy: block_size */
} lab_elementwise_source;
lab_status lab_elementwise_create_from(lab_elementwise **out, const lab_elementwise_source *source);

/* Waits for the device's work, then unloads what was compiled. NULL is accepted. */
lab_status lab_elementwise_destroy(lab_elementwise *kernel);

/* Enqueues the kernel on the stream: arguments for the inputs, then for the outputs. An argument that does not fit is
 * LAB_ERROR_INVALID_VALUE; the message names kernel, parameter, types and shapes. */
lab_status lab_elementwise_launch(lab_elementwise *kernel, lab_stream *stream, lab_args args);

/* The same for `size` elements, when all arrays are raw and none gives the number of elements. CuPy: kernel(...,
 * size=n). */
lab_status lab_elementwise_launch_sized(lab_elementwise *kernel, size_t size, lab_stream *stream, lab_args args);

/* ------------------------------------------------------------------------------------------------------
 * Arrays with contents
 *
 * Each of these functions creates an array and enqueues the work that fills it, on the calling thread's current stream
 * or on the given stream. Work enqueued later on that stream sees the contents; other streams must wait for an event,
 * as always. A number is passed as LAB_ARG(2.5); it is converted to the element type if that type can hold it.
 */

/* CuPy: cupy.zeros, ones, full. PyCUDA: gpuarray.zeros, ones_like. */
lab_status lab_array_zeros(lab_array **out, lab_dtype dtype, lab_shape shape);
lab_status lab_array_ones(lab_array **out, lab_dtype dtype, lab_shape shape);
lab_status lab_array_full(lab_array **out, lab_dtype dtype, lab_shape shape, lab_arg value);

/* `count` numbers in one dimension: start, start + step, start + 2 step, ... CuPy: cupy.arange. */
lab_status lab_array_arange(lab_array **out, lab_dtype dtype, size_t count, lab_arg start, lab_arg step);

/* Random float32 or float64 numbers: uniform from `low` up to but not including `high` (rounding may reach it), or
 * normal. The same seed gives the same numbers on every device, to the last bit. The generator is Philox 4x32-10, where
 * element k depends on the seed and k alone: a longer array begins with the shorter one. CuPy: cupy.random.uniform,
 * normal. */
lab_status lab_array_random_uniform(lab_array **out, lab_dtype dtype, lab_shape shape, double low, double high,
                                    uint64_t seed);
lab_status lab_array_random_normal(lab_array **out, lab_dtype dtype, lab_shape shape, double mean, double deviation,
                                   uint64_t seed);

/* An array copied from host memory, which must hold all bytes of the array. The first copies on the null stream and
 * returns when the copy is done. The second copies on a stream, and `host` must not change until the copy is done (see
 * "Memory").
 * CuPy: cupy.asarray. PyCUDA: gpuarray.to_gpu, to_gpu_async. */
lab_status lab_array_from_host(lab_array **out, lab_dtype dtype, lab_shape shape, const void *host);
lab_status lab_array_from_host_async(lab_array **out, lab_dtype dtype, lab_shape shape, const void *host,
                                     lab_stream *stream);

/* A contiguous copy with memory of its own. CuPy: ndarray.copy(). */
lab_status lab_array_copy(lab_array **out, const lab_array *array, lab_stream *stream);

/* A copy in another element type, by the device's rules (see "Casts"). CuPy: ndarray.astype. */
lab_status lab_array_astype(lab_array **out, const lab_array *array, lab_dtype dtype, lab_stream *stream);

/* Sets every element to a number: lab_array_fill(x, LAB_ARG(1), stream). CuPy: ndarray.fill. PyCUDA: GPUArray.fill. */
lab_status lab_array_fill(lab_array *array, lab_arg value, lab_stream *stream);

/* ------------------------------------------------------------------------------------------------------
 * Reduction kernels
 *
 * Many elements become one value: map each element, combine two values into one until one is left, and write it:
 *
 *     lab_reduction_create(&norm, &(lab_reduction_source){.inputs = "T x", .outputs = "T y", .map = "x * x",
 *                                                         .reduce = "a + b", .post_map = "y = sqrt(a)",
 *                                                         .identity = "0", .name = "norm"});
 *     lab_reduction_launch(norm, stream, LAB_ARGS(x, y));
 *
 * y is an array of one element. The result stays on the device, so the launch returns at once; reading it, with
 * lab_array_get_item, costs one synchronization. (NumPy returns a number, CuPy an array without dimensions.)
 *
 * The order of combining depends only on the number of elements, not on timing, cores or device: a sum has the same
 * bits every time. Values are combined in 256 lanes per tile, so that rounding errors hardly accumulate. With up to
 * 2^26 elements no value passes through more than 96 additions. The error of a floating-point sum is at most 96 half
 * units in the last place of the sum of the elements' magnitudes (2^32 elements: 4136).
 *
 * A reduction along an axis gives one result for each place along the other axes: x of the shape (3, 4, 5), reduced
 * along axis 1, gives y of the shape (3, 5), or of the shape (3, 1, 5), which keeps the axis. Both are accepted; an x
 * of one dimension gives (1). Negative axes count from the last. Each result has the same bits as a reduction of its
 * elements alone. In the map, `i` is the element's index along the axis and `n` the axis's size.
 *
 * Parameters are those of elementwise kernels, but all inputs have one shape, have a single element, or are numbers.
 * CuPy: cupy.ReductionKernel, keepdims. PyCUDA: pycuda.reduction.ReductionKernel.
 */

typedef struct lab_reduction lab_reduction;

typedef struct lab_reduction_source {
    const char *inputs;   /* "T x, float32 scale" */
    const char *outputs;  /* "T y": each an array with one element per result */
    const char *map;      /* an expression of the inputs, i and n: "x * x" */
    const char *reduce;   /* an expression of a and b: "a + b"; the order of combining should not matter */
    const char *post_map; /* a statement that sets the outputs from a: "y = sqrt(a)" */
    const char *identity; /* the result for no elements: "0"; NULL makes a reduction of no elements an error */
    /* The type of a and b: a name, a parameter's letter, or a type of at most 16 bytes that the preamble defines; NULL
     * means the first output's type. For float16 and bfloat16 it is float32, and the result is rounded once. */
    const char *reduce_type;
    const char *name;     /* NULL means "reduction" */
    const char *preamble; /* CUDA C before the kernel, which may use the letters as types; NULL for none */
} lab_reduction_source;

/* The strings are copied; nothing is compiled yet. */
lab_status lab_reduction_create(lab_reduction **out, const lab_reduction_source *source);

/* Waits for the device's work, then unloads what was compiled. NULL is accepted. */
lab_status lab_reduction_destroy(lab_reduction *kernel);

/* Enqueues the kernel on the stream, as lab_elementwise_launch and lab_elementwise_launch_sized do. */
lab_status lab_reduction_launch(lab_reduction *kernel, lab_stream *stream, lab_args args);
lab_status lab_reduction_launch_sized(lab_reduction *kernel, size_t size, lab_stream *stream, lab_args args);

/* Reduces along an axis of the inputs, which all have one shape or a single element. An axis that the shape does not
 * have is LAB_ERROR_INVALID_VALUE. CuPy: kernel(..., axis=axis, keepdims=...). */
lab_status lab_reduction_launch_axis(lab_reduction *kernel, int axis, lab_stream *stream, lab_args args);

/* Several axes, in any order: LAB_AXES(0, 2). An x of the shape (3, 4, 5) then gives y of the shape (4), or (1, 4, 1).
 * In the map, `i` is the element's index among those of its result, the last axis fastest, and `n` their number. An
 * axis that is given twice is LAB_ERROR_INVALID_VALUE. CuPy: kernel(..., axis=(0, 2)). */
lab_status lab_reduction_launch_axes(lab_reduction *kernel, lab_axes axes, lab_stream *stream, lab_args args);

/* The usual reductions of whole arrays to an array of one element. sum, prod, mean and dot compute in the output's
 * type, which may differ from the inputs'; for float16 and bfloat16 in float32, as CuPy does. (NumPy chooses int64 for
 * signed integers, uint64 for unsigned ones, float64 for their mean, else the inputs' type.) For no elements they give
 * 0, but prod gives 1 and a floating-point mean NaN. min and max need an output of the inputs' type and at least one
 * element; they give NaN if an element is NaN. CuPy: cupy.sum, prod, mean, min, max, dot. */
lab_status lab_array_sum(lab_array *out, const lab_array *x, lab_stream *stream);
lab_status lab_array_prod(lab_array *out, const lab_array *x, lab_stream *stream);
lab_status lab_array_mean(lab_array *out, const lab_array *x, lab_stream *stream);
lab_status lab_array_min(lab_array *out, const lab_array *x, lab_stream *stream);
lab_status lab_array_max(lab_array *out, const lab_array *x, lab_stream *stream);
lab_status lab_array_dot(lab_array *out, const lab_array *x, const lab_array *y, lab_stream *stream);

/* Writes the index of the smallest or largest element, from 0 with the last axis fastest, to an int64 array: the first
 * of equal elements, or the first NaN if there is one. At least one element is needed. CuPy: cupy.argmin, argmax. */
lab_status lab_array_argmin(lab_array *out, const lab_array *x, lab_stream *stream);
lab_status lab_array_argmax(lab_array *out, const lab_array *x, lab_stream *stream);

/* Write 1 or 0 to a uint8 array: whether any, or every, element differs from 0, as NaN does. For no elements any gives
 * 0 and all gives 1. CuPy: cupy.any, all. */
lab_status lab_array_any(lab_array *out, const lab_array *x, lab_stream *stream);
lab_status lab_array_all(lab_array *out, const lab_array *x, lab_stream *stream);

/* The same along an axis; argmin and argmax then give indices along that axis. CuPy: cupy.sum(x, axis=axis,
 * keepdims=...). */
lab_status lab_array_sum_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);
lab_status lab_array_prod_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);
lab_status lab_array_mean_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);
lab_status lab_array_min_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);
lab_status lab_array_max_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);
lab_status lab_array_argmin_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);
lab_status lab_array_argmax_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);
lab_status lab_array_any_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);
lab_status lab_array_all_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);

/* The same along several axes. CuPy: cupy.sum(x, axis=(0, 2), keepdims=...). */
lab_status lab_array_sum_axes(lab_array *out, const lab_array *x, lab_axes axes, lab_stream *stream);
lab_status lab_array_prod_axes(lab_array *out, const lab_array *x, lab_axes axes, lab_stream *stream);
lab_status lab_array_mean_axes(lab_array *out, const lab_array *x, lab_axes axes, lab_stream *stream);
lab_status lab_array_min_axes(lab_array *out, const lab_array *x, lab_axes axes, lab_stream *stream);
lab_status lab_array_max_axes(lab_array *out, const lab_array *x, lab_axes axes, lab_stream *stream);
lab_status lab_array_any_axes(lab_array *out, const lab_array *x, lab_axes axes, lab_stream *stream);
lab_status lab_array_all_axes(lab_array *out, const lab_array *x, lab_axes axes, lab_stream *stream);

/* ------------------------------------------------------------------------------------------------------
 * Expressions
 *
 * A chain of elementwise operations, written once as a NumPy formula and computed in one kernel: intermediate results
 * never go to memory, and one launch does everything. The same expression computes on the host if its arrays are host
 * memory: one function serves both.
 *
 *     lab_expression_create(&softsign, "x", "x / (1 + abs(x))", "softsign");
 *     lab_expression_apply(softsign, stream, LAB_ARGS(x, y));                                     on the device
 *     lab_expression_apply(softsign, NULL, LAB_ARGS(LAB_HOST_ARRAY(memory, LAB_FLOAT64, LAB_SHAPE(n)), ...));
 *
 * An expression consists of inputs, numbers, inf, nan, + - * / with parentheses and signs, and the functions abs
 * (absolute), minimum, maximum, where(condition, x, y), sqrt, exp, exp2, expm1, log, log2, log10, log1p, sin, cos, tan,
 * arcsin, arccos, arctan, sinh, cosh, tanh, floor and ceil. The name of a type converts, by the device's rules:
 * int32(x).
 *
 * sum, prod, min and max reduce all elements to one, or those along axes: "sum(x * x)", "max(x, axis=1)",
 * "sum(x, axis=(0, 2), keepdims=True)". Such a result has the shape that reduction kernels give it. A reduction of
 * what the kernel computes, followed by operations with numbers, as in "sqrt(sum(x * x)) / 2", is one kernel. In other
 * places, as in "x - max(x, axis=1, keepdims=True)", a reduction is a kernel of its own, once for each reduction that
 * the text has, and its results go to memory that the library keeps. The order of combining is that of reduction
 * kernels, on the device and on the host.
 *
 * Up to five results are separated by commas, as in "x + y, x - y". Those of one shape are computed in one kernel. An
 * array for a result may be that of an input: all inputs are read before an element's results are written, so
 * "x + y, x" with the arrays (x, y, x, y) computes in place. Results of other shapes follow in the order of the text;
 * one that would overwrite an input that a later one reads is LAB_ERROR_INVALID_VALUE.
 *
 *   types         NumPy's rules. Two arrays' types give the smallest type that holds both (int32 and float32: float64).
 *                 A number takes an array's type (2 * x is float32 for a float32 x, 0.5 * x is float64 for an int32 x).
 *                 Division of integers gives float64. Functions of integers give float64, or float32 for 16 bits and
 *                 float16 for 8. sum and prod give int64 for signed integers and uint64 for unsigned ones. Integers
 *                 wrap. bfloat16 is as float16; the two together give float32. Each operation of theirs is computed in
 *                 float32 and rounded, with the same bits on host and device; a sum is rounded once
 *   shapes        broadcast as in elementwise kernels. If the operand of a reduction broadcasts, it is computed to
 *                 memory first
 *   NaN           minimum and maximum give NaN if either operand is NaN
 *   rounding      on the device a product and a sum may become one fused multiply-add; on the host each operation is
 *                 rounded separately. Functions are the device's or the C library's: the last digits may differ
 *
 * CuPy: cupy.fuse, cupy.get_array_module.
 */

typedef struct lab_expression lab_expression;

/* `inputs` are names separated by commas. Records and messages call the expression `name`: a C identifier that is not
 * reserved in CUDA C; NULL means "expression". A text that is not an expression is LAB_ERROR_INVALID_VALUE; the message
 * shows the place. */
lab_status lab_expression_create(lab_expression **out, const char *inputs, const char *text, const char *name);

/* Waits for the device's work, then unloads what was compiled. NULL is accepted. */
lab_status lab_expression_destroy(lab_expression *expression);

/* The type of the result for these inputs (arrays, host arrays, numbers). CuPy: numpy.result_type. */
lab_status lab_expression_dtype(lab_dtype *out, const lab_expression *expression, lab_args inputs);

/* The same for one of several results, numbered from 0. */
lab_status lab_expression_result_dtype(lab_dtype *out, const lab_expression *expression, int result, lab_args inputs);

/* Computes the expression: arguments for the inputs, then an array of its type for each result. With device arrays the
 * computation is enqueued on the stream. With host arrays the calling thread computes at once, and no device is needed.
 * Device and host arrays together are refused. */
lab_status lab_expression_apply(lab_expression *expression, lab_stream *stream, lab_args args);

/* ------------------------------------------------------------------------------------------------------
 * Graphs
 *
 * Work that is repeated can be enqueued once and launched many times. Between begin and end a stream captures: its
 * operations do not run but become nodes of a graph, each after the nodes that it would have waited for. The graph is
 * then instantiated, which prepares everything that can be prepared. The executable graph is launched on any stream, as
 * one operation, at a fraction of the cost of enqueuing its nodes.
 *
 * Nodes are kernels, copies, fills and host functions, with the arguments and addresses of the captured calls. A node
 * uses the bytes that are at an address when the node runs, in host memory too. The memory and the modules must still
 * exist then. Events make edges, not nodes: a stream outside the capture that waits for an event recorded in the
 * capture becomes a fork and captures too. It must be joined before the end: record an event on it, and let the first
 * stream wait for that event.
 *
 * Memory pools work during a capture: a pool hands out its free blocks and takes blocks back at once, outside the
 * graph. If it must allocate from the device or free to it, the last rule below applies. Create arrays before the
 * capture, or capture with LAB_CAPTURE_RELAXED as CuPy does. A graph uses the captured addresses. Do not destroy an
 * array before the last launch that uses it is done, nor during the capture that uses it: the pool would hand its
 * memory to others. The library allocates whatever generated kernels need besides their arguments, in every mode, and
 * keeps it for the graph until the context ends. (CUDA's cuMemAllocAsync becomes a node of the graph instead; CuPy's
 * pool does not use it.)
 *
 * An operation that a capture cannot hold is an error. Most such errors invalidate the capture: every later call on its
 * streams, and the end, then give LAB_ERROR_STREAM_CAPTURE_INVALIDATED; after the end the streams are usable again. The
 * errors that invalidate are
 *   to wait for a stream that captures, for an event recorded there or for the device, or to ask whether it is done;
 *   to use the null stream, also by a synchronous copy, while a blocking stream captures;
 *   to wait in a capture for an event recorded outside the capture, or in another one;
 *   to launch a graph on a stream that captures;
 *   and, unless the mode is LAB_CAPTURE_RELAXED, to allocate, free, pin or unpin memory, to unload a module, or to wait
 *   for any stream or event or ask whether it is done: the capture does not see this work, and a launch does not repeat
 *   it.
 */

typedef struct lab_graph lab_graph;
typedef struct lab_graph_exec lab_graph_exec;

typedef enum lab_capture_mode {
    LAB_CAPTURE_GLOBAL,       /* the last rule binds all threads. CU_STREAM_CAPTURE_MODE_GLOBAL */
    LAB_CAPTURE_THREAD_LOCAL, /* it binds the capturing thread. CU_STREAM_CAPTURE_MODE_THREAD_LOCAL */
    LAB_CAPTURE_RELAXED,      /* it binds no thread. CU_STREAM_CAPTURE_MODE_RELAXED, CuPy's default */
} lab_capture_mode;

typedef enum lab_capture_status {
    LAB_CAPTURE_NONE,        /* the stream does not capture */
    LAB_CAPTURE_ACTIVE,      /* it does */
    LAB_CAPTURE_INVALIDATED, /* it did until an error; the capture must be ended where it began */
} lab_capture_status;

/* Begins a capture. The null stream is refused with LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED, and a stream that already
 * captures with LAB_ERROR_ILLEGAL_STATE; neither error invalidates a capture. Work enqueued before runs as usual.
 * CUDA: cuStreamBeginCapture. CuPy: Stream.begin_capture(mode). */
lab_status lab_stream_begin_capture(lab_stream *stream, lab_capture_mode mode);

/* Ends the capture that began on this stream and gives its graph. Unless the mode is LAB_CAPTURE_RELAXED, only the
 * thread that began the capture may end it. On failure the graph is NULL. LAB_ERROR_ILLEGAL_STATE if the stream does
 * not capture; ..._UNMATCHED for a fork, which invalidates the capture but does not end it. The other errors end the
 * capture: ..._INVALIDATED, ..._UNJOINED, ..._WRONG_THREAD. CUDA: cuStreamEndCapture. CuPy: Stream.end_capture(). */
lab_status lab_stream_end_capture(lab_graph **out, lab_stream *stream);

/* Whether the stream captures. For the null stream the call fails with LAB_ERROR_STREAM_CAPTURE_IMPLICIT while a
 * blocking stream captures; that invalidates no capture. CUDA: cuStreamIsCapturing. CuPy: Stream.is_capturing(). */
lab_status lab_stream_is_capturing(lab_capture_status *status, lab_stream *stream);

/* Exchanges the calling thread's own mode, initially LAB_CAPTURE_GLOBAL, with *mode. In LAB_CAPTURE_RELAXED no capture
 * binds the thread to the last rule; in LAB_CAPTURE_THREAD_LOCAL captures of other threads do not. For code that
 * allocates while other threads capture; a second call restores the mode.
 * CUDA: cuThreadExchangeStreamCaptureMode. */
lab_status lab_thread_exchange_capture_mode(lab_capture_mode *mode);

typedef enum lab_graph_node_kind {
    LAB_NODE_KERNEL,
    LAB_NODE_COPY_HTOD,
    LAB_NODE_COPY_DTOH,
    LAB_NODE_COPY_DTOD,
    LAB_NODE_FILL,
    LAB_NODE_HOST_FUNCTION,
} lab_graph_node_kind;

/* "kernel", "copy htod", ...; "unknown" for an invalid kind. */
const char *lab_graph_node_kind_name(lab_graph_node_kind kind);

typedef struct lab_graph_node {
    lab_graph_node_kind kind;
    const char *name;    /* a kernel's name; "" for other kinds that a program enqueues */
    size_t bytes;        /* a copy's or fill's size; 0 for other kinds */
    lab_dim grid, block; /* a kernel's extents; 0 for other kinds */
} lab_graph_node;

/* Node `to` waits for node `from`; both are indices into the list of nodes. */
typedef struct lab_graph_edge {
    int from, to;
} lab_graph_edge;

/* The graph's nodes, in the order of capture, and its edges. Borrowed until the graph is destroyed.
 * CUDA: cuGraphGetNodes, cuGraphNodeGetType, cuGraphGetEdges. */
lab_status lab_graph_get_nodes(const lab_graph_node **nodes, int *count, lab_graph *graph);
lab_status lab_graph_get_edges(const lab_graph_edge **edges, int *count, lab_graph *graph);

/* Writes the graph, whole or not at all, as a DOT file, which Graphviz draws (dot -Tsvg FILE).
 * CUDA: cuGraphDebugDotPrint. */
lab_status lab_graph_save_dot(lab_graph *graph, const char *path);

/* Executable graphs instantiated from the graph remain. NULL is accepted. CUDA: cuGraphDestroy. */
lab_status lab_graph_destroy(lab_graph *graph);

/* Prepares the graph for launching; it can be instantiated more than once.
 * CUDA: cuGraphInstantiate. CuPy: end_capture does it. */
lab_status lab_graph_instantiate(lab_graph_exec **out, lab_graph *graph);

/* Prepares the next launch of the graph on the stream, and does nothing else: the launch then need not wait for what a
 * device prepares at a first launch. It is enqueued on the stream; the CPU device has nothing to prepare. A stream that
 * captures is refused with LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED, which does not invalidate the capture.
 * CUDA: cuGraphUpload. CuPy: Graph.upload(stream). */
lab_status lab_graph_upload(lab_graph_exec *exec, lab_stream *stream);

/* Enqueues all nodes as one operation of the stream, which may be any stream of the context. A launch also waits for
 * the previous launch of the same executable graph, on any stream: to run twice at once, a graph must be instantiated
 * twice. Fails with LAB_ERROR_INVALID_HANDLE if the module of a kernel was unloaded.
 * CUDA: cuGraphLaunch. CuPy: Graph.launch(stream). */
lab_status lab_graph_launch(lab_graph_exec *exec, lab_stream *stream);

/* Replaces the launch of a kernel node, given by its index in the list of nodes: kernel, extents and arguments, which
 * are checked as lab_launch checks them. Only later launches of the executable graph change; the graph itself stays as
 * it was. CUDA: cuGraphExecKernelNodeSetParams. */
lab_status lab_graph_exec_update_kernel(lab_graph_exec *exec, int node, lab_function function, lab_dim grid,
                                        lab_dim block, size_t shared_bytes, lab_args args);

/* Pending launches still run, but the call does not wait for them. NULL is accepted. CUDA: cuGraphExecDestroy. */
lab_status lab_graph_exec_destroy(lab_graph_exec *exec);

/* ------------------------------------------------------------------------------------------------------
 * Benchmarks
 *
 * A call takes two times: how long it holds the host, and how long the device works on what it enqueues. The benchmark
 * first calls the function a few times without measuring, so that one-time costs (a context, a compilation, memory for
 * a pool) do not count. It then waits for the streams and repeats:
 *
 *     record an event on each stream; note the host's time; call the function; note the host's time again; record
 *     another event on each stream and wait for it
 *
 * Each run thus begins when the one before is done. The device's time is the time between the two events: if the host
 * is slow to enqueue, the device waits, and that wait is included.
 * CuPy: cupyx.profiler.benchmark.
 */

typedef struct lab_benchmark_options {
    const char *name;          /* shown in the line; NULL means "" */
    int warm_ups;              /* calls that are not measured. CuPy: n_warmup */
    int repeats;               /* calls that are measured, at most. CuPy: n_repeat */
    double max_seconds;        /* after this, no further call begins, but one is always measured; 0: no limit.
                                  CuPy: max_duration */
    lab_stream *const *stream; /* the streams on which time is measured, of any device. CuPy: devices */
    int streams;               /* how many; 0: the calling thread's current stream alone */
} lab_benchmark_options;
#define LAB_BENCHMARK_OPTIONS_INIT                                                                                     \
    {                                                                                                                  \
        .warm_ups = 10, .repeats = 10000                                                                               \
    }

/* Times of all runs, in milliseconds. */
typedef struct lab_benchmark_times {
    int device; /* the device on which they were measured; -1 for the host */
    double mean;
    double deviation; /* the standard deviation of these runs (numpy.std) */
    double median;
    double min, max;
    const double *sample; /* each run's time, in the order of the runs */
} lab_benchmark_times;

typedef struct lab_benchmark_result {
    int runs;
    lab_benchmark_times cpu;
    int streams;
    const lab_benchmark_times *device; /* one for each measured stream, in the order given */
    const char *line; /* "name: CPU 12.345 us +/- 0.678 (min, median, max); device 0 ...": the means in microseconds */
} lab_benchmark_result;

/* Measures function(user). NULL for the options means LAB_BENCHMARK_OPTIONS_INIT. If the function returns anything but
 * LAB_SUCCESS, the benchmark ends and returns that status, with its message. The caller frees the result, which
 * does not refer to the streams, with lab_benchmark_free. Several threads may measure at once, but each slows the
 * others. */
lab_status lab_benchmark(lab_benchmark_result **out, lab_status (*function)(void *user), void *user,
                         const lab_benchmark_options *options);

/* NULL is accepted. */
void lab_benchmark_free(lab_benchmark_result *result);

/* ------------------------------------------------------------------------------------------------------
 * Ranges
 *
 * A range names what a host thread does between two moments. Records keep it, timelines draw it above the streams, and
 * Perfetto shows it around the thread's calls (LAB_TRACE=FILE, see lab_trace.h). Ranges of a thread lie within each
 * other: pop ends the one pushed last. A range says what the host did; the work that it enqueued may run later. While
 * nothing is recorded, both calls only count.
 * CUDA: NVTX. CuPy: cupyx.profiler.time_range, cupy.cuda.nvtx.RangePush, RangePop.
 */

/* The name is copied; NULL is refused. */
lab_status lab_range_push(const char *name);

/* The same with a colour, 0xAARRGGBB as in NVTX; 0 is none. A record keeps it, and a timeline that is a picture draws
 * the row of that name in the colour of its first range with one. CuPy: nvtx.RangePushC, time_range(argb_color=...). */
lab_status lab_range_push_color(const char *name, uint32_t argb);

/* LAB_ERROR_ILLEGAL_STATE if the calling thread has no open range. */
lab_status lab_range_pop(void);

/* LAB_WITH_RANGE("load") { ... } is a range that ends with the braces, also when they are left by return, break or
 * goto. CuPy: with time_range("load"): */
#define LAB_WITH_RANGE(name) LAB_WITH_RANGE_AS(LAB_SCOPE_NAME(lab_range_scope_, __LINE__), name)
#define LAB_WITH_RANGE_AS(scope, name)                                                                                 \
    for (lab_range_scope scope __attribute__((cleanup(lab_range_scope_leave))) = {lab_range_push(name), true};         \
         scope.entered; scope.entered = false)

/* What LAB_WITH_RANGE keeps; not for direct use. */
typedef struct lab_range_scope {
    lab_status pushed;
    bool entered;
} lab_range_scope;
static inline void lab_range_scope_leave(lab_range_scope *scope)
{
    if (scope->pushed == LAB_SUCCESS) (void)lab_range_pop();
}

/* ------------------------------------------------------------------------------------------------------
 * What the library cannot see
 *
 * With LAB_ORDER=report (or error) in the environment the library finds uses of the same memory that nothing orders, by
 * CUDA's rules, whatever the device happened to do: see lab_trace.h. The library sees the arguments of every call. The
 * calls below declare uses that are not arguments; without the checker they only validate their own arguments.
 */

/* Declares that the host reads, or writes, this memory now, outside the library: the result of a copy, or the input of
 * one. With LAB_ORDER=error the call fails with LAB_ERROR_NOT_ORDERED if the device may still be using the memory.
 * NULL, 0 bytes, impossible sizes and device memory are refused. Memory that is not pinned may have been freed: the
 * library cannot detect that. */
lab_status lab_host_reads(const void *memory, size_t bytes);
lab_status lab_host_writes(const void *memory, size_t bytes);

/* Declares that the next kernel or host function that this thread enqueues also uses this memory: a kernel that finds
 * the address in memory or in a struct, or a host function that works on a buffer. At most 32 declarations per
 * operation. The first is for memory that a kernel can use, device memory or pinned memory. It refuses any other
 * address, also one that was freed, and bytes beyond the allocation. The second refuses what lab_host_reads refuses. */
lab_status lab_next_uses(lab_deviceptr memory, size_t bytes, bool writes);
lab_status lab_next_uses_host(const void *memory, size_t bytes, bool writes);

/* Declare that two host threads are ordered by a lock, a condition or an atomic. Everything the first had waited for
 * when it released, the second has waited for too, once it acquires with the same key. The key is any address. Starting
 * and joining a thread need no declaration, nor does starting one in a host function. A host function releases what is
 * done when it runs, and its acquire does nothing. With NULL these calls do nothing. */
void lab_host_release(const void *key);
void lab_host_acquire(const void *key);

/* ------------------------------------------------------------------------------------------------------
 * Where you called from
 *
 * Calls that enqueue work, wait, allocate or free note their file and line, so that the record of a run and every
 * finding in it can name your line. The macros of lab_calls.h do that and change nothing else. To do without them,
 * define LAB_NO_LOCATION; for a single call, put the name in parentheses: (lab_launch)(...).
 */

/* Notes that a call begins at this place; a NULL file means an unknown place. lab_here_ends notes that the call has
 * ended and returns its status; it does nothing else if no call had begun. */
void lab_here(const char *file, int line);
lab_status lab_here_ends(lab_status status);

/* The place of the call whose message lab_error_message gives; "" and 0 if it is unknown. Either pointer may be NULL.
 * The file's name is borrowed from the program. */
void lab_error_place(const char **file, int *line);

#ifndef LAB_NO_LOCATION
#include "lab_calls.h"
#endif

#ifdef __cplusplus
}
#endif
#endif
