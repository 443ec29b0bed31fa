/* The order checker's memory against a list of uses for each byte, on random uses of few bytes: what conflicts, and what
 * is left when uses are forgotten. Knows nothing of streams: lanes and what is known of them are drawn. */
#include "test.h"
#include "order/order_state.h"

#include <string.h>

enum { BASE = 4096, BYTES = 48, LANES = 4, MOST_READS = 64, STEPS = 4000 };

/* A use, as the model remembers it. */
typedef struct known_use {
    uint64_t number; /* 0: none */
    uint32_t lane;
    uint64_t time;
    bool unseen;
} known_use;

typedef struct model_byte {
    known_use write;
    known_use read[MOST_READS];
    int reads;
} model_byte;

/* How often a use of each byte was reported: the sum of their numbers tells which. */
typedef struct reported {
    uint64_t writes[BYTES], reads[BYTES];
} reported;

typedef struct bed {
    order_memory memory;
    model_byte byte[BYTES];
    uint32_t lane[LANES];
    uint64_t number, random;
} bed;

static uint64_t draw(bed *on, uint64_t below)
{
    on->random ^= on->random << 13;
    on->random ^= on->random >> 7;
    on->random ^= on->random << 17;
    return (on->random >> 11) % below;
}

static void begin(bed *on, uint64_t seed)
{
    memset(on, 0, sizeof *on);
    on->random = seed * UINT64_C(0x9e3779b97f4a7c15);
    on->memory.random = on->random;
    for (int i = 0; i < LANES; i++) cr_assert(order_lane_take(&on->lane[i]));
}

static void end(bed *on)
{
    order_memory_clear(&on->memory);
    cr_assert_eq(on->memory.segments, 0);
    for (int i = 0; i < LANES; i++) order_lane_give_back(on->lane[i]);
}

/* Any bytes, or one of a few pieces that come again and again. */
static order_use draw_use(bed *on)
{
    uint64_t start = draw(on, BYTES), bytes = 1 + draw(on, BYTES - start);
    if (draw(on, 3)) {
        start = draw(on, 4) * (BYTES / 4);
        bytes = BYTES / 4;
    }
    return (order_use){BASE + start, BASE + start + bytes, draw(on, 2)};
}

/* NULL now and then; else some time of each lane, up to the last one. */
static order_clock *draw_clock(bed *on)
{
    order_clock *drawn = NULL;
    for (int i = 0; i < LANES; i++)
        if (draw(on, 2)) cr_assert(order_clock_set(&drawn, on->lane[i], draw(on, on->number + 1)));
    return drawn;
}

static bool covers(const order_clock *known, const known_use *use)
{
    return order_clock_covers(known, use->lane, use->time);
}

static void note(bed *on)
{
    const order_use use = draw_use(on);
    const order_node node = {.kind = LAB_OP_KERNEL, .name = "", .file = ""};
    order_clock *known = draw_clock(on);
    order_site *site = order_site_create(&node, on->lane[draw(on, LANES)], ++on->number);
    cr_assert(site);
    site->unseen = draw(on, 4) == 0;
    const known_use made = {on->number, site->lane, site->time, site->unseen};
    cr_assert(order_memory_note(&on->memory, &use, site, known));
    order_site_release(site);
    for (model_byte *byte = on->byte + (use.start - BASE); byte < on->byte + (use.end - BASE); byte++) {
        int kept = 0;
        for (int i = 0; i < byte->reads && !use.writes; i++)
            if (!covers(known, &byte->read[i])) byte->read[kept++] = byte->read[i];
        byte->reads = kept;
        if (use.writes) {
            byte->write = made;
        } else {
            cr_assert_lt(byte->reads, MOST_READS);
            byte->read[byte->reads++] = made;
        }
    }
    order_clock_release(known);
}

static void report(void *user, const order_site *site, const order_use *part)
{
    reported *of = user;
    cr_assert(part->start >= BASE && part->end <= BASE + BYTES && part->start < part->end);
    for (uint64_t at = part->start - BASE; at < part->end - BASE; at++)
        *(part->writes ? &of->writes[at] : &of->reads[at]) += site->number;
}

