/* A warp's groups are disjoint, so that there are never more than lanes. Slots are by thread, frames by group. */
#include "split_apart.h"

#include <string.h>

static unsigned lowest(uint32_t lanes) { return (unsigned)__builtin_ctz(lanes); }

/* The set of `count` lanes from `first` on. */
static uint32_t lanes_from(unsigned first, unsigned count) { return (uint32_t)((UINT64_C(1) << count) - 1) << first; }

/* The number of neighbours in the set that begin with its lowest lane. */
static unsigned count_neighbours(uint32_t lanes)
{
    const uint64_t gap = ~((uint64_t)lanes >> lowest(lanes));
    return (unsigned)__builtin_ctzll(gap);
}

/* ---- groups ---- */

static unsigned char *frame_of(const split_apart *a, const split_warp *w, const split_group *g)
{
    return split_apart_frame(a->block, w->first / CPU_WARP_LANES) + g->frame * a->block->frame_bytes;
}

static bool waits_in_warp(const split_apart *a, const split_group *g)
{
    return g->waits && split_run_wait(a->block, g->region) >= CPU_WAIT_SYNCWARP;
}

static void add_group(split_apart *a, split_warp *w, unsigned region, bool waits, uint32_t lanes,
                      const unsigned char *frame)
{
    split_group *made = &w->group[w->groups++];
    *made = (split_group){region, waits, made->frame, lanes};
    memmove(frame_of(a, w, made), frame, a->block->frame_bytes);
}

static void remove_group(split_warp *w, split_group *g)
{
    const split_group removed = *g;
    *g = w->group[--w->groups];
    w->group[w->groups] = removed; /* its frame stays in the array */
}

/* A group that has come to where another one is becomes part of that. */
static void join(split_apart *a, split_warp *w, split_group *g)
{
    for (split_group *other = w->group; other < w->group + w->groups; other++) {
        if (other == g || other->region != g->region || other->waits != g->waits ||
            memcmp(frame_of(a, w, other), frame_of(a, w, g), a->block->frame_bytes) != 0)
            continue;
        other->lanes |= g->lanes;
        remove_group(w, g);
        return;
    }
}

/* ---- running ---- */

/* The lanes of the set that go where its lowest one goes. */
static uint32_t find_same_way(const unsigned char *next, uint32_t lanes)
{
    uint32_t same = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        same |= (uint32_t)(next[lowest(left)] == next[lowest(lanes)]) << lowest(left);
    return same;
}

static void run_lanes(split_apart *a, const split_warp *w, const split_group *g, const unsigned char *frame)
{
    for (uint32_t left = g->lanes; left;) {
        const unsigned lane = lowest(left), count = count_neighbours(left), first = w->first + lane;
        split_run_threads(a->block, g->region, frame, frame_of(a, w, g), first, first + count);
        left &= ~lanes_from(lane, count);
    }
}

static void run_shuffled_lanes(split_apart *a, const split_warp *w, const split_group *g, const unsigned char *frame)
{
    for (uint32_t left = g->lanes; left;) {
        const unsigned lane = thread_order_first_lane(&a->order, left), t = w->first + lane;
        split_run_threads(a->block, g->region, frame, frame_of(a, w, g), t, t + 1);
        left &= ~lanes_from(lane, 1);
    }
}

/* Runs the region of a group. Returns the lanes that go where the lowest one goes. */
static uint32_t run_region(split_apart *a, const split_warp *w, const split_group *g)
{
    const unsigned char *next = split_run_slots(a->block)->next + w->first;
    const unsigned lane = lowest(g->lanes), count = count_neighbours(g->lanes), first = w->first + lane;
    unsigned char *frame = frame_of(a, w, g);
    if (!a->block->shuffle_seed && g->lanes == lanes_from(lane, count)) {
        const unsigned all = split_run_threads(a->block, g->region, frame, frame, first, first + count);
        return all != CPU_SPLIT_APART ? g->lanes : find_same_way(next, g->lanes);
    }
    const unsigned char *before = memcpy(split_run_frame(a->block, SPLIT_SPARE_FRAME), frame, a->block->frame_bytes);
    (a->block->shuffle_seed ? run_shuffled_lanes : run_lanes)(a, w, g, before);
    return find_same_way(next, g->lanes);
}

