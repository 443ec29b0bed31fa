/* What a student's file still has of the starter. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "judge/definitions.h"
#include "judge/open_tasks.h"

static const char starter[] = "lab_status lab01_sum(void)\n"
                              "{\n"
                              "    /* TODO(1): sum. */\n"
                              "    return 0;\n"
                              "}\n"
                              "\n"
                              "/* Given. */\n"
                              "static int lab01_given(void) { return 1; }\n"
                              "\n"
                              "const int lab01_table[2] = {\n"
                              "    0, /* TODO(2) */\n"
                              "    0, /* TODO(3) */\n"
                              "};\n"
                              "\n"
                              "int lab01_audit(void)\n"
                              "{\n"
                              "    /* TODO(4) in this function */\n"
                              "    return lab01_given();\n"
                              "}\n";

/* The starter with its first text replaced; to be freed. */
static char *with(const char *text, const char *by)
{
    const char *at = strstr(starter, text);
    cr_assert_not_null(at);
    char *source = calloc(1, sizeof starter + strlen(by));
    memcpy(source, starter, (size_t)(at - starter));
    strcat(source, by);
    strcat(source, at + strlen(text));
    return source;
}

/* The definitions of a source without directives, in which no comment goes over a line; to be freed. */
static json_t *definitions_of(const char *source)
{
    char *text = text_make("# 1 \"lab01.c\"\n%s", source);
    for (char *comment = text; (comment = strstr(comment, "/*"));) {
        const size_t length = (size_t)(strstr(comment, "*/") + 2 - comment);
        memset(comment, ' ', length);
    }
    json_t *definitions = definitions_find((preprocessed_text){text, strlen(text)}, "lab01.c");
    free(text);
    return definitions;
}

/* "lab01_sum 2, lab01_table 12" */
static char *untouched_in(const char *source)
{
    static char text[200];
    json_t *definitions = definitions_of(source), *given = definitions_of(starter),
           *untouched = open_tasks_untouched(source, definitions, starter, given);
    const char *name;
    json_t *tasks;
    *text = '\0';
    json_object_foreach(untouched, name, tasks) snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %d",
                                                         *text ? ", " : "", name, (int)json_integer_value(tasks));
    json_decref(definitions);
    json_decref(given);
    json_decref(untouched);
    return text;
}

static void assert_untouched(char *source, const char *expected)
{
    cr_assert_str_eq(untouched_in(source), expected, "%s", untouched_in(source));
    free(source);
}

Test(open_tasks, of_a_starter_are_its_marked_definitions_but_not_those_to_search)
{
    assert_untouched(strdup(starter), "lab01_sum 2, lab01_table 12");
}

Test(open_tasks, a_definition_is_touched_by_code_and_not_by_blanks_or_marks)
{
    assert_untouched(with("return 0;", "return   0 ;\r"), "lab01_sum 2, lab01_table 12");
    assert_untouched(with("/* TODO(1): sum. */", ""), "lab01_sum 2, lab01_table 12");
    assert_untouched(with("return 0;", "return add();"), "lab01_table 12");
    assert_untouched(with("    0, /* TODO(3) */", "    1, /* TODO(3) */"), "lab01_sum 2");
    assert_untouched(strdup("void"), "");
}

Test(open_tasks, marks_have_numbers_below_64)
{
    static const char text[] = "// TODO(2) a\n// TODO(1) b\n// TODO(2) c\nTODO(x) TODO( TODO(64) TODO(-1) TODO(3";
    cr_assert_eq(open_tasks_marked(text, strlen(text)), 6u);
    cr_assert_eq(open_tasks_marked("", 0), 0u);
}

static json_t *check(const char *title, const char *status, int line)
{
    return json_pack("{s:s, s:s, s:{s:s, s:i}}", "title", title, "status", status, "location", "file", "lab01.c",
                     "line", line);
}

static void assert_left(uint64_t marked, json_t *checks, const char *expected)
{
    json_t *untouched = json_pack("{s:i}", "lab01_sum", 2);
    char *left = open_tasks_left(marked, checks, untouched);
    cr_assert_str_eq(left, expected, "%s", left);
    free(left);
    json_decref(checks);
    json_decref(untouched);
}

Test(open_tasks, those_left_are_marked_and_not_done)
{
    json_t *checks = json_pack("[o, o, o, o]", check("Task 1: a", "passed", 0), check("Task 2: a", "passed", 0),
                               check("Task 3: a", "passed", 0), check("Program 3: b", "failed", 0));
    assert_left(0x3e, json_incref(checks), "1, 3, 4, 5");
    assert_left(0x0c, checks, "3");
    assert_left(0x0c, json_pack("[o, o]", check("Task 2: a", "passed", 0), check("Task 3: b", "not run", 0)), "3");
}

Test(open_tasks, a_failed_check_in_an_untouched_definition_is_marked)
{
    json_t *definitions = definitions_of(starter),
           *untouched = open_tasks_untouched(starter, definitions, starter, definitions);
    json_t *checks = json_pack("[o, o, o, o]", check("a", "failed", 4), check("b", "failed", 18),
                               check("c", "passed", 4), check("d", "failed", 11));
    cr_assert(open_tasks_mark(checks, untouched, definitions, "lab01.c"));
    static const bool marked[] = {true, false, false, true};
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(json_is_true(json_object_get(json_array_get(checks, i), "unwritten")), marked[i], "check %zu", i);
    json_decref(checks);
    json_decref(untouched);
    json_decref(definitions);
}

/* Line 8 is lab01_given's, which is called from line 4. */
static int line_to_change(char *source, const char *file, int line)
{
    json_t *definitions = definitions_of(source), *given = definitions_of(starter);
    json_t *checks =
        json_pack("[{s:{s:s, s:i, s:i, s:s}}]", "location", "file", file, "line", line, "called_at", 4, "function", "");
    const json_t *location = json_object_get(json_array_get(checks, 0), "location");
    cr_assert(open_tasks_mark_calls(checks, "lab01.c", source, definitions, starter, given));
    cr_assert(definitions_name(checks, definitions, "lab01.c"));
    const int change = (int)json_integer_value(json_object_get(location, "change"));
    cr_assert_str_eq(json_string_value(json_object_get(location, "function")), strcmp(file, "lab01.c") != 0 ? ""
                                                                               : change    ? "lab01_sum"
                                                                               : line == 8 ? "lab01_given"
                                                                                           : "lab01_audit");
    json_decref(checks);
    json_decref(definitions);
    json_decref(given);
    free(source);
    return change;
}

Test(open_tasks, of_a_line_that_the_starter_gives_the_call_is_what_to_change)
{
    cr_assert_eq(line_to_change(strdup(starter), "lab01.c", 8), 4);
    cr_assert_eq(line_to_change(with("return 1;", "return 2;"), "lab01.c", 8), 0, "it is the student's own");
    cr_assert_eq(line_to_change(strdup(starter), "lab01.c", 18), 0, "there is something to do");
    cr_assert_eq(line_to_change(strdup(starter), "program.c", 8), 0);
}
