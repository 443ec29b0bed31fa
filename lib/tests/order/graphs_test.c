/* The catalogue: graphs, node by node. */
#include "catalogue.h"

static void launch(lab_graph_exec **exec, lab_stream *captured, lab_stream *stream)
{
    lab_graph *graph;
    DO(lab_stream_end_capture(&graph, captured));
    DO(lab_graph_instantiate(exec, graph));
    DO(lab_graph_destroy(graph));
    DO(lab_graph_launch(*exec, stream));
}

static void end(lab_graph_exec *exec)
{
    DO(lab_device_synchronize());
    DO(lab_graph_exec_destroy(exec));
}

WRONG(a_graph_beside_a_stream, "nothing orders the launch with the other stream's kernel", .bytes = BYTES,
      .edge = BY_EVENT)
{
    lab_graph_exec *exec;
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    FIRST(SET(kit->one, kit->a));
    launch(&exec, kit->one, kit->one);
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
    end(exec);
}

RIGHT(a_graph_before_its_stream, "later work on the stream comes after the whole graph")
{
    lab_graph_exec *exec;
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    DO(SET(kit->one, kit->a));
    launch(&exec, kit->one, kit->one);
    DO(DUPLICATE(kit->one, kit->b, kit->a));
    end(exec);
}

RIGHT(a_graph_and_an_event, "an event recorded after the launch stands for all its nodes")
{
    lab_graph_exec *exec;
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    DO(SET(kit->one, kit->a));
    launch(&exec, kit->one, kit->three);
    DO(lab_event_record(kit->event, kit->three));
    DO(lab_stream_wait_event(kit->two, kit->event));
    DO(DUPLICATE(kit->two, kit->b, kit->a));
    end(exec);
}

WRONG(two_nodes_without_an_edge, "a fork and its stream write one array within the graph", .bytes = BYTES,
      .edge = IN_CAPTURE)
{
    lab_graph_exec *exec;
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->two, kit->event));
    FIRST(SET(kit->one, kit->a));
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
    DO(lab_event_record(kit->other_event, kit->two));
    DO(lab_stream_wait_event(kit->one, kit->other_event));
    launch(&exec, kit->one, kit->one);
    end(exec);
}

RIGHT(two_nodes_with_an_edge, "the fork begins after the node that it needs")
{
    lab_graph_exec *exec;
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    DO(SET(kit->one, kit->a));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->two, kit->event));
    DO(DUPLICATE(kit->two, kit->b, kit->a));
    DO(lab_event_record(kit->other_event, kit->two));
    DO(lab_stream_wait_event(kit->one, kit->other_event));
    launch(&exec, kit->one, kit->one);
    end(exec);
}

RIGHT(one_graph_launched_twice, "launches of one executable graph wait for each other, on all streams")
{
    lab_graph_exec *exec;
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    DO(SET(kit->one, kit->a));
    launch(&exec, kit->one, kit->one);
    DO(lab_graph_launch(exec, kit->two));
    end(exec);
}

WRONG(a_graph_instantiated_twice, "two executable graphs may run at the same time", .bytes = BYTES, .edge = BY_EVENT)
{
    lab_graph *graph;
    lab_graph_exec *first, *second;
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    FIRST(SET(kit->one, kit->a));
    second_line = first_line;
    DO(lab_stream_end_capture(&graph, kit->one));
    DO(lab_graph_instantiate(&first, graph));
    DO(lab_graph_instantiate(&second, graph));
    DO(lab_graph_launch(first, kit->one));
    DO(lab_graph_launch(second, kit->two));
    end(first);
    end(second);
    DO(lab_graph_destroy(graph));
}

RIGHT(a_captured_operation_does_not_run, "capturing uses no memory")
{
    lab_graph *graph;
    DO(SET(kit->two, kit->a));
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    DO(SET(kit->one, kit->a));
    DO(lab_stream_end_capture(&graph, kit->one));
    DO(lab_graph_destroy(graph));
}

WRONG(a_node_updated_to_the_memory_of_another, "the wrong node of two is updated", .bytes = BYTES, .edge = IN_UPDATE)
{
    lab_graph *graph;
    lab_graph_exec *exec;
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->two, kit->event));
    DO(SET(kit->one, kit->a));
    SECOND(SET(kit->two, kit->b));
    DO(lab_event_record(kit->other_event, kit->two));
    DO(lab_stream_wait_event(kit->one, kit->other_event));
    DO(lab_stream_end_capture(&graph, kit->one));
    DO(lab_graph_instantiate(&exec, graph));
    FIRST(lab_graph_exec_update_kernel(exec, 0, kit->set, LAB_DIM(COUNT / 64), LAB_DIM(64), 0, LAB_ARGS(kit->b)));
    DO(lab_graph_launch(exec, kit->one));
    end(exec);
    DO(lab_graph_destroy(graph));
}

WRONG(an_updated_node, "the node's new argument is what another stream uses", .bytes = BYTES, .edge = BY_EVENT)
{
    lab_graph *graph;
    lab_graph_exec *exec;
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_RELAXED));
    DO(SET(kit->one, kit->b));
    DO(lab_stream_end_capture(&graph, kit->one));
    DO(lab_graph_instantiate(&exec, graph));
    FIRST(lab_graph_exec_update_kernel(exec, 0, kit->set, LAB_DIM(COUNT / 64), LAB_DIM(64), 0, LAB_ARGS(kit->a)));
    DO(lab_graph_launch(exec, kit->one));
    SECOND(DUPLICATE(kit->two, kit->c, kit->a));
    end(exec);
    DO(lab_graph_destroy(graph));
}
