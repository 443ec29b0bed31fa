/* The checks of lab NN: what a call gets and must leave, and what it enqueues, on which stream and after what. */
#include "case.h"
#include "shared.h"

CHECK_LAB("labNN", "The template");

/* The reference on the host. */
static void shifted(float *to, const float *const *from, const check_case_run *now)
{
    const labNN_arguments *given = now->arguments;
    for (size_t i = 0; i < now->count; i++) to[i] = from[0][i + 1 < now->count ? i + 1 : i] * given->factor;
}

static const check_case shift = {
    .function = "labNN_run",
    .array = {{"the input", offsetof(labNN_memory, input), .low = 1.0f, .high = 2.0f},
              {"the output", offsetof(labNN_memory, output), .is = shifted, .from = {"the input"}}},
    .kernel = {{"kernels.cu", "shift(float to[count], const float from[count], int count, float factor)"}},
    .stream = {{"stream", "`stream`"}},
    .step = {{"the copy in", .kind = LAB_OP_COPY_HTOD, .on = "`stream`"},
             {"shift", .on = "`stream`", .after = {"the copy in"}},
             {"the copy out", .kind = LAB_OP_COPY_DTOH, .on = "`stream`", .after = {"shift"}}},
    .threads = 128,
};

/* Calls the function on new numbers. */
static check_case_run call(check_program *program, int count)
{
    const labNN_arguments given = {(size_t)count, 1.5f + check_random_float(0, (uint64_t)count)};
    check_case_run now = {.of = &shift,
                          .program = program,
                          .count = given.count,
                          .arguments = &given,
                          .argument_bytes = sizeof given,
                          .argument = {{"factor", (double)given.factor}}};
    check_case_call(&now);
    return now;
}

/* The numbers are right, came from the input by the kernel, and are there. */
static void prove(const check_case_run *now)
{
    check_case_prove(now);
    check_waits_for_all(now->trace, now->span);
}

CHECK(every_element_is_right, .points = 30, .title = "Task 1: every element is right, at every size",
      .schedule = "fifo",
      .hints = {
          "Task 1 is in labNN_run: what has to happen before the kernel can run, and after it?",
          "lab_array_empty makes room on the device; lab_array_set_async and lab_array_get_async copy; lab_launch "
          "needs LABNN_GRID(work->count) and LABNN_BLOCK.",
          "Make both arrays with LAB_FLOAT32 and LAB_SHAPE(work->count); set one from work->input; launch with "
          "LAB_ARGS(to, from, (int)work->count, work->factor); get the other into work->output; synchronize."})
{
    const int some = check_draw(1000, 3000), sizes[] = {1, 127, 128, 129, some, some, 70001};
    check_program *program = check_start(sizeof(labNN_memory));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const check_case_run now = call(program, sizes[i]);
        prove(&now);
    }
}

CHECK(the_stream_does_it, .points = 20, .title = "Task 1: copies and kernel on the stream", .any_order = true,
      .hints = {"The numbers are right. Which stream does each operation run on?",
                "NULL stands for the current stream, which is another one: three calls take a stream.",
                "work->stream for lab_array_set_async, lab_launch and lab_array_get_async, each called once."})
{
    const check_case_run now = call(check_start(sizeof(labNN_memory)), check_draw(600, 1400));
    check_case_keeps_plan(&now);
    prove(&now);
}

/* Which threads run first is luck, and the numbers may be right. The CPU device finds the race in the kernel's
 * accesses. On a GPU, and where kernels run unchecked, the record says which array the kernel wrote. */
CHECK(no_threads_race, .points = 20, .title = "Task 1: no thread reads what another writes", .checks_kernels = true,
      .hints = {"Thread i reads number i + 1. Which thread writes number i + 1, and when?",
                "Blocks run in any order: a barrier orders the threads of one block only.",
                "The kernel needs one array to read and another one to write."})
{
    const check_case_run now = call(check_start(sizeof(labNN_memory)), check_draw(600, 1400));
    prove(&now);
    for (const lab_trace_op *op = now.span.begins; op < now.span.ends; op++)
        CHECK_THAT(op->kind != LAB_OP_KERNEL || op->accesses < 2 || op->access[0].address != op->access[1].address,
                   CHECK_RULE, "the kernel reads the array that it writes, and nothing orders its threads",
                   .at = check_at(op));
}

CHECK(nothing_is_left_behind, .points = 20, .title = "The arrays are given back",
      .hints = {"What labNN_run makes is still there when it returns.", "lab.h says who owns an array.",
                "lab_array_destroy, on every way out of the function."})
{
    const check_case_run now = call(check_start(sizeof(labNN_memory)), check_draw(600, 1400));
    prove(&now);
    check_keeps_nothing(now.trace, now.span);
}

CHECK(failures_are_passed_on, .points = 10, .schedule = "fifo", .after = "every_element_is_right",
      .title = "A call that fails ends the function, with its status",
      .hints = CHECK_FAILURE_HINTS("LAB_TRY around each call of labNN_run."))
{
    const labNN_arguments given = {(size_t)check_draw(600, 1400), 2.0f};
    check_failures(&(check_failing){.function = shift.function,
                                    .arguments = &given,
                                    .argument_bytes = sizeof given,
                                    .memory_bytes = sizeof(labNN_memory),
                                    .also = CHECK_FAIL_WAITS,
                                    .at_once = true});
}
