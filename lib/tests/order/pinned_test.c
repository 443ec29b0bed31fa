/* The catalogue: pinned memory that is released while a host function may still use it. */
#include "catalogue.h"

static void nothing(void *user) { (void)user; }

/* Enqueues a host function that the checker is told works on the memory. */
#define WORK_ON(memory, stream)                                                                                        \
    (lab_next_uses_host((memory), BYTES, true), lab_stream_launch_host_func((stream), nothing, NULL))

WRONG(a_pinned_block_under_a_host_function, "the pool cannot see that a host function uses the block", .bytes = BYTES,
      .edge = BY_TELLING, .kind = LAB_ORDER_FREE_IN_USE)
{
    void *block;
    DO(lab_pinned_mempool_alloc(&block, NULL, BYTES));
    FIRST(WORK_ON(block, kit->one));
    SECOND(lab_pinned_mempool_free(NULL, block));
}

RIGHT(a_pinned_block_whose_pool_was_told, "the pool waits for the stream before it hands the block out again")
{
    void *block;
    DO(lab_pinned_mempool_alloc(&block, NULL, BYTES));
    DO(WORK_ON(block, kit->one));
    DO(lab_pinned_mempool_record_stream(NULL, block, kit->one));
    DO(lab_pinned_mempool_free(NULL, block));
}

WRONG(a_pinned_block_whose_pool_was_told_of_another_stream, "the pool was told of the wrong stream", .bytes = BYTES,
      .edge = BY_TELLING, .kind = LAB_ORDER_FREE_IN_USE)
{
    void *block;
    DO(lab_pinned_mempool_alloc(&block, NULL, BYTES));
    FIRST(WORK_ON(block, kit->one));
    DO(lab_pinned_mempool_record_stream(NULL, block, kit->two));
    SECOND(lab_pinned_mempool_free(NULL, block));
}

RIGHT(a_pinned_block_after_a_wait, "the host has waited for the function")
{
    void *block;
    DO(lab_pinned_mempool_alloc(&block, NULL, BYTES));
    DO(WORK_ON(block, kit->one));
    DO(lab_stream_synchronize(kit->one));
    DO(lab_pinned_mempool_free(NULL, block));
}

RIGHT(a_pinned_block_that_a_copy_used_before, "the pool saw the copy, so it waits for all work of the stream")
{
    void *block;
    DO(lab_pinned_mempool_alloc(&block, NULL, BYTES));
    DO(lab_array_get_async(kit->a, block, kit->one));
    DO(WORK_ON(block, kit->one));
    DO(lab_pinned_mempool_free(NULL, block));
}

RIGHT(a_pinned_block_whose_stream_waits_for_the_function, "the stream that the pool saw waits for the function's")
{
    void *block;
    DO(lab_pinned_mempool_alloc(&block, NULL, BYTES));
    DO(WORK_ON(block, kit->two));
    DO(lab_event_record(kit->event, kit->two));
    DO(lab_stream_wait_event(kit->one, kit->event));
    DO(lab_array_set_async(kit->a, block, kit->one));
    DO(lab_pinned_mempool_free(NULL, block));
}

WRONG(a_pinned_block_of_another_stream_copy, "a copy on one stream tells nothing of a function on another",
      .bytes = BYTES, .edge = BY_TELLING, .kind = LAB_ORDER_FREE_IN_USE)
{
    void *block;
    DO(lab_pinned_mempool_alloc(&block, NULL, BYTES));
    DO(lab_array_get_async(kit->a, block, kit->one));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->two, kit->event));
    FIRST(WORK_ON(block, kit->two));
    SECOND(lab_pinned_mempool_free(NULL, block));
}

RIGHT(pinned_memory_freed_under_a_host_function, "lab_host_free waits for its context before it frees")
{
    void *memory;
    DO(lab_host_alloc(&memory, BYTES));
    DO(WORK_ON(memory, kit->one));
    DO(lab_host_free(memory));
}

/* Frees pinned memory of the first context while a function on a stream of another may use it. */
static void use_elsewhere(ground *kit, bool waits)
{
    static float page[COUNT];
    lab_context *context;
    lab_stream *elsewhere;
    (void)kit;
    DO(lab_host_register(page, BYTES));
    DO(lab_context_create(&context, 0));
    DO(lab_stream_create(&elsewhere, LAB_STREAM_NON_BLOCKING));
    FIRST(WORK_ON(page, elsewhere));
    if (waits) DO(lab_stream_synchronize(elsewhere));
    SECOND(lab_host_unregister(page));
    DO(lab_context_destroy(context));
}

WRONG(pinned_memory_used_by_another_context, "lab_host_unregister waits for the context that pinned the memory",
      .bytes = BYTES, .edge = BY_WAIT, .kind = LAB_ORDER_FREE_IN_USE)
{
    use_elsewhere(kit, false);
}

RIGHT(pinned_memory_used_by_another_context_and_waited_for, "the host has waited for the other context's stream")
{
    use_elsewhere(kit, true);
}

RIGHT(a_block_freed_on_the_null_stream, "what the next owner does on the null stream comes after blocking streams")
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, lab_stream_null()));
    DO(lab_next_uses(block, BYTES, true));
    DO(lab_launch(kit->count, LAB_DIM(1), LAB_DIM(1), 0, kit->blocking, LAB_NO_ARGS));
    DO(lab_mempool_free(NULL, block, lab_stream_null()));
}

RIGHT(a_block_that_the_pool_saw_another_stream_use, "the pool saw a use by the stream, so it orders the declared one")
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_memset_async(block, 0, BYTES, kit->two));
    DO(lab_next_uses(block, BYTES, true));
    DO(lab_launch(kit->count, LAB_DIM(1), LAB_DIM(1), 0, kit->two, LAB_NO_ARGS));
    DO(lab_mempool_free(NULL, block, kit->one));
}

RIGHT(a_block_freed_on_a_stream_that_is_not_its_own, "the pool orders what the block's own stream did with it")
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_next_uses(block, BYTES, true));
    DO(lab_launch(kit->count, LAB_DIM(1), LAB_DIM(1), 0, kit->one, LAB_NO_ARGS));
    DO(lab_mempool_free(NULL, block, kit->two));
}
