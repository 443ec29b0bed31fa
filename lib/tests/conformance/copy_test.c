/* Copies and fills: which bytes arrive and when, and which calls are refused (cuda.h, "Memory Management"; "API
 * synchronization behavior"). CUDA leaves open whether a copy of pageable memory holds its caller: nothing here depends
 * on that. */
#include "buffers.h"
#include "gate.h"

enum { BUFFER_BYTES = 4 * MEBIBYTE + 4096 };

/* --- Contents ----------------------------------------------------------------------------------------------------- */

/* Around every size at which a copy might be split. */
static const size_t COPY_SIZES[] = {1, 2, 3, 255, 4096, 65535, 65536, 65537, 524287, 524288, 524289, 1048577, 4194305};
enum { COPY_SIZE_COUNT = sizeof COPY_SIZES / sizeof *COPY_SIZES };

static void check_round_trips(unsigned char *source, unsigned char *destination)
{
    lab_deviceptr memory = allocate(BUFFER_BYTES);
    fill(source, BUFFER_BYTES);
    for (size_t i = 0; i < COPY_SIZE_COUNT; i++) {
        size_t bytes = COPY_SIZES[i];
        memset(destination, 0xee, BUFFER_BYTES);
        LAB_CHECK(lab_memcpy_htod(memory + 3, source, bytes));
        LAB_CHECK(lab_memcpy_dtoh(destination, memory + 3, bytes));
        cr_assert_eq(first_difference(destination, bytes), bytes, "%zu bytes: differ at %zu", bytes,
                     first_difference(destination, bytes));
        cr_assert_eq(destination[bytes], 0xee, "%zu bytes: one more was written", bytes);
    }
    LAB_CHECK(lab_mem_free(memory));
}

/* cuda.h, Memory Management: cuMemcpyHtoD, cuMemcpyDtoH. */
Test(copy, pageable_memory_makes_the_round_trip)
{
    unsigned char *source = malloc(BUFFER_BYTES), *destination = malloc(BUFFER_BYTES);
    check_round_trips(source, destination);
    free(source);
    free(destination);
}

/* cuda.h, Memory Management: cuMemcpyHtoD, cuMemcpyDtoH. */
Test(copy, pinned_memory_makes_the_round_trip)
{
    unsigned char *source = allocate_pinned(BUFFER_BYTES), *destination = allocate_pinned(BUFFER_BYTES);
    check_round_trips(source, destination);
    LAB_CHECK(lab_host_free(source));
    LAB_CHECK(lab_host_free(destination));
}

/* cuda.h, Memory Management: cuMemHostRegister, cuMemHostUnregister. */
Test(copy, registered_memory_makes_the_round_trip)
{
    unsigned char *source = allocate_pages(BUFFER_BYTES), *destination = allocate_pages(BUFFER_BYTES);
    LAB_CHECK(lab_host_register(source, BUFFER_BYTES));
    LAB_CHECK(lab_host_register(destination, BUFFER_BYTES));
    check_round_trips(source, destination);
    LAB_CHECK(lab_host_unregister(source));
    LAB_CHECK(lab_host_unregister(destination));
    free(source);
    free(destination);
}

/* CUDA Driver API, API synchronization behavior: memcpy. */
Test(copy, async_copies_of_every_kind_of_memory_have_arrived_when_the_stream_is_done)
{
    lab_stream *stream = make_stream();
    lab_deviceptr memory = allocate(BUFFER_BYTES);
    unsigned char *pageable = malloc(BUFFER_BYTES), *pinned = allocate_pinned(BUFFER_BYTES);
    for (size_t i = 0; i < COPY_SIZE_COUNT; i++) {
        size_t bytes = COPY_SIZES[i];
        fill(pageable, bytes);
        memset(pinned, 0, bytes);
        LAB_CHECK(lab_memcpy_htod_async(memory, pageable, bytes, stream));
        LAB_CHECK(lab_memcpy_dtoh_async(pinned, memory, bytes, stream));
        LAB_CHECK(lab_stream_synchronize(stream));
        cr_assert_eq(first_difference(pinned, bytes), bytes, "%zu bytes", bytes);
        memset(pageable, 0, bytes);
        LAB_CHECK(lab_memset_async(memory, 0, bytes, stream));
        LAB_CHECK(lab_memcpy_htod_async(memory, pinned, bytes, stream));
        LAB_CHECK(lab_memcpy_dtoh_async(pageable, memory, bytes, stream));
        LAB_CHECK(lab_stream_synchronize(stream));
        cr_assert_eq(first_difference(pageable, bytes), bytes, "%zu bytes", bytes);
    }
    LAB_CHECK(lab_host_free(pinned));
    free(pageable);
    LAB_CHECK(lab_mem_free(memory));
}

