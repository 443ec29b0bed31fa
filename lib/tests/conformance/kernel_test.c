/* Running kernels: every block runs once, blocks of different streams may run at the same time, and streams, events and
 * the null stream give an order (CUDA C++ Programming Guide, "Asynchronous Concurrent Execution"). */
#include "gate.h"
#include "schedules.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const char SOURCE[] =
    "extern \"C\" __global__ void count_runs(unsigned *runs)\n"
    "{\n"
    "    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);\n"
    "    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
    "    atomicAdd(&runs[block * (blockDim.x * blockDim.y * blockDim.z) + thread], 1);\n"
    "}\n"
    "extern \"C\" __global__ void extents(unsigned *out)\n"
    "{\n"
    "    out[0] = gridDim.x, out[1] = gridDim.y, out[2] = gridDim.z;\n"
    "    out[3] = blockDim.x, out[4] = blockDim.y, out[5] = blockDim.z;\n"
    "}\n"
    "extern \"C\" __global__ void append(int *log, int value)\n"
    "{\n"
    "    int length = log[0];\n"
    "    log[1 + length] = value;\n"
    "    log[0] = length + 1;\n"
    "}\n"
    "extern \"C\" __global__ void meet(volatile int *mine, volatile int *other, int *met, long long looks)\n"
    "{\n"
    "    *mine = 1;\n"
    "    __threadfence();\n"
    "    for (long long look = 0; look < looks; ++look)\n"
    "        if (*other) {\n"
    "            *met = 1;\n"
    "            return;\n"
    "        }\n"
    "}\n"
    "extern \"C\" __global__ void advance(float *array, int count)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < count) array[i] = 3 * array[i] + i;\n"
    "}\n"
    "extern \"C\" __global__ void permute(unsigned *selector, unsigned x, unsigned y)\n"
    "{\n"
    "    selector[threadIdx.x] = __byte_perm(x, y, selector[threadIdx.x]);\n"
    "}\n";

/* Many seconds on any machine: however busy, it starts another kernel meanwhile. Finite, in case it never does. */
static const long long LOOKS = 20000000000;

static lab_function find(const char *name)
{
    static lab_module *module;
    lab_function function;
    if (!module) LAB_CHECK(lab_module_load_source(&module, SOURCE, "kernel_test.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, name));
    return function;
}

static lab_stream *make_stream(unsigned flags)
{
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, flags));
    return stream;
}

static lab_deviceptr make_zeroed(size_t bytes)
{
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, bytes));
    LAB_CHECK(lab_memset_async(memory, 0, bytes, lab_stream_null()));
    LAB_CHECK(lab_device_synchronize());
    return memory;
}

static int read_int(lab_deviceptr memory)
{
    int value;
    LAB_CHECK(lab_memcpy_dtoh(&value, memory, sizeof value));
    return value;
}

/* --- Blocks ------------------------------------------------------------------------------------------------- */

static void check_each_runs_once(lab_deviceptr runs, size_t count, const char *what)
{
    unsigned *host = malloc(count * sizeof *host);
    LAB_CHECK(lab_memcpy_dtoh(host, runs, count * sizeof *host));
    for (size_t i = 0; i < count; i++) cr_assert_eq(host[i], 1, "%s: thread %zu ran %u times", what, i, host[i]);
    free(host);
}

/* CUDA C++ Programming Guide, Thread Hierarchy: every block runs once, in any order. */
Test(kernel, every_thread_of_every_block_runs_exactly_once)
{
    static const lab_dim shapes[][2] = {
        {{1, 1, 1}, {1, 1, 1}},   {{1, 1, 1}, {1024, 1, 1}}, {{100003, 1, 1}, {1, 1, 1}}, {{7, 5, 3}, {4, 3, 2}},
        {{1, 1, 64}, {1, 1, 64}}, {{2, 300, 1}, {8, 8, 8}},  {{3, 1, 1}, {31, 33, 1}},    {{1, 1000, 2}, {5, 1, 1}},
    };
    lab_function count_runs = find("count_runs");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        lab_dim grid = shapes[i][0], block = shapes[i][1];
        size_t threads = (size_t)grid.x * grid.y * grid.z * block.x * block.y * block.z;
        lab_deviceptr runs = make_zeroed(threads * sizeof(unsigned));
        char what[64];
        snprintf(what, sizeof what, "shape %zu", i);
        LAB_CHECK(lab_launch(count_runs, grid, block, 0, NULL, LAB_ARGS(runs)));
        check_each_runs_once(runs, threads, what);
        LAB_CHECK(lab_mem_free(runs));
    }
}

