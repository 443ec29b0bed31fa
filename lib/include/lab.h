/*
 * lab.h: the runtime of the GPU concurrency workbook.
 *
 * Everything here follows CUDA's rules and uses CUDA's words, on two devices: an NVIDIA GPU through the
 * CUDA driver, and the embedded CPU device, which needs no GPU. What a program may rely on is what NVIDIA's
 * documentation promises; the same program gives the same answers on both.
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
 * flush-to-zero), division and square root are correctly rounded. An integer divided by 0 gives some number, which one
 * is not said, and stops nothing, on both devices.
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
    X(LAB_ERROR_INVALID_CONTEXT,             201, "the context is not the one the object belongs to")        \
    X(LAB_ERROR_PEER_ACCESS_UNSUPPORTED,     217, "kernels of one cannot use the memory of the other")        \
    X(LAB_ERROR_INVALID_SOURCE,              300, "the kernel source does not compile")                      \
    X(LAB_ERROR_FILE_NOT_FOUND,              301, "the file cannot be read")                                 \
    X(LAB_ERROR_INVALID_HANDLE,              400, "the object was destroyed, or was never created")          \
    X(LAB_ERROR_ILLEGAL_STATE,               401, "the object is not in the state that the call needs")      \
    X(LAB_ERROR_NOT_FOUND,                   500, "no such name")                                            \
    X(LAB_ERROR_NOT_READY,                   600, "the work is not finished yet")                            \
    X(LAB_ERROR_ILLEGAL_ADDRESS,             700, "a kernel or copy used memory that is not allocated")      \
    X(LAB_ERROR_LAUNCH_OUT_OF_RESOURCES,     701, "the launch needs more than the device has")               \
    X(LAB_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704, "the peer's memory may be used already")                   \
    X(LAB_ERROR_PEER_ACCESS_NOT_ENABLED,     705, "the peer's memory was not made usable")                   \
    X(LAB_ERROR_CONTEXT_IS_DESTROYED,        709, "the context was destroyed, or was never created")         \
    X(LAB_ERROR_ASSERT,                      710, "an assert in a kernel failed")                           \
    X(LAB_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712, "the host memory is already pinned")                    \
    X(LAB_ERROR_HOST_MEMORY_NOT_REGISTERED,  713, "the host memory was not pinned by this call's partner")   \
    X(LAB_ERROR_MISALIGNED_ADDRESS,          716, "a kernel used an address that does not suit its type")    \
    X(LAB_ERROR_LAUNCH_FAILED,               719, "a kernel stopped with an error")                          \
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

/* Propagates: if the call fails, the function this stands in returns the call's status. */
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
 * LAB_DEVICE=auto|cpu|cuda|cuda:N in the environment picks the devices this process sees, numbered from 0; cuda:N
 * is the one GPU, auto the GPUs if there are any and the CPU device if not. On a CPU device a core is a multiprocessor
 * (LAB_CPU_MULTIPROCESSORS=N changes how many) and two threads are the copy engines, one each way.
 * LAB_CPU_DEVICES=N gives N CPU devices, which share the cores and half of the process's memory evenly; each has
 * queues, threads and memory of its own, and a multiprocessor is a thread, so that with more devices than cores
 * they take turns.
 *
 * LAB_SCHEDULE picks the order in which a CPU device runs operations; every one is an order that CUDA's rules allow:
 *   concurrent        the default: what may run at the same time does, and timing decides. A program with a missing
 *                     wait is right or wrong by luck
 *   adversarial:SEED  one operation at a time, in the order most unkind to missing waits: nothing runs before the host
 *                     waits for it, and of two operations on the same memory that nothing orders the later one runs
 *                     first. A program without a wait that it needs fails at its first run; a right one never does.
 *   random:SEED       one at a time, any that is ready, now or later
 *   fifo              one at a time, in the order of the calls, each at its call: how luck looks
 * SEED is a number. A program with one host thread runs in the same order whenever the seed is the same, however busy the
 * machine is, except for what it does while a host function is called. Another value is LAB_ERROR_INVALID_VALUE of the
 * first call. Times measured under a schedule mean nothing.
 *
 * Every host thread has a current device, at first device 0: what it allocates, creates and launches is there.
 * Arrays, streams, events and modules stay on the device on which they were made.
 */

typedef struct lab_device_info {
    char name[128];
    char kind[8];            /* "cpu" or "cuda" */
    int multiprocessors;     /* CUDA: CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT */
    int copy_engines;        /* CUDA: CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT */
    int max_block_threads;   /* CUDA: CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK */
    size_t max_shared_bytes; /* per block. CUDA: CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK */
    size_t total_memory;     /* bytes. CUDA: cuDeviceTotalMem */
} lab_device_info;

typedef struct lab_context lab_context; /* see "Contexts" */

/* CUDA: cuDeviceGetCount. CuPy: cupy.cuda.runtime.getDeviceCount(). */
lab_status lab_device_count(int *count);

/* CUDA: cuDeviceGetName, cuDeviceGetAttribute. Fails with INVALID_DEVICE for a number that is not there. */
lab_status lab_device_get_info(lab_device_info *info, int device);

/* The calling thread's current device. CUDA: cuCtxGetDevice. CuPy: cupy.cuda.Device().id. */
lab_status lab_device_current(int *device);

/* Makes a device current for the calling thread: its primary context takes the place of the current context.
 * Each device keeps the thread's current stream for it. INVALID_DEVICE for a number that is not there.
 * CUDA: cuCtxSetCurrent (cudaSetDevice). CuPy: Device.use(). */
lab_status lab_device_use(int device);

/* LAB_WITH_DEVICE(1) { ... } makes device 1 current inside the braces and restores what was current before,
 * also when the braces are left by return, break or goto. If there is no such device, what is inside runs, and
 * every call that needs the device fails with INVALID_DEVICE. CuPy: with cupy.cuda.Device(1): */
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

/* Whether kernels on `device` can use memory on `peer`; false for a device and itself. It is allowed context by
 * context: lab_context_enable_peer_access. Copies between devices need no permission.
 * CUDA: cuDeviceCanAccessPeer. CuPy: cupy.cuda.runtime.deviceCanAccessPeer. */
lab_status lab_device_can_access_peer(bool *can, int device, int peer);

/* Waits for the work of the device's primary context, then destroys all that belongs to it: memory, streams,
 * events, modules and arrays become invalid handles. The device can be used again at once, unless a kernel has failed:
 * then the call returns that failure.
 * CUDA: cuDevicePrimaryCtxReset (cudaDeviceReset). */
lab_status lab_device_reset(int device);

/* Waits until everything enqueued so far on every stream of the current context is done.
 * CUDA: cuCtxSynchronize. CuPy: Device.synchronize(). PyCUDA: Context.synchronize(). */
lab_status lab_device_synchronize(void);

/* ------------------------------------------------------------------------------------------------------
 * Contexts
 *
 * A context is what a process has on a device: memory, streams, events, modules and arrays belong to one and end
 * with it. Every device has a primary context, which all threads share; it is made on first use and is what you
 * want: host threads need no contexts of their own. A context of your own isolates what belongs to it, and costs
 * memory and time on a GPU.
 *
 * Every host thread has a stack of contexts whose top is current. It begins empty: then the primary context of the
 * thread's device is current. Popping a context does not destroy it; a context that is popped and forgotten lives
 * on, with all its memory, until the process ends.
 *
 * A kernel must be launched with a function, a stream and memory of one context; an event is recorded on a stream of
 * its own context. Everything else may cross contexts and devices: waiting for an event, copying, freeing,
 * synchronizing, and destroying. A context may be current to several threads at once.
 *
 * An object of a destroyed context is an invalid handle; a destroyed context itself is CONTEXT_IS_DESTROYED, also
 * for the threads to which it is still current.
 */

typedef struct lab_context_info {
    uint64_t id; /* no other context of this process has or will have it. CUDA: cuCtxGetId */
    int device;  /* CUDA: cuCtxGetDevice */
    bool primary;
    size_t allocations, device_bytes;        /* device memory now allocated in the context */
    size_t pinned_allocations, pinned_bytes; /* host memory now pinned by it */
} lab_context_info;

/* Makes a context on the device and pushes it on the calling thread's stack. INVALID_DEVICE for a number that is
 * not there, NOT_PERMITTED if the thread has pushed 64 contexts already.
 * CUDA: cuCtxCreate. PyCUDA: Device.make_context(). */
lab_status lab_context_create(lab_context **out, int device);

/* Waits for the context's work, then destroys it and all that belongs to it. If it is on top of the calling
 * thread's stack it is popped. NULL is accepted; a primary context is INVALID_CONTEXT.
 * CUDA: cuCtxDestroy. PyCUDA: Context.detach(). */
lab_status lab_context_destroy(lab_context *context);

/* The device's primary context, made if need be, and counted as retained. The handle is borrowed: it is not pushed.
 * CUDA: cuDevicePrimaryCtxRetain. PyCUDA: Device.retain_primary_context(). */
lab_status lab_context_primary_retain(lab_context **out, int device);

/* Takes one retain back; INVALID_CONTEXT if there is none. The last one destroys all that belongs to the context,
 * unless a thread has used the device without pushing a context: the library then keeps it until the process ends.
 * CUDA: cuDevicePrimaryCtxRelease. */
lab_status lab_context_primary_release(int device);

/* Pushes a context on the calling thread's stack. CUDA: cuCtxPushCurrent. PyCUDA: Context.push(). */
lab_status lab_context_push(lab_context *context);

/* Takes the current context from the calling thread's stack: what is below it becomes current. The context lives on.
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

/* What a context is and holds; NULL means the current one. On a GPU a context also takes memory of its own, which
 * is not counted here: compare lab_mem_get_info before and after making one. */
lab_status lab_context_get_info(lab_context_info *info, const lab_context *context);

