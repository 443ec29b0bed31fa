/* How many lines of a function a student changed: by what is compiled, whatever the file looks like. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "source/changed_lines.h"
#include "base/folder.h"
#include "base/text.h"
#include "judge/build.h"
#include "toy.h"

static const char before[] = "# 1 \"lab.c\"\n"
                             "int f(int x)\n"
                             "{\n"
                             "    int y = g(x, 2);\n"
                             "    for (int i = 0; i < 3; i++) h(y);\n"
                             "    return y;\n"
                             "}\n"
                             "static int own(void) { return 1; }\n"
                             "int other(void) { return 1; }\n"
                             "const int table[2] = {0};\n";

static int changed(const char *given, const char *now)
{
    return changed_lines((preprocessed_text){given, strlen(given)}, (preprocessed_text){now, strlen(now)}, "f");
}

/* The lines of f that differ if `old` becomes `new`. */
static int after_change(const char *old, const char *new)
{
    char text[1000];
    const char *at = strstr(before, old);
    cr_assert(at, "%s", old);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - before), before, new, at + strlen(old));
    return changed(before, text);
}

Test(changed_lines, text_as_it_was_has_none) { cr_assert_eq(changed(before, before), 0); }

Test(changed_lines, places_layout_and_braces_do_not_count)
{
    cr_assert_eq(after_change("int y = g(x, 2);", "int y =\n# 7 \"other.c\" 1\n  g( x,2 ) ;"), 0);
    cr_assert_eq(after_change("h(y);", "{ h(y); }"), 0);
    cr_assert_eq(after_change("h(y);", "<% h(y); %>"), 0);
    cr_assert_eq(after_change("i++) h", "i++)\n\n\n        h"), 0);
    cr_assert_eq(changed("int f(void) { lab_here(\"a.c\", 1), g(); }", "int f(void) { lab_here(\"b.c\", 7), g(); }"),
                 0);
}

Test(changed_lines, a_change_an_addition_and_a_removal_count_once)
{
    cr_assert_eq(after_change("g(x, 2)", "g(x, 3)"), 1);
    cr_assert_eq(after_change("h(y);", "{ h(y); k(y); }"), 1);
    cr_assert_eq(after_change("h(y);", ";"), 1);
    cr_assert_eq(after_change("return y;", "if (y) k(); else l();\nreturn y;"), 4);
}

Test(changed_lines, a_statement_that_moves_counts_once)
{
    cr_assert_eq(changed("int f(void) { a(); b(); c(); }", "int f(void) { b(); c(); a(); }"), 1);
}

Test(changed_lines, a_call_that_is_tried_is_one_line)
{
#define TRIED(call)                                                                                                    \
    "do { lab_status lab_try_status_ = (" call                                                                         \
    "); if (lab_try_status_ != LAB_SUCCESS) return lab_try_status_; } while (0);"
    cr_assert_eq(changed("int f(void) { a(); }", "int f(void) { a(); " TRIED("lab_here_ends((lab_x)(1))") " }"), 1);
    cr_assert_eq(changed("int f(void) { a(); }", "int f(void) { a(); do k(); while (0); }"), 1);
    cr_assert_eq(changed("int f(void) { a(); }", "int f(void) { a(); return lab_try_status_ + k(); }"), 1);
}

Test(changed_lines, other_functions_and_the_given_tables_do_not_count)
{
    cr_assert_eq(after_change("int other(void) { return 1", "int other(void) { k(); return 2"), 0);
    cr_assert_eq(after_change("{0}", "{1,\n2}"), 0);
}

Test(changed_lines, what_stands_outside_of_the_given_functions_counts)
{
    cr_assert_eq(after_change("int other", "static int mine(int x) { return k(x); }\nint other"), 2);
    cr_assert_eq(after_change("int other", "int k(int); struct s { int a; };\nint other"), 0, "it does nothing");
    cr_assert_eq(after_change("int other", "static int k = 7;\nint other"), 1);
    cr_assert_eq(after_change("own(void) { return 1", "own(void) { k(); return 1"), 3, "other programs may use it");
    cr_assert_geq(after_change("int other", "static const int ops[] = {1, 2, 3, 4, 5, 6, 7};\nint other"), 4);
    cr_assert_geq(after_change("int other", "asm(\"f2: call a; call b; call c\");\nint other"), 2);
    cr_assert_geq(after_change("int other", "int k(x) int x; { a(); b(); c(); }\nint other"), 3);
}

Test(changed_lines, one_statement_with_several_calls_is_as_many_lines)
{
    static const char *const forms[] = {"a(1), a(2), a(3);",
                                        "a(1) && a(2) && a(3);",
                                        "k(k(k(1)));",
                                        "({ a(1); a(2); a(3); });",
                                        "(*p)(1), t[2](2), (q)(3);",
                                        "_Generic(0, int: a)(1), _Generic(0, int: a)(2), a(3);",
                                        "x = a(1) ? a(2) : a(3);",
                                        "for (a(1); a(2); a(3)) continue;",
                                        "asm(\"call a\\ncall b\\x0acall c\");",
                                        "int v[] = {a(1), a(2), a(3)};"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s return y;", forms[i]);
        cr_assert_geq(after_change("return y;", text), i == 8 ? 2 : 3, "%s", forms[i]);
    }
}

