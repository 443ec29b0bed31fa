/* The lines at which a student's file defines functions and tables. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/text.h"
#include "judge/build.h"
#include "judge/definitions.h"
#include "toy.h"

/* The definitions in a file that the preprocessor leaves as it is. */
static json_t *find_in(const char *source)
{
    char *text = text_make("# 1 \"lab01.c\"\n%s", source);
    json_t *lines = definitions_find((preprocessed_text){text, strlen(text)}, "lab01.c");
    cr_assert_not_null(lines);
    free(text);
    return lines;
}

/* "lab01_sum 3-4, lab01_waits 9-12" */
static char *listed(json_t *lines)
{
    static char text[300];
    const char *name;
    json_t *line;
    *text = '\0';
    json_object_foreach(lines, name, line)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %d-%d", *text ? ", " : "", name,
                 (int)json_integer_value(json_array_get(line, 0)), (int)json_integer_value(json_array_get(line, 1)));
    json_decref(lines);
    return text;
}

static char *found_in(const char *source) { return listed(find_in(source)); }

Test(definitions, functions_begin_with_their_code_and_tables_with_their_name)
{
    cr_assert_str_eq(found_in("lab_status\nlab01_sum(int (*f)(void))\n{\n\n    int a;\n}\n"), "lab01_sum 5-6");
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
    cr_assert_str_eq(found_in("struct s { int x; };\nchar *s = \"\\\"lab01_c() {\";"), "s 2-2");
    cr_assert_str_eq(found_in("int lab01_sum((("), "");
}

/* The location that a failed check gets which has this message and location, in the file of these lines. */
static const char *located(const char *source, const char *message, const char *location)
{
    static char text[64];
    json_t *lines = find_in(source), *place = location ? json_loads(location, 0, NULL) : json_null();
    json_t *checks = json_pack("[{s:s, s:s, s:o}]", "status", "failed", "message", message, "location", place);
    cr_assert(definitions_locate(checks, lines, "lab01.c", "lab01"));
    place = json_object_get(json_array_get(checks, 0), "location");
    cr_assert(json_is_object(place) || json_is_null(place));
    snprintf(text, sizeof text, "%s:%d %s%s",
             json_is_object(place) ? json_string_value(json_object_get(place, "file")) : "",
             (int)json_integer_value(json_object_get(place, "line")),
             json_is_object(place) ? json_string_value(json_object_get(place, "function")) : "",
             json_object_get(place, "guessed") ? "a guess" : "");
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
    cr_assert_str_eq(located("int lab01_a(void)\n{\n if (f()) {\n  return 1;\n }\n return\n  2;\n}\n", "it",
                             "{\"file\": \"\", \"line\": 0, \"function\": \"end of lab01_a\"}"),
                     "lab01.c:6 lab01_a");
}

Test(definitions, a_check_may_say_at_which_word_of_a_function_to_look)
{
    static const char source[] = "int lab01_a(int n)\n{\n\n g();\n\n h(n + 1);\n h(n, nn);\n}\n";
    cr_assert_str_eq(located(source, "it", "{\"file\": \"\", \"line\": 0, \"function\": \"n in lab01_a\"}"),
                     "lab01.c:6 lab01_a");
    cr_assert_str_eq(located(source, "it", "{\"file\": \"\", \"line\": 0, \"function\": \"nn in lab01_a\"}"),
                     "lab01.c:7 lab01_a");
    cr_assert_str_eq(located(source, "it", "{\"file\": \"\", \"line\": 0, \"function\": \"m in lab01_a\"}"),
                     "lab01.c:4 lab01_a");
    cr_assert_str_eq(located(source, "lab01_a", "{\"file\": \"\", \"line\": 0, \"function\": \"n in f\"}"),
                     "lab01.c:4 lab01_a");
    static const char kernel[] = "char *lab01_a(void)\n{\n return \"n\\n\"\n \"f(nn);\\nnot(n)\"; int f;\n}\n";
    cr_assert_str_eq(located(kernel, "it", "{\"file\": \"\", \"line\": 0, \"function\": \"nn in lab01_a\"}"),
                     "lab01.c:4 lab01_a", "a word of a string");
    cr_assert_str_eq(located(kernel, "it", "{\"file\": \"\", \"line\": 0, \"function\": \"not in lab01_a\"}"),
                     "lab01.c:4 lab01_a", "a word behind an escape");
}

