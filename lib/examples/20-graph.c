/*
 * Capture and replay: work that is enqueued once and launched many times, on any stream.
 *
 * Between begin and end nothing runs: the stream notes its operations. The graph is instantiated once, and each launch
 * costs a fraction of the calls. A call that needs an answer at once, such as a synchronous copy, cannot be captured.
 */
#include "lab.h"

#include <stdio.h>

enum { COUNT = 4 };

int main(void)
{
    lab_stream *one, *two;
    lab_array *x;
    lab_elementwise *step;
    lab_graph *graph;
    lab_graph_exec *exec;
    lab_capture_status status;
    const lab_graph_node *node;
    int nodes;
    float result[COUNT];

    LAB_CHECK(lab_stream_create(&one, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&two, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_elementwise_create(&step, "T x", "T y", "y = 2 * x + 1", "step"));
    LAB_CHECK(lab_array_zeros(&x, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(
        lab_elementwise_launch(step, NULL, LAB_ARGS(x, x))); /* compiles the kernel, which a capture does not allow */
    LAB_CHECK(lab_stream_synchronize(NULL));

    LAB_CHECK(lab_stream_begin_capture(one, LAB_CAPTURE_RELAXED));
    LAB_CHECK(lab_elementwise_launch(step, one, LAB_ARGS(x, x)));
    LAB_CHECK(lab_elementwise_launch(step, one, LAB_ARGS(x, x)));
    LAB_CHECK(lab_stream_is_capturing(&status, one));
    printf("capturing: %s\n", status == LAB_CAPTURE_ACTIVE ? "yes" : "no");
    LAB_CHECK(lab_stream_end_capture(&graph, one));
    LAB_CHECK(lab_graph_get_nodes(&node, &nodes, graph));
    printf("%d nodes, the first a %s named %s\n", nodes, lab_graph_node_kind_name(node[0].kind), node[0].name);
    LAB_CHECK(lab_graph_instantiate(&exec, graph));

    LAB_CHECK(lab_array_get(x, result));
    printf("before the first launch: %g\n", (double)result[0]);
    LAB_CHECK(lab_graph_launch(exec, one));
    LAB_CHECK(lab_stream_synchronize(one));
    LAB_CHECK(lab_array_get(x, result));
    printf("after one launch: %g\n", (double)result[0]);
    LAB_CHECK(lab_graph_launch(exec, two));
    LAB_CHECK(lab_stream_synchronize(two));
    LAB_CHECK(lab_array_get(x, result));
    printf("after another, on another stream: %g\n", (double)result[COUNT - 1]);

    LAB_CHECK(lab_graph_exec_destroy(exec));
    LAB_CHECK(lab_graph_destroy(graph));
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_elementwise_destroy(step));
    LAB_CHECK(lab_stream_destroy(one));
    LAB_CHECK(lab_stream_destroy(two));
    return 0;
}
