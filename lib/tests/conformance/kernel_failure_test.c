/* Kernels that stop with an error: CUDA_ERROR_ASSERT, _ILLEGAL_ADDRESS and _LAUNCH_FAILED in cuda.h. The context cannot
 * be used any more, and this and all later calls return the error. cuLaunchHostFunc's function is not called after an
 * error in the context. */
#include "gate.h"
#include "test.h"

#include <sched.h>

static const char SOURCE[] =
    "extern \"C\" __global__ void check(const int *x, int limit) { assert(x[threadIdx.x] < limit); }\n"
    "extern \"C\" __global__ void check_after_barrier(int limit)\n"
    "{\n"
    "    __shared__ int s[64];\n"
    "    s[threadIdx.x] = threadIdx.x;\n"
    "    __syncthreads();\n"
    "    assert(s[63 - threadIdx.x] < limit);\n"
    "    __syncthreads();\n"
    "}\n"
    "extern \"C\" __global__ void write_far(int *x) { x[1l << 52] = 1; }\n"
    "extern \"C\" __global__ void trap(int really) { if (really && threadIdx.x == 3) __trap(); }\n"
    "extern \"C\" __global__ void set(volatile int *x, int value) { *x = value; }\n";

static lab_module *module;

static lab_function find(const char *name)
{
    lab_function function;
    if (!module) LAB_CHECK(lab_module_load_source(&module, SOURCE, "failure_test.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, name));
    return function;
}

static lab_status launch_trap(lab_stream *stream)
{
    return lab_launch(find("trap"), LAB_DIM(2), LAB_DIM(32), 0, stream, LAB_ARGS(1));
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_ILLEGAL_ADDRESS; any further CUDA work returns the same error. */
Test(kernel_failure, memory_that_is_not_there_is_an_illegal_address)
{
    lab_array *x;
    LAB_CHECK(lab_array_zeros(&x, LAB_INT32, LAB_SHAPE(64)));
    LAB_CHECK(lab_launch(find("write_far"), LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(x)));
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_ILLEGAL_ADDRESS, "%s", lab_error_message());
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_ILLEGAL_ADDRESS, "it stays");
}

/* A pinned int that kernels can write, and that the host can read even if the context is in error. */
static volatile int *make_flag(void)
{
    void *memory;
    LAB_CHECK(lab_host_alloc(&memory, sizeof(int)));
    volatile int *flag = memory;
    *flag = 0;
    return flag;
}

static lab_status launch_set(volatile int *flag, lab_stream *stream)
{
    return lab_launch(find("set"), LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_ARGS((lab_deviceptr)(uintptr_t)flag, 1));
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_ASSERT. */
Test(kernel_failure, a_failed_assert_comes_back_from_the_wait)
{
    lab_array *x;
    int host[64];
    for (int i = 0; i < 64; i++) host[i] = i;
    LAB_CHECK(lab_array_empty(&x, LAB_INT32, LAB_SHAPE(64)));
    LAB_CHECK(lab_array_set(x, host));
    LAB_CHECK(lab_launch(find("check"), LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(x, 64)));
    cr_assert_eq(lab_stream_synchronize(NULL), LAB_SUCCESS, "an assert that holds stops nothing");
    LAB_CHECK(lab_launch(find("check"), LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(x, 50)));
    cr_assert_eq(lab_stream_synchronize(NULL), LAB_ERROR_ASSERT, "%s", lab_error_message());
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_ASSERT. */
Test(kernel_failure, a_failed_assert_stops_a_kernel_with_barriers)
{
    LAB_CHECK(lab_launch(find("check_after_barrier"), LAB_DIM(100), LAB_DIM(64), 0, NULL, LAB_ARGS(64)));
    cr_assert_eq(lab_device_synchronize(), LAB_SUCCESS);
    LAB_CHECK(lab_launch(find("check_after_barrier"), LAB_DIM(100), LAB_DIM(64), 0, NULL, LAB_ARGS(63)));
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_ASSERT, "%s", lab_error_message());
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_LAUNCH_FAILED. */
Test(kernel_failure, a_trap_is_a_failed_launch)
{
    LAB_CHECK(launch_trap(NULL));
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_LAUNCH_FAILED, "%s", lab_error_message());
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_LAUNCH_FAILED. */
Test(kernel_failure, every_later_call_that_enqueues_or_waits_returns_it)
{
    lab_stream *stream, *other;
    lab_event *before, *after;
    lab_deviceptr memory;
    int host = 0;
    void *pinned;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&other, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_event_create(&before, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_event_create(&after, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_mem_alloc(&memory, sizeof host));
    LAB_CHECK(lab_host_alloc(&pinned, sizeof host));
    LAB_CHECK(lab_event_record(before, stream));
    LAB_CHECK(launch_trap(stream));
    cr_assert_eq(lab_stream_synchronize(stream), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(lab_stream_synchronize(stream), LAB_ERROR_LAUNCH_FAILED, "the error stays");
    cr_assert_eq(lab_stream_synchronize(other), LAB_ERROR_LAUNCH_FAILED, "of another stream");
    cr_assert_eq(lab_stream_query(other), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(lab_event_record(after, other), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(lab_event_query(before), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(lab_event_synchronize(before), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(lab_stream_wait_event(other, before), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(lab_memcpy_htod(memory, &host, sizeof host), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(lab_memcpy_dtoh(&host, memory, sizeof host), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(lab_memcpy_dtoh_async(pinned, memory, sizeof host, other), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(lab_memset_async(memory, 0, sizeof host, other), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(lab_mem_alloc(&memory, sizeof host), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(launch_trap(other), LAB_ERROR_LAUNCH_FAILED);
}

static void note_call(void *user) { *(volatile int *)user = 1; }

/* cuda.h, Execution Control: cuLaunchHostFunc is not called after an error. */
Test(kernel_failure, host_functions_behind_it_are_not_called)
{
    volatile int called = 0;
    LAB_CHECK(launch_trap(NULL));
    lab_stream_launch_host_func(NULL, note_call, (void *)&called); /* fails if the kernel has already failed */
    cr_assert_eq(lab_stream_synchronize(NULL), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(called, 0);
}

/* Two streams: the second waits for a kernel on the first, which traps when the gate opens. */
typedef struct doomed {
    lab_stream *stream, *after;
    gate closed;
} doomed;

static void make_doomed(doomed *made)
{
    lab_event *end;
    *made = (doomed){.closed = GATE_CLOSED};
    LAB_CHECK(lab_stream_create(&made->stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&made->after, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_event_create(&end, LAB_EVENT_DISABLE_TIMING));
    find("trap");
    gate_close_stream(&made->closed, made->stream);
    LAB_CHECK(launch_trap(made->stream));
    LAB_CHECK(lab_event_record(end, made->stream));
    LAB_CHECK(lab_stream_wait_event(made->after, end));
}

static void open_and_fail(doomed *pair)
{
    gate_open(&pair->closed);
    cr_assert_eq(lab_stream_synchronize(pair->stream), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(lab_stream_synchronize(pair->after), LAB_ERROR_LAUNCH_FAILED);
}

/* cuda.h, Execution Control: cuLaunchHostFunc is not called after an error. */
Test(kernel_failure, host_functions_of_other_streams_are_not_called_afterwards)
{
    doomed pair;
    volatile int called = 0;
    make_doomed(&pair);
    LAB_CHECK(lab_stream_launch_host_func(pair.after, note_call, (void *)&called));
    open_and_fail(&pair);
    cr_assert_eq(called, 0);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_LAUNCH_FAILED. */
Test(kernel_failure, work_that_has_not_begun_does_not_run_and_is_done)
{
    doomed pair;
    volatile int *flag = make_flag();
    LAB_CHECK(launch_set(flag, NULL));
    LAB_CHECK(lab_device_synchronize());
    cr_assert_eq(*flag, 1, "the kernel sets the flag, as long as nothing has failed");
    *flag = 0;
    make_doomed(&pair);
    LAB_CHECK(launch_set(flag, pair.after));
    open_and_fail(&pair);
    cr_assert_eq(*flag, 0);
}

/* cuda.h allows a call that frees to return the error: the test only requires that it frees, and that the process goes
 * on. */
/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_LAUNCH_FAILED. */
Test(kernel_failure, everything_can_still_be_given_back)
{
    lab_stream *stream;
    lab_event *event;
    lab_array *array;
    void *pinned;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(100)));
    LAB_CHECK(lab_host_alloc(&pinned, 100));
    LAB_CHECK(lab_event_record(event, stream));
    LAB_CHECK(launch_trap(stream));
    lab_array_destroy(array);
    lab_event_destroy(event);
    lab_stream_destroy(stream);
    lab_host_free(pinned);
    lab_module_unload(module);
    cr_assert_eq(lab_array_data(array), 0);
    cr_assert_eq(lab_stream_synchronize(stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_LAUNCH_FAILED);
}

static void note_status(lab_stream *stream, lab_status status, void *user)
{
    (void)stream;
    *(volatile int *)user = (int)status;
}

/* cuStreamAddCallback: the callback is given the error; the time is unspecified. */
/* cuda.h, Stream Management: cuStreamAddCallback. */
Test(kernel_failure, callbacks_behind_it_are_given_the_error)
{
    doomed pair;
    volatile int status = -1;
    make_doomed(&pair);
    LAB_CHECK(lab_stream_add_callback(pair.stream, note_status, (void *)&status));
    open_and_fail(&pair);
    while (status == -1) sched_yield();
    cr_assert_eq(status, LAB_ERROR_LAUNCH_FAILED);
}

/* "This leaves the process in an inconsistent state and any further CUDA work will return the same error." A failed
 * assert does the same on a GPU, although cuda.h does not say so. */
/* cuda.h, Primary Context Management: cuDevicePrimaryCtxReset. */
Test(kernel_failure, a_reset_does_not_make_the_device_usable_again)
{
    LAB_CHECK(launch_trap(NULL));
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(lab_device_reset(0), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_LAUNCH_FAILED);
}

static void check_nothing_works(lab_status failure)
{
    lab_context *another;
    lab_deviceptr memory;
    cr_assert_eq(lab_device_synchronize(), failure);
    cr_assert_eq(lab_mem_alloc(&memory, 64), failure);
    cr_assert_eq(lab_context_create(&another, 0), failure);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_LAUNCH_FAILED leaves the process in an inconsistent state. */
Test(kernel_failure, no_other_context_works_either)
{
    lab_context *own;
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_context_create(&own, 0));
    LAB_CHECK(launch_trap(NULL));
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_LAUNCH_FAILED);
    LAB_CHECK(lab_context_pop(NULL));
    check_nothing_works(LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(lab_context_destroy(own), LAB_SUCCESS, "%s", lab_error_message());
    check_nothing_works(LAB_ERROR_LAUNCH_FAILED);
}

/* H200, measured: after CUDA_ERROR_ASSERT no context of the process can be used. */
Test(kernel_failure, nor_after_a_failed_assert)
{
    lab_context *own;
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_context_create(&own, 0));
    LAB_CHECK(lab_launch(find("check_after_barrier"), LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(63)));
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_ASSERT);
    LAB_CHECK(lab_context_pop(NULL));
    check_nothing_works(LAB_ERROR_ASSERT);
    LAB_CHECK(lab_context_destroy(own));
    check_nothing_works(LAB_ERROR_ASSERT);
}
