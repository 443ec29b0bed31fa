/* Recording: the calls that a record lists, their order, and their fields. record_waits_test.c tests what
 * each operation waits for, record_file_test.c the files of LAB_TRACE. */
#include "base/monotonic.h"
#include "conformance/gate.h"
#include "record/record.h"
#include "record_kit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sha2.h>

static void do_nothing(void *user) { (void)user; }

/* --- Listed calls ------------------------------------------------------------------------------------------- */

static struct {
    lab_op_kind kind;
    int line;
} step[LAB_OP_KINDS];
static size_t steps;

/* Makes the call, and expects an operation of this kind from this line. */
#define STEP(expected, call)                                                                                           \
    do {                                                                                                               \
        step[steps].kind = expected;                                                                                   \
        step[steps++].line = __LINE__;                                                                                 \
        LAB_CHECK(call);                                                                                               \
    } while (0)

static const char COPY_KERNEL[] = "extern \"C\" __global__ void take(float *to, const float *from) { *to = *from; }\n";

static void make_every_kind_of_call(void)
{
    static float registered[4096];
    lab_stream *stream;
    lab_event *event;
    lab_deviceptr memory, pooled;
    void *pinned, *pooled_pinned;
    lab_module *module;
    lab_function take;
    lab_context *context;
    lab_graph *graph;
    lab_graph_exec *exec;
    STEP(LAB_OP_POOL_ALLOC, lab_mempool_alloc(&pooled, NULL, 64, NULL));
    STEP(LAB_OP_POOL_FREE, lab_mempool_free(NULL, pooled, NULL));
    STEP(LAB_OP_PINNED_POOL_ALLOC, lab_pinned_mempool_alloc(&pooled_pinned, NULL, 64));
    STEP(LAB_OP_PINNED_POOL_FREE, lab_pinned_mempool_free(NULL, pooled_pinned));
    STEP(LAB_OP_CONTEXT_CREATE, lab_context_create(&context, 0));
    STEP(LAB_OP_STREAM_CREATE, lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    STEP(LAB_OP_EVENT_CREATE, lab_event_create(&event, LAB_EVENT_DEFAULT));
    STEP(LAB_OP_MEMORY_ALLOC, lab_mem_alloc(&memory, 64));
    STEP(LAB_OP_HOST_ALLOC, lab_host_alloc(&pinned, 64));
    STEP(LAB_OP_HOST_REGISTER, lab_host_register(registered, sizeof registered));
    STEP(LAB_OP_MODULE_LOAD, lab_module_load_source(&module, COPY_KERNEL, "take.cu"));
    LAB_CHECK(lab_module_get_function(&take, module, "take"));
    STEP(LAB_OP_COPY_HTOD, lab_memcpy_htod_async(memory, pinned, 64, stream));
    STEP(LAB_OP_KERNEL, lab_launch(take, LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_ARGS(memory, memory)));
    STEP(LAB_OP_COPY_DTOD, lab_memcpy_dtod_async(memory, memory + 32, 32, stream));
    STEP(LAB_OP_FILL, lab_memset_async(memory, 0, 64, stream));
    STEP(LAB_OP_COPY_DTOH, lab_memcpy_dtoh_async(pinned, memory, 64, stream));
    STEP(LAB_OP_HOST_FUNCTION, lab_stream_launch_host_func(stream, do_nothing, NULL));
    STEP(LAB_OP_EVENT_RECORD, lab_event_record(event, stream));
    STEP(LAB_OP_EVENT_WAIT, lab_stream_wait_event(stream, event));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    STEP(LAB_OP_GRAPH_NODE, lab_launch(take, LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_ARGS(memory, memory)));
    STEP(LAB_OP_GRAPH_CREATE, lab_stream_end_capture(&graph, stream));
    STEP(LAB_OP_EXEC_CREATE, lab_graph_instantiate(&exec, graph));
    STEP(LAB_OP_GRAPH_DESTROY, lab_graph_destroy(graph));
    const lab_args both = LAB_ARGS(memory, memory);
    STEP(LAB_OP_EXEC_UPDATE, lab_graph_exec_update_kernel(exec, 0, take, LAB_DIM(1), LAB_DIM(1), 0, both));
    STEP(LAB_OP_GRAPH_LAUNCH, lab_graph_launch(exec, stream));
    STEP(LAB_OP_EXEC_DESTROY, lab_graph_exec_destroy(exec));
    STEP(LAB_OP_EVENT_SYNC, lab_event_synchronize(event));
    STEP(LAB_OP_EVENT_QUERY, lab_event_query(event));
    STEP(LAB_OP_STREAM_SYNC, lab_stream_synchronize(stream));
    STEP(LAB_OP_DEVICE_SYNC, lab_device_synchronize());
    STEP(LAB_OP_STREAM_QUERY, lab_stream_query(stream));
    STEP(LAB_OP_MODULE_UNLOAD, lab_module_unload(module));
    STEP(LAB_OP_HOST_UNREGISTER, lab_host_unregister(registered));
    STEP(LAB_OP_HOST_FREE, lab_host_free(pinned));
    STEP(LAB_OP_MEMORY_FREE, lab_mem_free(memory));
    STEP(LAB_OP_EVENT_DESTROY, lab_event_destroy(event));
    STEP(LAB_OP_STREAM_DESTROY, lab_stream_destroy(stream));
    STEP(LAB_OP_CONTEXT_SYNC, lab_context_synchronize(context));
    STEP(LAB_OP_CONTEXT_DESTROY, lab_context_destroy(context));
    STEP(LAB_OP_HOST_READ, lab_host_reads(registered, sizeof registered));
    STEP(LAB_OP_HOST_WRITE, lab_host_writes(registered, sizeof registered));
    STEP(LAB_OP_RANGE_PUSH, lab_range_push("a range"));
    STEP(LAB_OP_RANGE_POP, lab_range_pop());
    /* Calls that give nothing back have no line. */
    step[steps++].kind = LAB_OP_HOST_RELEASE;
    lab_host_release(registered);
    step[steps++].kind = LAB_OP_HOST_ACQUIRE;
    lab_host_acquire(registered);
    step[steps++].kind = LAB_OP_MARK;
    lab_trace_mark("end of the sequence");
}

/* Fills the pools, so that later allocations call nothing else. */
static void fill_pools(void)
{
    lab_deviceptr memory;
    void *pinned;
    LAB_CHECK(lab_mempool_alloc(&memory, NULL, 64, NULL));
    LAB_CHECK(lab_mempool_free(NULL, memory, NULL));
    LAB_CHECK(lab_pinned_mempool_alloc(&pinned, NULL, 64));
    LAB_CHECK(lab_pinned_mempool_free(NULL, pinned));
}

Test(record, lists_every_kind_of_call_in_order_with_its_line)
{
    fill_pools();
    LAB_CHECK(lab_trace_begin());
    make_every_kind_of_call();
    lab_trace *trace = end();
    cr_assert_eq(steps, LAB_OP_KINDS, "the sequence leaves out a kind of operation");
    cr_assert_eq(trace->ops, steps);
    for (size_t i = 0; i < steps; i++) {
        const lab_trace_op *op = &trace->op[i];
        cr_assert_eq(op->kind, step[i].kind, "operation %zu is a %s, not a %s", i + 1, lab_op_kind_name(op->kind),
                     lab_op_kind_name(step[i].kind));
        cr_assert_eq(op->id, i + 1);
        cr_assert_eq(op->thread, 1);
        cr_assert_eq(op->device, 0);
        if (!step[i].line) continue;
        cr_assert_eq(op->line, step[i].line, "%s: line %d", lab_op_kind_name(op->kind), op->line);
        cr_assert_not_null(strstr(op->file, "record_test.c"), "%s: file '%s'", lab_op_kind_name(op->kind), op->file);
    }
    cr_assert_str_eq(find(trace, LAB_OP_MARK, 0)->name, "end of the sequence");
    lab_trace_free(trace);
}

Test(record, notes_whether_the_call_waits_for_the_device)
{
    LAB_CHECK(lab_trace_begin());
    make_every_kind_of_call();
    lab_trace *trace = end();
    for (size_t i = 0; i < trace->ops; i++) {
        lab_op_kind kind = trace->op[i].kind;
        bool waits = kind == LAB_OP_STREAM_SYNC || kind == LAB_OP_EVENT_SYNC || kind == LAB_OP_DEVICE_SYNC ||
                     kind == LAB_OP_MEMORY_FREE || kind == LAB_OP_HOST_FREE || kind == LAB_OP_HOST_UNREGISTER ||
                     kind == LAB_OP_MODULE_UNLOAD || kind == LAB_OP_CONTEXT_SYNC || kind == LAB_OP_CONTEXT_DESTROY;
        cr_assert_eq(trace->op[i].host_waits, waits, "%s", lab_op_kind_name(kind));
    }
    lab_trace_free(trace);
}

Test(record, gives_times_to_what_the_device_ran_and_to_nothing_else)
{
    LAB_CHECK(lab_trace_begin());
    make_every_kind_of_call();
    lab_trace *trace = end();
    int64_t last_call = 0, last_end = 0;
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        const char *kind = lab_op_kind_name(op->kind);
        cr_assert_leq(last_call, op->call_ns, "%s was called before the one before it", kind);
        cr_assert_leq(op->call_ns, op->return_ns, "%s returned before it was called", kind);
        cr_assert_leq(op->return_ns, trace->duration_ns, "%s", kind);
        last_call = op->call_ns;
        bool runs = *lab_op_kind_engine(op->kind) || op->kind == LAB_OP_EVENT_RECORD;
        cr_assert_eq(op->start_ns >= 0, runs, "%s starts at %lld", kind, (long long)op->start_ns);
        cr_assert_eq(op->end_ns >= 0, runs, "%s ends at %lld", kind, (long long)op->end_ns);
        cr_assert_eq(op->lane >= 0, *lab_op_kind_engine(op->kind) != '\0', "%s has lane %d", kind, op->lane);
        if (!runs) continue;
        cr_assert_leq(op->call_ns, op->start_ns, "%s started before it was called", kind);
        cr_assert_leq(last_end, op->start_ns, "%s started before the one before it on its stream ended", kind);
        cr_assert_leq(op->start_ns, op->end_ns, "%s ended before it started", kind);
        cr_assert_leq(op->end_ns, trace->duration_ns, "%s", kind);
        last_end = op->end_ns;
    }
    const lab_trace_op *timestamp = find(trace, LAB_OP_EVENT_RECORD, 0);
    cr_assert_eq(timestamp->start_ns, timestamp->end_ns);
    lab_trace_free(trace);
}

