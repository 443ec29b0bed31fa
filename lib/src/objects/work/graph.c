/* Graphs: their handles, where they may be launched, and whether their kernels are still loaded. The device captures
 * and runs them. */
#include "base/handle.h"
#include "base/status.h"
#include "base/system/whole_file.h"
#include "launch.h"
#include "module.h"
#include "objects/contexts/stream_record.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct graph {
    retired retired;
    uint64_t number; /* for the record and the DOT file */
    struct context *context;
    backend_graph *native;
    order_graph *order; /* the graph as the order checker knows it; NULL if the checker was off */
    lab_graph *handle;
    context_member member;
};

struct graph_exec {
    retired retired;
    uint64_t number, graph; /* its own, and the graph's */
    struct context *context;
    backend_exec *native;
    order_exec *order;
    lab_graph_exec *handle;
    context_member member;
    int nodes;
    uint64_t function[]; /* of each kernel node; 0 for the others */
};

static _Atomic uint64_t last_number, last_exec;

static const char *fate(const void *handle)
{
    return handle ? "was destroyed before this call, or never created" : "is NULL";
}

/* As the driver has it for graphs, unlike for streams and events. */
static lab_status status_of_missing(const void *handle)
{
    return handle ? LAB_ERROR_INVALID_HANDLE : LAB_ERROR_INVALID_VALUE;
}

static lab_status resolve_graph(struct graph **out, const lab_graph *handle, const char *call)
{
    LAB_TRY(runtime_check());
    *out = handle_get(HANDLE_GRAPH, (uintptr_t)handle);
    if (*out) return LAB_SUCCESS;
    return lab_fail(status_of_missing(handle), "%s: the graph %s", call, fate(handle));
}

static lab_status resolve_exec(struct graph_exec **out, const lab_graph_exec *handle, const char *call)
{
    LAB_TRY(runtime_check());
    *out = handle_get(HANDLE_GRAPH_EXEC, (uintptr_t)handle);
    if (*out) return LAB_SUCCESS;
    return lab_fail(status_of_missing(handle), "%s: the executable graph %s", call, fate(handle));
}

/* ---- Capture ---- */

static lab_status check_mode(lab_capture_mode mode, const char *call)
{
    if ((unsigned)mode <= LAB_CAPTURE_RELAXED) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "%s: mode is %d; use LAB_CAPTURE_GLOBAL, LAB_CAPTURE_THREAD_LOCAL or LAB_CAPTURE_RELAXED", call,
                    (int)mode);
}

lab_status lab_stream_begin_capture(lab_stream *stream_handle, lab_capture_mode mode)
{
    RETIRE_SCOPE;
    struct stream *stream;
    LAB_TRY(stream_resolve(&stream, stream_handle, "lab_stream_begin_capture"));
    LAB_TRY(check_mode(mode, "lab_stream_begin_capture"));
    LAB_TRY(runtime_backend()->capture_begin(stream->native, mode));
    if (order_is_on()) order_capture_began(&stream->identity);
    return LAB_SUCCESS;
}

static void release_graph(retired *object)
{
    struct graph *unused = (struct graph *)object;
    order_graph_destroy(unused->order);
    free(unused);
}

/* Ends the graph, whose handle has been removed. */
static void end_graph(struct graph *removed)
{
    runtime_backend()->graph_destroy(removed->native);
    retire(&removed->retired, release_graph);
}

/* The graph's context ends, and the graph with it. */
static void end_graph_with_context(context_member *member)
{
    struct graph *ended = (struct graph *)((char *)member - offsetof(struct graph, member));
    if (handle_remove(HANDLE_GRAPH, (uintptr_t)ended->handle)) end_graph(ended);
}

/* The graph as the order checker saw it being captured. */
static order_graph *find_order(const struct stream *stream, const backend_graph *native)
{
    const lab_graph_edge *edge;
    const lab_graph_node *node;
    int nodes = runtime_backend()->graph_nodes(&node, native), edges = runtime_backend()->graph_edges(&edge, native);
    return order_capture_ended(&stream->identity, nodes, edge, edges);
}

/* Makes the handle of a graph, in the stream's context, which is held. Takes the graph over, also on failure. */
static lab_status adopt_graph(struct graph **out, backend_graph *native, const struct stream *stream)
{
    struct context *context = stream->context;
    order_graph *order = find_order(stream, native);
    struct graph *made = malloc(sizeof *made);
    if (made) {
        *made = (struct graph){
            .number = atomic_fetch_add(&last_number, 1) + 1, .context = context, .native = native, .order = order};
        context_add(context, &made->member, end_graph_with_context);
        made->handle = (lab_graph *)(uintptr_t)handle_create(HANDLE_GRAPH, made);
    }
    if (!made || !made->handle) {
        if (made) context_remove(context, &made->member);
        free(made);
        order_graph_destroy(order);
        runtime_backend()->graph_destroy(native);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_stream_end_capture: no host memory for a graph");
    }
    *out = made;
    return LAB_SUCCESS;
}

