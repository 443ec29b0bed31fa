/* Copies and fills of memory that was freed after they were captured: the operation fails, not the process. */
#include "lab.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* So much that the C library gives freed memory back to the system. */
enum { BYTES = 33 << 20 };

typedef struct memory {
    lab_deviceptr device, other;
    void *pinned, *pageable;
} memory;

/* Captures what `enqueue` does with the memory, frees the memory and launches the graph. The message begins so. */
static void check_end(void (*enqueue)(lab_stream *stream, const memory *used), const char *what)
{
    char text[100];
    snprintf(text, sizeof text, "%s of %d bytes used memory at 0x", what, BYTES);
    memory used;
    lab_stream *stream;
    lab_graph *graph;
    lab_graph_exec *exec;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_mem_alloc(&used.device, BYTES));
    LAB_CHECK(lab_mem_alloc(&used.other, BYTES));
    LAB_CHECK(lab_host_alloc(&used.pinned, BYTES));
    used.pageable = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    enqueue(stream, &used);
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    LAB_CHECK(lab_mem_free(used.other));
    LAB_CHECK(lab_host_free(used.pinned));
    munmap(used.pageable, BYTES);

    LAB_CHECK(lab_graph_launch(exec, stream));
    const lab_status status = lab_stream_synchronize(stream);
    cr_assert_eq(status, LAB_ERROR_ILLEGAL_ADDRESS, "%s", lab_error_message());
    cr_assert(strstr(lab_error_message(), text), "the message is: %s\nand lacks: %s", lab_error_message(), text);
    cr_assert(strstr(lab_error_message(), "LAB_ORDER=report in the environment makes it name the call that freed"));
    cr_assert_eq(lab_stream_synchronize(stream), LAB_ERROR_ILLEGAL_ADDRESS, "it stays, and the process goes on");
}

static void upload(lab_stream *stream, const memory *used)
{
    LAB_CHECK(lab_memcpy_htod_async(used->device, used->pinned, BYTES, stream));
}

Test(copy_fault, an_upload_from_freed_pinned_memory_is_an_illegal_address) { check_end(upload, "a copy"); }

static void download(lab_stream *stream, const memory *used)
{
    LAB_CHECK(lab_memcpy_dtoh_async(used->pinned, used->device, BYTES, stream));
}

Test(copy_fault, a_download_to_freed_pinned_memory_is_an_illegal_address) { check_end(download, "a copy"); }

static void upload_pageable(lab_stream *stream, const memory *used)
{
    LAB_CHECK(lab_memcpy_htod_async(used->device, used->pageable, BYTES, stream));
}

Test(copy_fault, an_upload_from_pageable_memory_that_is_gone_is_an_illegal_address)
{
    check_end(upload_pageable, "a copy");
}

/* The address sanitizer sees these uses itself, since device memory is the C library's. */
#ifndef __SANITIZE_ADDRESS__
static void duplicate(lab_stream *stream, const memory *used)
{
    LAB_CHECK(lab_memcpy_dtod_async(used->device, used->other, BYTES, stream));
}

Test(copy_fault, a_copy_from_freed_device_memory_is_an_illegal_address) { check_end(duplicate, "a copy"); }

static void fill(lab_stream *stream, const memory *used) { LAB_CHECK(lab_memset_async(used->other, 1, BYTES, stream)); }

Test(copy_fault, a_fill_of_freed_device_memory_is_an_illegal_address) { check_end(fill, "a fill"); }

#endif

Test(copy_fault, copies_in_adversarial_orders_fail_in_the_same_way)
{
    setenv("LAB_SCHEDULE", "adversarial:1", 1);
    check_end(upload, "a copy");
}
