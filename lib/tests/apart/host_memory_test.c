/* How the library reaches the program's memory where that is apart: when, on which thread, and how often it moves the
 * bytes, and what remains usable once the program has ended. */
#include "apart.h"
#include "conformance/buffers.h"
#include "conformance/gate.h"

#include <sys/mman.h>

enum { BYTES = 3 * MEBIBYTE + 5 };

/* Pageable memory that lasts as long as the test. */
static unsigned char *allocate_pageable(size_t bytes)
{
    static unsigned char *kept[16];
    static size_t count;
    cr_assert_lt(count, sizeof kept / sizeof *kept);
    return kept[count++] = allocate_pages(bytes);
}

/* Memory that is pinned but, unlike that of lab_host_alloc, never shared. */
static unsigned char *allocate_registered(size_t bytes)
{
    unsigned char *memory = allocate_pageable(bytes);
    LAB_CHECK(lab_host_register(memory, bytes));
    return memory;
}

/* Two pages, of which the second does not exist. */
static unsigned char *allocate_half(size_t page)
{
    unsigned char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(memory + page, page);
    return memory;
}

/* Copies the memory back while the program lives. */
static size_t difference_on_device(lab_deviceptr memory, size_t bytes)
{
    unsigned char *host = allocate_pages(bytes);
    LAB_CHECK(lab_memcpy_dtoh(host, memory, bytes));
    const size_t index = first_difference(host, bytes);
    free(host);
    return index;
}

Test(host_memory, copies_of_pageable_memory_move_each_byte_once_on_the_calling_thread)
{
    lab_deviceptr device = allocate(BYTES);
    unsigned char *source = allocate_pageable(BYTES), *destination = allocate_pageable(BYTES);
    lab_stream *stream = make_stream();
    fill(source, BYTES);

    LAB_CHECK(lab_memcpy_htod(device, source, BYTES));
    cr_assert_eq(apart_bytes_read, BYTES);
    cr_assert(apart_moved_here());
    LAB_CHECK(lab_memcpy_htod_async(device, source, BYTES, stream));
    cr_assert_eq(apart_bytes_read, 2 * BYTES, "the source may change as soon as the call returns");
    cr_assert(apart_moved_here());
    LAB_CHECK(lab_stream_synchronize(stream));

    LAB_CHECK(lab_memcpy_dtoh_async(destination, device, BYTES, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert_eq(apart_bytes_written, BYTES);
    cr_assert(apart_moved_here());
    cr_assert_eq(first_difference(destination, BYTES), BYTES);
    cr_assert_eq(apart_bytes_read, 2 * BYTES);
}

static void fill_later(void *user)
{
    usleep(10000); /* so that an upload which does not wait reads too early */
    fill(user, BYTES);
}

Test(host_memory, a_synchronous_upload_reads_after_the_work_before_it)
{
    lab_deviceptr device = allocate(BYTES);
    unsigned char *source = allocate_pageable(BYTES);
    memset(source, 0xee, BYTES);
    LAB_CHECK(lab_stream_launch_host_func(lab_stream_null(), fill_later, source));
    LAB_CHECK(lab_memcpy_htod(device, source, BYTES));
    cr_assert_eq(difference_on_device(device, BYTES), BYTES);
}

Test(host_memory, copies_of_registered_memory_move_the_bytes_in_their_turn)
{
    static gate up = GATE_CLOSED, down = GATE_CLOSED;
    lab_deviceptr device = allocate(BYTES);
    unsigned char *source = allocate_registered(BYTES), *destination = allocate_registered(BYTES);
    lab_stream *stream = make_stream();

    gate_close_stream(&up, stream);
    LAB_CHECK(lab_memcpy_htod_async(device, source, BYTES, stream));
    cr_assert_eq(apart_bytes_read, 0, "the copy has not begun");
    fill(source, BYTES);
    gate_open(&up);
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert_eq(apart_bytes_read, BYTES);
    cr_assert_not(apart_moved_here());

    gate_close_stream(&down, stream);
    LAB_CHECK(lab_memcpy_dtoh_async(destination, device, BYTES, stream));
    cr_assert_eq(apart_bytes_written, 0, "the copy has not begun");
    gate_open(&down);
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert_eq(apart_bytes_written, BYTES);
    cr_assert_not(apart_moved_here());
    cr_assert_eq(first_difference(destination, BYTES), BYTES);
}

/* Captures an upload, a fill of its last byte, and a download. */
static lab_graph *capture_copies(lab_deviceptr device, const unsigned char *source, unsigned char *destination,
                                 size_t bytes)
{
    lab_graph *graph;
    lab_stream *stream = make_stream();
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_GLOBAL));
    LAB_CHECK(lab_memcpy_htod_async(device, source, bytes, stream));
    LAB_CHECK(lab_memset_async(device + bytes - 1, 0x5a, 1, stream));
    LAB_CHECK(lab_memcpy_dtoh_async(destination, device, bytes, stream));
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    return graph;
}

