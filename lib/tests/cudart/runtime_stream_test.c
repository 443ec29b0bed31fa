/* The runtime's streams and events: default streams by number, callbacks, host functions, waits. */
#include "kit.h"

#include <pthread.h>
#include <stdatomic.h>

int per_thread_default_id(void); /* per_thread.c, which asks for default streams per thread */

static atomic_int held;
static void hold(void *user)
{
    (void)user;
    while (atomic_load(&held)) {}
}

static void add_one(void *user) { ++*(int *)user; }

static void CUDART_CB note_status(cudaStream_t stream, cudaError_t status, void *user)
{
    ((void **)user)[0] = stream;
    ((int *)((void **)user + 1))[0] = (int)status;
}

Test(runtime_stream, the_legacy_stream_waits_for_blocking_streams_and_they_for_it)
{
    cudaStream_t blocking, apart;
    int calls = 0;
    void *memory;
    MUST(cudaMalloc(&memory, 16));
    MUST(cudaStreamCreate(&blocking));
    MUST(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
    atomic_store(&held, 1);
    MUST(cudaLaunchHostFunc(blocking, hold, NULL));
    MUST(cudaLaunchHostFunc(0, add_one, &calls));
    MUST(cudaMemsetAsync(memory, 0, 16, apart));
    MUST(cudaStreamSynchronize(apart));
    cr_assert_eq(cudaStreamQuery(cudaStreamLegacy), cudaErrorNotReady);
    cr_assert_eq(cudaStreamQuery(0), cudaErrorNotReady);
    cr_assert_eq(cudaStreamQuery(cudaStreamPerThread), cudaSuccess, "it has no work");
    atomic_store(&held, 0);
    MUST(cudaStreamSynchronize(0));
    cr_assert_eq(calls, 1);
}

Test(runtime_stream, a_file_may_ask_for_a_default_stream_of_each_thread)
{
    unsigned long long of_thread, of_file, legacy;
    MUST(cudaStreamGetId(cudaStreamPerThread, &of_thread));
    MUST(cudaStreamGetId(0, &legacy));
    of_file = (unsigned long long)per_thread_default_id();
    cr_assert_eq(of_file, of_thread);
    cr_assert_neq(of_file, legacy);
}

Test(runtime_stream, an_event_orders_streams_and_measures_time)
{
    cudaStream_t one, two;
    cudaEvent_t start, end;
    float milliseconds = -1;
    int calls = 0;
    MUST(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
    atomic_store(&held, 1);
    MUST(cudaEventRecord(start, one));
    MUST(cudaLaunchHostFunc(one, hold, NULL));
    MUST(cudaEventRecord(end, one));
    MUST(cudaStreamWaitEvent(two, end, 0));
    MUST(cudaLaunchHostFunc(two, add_one, &calls));
    cr_assert_eq(cudaEventQuery(end), cudaErrorNotReady);
    cr_assert_eq(calls, 0);
    atomic_store(&held, 0);
    MUST(cudaStreamSynchronize(two));
    cr_assert_eq(calls, 1);
    MUST(cudaEventElapsedTime(&milliseconds, start, end));
    cr_assert_geq(milliseconds, 0);
}

Test(runtime_stream, a_callback_gets_the_handle_that_the_program_gave)
{
    void *noted[2] = {&noted, &noted};
    MUST(cudaStreamAddCallback(cudaStreamPerThread, note_status, noted, 0));
    MUST(cudaStreamSynchronize(cudaStreamPerThread));
    cr_assert_eq(noted[0], (void *)cudaStreamPerThread);
    cr_assert_eq(((int *)(noted + 1))[0], cudaSuccess);
}

Test(runtime_stream, flags_and_priorities_are_those_of_its_creation)
{
    cudaStream_t stream;
    unsigned flags;
    int least, greatest, priority;
    MUST(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    MUST(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
    MUST(cudaStreamGetFlags(stream, &flags));
    MUST(cudaStreamGetPriority(stream, &priority));
    cr_assert(flags == cudaStreamNonBlocking && priority == greatest);
}
