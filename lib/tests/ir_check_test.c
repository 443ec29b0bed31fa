/* Accesses are also checked in code as other versions of LLVM write it, which may not be installed here. */
#include "cpu/passes/memcheck.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* A kernel that writes behind a shared array, with these promises about the address. */
#define WRITES_BEHIND(promises)                                                                                        \
    "@_ZZ1kE4tile = internal thread_local global [64 x i32] zeroinitializer, align 16\n"                               \
    "define void @k(i64 %0) {\n"                                                                                       \
    "  %2 = getelementptr " promises "[64 x i32], ptr @_ZZ1kE4tile, i64 0, i64 %0, !dbg !3\n"                          \
    "  store i32 1, ptr %2, align 4, !dbg !3\n"                                                                        \
    "  ret void\n"                                                                                                     \
    "}\n"                                                                                                              \
    "!1 = !DIFile(filename: \"k.cu\", directory: \"\")\n"                                                              \
    "!2 = distinct !DISubprogram(name: \"k\", scope: !1, file: !1, line: 1)\n"                                         \
    "!3 = !DILocation(line: 1, column: 1, scope: !2)\n"

static void check_is_added(const char *code)
{
    cpu_text checked = {0};
    cr_assert(cpu_ir_check(&checked, code, CHECK_FORM_VALUES));
    cr_assert(strstr(checked.data, "getelementptr [64 x i32], ptr @_ZZ1kE4tile, i64 0, i64 %0\n"), "%s", checked.data);
    cr_assert(strstr(checked.data, "  call void @lab_check_object(ptr %2, "), "%s", checked.data);
    free(checked.data);
}

Test(ir_check, takes_out_that_an_address_stays_inside) { check_is_added(WRITES_BEHIND("inbounds ")); }

/* From LLVM 20 on clang promises this for every unsigned index. */
Test(ir_check, takes_out_that_an_unsigned_index_does_not_wrap) { check_is_added(WRITES_BEHIND("inbounds nuw ")); }

Test(ir_check, takes_out_that_an_address_does_not_wrap) { check_is_added(WRITES_BEHIND("nusw nuw ")); }

/* A kernel that reads a cell of shared memory into a local variable, and puts it into another cell if a parameter says
 * so. */
static const char copies[] = "@_ZZ1kE1x = internal thread_local global [64 x i32] zeroinitializer, align 16\n"
                             "define void @k(i64 %0, i1 %1) {\n"
                             "  %3 = alloca i32, align 4\n"
                             "  %4 = getelementptr inbounds [64 x i32], ptr @_ZZ1kE1x, i64 0, i64 %0, !dbg !3\n"
                             "  %5 = load i32, ptr %4, align 4, !dbg !3\n"
                             "  store i32 %5, ptr %3, align 4, !dbg !3\n"
                             "  %6 = load i32, ptr %3, align 4, !dbg !3\n"
                             "  %7 = select i1 %1, i32 %6, i32 1, !dbg !3\n"
                             "  %8 = add nsw i32 %7, %5, !dbg !3\n"
                             "  store i32 %8, ptr %4, align 4, !dbg !3\n"
                             "  ret void\n"
                             "}\n"
                             "!1 = !DIFile(filename: \"k.cu\", directory: \"\")\n"
                             "!2 = distinct !DISubprogram(name: \"k\", scope: !1, file: !1, line: 1)\n"
                             "!3 = !DILocation(line: 1, column: 1, scope: !2)\n";

Test(ir_check, follows_what_is_read_from_shared_memory)
{
    static const char *const expected[] = {
        "  %lab.v.3 = alloca i32, align 4\n  store i32 0, ptr %lab.v.3, align 4\n",
        "  %lab.s.5 = call i32 @lab_check_unwritten(ptr %4, i64 ",
        "  store i32 %lab.s.5, ptr %lab.v.3, align 4\n",
        "  %lab.s.6 = load i32, ptr %lab.v.3, align 4\n",
        "  %lab.s.7 = select i1 %1, i32 %lab.s.6, i32 0\n",
        "  %lab.c.8.2 = select i1 %lab.n.8.2, i32 %lab.c.8.1, i32 %lab.s.5\n  %lab.s.8 = or i32 0, %lab.c.8.2\n",
        ", i32 %lab.s.8, i32 1)\n",
    };
    cpu_text checked = {0};
    cr_assert(cpu_ir_check(&checked, copies, CHECK_FORM_VALUES));
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        cr_assert(strstr(checked.data, expected[i]), "%s\nlacks: %s", checked.data, expected[i]);
    cr_assert_null(strstr(checked.data, "lab_check_use"), "a copy is a use: %s", checked.data);
    free(checked.data);
}