static void check_shape(lab_graph *graph)
{
    static const lab_graph_node_kind expected[] = {LAB_NODE_COPY_HTOD, LAB_NODE_FILL, LAB_NODE_COPY_DTOH};
    const lab_graph_node *node;
    const lab_graph_edge *edge;
    int nodes, edges;
    LAB_CHECK(lab_graph_get_nodes(&node, &nodes, graph));
    LAB_CHECK(lab_graph_get_edges(&edge, &edges, graph));
    cr_assert_eq(nodes, 3, "%d nodes", nodes);
    for (int i = 0; i < 3; i++) cr_assert_eq(node[i].kind, expected[i], "node %d", i);
    cr_assert_eq(edges, 2, "%d edges", edges);
    for (int i = 0; i < 2; i++) cr_assert(edge[i].from == i && edge[i].to == i + 1, "edge %d", i);
}

static void launch_twice(unsigned char *source, unsigned char *destination)
{
    lab_graph *graph = capture_copies(allocate(BYTES), source, destination, BYTES);
    lab_graph_exec *exec;
    check_shape(graph);
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    cr_assert_eq(apart_bytes_read + apart_bytes_written, 0, "nothing has run");
    for (size_t launches = 1; launches <= 2; launches++) {
        memset(source, (int)launches, BYTES);
        LAB_CHECK(lab_graph_launch(exec, NULL));
        LAB_CHECK(lab_stream_synchronize(NULL));
        cr_assert_eq(apart_bytes_read, launches * BYTES);
        cr_assert_eq(apart_bytes_written, launches * BYTES);
        source[BYTES - 1] = 0x5a;
        cr_assert_arr_eq(destination, source, BYTES);
    }
    LAB_CHECK(lab_graph_destroy(graph));
    LAB_CHECK(lab_graph_launch(exec, NULL));
    LAB_CHECK(lab_stream_synchronize(NULL));
    cr_assert_eq(apart_bytes_read, (size_t)3 * BYTES, "the executable graph keeps what it needs");
    LAB_CHECK(lab_graph_exec_destroy(exec));
}

Test(host_memory, each_launch_of_a_graph_moves_the_bytes_of_pageable_memory)
{
    launch_twice(allocate_pageable(BYTES), allocate_pageable(BYTES));
}

Test(host_memory, each_launch_of_a_graph_moves_the_bytes_of_registered_memory)
{
    launch_twice(allocate_registered(BYTES), allocate_registered(BYTES));
}

Test(host_memory, a_kernel_refuses_memory_that_only_copies_reach)
{
    lab_module *module;
    lab_function set;
    unsigned char *memory = allocate_registered(4096);
    LAB_CHECK(lab_module_load_source(&module, "extern \"C\" __global__ void set(int *x) { *x = 1; }", "set.cu"));
    LAB_CHECK(lab_module_get_function(&set, module, "set"));
    cr_assert_eq(lab_launch(set, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS((lab_deviceptr)apart_address(memory))),
                 LAB_ERROR_ILLEGAL_ADDRESS);
    cr_assert(message_has("only copies reach"), "%s", lab_error_message());
    LAB_CHECK(lab_device_synchronize());
}