/* Lets kernels of the current context use all memory of the peer, a context of another device; one way only.
 * PEER_ACCESS_UNSUPPORTED if the device cannot (lab_device_can_access_peer), PEER_ACCESS_ALREADY_ENABLED the
 * second time. CUDA: cuCtxEnablePeerAccess. PyCUDA: Context.enable_peer_access(). */
lab_status lab_context_enable_peer_access(lab_context *peer);

/* Takes that back; PEER_ACCESS_NOT_ENABLED if it was not enabled. CUDA: cuCtxDisablePeerAccess. */
lab_status lab_context_disable_peer_access(lab_context *peer);

/* ------------------------------------------------------------------------------------------------------
 * Streams
 *
 * A stream is a queue: what is enqueued on one stream runs in that order; what is on different streams may
 * run at the same time. Three kinds:
 *   the null stream (CUDA: legacy default stream): each of its operations waits for everything enqueued
 *     before on every blocking stream, and everything enqueued later on a blocking stream waits for it;
 *   blocking streams (LAB_STREAM_DEFAULT): take part in that;
 *   non-blocking streams (LAB_STREAM_NON_BLOCKING): don't.
 * Every host thread has a current stream in every context, at first the context's null stream; a stream argument
 * of NULL means the one of the current context.
 */

typedef struct lab_stream lab_stream;

enum {
    LAB_STREAM_DEFAULT = 0,      /* blocking: ordered with the null stream. CU_STREAM_DEFAULT */
    LAB_STREAM_NON_BLOCKING = 1, /* not ordered with the null stream. CU_STREAM_NON_BLOCKING */
};

/* CUDA: cuStreamCreate. CuPy: cupy.cuda.Stream(non_blocking=...). PyCUDA: Stream(flags). */
lab_status lab_stream_create(lab_stream **out, unsigned flags);

/* The same with a priority: a lower number is a higher priority, 0 the lowest and what lab_stream_create gives; one
 * outside lab_stream_priority_range is clamped. A hint: of kernels that are ready those of the higher priority start
 * first, but nothing that runs is interrupted, and copies take no notice.
 * CUDA: cuStreamCreateWithPriority. CuPy: cupy.cuda.Stream(priority=...). */
lab_status lab_stream_create_with_priority(lab_stream **out, unsigned flags, int priority);

/* The priorities of the current device: `greatest`, the lower number, to `least`.
 * CUDA: cuCtxGetStreamPriorityRange. */
lab_status lab_stream_priority_range(int *least, int *greatest);

/* Gives the stream back. Work still pending on it is finished first, but not waited for: the call returns at
 * once. NULL is accepted; the null stream is refused. CUDA: cuStreamDestroy. */
lab_status lab_stream_destroy(lab_stream *stream);

/* The null stream of the current context. Borrowed; NULL if the device could not be opened. CUDA: CU_STREAM_LEGACY. CuPy: Stream.null. */
lab_stream *lab_stream_null(void);

/* The calling thread's default stream in the current context: a blocking stream of its own. Borrowed; it lives as
 * long as the thread and the context. NULL if there is no memory for it.
 * CUDA: CU_STREAM_PER_THREAD. CuPy: Stream.ptds. */
lab_stream *lab_stream_per_thread(void);

/* The calling thread's current stream in the current context. Borrowed. CuPy: cupy.cuda.get_current_stream(). */
lab_stream *lab_stream_current(void);

/* Makes a stream current for the calling thread until the next use. A stream of another context than the current
 * one is INVALID_CONTEXT. CuPy: Stream.use(). */
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
    bool entered, without_place;
} lab_stream_scope;
lab_stream_scope lab_stream_scope_enter(lab_stream *stream);
void lab_stream_scope_leave(lab_stream_scope *scope);

/* Waits until everything enqueued on the stream before this call is done.
 * CUDA: cuStreamSynchronize. CuPy: Stream.synchronize(). */
lab_status lab_stream_synchronize(lab_stream *stream);

/* LAB_SUCCESS if everything enqueued on the stream is done, LAB_ERROR_NOT_READY if not (which sets no
 * message). CUDA: cuStreamQuery. CuPy: Stream.done. PyCUDA: Stream.is_done(). */
lab_status lab_stream_query(lab_stream *stream);

/* A number no other stream of this process has or will have; 1 is the null stream of device 0.
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

/* Whether two handles are one stream: a handle from lab_stream_from_native equals the one it was made from, and NULL
 * the current stream. Handles of lab_stream_create are equal if and only if the pointers are. CuPy: Stream.__eq__. */
lab_status lab_stream_is_equal(bool *equal, lab_stream *one, lab_stream *other);

/* What other libraries know the stream by. On a GPU it is the CUstream; on a CPU device it means something to this
 * library alone. Borrowed: it is valid as long as the stream. CuPy: Stream.ptr. PyCUDA: Stream.handle. */
lab_status lab_stream_native(void **native, lab_stream *stream);

/* A second handle for a stream of the current context that is known by its native handle. It does not own the stream:
 * lab_stream_destroy ends the new handle only, and when the stream itself is destroyed the new handle is invalid too.
 * On a GPU the stream may also be one that another library made, or the program with the driver's own calls: whoever made
 * it keeps it, and destroys it after this library's handle. INVALID_HANDLE if no stream of the current context has the
 * native handle; a GPU's driver cannot always tell what is none, and may crash. CuPy: Stream.from_external,
 * ExternalStream. */
lab_status lab_stream_from_native(lab_stream **out, void *native);

/* Enqueues a call of function(user) on a host thread: it runs when everything before it on the stream is
 * done, and what is enqueued after it waits for its return. The function must not call this library: such
 * calls fail with LAB_ERROR_NOT_PERMITTED. It is not called if a kernel of the context has failed before.
 * CUDA: cuLaunchHostFunc. CuPy: Stream.launch_host_func(). */
lab_status lab_stream_launch_host_func(lab_stream *stream, void (*function)(void *user), void *user);

/* The same with the stream and a status: LAB_SUCCESS, or the error that stopped the device's work. Prefer
 * lab_stream_launch_host_func; this one cannot be captured to a graph. CUDA: cuStreamAddCallback.
 * CuPy: Stream.add_callback(). */
lab_status lab_stream_add_callback(lab_stream *stream,
                                   void (*callback)(lab_stream *stream, lab_status status, void *user), void *user);

/* ------------------------------------------------------------------------------------------------------
 * Events
 *
 * An event is a marker in a stream. Recording it notes the work enqueued on the stream at that moment; the
 * event is done when that work is. Recording it again replaces what it stood for; a wait enqueued earlier
 * keeps what the event stood for then. Two events measure the time between them on the device, whatever lay
 * between: not only your kernel.
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

/* The device on which the event was made. */
lab_status lab_event_get_device(int *device, const lab_event *event);

/* Enqueues the marker on the stream, which must be of the event's own context: INVALID_HANDLE if it is not.
 * CUDA: cuEventRecord. CuPy: Event.record(stream). */
lab_status lab_event_record(lab_event *event, lab_stream *stream);

/* LAB_SUCCESS if the event's last record is done or it was never recorded, else LAB_ERROR_NOT_READY.
 * CUDA: cuEventQuery. CuPy: Event.done. PyCUDA: Event.query(). */
lab_status lab_event_query(lab_event *event);

/* Waits until the event's last record is done; returns at once if it was never recorded.
 * CUDA: cuEventSynchronize. */
lab_status lab_event_synchronize(lab_event *event);

/* Makes what is enqueued later on the stream wait, on the device, for the event's last record; the host does
 * not wait. No effect if the event was never recorded. The event may be of another context or device. CUDA: cuStreamWaitEvent. CuPy: Stream.wait_event(). */
lab_status lab_stream_wait_event(lab_stream *stream, lab_event *event);

/* The time from start to end in milliseconds, to about half a microsecond. LAB_ERROR_INVALID_HANDLE if
 * either was never recorded or has timing disabled, or if they are of different contexts; LAB_ERROR_NOT_READY if
 * either is not done yet.
 * CUDA: cuEventElapsedTime. CuPy: get_elapsed_time(start, end). PyCUDA: start.time_till(end). */
lab_status lab_event_elapsed_time(float *milliseconds, lab_event *start, lab_event *end);

/* ------------------------------------------------------------------------------------------------------
 * Memory
 *
 * Device memory is addressed by a number, not a pointer: the host cannot read it. Host memory is pageable
 * (malloc, the stack) or pinned (page-locked, from lab_host_alloc or lab_host_register). A copy engine can
 * only work on pinned memory, so a copy to or from pageable memory is staged through a pinned buffer by the
 * calling thread: an "async" copy of pageable memory may hold the caller until it is staged or done, and never
 * overlaps as a pinned one does.
 */

/* CUDA: CUdeviceptr. 0 is no memory. */
typedef unsigned long long lab_deviceptr;

/* At least 256-byte aligned, contents undefined. 0 bytes is refused. CUDA: cuMemAlloc. PyCUDA: mem_alloc. */
lab_status lab_mem_alloc(lab_deviceptr *out, size_t bytes);

/* Waits for the device's work, then frees. 0 is accepted. CUDA: cuMemFree. PyCUDA: DeviceAllocation.free(). */
lab_status lab_mem_free(lab_deviceptr memory);

/* The device that an address belongs to; any address inside an allocation will do. INVALID_VALUE if it is not device
 * memory. CUDA: cuPointerGetAttribute(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL). CuPy: MemoryPointer.device_id. */
lab_status lab_mem_get_device(int *device, lab_deviceptr memory);

/* Free and total bytes of the current device. CUDA: cuMemGetInfo. PyCUDA: mem_get_info(). */
lab_status lab_mem_get_info(size_t *free_bytes, size_t *total_bytes);

/* Pinned host memory, aligned to a page. CUDA: cuMemAllocHost. CuPy: cupy.cuda.alloc_pinned_memory(). */
lab_status lab_host_alloc(void **out, size_t bytes);

