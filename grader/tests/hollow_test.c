/* Files that do nothing, made from a solution. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "prove/empty_answers.h"

#define MARKER "# 1 \"lab.c\"\n"

static void assert_hollow(const char *source, const char *expected)
{
    char *text = text_make(MARKER "%s", source);
    char *made = empty_answers_bodies((preprocessed_text){text, strlen(text)}, "lab.c");
    cr_assert_str_eq(made + strlen(MARKER), expected, "%s", made);
    free(made);
    free(text);
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

Test(hollow, braces_in_literals_do_not_count)
{
    assert_hollow("int f(void) { char c = '}'; return \"}\"[0]; }\n", "int f(void) { return (int){0}; }\n");
}

Test(hollow, braces_may_be_digraphs) { assert_hollow("void f(void) <% g(); %>\nint h;", "void f(void) {}\nint h;"); }

Test(hollow, functions_of_headers_stay)
{
    assert_hollow("# 1 \"x.h\" 1\nint g(void) { return 1; }\n# 3 \"lab.c\" 2\nint f(void) { return g(); }\n",
                  "# 1 \"x.h\" 1\nint g(void) { return 1; }\n# 3 \"lab.c\" 2\nint f(void) { return (int){0}; }\n");
}

Test(hollow, a_file_that_breaks_off_ends_there)
{
    assert_hollow("int f(void) {", "int f(void) { return (int){0}; }");
    assert_hollow("int f(void) { \"", "int f(void) { return (int){0}; }");
}

Test(hollow, all_in_comments_has_no_code_left)
{
    char *made = empty_answers_all("/* a */\nint f(void)\n");
    cr_assert_str_eq(made, "// /* a */\n// int f(void)\n");
    free(made);
}