Test(host_memory, memory_that_does_not_exist_is_not_registered)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    LAB_CHECK(lab_device_synchronize()); /* a driver that opens later may map its memory into the missing half */
    unsigned char *memory = allocate_half(page);
    cr_assert_eq(lab_host_register(memory, 2 * page), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_host_register(memory, page));
}

/* ---- expressions ---- */

enum { PLANES = 5, ROWS = 3, COLUMNS = 1500 };

static lab_expression *make_expression(const char *text)
{
    lab_expression *made;
    LAB_CHECK(lab_expression_create(&made, "x, y", text, "made"));
    return made;
}

Test(host_memory, expressions_read_broadcast_arrays_in_large_parts)
{
    static double x[PLANES][COLUMNS], y[ROWS], out[PLANES][ROWS][COLUMNS];
    for (int p = 0; p < PLANES; p++)
        for (int c = 0; c < COLUMNS; c++) x[p][c] = p * 10000 + c;
    for (int r = 0; r < ROWS; r++) y[r] = r * 1e6;
    LAB_CHECK(lab_expression_apply(make_expression("x + y"), NULL,
                                   LAB_ARGS(LAB_HOST_ARRAY(x, LAB_FLOAT64, LAB_SHAPE(PLANES, 1, COLUMNS)),
                                            LAB_HOST_ARRAY(y, LAB_FLOAT64, LAB_SHAPE(ROWS, 1)),
                                            LAB_HOST_ARRAY(out, LAB_FLOAT64, LAB_SHAPE(PLANES, ROWS, COLUMNS)))));
    for (int p = 0; p < PLANES; p++)
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < COLUMNS; c++) cr_assert_eq(out[p][r][c], x[p][c] + y[r], "element %d, %d, %d", p, r, c);
    cr_assert_eq(apart_bytes_written, sizeof out);
    cr_assert_leq(apart_bytes_read, 2 * sizeof out, "%zu bytes", apart_bytes_read);
}

Test(host_memory, expressions_may_write_over_an_input)
{
    static float x[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) x[c] = (float)c;
    LAB_CHECK(lab_expression_apply(make_expression("x * 2 + y"), NULL,
                                   LAB_ARGS(LAB_HOST_ARRAY(x, LAB_FLOAT32, LAB_SHAPE(COLUMNS)), 1,
                                            LAB_HOST_ARRAY(x, LAB_FLOAT32, LAB_SHAPE(COLUMNS)))));
    for (int c = 0; c < COLUMNS; c++) cr_assert_eq(x[c], (float)c * 2 + 1, "element %d", c);
}

Test(host_memory, an_expression_of_a_program_that_ended_fails)
{
    static float x[COLUMNS], sum[1];
    lab_expression *each = make_expression("x * 2 + y"), *reduced = make_expression("sum(x * 2 + y)");
    const lab_arg in = LAB_HOST_ARRAY(x, LAB_FLOAT32, LAB_SHAPE(COLUMNS)),
                  out = LAB_HOST_ARRAY(sum, LAB_FLOAT32, LAB_SHAPE(1));
    apart_end_after(sizeof x / 2);
    cr_assert_eq(lab_expression_apply(reduced, NULL, LAB_ARGS(in, 1, out)), LAB_ERROR_ILLEGAL_ADDRESS);
    cr_assert_eq(lab_expression_apply(each, NULL, LAB_ARGS(in, 1, in)), LAB_ERROR_ILLEGAL_ADDRESS);
    apart_end_after(sizeof x + sizeof x / 2);
    cr_assert_eq(lab_expression_apply(each, NULL, LAB_ARGS(in, 1, in)), LAB_ERROR_ILLEGAL_ADDRESS, "while it writes");
    apart_end_after(sizeof x);
    cr_assert_eq(lab_expression_apply(reduced, NULL, LAB_ARGS(in, 1, out)), LAB_ERROR_ILLEGAL_ADDRESS, "the result");
    apart_end_after(SIZE_MAX);
    LAB_CHECK(lab_expression_apply(each, NULL, LAB_ARGS(in, 1, in)));
}

