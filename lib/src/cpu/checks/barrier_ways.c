/* Ways are nodes of a tree, a mark each, so that equal ways are equal numbers, and the way of a thread that returned is
 * an ancestor of the others' ways. */
#include "barrier_ways.h"

#include <stdint.h>
#include <stdlib.h>

/* A thread that is on the way to more meeting places at once, and more marks between two barriers, are not followed. */
enum { MOST_THREADS = 1024, MOST_OPEN = 32, MOST_STEPS = 1 << 16 };

typedef struct step {
    unsigned mark;                          /* twice the meeting place, plus 1 if it was met */
    uint32_t before, depth, first, sibling; /* 0 for none: the root has no mark */
} step;

/* A meeting place to which a thread is on the way. */
typedef struct open_way {
    unsigned meeting;
    uint32_t before; /* the thread's way to the branch */
} open_way;

typedef struct thread_way {
    uint32_t at;
    unsigned open; /* count */
    open_way way[MOST_OPEN];
} thread_way;

typedef struct way_tree {
    bool lost; /* the ways to the next barrier are not known */
    uint32_t steps;
    step step[MOST_STEPS];
    thread_way thread[MOST_THREADS];
} way_tree;

struct barrier_ways {
    unsigned threads;
    uint64_t barrier;              /* the next one, counted from 1 */
    uint64_t exited[MOST_THREADS]; /* by thread: at which barrier, counted from 1; 0 if it has not */
    way_tree all, block;           /* of all marks; of those of ways to barriers of the block */
};

barrier_ways *barrier_ways_create(void) { return calloc(1, sizeof(barrier_ways)); }

void barrier_ways_free(barrier_ways *ways) { free(ways); }

static void begin_tree(way_tree *tree, unsigned threads)
{
    tree->lost = false;
    tree->steps = 1;
    tree->step[0] = (step){0};
    for (unsigned t = 0; t < threads; t++) tree->thread[t].at = tree->thread[t].open = 0;
}

static void begin_ways(barrier_ways *w)
{
    w->barrier++;
    begin_tree(&w->all, w->threads);
    begin_tree(&w->block, w->threads);
}

void barrier_ways_begin(barrier_ways *w, unsigned threads)
{
    w->threads = threads;
    for (unsigned t = 0; t < threads; t++) w->exited[t] = 0;
    begin_ways(w);
}

/* The way that goes on from this one by a mark. */
static uint32_t go_on(way_tree *w, uint32_t from, unsigned mark)
{
    for (uint32_t next = w->step[from].first; next; next = w->step[next].sibling)
        if (w->step[next].mark == mark) return next;
    if (w->steps == MOST_STEPS) {
        w->lost = true;
        return from;
    }
    const uint32_t made = w->steps++;
    w->step[made] =
        (step){.mark = mark, .before = from, .depth = w->step[from].depth + 1, .sibling = w->step[from].first};
    w->step[from].first = made;
    return made;
}

static void mark_tree(way_tree *w, unsigned thread, unsigned meeting, bool met)
{
    thread_way *own = &w->thread[thread];
    unsigned place = own->open;
    while (place > 0 && own->way[place - 1].meeting != meeting) place--;
    const bool is_open = place > 0;
    if (w->lost || met != is_open) return;
    if (met) {
        own->open = place - 1;
        own->at = go_on(w, own->way[place - 1].before, 2 * meeting + 1);
    } else if (own->open == MOST_OPEN) {
        w->lost = true;
    } else {
        own->way[own->open++] = (open_way){meeting, own->at};
        own->at = go_on(w, own->at, 2 * meeting);
    }
}

void barrier_ways_mark(barrier_ways *w, unsigned thread, unsigned meeting, bool met)
{
    mark_tree(&w->all, thread, meeting, met);
    if (meeting % 2) mark_tree(&w->block, thread, meeting, met);
}

void barrier_ways_exit(barrier_ways *w, unsigned thread) { w->exited[thread] = w->barrier; }

/* Whether a way is a part of another, from its start. */
static bool is_part(const way_tree *w, uint32_t part, uint32_t whole)
{
    while (w->step[whole].depth > w->step[part].depth) whole = w->step[whole].before;
    return part == whole;
}

static bool passed_by(const barrier_ways *w, const way_tree *tree, unsigned exited, unsigned thread)
{
    return !tree->lost && w->exited[exited] == w->barrier &&
           !is_part(tree, tree->thread[exited].at, tree->thread[thread].at);
}

static barrier_fault find_fault(unsigned *thread, unsigned *other, const barrier_ways *w)
{
    unsigned waiting = 0;
    while (waiting < w->threads && w->exited[waiting]) waiting++;
    if (w->block.lost || waiting == w->threads) return BARRIER_RIGHT;
    const uint32_t way = w->block.thread[waiting].at;
    *thread = waiting;
    for (*other = 0; *other < w->threads; ++*other)
        if (passed_by(w, &w->block, *other, waiting)) return BARRIER_PASSED_BY;
    for (*other = 0; *other < w->threads; ++*other)
        if (!w->exited[*other] && w->block.thread[*other].at != way) return BARRIER_OTHER_ROUND;
    return BARRIER_RIGHT;
}

barrier_fault barrier_ways_pass(unsigned *thread, unsigned *other, barrier_ways *w)
{
    const barrier_fault fault = find_fault(thread, other, w);
    begin_ways(w);
    return fault;
}

bool barrier_ways_passed_by(const barrier_ways *w, unsigned exited, unsigned thread)
{
    return passed_by(w, &w->all, exited, thread);
}
