/* A skip list of segments of memory: sorted, without overlaps, each with one set of uses. */
#include "order_memory.h"

#include <stdlib.h>
#include <string.h>

/* A use. A comparison needs only time and lane. */
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

/* The segment of exactly these bytes, if it was used recently; else NULL. */
static order_segment *recall(const order_memory *memory, uint64_t start, uint64_t end)
{
    order_segment *recent = memory->recent[recent_place(start)];
    return recent && recent->start == start && recent->end == end ? recent : NULL;
}

static void keep_recent(order_memory *memory, order_segment *used) { memory->recent[recent_place(used->start)] = used; }

/* Called before the segment is freed or gets another start. */
static void drop_recent(order_memory *memory, const order_segment *leaving)
{
    order_segment **recent = &memory->recent[recent_place(leaving->start)];
    if (*recent == leaving) *recent = NULL;
}

/* A position between segments: on each level, the link to the next segment. */
typedef struct cursor {
    order_segment **link[ORDER_LEVELS];
} cursor;

/* Finds the first segment that ends after the address and puts the cursor before it, on the levels that the memory
 * has. */
static order_segment *seek(cursor *place, order_memory *memory, uint64_t address)
{
    order_segment **level = memory->first;
    place->link[0] = level;
    for (int i = memory->levels - 1; i >= 0; i--) {
        while (level[i] && level[i]->end <= address) level = level[i]->next;
        place->link[i] = &level[i];
    }
    return *place->link[0];
}

static const order_segment *seek_to_read(const order_memory *memory, uint64_t address)
{
    order_segment *const *level = memory->first;
    for (int i = memory->levels - 1; i >= 0; i--)
        while (level[i] && level[i]->end <= address) level = level[i]->next;
    return level[0];
}

static void seek_begin(cursor *place, order_memory *memory)
{
    for (int i = 0; i < ORDER_LEVELS; i++) place->link[i] = &memory->first[i];
}

/* ------------------------------------------------------------------------------------------------------
 * Changing
 */

/* Each level has a quarter of the segments of the level below. */
static int draw_levels(order_memory *memory)
{
    memory->random ^= memory->random << 13 | 1;
    memory->random ^= memory->random >> 7;
    memory->random ^= memory->random << 17;
    int levels = 1;
    for (uint64_t bits = memory->random; levels < ORDER_LEVELS && (bits & 3) == 0; bits >>= 2) levels++;
    return levels;
}

/* Inserts a segment without uses at the cursor, which is before it afterwards. NULL if memory ran out. */
static order_segment *insert(order_memory *memory, cursor *place, uint64_t start, uint64_t end)
{
    int levels = draw_levels(memory);
    order_segment *made = malloc(sizeof *made + (size_t)levels * sizeof made->next[0]);
    if (!made) return NULL;
    *made = (order_segment){.start = start, .end = end, .levels = levels};
    for (; memory->levels < levels; memory->levels++) place->link[memory->levels] = &memory->first[memory->levels];
    for (int i = 0; i < levels; i++) {
        made->next[i] = *place->link[i];
        *place->link[i] = made;
    }
    memory->segments++;
    return made;
}

static void drop(stamp *use)
{
    if (use->site) order_site_release(use->site);
    use->site = NULL;
}

static void drop_uses(order_segment *segment)
{
    drop(&segment->write);
    for (uint32_t i = 0; i < segment->reads; i++) drop(&segment->read[i]);
    segment->reads = 0;
}

/* Removes and frees the segment after the cursor. */
static void take_out(order_memory *memory, cursor *place)
{
    order_segment *gone = *place->link[0];
    for (int i = 0; i < gone->levels; i++) *place->link[i] = gone->next[i];
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

static bool add_read(order_segment *segment, order_site *site, const order_clock *known)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < segment->reads; i++) {
        if (order_clock_covers(known, segment->read[i].lane, segment->read[i].time))
            drop(&segment->read[i]);
        else
            segment->read[kept++] = segment->read[i];
    }
    segment->reads = kept;
    if (kept == segment->capacity) {
        uint32_t capacity = 2 * kept + 2;
        stamp *larger = realloc(segment->read, capacity * sizeof *larger);
        if (!larger) return false;
        segment->read = larger;
        segment->capacity = capacity;
    }
    segment->read[segment->reads++] = stamp_of(site);
    return true;
}

/* Copies the uses of a segment to another that has none. */
static bool copy_uses(order_segment *copy, const order_segment *segment)
{
    if (segment->reads) {
        copy->read = malloc(segment->reads * sizeof *copy->read);
        if (!copy->read) return false;
        copy->capacity = segment->reads;
    }
    if (segment->write.site) copy->write = stamp_of(segment->write.site);
    for (uint32_t i = 0; i < segment->reads; i++) copy->read[copy->reads++] = stamp_of(segment->read[i].site);
    return true;
}

