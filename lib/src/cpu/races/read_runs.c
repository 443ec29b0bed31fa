/* A site whose runs stay short is left alone: to write down a single read costs more than to decide on it. */
#include "read_runs.h"

#include <stdlib.h>

enum { MOST_RUNS = 1 << 17, SHORT = 4, FEW = 16, MOST_READS = 1 << 16 };

void read_runs_make(read_runs *r, cpu_known_accesses *known, const read_arrays *arrays)
{
    *r = (read_runs){.known = known, .arrays = arrays};
    for (unsigned i = 0; i < CPU_WINDOWS; i++) r->use[i] = FEW;
}

void read_runs_free(read_runs *r) { free(r->ended); }

void read_runs_end(read_runs *r, bool is_open)
{
    r->known->runs++;
    r->is_open = is_open;
}

bool read_runs_are_full(const read_runs *r) { return r->count + CPU_WINDOWS >= MOST_RUNS; }

/* Writes down the run of a window, which then has none, but for its steps. */
static void end_run(read_runs *r, unsigned window)
{
    read_run *run = &r->begun[window];
    cpu_read_run *next = &r->known->run[window];
    if (run->count == 0) return;
    run->count += r->given[window] - next->left;
    if (run->count >= SHORT)
        r->use[window] = FEW;
    else if (r->use[window] > 0)
        r->use[window]--;
    r->ended[r->count++] = *run;
    run->count = 0;
    next->site = NULL;
}

const read_run *read_runs_take_out(size_t *count, read_runs *r)
{
    for (unsigned i = 0; i < CPU_WINDOWS; i++) end_run(r, i);
    *count = r->count;
    r->count = 0;
    return r->ended;
}

/* How many steps stay in the array. */
static unsigned steps_left(const read_arrays *arrays, const read_run *read, uintptr_t step)
{
    unsigned i = 0;
    while (!(read->address >= arrays->array[i].begin && read->address < arrays->array[i].end)) i++;
    const uintptr_t behind = arrays->array[i].end - read->address - read->bytes,
                    before = read->address - arrays->array[i].begin;
    const uintptr_t steps = step == 0 ? MOST_READS : step >> 63 ? before / -step : behind / step;
    return steps < MOST_READS ? (unsigned)steps : MOST_READS;
}

/* Whether the array that a read begins in has all of it. */
static bool is_inside(const read_arrays *arrays, const read_run *read)
{
    for (unsigned i = 0; i < arrays->count; i++)
        if (read->address >= arrays->array[i].begin && read->address < arrays->array[i].end)
            return read->bytes <= arrays->array[i].end - read->address;
    return false;
}

/* Lets the code go on behind a read, in the steps of its run. */
static void expect(read_runs *r, const read_run *read)
{
    const unsigned window = read->site->window;
    const read_run *run = &r->begun[window];
    const unsigned left = steps_left(r->arrays, read, run->address_step);
    r->given[window] = left;
    r->known->run[window] = (cpu_read_run){.site = read->site,
                                           .epoch = r->known->runs,
                                           .left = left,
                                           .address = read->address + run->address_step,
                                           .address_step = run->address_step,
                                           .thread = read->thread + run->thread_step,
                                           .thread_step = run->thread_step,
                                           .again = read->again};
}

/* The second read of a run says how far its steps are. */
static bool take_second(read_runs *r, const read_run *read)
{
    const unsigned window = read->site->window;
    read_run *run = &r->begun[window];
    const cpu_read_run *next = &r->known->run[window];
    const unsigned thread_step = read->thread - run->thread;
    if (next->site != read->site || next->epoch != r->known->runs || run->count != 1 || thread_step > 1 ||
        next->left != r->given[window] || run->again != read->again || run->bytes != read->bytes)
        return false;
    run->count = 2;
    run->thread_step = (uint8_t)thread_step;
    run->address_step = read->address - run->address;
    expect(r, read);
    return true;
}

/* A row of threads mostly reads in the steps of the one before it. */
static void begin_run(read_runs *r, const read_run *read)
{
    read_run *run = &r->begun[read->site->window];
    const read_run before = *run;
    *run = *read;
    run->count = 1;
    run->thread_step = before.site == read->site ? before.thread_step : 0;
    run->address_step = before.site == read->site ? before.address_step : 0;
    expect(r, read);
}

bool read_runs_take(read_runs *r, const read_run *read)
{
    const unsigned window = read->site->window;
    if (!r->is_open || read->bytes % 4 != 0 || read->address % 4 != 0 || r->use[window] == 0 ||
        !is_inside(r->arrays, read))
        return false;
    if (take_second(r, read)) return true;
    if (!r->ended) r->ended = malloc(MOST_RUNS * sizeof *r->ended);
    if (!r->ended) return false;
    end_run(r, window);
    if (r->use[window] > 0) begin_run(r, read);
    return r->use[window] > 0;
}
