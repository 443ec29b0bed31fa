/* Ranges: found by any address inside, never overlapping, removed by their beginning. */
#include "objects/contexts/ranges.h"
#include "test.h"

#include <pthread.h>

static bool add(uint64_t address, size_t bytes)
{
    bool overlap;
    return ranges_add(pinned_ranges, (range){.address = address, .bytes = bytes}, &overlap);
}

static bool holds(uint64_t address)
{
    range found;
    return ranges_find(pinned_ranges, address, &found);
}

Test(ranges, an_empty_table_holds_nothing)
{
    range removed;
    cr_assert_not(holds(0));
    cr_assert_not(holds(4096));
    cr_assert_not(holds(UINT64_MAX));
    cr_assert_not(ranges_remove(pinned_ranges, 4096, &removed));
}

Test(ranges, a_range_is_found_from_its_first_to_its_last_byte)
{
    cr_assert(add(4096, 100));
    cr_assert_not(holds(4095));
    cr_assert(holds(4096));
    cr_assert(holds(4195));
    cr_assert_not(holds(4196));
}

Test(ranges, the_range_found_is_the_one_added)
{
    struct context *context = (struct context *)&holds;
    bool overlap;
    cr_assert(ranges_add(pinned_ranges, (range){.address = 4096, .bytes = 100, .context = context, .registered = true},
                         &overlap));
    cr_assert_not(overlap);
    range found;
    cr_assert(ranges_find(pinned_ranges, 4100, &found));
    cr_assert_eq(found.address, 4096);
    cr_assert_eq(found.bytes, 100);
    cr_assert_eq(found.context, context);
    cr_assert(found.registered);
}

Test(ranges, overlapping_ranges_are_refused_and_adjacent_ones_are_not)
{
    static const struct {
        uint64_t address;
        size_t bytes;
        bool overlaps;
    } next_to_4096[] = {
        {4000, 96, false}, {4196, 10, false}, {4096, 100, true}, {4096, 1, true},  {4195, 1, true},
        {4195, 100, true}, {4000, 97, true},  {4000, 500, true}, {4100, 10, true}, {0, 4096, false},
    };
    for (size_t i = 0; i < sizeof next_to_4096 / sizeof *next_to_4096; i++) {
        range removed;
        bool overlap;
        cr_assert(add(4096, 100));
        range candidate = {.address = next_to_4096[i].address, .bytes = next_to_4096[i].bytes};
        bool added = ranges_add(pinned_ranges, candidate, &overlap);
        cr_assert_eq(added, !next_to_4096[i].overlaps, "range %zu", i);
        cr_assert_eq(overlap, next_to_4096[i].overlaps, "range %zu", i);
        if (added) ranges_remove(pinned_ranges, candidate.address, &removed);
        cr_assert(ranges_remove(pinned_ranges, 4096, &removed), "range %zu", i);
    }
}

Test(ranges, a_range_is_removed_by_its_beginning_only)
{
    range removed;
    cr_assert(add(4096, 100));
    cr_assert_not(ranges_remove(pinned_ranges, 4097, &removed));
    cr_assert_not(ranges_remove(pinned_ranges, 4095, &removed));
    cr_assert(ranges_remove(pinned_ranges, 4096, &removed));
    cr_assert_eq(removed.bytes, 100);
    cr_assert_not(holds(4096));
    cr_assert_not(ranges_remove(pinned_ranges, 4096, &removed));
}

Test(ranges, the_next_range_begins_behind_the_address)
{
    cr_assert(add(8192, 10) && add(4096, 100));
    cr_assert_eq(ranges_next(pinned_ranges, 0), 4096);
    cr_assert_eq(ranges_next(pinned_ranges, 4096), 8192, "a range that holds the address is not behind it");
    cr_assert_eq(ranges_next(pinned_ranges, 4200), 8192);
    cr_assert_eq(ranges_next(pinned_ranges, 8192), UINT64_MAX);
}

Test(ranges, the_tables_of_device_and_pinned_memory_are_two)
{
    range found;
    cr_assert(add(4096, 100));
    cr_assert_not(ranges_find(device_ranges, 4096, &found));
}

/* A fixed shuffle of 0 .. MANY-1: 7 and MANY have no common factor. */
enum { MANY = 1000 };
static uint64_t shuffled(int i) { return (uint64_t)(i * 7 % MANY) * 32 + 32; }

Test(ranges, many_ranges_added_in_any_order_are_all_found)
{
    range removed;
    for (int i = 0; i < MANY; i++) cr_assert(add(shuffled(i), 16));
    for (uint64_t i = 0; i < MANY; i++) {
        cr_assert(holds(i * 32 + 32 + 15), "range %llu", (unsigned long long)i);
        cr_assert_not(holds(i * 32 + 32 + 16), "after range %llu", (unsigned long long)i);
    }
    for (int i = 0; i < MANY; i += 2) cr_assert(ranges_remove(pinned_ranges, shuffled(i), &removed));
    for (int i = 0; i < MANY; i++) cr_assert_eq(holds(shuffled(i)), i % 2 == 1, "range %d", i);
}

static void *add_and_remove(void *user)
{
    uint64_t base = (uint64_t)(uintptr_t)user * 0x100000 + 0x100000;
    range removed;
    for (int round = 0; round < 300; round++) {
        for (uint64_t i = 0; i < 8; i++)
            if (!add(base + i * 64, 64)) return "could not add";
        for (uint64_t i = 0; i < 8; i++)
            if (!holds(base + i * 64 + 63)) return "did not find its own";
        for (uint64_t i = 0; i < 8; i++)
            if (!ranges_remove(pinned_ranges, base + i * 64, &removed)) return "could not remove its own";
    }
    return NULL;
}

Test(ranges, threads_may_add_find_and_remove_at_once)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&thread[i], NULL, add_and_remove, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        cr_assert_null(wrong, "%s", (const char *)wrong);
    }
}