static void compare(bed *on)
{
    const order_use use = draw_use(on);
    order_clock *known = draw_clock(on);
    reported got = {0}, expected = {0};
    order_memory_conflicts(&on->memory, &use, known, report, &got);
    for (uint64_t at = use.start - BASE; at < use.end - BASE; at++) {
        const model_byte *byte = &on->byte[at];
        if (byte->write.number && !covers(known, &byte->write)) expected.writes[at] = byte->write.number;
        for (int i = 0; i < byte->reads && use.writes; i++)
            if (!covers(known, &byte->read[i])) expected.reads[at] += byte->read[i].number;
    }
    cr_assert_eq(memcmp(&got, &expected, sizeof got), 0, "after %llu uses", (unsigned long long)on->number);
    order_clock_release(known);
}

/* Of the bytes only what `known` covers; all if that is NULL, but for the unseen uses if they stay. */
static void forget_bytes(bed *on, const order_use *use, const order_clock *known, bool unseen_stay)
{
    for (model_byte *byte = on->byte + (use->start - BASE); byte < on->byte + (use->end - BASE); byte++) {
        int kept = 0;
        for (int i = 0; i < byte->reads; i++)
            if (known ? !covers(known, &byte->read[i]) : unseen_stay && byte->read[i].unseen)
                byte->read[kept++] = byte->read[i];
        byte->reads = kept;
        if (known ? covers(known, &byte->write) : !unseen_stay || !byte->write.unseen) byte->write = (known_use){0};
    }
}

static void forget(bed *on)
{
    const order_use use = draw_use(on);
    const bool unseen_stay = draw(on, 2);
    cr_assert(order_memory_forget(&on->memory, use.start, use.end, unseen_stay));
    forget_bytes(on, &use, NULL, unseen_stay);
}

static void prune(bed *on)
{
    const order_use all = {BASE, BASE + BYTES, false};
    order_clock *known = draw_clock(on);
    order_memory_prune(&on->memory, known);
    if (known) forget_bytes(on, &all, known, false);
    order_clock_release(known);
}

static void run(uint64_t seed)
{
    static bed on;
    begin(&on, seed);
    for (int i = 0; i < STEPS; i++) {
        const uint64_t what = draw(&on, 40);
        if (what == 0)
            prune(&on);
        else if (what < 4)
            forget(&on);
        else if (what < 20)
            note(&on);
        else
            compare(&on);
    }
    end(&on);
}

Test(order_memory, conflicts_are_those_of_each_byte)
{
    for (uint64_t seed = 1; seed <= 20; seed++) run(seed);
}

/* Not to be mistaken for the bytes that begin where they did. */
Test(order_memory, bytes_that_were_cut_are_searched_anew)
{
    static bed on;
    begin(&on, 1);
    const order_node node = {.kind = LAB_OP_KERNEL, .name = "", .file = ""};
    const order_use all = {BASE, BASE + 16, true}, head = {BASE, BASE + 8, true}, tail = {BASE + 8, BASE + 16, true};
    order_site *first = order_site_create(&node, on.lane[0], 1), *second = order_site_create(&node, on.lane[1], 2);
    cr_assert(first && second);
    cr_assert(order_memory_note(&on.memory, &all, first, NULL));
    cr_assert(order_memory_note(&on.memory, &head, second, NULL));
    reported got = {0};
    order_memory_conflicts(&on.memory, &all, NULL, report, &got);
    order_memory_conflicts(&on.memory, &tail, NULL, report, &got);
    order_memory_conflicts(&on.memory, &head, NULL, report, &got);
    cr_assert_eq(got.writes[0], 2 * 2);
    cr_assert_eq(got.writes[7], 2 * 2);
    cr_assert_eq(got.writes[8], 2 * 1);
    cr_assert_eq(got.writes[15], 2 * 1);
    order_site_release(first);
    order_site_release(second);
    end(&on);
}
