/* Device memory pools against a model: random allocations and frees on several streams, with work in between. Live blocks
 * never overlap, statistics are what the model says, contents stay what their owner wrote, and in the end every chunk is one
 * free block again. Also from several threads at once. */
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

static size_t below(model *of, size_t bound) { return (size_t)(next_random(&of->random) % bound); }

static model *make_model(uint64_t seed, size_t limit)
{
    model *made = calloc(1, sizeof *made);
    made->random = seed * 0x9e3779b97f4a7c15 + 1;
    LAB_CHECK(lab_mempool_create(&made->pool, NULL));
    LAB_CHECK(lab_mempool_set_limit(made->pool, limit));
    for (int i = 0; i < STREAMS; i++) LAB_CHECK(lab_stream_create(&made->stream[i], (unsigned)i % 2));
    return made;
}

static void assert_apart(const model *of, const live_block *fresh)
{
    for (int i = 0; i < of->count; i++) {
        const live_block *other = &of->live[i];
        cr_assert(fresh->address >= other->address + other->rounded ||
                      fresh->address + fresh->rounded <= other->address,
                  "0x%llx + %zu overlaps 0x%llx + %zu", fresh->address, fresh->rounded, other->address, other->rounded);
    }
}

/* Sizes are mostly small multiples of the unit, so that blocks fit, split and merge. */
static void allocate(model *of, int step)
{
    live_block fresh = {
        .bytes = 1 + below(of, 12 * UNIT), .stream = (int)below(of, STREAMS), .value = (unsigned char)step};
    fresh.rounded = (fresh.bytes + UNIT - 1) / UNIT * UNIT;
    lab_status status = lab_mempool_alloc(&fresh.address, of->pool, fresh.bytes, of->stream[fresh.stream]);
    size_t limit = lab_mempool_get_limit(of->pool);
    if (status == LAB_ERROR_OUT_OF_MEMORY) {
        cr_assert(limit != 0, "%s", lab_error_message());
        return;
    }
    cr_assert_eq(status, LAB_SUCCESS, "%s", lab_error_message());
    assert_apart(of, &fresh);
    LAB_CHECK(lab_memset_async(fresh.address, fresh.value, fresh.bytes, of->stream[fresh.stream]));
    of->live[of->count++] = fresh;
    of->used += fresh.rounded;
}

static void release(model *of)
{
    live_block freed = of->live[below(of, (size_t)of->count)];
    for (int i = 0; i < of->count; i++)
        if (of->live[i].address == freed.address) of->live[i] = of->live[--of->count];
    LAB_CHECK(
        lab_mempool_free(of->pool, freed.address, of->stream[below(of, 4) ? freed.stream : (int)below(of, STREAMS)]));
    of->used -= freed.rounded;
}

static void assert_contents(const live_block *block, lab_stream *on)
{
    unsigned char host[12 * UNIT];
    LAB_CHECK(lab_memcpy_dtoh_async(host, block->address, block->bytes, on));
    LAB_CHECK(lab_stream_synchronize(on));
    for (size_t i = 0; i < block->bytes; i++)
        cr_assert_eq(host[i], block->value, "byte %zu of 0x%llx is %d, not %d", i, block->address, host[i],
                     block->value);
}

static void replace_stream(model *of)
{
    int which = (int)below(of, STREAMS);
    for (int i = 0; i < of->count; i++)
        if (of->live[i].stream == which) assert_contents(&of->live[i], of->stream[which]);
    LAB_CHECK(lab_stream_destroy(of->stream[which]));
    LAB_CHECK(lab_stream_create(&of->stream[which], (unsigned)which % 2));
}

static void assert_statistics(const model *of)
{
    size_t used = lab_mempool_used_bytes(of->pool), free_bytes = lab_mempool_free_bytes(of->pool);
    size_t total = lab_mempool_total_bytes(of->pool), limit = lab_mempool_get_limit(of->pool);
    cr_assert_eq(used, of->used, "used: %zu, model %zu", used, of->used);
    cr_assert_eq(used + free_bytes, total);
    cr_assert(limit == 0 || total <= limit, "%zu bytes held, limit %zu", total, limit);
}

static void run_steps(model *of, bool end_streams)
{
    for (int step = 0; step < STEPS; step++) {
        size_t dice = below(of, 1000);
        if (of->count == 0 || (of->count < MOST_LIVE && dice < 500))
            allocate(of, step);
        else
            release(of);
        if (dice >= 990 && of->count) {
            const live_block *some = &of->live[below(of, (size_t)of->count)];
            assert_contents(some, of->stream[some->stream]);
        }
        if (dice == 0) LAB_CHECK(lab_mempool_free_all_blocks(of->pool));
        if (end_streams && dice % 100 == 1) replace_stream(of);
        assert_statistics(of);
    }
}

static void finish(model *of)
{
    for (int i = 0; i < of->count; i++) assert_contents(&of->live[i], of->stream[of->live[i].stream]);
    while (of->count) release(of);
    assert_statistics(of);
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_mempool_free_all_blocks(of->pool));
    cr_assert_eq(lab_mempool_total_bytes(of->pool), 0, "every chunk is one free block in the end, and goes back");
    cr_assert_eq(lab_mempool_n_free_blocks(of->pool), 0);
    LAB_CHECK(lab_mempool_destroy(of->pool));
    for (int i = 0; i < STREAMS; i++) LAB_CHECK(lab_stream_destroy(of->stream[i]));
    free(of);
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

/* Fills its blocks with its own number on its own stream, and looks whether they still hold it. */
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
