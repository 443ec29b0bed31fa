/* Uses of memory: which earlier uses conflict with a new one and are not known to be done before it, and what becomes
 * of uses when memory is allocated and freed. order_memory.c stores the uses. */
#include "order_state.h"

#include <stdlib.h>
#include <string.h>

enum { PRUNE_EVERY = 1 << 13 };

static order_memory memory[ORDER_SPACES];
static size_t segments_kept; /* after the last pruning */

size_t order_uses_segments(void) { return memory[ORDER_DEVICE].segments + memory[ORDER_HOST].segments; }

void order_uses_begin(void)
{
    for (int i = 0; i < ORDER_SPACES; i++) {
        order_memory_clear(&memory[i]);
        memory[i].random = 0x9e3779b97f4a7c15;
    }
    segments_kept = 0;
}

static order_space space_of(const lab_trace_access *access) { return access->host ? ORDER_HOST : ORDER_DEVICE; }

/* An earlier use that is not ordered with the use being examined. */
typedef struct conflict {
    const order_site *site;
    order_use use;
} conflict;

enum { MOST_CONFLICTS = 8 };

/* The examination of one use of an operation. */
typedef struct examination {
    const order_clock *clock;
    order_space space;
    conflict *conflict; /* room for MOST_CONFLICTS */
    int conflicts;
} examination;

static void examine_earlier(void *user, const order_site *site, const order_use *part)
{
    examination *current = user;
    /* Once a thread has waited for the use, pageable memory may have been freed and reused. */
    if (current->space == ORDER_HOST && site->pageable &&
        order_clock_covers(order_known_to_anybody(), site->lane, site->time))
        return;
    for (int i = 0; i < current->conflicts; i++) {
        if (current->conflict[i].site != site || current->conflict[i].use.writes != part->writes) continue;
        current->conflict[i].use.end = part->end;
        return;
    }
    if (current->conflicts < MOST_CONFLICTS) current->conflict[current->conflicts++] = (conflict){site, *part};
}

static void examine(examination *made, const order_use *use,
                    void (*found)(void *user, const order_site *site, const order_use *part))
{
    order_memory_conflicts(&memory[made->space], use, made->clock, found, made);
}

static void keep_first(lab_status *status, lab_status next)
{
    if (*status == LAB_SUCCESS) *status = next;
}

/* Whether no pool knows of the operation's use of memory at the address. */
static bool is_unseen(const order_site *site, order_space space, uint64_t address)
{
    return site->unseen && !order_allocations_were_told(space, address, site->stream);
}

/* Of such uses a pool orders those that are done when its block is free. */
static bool is_unseen_on_device(const order_site *site, uint64_t address)
{
    return is_unseen(site, ORDER_DEVICE, address) && !order_allocations_waited(address, site);
}

static bool is_unseen_on_host(const order_site *site, uint64_t address) { return is_unseen(site, ORDER_HOST, address); }

static bool is_declared(const order_node *node, int access) { return access >= node->accesses - node->declared; }

/* Reports what the examination has found about the operation. */
static void report_conflicts(lab_status *status, lab_order_kind kind, const examination *made, const order_site *second,
                             bool second_writes)
{
    for (int i = 0; i < made->conflicts; i++) {
        const order_bytes bytes = {made->space, made->conflict[i].use, NULL};
        keep_first(status, order_report(kind, made->conflict[i].site, second, made->clock, second_writes, &bytes));
    }
}

/* Where the block was allocated, if the use must come after that: a use that no pool knows of or, of CUDA's pools, any
 * use. */
static const order_site *find_allocated(const order_site *site, const order_node *node, int index)
{
    const uint64_t address = node->access[index].address;
    const bool unseen =
        (site->unseen || is_declared(node, index)) && !order_allocations_were_told(ORDER_DEVICE, address, site->stream);
    return unseen || order_spoken() == ORDER_CUDA ? order_allocations_made(address) : NULL;
}

/* Reports the earlier uses that are not ordered with this one, and a use of a block of a pool before its allocation. */
static lab_status examine_use(const order_site *site, const order_node *node, int index, const order_clock *clock)
{
    const lab_trace_access *access = &node->access[index];
    const order_use use = {access->address, access->address + access->bytes, access->writes};
    lab_status status = LAB_SUCCESS;
    conflict earlier[MOST_CONFLICTS];
    examination made = {.clock = clock, .space = space_of(access), .conflict = earlier};
    examine(&made, &use, examine_earlier);
    report_conflicts(&status, LAB_ORDER_RACE, &made, site, access->writes);
    if (made.space != ORDER_DEVICE) return status;
    const order_site *allocated = find_allocated(site, node, index);
    const order_bytes bytes = {made.space, use, NULL};
    if (allocated && !order_clock_covers(clock, allocated->lane, allocated->time))
        keep_first(&status,
                   order_report(LAB_ORDER_USE_BEFORE_ALLOCATION, allocated, site, clock, access->writes, &bytes));
    return status;
}

