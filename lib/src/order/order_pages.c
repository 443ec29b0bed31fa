/*
 * Pages of pinned memory that are closed to the program as long as no thread is known to be done with waiting for work
 * that uses them. A page is closed only if the work uses all bytes that its block has in the page, so a right program
 * never meets a closed one: also no system call fails on it. order_enter guards all of it.
 */
#include "order_state.h"

#include <stdlib.h>

enum { PAGE = 4096 };

typedef struct closed_pages {
    uint64_t start, end;
    bool written; /* by the work, so that the program may not even read them */
    order_site *site;
} closed_pages;

static const order_page_guard *guard;
static closed_pages *closed;
static size_t closed_count, capacity;

void order_guard_pages(const order_page_guard *used) { guard = used; }

static uint64_t round_down(uint64_t address) { return address / PAGE * PAGE; }
static uint64_t round_up(uint64_t address) { return round_down(address + PAGE - 1); }

/* Closes the pages as much as the work that is left needs it, first those that are only read. */
static void guard_again(uint64_t start, uint64_t end)
{
    guard->refuse(start, end, false, false);
    for (int written = 0; written < 2; written++)
        for (const closed_pages *each = closed; each < closed + closed_count; each++)
            if (each->written == written && each->start < end && start < each->end)
                guard->refuse(each->start > start ? each->start : start, each->end < end ? each->end : end, written,
                              true);
}

static void open_one(size_t index)
{
    const closed_pages opened = closed[index];
    closed[index] = closed[--closed_count];
    guard_again(opened.start, opened.end);
    order_site_release(opened.site);
}

static bool make_room(void)
{
    if (closed_count < capacity) return true;
    const size_t more = 2 * capacity + 16;
    closed_pages *larger = realloc(closed, more * sizeof *larger);
    if (!larger) return false;
    closed = larger;
    capacity = more;
    return true;
}

/* Later work of a lane comes after earlier work. */
static closed_pages *find_same(const closed_pages *wanted)
{
    for (closed_pages *each = closed; each < closed + closed_count; each++)
        if (each->start == wanted->start && each->end == wanted->end && each->written == wanted->written &&
            each->site->lane == wanted->site->lane)
            return each;
    return NULL;
}

void order_pages_used(order_site *site, const lab_trace_access *access, uint64_t block_end)
{
    if (!guard || site->host_waits || !guard->holds(access->address, access->bytes)) return;
    const uint64_t end = access->address + access->bytes;
    const closed_pages wanted = {round_up(access->address), end < block_end ? round_down(end) : round_up(end),
                                 access->writes, site};
    if (wanted.start >= wanted.end) return;
    closed_pages *same = find_same(&wanted);
    if (!same && !make_room()) return;
    if (same) order_site_release(same->site);
    *(same ? same : &closed[closed_count++]) = wanted;
    site->references++;
    guard_again(wanted.start, wanted.end);
}

void order_pages_learned(const order_clock *anybody)
{
    for (size_t i = closed_count; i-- > 0;)
        if (order_clock_covers(anybody, closed[i].site->lane, closed[i].site->time)) open_one(i);
}

void order_pages_open(uint64_t start, uint64_t end)
{
    for (size_t i = closed_count; i-- > 0;)
        if (closed[i].start < end && start < closed[i].end) open_one(i);
}

void order_pages_told(uint64_t address)
{
    order_enter();
    order_pages_open(round_down(address), round_down(address) + PAGE);
    order_leave();
}
