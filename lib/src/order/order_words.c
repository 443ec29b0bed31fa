/* The texts of findings: what happened, to which operations and bytes, and the missing edge. */
#include "base/op_kind.h"
#include "base/text_writer.h"
#include "order_state.h"

#include <string.h>

enum { MOST_TEXT = 1600 };

/* What the program's language calls that which orders work. */
static const struct words {
    const char *record, *wait; /* in brackets, where the sentence is clear without them */
    const char *synchronize, *update_kernel;
} languages[] = {
    [ORDER_LAB] = {"", "", "lab_stream_synchronize", "lab_graph_exec_update_kernel"},
    [ORDER_CUDA] = {" (cudaEventRecord)", " (cudaStreamWaitEvent)", "cudaStreamSynchronize",
                    "cudaGraphExecKernelNodeSetParams"},
};
static _Atomic order_language language;

void order_speak(order_language spoken) { atomic_store(&language, spoken); }
order_language order_spoken(void) { return atomic_load(&language); }
static const struct words *words(void) { return &languages[order_spoken()]; }

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

static bool is_free(lab_op_kind kind)
{
    return kind == LAB_OP_POOL_FREE || kind == LAB_OP_PINNED_POOL_FREE || kind == LAB_OP_HOST_FREE ||
           kind == LAB_OP_HOST_UNREGISTER;
}

static bool is_host_access(lab_op_kind kind) { return kind == LAB_OP_HOST_READ || kind == LAB_OP_HOST_WRITE; }

/* " (lab02.c:40)" */
static void write_place(text_writer *out, const char *file, int line)
{
    text_write(out, " (%s:%d)", base_name(file), line);
}

/* "graph node kernel scale" */
static void write_name(text_writer *out, const lab_order_side *side)
{
    if (side->graph) text_write(out, "graph node ");
    const bool says_all = side->kind == LAB_OP_HOST_FUNCTION && *side->name; /* "memory free" */
    if (!says_all) text_write(out, "%s%s", lab_op_kind_name(side->kind), *side->name ? " " : "");
    text_write(out, "%s", side->name);
}

/* "kernel scale (lab02.c:40)" */
static void write_operation(text_writer *out, const lab_order_side *side)
{
    write_name(out, side);
    if (*side->file)
        write_place(out, side->file, side->line);
    else if (side->number)
        text_write(out, " (operation %llu)", (unsigned long long)side->number);
}

/* The call before or after which a program can put an event: for a node, the launch of its graph. */
static void write_call(text_writer *out, const lab_order_side *side)
{
    if (!side->graph) {
        write_operation(out, side);
        return;
    }
    text_write(out, "the launch");
    if (*side->launch_file) write_place(out, side->launch_file, side->launch_line);
    text_write(out, " of ");
    write_operation(out, side);
}

/* "stream 5". Of two null streams, which belong to two contexts, each is named with its own. */
static void write_stream(text_writer *out, const lab_order_side *side, const lab_order_side *other)
{
    if (!side->null_stream)
        text_write(out, "stream %llu", (unsigned long long)side->stream);
    else if (other->null_stream && other->context != side->context)
        text_write(out, "the null stream of context %llu", (unsigned long long)side->context);
    else
        text_write(out, "the null stream");
}

/* "kernel scale (lab02.c:40)", "graph node kernel scale (lab10.c:40, launched at lab10.c:52)" or "the host
 * (lab02.c:44)". */
static void write_user(text_writer *out, const lab_order_side *side)
{
    if (side->graph && *side->file && *side->launch_file) {
        write_name(out, side);
        text_write(out, " (%s:%d, launched at %s:%d)", base_name(side->file), side->line, base_name(side->launch_file),
                   side->launch_line);
    } else if (is_host_access(side->kind) && *side->file) {
        text_write(out, "the host");
        write_place(out, side->file, side->line);
    } else {
        write_operation(out, side);
    }
}