/* Where the memory of the access was freed; NULL if it is there. A node of a graph means
 * the memory that it was captured with, whoever has the address now. */
static const order_site *find_freed(const order_node *node, int index)
{
    const lab_trace_access *access = &node->access[index];
    if (node->life && node->life[index]) return node->life[index]->freed;
    return access->host ? NULL : order_allocations_freed(access->address);
}

lab_status order_examine(const order_site *site, const order_node *node, const order_clock *clock)
{
    lab_status status = LAB_SUCCESS;
    for (int i = 0; i < node->accesses; i++) {
        const lab_trace_access *access = &node->access[i];
        if (!access->reads && !access->writes) continue;
        const order_site *freed = find_freed(node, i);
        const order_bytes bytes = {space_of(access),
                                   {access->address, access->address + access->bytes, access->writes},
                                   node->life ? node->life[i] : NULL};
        keep_first(&status, freed ? order_report(LAB_ORDER_USE_AFTER_FREE, freed, site, clock, access->writes, &bytes)
                                  : examine_use(site, node, i, clock));
    }
    return status;
}

/* Pageable memory used by a copy that its caller waits for belongs to the host again when the call returns. A use of
 * freed memory is reported, and not held against the next owner. */
static bool is_noted(const order_node *node, int index)
{
    const lab_trace_access *access = &node->access[index];
    return (access->reads || access->writes) && !(access->host && node->pageable && node->host_waits) &&
           !find_freed(node, index);
}

static void close_pages(order_site *site, const lab_trace_access *access)
{
    const order_allocation *block = order_host_calls_live() ? NULL : order_allocation_of(ORDER_HOST, access->address);
    if (block) order_pages_used(site, access, block->start + block->bytes);
}

void order_note_uses(order_site *site, const order_node *node, const order_clock *clock)
{
    order_site *unseen = node->declared && !site->unseen ? order_site_unseen(site) : NULL;
    for (int i = 0; i < node->accesses; i++) {
        const lab_trace_access *access = &node->access[i];
        if (!is_noted(node, i)) continue;
        order_use use = {access->address, access->address + access->bytes, access->writes};
        order_site *noted = unseen && is_declared(node, i) ? unseen : site;
        if (!order_memory_note(&memory[space_of(access)], &use, noted, clock)) order_give_up();
        if (access->host) close_pages(site, access);
        if (!noted->unseen) order_allocations_tell(space_of(access), access->address, site->stream);
    }
    if (unseen) order_site_release(unseen);
}

void order_uses_prune(uint64_t operations)
{
    if (operations % PRUNE_EVERY != 0 && order_uses_segments() < 2 * segments_kept + PRUNE_EVERY) return;
    order_clock *known = order_known_to_all();
    for (int i = 0; i < ORDER_SPACES; i++) order_memory_prune(&memory[i], known);
    order_clock_release(known);
    segments_kept = order_uses_segments();
}

/* ------------------------------------------------------------------------------------------------------
 * Memory and the host
 */

static bool is_host_memory(lab_op_kind kind)
{
    switch (kind) {
    case LAB_OP_HOST_ALLOC:
    case LAB_OP_HOST_FREE:
    case LAB_OP_HOST_REGISTER:
    case LAB_OP_HOST_UNREGISTER:
    case LAB_OP_PINNED_POOL_ALLOC:
    case LAB_OP_PINNED_POOL_FREE: return true;
    default: return false;
    }
}

/* Uses by a block's last owners that this thread has not waited for. */
typedef struct pending_uses {
    uint64_t stream;        /* the stream that the block is allocated on */
    const order_site *last; /* its last use of the block, or NULL */
    bool elsewhere;         /* other streams use the block, and the pool makes the stream wait for them */
} pending_uses;

static void find_pending(void *user, const order_site *site, const order_use *part)
{
    pending_uses *pending = user;
    const order_thread_view *self = order_thread_now();
    if (is_unseen_on_device(site, part->start) || (self && order_clock_covers(self->known, site->lane, site->time)))
        return;
    if (site->stream != pending->stream)
        pending->elsewhere = true;
    else if (!pending->last || site->time > pending->last->time)
        pending->last = site;
}

/* The site after which uses that the pool does not see may use the block; NULL if they may at once. The memory of
 * CUDA's pools is there for the stream's next work alone, and others must wait for that place. */
static order_site *find_allocation_place(const lab_trace_op *op, const stream_identity *identity)
{
    order_node node;
    order_node_set(&node, op, identity);
    if (order_spoken() == ORDER_CUDA) return order_place_on(identity, &node, 0);
    pending_uses found = {.stream = op->stream};
    const order_use use = {op->object, op->object + op->bytes, true};
    order_memory_conflicts(&memory[ORDER_DEVICE], &use, NULL, find_pending, &found);
    if (!found.last && !found.elsewhere) return NULL;
    return order_place_on(identity, &node, found.elsewhere ? 0 : found.last->time);
}

