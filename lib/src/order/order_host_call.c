/* Host functions. While one runs, the device has done what comes before it, and a thread that the function starts
 * knows that. The device's thread that runs the function never counts as one of the program's. */
#include "order_state.h"

#include <stdlib.h>

struct order_host_call {
    atomic_int references;
    order_clock *known; /* what is done when the function runs; of a graph's node, in any of its launches so far */
    uint64_t era;
    order_host_call *next; /* among those without references */
};

static uint64_t era; /* counts the starts of the checker */
static _Atomic(order_host_call *) unused;

/* What is known in the functions that ran, by their marks: a thread's first call may come after the return of the
 * function that started it, and after later functions have got its mark. */
static struct {
    order_clock *latest;  /* in the last function of the mark */
    order_clock *earlier; /* in at least one before it */
} ran[ORDER_HOST_CALL_MARKS];
static atomic_uint next_mark;
static atomic_int live;

static void free_unused(void)
{
    for (order_host_call *each = atomic_exchange(&unused, NULL), *next; each; each = next) {
        next = each->next;
        order_clock_release(each->known);
        free(each);
    }
}

order_host_call *order_host_call_create(void)
{
    if (!order_is_on()) return NULL;
    order_enter();
    free_unused();
    order_host_call *made = calloc(1, sizeof *made);
    if (made) {
        made->references = 1;
        made->era = era;
        atomic_fetch_add(&live, 1);
        order_pages_open(0, UINT64_MAX);
    } else {
        order_give_up();
    }
    order_leave();
    return made;
}

order_host_call *order_host_call_retain(order_host_call *call)
{
    if (call) atomic_fetch_add(&call->references, 1);
    return call;
}

/* The last reference may be a device's, which holds a lock of its own. */
void order_host_call_release(order_host_call *call)
{
    if (!call || atomic_fetch_sub(&call->references, 1) > 1) return;
    atomic_fetch_sub(&live, 1);
    call->next = atomic_load(&unused);
    while (!atomic_compare_exchange_weak(&unused, &call->next, call)) continue;
}

bool order_host_calls_live(void) { return atomic_load(&live) > 0; }

void order_host_call_learn(order_host_call *call, const order_clock *known)
{
    if (call) order_join(&call->known, known, NULL);
}

unsigned order_host_call_mark(void)
{
    return ORDER_THREAD_MARKS + atomic_fetch_add(&next_mark, 1) % ORDER_HOST_CALL_MARKS;
}

void order_host_call_runs(const order_host_call *call, unsigned mark)
{
    order_clock **latest = &ran[mark - ORDER_THREAD_MARKS].latest;
    order_join(&ran[mark - ORDER_THREAD_MARKS].earlier, *latest, NULL);
    order_clock_release(*latest);
    *latest = call->era == era ? order_clock_retain(call->known) : NULL;
}

const order_clock *order_host_call_known(unsigned mark)
{
    return mark < ORDER_THREAD_MARKS ? NULL : ran[mark - ORDER_THREAD_MARKS].latest;
}

void order_host_call_inherit(order_clock **known, unsigned mark)
{
    order_join(known, order_host_call_known(mark), NULL);
    if (mark >= ORDER_THREAD_MARKS) order_join(known, ran[mark - ORDER_THREAD_MARKS].earlier, NULL);
}

void order_host_calls_begin(void)
{
    for (int i = 0; i < ORDER_HOST_CALL_MARKS; i++) {
        order_clock_release(ran[i].latest);
        order_clock_release(ran[i].earlier);
        ran[i].latest = ran[i].earlier = NULL;
    }
    era++;
}