/* CUDA Math API, Integer Intrinsics: __byte_perm. An H100 ignores the fourth bit of each nibble. */
Test(kernel, byte_perm_takes_three_bits_of_each_nibble)
{
    enum { COUNT = 6 };
    static const unsigned selectors[COUNT] = {0x3210, 0x7654, 0x0246, 0xba98, 0xfedc, 0xffff4810};
    const unsigned x = 0x83b2a190, y = 0xc7d6e584;
    static const unsigned expected[COUNT] = {0x83b2a190, 0xc7d6e584, 0x90b2 << 16 | 0x84d6,
                                             0x83b2a190, 0xc7d6e584, 0x8490a190};
    lab_deviceptr out = make_zeroed(sizeof selectors);
    unsigned found[COUNT];
    LAB_CHECK(lab_memcpy_htod(out, selectors, sizeof selectors));
    LAB_CHECK(lab_launch(find("permute"), LAB_DIM(1), LAB_DIM(COUNT), 0, NULL, LAB_ARGS(out, x, y)));
    LAB_CHECK(lab_memcpy_dtoh(found, out, sizeof found));
    for (int i = 0; i < COUNT; i++) cr_assert_eq(found[i], expected[i], "%#x: %#x", selectors[i], found[i]);
}

/* CUDA C++ Programming Guide, Thread Hierarchy: every block runs once, in any order. */
Test(kernel, blocks_of_many_streams_at_once_each_run_exactly_once)
{
    enum { STREAMS = 16, BLOCKS = 257, THREADS = 3 };
    lab_function count_runs = find("count_runs");
    lab_deviceptr runs[STREAMS];
    for (int i = 0; i < STREAMS; i++) runs[i] = make_zeroed(BLOCKS * THREADS * sizeof(unsigned));
    for (int i = 0; i < STREAMS; i++)
        LAB_CHECK(lab_launch(count_runs, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, make_stream(LAB_STREAM_DEFAULT),
                             LAB_ARGS(runs[i])));
    LAB_CHECK(lab_device_synchronize());
    for (int i = 0; i < STREAMS; i++) check_each_runs_once(runs[i], BLOCKS * THREADS, "one stream of many");
}

/* CUDA C++ Programming Guide, Built-in Variables: gridDim, blockIdx, blockDim, threadIdx. */
Test(kernel, sees_the_extents_of_its_launch)
{
    unsigned host[6];
    static const unsigned expected[6] = {2, 3, 4, 5, 6, 7};
    lab_deviceptr out = make_zeroed(sizeof host);
    LAB_CHECK(lab_launch(find("extents"), LAB_DIM(2, 3, 4), LAB_DIM(5, 6, 7), 0, NULL, LAB_ARGS(out)));
    LAB_CHECK(lab_memcpy_dtoh(host, out, sizeof host));
    for (int i = 0; i < 6; i++) cr_assert_eq(host[i], expected[i], "extent %d is %u", i, host[i]);
}

/* --- At the same time --------------------------------------------------------------------------------------- */

static int multiprocessors(void)
{
    lab_device_info info;
    LAB_CHECK(lab_device_get_info(&info, 0));
    return info.multiprocessors;
}

/* flags: two that are set on arrival, two for "met the other". */
static void launch_meeting(lab_stream *first, lab_stream *second, lab_deviceptr flags, long long looks)
{
    lab_function meet = find("meet");
    lab_deviceptr a = flags, b = flags + 256, a_met = flags + 512, b_met = flags + 768;
    LAB_CHECK(lab_launch(meet, LAB_DIM(1), LAB_DIM(1), 0, first, LAB_ARGS(a, b, a_met, looks)));
    LAB_CHECK(lab_launch(meet, LAB_DIM(1), LAB_DIM(1), 0, second, LAB_ARGS(b, a, b_met, looks)));
}

static bool nothing_overlaps(void)
{
    const bool none = multiprocessors() < 2 || runs_one_at_a_time();
    if (none) fprintf(stderr, "not run: nothing runs at the same time on this device, or by LAB_SCHEDULE\n");
    return none;
}

/* CUDA C++ Programming Guide, Asynchronous Concurrent Execution: what may overlap. */
Test(kernel, kernels_of_two_streams_run_at_the_same_time)
{
    races_on_purpose();
    if (nothing_overlaps()) return;
    for (int round = 0; round < 20; round++) {
        lab_deviceptr flags = make_zeroed(1024);
        launch_meeting(make_stream(LAB_STREAM_DEFAULT), make_stream(LAB_STREAM_DEFAULT), flags, LOOKS);
        LAB_CHECK(lab_device_synchronize());
        cr_assert_eq(read_int(flags + 512), 1, "round %d: the first kernel did not see the second", round);
        cr_assert_eq(read_int(flags + 768), 1, "round %d: the second kernel did not see the first", round);
        LAB_CHECK(lab_mem_free(flags));
    }
}

