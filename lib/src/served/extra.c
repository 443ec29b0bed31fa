/* The calls of extra.h, and the program's functions: allocators and host functions. */
#include "wire/extra.h"

#include "base/program/program.h"
#include "base/retire.h"
#include "base/status.h"
#include "objects/contexts/runtime.h"
#include "objects/work/memory.h"
#include "order/order.h"
#include "pools/allocator.h"
#include "served.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

lab_status wire_check(void) { return runtime_check(); }

/* ---- Allocators ---- */

/* The program's allocators, kept until it ends: pools and arrays may outlive what they were set by. */
typedef struct kept_allocator {
    wire_allocator is;
    struct kept_allocator *next;
} kept_allocator;
enum { MOST_ALLOCATORS = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static kept_allocator *kept;
static int kept_count;

static bool is_same(const wire_allocator *one, const wire_allocator *other)
{
    return one->alloc == other->alloc && one->free == other->free && one->user == other->user;
}

static kept_allocator *keep(const wire_allocator *allocator)
{
    pthread_mutex_lock(&lock);
    kept_allocator *found = kept;
    while (found && !is_same(&found->is, allocator)) found = found->next;
    if (!found && kept_count < MOST_ALLOCATORS && (found = malloc(sizeof *found))) {
        *found = (kept_allocator){*allocator, kept};
        kept = found;
        kept_count++;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* The program may answer with any number: only memory that it may use is taken. */
static lab_status alloc_in_program(lab_deviceptr *out, size_t bytes, lab_stream *stream, void *user)
{
    const kept_allocator *allocator = user;
    const wire_ask ask = {
        .bytes = bytes, .function = allocator->is.alloc, .user = allocator->is.user, .stream = (uintptr_t)stream};
    wire_told told;
    range found;
    if (!served_ask(&told, &(served_question){WIRE_ALLOC, ask, NULL, 0, NULL, 0}))
        return lab_fail(LAB_ERROR_NOT_INITIALIZED, "the program has ended");
    *out = told.memory;
    if (told.status != LAB_SUCCESS || !told.memory) return (lab_status)told.status;
    if (memory_find_device(&found, told.memory) && bytes <= found.bytes - (told.memory - found.address))
        return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE, "the allocator gave 0x%llx, which is not %zu bytes of device memory",
                    (unsigned long long)told.memory, bytes);
}

static lab_status free_in_program(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user)
{
    const kept_allocator *allocator = user;
    const wire_ask ask = {.address = memory,
                          .bytes = bytes,
                          .function = allocator->is.free,
                          .user = allocator->is.user,
                          .stream = (uintptr_t)stream};
    wire_told told;
    if (!served_ask(&told, &(served_question){WIRE_FREE, ask, NULL, 0, NULL, 0})) return LAB_SUCCESS;
    return (lab_status)told.status;
}

/* The allocator of a message, in `room`; NULL if there is none. */
static lab_status from_wire(lab_allocator **out, lab_allocator *room, const wire_allocator *allocator)
{
    *out = room;
    if (allocator->kind == WIRE_ALLOCATOR_OF_DEVICE) {
        *room = lab_device_allocator();
    } else if (allocator->kind == WIRE_ALLOCATOR_OF_POOL) {
        *room = allocator_of_pool(allocator->user);
    } else if (allocator->kind == WIRE_ALLOCATOR_OF_PROGRAM) {
        kept_allocator *known = keep(allocator);
        if (!known) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "the program has used %d allocators", MOST_ALLOCATORS);
        *room = (lab_allocator){allocator->alloc ? alloc_in_program : NULL, allocator->free ? free_in_program : NULL,
                                known};
    } else {
        *out = NULL;
    }
    return LAB_SUCCESS;
}

static wire_allocator to_wire(const lab_allocator *allocator)
{
    if (!allocator->alloc) return (wire_allocator){.kind = WIRE_ALLOCATOR_NONE};
    if (allocator->alloc == alloc_in_program) return ((const kept_allocator *)allocator->user)->is;
    if (allocator->alloc == lab_device_allocator().alloc) return (wire_allocator){.kind = WIRE_ALLOCATOR_OF_DEVICE};
    return (wire_allocator){.kind = WIRE_ALLOCATOR_OF_POOL, .user = (uintptr_t)allocator->user};
}

lab_status wire_mempool_create(lab_mempool **out, wire_allocator source)
{
    lab_allocator room, *allocator;
    LAB_TRY(from_wire(&allocator, &room, &source));
    return lab_mempool_create(out, allocator);
}

lab_status wire_set_allocator(wire_allocator chosen)
{
    lab_allocator room, *allocator;
    LAB_TRY(from_wire(&allocator, &room, &chosen));
    return lab_set_allocator(allocator);
}

lab_status wire_get_allocator(wire_allocator *out)
{
    lab_allocator found = {0};
    lab_status status = lab_get_allocator(out ? &found : NULL);
    if (out) *out = to_wire(&found);
    return status;
}

lab_status wire_thread_exchange_allocator(wire_allocator *exchanged)
{
    lab_allocator room = {0}, *allocator = &room;
    if (exchanged) LAB_TRY(from_wire(&allocator, &room, exchanged));
    const lab_status status = lab_thread_exchange_allocator(exchanged ? &room : NULL);
    if (status == LAB_SUCCESS) *exchanged = to_wire(&room);
    return status;
}

lab_status wire_mempool_allocator(wire_allocator *out, lab_mempool *pool)
{
    lab_allocator found = {0};
    lab_status status = lab_mempool_allocator(out ? &found : NULL, pool);
    if (out) *out = to_wire(&found);
    return status;
}

lab_status wire_allocator_alloc(lab_deviceptr *out, size_t bytes, lab_stream *stream, wire_allocator allocator)
{
    lab_allocator own = lab_device_allocator();
    if (allocator.kind == WIRE_ALLOCATOR_OF_POOL) own = allocator_of_pool(allocator.user);
    return own.alloc(out, bytes, stream, own.user);
}

lab_status wire_allocator_free(lab_deviceptr memory, size_t bytes, lab_stream *stream, wire_allocator allocator)
{
    lab_allocator own = lab_device_allocator();
    if (allocator.kind == WIRE_ALLOCATOR_OF_POOL) own = allocator_of_pool(allocator.user);
    return own.free(memory, bytes, stream, own.user);
}

lab_status wire_array_from_memory(lab_array **out, lab_dtype dtype, lab_shape shape, lab_deviceptr memory,
                                  wire_allocator owner)
{
    lab_allocator room, *allocator;
    LAB_TRY(from_wire(&allocator, &room, &owner));
    return lab_array_from_memory(out, dtype, shape, memory, allocator);
}

/* ---- Structs, lists and files ---- */

lab_status wire_module_load_with(lab_module **out, const char *source, const char *name, const char *expressions)
{
    enum { MOST_EXPRESSIONS = 256 };
    const char *list[MOST_EXPRESSIONS + 1];
    int count = 0;
    char *text = strdup(expressions ? expressions : ""), *rest = text;
    if (!text) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_module_load_with: no host memory for the names");
    for (char *each; count < MOST_EXPRESSIONS && (each = strsep(&rest, "\n"));)
        if (*each) list[count++] = each;
    list[count] = NULL;
    const lab_status status =
        rest ? lab_fail(LAB_ERROR_NOT_SUPPORTED, "lab_module_load_with: more than %d names", MOST_EXPRESSIONS)
             : lab_module_load_with(out, source, name, &(lab_module_options){.name_expressions = list});
    free(text);
    return status;
}

lab_status wire_elementwise_create_from(lab_elementwise **out, bool present, const char *inputs, const char *outputs,
                                        const char *body, const char *name, const char *preamble,
                                        unsigned block_threads)
{
    const lab_elementwise_source source = {inputs, outputs, body, name, preamble, block_threads};
    return lab_elementwise_create_from(out, present ? &source : NULL);
}

lab_status wire_reduction_create(lab_reduction **out, bool present, const char *inputs, const char *outputs,
                                 const char *map, const char *reduce, const char *post_map, const char *identity,
                                 const char *reduce_type, const char *name, const char *preamble)
{
    const lab_reduction_source source = {inputs, outputs, map, reduce, post_map, identity, reduce_type, name, preamble};
    return lab_reduction_create(out, present ? &source : NULL);
}

/* Texts one behind the other, and what precedes them. */
typedef struct texts {
    char *bytes;
    size_t size;
    FILE *file;
} texts;

static const char *add_text(texts *all, const char *text)
{
    const char *place = (const char *)(uintptr_t)ftell(all->file);
    fputs(text, all->file);
    fputc('\0', all->file);
    return place;
}

static lab_status open_texts(texts *all)
{
    *all = (texts){0};
    all->file = open_memstream(&all->bytes, &all->size);
    return all->file ? LAB_SUCCESS : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a list of texts");
}

static lab_status give_texts(texts *all)
{
    bool written = fclose(all->file) == 0;
    lab_status status = written ? served_give(all->bytes, all->size) : LAB_ERROR_OUT_OF_MEMORY;
    free(all->bytes);
    return status;
}

lab_status wire_graph_get_nodes(lab_graph *graph, int *count, bool wanted)
{
    RETIRE_SCOPE; /* the nodes are the graph's, which another thread may destroy */
    const lab_graph_node *node;
    texts names;
    LAB_TRY(lab_graph_get_nodes(wanted ? &node : NULL, count, graph));
    LAB_TRY(open_texts(&names));
    lab_graph_node *sent = calloc((size_t)*count + 1, sizeof *sent);
    for (int i = 0; sent && i < *count; i++) {
        sent[i] = node[i];
        sent[i].name = add_text(&names, node[i].name);
    }
    lab_status status = sent ? served_give(sent, (size_t)*count * sizeof *sent) : LAB_ERROR_OUT_OF_MEMORY;
    free(sent);
    lab_status given = give_texts(&names);
    return status == LAB_SUCCESS ? given : status;
}

lab_status wire_graph_get_edges(lab_graph *graph, int *count, bool wanted)
{
    RETIRE_SCOPE;
    const lab_graph_edge *edge;
    LAB_TRY(lab_graph_get_edges(wanted ? &edge : NULL, count, graph));
    return served_give(edge, (size_t)*count * sizeof *edge);
}

/* Gives a file that the library writes, in a folder of its own. */
static lab_status give_file(lab_status (*save)(const void *object, const char *path), const void *object)
{
    char folder[] = "/tmp/lab-XXXXXX", path[64];
    struct stat about;
    if (!mkdtemp(folder)) return lab_fail(LAB_ERROR_IO, "no folder for a file can be made in /tmp");
    snprintf(path, sizeof path, "%s/file", folder);
    lab_status status = save(object, path);
    int file = status == LAB_SUCCESS ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *bytes = MAP_FAILED;
    if (file >= 0 && fstat(file, &about) == 0)
        bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (status == LAB_SUCCESS)
        status = bytes == MAP_FAILED ? lab_fail(LAB_ERROR_IO, "%s cannot be read", path)
                                     : served_give(bytes, (size_t)about.st_size);
    if (bytes != MAP_FAILED) munmap(bytes, (size_t)about.st_size);
    if (file >= 0) close(file);
    unlink(path);
    rmdir(folder);
    return status;
}

static lab_status save_dot(const void *graph, const char *path) { return lab_graph_save_dot((lab_graph *)graph, path); }

static lab_status save_trace(const void *trace, const char *path) { return lab_trace_save(trace, path); }

lab_status wire_graph_save_dot(lab_graph *graph, bool wanted)
{
    return wanted ? give_file(save_dot, graph) : lab_graph_save_dot(graph, NULL);
}

lab_status wire_trace_end(bool wanted)
{
    lab_trace *trace;
    LAB_TRY(lab_trace_end(wanted ? &trace : NULL));
    lab_status status = give_file(save_trace, trace);
    lab_trace_free(trace);
    return status;
}

lab_status wire_order_get_finding(lab_order_finding *out, size_t number)
{
    texts all;
    LAB_TRY(lab_order_get_finding(out, number));
    LAB_TRY(open_texts(&all));
    const char **text[] = WIRE_FINDING_TEXTS(out);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) *text[i] = add_text(&all, *text[i]);
    return give_texts(&all);
}

