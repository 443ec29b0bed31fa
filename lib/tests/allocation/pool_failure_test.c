/* The pools when host memory runs out: the same program runs repeatedly, and each time another allocation under a call
 * of the pools fails. The call that needed it reports that, nothing else changes, and the pool is usable afterwards. */
#include "base/number_map.h"
#include "failing_allocations.h"
#include "lab.h"
#include "test.h"

#include <string.h>

enum { UNIT = 512, MOST_ALLOCATIONS = 1000 };

/* The program continues after a failure, like a careful caller, and counts failures. */
typedef struct outcome {
    int failures;
    bool named; /* the last failure's message mentions host memory */
} outcome;

static bool note(outcome *result, lab_status status)
{
    allocations_count(false);
    if (status == LAB_SUCCESS) return true;
    cr_assert_eq(status, LAB_ERROR_OUT_OF_MEMORY, "%s", lab_error_message());
    result->failures++;
    result->named = strstr(lab_error_message(), "no host memory") != NULL;
    return false;
}

/* Whether the call succeeds. The allocations under it are those that may fail. */
#define WORKS(result, call) (allocations_count(true), note(result, call))

/* Splits, merges, uses on other streams, lends in a shortage, and ends a stream. */
static outcome use_device_pool(void)
{
    outcome result = {0};
    lab_mempool *pool;
    lab_stream *own, *other, *ending;
    LAB_CHECK(lab_stream_create(&own, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&other, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&ending, LAB_STREAM_NON_BLOCKING));
    if (WORKS(&result, lab_mempool_create(&pool, NULL))) {
        lab_deviceptr block[40] = {0};
        LAB_CHECK(lab_mempool_set_limit(pool, 44 * UNIT));
        if (WORKS(&result, lab_mempool_alloc(&block[0], pool, 40 * UNIT, own)))
            LAB_CHECK(lab_mempool_free(pool, block[0], own));
        block[0] = 0;
        for (int i = 0; i < 38; i++) WORKS(&result, lab_mempool_alloc(&block[i], pool, UNIT, i % 3 == 0 ? other : own));
        WORKS(&result, lab_mempool_alloc(&block[38], pool, UNIT, ending));
        for (int i = 0; i < 39; i++) {
            if (!block[i]) continue;
            WORKS(&result, lab_memset_async(block[i], 1, UNIT, i % 2 ? own : ending));
            WORKS(&result, lab_mempool_record_stream(pool, block[i], other));
        }
        LAB_CHECK(lab_stream_destroy(ending));
        ending = NULL;
        for (int i = 0; i < 39; i++)
            if (block[i] && !WORKS(&result, lab_mempool_free(pool, block[i], i % 2 ? own : other)))
                LAB_CHECK(lab_mempool_free(pool, block[i], own)); /* a free that failed changed nothing */
        cr_assert_eq(lab_mempool_used_bytes(pool), 0);
        cr_assert_eq(lab_mempool_free_bytes(pool), lab_mempool_total_bytes(pool));
        if (WORKS(&result, lab_mempool_alloc(&block[39], pool, 44 * UNIT, own)))
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
    if (WORKS(&result, lab_pinned_mempool_create(&pool))) {
        void *block[40] = {NULL};
        for (int i = 0; i < 40; i++) {
            if (!WORKS(&result, lab_pinned_mempool_alloc(&block[i], pool, UNIT))) continue;
            WORKS(&result, lab_memcpy_dtoh_async(block[i], memory, UNIT, NULL));
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
    int walked = 0, reported = 0;
    for (;; walked++) {
        allocations_fail(walked + 1, walked + 1);
        outcome result = program();
        if (!allocations_failed()) break;
        cr_assert_lt(walked, MOST_ALLOCATIONS);
        if (result.failures == 0) continue; /* the library did without it */
        cr_assert(result.named, "allocation %d: %s", walked + 1, lab_error_message());
        reported++;
    }
    allocations_fail(0, 0);
    cr_assert_gt(reported, 40, "only %d failures of %d allocations were reported", reported, walked);
    cr_assert_eq(program().failures, 0, "and afterwards nothing fails");
}

Test(pool_failure, every_allocation_of_a_device_pool_may_fail) { fail_each_allocation(use_device_pool); }

Test(pool_failure, every_allocation_of_a_pinned_pool_may_fail) { fail_each_allocation(use_pinned_pool); }

Test(pool_failure, an_array_that_gets_no_memory_leaves_nothing)
{
    cr_assert_eq(lab_mempool_used_bytes(NULL),
                 0); /* the thread's first call, whose memory it can do without (retire.h) */
    for (int which = 1;; which++) {
        lab_array *array = NULL;
        allocations_fail(which, which);
        allocations_count(true);
        lab_status status = lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(100));
        allocations_count(false);
        if (!allocations_failed()) {
            cr_assert_eq(status, LAB_SUCCESS, "%s", lab_error_message());
            LAB_CHECK(lab_array_destroy(array));
            break;
        }
        cr_assert_eq(status, LAB_ERROR_OUT_OF_MEMORY);
        cr_assert_null(array);
        allocations_fail(0, 0);
        cr_assert_eq(lab_mempool_used_bytes(NULL), 0);
    }
    cr_assert_eq(lab_mempool_total_bytes(NULL), UNIT);
}

Test(pool_failure, a_number_map_keeps_what_it_has_when_it_cannot_grow)
{
    int object;
    number_map map = {0};
    cr_assert(number_map_reserve(&map, 32));
    for (uint64_t key = 1; key <= 32; key++) number_map_put(&map, key, &object);
    allocations_fail(1, 1);
    allocations_count(true);
    const bool grew = number_map_reserve(&map, 1);
    allocations_count(false);
    cr_assert_not(grew);
    for (uint64_t key = 1; key <= 32; key++) cr_assert_eq(number_map_get(&map, key), &object);
    cr_assert(number_map_reserve(&map, 1));
    number_map_clear(&map);
}