/* CUDA Driver API, Stream synchronization behavior: legacy default stream. */
Test(kernel, a_kernel_beside_the_null_stream_needs_a_non_blocking_stream)
{
    races_on_purpose();
    if (nothing_overlaps()) return;
    lab_deviceptr flags = make_zeroed(1024);
    launch_meeting(lab_stream_null(), make_stream(LAB_STREAM_NON_BLOCKING), flags, LOOKS);
    LAB_CHECK(lab_device_synchronize());
    cr_assert_eq(read_int(flags + 512), 1);
    LAB_CHECK(lab_memset_async(flags, 0, 1024, NULL));
    launch_meeting(lab_stream_null(), make_stream(LAB_STREAM_DEFAULT), flags, 20000);
    LAB_CHECK(lab_device_synchronize());
    cr_assert_eq(read_int(flags + 512), 0, "a blocking stream's kernel ran beside one of the null stream");
    cr_assert_eq(read_int(flags + 768), 1);
}

/* CUDA C++ Programming Guide, Streams: in order within one, none between two. */
Test(kernel, kernels_of_one_stream_never_run_at_the_same_time)
{
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT);
    lab_deviceptr flags = make_zeroed(1024);
    launch_meeting(stream, stream, flags, 20000);
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert_eq(read_int(flags + 512), 0);
    cr_assert_eq(read_int(flags + 768), 1);
}

/* CUDA C++ Programming Guide, Asynchronous Concurrent Execution: what may overlap. */
Test(kernel, a_pinned_copy_of_another_stream_runs_beside_a_kernel)
{
    if (nothing_overlaps()) return;
    races_on_purpose();
    lab_stream *waits = make_stream(LAB_STREAM_DEFAULT), *copies = make_stream(LAB_STREAM_DEFAULT);
    lab_deviceptr flags = make_zeroed(1024), arrived = flags + 256, met = flags + 512;
    int *one;
    LAB_CHECK(lab_host_alloc((void **)&one, sizeof *one));
    *one = 1;
    LAB_CHECK(lab_launch(find("meet"), LAB_DIM(1), LAB_DIM(1), 0, waits, LAB_ARGS(flags, arrived, met, LOOKS)));
    LAB_CHECK(lab_memcpy_htod_async(arrived, one, sizeof *one, copies));
    LAB_CHECK(lab_device_synchronize());
    cr_assert_eq(read_int(met), 1, "the kernel ended before the copy arrived");
    LAB_CHECK(lab_host_free(one));
}

/* --- In order ----------------------------------------------------------------------------------------------- */

static void check_log(lab_deviceptr log, int length)
{
    int *host = malloc(((size_t)length + 1) * sizeof *host);
    LAB_CHECK(lab_memcpy_dtoh(host, log, ((size_t)length + 1) * sizeof *host));
    cr_assert_eq(host[0], length, "%d entries instead of %d", host[0], length);
    for (int i = 0; i < length; i++) cr_assert_eq(host[1 + i], i, "entry %d is %d", i, host[1 + i]);
    free(host);
}

/* CUDA C++ Programming Guide, Streams: in order within one, none between two. */
Test(kernel, kernels_of_one_stream_run_in_the_order_they_were_launched)
{
    enum { LAUNCHES = 500 };
    lab_function append = find("append");
    lab_stream *stream = make_stream(LAB_STREAM_NON_BLOCKING);
    lab_deviceptr log = make_zeroed((LAUNCHES + 1) * sizeof(int));
    for (int i = 0; i < LAUNCHES; i++)
        LAB_CHECK(lab_launch(append, LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_ARGS(log, i)));
    LAB_CHECK(lab_stream_synchronize(stream));
    check_log(log, LAUNCHES);
}

/* CUDA Driver API, Stream synchronization behavior: legacy default stream. */
Test(kernel, the_null_stream_orders_kernels_of_blocking_streams_before_and_after_it)
{
    enum { ROUNDS = 100 };
    lab_function append = find("append");
    lab_stream *before = make_stream(LAB_STREAM_DEFAULT), *after = make_stream(LAB_STREAM_DEFAULT);
    lab_deviceptr log = make_zeroed((4 * ROUNDS + 1) * sizeof(int));
    for (int i = 0; i < ROUNDS; i++) {
        LAB_CHECK(lab_launch(append, LAB_DIM(1), LAB_DIM(1), 0, before, LAB_ARGS(log, 4 * i)));
        LAB_CHECK(lab_launch(append, LAB_DIM(1), LAB_DIM(1), 0, lab_stream_null(), LAB_ARGS(log, 4 * i + 1)));
        LAB_CHECK(lab_launch(append, LAB_DIM(1), LAB_DIM(1), 0, after, LAB_ARGS(log, 4 * i + 2)));
        LAB_CHECK(lab_launch(append, LAB_DIM(1), LAB_DIM(1), 0, lab_stream_null(), LAB_ARGS(log, 4 * i + 3)));
    }
    LAB_CHECK(lab_device_synchronize());
    check_log(log, 4 * ROUNDS);
}

