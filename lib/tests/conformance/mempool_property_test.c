/* Device memory pools compared with a model: random allocations and frees on several streams, with work in between.
 * Live blocks never overlap, statistics agree with the model, contents stay as their owner wrote them, and in the end
 * every chunk is one free block again. Also from several threads at once. */
#include "test.h"

#include "lab.h"

#include <pthread.h>
#include <stdlib.h>

enum { UNIT = 512, STREAMS = 4, MOST_LIVE = 60, STEPS = 3000 };

typedef struct live_block {
    lab_deviceptr address;
    size_t bytes, rounded;
    int stream;
    unsigned char value;
} live_block;

typedef struct model {
    lab_mempool *pool;
    lab_stream *stream[STREAMS];
    live_block live[MOST_LIVE];
    int count;
    size_t used;
    uint64_t random;
} model;

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static size_t below(model *tracked, size_t bound) { return (size_t)(next_random(&tracked->random) % bound); }

static model *make_model(uint64_t seed, size_t limit)
{
    model *made = calloc(1, sizeof *made);
    made->random = seed * 0x9e3779b97f4a7c15 + 1;
    LAB_CHECK(lab_mempool_create(&made->pool, NULL));
    LAB_CHECK(lab_mempool_set_limit(made->pool, limit));
    for (int i = 0; i < STREAMS; i++) LAB_CHECK(lab_stream_create(&made->stream[i], (unsigned)i % 2));
    return made;
}

static void assert_apart(const model *tracked, const live_block *fresh)
{
    for (int i = 0; i < tracked->count; i++) {
        const live_block *other = &tracked->live[i];
        cr_assert(fresh->address >= other->address + other->rounded ||
                      fresh->address + fresh->rounded <= other->address,
                  "0x%llx + %zu overlaps 0x%llx + %zu", fresh->address, fresh->rounded, other->address, other->rounded);
    }
}

/* Sizes are mostly small multiples of the unit, so that blocks fit, split and merge. */
static void allocate(model *tracked, int step)
{
    live_block fresh = {
        .bytes = 1 + below(tracked, 12 * UNIT), .stream = (int)below(tracked, STREAMS), .value = (unsigned char)step};
    fresh.rounded = (fresh.bytes + UNIT - 1) / UNIT * UNIT;
    lab_status status = lab_mempool_alloc(&fresh.address, tracked->pool, fresh.bytes, tracked->stream[fresh.stream]);
    size_t limit = lab_mempool_get_limit(tracked->pool);
    if (status == LAB_ERROR_OUT_OF_MEMORY) {
        cr_assert(limit != 0, "%s", lab_error_message());
        return;
    }
    cr_assert_eq(status, LAB_SUCCESS, "%s", lab_error_message());
    assert_apart(tracked, &fresh);
    LAB_CHECK(lab_memset_async(fresh.address, fresh.value, fresh.bytes, tracked->stream[fresh.stream]));
    tracked->live[tracked->count++] = fresh;
    tracked->used += fresh.rounded;
}

static void release(model *tracked)
{
    live_block freed = tracked->live[below(tracked, (size_t)tracked->count)];
    for (int i = 0; i < tracked->count; i++)
        if (tracked->live[i].address == freed.address) tracked->live[i] = tracked->live[--tracked->count];
    LAB_CHECK(lab_mempool_free(tracked->pool, freed.address,
                               tracked->stream[below(tracked, 4) ? freed.stream : (int)below(tracked, STREAMS)]));
    tracked->used -= freed.rounded;
}

static void assert_contents(const live_block *block, lab_stream *stream)
{
    unsigned char host[12 * UNIT];
    LAB_CHECK(lab_memcpy_dtoh_async(host, block->address, block->bytes, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    for (size_t i = 0; i < block->bytes; i++)
        cr_assert_eq(host[i], block->value, "byte %zu of 0x%llx is %d, not %d", i, block->address, host[i],
                     block->value);
}

static void replace_stream(model *tracked)
{
    int which = (int)below(tracked, STREAMS);
    for (int i = 0; i < tracked->count; i++)
        if (tracked->live[i].stream == which) assert_contents(&tracked->live[i], tracked->stream[which]);
    LAB_CHECK(lab_stream_destroy(tracked->stream[which]));
    LAB_CHECK(lab_stream_create(&tracked->stream[which], (unsigned)which % 2));
}

static void assert_statistics(const model *tracked)
{
    size_t used = lab_mempool_used_bytes(tracked->pool), free_bytes = lab_mempool_free_bytes(tracked->pool);
    size_t total = lab_mempool_total_bytes(tracked->pool), limit = lab_mempool_get_limit(tracked->pool);
    cr_assert_eq(used, tracked->used, "used: %zu, model %zu", used, tracked->used);
    cr_assert_eq(used + free_bytes, total);
    cr_assert(limit == 0 || total <= limit, "%zu bytes held, limit %zu", total, limit);
}

static void run_steps(model *tracked, bool end_streams)
{
    for (int step = 0; step < STEPS; step++) {
        size_t dice = below(tracked, 1000);
        if (tracked->count == 0 || (tracked->count < MOST_LIVE && dice < 500))
            allocate(tracked, step);
        else
            release(tracked);
        if (dice >= 990 && tracked->count) {
            const live_block *some = &tracked->live[below(tracked, (size_t)tracked->count)];
            assert_contents(some, tracked->stream[some->stream]);
        }
        if (dice == 0) LAB_CHECK(lab_mempool_free_all_blocks(tracked->pool));
        if (end_streams && dice % 100 == 1) replace_stream(tracked);
        assert_statistics(tracked);
    }
}

static void finish(model *tracked)
{
    for (int i = 0; i < tracked->count; i++)
        assert_contents(&tracked->live[i], tracked->stream[tracked->live[i].stream]);
    while (tracked->count) release(tracked);
    assert_statistics(tracked);
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_mempool_free_all_blocks(tracked->pool));
    cr_assert_eq(lab_mempool_total_bytes(tracked->pool), 0, "every chunk is one free block in the end, and goes back");
    cr_assert_eq(lab_mempool_n_free_blocks(tracked->pool), 0);
    LAB_CHECK(lab_mempool_destroy(tracked->pool));
    for (int i = 0; i < STREAMS; i++) LAB_CHECK(lab_stream_destroy(tracked->stream[i]));
    free(tracked);
}

/* CuPy, MemoryPool: best fit, split and merge, statistics. */
Test(mempool_property, random_sequences_agree_with_the_model)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        model *random = make_model(seed, 0);
        run_steps(random, false);
        finish(random);
    }
}

