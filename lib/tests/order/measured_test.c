/* LAB_ORDER_MEASURE: the CPU device tells the checker what each launch has touched. */
#include "lab_trace.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 1024, BYTES = COUNT * sizeof(float), HALF = COUNT / 2 };

static const char SOURCE[] = "__device__ float total[4];\n"
                             "struct view { int length; float *data; };\n"
                             "extern \"C\" __global__ void fill_part(float *x, int first)\n"
                             "{ int i = blockIdx.x * blockDim.x + threadIdx.x; x[first + i] = i; }\n"
                             "extern \"C\" __global__ void read_part(const float *x, int first, float *to)\n"
                             "{ int i = blockIdx.x * blockDim.x + threadIdx.x; to[i] = x[first + i]; }\n"
                             "extern \"C\" __global__ void fill_every(float *x, int first, int step)\n"
                             "{ int i = blockIdx.x * blockDim.x + threadIdx.x; x[first + i * step] = i; }\n"
                             "extern \"C\" __global__ void fill_view(view v)\n"
                             "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < v.length) v.data[i] = i; }\n"
                             "extern \"C\" __global__ void read_view(view v, float *to)\n"
                             "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < v.length) to[i] = v.data[i]; }\n"
                             "extern \"C\" __global__ void follow(float *const *list)\n"
                             "{ int i = blockIdx.x * blockDim.x + threadIdx.x; list[1][i] += 1; }\n"
                             "extern \"C\" __global__ void reverse(float *x)\n"
                             "{ __shared__ float tile[64]; float *mine = x + blockIdx.x * 64;\n"
                             "  tile[threadIdx.x] = mine[threadIdx.x]; __syncthreads();\n"
                             "  mine[threadIdx.x] = tile[63 - threadIdx.x]; }\n"
                             "extern \"C\" __global__ void add_to(int which) { total[which] += 1; }\n";

/* The argument of fill_view and read_view. */
typedef struct view {
    int length;
    lab_deviceptr data;
} view;

typedef struct ground {
    lab_module *module;
    lab_stream *one, *two;
    lab_array *a, *b;
} ground;