/* "graph 2" */
enum { GRAPH_NAME_BYTES = 40 };
static const char *name_of(char name[GRAPH_NAME_BYTES], uint64_t graph)
{
    snprintf(name, GRAPH_NAME_BYTES, "graph %llu", (unsigned long long)graph);
    return name;
}

static void record_nodes(uint64_t capture, const struct graph *made)
{
    const lab_graph_edge *edge;
    const lab_graph_node *node;
    int nodes = runtime_backend()->graph_nodes(&node, made->native),
        edges = runtime_backend()->graph_edges(&edge, made->native);
    if (record_is_on()) record_graph(capture, made->number, nodes, edge, edges);
}

static lab_status end_capture(lab_graph **out, record_entry *entry, const struct stream *stream)
{
    char name[GRAPH_NAME_BYTES];
    const uint64_t capture = capture_id(stream);
    backend_graph *native;
    struct graph *made = NULL;
    LAB_TRY(runtime_backend()->capture_end(&native, stream->native));
    LAB_TRY(adopt_graph(&made, native, stream));
    *out = made->handle;
    record_nodes(capture, made);
    record_object(entry, made->number);
    record_name(entry, name_of(name, made->number));
    return LAB_SUCCESS;
}

lab_status lab_stream_end_capture(lab_graph **out, lab_stream *stream_handle)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_end_capture: out is NULL");
    *out = NULL;
    struct stream *stream;
    LAB_TRY(stream_resolve(&stream, stream_handle, "lab_stream_end_capture"));
    CONTEXT_HELD struct context *held = NULL;
    LAB_TRY(context_hold_found(&held, stream->context, "lab_stream_end_capture"));
    record_entry *entry = stream_record_begin(LAB_OP_GRAPH_CREATE, stream);
    lab_status status = end_capture(out, entry, stream);
    record_end(entry, status);
    return status;
}

lab_status lab_stream_is_capturing(lab_capture_status *status, lab_stream *stream_handle)
{
    RETIRE_SCOPE;
    if (!status) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_is_capturing: status is NULL");
    struct stream *stream;
    LAB_TRY(stream_resolve(&stream, stream_handle, "lab_stream_is_capturing"));
    return runtime_backend()->capture_status(status, stream->native);
}

lab_status lab_thread_exchange_capture_mode(lab_capture_mode *mode)
{
    if (!mode) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_thread_exchange_capture_mode: mode is NULL");
    LAB_TRY(check_mode(*mode, "lab_thread_exchange_capture_mode"));
    LAB_TRY(runtime_open());
    runtime_backend()->capture_exchange_mode(mode);
    return LAB_SUCCESS;
}

/* ---- Inspection ---- */

lab_status lab_graph_get_nodes(const lab_graph_node **nodes, int *count, lab_graph *handle)
{
    RETIRE_SCOPE;
    if (!nodes || !count)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_graph_get_nodes: %s is NULL", nodes ? "count" : "nodes");
    struct graph *found;
    LAB_TRY(resolve_graph(&found, handle, "lab_graph_get_nodes"));
    *count = runtime_backend()->graph_nodes(nodes, found->native);
    return LAB_SUCCESS;
}

lab_status lab_graph_get_edges(const lab_graph_edge **edges, int *count, lab_graph *handle)
{
    RETIRE_SCOPE;
    if (!edges || !count)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_graph_get_edges: %s is NULL", edges ? "count" : "edges");
    struct graph *found;
    LAB_TRY(resolve_graph(&found, handle, "lab_graph_get_edges"));
    *count = runtime_backend()->graph_edges(edges, found->native);
    return LAB_SUCCESS;
}

