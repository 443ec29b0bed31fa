/* The findings of LAB_MEMCHECK on the CPU device, their words, and right kernels, which it accepts. */
#include "test.h"

#include "lab.h"

#include <stdlib.h>
#include <string.h>

static const char SOURCE[] =
    "extern \"C\" __global__ void write_at(float *x, long i) { x[i] = 1; }\n"                            /* 1 */
    "extern \"C\" __global__ void scale(float *x, int n)\n"                                              /* 2 */
    "{\n"                                                                                                /* 3 */
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                               /* 4 */
    "    if (i <= n) x[i] *= 2;\n"                                                                       /* 5 */
    "}\n"                                                                                                /* 6 */
    "extern \"C\" __global__ void read_double(char *x, long i) { *(double *)x = *(double *)(x + i); }\n" /* 7 */
    "extern \"C\" __global__ void add(int *x, long i)\n"                                                 /* 8 */
    "{\n"                                                                                                /* 9 */
    "    atomicAdd(x + i, 1);\n"                                                                         /* 10 */
    "}\n"                                                                                                /* 11 */
    "extern \"C\" __global__ void add_float(float *x, long i) { atomicAdd(x + i, 1.0f); }\n"             /* 12 */
    "extern \"C\" __global__ void copy_struct(float4 *x, long i) { x[0] = x[i]; }\n"                     /* 13 */
    "extern \"C\" __global__ void copy_bytes(char *x, long i, long n) { memcpy(x, x + i, n); }\n"        /* 14 */
    "extern \"C\" __global__ void fill_bytes(char *x, long n) { memset(x, 0, n); }\n"                    /* 15 */
    "__device__ __noinline__ float pick(const float *x, long i) { return x[i]; }\n"                      /* 16 */
    "extern \"C\" __global__ void call(float *x, long i) { x[0] = pick(x, i); }\n"                       /* 17 */
    "extern \"C\" __global__ void loop(float *x, const float *y, int n)\n"                               /* 18 */
    "{\n"                                                                                                /* 19 */
    "    for (int i = 0; i < n; i++)\n"                                                                  /* 20 */
    "        x[i] = y[i] + 1;\n"                                                                         /* 21 */
    "}\n"                                                                                                /* 22 */
    "extern \"C\" __global__ void follow(float **table) { *table[0] = 1; }\n"                            /* 23 */
    "extern \"C\" __global__ void read_through(float **table, float *x) { x[0] = *table[0]; }\n"         /* 24 */
    "extern \"C\" __global__ void shared_array(int *x, int i)\n"                                         /* 25 */
    "{\n"                                                                                                /* 26 */
    "    __shared__ int tile[64];\n"                                                                     /* 27 */
    "    tile[threadIdx.x] = x[0];\n"                                                                    /* 28 */
    "    __syncthreads();\n"                                                                             /* 29 */
    "    x[threadIdx.x] = tile[threadIdx.x + i];\n"                                                      /* 30 */
    "}\n"                                                                                                /* 31 */
    "__device__ __noinline__ void put(int *where) { *where = 3; }\n"                                     /* 32 */
    "\n"                                                                                                 /* 33 */
    "extern \"C\" __global__ void dynamic(int i) { extern __shared__ int tile[]; tile[i] = 1; }\n"       /* 34 */
    "extern \"C\" __global__ void local(int *x, int i) { int own[4] = {1, 2, 3, 4}; x[0] = own[i]; }\n"  /* 35 */
    "__constant__ int table[8];\n"                                                                       /* 36 */
    "extern \"C\" __global__ void constant(int *x, int i) { x[0] = table[i]; }\n"                        /* 37 */
    "struct pair { int a; int b[3]; };\n"                                                                /* 38 */
    "extern \"C\" __global__ void right(int *x, float4 *v, int n)\n"                                     /* 39 */
    "{\n"                                                                                                /* 40 */
    "    extern __shared__ int more[];\n"                                                                /* 41 */
    "    __shared__ pair p[32];\n"                                                                       /* 42 */
    "    int i = threadIdx.x, own[4], *inside = own + 1;\n"                                              /* 43 */
    "    p[i].a = more[i] = i;\n"                                                                        /* 44 */
    "    p[i].b[2] = own[i & 3] = inside[2] = table[i & 7];\n"                                           /* 45 */
    "    __syncthreads();\n"                                                                             /* 46 */
    "    pair q = p[31 - i];\n"                                                                          /* 47 */
    "    put(&q.a), put(&more[i]), put(&p[i].b[0]), put(x + i);\n"                                       /* 48 */
    "    float s, c;\n"                                                                                  /* 49 */
    "    sincosf(1.0f, &s, &c);\n"                                                                       /* 50 */
    "    v[i] = make_float4(s, c, q.b[2], __shfl_xor_sync(0xffffffff, more[i], 1));\n"                   /* 51 */
    "    v[i].y += v[n - 1 - i].z;\n"                                                                    /* 52 */
    "    atomicAdd(&more[0], 1), atomicMax(&p[0].a, i), atomicExch(&x[0], 5);\n"                         /* 53 */
    "    assert(q.a == 3);\n"                                                                            /* 54 */
    "}\n";