Test(record, leaves_out_calls_that_failed)
{
    float host[4] = {0};
    lab_deviceptr memory = allocate(16);
    lab_stream *destroyed = make_stream(LAB_STREAM_DEFAULT);
    lab_module *module;
    lab_function take;
    LAB_CHECK(lab_module_load_source(&module, COPY_KERNEL, NULL));
    LAB_CHECK(lab_module_get_function(&take, module, "take"));
    LAB_CHECK(lab_stream_destroy(destroyed));
    LAB_CHECK(lab_trace_begin());
    lab_deviceptr none;
    lab_module *no_module;
    cr_assert_neq(lab_memcpy_htod(memory, host, 17), LAB_SUCCESS);
    cr_assert_neq(lab_mem_alloc(&none, SIZE_MAX), LAB_SUCCESS);
    cr_assert_neq(lab_mem_free(memory + 1), LAB_SUCCESS);
    cr_assert_neq(lab_stream_synchronize(destroyed), LAB_SUCCESS);
    cr_assert_neq(lab_stream_destroy(destroyed), LAB_SUCCESS);
    cr_assert_neq(lab_launch(take, LAB_DIM(0), LAB_DIM(1), 0, NULL, LAB_ARGS(memory, memory)), LAB_SUCCESS);
    cr_assert_neq(lab_module_load_source(&no_module, "no kernel", NULL), LAB_SUCCESS);
    cr_assert_neq(lab_host_register(NULL, 1), LAB_SUCCESS);
    LAB_CHECK(lab_memset_async(memory, 0, 16, NULL));
    lab_trace *trace = end();
    cr_assert_eq(trace->ops, 1);
    cr_assert_eq(trace->op[0].kind, LAB_OP_FILL);
    cr_assert_eq(trace->op[0].id, 1);
    lab_trace_free(trace);
}

