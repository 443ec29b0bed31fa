/* The order checker's memory compared with a list of uses for each byte, on random uses of a few bytes: the conflicts,
 * and the uses that remain when others are forgotten. There are no streams: lanes and clocks are random. */
#include "test.h"
#include "order/order_state.h"

#include <string.h>

enum { BASE = 4096, BYTES = 48, LANES = 4, MOST_READS = 64, STEPS = 4000 };

/* A use in the model. */
typedef struct known_use {
    uint64_t number; /* 0 for none */
    uint32_t lane;
    uint64_t time;
    bool unseen;
} known_use;

typedef struct model_byte {
    known_use write;
    known_use read[MOST_READS];
    int reads;
} model_byte;

/* How often a use of each byte was reported, and the sum of the uses' numbers, which identifies them. */
typedef struct reported {
    uint64_t writes[BYTES], reads[BYTES];
} reported;

typedef struct bed {
    order_memory memory;
    model_byte byte[BYTES];
    uint32_t lane[LANES];
    uint64_t number, random;
} bed;

static uint64_t draw(bed *loaded, uint64_t below)
{
    loaded->random ^= loaded->random << 13;
    loaded->random ^= loaded->random >> 7;
    loaded->random ^= loaded->random << 17;
    return (loaded->random >> 11) % below;
}

static void begin(bed *loaded, uint64_t seed)
{
    memset(loaded, 0, sizeof *loaded);
    loaded->random = seed * UINT64_C(0x9e3779b97f4a7c15);
    loaded->memory.random = loaded->random;
    for (int i = 0; i < LANES; i++) cr_assert(order_lane_take(&loaded->lane[i]));
}

static void end(bed *loaded)
{
    order_memory_clear(&loaded->memory);
    cr_assert_eq(loaded->memory.segments, 0);
    for (int i = 0; i < LANES; i++) order_lane_give_back(loaded->lane[i]);
}

/* Any bytes, or one of a few ranges that recur. */
static order_use draw_use(bed *loaded)
{
    uint64_t start = draw(loaded, BYTES), bytes = 1 + draw(loaded, BYTES - start);
    if (draw(loaded, 3)) {
        start = draw(loaded, 4) * (BYTES / 4);
        bytes = BYTES / 4;
    }
    return (order_use){BASE + start, BASE + start + bytes, draw(loaded, 2)};
}

/* Sometimes NULL; else a time for each lane, up to its last one. */
static order_clock *draw_clock(bed *loaded)
{
    order_clock *drawn = NULL;
    for (int i = 0; i < LANES; i++)
        if (draw(loaded, 2)) cr_assert(order_clock_set(&drawn, loaded->lane[i], draw(loaded, loaded->number + 1)));
    return drawn;
}

static bool covers(const order_clock *known, const known_use *use)
{
    return order_clock_covers(known, use->lane, use->time);
}