/* A lane outside its own mask can never go on. */
static bool check_masks(const split_apart *a, const split_warp *w, const split_group *g)
{
    const unsigned *mask = split_run_slots(a->block)->mask + w->first;
    for (uint32_t left = g->lanes; left; left &= left - 1) {
        const unsigned lane = lowest(left);
        if (mask[lane] >> lane & 1) continue;
        const kernel_place place = split_run_place(a->block, g->region);
        kernel_error_outside_mask(a->block->error, a->block->kernel, a->block->launch, a->block->block, w->first + lane,
                                  mask[lane], &place);
        return false;
    }
    return true;
}

static void tell_exits(const split_apart *a, const split_warp *w, uint32_t lanes)
{
    const kernel_watch *watch = a->block->watch;
    for (; watch && watch->exited && lanes; lanes &= lanes - 1) watch->exited(watch->user, w->first + lowest(lanes));
}

/* All lanes of the group have come to the end of its region and go on with the same one. */
static bool arrive(split_apart *a, split_warp *w, split_group *g)
{
    g->region = split_run_slots(a->block)->next[w->first + lowest(g->lanes)];
    if (g->region == CPU_SPLIT_EXITED) {
        w->living &= ~g->lanes;
        tell_exits(a, w, g->lanes);
        remove_group(w, g);
        return true;
    }
    g->waits = split_run_waits(a->block, g->region);
    if (waits_in_warp(a, g) && split_run_wait(a->block, g->region) != CPU_WAIT_ACTIVEMASK && !check_masks(a, w, g))
        return false;
    join(a, w, g);
    return true;
}

static bool step(split_apart *a, split_warp *w, split_group *g)
{
    const unsigned char *next = split_run_slots(a->block)->next + w->first;
    const uint32_t lanes = g->lanes, same = run_region(a, w, g);
    uint32_t left = lanes & ~same;
    g->lanes = same;
    const split_group at_end = *g; /* its frame keeps its content when the group goes on */
    const unsigned char *frame = frame_of(a, w, &at_end);
    if (!arrive(a, w, g)) return false;
    while (left) {
        const uint32_t others = find_same_way(next, left);
        left &= ~others;
        add_group(a, w, at_end.region, at_end.waits, others, frame);
        if (!arrive(a, w, &w->group[w->groups - 1])) return false;
    }
    return true;
}

static split_group *find_running(split_warp *w)
{
    for (split_group *g = w->group; g < w->group + w->groups; g++)
        if (!g->waits) return g;
    return NULL;
}

/* ---- warp functions ---- */

/* The requests of the lanes that wait at warp functions, those of __activemask apart. */
typedef struct requests {
    uint32_t waiting, asking;
    unsigned kind[CPU_WARP_LANES], line[CPU_WARP_LANES];
} requests;

static void find_requests(requests *r, const split_apart *a, const split_warp *w)
{
    r->waiting = r->asking = 0;
    for (const split_group *g = w->group; g < w->group + w->groups; g++) {
        const cpu_split_place *place = &a->block->split->place[g->region];
        if (!waits_in_warp(a, g)) continue;
        for (uint32_t left = g->lanes; left; left &= left - 1) {
            r->kind[lowest(left)] = place->kind;
            r->line[lowest(left)] = place->line;
        }
        *(place->kind == CPU_WAIT_ACTIVEMASK ? &r->asking : &r->waiting) |= g->lanes;
    }
}

/* The lanes that take part in the operation at which a lane waits: those of its mask that have not exited. 0 if one of
 * them does not wait at the same operation with the same mask. */
static uint32_t find_members(const split_apart *a, const split_warp *w, const requests *r, unsigned lane)
{
    const unsigned *mask = split_run_slots(a->block)->mask + w->first;
    const uint32_t members = mask[lane] & w->living;
    if (members & ~r->waiting) return 0;
    for (uint32_t left = members; left; left &= left - 1)
        if (r->kind[lowest(left)] != r->kind[lane] || mask[lowest(left)] != mask[lane]) return 0;
    return members;
}

/* Tells the watch of an operation of the members, which wait. */
static void tell_operation(const split_apart *a, const split_warp *w, uint32_t members)
{
    cpu_wait request[CPU_WARP_LANES], *wait[CPU_WARP_LANES] = {NULL};
    const cpu_split_slots *slots = split_run_slots(a->block);
    for (const split_group *g = w->group; g < w->group + w->groups; g++) {
        const cpu_split_place *place = &a->block->split->place[g->region];
        for (uint32_t left = waits_in_warp(a, g) ? g->lanes & members : 0; left; left &= left - 1) {
            const unsigned lane = lowest(left), t = w->first + lane;
            request[lane] = (cpu_wait){(cpu_wait_kind)place->kind, place->file,     place->line,     slots->mask[t],
                                       slots->argument[t],         slots->width[t], slots->value[t], slots->result[t]};
            wait[lane] = &request[lane];
        }
    }
    a->block->watch->warp(a->block->watch->user, w->first / CPU_WARP_LANES, members, wait);
}