static ground begin_as(lab_order_mode mode)
{
    ground made;
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_ORDER_MEASURE", "1", 1);
    setenv("LAB_SCHEDULE", "fifo", 0);
    unsetenv("LAB_KERNELS_APART"); /* in a process of their own kernels do not tell what they touch */
    LAB_CHECK(lab_order_start(mode));
    LAB_CHECK(lab_module_load_source(&made.module, SOURCE, "measured.cu"));
    LAB_CHECK(lab_stream_create(&made.one, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&made.two, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_array_empty(&made.a, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_array_empty(&made.b, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    return made;
}

static ground begin(void) { return begin_as(LAB_ORDER_COLLECT); }

static lab_status launch(const ground *kit, const char *kernel, unsigned blocks, lab_stream *stream, lab_args args)
{
    lab_function function;
    LAB_CHECK(lab_module_get_function(&function, kit->module, kernel));
    return lab_launch(function, LAB_DIM(blocks), LAB_DIM(64), 0, stream, args);
}

#define LAUNCH(kernel, blocks, stream, ...) LAB_CHECK(launch(&kit, kernel, blocks, stream, __VA_ARGS__))

static view view_of(lab_array *array) { return (view){COUNT, lab_array_data(array)}; }

static void assert_findings(size_t count)
{
    lab_order_finding found = {.text = ""};
    if (lab_order_get_counts().findings) lab_order_get_finding(&found, 0);
    cr_assert_eq(lab_order_get_counts().findings, count, "%zu findings: %s", (size_t)lab_order_get_counts().findings,
                 found.text);
}

static void assert_bytes(uint64_t offset, uint64_t bytes)
{
    lab_order_finding found;
    assert_findings(1);
    LAB_CHECK(lab_order_get_finding(&found, 0));
    cr_assert_eq(found.offset, offset, "%s", found.text);
    cr_assert_eq(found.bytes, bytes, "%s", found.text);
}

Test(order_measured, two_kernels_may_work_on_two_parts_of_one_array)
{
    const ground kit = begin();
    LAUNCH("fill_part", HALF / 64, kit.one, LAB_ARGS(kit.a, 0));
    LAUNCH("fill_part", HALF / 64, kit.two, LAB_ARGS(kit.a, HALF));
    assert_findings(0);
}

Test(order_measured, parts_that_overlap_are_a_finding_of_the_bytes_in_common)
{
    const ground kit = begin();
    LAUNCH("fill_part", HALF / 64, kit.one, LAB_ARGS(kit.a, 0));
    LAUNCH("read_part", HALF / 64, kit.two, LAB_ARGS(kit.a, HALF - 64, kit.b));
    assert_bytes((HALF - 64) * sizeof(float), 64 * sizeof(float));
}

Test(order_measured, even_and_odd_elements_are_different_bytes)
{
    const ground kit = begin();
    LAUNCH("fill_every", HALF / 64, kit.one, LAB_ARGS(kit.a, 0, 2));
    LAUNCH("fill_every", HALF / 64, kit.two, LAB_ARGS(kit.a, 1, 2));
    assert_findings(0);
}

Test(order_measured, a_pointer_in_a_struct_is_seen)
{
    const ground kit = begin();
    const view v = view_of(kit.a);
    LAUNCH("fill_view", COUNT / 64, kit.one, LAB_ARGS(LAB_BYTES(v)));
    LAUNCH("read_part", COUNT / 64, kit.two, LAB_ARGS(kit.a, 0, kit.b));
    assert_bytes(0, BYTES);
}

Test(order_measured, two_readers_through_structs_need_no_order)
{
    const ground kit = begin();
    const view v = view_of(kit.a);
    lab_array *c;
    LAB_CHECK(lab_array_empty(&c, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAUNCH("read_view", COUNT / 64, kit.one, LAB_ARGS(LAB_BYTES(v), kit.b));
    LAUNCH("read_view", COUNT / 64, kit.two, LAB_ARGS(LAB_BYTES(v), c));
    assert_findings(0);
}

Test(order_measured, an_event_orders_what_a_struct_points_to)
{
    const ground kit = begin();
    const view v = view_of(kit.a);
    lab_event *event;
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAUNCH("fill_view", COUNT / 64, kit.one, LAB_ARGS(LAB_BYTES(v)));
    LAB_CHECK(lab_event_record(event, kit.one));
    LAB_CHECK(lab_stream_wait_event(kit.two, event));
    LAUNCH("read_part", COUNT / 64, kit.two, LAB_ARGS(kit.a, 0, kit.b));
    assert_findings(0);
}

Test(order_measured, a_pointer_in_memory_is_seen)
{
    const ground kit = begin();
    const lab_deviceptr pointers[2] = {0, lab_array_data(kit.a)};
    lab_array *list;
    LAB_CHECK(lab_array_empty(&list, LAB_UINT64, LAB_SHAPE(2)));
    LAB_CHECK(lab_array_set(list, pointers));
    LAB_CHECK(lab_memset_async(pointers[1], 0, BYTES, kit.one));
    LAB_CHECK(lab_device_synchronize());
    LAUNCH("follow", COUNT / 64, kit.one, LAB_ARGS(lab_array_data(list)));
    LAUNCH("read_part", COUNT / 64, kit.two, LAB_ARGS(kit.a, 0, kit.b));
    assert_bytes(0, BYTES);
}

Test(order_measured, a_block_of_a_pool_that_a_struct_points_to_is_unknown_to_the_pool)
{
    const ground kit = begin();
    lab_deviceptr block;
    LAB_CHECK(lab_mempool_alloc(&block, NULL, BYTES, kit.one));
    const view v = {COUNT, block};
    lab_event *event;
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_event_record(event, kit.one));
    LAB_CHECK(lab_stream_wait_event(kit.two, event));
    LAUNCH("fill_view", COUNT / 64, kit.two, LAB_ARGS(LAB_BYTES(v)));
    LAB_CHECK(lab_mempool_free(NULL, block, kit.one));
    lab_order_finding found;
    assert_findings(1);
    LAB_CHECK(lab_order_get_finding(&found, 0));
    cr_assert_eq(found.kind, LAB_ORDER_FREE_IN_USE, "%s", found.text);
}

Test(order_measured, kernels_with_barriers_are_measured_too)
{
    const ground kit = begin();
    lab_array *high;
    LAB_CHECK(lab_memset_async(lab_array_data(kit.a), 0, BYTES, kit.one));
    LAB_CHECK(lab_stream_synchronize(kit.one));
    LAB_CHECK(lab_array_slice(&high, kit.a, HALF, HALF));
    LAUNCH("reverse", HALF / 64, kit.one, LAB_ARGS(kit.a));
    LAUNCH("reverse", HALF / 64, kit.two, LAB_ARGS(high));
    assert_findings(0);
    LAUNCH("reverse", HALF / 64, kit.two, LAB_ARGS(kit.a));
    assert_bytes(0, BYTES / 2);
}

Test(order_measured, so_are_the_elements_of_a_variable)
{
    const ground kit = begin();
    LAUNCH("add_to", 1, kit.one, LAB_ARGS(0));
    LAUNCH("add_to", 1, kit.two, LAB_ARGS(2));
    assert_findings(0);
    LAUNCH("add_to", 1, kit.two, LAB_ARGS(0));
    assert_bytes(0, sizeof(float));
}

Test(order_measured, a_mistake_fails_the_call_that_completes_it)
{
    const ground kit = begin_as(LAB_ORDER_ERROR);
    const view v = view_of(kit.a);
    LAUNCH("fill_view", COUNT / 64, kit.one, LAB_ARGS(LAB_BYTES(v)));
    cr_assert_eq(launch(&kit, "read_part", COUNT / 64, kit.two, LAB_ARGS(kit.a, 0, kit.b)), LAB_ERROR_NOT_ORDERED);
}

static void wait_for(void *user)
{
    while (!__atomic_load_n((int *)user, __ATOMIC_ACQUIRE)) {}
}

/* The host opens the gate behind the launch, so the launch does not wait. What the compiler knows must do. */
Test(order_measured, a_launch_behind_a_host_function_is_not_waited_for)
{
    const ground kit = begin();
    int open = 0;
    LAB_CHECK(lab_stream_launch_host_func(kit.one, wait_for, &open));
    LAUNCH("fill_part", HALF / 64, kit.one, LAB_ARGS(kit.a, 0));
    LAUNCH("read_part", HALF / 64, kit.two, LAB_ARGS(kit.a, HALF, kit.b));
    __atomic_store_n(&open, 1, __ATOMIC_RELEASE);
    assert_bytes(0, BYTES);
    LAB_CHECK(lab_device_synchronize());
    LAUNCH("fill_part", HALF / 64, kit.one, LAB_ARGS(kit.a, 0));
    LAUNCH("read_part", HALF / 64, kit.two, LAB_ARGS(kit.a, HALF, kit.b));
    assert_findings(1);
}

/* The library's own kernels do not report each access: they read and write their arrays whole. */
Test(order_measured, the_librarys_own_kernels_count_as_the_compiler_knows_them)
{
    const ground kit = begin();
    lab_elementwise *add;
    LAB_CHECK(lab_elementwise_create(&add, "float32 x", "float32 z", "z = x + 41", "add"));
    LAB_CHECK(lab_elementwise_launch(add, kit.one, LAB_ARGS(kit.a, kit.b)));
    LAUNCH("fill_part", HALF / 64, kit.two, LAB_ARGS(kit.a, 0));
    assert_bytes(0, BYTES / 2);
}

Test(order_measured, a_captured_launch_counts_as_the_compiler_knows_it)
{
    const ground kit = begin();
    lab_graph *graph;
    lab_graph_exec *exec;
    LAB_CHECK(lab_stream_begin_capture(kit.one, LAB_CAPTURE_RELAXED));
    LAUNCH("fill_part", HALF / 64, kit.one, LAB_ARGS(kit.a, 0));
    LAB_CHECK(lab_stream_end_capture(&graph, kit.one));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    LAB_CHECK(lab_graph_launch(exec, kit.one));
    LAUNCH("fill_part", HALF / 64, kit.two, LAB_ARGS(kit.a, HALF));
    assert_findings(1);
    LAB_CHECK(lab_device_synchronize());
}
