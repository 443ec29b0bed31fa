/*
 * Unfinished operations are in one list, each behind those it waits for. One walk along the list therefore finds all
 * that wait for an operation, and one walk back all that it waits for.
 *
 * The adversarial choice looks for an operation that can run now and brings a goal nearer, the goal being what the host
 * waits for:
 *   - A goal that waits for others is replaced by the latest of those that can run, now and then by any of them.
 *   - A goal that can run is put off behind its rivals: later operations that touch the same memory and do not wait for
 *     it. Each rival is a goal in its turn, and whatever leads to it runs first.
 *   - A rival may have a second use of its memory behind it that waits for the goal, and not for the rival. Only one of
 *     the two uses can come on the wrong side of the rival: the seed chooses which.
 *   - Then the goal is put off behind overtaken operations that touch the same memory. They write too late, over what a
 *     later operation has written, and just before the goal uses it. Those that spoil memory count as overtaken.
 *   - Otherwise the goal runs, unless a later goal that is still sought is its rival: the goal would then come
 *     first, in the order that the program expects. If that leaves no operation to run, the choice is made again
 *     without this exception.
 * A choice takes each operation for a goal at most once, so it ends.
 */
#include "schedule.h"

#include "schedule_setting.h"

enum {
    MOST_PARTS = 1024, /* of a kernel: its blocks run in at most that many runs of neighbours */
    LEAST_TEARS = 5,   /* of a copy or a fill */
    MOST_TEARS = 7,
    WHOLE_ONE_IN = 2,       /* operations that are run in one go, if they need not be */
    ANY_INSTEAD_ONE_IN = 8, /* choices of any operation that can run rather than the latest */
    BEHIND_ONE_IN = 2,      /* operations between two uses that are put behind both */
    MEANT_LATER_ONE_IN = 2, /* first records of an event behind a wait, whose stream then counts as later */
};

static struct unfinished {
    cpu_op *oldest, *youngest;
    int pending;         /* operations in the list, without markers */
    unsigned precedings; /* the number of the latest search for what precedes an operation, */
    unsigned followings; /* and for what follows one */
    unsigned choice;     /* the number of the latest choice */
    uint64_t numbers;    /* of operations that were put in the list */
} unfinished;

/* ---- The list ---- */

static bool is_marker(const cpu_op *op) { return op->queue == CPU_QUEUE_NONE || op->queue == CPU_QUEUE_GROUP; }

/* Links the operation behind another one; NULL: at the beginning. */
static void link_after(cpu_op *op, cpu_op *earlier)
{
    cpu_op *later = earlier ? earlier->entry->later : unfinished.oldest;
    op->entry->earlier = earlier;
    op->entry->later = later;
    *(earlier ? &earlier->entry->later : &unfinished.oldest) = op;
    *(later ? &later->entry->earlier : &unfinished.youngest) = op;
}

static void unlink_op(const cpu_op *op)
{
    const cpu_schedule_entry *entry = op->entry;
    *(entry->earlier ? &entry->earlier->entry->later : &unfinished.oldest) = entry->later;
    *(entry->later ? &entry->later->entry->earlier : &unfinished.youngest) = entry->earlier;
}

/* Puts the operation in the list behind another one; NULL: at the beginning. */
static void insert_after(cpu_op *op, cpu_op *earlier)
{
    cpu_schedule_entry *entry = op->entry;
    link_after(op, earlier);
    entry->listed = true;
    entry->ready = entry->running = entry->placed = entry->behind = false;
    entry->overtaken = entry->spoils;
    entry->parts_started = entry->parts.count = 0;
    if (!is_marker(op)) unfinished.pending++;
}

void cpu_schedule_add(cpu_op *op)
{
    op->entry->number = ++unfinished.numbers;
    insert_after(op, unfinished.youngest);
}

uint64_t cpu_schedule_last_number(void) { return unfinished.numbers; }

void cpu_schedule_add_member(cpu_op *member, cpu_op *launch) { insert_after(member, launch->entry->earlier); }

int cpu_schedule_pending(void) { return unfinished.pending; }

/* ---- What waits for what ---- */

/* Members of a group lead to its launch. */
static cpu_op *launch_of(const cpu_op *op)
{
    return op->group && op->queue != CPU_QUEUE_GROUP ? op->group->launch : NULL;
}

/* By the latest search. */
static bool precedes(const cpu_op *op) { return op->entry->precedes == unfinished.precedings; }
static bool follows(const cpu_op *op) { return op->entry->follows == unfinished.followings; }

