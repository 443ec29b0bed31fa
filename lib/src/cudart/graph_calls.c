/* The runtime's calls for captures and graphs. */
#include "array.h"
#include "graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- capture ---- */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    CUDART_BEGIN;
    return cudart_end(lab_stream_begin_capture(cudart_stream(stream), (lab_capture_mode)mode));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    CUDART_BEGIN;
    return cudart_end(cudart_graph_end_capture(graph, cudart_stream(stream)));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    CUDART_BEGIN;
    return cudart_end(lab_stream_is_capturing((lab_capture_status *)status, cudart_stream(stream)));
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    CUDART_BEGIN;
    return cudart_end(lab_thread_exchange_capture_mode((lab_capture_mode *)mode));
}

/* ---- graphs ---- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    CUDART_BEGIN;
    if (!graph || flags) return cudart_fail(cudaErrorInvalidValue, "cudaGraphCreate: graph is NULL, or flags is not 0");
    *graph = cudart_graph_make(NULL);
    return cudart_end(*graph ? LAB_SUCCESS : LAB_ERROR_OUT_OF_MEMORY);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    CUDART_BEGIN;
    if (!graph) return cudart_fail(cudaErrorInvalidValue, "cudaGraphDestroy: the graph is NULL");
    cudart_graph_free(graph);
    return cudaSuccess;
}

/* A new node of the graph that waits for others. */
static cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                            enum cudaGraphNodeType type)
{
    if (!node || !graph || (count && !after))
        return cudart_fail(cudaErrorInvalidValue, "a graph's new node: node, graph or dependencies are NULL");
    if (graph->captured)
        return cudart_fail(cudaErrorNotSupported, "a graph that was captured takes no further nodes here");
    for (size_t i = 0; i < count; i++)
        if (!after[i] || after[i]->graph != graph)
            return cudart_fail(cudaErrorInvalidValue, "a graph's new node waits for a node of another graph");
    if (graph->count == graph->capacity) {
        const size_t capacity = graph->capacity ? 2 * graph->capacity : 16;
        struct CUgraphNode_st **larger = realloc(graph->node, capacity * sizeof *larger);
        if (!larger) return cudart_end(LAB_ERROR_OUT_OF_MEMORY);
        graph->node = larger;
        graph->capacity = capacity;
    }
    struct CUgraphNode_st *made = calloc(1, sizeof *made);
    cudaGraphNode_t *kept = calloc(count + 1, sizeof *kept);
    if (!made || !kept) {
        free(made);
        free(kept);
        return cudart_end(LAB_ERROR_OUT_OF_MEMORY);
    }
    if (count) memcpy(kept, after, count * sizeof *kept);
    *made = (struct CUgraphNode_st){.graph = graph, .type = type, .after = kept, .after_count = count};
    *node = graph->node[graph->count++] = made;
    return cudaSuccess;
}

/* Removes the node that was added last, and returns the error. */
static cudaError_t undo_add(cudaGraph_t graph, cudaError_t failed)
{
    struct CUgraphNode_st *last = graph->node[--graph->count];
    free(last->values);
    free(last->after);
    free(last);
    return failed;
}

