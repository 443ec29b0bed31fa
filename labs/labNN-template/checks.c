/* The checks of lab NN: what a call gets and must leave, and what it enqueues, on which stream and after what. */
#include "case.h"
#include "shared.h"

CHECK_LAB("labNN", "The template");

/* The reference on the host. */
static void shifted(float *to, const float *const *from, const check_case_run *now)
{
    const float factor = (float)now->argument[0].value;
    for (size_t i = 0; i < now->count; i++) to[i] = from[0][i + 1 < now->count ? i + 1 : i] * factor;
}

static const check_case shift = {
    .function = "labNN_run",
    .memory_bytes = sizeof(labNN_memory),
    .most = LABNN_MOST,
    .given = CHECK_CASE_GIVEN(labNN_arguments, count, {"factor", offsetof(labNN_arguments, factor), 1.5f, 2.5f, false}),
    .array = {{"the input", offsetof(labNN_memory, input), .low = 1.0f, .high = 2.0f},
              {"the output", offsetof(labNN_memory, output), .is = shifted, .from = {"the input"}}},
    .kernel = {{"kernels.cu", "shift(float to[count], const float from[count], int count, float factor)"}},
    .stream = {{"stream", "`stream`"}},
    .step = {{"the copy in", .kind = LAB_OP_COPY_HTOD, .on = "`stream`"},
             {"shift", .on = "`stream`", .after = {"the copy in"}},
             {"the copy out", .kind = LAB_OP_COPY_DTOH, .on = "`stream`", .after = {"shift"}}},
    .threads = 128,
    .waits = true,
};

CHECK(every_element_is_right, .points = 30, .title = "Task 1: every element is right, at every size",
      .schedule = "fifo", .any_order = true,
      .hints = {
          "Task 1 is in labNN_run: what has to happen before the kernel can run, and after it?",
          "lab_array_empty makes room on the device; lab_array_set_async and lab_array_get_async copy; lab_launch "
          "needs LABNN_GRID(work->count) and LABNN_BLOCK.",
          "Make both arrays with LAB_FLOAT32 and LAB_SHAPE(work->count); set one from work->input; launch with "
          "LAB_ARGS(to, from, (int)work->count, work->factor); get the other into work->output; synchronize."})
{
    check_case_sizes(&shift);
}

CHECK(the_stream_does_it, .points = 20, .title = "Task 1: copies and kernel on the stream", .any_order = true,
      .hints = {"The numbers are right. Which stream does each operation run on?",
                "NULL stands for the current stream, which is another one: three calls take a stream.",
                "work->stream for lab_array_set_async, lab_launch and lab_array_get_async, each called once."})
{
    check_case_in_order(&shift);
}

/* Which threads run first is luck, and the numbers may be right. The CPU device finds the race in the kernel's
 * accesses. On a GPU, and where kernels run unchecked, the record says which array the kernel wrote. */
CHECK(no_threads_race, .points = 20, .title = "Task 1: no thread reads what another writes", .checks_kernels = true,
      .schedule = "fifo", .any_order = true,
      .hints = {"Thread i reads number i + 1. Which thread writes number i + 1, and when?",
                "Blocks run in any order: a barrier orders the threads of one block only.",
                "The kernel needs one array to read and another one to write."})
{
    const check_case_run now = check_case_at(&shift, NULL, (size_t)check_draw(600, 1400));
    check_case_prove(&now);
    for (const lab_trace_op *op = now.span.begins; op < now.span.ends; op++)
        CHECK_THAT(op->kind != LAB_OP_KERNEL || op->accesses < 2 || op->access[0].address != op->access[1].address,
                   CHECK_RULE, "the kernel reads the array that it writes, and nothing orders its threads",
                   .at = check_at(op));
}

CHECK(nothing_is_left_behind, .points = 20, .title = "The arrays are released", .schedule = "fifo", .any_order = true,
      .hints = {"What labNN_run makes is still there when it returns.", "lab.h says who owns an array.",
                "lab_array_destroy, on every way out of the function."})
{
    check_case_keeps_nothing(&shift);
}

CHECK(failures_are_passed_on, .points = 10, .schedule = "fifo", .any_order = true, .after = "every_element_is_right",
      .title = "A call that fails ends the function, with its status",
      .hints = CHECK_FAILURE_HINTS("LAB_TRY around each call of labNN_run."))
{
    check_case_failures(&shift);
}
