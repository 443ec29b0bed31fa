/* Allocations, for the texts of findings and to find uses of freed memory. */
#include "order_state.h"

#include <stdlib.h>
#include <string.h>

/* Sorted by address. Pool memory lies within device memory, so it has a list of its own. */
typedef struct allocation_list {
    order_allocation *sorted;
    size_t count, capacity;
} allocation_list;

enum { POOLED = ORDER_SPACES };
static allocation_list allocations[ORDER_SPACES + 1];
static uint64_t last_born;

/* How many begin at or before the address. */
static size_t count_up_to(const allocation_list *list, uint64_t address)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->sorted[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static order_allocation *find_allocation(const allocation_list *list, uint64_t address)
{
    size_t after = count_up_to(list, address);
    order_allocation *found = after ? &list->sorted[after - 1] : NULL;
    return found && address - found->start < found->bytes ? found : NULL;
}

static void forget_sites(order_allocation *allocation)
{
    if (allocation->made) order_site_release(allocation->made);
    free(allocation->freed);
    order_clock_release(allocation->done);
    free(allocation->told);
    order_life_release(allocation->life);
}

/* The first that ends behind the address. */
static size_t first_behind(const allocation_list *list, uint64_t start)
{
    size_t first = count_up_to(list, start);
    while (first > 0 && list->sorted[first - 1].start + list->sorted[first - 1].bytes > start) first--;
    return first;
}

static void remove_overlapping(allocation_list *list, uint64_t start, uint64_t end)
{
    const size_t first = first_behind(list, start);
    size_t kept = first;
    for (; kept < list->count && list->sorted[kept].start < end; kept++) forget_sites(&list->sorted[kept]);
    if (kept == first) return;
    memmove(list->sorted + first, list->sorted + kept, (list->count - kept) * sizeof *list->sorted);
    list->count -= kept - first;
}

static allocation_list *list_of(order_space space, const lab_trace_op *op)
{
    bool pooled = op->kind == LAB_OP_POOL_ALLOC || op->kind == LAB_OP_POOL_FREE;
    return &allocations[pooled ? (int)POOLED : (int)space];
}

/* Adds an allocation that overlaps no other of the list. */
static void insert(allocation_list *list, const order_allocation *added)
{
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 64;
        order_allocation *larger = realloc(list->sorted, capacity * sizeof *larger);
        if (!larger) return; /* messages will say less */
        list->sorted = larger;
        list->capacity = capacity;
    }
    size_t index = count_up_to(list, added->start);
    memmove(list->sorted + index + 1, list->sorted + index, (list->count - index) * sizeof *list->sorted);
    list->sorted[index] = *added;
    list->count++;
}

void order_allocations_add(order_space space, const lab_trace_op *op)
{
    allocation_list *list = list_of(space, op);
    remove_overlapping(list, op->object, op->object + op->bytes);
    /* The end of a pool with its context is not reported block by block. */
    if (space == ORDER_DEVICE) remove_overlapping(&allocations[POOLED], op->object, op->object + op->bytes);
    insert(list, &(order_allocation){.start = op->object,
                                     .bytes = op->bytes,
                                     .born = ++last_born,
                                     .registered = op->kind == LAB_OP_HOST_REGISTER,
                                     .file = op->file,
                                     .line = op->line,
                                     .pooled = op->kind == LAB_OP_POOL_ALLOC || op->kind == LAB_OP_PINNED_POOL_ALLOC});
    /* A pool orders what the stream does with its own block. */
    if (op->kind == LAB_OP_POOL_ALLOC && op->stream) order_allocations_tell(space, op->object, op->stream);
}

void order_memory_is_variable(uint64_t address, uint64_t bytes, bool host, const char *name)
{
    allocation_list *list = &allocations[host ? ORDER_HOST : ORDER_DEVICE];
    const order_allocation *known = find_allocation(list, address);
    if (known && known->start == address && known->variable) return;
    remove_overlapping(list, address, address + bytes);
    insert(list, &(order_allocation){.start = address, .bytes = bytes, .file = "", .variable = order_intern(name)});
}

void order_memory_is_of_graph(uint64_t address)
{
    if (!order_is_on()) return;
    order_enter();
    order_allocation *found = find_allocation(&allocations[ORDER_DEVICE], address);
    if (found) found->of_graph = true;
    order_leave();
}

static order_site *make_freed_site(const lab_trace_op *op, const stream_identity *identity)
{
    order_site *made = calloc(1, sizeof *made);
    order_node node;
    order_node_set(&node, op, identity);
    if (made) *made = order_site_of(&node, 0);
    return made;
}

/* Notes where memory was freed that nodes remember. */
static void end_lives(const allocation_list *list, const lab_trace_op *op, const stream_identity *identity)
{
    const uint64_t end = op->object + op->bytes;
    for (size_t i = first_behind(list, op->object); i < list->count && list->sorted[i].start < end; i++) {
        order_life *life = list->sorted[i].life;
        if (!life || life->freed) continue;
        life->freed = make_freed_site(op, identity);
        life->last_born = last_born;
    }
}