/* Copies what a kernel's launch needs. */
static cudaError_t set_kernel(struct CUgraphNode_st *node, const struct cudaKernelNodeParams *kernel)
{
    lab_parameters parameters;
    lab_function function;
    if (!kernel || kernel->extra)
        return cudart_fail(cudaErrorInvalidValue, "a kernel node: its parameters are NULL, or have `extra`");
    cudaError_t unfit = cudart_kernel_find(&function, kernel->func);
    if (unfit == cudaSuccess) unfit = cudart_launch_check(kernel->gridDim, kernel->blockDim);
    if (unfit != cudaSuccess) return unfit;
    const lab_status status = lab_function_get_parameters(&parameters, function);
    if (status != LAB_SUCCESS) return cudart_end(status);
    size_t bytes = 0;
    enum { ALIGNED = 16 };
    for (int i = 0; i < parameters.count; i++)
        bytes += (parameters.parameter[i].size + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (parameters.count && !kernel->kernelParams)
        return cudart_fail(cudaErrorInvalidValue, "a kernel node: kernelParams is NULL");
    unsigned char *values = calloc(1, bytes + 1), *at = values;
    if (!values) return cudart_end(LAB_ERROR_OUT_OF_MEMORY);
    for (int i = 0; i < parameters.count; i++) {
        memcpy(at, kernel->kernelParams[i], parameters.parameter[i].size);
        node->value[i] = at;
        at += (parameters.parameter[i].size + ALIGNED - 1) / ALIGNED * ALIGNED;
    }
    free(node->values);
    node->values = values;
    node->kernel = *kernel;
    node->kernel.kernelParams = node->value;
    node->function = function;
    return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                                   const struct cudaKernelNodeParams *kernel)
{
    CUDART_BEGIN;
    cudaError_t failed = add_node(node, graph, after, count, cudaGraphNodeTypeKernel);
    if (failed != cudaSuccess) return failed;
    failed = set_kernel(*node, kernel);
    return failed == cudaSuccess ? failed : undo_add(graph, failed);
}

static cudaError_t add_copy(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                            const struct CUgraphNode_st *copy)
{
    const cudaError_t failed = add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy);
    if (failed != cudaSuccess) return failed;
    (*node)->to = copy->to;
    (*node)->from = copy->from;
    (*node)->box = copy->box;
    (*node)->kind = copy->kind;
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                                   const struct cudaMemcpy3DParms *copy)
{
    CUDART_BEGIN;
    struct CUgraphNode_st of = {0};
    const cudaError_t failed = cudart_copy_of(&of.to, &of.from, &of.box, copy);
    if (failed != cudaSuccess) return failed;
    of.kind = copy->kind;
    return add_copy(node, graph, after, count, &of);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                     size_t count, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    CUDART_BEGIN;
    const struct CUgraphNode_st of = {
        .to.address = (uintptr_t)to, .from.address = (uintptr_t)from, .box = {bytes, 1, 1}, .kind = kind};
    return add_copy(node, graph, after, count, &of);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                                   const struct cudaMemsetParams *fill)
{
    CUDART_BEGIN;
    if (!fill || (fill->elementSize != 1 && fill->elementSize != 2 && fill->elementSize != 4))
        return cudart_fail(cudaErrorInvalidValue, "cudaGraphAddMemsetNode: fill is NULL, or its elements have not 1, "
                                                  "2 or 4 bytes");
    const unsigned byte = fill->value & 0xff, all = fill->elementSize == 1   ? byte
                                                    : fill->elementSize == 2 ? byte * 0x101u
                                                                             : byte * 0x1010101u;
    if (fill->elementSize > 1 && all != fill->value)
        return cudart_fail(cudaErrorNotSupported, "cudaGraphAddMemsetNode: the bytes of an element must be equal here");
    const cudaError_t failed = add_node(node, graph, after, count, cudaGraphNodeTypeMemset);
    if (failed != cudaSuccess) return failed;
    (*node)->to = (copy_side){(uintptr_t)fill->dst, fill->pitch, 0};
    (*node)->box = (copy_box){fill->width * fill->elementSize, fill->height, 1};
    (*node)->fill = (int)byte;
    return cudaSuccess;
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                                 const struct cudaHostNodeParams *call)
{
    CUDART_BEGIN;
    if (!call || !call->fn) return cudart_fail(cudaErrorInvalidValue, "cudaGraphAddHostNode: the function is NULL");
    const cudaError_t failed = add_node(node, graph, after, count, cudaGraphNodeTypeHost);
    if (failed == cudaSuccess) (*node)->host = *call;
    return failed;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count)
{
    CUDART_BEGIN;
    return add_node(node, graph, after, count, cudaGraphNodeTypeEmpty);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                     size_t count, struct cudaMemAllocNodeParams *memory)
{
    CUDART_BEGIN;
    lab_device_info info;
    if (!memory || !memory->bytesize || memory->poolProps.allocType != cudaMemAllocationTypePinned ||
        memory->poolProps.location.type != cudaMemLocationTypeDevice ||
        lab_device_get_info(&info, memory->poolProps.location.id) != LAB_SUCCESS)
        return cudart_fail(cudaErrorInvalidValue, "cudaGraphAddMemAllocNode: memory is NULL, has 0 bytes, or its "
                                                  "poolProps are not those of pinned memory of a device");
    if (memory->poolProps.handleTypes != cudaMemHandleTypeNone)
        return cudart_fail(cudaErrorNotSupported, "cudaGraphAddMemAllocNode: memory of a graph has no handles");
    const cudaError_t failed = add_node(node, graph, after, count, cudaGraphNodeTypeMemAlloc);
    if (failed != cudaSuccess) return failed;
    const int device = memory->poolProps.location.id;
    const lab_status status = cudart_graph_memory_add(&(*node)->memory, &graph->memories, device, memory->bytesize);
    if (status != LAB_SUCCESS) return undo_add(graph, cudart_end(status));
    memory->dptr = (void *)(uintptr_t)cudart_graph_memory_address((*node)->memory);
    (*node)->allocated = *memory;
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                    size_t count, void *memory)
{
    CUDART_BEGIN;
    const cudaError_t failed = add_node(node, graph, after, count, cudaGraphNodeTypeMemFree);
    if (failed != cudaSuccess) return failed;
    const lab_status status = cudart_graph_memory_end(&(*node)->memory, &graph->memories, (uintptr_t)memory);
    return status == LAB_SUCCESS ? cudaSuccess : undo_add(graph, cudart_end(status));
}