/* Alone in its module, so that there is no other variable next to it. */
static const char SHARED_POINTER[] =
    "__device__ __noinline__ void put(int *where) { *where = 3; }\n"
    "extern \"C\" __global__ void shared_pointer(int i) { __shared__ int tile[64]; put(tile + i); }\n";

static lab_function find(const char *name)
{
    static lab_module *module;
    lab_function function;
    if (!module) LAB_CHECK(lab_module_load_source(&module, SOURCE, "bad.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, name));
    return function;
}

static void turn_on(void) { setenv("LAB_MEMCHECK", "1", 1); }

/* Launches one thread. */
static void launch(const char *kernel, lab_args args)
{
    LAB_CHECK(lab_launch(find(kernel), LAB_DIM(1), LAB_DIM(1), 0, NULL, args));
}

static void check_message(lab_status status, lab_status expected, const char *text)
{
    cr_assert_eq(status, expected, "%s: %s", lab_status_name(status), status ? lab_error_message() : "");
    cr_assert(strstr(lab_error_message(), text), "the message is: %s\nand lacks: %s", lab_error_message(), text);
}

static void check_finding(const char *text)
{
    check_message(lab_device_synchronize(), LAB_ERROR_ILLEGAL_ADDRESS, text);
}

static void check_silence(void)
{
    lab_status status = lab_device_synchronize();
    cr_assert_eq(status, LAB_SUCCESS, "%s", lab_error_message());
}

/* An array of floats, and the line that messages name. */
typedef struct made {
    lab_array *array;
    int line;
} made;
#define MAKE(count) make(count, __LINE__)
static made make(size_t count, int line)
{
    made result = {NULL, line};
    lab_here("tests/memcheck_test.c", line);
    LAB_CHECK(lab_here_ends((lab_array_empty)(&result.array, LAB_FLOAT32, LAB_SHAPE(count))));
    return result;
}

static const char *expect(const char *format, int line)
{
    static char text[512];
    snprintf(text, sizeof text, format, line);
    return text;
}

Test(memcheck, names_kernel_block_thread_line_size_and_allocation)
{
    turn_on();
    made x = MAKE(1000);
    LAB_CHECK(lab_launch(find("scale"), LAB_DIM(16), LAB_DIM(64), 0, NULL, LAB_ARGS(x.array, 1000)));
    check_finding("kernel 'scale', block [15,0,0], thread [40,0,0]: bad.cu:5: reads 4 bytes at 0x");
    check_finding(expect(
        ", just past the end of the 4000 bytes allocated at memcheck_test.c:%d; the launch is at memcheck_test.c:",
        x.line));
}

Test(memcheck, says_how_far_past_the_end)
{
    turn_on();
    made x = MAKE(1000);
    launch("write_at", LAB_ARGS(x.array, 1003L));
    check_finding("bad.cu:1: writes 4 bytes at 0x");
    check_finding(expect(", 12 bytes past the end of the 4000 bytes allocated at memcheck_test.c:%d;", x.line));
}

Test(memcheck, says_how_far_before_the_beginning)
{
    turn_on();
    made x = MAKE(1000);
    launch("write_at", LAB_ARGS(x.array, -1L));
    check_finding(expect(", 4 bytes before the beginning of the 4000 bytes allocated at memcheck_test.c:%d;", x.line));
}

Test(memcheck, finds_an_access_that_begins_inside_and_ends_outside)
{
    turn_on();
    made x = MAKE(3);
    launch("read_double", LAB_ARGS((lab_deviceptr)lab_array_data(x.array), 8L));
    check_finding("bad.cu:7: reads 8 bytes at 0x");
    check_finding(
        expect(", of which the last 4 lie past the end of the 12 bytes allocated at memcheck_test.c:%d;", x.line));
}

Test(memcheck, finds_an_access_between_two_arrays_of_a_pool)
{
    turn_on();
    lab_array *whole;
    LAB_CHECK(lab_array_empty(&whole, LAB_FLOAT32, LAB_SHAPE(1000)));
    LAB_CHECK(lab_array_destroy(whole));
    made first = MAKE(100), second = MAKE(100);
    cr_assert_eq(lab_array_data(second.array) - lab_array_data(first.array), 512, "they are neighbours");
    launch("write_at", LAB_ARGS(first.array, 127L));
    check_finding(
        expect(", 4 bytes before the beginning of the 400 bytes allocated at memcheck_test.c:%d;", second.line));
}

Test(memcheck, accepts_views_that_stay_in_their_array)
{
    turn_on();
    made x = MAKE(100);
    lab_array *view;
    LAB_CHECK(lab_array_slice(&view, x.array, 50, 50));
    launch("write_at", LAB_ARGS(view, -50L));
    launch("write_at", LAB_ARGS(view, 49L));
    check_silence();
    launch("write_at", LAB_ARGS(view, 50L));
    check_finding(expect(", just past the end of the 400 bytes allocated at memcheck_test.c:%d;", x.line));
}

/* The module of a kernel with these statements, whose heap has a block of three numbers. */
static void launch_with_heap(const char *statements)
{
    static char source[1024];
    lab_module *module;
    lab_function function;
    lab_array *out;
    turn_on();
    snprintf(source, sizeof source,
             "extern \"C\" __global__ void heap(int *out)\n{\n int *block = (int *)malloc(12);\n%s\n}\n", statements);
    LAB_CHECK(lab_array_empty(&out, LAB_INT32, LAB_SHAPE(1)));
    LAB_CHECK(lab_module_load_source(&module, source, "bad.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, "heap"));
    LAB_CHECK(lab_launch(function, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(out)));
}

Test(memcheck, accepts_a_kernels_own_heap)
{
    launch_with_heap("for (int i = 0; i < 3; i++) block[i] = i; *out = block[2]; free(block); free(nullptr); block = "
                     "new int[4]; block[3] = 1; delete[] block;");
    check_silence();
}

Test(memcheck, finds_an_access_past_the_end_of_a_block_of_the_heap)
{
    launch_with_heap("block[3] = 1;");
    check_finding("bad.cu:4: writes 4 bytes at 0x");
}

Test(memcheck, finds_an_access_to_a_freed_block_of_the_heap)
{
    launch_with_heap("block[0] = 1;\nfree(block);\n*out = block[0];");
    check_finding("bad.cu:6: reads 4 bytes at 0x");
}

Test(memcheck, finds_a_block_of_the_heap_that_is_freed_twice)
{
    launch_with_heap("free(block);\nfree(block);");
    check_message(lab_device_synchronize(), LAB_ERROR_LAUNCH_FAILED,
                  "kernel 'heap': free() was called with an address that malloc() has not given, or twice");
}

Test(memcheck, a_misaligned_access_has_a_status_of_its_own)
{
    turn_on();
    made x = MAKE(100);
    launch("read_double", LAB_ARGS((lab_deviceptr)lab_array_data(x.array), 12L));
    lab_status status = lab_device_synchronize();
    check_message(status, LAB_ERROR_MISALIGNED_ADDRESS, "bad.cu:7: reads 8 bytes at 0x");
    check_message(
        status, LAB_ERROR_MISALIGNED_ADDRESS,
        expect(", which is no multiple of 8, 12 bytes into the 400 bytes allocated at memcheck_test.c:%d;", x.line));
}

Test(memcheck, an_atomic_belongs_to_the_line_that_calls_it)
{
    turn_on();
    made x = MAKE(100);
    launch("add", LAB_ARGS((lab_deviceptr)lab_array_data(x.array), 100L));
    check_finding("kernel 'add', block [0,0,0], thread [0,0,0]: bad.cu:10: atomically updates 4 bytes at 0x");
}

Test(memcheck, finds_atomics_that_the_processor_lacks)
{
    turn_on();
    made x = MAKE(100);
    launch("add_float", LAB_ARGS(x.array, 100L));
    check_finding("kernel 'add_float', block [0,0,0], thread [0,0,0]: bad.cu:12: ");
}

Test(memcheck, finds_copies_of_structures)
{
    turn_on();
    made x = MAKE(100);
    launch("copy_struct", LAB_ARGS((lab_deviceptr)lab_array_data(x.array), 25L));
    check_finding("bad.cu:13: reads 16 bytes at 0x");
}

Test(memcheck, finds_copies_of_bytes)
{
    turn_on();
    made x = MAKE(100);
    launch("copy_bytes", LAB_ARGS((lab_deviceptr)lab_array_data(x.array), 200L, 201L));
    check_finding("bad.cu:14: reads 201 bytes at 0x");
    check_finding(", of which the last 1 lie past the end of the 400 bytes");
}

Test(memcheck, finds_fills)
{
    turn_on();
    made x = MAKE(100);
    launch("fill_bytes", LAB_ARGS((lab_deviceptr)lab_array_data(x.array), 404L));
    check_finding("bad.cu:15: writes 404 bytes at 0x");
}

Test(memcheck, names_the_function_that_the_kernel_called)
{
    turn_on();
    made x = MAKE(100);
    launch("call", LAB_ARGS(x.array, 100L));
    check_finding("kernel 'call', block [0,0,0], thread [0,0,0]: bad.cu:16: reads 4 bytes at 0x");
    check_finding(expect("memcheck_test.c:%d in pick;", x.line));
}

Test(memcheck, finds_single_elements_in_loops_that_could_be_vectors)
{
    turn_on();
    made x = MAKE(101), y = MAKE(100);
    launch("loop", LAB_ARGS(x.array, y.array, 101));
    check_finding("bad.cu:21: reads 4 bytes at 0x");
    check_finding(expect(", just past the end of the 400 bytes allocated at memcheck_test.c:%d;", y.line));
}

/* The message names the lowest block, whichever ran first, and counts the others. */
Test(memcheck, counts_the_other_threads)
{
    turn_on();
    made x = MAKE(100);
    LAB_CHECK(lab_launch(find("scale"), LAB_DIM(64), LAB_DIM(64), 0, NULL, LAB_ARGS(x.array, 5000)));
    check_finding("kernel 'scale', block [1,0,0], thread [36,0,0]: ");
    check_finding("; 3995 other threads made bad accesses too; nothing more");
}

Test(memcheck, a_bad_access_does_not_take_place)
{
    turn_on();
    made x = MAKE(100);
    float before[100], after[100];
    LAB_CHECK(lab_array_fill(x.array, lab_arg_f64(7), NULL));
    launch("fill_bytes", LAB_ARGS((lab_deviceptr)lab_array_data(x.array), 404L));
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_ILLEGAL_ADDRESS);
    memcpy(after, (void *)(uintptr_t)lab_array_data(x.array), sizeof after);
    for (int i = 0; i < 100; i++) before[i] = 7;
    cr_assert_arr_eq(after, before, sizeof after);
}

/* Device memory with one pointer in it. */
static lab_deviceptr make_table(lab_deviceptr pointer)
{
    lab_deviceptr table;
    LAB_CHECK(lab_mem_alloc(&table, sizeof pointer));
    LAB_CHECK(lab_memcpy_htod(table, &pointer, sizeof pointer));
    return table;
}

Test(memcheck, freed_memory_is_named_with_the_line_that_freed_it)
{
    turn_on();
    lab_deviceptr x, table;
    LAB_CHECK(lab_mem_alloc(&x, 100));
    int made_at = __LINE__ - 1;
    table = make_table(x + 40);
    LAB_CHECK(lab_mem_free(x));
    int freed_at = __LINE__ - 1;
    launch("follow", LAB_ARGS(table));
    char text[256];
    snprintf(text, sizeof text,
             ", 40 bytes into the 100 bytes allocated at memcheck_test.c:%d, which were freed at memcheck_test.c:%d;",
             made_at, freed_at);
    check_finding("bad.cu:23: writes 4 bytes at 0x");
    check_finding(text);
}

Test(memcheck, a_second_free_is_told_where_the_first_was)
{
    turn_on();
    lab_deviceptr x;
    LAB_CHECK(lab_mem_alloc(&x, 100));
    LAB_CHECK(lab_mem_free(x));
    int line = __LINE__ - 1;
    check_message(lab_mem_free(x), LAB_ERROR_INVALID_VALUE,
                  expect("it was freed already at memcheck_test.c:%d,", line));
}

Test(memcheck, a_second_free_after_one_in_an_unknown_file_is_told_without_a_place)
{
    turn_on();
    lab_deviceptr x;
    LAB_CHECK(lab_mem_alloc(&x, 100));
    lab_here(NULL, 7);
    LAB_CHECK(lab_here_ends((lab_mem_free)(x)));
    check_message(lab_mem_free(x), LAB_ERROR_INVALID_VALUE, "it was freed already, or never allocated");
}

static void wait_for_gate(void *gate)
{
    char byte;
    while (read(*(int *)gate, &byte, 1) < 0) continue;
}

/* A stream whose work waits until something is written to gate[1]. */
static lab_stream *make_held_stream(int gate[2])
{
    lab_stream *stream;
    cr_assert_eq(pipe(gate), 0);
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_launch_host_func(stream, wait_for_gate, &gate[0]));
    return stream;
}

Test(memcheck, a_kernel_enqueued_before_a_pool_takes_memory_back_may_use_it)
{
    turn_on();
    int gate[2];
    lab_mempool *pool = lab_mempool_default();
    lab_deviceptr block;
    lab_stream *stream = make_held_stream(gate);
    LAB_CHECK(lab_mempool_alloc(&block, pool, 100, stream));
    lab_deviceptr table = make_table(block);
    LAB_CHECK(lab_launch(find("follow"), LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_ARGS(table)));
    LAB_CHECK(lab_mempool_free(pool, block, stream));
    cr_assert_eq(write(gate[1], "", 1), 1);
    check_silence();
}

Test(memcheck, a_kernel_enqueued_after_a_pool_takes_memory_back_may_not_use_it)
{
    turn_on();
    int gate[2];
    lab_mempool *pool = lab_mempool_default();
    lab_deviceptr block;
    lab_stream *stream = make_held_stream(gate);
    LAB_CHECK(lab_mempool_alloc(&block, pool, 100, stream));
    lab_deviceptr table = make_table(block);
    LAB_CHECK(lab_mempool_free(pool, block, stream));
    int line = __LINE__ - 1;
    LAB_CHECK(lab_launch(find("follow"), LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_ARGS(table)));
    LAB_CHECK(lab_mempool_alloc(&block, pool, 100, stream)); /* the same memory again, too late for the kernel */
    cr_assert_eq(write(gate[1], "", 1), 1);
    check_finding(expect(", which were freed at memcheck_test.c:%d;", line));
}

/* Memory must be live at the launch of a graph, not at its capture. */
Test(memcheck, a_graph_may_use_memory_that_is_live_at_its_launch)
{
    turn_on();
    lab_stream *stream;
    lab_graph *graph;
    lab_graph_exec *exec;
    lab_deviceptr x;
    LAB_CHECK(lab_mem_alloc(&x, 100));
    lab_deviceptr table = make_table(x);
    lab_function follow = find("follow");
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    LAB_CHECK(lab_launch(follow, LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_ARGS(table)));
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    LAB_CHECK(lab_graph_launch(exec, stream));
    check_silence();
    LAB_CHECK(lab_mem_free(x));
    LAB_CHECK(lab_graph_launch(exec, stream));
    check_finding(", at the beginning of the 100 bytes allocated at memcheck_test.c:");
}

Test(memcheck, finds_an_access_past_a_shared_array)
{
    turn_on();
    made x = MAKE(64);
    LAB_CHECK(lab_launch(find("shared_array"), LAB_DIM(3), LAB_DIM(64), 0, NULL,
                         LAB_ARGS((lab_deviceptr)lab_array_data(x.array), 1)));
    check_finding("kernel 'shared_array', block [0,0,0], thread [63,0,0]: bad.cu:30: reads 4 bytes at 0x");
    check_finding(
        ", just past the end of the __shared__ variable 'tile' of 256 bytes; the launch is at memcheck_test.c:");
    check_finding("; 2 other blocks made bad accesses too;");
}

Test(memcheck, finds_an_access_past_a_shared_array_through_a_pointer)
{
    turn_on();
    lab_module *module;
    lab_function function;
    LAB_CHECK(lab_module_load_source(&module, SHARED_POINTER, "pointer.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, "shared_pointer"));
    LAB_CHECK(lab_launch(function, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(63)));
    check_silence();
    LAB_CHECK(lab_launch(function, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(-1)));
    check_finding("pointer.cu:1: writes 4 bytes at 0x");
    check_finding(", 4 bytes before the beginning of the __shared__ variable 'tile' of 256 bytes in put;");
}

Test(memcheck, finds_an_access_past_the_dynamic_shared_memory_of_the_launch)
{
    turn_on();
    LAB_CHECK(lab_launch(find("dynamic"), LAB_DIM(1), LAB_DIM(1), 400, NULL, LAB_ARGS(99)));
    check_silence();
    LAB_CHECK(lab_launch(find("dynamic"), LAB_DIM(1), LAB_DIM(1), 400, NULL, LAB_ARGS(100)));
    check_finding(", just past the end of the dynamic shared memory of 400 bytes;");
}

Test(memcheck, finds_an_access_past_a_local_array)
{
    turn_on();
    made x = MAKE(4);
    launch("local", LAB_ARGS((lab_deviceptr)lab_array_data(x.array), 3));
    check_silence();
    launch("local", LAB_ARGS((lab_deviceptr)lab_array_data(x.array), 4));
    check_finding(", just past the end of the local array of 16 bytes;");
}

Test(memcheck, finds_an_access_past_constant_memory)
{
    turn_on();
    made x = MAKE(4);
    launch("constant", LAB_ARGS((lab_deviceptr)lab_array_data(x.array), 9));
    check_finding(", 4 bytes past the end of the variable 'table' of 32 bytes;");
}

Test(memcheck, names_a_null_pointer)
{
    turn_on();
    launch("follow", LAB_ARGS(make_table(0)));
    check_finding("writes 4 bytes at 0x0, through a null pointer;");
}

Test(memcheck, host_memory_is_not_the_devices)
{
    turn_on();
    static float own;
    launch("follow", LAB_ARGS(make_table((uintptr_t)&own)));
    check_finding("bad.cu:23: writes 4 bytes at 0x");
}

Test(memcheck, accepts_pinned_memory)
{
    turn_on();
    void *pinned, *pooled;
    static float registered[16];
    LAB_CHECK(lab_host_alloc(&pinned, 4));
    LAB_CHECK(lab_host_register(registered, sizeof registered));
    LAB_CHECK(lab_pinned_mempool_alloc(&pooled, NULL, 4));
    launch("follow", LAB_ARGS(make_table((uintptr_t)pinned)));
    launch("follow", LAB_ARGS(make_table((uintptr_t)&registered[15])));
    launch("follow", LAB_ARGS(make_table((uintptr_t)pooled)));
    check_silence();
}

Test(memcheck, memory_of_another_device_needs_permission)
{
    turn_on();
    setenv("LAB_CPU_DEVICES", "2", 1);
    lab_deviceptr x;
    lab_context *peer = NULL;
    LAB_WITH_DEVICE(1)
    {
        LAB_CHECK(lab_mem_alloc(&x, 4));
        peer = lab_context_current();
    }
    lab_deviceptr table = make_table(x);
    LAB_CHECK(lab_context_enable_peer_access(peer));
    launch("follow", LAB_ARGS(table));
    check_silence();
    LAB_CHECK(lab_context_disable_peer_access(peer));
    launch("follow", LAB_ARGS(table));
    check_finding("in another context, whose memory the kernel may not use: lab_context_enable_peer_access");
}

Test(memcheck, accepts_right_kernels)
{
    turn_on();
    made x = MAKE(32), v = MAKE(4 * 32);
    LAB_CHECK(lab_launch(find("right"), LAB_DIM(5), LAB_DIM(32), 32 * sizeof(int), NULL,
                         LAB_ARGS((lab_deviceptr)lab_array_data(x.array), (lab_deviceptr)lab_array_data(v.array), 32)));
    check_silence();
}

Test(memcheck, accepts_generated_kernels)
{
    turn_on();
    lab_array *x, *y, *sum, *as_double;
    LAB_CHECK(lab_array_arange(&x, LAB_INT32, 1000, lab_arg_s32(3), lab_arg_s32(2)));
    LAB_CHECK(lab_array_random_normal(&y, LAB_FLOAT32, LAB_SHAPE(333, 3), 0, 1, 5));
    LAB_CHECK(lab_array_empty(&sum, LAB_FLOAT32, LAB_SHAPE(1)));
    LAB_CHECK(lab_array_sum(sum, y, NULL));
    LAB_CHECK(lab_array_astype(&as_double, y, LAB_FLOAT64, NULL));
    check_silence();
}

#ifdef LAB_PLAIN_TESTS
#define CLASSICS "classics/", (char *)NULL
#define ALL_PASSED "13 passed, 0 failed"
#else
#define CLASSICS "--filter", "classics/*", (char *)NULL
#define ALL_PASSED "Passing: 13"
#endif

/* Runs the tests of the classics, which compare every result, in a process of its own. */
static void run_classics(void *unused)
{
    (void)unused;
    turn_on();
    unsetenv("BXFI_MAP");  /* tells a process of Criterion that it is one test */
    unsetenv("TEST_TURN"); /* all of them: this test has a turn of its own */
    execl("/proc/self/exe", "lib_tests", CLASSICS);
    _exit(1);
}

Test(memcheck, accepts_the_classics)
{
    static char output[100000];
    int status = test_in_child(run_classics, NULL, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", output);
    cr_assert(strstr(output, ALL_PASSED), "%s", output);
}

static void leak(void *unused)
{
    (void)unused;
    setenv("LAB_MEMCHECK", "leaks", 1);
    lab_deviceptr kept, freed;
    lab_array *array;
    LAB_CHECK(lab_mem_alloc(&kept, 100));
    LAB_CHECK(lab_mem_alloc(&freed, 100));
    LAB_CHECK(lab_array_zeros(&array, LAB_FLOAT32, LAB_SHAPE(5)));
    LAB_CHECK(lab_mem_free(freed));
    exit(0);
}

Test(memcheck, lists_memory_that_was_never_freed_at_the_end)
{
    char output[2000];
    int status = test_in_child(leak, NULL, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", output);
    cr_assert(strstr(output, "LAB_MEMCHECK: never freed: the 100 bytes allocated at memcheck_test.c:"), "%s", output);
    cr_assert(strstr(output, "LAB_MEMCHECK: never freed: the 20 bytes allocated at memcheck_test.c:"), "%s", output);
    cr_assert(strstr(output, "LAB_MEMCHECK: 2 allocations of device memory (120 bytes) were never freed\n"), "%s",
              output);
}

Test(memcheck, refuses_an_unknown_value)
{
    setenv("LAB_MEMCHECK", "everything", 1);
    int count;
    check_message(lab_device_count(&count), LAB_ERROR_INVALID_VALUE, "LAB_MEMCHECK=everything");
}
