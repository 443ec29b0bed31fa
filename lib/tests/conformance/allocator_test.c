/* Allocators: where arrays and pools get their memory, and how an allocator's mistakes are reported (CuPy's
 * set_allocator and MemoryPool(allocator)). */
#include "gate.h"
#include "test.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

enum { UNIT = 512 };

/* An allocator that counts its calls and can be made to fail. */
typedef struct counting {
    int allocs, frees;
    size_t bytes;
    size_t most; /* a request for more bytes fails */
    lab_stream *stream;
    lab_deviceptr answer; /* if not 0, the result of every allocation */
    bool nothing;         /* success without memory */
    lab_status status;    /* if not success, the status of every allocation */
} counting;

static lab_status count_alloc(lab_deviceptr *out, size_t bytes, lab_stream *stream, void *user)
{
    counting *counter = user;
    counter->allocs++;
    counter->stream = stream;
    if (counter->status != LAB_SUCCESS) return counter->status;
    if (counter->nothing) return LAB_SUCCESS;
    if (counter->bytes + bytes > counter->most) return LAB_ERROR_OUT_OF_MEMORY;
    if (counter->answer)
        *out = counter->answer;
    else
        LAB_TRY(lab_mem_alloc(out, bytes));
    counter->bytes += bytes;
    return LAB_SUCCESS;
}

static lab_status count_free(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user)
{
    counting *counter = user;
    counter->frees++;
    counter->stream = stream;
    counter->bytes -= bytes;
    return lab_mem_free(memory);
}

static lab_allocator allocator_of(counting *count) { return (lab_allocator){count_alloc, count_free, count}; }

static lab_array *make_array(size_t bytes)
{
    lab_array *array;
    LAB_CHECK(lab_array_empty(&array, LAB_UINT8, LAB_SHAPE(bytes)));
    return array;
}

/* CuPy, set_allocator: where arrays get their memory. */
Test(allocator, arrays_use_the_allocator_that_was_set_and_return_to_it)
{
    counting count = {.most = SIZE_MAX};
    lab_allocator mine = allocator_of(&count);
    LAB_CHECK(lab_set_allocator(&mine));
    lab_array *array = make_array(100);
    cr_assert_eq(count.allocs, 1);
    cr_assert_eq(count.bytes, 100, "an allocator is asked for the bytes themselves");
    cr_assert_eq(count.stream, lab_stream_null());
    cr_assert_eq(lab_mempool_used_bytes(NULL), 0);
    LAB_CHECK(lab_set_allocator(NULL));
    lab_array *pooled = make_array(100);
    cr_assert_eq(lab_mempool_used_bytes(NULL), UNIT);
    LAB_CHECK(lab_array_destroy(array));
    cr_assert(count.frees == 1 && count.bytes == 0, "it returns to the allocator it came from");
    LAB_CHECK(lab_array_destroy(pooled));
    cr_assert_eq(lab_mempool_used_bytes(NULL), 0);
}

/* CuPy, set_allocator: where arrays get their memory. */
Test(allocator, is_told_the_arrays_stream_or_that_it_is_gone)
{
    counting count = {.most = SIZE_MAX};
    lab_allocator mine = allocator_of(&count);
    lab_stream *stream, *gone;
    lab_array *first = NULL, *second = NULL;
    LAB_CHECK(lab_set_allocator(&mine));
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_stream_create(&gone, LAB_STREAM_DEFAULT));
    LAB_WITH_STREAM(stream) first = make_array(1);
    cr_assert_eq(count.stream, stream);
    LAB_WITH_STREAM(gone) second = make_array(1);
    LAB_CHECK(lab_stream_destroy(gone));
    LAB_CHECK(lab_array_destroy(first));
    cr_assert_eq(count.stream, stream);
    LAB_CHECK(lab_array_destroy(second));
    cr_assert_null(count.stream);
}

/* CuPy, set_allocator: where arrays get their memory. */
Test(allocator, is_not_asked_for_arrays_without_elements)
{
    counting count = {.most = SIZE_MAX};
    lab_allocator mine = allocator_of(&count);
    LAB_CHECK(lab_set_allocator(&mine));
    LAB_CHECK(lab_array_destroy(make_array(0)));
    cr_assert(count.allocs == 0 && count.frees == 0);
}