/* Frees what lab_host_alloc gave. NULL is accepted. CUDA: cuMemFreeHost. */
lab_status lab_host_free(void *memory);

/* Pins memory you already have, until lab_host_unregister. Takes time in proportion to its size: do it once.
 * CUDA: cuMemHostRegister. PyCUDA: register_host_memory. */
lab_status lab_host_register(void *memory, size_t bytes);

/* Waits for the device's work, then unpins what lab_host_register pinned. CUDA: cuMemHostUnregister. */
lab_status lab_host_unregister(void *memory);

/* Copies between host and device. Those without _async run on the null stream and return when the data may
 * be reused (device to host: when it has arrived). CUDA: cuMemcpyHtoD, cuMemcpyDtoH. */
lab_status lab_memcpy_htod(lab_deviceptr destination, const void *source, size_t bytes);
lab_status lab_memcpy_dtoh(void *destination, lab_deviceptr source, size_t bytes);

/* Enqueues the copy on the stream. With pinned memory the call returns at once, and the host memory must stay
 * untouched until the copy is done; with pageable memory the call may wait. CUDA: cuMemcpyHtoDAsync,
 * cuMemcpyDtoHAsync, cuMemcpyDtoDAsync. PyCUDA: memcpy_htod_async, memcpy_dtoh_async. */
lab_status lab_memcpy_htod_async(lab_deviceptr destination, const void *source, size_t bytes, lab_stream *stream);
lab_status lab_memcpy_dtoh_async(void *destination, lab_deviceptr source, size_t bytes, lab_stream *stream);
lab_status lab_memcpy_dtod_async(lab_deviceptr destination, lab_deviceptr source, size_t bytes, lab_stream *stream);

/* Copies between the memories of two devices, or of two contexts; which they are is checked. The asynchronous copy is
 * ordered on its stream alone, which may be of either device or of a third; the other first waits for the work of
 * both contexts and returns when the copy is done. Neither needs lab_context_enable_peer_access.
 * CUDA: cuMemcpyPeer, cuMemcpyPeerAsync. CuPy: cupy.cuda.runtime.memcpyPeer, memcpyPeerAsync.
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
 * Asking the device for memory takes long, and giving it back waits for all of the device's work. A pool keeps
 * what is given back and hands it out again. Arrays come from the default pool of their device.
 *   Sizes     are rounded up to 512 bytes. The smallest free block that is large enough is taken and cut to size;
 *             free neighbours become one block again. What the pool lacks it asks of the device (a chunk).
 *   Streams   memory is allocated on a stream, to whose arena it returns: the stream may have it again at once,
 *             before its work is done, because a stream runs in order. Streams do not share their arenas while
 *             there is memory.
 *   Order     a block is never handed out before the work that uses it is done or ordered before the new user's.
 *             Copies, fills and launches that name a block are known to the pool; when the block is freed, an
 *             event marks the place that each other stream has reached, and the next user waits for it on the
 *             device. Freeing does not wait.
 *   Shortage  when the device or the limit gives no more, the pool takes free blocks of other streams whose
 *             work is done, then of any stream with a wait on the device, then gives all free chunks back and
 *             asks again, then waits for the device and tries all that again, and only then fails.
 * A pool has a limit if LAB_GPU_MEMORY_LIMIT ("1073741824", or "50%" of the device's memory) is set when it is made,
 * or when lab_mempool_set_limit sets one. A pool belongs to the context that was current when it was made, and ends with it. A pool argument of NULL means the
 * default pool of the current context; those of devices are their primary contexts'.
 * CuPy's pools have the same rules except Order: there, a block freed while another stream uses it is reused early.
 */

typedef struct lab_mempool lab_mempool;

/* Where memory comes from: the interface of all allocators, yours included. `alloc` gives memory of the current
 * device for use on the stream, never 0 with success; it is never asked for 0 bytes. `free` takes back what alloc
 * gave, with the same bytes; the stream is the one it was allocated on, or NULL if that was destroyed or is not
 * known, and its work may not be done. Both may be called from any thread. */
typedef struct lab_allocator {
    lab_status (*alloc)(lab_deviceptr *out, size_t bytes, lab_stream *stream, void *user);
    lab_status (*free)(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user);
    void *user;
} lab_allocator;

/* The default pool of the current context. Borrowed; NULL if there is none (a device that does not open, a limit in
 * the environment that is none). CUDA: cuDeviceGetDefaultMemPool. CuPy: cupy.get_default_memory_pool(). */
lab_mempool *lab_mempool_default(void);

/* A pool of the current context's memory that takes its chunks from the source, or from the device if that is NULL. A
 * source gets a chunk back when the work that used it is done. CUDA: cuMemPoolCreate.
 * CuPy: cupy.cuda.MemoryPool(allocator). */
lab_status lab_mempool_create(lab_mempool **out, const lab_allocator *source);

/* Gives the pool's memory back. LAB_ERROR_NOT_PERMITTED while blocks are in use, and for a default pool. NULL is
 * accepted. CUDA: cuMemPoolDestroy. */
lab_status lab_mempool_destroy(lab_mempool *pool);

/* A block of at least the bytes, for use on the stream; contents undefined, 256-byte aligned. 0 bytes succeed and
 * give 0. LAB_ERROR_OUT_OF_MEMORY says what was asked for, what is in use and free, and the limit.
 * CUDA: cuMemAllocFromPoolAsync. CuPy: MemoryPool.malloc(size). */
lab_status lab_mempool_alloc(lab_deviceptr *out, lab_mempool *pool, size_t bytes, lab_stream *stream);

/* Gives a block back. The work enqueued so far on the stream, and on every stream whose use of the block is known, is
 * done before others get it. Does not wait. 0 is accepted. LAB_ERROR_INVALID_VALUE names an address that was freed
 * already, lies inside a block, or is not this pool's. CUDA: cuMemFreeAsync. */
lab_status lab_mempool_free(lab_mempool *pool, lab_deviceptr memory, lab_stream *stream);

/* Says that the stream uses the block, which the pool cannot see by itself if a kernel finds the address in memory or
 * in a struct. Holds until the block is freed. PyTorch: Tensor.record_stream. */
lab_status lab_mempool_record_stream(lab_mempool *pool, lab_deviceptr memory, lab_stream *stream);

/* Gives the chunks in which no block is in use back to the device, which waits for the device's work. Partly used chunks
 * stay. CUDA: cuMemPoolTrimTo. CuPy: MemoryPool.free_all_blocks(). */
lab_status lab_mempool_free_all_blocks(lab_mempool *pool);

/* The same for the arena of one stream. CuPy: MemoryPool.free_all_blocks(stream). */
lab_status lab_mempool_free_stream_blocks(lab_mempool *pool, lab_stream *stream);

/* Bytes in blocks that are in use, in free blocks, and in both; and how many free blocks there are. Sizes are as
 * rounded. 0 for a pool that was destroyed. CuPy: MemoryPool.used_bytes(), free_bytes(), total_bytes(),
 * n_free_blocks(). */
size_t lab_mempool_used_bytes(const lab_mempool *pool);
size_t lab_mempool_free_bytes(const lab_mempool *pool);
size_t lab_mempool_total_bytes(const lab_mempool *pool);
size_t lab_mempool_n_free_blocks(const lab_mempool *pool);

/* The most that the pool may hold, used and free; 0 means no limit. The later of the two calls counts; a percentage is
 * one of the device's total memory. A limit below what is held is accepted: nothing more is asked of the device.
 * CuPy: MemoryPool.set_limit(size=...), set_limit(fraction=...), get_limit(). */
lab_status lab_mempool_set_limit(lab_mempool *pool, size_t bytes);
lab_status lab_mempool_set_limit_percent(lab_mempool *pool, double percent);
size_t lab_mempool_get_limit(const lab_mempool *pool);

/* The allocator of all arrays that are made from now on, in all threads: a copy of yours, or NULL for the default pools.
 * An array returns its memory to the allocator that gave it. CuPy: cupy.cuda.set_allocator(). */
lab_status lab_set_allocator(const lab_allocator *allocator);

/* The allocator in force. CuPy: cupy.cuda.get_allocator(). */
lab_status lab_get_allocator(lab_allocator *out);

/* A pool as an allocator. CuPy: cupy.cuda.set_allocator(pool.malloc). */
lab_status lab_mempool_allocator(lab_allocator *out, lab_mempool *pool);

/* lab_mem_alloc and lab_mem_free as an allocator: no pool. CuPy: cupy.cuda.set_allocator(None). */
lab_allocator lab_device_allocator(void);

/* A pool of pinned host memory. Blocks are powers of two of at least 512 bytes and are not cut. The host may write to a
 * block the moment it has it: a block is handed out only when the copies and kernels that were enqueued with it are
 * done, otherwise another is pinned. Nothing of the library uses it unasked; lab_host_alloc has no pool. A pool
 * argument of NULL means the default pool of the current context. */
typedef struct lab_pinned_mempool lab_pinned_mempool;

/* Borrowed. CuPy: cupy.get_default_pinned_memory_pool(). */
lab_pinned_mempool *lab_pinned_mempool_default(void);

/* CuPy: cupy.cuda.PinnedMemoryPool(). */
lab_status lab_pinned_mempool_create(lab_pinned_mempool **out);

/* As lab_mempool_destroy. */
lab_status lab_pinned_mempool_destroy(lab_pinned_mempool *pool);

/* 0 bytes succeed and give NULL. CuPy: PinnedMemoryPool.malloc(size). */
lab_status lab_pinned_mempool_alloc(void **out, lab_pinned_mempool *pool, size_t bytes);

/* Does not wait. NULL is accepted. LAB_ERROR_INVALID_VALUE names an address that was freed already or is not the
 * beginning of a block of this pool. */
lab_status lab_pinned_mempool_free(lab_pinned_mempool *pool, void *memory);

/* Says that the stream uses the block, which the pool cannot see if a host function does. */
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
 * Device memory that knows its element type and shape. Contiguous, the last index fastest.
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
} lab_dtype;

