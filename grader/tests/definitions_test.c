/* The lines at which a student's file defines functions and tables. */
#include "test.h"

#include "judge/definitions.h"

/* "lab01_sum 3, lab01_waits 9" */
static char *found_in(const char *source)
{
    static char text[200];
    const char *name;
    json_t *lines = definitions_find(source, "lab01"), *line;
    *text = '\0';
    json_object_foreach(lines, name, line) snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %d",
                                                    *text ? ", " : "", name, (int)json_integer_value(line));
    json_decref(lines);
    return text;
}

Test(definitions, functions_and_tables_have_the_line_of_their_name)
{
    cr_assert_str_eq(found_in("lab_status\nlab01_sum(int (*f)(void))\n{\n}\nconst bool lab01_waits[4][4] = {\n};\n"),
                     "lab01_sum 2, lab01_waits 5");
    cr_assert_str_eq(found_in("int lab01_one(void) { return '{'; } int lab01_two(void)\n{ }"),
                     "lab01_one 1, lab01_two 1");
}

Test(definitions, declarations_calls_and_texts_are_none)
{
    cr_assert_str_eq(found_in("int lab01_sum(int a);\nextern int lab01_waits[2];\nint f(void) { lab01_sum(1); { } }"),
                     "");
    cr_assert_str_eq(found_in("/* int lab01_sum(void)\n{ } */ // int lab01_b(void) {}\nchar *s = \"\\\"lab01_c() {\";"),
                     "");
    cr_assert_str_eq(found_in("int lab01_sum((("), "");
    cr_assert_str_eq(found_in("int xlab01_sum(void) {} int lab01(void) {} \""), "");
}

Test(definitions, failed_checks_without_a_line_get_that_of_the_first_name_they_say)
{
    json_t *lines = definitions_find("\nint lab01_a(void) {}\nint lab01_ab(void) {}\n", "lab01");
    json_t *checks =
        json_pack("[{s:s, s:s, s:s}, {s:s, s:s}, {s:s, s:s}, {s:s, s:s, s:{s:i}}]", "status", "failed", "message",
                  "it waits", "found", "lab01_ab before lab01_a", "status", "passed", "message", "lab01_a", "status",
                  "failed", "message", "lab01_abc", "status", "failed", "message", "lab01_a", "location", "line", 7);
    cr_assert(definitions_locate(checks, lines, "lab01.c"));
    const json_t *place = json_object_get(json_array_get(checks, 0), "location");
    cr_assert_eq(json_integer_value(json_object_get(place, "line")), 3);
    cr_assert_str_eq(json_string_value(json_object_get(place, "function")), "lab01_ab");
    cr_assert_str_eq(json_string_value(json_object_get(place, "file")), "lab01.c");
    cr_assert_null(json_object_get(json_array_get(checks, 1), "location"));
    cr_assert_null(json_object_get(json_array_get(checks, 2), "location"));
    place = json_object_get(json_array_get(checks, 3), "location");
    cr_assert_eq(json_integer_value(json_object_get(place, "line")), 7);
    json_decref(checks);
    json_decref(lines);
}
