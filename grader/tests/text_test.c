/* Untrusted text on its way to JSON, pages and file names. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "judge/source_file.h"
#include "base/text.h"

static void assert_clean(const char *text, size_t bytes, const char *expected)
{
    char *clean = text_clean(text, bytes);
    cr_assert_str_eq(clean, expected, "cleaned to \"%s\"", clean);
    free(clean);
}

Test(text, clean_keeps_lines_and_characters) { assert_clean("größe\n  σ=2\n", 15, "größe\n  σ=2\n"); }

Test(text, clean_replaces_terminal_controls) { assert_clean("a\033[2Jb", 6, "a\xEF\xBF\xBD[2Jb"); }

Test(text, clean_replaces_invalid_utf8) { assert_clean("a\xFFz\xC3", 4, "a\xEF\xBF\xBDz\xEF\xBF\xBD"); }

Test(text, clean_ends_lines_of_other_systems_with_newlines) { assert_clean("a\r\nb\r\n", 6, "a\nb\n"); }

Test(text, clean_survives_a_zero_byte)
{
    assert_clean("a\0b", 3,
                 "a\xEF\xBF\xBD"
                 "b");
}

Test(text, clean_line_has_no_newline)
{
    char *clean = text_clean_line("Ada\nLovelace\n", 13);
    cr_assert_str_eq(clean, "Ada Lovelace");
    free(clean);
}

Test(text, safe_name_keeps_a_plain_name)
{
    char *safe = text_safe_name("ada_1815-12.10");
    cr_assert_str_eq(safe, "ada_1815-12.10");
    free(safe);
}

static void assert_safe(const char *name, const char *beginning)
{
    char *safe = text_safe_name(name);
    size_t length = strlen(safe);
    cr_assert(strncmp(safe, beginning, strlen(beginning)) == 0, "\"%s\" became \"%s\"", name, safe);
    cr_assert_eq(length, strlen(beginning) + 9, "a checksum follows: \"%s\"", safe);
    cr_assert_eq(strspn(safe, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"), length);
    free(safe);
}

Test(text, safe_name_replaces_spaces_quotes_and_newlines)
{
    assert_safe("Ada \"A\"\nLovelace/..", "Ada__A__Lovelace_..");
}

Test(text, safe_name_hides_no_file_and_is_no_option)
{
    assert_safe("..", "_.");
    assert_safe("-rf", "_rf");
    assert_safe("", "");
}

Test(text, safe_name_is_none_of_the_graders_own_files)
{
    const char *const own[] = {"index.html",    "Results.JSON",  "grades.db",   "grades.lock",
                               "grades.db-wal", "grading.jsonl", "course.json", "anonymous.key"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        char *safe = text_safe_name(own[i]);
        cr_assert_str_neq(safe, own[i]);
        free(safe);
    }
}

Test(text, safe_name_tells_similar_names_apart)
{
    char *one = text_safe_name("Ada L"), *other = text_safe_name("Ada?L");
    cr_assert_str_neq(one, other);
    free(one);
    free(other);
}

Test(text, safe_name_cuts_a_long_name)
{
    char name[400];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    char *safe = text_safe_name(name);
    cr_assert_lt(strlen(safe), 100u);
    free(safe);
}

Test(text, buffer_grows_and_stays_terminated)
{
    text_buffer buffer = {0};
    for (int i = 0; i < 1000; i++) text_format(&buffer, "%d,", i);
    cr_assert_not(buffer.failed);
    cr_assert_eq(buffer.length, strlen(buffer.text));
    cr_assert_eq(buffer.length, 3890u);
    free(buffer.text);
}
