/* The texts of findings: what happened, and the missing edge. */
#include "base/op_kind.h"
#include "base/text_writer.h"
#include "order_state.h"

#include <string.h>

enum { MOST_TEXT = 1600 };

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* "kernel scale (lab02.c:40)" */
static void write_operation(text_writer *out, const lab_order_side *side)
{
    if (side->graph) text_write(out, "graph node ");
    text_write(out, "%s", lab_op_kind_name(side->kind));
    if (*side->name) text_write(out, " %s", side->name);
    if (*side->file)
        text_write(out, " (%s:%d)", base_name(side->file), side->line);
    else
        text_write(out, " (operation %llu)", (unsigned long long)side->number);
}

/* "kernel scale (lab02.c:40) [operation 7, stream 5, host thread 1]" */
static void write_side(text_writer *out, const lab_order_side *side)
{
    write_operation(out, side);
    text_write(out, " [operation %llu", (unsigned long long)side->number);
    if (side->stream) text_write(out, ", stream %llu", (unsigned long long)side->stream);
    text_write(out, ", host thread %llu]", (unsigned long long)side->thread);
}

static void write_bytes(text_writer *out, const lab_order_finding *finding)
{
    const char *where = finding->host ? "host" : "device";
    if (!finding->allocation_bytes) {
        text_write(out, "%llu bytes of %s memory at 0x%llx", (unsigned long long)finding->bytes, where,
                   (unsigned long long)finding->address);
        return;
    }
    text_write(out, "bytes %llu to %llu of the %llu bytes of %s memory", (unsigned long long)finding->offset,
               (unsigned long long)(finding->offset + finding->bytes - 1),
               (unsigned long long)finding->allocation_bytes, where);
    if (*finding->allocation_file)
        text_write(out, " made at %s:%d", base_name(finding->allocation_file), finding->allocation_line);
}

static const char *does(const lab_order_side *side) { return side->writes ? "writes" : "reads"; }

static bool is_host_access(lab_op_kind kind) { return kind == LAB_OP_HOST_READ || kind == LAB_OP_HOST_WRITE; }

static void write_text(text_writer *out, const lab_order_finding *finding)
{
    write_side(out, &finding->second);
    text_write(out, " %s ", finding->kind == LAB_ORDER_FREE_IN_USE ? "gives back" : does(&finding->second));
    write_bytes(out, finding);
    text_write(out, ", which ");
    if (finding->kind == LAB_ORDER_USE_AFTER_FREE) text_write(out, "were given back by ");
    write_side(out, &finding->first);
    if (finding->kind == LAB_ORDER_USE_AFTER_FREE) return;
    if (finding->kind == LAB_ORDER_USE_BEFORE_ALLOCATION)
        text_write(out, " gives to its own stream: another may still be using them");
    else
        text_write(out, " %s", does(&finding->first));
    text_write(out, ", and nothing orders the two");
}

/* What orders the two: moving the free, an edge of the graph, a wait on the host, or an event. */
static void write_edge(text_writer *out, const lab_order_finding *finding, bool one_launch)
{
    const lab_order_side *first = &finding->first, *second = &finding->second;
    const bool race = finding->kind == LAB_ORDER_RACE;
    if (finding->kind == LAB_ORDER_USE_AFTER_FREE) {
        text_write(out, "give the memory back after the last use: move ");
        write_operation(out, first);
        text_write(out, " after ");
        write_operation(out, second);
    } else if (race && one_launch) {
        text_write(out, "while the graph is captured, record an event after ");
        write_operation(out, first);
        text_write(out, " and let the stream of ");
        write_operation(out, second);
        text_write(out, " wait for it before that call");
    } else if (race && is_host_access(second->kind)) {
        text_write(out, "after ");
        write_operation(out, first);
        text_write(out,
                   " wait for stream %llu, with lab_stream_synchronize or for an event recorded there, before the host "
                   "%s the memory at %s:%d",
                   (unsigned long long)first->stream, does(second), base_name(second->file), second->line);
    } else if (second->kind == LAB_OP_PINNED_POOL_FREE) {
        text_write(out,
                   "tell the pool of stream %llu, with lab_pinned_mempool_record_stream, or wait for that stream: ",
                   (unsigned long long)first->stream);
        text_write(out, "after ");
        write_operation(out, first);
        text_write(out, " and before ");
        write_operation(out, second);
    } else if (second->kind == LAB_OP_HOST_FREE || second->kind == LAB_OP_HOST_UNREGISTER) {
        text_write(out, "wait for stream %llu after ", (unsigned long long)first->stream);
        write_operation(out, first);
        text_write(out, " and before ");
        write_operation(out, second);
        text_write(out, ", which waits for the streams of its own context alone");
    } else {
        text_write(out, "record an event on stream %llu after ", (unsigned long long)first->stream);
        write_operation(out, first);
        text_write(out, ", and let stream %llu wait for it before ", (unsigned long long)second->stream);
        write_operation(out, second);
    }
}

void order_describe(lab_order_finding *made, const order_use *use, bool one_launch)
{
    const order_allocation *allocation = order_allocation_of(made->host ? ORDER_HOST : ORDER_DEVICE, use->start);
    made->address = use->start;
    made->bytes = use->end - use->start;
    made->allocation_file = allocation ? order_intern(allocation->file) : "";
    if (allocation) {
        made->offset = use->start - allocation->start;
        made->allocation_bytes = allocation->bytes;
        made->allocation_line = allocation->line;
    }
    char text[MOST_TEXT], edge[MOST_TEXT];
    write_text(&(text_writer){text, sizeof text, 0}, made);
    write_edge(&(text_writer){edge, sizeof edge, 0}, made, one_launch);
    made->text = order_intern(text);
    made->edge = order_intern(edge);
}