enum { LAB_MAX_DIMENSIONS = 4 };

/* How many indices, and how far each goes. LAB_SHAPE(1024) or LAB_SHAPE(rows, columns). */
typedef struct lab_shape {
    int dimensions;
    size_t size[LAB_MAX_DIMENSIONS];
} lab_shape;
#define LAB_SHAPE(...) ((lab_shape){(int)(sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t)), {__VA_ARGS__}})

/* "float32"; "unknown" for a number that is no type. */
const char *lab_dtype_name(lab_dtype dtype);

/* Bytes of one element; 0 for a number that is no type. */
size_t lab_dtype_size(lab_dtype dtype);

/* The type of that name. CuPy: numpy.dtype(name). */
lab_status lab_dtype_parse(lab_dtype *out, const char *name);

/* An array with undefined contents, its memory from the default pool on the current stream (see "Memory pools").
 * CuPy: cupy.empty(shape, dtype). PyCUDA: gpuarray.empty. */
lab_status lab_array_empty(lab_array **out, lab_dtype dtype, lab_shape shape);

/* Gives the array back, and with the last that shares its memory the memory to where it came from. The pool does not
 * wait: work enqueued with the array is still done before the memory is used again. NULL is accepted. */
lab_status lab_array_destroy(lab_array *array);

/* The device that the array is on; -1 for an array that was destroyed. CuPy: ndarray.device. */
int lab_array_device(const lab_array *array);

/* A view: another array with the same memory, in another shape of as many elements, or only `count` of the indices of
 * the first dimension, from `first` on. What is written through one is seen through the other. Each is destroyed by
 * itself, in any order; the memory goes with the last. CuPy: ndarray.reshape, array[first:first + count]. */
lab_status lab_array_reshape(lab_array **out, lab_array *array, lab_shape shape);
lab_status lab_array_slice(lab_array **out, lab_array *array, size_t first, size_t count);

/* What an array is; 0 for an array that was destroyed. The device pointer is borrowed. */
lab_deviceptr lab_array_data(const lab_array *array);
size_t lab_array_count(const lab_array *array);
size_t lab_array_bytes(const lab_array *array);
lab_dtype lab_array_dtype(const lab_array *array);
lab_shape lab_array_shape(const lab_array *array);

/* Copies the whole array from or to host memory that holds lab_array_bytes bytes; see "Memory" for what the
 * stream and the kind of host memory mean. CuPy: ndarray.set, ndarray.get. PyCUDA: to_gpu, to_gpu_async,
 * get, get_async. */
lab_status lab_array_set(lab_array *array, const void *host);
lab_status lab_array_get(const lab_array *array, void *host);
lab_status lab_array_set_async(lab_array *array, const void *host, lab_stream *stream);
lab_status lab_array_get_async(const lab_array *array, void *host, lab_stream *stream);

/* Reads or writes one element, numbered in memory order, on the current stream, and waits for it: `value` points to a
 * variable of the array's element type. CuPy: ndarray.item(), array[index] = value. */
lab_status lab_array_get_item(const lab_array *array, size_t index, void *value);
lab_status lab_array_set_item(lab_array *array, size_t index, const void *value);

/* ------------------------------------------------------------------------------------------------------
 * Casts
 *
 * The same cast gives different numbers on a GPU and in NumPy. In C the cast of a floating-point value that the
 * integer type cannot hold is undefined; what happens is the machine's choice, and the two machines chose
 * differently. lab_array_astype casts on the device; the two functions here say on the host what each gives, by
 * rule, without making an undefined cast.
 *
 *   floating point to        the device (both)                       NumPy on x86-64
 *   int32, int64             truncates; saturates                    truncates; what does not fit is the lowest
 *                                                                    integer (INT32_MIN, INT64_MIN)
 *   uint32                   truncates; saturates: -1 gives 0        as int64, of which the low 32 bits stay:
 *                                                                    -1 gives 4294967295
 *   uint64                   truncates; saturates                    as int64 below 2^63, -1 gives 2^64 - 1; from
 *                                                                    2^63 on as value - 2^63, plus 2^63: 2^64 gives 0
 *   int8, int16              as int32, of which the low bits stay:   as int32, of which the low bits stay:
 *                            1e10 gives -1                           1e10 gives 0
 *   uint8, uint16            as uint32, of which the low bits stay:  as int32, of which the low bits stay:
 *                            -1 gives 0                              -1 gives 255
 *   of NaN                   64 bits: 2^63's bit pattern; float64    what does not fit: the lowest int32 or int64,
 *                            to 32 bits: 2^31's; else 0              of which the low bits stay
 *
 * Integers become narrower ones by keeping the low bits, and floating-point numbers by rounding to nearest even, on
 * both. NumPy's uint32 is the one for a single element: in long arrays NumPy's compiler may choose vector
 * instructions that give something else for what lies outside -2^31 to 2^32 (NumPy 1.24 with AVX-512 gives
 * 2147483648 for NaN instead of 0).
 */

/* Converts count elements as the device does: as a C cast in a kernel, and lab_array_astype. `to` and `from` are host
 * memory and must not overlap unless they are equal and the types have one size. */
lab_status lab_cast_as_device(void *to, lab_dtype to_type, const void *from, lab_dtype from_type, size_t count);

/* Converts count elements as NumPy does on x86-64, on whatever machine this runs. NumPy: ndarray.astype. */
lab_status lab_cast_as_numpy(void *to, lab_dtype to_type, const void *from, lab_dtype from_type, size_t count);

/* ------------------------------------------------------------------------------------------------------
 * Modules and kernels
 *
 * A kernel is CUDA C, compiled at run time and kept in a cache on disk keyed by its content, so that the
 * second run does not compile (see "The cache of kernels"). Mark kernels `extern "C" __global__`.
 *
 * A kernel calls the functions of its source and those that CUDA has for kernels. On the CPU device too the host's are
 * refused with LAB_ERROR_INVALID_SOURCE, and so are inline assembly and code that would run when the module is loaded.
 *
 * Kernels have no half precision: cuda_fp16.h, cuda_bf16.h and cuda_fp8.h are refused with LAB_ERROR_INVALID_SOURCE,
 * and arrays have no such type.
 */

typedef struct lab_module lab_module;

/* A kernel of a loaded module: a value, valid while its module is loaded. */
typedef struct lab_function {
    uint64_t handle;
} lab_function;

/* Compiles CUDA C: UTF-8, with or without a byte order mark, lines ended in either way. `name` is what compiler messages
 * call the source; NULL means "kernel.cu". A source that does not compile gives LAB_ERROR_INVALID_SOURCE and the
 * compiler's own text, with file and line, as the message. CUDA: nvrtcCompileProgram and cuModuleLoadData.
 * CuPy: RawModule(code=...). PyCUDA: SourceModule. */
lab_status lab_module_load_source(lab_module **out, const char *source, const char *name);

/* The same from a .cu file. (CuPy's RawModule(path=...) loads what was compiled before.) */
lab_status lab_module_load_file(lab_module **out, const char *path);

/* Waits for the device's work, then unloads; the module's functions become invalid. NULL is accepted.
 * CUDA: cuModuleUnload. */
lab_status lab_module_unload(lab_module *module);

/* The device on which the module was loaded. */
lab_status lab_module_get_device(int *device, const lab_module *module);

/* Finds a kernel by name; if there is none, the message lists those there are.
 * CUDA: cuModuleGetFunction. CuPy: RawModule.get_function. PyCUDA: SourceModule.get_function. */
lab_status lab_module_get_function(lab_function *function, lab_module *module, const char *name);

/* Finds a variable of the module by name: the address and the bytes of a `__device__` or `__constant__` variable that
 * stands outside of functions and namespaces and is not const. It is device memory like any other, for
 * copies and for arguments, until the module is unloaded, but is nobody's to free. Kernels read the new value of a
 * __constant__ variable if they come after the copy in the order of streams. LAB_ERROR_NOT_FOUND if there is none.
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

/* Host memory as an argument: LAB_HOST_ARRAY(memory, LAB_FLOAT32, LAB_SHAPE(1024)). It lasts as long as the block that
 * it stands in. */
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

/* Enqueues the kernel on the stream: grid blocks of block threads each, with shared_bytes of dynamic shared
 * memory a block. Blocks whose threads wait for each other (__syncthreads, warp operations) run as CUDA has it.
 *
 * A kernel that fails stops and puts the process in error: LAB_ERROR_ASSERT for an assert, LAB_ERROR_LAUNCH_FAILED for
 * __trap, for barriers that can never be completed and for other faults of a kernel, LAB_ERROR_ILLEGAL_ADDRESS for memory
 * that is not there. Every later call of the process that enqueues or waits returns that status; the message names kernel,
 * block, thread and line on a CPU device, the kernels that may be the one on a GPU. What has not begun does not run. Things
 * can still be given back, but no other context works and lab_device_reset does not help: the process must be started
 * again. Do not let a host function wait across a failure: on a GPU other waits then wait for it.
 *
 * A kernel that misses its memory and meets other memory fails nowhere: it spoils what is there. LAB_MEMCHECK=1 in the
 * environment makes the CPU device check every access, in kernels that then take a multiple of their time:
 *
 *     kernel 'scale', block [15,0,0], thread [40,0,0]: scale.cu:4: writes 4 bytes at 0x5581e0, 12 bytes past the end of
 *     the 4000 bytes allocated at lab03.c:31; the launch is at lab03.c:40; 23 other threads made bad accesses too
 *
 * It is LAB_ERROR_ILLEGAL_ADDRESS to use memory past either end of an allocation, an array or a pool's block, to the
 * byte; memory that was freed before the launch, which the message says where; memory of another context without
 * lab_context_enable_peer_access; memory past the end of a __shared__, __device__ or __constant__ variable, of the
 * launch's dynamic shared memory, or of a local array that is indexed by its name. LAB_ERROR_MISALIGNED_ADDRESS is an
 * address that is no multiple of its type's alignment. The thread ends there, the access does not take place. With
 * LAB_MEMCHECK=leaks the process also prints at its end what device memory was never freed, and which line made it.
 * On a GPU this is compute-sanitizer's work: compute-sanitizer --tool memcheck --leak-check full.
 *
 * A wrong number of arguments, or one of the wrong size or kind, is LAB_ERROR_INVALID_VALUE with
 * a message that names the kernel and the parameter. CUDA: cuLaunchKernel. CuPy: kernel(grid, block, args). */
