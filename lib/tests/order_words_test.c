/* What a finding says to a CUDA program: CUDA's calls, and pools that order nothing but their stream. */
#include "test.h"
#include "lab_trace.h"
#include "order/order.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 4096 };

TestSuite(order_words);

static void begin(void)
{
    setenv("LAB_SCHEDULE", "fifo", 0); /* only the checker sees the operations race */
    cr_assert_eq(lab_order_start(LAB_ORDER_REPORT), LAB_SUCCESS);
    order_speak(ORDER_CUDA);
}

static lab_stream *make_stream(void)
{
    lab_stream *made;
    cr_assert_eq(lab_stream_create(&made, LAB_STREAM_NON_BLOCKING), LAB_SUCCESS);
    return made;
}

/* The only finding. */
static lab_order_finding found(void)
{
    lab_order_finding finding;
    cr_assert_eq(lab_order_get_counts().findings, 1);
    cr_assert_eq(lab_order_get_finding(&finding, 0), LAB_SUCCESS);
    cr_assert_null(strstr(finding.edge, "lab_"), "%s", finding.edge);
    return finding;
}

Test(order_words, names_cudas_calls_to_a_cuda_program)
{
    lab_deviceptr memory;
    begin();
    cr_assert_eq(lab_mem_alloc(&memory, BYTES), LAB_SUCCESS);
    cr_assert_eq(lab_memset_async(memory, 1, BYTES, make_stream()), LAB_SUCCESS);
    cr_assert_eq(lab_memset_async(memory, 2, BYTES, make_stream()), LAB_SUCCESS);
    const lab_order_finding finding = found();
    cr_assert_not_null(strstr(finding.edge, "(cudaEventRecord)"), "%s", finding.edge);
    cr_assert_not_null(strstr(finding.edge, "(cudaStreamWaitEvent)"), "%s", finding.edge);
}

Test(order_words, names_cudas_wait_of_the_host)
{
    void *pinned;
    lab_deviceptr memory;
    begin();
    cr_assert_eq(lab_host_alloc(&pinned, BYTES), LAB_SUCCESS);
    cr_assert_eq(lab_mem_alloc(&memory, BYTES), LAB_SUCCESS);
    cr_assert_eq(lab_memcpy_htod_async(memory, pinned, BYTES, make_stream()), LAB_SUCCESS);
    cr_assert_eq(lab_host_writes(pinned, BYTES), LAB_SUCCESS);
    const lab_order_finding finding = found();
    cr_assert_not_null(strstr(finding.edge, "cudaStreamSynchronize"), "%s", finding.edge);
}

/* CUDA Runtime API, cudaFreeAsync: the memory must not be accessed after the stream's execution reaches the free. */
Test(order_words, a_cuda_pool_does_not_wait_for_another_stream)
{
    lab_deviceptr memory;
    lab_stream *owner = make_stream(), *borrower = make_stream();
    begin();
    cr_assert_eq(lab_mempool_alloc(&memory, NULL, BYTES, owner), LAB_SUCCESS);
    cr_assert_eq(lab_memset_async(memory, 1, BYTES, owner), LAB_SUCCESS);
    cr_assert_eq(lab_stream_synchronize(owner), LAB_SUCCESS);
    cr_assert_eq(lab_memset_async(memory, 2, BYTES, borrower), LAB_SUCCESS);
    cr_assert_eq(lab_mempool_free(NULL, memory, owner), LAB_SUCCESS);
    cr_assert_eq(found().kind, LAB_ORDER_FREE_IN_USE);
}
