/* Choosing among the operations that are not done. They are in one list, each behind those it waits for, so that one walk
 * along the list finds all that wait for an operation, and one walk back all that it waits for. */
#include "schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_PARTS = 1024, /* of a kernel: its blocks run in as many runs of neighbours, at most */
    LEAST_TEARS = 5,   /* of a copy or a fill */
    MOST_TEARS = 7,
    WHOLE_ONE_IN = 2,       /* operations that are run in one go, if they need not be */
    ANY_INSTEAD_ONE_IN = 8, /* choices of any that is ready rather than the latest */
};

static cpu_schedule schedule;
static uint64_t seed, state;
static cpu_op *oldest, *youngest;
static int pending; /* operations in the list that are more than markers */
static unsigned searches, choices;
static bool refuses; /* this choice may leave ready operations out, to come after what it seeks */

cpu_schedule cpu_schedule_now(void) { return schedule; }

bool cpu_schedule_is_on(void) { return schedule != CPU_SCHEDULE_CONCURRENT; }

bool cpu_schedule_is_adversarial(void) { return schedule == CPU_SCHEDULE_ADVERSARIAL; }

/* The rest of the wish if it begins with the word; else NULL. */
static const char *after(const char *wish, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(wish, word, length) == 0 ? wish + length : NULL;
}

static bool read_seed(uint64_t *to, const char *text)
{
    if (text[0] < '0' || text[0] > '9') return false;
    char *end;
    errno = 0;
    *to = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

static void begin(cpu_schedule wanted, uint64_t number)
{
    cpu_engine_lock();
    if (schedule != wanted) schedule = wanted; /* it is read without the lock, but changes before there are threads */
    seed = state = number;
    cpu_engine_unlock();
}

lab_status cpu_schedule_open(void)
{
    static const char *const word[] = {
        [CPU_SCHEDULE_CONCURRENT] = "concurrent",
        [CPU_SCHEDULE_FIFO] = "fifo",
        [CPU_SCHEDULE_RANDOM] = "random:",
        [CPU_SCHEDULE_ADVERSARIAL] = "adversarial:",
    };
    const char *wish = getenv("LAB_SCHEDULE");
    if (!wish || !*wish) wish = word[CPU_SCHEDULE_CONCURRENT];
    for (cpu_schedule each = CPU_SCHEDULE_CONCURRENT; each <= CPU_SCHEDULE_ADVERSARIAL; each++) {
        const char *rest = after(wish, word[each]);
        uint64_t number = 0;
        if (!rest || (each >= CPU_SCHEDULE_RANDOM ? !read_seed(&number, rest) : *rest != '\0')) continue;
        begin(each, number);
        return LAB_SUCCESS;
    }
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "LAB_SCHEDULE=%s is no schedule; use concurrent, fifo, random:SEED or adversarial:SEED, where SEED "
                    "is a number such as 1",
                    wish);
}

/* ---- Chance: splitmix64 ---- */

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

