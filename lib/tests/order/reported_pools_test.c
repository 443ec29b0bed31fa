/* The catalogue: what others ran into with memory pools. Their pools see no kernel's use of a block. Here
 * such a use is hidden from the pool: only the checker is told. */
#include "catalogue.h"

REPORTED(a_block_offloaded_on_a_side_stream, "meta-pytorch/torchrec pull 4231",
         "the block is released while the side stream still copies from it", "the pool is told of the side stream",
         .bytes = BYTES, .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_FREE_IN_USE)
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_memset_async(block, 1, BYTES, kit->one));
    chain(kit, kit->one, kit->two);
    FIRST(USE_HIDDEN(kit->two, block, false));
    if (right) DO(lab_mempool_record_stream(NULL, block, kit->two));
    SECOND(lab_mempool_free(NULL, block, kit->one));
}

REPORTED(a_block_handed_to_the_consumers_stream, "NVIDIA/TensorRT-LLM pull 15265",
         "events order producer and consumer, but the block returns to the producer's stream", "the pool is told",
         .bytes = BYTES, .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_FREE_IN_USE)
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->two)); /* the auxiliary stream */
    DO(SET(kit->two, block));
    chain(kit, kit->two, kit->one);
    FIRST(USE_HIDDEN(kit->one, block, false));
    if (right) DO(lab_mempool_record_stream(NULL, block, kit->one));
    SECOND(lab_mempool_free(NULL, block, kit->two));
}

REPORTED(a_message_sent_on_a_fresh_stream, "pytorch/pytorch pull 58384",
         "the message is dropped while a stream of the pool's sends it", "the sender's stream waits before the free",
         .bytes = BYTES, .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_FREE_IN_USE)
{
    lab_deviceptr message;
    lab_stream *fresh;
    DO(lab_stream_create(&fresh, LAB_STREAM_NON_BLOCKING));
    DO(lab_mempool_alloc(&message, NULL, BYTES, kit->one));
    chain(kit, kit->one, fresh);
    FIRST(USE_HIDDEN(fresh, message, false));
    if (right) chain(kit, fresh, kit->one);
    DO(lab_stream_destroy(fresh));
    SECOND(lab_mempool_free(NULL, message, kit->one));
}

REPORTED(a_block_used_on_a_stream_that_did_not_wait, "rapidsai/rmm pull 510",
         "memory of one stream is valid on another only behind an event", "the other stream waits for the allocation",
         .bytes = BYTES, .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_USE_BEFORE_ALLOCATION)
{
    lab_deviceptr before, block;
    DO(lab_mempool_alloc(&before, NULL, BYTES, kit->one));
    DO(lab_memset_async(before, 1, BYTES, kit->one));
    DO(lab_mempool_free(NULL, before, kit->one));
    FIRST(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    if (right) chain(kit, kit->one, kit->two);
    SECOND(USE_HIDDEN(kit->two, block, true));
    DO(lab_device_synchronize());
    DO(lab_mempool_free(NULL, block, kit->one));
}

REPORTED(a_free_list_whose_event_was_not_recorded_again, "rapidsai/rmm issue 2489",
         "stream two takes over blocks of stream one, and stream three waits for an older event of two",
         "the event is recorded again behind the takeover", .bytes = BYTES, .edge = BY_EVENT)
{
    const lab_deviceptr block = lab_array_data(kit->a);
    DO(lab_event_record(kit->other_event, kit->two));
    FIRST(lab_memset_async(block, 1, BYTES, kit->one)); /* the donor's last use */
    chain(kit, kit->one, kit->two);
    if (right) DO(lab_event_record(kit->other_event, kit->two));
    DO(lab_stream_wait_event(kit->three, kit->other_event));
    SECOND(lab_memset_async(block, 2, BYTES, kit->three));
}

REPORTED(a_block_freed_into_another_stream_than_its_kernels, "kokkos/kokkos pull 9433",
         "the free is on the default stream, the kernel on another", "the free is behind a wait for the device",
         .bytes = BYTES, .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_FREE_IN_USE)
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, lab_stream_null()));
    FIRST(USE_HIDDEN(kit->one, block, true));
    if (right) DO(lab_device_synchronize());
    SECOND(lab_mempool_free(NULL, block, lab_stream_null()));
}

REPORTED(a_callbacks_data_given_back_early, "NVIDIA/cuda-python pull 2127",
         "the data of a host function are freed when it is enqueued", "they are freed when it has run", .bytes = BYTES,
         .edge = BY_TELLING, .kind = LAB_ORDER_FREE_IN_USE)
{
    void *data;
    DO(lab_pinned_mempool_alloc(&data, NULL, BYTES));
    DO(lab_host_writes(data, BYTES));
    DO(lab_next_uses_host(data, BYTES, false));
    FIRST(lab_stream_launch_host_func(kit->one, do_nothing, data));
    if (right) DO(lab_stream_synchronize(kit->one));
    SECOND(lab_pinned_mempool_free(NULL, data));
}

REPORTED(a_buffers_event_that_forgets_a_use, "AcademySoftwareFoundation/openvdb pull 2287",
         "one event stands for all uses of a block, and the second record forgets the first",
         "each record waits for the one before", .bytes = BYTES, .edge = BY_TELLING_OR_EVENT,
         .kind = LAB_ORDER_FREE_IN_USE)
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_memset_async(block, 1, BYTES, kit->one));
    chain(kit, kit->one, kit->two);
    DO(lab_stream_wait_event(kit->three, kit->event));
    FIRST(USE_HIDDEN(kit->two, block, false));
    DO(lab_event_record(kit->other_event, kit->two));
    DO(lab_next_uses(block, BYTES, false));
    DO(SET(kit->three, kit->b));
    if (right) DO(lab_stream_wait_event(kit->three, kit->other_event));
    DO(lab_event_record(kit->other_event, kit->three));
    DO(lab_stream_wait_event(kit->one, kit->other_event));
    SECOND(lab_mempool_free(NULL, block, kit->one));
}

REPORTED(a_free_that_waits_for_one_of_two_streams, "NVIDIA-Genomics-Research/GenomeWorks issue 414",
         "the host waits for the stream that a block belongs to, and another one uses it too",
         "the host waits for both", .bytes = BYTES, .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_FREE_IN_USE)
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, kit->one));
    DO(lab_memset_async(block, 1, BYTES, kit->one));
    chain(kit, kit->one, kit->two);
    FIRST(USE_HIDDEN(kit->two, block, false));
    DO(lab_stream_synchronize(kit->one));
    if (right) DO(lab_stream_synchronize(kit->two));
    SECOND(lab_mempool_free(NULL, block, kit->one));
}

REPORTED(a_slice_that_the_pinned_pool_does_not_know, "pytorch/pytorch pull 68749",
         "the pool looks for the address of the copy, which lies within the block, and forgets the copy",
         "the pool is told of the block", .offset = BYTES / 2, .bytes = BYTES / 2, .edge = BY_TELLING,
         .kind = LAB_ORDER_FREE_IN_USE)
{
    void *batch;
    DO(lab_pinned_mempool_alloc(&batch, NULL, BYTES));
    DO(lab_host_writes(batch, BYTES));
    DO(lab_next_uses_host((char *)batch + BYTES / 2, BYTES / 2, false));
    FIRST(lab_launch(kit->count, LAB_DIM(1), LAB_DIM(1), 0, kit->one, LAB_NO_ARGS));
    if (right) DO(lab_pinned_mempool_record_stream(NULL, batch, kit->one));
    SECOND(lab_pinned_mempool_free(NULL, batch));
}