/* --- Fields ------------------------------------------------------------------------------------------------- */

static void check_access(const lab_trace_op *op, int index, uint64_t address, uint64_t bytes, bool host, bool writes)
{
    cr_assert_lt(index, op->accesses, "%s has %d accesses", lab_op_kind_name(op->kind), op->accesses);
    const lab_trace_access *access = &op->access[index];
    cr_assert_eq(access->address, address, "access %d", index);
    cr_assert_eq(access->bytes, bytes, "access %d: %llu bytes", index, (unsigned long long)access->bytes);
    cr_assert_eq(access->host, host, "access %d", index);
    cr_assert_eq(access->writes, writes, "access %d", index);
}

Test(record, copies_name_stream_bytes_ranges_and_the_kind_of_host_memory)
{
    static float pageable[64];
    float *pinned;
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT);
    lab_deviceptr memory = allocate(256);
    LAB_CHECK(lab_host_alloc((void **)&pinned, 256));
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_memcpy_htod_async(memory + 4, pinned, 100, stream));
    LAB_CHECK(lab_memcpy_dtoh(pageable, memory, 256));
    LAB_CHECK(lab_memcpy_dtod_async(memory, memory + 128, 64, stream));
    LAB_CHECK(lab_host_free(pinned));
    lab_trace *trace = end();
    const lab_trace_op *upload = find(trace, LAB_OP_COPY_HTOD, 0), *download = find(trace, LAB_OP_COPY_DTOH, 0),
                       *within = find(trace, LAB_OP_COPY_DTOD, 0), *freed = find(trace, LAB_OP_HOST_FREE, 0);
    cr_assert(upload->bytes == 100 && download->bytes == 256 && within->bytes == 64 && freed->bytes == 256);
    cr_assert(upload->stream == id_of(stream) && download->stream == id_of(lab_stream_null()) &&
              within->stream == id_of(stream));
    cr_assert_eq(upload->host_memory, LAB_HOST_PINNED);
    cr_assert_eq(download->host_memory, LAB_HOST_PAGEABLE);
    cr_assert_eq(within->host_memory, LAB_HOST_NONE);
    cr_assert(!upload->host_waits && download->host_waits && !within->host_waits);
    check_access(upload, 0, (uintptr_t)pinned, 100, true, false);
    check_access(upload, 1, memory + 4, 100, false, true);
    check_access(download, 0, memory, 256, false, false);
    check_access(download, 1, (uintptr_t)pageable, 256, true, true);
    check_access(within, 0, memory + 128, 64, false, false);
    check_access(within, 1, memory, 64, false, true);
    cr_assert_eq(freed->object, (uintptr_t)pinned);
    lab_trace_free(trace);
}