void order_allocations_end(order_space space, const lab_trace_op *op, const stream_identity *identity)
{
    allocation_list *list = list_of(space, op);
    end_lives(list, op, identity);
    if (op->kind != LAB_OP_POOL_FREE) {
        if (space == ORDER_DEVICE) end_lives(&allocations[POOLED], op, identity);
        remove_overlapping(list, op->object, op->object + op->bytes);
        if (space == ORDER_DEVICE) remove_overlapping(&allocations[POOLED], op->object, op->object + op->bytes);
        return;
    }
    order_allocation *found = find_allocation(list, op->object);
    if (!found || found->freed) return;
    found->freed = make_freed_site(op, identity);
    found->done = order_known_on(identity);
}

void order_allocations_made_by(uint64_t address, order_site *site)
{
    order_allocation *found = find_allocation(&allocations[POOLED], address);
    if (found && !found->made)
        found->made = site;
    else if (site)
        order_site_release(site);
}

const order_site *order_allocations_made(uint64_t address)
{
    const order_allocation *found = find_allocation(&allocations[POOLED], address);
    return found ? found->made : NULL;
}

const order_site *order_allocations_freed(uint64_t address)
{
    const order_allocation *found = find_allocation(&allocations[POOLED], address);
    return found ? found->freed : NULL;
}

/* The block of a pool that holds the address; NULL if there is none. */
static order_allocation *find_block(order_space space, uint64_t address)
{
    order_allocation *found = find_allocation(&allocations[space == ORDER_DEVICE ? (int)POOLED : (int)space], address);
    return found && found->pooled ? found : NULL;
}

bool order_allocations_were_told(order_space space, uint64_t address, uint64_t stream)
{
    const order_allocation *found = find_block(space, address);
    for (int i = 0; found && i < found->tolds; i++)
        if (found->told[i] == stream) return true;
    return false;
}

bool order_allocations_waited(uint64_t address, const order_site *site)
{
    const order_allocation *found = find_allocation(&allocations[POOLED], address);
    return found && found->done && order_clock_covers(found->done, site->lane, site->time);
}

void order_allocations_tell(order_space space, uint64_t address, uint64_t stream)
{
    order_allocation *found = find_block(space, address);
    if (!found || order_allocations_were_told(space, address, stream)) return;
    uint64_t *longer = realloc(found->told, (size_t)(found->tolds + 1) * sizeof *longer);
    if (!longer) {
        order_give_up();
        return;
    }
    found->told = longer;
    found->told[found->tolds++] = stream;
}

void order_allocations_join_told(order_clock **clock, order_space space, uint64_t address)
{
    const order_allocation *found = find_block(space, address);
    for (int i = 0; found && i < found->tolds; i++) order_join_stream(clock, found->told[i]);
}

void order_allocations_clear(void)
{
    for (size_t i = 0; i < sizeof allocations / sizeof *allocations; i++) {
        for (size_t k = 0; k < allocations[i].count; k++) forget_sites(&allocations[i].sorted[k]);
        free(allocations[i].sorted);
        allocations[i] = (allocation_list){0};
    }
}

static order_allocation *find_innermost(order_space space, uint64_t address)
{
    order_allocation *found = space == ORDER_DEVICE ? find_allocation(&allocations[POOLED], address) : NULL;
    return found ? found : find_allocation(&allocations[space], address);
}

const order_allocation *order_allocation_of(order_space space, uint64_t address)
{
    return find_innermost(space, address);
}

/* ---- lives ---- */

static order_life *make_life(const order_allocation *allocation)
{
    order_life *made = malloc(sizeof *made);
    order_site *freed = made && allocation->freed ? malloc(sizeof *freed) : NULL;
    if (!made || (allocation->freed && !freed)) {
        free(made);
        return NULL;
    }
    if (freed) *freed = *allocation->freed;
    *made = (order_life){.references = 1,
                         .start = allocation->start,
                         .bytes = allocation->bytes,
                         .file = allocation->file,
                         .line = allocation->line,
                         .freed = freed,
                         .last_born = last_born};
    return made;
}

/* The memory that is at the address now, which may have been freed. The caller's reference; NULL if the library does
 * not know when that memory ends, or host memory ran out. */
static order_life *find_life(order_space space, uint64_t address)
{
    order_allocation *found = find_innermost(space, address);
    const order_allocation *around = find_allocation(&allocations[space], address);
    if (!found || found->variable || found->registered || (around && around->of_graph)) return NULL;
    if (!found->life) found->life = make_life(found);
    return order_life_retain(found->life);
}

void order_allocations_remember(order_node *node)
{
    for (int i = 0; i < node->accesses; i++)
        node->life[i] = find_life(node->access[i].host ? ORDER_HOST : ORDER_DEVICE, node->access[i].address);
}

const order_allocation *order_life_next(const order_life *life, order_space space, uint64_t address)
{
    const order_allocation *found = find_innermost(space, address);
    return found && !found->freed && found->born > life->last_born ? found : NULL;
}
