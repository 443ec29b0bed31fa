/* Copies, fills and kernels that use memory that was freed after they were captured: the operation fails, not the
 * process. Also with kernels in a process of their own. */
#include "lab.h"
#include "test.h"

#include "base/system/kernels_apart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* So much that the C library gives freed memory back to the system; and what it would keep. */
enum { LARGE = 33 << 20, SMALL = 64, MESSAGE = 512 };

typedef struct memory {
    size_t bytes; /* of each */
    lab_deviceptr device, other;
    void *pinned, *pageable;
} memory;

/* Captures what `enqueue` does with the memory, frees the memory and launches the graph, whose message is written. */
static void fail(char message[MESSAGE], void (*enqueue)(lab_stream *stream, const memory *used), size_t bytes)
{
    memory used = {.bytes = bytes};
    lab_stream *stream;
    lab_graph *graph;
    lab_graph_exec *exec;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_mem_alloc(&used.device, bytes));
    LAB_CHECK(lab_mem_alloc(&used.other, bytes));
    LAB_CHECK(lab_host_alloc(&used.pinned, bytes));
    used.pageable = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    enqueue(stream, &used);
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    LAB_CHECK(lab_mem_free(used.other));
    LAB_CHECK(lab_host_free(used.pinned));
    munmap(used.pageable, bytes);

    LAB_CHECK(lab_graph_launch(exec, stream));
    const lab_status status = lab_stream_synchronize(stream);
    cr_assert_eq(status, LAB_ERROR_ILLEGAL_ADDRESS, "%s", lab_error_message());
    snprintf(message, MESSAGE, "%s", lab_error_message());
    cr_assert_eq(lab_stream_synchronize(stream), LAB_ERROR_ILLEGAL_ADDRESS, "it stays, and the process goes on");
}

/* The message begins so, and says how to learn more. */
static void check_end(void (*enqueue)(lab_stream *stream, const memory *used), size_t bytes, const char *what)
{
    char message[MESSAGE], text[100];
    fail(message, enqueue, bytes);
    snprintf(text, sizeof text, "%s of %zu bytes used memory at 0x", what, bytes);
    cr_assert(strstr(message, text), "the message is: %s\nand lacks: %s", message, text);
    cr_assert(strstr(message, "LAB_ORDER=report in the environment makes it name the call that freed"), "%s", message);
}

static void upload(lab_stream *stream, const memory *used)
{
    LAB_CHECK(lab_memcpy_htod_async(used->device, used->pinned, used->bytes, stream));
}

Test(copy_fault, an_upload_from_freed_pinned_memory_is_an_illegal_address) { check_end(upload, LARGE, "a copy"); }

static void download(lab_stream *stream, const memory *used)
{
    LAB_CHECK(lab_memcpy_dtoh_async(used->pinned, used->device, used->bytes, stream));
}

Test(copy_fault, a_download_to_freed_pinned_memory_is_an_illegal_address) { check_end(download, LARGE, "a copy"); }

static void upload_pageable(lab_stream *stream, const memory *used)
{
    LAB_CHECK(lab_memcpy_htod_async(used->device, used->pageable, used->bytes, stream));
}

Test(copy_fault, an_upload_from_pageable_memory_that_is_gone_is_an_illegal_address)
{
    char message[MESSAGE];
    fail(message, upload_pageable, LARGE);
    cr_assert(strstr(message, "a copy of"), "%s", message);
}

static void duplicate(lab_stream *stream, const memory *used)
{
    LAB_CHECK(lab_memcpy_dtod_async(used->device, used->other, used->bytes, stream));
}

static void fill(lab_stream *stream, const memory *used)
{
    LAB_CHECK(lab_memset_async(used->other, 1, used->bytes, stream));
}

static void launch(lab_stream *stream, const memory *used, const char *name)
{
    static const char source[] = "extern \"C\" __global__ void reads(float *to, const float *from) { *to = *from; }\n"
                                 "extern \"C\" __global__ void writes(float *to, float *other) { *other = *to; }\n";
    static lab_module *module;
    lab_function function;
    if (!module) LAB_CHECK(lab_module_load_source(&module, source, NULL));
    LAB_CHECK(lab_module_get_function(&function, module, name));
    LAB_CHECK(lab_launch(function, LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_ARGS(used->device, used->other)));
}