Test(record, kernels_name_their_extents_and_what_they_may_read_and_write)
{
    lab_array *target, *input_array;
    lab_module *module;
    lab_function take;
    LAB_CHECK(lab_array_empty(&target, LAB_FLOAT32, LAB_SHAPE(10)));
    LAB_CHECK(lab_array_empty(&input_array, LAB_FLOAT32, LAB_SHAPE(20)));
    LAB_CHECK(lab_module_load_source(&module, COPY_KERNEL, NULL));
    LAB_CHECK(lab_module_get_function(&take, module, "take"));
    lab_deviceptr middle = lab_array_data(input_array) + 16;
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_launch(take, LAB_DIM(2, 3, 4), LAB_DIM(5, 6, 7), 0, NULL, LAB_ARGS(target, input_array)));
    LAB_CHECK(lab_launch(take, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(target, middle)));
    lab_trace *trace = end();
    const lab_trace_op *kernel = find(trace, LAB_OP_KERNEL, 0);
    cr_assert_str_eq(kernel->name, "take");
    cr_assert(kernel->grid.x == 2 && kernel->grid.y == 3 && kernel->grid.z == 4);
    cr_assert(kernel->block.x == 5 && kernel->block.y == 6 && kernel->block.z == 7);
    cr_assert_eq(kernel->accesses, 2);
    check_access(kernel, 0, lab_array_data(target), 40, false, true);
    check_access(kernel, 1, lab_array_data(input_array), 80, false, false);
    check_access(find(trace, LAB_OP_KERNEL, 1), 1, middle, 64, false, false);
    lab_trace_free(trace);
}

Test(record, lists_the_streams_its_operations_name)
{
    lab_stream *unused = make_stream(LAB_STREAM_DEFAULT), *blocking = make_stream(LAB_STREAM_DEFAULT);
    lab_deviceptr memory = allocate(16);
    LAB_CHECK(lab_trace_begin());
    lab_stream *other = make_stream(LAB_STREAM_NON_BLOCKING), *urgent;
    int least, greatest;
    LAB_CHECK(lab_stream_priority_range(&least, &greatest));
    LAB_CHECK(lab_stream_create_with_priority(&urgent, LAB_STREAM_DEFAULT, greatest - 1));
    LAB_CHECK(lab_memset_async(memory, 0, 16, blocking));
    LAB_CHECK(lab_memset_async(memory, 0, 16, lab_stream_null()));
    lab_trace *trace = end();
    cr_assert_eq(trace->streams, 4);
    for (size_t i = 0; i < trace->streams; i++) {
        const lab_trace_stream *stream = &trace->stream[i];
        cr_assert_neq(stream->id, id_of(unused));
        cr_assert_eq(stream->null_stream, stream->id == id_of(lab_stream_null()));
        cr_assert_eq(stream->non_blocking, stream->id == id_of(other));
        cr_assert_eq(stream->priority, stream->id == id_of(urgent) ? greatest : 0);
    }
    lab_trace_free(trace);
}

Test(record, says_which_device_it_is_of)
{
    lab_device_info info;
    LAB_CHECK(lab_device_get_info(&info, 0));
    LAB_CHECK(lab_trace_begin());
    lab_trace *trace = end();
    cr_assert_str_eq(trace->device_name, info.name);
    cr_assert_str_eq(trace->device_kind, info.kind);
    cr_assert_eq(trace->multiprocessors, info.multiprocessors);
    cr_assert_gt(trace->duration_ns, 0);
    cr_assert_eq(trace->ops, 0);
    lab_trace_free(trace);
}

Test(record, ends_of_calls_that_never_began_do_not_move_the_places_of_others)
{
    lab_deviceptr memory = allocate(16);
    LAB_CHECK(lab_trace_begin());
    for (int i = 0; i < 3; i++) lab_here_ends(LAB_SUCCESS);
    LAB_CHECK(lab_memset_async(memory, 0, 16, NULL));
    int line = __LINE__ - 1;
    lab_trace *trace = end();
    cr_assert_eq(trace->op[0].line, line);
    lab_trace_free(trace);
}

