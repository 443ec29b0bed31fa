/* What a launch touched, as ranges. Of too many ranges neighbours become one, but never over another allocation, which
 * begins at a multiple of 256 bytes. */
#include "cpu/checks/touched.h"
#include "test.h"

#include <stdlib.h>

enum { START = 1 << 20, MOST = 16 };

/* `count` words, one every `step` bytes. */
static touched *note_words(int count, int step)
{
    touched_recent recent = {0};
    touched *noted = touched_create();
    cr_assert_not_null(noted);
    for (int i = 0; i < count; i++) touched_note(noted, &recent, START + (uintptr_t)i * step, 4, CPU_SITE_WRITE);
    return noted;
}

Test(touched, few_ranges_stay_apart)
{
    touched_range *range;
    size_t count;
    touched *noted = note_words(MOST, 8);
    cr_assert(touched_list(&range, &count, noted, MOST));
    cr_assert_eq(count, MOST);
    cr_assert_eq(range[1].start, START + 8);
    cr_assert_eq(range[1].end, START + 12);
    free(range);
    touched_free(noted);
}

Test(touched, neighbours_become_one_if_there_are_too_many)
{
    touched_range *range;
    size_t count;
    touched *noted = note_words(MOST + 1, 128);
    cr_assert(touched_list(&range, &count, noted, MOST));
    cr_assert_eq(count, 1);
    cr_assert_eq(range->start, START);
    cr_assert_eq(range->end, START + MOST * 128 + 4);
    free(range);
    touched_free(noted);
}

Test(touched, too_many_ranges_far_from_each_other_are_not_listed)
{
    touched_range *range;
    size_t count;
    touched *noted = note_words(MOST + 1, 512);
    cr_assert_not(touched_list(&range, &count, noted, MOST));
    cr_assert_null(range);
    cr_assert_eq(count, 0);
    touched_free(noted);
}

Test(touched, a_byte_that_is_read_twice_counts_once)
{
    touched_recent recent = {0};
    touched *noted = touched_create();
    cr_assert_not_null(noted);
    touched_note(noted, &recent, START + 4090, 12, CPU_SITE_READ);
    touched_note(noted, &recent, START + 4094, 10, CPU_SITE_ATOMIC);
    touched_note(noted, &recent, START, 8, CPU_SITE_WRITE);
    cr_assert_eq(touched_bytes_read(noted), 14);
    touched_free(noted);
}
