/* The calls that are written by hand: structs with pointers, lists, and files, which are the program's. */
#include "remote.h"

#include "base/status.h"
#include "base/system/text_file.h"
#include "base/system/whole_file.h"
#include "seam/source/source_headers.h"
#include "trace/trace.h"

#include <pthread.h>
#include <stdlib.h>

/* ---- Allocators ---- */

static wire_allocator of_device(void) { return (wire_allocator){.kind = WIRE_ALLOCATOR_OF_DEVICE}; }

static wire_allocator of_pool(const void *pool)
{
    return (wire_allocator){.kind = WIRE_ALLOCATOR_OF_POOL, .user = (uintptr_t)pool};
}

/* The library's own allocators, whose functions a program may call itself. */
static lab_status device_alloc(lab_deviceptr *out, size_t bytes, lab_stream *stream, void *user)
{
    (void)user;
    return wire_allocator_alloc(out, bytes, stream, of_device());
}

static lab_status device_free(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user)
{
    (void)user;
    return wire_allocator_free(memory, bytes, stream, of_device());
}

static lab_status pool_alloc(lab_deviceptr *out, size_t bytes, lab_stream *stream, void *user)
{
    return wire_allocator_alloc(out, bytes, stream, of_pool(user));
}

static lab_status pool_free(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user)
{
    return wire_allocator_free(memory, bytes, stream, of_pool(user));
}

static wire_allocator to_wire(const lab_allocator *allocator)
{
    if (!allocator) return (wire_allocator){.kind = WIRE_ALLOCATOR_NONE};
    if (allocator->alloc == device_alloc && allocator->free == device_free) return of_device();
    if (allocator->alloc == pool_alloc && allocator->free == pool_free) return of_pool(allocator->user);
    return (wire_allocator){.kind = WIRE_ALLOCATOR_OF_PROGRAM,
                            .alloc = (uintptr_t)allocator->alloc,
                            .free = (uintptr_t)allocator->free,
                            .user = (uintptr_t)allocator->user};
}

static lab_allocator from_wire(wire_allocator allocator)
{
    void *user = (void *)(uintptr_t)allocator.user;
    if (allocator.kind == WIRE_ALLOCATOR_NONE) return (lab_allocator){0};
    if (allocator.kind == WIRE_ALLOCATOR_OF_DEVICE) return lab_device_allocator();
    if (allocator.kind == WIRE_ALLOCATOR_OF_POOL) return (lab_allocator){pool_alloc, pool_free, user};
    lab_allocator own = {.user = user};
    memcpy(&own.alloc, &allocator.alloc, sizeof own.alloc);
    memcpy(&own.free, &allocator.free, sizeof own.free);
    return own;
}

lab_allocator lab_device_allocator(void) { return (lab_allocator){device_alloc, device_free, NULL}; }

lab_status lab_mempool_create(lab_mempool **out, const lab_allocator *source)
{
    return wire_mempool_create(out, to_wire(source));
}

lab_status lab_set_allocator(const lab_allocator *allocator) { return wire_set_allocator(to_wire(allocator)); }

lab_status lab_get_allocator(lab_allocator *out)
{
    wire_allocator found = {0};
    lab_status status = wire_get_allocator(out ? &found : NULL);
    if (out) *out = from_wire(found);
    return status;
}

lab_status lab_thread_exchange_allocator(lab_allocator *allocator)
{
    wire_allocator exchanged = to_wire(allocator);
    const lab_status status = wire_thread_exchange_allocator(allocator ? &exchanged : NULL);
    if (status == LAB_SUCCESS) *allocator = from_wire(exchanged);
    return status;
}

lab_status lab_mempool_allocator(lab_allocator *out, lab_mempool *pool)
{
    wire_allocator found = {0};
    lab_status status = wire_mempool_allocator(out ? &found : NULL, pool);
    if (out) *out = from_wire(found);
    return status;
}

lab_status lab_array_from_memory(lab_array **out, lab_dtype dtype, lab_shape shape, lab_deviceptr memory,
                                 const lab_allocator *owner)
{
    return wire_array_from_memory(out, dtype, shape, memory, to_wire(owner));
}

/* ---- Structs ---- */

lab_status lab_elementwise_create_from(lab_elementwise **out, const lab_elementwise_source *source)
{
    static const lab_elementwise_source none;
    const lab_elementwise_source *from = source ? source : &none;
    return wire_elementwise_create_from(out, source != NULL, from->inputs, from->outputs, from->body, from->name,
                                        from->preamble, from->block_threads);
}

lab_status lab_reduction_create(lab_reduction **out, const lab_reduction_source *source)
{
    static const lab_reduction_source none;
    const lab_reduction_source *from = source ? source : &none;
    return wire_reduction_create(out, source != NULL, from->inputs, from->outputs, from->map, from->reduce,
                                 from->post_map, from->identity, from->reduce_type, from->name, from->preamble);
}

