/* Memory: device, pinned and registered memory, and copies between them (cuda.h, "Memory Management"; "API
 * synchronization behavior"). Whether a copy of pageable memory holds its caller is left open by CUDA: nothing here
 * depends on it. */
#include "gate.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEBIBYTE = 1 << 20, BUFFER_BYTES = 4 * MEBIBYTE + 4096 };

static lab_stream *make_stream(void)
{
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    return stream;
}

static lab_deviceptr allocate(size_t bytes)
{
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, bytes));
    return memory;
}

static unsigned char *allocate_pinned(size_t bytes)
{
    void *memory;
    LAB_CHECK(lab_host_alloc(&memory, bytes));
    return memory;
}

static unsigned char *allocate_pages(size_t bytes)
{
    void *memory = NULL;
    cr_assert_eq(posix_memalign(&memory, (size_t)sysconf(_SC_PAGESIZE), bytes), 0);
    return memory;
}

/* A different byte at each index, and no short period. */
static unsigned char byte_at(size_t i) { return (unsigned char)(i ^ i >> 7 ^ i >> 15); }

static void fill(unsigned char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) memory[i] = byte_at(i);
}

/* The first index at which the memory is not as `fill` made it; `bytes` if there is none. */
static size_t first_difference(const unsigned char *memory, size_t bytes)
{
    size_t i = 0;
    while (i < bytes && memory[i] == byte_at(i)) i++;
    return i;
}

static bool message_has(const char *part) { return strstr(lab_error_message(), part) != NULL; }

/* --- Device memory ------------------------------------------------------------------------------------------ */

Test(memory, allocations_are_aligned_and_apart)
{
    lab_deviceptr memory[8];
    for (int i = 0; i < 8; i++) {
        memory[i] = allocate(1 + 100 * (size_t)i);
        cr_assert_neq(memory[i], 0);
        cr_assert_eq(memory[i] % 256, 0, "allocation %d is at 0x%llx", i, memory[i]);
    }
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < i; k++)
            cr_assert(memory[i] + 1 + 100 * (size_t)i <= memory[k] || memory[k] + 1 + 100 * (size_t)k <= memory[i],
                      "allocations %d and %d overlap", k, i);
    for (int i = 0; i < 8; i++) LAB_CHECK(lab_mem_free(memory[i]));
}

Test(memory, an_allocation_of_0_bytes_is_refused)
{
    lab_deviceptr memory = 1;
    cr_assert_eq(lab_mem_alloc(&memory, 0), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(memory, 0);
    cr_assert_eq(lab_mem_alloc(NULL, 16), LAB_ERROR_INVALID_VALUE);
}

Test(memory, more_than_there_is_is_out_of_memory_and_names_the_bytes)
{
    size_t free_bytes, total_bytes;
    LAB_CHECK(lab_mem_get_info(&free_bytes, &total_bytes));
    static const size_t huge[] = {SIZE_MAX, SIZE_MAX - 255, SIZE_MAX / 2 + 1};
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
        lab_deviceptr memory = 1;
        cr_assert_eq(lab_mem_alloc(&memory, huge[i]), LAB_ERROR_OUT_OF_MEMORY, "%zu bytes", huge[i]);
        cr_assert_eq(memory, 0);
    }
    lab_deviceptr memory;
    cr_assert_eq(lab_mem_alloc(&memory, total_bytes + 1), LAB_ERROR_OUT_OF_MEMORY);
    char bytes[32];
    snprintf(bytes, sizeof bytes, "%zu", total_bytes + 1);
    cr_assert(message_has(bytes), "%s", lab_error_message());
    LAB_CHECK(lab_mem_free(allocate(64)));
}