Test(changed_lines, each_of_several_literals_and_each_line_of_one_is_a_line)
{
    static const char one[] = "const char *f(void) { return \"a;\\n\" \"b;\\n\"; }";
    cr_assert_eq(changed(one, "const char *f(void) { return \"a;\\n\"\n \"c;\\n\"\n \"b;\\n\"; }"), 1);
    cr_assert_eq(changed(one, "const char *f(void)\n{ return \"a;\\n\"\n \"d;\\n\"; }"), 1);
    cr_assert_eq(changed(one, "const char *f(void) { return \"a;\\n\" \"c;\\nd;\\ne;\\n\"; }"), 3);
    cr_assert_eq(changed(one, "const char *f(void) { return \"a;\\n\" \"c; d; e; g;\"; }"), 4);
}

Test(changed_lines, a_function_that_is_gone_is_all_changed)
{
    cr_assert_eq(changed("int f(void) { a(); b(); }", "int g;"), 3);
}

Test(changed_lines, time_is_linear_in_the_text)
{
    enum { BYTES = 1 << 19 };
    static const char *const of[] = {"a(a(",  "x{}",   "f(){",   "\"\"", "f(){}", "=={",
                                     "else ", "k(){}", "x={1};", ")(",   "({"};
    char *text = malloc(BYTES + 16);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        size_t length = 0;
        while (length < BYTES) length += (size_t)sprintf(text + length, "%s", of[i]);
        cr_assert_geq(changed(before, text), 0);
    }
    free(text);
}

/* ---- files that hide a rewriting --------------------------------------------------------------------------------- */

#define GIVEN "for (int i = 0; i < count; i++) out[i] = 3 * in[i] + (float)i;\n return LAB_SUCCESS;"
#define WRITTEN                                                                                                        \
    "abs(1); abs(2); abs(3); abs(4); abs(5); abs(6); abs(7); abs(8); abs(9); abs(10); abs(11); abs(12); return 0;"
#define HEAD "#include \"toylab.h\"\n#include <stdlib.h>\n"
#define TOY_RUN "lab_status toy_run(float *out, const float *in, int count)\n"
#define TOY_SUM                                                                                                        \
    "lab_status toy_sum(float *sum, const float *in, int count)\n"                                                     \
    "{ *sum = 0; for (int i = 0; i < count; i++) *sum += in[i]; return LAB_SUCCESS; }\n"
#define FILE_WITH(body) HEAD TOY_RUN "{\n" body "\n}\n" TOY_SUM
#define BOTH(begin, middle, end) FILE_WITH(begin GIVEN middle WRITTEN end)

/* Builds the file for a lab that counts lines of toy_run, and counts. -1 if it is not built. */
static int count_built(const char *text, size_t length)
{
    const lab_parts_places places = {.root = ".", .build = toy_build(), .name = "toylab", .folder = TOY_FOLDER};
    lab_parts parts;
    grader_fault fault;
    build_outcome outcome;
    char *folder, *given = NULL, *now = NULL;
    preprocessed_text one = {0}, other = {0};
    cr_assert(lab_parts_open(&parts, &places, &fault), "%s", fault.text);
    cr_assert(folder_make_private(&folder, "changed-lines", &fault), "%s", fault.text);
    json_object_set_new((json_t *)lab_parts_check(&parts, 0), "counts_lines", json_true());
    free(parts.starter);
    parts.starter = folder_path(folder, "given.c");
    char *path = folder_path(folder, parts.file),
         *texts[] = {folder_path(folder, BUILD_STARTER_TEXT), folder_path(folder, BUILD_TEXT)};
    cr_assert(folder_write(parts.starter, FILE_WITH(GIVEN), sizeof FILE_WITH(GIVEN) - 1, &fault), "%s", fault.text);
    cr_assert(folder_write(path, text, length, &fault), "%s", fault.text);
    cr_assert(build_program(&outcome, &parts, NULL, folder, (build_wants){.texts = true}, &fault), "%s", fault.text);
    int count = -1;
    if (outcome.ok) {
        cr_assert_eq(folder_read(&given, &one.length, texts[0], 2 << 20, &fault), FOLDER_FILE);
        cr_assert_eq(folder_read(&now, &other.length, texts[1], 2 << 20, &fault), FOLDER_FILE);
        one.text = given;
        other.text = now;
        count = changed_lines(one, other, "toy_run");
    } else {
        fprintf(stderr, "%s\n", outcome.messages);
    }
    build_free(&outcome);
    lab_parts_close(&parts);
    folder_remove(folder);
    free(folder), free(path), free(texts[0]), free(texts[1]), free(given), free(now);
    return count;
}

