/* Memory: device memory, pinned and registered host memory, and the errors of freeing them wrongly (cuda.h, "Memory
 * Management"). copy_test.c tests copies. */
#include "alone.h"
#include "buffers.h"
#include "gate.h"

/* --- Device memory ------------------------------------------------------------------------------------------ */

/* cuda.h, Memory Management: cuMemAlloc, cuMemHostRegister. */
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

/* cuda.h, Memory Management: cuMemAlloc, cuMemHostRegister. */
Test(memory, an_allocation_of_0_bytes_is_refused)
{
    lab_deviceptr memory = 1;
    cr_assert_eq(lab_mem_alloc(&memory, 0), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(memory, 0);
    cr_assert_eq(lab_mem_alloc(NULL, 16), LAB_ERROR_INVALID_VALUE);
}

/* cuda.h, Memory Management: cuMemAlloc, cuMemHostRegister. */
Test(memory, too_many_bytes_are_out_of_memory_and_named)
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

/* cuda.h, Memory Management: cuMemGetInfo. */
Test(memory, info_counts_what_is_allocated)
{
    size_t before, during, after, total;
    LAB_CHECK(lab_mem_get_info(&before, &total));
    cr_assert_leq(before, total);
    lab_deviceptr memory = allocate(32 * MEBIBYTE);
    LAB_CHECK(lab_mem_get_info(&during, &total));
    if (memory_is_ours()) cr_assert_leq(during, before - 32 * MEBIBYTE);
    LAB_CHECK(lab_mem_free(memory));
    LAB_CHECK(lab_mem_get_info(&after, &total));
    if (memory_is_ours()) cr_assert_geq(after, during + 32 * MEBIBYTE);
    cr_assert_eq(lab_mem_get_info(NULL, &total), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_mem_get_info(&after, NULL), LAB_ERROR_INVALID_VALUE);
}

/* cuda.h, Memory Management: cuMemFree. */
Test(memory, freeing_twice_is_an_error_that_says_so)
{
    lab_deviceptr memory = allocate(64);
    LAB_CHECK(lab_mem_free(memory));
    cr_assert_eq(lab_mem_free(memory), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("freed already"), "%s", lab_error_message());
}

/* cuda.h, Memory Management: cuMemFree. */
Test(memory, only_the_beginning_of_an_allocation_can_be_freed)
{
    int on_the_host;
    lab_deviceptr memory = allocate(512);
    cr_assert_eq(lab_mem_free(memory + 256), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_mem_free((uintptr_t)&on_the_host), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_mem_free(memory));
    cr_assert_eq(lab_mem_free(0), LAB_SUCCESS);
}

/* Takes long enough that a free that does not wait would visibly return first. */
static void dawdle_and_set(void *user)
{
    for (volatile int look = 0; look < 3000000; look++) {}
    atomic_store((atomic_bool *)user, true);
}

/* cuda.h, Memory Management: cuMemFree. */
Test(memory, free_waits_for_the_work_of_all_streams)
{
    atomic_bool ran = false;
    lab_deviceptr memory = allocate(64);
    LAB_CHECK(lab_stream_launch_host_func(make_stream(), dawdle_and_set, &ran));
    LAB_CHECK(lab_mem_free(memory));
    cr_assert(atomic_load(&ran));
}

/* --- Pinned memory ------------------------------------------------------------------------------------------ */

/* cuda.h, Memory Management: cuMemAllocHost, cuMemFreeHost. */
Test(memory, pinned_memory_is_page_aligned_and_the_hosts_to_use)
{
    unsigned char *pinned = allocate_pinned(5000);
    cr_assert_eq((uintptr_t)pinned % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
    fill(pinned, 5000);
    cr_assert_eq(first_difference(pinned, 5000), 5000);
    LAB_CHECK(lab_host_free(pinned));
}

/* cuda.h, Memory Management: cuMemAllocHost, cuMemFreeHost. */
Test(memory, pinned_memory_of_0_or_too_many_bytes_is_refused)
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

/* cuda.h, Memory Management: cuMemAllocHost, cuMemFreeHost. */
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

/* cuda.h, Memory Management: cuMemHostRegister, cuMemHostUnregister. */
Test(memory, host_unregister_takes_what_host_register_pinned_and_nothing_else)
{
    unsigned char *pinned = allocate_pinned(64), *registered = allocate_pages(4096);
    LAB_CHECK(lab_host_register(registered, 4096));
    cr_assert_eq(lab_host_unregister(NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_host_unregister(&pinned), LAB_ERROR_HOST_MEMORY_NOT_REGISTERED);
    cr_assert_eq(lab_host_unregister(pinned), LAB_ERROR_INVALID_VALUE);
    cr_assert(message_has("lab_host_register"), "%s", lab_error_message());
    cr_assert_eq(lab_host_unregister(registered), LAB_SUCCESS);
    cr_assert_eq(lab_host_unregister(registered), LAB_ERROR_HOST_MEMORY_NOT_REGISTERED);
    LAB_CHECK(lab_host_register(registered, 4096));
    LAB_CHECK(lab_host_unregister(registered));
    LAB_CHECK(lab_host_free(pinned));
    free(registered);
}

/* cuda.h, Memory Management: cuMemHostRegister, cuMemHostUnregister. */
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

/* cuda.h, Memory Management: cuMemAlloc, cuMemHostRegister. */
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

/* cuda.h, Memory Management: cuMemHostRegister, cuMemHostUnregister. */
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
