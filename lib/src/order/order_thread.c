/*
 * Host threads: what each knows to be done. Neither the start nor the join of a thread is a call of this library, but
 * both leave traces. A new thread inherits its starter's timer slack, whose nanoseconds here carry the starter's mark:
 * a remainder of its number or, of a host function, where order_host_call.c keeps what it knows. A thread that ends
 * runs the destructors of its keys before a join returns. So a thread begins with what its starter knows, and when it
 * ends, all others know what it knew.
 */
#include "order_state.h"

#include <stdlib.h>
#include <sys/prctl.h>

struct order_thread {
    order_thread_view view;
    order_clock *known;
    uint64_t seen_ended;
    struct order_thread *next, *previous;
};

/* A process with a longer slack keeps it, and the starters of its threads count as unknown. The marks add at most two
 * millionths of a second. */
enum { MOST_SLACK = 1000 * 1000, MOST_MARKS = ORDER_THREAD_MARKS + ORDER_HOST_CALL_MARKS };

static order_thread *threads;
static order_clock *ended;   /* what the ended threads knew */
static order_clock *anybody; /* what at least one thread has waited for */
static uint64_t ended_version, last_number;
static int base_slack;       /* of a thread without a known starter; -1 if slacks carry no numbers */
static _Atomic uint64_t era; /* counts the starts of the checker */

static _Thread_local order_thread *mine;
static _Thread_local unsigned my_starter; /* the mark of what started this thread; 0 if its slack tells */
static _Thread_local unsigned my_call;    /* the mark of the host function that the thread runs; 0 if it runs none */
static _Thread_local uint64_t my_era;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

typedef struct end_note {
    order_note note;
    order_thread *ended;
    uint64_t era;
} end_note;

static void take_end(order_note *note)
{
    const end_note *end = (const end_note *)note;
    order_thread *self = end->ended;
    if (end->era == era) {
        order_join(&ended, self->known, &ended_version);
        if (self->next) self->next->previous = self->previous;
        if (self->previous)
            self->previous->next = self->next;
        else
            threads = self->next;
        order_clock_release(self->known);
        free(self);
    }
    free(note);
}

/* A host function may wait for the thread's end, and a thread that has entered may wait for the function. */
static void end_thread(void *ending)
{
    end_note *end = malloc(sizeof *end);
    if (end) {
        *end = (end_note){{.take = take_end}, ending, my_era};
        order_leave_note(&end->note);
    } else {
        order_give_up();
    }
    mine = NULL;
}

static void make_key(void) { pthread_key_create(&key, end_thread); }

static unsigned mark_of(const order_thread *thread) { return (unsigned)(thread->view.number % ORDER_THREAD_MARKS); }

/* Lets the threads that the calling thread starts from now on know the mark. */
static void carry(unsigned mark)
{
    if (base_slack >= 0) prctl(PR_SET_TIMERSLACK, (unsigned long)base_slack + mark);
}

/* Sets what a thread knows at its first call. A thread that called before the checker was restarted may know whatever
 * the others know. */
static void inherit(order_thread *thread)
{
    int slack = my_era == 0 && base_slack >= 0 ? prctl(PR_GET_TIMERSLACK) : -1;
    bool starter_known = my_starter || (slack >= base_slack && slack < base_slack + MOST_MARKS && slack >= 0);
    unsigned starter = my_starter ? my_starter : starter_known ? (unsigned)(slack - base_slack) : 0;
    for (const order_thread *each = threads; each; each = each->next)
        if (!starter_known || mark_of(each) == starter) order_join(&thread->known, each->known, NULL);
    order_host_call_inherit(&thread->known, starter);
    carry(mark_of(thread));
}

static order_thread *make_thread(void)
{
    pthread_once(&key_once, make_key);
    order_thread *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    if (++last_number % ORDER_THREAD_MARKS == 0) last_number++; /* 0 means no starter */
    made->view = (order_thread_view){.number = last_number, .version = 1};
    inherit(made);
    made->next = threads;
    if (made->next) made->next->previous = made;
    threads = made;
    mine = made;
    my_era = era;
    pthread_setspecific(key, made);
    return made;
}

static order_thread *this_thread(void)
{
    order_thread *self = mine && my_era == era ? mine : make_thread();
    if (!self) {
        order_give_up();
        return NULL;
    }
    if (self->seen_ended != ended_version) order_join(&self->known, ended, &self->view.version);
    self->seen_ended = ended_version;
    return self;
}

const order_thread_view *order_thread_now(void)
{
    order_thread *self = this_thread();
    if (!self) return NULL;
    self->view.known = self->known;
    return &self->view;
}

void order_thread_learn(const order_clock *learned, bool by_waiting)
{
    order_thread *self = this_thread();
    if (!self) return;
    order_join(&self->known, learned, &self->view.version);
    if (!by_waiting) return;
    order_join(&anybody, learned, NULL);
    order_pages_learned(anybody);
}

const order_clock *order_known_to_anybody(void) { return anybody; }

order_clock *order_known_to_all(void)
{
    if (!threads) return NULL;
    order_clock *least = NULL;
    uint32_t length = threads->known ? threads->known->length : 0;
    for (uint32_t i = 0; i < length; i++) {
        uint64_t time = threads->known->time[i];
        for (const order_thread *each = threads->next; each && time; each = each->next) {
            uint64_t other = each->known && i < each->known->length ? each->known->time[i] : 0;
            if (other < time) time = other;
        }
        if (time && !order_clock_set(&least, i, time)) order_give_up();
    }
    return least;
}

void order_meet_thread(bool entered)
{
    if (mine && my_era == atomic_load_explicit(&era, memory_order_relaxed)) return;
    if (!entered) order_enter();
    if (order_is_on()) this_thread();
    if (!entered) order_leave();
}

unsigned order_starter_mark(void)
{
    if (my_call) return my_call;
    return mine && my_era == atomic_load_explicit(&era, memory_order_relaxed) ? mark_of(mine) : 0;
}

void order_thread_set_starter(unsigned mark) { my_starter = mark; }

typedef struct run_note {
    order_note note;
    order_host_call *call;
    unsigned mark;
} run_note;

static void take_run(order_note *note)
{
    run_note *run = (run_note *)note;
    order_host_call_runs(run->call, run->mark);
    order_join(&anybody, order_host_call_known(run->mark), NULL);
    order_host_call_release(run->call);
    free(run);
}

void order_host_call_begin(order_host_call *call)
{
    if (!call || !order_is_on()) return;
    run_note *run = malloc(sizeof *run);
    if (!run) {
        order_give_up();
        return;
    }
    my_call = order_host_call_mark();
    *run = (run_note){{.take = take_run}, order_host_call_retain(call), my_call};
    order_leave_note(&run->note);
    carry(my_call);
}

/* The thread keeps the mark: between functions it starts no threads of the program, and each function sets its own. */
void order_host_call_end(void) { my_call = 0; }

unsigned order_host_call_now(void) { return my_call; }

void order_threads_begin(void)
{
    for (order_thread *each = threads, *next; each; each = next) {
        next = each->next;
        order_clock_release(each->known);
        free(each);
    }
    threads = NULL;
    order_clock_release(ended);
    order_clock_release(anybody);
    ended = anybody = NULL;
    order_host_calls_begin();
    if (atomic_fetch_add(&era, 1) == 0) {
        base_slack = prctl(PR_GET_TIMERSLACK);
        if (base_slack > MOST_SLACK) base_slack = -1;
    }
    this_thread();
}