/* Gives the members their results, and lets them go on. */
static void finish(split_apart *a, split_warp *w, unsigned kind, uint32_t members)
{
    cpu_split_slots *slots = split_run_slots(a->block);
    const warp_operation operation = {(cpu_wait_kind)kind, slots->argument + w->first, slots->width + w->first,
                                      slots->value + w->first, slots->result + w->first};
    cpu_warp_complete(&operation, members);
    if (a->block->watch && a->block->watch->warp) tell_operation(a, w, members);
    for (int i = w->groups - 1; i >= 0; i--) {
        split_group *g = &w->group[i];
        const uint32_t released = g->lanes & members;
        if (!released || !waits_in_warp(a, g)) continue;
        const uint32_t left = g->lanes & ~members;
        if (left) add_group(a, w, g->region, g->waits, left, frame_of(a, w, g));
        g->lanes = released;
        g->waits = false;
    }
}

/* Completes what lanes of the warp wait for, now that none can run. Returns whether some go on. */
static bool complete_operations(split_apart *a, split_warp *w)
{
    requests r;
    bool any = false;
    find_requests(&r, a, w);
    for (uint32_t left = r.waiting; left;) {
        const unsigned lane = lowest(left);
        const uint32_t members = find_members(a, w, &r, lane);
        if (members) finish(a, w, r.kind[lane], members);
        any = any || members;
        left &= ~(members | lanes_from(lane, 1));
    }
    if (any) return true;
    while (r.asking) { /* __activemask names the lanes that came to the same line */
        uint32_t together = 0;
        for (uint32_t left = r.asking; left; left &= left - 1)
            together |= (uint32_t)(r.line[lowest(left)] == r.line[lowest(r.asking)]) << lowest(left);
        r.asking &= ~together;
        finish(a, w, CPU_WAIT_ACTIVEMASK, together);
        any = true;
    }
    return any;
}

/* Runs a warp until none of its lanes can go on. */
static bool run_warp(split_apart *a, split_warp *w)
{
    for (;;) {
        split_group *g = find_running(w);
        if (g ? !step(a, w, g) : !complete_operations(a, w)) return !g;
    }
}

/* ---- the block ---- */

static bool fail_stuck(const split_apart *a, const char *what)
{
    kernel_place place[SPLIT_MOST_WARPS * CPU_WARP_LANES] = {{0}};
    for (const split_warp *w = a->warp; w < a->warp + a->warps; w++)
        for (const split_group *g = w->group; g < w->group + w->groups; g++)
            for (uint32_t left = g->lanes; left; left &= left - 1)
                place[w->first + lowest(left)] = split_run_place(a->block, g->region);
    const split_run *block = a->block;
    kernel_error_stuck(block->error, block->kernel, block->block, what, place, block->threads);
    return false;
}

/* The barrier at which threads wait. */
typedef struct barrier {
    kernel_place place;
    unsigned threads, predicates; /* that have come, that came with a predicate other than 0 */
    bool different;               /* they wait at more than one place */
} barrier;

/* False if a thread waits in its warp. */
static bool find_barrier(barrier *b, const split_apart *a)
{
    *b = (barrier){0};
    for (const split_warp *w = a->warp; w < a->warp + a->warps; w++)
        for (const split_group *g = w->group; g < w->group + w->groups; g++) {
            const kernel_place place = split_run_place(a->block, g->region);
            if (waits_in_warp(a, g)) return false;
            if (b->threads == 0) b->place = place;
            b->different = b->different || !kernel_place_equal(&b->place, &place);
            b->threads += (unsigned)__builtin_popcount(g->lanes);
            for (uint32_t left = g->lanes; left; left &= left - 1)
                b->predicates += split_run_slots(a->block)->predicate[w->first + lowest(left)];
        }
    return true;
}

/* Groups that have come different ways, such as more and fewer rounds of a loop, are one from here on if they have
 * nothing left in which they differ. */
static void pass_barrier(split_apart *a, const barrier *b)
{
    for (split_warp *w = a->warp; w < a->warp + a->warps; w++) {
        for (split_group *g = w->group; g < w->group + w->groups; g++) {
            split_run_set_result(frame_of(a, w, g), b->place.kind, b->threads, b->predicates);
            split_run_clear(a->block, g->region, frame_of(a, w, g));
            g->waits = false;
        }
        for (int i = w->groups - 1; i > 0; i--) join(a, w, &w->group[i]);
    }
    if (a->block->shuffle_seed) thread_order_pass_barrier(&a->order);
    if (b->threads && a->block->watch) a->block->watch->barrier(a->block->watch->user, &b->place);
}