Test(record, a_call_without_a_known_place_does_not_take_the_place_of_another)
{
    lab_deviceptr memory = allocate(16);
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_memset_async(memory, 0, 16, NULL));
    LAB_CHECK((lab_memset_async)(memory, 0, 16, NULL));
    lab_trace *trace = end();
    cr_assert_gt(trace->op[0].line, 0);
    cr_assert_eq(trace->op[1].line, 0);
    cr_assert_str_eq(trace->op[1].file, "");
    lab_trace_free(trace);
}

/* A program may name any place; a record with a line below 0 could not be loaded. */
Test(record, a_line_below_0_is_no_place)
{
    lab_deviceptr memory = allocate(16);
    LAB_CHECK(lab_trace_begin());
    lab_here("file.c", -1);
    LAB_CHECK((lab_memset_async)(memory, 0, 16, NULL));
    lab_here_ends(LAB_SUCCESS);
    lab_trace *trace = end();
    cr_assert_eq(trace->op[0].line, 0);
    cr_assert_str_eq(trace->op[0].file, "");
    lab_trace_free(trace);
}

/* --- Kernels ------------------------------------------------------------------------------------------------- */

#define SCALE_KERNEL                                                                                                   \
    "struct pair { float a[5]; };\n"                                                                                   \
    "extern \"C\" __global__ void scale(float *x, int count, float by, unsigned char c, double d, pair p, float *y)\n" \
    "{ if (threadIdx.x < count) x[threadIdx.x] *= by + c + d + p.a[0]; }\n"

static const char *sha256(const void *bytes, size_t size)
{
    static char digits[4][SHA256_DIGEST_STRING_LENGTH];
    static int calls;
    return SHA256Data(bytes, size, digits[calls++ % 4]);
}

Test(record, a_kernel_has_the_digest_of_its_source_and_its_arguments)
{
    static const char text[] = "\xef\xbb\xbf" SCALE_KERNEL;
    struct {
        float a[5];
    } pair = {{1, 2, 3, 4, 5}};
    lab_module *module;
    lab_function scale;
    lab_deviceptr x = allocate(64);
    char expected[256];
    LAB_CHECK(lab_module_load_source(&module, text, "scale.cu"));
    LAB_CHECK(lab_module_get_function(&scale, module, "scale"));
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_launch(scale, LAB_DIM(1), LAB_DIM(16), 0, NULL,
                         LAB_ARGS(x, 16, 1.0f, (unsigned char)7, -2.0, LAB_BYTES(pair), (lab_deviceptr)0)));
    lab_trace *trace = end();
    const lab_trace_op *op = find(trace, LAB_OP_KERNEL, 0);
    cr_assert_str_eq(op->module, sha256(SCALE_KERNEL, sizeof SCALE_KERNEL - 1), "without the byte order mark");
    snprintf(expected, sizeof expected, "0x%llx 10000000 0000803f 07 00000000000000c0 #%s 0x0", (unsigned long long)x,
             sha256(&pair, sizeof pair));
    cr_assert_str_eq(op->arguments, expected);
    lab_trace_free(trace);
}

Test(record, a_load_says_whether_the_compiler_ran)
{
    lab_module *module;
    char source[128];
    snprintf(source, sizeof source, "/* %lld */ extern \"C\" __global__ void nothing() {}\n",
             (long long)monotonic_ns());
    LAB_CHECK(lab_trace_begin());
    for (int i = 0; i < 2; i++) {
        LAB_CHECK(lab_module_load_source(&module, source, "nothing.cu"));
        LAB_CHECK(lab_module_unload(module));
    }
    lab_trace *trace = end();
    const lab_trace_op *first = find(trace, LAB_OP_MODULE_LOAD, 0), *second = find(trace, LAB_OP_MODULE_LOAD, 1);
    cr_assert(first->compile_ns > 0 && first->compile_ns <= first->return_ns - first->call_ns);
    cr_assert_eq(second->compile_ns, 0, "the first load left the result in the cache");
    cr_assert_str_eq(first->module, sha256(source, strlen(source)));
    cr_assert_str_eq(second->module, first->module);
    lab_trace_free(trace);
}

Test(record, uses_that_the_program_declares_are_the_last_ones)
{
    lab_module *module;
    lab_function take;
    lab_deviceptr x = allocate(64), y = allocate(64);
    LAB_CHECK(lab_module_load_source(&module, "extern \"C\" __global__ void take(int *x) { *x = 1; }\n", "take.cu"));
    LAB_CHECK(lab_module_get_function(&take, module, "take"));
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_next_uses(y, 64, true));
    LAB_CHECK(lab_launch(take, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(x)));
    lab_trace *trace = end();
    const lab_trace_op *op = find(trace, LAB_OP_KERNEL, 0);
    cr_assert_eq(op->accesses, 2);
    cr_assert_eq(op->declared, 1);
    cr_assert_eq(op->access[0].address, x);
    cr_assert_eq(op->access[1].address, y);
    lab_trace_free(trace);
}