/* cuda.h, Stream Management: cuStreamWaitEvent. */
Test(kernel, events_order_kernels_of_different_streams)
{
    enum { ROUNDS = 200, STREAMS = 3 };
    lab_function append = find("append");
    lab_stream *stream[STREAMS];
    lab_event *done;
    LAB_CHECK(lab_event_create(&done, LAB_EVENT_DISABLE_TIMING));
    for (int i = 0; i < STREAMS; i++) stream[i] = make_stream(LAB_STREAM_NON_BLOCKING);
    lab_deviceptr log = make_zeroed((ROUNDS + 1) * sizeof(int));
    for (int i = 0; i < ROUNDS; i++) {
        LAB_CHECK(lab_stream_wait_event(stream[i % STREAMS], done));
        LAB_CHECK(lab_launch(append, LAB_DIM(1), LAB_DIM(1), 0, stream[i % STREAMS], LAB_ARGS(log, i)));
        LAB_CHECK(lab_event_record(done, stream[i % STREAMS]));
    }
    LAB_CHECK(lab_event_synchronize(done));
    check_log(log, ROUNDS);
}

/* CUDA C++ Programming Guide, Streams: in order within one, none between two. */
Test(kernel, copies_and_kernels_of_one_stream_see_each_others_data)
{
    enum { COUNT = 100000, ROUNDS = 10 };
    lab_function advance = find("advance");
    lab_stream *stream = make_stream(LAB_STREAM_NON_BLOCKING);
    lab_deviceptr array = make_zeroed(COUNT * sizeof(float));
    float *pinned;
    double expected = 0; /* at index 1 */
    LAB_CHECK(lab_host_alloc((void **)&pinned, COUNT * sizeof *pinned));
    memset(pinned, 0, COUNT * sizeof *pinned);
    for (int i = 0; i < ROUNDS; i++) {
        LAB_CHECK(lab_memcpy_htod_async(array, pinned, COUNT * sizeof *pinned, stream));
        LAB_CHECK(lab_launch(advance, LAB_DIM((COUNT + 63) / 64), LAB_DIM(64), 0, stream, LAB_ARGS(array, (int)COUNT)));
        LAB_CHECK(lab_memcpy_dtoh_async(pinned, array, COUNT * sizeof *pinned, stream));
        expected = 3 * expected + 1;
    }
    LAB_CHECK(lab_stream_synchronize(stream));
    for (int i = 0; i < COUNT; i++)
        cr_assert_float_eq(pinned[i], i * expected, 1e-5 * i * expected, "index %d is %f", i, (double)pinned[i]);
    LAB_CHECK(lab_host_free(pinned));
}

/* CUDA C++ Programming Guide, Streams: in order within one, none between two. */
Test(kernel, a_kernel_behind_a_gate_has_not_run)
{
    races_on_purpose();
    gate closed = GATE_CLOSED;
    lab_stream *stream = make_stream(LAB_STREAM_NON_BLOCKING), *other = make_stream(LAB_STREAM_NON_BLOCKING);
    lab_function append = find("append");
    lab_deviceptr log = make_zeroed(8 * sizeof(int)), own = make_zeroed(8 * sizeof(int));
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_launch(append, LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_ARGS(log, 0)));
    LAB_CHECK(lab_launch(append, LAB_DIM(1), LAB_DIM(1), 0, other, LAB_ARGS(own, 0)));
    LAB_CHECK(lab_stream_synchronize(other));
    cr_assert_eq(read_int(log), 0);
    cr_assert_eq(read_int(own), 1);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stream));
    check_log(log, 1);
}

/* lab.h, Modules and kernels: what kernels may include. */
Test(kernel, a_header_that_a_device_lacks_is_no_error_where_the_preprocessor_removes_it)
{
    lab_module *module = (lab_module *)&module;
    cr_assert_eq(lab_module_load_source(&module,
                                        "#ifdef WITH_CUB\n#include <cub/cub.cuh>\n#endif\n"
                                        "extern \"C\" __global__ void k(float *x) {}\n",
                                        NULL),
                 LAB_SUCCESS, "%s", lab_error_message());
    LAB_CHECK(lab_module_unload(module));
}
