/* Cleaning of untrusted text. */
#include "base/plain_text.h"
#include "test.h"

#include <string.h>

static const char *cleaned(const char *text)
{
    static char out[256];
    size_t length = lab_text_clean(out, sizeof out, text, strlen(text));
    cr_assert_eq(length, strlen(out));
    return out;
}

Test(plain_text, harmless_text_stays_as_it_is)
{
    cr_assert_str_eq(cleaned(""), "");
    cr_assert_str_eq(cleaned("kernel_1 <b> \"q\" \\"), "kernel_1 <b> \"q\" \\");
    cr_assert_str_eq(cleaned("caf\u00E9 \u8A08\u7B97 \U0001F680"), "caf\u00E9 \u8A08\u7B97 \U0001F680");
}

Test(plain_text, line_ends_and_tabs_become_spaces) { cr_assert_str_eq(cleaned("a\r\n\tb"), "a   b"); }

Test(plain_text, what_steers_a_terminal_is_replaced)
{
    cr_assert_str_eq(cleaned("\033[31m\a\x7F"), "\uFFFD[31m\uFFFD\uFFFD");
    cr_assert_str_eq(cleaned("\xC2\x9B"
                             "31m"),
                     "\uFFFD31m");
    cr_assert_str_eq(cleaned("a\u202Eb\u2066\u2028"), "a\uFFFDb\uFFFD\uFFFD");
}

Test(plain_text, bytes_that_are_no_utf8_are_replaced_one_by_one)
{
    cr_assert_str_eq(cleaned("\xFF\xFE"), "\uFFFD\uFFFD");
    cr_assert_str_eq(cleaned("\xC3"), "\uFFFD");
    cr_assert_str_eq(cleaned("\xC0\xAF"), "\uFFFD\uFFFD");
    cr_assert_str_eq(cleaned("\xE0\x80\xAF"), "\uFFFD\uFFFD\uFFFD");
    cr_assert_str_eq(cleaned("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
    cr_assert_str_eq(cleaned("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
    cr_assert_str_eq(cleaned("\xE8\xA8x"), "\uFFFD\uFFFDx");
}

Test(plain_text, character_that_the_length_cuts_is_not_read_beyond_it)
{
    char out[16];
    lab_text_clean(out, sizeof out, "\u8A08", 2);
    cr_assert_str_eq(out, "\uFFFD\uFFFD");
}

Test(plain_text, cleaning_twice_changes_nothing)
{
    char once[64], twice[64];
    for (int first = 1; first < 256; first++)
        for (int second = 1; second < 256; second++) {
            const char text[] = {(char)first, (char)second, (char)0xA0, 'x', '\0'};
            lab_text_clean(once, sizeof once, text, strlen(text));
            lab_text_clean(twice, sizeof twice, once, strlen(once));
            cr_assert_str_eq(once, twice, "bytes %d %d", first, second);
        }
}

Test(plain_text, long_text_is_cut_between_characters)
{
    char out[6];
    cr_assert_eq(lab_text_clean(out, sizeof out, "ab\u8A08\u7B97", 8), 5);
    cr_assert_str_eq(out, "ab\u8A08");
    cr_assert_eq(lab_text_clean(out, 1, "abc", 3), 0);
    cr_assert_str_eq(out, "");
}

Test(plain_text, fit_counts_wide_characters_twice)
{
    cr_assert_eq(lab_text_fit("abcdef", 4), 4);
    cr_assert_eq(lab_text_fit("abc", 4), 3);
    cr_assert_eq(lab_text_fit("\u8A08\u7B97", 3), 3, "one of the two");
    cr_assert_eq(lab_text_fit("\u00E9\u00E9", 2), 4, "two narrow ones of two bytes");
    cr_assert_eq(lab_text_fit("abc", 0), 0);
}

Test(plain_text, characters_are_read_one_by_one)
{
    size_t bytes;
    cr_assert_eq(lab_text_character("\u00E9x", &bytes), 0xE9);
    cr_assert_eq(bytes, 2);
    cr_assert_eq(lab_text_character("\xC3", &bytes), LAB_TEXT_REPLACEMENT);
    cr_assert_eq(bytes, 1);
    cr_assert_eq(lab_text_character("", &bytes), 0);
    cr_assert_eq(bytes, 0);
}

Test(plain_text, characters_are_written_as_they_are_read)
{
    static const uint32_t characters[] = {'a', 0x7F, 0x80, 0x7FF, 0x800, 0xFFFD, 0x10000, 0x10FFFF};
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
        char text[5] = "";
        size_t bytes, written = lab_text_encode(text, characters[i]);
        cr_assert_eq(lab_text_character(text, &bytes), characters[i]);
        cr_assert_eq(bytes, written);
    }
}

/* The published values of FNV-1a. */
Test(plain_text, hash_is_fnv)
{
    cr_assert_eq(lab_text_hash("", 0), UINT64_C(0xcbf29ce484222325));
    cr_assert_eq(lab_text_hash("foobar", 6), UINT64_C(0x85944171f73967e8));
}