/* The library's own kernels have no digest, whatever their names; those with text of the program's have one. */
Test(record, only_kernels_with_text_of_the_program_have_a_digest)
{
    lab_array *x, *y, *sum;
    lab_elementwise *each;
    lab_reduction *all;
    lab_expression *expression;
    LAB_CHECK(lab_array_full(&x, LAB_FLOAT32, LAB_SHAPE(100), LAB_ARG(2.0f)));
    LAB_CHECK(lab_array_empty(&sum, LAB_FLOAT32, LAB_SHAPE(1)));
    LAB_CHECK(lab_elementwise_create(&each, "T x", "T out", "out = x", "astype"));
    LAB_CHECK(lab_reduction_create(&all, &(lab_reduction_source){.inputs = "T x",
                                                                 .outputs = "T out",
                                                                 .map = "x",
                                                                 .reduce = "a + b",
                                                                 .post_map = "out = a",
                                                                 .identity = "0",
                                                                 .name = "sum"}));
    LAB_CHECK(lab_expression_create(&expression, "x", "x + 1", "fill"));
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_array_fill(x, LAB_ARG(3.0f), NULL));
    LAB_CHECK(lab_array_astype(&y, x, LAB_INT32, NULL));
    LAB_CHECK(lab_array_sum(sum, x, NULL));
    LAB_CHECK(lab_elementwise_launch(each, NULL, LAB_ARGS(x, x)));
    LAB_CHECK(lab_reduction_launch(all, NULL, LAB_ARGS(x, sum)));
    LAB_CHECK(lab_expression_apply(expression, NULL, LAB_ARGS(x, x)));
    lab_trace *trace = end();
    for (int i = 0; i < 6; i++) {
        const lab_trace_op *op = find(trace, LAB_OP_KERNEL, i);
        cr_assert_eq(*op->module == '\0', i < 3, "kernel %d, %s", i, op->name);
        cr_assert_eq(*op->arguments == '\0', i < 3, "kernel %d, %s", i, op->name);
    }
    lab_trace_free(trace);
}

/* --- Beginning and ending ----------------------------------------------------------------------------------- */

Test(record, ends_only_what_was_begun)
{
    lab_trace *trace = (lab_trace *)&step;
    cr_assert_eq(lab_trace_end(&trace), LAB_ERROR_NOT_PERMITTED);
    cr_assert_null(trace);
    cr_assert_not_null(strstr(lab_error_message(), "lab_trace_begin"), "%s", lab_error_message());
    LAB_CHECK(lab_trace_begin());
    cr_assert_eq(lab_trace_end(NULL), LAB_ERROR_INVALID_VALUE);
    lab_trace_free(end());
    cr_assert_eq(lab_trace_end(&trace), LAB_ERROR_NOT_PERMITTED);
    lab_trace_free(NULL);
}

Test(record, beginning_again_drops_the_first_record)
{
    LAB_CHECK(lab_trace_begin());
    lab_trace_mark("first");
    LAB_CHECK(lab_trace_begin());
    lab_trace_mark("second");
    lab_trace *trace = end();
    cr_assert_eq(trace->ops, 1);
    cr_assert_str_eq(trace->op[0].name, "second");
    lab_trace_free(trace);
}

Test(record, lists_nothing_from_before_it_began_or_after_it_ended)
{
    lab_trace_mark("before");
    lab_deviceptr memory = allocate(16);
    LAB_CHECK(lab_trace_begin());
    lab_trace_mark("during");
    lab_trace *trace = end();
    lab_trace_mark("after");
    LAB_CHECK(lab_mem_free(memory));
    cr_assert_eq(trace->ops, 1);
    cr_assert_str_eq(trace->op[0].name, "during");
    lab_trace_free(trace);
}

static void dawdle(void *user)
{
    (void)user;
    for (volatile int look = 0; look < 1000000; look++) {}
}

Test(record, ending_waits_for_the_device_so_that_no_time_is_missing)
{
    lab_stream *stream = make_stream(LAB_STREAM_NON_BLOCKING);
    LAB_CHECK(lab_trace_begin());
    for (int i = 0; i < 5; i++) LAB_CHECK(lab_stream_launch_host_func(stream, dawdle, NULL));
    lab_trace *trace = end();
    for (size_t i = 0; i < trace->ops; i++)
        cr_assert_gt(trace->op[i].end_ns, trace->op[i].start_ns, "operation %zu", i + 1);
    lab_trace_free(trace);
}

static void wait_a_little(void *user)
{
    usleep(20000);
    *(bool *)user = true;
}

Test(record, all_work_is_waited_for_without_a_record_too)
{
    static volatile bool done;
    record_wait_for_work();
    LAB_CHECK(lab_stream_launch_host_func(make_stream(LAB_STREAM_NON_BLOCKING), wait_a_little, (void *)&done));
    record_wait_for_work();
    cr_assert(done);
}

