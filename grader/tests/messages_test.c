/* Which messages of a compiler and a linker reach the student. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "judge/compiler_messages.h"

static void assert_compiler(const char *said, const char *kept)
{
    char *messages = compiler_messages_of_compiler(said, "lab03.c");
    cr_assert_str_eq(messages, kept, "kept:\n%s", messages);
    free(messages);
}

static void assert_linker(const char *said, const char *kept)
{
    char *messages =
        compiler_messages_of_linker(said, "lab03.c", "lab03.h", "lab_status lab03_open(void); int lab03_openly;",
                                    "lab_sum: it is yours to write\nlab_cast: measure it");
    cr_assert_str_eq(messages, kept, "kept:\n%s", messages);
    free(messages);
}

Test(messages, compiler_keeps_errors_of_the_file_with_their_source_lines)
{
    const char *said = "lab03.c: In function 'lab03_run':\n"
                       "lab03.c:6:69: error: expected ';' before 'return'\n"
                       "    6 |     for (;;) x\n"
                       "      |               ^\n";
    assert_compiler(said, said);
}

Test(messages, compiler_drops_notes_about_other_files)
{
    assert_compiler("lab03.c:7:12: error: too few arguments to function 'lab03_open'\n"
                    "    7 |     lab03_open();\n"
                    "In file included from lab03.c:2:\n"
                    "/somewhere/lab03.h:13:12: note: declared here\n"
                    "   13 | lab_status lab03_open(int);\n"
                    "lab03.c:9:1: warning: control reaches end of non-void function\n",
                    "lab03.c:7:12: error: too few arguments to function 'lab03_open'\n"
                    "    7 |     lab03_open();\n"
                    "lab03.c:9:1: warning: control reaches end of non-void function\n");
}

/* The calls of lab.h are macros. gcc reports a wrong number of arguments in lab.h, and names the student's file in a
 * note. */
Test(messages, compiler_tells_what_is_wrong_in_a_macro_where_the_file_uses_it)
{
    assert_compiler("In file included from labs/lab03.h:7,\n"
                    "                 from lab03.c:1:\n"
                    "lab03.c: In function 'lab03_run':\n"
                    "/somewhere/lab.h:14:38: error: too few arguments to function 'lab_array_get'\n"
                    "   14 | #define lab_array_get(...) LAB_AT((lab_array_get)(__VA_ARGS__))\n"
                    "/somewhere/lab.h:6:39: note: in definition of macro 'LAB_TRY'\n"
                    "    6 |         lab_status s = (call);\n"
                    "lab03.c:5:13: note: in expansion of macro 'lab_array_get'\n"
                    "    5 |     LAB_TRY(lab_array_get(array));\n"
                    "      |             ^~~~~~~~~~~~~\n"
                    "lab03.c:5:5: note: in expansion of macro 'LAB_TRY'\n"
                    "/somewhere/lab.h:10:12: note: declared here\n"
                    "   10 | lab_status lab_array_get(void);\n",
                    "lab03.c: In function 'lab03_run':\n"
                    "lab03.c:5:13: error: too few arguments to function 'lab_array_get'\n"
                    "    5 |     LAB_TRY(lab_array_get(array));\n"
                    "      |             ^~~~~~~~~~~~~\n"
                    "lab03.c:5:5: note: in expansion of macro 'LAB_TRY'\n");
}

Test(messages, compiler_shows_the_contract_that_a_function_conflicts_with)
{
    assert_compiler(
        "lab03.c:9:12: error: conflicting types for 'lab03_run'; have 'lab_status(int)'\n"
        "    9 | lab_status lab03_run(int n)\n"
        "In file included from lab03.c:2:\n"
        "/somewhere/labs/lab03.h:39:12: note: previous declaration of 'lab03_run' with type 'lab_status(void)'\n"
        "   39 | lab_status lab03_run(void);\n",
        "lab03.c:9:12: error: conflicting types for 'lab03_run'; have 'lab_status(int)'\n"
        "    9 | lab_status lab03_run(int n)\n"
        "lab03.h:39:12: note: previous declaration of 'lab03_run' with type 'lab_status(void)'\n"
        "   39 | lab_status lab03_run(void);\n");
}

Test(messages, compilers_spelling_of_letters_is_undone)
{
    char said[] = "'gr\\U000000f6\\U000000dfe_\\U00006570\\U0001d4d0' \\U000000 \\U0000202e \\Unot \\U00000041 \\";
    compiler_messages_spell_names(said);
    cr_assert_str_eq(said, "'größe_数𝓐' \\U000000 \\U0000202e \\Unot \\U00000041 \\");
}

Test(messages, compiler_says_once_that_a_file_is_not_plain_text)
{
    assert_compiler("lab03.c:1:1: error: stray '\\377' in program\nlab03.c:1:4: warning: null character(s) ignored\n",
                    "lab03.c is not plain text: it is full of null characters, as a file saved as UTF-16 is. Save it "
                    "as UTF-8.\n");
}