/* The lanes with which the warp began. */
static uint32_t all_lanes(const split_apart *a, const split_warp *w)
{
    const unsigned left = a->block->threads - w->first;
    return lanes_from(0, left < CPU_WARP_LANES ? left : CPU_WARP_LANES);
}

static void begin_warp(split_apart *a, unsigned number)
{
    split_warp *w = &a->warp[number];
    w->first = number * CPU_WARP_LANES;
    w->living = all_lanes(a, w);
    w->groups = 0;
}

/* The threads of a warp go where their slots say, in one group for each way. */
static bool go_on(split_apart *a, split_warp *w, const unsigned char *frame)
{
    const unsigned char *next = split_run_slots(a->block)->next + w->first;
    for (uint32_t lanes = w->living, same; lanes; lanes &= ~same) {
        same = find_same_way(next, lanes);
        add_group(a, w, 0, false, same, frame);
        if (!arrive(a, w, &w->group[w->groups - 1])) return false;
    }
    return true;
}

static split_warp *warp_in_turn(split_apart *a, unsigned i)
{
    return &a->warp[a->block->shuffle_seed ? a->order.warp[i] : i];
}

/* Runs all warps to the next barrier and through it. Then, or at their end, b->threads says how many have come. */
static bool run_to_barrier(split_apart *a, barrier *b)
{
    for (unsigned i = 0; i < a->warps; i++)
        if (!run_warp(a, warp_in_turn(a, i))) return false;
    if (!find_barrier(b, a)) return fail_stuck(a, KERNEL_NONE_CAN_GO_ON);
    if (b->different) return fail_stuck(a, KERNEL_AT_DIFFERENT_BARRIERS);
    pass_barrier(a, b);
    return true;
}

/* Whether each warp is one group with all the lanes that it began with, at the same place; and, if all threads are to
 * have one frame, with the same. */
static bool are_together(const split_apart *a, bool have_one_frame)
{
    const split_warp *first = a->warp;
    for (const split_warp *w = first; w < first + a->warps; w++) {
        if (w->groups != 1 || w->group->lanes != all_lanes(a, w) || w->group->region != first->group->region)
            return false;
        if (have_one_frame &&
            memcmp(frame_of(a, w, w->group), frame_of(a, first, first->group), a->block->frame_bytes) != 0)
            return false;
    }
    return true;
}

static void begin_block(split_apart *a, split_run *block)
{
    a->block = block;
    a->warps = (block->threads + CPU_WARP_LANES - 1) / CPU_WARP_LANES;
    if (block->shuffle_seed) thread_order_begin(&a->order, *block->shuffle_seed, block->number, block->threads);
    for (unsigned i = 0; i < a->warps; i++) begin_warp(a, i);
}

bool split_apart_run(split_apart *a, split_run *block, const unsigned char *frame)
{
    begin_block(a, block);
    for (unsigned i = 0; i < a->warps; i++) add_group(a, &a->warp[i], 0, false, a->warp[i].living, frame);
    barrier b = {.threads = block->threads};
    while (b.threads > 0)
        if (!run_to_barrier(a, &b)) return false;
    return true;
}

bool split_apart_go_on(split_apart *a, split_run *block, unsigned char *frame, unsigned *region)
{
    begin_block(a, block);
    for (unsigned i = 0; i < a->warps; i++)
        if (!go_on(a, &a->warp[i], frame ? frame : split_apart_frame(block, i))) return false;
    barrier b;
    do
        if (!run_to_barrier(a, &b)) return false;
    while (b.threads > 0 && !are_together(a, frame));
    *region = b.threads > 0 ? a->warp->group->region : (unsigned)CPU_SPLIT_EXITED;
    if (b.threads == 0) return true;
    if (frame) memcpy(frame, frame_of(a, a->warp, a->warp->group), block->frame_bytes);
    for (const split_warp *w = a->warp; w < a->warp + a->warps && !frame; w++)
        memmove(split_apart_frame(block, w->first / CPU_WARP_LANES), frame_of(a, w, w->group), block->frame_bytes);
    return true;
}

void split_apart_prepare(split_apart *a)
{
    for (split_warp *w = a->warp; w < a->warp + SPLIT_MOST_WARPS; w++)
        for (unsigned i = 0; i < SPLIT_MOST_GROUPS; i++) w->group[i].frame = i;
}
