/* The upload of a graph. */
#include "test.h"
#include "test_arrays.h"

/* A graph that adds 1 to each element. */
static lab_graph_exec *capture(lab_array *x, lab_stream *stream)
{
    lab_elementwise *kernel;
    lab_graph *graph;
    lab_graph_exec *exec;
    LAB_CHECK(lab_elementwise_create(&kernel, "T x", "T y", "y = x + 1", NULL));
    LAB_CHECK(lab_elementwise_launch(kernel, stream, LAB_ARGS(x, x)));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    LAB_CHECK(lab_elementwise_launch(kernel, stream, LAB_ARGS(x, x)));
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    LAB_CHECK(lab_graph_destroy(graph));
    return exec;
}

/* cuda.h, Graph Management: cuGraphUpload uploads without executing. */
Test(graph_upload, an_upload_runs_no_node)
{
    lab_stream *stream;
    lab_array *x;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_array_zeros(&x, LAB_INT32, LAB_SHAPE(1000)));
    LAB_CHECK(lab_device_synchronize());
    lab_graph_exec *exec = capture(x, stream);
    LAB_CHECK(lab_graph_upload(exec, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert_eq(value_of(x), 1, "the upload ran the graph");
    LAB_CHECK(lab_graph_launch(exec, stream));
    LAB_CHECK(lab_graph_upload(exec, stream));
    LAB_CHECK(lab_graph_launch(exec, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert_eq(value_of(x), 3);
    LAB_CHECK(lab_graph_exec_destroy(exec));
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_stream_destroy(stream));
}

/* lab.h, Graphs: an upload on a stream that captures is refused; the capture remains. */
Test(graph_upload, an_upload_in_a_capture_is_refused)
{
    lab_stream *stream;
    lab_array *x;
    lab_graph *graph;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_array_zeros(&x, LAB_INT32, LAB_SHAPE(10)));
    LAB_CHECK(lab_device_synchronize());
    lab_graph_exec *exec = capture(x, stream);
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    cr_assert_eq(lab_graph_upload(exec, stream), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    LAB_CHECK(lab_graph_destroy(graph));
    LAB_CHECK(lab_graph_exec_destroy(exec));
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_stream_destroy(stream));
}
