/* The lines at which a student's file defines functions and tables. */
#include "test.h"

#include "judge/definitions.h"

/* "lab01_sum 3-4, lab01_waits 9-12" */
static char *found_in(const char *source)
{
    static char text[300];
    const char *name;
    json_t *lines = definitions_find(source), *line;
    *text = '\0';
    json_object_foreach(lines, name, line)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %d-%d", *text ? ", " : "", name,
                 (int)json_integer_value(json_array_get(line, 0)), (int)json_integer_value(json_array_get(line, 1)));
    json_decref(lines);
    return text;
}

Test(definitions, functions_begin_with_their_code_and_tables_with_their_name)
{
    cr_assert_str_eq(found_in("lab_status\nlab01_sum(int (*f)(void))\n{\n    /* Task */\n    int a;\n}\n"),
                     "lab01_sum 5-6");
    cr_assert_str_eq(found_in("lab_status\nlab01_sum(int (*f)(void))\n{\n}\nconst lab_status lab01_foreign =\n3;\n"),
                     "lab01_sum 2-4, lab01_foreign 5-6");
    cr_assert_str_eq(found_in("int lab01_one(void) { return '{'; } int lab01_two(void)\n{ }"),
                     "lab01_one 1-1, lab01_two 1-2");
}

Test(definitions, entries_of_tables_and_cases_of_functions_have_their_lines)
{
    cr_assert_str_eq(found_in("const bool lab01_waits[2][2] =\n{\n  [A] = {1, f(2, 3)},\n  [B] = {3, 4},\n};\n"),
                     "lab01_waits 1-5, lab01_waits[0] 3-3, lab01_waits[1] 4-4");
    cr_assert_str_eq(found_in("int f(int x)\n{\n  switch (x) {\n  case LAB_INT8: return 1;\n  default: g(); } }"),
                     "f 3-5, f(LAB_INT8) 4-4, f(default) 5-5");
}

Test(definitions, declarations_calls_and_texts_are_none)
{
    cr_assert_str_eq(found_in("int lab01_sum(int a);\nextern int lab01_waits[2];\nlab_status f(void);"), "");
    cr_assert_str_eq(found_in("/* int lab01_sum(void)\n{ } */ // int lab01_b(void) {}\nchar *s = \"\\\"lab01_c() {\";"),
                     "s 3-3");
    cr_assert_str_eq(found_in("int lab01_sum((("), "");
}

/* The location that a failed check gets which has this message and location, in the file of these lines. */
static const char *located(const char *source, const char *message, const char *location)
{
    static char text[64];
    json_t *lines = definitions_find(source), *place = location ? json_loads(location, 0, NULL) : json_null();
    json_t *checks = json_pack("[{s:s, s:s, s:o}]", "status", "failed", "message", message, "location", place);
    cr_assert(definitions_locate(checks, lines, "lab01.c", "lab01"));
    place = json_object_get(json_array_get(checks, 0), "location");
    cr_assert(json_is_object(place) || json_is_null(place));
    cr_assert_null(json_object_get(place, "guessed"));
    snprintf(text, sizeof text, "%s:%d %s",
             json_is_object(place) ? json_string_value(json_object_get(place, "file")) : "",
             (int)json_integer_value(json_object_get(place, "line")),
             json_is_object(place) ? json_string_value(json_object_get(place, "function")) : "");
    json_decref(checks);
    json_decref(lines);
    return text;
}

static const char two[] = "\nint lab01_a(void) {}\nint lab01_ab(void) {\n f();\n f();\n}\nint t[2] = {\n 1, 2};\n";

Test(definitions, failed_checks_without_a_line_get_that_of_the_first_name_they_say)
{
    cr_assert_str_eq(located(two, "lab01_ab before lab01_a", NULL), "lab01.c:4 lab01_ab");
    cr_assert_str_eq(located(two, "lab01_abc and t", NULL), ":0 ");
    cr_assert_str_eq(located(two, "lab01_a", "{\"file\": \"lab01.c\", \"line\": 7, \"function\": \"\"}"), "lab01.c:7 ");
}

Test(definitions, a_check_may_say_at_which_definition_to_look)
{
    cr_assert_str_eq(located(two, "lab01_a", "{\"file\": \"\", \"line\": 0, \"function\": \"t[1]\"}"),
                     "lab01.c:8 t[1]");
    cr_assert_str_eq(located(two, "lab01_a", "{\"file\": \"\", \"line\": 0, \"function\": \"t[2]\"}"),
                     "lab01.c:7 t[2]");
    cr_assert_str_eq(located(two, "lab01_a", "{\"file\": \"\", \"line\": 0, \"function\": \"u\"}"),
                     "lab01.c:2 lab01_a");
    cr_assert_str_eq(located(two, "it", "{\"file\": \"\", \"line\": 0, \"function\": \"u\"}"), ":0 ");
    cr_assert_str_eq(located(two, "it", "{\"file\": \"\", \"line\": 0, \"function\": \"end of lab01_ab\"}"),
                     "lab01.c:6 lab01_ab");
}

Test(definitions, a_check_may_say_at_which_word_of_a_function_to_look)
{
    static const char source[] = "int lab01_a(int n)\n{\n /* n */\n g();\n\n h(n + 1);\n h(n, nn);\n}\n";
    cr_assert_str_eq(located(source, "it", "{\"file\": \"\", \"line\": 0, \"function\": \"n in lab01_a\"}"),
                     "lab01.c:6 lab01_a");
    cr_assert_str_eq(located(source, "it", "{\"file\": \"\", \"line\": 0, \"function\": \"nn in lab01_a\"}"),
                     "lab01.c:7 lab01_a");
    cr_assert_str_eq(located(source, "it", "{\"file\": \"\", \"line\": 0, \"function\": \"m in lab01_a\"}"),
                     "lab01.c:4 lab01_a");
    cr_assert_str_eq(located(source, "lab01_a", "{\"file\": \"\", \"line\": 0, \"function\": \"n in f\"}"),
                     "lab01.c:4 lab01_a");
}

Test(definitions, a_guessed_line_counts_in_the_function_of_which_the_check_speaks)
{
    static const char *const guess = "{\"file\": \"lab01.c\", \"line\": 5, \"function\": \"\", \"guessed\": true}";
    cr_assert_str_eq(located(two, "lab01_ab", guess), "lab01.c:5 ");
    cr_assert_str_eq(located(two, "lab01_a", guess), "lab01.c:2 lab01_a");
    cr_assert_str_eq(located(two, "it", guess), "lab01.c:5 ");
}

/* So many times this text, behind a beginning. */
static char *repeated(const char *begin, const char *text, size_t bytes)
{
    char *made = malloc(bytes + strlen(text) + strlen(begin) + 1), *at = made + sprintf(made, "%s", begin);
    while ((size_t)(at - made) < bytes) at += sprintf(at, "%s", text);
    return made;
}

/* The largest file that a student may hand in. What looks at each part from the beginning takes minutes here. */
Test(definitions, of_a_large_file_are_found_by_reading_it_once)
{
    static const char *const parts[][2] = {
        {"", "a("}, {"", "a["}, {"", "a="}, {"int t[] = {", "0,\n"}, {"int f(void) {", "case 1:\n"}, {"", "f(){a b}"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *source = repeated(parts[i][0], parts[i][1], 1 << 20);
        json_t *lines = definitions_find(source);
        cr_assert_not_null(lines);
        json_decref(lines);
        free(source);
    }
}
