/* The lock that gives the steps of all threads one order, and whether the checker is on. */
#include "order_state.h"

#include <stdio.h>

atomic_int order_mode_now = LAB_ORDER_OFF;

static pthread_mutex_t submission = PTHREAD_MUTEX_INITIALIZER;
static uint64_t operations;
static atomic_bool gave_up;
static _Thread_local bool entered;
static _Atomic(order_note *) notes; /* the latest first */

static void take_notes(void)
{
    order_note *latest = atomic_exchange(&notes, NULL), *first = NULL;
    for (order_note *next; latest; latest = next) {
        next = latest->next;
        latest->next = first;
        first = latest;
    }
    for (order_note *next; first; first = next) {
        next = first->next;
        first->take(first);
    }
}

void order_enter(void)
{
    pthread_mutex_lock(&submission);
    entered = true;
    if (atomic_load_explicit(&notes, memory_order_relaxed)) take_notes();
}

void order_leave(void)
{
    entered = false;
    pthread_mutex_unlock(&submission);
}

bool order_is_entered(void) { return entered; }

void order_leave_note(order_note *note)
{
    note->next = atomic_load(&notes);
    while (!atomic_compare_exchange_weak(&notes, &note->next, note)) continue;
}

void order_give_up(void)
{
    gave_up = true;
    atomic_store(&order_mode_now, LAB_ORDER_OFF);
    fprintf(stderr, "LAB_ORDER: no host memory is left for the order checker; it stops here\n");
}

uint64_t order_next_operation(void) { return ++operations; }

void order_gate_begin(void)
{
    operations = 0;
    gave_up = false;
}

void order_gate_count(lab_order_counts *counts)
{
    counts->operations = operations;
    counts->gave_up = gave_up;
}

void order_join(order_clock **clock, const order_clock *other, uint64_t *version)
{
    bool changed = false;
    if (!order_clock_join(clock, other, &changed)) order_give_up();
    if (changed && version) ++*version;
}