Test(memory, info_counts_what_is_allocated)
{
    size_t before, during, after, total;
    LAB_CHECK(lab_mem_get_info(&before, &total));
    cr_assert_leq(before, total);
    lab_deviceptr memory = allocate(32 * MEBIBYTE);
    LAB_CHECK(lab_mem_get_info(&during, &total));
    cr_assert_leq(during, before - 32 * MEBIBYTE);
    LAB_CHECK(lab_mem_free(memory));
    LAB_CHECK(lab_mem_get_info(&after, &total));
    cr_assert_geq(after, during + 32 * MEBIBYTE);
    cr_assert_eq(lab_mem_get_info(NULL, &total), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_mem_get_info(&after, NULL), LAB_ERROR_INVALID_VALUE);
}

Test(memory, freeing_twice_is_an_error_that_says_so)
{
    lab_deviceptr memory = allocate(64);
    LAB_CHECK(lab_mem_free(memory));
    cr_assert_eq(lab_mem_free(memory), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("freed already"), "%s", lab_error_message());
}

Test(memory, only_the_beginning_of_an_allocation_can_be_freed)
{
    int on_the_host;
    lab_deviceptr memory = allocate(512);
    cr_assert_eq(lab_mem_free(memory + 256), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_mem_free((uintptr_t)&on_the_host), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_mem_free(memory));
    cr_assert_eq(lab_mem_free(0), LAB_SUCCESS);
}

Test(memory, freed_memory_is_refused_by_every_operation)
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

/* Long enough that a free which did not wait would be seen to return first. */
static void dawdle_and_set(void *user)
{
    for (volatile int look = 0; look < 3000000; look++) {}
    atomic_store((atomic_bool *)user, true);
}

Test(memory, free_waits_for_the_work_of_all_streams)
{
    atomic_bool ran = false;
    lab_deviceptr memory = allocate(64);
    LAB_CHECK(lab_stream_launch_host_func(make_stream(), dawdle_and_set, &ran));
    LAB_CHECK(lab_mem_free(memory));
    cr_assert(atomic_load(&ran));
}

/* --- Copies ------------------------------------------------------------------------------------------------- */

/* Around every size at which a copy might be cut into pieces. */
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

Test(memory, pageable_memory_makes_the_round_trip)
{
    unsigned char *source = malloc(BUFFER_BYTES), *destination = malloc(BUFFER_BYTES);
    check_round_trips(source, destination);
    free(source);
    free(destination);
}

Test(memory, pinned_memory_makes_the_round_trip)
{
    unsigned char *source = allocate_pinned(BUFFER_BYTES), *destination = allocate_pinned(BUFFER_BYTES);
    check_round_trips(source, destination);
    LAB_CHECK(lab_host_free(source));
    LAB_CHECK(lab_host_free(destination));
}

Test(memory, registered_memory_makes_the_round_trip)
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

Test(memory, async_copies_of_every_kind_of_memory_have_arrived_when_the_stream_is_done)
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

Test(memory, copies_stay_inside_the_bytes_asked_for)
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

Test(memory, copies_beyond_the_end_are_refused_and_name_the_bytes_there_are)
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

Test(memory, copies_of_0_bytes_succeed_and_do_nothing)
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

Test(memory, no_host_memory_is_refused)
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