/* "operation 7 (stream 5 made at lab02.c:12, host thread 1)". `operation` is that word, or `call` for one that enqueues
 * nothing and so has no number. */
static void write_side(text_writer *out, const char *operation, const char *call, const lab_order_side *side,
                       const lab_order_side *other)
{
    if (side->number)
        text_write(out, "%s %llu (", operation, (unsigned long long)side->number);
    else
        text_write(out, "%s (", call);
    if (side->stream) {
        write_stream(out, side, other);
        if (!side->null_stream && *side->stream_file)
            text_write(out, " made at %s:%d", base_name(side->stream_file), side->stream_line);
        text_write(out, ", ");
    }
    text_write(out, "host thread %llu)", (unsigned long long)side->thread);
}

/* "device memory", or the variable of a module. */
static void write_memory(text_writer *out, const lab_order_finding *finding)
{
    if (*finding->variable)
        text_write(out, "the variable %s", finding->variable);
    else
        text_write(out, "%s memory", finding->host ? "host" : "device");
}

static void write_bytes(text_writer *out, const lab_order_finding *finding)
{
    if (!*finding->variable && !finding->allocation_bytes) {
        text_write(out, "%llu bytes at 0x%llx", (unsigned long long)finding->bytes,
                   (unsigned long long)finding->address);
        return;
    }
    if (finding->bytes)
        text_write(out, "bytes %llu to %llu", (unsigned long long)finding->offset,
                   (unsigned long long)(finding->offset + finding->bytes - 1));
    if (*finding->variable) return;
    text_write(out, finding->bytes ? " of the %llu" : "some of the %llu bytes",
               (unsigned long long)finding->allocation_bytes);
    if (*finding->allocation_file)
        text_write(out, " made at %s:%d", base_name(finding->allocation_file), finding->allocation_line);
}

static const char *does(const lab_order_side *side) { return side->writes ? "writes" : "reads"; }

/* Why a copy of pageable memory is not done, though its call may seem to have waited for it. */
static void write_why_not_done(text_writer *out, const lab_order_finding *finding, const order_site *first)
{
    if (!first->pageable) return;
    if (first->host_waits)
        text_write(out,
                   ": CUDA promises that this copy of pageable memory has been read when its call returns, not that "
                   "it has arrived");
    else if (is_host_access(finding->second.kind))
        text_write(out, ": CUDA does not promise that a call waits for its copy of pageable memory");
}

/* Whom the bytes of memory that was freed belong to. */
static void write_next_owner(text_writer *out, const order_bytes *bytes)
{
    const order_allocation *owner = bytes->life ? order_life_next(bytes->life, bytes->space, bytes->use.start) : NULL;
    if (!owner) return;
    text_write(out, "; its bytes now belong to the memory");
    if (*owner->file) text_write(out, " made at %s:%d", base_name(owner->file), owner->line);
}

/* What is wrong: "kernel consume (lab02.c:13) reads device memory that kernel produce (lab02.c:7) writes, and nothing
 * orders them" */
static void write_text(text_writer *out, const lab_order_finding *finding, const order_site *first,
                       const order_bytes *bytes)
{
    write_user(out, &finding->second);
    text_write(out, " %s ", is_free(finding->second.kind) ? "frees" : does(&finding->second));
    write_memory(out, finding);
    text_write(out, " that ");
    write_user(out, &finding->first);
    switch (finding->kind) {
    case LAB_ORDER_USE_AFTER_FREE:
        text_write(out, " has freed");
        write_next_owner(out, bytes);
        return;
    case LAB_ORDER_USE_BEFORE_ALLOCATION:
        text_write(out, order_spoken() == ORDER_CUDA ? " gives to the later work of its own stream"
                                                     : " gives to its own stream: another may still be using it");
        break;
    case LAB_ORDER_RACE:
    case LAB_ORDER_FREE_IN_USE: text_write(out, " %s", does(&finding->first)); break;
    }
    text_write(out, ", and nothing orders them");
    write_why_not_done(out, finding, first);
}