Test(host_memory, an_expression_of_memory_that_does_not_exist_fails)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const lab_shape shape = LAB_SHAPE(2 * page);
    const lab_arg half = LAB_HOST_ARRAY(allocate_half(page), LAB_UINT8, shape),
                  whole = LAB_HOST_ARRAY(allocate_pageable(2 * page), LAB_UINT8, shape);
    lab_expression *sum = make_expression("x + y");
    cr_assert_eq(lab_expression_apply(sum, NULL, LAB_ARGS(half, 1, whole)), LAB_ERROR_ILLEGAL_ADDRESS, "the input");
    cr_assert_eq(lab_expression_apply(sum, NULL, LAB_ARGS(whole, 1, half)), LAB_ERROR_ILLEGAL_ADDRESS, "the result");
    LAB_CHECK(lab_expression_apply(sum, NULL, LAB_ARGS(whole, 1, whole)));
}

/* ---- the end of the program ---- */

/* What one call may leave behind: the stream runs what follows, and copies work. */
static void check_usable(lab_stream *stream, lab_deviceptr device)
{
    unsigned char *again = allocate_pages(BYTES);
    fill(again, BYTES);
    LAB_CHECK(lab_stream_synchronize(stream));
    LAB_CHECK(lab_memset_async(device, 0, BYTES, stream));
    LAB_CHECK(lab_memcpy_htod_async(device, again, BYTES, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert_eq(difference_on_device(device, BYTES), BYTES);
    LAB_CHECK(lab_device_synchronize());
    free(again);
}

Test(host_memory, a_pageable_upload_without_its_program_fails_alone)
{
    lab_deviceptr device = allocate(BYTES);
    unsigned char *source = allocate_pageable(BYTES);
    lab_stream *stream = make_stream();
    for (size_t there = 0; there < BYTES; there += MEBIBYTE) {
        apart_end_after(there);
        cr_assert_eq(lab_memcpy_htod_async(device, source, BYTES, stream), LAB_ERROR_ILLEGAL_ADDRESS);
        cr_assert(message_has("the program has ended"), "%s", lab_error_message());
        apart_end_after(there);
        cr_assert_eq(lab_memcpy_htod(device, source, BYTES), LAB_ERROR_ILLEGAL_ADDRESS);
        apart_end_after(SIZE_MAX);
        check_usable(stream, device);
    }
}

Test(host_memory, a_pageable_download_without_its_program_fails_alone)
{
    lab_deviceptr device = allocate(BYTES);
    unsigned char *destination = allocate_pageable(BYTES);
    lab_stream *stream = make_stream();
    for (size_t there = 0; there < BYTES; there += MEBIBYTE) {
        apart_end_after(there);
        cr_assert_eq(lab_memcpy_dtoh_async(destination, device, BYTES, stream), LAB_ERROR_ILLEGAL_ADDRESS);
        cr_assert(message_has("the program has ended"), "%s", lab_error_message());
        apart_end_after(there);
        cr_assert_eq(lab_memcpy_dtoh(destination, device, BYTES), LAB_ERROR_ILLEGAL_ADDRESS);
        apart_end_after(SIZE_MAX);
        check_usable(stream, device);
    }
}

/* The copy has its place on the stream behind other work, which then runs. */
Test(host_memory, an_upload_that_fails_leaves_the_work_around_it)
{
    static gate closed = GATE_CLOSED;
    lab_deviceptr device = allocate(BYTES), other = allocate(BYTES);
    unsigned char *source = allocate_pageable(BYTES), *kept = allocate_pageable(BYTES);
    lab_stream *stream = make_stream();
    memset(source, 7, BYTES);
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_memset_async(device, 7, BYTES, stream));
    apart_end_after(1000);
    cr_assert_eq(lab_memcpy_htod_async(other, source, BYTES, stream), LAB_ERROR_ILLEGAL_ADDRESS);
    apart_end_after(SIZE_MAX);
    LAB_CHECK(lab_memcpy_dtod_async(other, device, BYTES, stream));
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stream));
    LAB_CHECK(lab_memcpy_dtoh(kept, other, BYTES));
    cr_assert_arr_eq(kept, source, BYTES);
}