Test(memory, a_host_address_is_no_device_memory)
{
    unsigned char here[16] = {0}, *pinned = allocate_pinned(16);
    cr_assert_eq(lab_memcpy_htod((uintptr_t)here, pinned, 16), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("not device memory"), "%s", lab_error_message());
    cr_assert_eq(lab_memset_async((uintptr_t)here, 0, 16, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memset_async(0, 0, 16, NULL), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_host_free(pinned));
}

Test(memory, a_copy_within_the_device_and_memset_set_what_they_name)
{
    unsigned char host[1000], back[1000];
    lab_stream *stream = make_stream();
    lab_deviceptr from = allocate(1000), to = allocate(1000);
    fill(host, 1000);
    LAB_CHECK(lab_memcpy_htod(from, host, 1000));
    LAB_CHECK(lab_memset_async(to, 0xee, 1000, stream));
    LAB_CHECK(lab_memcpy_dtod_async(to + 10, from + 10, 980, stream));
    LAB_CHECK(lab_memset_async(to + 500, 0, 1, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    LAB_CHECK(lab_memcpy_dtoh(back, to, 1000));
    for (size_t i = 0; i < 1000; i++) {
        unsigned char expected = i == 500 ? 0 : i < 10 || i >= 990 ? 0xee : byte_at(i);
        cr_assert_eq(back[i], expected, "byte %zu is %u", i, back[i]);
    }
    LAB_CHECK(lab_mem_free(from));
    LAB_CHECK(lab_mem_free(to));
}

Test(memory, large_copies_within_the_device_and_large_memsets_reach_every_byte)
{
    enum { BYTES = 4 * MEBIBYTE + 1 };
    unsigned char *host = malloc(BYTES);
    lab_stream *stream = make_stream();
    lab_deviceptr from = allocate(BYTES), to = allocate(BYTES);
    fill(host, BYTES);
    LAB_CHECK(lab_memcpy_htod(from, host, BYTES));
    LAB_CHECK(lab_memcpy_dtod_async(to, from, BYTES, stream));
    LAB_CHECK(lab_memset_async(from, 7, BYTES, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    LAB_CHECK(lab_memcpy_dtoh(host, to, BYTES));
    cr_assert_eq(first_difference(host, BYTES), BYTES);
    LAB_CHECK(lab_memcpy_dtoh(host, from, BYTES));
    size_t sevens = 0;
    while (sevens < BYTES && host[sevens] == 7) sevens++;
    cr_assert_eq(sevens, BYTES);
    free(host);
    LAB_CHECK(lab_mem_free(from));
    LAB_CHECK(lab_mem_free(to));
}

/* --- When copies happen ------------------------------------------------------------------------------------- */

Test(memory, copies_of_one_stream_happen_in_the_order_they_were_enqueued)
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

Test(memory, async_copies_of_pinned_memory_do_not_hold_the_host)
{
    unsigned char *host = allocate_pinned(2 * MEBIBYTE);
    check_async_does_not_hold_the_host(host);
    LAB_CHECK(lab_host_free(host));
}

Test(memory, async_copies_of_registered_memory_do_not_hold_the_host)
{
    unsigned char *host = allocate_pages(2 * MEBIBYTE);
    LAB_CHECK(lab_host_register(host, 2 * MEBIBYTE));
    check_async_does_not_hold_the_host(host);
    LAB_CHECK(lab_host_unregister(host));
    free(host);
}

Test(memory, async_copies_from_the_middle_of_pinned_memory_do_not_hold_the_host)
{
    unsigned char *host = allocate_pinned(2 * MEBIBYTE + 300);
    check_async_does_not_hold_the_host(host + 299);
    LAB_CHECK(lab_host_free(host));
}

Test(memory, copies_do_not_wait_for_another_streams_host_function)
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

Test(memory, pageable_source_may_be_overwritten_once_the_call_returns)
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

Test(memory, synchronous_copy_to_the_device_reads_the_host_after_the_blocking_streams_work)
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

Test(memory, synchronous_copies_wait_for_the_blocking_streams)
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

Test(memory, synchronous_copy_to_the_host_has_arrived_when_it_returns)
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

/* --- Pinned memory ------------------------------------------------------------------------------------------ */

Test(memory, pinned_memory_is_page_aligned_and_the_hosts_to_use)
{
    unsigned char *pinned = allocate_pinned(5000);
    cr_assert_eq((uintptr_t)pinned % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
    fill(pinned, 5000);
    cr_assert_eq(first_difference(pinned, 5000), 5000);
    LAB_CHECK(lab_host_free(pinned));
}

Test(memory, pinned_memory_of_0_bytes_or_more_than_there_is_is_refused)
{
    void *pinned = &pinned;
    cr_assert_eq(lab_host_alloc(&pinned, 0), LAB_ERROR_INVALID_VALUE);
    cr_assert_null(pinned);
    pinned = &pinned;
    cr_assert_eq(lab_host_alloc(&pinned, SIZE_MAX), LAB_ERROR_OUT_OF_MEMORY);
    cr_assert_null(pinned);
    cr_assert_eq(lab_host_alloc(&pinned, SIZE_MAX / 4), LAB_ERROR_OUT_OF_MEMORY);
    cr_assert_eq(lab_host_alloc(NULL, 16), LAB_ERROR_INVALID_VALUE);
}

Test(memory, host_free_takes_what_host_alloc_gave_and_nothing_else)
{
    unsigned char *pinned = allocate_pinned(64), *registered = allocate_pages(4096);
    LAB_CHECK(lab_host_register(registered, 4096));
    cr_assert_eq(lab_host_free(NULL), LAB_SUCCESS);
    cr_assert_eq(lab_host_free(&pinned), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_host_free(pinned + 1), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_host_free(registered), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("lab_host_alloc"), "%s", lab_error_message());
    cr_assert_eq(lab_host_free(pinned), LAB_SUCCESS);
    cr_assert_eq(lab_host_free(pinned), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_host_unregister(registered));
    free(registered);
}

Test(memory, host_unregister_takes_what_host_register_pinned_and_nothing_else)
{
    unsigned char *pinned = allocate_pinned(64), *registered = allocate_pages(4096);
    LAB_CHECK(lab_host_register(registered, 4096));
    cr_assert_eq(lab_host_unregister(NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_host_unregister(&pinned), LAB_ERROR_HOST_MEMORY_NOT_REGISTERED);
    cr_assert_eq(lab_host_unregister(pinned), LAB_ERROR_HOST_MEMORY_NOT_REGISTERED);
    cr_assert(message_has("lab_host_register"), "%s", lab_error_message());
    cr_assert_eq(lab_host_unregister(registered), LAB_SUCCESS);
    cr_assert_eq(lab_host_unregister(registered), LAB_ERROR_HOST_MEMORY_NOT_REGISTERED);
    LAB_CHECK(lab_host_register(registered, 4096));
    LAB_CHECK(lab_host_unregister(registered));
    LAB_CHECK(lab_host_free(pinned));
    free(registered);
}

Test(memory, memory_that_is_pinned_already_cannot_be_registered)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *memory = allocate_pages(4 * page), *pinned = allocate_pinned(page);
    LAB_CHECK(lab_host_register(memory + page, 2 * page));
    cr_assert_eq(lab_host_register(memory + page, 2 * page), LAB_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    cr_assert_eq(lab_host_register(memory + 2 * page, page), LAB_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    cr_assert_eq(lab_host_register(memory, 2 * page), LAB_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    cr_assert_eq(lab_host_register(memory + 2 * page, 2 * page), LAB_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    cr_assert_eq(lab_host_register(memory, 4 * page), LAB_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    cr_assert_eq(lab_host_register(pinned, page), LAB_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    LAB_CHECK(lab_host_register(memory, page));
    LAB_CHECK(lab_host_register(memory + 3 * page, page));
    for (int i = 0; i < 4; i++)
        if (i != 2) LAB_CHECK(lab_host_unregister(memory + (size_t)i * page));
    LAB_CHECK(lab_host_free(pinned));
    free(memory);
}

Test(memory, nothing_no_bytes_and_more_bytes_than_addresses_cannot_be_registered)
{
    unsigned char *memory = allocate_pages(4096);
    cr_assert_eq(lab_host_register(NULL, 4096), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_host_register(memory, 0), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_host_register(memory, SIZE_MAX), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_host_register(memory, 4096));
    LAB_CHECK(lab_host_unregister(memory));
    free(memory);
}

Test(memory, addresses_without_memory_cannot_be_registered)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *memory = allocate_pages(page);
    cr_assert_neq(lab_host_register((void *)page, page), LAB_SUCCESS);
    cr_assert_neq(lab_host_register(memory, SIZE_MAX / 4), LAB_SUCCESS);
    LAB_CHECK(lab_host_register(memory, page));
    LAB_CHECK(lab_host_unregister(memory));
    free(memory);
}

Test(memory, unregistered_memory_is_pageable_again_and_still_there)
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

Test(memory, copies_name_a_destroyed_stream)
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
