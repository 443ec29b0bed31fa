/* Files that do nothing, made from a solution. */
#include "test.h"

#include <stdlib.h>

#include "prove/empty_answers.h"

static void assert_hollow(const char *source, const char *expected)
{
    char *made = empty_answers_bodies(source);
    cr_assert_str_eq(made, expected, "%s", made);
    free(made);
}

Test(hollow, a_body_becomes_a_return_of_zero)
{
    assert_hollow("int f(void)\n{\n    if (g()) { return 7; }\n    return 1;\n}\nint h;\n",
                  "int f(void)\n{ return (int){0}; }\nint h;\n");
}

Test(hollow, a_body_of_a_void_function_becomes_empty) { assert_hollow("void f(int x) { g(x); }", "void f(int x) {}"); }

Test(hollow, storage_classes_are_not_part_of_the_type)
{
    assert_hollow("static inline lab_stream *f(void) { return s; }",
                  "static inline lab_stream *f(void) { return (lab_stream *){0}; }");
}

Test(hollow, structs_and_initialisers_stay)
{
    assert_hollow("struct s { int x; };\nint a[] = {1, 2};\n", "struct s { int x; };\nint a[] = {1, 2};\n");
}

Test(hollow, braces_in_comments_and_literals_do_not_count)
{
    assert_hollow("#define OPEN {\n/* } */ int f(void) { char c = '}'; return \"}\"[0]; /* } */ }\n",
                  "#define OPEN {\n/* } */ int f(void) { return (int){0}; }\n");
}

Test(hollow, a_file_that_breaks_off_ends_there)
{
    assert_hollow("int f(void) {", "int f(void) { return (int){0}; }");
    assert_hollow("int f(void) { \"", "int f(void) { return (int){0}; }");
    assert_hollow("/* never ends", "/* never ends");
}

Test(hollow, all_in_comments_has_no_code_left)
{
    char *made = empty_answers_all("/* a */\nint f(void)\n");
    cr_assert_str_eq(made, "// /* a */\n// int f(void)\n");
    free(made);
}
