/* The runtime's errors: the last one, the end after a kernel's failure, names, and the places of calls. */
#include "kit.h"

#include "lab.h"
#include "lab_trace.h"

#include <pthread.h>

static void *get_last(void *last)
{
    *(cudaError_t *)last = cudaGetLastError();
    return NULL;
}

Test(runtime_errors, the_last_error_stays_until_it_is_asked_for_and_is_the_threads_own)
{
    pthread_t thread;
    cudaError_t others = cudaErrorUnknown;
    cr_assert_eq(cudaSetDevice(99), cudaErrorInvalidDevice);
    MUST(cudaSetDevice(0));
    cr_assert_eq(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    pthread_create(&thread, NULL, get_last, &others);
    pthread_join(thread, NULL);
    cr_assert_eq(others, cudaSuccess);
    cr_assert_eq(cudaGetLastError(), cudaErrorInvalidDevice);
    cr_assert_eq(cudaGetLastError(), cudaSuccess);
}

Test(runtime_errors, nothing_works_after_a_kernel_has_failed)
{
    int *nowhere = NULL;
    void *memory, *arguments[] = {&nowhere};
    setenv("LAB_CUDA_ERRORS", "none", 1);
    MUST(cudaMalloc(&memory, 16));
    CUfunction store = kit_function("extern \"C\" __global__ void store(int *x) { *x = 1; }", "store");
    MUST(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, 0, arguments, NULL));
    cr_assert_eq(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    cr_assert_eq(cudaGetLastError(), cudaErrorIllegalAddress);
    cr_assert_eq(cudaGetLastError(), cudaSuccess);
    cr_assert_eq(cudaMalloc(&memory, 16), cudaErrorIllegalAddress);
    cr_assert_eq(cudaFree(memory), cudaErrorIllegalAddress);
    cr_assert_eq(cuMemFree(kit_address(memory)), CUDA_ERROR_ILLEGAL_ADDRESS);
    MUST(cudaSetDevice(0));
    MUST(cudaDeviceReset());
    cr_assert_eq(cudaMalloc(&memory, 16), cudaErrorDevicesUnavailable);
}

static void fail_a_kernel(void *setting)
{
    int *nowhere = NULL;
    void *arguments[] = {&nowhere};
    if (setting) setenv("LAB_CUDA_ERRORS", setting, 1);
    cudaFree(0);
    CUfunction store = kit_function("extern \"C\" __global__ void store(int *x) { *x = 1; }", "store");
    cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, 0, arguments, NULL);
    cudaSetDevice(99);
    cudaDeviceSynchronize();
    cudaDeviceSynchronize();
}

Test(runtime_errors, a_kernels_failure_is_printed_once_with_its_place)
{
    char printed[4096];
    test_in_child(fail_a_kernel, NULL, printed, sizeof printed);
    const char *first = strstr(printed, "runtime_errors_test.c:");
    cr_assert(first && strstr(printed, "cudaErrorIllegalAddress"), "%s", printed);
    cr_assert(!strchr(first, '\n')[1], "more than one line: %s", printed);
    test_in_child(fail_a_kernel, "none", printed, sizeof printed);
    cr_assert_eq(*printed, '\0', "%s", printed);
    test_in_child(fail_a_kernel, "all", printed, sizeof printed);
    cr_assert(strstr(printed, "cudaErrorInvalidDevice"), "%s", printed);
}

static void start_wrongly(void *user)
{
    (void)user;
    setenv("LAB_ORDER", "1", 1);
    printf("%d %d\n", cudaFree(0), cudaFree(0));
}

Test(runtime_errors, a_wrong_environment_is_printed_once)
{
    char printed[4096];
    test_in_child(start_wrongly, NULL, printed, sizeof printed);
    const char *first = strstr(printed, "LAB_ORDER");
    cr_assert(first && strstr(printed, "1 1\n"), "%s", printed);
    const char *line_end = strchr(first, '\n');
    cr_assert(line_end && !strstr(line_end, "LAB_ORDER"), "%s", printed);
}

