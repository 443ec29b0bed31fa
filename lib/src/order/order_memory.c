/* Segments of memory in a skip list: sorted, without overlaps, each with one set of uses. */
#include "order_memory.h"

#include <stdlib.h>
#include <string.h>

/* A use, with what a comparison needs beside the site. */
typedef struct stamp {
    order_site *site; /* NULL: none */
    uint64_t time;
    uint32_t lane;
} stamp;

struct order_segment {
    uint64_t start, end;
    stamp write;
    stamp *read;
    uint32_t reads, capacity;
    int levels;
    order_segment *next[];
};

/* ------------------------------------------------------------------------------------------------------
 * Finding
 */

static size_t recent_place(uint64_t start) { return start * UINT64_C(0x9e3779b97f4a7c15) >> (64 - ORDER_RECENT_BITS); }

/* The segment of just these bytes if it is one of the recent ones. */
static order_segment *recall(const order_memory *memory, uint64_t start, uint64_t end)
{
    order_segment *recent = memory->recent[recent_place(start)];
    return recent && recent->start == start && recent->end == end ? recent : NULL;
}

static void keep_recent(order_memory *memory, order_segment *used) { memory->recent[recent_place(used->start)] = used; }

/* Before the segment goes, or gets another start. */
static void drop_recent(order_memory *memory, const order_segment *leaving)
{
    order_segment **recent = &memory->recent[recent_place(leaving->start)];
    if (*recent == leaving) *recent = NULL;
}

/* The places where what lies before an address ends, level by level. */
typedef struct cursor {
    order_segment **link[ORDER_LEVELS];
} cursor;

/* Finds the first segment that ends after the address. The cursor has the levels that the memory has. */
static order_segment *seek(cursor *at, order_memory *memory, uint64_t address)
{
    order_segment **level = memory->first;
    at->link[0] = level;
    for (int i = memory->levels - 1; i >= 0; i--) {
        while (level[i] && level[i]->end <= address) level = level[i]->next;
        at->link[i] = &level[i];
    }
    return *at->link[0];
}

static const order_segment *seek_to_read(const order_memory *memory, uint64_t address)
{
    order_segment *const *level = memory->first;
    for (int i = memory->levels - 1; i >= 0; i--)
        while (level[i] && level[i]->end <= address) level = level[i]->next;
    return level[0];
}

static void seek_begin(cursor *at, order_memory *memory)
{
    for (int i = 0; i < ORDER_LEVELS; i++) at->link[i] = &memory->first[i];
}

/* ------------------------------------------------------------------------------------------------------
 * Changing
 */

/* Each level has a fourth of the one below. */
static int draw_levels(order_memory *memory)
{
    memory->random ^= memory->random << 13 | 1;
    memory->random ^= memory->random >> 7;
    memory->random ^= memory->random << 17;
    int levels = 1;
    for (uint64_t bits = memory->random; levels < ORDER_LEVELS && (bits & 3) == 0; bits >>= 2) levels++;
    return levels;
}

/* A segment without uses where the cursor stands; the cursor then stands before it. */
static order_segment *insert(order_memory *memory, cursor *at, uint64_t start, uint64_t end)
{
    int levels = draw_levels(memory);
    order_segment *made = malloc(sizeof *made + (size_t)levels * sizeof made->next[0]);
    if (!made) return NULL;
    *made = (order_segment){.start = start, .end = end, .levels = levels};
    for (; memory->levels < levels; memory->levels++) at->link[memory->levels] = &memory->first[memory->levels];
    for (int i = 0; i < levels; i++) {
        made->next[i] = *at->link[i];
        *at->link[i] = made;
    }
    memory->segments++;
    return made;
}

static void drop(stamp *of)
{
    if (of->site) order_site_release(of->site);
    of->site = NULL;
}

static void drop_uses(order_segment *of)
{
    drop(&of->write);
    for (uint32_t i = 0; i < of->reads; i++) drop(&of->read[i]);
    of->reads = 0;
}

/* Takes out and frees the segment that the cursor stands before. */
static void take_out(order_memory *memory, cursor *at)
{
    order_segment *gone = *at->link[0];
    for (int i = 0; i < gone->levels; i++) *at->link[i] = gone->next[i];
    memory->segments--;
    drop_recent(memory, gone);
    drop_uses(gone);
    free(gone->read);
    free(gone);
}

static stamp stamp_of(order_site *site)
{
    site->references++;
    return (stamp){site, site->time, site->lane};
}

static bool add_read(order_segment *to, order_site *site, const order_clock *known)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < to->reads; i++) {
        if (order_clock_covers(known, to->read[i].lane, to->read[i].time))
            drop(&to->read[i]);
        else
            to->read[kept++] = to->read[i];
    }
    to->reads = kept;
    if (kept == to->capacity) {
        uint32_t capacity = 2 * kept + 2;
        stamp *larger = realloc(to->read, capacity * sizeof *larger);
        if (!larger) return false;
        to->read = larger;
        to->capacity = capacity;
    }
    to->read[to->reads++] = stamp_of(site);
    return true;
}

/* Copies the uses of one segment to another that has none. */
static bool copy_uses(order_segment *to, const order_segment *from)
{
    if (from->reads) {
        to->read = malloc(from->reads * sizeof *to->read);
        if (!to->read) return false;
        to->capacity = from->reads;
    }
    if (from->write.site) to->write = stamp_of(from->write.site);
    for (uint32_t i = 0; i < from->reads; i++) to->read[to->reads++] = stamp_of(from->read[i].site);
    return true;
}

