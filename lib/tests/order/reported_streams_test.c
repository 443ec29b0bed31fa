/* The catalogue: what others ran into between streams, threads and devices. */
#include "catalogue.h"

REPORTED(a_fill_that_does_not_block_the_host, "alpaka-group/alpaka issue 851",
         "a fill on the null stream is not done when the call returns", "the kernel's stream is a blocking one",
         .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(lab_memset_async(lab_array_data(kit->a), 0, BYTES, lab_stream_null()));
    SECOND(INCREASE(right ? kit->blocking : kit->one, kit->a));
}

REPORTED(a_workspace_cleared_on_the_default_stream, "NVIDIA/cutlass pull 214",
         "the fill takes the default stream, the kernel the caller's", "both take the caller's stream", .bytes = BYTES,
         .edge = BY_EVENT)
{
    FIRST(lab_memset_async(lab_array_data(kit->c), 0, BYTES, right ? kit->two : lab_stream_null()));
    SECOND(DUPLICATE(kit->two, kit->b, kit->c));
}

REPORTED(a_sort_on_a_stream_of_its_own, "sony/nnabla-ext-cuda pull 188",
         "the library's stream does not wait for the default stream's data", "it waits for an event", .bytes = BYTES,
         .edge = BY_EVENT)
{
    FIRST(SET(lab_stream_null(), kit->a));
    if (right) chain(kit, lab_stream_null(), kit->three);
    SECOND(INCREASE(kit->three, kit->a));
}

REPORTED(an_array_exported_without_its_stream, "mitsuba-renderer/drjit issue 198",
         "the importing library works on a stream that does not know the exporter's", "the importer names its stream",
         .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(SET(kit->one, kit->a));
    if (right) chain(kit, kit->one, lab_stream_null());
    SECOND(DUPLICATE(lab_stream_null(), kit->b, kit->a));
}

REPORTED(a_prefetch_that_does_not_wait_for_the_consumer, "huggingface/pytorch-image-models pull 2784",
         "the next batch is written over one whose reads are queued", "the prefetch stream waits for the consumer's",
         .bytes = BYTES, .edge = BY_EVENT)
{
    DO(lab_array_set_async(kit->a, kit->pinned, kit->two));
    chain(kit, kit->two, kit->one);
    FIRST(DUPLICATE(kit->one, kit->b, kit->a));
    if (right) chain(kit, kit->one, kit->two);
    SECOND(lab_array_set_async(kit->a, kit->pinned_too, kit->two));
}

REPORTED(a_consumer_that_reads_during_the_transfer, "ROCm/pytorch issue 3194",
         "the default stream's kernel reads what a transfer stream still writes", "the default stream waits",
         .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(lab_array_set_async(kit->a, kit->pinned, kit->two));
    if (right) chain(kit, kit->two, lab_stream_null());
    SECOND(DUPLICATE(lab_stream_null(), kit->b, kit->a));
}

REPORTED(a_copy_in_the_default_stream_of_a_blocking_queue, "alpaka-group/alpaka issue 850",
         "a synchronous copy does not wait for a non-blocking stream", "the copy is on the queue's stream",
         .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(SET(kit->one, kit->a));
    if (right) {
        DO(lab_array_get_async(kit->a, kit->pinned, kit->one));
        DO(lab_stream_synchronize(kit->one));
    } else {
        SECOND(lab_array_get(kit->a, kit->pinned));
    }
}

REPORTED(half_a_bucket_is_reduced, "pytorch/pytorch pull 168061",
         "the event stands between two gradients of one bucket", "the event stands behind the last gradient",
         .offset = BYTES / 2, .bytes = BYTES / 2, .edge = BY_EVENT)
{
    const lab_deviceptr bucket = lab_array_data(kit->a);
    DO(lab_memset_async(bucket, 1, BYTES / 2, kit->one));
    DO(lab_event_record(kit->event, kit->one));
    FIRST(lab_memset_async(bucket + BYTES / 2, 1, BYTES / 2, kit->one));
    if (right) DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->two, kit->event));
    SECOND(INCREASE(kit->two, kit->a));
}

static void *fill_on_its_default_stream(void *user)
{
    ground *kit = user;
    FIRST(SET(lab_stream_per_thread(), kit->a));
    return NULL;
}

static void *fill_and_wait(void *user)
{
    fill_on_its_default_stream(user);
    DO(lab_stream_synchronize(lab_stream_per_thread()));
    return NULL;
}

REPORTED(two_threads_default_streams_share_a_block, "cupy/cupy issue 5069",
         "the default streams of two threads are two streams", "the first thread waits for its own", .bytes = BYTES,
         .edge = BY_EVENT)
{
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, right ? fill_and_wait : fill_on_its_default_stream, kit), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    SECOND(DUPLICATE(lab_stream_per_thread(), kit->b, kit->a));
}