/* Searches for all that the operation waits for; it counts too. */
static void mark_preceding(cpu_op *last)
{
    const unsigned search = ++unfinished.precedings;
    last->entry->precedes = search;
    for (cpu_op *op = last->entry->earlier; op; op = op->entry->earlier) {
        const cpu_op *launch = launch_of(op);
        bool found = launch && precedes(launch);
        for (int i = 0; i < op->dependents && !found; i++) found = precedes(op->dependent[i]);
        if (found) op->entry->precedes = search;
    }
}

/* Searches for all that wait for the operation; it counts too. */
static void mark_following(cpu_op *first)
{
    const unsigned search = ++unfinished.followings;
    first->entry->follows = search;
    for (cpu_op *op = first; op; op = op->entry->later) {
        if (!follows(op)) continue;
        cpu_op *launch = launch_of(op);
        if (launch) launch->entry->follows = search;
        for (int i = 0; i < op->dependents; i++) op->dependent[i]->entry->follows = search;
    }
}

/* ---- Records that come late ---- */

static cpu_op *find_enqueued_since(const void *stream, uint64_t number)
{
    for (cpu_op *op = unfinished.oldest; op; op = op->entry->later)
        if (op->entry->stream == stream && op->entry->number > number) return op;
    return NULL;
}

/* Operations that follow another one stay behind it: all of them move, in their order. */
void cpu_schedule_note_late_record(const cpu_op *record, const void *stream, uint64_t last_number)
{
    cpu_op *first = cpu_schedule_is_adversarial() ? find_enqueued_since(stream, last_number) : NULL;
    if (!first || cpu_schedule_random(MEANT_LATER_ONE_IN)) return;
    mark_following(first);
    if (follows(record)) return;
    const cpu_op *end = unfinished.youngest;
    for (cpu_op *op = first, *next;; op = next) {
        next = op->entry->later;
        const bool is_end = op == end;
        if (follows(op)) {
            unlink_op(op);
            link_after(op, unfinished.youngest);
        }
        if (is_end) break;
    }
}

/* ---- What touches the same memory ---- */

static bool touches_clash(const cpu_touch *one, const cpu_touch *other)
{
    return (one->writes || other->writes) && one->first <= other->last && other->first <= one->last;
}

/* A host function may touch all memory of the host. */
static bool touches_host(const cpu_op *op)
{
    for (int i = 0; i < op->entry->touches; i++)
        if (op->entry->touch[i].host) return true;
    return op->queue == CPU_QUEUE_HOST;
}

static bool clash(const cpu_op *one, const cpu_op *other)
{
    if (one->queue == CPU_QUEUE_GROUP) {
        for (int i = 0; i < one->group->members; i++)
            if (clash(one->group->member[i], other)) return true;
        return false;
    }
    if (other->queue == CPU_QUEUE_GROUP) return clash(other, one);
    if (one->queue == CPU_QUEUE_HOST || other->queue == CPU_QUEUE_HOST) return touches_host(one) && touches_host(other);
    for (int i = 0; i < one->entry->touches; i++)
        for (int j = 0; j < other->entry->touches; j++)
            if (touches_clash(&one->entry->touch[i], &other->entry->touch[j])) return true;
    return false;
}

/* Whether the later operation clashes with the one that only luck puts before it: the latest search found what follows
 * that one. */
static bool is_rival(const cpu_op *later, const cpu_op *op)
{
    return !op->entry->overtaken && !later->entry->behind && !follows(later) && clash(later, op);
}

/* Whether the operation writes memory, not only by a guess, that the other touches. */
static bool writes_for(const cpu_op *op, const cpu_op *other)
{
    for (int i = 0; i < op->entry->touches; i++) {
        const cpu_touch *touch = &op->entry->touch[i];
        if (!touch->writes || touch->guessed) continue;
        if (touch->host && other->queue == CPU_QUEUE_HOST) return true;
        for (int j = 0; j < other->entry->touches; j++)
            if (touches_clash(touch, &other->entry->touch[j])) return true;
    }
    return false;
}

/* Whether an operation behind the rival uses what it writes and waits for the goal, but not for the rival: the latest
 * search found what follows the goal. */
static bool is_between(const cpu_op *rival)
{
    for (cpu_op *use = rival->entry->later; use; use = use->entry->later) {
        if (!follows(use) || !writes_for(rival, use)) continue;
        mark_preceding(use);
        if (!precedes(rival)) return true;
    }
    return false;
}

