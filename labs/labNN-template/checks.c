/* The checks of lab NN: inputs, the reference on the host, and the record of a run. */
#include "check.h"
#include "shared.h"

#include <string.h>

CHECK_LAB("labNN", "The template");

/* Runs the student's function once on new numbers, compares every element, and asks the device's record whether the
 * numbers came from the input by the kernel. Returns that record. */
static const lab_trace *run_and_compare(check_program *program, size_t count, uint64_t stream)
{
    labNN_memory *memory = check_memory(program);
    size_t bytes = count * sizeof(float);
    float *input = check_alloc(bytes), *expected = check_alloc(bytes), *found = check_alloc(bytes);
    labNN_arguments arguments = {count, 1.5f + check_random_float(stream, count)};
    check_random_floats(input, count, stream, 1.0f, 2.0f);
    check_trace_begin(program);
    memcpy(memory->input, input, bytes);
    check_poison(program, offsetof(labNN_memory, output), bytes);

    check_call(program, "labNN_run", &arguments, sizeof arguments, NULL, 0);

    check_snapshot(program, found, offsetof(labNN_memory, output), bytes);
    check_unchanged(program, offsetof(labNN_memory, input), input, bytes, "the input");
    for (size_t i = 0; i < count; i++) expected[i] = input[i + 1 < count ? i + 1 : i] * arguments.factor;
    check_difference difference = {0};
    check_compare_floats(&difference, 0, expected, found, count);
    check_equal(&difference, "labNN_run left wrong numbers in the output",
                .cause = difference.unwritten == count ? "labNN_run never wrote to work->output" : NULL);

    const lab_trace *trace = check_trace(program);
    const check_passage passage = {
        .output = {found, bytes}, .input = {{input, bytes}}, .argument = {{"factor", (double)arguments.factor}}};
    check_flow(program, trace,
               &(check_way){.function = "labNN_run",
                            .passage = &passage,
                            .passages = 1,
                            .kernel = {{"kernels.cu",
                                        "shift(float to[count], const float from[count], int count, float factor)"}}});
    check_waits_for_all(trace, check_between(trace, LABNN_BEGINS, LABNN_ENDS, "labNN_run"));
    return trace;
}

CHECK(every_element_is_right, .points = 30, .title = "Task 1: every element is right, at every size",
      .schedule = "fifo",
      .hints = {"Task 1 is in labNN_run: what has to happen before the kernel can run, and after it?",
                "lab_array_empty makes room on the device; lab_array_set and lab_array_get copy; lab_launch needs "
                "LABNN_GRID(work->count) and LABNN_BLOCK.",
                "Make both arrays with LAB_FLOAT32 and LAB_SHAPE(work->count); set one from work->input; launch with "
                "LAB_ARGS(to, from, (int)work->count, work->factor); get the other into work->output."})
{
    const size_t some = (size_t)check_draw(1000, 3000), sizes[] = {1, 127, 128, 129, some, some, 70001};
    check_program *program = check_start(sizeof(labNN_memory));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) run_and_compare(program, sizes[i], i);
}

CHECK(the_kernel_does_it, .points = 20, .title = "Task 1: the kernel does the work",
      .hints = {"The numbers are right. Who computed them?", "The multiplication belongs in the kernel of kernels.cu.",
                "One lab_launch of work->shift; the host only copies."})
{
    check_program *program = check_start(sizeof(labNN_memory));
    int kernels = check_count_ops(run_and_compare(program, (size_t)check_draw(600, 1400), 0), LAB_OP_KERNEL);
    CHECK_THAT(kernels == 1, CHECK_RULE, "labNN_run must launch work->shift once", .expected = "one kernel",
               .found = check_text("%d kernels", kernels));
}

/* Which threads run first is luck, and the numbers may be right. The CPU device finds the race in the kernel's
 * accesses. On a GPU, and where kernels run unchecked, the record says which array the kernel wrote. */
CHECK(no_threads_race, .points = 20, .title = "Task 1: no thread reads what another writes", .checks_kernels = true,
      .hints = {"Thread i reads number i + 1. Which thread writes number i + 1, and when?",
                "Blocks run in any order: a barrier orders the threads of one block only.",
                "The kernel needs one array to read and another one to write."})
{
    check_program *program = check_start(sizeof(labNN_memory));
    const lab_trace *trace = run_and_compare(program, (size_t)check_draw(600, 1400), 0);
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (op->kind != LAB_OP_KERNEL || op->accesses < 2) continue;
        CHECK_THAT(op->access[0].address != op->access[1].address, CHECK_RULE,
                   "the kernel reads the array that it writes, and nothing orders its threads",
                   .at = check_at_line(op->file, op->line, "labNN_run"));
    }
}

CHECK(nothing_is_left_behind, .points = 20, .title = "The array is given back",
      .hints = {"What labNN_run makes is still there when it returns.", "lab.h says who owns an array.",
                "lab_array_destroy, on every way out of the function."})
{
    check_program *program = check_start(sizeof(labNN_memory));
    const lab_trace *trace = run_and_compare(program, (size_t)check_draw(600, 1400), 0);
    check_keeps_nothing(trace, check_between(trace, LABNN_BEGINS, LABNN_ENDS, "labNN_run"));
}

static void give_numbers(check_program *program, const void *user)
{
    labNN_memory *memory = check_memory(program);
    const labNN_arguments *given = user;
    check_random_floats(memory->input, given->count, 0, 1.0f, 2.0f);
}

CHECK(failures_are_passed_on, .points = 10, .schedule = "fifo", .after = "every_element_is_right",
      .title = "A call that fails ends the function, with its status",
      .hints = CHECK_FAILURE_HINTS("LAB_TRY around each call of labNN_run."))
{
    const labNN_arguments given = {(size_t)check_draw(600, 1400), 2.0f};
    check_failures(&(check_failing){.function = "labNN_run",
                                    .arguments = &given,
                                    .argument_bytes = sizeof given,
                                    .memory_bytes = sizeof(labNN_memory),
                                    .prepare = give_numbers,
                                    .user = &given,
                                    .at_once = true});
}
