/* Streams that another library created: the tests create them with the driver's own calls, looked up in the driver's
 * library as another program would (CuPy, "ExternalStream"). Only a GPU has such streams. */
#include "gate.h"
#include "lab_trace.h"
#include "test.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* As in cuda.h; a CUstream is a pointer, and a result of 0 is success. */
static int (*create)(void **stream, unsigned flags, int priority);
static int (*destroy)(void *stream);
static int (*query)(void *stream);

static void find(void *field, void *library, const char *name)
{
    void *found = dlsym(library, name);
    cr_assert_not_null(found, "the driver has no %s", name);
    memcpy(field, &found, sizeof found);
}

/* liblab-remote has it: the driver is then in another process, where no other library makes streams. */
extern const uint64_t remote_version __attribute__((weak));

/* Whether there can be such streams; makes the primary context the driver's current one. */
static bool gpu(void)
{
    lab_device_info info;
    LAB_CHECK(lab_device_get_info(&info, 0));
    if (strcmp(info.kind, "cuda") != 0) {
        fprintf(stderr, "not run: there is no GPU, and only a GPU has streams of other libraries\n");
        return false;
    }
    if (&remote_version) {
        fprintf(stderr, "not run: the GPU's driver is in another process, and so are its streams\n");
        return false;
    }
    LAB_CHECK(lab_stream_synchronize(NULL));
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    cr_assert_not_null(library, "%s", dlerror());
    find(&create, library, "cuStreamCreateWithPriority");
    find(&destroy, library, "cuStreamDestroy_v2");
    find(&query, library, "cuStreamQuery");
    return true;
}

enum { NON_BLOCKING = 1 };

static void *make_foreign(unsigned flags, int priority)
{
    void *native = NULL;
    cr_assert_eq(create(&native, flags, priority), 0);
    return native;
}

static lab_stream *wrap(void *native)
{
    lab_stream *wrapped;
    LAB_CHECK(lab_stream_from_native(&wrapped, native));
    return wrapped;
}

/* CuPy, ExternalStream: a stream made elsewhere. */
Test(foreign_stream, is_asked_like_any_other)
{
    if (!gpu()) return;
    void *native = make_foreign(NON_BLOCKING, -1), *seen;
    lab_stream *stream = wrap(native);
    unsigned flags;
    int priority, device;
    uint64_t id, null_id;
    LAB_CHECK(lab_stream_native(&seen, stream));
    cr_assert_eq(seen, native);
    LAB_CHECK(lab_stream_get_flags(&flags, stream));
    cr_assert_eq(flags, (unsigned)LAB_STREAM_NON_BLOCKING);
    LAB_CHECK(lab_stream_get_priority(&priority, stream));
    cr_assert_eq(priority, -1);
    LAB_CHECK(lab_stream_get_device(&device, stream));
    cr_assert_eq(device, 0);
    LAB_CHECK(lab_stream_get_id(&id, stream));
    LAB_CHECK(lab_stream_get_id(&null_id, lab_stream_null()));
    cr_assert_neq(id, null_id);
    LAB_CHECK(lab_stream_destroy(stream));
    cr_assert_eq(destroy(native), 0);
}