lab_status lab_launch(lab_function function, lab_dim grid, lab_dim block, size_t shared_bytes, lab_stream *stream,
                      lab_args args);

/* ------------------------------------------------------------------------------------------------------
 * The cache of kernels
 *
 * Compiled kernels are kept in a folder: LAB_CACHE_DIR, else $XDG_CACHE_HOME/lab, else ~/.cache/lab, else a private
 * folder among the temporary files. A kernel is found by all that went into it: source, included files, compiler,
 * options, processor. Entries appear whole or not at all and are checked when they are read; one that is not as it
 * was written is thrown away and made again. All processes may use the folder at once, and it may be deleted at any
 * time.
 *
 * LAB_CACHE_SIZE is how much it may hold, in bytes or as in 64M (K, M, G); at first 256M; 0 turns the cache off. When
 * it holds more, what was used longest ago goes. If the folder cannot be made or written, or the disk is full,
 * everything works, but is compiled in every run; lab_cache_get_info then says why. build/bin/labcache shows the
 * folder and clears it. CUDA: CUDA_CACHE_PATH, CUDA_CACHE_MAXSIZE. CuPy: CUPY_CACHE_DIR. PyCUDA:
 * SourceModule(cache_dir=...).
 */

enum { LAB_CACHE_FOLDER_BYTES = 4096, LAB_CACHE_PROBLEM_BYTES = 512 };

typedef struct lab_cache_info {
    char folder[LAB_CACHE_FOLDER_BYTES];
    uint64_t entries, bytes, limit; /* in the folder now, of all processes; the most bytes that it may hold */
    /* Of this process: */
    uint64_t hits, misses;                 /* kernels that were found, and that had to be compiled */
    uint64_t replaced;                     /* of the misses: entries that were damaged */
    uint64_t evicted;                      /* entries removed because the folder held too much */
    uint64_t not_kept;                     /* kernels that could not be written to it */
    char problem[LAB_CACHE_PROBLEM_BYTES]; /* the first reason why one could not; "" if there was none */
} lab_cache_info;

lab_status lab_cache_get_info(lab_cache_info *info);

/* Removes all entries, of all processes, which compile again what they need. LAB_ERROR_IO if one cannot be removed. */
lab_status lab_cache_clear(void);

/* ------------------------------------------------------------------------------------------------------
 * Elementwise kernels
 *
 * The same computation for every element, without writing the loop: you give the parameters and the body, in CUDA C,
 *
 *     lab_elementwise_create(&kernel, "T x, T y, float32 a", "T z", "z = (x - y) * (x - y) + a", "squared_diff");
 *     lab_elementwise_launch(kernel, stream, LAB_ARGS(x, y, 1.0f, z));
 *
 * and the kernel is generated, compiled and kept for the types that a launch brings. In the body a parameter is the
 * element; `i` is the element's number and `n` how many there are (both long long).
 *
 *   types         a name of lab_dtype_name, "float32 x", or one letter, "T x": whatever type the arrays have, the same
 *                 wherever the letter stands; the body can use the letter as a type
 *   raw           "raw T x" is a pointer to the whole array, which the body indexes itself: x[n - 1 - i]
 *   numbers       an input may be a number instead of an array: it becomes one of the parameter's type. An integer that
 *                 the type cannot hold is refused, and so is a floating-point number for an integer type
 *   broadcasting  inputs of different shapes are repeated to the shape of the outputs by NumPy's rules: dimensions are
 *                 matched from the last, and one of size 1 is repeated
 *   outputs       are arrays you made, all of one shape. An input that an output overlaps at another place, or that is
 *                 raw, is copied first; the same array as input and output at once is not copied
 *   empty         arrays without elements launch nothing
 *
 * Elements are computed in no particular order and must not depend on each other.
 * CuPy: cupy.ElementwiseKernel. PyCUDA: pycuda.elementwise.ElementwiseKernel.
 */

typedef struct lab_elementwise lab_elementwise;

/* `inputs` may be "". `name` is what records and messages call the kernel, a C identifier that CUDA C does not use;
 * NULL means "elementwise".
 * The strings are copied. Nothing is compiled yet: a body that does not compile fails its first launch, with
 * LAB_ERROR_INVALID_SOURCE. At most 16 parameters. */
lab_status lab_elementwise_create(lab_elementwise **out, const char *inputs, const char *outputs, const char *body,
                                  const char *name);

/* Waits for the device's work, then unloads what was compiled. NULL is accepted. */
lab_status lab_elementwise_destroy(lab_elementwise *kernel);

/* Enqueues the kernel on the stream: arguments for the inputs, then for the outputs. What does not fit is
 * LAB_ERROR_INVALID_VALUE with a message that names kernel, parameter, types and shapes. */
lab_status lab_elementwise_launch(lab_elementwise *kernel, lab_stream *stream, lab_args args);

/* The same for `size` elements, when all arrays are raw and none says how many there are. CuPy: kernel(..., size=n). */
lab_status lab_elementwise_launch_sized(lab_elementwise *kernel, size_t size, lab_stream *stream, lab_args args);

/* ------------------------------------------------------------------------------------------------------
 * Arrays with contents
 *
 * Each of these makes an array and enqueues what fills it on the calling thread's current stream, or on the stream
 * given. The contents are there for what is enqueued later on that stream; other streams wait for it, as always, by an
 * event. A number is given as LAB_ARG(2.5): it becomes one of the element type if that can hold it.
 */

/* CuPy: cupy.zeros, ones, full. PyCUDA: gpuarray.zeros, ones_like. */
lab_status lab_array_zeros(lab_array **out, lab_dtype dtype, lab_shape shape);
lab_status lab_array_ones(lab_array **out, lab_dtype dtype, lab_shape shape);
lab_status lab_array_full(lab_array **out, lab_dtype dtype, lab_shape shape, lab_arg value);

/* start, start + step, start + 2 step, ...: count of them, in one dimension. CuPy: cupy.arange. */
lab_status lab_array_arange(lab_array **out, lab_dtype dtype, size_t count, lab_arg start, lab_arg step);

/* Random float32 or float64, uniform from low up to but not including high (rounding may reach it), or normal. The same
 * seed gives the same numbers on every device, to the last bit: Philox 4x32-10, where element k depends on the seed and
 * k alone, so that a longer array begins with the shorter one. CuPy: cupy.random.uniform, normal. */
lab_status lab_array_random_uniform(lab_array **out, lab_dtype dtype, lab_shape shape, double low, double high,
                                    uint64_t seed);
lab_status lab_array_random_normal(lab_array **out, lab_dtype dtype, lab_shape shape, double mean, double deviation,
                                   uint64_t seed);

/* A copy of host memory, of as many bytes as the array has: on the null stream, done when the call returns; or on a
 * stream, where `host` must stay as it is until the copy is done (see "Memory").
 * CuPy: cupy.asarray. PyCUDA: gpuarray.to_gpu, to_gpu_async. */
lab_status lab_array_from_host(lab_array **out, lab_dtype dtype, lab_shape shape, const void *host);
lab_status lab_array_from_host_async(lab_array **out, lab_dtype dtype, lab_shape shape, const void *host,
                                     lab_stream *stream);

/* A copy with memory of its own. CuPy: ndarray.copy(). */
lab_status lab_array_copy(lab_array **out, const lab_array *array, lab_stream *stream);

/* A copy in another element type, by the device's rules (see "Casts"). CuPy: ndarray.astype. */
lab_status lab_array_astype(lab_array **out, const lab_array *array, lab_dtype dtype, lab_stream *stream);

/* Sets every element to a number: lab_array_fill(x, LAB_ARG(1), stream). CuPy: ndarray.fill. PyCUDA: GPUArray.fill. */
lab_status lab_array_fill(lab_array *array, lab_arg value, lab_stream *stream);

/* ------------------------------------------------------------------------------------------------------
 * Reduction kernels
 *
 * Many elements to one value: map each element, combine two values to one until one is left, and write it:
 *
 *     lab_reduction_create(&norm, &(lab_reduction_source){.inputs = "T x", .outputs = "T y", .map = "x * x",
 *                                                         .reduce = "a + b", .post_map = "y = sqrt(a)",
 *                                                         .identity = "0", .name = "norm"});
 *     lab_reduction_launch(norm, stream, LAB_ARGS(x, y));
 *
 * y is an array of one element. The result stays on the device, so the launch returns at once; reading it, with
 * lab_array_get_item, costs one synchronization. (NumPy returns a number, CuPy an array of no dimensions.)
 *
 * The order of combining is fixed by the number of elements alone, not by timing, cores or device, and a sum has the
 * same bits every time. Values are combined in 256 lanes a tile, so that errors hardly add up: with up to 2^26 elements
 * no value passes through more than 96 additions, and the error of a floating-point sum is at most 96 half units in the
 * last place of the sum of the elements' magnitudes (2^32 elements: 4136).
 *
 * Along an axis of the inputs there is a result for each place along the others: x of the shape (3, 4, 5), reduced
 * along axis 1, gives y of the shape (3, 5), or (3, 1, 5), which keeps the axis: both are accepted (of one dimension:
 * (1)). Negative axes count from the last. Each result has the bits that reducing its elements alone would give. In
 * the map, `i` is the element's place along the axis, and `n` is how many there are.
 *
 * Parameters are those of elementwise kernels, but inputs have one shape, or a single element, or are numbers.
 * CuPy: cupy.ReductionKernel, keepdims. PyCUDA: pycuda.reduction.ReductionKernel.
 */