/* Makes sure that no segment lies across the address. */
static bool split(order_memory *memory, uint64_t address)
{
    cursor at;
    order_segment *across = seek(&at, memory, address);
    if (!across || across->start >= address) return true;
    order_segment *head = insert(memory, &at, across->start, address);
    if (!head) return false;
    drop_recent(memory, across);
    across->start = address;
    return copy_uses(head, across);
}

/* The segment of just these bytes, in the place of all that there was; NULL if memory ran out. */
static order_segment *clear_segment(order_memory *memory, const order_use *use)
{
    cursor at;
    order_segment *found = seek(&at, memory, use->start);
    if (found && found->start == use->start && found->end == use->end) return found;
    if (!split(memory, use->start) || !split(memory, use->end)) return NULL;
    found = seek(&at, memory, use->start);
    while (found && found->start < use->end) {
        take_out(memory, &at);
        found = *at.link[0];
    }
    return insert(memory, &at, use->start, use->end);
}

static bool note_write(order_memory *memory, const order_use *use, order_site *site)
{
    order_segment *found = recall(memory, use->start, use->end);
    if (!found) found = clear_segment(memory, use);
    if (!found) return false;
    drop_uses(found);
    found->write = stamp_of(site);
    keep_recent(memory, found);
    return true;
}

static bool note_read(order_memory *memory, const order_use *use, order_site *site, const order_clock *known)
{
    order_segment *found = recall(memory, use->start, use->end);
    if (found) return add_read(found, site, known);
    if (!split(memory, use->start) || !split(memory, use->end)) return false;
    for (uint64_t from = use->start; from < use->end;) {
        cursor at;
        found = seek(&at, memory, from);
        if (!found || found->start > from) {
            uint64_t end = found && found->start < use->end ? found->start : use->end;
            found = insert(memory, &at, from, end);
        }
        if (!found || !add_read(found, site, known)) return false;
        keep_recent(memory, found);
        from = found->end;
    }
    return true;
}

bool order_memory_note(order_memory *memory, const order_use *use, order_site *site, const order_clock *known)
{
    return use->writes ? note_write(memory, use, site) : note_read(memory, use, site, known);
}

void order_memory_conflicts(const order_memory *memory, const order_use *use, const order_clock *known,
                            void (*found)(void *user, const order_site *site, const order_use *part), void *user)
{
    const order_segment *at = recall(memory, use->start, use->end);
    if (!at) at = seek_to_read(memory, use->start);
    for (; at && at->start < use->end; at = at->next[0]) {
        order_use part = {at->start > use->start ? at->start : use->start, at->end < use->end ? at->end : use->end,
                          true};
        if (at->write.site && !order_clock_covers(known, at->write.lane, at->write.time))
            found(user, at->write.site, &part);
        part.writes = false;
        for (uint32_t i = 0; use->writes && i < at->reads; i++)
            if (!order_clock_covers(known, at->read[i].lane, at->read[i].time)) found(user, at->read[i].site, &part);
    }
}

/* ------------------------------------------------------------------------------------------------------
 * Forgetting
 */

/* Which uses are not worth remembering any more. */
typedef struct sieve {
    const order_clock *known; /* those that it covers, */
    bool unseen_stay;         /* or all but the unseen ones */
} sieve;

static bool falls_through(const sieve *by, const stamp *use)
{
    return by->unseen_stay ? !use->site->unseen : order_clock_covers(by->known, use->lane, use->time);
}

static void sift(order_segment *of, const sieve *by)
{
    if (of->write.site && falls_through(by, &of->write)) drop(&of->write);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < of->reads; i++) {
        if (falls_through(by, &of->read[i]))
            drop(&of->read[i]);
        else
            of->read[kept++] = of->read[i];
    }
    of->reads = kept;
}

/* Sifts the segment that the cursor stands before, and moves the cursor behind what is left. */
static void sift_and_pass(order_memory *memory, cursor *at, const sieve *by)
{
    order_segment *each = *at->link[0];
    sift(each, by);
    if (!each->write.site && each->reads == 0) {
        take_out(memory, at);
        return;
    }
    for (int i = 0; i < each->levels; i++) at->link[i] = &each->next[i];
}

bool order_memory_forget(order_memory *memory, uint64_t start, uint64_t end, bool keeps_unseen)
{
    cursor at;
    const order_segment *found = seek(&at, memory, start);
    if (!found || found->start >= end) return true;
    if (!split(memory, start) || !split(memory, end)) return false;
    const sieve none = {.unseen_stay = keeps_unseen};
    seek(&at, memory, start);
    while (*at.link[0] && (*at.link[0])->start < end) {
        if (keeps_unseen)
            sift_and_pass(memory, &at, &none);
        else
            take_out(memory, &at);
    }
    return true;
}

void order_memory_prune(order_memory *memory, const order_clock *known)
{
    const sieve by = {.known = known};
    cursor at;
    seek_begin(&at, memory);
    while (*at.link[0]) sift_and_pass(memory, &at, &by);
}

void order_memory_clear(order_memory *memory)
{
    cursor at;
    seek_begin(&at, memory);
    while (*at.link[0]) take_out(memory, &at);
}
