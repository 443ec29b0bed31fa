/*
 * The graph that a stream captures from the loop of lab 03: for each array its copy in, kernel and copy out, on a
 * stream of its own. The other streams fork from the first by an event and join it by events; neither makes a node.
 *
 *     depth | breadth    array after array, or all copies in, all kernels, all copies out
 */
#include "slide.h"

#include <string.h>

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

static lab_stream *stream[ARRAYS];
static lab_array *array[ARRAYS];
static float *host[ARRAYS];
static lab_function advance;

static void enqueue(int step, int k)
{
    if (step == 0) LAB_CHECK(lab_array_set_async(array[k], host[k], stream[k]));
    if (step == 1)
        LAB_CHECK(lab_launch(advance, LAB_DIM(1), LAB_DIM(64), 0, stream[k], LAB_ARGS(array[k], (int)LENGTH, 3.7f, 8)));
    if (step == 2) LAB_CHECK(lab_array_get_async(array[k], host[k], stream[k]));
}

static void capture(bool depth_first)
{
    enum { STEPS = 3 };
    lab_event *begun, *done;
    LAB_CHECK(lab_event_create(&begun, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_event_create(&done, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_stream_begin_capture(stream[0], LAB_CAPTURE_GLOBAL));
    LAB_CHECK(lab_event_record(begun, stream[0]));
    for (int k = 1; k < ARRAYS; k++) LAB_CHECK(lab_stream_wait_event(stream[k], begun));
    for (int i = 0; i < ARRAYS * STEPS; i++)
        depth_first ? enqueue(i % STEPS, i / STEPS) : enqueue(i / ARRAYS, i % ARRAYS);
    for (int k = 1; k < ARRAYS; k++) {
        LAB_CHECK(lab_event_record(done, stream[k]));
        LAB_CHECK(lab_stream_wait_event(stream[0], done));
    }
}

int main(int argc, char **argv)
{
    lab_graph *graph;
    slide_open(argc, argv, 1);
    advance = slide_kernel("labs/lab03-concurrency/kernels.cu", "advance");
    for (int k = 0; k < ARRAYS; k++) {
        LAB_CHECK(lab_stream_create(&stream[k], LAB_STREAM_NON_BLOCKING));
        LAB_CHECK(lab_array_empty(&array[k], LAB_FLOAT32, LAB_SHAPE(LENGTH)));
        host[k] = slide_pinned(LENGTH, 0.05f, 0.95f);
    }
    capture(strcmp(slide_text(0), "depth") == 0);
    LAB_CHECK(lab_stream_end_capture(&graph, stream[0]));
    json_t *nodes = list_nodes(graph), *edges = list_edges(graph);
    slide_save(json_pack("{s:o, s:o}", "nodes", nodes, "edges", edges));
    return 0;
}