typedef struct lab_reduction lab_reduction;

typedef struct lab_reduction_source {
    const char *inputs;   /* "T x, float32 scale" */
    const char *outputs;  /* "T y": each an array with an element for each result */
    const char *map;      /* an expression of the inputs, i and n: "x * x" */
    const char *reduce;   /* an expression of a and b: "a + b"; it should not matter which two are combined first */
    const char *post_map; /* a statement that sets the outputs from a: "y = sqrt(a)" */
    const char *identity; /* the result of no elements: "0"; NULL if there is none, which makes that an error */
    const char
        *reduce_type;     /* the type of a and b: a name, a parameter's letter, or a type of at most 16 bytes that the
                                preamble defines; NULL: the first output's */
    const char *name;     /* NULL means "reduction" */
    const char *preamble; /* CUDA C before the kernel, which may use the letters as types; NULL: none */
} lab_reduction_source;

/* The strings are copied; nothing is compiled yet. */
lab_status lab_reduction_create(lab_reduction **out, const lab_reduction_source *source);

/* Waits for the device's work, then unloads what was compiled. NULL is accepted. */
lab_status lab_reduction_destroy(lab_reduction *kernel);

/* Enqueues the kernel on the stream, as lab_elementwise_launch and lab_elementwise_launch_sized do. */
lab_status lab_reduction_launch(lab_reduction *kernel, lab_stream *stream, lab_args args);
lab_status lab_reduction_launch_sized(lab_reduction *kernel, size_t size, lab_stream *stream, lab_args args);

/* Along an axis of the arrays, which then all have the shape of the inputs, or a single element. An axis that is not
 * there is LAB_ERROR_INVALID_VALUE. CuPy: kernel(..., axis=axis, keepdims=...). */
lab_status lab_reduction_launch_axis(lab_reduction *kernel, int axis, lab_stream *stream, lab_args args);

/* The usual ones, of whole arrays, to an array of one element. sum, prod, mean and dot compute in the output's type,
 * which may be another than the inputs' (NumPy's choice: int64 for signed integers, uint64 for unsigned ones, float64
 * for their mean, else the inputs' type); of no elements they give 0, prod 1, and a floating-point mean NaN. min and
 * max want the inputs' type and at least one element, and give NaN if an element is. CuPy: cupy.sum, prod, mean, min,
 * max, dot. */
lab_status lab_array_sum(lab_array *out, const lab_array *x, lab_stream *stream);
lab_status lab_array_prod(lab_array *out, const lab_array *x, lab_stream *stream);
lab_status lab_array_mean(lab_array *out, const lab_array *x, lab_stream *stream);
lab_status lab_array_min(lab_array *out, const lab_array *x, lab_stream *stream);
lab_status lab_array_max(lab_array *out, const lab_array *x, lab_stream *stream);
lab_status lab_array_dot(lab_array *out, const lab_array *x, const lab_array *y, lab_stream *stream);

/* The number, from 0, of the smallest or largest element, in memory order, to an int64 array; the first of several, and
 * the first NaN if there is one. At least one element. CuPy: cupy.argmin, argmax. */
lab_status lab_array_argmin(lab_array *out, const lab_array *x, lab_stream *stream);
lab_status lab_array_argmax(lab_array *out, const lab_array *x, lab_stream *stream);

/* 1 or 0, to a uint8 array: whether any, or every, element is other than 0, as NaN is; of no elements 0 and 1.
 * CuPy: cupy.any, all. */
lab_status lab_array_any(lab_array *out, const lab_array *x, lab_stream *stream);
lab_status lab_array_all(lab_array *out, const lab_array *x, lab_stream *stream);

/* The same along an axis; argmin and argmax then give places along it. CuPy: cupy.sum(x, axis=axis, keepdims=...). */
lab_status lab_array_sum_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);
lab_status lab_array_prod_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);
lab_status lab_array_mean_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);
lab_status lab_array_min_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);
lab_status lab_array_max_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);
lab_status lab_array_argmin_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);
lab_status lab_array_argmax_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);
lab_status lab_array_any_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);
lab_status lab_array_all_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream);

/* ------------------------------------------------------------------------------------------------------
 * Expressions
 *
 * A chain of elementwise operations, written once as NumPy's formula and computed in one kernel, so that what lies
 * between the operations never goes to memory and one launch does it all. The same expression computes on the host
 * when its arrays are there: one function serves both.
 *
 *     lab_expression_create(&softplus, "x", "maximum(0, x) + log1p(exp(-abs(x)))", "softplus");
 *     lab_expression_apply(softplus, stream, LAB_ARGS(x, y));                                     on the device
 *     lab_expression_apply(softplus, NULL, LAB_ARGS(LAB_HOST_ARRAY(memory, LAB_FLOAT64, LAB_SHAPE(n)), ...));
 *
 * It has inputs, numbers, + - * / with parentheses and signs, and the functions abs (absolute), minimum, maximum,
 * sqrt, exp, exp2, expm1, log, log2, log10, log1p, sin, cos, tan, arcsin, arccos, arctan, sinh, cosh, tanh, floor and
 * ceil. Once in it, sum, prod, min or max may make all elements one value, as in "sqrt(sum(x * x)) / 2": then the
 * result is an array of one element, what stands inside is computed for every element and combined in the same
 * kernel, in the order of reduction kernels on both sides, and outside there can be numbers but no inputs.
 *
 *   types         NumPy's rules: two arrays' types give the smallest that holds both (int32 and float32: float64); a
 *                 number takes an array's type (2 * x of a float32 x is float32, 0.5 * x of an int32 x is float64); /
 *                 of integers gives float64; functions of integers float64, of 8 and 16 bits float32 (NumPy: float16 for
 *                 8 bits, which there is not here); sum and prod of integers give int64, of unsigned ones uint64.
 *                 Integers wrap
 *   shapes        broadcast as in elementwise kernels; inside a reduction all are one, or a single element
 *   not a number  minimum and maximum give it if either operand is one
 *   rounding      on the device a product and a sum may become one fused multiply-add; on the host each operation is
 *                 rounded by itself. Functions are the device's or the C library's: the last digits may differ
 *
 * CuPy: cupy.fuse, cupy.get_array_module.
 */

typedef struct lab_expression lab_expression;

/* `inputs` are names between commas. `name` is what records and messages call it, a C identifier that CUDA C does not
 * use; NULL means "expression". A text that is none is LAB_ERROR_INVALID_VALUE with the place. */
lab_status lab_expression_create(lab_expression **out, const char *inputs, const char *text, const char *name);

/* Waits for the device's work, then unloads what was compiled. NULL is accepted. */
lab_status lab_expression_destroy(lab_expression *expression);

/* The type of the result for these inputs (arrays, host arrays, numbers). CuPy: numpy.result_type. */
lab_status lab_expression_dtype(lab_dtype *out, const lab_expression *expression, lab_args inputs);

/* Computes it: arguments for the inputs, then the array for the result, of the result's type. With device arrays it is
 * enqueued on the stream; with host arrays it is computed at once by the calling thread, and no device is needed. Arrays
 * of both sides are refused. */
lab_status lab_expression_apply(lab_expression *expression, lab_stream *stream, lab_args args);

/* ------------------------------------------------------------------------------------------------------
 * Graphs
 *
 * Work that is done again and again can be enqueued once and launched many times. Between begin and end a stream
 * captures: its operations do not run but become nodes of a graph, each after those that it would have waited for. The
 * graph is then instantiated, which prepares everything that can be prepared, and what comes out is launched on any
 * stream, as one operation, at a fraction of the price of enqueuing its nodes.
 *
 * Nodes are kernels, copies, fills and host functions, with the arguments and addresses that they had; the bytes behind
 * an address, of host memory too, are those of the moment when the node runs. The memory and the modules must still be
 * there then. Events make edges, not nodes: a stream outside of the capture that waits for an event recorded in it
 * becomes a fork and captures too, and must be joined, by an event recorded there that the first stream waits for,
 * before the end.
 *
 * Memory pools go on during a capture: what a pool has free it hands out, and what is freed it takes back, at once
 * and outside of the graph. What it must ask the device for, or give back to it, is subject to the last rule below;
 * make arrays before the capture, or capture with LAB_CAPTURE_RELAXED as CuPy does. Since a graph uses the addresses
 * that it has seen, an array that it uses must not be destroyed before its last launch is done, nor an array within
 * the capture in which it was used: the pool would give the memory to others. What generated kernels need beside
 * their arguments the library allocates whatever the mode, and keeps for the graph until the context ends. (CUDA's
 * cuMemAllocAsync becomes a node of the graph instead; CuPy's pool does not use it.)
 *
 * What a capture cannot hold is an error, and most of those make it invalid: every later call on its streams, and the
 * end, then give LAB_ERROR_STREAM_CAPTURE_INVALIDATED; after the end the streams are as good as new. It is such an error
 *   to wait for a stream that captures, for an event recorded there or for the device, or to ask whether it is done;
 *   to use the null stream, be it by a synchronous copy, while a blocking stream captures;
 *   to wait in a capture for an event recorded outside of it, or in another one;
 *   to launch a graph on a stream that captures;
 *   and, unless the mode is LAB_CAPTURE_RELAXED, to allocate, free, pin or unpin memory, to unload a module, or to wait
 *   for any stream or event or ask whether it is done: work that the capture does not see, which is not done again by a
 *   launch.
 */

typedef struct lab_graph lab_graph;
typedef struct lab_graph_exec lab_graph_exec;

typedef enum lab_capture_mode {
    LAB_CAPTURE_GLOBAL,       /* all threads are held to the last rule. CU_STREAM_CAPTURE_MODE_GLOBAL */
    LAB_CAPTURE_THREAD_LOCAL, /* the thread that began is. CU_STREAM_CAPTURE_MODE_THREAD_LOCAL */
    LAB_CAPTURE_RELAXED,      /* nobody is. CU_STREAM_CAPTURE_MODE_RELAXED, CuPy's default */
} lab_capture_mode;