/* CuPy, set_allocator: where arrays get their memory. */
Test(allocator, a_pool_can_be_set)
{
    lab_mempool *pool;
    lab_allocator of_pool;
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_mempool_allocator(&of_pool, pool));
    LAB_CHECK(lab_set_allocator(&of_pool));
    lab_array *array = make_array(1024);
    cr_assert_eq(lab_mempool_used_bytes(pool), 1024);
    cr_assert_eq(lab_mempool_used_bytes(NULL), 0);
    LAB_CHECK(lab_array_destroy(array));
    cr_assert_eq(lab_mempool_free_bytes(pool), 1024);
    LAB_CHECK(lab_mempool_destroy(pool));
    cr_assert_eq(lab_array_empty(&array, LAB_UINT8, LAB_SHAPE(1)), LAB_ERROR_INVALID_HANDLE);
    cr_assert_not_null(strstr(lab_error_message(), "was destroyed"), "%s", lab_error_message());
    LAB_CHECK(lab_set_allocator(NULL));
    LAB_CHECK(lab_array_destroy(make_array(1)));
}

/* CuPy, set_allocator: where arrays get their memory. */
Test(allocator, the_device_without_a_pool_can_be_set)
{
    lab_allocator device = lab_device_allocator();
    LAB_CHECK(lab_set_allocator(&device));
    lab_array *array = make_array(100);
    cr_assert_eq(lab_mempool_total_bytes(NULL), 0);
    LAB_CHECK(lab_array_destroy(array));
}

/* CuPy, set_allocator: where arrays get their memory. */
Test(allocator, the_one_in_force_can_be_read)
{
    counting count = {0};
    lab_allocator mine = allocator_of(&count), read;
    LAB_CHECK(lab_set_allocator(&mine));
    LAB_CHECK(lab_get_allocator(&read));
    cr_assert(read.alloc == count_alloc && read.free == count_free && read.user == &count);
    LAB_CHECK(lab_set_allocator(NULL));
    LAB_CHECK(lab_get_allocator(&read));
    lab_deviceptr memory;
    LAB_CHECK(read.alloc(&memory, 1, lab_stream_null(), read.user));
    cr_assert_eq(lab_mempool_used_bytes(NULL), UNIT, "it is the default pool");
    LAB_CHECK(read.free(memory, 1, lab_stream_null(), read.user));
}

/* CuPy, set_allocator: where arrays get their memory. */
Test(allocator, must_have_both_functions)
{
    lab_mempool *pool;
    lab_allocator no_alloc = {NULL, count_free, NULL}, no_free = {count_alloc, NULL, NULL};
    cr_assert_eq(lab_set_allocator(&no_alloc), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_set_allocator(&no_free), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_mempool_create(&pool, &no_alloc), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_mempool_create(&pool, &no_free), LAB_ERROR_INVALID_VALUE);
    cr_assert_null(pool);
}

/* CuPy, set_allocator: where arrays get their memory. */
Test(allocator, failures_and_empty_successes_reach_the_array)
{
    counting failing = {.status = LAB_ERROR_OUT_OF_MEMORY}, nothing = {.nothing = true};
    lab_allocator fails = allocator_of(&failing), gives_nothing = allocator_of(&nothing);
    lab_array *array;
    LAB_CHECK(lab_set_allocator(&fails));
    cr_assert_eq(lab_array_empty(&array, LAB_UINT8, LAB_SHAPE(1)), LAB_ERROR_OUT_OF_MEMORY);
    cr_assert_null(array);
    LAB_CHECK(lab_set_allocator(&gives_nothing));
    cr_assert_eq(lab_array_empty(&array, LAB_UINT8, LAB_SHAPE(1)), LAB_ERROR_UNKNOWN);
    cr_assert(failing.frees == 0 && nothing.frees == 0);
}

/* --- Of a thread --------------------------------------------------------------------------------------------- */

static lab_array *array_in_braces(lab_allocator allocator)
{
    LAB_WITH_ALLOCATOR(allocator) return make_array(1);
    return NULL;
}

/* CuPy, using_allocator: inside the braces alone, and arrays return there after them. */
Test(allocator, of_a_thread_is_in_force_inside_its_braces)
{
    counting outer = {.most = SIZE_MAX}, inner = {.most = SIZE_MAX};
    lab_array *array[3];
    LAB_WITH_ALLOCATOR(allocator_of(&outer))
    {
        array[0] = make_array(1);
        LAB_WITH_ALLOCATOR(allocator_of(&inner)) array[1] = make_array(1);
        array[2] = array_in_braces(allocator_of(&inner));
    }
    LAB_CHECK(lab_array_destroy(make_array(1)));
    cr_assert_eq(outer.allocs, 1);
    cr_assert_eq(inner.allocs, 2);
    for (int i = 0; i < 3; i++) LAB_CHECK(lab_array_destroy(array[i]));
    cr_assert_eq(outer.frees, 1);
    cr_assert_eq(inner.frees, 2);
}

