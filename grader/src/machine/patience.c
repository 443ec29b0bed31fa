/* Time that is added to a limit because others had the processors; see patience.h. */
#include "patience.h"

#include <math.h>

void patience_begin(patience *out, double limit) { *out = (patience){.limit = limit, .begun = machine_time_now()}; }

/* A program can keep the device at work on its own for as long as it likes. */
enum { MOST_OF_DEVICE = 3 };

/* The seconds that the processes lost to others. Threads that wait at the same time lose a second together: of each
 * second they lose the share that they waited of the time in which they were ready. Children that have ended, such as
 * compilers, waited as long for a second of a processor as the others did. All of this may have been while a device was
 * at work on its own, or none of it. */
static double lost(const patience *given, processor_time own, double others)
{
    const double known = fmax(own.used - own.ended, 0), ready = known + own.waited;
    const double share = ready > 0 ? own.waited / ready : 0;
    const double waited = known > 0 ? own.waited / known * own.used : own.waited;
    const double starved = fmin(fmin(waited, share * given->passed), fmax(others, 0));
    return fmin(starved + fmin(given->device, MOST_OF_DEVICE * given->limit), given->passed);
}

patience_answer patience_judge(patience *given, double *more, processor_time running, double others)
{
    enum { LEAST_BOUND = 60, MOST_TIMES = 9, MOST_SECONDS = 400, PARTS = 50 };
    const double most = fmin(fmax(LEAST_BOUND, MOST_TIMES * given->limit), MOST_SECONDS);
    const processor_time own = processor_time_sum(running, given->ended);
    *more = lost(given, own, others) - given->added;
    if (*more < given->limit / PARTS) return PATIENCE_OVER; /* a moment is lost on every machine */
    if (given->added >= most) return own.used < given->limit ? PATIENCE_BUSY : PATIENCE_OVER;
    *more = fmin(*more, most - given->added);
    given->added += *more;
    return PATIENCE_MORE;
}

patience_answer patience_ask(patience *given, double *more, processor_time running)
{
    const machine_time now = machine_time_now(), then = given->begun;
    const processor_time own = processor_time_sum(running, given->ended);
    const double others = now.others - then.others - running.used;
    running.waited += processor_time_with_stolen(own, then, now).waited - own.waited;
    return patience_judge(given, more, running, others);
}

void patience_look(patience_looks *looks, double apart, processor_time running, bool busy)
{
    enum { LEAST_SHARE = 20 }; /* a wait that asks now and then takes less of a processor */
    const double ready = running.used + running.waited;
    const bool idle = !busy && ready - looks->ready < apart / LEAST_SHARE;
    looks->ready = ready;
    looks->idle = idle ? looks->idle + 1 : 0;
}