typedef enum lab_capture_status {
    LAB_CAPTURE_NONE,        /* the stream does not capture */
    LAB_CAPTURE_ACTIVE,      /* it does */
    LAB_CAPTURE_INVALIDATED, /* it did until an error; the capture must be ended where it began */
} lab_capture_status;

/* Begins a capture. The null stream is refused with LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED, a stream that is in a capture
 * with LAB_ERROR_ILLEGAL_STATE, which harms neither. What was enqueued before runs as ever.
 * CUDA: cuStreamBeginCapture. CuPy: Stream.begin_capture(mode). */
lab_status lab_stream_begin_capture(lab_stream *stream, lab_capture_mode mode);

/* Ends the capture that began on this stream, by the thread that began it unless the mode is LAB_CAPTURE_RELAXED, and
 * gives its graph. On failure the graph is NULL. LAB_ERROR_ILLEGAL_STATE if the stream does not capture;
 * ..._UNMATCHED for a fork, where the capture goes on, invalid. All others end the capture: ..._INVALIDATED,
 * ..._UNJOINED, ..._WRONG_THREAD. CUDA: cuStreamEndCapture. CuPy: Stream.end_capture(). */
lab_status lab_stream_end_capture(lab_graph **out, lab_stream *stream);

/* Whether the stream captures. Of the null stream it cannot be said while a blocking stream captures: that is
 * LAB_ERROR_STREAM_CAPTURE_IMPLICIT, and harms no capture. CUDA: cuStreamIsCapturing. CuPy: Stream.is_capturing(). */
lab_status lab_stream_is_capturing(lab_capture_status *status, lab_stream *stream);

/* Sets the calling thread's own mode, at first LAB_CAPTURE_GLOBAL, and gives the one before: a thread in
 * LAB_CAPTURE_RELAXED is not held to the last rule by any capture, one in LAB_CAPTURE_THREAD_LOCAL not by those of other
 * threads. For code that allocates while others capture; call it again to restore.
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

/* "kernel", "copy htod", ...; "unknown" for a number that is no kind. */
const char *lab_graph_node_kind_name(lab_graph_node_kind kind);

typedef struct lab_graph_node {
    lab_graph_node_kind kind;
    const char *name;    /* the kernel's; "" for the others */
    size_t bytes;        /* of a copy or fill; 0 otherwise */
    lab_dim grid, block; /* of a kernel; 0 otherwise */
} lab_graph_node;

/* Node `to` waits for node `from`; both are places in the list of nodes. */
typedef struct lab_graph_edge {
    int from, to;
} lab_graph_edge;

/* What the graph is made of: its nodes in the order of capture, and its edges. Borrowed until the graph is destroyed.
 * CUDA: cuGraphGetNodes, cuGraphNodeGetType, cuGraphGetEdges. */
lab_status lab_graph_get_nodes(const lab_graph_node **nodes, int *count, lab_graph *graph);
lab_status lab_graph_get_edges(const lab_graph_edge **edges, int *count, lab_graph *graph);

/* Writes the graph as a DOT file, which Graphviz draws (dot -Tsvg FILE), whole or not at all.
 * CUDA: cuGraphDebugDotPrint. */
lab_status lab_graph_save_dot(lab_graph *graph, const char *path);

/* What was instantiated from the graph stays. NULL is accepted. CUDA: cuGraphDestroy. */
lab_status lab_graph_destroy(lab_graph *graph);

/* Prepares the graph for launching; it can be instantiated more than once.
 * CUDA: cuGraphInstantiate. CuPy: end_capture does it. */
lab_status lab_graph_instantiate(lab_graph_exec **out, lab_graph *graph);

/* Enqueues all nodes as one operation of the stream, which may be any of the context. A launch also waits for the one
 * before of the same executable graph, on whichever stream: only what was instantiated twice can run twice at once.
 * Fails with LAB_ERROR_INVALID_HANDLE if the module of a kernel was unloaded.
 * CUDA: cuGraphLaunch. CuPy: Graph.launch(stream). */
lab_status lab_graph_launch(lab_graph_exec *exec, lab_stream *stream);

/* Gives a kernel node, by its place in the list of nodes, another launch: kernel, extents and arguments, which are
 * checked as lab_launch checks them. Launches to come have it, those enqueued before do not, and the graph keeps what it
 * was. CUDA: cuGraphExecKernelNodeSetParams. */
lab_status lab_graph_exec_update_kernel(lab_graph_exec *exec, int node, lab_function function, lab_dim grid,
                                        lab_dim block, size_t shared_bytes, lab_args args);

/* Launches that are pending run first, but are not waited for. NULL is accepted. CUDA: cuGraphExecDestroy. */
lab_status lab_graph_exec_destroy(lab_graph_exec *exec);

/* ------------------------------------------------------------------------------------------------------
 * Benchmarks
 *
 * How long something takes has two answers: how long the host was held by the call, and how long the device worked on
 * what the call enqueued. A function is called a few times for nothing, so that what happens once (a context, a
 * compilation, memory for a pool) is not measured, and then again and again:
 *
 *     record an event on each stream; note the host's time; call the function; note the host's time again; record
 *     another event on each stream and wait for it
 *
 * so that a run begins when the one before is done. Before the first the streams are waited for. The device's time is
 * that from event to event: if the host is slow to enqueue, the device waits, and the wait is in it.
 * CuPy: cupyx.profiler.benchmark.
 */

typedef struct lab_benchmark_options {
    const char *name;   /* what the line calls it; NULL means "" */
    int warm_ups;       /* calls that are not measured. CuPy: n_warmup */
    int repeats;        /* calls that are, at most. CuPy: n_repeat */
    double max_seconds; /* no call begins after so long; one is always measured; 0: no limit. CuPy: max_duration */
    lab_stream *const *stream; /* the streams on which time is measured, of any device. CuPy: devices */
    int streams;               /* how many; 0: the calling thread's current stream alone */
} lab_benchmark_options;
#define LAB_BENCHMARK_OPTIONS_INIT                                                                                     \
    {                                                                                                                  \
        .warm_ups = 10, .repeats = 10000                                                                               \
    }

/* Times of all runs, in milliseconds. */
typedef struct lab_benchmark_times {
    int device; /* on which they were measured; -1: the host */
    double mean;
    double deviation; /* the standard deviation of these runs (numpy.std) */
    double median;    /* the middle one, or between the middle two */
    double min, max;
    const double *sample; /* each run's, in the order of the runs */
} lab_benchmark_times;

typedef struct lab_benchmark_result {
    int runs;
    lab_benchmark_times cpu;
    int streams;
    const lab_benchmark_times *device; /* one a stream that was measured, in the order given */
    const char *line; /* "name: CPU 12.345 us +/- 0.678 (min, median, max); device 0 ...": the means in microseconds */
} lab_benchmark_result;

/* Measures function(user). NULL for the options means LAB_BENCHMARK_OPTIONS_INIT. What the function returns other than
 * LAB_SUCCESS ends the benchmark and is returned, with its message. The result is yours to free; it needs nothing that
 * was measured. Several threads may measure at once, and will find each other in their times. */
lab_status lab_benchmark(lab_benchmark_result **out, lab_status (*function)(void *user), void *user,
                         const lab_benchmark_options *options);

/* NULL is accepted. */
void lab_benchmark_free(lab_benchmark_result *result);

/* ------------------------------------------------------------------------------------------------------
 * What the library cannot see
 *
 * With LAB_ORDER=report (or error) in the environment the library finds uses of the same memory that nothing orders, by
 * CUDA's rules, whatever the device happened to do: see lab_trace.h. It sees the arguments of every call. These calls
 * tell it of what is no argument; without the checker they do no more than refuse what cannot be.
 */

/* The host reads, or writes, this memory now, outside of the library: the result of a copy, the input of one. With
 * LAB_ORDER=error it is LAB_ERROR_NOT_ORDERED if the device may still be at work on it. NULL, 0 bytes, more than there
 * can be and device memory are refused; whether memory that is not pinned was freed, nobody knows. */
lab_status lab_host_reads(const void *memory, size_t bytes);
lab_status lab_host_writes(const void *memory, size_t bytes);

/* The next kernel or host function that this thread enqueues also uses this memory: a kernel that finds the address in
 * memory or in a struct, a host function that works on a buffer. At most 32 times for one operation. The first is for
 * what a kernel can use, device memory and pinned: an address of neither, perhaps since it was freed, is refused, and so
 * are bytes beyond its allocation. The second refuses what lab_host_reads does. */
lab_status lab_next_uses(lab_deviceptr memory, size_t bytes, bool writes);
lab_status lab_next_uses_host(const void *memory, size_t bytes, bool writes);

/* Two host threads in order, by a lock, a condition, an atomic: what the one had waited for when it released, the other
 * knows once it acquired, with the same key, any address. Starting and joining a thread need not be told. With NULL, and
 * in a host function, they do nothing. */
void lab_host_release(const void *key);
void lab_host_acquire(const void *key);

/* ------------------------------------------------------------------------------------------------------
 * Where you called from
 *
 * The calls that enqueue work note the file and line they stand in, so that the record of a run and every
 * finding in it can name your line. The macros below do that; they change nothing else.
 */

/* A call begins that stands there; NULL is a file that is not known. It has ended: gives back its status, and does
 * nothing else if no call had begun. */
void lab_here(const char *file, int line);
lab_status lab_here_ends(lab_status status);

/* Where the call stands whose message lab_error_message gives; "" and 0 if that is not known. Either may be NULL. The
 * file's name is a text of the program's. */
void lab_error_place(const char **file, int *line);