/* ---- Lists ---- */

/* Nodes and edges of graphs, which live as long as the graph: kept, since other threads may use them, until the program
 * ends. A graph's lists do not change. */
typedef struct list {
    const lab_graph *graph;
    bool edges;
    struct list *next;
    _Alignas(lab_graph_node) char bytes[];
} list;

static pthread_mutex_t lists_lock = PTHREAD_MUTEX_INITIALIZER;
static list *lists;

static list *find_list(const lab_graph *graph, bool edges)
{
    list *each = lists;
    while (each && (each->graph != graph || each->edges != edges)) each = each->next;
    return each;
}

/* The list that came with the reply. The lock is held. */
static list *keep_list(const lab_graph *graph, bool edges)
{
    size_t bytes;
    const char *taken = remote_taken(&bytes);
    list *made = malloc(sizeof *made + bytes + 1);
    if (!made) return NULL;
    *made = (list){.graph = graph, .edges = edges, .next = lists};
    if (bytes) memcpy(made->bytes, taken, bytes);
    return lists = made;
}

static const void *list_of(lab_graph *graph, int count, bool edges)
{
    pthread_mutex_lock(&lists_lock);
    list *found = find_list(graph, edges);
    if (!found) {
        found = keep_list(graph, edges);
        lab_graph_node *node = found ? (lab_graph_node *)found->bytes : NULL;
        for (int i = 0; node && !edges && i < count; i++)
            node[i].name = (const char *)&node[count] + (uintptr_t)node[i].name;
    }
    pthread_mutex_unlock(&lists_lock);
    return found ? found->bytes : NULL;
}

static lab_status give_list(const void *found)
{
    return found ? LAB_SUCCESS : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for the list of a graph");
}

lab_status lab_graph_get_nodes(const lab_graph_node **nodes, int *count, lab_graph *graph)
{
    LAB_TRY(wire_graph_get_nodes(graph, count, nodes != NULL));
    return give_list(*nodes = list_of(graph, *count, false));
}

lab_status lab_graph_get_edges(const lab_graph_edge **edges, int *count, lab_graph *graph)
{
    LAB_TRY(wire_graph_get_edges(graph, count, edges != NULL));
    return give_list(*edges = list_of(graph, *count, true));
}

/* ---- Files ---- */

lab_status lab_graph_save_dot(lab_graph *graph, const char *path)
{
    size_t bytes;
    lab_whole_file *file;
    LAB_TRY(wire_graph_save_dot(graph, path != NULL));
    const char *text = remote_taken(&bytes);
    LAB_TRY(lab_whole_file_create(&file, path));
    lab_whole_file_write(file, text, bytes);
    return lab_whole_file_finish(file);
}

lab_status lab_module_load_file(lab_module **out, const char *path)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_module_load_file: out is NULL");
    *out = NULL;
    if (!path) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_module_load_file: path is NULL");
    LAB_TRY(wire_check());
    char *source;
    LAB_TRY(text_file_read(&source, path));
    lab_status status = lab_module_load_source(out, source, path);
    free(source);
    return status;
}

/* The names, one a line. The caller frees them. */
static char *join_lines(const char *const *texts)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    for (; out && texts && *texts; texts++) fprintf(out, "%s\n", *texts);
    if (out && fclose(out) == 0) return text;
    free(text);
    return NULL;
}

lab_status lab_module_load_with(lab_module **out, const char *source, const char *name,
                                const lab_module_options *options)
{
    static const lab_module_options none;
    const lab_module_options *with = options ? options : &none;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_module_load_with: out is NULL");
    *out = NULL;
    if (!source) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_module_load_with: source is NULL");
    LAB_TRY(wire_check());
    char *text;
    if (!name) name = "kernel.cu";
    LAB_TRY(source_prepare(&text, source, name, with));
    char *expressions = join_lines(with->name_expressions);
    const lab_status status =
        expressions ? wire_module_load_with(out, text, name, expressions)
                    : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_module_load_with: no host memory for the names");
    free(expressions);
    free(text);
    return status;
}

lab_status lab_trace_end(lab_trace **out)
{
    size_t bytes;
    LAB_TRY(wire_trace_end(out != NULL));
    const char *file = remote_taken(&bytes);
    return lab_trace_load_bytes(out, file, bytes, "the record");
}

lab_status lab_order_get_finding(lab_order_finding *out, size_t number)
{
    LAB_TRY(wire_order_get_finding(out, number));
    size_t bytes;
    const char *taken = remote_taken(&bytes), **text[] = WIRE_FINDING_TEXTS(out);
    char *kept = malloc(bytes + 1); /* the library never frees the texts of a finding */
    if (!kept) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_order_get_finding: no host memory for its texts");
    memcpy(kept, taken, bytes + 1);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) *text[i] = kept + (uintptr_t)*text[i];
    return LAB_SUCCESS;
}