/* Searches for all that wait for the goal, and places the rivals that belong between it and a later use. */
static void mark_rivals(cpu_op *goal)
{
    mark_following(goal);
    for (cpu_op *op = goal->entry->later; op; op = op->entry->later) {
        if (op->entry->placed || !is_rival(op, goal) || !is_between(op)) continue;
        op->entry->placed = true;
        op->entry->behind = cpu_schedule_random(BEHIND_ONE_IN) == 0;
    }
}

static bool write_the_same(const cpu_op *one, const cpu_op *other)
{
    for (int i = 0; i < one->entry->touches; i++)
        for (int j = 0; j < other->entry->touches; j++)
            if (one->entry->touch[i].writes && other->entry->touch[j].writes &&
                touches_clash(&one->entry->touch[i], &other->entry->touch[j]))
                return true;
    return false;
}

/* A later writer is done: what earlier ones write from now on is wrong, and the next reader is to see it. */
static void note_overtaken(const cpu_op *writer)
{
    for (cpu_op *op = writer->entry->earlier; op; op = op->entry->earlier)
        if (write_the_same(op, writer)) op->entry->overtaken = true;
}

void cpu_schedule_remove(cpu_op *op)
{
    cpu_schedule_entry *entry = op->entry;
    if (!entry->listed) return;
    if (cpu_schedule_is_adversarial()) note_overtaken(op);
    unlink_op(op);
    entry->listed = entry->ready = false;
    if (!is_marker(op)) unfinished.pending--;
}

/* ---- Choosing: see the top of the file ---- */

static bool can_run(const cpu_op *op) { return op->entry->ready && !op->entry->running; }

/* Of the wanted operations from `first` on that this choice has not visited: any if asked, else the last one. */
static cpu_op *pick(cpu_op *first, bool (*is_wanted)(const cpu_op *, const cpu_op *), const cpu_op *goal, bool any)
{
    uint64_t count = 0;
    cpu_op *picked = NULL;
    for (cpu_op *op = first; op; op = op->entry->later)
        if (op->entry->visited != unfinished.choice && is_wanted(op, goal) &&
            (!any || cpu_schedule_random(++count) == 0))
            picked = op;
    return picked;
}

static bool can_run_before(const cpu_op *op, const cpu_op *goal) { return op != goal && precedes(op) && can_run(op); }

static bool can_run_at_all(const cpu_op *op, const cpu_op *unused)
{
    (void)unused;
    return can_run(op);
}

static bool is_overtaken_rival(const cpu_op *op, const cpu_op *goal)
{
    return op->entry->overtaken && op != goal && clash(op, goal);
}

static cpu_op *next_preceding(cpu_op *goal)
{
    const bool any = cpu_schedule_random(ANY_INSTEAD_ONE_IN) == 0;
    mark_preceding(goal);
    return pick(unfinished.oldest, can_run_before, goal, any);
}

static cpu_op *next_rival(cpu_op *goal)
{
    mark_rivals(goal);
    return pick(goal->entry->later, is_rival, goal, cpu_schedule_random(2));
}

static cpu_op *next_overtaken(cpu_op *goal)
{
    return pick(unfinished.oldest, is_overtaken_rival, goal, cpu_schedule_random(2));
}

/* Whether a later goal that is still sought is a rival of this one. */
static bool is_early(cpu_op *goal)
{
    mark_rivals(goal);
    for (const cpu_op *op = goal->entry->later; op; op = op->entry->later)
        if (op->entry->sought && is_rival(op, goal)) return true;
    return false;
}

static cpu_op *seek(cpu_op *goal, bool may_be_early);

/* Takes one operation after another for the goal, until one of them leads to an operation that can run. */
static cpu_op *seek_each(cpu_op *(*next)(cpu_op *), cpu_op *goal, bool may_be_early)
{
    for (cpu_op *other; (other = next(goal));) {
        cpu_op *chosen = seek(other, may_be_early);
        if (chosen) return chosen;
    }
    return NULL;
}

/* The operation to run now for the goal; NULL if there is none. */
static cpu_op *seek(cpu_op *goal, bool may_be_early)
{
    cpu_op *chosen = NULL;
    goal->entry->visited = unfinished.choice;
    goal->entry->sought = true;
    if (can_run(goal)) {
        chosen = seek_each(next_rival, goal, may_be_early);
        if (!chosen) chosen = seek_each(next_overtaken, goal, may_be_early);
        if (!chosen && (may_be_early || !is_early(goal))) chosen = goal;
    } else {
        chosen = seek_each(next_preceding, goal, may_be_early);
    }
    goal->entry->sought = false;
    return chosen;
}