/* A failure is reported by lab_whole_file_finish. */
static void print(lab_whole_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print(lab_whole_file *file, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    lab_whole_file_write(file, line, length < (int)sizeof line ? (size_t)length : sizeof line - 1);
}

/* A kernel's name is a C identifier, so nothing needs to be escaped. */
static void print_node(lab_whole_file *file, int index, const lab_graph_node *node)
{
    const char *kind = lab_graph_node_kind_name(node->kind);
    if (node->kind == LAB_NODE_KERNEL)
        print(file, "    n%d [shape=box, label=\"%d: %.256s\\n%u x %u x %u blocks of %u x %u x %u\"];\n", index, index,
              node->name, node->grid.x, node->grid.y, node->grid.z, node->block.x, node->block.y, node->block.z);
    else if (node->kind == LAB_NODE_HOST_FUNCTION)
        print(file, "    n%d [shape=ellipse, label=\"%d: %s\"];\n", index, index, *node->name ? node->name : kind);
    else
        print(file, "    n%d [shape=box, style=rounded, label=\"%d: %s\\n%zu bytes\"];\n", index, index, kind,
              node->bytes);
}

lab_status lab_graph_save_dot(lab_graph *handle, const char *path)
{
    RETIRE_SCOPE;
    if (!path) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_graph_save_dot: path is NULL");
    struct graph *found;
    LAB_TRY(resolve_graph(&found, handle, "lab_graph_save_dot"));
    const lab_graph_node *node;
    const lab_graph_edge *edge;
    int nodes = runtime_backend()->graph_nodes(&node, found->native),
        edges = runtime_backend()->graph_edges(&edge, found->native);
    lab_whole_file *file;
    LAB_TRY(lab_whole_file_create(&file, path));
    print(file, "digraph graph_%llu {\n", (unsigned long long)found->number);
    for (int i = 0; i < nodes; i++) print_node(file, i, &node[i]);
    for (int i = 0; i < edges; i++) print(file, "    n%d -> n%d;\n", edge[i].from, edge[i].to);
    print(file, "}\n");
    return lab_whole_file_finish(file);
}

lab_status lab_graph_destroy(lab_graph *handle)
{
    RETIRE_SCOPE;
    if (!handle) return LAB_SUCCESS;
    LAB_TRY(runtime_check());
    struct graph *removed = handle_remove(HANDLE_GRAPH, (uintptr_t)handle);
    if (!removed)
        return lab_fail(LAB_ERROR_INVALID_HANDLE,
                        "lab_graph_destroy: the graph was already destroyed, or never created");
    record_entry *entry = record_begin(LAB_OP_GRAPH_DESTROY, removed->context->device);
    record_object(entry, removed->number);
    context_remove(removed->context, &removed->member);
    end_graph(removed);
    record_end(entry, LAB_SUCCESS);
    return LAB_SUCCESS;
}

/* ---- Executable graphs ---- */

/* A kernel whose module was unloaded cannot run any more. */
static lab_status check_kernels(const struct graph_exec *exec, const char *call)
{
    for (int i = 0; i < exec->nodes; i++)
        if (exec->function[i] && !function_get((lab_function){exec->function[i]}))
            return lab_fail(LAB_ERROR_INVALID_HANDLE, "%s: the module of node %d's kernel was unloaded", call, i);
    return LAB_SUCCESS;
}

static void release_exec(retired *object)
{
    struct graph_exec *unused = (struct graph_exec *)object;
    order_exec_destroy(unused->order);
    free(unused);
}

/* Ends the executable graph, whose handle has been removed. */
static void end_exec(struct graph_exec *removed)
{
    runtime_backend()->exec_destroy(removed->native);
    retire(&removed->retired, release_exec);
}

static void end_exec_with_context(context_member *member)
{
    struct graph_exec *ended = (struct graph_exec *)((char *)member - offsetof(struct graph_exec, member));
    if (handle_remove(HANDLE_GRAPH_EXEC, (uintptr_t)ended->handle)) end_exec(ended);
}

static lab_status instantiate(struct graph_exec *made, const struct graph *graph)
{
    made->number = atomic_fetch_add(&last_exec, 1) + 1;
    made->graph = graph->number;
    made->context = graph->context;
    for (int i = 0; i < made->nodes; i++) made->function[i] = runtime_backend()->graph_function(graph->native, i);
    LAB_TRY(check_kernels(made, "lab_graph_instantiate"));
    LAB_TRY(runtime_backend()->exec_create(&made->native, graph->native));
    made->order = order_exec_create(graph->order, graph->number);
    context_add(made->context, &made->member, end_exec_with_context);
    made->handle = (lab_graph_exec *)(uintptr_t)handle_create(HANDLE_GRAPH_EXEC, made);
    if (made->handle) return LAB_SUCCESS;
    context_remove(made->context, &made->member);
    order_exec_destroy(made->order);
    runtime_backend()->exec_destroy(made->native);
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_graph_instantiate: no host memory for an executable graph");
}

lab_status lab_graph_instantiate(lab_graph_exec **out, lab_graph *handle)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_graph_instantiate: out is NULL");
    *out = NULL;
    struct graph *found;
    LAB_TRY(resolve_graph(&found, handle, "lab_graph_instantiate"));
    CONTEXT_HELD struct context *held = NULL;
    LAB_TRY(context_hold_found(&held, found->context, "lab_graph_instantiate"));
    const lab_graph_node *node;
    int nodes = runtime_backend()->graph_nodes(&node, found->native);
    struct graph_exec *made = calloc(1, sizeof *made + (size_t)nodes * sizeof made->function[0]);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_graph_instantiate: no host memory for %d nodes", nodes);
    made->nodes = nodes;
    char name[GRAPH_NAME_BYTES];
    record_entry *entry = record_begin(LAB_OP_EXEC_CREATE, found->context->device);
    lab_status status = instantiate(made, found);
    record_object(entry, made->number);
    record_name(entry, name_of(name, made->graph));
    record_end(entry, status);
    if (status != LAB_SUCCESS) {
        free(made);
        return status;
    }
    *out = made->handle;
    return LAB_SUCCESS;
}

