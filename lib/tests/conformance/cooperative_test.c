/* Cooperative launches: blocks that run at the same time and wait for each other (cuda.h, "Execution Control",
 * cuLaunchCooperativeKernel; CUDA C++ Programming Guide, "Grid Synchronization"). */
#include "test.h"

#include "lab.h"

#include <string.h>

enum { BLOCKS = 8, THREADS = 48, ROUNDS = 5 };

/* In each round every thread reads what another block's thread wrote in the round before. */
static const char source[] =
    "#include <cooperative_groups.h>\n"
    "namespace cg = cooperative_groups;\n"
    "extern \"C\" __global__ void rotate(unsigned *values, int rounds)\n"
    "{\n"
    "    const auto grid = cg::this_grid();\n"
    "    __shared__ unsigned kept[48];\n"
    "    const unsigned size = (unsigned)grid.size(), rank = (unsigned)grid.thread_rank();\n"
    "    for (int round = 0; round < rounds; round++) {\n"
    "        kept[threadIdx.x] = values[(rank + blockDim.x) % size];\n"
    "        grid.sync();\n"
    "        values[rank] = kept[threadIdx.x] + 1;\n"
    "        grid.sync();\n"
    "    }\n"
    "}\n"
    "extern \"C\" __global__ void valid(int *is) { *is = cg::this_grid().is_valid(); }\n"
    "extern \"C\" __global__ void sync_alone() { cg::this_grid().sync(); }\n"
    "extern \"C\" __global__ void leave_early() { if (blockIdx.x > 0) cg::this_grid().sync(); }\n";

static lab_module *module;
static lab_deviceptr values;

static lab_function find(const char *name)
{
    lab_function found;
    if (!module) LAB_CHECK(lab_module_load_source(&module, source, "cooperative.cu"));
    LAB_CHECK(lab_module_get_function(&found, module, name));
    return found;
}

static void write_values(void)
{
    unsigned host[BLOCKS * THREADS];
    for (unsigned i = 0; i < BLOCKS * THREADS; i++) host[i] = i;
    if (!values) LAB_CHECK(lab_mem_alloc(&values, sizeof host));
    LAB_CHECK(lab_memcpy_htod(values, host, sizeof host));
    LAB_CHECK(lab_device_synchronize());
}

static void check_values(unsigned rounds)
{
    unsigned host[BLOCKS * THREADS];
    LAB_CHECK(lab_memcpy_dtoh(host, values, sizeof host));
    for (unsigned i = 0; i < BLOCKS * THREADS; i++)
        cr_assert_eq(host[i], (i + rounds * THREADS) % (BLOCKS * THREADS) + rounds, "thread %u has %u", i, host[i]);
}

/* CUDA C++ Programming Guide, "Grid Synchronization": sync() is a barrier of all threads of the grid. */
Test(cooperative, blocks_see_what_others_wrote_before_the_barrier)
{
    const lab_function rotate = find("rotate");
    lab_stream *stream;
    write_values();
    LAB_CHECK(lab_launch_cooperative(rotate, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(values, ROUNDS)));
    check_values(ROUNDS);
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    for (int i = 0; i < 3; i++)
        LAB_CHECK(lab_launch_cooperative(rotate, LAB_DIM(2, 4), LAB_DIM(THREADS), 0, stream, LAB_ARGS(values, 1)));
    LAB_CHECK(lab_stream_synchronize(stream));
    check_values(ROUNDS + 3);
}

/* CUDA C++ Programming Guide, "Grid Synchronization": is_valid() is true in a cooperative launch only. */
Test(cooperative, a_kernel_can_ask_whether_it_may_synchronize)
{
    const lab_function valid = find("valid");
    int is = 2;
    write_values();
    LAB_CHECK(lab_launch(valid, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(values)));
    LAB_CHECK(lab_memcpy_dtoh(&is, values, sizeof is));
    cr_assert_eq(is, 0);
    LAB_CHECK(lab_launch_cooperative(valid, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(values)));
    LAB_CHECK(lab_memcpy_dtoh(&is, values, sizeof is));
    cr_assert_eq(is, 1);
}

/* cuda.h, Execution Control: CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE. */
Test(cooperative, more_blocks_than_run_at_the_same_time_are_refused)
{
    const lab_function rotate = find("rotate");
    write_values();
    cr_assert_eq(lab_launch_cooperative(rotate, LAB_DIM(1 << 20), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(values, ROUNDS)),
                 LAB_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    check_values(0);
    cr_assert_eq(lab_launch_cooperative(rotate, LAB_DIM(1), LAB_DIM(1025), 0, NULL, LAB_ARGS(values, ROUNDS)),
                 LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_launch_cooperative(rotate, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(values, 1)));
    check_values(1);
}

/* cuda.h, Graph Management: a node keeps the attributes of the launch that was captured. */
Test(cooperative, a_captured_launch_is_one_and_stays_one_when_it_is_updated)
{
    const lab_function rotate = find("rotate");
    lab_stream *stream;
    lab_graph *graph;
    lab_graph_exec *exec;
    write_values();
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_GLOBAL));
    LAB_CHECK(lab_launch_cooperative(rotate, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, stream, LAB_ARGS(values, 1)));
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    LAB_CHECK(lab_graph_launch(exec, stream));
    LAB_CHECK(lab_graph_launch(exec, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    check_values(2);
    LAB_CHECK(lab_graph_exec_update_kernel(exec, 0, rotate, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, LAB_ARGS(values, 3)));
    LAB_CHECK(lab_graph_launch(exec, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    check_values(5);
}

/* CUDA C++ Programming Guide, "Grid Synchronization": the launch must be cooperative. */
Test(cooperative, synchronizing_in_another_launch_fails_like_a_trap)
{
    const lab_function sync_alone = find("sync_alone");
    LAB_CHECK(lab_launch(sync_alone, LAB_DIM(2), LAB_DIM(32), 0, NULL, LAB_NO_ARGS));
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_LAUNCH_FAILED);
}

/* lab.h, lab_launch_cooperative: on a GPU the blocks would wait forever. */
Test(cooperative, on_a_cpu_device_a_block_that_has_ended_is_not_waited_for)
{
    lab_device_info info;
    LAB_CHECK(lab_device_get_info(&info, 0));
    if (strcmp(info.kind, "cpu") != 0) return;
    const lab_function leave_early = find("leave_early");
    LAB_CHECK(lab_launch_cooperative(leave_early, LAB_DIM(3), LAB_DIM(32), 0, NULL, LAB_NO_ARGS));
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_not_null(strstr(lab_error_message(), "waits for a block that has ended"), "%s", lab_error_message());
}
