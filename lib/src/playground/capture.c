/* Captures. The words are those of the CPU device's, where a program can run into the same. */
#include "capture.h"

#include "base/status.h"

#include <stdlib.h>

enum { MOST_EDGES = 4 * PLAY_STATEMENTS };

struct backend_graph {
    int nodes, edges;
    lab_graph_node node[PLAY_STATEMENTS];
    uint64_t function[PLAY_STATEMENTS];
    lab_graph_edge edge[MOST_EDGES];
};

struct backend_exec {
    char unused;
};

/* The open capture. */
static struct {
    backend_graph *graph; /* NULL outside a capture */
    const backend_stream *origin;
    uint64_t number;
    bool blocking; /* a blocking stream is in it */
    lab_capture_mode mode;
} now;
static lab_capture_mode thread_mode = LAB_CAPTURE_GLOBAL;

static bool has(const node_set *set, int node) { return set->bits[node / 64] >> node % 64 & 1; }

static void add(node_set *set, int node) { set->bits[node / 64] |= (uint64_t)1 << node % 64; }

static void join(node_set *set, const node_set *other)
{
    for (size_t i = 0; i < sizeof set->bits / sizeof *set->bits; i++) set->bits[i] |= other->bits[i];
}

static bool captures(const backend_stream *stream) { return now.graph && stream->capture == now.number; }

static void enter(backend_stream *stream, const node_set *after)
{
    stream->capture = now.number;
    stream->after = *after;
    now.blocking |= stream->blocking;
}

/* ------------------------------------------------------------------------------------------------------
 * Operations, records and waits
 */

static lab_status refuse_null(void)
{
    return lab_fail(LAB_ERROR_STREAM_CAPTURE_IMPLICIT,
                    "the null stream is ordered with every blocking stream, and one of them is capturing; use another "
                    "stream until the capture ended, or capture on a non-blocking one");
}

static lab_status add_node(backend_stream *stream, const lab_graph_node *node, uint64_t function)
{
    backend_graph *graph = now.graph;
    const int number = graph->nodes;
    if (number == PLAY_STATEMENTS) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "the graph has too many nodes");
    for (int i = 0; i < number; i++) {
        if (!has(&stream->after, i)) continue;
        if (graph->edges == MOST_EDGES) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "the graph has too many edges");
        graph->edge[graph->edges++] = (lab_graph_edge){.from = i, .to = number};
    }
    graph->node[number] = *node;
    graph->function[number] = function;
    graph->nodes++;
    stream->after = (node_set){{0}};
    add(&stream->after, number);
    return LAB_SUCCESS;
}

bool capture_takes(lab_status *status, backend_stream *stream, const lab_graph_node *node, uint64_t function)
{
    if (!now.graph) return false;
    if (stream->null && now.blocking)
        *status = refuse_null();
    else if (captures(stream))
        *status = add_node(stream, node, function);
    else
        return false;
    return true;
}

bool capture_records(backend_event *event, const backend_stream *stream)
{
    event->capture = captures(stream) ? now.number : 0;
    event->after = stream->after;
    return event->capture;
}

static lab_status wait_in_capture(backend_stream *stream, const backend_event *event)
{
    if (!event->capture)
        return lab_fail(LAB_ERROR_STREAM_CAPTURE_ISOLATION,
                        "the stream is capturing, and the event was recorded outside of the capture: a graph cannot "
                        "wait for it");
    if (!now.graph || event->capture != now.number)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "the event was last recorded in a capture that has ended, where it stands for a place in the "
                        "graph; record it on a stream that does not capture");
    if (stream->null)
        return lab_fail(LAB_ERROR_STREAM_CAPTURE_IMPLICIT,
                        "the null stream cannot be captured, so it cannot wait for an event of a capture");
    if (captures(stream))
        join(&stream->after, &event->after);
    else
        enter(stream, &event->after);
    return LAB_SUCCESS;
}

bool capture_waits(lab_status *status, backend_stream *stream, const backend_event *event)
{
    if (!captures(stream) && !event->capture) return false;
    *status = wait_in_capture(stream, event);
    return true;
}

/* ------------------------------------------------------------------------------------------------------
 * Beginning and ending
 */

void capture_forget(void)
{
    free(now.graph);
    now.graph = NULL;
}