/* Which operations, streams, threads and bytes: ". Operation 3 (stream 3, host thread 1) and operation 2 (stream 2,
 * host thread 1) use bytes 0 to 3999 of the 4000 made at lab02.c:12" */
static void write_details(text_writer *out, const lab_order_finding *finding)
{
    write_side(out, ". Operation", ". The call", &finding->second, &finding->first);
    write_side(out, " and operation", " and the call", &finding->first, &finding->second);
    text_write(out, " use ");
    write_bytes(out, finding);
}

static void write_event(text_writer *out, const lab_order_side *first, const lab_order_side *second)
{
    text_write(out, "record an event%s on ", words()->record);
    write_stream(out, first, second);
    text_write(out, " after ");
    write_call(out, first);
    text_write(out, ", and let ");
    write_stream(out, second, first);
    text_write(out, " wait for it%s before ", words()->wait);
    write_call(out, second);
}

/* No stream named, NULL, and a copy without _async mean the null stream: often the stream is wrong, not the order. */
static void write_other_stream(text_writer *out, const lab_order_side *first, const lab_order_side *second)
{
    const lab_order_side *null = first->null_stream ? first : second, *other = null == first ? second : first;
    if (first->null_stream == second->null_stream || first->context != second->context) return;
    text_write(out, "; or, if it belongs there, enqueue ");
    write_call(out, null);
    text_write(out, " on ");
    write_stream(out, other, null);
    text_write(out, ", too");
}

/* A node that was given memory of another one: often the wrong node was updated, and the capture is right. */
static void write_update(text_writer *out, const lab_order_side *updated)
{
    text_write(out, "update another node than ");
    write_operation(out, updated);
    text_write(out, ", which the update has given this memory; or, ");
}

static void write_capture(text_writer *out, const lab_order_side *first, const lab_order_side *second)
{
    text_write(out, "while the graph is captured, record an event%s after ", words()->record);
    write_operation(out, first);
    text_write(out, " and let the stream of ");
    write_operation(out, second);
    text_write(out, " wait for it%s before that call", words()->wait);
}

static void write_move(text_writer *out, const lab_order_side *first, const lab_order_side *second)
{
    text_write(out, "free the memory after the last use: move ");
    write_operation(out, first);
    text_write(out, " after ");
    write_call(out, second);
    if (!second->graph) return;
    text_write(out, "; or capture the graph again with the memory that it is to use");
    if (second->kind == LAB_OP_KERNEL) text_write(out, ", or give it to the node with %s", words()->update_kernel);
}

/* The second side has no stream: it is an access by the host, or gives host memory back. */
static void write_host_wait(text_writer *out, const lab_order_side *first, const lab_order_side *second)
{
    text_write(out, "after ");
    write_call(out, first);
    text_write(out, " wait for ");
    write_stream(out, first, second);
    text_write(out, ", with %s or for an event recorded there, before ", words()->synchronize);
    if (is_host_access(second->kind)) {
        text_write(out, "the host %s the memory at %s:%d", does(second), base_name(second->file), second->line);
        return;
    }
    write_operation(out, second);
    if (second->kind != LAB_OP_PINNED_POOL_FREE)
        text_write(out, ", which waits for the streams of its own context alone");
}

/* Some thread has waited for the first operation; the second one's thread does not know. */
static void write_hand_over(text_writer *out, const lab_order_side *first, const lab_order_side *second)
{
    text_write(out, "; or, since another host thread has waited for ");
    write_operation(out, first);
    if (order_spoken() == ORDER_CUDA) {
        text_write(out,
                   ", the two are in order if host thread %llu learns of that by a lock or a condition, which no "
                   "check of this library sees",
                   (unsigned long long)second->thread);
        return;
    }
    text_write(out,
               ", let that thread call lab_host_release after its wait, and host thread %llu lab_host_acquire with the "
               "same key before ",
               (unsigned long long)second->thread);
    write_operation(out, second);
}