/* Every call that enqueues or waits returns the failure, and what was taken can be given back. */
static void check_failed(lab_stream *stream, lab_deviceptr device, unsigned char *registered)
{
    unsigned char pageable[64];
    cr_assert_eq(lab_stream_synchronize(stream), LAB_ERROR_ILLEGAL_ADDRESS, "%s", lab_error_message());
    cr_assert(message_has("the program has ended"), "%s", lab_error_message());
    apart_end_after(SIZE_MAX);
    cr_assert_eq(lab_stream_synchronize(NULL), LAB_ERROR_ILLEGAL_ADDRESS, "it stays");
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_ILLEGAL_ADDRESS);
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_ILLEGAL_ADDRESS);
    cr_assert_eq(lab_memcpy_htod(device, pageable, sizeof pageable), LAB_ERROR_ILLEGAL_ADDRESS);
    cr_assert_eq(lab_memcpy_dtoh(pageable, device, sizeof pageable), LAB_ERROR_ILLEGAL_ADDRESS);
    cr_assert_eq(lab_memset_async(device, 0, 1, stream), LAB_ERROR_ILLEGAL_ADDRESS);
    lab_host_unregister(registered);
    lab_mem_free(device);
    lab_stream_destroy(stream);
}

Test(host_memory, an_engine_without_the_program_fails_the_process)
{
    static gate closed = GATE_CLOSED;
    lab_deviceptr device = allocate(BYTES);
    unsigned char *source = allocate_registered(BYTES), *destination = allocate_registered(BYTES);
    lab_stream *stream = make_stream();
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_memcpy_htod_async(device, source, BYTES, stream));
    LAB_CHECK(lab_memcpy_dtoh_async(destination, device, BYTES, stream));
    apart_end_after(BYTES / 2);
    gate_open(&closed);
    cr_assert_eq(lab_stream_synchronize(stream), LAB_ERROR_ILLEGAL_ADDRESS);
    cr_assert_eq(apart_bytes_written, 0, "work that has not begun does not run");
    check_failed(stream, device, source);
}

Test(host_memory, an_engine_that_cannot_deliver_fails_the_process)
{
    lab_deviceptr device = allocate(BYTES);
    unsigned char *destination = allocate_registered(BYTES);
    lab_stream *stream = make_stream();
    apart_end_after(BYTES / 2);
    LAB_CHECK(lab_memcpy_dtoh_async(destination, device, BYTES, stream));
    check_failed(stream, device, destination);
}

Test(host_memory, a_graph_without_the_program_fails_the_process)
{
    lab_deviceptr device = allocate(BYTES);
    unsigned char *source = allocate_registered(BYTES), *destination = allocate_pageable(BYTES);
    lab_graph *graph = capture_copies(device, source, destination, BYTES);
    lab_graph_exec *exec;
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    apart_end_after(BYTES / 2);
    LAB_CHECK(lab_graph_launch(exec, NULL));
    lab_stream *stream = make_stream();
    cr_assert_eq(lab_stream_synchronize(NULL), LAB_ERROR_ILLEGAL_ADDRESS);
    cr_assert_eq(apart_bytes_written, 0);
    check_failed(stream, device, source);
}