/* cuda.h, Memory Management: cuMemcpyHtoD, cuMemcpyDtoH. */
Test(copy, stays_inside_the_bytes_asked_for)
{
    unsigned char host[300], back[300];
    lab_deviceptr memory = allocate(300);
    fill(host, 300);
    LAB_CHECK(lab_memcpy_htod(memory, host, 300));
    memset(host, 0xee, 300);
    LAB_CHECK(lab_memcpy_htod(memory + 100, host, 50));
    LAB_CHECK(lab_memcpy_dtoh(back, memory, 300));
    for (size_t i = 0; i < 300; i++)
        cr_assert_eq(back[i], i >= 100 && i < 150 ? 0xee : byte_at(i), "byte %zu is %u", i, back[i]);
    LAB_CHECK(lab_mem_free(memory));
}

/* cuda.h, Memory Management: cuMemcpyHtoD, cuMemcpyDtoH. */
Test(copy, beyond_the_end_is_refused_and_names_the_bytes_there_are)
{
    unsigned char host[256] = {0};
    lab_deviceptr memory = allocate(100), other = allocate(200);
    cr_assert_eq(lab_memcpy_htod(memory, host, 101), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("100 bytes") && message_has("101") && message_has("destination"), "%s", lab_error_message());
    cr_assert_eq(lab_memcpy_htod(memory + 40, host, 61), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("60 bytes"), "%s", lab_error_message());
    cr_assert_eq(lab_memcpy_dtoh(host, memory + 99, 2), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memcpy_dtoh(host, memory + 100, 1), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memcpy_dtoh(host, memory, SIZE_MAX), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memcpy_dtoh(host, memory + 1, SIZE_MAX), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memcpy_dtod_async(memory, other, 101, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("destination"), "%s", lab_error_message());
    cr_assert_eq(lab_memcpy_dtod_async(other, memory, 101, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("source"), "%s", lab_error_message());
    cr_assert_eq(lab_memset_async(memory + 50, 0, 51, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memset_async(memory, 0, SIZE_MAX, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memcpy_htod(memory + 99, host, 1), LAB_SUCCESS);
    LAB_CHECK(lab_mem_free(memory));
    LAB_CHECK(lab_mem_free(other));
}

/* cuda.h, Memory Management: cuMemcpyHtoD, cuMemcpyDtoH. */
Test(copy, of_0_bytes_succeeds_and_does_nothing)
{
    unsigned char host[4] = {1, 2, 3, 4};
    lab_deviceptr memory = allocate(4);
    LAB_CHECK(lab_memcpy_htod(memory, host, 4));
    cr_assert_eq(lab_memcpy_htod(memory, NULL, 0), LAB_SUCCESS);
    cr_assert_eq(lab_memcpy_dtoh(NULL, memory, 0), LAB_SUCCESS);
    cr_assert_eq(lab_memcpy_htod_async(memory, host, 0, NULL), LAB_SUCCESS);
    cr_assert_eq(lab_memcpy_dtoh_async(host, memory, 0, NULL), LAB_SUCCESS);
    cr_assert_eq(lab_memcpy_dtod_async(memory, memory, 0, NULL), LAB_SUCCESS);
    cr_assert_eq(lab_memset_async(memory, 9, 0, NULL), LAB_SUCCESS);
    unsigned char back[4];
    LAB_CHECK(lab_memcpy_dtoh(back, memory, 4));
    cr_assert_eq(memcmp(back, (unsigned char[]){1, 2, 3, 4}, 4), 0);
    LAB_CHECK(lab_mem_free(memory));
}

/* cuda.h, Memory Management: cuMemcpyHtoD, cuMemcpyDtoH. */
Test(copy, no_host_memory_is_refused)
{
    lab_deviceptr memory = allocate(16);
    cr_assert_eq(lab_memcpy_htod(memory, NULL, 16), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("host source is NULL"), "%s", lab_error_message());
    cr_assert_eq(lab_memcpy_dtoh(NULL, memory, 16), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("host destination is NULL"), "%s", lab_error_message());
    cr_assert_eq(lab_memcpy_htod_async(memory, NULL, 16, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memcpy_dtoh_async(NULL, memory, 16, NULL), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_mem_free(memory));
}

/* cuda.h, Memory Management: cuMemcpyHtoD, cuMemcpyDtoH. */
Test(copy, a_host_address_is_not_device_memory)
{
    unsigned char here[16] = {0}, *pinned = allocate_pinned(16);
    cr_assert_eq(lab_memcpy_htod((uintptr_t)here, pinned, 16), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("not device memory"), "%s", lab_error_message());
    cr_assert_eq(lab_memset_async((uintptr_t)here, 0, 16, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memset_async(0, 0, 16, NULL), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_host_free(pinned));
}

/* cuda.h, Memory Management: cuMemcpyDtoDAsync, cuMemsetD8Async. */
Test(copy, within_the_device_and_memset_reach_what_they_name)
{
    unsigned char host[1000], back[1000];
    lab_stream *stream = make_stream();
    lab_deviceptr source = allocate(1000), to = allocate(1000);
    fill(host, 1000);
    LAB_CHECK(lab_memcpy_htod_async(source, host, 1000, stream));
    LAB_CHECK(lab_memset_async(to, 0xee, 1000, stream));
    LAB_CHECK(lab_memcpy_dtod_async(to + 10, source + 10, 980, stream));
    LAB_CHECK(lab_memset_async(to + 500, 0, 1, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    LAB_CHECK(lab_memcpy_dtoh(back, to, 1000));
    for (size_t i = 0; i < 1000; i++) {
        unsigned char expected = i == 500 ? 0 : i < 10 || i >= 990 ? 0xee : byte_at(i);
        cr_assert_eq(back[i], expected, "byte %zu is %u", i, back[i]);
    }
    LAB_CHECK(lab_mem_free(source));
    LAB_CHECK(lab_mem_free(to));
}

/* cuda.h, Memory Management: cuMemcpyDtoDAsync, cuMemsetD8Async. */
Test(copy, within_the_device_and_memset_reach_every_byte_when_large)
{
    enum { BYTES = 4 * MEBIBYTE + 1 };
    unsigned char *host = malloc(BYTES);
    lab_stream *stream = make_stream();
    lab_deviceptr source = allocate(BYTES), to = allocate(BYTES);
    fill(host, BYTES);
    LAB_CHECK(lab_memcpy_htod_async(source, host, BYTES, stream));
    LAB_CHECK(lab_memcpy_dtod_async(to, source, BYTES, stream));
    LAB_CHECK(lab_memset_async(source, 7, BYTES, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    LAB_CHECK(lab_memcpy_dtoh(host, to, BYTES));
    cr_assert_eq(first_difference(host, BYTES), BYTES);
    LAB_CHECK(lab_memcpy_dtoh(host, source, BYTES));
    size_t sevens = 0;
    while (sevens < BYTES && host[sevens] == 7) sevens++;
    cr_assert_eq(sevens, BYTES);
    free(host);
    LAB_CHECK(lab_mem_free(source));
    LAB_CHECK(lab_mem_free(to));
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE. */
Test(copy, freed_memory_is_refused_by_every_operation)
{
    unsigned char host[64] = {0};
    lab_deviceptr freed = allocate(64), live = allocate(64);
    LAB_CHECK(lab_mem_free(freed));
    cr_assert_eq(lab_memcpy_htod(freed, host, 64), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memcpy_dtoh(host, freed, 64), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("source"), "%s", lab_error_message());
    cr_assert_eq(lab_memcpy_htod_async(freed, host, 64, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memcpy_dtoh_async(host, freed, 64, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memcpy_dtod_async(live, freed, 64, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memcpy_dtod_async(freed, live, 64, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("destination"), "%s", lab_error_message());
    cr_assert_eq(lab_memset_async(freed, 0, 64, NULL), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_mem_free(live));
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE. */
Test(copy, on_a_destroyed_stream_is_refused)
{
    lab_stream *stream = make_stream();
    lab_deviceptr memory = allocate(16);
    unsigned char host[16] = {0};
    LAB_CHECK(lab_stream_destroy(stream));
    cr_assert_eq(lab_memcpy_htod_async(memory, host, 16, stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_memcpy_dtoh_async(host, memory, 16, stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_memcpy_dtod_async(memory, memory, 16, stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_memset_async(memory, 0, 16, stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert(message_has("lab_memset_async") && message_has("destroyed"), "%s", lab_error_message());
    LAB_CHECK(lab_mem_free(memory));
}

/* --- When copies happen ------------------------------------------------------------------------------------- */

/* CUDA C++ Programming Guide, Streams: in order within one, none between two. */
Test(copy, happens_in_the_order_of_its_stream)
{
    enum { COPIES = 50 };
    lab_stream *stream = make_stream();
    lab_deviceptr memory = allocate(sizeof(int));
    int *sent = (int *)allocate_pinned(COPIES * sizeof(int)), *received = (int *)allocate_pinned(COPIES * sizeof(int));
    for (int i = 0; i < COPIES; i++) {
        sent[i] = i + 1;
        LAB_CHECK(lab_memcpy_htod_async(memory, &sent[i], sizeof(int), stream));
        LAB_CHECK(lab_memcpy_dtoh_async(&received[i], memory, sizeof(int), stream));
    }
    LAB_CHECK(lab_stream_synchronize(stream));
    for (int i = 0; i < COPIES; i++) cr_assert_eq(received[i], i + 1, "copy %d brought %d", i, received[i]);
    LAB_CHECK(lab_mem_free(memory));
}

static void check_async_does_not_hold_the_host(unsigned char *host)
{
    gate closed = GATE_CLOSED;
    lab_stream *stream = make_stream();
    lab_deviceptr memory = allocate(2 * MEBIBYTE);
    fill(host, MEBIBYTE);
    memset(host + MEBIBYTE, 0, MEBIBYTE);
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_memcpy_htod_async(memory, host, MEBIBYTE, stream));
    LAB_CHECK(lab_memcpy_dtod_async(memory + MEBIBYTE, memory, MEBIBYTE, stream));
    LAB_CHECK(lab_memcpy_dtoh_async(host + MEBIBYTE, memory + MEBIBYTE, MEBIBYTE, stream));
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_NOT_READY, "a copy overtook the gate");
    for (size_t i = 0; i < MEBIBYTE; i++) cr_assert_eq(host[MEBIBYTE + i], 0);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert_eq(first_difference(host + MEBIBYTE, MEBIBYTE), MEBIBYTE);
    LAB_CHECK(lab_mem_free(memory));
}

/* CUDA Driver API, API synchronization behavior: memcpy. */
Test(copy, async_copies_of_pinned_memory_do_not_hold_the_host)
{
    unsigned char *host = allocate_pinned(2 * MEBIBYTE);
    check_async_does_not_hold_the_host(host);
    LAB_CHECK(lab_host_free(host));
}

/* cuda.h, Memory Management: cuMemHostRegister, cuMemHostUnregister. */
Test(copy, async_copies_of_registered_memory_do_not_hold_the_host)
{
    unsigned char *host = allocate_pages(2 * MEBIBYTE);
    LAB_CHECK(lab_host_register(host, 2 * MEBIBYTE));
    check_async_does_not_hold_the_host(host);
    LAB_CHECK(lab_host_unregister(host));
    free(host);
}

/* CUDA Driver API, API synchronization behavior: memcpy. */
Test(copy, async_copies_from_the_middle_of_pinned_memory_do_not_hold_the_host)
{
    unsigned char *host = allocate_pinned(2 * MEBIBYTE + 300);
    check_async_does_not_hold_the_host(host + 299);
    LAB_CHECK(lab_host_free(host));
}

/* CUDA C++ Programming Guide, Streams: in order within one, none between two. */
Test(copy, does_not_wait_for_another_streams_host_function)
{
    gate closed = GATE_CLOSED;
    lab_stream *held = make_stream(), *copies = make_stream();
    lab_deviceptr memory = allocate(MEBIBYTE);
    unsigned char *host = allocate_pinned(2 * MEBIBYTE);
    fill(host, MEBIBYTE);
    gate_close_stream(&closed, held);
    LAB_CHECK(lab_memcpy_htod_async(memory, host, MEBIBYTE, copies));
    LAB_CHECK(lab_memcpy_dtoh_async(host + MEBIBYTE, memory, MEBIBYTE, copies));
    LAB_CHECK(lab_stream_synchronize(copies));
    cr_assert_eq(first_difference(host + MEBIBYTE, MEBIBYTE), MEBIBYTE);
    cr_assert_eq(lab_stream_query(held), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(held));
    LAB_CHECK(lab_host_free(host));
    LAB_CHECK(lab_mem_free(memory));
}

typedef struct late_bytes {
    unsigned char *host;
    size_t bytes;
} late_bytes;

static void fill_late(void *user)
{
    const late_bytes *late = user;
    for (volatile int look = 0; look < 3000000; look++) {}
    fill(late->host, late->bytes);
}

/* Uploads on one stream what the host function of another writes, also in sizes that a driver may read during the call.
 * */
static void check_uploads_after_host_function(void (*enqueue)(lab_stream *stream, late_bytes *late), lab_stream *first,
                                              lab_stream *between, lab_stream *upload)
{
    static const size_t sizes[] = {4, 4096, 24 * 1024, 64 * 1024, MEBIBYTE};
    lab_deviceptr memory = allocate(MEBIBYTE + 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        gate closed = GATE_CLOSED;
        late_bytes late = {allocate_pinned(sizes[i]), sizes[i]};
        memset(late.host, 0, sizes[i]);
        gate_close_stream(&closed, first);
        enqueue(first, &late);
        if (between) LAB_CHECK(lab_memset_async(memory + MEBIBYTE, 0, 1, between));
        LAB_CHECK(lab_memcpy_htod_async(memory, late.host, sizes[i], upload));
        gate_open(&closed);
        LAB_CHECK(lab_device_synchronize());
        memset(late.host, 0, sizes[i]);
        LAB_CHECK(lab_memcpy_dtoh(late.host, memory, sizes[i]));
        cr_assert_eq(first_difference(late.host, sizes[i]), sizes[i], "%zu bytes: old ones were uploaded", sizes[i]);
        LAB_CHECK(lab_host_free(late.host));
    }
    LAB_CHECK(lab_mem_free(memory));
}

static void enqueue_function(lab_stream *stream, late_bytes *late)
{
    LAB_CHECK(lab_stream_launch_host_func(stream, fill_late, late));
}

static void enqueue_graph(lab_stream *stream, late_bytes *late)
{
    lab_stream *capturing = make_stream();
    lab_graph *graph;
    lab_graph_exec *exec;
    LAB_CHECK(lab_stream_begin_capture(capturing, LAB_CAPTURE_THREAD_LOCAL));
    enqueue_function(capturing, late);
    LAB_CHECK(lab_stream_end_capture(&graph, capturing));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    LAB_CHECK(lab_graph_launch(exec, stream));
    LAB_CHECK(lab_graph_exec_destroy(exec));
    LAB_CHECK(lab_graph_destroy(graph));
}

static lab_stream *make_blocking_stream(void)
{
    lab_stream *made;
    LAB_CHECK(lab_stream_create(&made, LAB_STREAM_DEFAULT));
    return made;
}

/* CUDA C++ Programming Guide, Default Stream: legacy default stream. */
Test(copy, on_the_null_stream_reads_pinned_memory_after_a_blocking_streams_host_function)
{
    check_uploads_after_host_function(enqueue_function, make_blocking_stream(), NULL, lab_stream_null());
}

/* CUDA C++ Programming Guide, Default Stream: legacy default stream. */
Test(copy, on_a_blocking_stream_reads_pinned_memory_after_the_null_streams_host_function)
{
    check_uploads_after_host_function(enqueue_function, lab_stream_null(), NULL, make_blocking_stream());
}

/* CUDA C++ Programming Guide, Default Stream: legacy default stream. */
Test(copy, on_a_blocking_stream_reads_pinned_memory_after_what_the_null_stream_waits_for)
{
    check_uploads_after_host_function(enqueue_function, make_blocking_stream(), lab_stream_null(),
                                      make_blocking_stream());
}

/* CUDA C++ Programming Guide, Default Stream: legacy default stream. */
Test(copy, on_the_null_stream_reads_pinned_memory_after_the_host_function_of_a_graph)
{
    check_uploads_after_host_function(enqueue_graph, make_blocking_stream(), NULL, lab_stream_null());
}

/* CUDA Driver API, API synchronization behavior: memcpy. */
Test(copy, pageable_source_may_be_overwritten_once_the_call_returns)
{
    lab_stream *stream = make_stream();
    lab_deviceptr memory = allocate(2 * MEBIBYTE);
    unsigned char *host = malloc(2 * MEBIBYTE);
    for (int round = 0; round < 5; round++) {
        fill(host, 2 * MEBIBYTE);
        LAB_CHECK(lab_memcpy_htod_async(memory, host, 2 * MEBIBYTE, stream));
        memset(host, 0xee, 2 * MEBIBYTE);
        LAB_CHECK(lab_stream_synchronize(stream));
        LAB_CHECK(lab_memcpy_dtoh(host, memory, 2 * MEBIBYTE));
        cr_assert_eq(first_difference(host, 2 * MEBIBYTE), 2 * MEBIBYTE);
    }
    free(host);
    LAB_CHECK(lab_mem_free(memory));
}

/* CUDA Driver API, API synchronization behavior: memcpy. */
Test(copy, synchronous_copy_to_the_device_reads_the_host_after_the_blocking_streams_work)
{
    enum { BYTES = MEBIBYTE };
    lab_stream *blocking;
    LAB_CHECK(lab_stream_create(&blocking, LAB_STREAM_DEFAULT));
    lab_deviceptr memory = allocate(BYTES);
    late_bytes late = {calloc(1, BYTES), BYTES};
    LAB_CHECK(lab_stream_launch_host_func(blocking, fill_late, &late));
    LAB_CHECK(lab_memcpy_htod(memory, late.host, BYTES));
    memset(late.host, 0, BYTES);
    LAB_CHECK(lab_memcpy_dtoh(late.host, memory, BYTES));
    cr_assert_eq(first_difference(late.host, BYTES), BYTES);
    free(late.host);
    LAB_CHECK(lab_mem_free(memory));
}

/* CUDA Driver API, Stream synchronization behavior: legacy default stream. */
Test(copy, synchronous_copies_wait_for_the_blocking_streams)
{
    lab_stream *blocking;
    LAB_CHECK(lab_stream_create(&blocking, LAB_STREAM_DEFAULT));
    lab_deviceptr memory = allocate(MEBIBYTE);
    unsigned char host = 0;
    for (int round = 1; round < 20; round++) {
        LAB_CHECK(lab_memset_async(memory, (unsigned char)round, MEBIBYTE, blocking));
        LAB_CHECK(lab_memcpy_dtoh(&host, memory + MEBIBYTE - 1, 1));
        cr_assert_eq(host, round);
    }
    LAB_CHECK(lab_mem_free(memory));
}

/* CUDA Driver API, API synchronization behavior: memcpy. */
Test(copy, synchronous_copy_to_the_host_has_arrived_when_it_returns)
{
    lab_deviceptr memory = allocate(2 * MEBIBYTE);
    unsigned char *pinned = allocate_pinned(2 * MEBIBYTE);
    fill(pinned, 2 * MEBIBYTE);
    LAB_CHECK(lab_memcpy_htod(memory, pinned, 2 * MEBIBYTE));
    for (int round = 0; round < 5; round++) {
        memset(pinned, 0, 2 * MEBIBYTE);
        LAB_CHECK(lab_memcpy_dtoh(pinned, memory, 2 * MEBIBYTE));
        cr_assert_eq(first_difference(pinned, 2 * MEBIBYTE), 2 * MEBIBYTE);
    }
    LAB_CHECK(lab_host_free(pinned));
    LAB_CHECK(lab_mem_free(memory));
}

/* cuda.h, Memory Management: cuMemHostRegister, cuMemHostUnregister. */
Test(copy, unregistered_memory_is_pageable_again_and_still_there)
{
    lab_deviceptr memory = allocate(MEBIBYTE);
    unsigned char *host = allocate_pages(MEBIBYTE);
    fill(host, MEBIBYTE);
    LAB_CHECK(lab_host_register(host, MEBIBYTE));
    LAB_CHECK(lab_memcpy_htod(memory, host, MEBIBYTE));
    LAB_CHECK(lab_host_unregister(host));
    memset(host, 0, MEBIBYTE);
    LAB_CHECK(lab_memcpy_dtoh(host, memory, MEBIBYTE));
    cr_assert_eq(first_difference(host, MEBIBYTE), MEBIBYTE);
    free(host);
    LAB_CHECK(lab_mem_free(memory));
}
