/* The catalogue: what others ran into with events, waits and the names of streams. */
#include "catalogue.h"

REPORTED(one_event_for_several_streams, "torch/cutorch pull 222",
         "an event is recorded on each of two streams, and then waited for once", "each record is waited for",
         .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(SET(kit->one, kit->a));
    DO(lab_event_record(kit->event, kit->one));
    if (right) DO(lab_stream_wait_event(kit->three, kit->event));
    DO(SET(kit->two, kit->b));
    DO(lab_event_record(kit->event, kit->two));
    DO(lab_stream_wait_event(kit->three, kit->event));
    SECOND(DUPLICATE(kit->three, kit->c, kit->a));
}

REPORTED(an_event_of_the_null_stream_and_a_copy_that_it_does_not_cover, "lupinemachines/lupine pull 569",
         "an event of the null stream does not cover what non-blocking streams do",
         "the copy's stream is a blocking one", .bytes = BYTES, .edge = BY_WAIT)
{
    FIRST(lab_array_get_async(kit->a, kit->pinned, right ? kit->blocking : kit->one));
    DO(lab_event_record(kit->event, lab_stream_null()));
    DO(lab_event_synchronize(kit->event));
    SECOND(lab_host_reads(kit->pinned, BYTES));
}

REPORTED(waited_for_before_the_copy, "rapidsai/rmm pull 133", "the host waits for the stream, then enqueues the copy",
         "it waits behind the copy", .bytes = sizeof(float), .edge = BY_WAIT)
{
    DO(SET(kit->one, kit->a));
    DO(lab_stream_synchronize(kit->one));
    FIRST(lab_memcpy_dtoh_async(kit->pinned, lab_array_data(kit->a), sizeof(float), kit->one));
    if (right) DO(lab_stream_synchronize(kit->one));
    SECOND(lab_host_reads(kit->pinned, sizeof(float)));
}

REPORTED(zeros_that_wipe_what_was_loaded, "vllm-project/vllm pull 50696",
         "a block is cleared on one stream and loaded on another: either may come last", "the load waits for the zeros",
         .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(lab_memset_async(lab_array_data(kit->a), 0, BYTES, kit->one));
    if (right) chain(kit, kit->one, kit->two);
    SECOND(lab_array_set_async(kit->a, kit->pinned, kit->two));
}

REPORTED(a_store_that_was_only_put_off, "vllm-project/vllm pull 46278",
         "the copy is enqueued a step later than the kernel, which orders nothing", "the copy's stream waits",
         .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(SET(kit->one, kit->a));
    DO(INCREASE(kit->one, kit->b)); /* the next step */
    if (right) chain(kit, kit->one, kit->two);
    SECOND(lab_array_get_async(kit->a, kit->pinned, kit->two));
}

REPORTED(a_border_unpacked_under_its_readers, "ghex-org/GHEX pull 223",
         "a message is unpacked into the border of an array that a kernel reads", "the unpacking stream waits",
         .offset = BYTES / 4 * 3, .bytes = BYTES / 4, .edge = BY_EVENT)
{
    FIRST(DUPLICATE(kit->one, kit->b, kit->a));
    if (right) chain(kit, kit->one, kit->two);
    SECOND(lab_memset_async(lab_array_data(kit->a) + BYTES / 4 * 3, 1, BYTES / 4, kit->two));
}

REPORTED(a_message_sent_before_it_is_packed, "mfem/mfem pull 4253",
         "the host sends what a kernel still packs into memory that both see", "the host waits for the kernel's stream",
         .bytes = BYTES, .edge = BY_WAIT)
{
    const lab_deviceptr message = (lab_deviceptr)(uintptr_t)kit->pinned;
    FIRST(DUPLICATE(kit->one, message, kit->a));
    if (right) DO(lab_stream_synchronize(kit->one));
    SECOND(lab_host_reads(kit->pinned, BYTES));
}

REPORTED(a_fill_of_memory_that_the_host_writes, "cms-sw/cmssw pull 45368",
         "an allocator fills pinned memory asynchronously, and the host writes it as if it had its own",
         "the allocator waits for the fill", .bytes = BYTES, .edge = BY_WAIT)
{
    FIRST(SET(kit->one, (lab_deviceptr)(uintptr_t)kit->pinned));
    if (right) DO(lab_stream_synchronize(kit->one));
    SECOND(lab_host_writes(kit->pinned, BYTES));
}

REPORTED(a_flag_that_says_the_copy_is_done, "LuisaGroup/LuisaCompute pull 248",
         "the host sees a number that the stream writes, and fills the staging memory again",
         "the host waits for an event", .bytes = BYTES, .edge = BY_WAIT)
{
    FIRST(lab_array_set_async(kit->a, kit->pinned, kit->one));
    DO(SET(kit->one, (lab_deviceptr)(uintptr_t)kit->pinned_too)); /* the number, which the host polls */
    DO(lab_event_record(kit->event, kit->one));
    if (right) DO(lab_event_synchronize(kit->event));
    SECOND(lab_host_writes(kit->pinned, BYTES));
}

REPORTED(a_new_stream_in_place_of_an_old_one, "rapidsai/rmm issue 649",
         "a stream that was destroyed still works, and the next one is not ordered behind it",
         "the old one is waited for", .bytes = BYTES, .edge = BY_EVENT)
{
    lab_stream *stream;
    DO(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    FIRST(lab_memset_async(lab_array_data(kit->a), 1, BYTES, stream));
    if (right) DO(lab_stream_synchronize(stream));
    DO(lab_stream_destroy(stream));
    DO(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    SECOND(lab_memset_async(lab_array_data(kit->a), 2, BYTES, stream));
    DO(lab_stream_destroy(stream));
}

static void *set_on_the_default_stream_of_the_thread(void *user)
{
    ground *kit = user;
    FIRST(SET(lab_stream_per_thread(), kit->a));
    return NULL;
}

static void *set_on_a_stream_that_all_know(void *user)
{
    ground *kit = user;
    DO(SET(kit->one, kit->a));
    return NULL;
}

REPORTED(a_name_that_means_another_stream_in_a_worker, "NVIDIA/nccl issue 1976",
         "a worker thread works on its own default stream, and the caller waits for its own",
         "the caller passes a stream that is the same for both", .bytes = BYTES, .edge = BY_EVENT)
{
    pthread_t worker;
    void *(*work)(void *) = right ? set_on_a_stream_that_all_know : set_on_the_default_stream_of_the_thread;
    cr_assert_eq(pthread_create(&worker, NULL, work, kit), 0);
    cr_assert_eq(pthread_join(worker, NULL), 0);
    DO(lab_stream_synchronize(right ? kit->one : lab_stream_per_thread()));
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
}
