/* Programs of schedule_programs.h that use pools and graphs. */
#ifndef LAB_TESTS_SCHEDULE_MEMORY_PROGRAMS_H
#define LAB_TESTS_SCHEDULE_MEMORY_PROGRAMS_H

#include "schedule_kit.h"

/* The kernel is given the block's address as a number: the pool does not see that its stream uses the block. */
static bool pool_is_told_of_every_user(kit *k, bool right)
{
    lab_mempool *pool;
    lab_deviceptr block, next;
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_mempool_alloc(&block, pool, BYTES, k->a));
    LAB_CHECK(lab_memcpy_htod_async(block, k->pinned[0], BYTES, k->a));
    record(k->e, k->a);
    wait_for(k->e, k->b);
    if (right) LAB_CHECK(lab_mempool_record_stream(pool, block, k->b));
    LAB_CHECK(lab_launch(k->step_at, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, k->b,
                         LAB_ARGS((unsigned long)block, k->device[1], (int)COUNT, 1)));
    LAB_CHECK(lab_mempool_free(pool, block, k->a));
    LAB_CHECK(lab_mempool_alloc(&next, pool, BYTES, k->a));
    LAB_CHECK(lab_memset_async(next, 9, BYTES, k->a));
    download(k, 1, 1, k->b);
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_mempool_free(pool, next, k->a));
    LAB_CHECK(lab_mempool_destroy(pool));
    return holds_steps(k->pinned[1], 1);
}

/* The same, but the block is not allocated again: its contents are gone when the stream frees it. */
static bool block_is_given_back_behind_the_use_by_another_stream(kit *k, bool right)
{
    lab_mempool *pool;
    lab_deviceptr block;
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_mempool_alloc(&block, pool, BYTES, k->a));
    LAB_CHECK(lab_memcpy_htod_async(block, k->pinned[0], BYTES, k->a));
    record(k->e, k->a);
    wait_for(k->e, k->b);
    LAB_CHECK(lab_launch(k->step_at, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, k->b,
                         LAB_ARGS((unsigned long)block, k->device[1], (int)COUNT, 1)));
    record(k->f, k->b);
    if (right) wait_for(k->f, k->a);
    LAB_CHECK(lab_mempool_free(pool, block, k->a));
    download(k, 1, 1, k->b);
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_mempool_destroy(pool));
    return holds_steps(k->pinned[1], 1);
}

static bool use_of_block_after_free(kit *k, bool right, bool at_rest)
{
    lab_mempool *pool;
    lab_deviceptr block;
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_mempool_alloc(&block, pool, BYTES, k->a));
    LAB_CHECK(lab_memcpy_htod_async(block, k->pinned[0], BYTES, k->a));
    if (at_rest) synchronize(k->a);
    if (!right) LAB_CHECK(lab_mempool_free(pool, block, k->a));
    LAB_CHECK(lab_launch(k->step_at, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, k->a,
                         LAB_ARGS((unsigned long)block, k->device[1], (int)COUNT, 1)));
    if (right) LAB_CHECK(lab_mempool_free(pool, block, k->a));
    download(k, 1, 1, k->a);
    synchronize(k->a);
    LAB_CHECK(lab_mempool_destroy(pool));
    return holds_steps(k->pinned[1], 1);
}

static bool block_is_given_back_behind_its_last_use(kit *k, bool right)
{
    return use_of_block_after_free(k, right, false);
}

static bool block_is_not_used_after_it_was_given_back_at_rest(kit *k, bool right)
{
    return use_of_block_after_free(k, right, true);
}

/* The block is handed out again before the use, and the next owner writes to it only afterwards. The old contents would
 * do, if they were still there. Another stream used the block, too, which the pool knows. */
static bool use_of_block_after_next_alloc(kit *k, bool right, lab_stream *owner, lab_stream *user)
{
    lab_mempool *pool;
    lab_deviceptr block, next;
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_mempool_alloc(&block, pool, BYTES, owner));
    LAB_CHECK(lab_memcpy_htod_async(block, k->pinned[0], BYTES, owner));
    record(k->e, owner);
    wait_for(k->e, k->b);
    LAB_CHECK(lab_memcpy_dtoh_async(k->pinned[2], block, BYTES, k->b));
    for (int step = 0; step < 2; step++) {
        if (step == right) {
            LAB_CHECK(lab_mempool_free(pool, block, owner));
            LAB_CHECK(lab_mempool_alloc(&next, pool, BYTES, owner));
        } else {
            LAB_CHECK(lab_launch(k->step_at, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, user,
                                 LAB_ARGS((unsigned long)block, k->device[1], (int)COUNT, 1)));
            record(k->f, user);
        }
    }
    wait_for(k->f, owner);
    LAB_CHECK(lab_memset_async(next, 9, BYTES, owner));
    download(k, 1, 1, user);
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_mempool_free(pool, next, owner));
    LAB_CHECK(lab_mempool_destroy(pool));
    return holds_steps(k->pinned[1], 1);
}

static bool block_is_not_used_after_it_was_handed_out_again(kit *k, bool right)
{
    return use_of_block_after_next_alloc(k, right, k->a, k->a);
}

static bool block_is_not_used_elsewhere_after_it_was_handed_out_again(kit *k, bool right)
{
    return use_of_block_after_next_alloc(k, right, k->a, k->b);
}

static bool block_is_not_used_on_the_null_stream_after_it_was_handed_out_again(kit *k, bool right)
{
    return use_of_block_after_next_alloc(k, right, lab_stream_null(), lab_stream_null());
}

static bool graph_keeps_the_edge_between_its_branches(kit *k, bool right)
{
    lab_graph *graph;
    lab_graph_exec *exec;
    LAB_CHECK(lab_stream_begin_capture(k->a, LAB_CAPTURE_GLOBAL));
    upload(k, 0, 0, k->a);
    if (!right) record(k->e, k->a);
    compute(k, 1, 0, 1, k->a);
    if (right) record(k->e, k->a);
    wait_for(k->e, k->b);
    download(k, 1, 1, k->b);
    record(k->f, k->b);
    wait_for(k->f, k->a);
    LAB_CHECK(lab_stream_end_capture(&graph, k->a));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    LAB_CHECK(lab_graph_launch(exec, k->a));
    synchronize(k->a);
    LAB_CHECK(lab_graph_exec_destroy(exec));
    LAB_CHECK(lab_graph_destroy(graph));
    return holds_steps(k->pinned[1], 1);
}

static bool stream_waits_for_a_graph_launched_on_another(kit *k, bool right)
{
    lab_graph *graph;
    lab_graph_exec *exec;
    LAB_CHECK(lab_stream_begin_capture(k->a, LAB_CAPTURE_GLOBAL));
    upload(k, 0, 0, k->a);
    compute(k, 1, 0, 1, k->a);
    LAB_CHECK(lab_stream_end_capture(&graph, k->a));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    LAB_CHECK(lab_graph_launch(exec, k->a));
    record(k->e, k->a);
    if (right) wait_for(k->e, k->b);
    download(k, 1, 1, k->b);
    synchronize(k->a);
    synchronize(k->b);
    LAB_CHECK(lab_graph_exec_destroy(exec));
    LAB_CHECK(lab_graph_destroy(graph));
    return holds_steps(k->pinned[1], 1);
}

#endif