/* CuPy, using_allocator: None is the default. */
Test(allocator, without_functions_a_thread_uses_that_of_all_threads)
{
    counting count = {.most = SIZE_MAX};
    lab_allocator found, none = {0};
    LAB_WITH_ALLOCATOR(allocator_of(&count))
    {
        LAB_CHECK(lab_get_allocator(&found));
        cr_assert(found.alloc == count_alloc && found.user == &count);
        LAB_WITH_ALLOCATOR(none) LAB_CHECK(lab_array_destroy(make_array(1)));
    }
    cr_assert_eq(count.allocs, 0);
}

static void *make_elsewhere(void *unused)
{
    (void)unused;
    LAB_CHECK(lab_array_destroy(make_array(1)));
    return NULL;
}

/* CuPy, using_allocator: other threads keep theirs. */
Test(allocator, of_a_thread_is_not_another_ones)
{
    counting count = {.most = SIZE_MAX};
    pthread_t other;
    LAB_WITH_ALLOCATOR(allocator_of(&count))
    {
        cr_assert_eq(pthread_create(&other, NULL, make_elsewhere, NULL), 0);
        pthread_join(other, NULL);
    }
    cr_assert_eq(count.allocs, 0);
}

/* CuPy, set_allocator: refused within using_allocator. */
Test(allocator, of_all_threads_is_not_set_while_a_thread_has_its_own)
{
    counting count = {.most = SIZE_MAX};
    lab_allocator mine = allocator_of(&count);
    LAB_WITH_ALLOCATOR(mine)
    {
        cr_assert_eq(lab_set_allocator(&mine), LAB_ERROR_ILLEGAL_STATE);
        cr_assert_eq(lab_set_allocator(NULL), LAB_ERROR_ILLEGAL_STATE);
    }
    LAB_CHECK(lab_set_allocator(&mine));
    LAB_CHECK(lab_set_allocator(NULL));
}

/* lab.h, Memory pools: lab_thread_exchange_allocator. */
Test(allocator, that_is_refused_leaves_a_thread_as_it_was)
{
    lab_allocator half = {NULL, count_free, NULL}, found;
    counting count = {.most = SIZE_MAX};
    cr_assert_eq(lab_thread_exchange_allocator(NULL), LAB_ERROR_INVALID_VALUE);
    LAB_WITH_ALLOCATOR(allocator_of(&count))
    {
        cr_assert_eq(lab_thread_exchange_allocator(&half), LAB_ERROR_INVALID_VALUE);
        LAB_WITH_ALLOCATOR(half) LAB_CHECK(lab_array_destroy(make_array(1)));
    }
    cr_assert_eq(count.allocs, 1);
    LAB_CHECK(lab_get_allocator(&found));
    cr_assert_neq(found.alloc, count_alloc);
}

/* --- As a pool's source ------------------------------------------------------------------------------------- */

static lab_mempool *make_pool(counting *count)
{
    lab_mempool *pool;
    lab_allocator source = allocator_of(count);
    LAB_CHECK(lab_mempool_create(&pool, &source));
    return pool;
}

static lab_deviceptr allocate(lab_mempool *pool, size_t bytes)
{
    lab_deviceptr memory;
    LAB_CHECK(lab_mempool_alloc(&memory, pool, bytes, NULL));
    return memory;
}

/* CuPy, MemoryPool: its allocator. */
Test(allocator, a_pools_source_is_asked_for_whole_units_and_only_when_nothing_fits)
{
    counting count = {.most = SIZE_MAX};
    lab_mempool *pool = make_pool(&count);
    lab_deviceptr memory = allocate(pool, 2 * UNIT + 1);
    cr_assert(count.allocs == 1 && count.bytes == 3 * UNIT);
    LAB_CHECK(lab_mempool_free(pool, memory, NULL));
    memory = allocate(pool, UNIT);
    cr_assert_eq(count.allocs, 1);
    LAB_CHECK(lab_mempool_free(pool, memory, NULL));
    LAB_CHECK(lab_mempool_destroy(pool));
    cr_assert(count.frees == 1 && count.bytes == 0);
}