lab_status capture_begin(backend_stream *stream, lab_capture_mode mode)
{
    if (stream->null)
        return lab_fail(LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                        "the null stream cannot capture; capture on a stream of your own");
    if (now.graph) return lab_fail(LAB_ERROR_ILLEGAL_STATE, "a stream is in a capture already; end that one first");
    now.graph = calloc(1, sizeof *now.graph);
    if (!now.graph) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory for a graph");
    now.origin = stream;
    now.number++;
    now.blocking = false;
    now.mode = mode;
    enter(stream, &(node_set){{0}});
    return LAB_SUCCESS;
}

/* Whether the stream has waited for all nodes that no other waits for. */
static bool is_joined(const backend_graph *graph, const backend_stream *stream)
{
    node_set awaited = stream->after;
    for (int i = 0; i < graph->edges; i++) add(&awaited, graph->edge[i].from);
    for (int i = 0; i < graph->nodes; i++)
        if (!has(&awaited, i)) return false;
    return true;
}

lab_status capture_end(backend_graph **out, backend_stream *stream)
{
    if (!now.graph || now.origin != stream)
        return lab_fail(LAB_ERROR_STREAM_CAPTURE_UNMATCHED, "the capture did not begin on this stream");
    if (!is_joined(now.graph, stream))
        return lab_fail(LAB_ERROR_STREAM_CAPTURE_UNJOINED,
                        "work on a forked stream was not joined: record an event there after the work and make this "
                        "stream wait for it before the end");
    *out = now.graph;
    now.graph = NULL;
    return LAB_SUCCESS;
}

lab_status capture_status(lab_capture_status *status, backend_stream *stream)
{
    *status = captures(stream) ? LAB_CAPTURE_ACTIVE : LAB_CAPTURE_NONE;
    return stream->null && now.graph && now.blocking ? refuse_null() : LAB_SUCCESS;
}

uint64_t capture_number(backend_stream *stream) { return captures(stream) ? now.number : 0; }

bool capture_any(void) { return now.graph; }

void capture_exchange_mode(lab_capture_mode *mode)
{
    const lab_capture_mode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
}

lab_status capture_check_unsafe(const char *call)
{
    if (!now.graph || now.mode == LAB_CAPTURE_RELAXED || thread_mode == LAB_CAPTURE_RELAXED) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED, "%s: not while a stream captures", call);
}

lab_status capture_check_stream(backend_stream *stream)
{
    if (!captures(stream)) return capture_check_unsafe("waiting for a stream or an event");
    return lab_fail(LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                    "the stream is capturing: nothing on it runs, so it cannot be waited for");
}

lab_status capture_check_event(backend_event *event)
{
    if (!event->capture) return capture_check_unsafe("waiting for a stream or an event");
    return lab_fail(LAB_ERROR_CAPTURED_EVENT,
                    "the event was recorded in a capture: it stands for a place in the graph and is never done");
}

lab_status capture_check_context(backend_context *context)
{
    (void)context;
    if (!now.graph) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                    "lab_device_synchronize: a stream of the device is capturing: nothing on it runs, so it cannot be "
                    "waited for");
}

/* ------------------------------------------------------------------------------------------------------
 * Graphs
 */

void capture_graph_destroy(backend_graph *graph) { free(graph); }

int capture_graph_nodes(const lab_graph_node **first, const backend_graph *graph)
{
    *first = graph->node;
    return graph->nodes;
}

int capture_graph_edges(const lab_graph_edge **first, const backend_graph *graph)
{
    *first = graph->edge;
    return graph->edges;
}

uint64_t capture_graph_function(const backend_graph *graph, int node) { return graph->function[node]; }

lab_status capture_exec_create(backend_exec **out, const backend_graph *graph)
{
    (void)graph;
    *out = malloc(sizeof **out);
    return *out ? LAB_SUCCESS : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory for a graph");
}

void capture_exec_destroy(backend_exec *exec) { free(exec); }

lab_status capture_exec_launch(backend_exec *exec, backend_stream *stream, backend_times *times)
{
    (void)exec;
    (void)times;
    lab_status status = LAB_SUCCESS;
    if (captures(stream))
        status = lab_fail(LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED, "a graph cannot be launched on a stream that captures");
    else if (stream->null && now.graph && now.blocking)
        status = refuse_null();
    return status;
}