Test(definitions, a_guessed_line_counts_in_the_function_of_which_the_check_speaks)
{
    static const char *const guess = "{\"file\": \"lab01.c\", \"line\": 5, \"function\": \"\", \"guessed\": true}";
    cr_assert_str_eq(located(two, "lab01_ab", guess), "lab01.c:5 a guess");
    cr_assert_str_eq(located(two, "lab01_a", guess), "lab01.c:2 lab01_a");
    cr_assert_str_eq(located(two, "it", guess), "lab01.c:5 a guess");
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
    static const char *const parts[][2] = {{"", "a("},
                                           {"", "a["},
                                           {"", "a="},
                                           {"", "= "},
                                           {"", "(){}"},
                                           {"int t[] = {", "0,\n"},
                                           {"", "(f("},
                                           {"", "asm("},
                                           {"", "a b;"},
                                           {"", "f(){a b}"},
                                           {"int f(void) {", "case x:\n"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *source = repeated(parts[i][0], parts[i][1], 1 << 20);
        json_decref(find_in(source));
        free(source);
    }
}

Test(definitions, names_in_brackets_and_functions_that_return_functions_are_found)
{
    cr_assert_str_eq(found_in("int (f)(int x) { return x; }\nint (*get(void))(int)\n{ return f; }"), "f 1-1, get 2-3");
    cr_assert_str_eq(found_in("int (*table[2])(int) = {f, f};"), "table 1-1, table[0] 1-1, table[1] 1-1");
    cr_assert_str_eq(found_in("[[gnu::noinline]] int f(void) { return 1; }"), "f 1-1");
    cr_assert_str_eq(found_in("__attribute__((noinline)) int f(int (*g)(void)) { return g(); }\nint a = 1, b = 2;"),
                     "f 1-1, a 2-2, b 2-2");
}

Test(definitions, what_other_files_define_is_not_there)
{
    cr_assert_str_eq(found_in("int f(void) { return 1; }\n# 1 \"x.h\" 1 3\nint g(void) { return 1; }\n"
                              "# 9 \"lab01.c\" 2\nint h(void) { return 1; }\n"),
                     "f 1-1, h 9-9");
}

/* ---- files that hide what they define ---------------------------------------------------------------------------- */

/* What is found in a file of the toy lab, as its compiler's preprocessor leaves it. */
static char *found_in_file(const char *text, size_t length)
{
    const lab_parts_places places = {.root = ".", .build = toy_build(), .name = "toylab", .folder = TOY_FOLDER};
    lab_parts parts;
    grader_fault fault;
    char *folder, *left;
    preprocessed_text source;
    cr_assert(lab_parts_open(&parts, &places, &fault), "%s", fault.text);
    cr_assert(folder_make_private(&folder, "definitions", &fault), "%s", fault.text);
    char *path = folder_path(folder, parts.file);
    cr_assert(folder_write(path, text, length, &fault), "%s", fault.text);
    cr_assert(build_text(&left, &source.length, &parts, NULL, folder, &fault), "%s", fault.text);
    cr_assert_not_null(left);
    source.text = left;
    char *found = listed(definitions_find(source, parts.file));
    lab_parts_close(&parts);
    folder_remove(folder);
    free(folder), free(path), free(left);
    return found;
}

#define HEAD "#include \"toylab.h\"\n"
#define RUN "lab_status toy_run(float *out, const float *in, int count)"
#define SUM "lab_status toy_sum(float *sum, const float *in, int count)"

Test(definitions, a_file_hides_nothing_that_it_defines)
{
    static const char *const files[][3] = {
        {"a comment that a spliced line ends",
         HEAD "/* *\\\n/ " RUN " {\n return 0;\n}\n/* */\n" SUM "\n{ return 0; }\n", "toy_run 4-5, toy_sum 7-8"},
        {"a line comment that the next line continues",
         HEAD RUN "\n{\n // \\\n{ /* }\n return 0;\n}\n" SUM "\n{ return 0; } // */\n", "toy_run 6-7, toy_sum 8-9"},
        {"a comment that a trigraph continues",
         HEAD RUN " {\n // ?"
                  "?/\n}\n return 0;\n}\n" SUM "\n{ return 0; }\n",
         "toy_run 5-6, toy_sum 7-8"},
        {"digraphs", HEAD "%:if 0\n" RUN "\n{ }\n%:endif\n" RUN "\n<%\n return 0;\n%>\n" SUM "\n{ return 0; }\n",
         "toy_run 8-9, toy_sum 10-11"},
        {"a branch that is not compiled", HEAD "#if 0\n" RUN "\n{\n return 1;\n}\n#endif\n" RUN "\n{\n return 0;\n}\n",
         "toy_run 10-11"},
        {"one macro",
         HEAD "#define ALL " RUN " { \\\n return 0; }\n#define BODY {\\\n return 0; }\n\nALL\n" SUM " BODY\n",
         "toy_run 7-7, toy_sum 8-8"},
        {"a macro of a brace", HEAD "#define END }\n" RUN "\n{\n return 0;\nEND\n" SUM "\n{\n return 0;\nEND\n",
         "toy_run 5-6, toy_sum 9-10"},
        {"another file's name",
         HEAD "#line 1 \"toylab.h\"\n" RUN "\n{\n return 1;\n}\n#line 7 \"toylab.c\"\n" SUM "\n{ return 0; }\n",
         "toy_sum 7-8"},
        {"other lines", HEAD RUN "\n{\n#line 900\n return 1;\n#line 2\n}\n" SUM "\n{\n return 0;\n}\n",
         "toy_run 2-2, toy_sum 5-6"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        cr_assert_str_eq(found_in_file(files[i][1], strlen(files[i][1])), files[i][2], "%s: %s", files[i][0],
                         found_in_file(files[i][1], strlen(files[i][1])));
}

Test(definitions, a_null_character_ends_no_file)
{
    static const char file[] = HEAD RUN "\n{\n return 0;\0\n}\n/* \0 */\n" SUM "\n{ return 0; }\n";
    cr_assert_str_eq(found_in_file(file, sizeof file - 1), "toy_run 4-5, toy_sum 7-8");
}
