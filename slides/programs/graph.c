/*
 * The graph that a stream captures: an array is copied in, a kernel advances each third of it on a stream of its own, and
 * the array is copied out. The streams fork from the first by an event and join it by events.
 */
#include "slide.h"

enum { PARTS = 3, LENGTH = 16 * 1024 };

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

static void capture(lab_stream *const stream[PARTS], lab_array *const part[PARTS], lab_array *whole, float *host)
{
    const lab_function advance = slide_kernel("labs/lab03-concurrency/kernels.cu", "advance");
    lab_event *copied, *advanced[PARTS];
    LAB_CHECK(lab_event_create(&copied, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_stream_begin_capture(stream[0], LAB_CAPTURE_GLOBAL));
    LAB_CHECK(lab_array_set_async(whole, host, stream[0]));
    LAB_CHECK(lab_event_record(copied, stream[0]));
    for (int k = 0; k < PARTS; k++) {
        if (k > 0) LAB_CHECK(lab_stream_wait_event(stream[k], copied));
        LAB_CHECK(lab_launch(advance, LAB_DIM(1), LAB_DIM(64), 0, stream[k], LAB_ARGS(part[k], (int)LENGTH, 3.7f, 8)));
    }
    for (int k = 1; k < PARTS; k++) {
        LAB_CHECK(lab_event_create(&advanced[k], LAB_EVENT_DISABLE_TIMING));
        LAB_CHECK(lab_event_record(advanced[k], stream[k]));
        LAB_CHECK(lab_stream_wait_event(stream[0], advanced[k]));
    }
    LAB_CHECK(lab_array_get_async(whole, host, stream[0]));
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
    lab_stream *stream[PARTS];
    lab_array *whole, *part[PARTS];
    lab_graph *graph;
    lab_graph_exec *exec;
    slide_open(argc, argv, 0);
    LAB_CHECK(lab_array_empty(&whole, LAB_FLOAT32, LAB_SHAPE(PARTS * LENGTH)));
    for (int k = 0; k < PARTS; k++) {
        LAB_CHECK(lab_stream_create(&stream[k], LAB_STREAM_NON_BLOCKING));
        LAB_CHECK(lab_array_slice(&part[k], whole, (size_t)k * LENGTH, LENGTH));
    }
    capture(stream, part, whole, slide_pinned(PARTS * LENGTH, 0.05f, 0.95f));
    LAB_CHECK(lab_stream_end_capture(&graph, stream[0]));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    json_t *nodes = list_nodes(graph), *edges = list_edges(graph);
    slide_save(
        json_pack("{s:o, s:o, s:f}", "nodes", nodes, "edges", edges, "launch_us", microseconds_of(exec, stream[0])));
    return 0;
}
