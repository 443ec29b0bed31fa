/* A function of the C library that only computes a number is no call in a split kernel: no thread's index is stored for
 * it, and it is called once where all threads call it alike. */
#include "cpu/split/split.h"
#include "kernels.h"

/* A kernel that waits and calls `function`, of which the optimiser says nothing. */
#define CALLING(function)                                                                                              \
    KERNELS_TO_SPLIT("  %t = load i32, ptr @_ZL10lab_thread, align 4\n"                                                \
                     "  call void @lab_suspend_syncthreads(ptr null, ptr @file, i32 3) #2\n"                           \
                     "  %power = call contract float @" function "(float 1.000000e+00, i32 %n) #2\n"                   \
                     "  %place = getelementptr float, ptr %out, i32 %t\n"                                              \
                     "  store float %power, ptr %place, align 4\n")                                                    \
    "declare float @" function "(float, i32) local_unnamed_addr #2\n"

/* The caller frees it. */
static char *split(const char *ir)
{
    static const char *const kernel[] = {"k"};
    cpu_text text = {0}, why = {0};
    bool any;
    cr_assert(cpu_ir_split_kernels(&text, &why, &any, ir, kernel, 1, IR_CUT_AT_BRANCHES));
    cr_assert(any);
    free(why.data);
    return text.data;
}

Test(split_math, a_function_that_only_computes_has_no_effects_and_needs_no_index)
{
    char *text = split(CALLING("ldexpf"));
    cr_assert(strstr(text, "declare float @ldexpf(float, i32) local_unnamed_addr #2 nounwind readnone speculatable "
                           "willreturn\n"),
              "%s", text);
    cr_assert_not(strstr(text, "store i32 %lab.tx, "), "%s", text);
    free(text);
}

Test(split_math, any_other_function_may_use_the_index)
{
    char *text = split(CALLING("find"));
    cr_assert(strstr(text, "declare float @find(float, i32) local_unnamed_addr #2\n"), "%s", text);
    cr_assert(strstr(text, "store i32 %lab.tx, "), "%s", text);
    free(text);
}