Test(messages, compiler_does_not_take_a_longer_name_for_the_file)
{
    assert_compiler("lab03.cc:1:1: error: a\nlab03.c:2:1: error: b\n", "lab03.c:2:1: error: b\n");
}

/* Otherwise an error entirely in a header would be a refusal without a reason. */
Test(messages, compiler_gives_everything_when_nothing_is_about_the_file)
{
    assert_compiler("/somewhere/lab.h:3:1: error: a\n", "/somewhere/lab.h:3:1: error: a\n");
}

Test(messages, compiler_cuts_what_is_too_long)
{
    char said[100 * 3 + 1] = "";
    for (int i = 0; i < 100; i++) strcat(said, "x:\n");
    char *messages = compiler_messages_of_compiler(said, "lab03.c");
    cr_assert_eq(strlen(messages), 40u * 3 + 4);
    cr_assert_str_eq(messages + strlen(messages) - 4, "...\n");
    free(messages);
}

Test(messages, linker_names_a_missing_function_of_the_contract_once)
{
    assert_linker("/usr/bin/ld: build/lab03/program.o: in function `open':\n"
                  "labs/program.c:12: undefined reference to `lab03_open'\n"
                  "/usr/bin/ld: labs/program.c:19: undefined reference to `lab03_open'\n"
                  "collect2: error: ld returned 1 exit status\n",
                  "lab03.c does not define lab03_open, which lab03.h declares\n");
}

Test(messages, linker_compares_whole_names_with_the_contract)
{
    assert_linker("program.c:12: undefined reference to `lab03_ope'\n",
                  "lab03.c does not define lab03_ope, which the lab calls\n");
}

Test(messages, linker_names_the_line_of_an_unknown_function)
{
    assert_linker("/usr/bin/ld: lab03.o: in function `lab03_run':\n"
                  "/tmp/job/lab03.c:17: undefined reference to `helper'\n",
                  "lab03.c:17 uses helper, which is not defined anywhere\n");
    assert_linker("/usr/bin/ld: /tmp/job/lab03.c:18: undefined reference to `zähle'\n",
                  "lab03.c:18 uses zähle, which is not defined anywhere\n");
}

Test(messages, linker_names_the_line_that_uses_a_forbidden_function_and_why_it_is_forbidden)
{
    assert_linker("/tmp/job/lab03.c:17: undefined reference to `forbidden.lab_sum'\n"
                  "/tmp/job/lab03.c:17: undefined reference to `forbidden.lab_sum'\n"
                  "lab03.o: undefined reference to `forbidden.lab_cast'\n",
                  "lab03.c:17 uses lab_sum: it is yours to write\nlab03.c uses lab_cast: measure it\n");
    assert_linker("/tmp/job/lab03.c:9: undefined reference to `forbidden.lab_su'\n"
                  "/tmp/job/lab03.c:10: undefined reference to `lab_sum'\n",
                  "lab03.c:9 uses forbidden.lab_su, which is not defined anywhere\n"
                  "lab03.c:10 uses lab_sum, which is not defined anywhere\n");
}

Test(messages, linker_names_what_is_defined_twice)
{
    assert_linker("/usr/bin/ld: program.o: in function `main':\n"
                  "worker.c:187: multiple definition of `main'; lab03.o:lab03.c:7: first defined here\n",
                  "lab03.c defines main, which the lab's program defines too\n");
}

/* An error in a header that the file includes in its middle would otherwise be dropped, and the summary would quote the
 * line "In function". */
Test(messages, compiler_shows_an_error_elsewhere_if_none_is_about_the_file)
{
    assert_compiler("lab03.c: In function 'f':\nlab03.c:1:1: warning: a\n/somewhere/part.h:3:1: error: b\n",
                    "lab03.c: In function 'f':\nlab03.c:1:1: warning: a\npart.h:3:1: error: b\n");
}

static void assert_first(const char *messages, const char *line)
{
    const char *first = compiler_messages_first_error(messages);
    cr_assert(strncmp(first, line, strlen(line)) == 0, "%s", first);
}

Test(messages, first_error_passes_over_warnings)
{
    assert_first("lab03.c: In function 'f':\nlab03.c:1:1: warning: a\nlab03.c:2:1: error: b\n",
                 "lab03.c:2:1: error: b");
}

Test(messages, first_error_is_no_line_of_the_source_and_no_context)
{
    assert_first(
        "lab03.c: In function 'f':\nlab03.c:9:1: warning: a\n    9 | fprintf(stderr, \"error: b\");\n      | ^\n"
        "lab03.c:12:1: error: c\n",
        "lab03.c:12:1: error: c");
    assert_first("lab03.c: In function 'f':\nlab03.c:9:1: sorry, unimplemented: a\n", "lab03.c:9:1: sorry");
    assert_first("/usr/bin/ld: lab03.o: in function `f':\nlab03.c:9: relocation truncated to fit\n"
                 "collect2: error: ld returned 1 exit status\n",
                 "lab03.c:9: relocation");
    assert_first("lab03.c: In function 'f':\n", "lab03.c: In function");
}