/* For the target; without one, for the latest operation, else for the one before it, and so on. */
static cpu_op *choose_unkindly(cpu_op *target, bool may_be_early)
{
    unfinished.choice++;
    if (target) return seek(target, may_be_early);
    cpu_op *chosen = NULL;
    for (cpu_op *op = unfinished.youngest; op && !chosen; op = op->entry->earlier)
        if (op->entry->visited != unfinished.choice) chosen = seek(op, may_be_early);
    return chosen;
}

cpu_op *cpu_schedule_choose(cpu_op *target)
{
    cpu_op *chosen;
    switch (cpu_schedule_now()) {
    case CPU_SCHEDULE_ADVERSARIAL:
        chosen = choose_unkindly(target, false);
        return chosen ? chosen : choose_unkindly(target, true);
    case CPU_SCHEDULE_RANDOM: unfinished.choice++; return pick(unfinished.oldest, can_run_at_all, NULL, true);
    default: break;
    }
    for (cpu_op *op = unfinished.oldest; op; op = op->entry->later)
        if (can_run(op)) return op;
    return NULL;
}

cpu_op *cpu_schedule_choose_beside(const cpu_op *op, cpu_op *target)
{
    if (!cpu_schedule_is_adversarial() || cpu_schedule_random(2)) return NULL;
    op->entry->visited = ++unfinished.choice;
    mark_preceding(target);
    cpu_op *beside = pick(unfinished.oldest, can_run_before, target, true);
    if (!beside) return NULL;
    unfinished.choice++;
    mark_following(beside);
    const bool has_rival = pick(beside->entry->later, is_rival, beside, false);
    return has_rival || pick(unfinished.oldest, is_overtaken_rival, beside, false) ? NULL : beside;
}

bool cpu_schedule_is_held(cpu_op *target)
{
    mark_preceding(target);
    for (const cpu_op *op = unfinished.oldest; op; op = op->entry->later)
        if (op->entry->running && precedes(op)) return true;
    return false;
}

bool cpu_schedule_has_running_rival(cpu_op *op)
{
    if (!cpu_schedule_is_adversarial()) return false;
    mark_following(op);
    for (const cpu_op *later = op->entry->later; later; later = later->entry->later)
        if (later->entry->running && is_rival(later, op)) return true;
    return false;
}

/* ---- In parts ---- */

/* The number of pieces in which a copy or fill is run: enough that neither the first nor the last piece is run last. */
static uint64_t choose_tears(uint64_t bytes)
{
    const uint64_t most = bytes < MOST_TEARS ? bytes : MOST_TEARS, least = most < LEAST_TEARS ? most : LEAST_TEARS;
    return least + cpu_schedule_random(most - least + 1);
}

static void divide(cpu_op *op)
{
    const bool shuffles = cpu_schedule_now() != CPU_SCHEDULE_FIFO;
    if (op->bytes) op->blocks = shuffles ? choose_tears(op->bytes) : 1;
    const uint64_t parts = op->blocks < MOST_PARTS ? op->blocks : MOST_PARTS;
    op->entry->parts = (shuffle){.count = parts, .step = 1};
    if (!shuffles) return;
    const uint64_t step_chance = cpu_schedule_random(parts), first_chance = cpu_schedule_random(parts);
    op->entry->parts = shuffle_make(parts, step_chance, first_chance, 0);
}

uint64_t cpu_schedule_parts_left(const cpu_op *op) { return op->entry->parts.count - op->entry->parts_started; }

uint64_t cpu_schedule_parts(cpu_op *op)
{
    if (op->entry->parts_started == 0) divide(op);
    const uint64_t left = cpu_schedule_parts_left(op);
    if (cpu_schedule_now() == CPU_SCHEDULE_FIFO || cpu_schedule_random(WHOLE_ONE_IN) == 0) return left;
    return 1 + cpu_schedule_random(left);
}

void cpu_schedule_next_part(cpu_op *op, uint64_t *first, uint64_t *count)
{
    const shuffle *parts = &op->entry->parts;
    const uint64_t part = shuffle_at(parts, op->entry->parts_started++);
    const uint64_t least = op->blocks / parts->count, longer = op->blocks % parts->count;
    *first = least * part + (part < longer ? part : longer);
    *count = least + (part < longer);
}
