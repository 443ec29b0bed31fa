/* What a thread keeps from one step of a loop to the next has one place, unless two values are needed at once. */
#include "cpu/split/split.h"
#include "kernels.h"

/* A kernel with a barrier in a loop, in which each thread goes on with numbers of its own. */
#define LOOP(phis, body, result)                                                                                       \
    KERNELS_TO_SPLIT("  %t = load i32, ptr @_ZL10lab_thread, align 4\n"                                                \
                     "  %place = getelementptr float, ptr %out, i32 %t\n"                                              \
                     "  %first = load float, ptr %place, align 4\n"                                                    \
                     "  %second = fmul float %first, 3.000000e+00\n"                                                   \
                     "  br label %loop\n"                                                                              \
                     "loop:\n"                                                                                         \
                     "  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]\n" phis                                         \
                     "  call void @lab_suspend_syncthreads(ptr null, ptr @file, i32 3) #2\n" body                      \
                     "  %i.next = add i32 %i, 1\n"                                                                     \
                     "  %more = icmp slt i32 %i.next, %n\n"                                                            \
                     "  br i1 %more, label %loop, label %end\n"                                                        \
                     "end:\n"                                                                                          \
                     "  call void @lab_suspend_syncthreads(ptr null, ptr @file, i32 5) #2\n"                           \
                     "  store float " result ", ptr %place, align 4\n")

/* The split kernel. The caller frees it. */
static char *split_text(const char *ir, ir_cuts cuts)
{
    static const char *const kernel[] = {"k"};
    cpu_text text = {0}, why = {0};
    bool any;
    cr_assert(cpu_ir_split_kernels(&text, &why, &any, ir, kernel, 1, cuts));
    cr_assert(any, "%s", why.data);
    free(why.data);
    return text.data;
}

/* The number of slots for float in the split kernel. */
static int float_slots(const char *ir)
{
    char *text = split_text(ir, IR_CUT_AT_BRANCHES);
    const char *slots = strstr(text, "%lab.slots.k = type {");
    cr_assert_not_null(slots, "%s", text);
    int count = 0;
    for (const char *at = slots; at < strchr(slots, '\n'); at++) count += strncmp(at, " x float]", 9) == 0;
    free(text);
    return count;
}

Test(split_slots, a_sum_has_one)
{
    cr_assert_eq(float_slots(LOOP("  %sum = phi float [ %first, %entry ], [ %next, %loop ]\n",
                                  "  %next = fmul float %sum, %sum\n", "%next")),
                 1);
}

Test(split_slots, a_sum_and_the_one_before_it_have_two)
{
    cr_assert_eq(float_slots(LOOP("  %sum = phi float [ %first, %entry ], [ %next, %loop ]\n",
                                  "  %next = fmul float %sum, %sum\n  %both = fadd float %next, %sum\n", "%both")),
                 2);
}

Test(split_slots, numbers_that_change_places_have_two)
{
    cr_assert_eq(float_slots(LOOP("  %a = phi float [ %first, %entry ], [ %b, %loop ]\n"
                                  "  %b = phi float [ %second, %entry ], [ %a, %loop ]\n",
                                  "", "%a")),
                 2);
}

/* ---- rows of 16 threads, and of warps ---- */

static bool has_loops(const char *name, const char *ir, ir_cuts cuts)
{
    char *text = split_text(ir, cuts);
    const bool has = strstr(text, name) != NULL;
    free(text);
    return has;
}

static bool has_loops_of_rows(const char *ir, ir_cuts cuts)
{
    return has_loops("define internal i32 @lab.rows.k.0(", ir, cuts);
}

#define READS_Y "  %y = load i32, ptr getelementptr inbounds ([3 x i32], ptr @_ZL10lab_thread, i64 0, i64 1), align 4\n"
#define SAVES_Y "  store i32 %y, ptr getelementptr inbounds ([3 x i32], ptr @_ZL10lab_thread, i64 0, i64 1), align 4\n"
#define SCALES "  %by = uitofp i32 %y to float\n  %next = fmul float %sum, %by\n"
#define SUM "  %sum = phi float [ %first, %entry ], [ %next, %loop ]\n"

Test(split_rows, kernel_that_reads_the_second_index_has_loops_for_them)
{
    cr_assert(has_loops_of_rows(LOOP(SUM, READS_Y SCALES, "%next"), IR_CUT_AT_BRANCHES));
    cr_assert_not(has_loops_of_rows(LOOP(SUM, "  %next = fmul float %sum, %sum\n", "%next"), IR_CUT_AT_BRANCHES));
}

/* A kernel without a wait. */
#define PLAIN(body)                                                                                                    \
    KERNELS_TO_SPLIT("  %t = load i32, ptr @_ZL10lab_thread, align 4\n" body                                           \
                     "  %place = getelementptr i32, ptr %out, i32 %at\n"                                               \
                     "  store i32 %n, ptr %place, align 4\n")

Test(split_rows, kernel_that_never_waits_has_them_too_and_is_split_for_them_alone)
{
    static const char *const kernel[] = {"k"};
    static const char by_y[] = PLAIN(READS_Y "  %at = add i32 %t, %y\n"), by_x[] = PLAIN("  %at = add i32 %t, 1\n");
    cpu_text text = {0}, why = {0};
    bool any;
    cr_assert(has_loops_of_rows(by_y, IR_CUT_AT_BRANCHES));
    cr_assert(cpu_ir_split_kernels(&text, &why, &any, by_x, kernel, 1, IR_CUT_AT_BRANCHES));
    cr_assert_not(any, "%s", text.data);
    free(text.data);
    free(why.data);
}

/* Around a wait in a function that was inlined. */
Test(split_rows, an_index_that_is_only_saved_is_not_read)
{
    cr_assert_not(
        has_loops_of_rows(LOOP(SUM, READS_Y SAVES_Y "  %next = fmul float %sum, %sum\n", "%next"), IR_CUT_AT_BRANCHES));
}

Test(split_rows, kernel_that_is_checked_has_none)
{
    cr_assert_not(has_loops_of_rows(LOOP(SUM, READS_Y SCALES, "%next"), IR_CUT_AT_WAITS));
}

#define SCALES_BY(lane) "  %lane = " lane "\n  %by = uitofp i32 %lane to float\n  %next = fmul float %sum, %by\n"

Test(split_rows, kernel_that_computes_its_lane_or_warp_has_loops_over_both)
{
    static const char name[] = "define internal i32 @lab.warps.k.0(";
    static const char *const loops[] = {
        LOOP(SUM, SCALES_BY("and i32 %t, 31"), "%next"), LOOP(SUM, SCALES_BY("urem i32 %t, 32"), "%next"),
        LOOP(SUM, SCALES_BY("lshr i32 %t, 5"), "%next"), LOOP(SUM, SCALES_BY("udiv i32 %t, 32"), "%next")};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) cr_assert(has_loops(name, loops[i], IR_CUT_AT_BRANCHES));
    cr_assert_not(has_loops(name, LOOP(SUM, SCALES_BY("and i32 %t, 15"), "%next"), IR_CUT_AT_BRANCHES));
    cr_assert_not(has_loops(name, loops[0], IR_CUT_AT_WAITS));
}
