/* Task 0 of lab 00; see checks_first_kernel.h. */
#include "checks_first_kernel.h"

#include "plan.h"
#include "lab00.h"
#include "shared.h"

#include <string.h>

/* The only launch of the kernel. */
static const lab_trace_op *find_label(const lab_trace *trace)
{
    const lab_trace_op *found = NULL;
    const char *module = check_module("kernels.cu");
    int kernels = 0;
    for (size_t i = 0; i < trace->ops; i++) {
        if (trace->op[i].kind != LAB_OP_KERNEL || strcmp(trace->op[i].module, module) != 0) continue;
        found = &trace->op[i];
        kernels++;
    }
    CHECK_THAT(kernels == 1, CHECK_RULE, "lab00_first_kernel does not launch label once", .at = check_at(found),
               .expected = "one launch of label", .found = check_text("%d", kernels));
    return found;
}

/* Compares what the kernel left with what the threads of the right launch leave. */
static void compare_labels(const int *found, int count, unsigned threads, const lab_trace_op *kernel)
{
    int written = 0;
    for (int i = 0; i < count; i++) written += found[i] == 1000 * (i / LAB00_BLOCK) + i % LAB00_BLOCK;
    const int last = count - 1;
    CHECK_THAT(written == count, CHECK_WRONG_RESULT, "lab00_first_kernel leaves numbers unwritten",
               .at = check_at(kernel),
               .expected =
                   check_text("%d of %d numbers written; the last is %d, from thread %d of block %d", count, count,
                              1000 * (last / LAB00_BLOCK) + last % LAB00_BLOCK, last % LAB00_BLOCK, last / LAB00_BLOCK),
               .found = check_text("%d of %d numbers written; the last is %d", written, count, found[last]),
               .cause = threads < (unsigned)count
                            ? check_text("%u threads for %d numbers: each number is written by a thread of its own",
                                         threads, count)
                            : "the threads are enough; LAB_ARGS passes the array and the count");
}

void launch_once(check_program *program, int count)
{
    const size_t bytes = (size_t)count * sizeof(int);
    int *found = check_alloc(bytes);
    check_trace_begin(program);
    check_call(program, "lab00_first_kernel", &count, sizeof count, NULL, 0);
    check_snapshot(program, found, 0, bytes);
    const lab_trace *trace = check_trace(program);
    const lab_trace_op *kernel = find_label(trace);
    const unsigned blocks = ((unsigned)count + LAB00_BLOCK - 1) / LAB00_BLOCK;
    const lab_dim grid = kernel->grid;
    check_launched((check_span){.function = "lab00_first_kernel"}, kernel, 1, 0, LAB00_BLOCK, NULL);
    compare_labels(found, count, grid.x * LAB00_BLOCK, kernel);
    CHECK_THAT(
        grid.x == blocks && grid.y == 1 && grid.z == 1, CHECK_RULE,
        "lab00_first_kernel launches more blocks than needed", .at = check_at(kernel),
        .expected =
            check_text("%u block%s for %d number%s", blocks, blocks == 1 ? "" : "s", count, count == 1 ? "" : "s"),
        .found = check_text("%u x %u x %u", grid.x, grid.y, grid.z),
        .cause = check_text("the last block has no number to write: blocks = count / %d, rounded up", LAB00_BLOCK));
    CHECK_THAT(check_stream(trace, kernel->stream)->null_stream, CHECK_RULE,
               "lab00_first_kernel launches on another stream", .at = check_at(kernel),
               .expected = "the current stream, here the null stream", .found = "another stream",
               .cause = "NULL as the stream of lab_launch means the current stream");
    check_flow(program, trace,
               &(check_way){.function = "lab00_first_kernel",
                            .passage = &(check_passage){.output = {found, bytes}},
                            .passages = 1,
                            .kernel = {{"kernels.cu", "label(int numbers[count], int count)"}}});
}