/* CuPy, MemoryPool: best fit, split and merge, statistics. */
Test(mempool_property, in_a_shortage_random_sequences_agree_with_the_model)
{
    for (uint64_t seed = 11; seed <= 14; seed++) {
        model *random = make_model(seed, 90 * UNIT);
        run_steps(random, false);
        finish(random);
    }
}

/* CuPy, MemoryPool: best fit, split and merge, statistics. */
Test(mempool_property, with_streams_that_end_random_sequences_agree_with_the_model)
{
    for (uint64_t seed = 21; seed <= 24; seed++) {
        model *random = make_model(seed, seed % 2 ? 90 * UNIT : 0);
        run_steps(random, true);
        finish(random);
    }
}

/* --- Threads ------------------------------------------------------------------------------------------------ */

typedef struct worker {
    lab_mempool *pool;
    uint64_t seed;
    bool failed;
    pthread_t thread;
} worker;

enum { WORKERS = 4, BLOCKS = 8, ROUNDS = 200 };

/* Fills its blocks with its own number on its own stream, and checks that they still hold it. */
static void *work(void *argument)
{
    worker *self = argument;
    uint64_t random = self->seed;
    unsigned char mine = (unsigned char)self->seed;
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    for (int round = 0; round < ROUNDS; round++) {
        lab_deviceptr block[BLOCKS];
        size_t bytes[BLOCKS];
        unsigned char host[4 * UNIT];
        for (int i = 0; i < BLOCKS; i++) {
            bytes[i] = 1 + (size_t)(next_random(&random) % (4 * UNIT));
            LAB_CHECK(lab_mempool_alloc(&block[i], self->pool, bytes[i], stream));
            LAB_CHECK(lab_memset_async(block[i], mine, bytes[i], stream));
        }
        int some = (int)(next_random(&random) % BLOCKS);
        LAB_CHECK(lab_memcpy_dtoh_async(host, block[some], bytes[some], stream));
        LAB_CHECK(lab_stream_synchronize(stream));
        for (size_t i = 0; i < bytes[some]; i++) self->failed |= host[i] != mine;
        for (int i = 0; i < BLOCKS; i++) LAB_CHECK(lab_mempool_free(self->pool, block[i], stream));
        if (round % 50 == 49) LAB_CHECK(lab_mempool_free_all_blocks(self->pool));
    }
    LAB_CHECK(lab_stream_destroy(stream));
    return NULL;
}

static void run_workers(size_t limit)
{
    worker all[WORKERS];
    lab_mempool *pool;
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_mempool_set_limit(pool, limit));
    for (int i = 0; i < WORKERS; i++) {
        all[i] = (worker){.pool = pool, .seed = (uint64_t)i + 1};
        cr_assert_eq(pthread_create(&all[i].thread, NULL, work, &all[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(all[i].thread, NULL);
        cr_assert_not(all[i].failed, "thread %d found bytes of another", i);
    }
    cr_assert_eq(lab_mempool_used_bytes(pool), 0);
    cr_assert_eq(lab_mempool_free_bytes(pool), lab_mempool_total_bytes(pool));
    LAB_CHECK(lab_mempool_free_all_blocks(pool));
    cr_assert_eq(lab_mempool_total_bytes(pool), 0);
    LAB_CHECK(lab_mempool_destroy(pool));
}

/* CuPy, MemoryPool: best fit, split and merge, statistics. */
Test(mempool_property, threads_share_a_pool_and_statistics_stay_exact) { run_workers(0); }

/* CuPy, MemoryPool: best fit, split and merge, statistics. */
Test(mempool_property, threads_share_a_pool_that_is_just_large_enough) { run_workers(WORKERS * BLOCKS * 5 * UNIT); }