/* CuPy, MemoryPool: its allocator. */
Test(allocator, a_pools_source_that_has_no_more_makes_the_pool_give_back_what_is_free)
{
    counting count = {.most = 4 * UNIT};
    lab_deviceptr memory;
    lab_mempool *pool = make_pool(&count);
    LAB_CHECK(lab_mempool_free(pool, allocate(pool, UNIT), NULL));
    LAB_CHECK(lab_mempool_free(pool, allocate(pool, 3 * UNIT), NULL));
    memory = allocate(pool, 4 * UNIT);
    cr_assert(count.bytes == 4 * UNIT && lab_mempool_total_bytes(pool) == 4 * UNIT);
    LAB_CHECK(lab_mempool_free(pool, memory, NULL));
    cr_assert_eq(lab_mempool_alloc(&memory, pool, 5 * UNIT, NULL), LAB_ERROR_OUT_OF_MEMORY);
    cr_assert_not_null(strstr(lab_error_message(), "2560 bytes asked for"), "%s", lab_error_message());
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* A chunk whose work takes a while: whether that work is done, and how often the source got the chunk back. */
typedef struct slow_work {
    atomic_bool done;
    int frees, frees_too_early;
} slow_work;

static void end_slowly(void *user)
{
    nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
    atomic_store(&((slow_work *)user)->done, true);
}

static lab_status free_after_work(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user)
{
    (void)bytes, (void)stream;
    slow_work *work = user;
    work->frees++;
    work->frees_too_early += !atomic_load(&work->done);
    return lab_mem_free(memory);
}

static lab_status plain_alloc(lab_deviceptr *out, size_t bytes, lab_stream *stream, void *user)
{
    (void)stream, (void)user;
    return lab_mem_alloc(out, bytes);
}

/* CuPy, MemoryPool: its allocator. */
Test(allocator, a_pools_source_gets_a_chunk_back_when_its_work_is_done)
{
    slow_work work = {.frees = 0};
    lab_mempool *pool;
    lab_stream *stream;
    lab_deviceptr memory;
    LAB_CHECK(lab_mempool_create(&pool, &(lab_allocator){plain_alloc, free_after_work, &work}));
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_mempool_alloc(&memory, pool, 1 << 20, stream));
    LAB_CHECK(lab_stream_launch_host_func(stream, end_slowly, &work));
    LAB_CHECK(lab_memset_async(memory, 1, 1 << 20, stream));
    LAB_CHECK(lab_mempool_free(pool, memory, stream));
    cr_assert_eq(work.frees, 0, "a free block stays in the pool");
    LAB_CHECK(lab_mempool_free_all_blocks(pool));
    cr_assert_eq(work.frees, 1, "the source gets the chunk back");
    cr_assert_eq(work.frees_too_early, 0, "the chunk came back before its work was done");
    LAB_CHECK(lab_mempool_destroy(pool));
    cr_assert_eq(work.frees, 1, "the source gets the chunk back once");
}

/* CuPy, MemoryPool: its allocator. */
Test(allocator, what_a_pools_source_does_wrong_is_found)
{
    counting nothing = {.nothing = true}, failing = {.status = LAB_ERROR_ILLEGAL_ADDRESS}, twice = {.most = SIZE_MAX};
    lab_deviceptr memory;
    lab_mempool *pool = make_pool(&nothing);
    cr_assert_eq(lab_mempool_alloc(&memory, pool, 1, NULL), LAB_ERROR_UNKNOWN);
    cr_assert_not_null(strstr(lab_error_message(), "gave no memory"), "%s", lab_error_message());
    LAB_CHECK(lab_mempool_destroy(pool));
    pool = make_pool(&failing);
    cr_assert_eq(lab_mempool_alloc(&memory, pool, 1, NULL), LAB_ERROR_ILLEGAL_ADDRESS, "its own error comes through");
    LAB_CHECK(lab_mempool_destroy(pool));
    pool = make_pool(&twice);
    twice.answer = allocate(pool, UNIT);
    cr_assert_eq(lab_mempool_alloc(&memory, pool, UNIT, NULL), LAB_ERROR_UNKNOWN);
    cr_assert_not_null(strstr(lab_error_message(), "had given before"), "%s", lab_error_message());
    cr_assert_eq(lab_mempool_total_bytes(pool), UNIT);
    LAB_CHECK(lab_mempool_free(pool, twice.answer, NULL));
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* CuPy, MemoryPool: its allocator. */
Test(allocator, a_pool_can_be_the_source_of_another)
{
    lab_mempool *outer, *inner;
    lab_allocator of_outer;
    LAB_CHECK(lab_mempool_create(&outer, NULL));
    LAB_CHECK(lab_mempool_allocator(&of_outer, outer));
    LAB_CHECK(lab_mempool_create(&inner, &of_outer));
    lab_deviceptr memory = allocate(inner, 3 * UNIT);
    cr_assert_eq(lab_mempool_used_bytes(outer), 3 * UNIT);
    LAB_CHECK(lab_memset_async(memory, 1, 3 * UNIT, NULL));
    LAB_CHECK(lab_mempool_free(inner, memory, NULL));
    cr_assert_eq(lab_mempool_used_bytes(outer), 3 * UNIT);
    LAB_CHECK(lab_mempool_free_all_blocks(inner));
    cr_assert(lab_mempool_used_bytes(outer) == 0 && lab_mempool_free_bytes(outer) == 3 * UNIT);
    LAB_CHECK(lab_mempool_destroy(inner));
    LAB_CHECK(lab_mempool_destroy(outer));
}
