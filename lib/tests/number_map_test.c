/* The map from numbers to pointers compared with a plain table: nothing is lost when entries move. */
#include "base/number_map.h"
#include "test.h"

enum { KEYS = 500, STEPS = 20000 };

Test(number_map, is_empty_at_first)
{
    number_map map = {0};
    cr_assert_null(number_map_get(&map, 1));
    number_map_remove(&map, 1);
    number_map_clear(&map);
}

Test(number_map, random_puts_and_removals_agree_with_a_table)
{
    static char object[KEYS];
    bool there[KEYS] = {false};
    number_map map = {0};
    uint64_t random = 1;
    size_t count = 0;
    for (int step = 0; step < STEPS; step++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t which = (size_t)(random >> 33) % KEYS;
        uint64_t key = (which + 1) * 512;
        cr_assert_eq(number_map_get(&map, key), there[which] ? &object[which] : NULL);
        if (there[which]) {
            number_map_remove(&map, key);
            count--;
        } else {
            cr_assert(number_map_reserve(&map, 1));
            number_map_put(&map, key, &object[which]);
            count++;
        }
        there[which] = !there[which];
        cr_assert_eq(map.count, count);
    }
    for (size_t i = 0; i < KEYS; i++) cr_assert_eq(number_map_get(&map, (i + 1) * 512), there[i] ? &object[i] : NULL);
    number_map_clear(&map);
}
