/*
 * The graph that a stream captures from the loop of lab 03: for each array its copy in, kernel and copy out, on a stream
 * of its own. The other streams fork from the first by an event and join it by events; neither makes a node.
 */
#include "slide.h"

enum { ARRAYS = 4, LENGTH = 16 * 1024 };

static json_t *list_nodes(lab_graph *graph)
{
    const lab_graph_node *node;
    int count;
    json_t *list = json_array();
    LAB_CHECK(lab_graph_get_nodes(&node, &count, graph));
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:I}", "kind", lab_graph_node_kind_name(node[i].kind), "name",
                                              node[i].name, "bytes", (json_int_t)node[i].bytes));
    return list;
}

static json_t *list_edges(lab_graph *graph)
{
    const lab_graph_edge *edge;
    int count;
    json_t *list = json_array();
    LAB_CHECK(lab_graph_get_edges(&edge, &count, graph));
    for (int i = 0; i < count; i++) json_array_append_new(list, json_pack("[i, i]", edge[i].from, edge[i].to));
    return list;
}

static void capture(lab_stream *const stream[ARRAYS], lab_array *const array[ARRAYS], float *const host[ARRAYS])
{
    const lab_function advance = slide_kernel("labs/lab03-concurrency/kernels.cu", "advance");
    lab_event *begun, *done;
    LAB_CHECK(lab_event_create(&begun, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_event_create(&done, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_stream_begin_capture(stream[0], LAB_CAPTURE_GLOBAL));
    LAB_CHECK(lab_event_record(begun, stream[0]));
    for (int k = 1; k < ARRAYS; k++) LAB_CHECK(lab_stream_wait_event(stream[k], begun));
    for (int k = 0; k < ARRAYS; k++) {
        LAB_CHECK(lab_array_set_async(array[k], host[k], stream[k]));
        LAB_CHECK(lab_launch(advance, LAB_DIM(1), LAB_DIM(64), 0, stream[k], LAB_ARGS(array[k], (int)LENGTH, 3.7f, 8)));
        LAB_CHECK(lab_array_get_async(array[k], host[k], stream[k]));
    }
    for (int k = 1; k < ARRAYS; k++) {
        LAB_CHECK(lab_event_record(done, stream[k]));
        LAB_CHECK(lab_stream_wait_event(stream[0], done));
    }
}

static double microseconds_of(lab_graph_exec *exec, lab_stream *stream)
{
    enum { LAUNCHES = 200 };
    double total = 0;
    for (int k = 0; k < LAUNCHES; k++) {
        const double begin = slide_clock();
        LAB_CHECK(lab_graph_launch(exec, stream));
        total += slide_clock() - begin;
        LAB_CHECK(lab_stream_synchronize(stream));
    }
    return total * 1e3 / LAUNCHES;
}

int main(int argc, char **argv)
{
    lab_stream *stream[ARRAYS];
    lab_array *array[ARRAYS];
    float *host[ARRAYS];
    lab_graph *graph;
    lab_graph_exec *exec;
    slide_open(argc, argv, 0);
    for (int k = 0; k < ARRAYS; k++) {
        LAB_CHECK(lab_stream_create(&stream[k], LAB_STREAM_NON_BLOCKING));
        LAB_CHECK(lab_array_empty(&array[k], LAB_FLOAT32, LAB_SHAPE(LENGTH)));
        host[k] = slide_pinned(LENGTH, 0.05f, 0.95f);
    }
    capture(stream, array, host);
    LAB_CHECK(lab_stream_end_capture(&graph, stream[0]));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    json_t *nodes = list_nodes(graph), *edges = list_edges(graph);
    slide_save(
        json_pack("{s:o, s:o, s:f}", "nodes", nodes, "edges", edges, "launch_us", microseconds_of(exec, stream[0])));
    return 0;
}