uint64_t cpu_schedule_random(uint64_t limit)
{
    state += UINT64_C(0x9e3779b97f4a7c15);
    return mix(state) % limit;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A number that has no divisor in common with `count`, so that its multiples come by every one of them. */
static uint64_t step_through(uint64_t count, uint64_t chance)
{
    uint64_t step = 1 + chance % count;
    while (common_divisor(step, count) != 1) step++;
    return step;
}

/* Whether the order begins or ends with the number. */
static bool is_at_an_end(uint64_t number, uint64_t factor, uint64_t offset, uint64_t count)
{
    return offset == number || (offset + (count - 1) * factor) % count == number;
}

/* Where an order begins: at a number that leaves the first and the last of all within it, not at its ends. Those two are
 * mostly the ones that write for all others or read from them: either way round, some others are then on the wrong side. Of
 * less than 5 not both can be within in any order; of two, the order takes turns. */
static uint64_t begin_within(uint64_t factor, uint64_t count, uint64_t chance, uint64_t turn)
{
    if (count == 2) return (chance ^ turn) % 2;
    uint64_t offset = chance % count;
    for (uint64_t tried = 0; tried < count; tried++, offset = (offset + 1) % count)
        if (!is_at_an_end(0, factor, offset, count) && (count < 5 || !is_at_an_end(count - 1, factor, offset, count)))
            break;
    return offset;
}

void cpu_schedule_shuffle(uint64_t *factor, uint64_t *offset, uint64_t turn, uint64_t threads)
{
    const uint64_t chance = mix(mix(seed) + turn);
    *factor = step_through(threads, chance);
    *offset = begin_within(*factor, threads, mix(threads == 2 ? seed : chance), turn);
}

/* ---- What is not done ---- */

void cpu_schedule_touches(cpu_op *op, cpu_touch touch)
{
    cpu_turn *turn = op->turn;
    if (turn && turn->touches < CPU_MOST_TOUCHES) turn->touch[turn->touches++] = touch;
}

static bool is_marker(const cpu_op *op) { return op->queue == CPU_QUEUE_NONE || op->queue == CPU_QUEUE_GROUP; }

/* Puts the operation behind another one; NULL: at the beginning. */
static void insert_after(cpu_op *op, cpu_op *earlier)
{
    cpu_op *later = earlier ? earlier->turn->later : oldest;
    op->turn->earlier = earlier;
    op->turn->later = later;
    *(earlier ? &earlier->turn->later : &oldest) = op;
    *(later ? &later->turn->earlier : &youngest) = op;
    op->turn->listed = true;
    op->turn->ready = op->turn->running = op->turn->overtaken = false;
    op->turn->at = op->turn->parts = 0;
    if (!is_marker(op)) pending++;
}

void cpu_schedule_add(cpu_op *op) { insert_after(op, youngest); }

/* Before its launch, which waits for it. */
void cpu_schedule_add_member(cpu_op *member, cpu_op *launch) { insert_after(member, launch->turn->earlier); }

int cpu_schedule_pending(void) { return pending; }

/* Members of a group lead to its launch. */
static cpu_op *launch_of(const cpu_op *op)
{
    return op->group && op->queue != CPU_QUEUE_GROUP ? op->group->launch : NULL;
}

static bool precedes(const cpu_op *op, unsigned search) { return op->turn->precedes == search; }

/* Marks all that the operation waits for; itself too. */
static unsigned mark_preceding(cpu_op *of)
{
    const unsigned search = ++searches;
    of->turn->precedes = search;
    for (cpu_op *op = of->turn->earlier; op; op = op->turn->earlier) {
        const cpu_op *launch = launch_of(op);
        bool found = launch && precedes(launch, search);
        for (int i = 0; i < op->dependents && !found; i++) found = precedes(op->dependent[i], search);
        if (found) op->turn->precedes = search;
    }
    return search;
}

/* Marks all that wait for the operation; itself too. */
static unsigned mark_following(cpu_op *of)
{
    const unsigned search = ++searches;
    of->turn->follows = search;
    for (cpu_op *op = of; op; op = op->turn->later) {
        if (op->turn->follows != search) continue;
        cpu_op *launch = launch_of(op);
        if (launch) launch->turn->follows = search;
        for (int i = 0; i < op->dependents; i++) op->dependent[i]->turn->follows = search;
    }
    return search;
}

/* ---- The same memory ---- */

static bool touches_clash(const cpu_touch *one, const cpu_touch *other)
{
    return (one->writes || other->writes) && one->first <= other->last && other->first <= one->last;
}

/* A host function may touch anything that is the host's. */
static bool touches_host(const cpu_op *op)
{
    for (int i = 0; i < op->turn->touches; i++)
        if (op->turn->touch[i].host) return true;
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
    for (int i = 0; i < one->turn->touches; i++)
        for (int j = 0; j < other->turn->touches; j++)
            if (touches_clash(&one->turn->touch[i], &other->turn->touch[j])) return true;
    return false;
}

/* Whether the later one clashes with what only luck puts before it; a search from that one has been made. */
static bool is_rival(const cpu_op *later, const cpu_op *of, unsigned search)
{
    return !of->turn->overtaken && later->turn->follows != search && clash(later, of);
}

static bool writes_the_same(const cpu_op *one, const cpu_op *other)
{
    for (int i = 0; i < one->turn->touches; i++)
        for (int j = 0; j < other->turn->touches; j++)
            if (one->turn->touch[i].writes && other->turn->touch[j].writes &&
                touches_clash(&one->turn->touch[i], &other->turn->touch[j]))
                return true;
    return false;
}

/* A later writer is done: what earlier ones write now is wrong, and to be seen as such by who reads next. */
static void note_overtaken(const cpu_op *by)
{
    for (cpu_op *op = by->turn->earlier; op; op = op->turn->earlier)
        if (writes_the_same(op, by)) op->turn->overtaken = true;
}

void cpu_schedule_remove(cpu_op *op)
{
    cpu_turn *turn = op->turn;
    if (!turn->listed) return;
    if (schedule == CPU_SCHEDULE_ADVERSARIAL) note_overtaken(op);
    *(turn->earlier ? &turn->earlier->turn->later : &oldest) = turn->later;
    *(turn->later ? &turn->later->turn->earlier : &youngest) = turn->earlier;
    turn->listed = turn->ready = false;
    if (!is_marker(op)) pending--;
}

/* ---- Choosing ---- */

static bool can_run(const cpu_op *op) { return op->turn->ready && !op->turn->running; }

/* Of the operations from `first` on that wanted() wants: now and then any, else the last one. */
static cpu_op *pick(cpu_op *first, bool (*wanted)(const cpu_op *, const cpu_op *, unsigned), const cpu_op *of,
                    unsigned search, bool any)
{
    uint64_t count = 0;
    cpu_op *picked = NULL;
    for (cpu_op *op = first; op; op = op->turn->later)
        if (op->turn->visited != choices && wanted(op, of, search) && (!any || cpu_schedule_random(++count) == 0))
            picked = op;
    return picked;
}

static bool wants_rival(const cpu_op *op, const cpu_op *of, unsigned search) { return is_rival(op, of, search); }

static bool wants_preceding(const cpu_op *op, const cpu_op *of, unsigned search)
{
    return op != of && precedes(op, search) && can_run(op);
}

static bool wants_ready(const cpu_op *op, const cpu_op *of, unsigned search)
{
    (void)of, (void)search;
    return can_run(op);
}

static cpu_op *choose_unkindly(cpu_op *target);

/* Before an operation runs, the later ones that clash with it do, as far as they can. */
static cpu_op *choose_rival(cpu_op *of)
{
    for (;;) {
        cpu_op *rival = pick(of->turn->later, wants_rival, of, mark_following(of), cpu_schedule_random(2));
        if (!rival) return NULL;
        cpu_op *chosen = choose_unkindly(rival);
        if (chosen) return chosen;
    }
}

static bool wants_overtaken(const cpu_op *op, const cpu_op *of, unsigned search)
{
    (void)search;
    return op->turn->overtaken && op != of && clash(op, of);
}

/* Those that come too late already, just in time for this one. */
static cpu_op *choose_overtaken(cpu_op *by)
{
    for (;;) {
        cpu_op *late = pick(oldest, wants_overtaken, by, 0, cpu_schedule_random(2));
        if (!late) return NULL;
        cpu_op *chosen = choose_unkindly(late);
        if (chosen) return chosen;
    }
}

/* An operation that can run; but none of those is wanted that are to come after what is sought. */
static cpu_op *choose_before(cpu_op *target)
{
    cpu_op *first = choose_rival(target);
    if (!first) first = choose_overtaken(target);
    if (first) return first;
    const unsigned search = mark_following(target);
    for (const cpu_op *op = target->turn->later; op && refuses; op = op->turn->later)
        if (op->turn->sought && is_rival(op, target, search)) return NULL;
    return target;
}

static cpu_op *choose_preceding(cpu_op *target)
{
    for (;;) {
        const bool any = cpu_schedule_random(ANY_INSTEAD_ONE_IN) == 0;
        cpu_op *preceding = pick(oldest, wants_preceding, target, mark_preceding(target), any);
        if (!preceding) return NULL;
        cpu_op *chosen = choose_unkindly(preceding);
        if (chosen) return chosen;
    }
}

static cpu_op *choose_unkindly(cpu_op *target)
{
    target->turn->visited = choices;
    target->turn->sought = true;
    cpu_op *chosen = can_run(target) ? choose_before(target) : choose_preceding(target);
    target->turn->sought = false;
    return chosen;
}

/* For the target, or of all: for the latest, else the one before it, ... */
static cpu_op *choose_for(cpu_op *target, bool may_refuse)
{
    choices++;
    refuses = may_refuse;
    cpu_op *chosen = target ? choose_unkindly(target) : NULL;
    for (cpu_op *op = youngest; op && !target && !chosen; op = op->turn->earlier)
        if (op->turn->visited != choices) chosen = choose_unkindly(op);
    return chosen;
}

cpu_op *cpu_schedule_choose(cpu_op *target)
{
    cpu_op *chosen;
    choices++;
    switch (schedule) {
    case CPU_SCHEDULE_ADVERSARIAL:
        chosen = choose_for(target, true);
        return chosen ? chosen : choose_for(target, false);
    case CPU_SCHEDULE_RANDOM: return pick(oldest, wants_ready, NULL, 0, true);
    default: break;
    }
    for (cpu_op *op = oldest; op; op = op->turn->later)
        if (can_run(op)) return op;
    return NULL;
}

cpu_op *cpu_schedule_choose_beside(const cpu_op *op, cpu_op *target)
{
    if (schedule != CPU_SCHEDULE_ADVERSARIAL || cpu_schedule_random(2)) return NULL;
    choices++;
    op->turn->visited = choices;
    cpu_op *beside = pick(oldest, wants_preceding, target, mark_preceding(target), true);
    if (!beside) return NULL;
    choices++;
    const bool has_rival = pick(beside->turn->later, wants_rival, beside, mark_following(beside), false);
    return has_rival || pick(oldest, wants_overtaken, beside, 0, false) ? NULL : beside;
}

bool cpu_schedule_is_held(cpu_op *target)
{
    const unsigned search = mark_preceding(target);
    for (const cpu_op *op = oldest; op; op = op->turn->later)
        if (op->turn->running && precedes(op, search)) return true;
    return false;
}

bool cpu_schedule_has_running_rival(cpu_op *of)
{
    if (schedule != CPU_SCHEDULE_ADVERSARIAL) return false;
    const unsigned search = mark_following(of);
    for (const cpu_op *op = of->turn->later; op; op = op->turn->later)
        if (op->turn->running && is_rival(op, of, search)) return true;
    return false;
}

/* ---- In parts ---- */

/* In how many pieces so many bytes are copied: enough that neither the first nor the last piece is the last to arrive. */
static uint64_t tears_of(uint64_t bytes)
{
    const uint64_t most = bytes < MOST_TEARS ? bytes : MOST_TEARS, least = most < LEAST_TEARS ? most : LEAST_TEARS;
    return least + cpu_schedule_random(most - least + 1);
}

static void divide(cpu_op *op)
{
    cpu_turn *turn = op->turn;
    const bool shuffles = schedule != CPU_SCHEDULE_FIFO;
    if (op->bytes) op->blocks = shuffles ? tears_of(op->bytes) : 1;
    turn->parts = op->blocks < MOST_PARTS ? op->blocks : MOST_PARTS;
    turn->factor = shuffles ? step_through(turn->parts, cpu_schedule_random(turn->parts)) : 1;
    turn->offset = shuffles ? begin_within(turn->factor, turn->parts, cpu_schedule_random(turn->parts), 0) : 0;
}

uint64_t cpu_schedule_parts(cpu_op *op)
{
    cpu_turn *turn = op->turn;
    if (turn->at == 0) divide(op);
    const uint64_t left = turn->parts - turn->at;
    if (schedule == CPU_SCHEDULE_FIFO || cpu_schedule_random(WHOLE_ONE_IN) == 0) return left;
    return 1 + cpu_schedule_random(left);
}

void cpu_schedule_next_part(cpu_op *op, uint64_t *first, uint64_t *count)
{
    cpu_turn *turn = op->turn;
    const uint64_t part = (turn->offset + turn->at++ * turn->factor) % turn->parts;
    *first = op->blocks / turn->parts * part + (part < op->blocks % turn->parts ? part : op->blocks % turn->parts);
    *count = op->blocks / turn->parts + (part < op->blocks % turn->parts);
}
