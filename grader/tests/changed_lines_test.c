/* How many lines of a function a student changed. */
#include "test.h"

#include "base/c_text.h"

static const char before[] = "#include <a.h>\n"
                             "int f(int x)\n"
                             "{\n"
                             "    int y = g(x, 2);\n"
                             "    for (int i = 0; i < 3; i++) h(y);\n"
                             "    return y;\n"
                             "}\n"
                             "int other(void) { return 1; }\n"
                             "const int table[2] = {0};\n";

/* The lines of f that differ if `old` becomes `new`. */
static int after_change(const char *old, const char *new)
{
    char text[1000];
    const char *at = strstr(before, old);
    cr_assert(at, "%s", old);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - before), before, new, at + strlen(old));
    return c_text_changed_lines(before, text, "f");
}

Test(changed_lines, text_as_it_was_has_none) { cr_assert_eq(c_text_changed_lines(before, before, "f"), 0); }

Test(changed_lines, comments_layout_and_braces_do_not_count)
{
    cr_assert_eq(after_change("int y = g(x, 2);", "/* y; */ int y =\n  g( x,2 ) ; // }"), 0);
    cr_assert_eq(after_change("h(y);", "{ h(y); }"), 0);
    cr_assert_eq(after_change("i++) h", "i++)\n\n\n        h"), 0);
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
    cr_assert_eq(c_text_changed_lines("int f(void) { a(); b(); c(); }", "int f(void) { b(); c(); a(); }", "f"), 1);
}

Test(changed_lines, other_functions_and_tables_do_not_count)
{
    cr_assert_eq(after_change("return 1", "return 2"), 0);
    cr_assert_eq(after_change("{0}", "{1,\n2}"), 0);
}

Test(changed_lines, what_stands_outside_of_the_given_functions_counts)
{
    cr_assert_eq(after_change("int other", "static int mine(int x) { return k(x); }\nint other"), 2);
    cr_assert_eq(after_change("#include <a.h>\n", "#include <a.h>\n#include <b.h>\n"), 1);
    cr_assert_eq(after_change("int other", "static int k;\nint other"), 1);
}

Test(changed_lines, each_of_several_literals_in_a_row_is_a_line)
{
    static const char one[] = "const char *f(void) { return \"a;\\n\" \"b;\\n\"; }";
    cr_assert_eq(c_text_changed_lines(one, "const char *f(void) { return \"a;\\n\"\n \"c;\\n\"\n \"b;\\n\"; }", "f"),
                 1);
    cr_assert_eq(c_text_changed_lines(one, "const char *f(void)\n{ return \"a;\\n\"\n \"d;\\n\"; }", "f"), 1);
}

Test(changed_lines, a_function_that_is_gone_is_all_changed)
{
    cr_assert_eq(c_text_changed_lines("int f(void) { a(); b(); }", "int g;", "f"), 4); /* g counts too */
}

Test(changed_lines, time_is_linear_in_what_a_stranger_wrote)
{
    enum { BYTES = 1 << 20 };
    static const char *const of[] = {"a(a(", "x{}", "f(){", "\"\"", "f(){}", "=={", "else "};
    char *text = malloc(BYTES + 16);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        size_t length = 0;
        while (length < BYTES) length += (size_t)sprintf(text + length, "%s", of[i]);
        cr_assert_geq(c_text_changed_lines(before, text, "f"), 0);
    }
    free(text);
}