static cudaError_t check_memory_node(cudaGraphNode_t node, const void *out, enum cudaGraphNodeType type,
                                     const char *call)
{
    if (!node || !out || node->type != type)
        return cudart_fail(cudaErrorInvalidValue, "%s: an argument is NULL, or the node is of another type", call);
    return node->graph->captured ? cudart_fail(cudaErrorNotSupported, "%s: the node was captured", call) : cudaSuccess;
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *memory)
{
    CUDART_BEGIN;
    const cudaError_t failed =
        check_memory_node(node, memory, cudaGraphNodeTypeMemAlloc, "cudaGraphMemAllocNodeGetParams");
    if (failed == cudaSuccess) *memory = node->allocated;
    return failed;
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *address)
{
    CUDART_BEGIN;
    const cudaError_t failed =
        check_memory_node(node, address, cudaGraphNodeTypeMemFree, "cudaGraphMemFreeNodeGetParams");
    if (failed == cudaSuccess) *(void **)address = (void *)(uintptr_t)cudart_graph_memory_address(node->memory);
    return failed;
}

/* What CUDA does with graphs that have no memory alone. */
static cudaError_t refuse_memories(cudaGraph_t graph, const char *call)
{
    return graph && graph->memories.count
               ? cudart_fail(cudaErrorNotSupported, "%s: the graph has nodes that allocate or free memory", call)
               : cudaSuccess;
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                       size_t count, cudaGraph_t child)
{
    CUDART_BEGIN;
    cudaGraph_t copy;
    cudaError_t failed = refuse_memories(child, "cudaGraphAddChildGraphNode");
    if (failed != cudaSuccess) return failed;
    if (child && child->captured)
        return cudart_fail(cudaErrorNotSupported,
                           "cudaGraphAddChildGraphNode: a captured graph cannot be a child here");
    failed = cudaGraphClone(&copy, child);
    if (failed != cudaSuccess) return failed;
    failed = add_node(node, graph, after, count, cudaGraphNodeTypeGraph);
    if (failed == cudaSuccess)
        (*node)->child = copy;
    else
        cudaGraphDestroy(copy);
    return failed;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     size_t count)
{
    CUDART_BEGIN;
    if (!graph || graph->captured || (count && (!from || !to)))
        return cudart_fail(cudaErrorInvalidValue, "cudaGraphAddDependencies: an argument is NULL, or the graph was "
                                                  "captured");
    for (size_t i = 0; i < count; i++) {
        if (!from[i] || !to[i] || from[i]->graph != graph || to[i]->graph != graph)
            return cudart_fail(cudaErrorInvalidValue, "cudaGraphAddDependencies: a node of another graph");
        cudaGraphNode_t *larger = realloc(to[i]->after, (to[i]->after_count + 1) * sizeof *larger);
        if (!larger) return cudart_end(LAB_ERROR_OUT_OF_MEMORY);
        to[i]->after = larger;
        to[i]->after[to[i]->after_count++] = from[i];
    }
    return cudaSuccess;
}

