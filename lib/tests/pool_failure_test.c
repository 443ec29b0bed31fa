/* The pools when host memory runs out: the same program is run again and again, each time another of the pools' own
 * allocations fails. The call that needed it says so, nothing else changes, and the pool is usable afterwards. */
#include "lab.h"
#include "pools/pool_host.h"
#include "test.h"

#include <string.h>

enum { UNIT = 512, MOST_ALLOCATIONS = 1000 };

/* The program goes on after a failure, as a careful caller would; it counts them. */
typedef struct outcome {
    int failures;
    bool named; /* the last failure's message says that host memory is short */
} outcome;

static bool works(outcome *of, lab_status status)
{
    if (status == LAB_SUCCESS) return true;
    cr_assert_eq(status, LAB_ERROR_OUT_OF_MEMORY, "%s", lab_error_message());
    of->failures++;
    of->named = strstr(lab_error_message(), "no host memory") != NULL;
    return false;
}

/* Splits, merges, uses on other streams, lends in a shortage, and ends a stream. */
static outcome use_device_pool(void)
{
    outcome result = {0};
    lab_mempool *pool;
    lab_stream *own, *other, *ending;
    LAB_CHECK(lab_stream_create(&own, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&other, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&ending, LAB_STREAM_NON_BLOCKING));
    if (works(&result, lab_mempool_create(&pool, NULL))) {
        lab_deviceptr block[40] = {0};
        LAB_CHECK(lab_mempool_set_limit(pool, 44 * UNIT));
        if (works(&result, lab_mempool_alloc(&block[0], pool, 40 * UNIT, own)))
            LAB_CHECK(lab_mempool_free(pool, block[0], own));
        block[0] = 0;
        for (int i = 0; i < 38; i++) works(&result, lab_mempool_alloc(&block[i], pool, UNIT, i % 3 == 0 ? other : own));
        works(&result, lab_mempool_alloc(&block[38], pool, UNIT, ending));
        for (int i = 0; i < 39; i++) {
            if (!block[i]) continue;
            works(&result, lab_memset_async(block[i], 1, UNIT, i % 2 ? own : ending));
            works(&result, lab_mempool_record_stream(pool, block[i], other));
        }
        LAB_CHECK(lab_stream_destroy(ending));
        ending = NULL;
        for (int i = 0; i < 39; i++)
            if (block[i] && !works(&result, lab_mempool_free(pool, block[i], i % 2 ? own : other)))
                LAB_CHECK(lab_mempool_free(pool, block[i], own)); /* a free that failed changed nothing */
        cr_assert_eq(lab_mempool_used_bytes(pool), 0);
        cr_assert_eq(lab_mempool_free_bytes(pool), lab_mempool_total_bytes(pool));
        if (works(&result, lab_mempool_alloc(&block[39], pool, 44 * UNIT, own)))
            LAB_CHECK(lab_mempool_free(pool, block[39], own));
        LAB_CHECK(lab_mempool_free_all_blocks(pool));
        cr_assert_eq(lab_mempool_total_bytes(pool), 0, "all merged: %zu bytes left", lab_mempool_total_bytes(pool));
        LAB_CHECK(lab_mempool_destroy(pool));
    }
    LAB_CHECK(lab_stream_destroy(own));
    LAB_CHECK(lab_stream_destroy(other));
    LAB_CHECK(lab_stream_destroy(ending));
    return result;
}

static outcome use_pinned_pool(void)
{
    outcome result = {0};
    lab_pinned_mempool *pool;
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, UNIT));
    if (works(&result, lab_pinned_mempool_create(&pool))) {
        void *block[40] = {NULL};
        for (int i = 0; i < 40; i++) {
            if (!works(&result, lab_pinned_mempool_alloc(&block[i], pool, UNIT))) continue;
            works(&result, lab_memcpy_dtoh_async(block[i], memory, UNIT, NULL));
        }
        for (int i = 0; i < 40; i++) LAB_CHECK(lab_pinned_mempool_free(pool, block[i]));
        cr_assert_eq(lab_pinned_mempool_used_bytes(pool), 0);
        LAB_CHECK(lab_pinned_mempool_free_all_blocks(pool));
        cr_assert_eq(lab_pinned_mempool_total_bytes(pool), 0);
        LAB_CHECK(lab_pinned_mempool_destroy(pool));
    }
    LAB_CHECK(lab_mem_free(memory));
    return result;
}

static void fail_each_allocation(outcome (*program)(void))
{
    cr_assert_eq(program().failures, 0, "without a failure nothing fails: %s", lab_error_message());
    int walked = 0;
    for (;; walked++) {
        pool_host_fail(walked + 1);
        outcome result = program();
        if (!pool_host_failed()) break;
        cr_assert_gt(result.failures, 0, "allocation %d failed and nobody said so", walked + 1);
        cr_assert(result.named, "allocation %d: %s", walked + 1, lab_error_message());
        cr_assert_lt(walked, MOST_ALLOCATIONS);
    }
    pool_host_fail(0);
    cr_assert_gt(walked, 40, "only %d allocations were walked", walked);
    cr_assert_eq(program().failures, 0, "and afterwards nothing fails");
}

Test(pool_failure, every_allocation_of_a_device_pool_may_fail) { fail_each_allocation(use_device_pool); }

Test(pool_failure, every_allocation_of_a_pinned_pool_may_fail) { fail_each_allocation(use_pinned_pool); }

Test(pool_failure, an_array_that_gets_no_memory_leaves_nothing)
{
    for (int which = 1;; which++) {
        lab_array *array = NULL;
        pool_host_fail(which);
        lab_status status = lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(100));
        if (!pool_host_failed()) {
            cr_assert_eq(status, LAB_SUCCESS, "%s", lab_error_message());
            LAB_CHECK(lab_array_destroy(array));
            break;
        }
        cr_assert_eq(status, LAB_ERROR_OUT_OF_MEMORY);
        cr_assert_null(array);
        pool_host_fail(0);
        cr_assert_eq(lab_mempool_used_bytes(NULL), 0);
    }
    cr_assert_eq(lab_mempool_total_bytes(NULL), UNIT);
}