/* Splits the segment that lies across the address, if there is one. False if memory ran out. */
static bool split(order_memory *memory, uint64_t address)
{
    cursor place;
    order_segment *across = seek(&place, memory, address);
    if (!across || across->start >= address) return true;
    order_segment *head = insert(memory, &place, across->start, address);
    if (!head) return false;
    drop_recent(memory, across);
    across->start = address;
    return copy_uses(head, across);
}

/* The segment of exactly these bytes, replacing all that overlapped them; NULL if memory ran out. */
static order_segment *clear_segment(order_memory *memory, const order_use *use)
{
    cursor place;
    order_segment *found = seek(&place, memory, use->start);
    if (found && found->start == use->start && found->end == use->end) return found;
    if (!split(memory, use->start) || !split(memory, use->end)) return NULL;
    found = seek(&place, memory, use->start);
    while (found && found->start < use->end) {
        take_out(memory, &place);
        found = *place.link[0];
    }
    return insert(memory, &place, use->start, use->end);
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
    for (uint64_t start = use->start; start < use->end;) {
        cursor place;
        found = seek(&place, memory, start);
        if (!found || found->start > start) {
            uint64_t end = found && found->start < use->end ? found->start : use->end;
            found = insert(memory, &place, start, end);
        }
        if (!found || !add_read(found, site, known)) return false;
        keep_recent(memory, found);
        start = found->end;
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
    const order_segment *segment = recall(memory, use->start, use->end);
    if (!segment) segment = seek_to_read(memory, use->start);
    for (; segment && segment->start < use->end; segment = segment->next[0]) {
        order_use part = {segment->start > use->start ? segment->start : use->start,
                          segment->end < use->end ? segment->end : use->end, true};
        if (segment->write.site && !order_clock_covers(known, segment->write.lane, segment->write.time))
            found(user, segment->write.site, &part);
        part.writes = false;
        for (uint32_t i = 0; use->writes && i < segment->reads; i++)
            if (!order_clock_covers(known, segment->read[i].lane, segment->read[i].time))
                found(user, segment->read[i].site, &part);
    }
}

/* ------------------------------------------------------------------------------------------------------
 * Forgetting
 */

/* Which uses to forget. */
typedef struct sieve {
    const order_clock *known; /* those that this clock covers, ... */
    order_stays *stays;       /* ... or, with this, all but those for which it is true */
} sieve;

static bool falls_through(const sieve *rule, const stamp *use, uint64_t address)
{
    return rule->stays ? !rule->stays(use->site, address) : order_clock_covers(rule->known, use->lane, use->time);
}

static void sift(order_segment *segment, const sieve *rule)
{
    if (segment->write.site && falls_through(rule, &segment->write, segment->start)) drop(&segment->write);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < segment->reads; i++) {
        if (falls_through(rule, &segment->read[i], segment->start))
            drop(&segment->read[i]);
        else
            segment->read[kept++] = segment->read[i];
    }
    segment->reads = kept;
}

/* Sifts the segment after the cursor and moves the cursor past what is left of it. */
static void sift_and_pass(order_memory *memory, cursor *place, const sieve *rule)
{
    order_segment *each = *place->link[0];
    sift(each, rule);
    if (!each->write.site && each->reads == 0) {
        take_out(memory, place);
        return;
    }
    for (int i = 0; i < each->levels; i++) place->link[i] = &each->next[i];
}

bool order_memory_forget(order_memory *memory, uint64_t start, uint64_t end, order_stays *stays)
{
    cursor place;
    const order_segment *found = seek(&place, memory, start);
    if (!found || found->start >= end) return true;
    if (!split(memory, start) || !split(memory, end)) return false;
    const sieve rule = {.stays = stays};
    seek(&place, memory, start);
    while (*place.link[0] && (*place.link[0])->start < end) {
        if (stays)
            sift_and_pass(memory, &place, &rule);
        else
            take_out(memory, &place);
    }
    return true;
}

void order_memory_prune(order_memory *memory, const order_clock *known)
{
    const sieve rule = {.known = known};
    cursor place;
    seek_begin(&place, memory);
    while (*place.link[0]) sift_and_pass(memory, &place, &rule);
}

void order_memory_clear(order_memory *memory)
{
    cursor place;
    seek_begin(&place, memory);
    while (*place.link[0]) take_out(memory, &place);
}