/* Fills in a copy of a node, whose predecessors are the copies of its own. */
static cudaError_t copy_node(cudaGraph_t copy, cudaGraph_t graph, size_t index)
{
    const struct CUgraphNode_st *from = graph->node[index];
    struct CUgraphNode_st *to = copy->node[index];
    for (size_t k = 0; k < from->after_count; k++) {
        const cudaError_t failed = cudaGraphAddDependencies(copy, &copy->node[from->after[k]->mark], &to, 1);
        if (failed != cudaSuccess) return failed;
    }
    to->to = from->to;
    to->from = from->from;
    to->box = from->box;
    to->kind = from->kind;
    to->fill = from->fill;
    to->host = from->host;
    if (from->type == cudaGraphNodeTypeKernel) return set_kernel(to, &from->kernel);
    return from->type == cudaGraphNodeTypeGraph ? cudaGraphClone(&to->child, from->child) : cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    CUDART_BEGIN;
    if (!clone || !graph) return cudart_fail(cudaErrorInvalidValue, "cudaGraphClone: an argument is NULL");
    cudaError_t failed = refuse_memories(graph, "cudaGraphClone");
    if (failed != cudaSuccess) return failed;
    if (graph->captured) {
        *clone = cudart_graph_share(graph);
        return *clone ? cudaSuccess : cudart_end(LAB_ERROR_OUT_OF_MEMORY);
    }
    cudaGraph_t made = cudart_graph_make(NULL);
    cudaGraphNode_t node;
    failed = made ? cudaSuccess : cudart_end(LAB_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; failed == cudaSuccess && i < graph->count; i++) {
        graph->node[i]->mark = i;
        failed = add_node(&node, made, NULL, 0, graph->node[i]->type);
    }
    for (size_t i = 0; failed == cudaSuccess && i < graph->count; i++) failed = copy_node(made, graph, i);
    if (failed == cudaSuccess)
        *clone = made;
    else if (made)
        cudart_graph_free(made);
    return failed;
}

/* ---- what a graph has ---- */

/* Writes the nodes, up to *count of them, or their number if there is no list. */
static cudaError_t list_nodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count, bool roots_only)
{
    CUDART_BEGIN;
    if (!graph || !count) return cudart_fail(cudaErrorInvalidValue, "the graph or the place for the count is NULL");
    const lab_status status = cudart_graph_read(graph);
    size_t found = 0;
    for (size_t i = 0; i < graph->count; i++) {
        if (roots_only && graph->node[i]->after_count) continue;
        if (nodes && found < *count) nodes[found] = graph->node[i];
        found++;
    }
    if (nodes)
        for (size_t i = found; i < *count; i++) nodes[i] = NULL;
    if (!nodes || found < *count) *count = found;
    return cudart_end(status);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_nodes(graph, nodes, count, false);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_nodes(graph, nodes, count, true);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count)
{
    CUDART_BEGIN;
    if (!graph || !count || !from != !to)
        return cudart_fail(cudaErrorInvalidValue, "cudaGraphGetEdges: the graph, the count or one list is NULL");
    const lab_status status = cudart_graph_read(graph);
    size_t found = 0;
    for (size_t i = 0; i < graph->count; i++)
        for (size_t k = 0; k < graph->node[i]->after_count; k++, found++) {
            if (!from || found >= *count) continue;
            from[found] = graph->node[i]->after[k];
            to[found] = graph->node[i];
        }
    if (!from || found < *count) *count = found;
    return cudart_end(status);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    CUDART_BEGIN;
    if (!node || !type) return cudart_fail(cudaErrorInvalidValue, "cudaGraphNodeGetType: an argument is NULL");
    *type = node->type;
    return cudaSuccess;
}