/* A function that shuffles a number, and what is done with the result. */
#define SHUFFLES(use)                                                                                                  \
    "define void @k(ptr %0, i64 %1) {\n"                                                                               \
    "  %3 = alloca i64, align 8\n"                                                                                     \
    "  %4 = call i64 @lab_suspend_shfl_down_sync(ptr null, i32 -1, i64 %1, i32 8, i32 32, ptr null, i32 7)\n"          \
    "  store i64 %4, ptr %3, align 8, !dbg !3\n"                                                                       \
    "  %5 = load i64, ptr %3, align 8, !dbg !3\n" use "  ret void\n"                                                   \
    "}\n"                                                                                                              \
    "!1 = !DIFile(filename: \"k.cu\", directory: \"\")\n"                                                              \
    "!2 = distinct !DISubprogram(name: \"k\", scope: !1, file: !1, line: 1)\n"                                         \
    "!3 = !DILocation(line: 5, column: 1, scope: !2)\n"

Test(ir_check, follows_what_a_shuffle_gives_to_its_use)
{
    cpu_text checked = {0};
    cr_assert(cpu_ir_check(&checked, SHUFFLES("  store i64 %5, ptr %0, align 8, !dbg !3\n"), CHECK_FORM_VALUES));
    cr_assert(strstr(checked.data, "  %lab.t.4 = call i32 @lab_check_brings(i32 0)\n"), "%s", checked.data);
    cr_assert(strstr(checked.data, "  %lab.s.4 = call i32 @lab_check_gets(i32 %lab.t.4)\n"), "%s", checked.data);
    cr_assert(strstr(checked.data, ", i32 %lab.s.5, i32 5)\n"), "%s", checked.data);
    free(checked.data);
}

/* A variable that the compiler begins with a pattern. */
Test(ir_check, a_variable_that_begins_with_a_pattern_has_no_value)
{
    static const char *const expected[] = {
        "  store i32 -1, ptr %lab.v.2, align 4\n",
        "  %lab.u.3 = load i32, ptr %lab.v.2, align 4\n  %lab.s.3 = call i32 @lab_check_local(i32 %lab.u.3, ptr @",
        ", i32 %lab.s.3, i32 5)\n",
    };
    cpu_text checked = {0};
    cr_assert(cpu_ir_check(&checked,
                           "define void @k(ptr %0) {\n"
                           "  %2 = alloca i32, align 4\n"
                           "  store i32 -1431655766, ptr %2, align 4, !dbg !3, !annotation !4\n"
                           "  %3 = load i32, ptr %2, align 4, !dbg !3\n"
                           "  store i32 %3, ptr %0, align 4, !dbg !3\n"
                           "  ret void\n"
                           "}\n"
                           "!1 = !DIFile(filename: \"k.cu\", directory: \"\")\n"
                           "!2 = distinct !DISubprogram(name: \"k\", scope: !1, file: !1, line: 1)\n"
                           "!3 = !DILocation(line: 5, column: 1, scope: !2)\n"
                           "!4 = !{!\"auto-init\"}\n",
                           CHECK_FORM_VALUES));
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        cr_assert(strstr(checked.data, expected[i]), "%s\nlacks: %s", checked.data, expected[i]);
    free(checked.data);
}

Test(ir_check, code_has_what_the_checks_ask_for_alone)
{
    static const char is_asked[] = "@lab_check_races = weak hidden global i8 1, align 1\n";
    static const char code[] = SHUFFLES("  store i64 %5, ptr %0, align 8, !dbg !3\n");
    char ir[sizeof is_asked + sizeof code];
    snprintf(ir, sizeof ir, "%s%s", is_asked, code);
    for (unsigned form = 0; form <= (CHECK_FORM_RACES | CHECK_FORM_VALUES); form++) {
        cpu_text checked = {0};
        cr_assert(cpu_ir_check(&checked, ir, form));
        const char *constant = strstr(checked.data, "@lab_check_races = private constant i8 ");
        cr_assert(constant && strchr(constant, '8')[2] == (form & CHECK_FORM_RACES ? '1' : '0'), "%s", checked.data);
        cr_assert_eq(!strstr(checked.data, "lab_check_brings"), !(form & CHECK_FORM_VALUES), "%s", checked.data);
        free(checked.data);
    }
}

Test(ir_check, does_not_follow_what_another_function_may_discard)
{
    cpu_text checked = {0};
    cr_assert(cpu_ir_check(&checked, SHUFFLES("  call void @other(i64 %5), !dbg !3\n"), CHECK_FORM_VALUES));
    cr_assert_null(strstr(checked.data, "lab_check_brings"), "%s", checked.data);
    free(checked.data);
}