Test(changed_lines, a_file_hides_no_rewriting)
{
    static const char *const files[][2] = {
        {"a comment that a spliced line ends", BOTH("// \\\n", "\n/* *\\\n/ ", "/* */")},
        {"a comment that a trigraph continues", BOTH("// ?"
                                                     "?/\n#define R",
                                                     "\n", "")},
        {"a spliced line comment",
         FILE_WITH("// \\\nfor (int i = 0; i < count; i++) out[i] = 3 * in[i] + (float)i;\n// "
                   "\\\nreturn LAB_SUCCESS;\n/* *\\\n/ " WRITTEN " /* */")},
        {"a directive with a digraph", BOTH("%:if 0\n", "\n%:else\n/* *\\\n/ ", "\n/* */\n%:endif\n")},
        {"a directive with a trigraph", BOTH("?"
                                             "?=if 0\n",
                                             "\n?"
                                             "?=else\n",
                                             "\n?"
                                             "?=endif\n")},
        {"one macro", HEAD "#define ALL " WRITTEN "\n" TOY_RUN "{ ALL }\n" TOY_SUM},
        {"a macro of a keyword", HEAD "#define for " WRITTEN " for\n" TOY_RUN "{" GIVEN "}\n#undef for\n" TOY_SUM},
        {"a macro with arguments",
         HEAD "#define A(x) abs(x), abs(x + 1), abs(x + 2)\n#define B(x) A(x), A(x), A(x), A(x)\n" TOY_RUN
              "{ B(1); return 0; }\n" TOY_SUM},
        {"a counter", HEAD "#if __COUNTER__ == 0\n#define ALL " WRITTEN "\n#endif\n" TOY_RUN "{ ALL }\n" TOY_SUM},
        {"a line number", HEAD "#if __LINE__ > 2\n#define ALL " WRITTEN "\n#endif\n" TOY_RUN "{ ALL }\n" TOY_SUM},
        {"a file that includes itself", "#ifndef ONCE\n#define ONCE " WRITTEN
                                        "\n#include __FILE__\n#else\n" HEAD TOY_RUN "{ ONCE }\n" TOY_SUM "#endif\n"},
        {"the name of another file",
         HEAD "#line 1 \"/usr/include/x.h\"\n#define ALL " WRITTEN "\n" TOY_RUN "{ ALL }\n" TOY_SUM},
        {"a forged place", HEAD "# 1 \"/usr/include/x.h\" 1 3\n" TOY_RUN "{" WRITTEN "}\n" TOY_SUM},
        {"a pragma that keeps a macro",
         HEAD "#define ALL " WRITTEN "\n_Pragma(\"push_macro(\\\"ALL\\\")\")\n#undef ALL\n"
              "#define ALL "
              "return 0;"
              "\n_Pragma(\"pop_macro(\\\"ALL\\\")\")\n" TOY_RUN "{ ALL }\n" TOY_SUM},
        {"a function that another name replaces",
         HEAD "lab_status mine(float *out, const float *in, int count) __asm__(\"toy_run\");\n"
              "static lab_status toy_run_(float *out, const float *in, int count) {" GIVEN "}\n"
              "lab_status mine(float *out, const float *in, int count) {" WRITTEN "}\n" TOY_SUM},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        cr_assert_geq(count_built(files[i][1], strlen(files[i][1])), 11, "%s: %d", files[i][0],
                      count_built(files[i][1], strlen(files[i][1])));
}

Test(changed_lines, a_null_character_ends_no_file)
{
    static const char file[] = HEAD "#if 0\n" TOY_RUN "{" GIVEN "}\n#endif\n" TOY_SUM "\0\n" TOY_RUN "{" WRITTEN "}\n";
    cr_assert_geq(count_built(file, sizeof file - 1), 11);
}

/* Some macros have other values while the compiler compiles than where it only preprocesses. The program has the code
 * that is counted: nothing defines the function that the other branch calls. */
Test(changed_lines, what_is_compiled_is_what_is_counted)
{
    static const char file[] = HEAD "#pragma GCC optimize(\"O0\")\n#ifdef __OPTIMIZE__\n" TOY_RUN "{" GIVEN
                                    "}\n#else\nint nothing_defines_this(void);\n" TOY_RUN "{" WRITTEN
                                    "nothing_defines_this(); }\n#endif\n" TOY_SUM;
    const int count = count_built(file, sizeof file - 1);
    cr_assert(count == 0 || count >= 11 || count == -1, "%d", count);
}

Test(changed_lines, headers_and_declarations_of_a_right_answer_cost_nothing)
{
    static const char file[] = "#include <math.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <string.h>\n"
                               "#include <stdint.h>\n" FILE_WITH(GIVEN) "#include <stdatomic.h>\nint unused(int);\n";
    cr_assert_eq(count_built(file, sizeof file - 1), 0);
}