static void note(bed *loaded)
{
    const order_use use = draw_use(loaded);
    const order_node node = {.kind = LAB_OP_KERNEL, .name = "", .file = ""};
    order_clock *known = draw_clock(loaded);
    order_site *site = order_site_create(&node, loaded->lane[draw(loaded, LANES)], ++loaded->number);
    cr_assert(site);
    site->unseen = draw(loaded, 4) == 0;
    const known_use made = {loaded->number, site->lane, site->time, site->unseen};
    cr_assert(order_memory_note(&loaded->memory, &use, site, known));
    order_site_release(site);
    for (model_byte *byte = loaded->byte + (use.start - BASE); byte < loaded->byte + (use.end - BASE); byte++) {
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
    reported *reports = user;
    cr_assert(part->start >= BASE && part->end <= BASE + BYTES && part->start < part->end);
    for (uint64_t at = part->start - BASE; at < part->end - BASE; at++)
        *(part->writes ? &reports->writes[at] : &reports->reads[at]) += site->number;
}

static void compare(bed *loaded)
{
    const order_use use = draw_use(loaded);
    order_clock *known = draw_clock(loaded);
    reported got = {0}, expected = {0};
    order_memory_conflicts(&loaded->memory, &use, known, report, &got);
    for (uint64_t at = use.start - BASE; at < use.end - BASE; at++) {
        const model_byte *byte = &loaded->byte[at];
        if (byte->write.number && !covers(known, &byte->write)) expected.writes[at] = byte->write.number;
        for (int i = 0; i < byte->reads && use.writes; i++)
            if (!covers(known, &byte->read[i])) expected.reads[at] += byte->read[i].number;
    }
    cr_assert_eq(memcmp(&got, &expected, sizeof got), 0, "after %llu uses", (unsigned long long)loaded->number);
    order_clock_release(known);
}

/* Forgets the uses of the bytes that `known` covers; all uses if that is NULL, except unseen ones if `unseen_stay`. */
static void forget_bytes(bed *loaded, const order_use *use, const order_clock *known, bool unseen_stay)
{
    for (model_byte *byte = loaded->byte + (use->start - BASE); byte < loaded->byte + (use->end - BASE); byte++) {
        int kept = 0;
        for (int i = 0; i < byte->reads; i++)
            if (known ? !covers(known, &byte->read[i]) : unseen_stay && byte->read[i].unseen)
                byte->read[kept++] = byte->read[i];
        byte->reads = kept;
        if (known ? covers(known, &byte->write) : !unseen_stay || !byte->write.unseen) byte->write = (known_use){0};
    }
}

static bool is_unseen(const order_site *site, uint64_t address)
{
    (void)address;
    return site->unseen;
}

static void forget(bed *loaded)
{
    const order_use use = draw_use(loaded);
    const bool unseen_stay = draw(loaded, 2);
    cr_assert(order_memory_forget(&loaded->memory, use.start, use.end, unseen_stay ? is_unseen : NULL));
    forget_bytes(loaded, &use, NULL, unseen_stay);
}

static void prune(bed *loaded)
{
    const order_use all = {BASE, BASE + BYTES, false};
    order_clock *known = draw_clock(loaded);
    order_memory_prune(&loaded->memory, known);
    if (known) forget_bytes(loaded, &all, known, false);
    order_clock_release(known);
}

static void run(uint64_t seed)
{
    static bed loaded;
    begin(&loaded, seed);
    for (int i = 0; i < STEPS; i++) {
        const uint64_t what = draw(&loaded, 40);
        if (what == 0)
            prune(&loaded);
        else if (what < 4)
            forget(&loaded);
        else if (what < 20)
            note(&loaded);
        else
            compare(&loaded);
    }
    end(&loaded);
}

Test(order_memory, conflicts_are_those_of_each_byte)
{
    for (uint64_t seed = 1; seed <= 20; seed++) run(seed);
}

/* The rest must not be mistaken for the bytes that began at the same place. */
Test(order_memory, bytes_that_were_split_are_searched_again)
{
    static bed loaded;
    begin(&loaded, 1);
    const order_node node = {.kind = LAB_OP_KERNEL, .name = "", .file = ""};
    const order_use all = {BASE, BASE + 16, true}, head = {BASE, BASE + 8, true}, tail = {BASE + 8, BASE + 16, true};
    order_site *first = order_site_create(&node, loaded.lane[0], 1),
               *second = order_site_create(&node, loaded.lane[1], 2);
    cr_assert(first && second);
    cr_assert(order_memory_note(&loaded.memory, &all, first, NULL));
    cr_assert(order_memory_note(&loaded.memory, &head, second, NULL));
    reported got = {0};
    order_memory_conflicts(&loaded.memory, &all, NULL, report, &got);
    order_memory_conflicts(&loaded.memory, &tail, NULL, report, &got);
    order_memory_conflicts(&loaded.memory, &head, NULL, report, &got);
    cr_assert_eq(got.writes[0], 2 * 2);
    cr_assert_eq(got.writes[7], 2 * 2);
    cr_assert_eq(got.writes[8], 2 * 1);
    cr_assert_eq(got.writes[15], 2 * 1);
    order_site_release(first);
    order_site_release(second);
    end(&loaded);
}