Test(runtime_errors, codes_have_the_names_and_texts_of_the_real_libraries)
{
    cr_assert_str_eq(cudaGetErrorName(cudaErrorNotReady), "cudaErrorNotReady");
    cr_assert_str_eq(cudaGetErrorString(cudaErrorNotReady), "device not ready");
    cr_assert_str_eq(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
    const char *name;
    MUST(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &name));
    cr_assert_str_eq(name, "CUDA_ERROR_OUT_OF_MEMORY");
    cr_assert_eq(cuGetErrorName((CUresult)12345, &name), CUDA_ERROR_INVALID_VALUE);
}

/* ---- the order checker ---- */

Test(runtime_errors, a_missing_order_names_both_calls_by_file_and_line)
{
    enum { BYTES = 4096 };
    cudaStream_t one, two;
    void *memory, *pinned;
    lab_order_finding found;
    setenv("LAB_SCHEDULE", "fifo", 0);
    lab_order_start(LAB_ORDER_COLLECT);
    MUST(cudaMalloc(&memory, BYTES));
    MUST(cudaMallocHost(&pinned, BYTES));
    MUST(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    const int first = __LINE__ + 1;
    MUST(cudaMemsetAsync(memory, 1, BYTES, one));
    const int second = __LINE__ + 1;
    MUST(cudaMemcpyAsync(pinned, memory, BYTES, cudaMemcpyDeviceToHost, two));
    MUST(cudaDeviceSynchronize());
    cr_assert_eq(lab_order_get_counts().findings, 1);
    cr_assert_eq(lab_order_get_finding(&found, 0), LAB_SUCCESS);
    cr_assert(found.first.line == first && found.second.line == second, "lines %d and %d", found.first.line,
              found.second.line);
    cr_assert(strstr(found.first.file, "runtime_errors_test.c"), "%s", found.first.file);
}

Test(runtime_errors, a_kernel_launched_with_pointers_to_its_arguments_is_judged_by_what_it_uses)
{
    enum { BYTES = 4096 };
    cudaStream_t one, two;
    void *memory, *other, *arguments[] = {&memory, &other};
    lab_order_finding found;
    setenv("LAB_SCHEDULE", "fifo", 0);
    lab_order_start(LAB_ORDER_COLLECT);
    MUST(cudaMalloc(&memory, BYTES));
    MUST(cudaMalloc(&other, BYTES));
    MUST(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    CUfunction move =
        kit_function("extern \"C\" __global__ void move(int *to, const int *from) { *to = *from; }", "move");
    MUST(cudaMemsetAsync(other, 1, BYTES, two));
    MUST(cudaMemsetAsync(memory, 1, BYTES, one));
    const int line = __LINE__ + 1;
    MUST(cuLaunchKernel(move, 1, 1, 1, 1, 1, 1, 0, one, arguments, NULL));
    cr_assert_eq(lab_order_get_counts().findings, 1, "it reads `other` while the other stream fills it");
    cr_assert_eq(lab_order_get_finding(&found, 0), LAB_SUCCESS);
    cr_assert(found.second.line == line && strcmp(found.second.name, "move") == 0 && !found.second.writes);
}

Test(runtime_errors, a_copy_on_the_host_is_judged_by_both_of_its_places)
{
    enum { BYTES = 4096 };
    static char to[BYTES];
    cudaStream_t one, two;
    void *memory, *pinned;
    setenv("LAB_SCHEDULE", "fifo", 0);
    lab_order_start(LAB_ORDER_COLLECT);
    MUST(cudaMalloc(&memory, BYTES));
    MUST(cudaMallocHost(&pinned, BYTES));
    MUST(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    MUST(cudaMemcpyAsync(pinned, memory, BYTES, cudaMemcpyDeviceToHost, one));
    MUST(cudaMemcpyAsync(to, pinned, BYTES, cudaMemcpyHostToHost, two));
    cr_assert_eq(lab_order_get_counts().findings, 1);
}

Test(runtime_errors, a_call_that_completes_a_pair_fails_if_the_checker_is_to_fail_it)
{
    cudaStream_t one, two;
    void *memory;
    lab_order_start(LAB_ORDER_ERROR);
    setenv("LAB_CUDA_ERRORS", "none", 1);
    MUST(cudaMalloc(&memory, 64));
    MUST(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    MUST(cudaMemsetAsync(memory, 1, 64, one));
    const cudaError_t refused = cudaMemsetAsync(memory, 2, 64, two);
    cr_assert_str_eq(cudaGetErrorName(refused), "LAB_ERROR_NOT_ORDERED");
    MUST(cudaDeviceSynchronize());
}