static void *set_constant(void *user)
{
    ground *kit = user;
    SECOND(lab_memcpy_htod_async(kit->calls, kit->pinned, sizeof(int), kit->two));
    return NULL;
}

REPORTED(constant_memory_set_by_two_threads, "kokkos/kokkos pull 4525",
         "a thread sets the variable that another thread's kernel reads", "the kernel is waited for",
         .bytes = sizeof(int), .edge = BY_EVENT, .variable = "calls")
{
    pthread_t thread;
    FIRST(lab_launch(kit->get_count, LAB_DIM(1), LAB_DIM(1), 0, kit->one, LAB_ARGS(kit->a)));
    if (right) DO(lab_stream_synchronize(kit->one));
    cr_assert_eq(pthread_create(&thread, NULL, set_constant, kit), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
}

/* A stream, and memory, of the second device. */
static lab_deviceptr make_there(lab_stream **there)
{
    lab_deviceptr memory = 0;
    LAB_WITH_DEVICE(1)
    {
        DO(lab_stream_create(there, LAB_STREAM_NON_BLOCKING));
        DO(lab_mem_alloc(&memory, BYTES));
    }
    return memory;
}

static void give_back(lab_stream *there, lab_deviceptr memory)
{
    DO(lab_device_synchronize());
    DO(lab_stream_synchronize(there));
    DO(lab_stream_destroy(there));
    DO(lab_mem_free(memory));
}

REPORTED(a_copy_between_devices_used_on_the_other_one, "torch/cutorch pull 192",
         "the copy is on the source's stream, and the destination's does not wait", "it waits for an event",
         .bytes = BYTES, .edge = BY_EVENT, .two_devices = true)
{
    lab_stream *there;
    const lab_deviceptr memory = make_there(&there);
    FIRST(lab_memcpy_peer_async(memory, 1, lab_array_data(kit->a), 0, BYTES, kit->one));
    if (right) chain(kit, kit->one, there);
    SECOND(lab_memset_async(memory, 0, BYTES, there));
    give_back(there, memory);
}

REPORTED(a_copy_on_the_other_devices_null_stream, "ROCm/rocm-systems pull 10229",
         "each device has a null stream of its own", "lab_memcpy_peer waits for both devices", .bytes = BYTES,
         .edge = BY_EVENT, .two_devices = true)
{
    lab_stream *there;
    const lab_deviceptr memory = make_there(&there), source = lab_array_data(kit->a);
    FIRST(lab_memset_async(source, 1, BYTES, lab_stream_null()));
    if (right) DO(lab_memcpy_peer(memory, 1, source, 0, BYTES));
    LAB_WITH_DEVICE(1) if (!right) SECOND(lab_memcpy_peer_async(memory, 1, source, 0, BYTES, lab_stream_null()));
    LAB_WITH_DEVICE(1) DO(lab_device_synchronize());
    give_back(there, memory);
}

static lab_event *make_event_there(void)
{
    lab_event *event;
    LAB_WITH_DEVICE(1) DO(lab_event_create(&event, LAB_EVENT_DISABLE_TIMING));
    return event;
}

REPORTED(a_destination_that_its_own_device_still_reads, "pytorch/FBGEMM pull 4367",
         "a copy on the source's stream does not wait for the destination's", "it waits for an event", .bytes = BYTES,
         .edge = BY_EVENT, .two_devices = true)
{
    lab_stream *there;
    const lab_deviceptr memory = make_there(&there);
    lab_event *event = make_event_there();
    FIRST(lab_memcpy_dtoh_async(kit->pinned, memory, BYTES, there));
    DO(lab_event_record(event, there));
    if (right) DO(lab_stream_wait_event(kit->one, event));
    SECOND(lab_memcpy_peer_async(memory, 1, lab_array_data(kit->a), 0, BYTES, kit->one));
    give_back(there, memory);
    DO(lab_event_destroy(event));
}

REPORTED(a_copy_between_devices_on_the_destinations_stream, "PaddlePaddle/Paddle pull 11822",
         "the destination's stream does not wait for the kernel that computes the source", "it waits for an event",
         .bytes = BYTES, .edge = BY_EVENT, .two_devices = true)
{
    lab_stream *there;
    const lab_deviceptr memory = make_there(&there);
    FIRST(SET(kit->one, kit->a));
    if (right) chain(kit, kit->one, there);
    SECOND(lab_memcpy_peer_async(memory, 1, lab_array_data(kit->a), 0, BYTES, there));
    give_back(there, memory);
}