static void read_by_kernel(lab_stream *stream, const memory *used) { launch(stream, used, "reads"); }
static void write_by_kernel(lab_stream *stream, const memory *used) { launch(stream, used, "writes"); }

static void check_kernel(void (*enqueue)(lab_stream *stream, const memory *used), size_t bytes, const char *name)
{
    char message[MESSAGE], text[40];
    fail(message, enqueue, bytes);
    snprintf(text, sizeof text, "kernel '%s': ", name);
    cr_assert(strstr(message, text) && strstr(message, "where there is none") && strstr(message, "LAB_MEMCHECK=1"),
              "%s", message);
}

/* The address sanitizer sees these uses itself, since device memory is the C library's. */
#ifndef __SANITIZE_ADDRESS__
Test(copy_fault, a_copy_from_freed_device_memory_is_an_illegal_address) { check_end(duplicate, LARGE, "a copy"); }

Test(copy_fault, a_fill_of_freed_device_memory_is_an_illegal_address) { check_end(fill, LARGE, "a fill"); }

Test(copy_fault, a_kernel_that_reads_freed_memory_is_an_illegal_address)
{
    check_kernel(read_by_kernel, LARGE, "reads");
}

Test(copy_fault, a_kernel_that_writes_freed_memory_is_an_illegal_address)
{
    check_kernel(write_by_kernel, LARGE, "writes");
}
#endif

#if KERNELS_CAN_BE_APART
static void check_apart(void (*enqueue)(lab_stream *stream, const memory *used), const char *what)
{
    setenv("LAB_KERNELS_APART", "1", 1);
    check_end(enqueue, SMALL, what);
}

Test(copy_fault, an_upload_from_freed_pinned_memory_fails_with_kernels_apart) { check_apart(upload, "a copy"); }

Test(copy_fault, a_copy_from_freed_device_memory_fails_with_kernels_apart) { check_apart(duplicate, "a copy"); }

Test(copy_fault, a_fill_of_freed_device_memory_fails_with_kernels_apart) { check_apart(fill, "a fill"); }

Test(copy_fault, a_kernel_that_reads_freed_memory_fails_in_a_process_of_its_own)
{
    setenv("LAB_KERNELS_APART", "1", 1);
    check_kernel(read_by_kernel, SMALL, "reads");
}

Test(copy_fault, a_kernel_that_writes_freed_memory_fails_in_a_process_of_its_own)
{
    setenv("LAB_KERNELS_APART", "1", 1);
    check_kernel(write_by_kernel, SMALL, "writes");
}

Test(copy_fault, a_kernel_that_uses_a_block_whose_pool_gave_it_up_fails_in_a_process_of_its_own)
{
    setenv("LAB_KERNELS_APART", "1", 1);
    lab_array *kept;
    memory used = {.bytes = 4096};
    LAB_CHECK(lab_array_ones(&kept, LAB_FLOAT32, LAB_SHAPE(4)));
    used.device = lab_array_data(kept);
    lab_mempool *pool;
    lab_stream *stream;
    lab_graph *graph;
    lab_graph_exec *exec;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_mempool_alloc(&used.other, pool, 4096, stream));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    read_by_kernel(stream, &used);
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    LAB_CHECK(lab_graph_launch(exec, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    LAB_CHECK(lab_mempool_free(pool, used.other, stream));
    LAB_CHECK(lab_mempool_free_all_blocks(pool));
    LAB_CHECK(lab_graph_launch(exec, stream));
    cr_assert_eq(lab_stream_synchronize(stream), LAB_ERROR_ILLEGAL_ADDRESS, "%s", lab_error_message());
}
#endif

Test(copy_fault, copies_in_adversarial_orders_fail_in_the_same_way)
{
    setenv("LAB_SCHEDULE", "adversarial:1", 1);
    check_end(upload, LARGE, "a copy");
}