/* New memory has no uses. Of pool memory, uses that the pool knows of are done or ordered before those of the next
 * owner. Other uses must come after the allocation's place on its stream, if the last owner may still be using the
 * block. */
void order_memory_made(const lab_trace_op *op, const stream_identity *identity)
{
    if (!op->object || !op->bytes) return;
    order_space space = is_host_memory(op->kind) ? ORDER_HOST : ORDER_DEVICE;
    order_enter();
    const bool pooled = op->kind == LAB_OP_POOL_ALLOC || op->kind == LAB_OP_PINNED_POOL_ALLOC;
    order_site *place = op->kind == LAB_OP_POOL_ALLOC && identity ? find_allocation_place(op, identity) : NULL;
    order_stays *unseen = space == ORDER_HOST ? is_unseen_on_host : is_unseen_on_device;
    if (!order_memory_forget(&memory[space], op->object, op->object + op->bytes, pooled ? unseen : NULL))
        order_give_up();
    if (space == ORDER_HOST) order_pages_open(op->object, op->object + op->bytes);
    order_allocations_add(space, op);
    if (place) order_allocations_made_by(op->object, place);
    order_leave();
}

/* Finds uses that the pool does not know of and that may not be done yet. */
static void examine_unseen(void *user, const order_site *site, const order_use *part)
{
    const examination *current = user;
    if (is_unseen(site, current->space, part->start)) examine_earlier(user, site, part);
}

/* A pool orders the uses that it knows of, unless it is CUDA's: cudaFreeAsync only follows its stream. The driver waits
 * for one context alone, and `waited` is what that covers. Memory that the driver frees on the device is not examined.
 */
static lab_status examine_free(const lab_trace_op *op, const stream_identity *identity, const order_clock *waited)
{
    const order_space space = is_host_memory(op->kind) ? ORDER_HOST : ORDER_DEVICE;
    const bool pooled = op->kind == LAB_OP_POOL_FREE || op->kind == LAB_OP_PINNED_POOL_FREE;
    if (!pooled && space == ORDER_DEVICE) return LAB_SUCCESS;
    lab_status status = LAB_SUCCESS;
    order_clock *known = order_known_on(identity);
    order_join(&known, waited, NULL);
    const bool pool_orders = pooled && order_spoken() != ORDER_CUDA;
    if (pool_orders) order_allocations_join_told(&known, space, op->object);
    conflict earlier[MOST_CONFLICTS];
    examination made = {.clock = known, .space = space, .conflict = earlier};
    order_use use = {op->object, op->object + op->bytes, true};
    examine(&made, &use, pool_orders ? examine_unseen : examine_earlier);
    order_node node;
    order_node_set(&node, op, identity);
    const order_site site = order_site_of(&node, order_next_operation());
    report_conflicts(&status, LAB_ORDER_FREE_IN_USE, &made, &site, true);
    const order_site *allocated = pooled && !pool_orders ? order_allocations_made(op->object) : NULL;
    if (allocated && !order_clock_covers(known, allocated->lane, allocated->time)) {
        const order_bytes bytes = {space, use, NULL};
        keep_first(&status, order_report(LAB_ORDER_USE_BEFORE_ALLOCATION, allocated, &site, known, true, &bytes));
    }
    order_clock_release(known);
    return status;
}

lab_status order_memory_given_back(const lab_trace_op *op, const stream_identity *identity, const order_clock *waited)
{
    if (!op->object || !op->bytes) return LAB_SUCCESS;
    order_space space = is_host_memory(op->kind) ? ORDER_HOST : ORDER_DEVICE;
    order_enter();
    lab_status status = examine_free(op, identity, waited);
    if (status == LAB_SUCCESS) {
        if (op->kind != LAB_OP_POOL_FREE && op->kind != LAB_OP_PINNED_POOL_FREE &&
            !order_memory_forget(&memory[space], op->object, op->object + op->bytes, NULL))
            order_give_up();
        if (space == ORDER_HOST) order_pages_open(op->object, op->object + op->bytes);
        order_allocations_end(space, op, identity);
    }
    order_leave();
    return status;
}

void order_memory_told(bool host, uint64_t address, const stream_identity *identity)
{
    if (!order_is_on()) return;
    order_enter();
    order_allocations_tell(host ? ORDER_HOST : ORDER_DEVICE, address, identity->id);
    order_leave();
}

/* A host access is over when the call returns, so it is not remembered: what this thread enqueues later comes after it,
 * and the checker does not judge order between host threads. */
lab_status order_host_access(const lab_trace_op *op)
{
    order_enter();
    const order_thread_view *self = order_thread_now();
    lab_status status = LAB_SUCCESS;
    if (self) {
        order_node node;
        order_node_set(&node, op, NULL);
        const order_site site = order_site_of(&node, order_next_operation());
        status = order_examine(&site, &node, self->known);
    }
    order_leave();
    return status;
}