Test(record, marks_without_a_name_or_with_unprintable_ones_are_kept_printable)
{
    LAB_CHECK(lab_trace_begin());
    lab_trace_mark(NULL);
    lab_trace_mark("a\033[31mb\n");
    lab_trace *trace = end();
    cr_assert_str_eq(trace->op[0].name, "");
    cr_assert_null(strchr(trace->op[1].name, '\033'));
    lab_trace_free(trace);
}

/* --- Threads ------------------------------------------------------------------------------------------------ */

enum { THREADS = 4, MARKS = 300 };

static void *mark_and_fill(void *user)
{
    char name[16];
    snprintf(name, sizeof name, "%d", *(int *)user);
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT);
    lab_deviceptr memory = allocate(16);
    for (int i = 0; i < MARKS; i++) {
        lab_trace_mark(name);
        LAB_CHECK(lab_memset_async(memory, 0, 16, i % 50 ? stream : lab_stream_null()));
    }
    return NULL;
}

Test(record, keeps_the_calls_of_each_thread_apart_and_in_order)
{
    pthread_t thread[THREADS];
    int number[THREADS];
    LAB_CHECK(lab_trace_begin());
    lab_trace_mark("the first thread to call");
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        cr_assert_eq(pthread_create(&thread[i], NULL, mark_and_fill, &number[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    lab_trace *trace = end();
    cr_assert_eq(trace->op[0].thread, 1);
    cr_assert_eq(count(trace, LAB_OP_MARK), THREADS * MARKS + 1);
    cr_assert_eq(count(trace, LAB_OP_FILL), THREADS * MARKS);
    int name_of[THREADS + 2] = {0};
    int64_t last_return[THREADS + 2] = {0};
    for (size_t i = 1; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        cr_assert(op->thread >= 2 && op->thread <= THREADS + 1, "thread %llu", (unsigned long long)op->thread);
        cr_assert_leq(last_return[op->thread], op->call_ns);
        last_return[op->thread] = op->return_ns;
        if (op->kind != LAB_OP_MARK) continue;
        int name = atoi(op->name) + 1;
        cr_assert(name_of[op->thread] == 0 || name_of[op->thread] == name, "two threads have number %llu",
                  (unsigned long long)op->thread);
        name_of[op->thread] = name;
    }
    lab_trace_free(trace);
}

static void *fill_until_told(void *user)
{
    lab_deviceptr memory = allocate(16);
    while (!atomic_load((atomic_bool *)user)) {
        for (int i = 0; i < 20; i++) LAB_CHECK(lab_memset_async(memory, 0, 16, NULL));
        LAB_CHECK(lab_stream_synchronize(NULL));
    }
    return NULL;
}

Test(record, may_begin_and_end_while_other_threads_call)
{
    pthread_t thread[2];
    atomic_bool enough = false;
    for (int i = 0; i < 2; i++) cr_assert_eq(pthread_create(&thread[i], NULL, fill_until_told, &enough), 0);
    for (int round = 0; round < 30; round++) {
        LAB_CHECK(lab_trace_begin());
        if (round % 3 == 0) LAB_CHECK(lab_trace_begin());
        lab_trace_mark("mine");
        lab_trace *trace = end();
        cr_assert_eq(count(trace, LAB_OP_MARK), 1);
        for (size_t i = 0; i < trace->ops; i++)
            cr_assert_eq(trace->op[i].end_ns >= 0, trace->op[i].kind == LAB_OP_FILL, "operation %zu", i + 1);
        lab_trace_free(trace);
    }
    atomic_store(&enough, true);
    for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
}

/* ---- Graphs ---- */

/* Captures a fill, next to it a kernel, and a copy after both. */
static lab_graph *capture_join(lab_stream *stream, lab_function take, lab_deviceptr memory, void *host)
{
    lab_stream *fork;
    lab_event *event;
    lab_graph *graph;
    LAB_CHECK(lab_stream_create(&fork, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    LAB_CHECK(lab_event_record(event, stream));
    LAB_CHECK(lab_stream_wait_event(fork, event));
    LAB_CHECK(lab_memset_async(memory + 64, 0, 64, stream));
    LAB_CHECK(lab_launch(take, LAB_DIM(2), LAB_DIM(1), 0, fork, LAB_ARGS(memory, memory)));
    LAB_CHECK(lab_event_record(event, fork));
    LAB_CHECK(lab_stream_wait_event(stream, event));
    LAB_CHECK(lab_memcpy_dtoh_async(host, memory, 64, stream));
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    return graph;
}

/* The graph of the last test's kind, and all that it needs. */
static void make_graph(lab_graph **graph, lab_stream **stream)
{
    static char host[64];
    lab_module *module;
    lab_function take;
    lab_deviceptr memory;
    LAB_CHECK(lab_stream_create(stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_mem_alloc(&memory, 128));
    LAB_CHECK(lab_module_load_source(&module, COPY_KERNEL, "take.cu"));
    LAB_CHECK(lab_module_get_function(&take, module, "take"));
    *graph = capture_join(*stream, take, memory, host);
}

Test(record, captured_work_is_the_nodes_of_the_graph_with_its_edges)
{
    lab_graph *graph;
    lab_stream *stream;
    LAB_CHECK(lab_trace_begin());
    make_graph(&graph, &stream);
    lab_trace *trace = end();
    const lab_trace_op *fill = find(trace, LAB_OP_GRAPH_NODE, 0), *kernel = find(trace, LAB_OP_GRAPH_NODE, 1),
                       *copy = find(trace, LAB_OP_GRAPH_NODE, 2), *made = find(trace, LAB_OP_GRAPH_CREATE, 0);
    cr_assert_str_eq(fill->name, "fill");
    cr_assert_str_eq(kernel->name, "take");
    cr_assert_str_eq(copy->name, "copy dtoh");
    cr_assert_eq(kernel->grid.x, 2);
    cr_assert_eq(kernel->accesses, 2);
    cr_assert_eq(fill->waits, 0);
    cr_assert_eq(kernel->waits, 0);
    cr_assert_eq(copy->waits, 2);
    cr_assert_eq(copy->waits_for[0] + copy->waits_for[1], fill->id + kernel->id);
    cr_assert_eq(copy->start_ns, -1);
    cr_assert_eq(made->object, copy->object);
    lab_trace_free(trace);
}

Test(record, a_capture_that_fails_leaves_no_nodes)
{
    lab_graph *graph;
    lab_stream *stream;
    lab_deviceptr memory;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_mem_alloc(&memory, 64));
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_GLOBAL));
    LAB_CHECK(lab_memset_async(memory, 0, 64, stream));
    cr_assert_eq(lab_stream_synchronize(stream), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    cr_assert_eq(lab_stream_end_capture(&graph, stream), LAB_ERROR_STREAM_CAPTURE_INVALIDATED);
    lab_trace *trace = end();
    cr_assert_eq(trace->ops, 0);
    lab_trace_free(trace);
}

Test(record, a_graph_and_what_is_instantiated_from_it_are_given_back)
{
    lab_graph *graph;
    lab_graph_exec *exec;
    lab_stream *stream;
    lab_lifetime *leak;
    size_t leaks;
    make_graph(&graph, &stream);
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    LAB_CHECK(lab_graph_launch(exec, stream));
    lab_trace *trace = end();
    LAB_CHECK(lab_trace_leaks(&leak, &leaks, trace));
    cr_assert_eq(leaks, 1);
    cr_assert_str_eq(leak->noun, "executable graph");
    cr_assert_eq(find(trace, LAB_OP_GRAPH_LAUNCH, 0)->object, leak->made->object);
    free(leak);
    lab_trace_free(trace);
}

/* ---- Memory that another thread frees meanwhile ---- */

static void *free_pinned(void *memory)
{
    LAB_CHECK(lab_pinned_mempool_free(NULL, memory));
    return NULL;
}

/* The other thread's call begins later, and frees the block before this one takes it. */
Test(record, allocation_comes_after_the_free_of_what_it_got)
{
    void *memory;
    pthread_t other;
    LAB_CHECK(lab_pinned_mempool_alloc(&memory, NULL, 64));
    LAB_CHECK(lab_trace_begin());
    record_entry *entry = record_begin(LAB_OP_PINNED_POOL_ALLOC, 0);
    cr_assert_eq(pthread_create(&other, NULL, free_pinned, memory), 0);
    cr_assert_eq(pthread_join(other, NULL), 0);
    record_memory(entry, (uintptr_t)memory, 64);
    record_end(entry, LAB_SUCCESS);
    LAB_CHECK(lab_stream_synchronize(NULL));
    lab_trace *trace = end();
    cr_assert_eq(trace->ops, 3);
    cr_assert_eq(trace->op[0].kind, LAB_OP_PINNED_POOL_FREE);
    cr_assert_eq(trace->op[1].kind, LAB_OP_PINNED_POOL_ALLOC);
    cr_assert(trace->op[1].object == (uintptr_t)memory && trace->op[1].bytes == 64);
    cr_assert(trace->op[1].id > trace->op[0].id && trace->op[1].call_ns <= trace->op[0].call_ns);
    lab_trace_free(trace);
}

/* Calls that free nothing move no allocation. */
Test(record, allocation_that_nothing_was_freed_for_stays_where_it_began)
{
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_trace_begin());
    record_entry *entry = record_begin(LAB_OP_MEMORY_ALLOC, 0);
    LAB_CHECK(lab_device_synchronize());
    record_memory(entry, 4096, 64);
    record_end(entry, LAB_SUCCESS);
    lab_trace *trace = end();
    cr_assert_eq(trace->ops, 2);
    cr_assert_eq(trace->op[0].kind, LAB_OP_MEMORY_ALLOC);
    lab_trace_free(trace);
}