#ifndef LAB_NO_LOCATION
#define LAB_AT(call) (lab_here(__FILE__, __LINE__), lab_here_ends(call))
#define lab_stream_synchronize(...) LAB_AT((lab_stream_synchronize)(__VA_ARGS__))
#define lab_stream_wait_event(...) LAB_AT((lab_stream_wait_event)(__VA_ARGS__))
#define lab_stream_launch_host_func(...) LAB_AT((lab_stream_launch_host_func)(__VA_ARGS__))
#define lab_stream_create_with_priority(...) LAB_AT((lab_stream_create_with_priority)(__VA_ARGS__))
#define lab_stream_add_callback(...) LAB_AT((lab_stream_add_callback)(__VA_ARGS__))
#define lab_stream_destroy(...) LAB_AT((lab_stream_destroy)(__VA_ARGS__))
#define lab_event_destroy(...) LAB_AT((lab_event_destroy)(__VA_ARGS__))
#define lab_stream_create(...) LAB_AT((lab_stream_create)(__VA_ARGS__))
#define lab_event_create(...) LAB_AT((lab_event_create)(__VA_ARGS__))
#define lab_event_record(...) LAB_AT((lab_event_record)(__VA_ARGS__))
#define lab_event_elapsed_time(...) LAB_AT((lab_event_elapsed_time)(__VA_ARGS__))
#define lab_event_synchronize(...) LAB_AT((lab_event_synchronize)(__VA_ARGS__))
#define lab_device_synchronize() LAB_AT((lab_device_synchronize)())
#define lab_device_reset(...) LAB_AT((lab_device_reset)(__VA_ARGS__))
#define lab_context_create(...) LAB_AT((lab_context_create)(__VA_ARGS__))
#define lab_context_destroy(...) LAB_AT((lab_context_destroy)(__VA_ARGS__))
#define lab_context_synchronize(...) LAB_AT((lab_context_synchronize)(__VA_ARGS__))
#define lab_mem_alloc(...) LAB_AT((lab_mem_alloc)(__VA_ARGS__))
#define lab_mem_free(...) LAB_AT((lab_mem_free)(__VA_ARGS__))
#define lab_host_alloc(...) LAB_AT((lab_host_alloc)(__VA_ARGS__))
#define lab_host_free(...) LAB_AT((lab_host_free)(__VA_ARGS__))
#define lab_host_unregister(...) LAB_AT((lab_host_unregister)(__VA_ARGS__))
#define lab_host_register(...) LAB_AT((lab_host_register)(__VA_ARGS__))
#define lab_memcpy_htod(...) LAB_AT((lab_memcpy_htod)(__VA_ARGS__))
#define lab_memcpy_dtoh(...) LAB_AT((lab_memcpy_dtoh)(__VA_ARGS__))
#define lab_memcpy_htod_async(...) LAB_AT((lab_memcpy_htod_async)(__VA_ARGS__))
#define lab_memcpy_dtoh_async(...) LAB_AT((lab_memcpy_dtoh_async)(__VA_ARGS__))
#define lab_memcpy_dtod_async(...) LAB_AT((lab_memcpy_dtod_async)(__VA_ARGS__))
#define lab_memcpy_peer(...) LAB_AT((lab_memcpy_peer)(__VA_ARGS__))
#define lab_memcpy_peer_async(...) LAB_AT((lab_memcpy_peer_async)(__VA_ARGS__))
#define lab_memset_async(...) LAB_AT((lab_memset_async)(__VA_ARGS__))
#define lab_mempool_alloc(...) LAB_AT((lab_mempool_alloc)(__VA_ARGS__))
#define lab_mempool_free(...) LAB_AT((lab_mempool_free)(__VA_ARGS__))
#define lab_mempool_free_all_blocks(...) LAB_AT((lab_mempool_free_all_blocks)(__VA_ARGS__))
#define lab_mempool_free_stream_blocks(...) LAB_AT((lab_mempool_free_stream_blocks)(__VA_ARGS__))
#define lab_pinned_mempool_alloc(...) LAB_AT((lab_pinned_mempool_alloc)(__VA_ARGS__))
#define lab_pinned_mempool_free(...) LAB_AT((lab_pinned_mempool_free)(__VA_ARGS__))
#define lab_pinned_mempool_free_all_blocks(...) LAB_AT((lab_pinned_mempool_free_all_blocks)(__VA_ARGS__))
#define lab_array_empty(...) LAB_AT((lab_array_empty)(__VA_ARGS__))
#define lab_array_destroy(...) LAB_AT((lab_array_destroy)(__VA_ARGS__))
#define lab_array_set(...) LAB_AT((lab_array_set)(__VA_ARGS__))
#define lab_array_get(...) LAB_AT((lab_array_get)(__VA_ARGS__))
#define lab_array_set_async(...) LAB_AT((lab_array_set_async)(__VA_ARGS__))
#define lab_array_get_async(...) LAB_AT((lab_array_get_async)(__VA_ARGS__))
#define lab_array_get_item(...) LAB_AT((lab_array_get_item)(__VA_ARGS__))
#define lab_array_set_item(...) LAB_AT((lab_array_set_item)(__VA_ARGS__))
#define lab_array_zeros(...) LAB_AT((lab_array_zeros)(__VA_ARGS__))
#define lab_array_ones(...) LAB_AT((lab_array_ones)(__VA_ARGS__))
#define lab_array_full(...) LAB_AT((lab_array_full)(__VA_ARGS__))
#define lab_array_arange(...) LAB_AT((lab_array_arange)(__VA_ARGS__))
#define lab_array_random_uniform(...) LAB_AT((lab_array_random_uniform)(__VA_ARGS__))
#define lab_array_random_normal(...) LAB_AT((lab_array_random_normal)(__VA_ARGS__))
#define lab_array_from_host(...) LAB_AT((lab_array_from_host)(__VA_ARGS__))
#define lab_array_from_host_async(...) LAB_AT((lab_array_from_host_async)(__VA_ARGS__))
#define lab_array_copy(...) LAB_AT((lab_array_copy)(__VA_ARGS__))
#define lab_array_astype(...) LAB_AT((lab_array_astype)(__VA_ARGS__))
#define lab_array_fill(...) LAB_AT((lab_array_fill)(__VA_ARGS__))
#define lab_module_load_source(...) LAB_AT((lab_module_load_source)(__VA_ARGS__))
#define lab_module_load_file(...) LAB_AT((lab_module_load_file)(__VA_ARGS__))
#define lab_module_unload(...) LAB_AT((lab_module_unload)(__VA_ARGS__))
#define lab_launch(...) LAB_AT((lab_launch)(__VA_ARGS__))
#define lab_elementwise_destroy(...) LAB_AT((lab_elementwise_destroy)(__VA_ARGS__))
#define lab_elementwise_launch(...) LAB_AT((lab_elementwise_launch)(__VA_ARGS__))
#define lab_elementwise_launch_sized(...) LAB_AT((lab_elementwise_launch_sized)(__VA_ARGS__))
#define lab_reduction_destroy(...) LAB_AT((lab_reduction_destroy)(__VA_ARGS__))
#define lab_reduction_launch(...) LAB_AT((lab_reduction_launch)(__VA_ARGS__))
#define lab_reduction_launch_sized(...) LAB_AT((lab_reduction_launch_sized)(__VA_ARGS__))
#define lab_reduction_launch_axis(...) LAB_AT((lab_reduction_launch_axis)(__VA_ARGS__))
#define lab_array_sum(...) LAB_AT((lab_array_sum)(__VA_ARGS__))
#define lab_array_mean(...) LAB_AT((lab_array_mean)(__VA_ARGS__))
#define lab_array_min(...) LAB_AT((lab_array_min)(__VA_ARGS__))
#define lab_array_max(...) LAB_AT((lab_array_max)(__VA_ARGS__))
#define lab_array_dot(...) LAB_AT((lab_array_dot)(__VA_ARGS__))
#define lab_array_prod(...) LAB_AT((lab_array_prod)(__VA_ARGS__))
#define lab_array_argmin(...) LAB_AT((lab_array_argmin)(__VA_ARGS__))
#define lab_array_argmax(...) LAB_AT((lab_array_argmax)(__VA_ARGS__))
#define lab_array_any(...) LAB_AT((lab_array_any)(__VA_ARGS__))
#define lab_array_all(...) LAB_AT((lab_array_all)(__VA_ARGS__))
#define lab_array_sum_axis(...) LAB_AT((lab_array_sum_axis)(__VA_ARGS__))
#define lab_array_prod_axis(...) LAB_AT((lab_array_prod_axis)(__VA_ARGS__))
#define lab_array_mean_axis(...) LAB_AT((lab_array_mean_axis)(__VA_ARGS__))
#define lab_array_min_axis(...) LAB_AT((lab_array_min_axis)(__VA_ARGS__))
#define lab_array_max_axis(...) LAB_AT((lab_array_max_axis)(__VA_ARGS__))
#define lab_array_argmin_axis(...) LAB_AT((lab_array_argmin_axis)(__VA_ARGS__))
#define lab_array_argmax_axis(...) LAB_AT((lab_array_argmax_axis)(__VA_ARGS__))
#define lab_array_any_axis(...) LAB_AT((lab_array_any_axis)(__VA_ARGS__))
#define lab_array_all_axis(...) LAB_AT((lab_array_all_axis)(__VA_ARGS__))
#define lab_expression_destroy(...) LAB_AT((lab_expression_destroy)(__VA_ARGS__))
#define lab_expression_apply(...) LAB_AT((lab_expression_apply)(__VA_ARGS__))
#define lab_graph_launch(...) LAB_AT((lab_graph_launch)(__VA_ARGS__))
#define lab_graph_exec_update_kernel(...) LAB_AT((lab_graph_exec_update_kernel)(__VA_ARGS__))
#define lab_host_reads(...) LAB_AT((lab_host_reads)(__VA_ARGS__))
#define lab_host_writes(...) LAB_AT((lab_host_writes)(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif
#endif
