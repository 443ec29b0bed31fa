/* The rule that a solution is its starter with only the marked places filled in. */
#include "test.h"

#include "prove/starter_marks.h"

static const char starter[] = "int f(void)\n"
                              "{\n"
                              "    /* TODO(1): add\n"
                              "       them all. */\n"
                              "    return 0; /* TODO(1) */\n"
                              "}\n"
                              "int last;\n";

static void assert_differs(const char *solution, int line)
{
    starter_marks_finding finding = starter_marks_compare(starter, solution);
    cr_assert_not(finding.agree, "%s", solution);
    cr_assert_eq(finding.line, line, "line %d", finding.line);
}

static void assert_agrees(const char *solution)
{
    starter_marks_finding finding = starter_marks_compare(starter, solution);
    cr_assert(finding.agree, "differs from line %d on", finding.line);
}

Test(marks, the_starter_agrees_with_itself_in_its_other_lines) { assert_agrees("int f(void)\n{\n}\nint last;\n"); }

Test(marks, marked_lines_are_replaced_by_any_number_of_lines)
{
    assert_agrees("int f(void)\n{\n    int sum = 1;\n    {\n    }\n    return sum;\n}\nint last;\n");
}

Test(marks, added_lines_may_look_like_lines_of_the_starter)
{
    assert_agrees("int f(void)\n{\n    if (1)\n    {\n}\n}\n}\nint last;\n");
}

Test(marks, lines_added_elsewhere_differ) { assert_differs("int f(void)\n{\n}\nint more;\nint last;\n", 7); }

Test(marks, lines_changed_elsewhere_differ) { assert_differs("int g(void)\n{\n    return 1;\n}\nint last;\n", 1); }

Test(marks, lines_left_out_differ) { assert_differs("int f(void)\n{\n    return 1;\n}\n", 7); }

Test(marks, a_comment_that_only_ends_in_the_marked_line_marks_nothing_more)
{
    starter_marks_finding finding = starter_marks_compare("/* TODO(1): one line */\nint kept;\n", "int other;\n");
    cr_assert_not(finding.agree);
}

Test(marks, empty_files_agree)
{
    starter_marks_finding finding = starter_marks_compare("", "");
    cr_assert(finding.agree);
}

Test(marks, a_mark_for_a_function_marks_it_to_its_end)
{
    static const char whole[] =
        "int f(void)\n{\n    /* TODO(1) in this function */\n    g();\n    h();\n}\nint last;\n";
    cr_assert(starter_marks_compare(whole, "int f(void)\n{\n    h();\n    g(1);\n}\nint last;\n").agree);
    cr_assert_not(starter_marks_compare(whole, "int f(void)\n{\n    h();\n}\nint other;\n").agree);
}