/* CuPy, ExternalStream: a stream made elsewhere. */
Test(foreign_stream, orders_work_of_both_sides)
{
    if (!gpu()) return;
    gate closed = GATE_CLOSED;
    void *native = make_foreign(NON_BLOCKING, 0);
    lab_stream *stream = wrap(native);
    lab_event *event;
    lab_array *x, *sum;
    float total = 0;
    LAB_CHECK(lab_array_ones(&x, LAB_FLOAT32, LAB_SHAPE(1000)));
    LAB_CHECK(lab_array_zeros(&sum, LAB_FLOAT32, LAB_SHAPE(1)));
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_array_sum(sum, x, NULL)); /* compiling and loading the kernel waits for the device */
    LAB_CHECK(lab_array_fill(sum, lab_arg_f32(0), NULL));
    LAB_CHECK(lab_stream_synchronize(NULL));
    gate_close_stream(&closed, stream);
    LAB_WITH_STREAM(stream) LAB_CHECK(lab_array_sum(sum, x, NULL));
    LAB_CHECK(lab_event_record(event, stream));
    cr_assert_eq(lab_event_query(event), LAB_ERROR_NOT_READY);
    cr_assert_neq(query(native), 0, "the driver's stream is not done either");
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert_eq(query(native), 0);
    LAB_CHECK(lab_array_get_item(sum, 0, &total));
    cr_assert_eq(total, 1000.0f);
    LAB_CHECK(lab_stream_destroy(stream));
    cr_assert_eq(destroy(native), 0);
}

/* CuPy, ExternalStream: a stream made elsewhere. */
Test(foreign_stream, belongs_to_whoever_made_it)
{
    if (!gpu()) return;
    void *native = make_foreign(0, 0);
    lab_stream *stream = wrap(native), *again = wrap(native);
    bool equal;
    LAB_CHECK(lab_stream_is_equal(&equal, stream, again));
    cr_assert(equal);
    LAB_CHECK(lab_stream_destroy(again));
    LAB_CHECK(lab_stream_destroy(stream));
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(query(native), 0, "the stream is still there");
    LAB_CHECK(lab_stream_destroy(wrap(native)));
    cr_assert_eq(destroy(native), 0);
}

/* CuPy, ExternalStream: a stream made elsewhere. */
Test(foreign_stream, is_captured_and_recorded_like_any_other)
{
    if (!gpu()) return;
    void *native = make_foreign(NON_BLOCKING, 0);
    lab_stream *stream = wrap(native);
    lab_graph *graph;
    lab_graph_exec *exec;
    lab_array *x;
    lab_trace *trace;
    const lab_graph_node *nodes;
    float value = 0;
    int count;
    LAB_CHECK(lab_array_zeros(&x, LAB_FLOAT32, LAB_SHAPE(10)));
    LAB_CHECK(lab_stream_synchronize(NULL));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    LAB_CHECK(lab_array_fill(x, lab_arg_f32(3.0f), stream));
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    LAB_CHECK(lab_graph_get_nodes(&nodes, &count, graph));
    cr_assert_eq(count, 1);
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_graph_launch(exec, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    LAB_CHECK(lab_trace_end(&trace));
    LAB_CHECK(lab_array_get_item(x, 9, &value));
    cr_assert_eq(value, 3.0f);
    uint64_t id;
    size_t on_it = 0;
    LAB_CHECK(lab_stream_get_id(&id, stream));
    for (size_t i = 0; i < trace->ops; i++) on_it += trace->op[i].stream == id;
    cr_assert_eq(on_it, 2, "the launch and the wait; found %zu", on_it);
    lab_trace_free(trace);
    LAB_CHECK(lab_graph_exec_destroy(exec));
    LAB_CHECK(lab_graph_destroy(graph));
    LAB_CHECK(lab_stream_destroy(stream));
    cr_assert_eq(destroy(native), 0);
}

/* CuPy, ExternalStream: a stream made elsewhere. */
Test(foreign_stream, of_another_context_is_refused)
{
    if (!gpu()) return;
    void *native = make_foreign(0, 0);
    lab_context *own;
    lab_stream *wrapped;
    LAB_CHECK(lab_context_create(&own, 0));
    cr_assert_eq(lab_stream_from_native(&wrapped, native), LAB_ERROR_INVALID_HANDLE);
    cr_assert_null(wrapped);
    cr_assert_eq(lab_stream_from_native(&wrapped, NULL), LAB_ERROR_INVALID_HANDLE);
    LAB_CHECK(lab_context_destroy(own));
    cr_assert_eq(destroy(native), 0);
}