static cudaError_t check_kernel_node(cudaGraphNode_t node, const void *kernel, const char *call)
{
    if (!node || !kernel || node->type != cudaGraphNodeTypeKernel)
        return cudart_fail(cudaErrorInvalidValue, "%s: an argument is NULL, or the node is no kernel", call);
    return node->graph->captured ? cudart_fail(cudaErrorNotSupported, "%s: the node was captured", call) : cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *kernel)
{
    CUDART_BEGIN;
    const cudaError_t failed = check_kernel_node(node, kernel, "cudaGraphKernelNodeGetParams");
    if (failed == cudaSuccess) *kernel = node->kernel;
    return failed;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *kernel)
{
    CUDART_BEGIN;
    const cudaError_t failed = check_kernel_node(node, kernel, "cudaGraphKernelNodeSetParams");
    return failed == cudaSuccess ? set_kernel(node, kernel) : failed;
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    CUDART_BEGIN;
    (void)flags;
    bool is_own;
    lab_graph *captured;
    if (!graph || !path) return cudart_fail(cudaErrorInvalidValue, "cudaGraphDebugDotPrint: an argument is NULL");
    lab_status status = cudart_graph_capture(&captured, &is_own, NULL, graph);
    if (status != LAB_SUCCESS) return cudart_end(status);
    status = lab_graph_save_dot(captured, path);
    if (is_own) lab_graph_destroy(captured);
    return cudart_end(status);
}

/* ---- executable graphs ---- */

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    CUDART_BEGIN;
    if (!exec || !graph) return cudart_fail(cudaErrorInvalidValue, "cudaGraphInstantiate: an argument is NULL");
    return cudart_end(cudart_graph_instantiate(exec, graph, flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    return cudaGraphInstantiate(exec, graph, flags);
}

static cudaError_t check_exec(cudaGraphExec_t exec, const char *call)
{
    return exec ? cudaSuccess : cudart_fail(cudaErrorInvalidValue, "%s: the executable graph is NULL", call);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    CUDART_BEGIN;
    (void)stream;
    return check_exec(exec, "cudaGraphUpload");
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    CUDART_BEGIN;
    const cudaError_t failed = check_exec(exec, "cudaGraphLaunch");
    return failed == cudaSuccess ? cudart_end(cudart_graph_launch(exec, cudart_stream(stream))) : failed;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    CUDART_BEGIN;
    const cudaError_t failed = check_exec(exec, "cudaGraphExecDestroy");
    return failed == cudaSuccess ? cudart_end(cudart_graph_exec_destroy(exec)) : failed;
}

static int find_index(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    if (node->graph->captured) return node->index;
    for (int i = 0; i < exec->nodes; i++)
        if (exec->kernel[i] == node) return i;
    return -1;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *kernel)
{
    CUDART_BEGIN;
    lab_function function;
    lab_raw_args raw;
    if (!exec || !node || !kernel || find_index(exec, node) < 0)
        return cudart_fail(cudaErrorInvalidValue, "cudaGraphExecKernelNodeSetParams: an argument is NULL, or the node "
                                                  "is of another graph");
    const cudaError_t unfit = cudart_kernel_find(&function, kernel->func);
    if (unfit != cudaSuccess) return unfit;
    lab_status status = lab_args_raw(&raw, function, kernel->kernelParams);
    if (status == LAB_SUCCESS)
        status = lab_graph_exec_update_kernel(exec->exec, find_index(exec, node), function, as_lab_dim(kernel->gridDim),
                                              as_lab_dim(kernel->blockDim), kernel->sharedMemBytes, raw.args);
    return cudart_end(status);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *result)
{
    CUDART_BEGIN;
    if (!exec || !graph || !result)
        return cudart_fail(cudaErrorInvalidValue, "cudaGraphExecUpdate: an argument is NULL");
    *result = (cudaGraphExecUpdateResultInfo){cudaGraphExecUpdateError, NULL, NULL};
    const lab_status status = cudart_graph_exec_update(&result->result, exec, graph);
    if (status != LAB_SUCCESS) return cudart_end(status);
    return result->result == cudaGraphExecUpdateSuccess
               ? cudaSuccess
               : cudart_fail(
                     cudaErrorGraphExecUpdateFailure, "cudaGraphExecUpdate: the graph %s",
                     result->result == cudaGraphExecUpdateErrorNotSupported
                         ? "or the executable graph allocates or frees memory, and it was not made from this one"
                         : "has other nodes or edges");
}