/* ---- Host functions and settings ---- */

/* Threads that the program starts in the function tell the channel that it was called through. */
static void mark_starter(void)
{
    served_channel *channel = served_channel_mine();
    if (channel) atomic_store(&channel->starter_mark, order_starter_mark());
}

static void call_host_function(void (*function)(void *user), void *user)
{
    mark_starter();
    const wire_ask ask = {.function = (uintptr_t)function, .user = (uintptr_t)user};
    wire_told told;
    served_ask(&told, &(served_question){WIRE_HOST_FUNCTION, ask, NULL, 0, NULL, 0});
}

static void call_callback(void (*callback)(lab_stream *stream, lab_status status, void *user), lab_stream *stream,
                          lab_status status, void *user)
{
    const wire_ask ask = {
        .function = (uintptr_t)callback, .user = (uintptr_t)user, .stream = (uintptr_t)stream, .status = status};
    wire_told told;
    mark_starter();
    served_ask(&told, &(served_question){WIRE_CALLBACK, ask, NULL, 0, NULL, 0});
}

static bool get_setting(char *out, size_t bytes, const char *name)
{
    const char *own = served_checked ? getenv(name) : NULL;
    if (served_checked) {
        if (own) snprintf(out, bytes, "%s", own);
        return own != NULL;
    }
    const served_question setting = {WIRE_SETTING, {.bytes = bytes - 1}, name, strlen(name) + 1, out, bytes - 1};
    wire_told told;
    out[bytes - 1] = '\0';
    return served_ask(&told, &setting) && told.status;
}

const program_access served_program = {call_host_function, call_callback, served_all_wait, get_setting,
                                       served_launches_cooperatively};
