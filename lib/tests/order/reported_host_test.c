/* The catalogue: what others ran into between the host and the device. */
#include "catalogue.h"

REPORTED(a_source_changed_during_the_upload, "pytorch/pytorch issue 126946",
         "the last element of a pinned source changes while it may still be copied", "another element is not copied",
         .offset = BYTES - sizeof(float), .bytes = sizeof(float), .edge = BY_WAIT)
{
    const size_t copied = right ? BYTES - sizeof(float) : BYTES;
    FIRST(lab_memcpy_htod_async(lab_array_data(kit->a), kit->pinned, copied, kit->one));
    SECOND(lab_host_writes(&kit->pinned[COUNT - 1], sizeof(float)));
}

REPORTED(a_download_on_a_stream_that_is_not_waited_for, "cupy/cupy issue 7820",
         "the download is synchronous on the null stream only", "the host waits for the stream of the download",
         .bytes = BYTES, .edge = BY_WAIT)
{
    FIRST(lab_array_get_async(kit->a, kit->pinned, kit->one));
    DO(lab_stream_synchronize(right ? kit->one : lab_stream_null()));
    SECOND(lab_host_reads(kit->pinned, BYTES));
}

REPORTED(an_array_overwritten_during_its_download, "cupy/cupy pull 5155",
         "another stream writes the array while it is downloaded", "the writer waits for the download", .bytes = BYTES,
         .edge = BY_EVENT)
{
    FIRST(lab_array_get_async(kit->a, kit->pinned, kit->one));
    DO(lab_event_record(kit->event, kit->one));
    if (right) DO(lab_stream_wait_event(kit->two, kit->event));
    SECOND(SET(kit->two, kit->a));
}

REPORTED(a_number_read_from_the_stack, "NVIDIA/cudf pull 2794",
         "a local variable is returned while it is being copied to", "the host waits for the stream first",
         .bytes = sizeof(int), .edge = BY_WAIT, .why = "does not promise that a call waits")
{
    static int number;
    FIRST(lab_memcpy_dtoh_async(&number, lab_array_data(kit->a), sizeof number, lab_stream_null()));
    if (right) DO(lab_stream_synchronize(lab_stream_null()));
    SECOND(lab_host_reads(&number, sizeof number));
}

REPORTED(a_count_that_sizes_the_next_allocation, "microsoft/onnxruntime issue 26512",
         "a copy to pageable memory need not be done when the call returns", "an event is waited for",
         .bytes = sizeof(int), .edge = BY_WAIT, .why = "does not promise that a call waits")
{
    static int count;
    FIRST(lab_memcpy_dtoh_async(&count, lab_array_data(kit->b), sizeof count, kit->one));
    DO(lab_event_record(kit->event, kit->one));
    if (right) DO(lab_event_synchronize(kit->event));
    SECOND(lab_host_reads(&count, sizeof count));
}

REPORTED(constants_uploaded_from_a_local_variable, "opencv/opencv pull 9627",
         "the source of an upload is a local variable whose function returns", "it lives until the stream is done",
         .bytes = sizeof(float), .edge = BY_WAIT)
{
    static float constant[2];
    FIRST(lab_memcpy_htod_async(kit->calls, constant, sizeof *constant, kit->one));
    if (right) DO(lab_stream_synchronize(kit->one));
    SECOND(lab_host_writes(constant, sizeof *constant)); /* the stack's next user */
}

REPORTED(rows_read_before_they_have_come, "ggml-org/llama.cpp issue 18310",
         "the host waits for the first part of the rows and reads all", "the host waits behind the last part",
         .offset = BYTES / 2, .bytes = BYTES / 2, .edge = BY_WAIT)
{
    const lab_deviceptr rows = lab_array_data(kit->a);
    DO(lab_memcpy_dtoh_async(kit->pinned, rows, BYTES / 2, kit->one));
    DO(lab_event_record(kit->event, kit->one));
    FIRST(lab_memcpy_dtoh_async(&kit->pinned[COUNT / 2], rows + BYTES / 2, BYTES / 2, kit->one));
    if (right) DO(lab_event_record(kit->event, kit->one));
    DO(lab_event_synchronize(kit->event));
    SECOND(lab_host_reads(kit->pinned, BYTES));
}

REPORTED(the_copy_of_another_turn_is_waited_for, "ggml-org/llama.cpp issue 8685",
         "the event belongs to the other of two input buffers", "each buffer has its own event", .bytes = BYTES,
         .edge = BY_WAIT)
{
    DO(lab_array_set_async(kit->b, kit->pinned_too, kit->one));
    DO(lab_event_record(kit->other_event, kit->one));
    FIRST(lab_array_set_async(kit->a, kit->pinned, kit->one));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_event_synchronize(right ? kit->event : kit->other_event));
    SECOND(lab_host_writes(kit->pinned, BYTES));
}

REPORTED(a_staging_buffer_guarded_by_an_event_never_recorded, "eyalroz/cuda-api-wrappers issue 226",
         "an event that was never recorded counts as done", "the event is recorded behind the upload", .bytes = BYTES,
         .edge = BY_WAIT)
{
    FIRST(lab_array_set_async(kit->a, kit->pinned, kit->one));
    if (right) DO(lab_event_record(kit->event, kit->one));
    DO(lab_event_synchronize(kit->event));
    SECOND(lab_host_writes(kit->pinned, BYTES));
}

REPORTED(a_prefetched_batch_returned_to_the_queue_early, "BVLC/caffe pull 2998",
         "a copy within the device returns before it is done, and the batch is filled again",
         "the null stream is waited for", .bytes = BYTES, .edge = BY_EVENT)
{
    const lab_deviceptr batch = lab_array_data(kit->a), top = lab_array_data(kit->b);
    FIRST(lab_memcpy_dtod_async(top, batch, BYTES, lab_stream_null()));
    if (right) DO(lab_stream_synchronize(lab_stream_null()));
    SECOND(lab_memcpy_htod_async(batch, kit->pinned, BYTES, kit->one));
}

REPORTED(a_buffer_created_with_contents, "intel/llvm pull 1798",
         "the upload of pageable memory is synchronous, and has perhaps not arrived", "the null stream is waited for",
         .bytes = BYTES, .edge = BY_EVENT, .why = "not that it has arrived")
{
    FIRST(lab_memcpy_htod(lab_array_data(kit->a), kit->pageable, BYTES));
    if (right) DO(lab_stream_synchronize(lab_stream_null()));
    SECOND(INCREASE(kit->one, kit->a));
}

REPORTED(a_kernel_argument_buffer_shared_by_streams, "Genesis-Embodied-AI/quadrants pull 649",
         "the next launch's arguments overwrite those that a kernel still reads", "each stream has its own buffer",
         .bytes = 64, .edge = BY_EVENT)
{
    const lab_deviceptr arguments = lab_array_data(kit->a);
    FIRST(DUPLICATE(kit->one, kit->b, kit->a));
    SECOND(lab_memcpy_htod_async(right ? lab_array_data(kit->c) : arguments, kit->pinned, 64, kit->two));
}