/* A pool orders the work of every stream that it knows of. */
static void write_telling(text_writer *out, const lab_order_finding *finding)
{
    const bool is_before = finding->kind == LAB_ORDER_USE_BEFORE_ALLOCATION;
    const lab_order_side *user = is_before ? &finding->second : &finding->first;
    const lab_order_side *other = is_before ? &finding->first : &finding->second;
    text_write(out, "before ");
    if (is_before)
        write_call(out, &finding->second);
    else
        write_operation(out, &finding->second);
    text_write(out, " tell the pool that ");
    write_stream(out, user, other);
    text_write(out, " uses the block, with %s; or ",
               finding->host ? "lab_pinned_mempool_record_stream" : "lab_mempool_record_stream");
}

/* Of two nodes of one graph, the first of which frees the memory. */
static void write_later_node(text_writer *out, const lab_order_side *first, const lab_order_side *second)
{
    text_write(out, "free the memory after its last use: let ");
    write_operation(out, first);
    text_write(out, " wait for ");
    write_operation(out, second);
    text_write(out, ", not the other way round");
}

/* What orders the two: moving the free, an edge of the graph, a wait on the host, or an event. */
static void write_edge(text_writer *out, const lab_order_finding *finding, const order_site *one,
                       const order_site *other)
{
    const lab_order_side *first = &finding->first, *second = &finding->second;
    const bool race = finding->kind == LAB_ORDER_RACE;
    const bool in_one_graph = one->exec && one->exec == other->exec;
    if (finding->kind == LAB_ORDER_USE_AFTER_FREE) {
        (in_one_graph ? write_later_node : write_move)(out, first, second);
        return;
    }
    if (race && in_one_graph) {
        if (one->updated || other->updated) write_update(out, one->updated ? first : second);
        write_capture(out, first, second);
        return;
    }
    if (!race && order_spoken() == ORDER_LAB && second->kind != LAB_OP_HOST_FREE &&
        second->kind != LAB_OP_HOST_UNREGISTER)
        write_telling(out, finding);
    if (is_host_access(second->kind) || (is_free(second->kind) && !second->stream))
        write_host_wait(out, first, second);
    else
        write_event(out, first, second);
    if (race && !is_host_access(second->kind)) write_other_stream(out, first, second);
    if (finding->kind != LAB_ORDER_FREE_IN_USE && order_clock_covers(order_known_to_anybody(), one->lane, one->time))
        write_hand_over(out, first, second);
}

/* The memory that the finding is about: what a node was captured with, else what is at the address now. */
static void describe_allocation(lab_order_finding *made, const order_bytes *bytes)
{
    const order_allocation *allocation = order_allocation_of(bytes->space, bytes->use.start);
    const order_life *life = bytes->life;
    made->allocation_file = "";
    made->variable = !life && allocation && allocation->variable ? allocation->variable : "";
    if (!life && !allocation) return;
    made->offset = bytes->use.start - (life ? life->start : allocation->start);
    made->allocation_bytes = life ? life->bytes : allocation->bytes;
    made->allocation_file = order_intern(life ? life->file : allocation->file);
    made->allocation_line = life ? life->line : allocation->line;
}

void order_describe(lab_order_finding *made, const order_bytes *bytes, const order_site *first,
                    const order_site *second)
{
    made->address = bytes->use.start;
    made->bytes = bytes->use.end - bytes->use.start;
    describe_allocation(made, bytes);
    char text[MOST_TEXT], edge[MOST_TEXT];
    text_writer out = {text, sizeof text, 0};
    write_text(&out, made, first, bytes);
    write_details(&out, made);
    write_edge(&(text_writer){edge, sizeof edge, 0}, made, first, second);
    made->text = order_intern(text);
    made->edge = order_intern(edge);
}