/* Finds the executable graph and the stream, which belong to one context. */
static lab_status resolve_launch(struct graph_exec **exec, struct stream **stream, lab_graph_exec *handle,
                                 lab_stream *stream_handle, const char *call)
{
    LAB_TRY(resolve_exec(exec, handle, call));
    LAB_TRY(stream_resolve(stream, stream_handle, call));
    char graph_context[CONTEXT_NAME_BYTES], stream_context[CONTEXT_NAME_BYTES];
    if ((*exec)->context != (*stream)->context)
        return lab_fail(
            LAB_ERROR_INVALID_CONTEXT,
            "%s: graph %llu belongs to %s, stream %llu to %s; launch a graph on a stream of its own context", call,
            (unsigned long long)(*exec)->graph, context_describe(graph_context, sizeof graph_context, (*exec)->context),
            (unsigned long long)(*stream)->identity.id,
            context_describe(stream_context, sizeof stream_context, (*stream)->context));
    return check_kernels(*exec, call);
}

lab_status lab_graph_upload(lab_graph_exec *handle, lab_stream *stream_handle)
{
    RETIRE_SCOPE;
    struct graph_exec *found;
    struct stream *stream;
    lab_capture_status capture;
    LAB_TRY(resolve_launch(&found, &stream, handle, stream_handle, "lab_graph_upload"));
    LAB_TRY(runtime_backend()->capture_status(&capture, stream->native));
    if (capture != LAB_CAPTURE_NONE)
        return lab_fail(LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED, "lab_graph_upload: stream %llu captures",
                        (unsigned long long)stream->identity.id);
    return runtime_backend()->exec_upload ? runtime_backend()->exec_upload(found->native, stream->native) : LAB_SUCCESS;
}

lab_status lab_graph_launch(lab_graph_exec *handle, lab_stream *stream_handle)
{
    RETIRE_SCOPE;
    struct graph_exec *found;
    struct stream *stream;
    LAB_TRY(resolve_launch(&found, &stream, handle, stream_handle, "lab_graph_launch"));
    record_entry *entry = submission_begin_on(LAB_OP_GRAPH_LAUNCH, stream);
    record_object(entry, found->number);
    char name[GRAPH_NAME_BYTES];
    record_name(entry, name_of(name, found->graph));
    lab_status status = submission_check(entry, found->order);
    if (status == LAB_SUCCESS)
        status = runtime_backend()->exec_launch(found->native, stream->native, record_times(entry));
    submission_end(entry, status);
    return status;
}

lab_status lab_graph_exec_update_kernel(lab_graph_exec *handle, int node, lab_function function, lab_dim grid,
                                        lab_dim block, size_t shared_bytes, lab_args args)
{
    RETIRE_SCOPE;
    struct graph_exec *found;
    LAB_TRY(resolve_exec(&found, handle, "lab_graph_exec_update_kernel"));
    if (node < 0 || node >= found->nodes)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "lab_graph_exec_update_kernel: there is no node %d; the graph has %d, numbered from "
                        "0",
                        node, found->nodes);
    if (!found->function[node])
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_graph_exec_update_kernel: node %d is not a kernel", node);
    backend_launch launch = {.function = function.handle, .grid = grid, .block = block, .shared_bytes = shared_bytes};
    const launch_exec exec = {found->number, found->native, found->order, found->context};
    LAB_TRY(launch_update_node(&exec, node, &launch, args));
    found->function[node] = function.handle;
    return LAB_SUCCESS;
}

lab_status lab_graph_exec_destroy(lab_graph_exec *handle)
{
    RETIRE_SCOPE;
    if (!handle) return LAB_SUCCESS;
    LAB_TRY(runtime_check());
    struct graph_exec *removed = handle_remove(HANDLE_GRAPH_EXEC, (uintptr_t)handle);
    if (!removed)
        return lab_fail(LAB_ERROR_INVALID_HANDLE,
                        "lab_graph_exec_destroy: the executable graph was already destroyed, or never created");
    record_entry *entry = record_begin(LAB_OP_EXEC_DESTROY, removed->context->device);
    record_object(entry, removed->number);
    context_remove(removed->context, &removed->member);
    end_exec(removed);
    record_end(entry, LAB_SUCCESS);
    return LAB_SUCCESS;
}
