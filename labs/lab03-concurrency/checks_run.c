/* Runs of lab 03's programs; see checks_run.h. */
#include "checks_run.h"
#include "find.h"
#include "plan.h"

#include <string.h>

/* ---- Runs: a program with its sizes and a copy of its inputs ----------------------------------------------------- */

lab03_size short_arrays(void) { return (lab03_size){ALL_ARRAYS, 4 * 1024, 8, ALL_ARRAYS}; }

/* Longer arrays on a GPU: a kernel of 2.5 ms next to copies of 20 us. Four times that length gives the same ratios, but
 * a round of the timed runs then occupies the GPU for eight seconds instead of two. */
lab03_size size_for_device(void)
{
    if (strcmp(check_device()->kind, "cuda") != 0) return short_arrays();
    return (lab03_size){ALL_ARRAYS, 256 * 1024, 50, ALL_ARRAYS};
}

lab03_size small_size(void) { return (lab03_size){FEW_ARRAYS, check_draw(4000, 6000), check_draw(6, 12), FEW_STREAMS}; }

static size_t length_of(const run *this_run) { return (size_t)this_run->size.length; }
static size_t bytes_of(const run *this_run) { return length_of(this_run) * sizeof(float); }

run run_begin(check_program *program, bool reference, lab03_size size)
{
    const size_t numbers = (size_t)size.arrays * (size_t)size.length * sizeof(float);
    run made = {.size = size, .program = program, .reference = reference, .shared = check_memory(program)};
    made.input = check_alloc(numbers);
    made.expected = check_alloc(numbers);
    made.output = check_alloc(numbers);
    made.device = check_alloc((size_t)size.arrays * sizeof *made.device);
    const lab_trace *trace = check_recorded(program, "prepare", &size, sizeof size, NULL, 0);
    for (int k = 0; k < size.arrays; k++) made.device[k] = check_pool_block(trace, k)->object;
    return made;
}

/* What fill_array needs. */
typedef struct filling {
    run *this_run;
    uint64_t stream;
} filling;

/* Does to x what the kernel does, to the last bit: products and sums are contracted neither here nor there.
 * A few numbers at a time take all steps, so that they stay in registers. */
static void advance(float *x, size_t length, float rate, int steps)
{
    enum { FEW = 64 };
    float few[FEW] = {0};
    for (size_t first = 0; first < length; first += FEW) {
        const size_t bytes = (length - first < FEW ? length - first : FEW) * sizeof *x;
        memcpy(few, x + first, bytes);
        for (int step = 0; step < steps; step++)
            for (int i = 0; i < FEW; i++) few[i] = rate * few[i] * (1.0f - few[i]);
        memcpy(x + first, few, bytes);
    }
}

static void fill_array(void *user, int k)
{
    const filling *filled = user;
    run *this_run = filled->this_run;
    const size_t length = length_of(this_run);
    float *input = this_run->input + (size_t)k * length, *expected = this_run->expected + (size_t)k * length;
    check_random_floats(input, length, filled->stream + (uint64_t)k, 0.05f, 0.95f);
    memcpy((unsigned char *)this_run->shared + lab03_input_offset(&this_run->size, k), input, bytes_of(this_run));
    check_poison(this_run->program, lab03_output_offset(&this_run->size, k), bytes_of(this_run));
    memcpy(expected, input, bytes_of(this_run));
    advance(expected, length, this_run->head.rate[k], this_run->size.steps);
}

void run_fill(run *this_run)
{
    filling filled = {this_run, this_run->fills++ * (LAB03_MOST_ARRAYS + 1)};
    check_random_floats(this_run->head.rate, LAB03_MOST_ARRAYS, filled.stream + LAB03_MOST_ARRAYS, 3.6f, 3.95f);
    memcpy(this_run->shared, &this_run->head, sizeof this_run->head);
    check_each(this_run->size.arrays, fill_array, &filled);
}

double run_call(run *this_run, const char *name) { return check_call(this_run->program, name, NULL, 0, NULL, 0); }

/* ---- The operations of each array in the record ------------------------------------------------------------------ */

/* The array that the operation copies, at once or a piece, or computes with the lab's kernel; -1 for none. */
static int array_of(const run *this_run, const lab_trace_op *op, const char *module)
{
    const bool copies = op->kind == LAB_OP_COPY_HTOD || op->kind == LAB_OP_COPY_DTOH;
    if (!copies && (op->kind != LAB_OP_KERNEL || strcmp(op->module, module) != 0)) return -1;
    const uint64_t address = check_device_access(op).address;
    for (int k = 0; k < this_run->size.arrays; k++)
        if (address - this_run->device[k] < bytes_of(this_run)) return k;
    return -1;
}

/* Adds an operation to its array's passage. A copy in after the kernel begins another passage. */
static void add(passage *array, const lab_trace_op *op, size_t whole)
{
    if (op->kind == LAB_OP_COPY_HTOD) {
        if (array->kernel) *array = (passage){0};
        if (!array->in) array->in = op;
        array->bytes_in += op->bytes;
    } else if (op->kind == LAB_OP_KERNEL) {
        if (array->bytes_in >= whole && !array->out) array->kernel = op;
    } else {
        if (array->kernel) array->bytes_out += op->bytes;
        if (array->bytes_out >= whole) array->out = op;
    }
}

/* What is missing stays NULL. */
static passages follow(const run *this_run, const lab_trace *trace, const char *function)
{
    passage *array = check_alloc((size_t)this_run->size.arrays * sizeof *array);
    int *owner = check_alloc((trace->ops + 1) * sizeof *owner);
    const char *module = check_module("kernels.cu");
    for (size_t i = 0; i < trace->ops; i++) {
        owner[i] = array_of(this_run, &trace->op[i], module);
        if (owner[i] >= 0) add(&array[owner[i]], &trace->op[i], bytes_of(this_run));
    }
    return (passages){function, trace, array, owner};
}

const lab_trace_op *run_next(const passages *found, const lab_trace_op *op)
{
    for (size_t i = op ? op->id : 0; i < found->trace->ops; i++)
        if (found->owner[i] >= 0) return &found->trace->op[i];
    return NULL;
}

const char *run_step(const lab_trace_op *op)
{
    return op->kind == LAB_OP_KERNEL ? "kernel" : op->kind == LAB_OP_COPY_DTOH ? "copy out" : "copy in";
}

/* The call for an array in the student's own loop, where the kernel's launch is not: the copy in if it is on another
 * stream than the kernel, else the last copy. Without one, that of the array before, or of any. */
static const lab_trace_op *own_call(const passages *found, int k)
{
    const passage *array = &found->array[k];
    const bool strays = array->in && array->kernel && array->in->stream != array->kernel->stream;
    const lab_trace_op *own = array->out && !strays ? array->out : array->in;
    if (!own && k > 0) own = found->array[k - 1].in;
    return own ? own : run_next(found, NULL);
}

/* What the record lacks of array k; NULL for nothing. */
static const char *what_is_missing(const run *this_run, const passages *found, int k)
{
    const passage *array = &found->array[k];
    const char *function = found->function;
    if (!array->in && !array->out && k == 0)
        return check_text("%s enqueues nothing for array 0%s", function,
                          this_run->fills > 1 ? " in this call, which is not the first of this program" : "");
    if (!array->in && !array->out)
        return check_text("%s stops at array %d: the loop must run over all work->arrays arrays", function, k);
    if (!array->in) return check_text("%s never copies array %d in to work->device[%d]", function, k, k);
    if (!array->kernel)
        return check_text("%s copies array %d in, but nothing launches its kernel after that", function, k);
    return array->out ? NULL : check_text("%s never copies array %d out after its kernel", function, k);
}

/* "work->output[3]": the host array that a copy moves, by its first byte; NULL if it is none. */
static const char *host_array(const run *this_run, const lab_trace_op *copy)
{
    const uint64_t offset = check_host_access(copy).address - check_address(this_run->program);
    for (int k = 0; k < this_run->size.arrays; k++) {
        if (offset - lab03_input_offset(&this_run->size, k) < bytes_of(this_run))
            return check_text("work->input[%d]", k);
        if (offset - lab03_output_offset(&this_run->size, k) < bytes_of(this_run))
            return check_text("work->output[%d]", k);
    }
    return NULL;
}

/* The finding if this copy of array k is of another host array than this one; else one without a cause. */
static check_finding explain_copy(const run *this_run, const lab_trace_op *copy, const char *wanted)
{
    const char *moved = host_array(this_run, copy);
    if (!moved || strcmp(moved, wanted) == 0) return (check_finding){.cause = NULL};
    return (check_finding){.at = check_at(copy),
                           .cause = check_text("this %s names %s instead of %s", run_step(copy), moved, wanted)};
}

/* Why array k is wrong, and where, by the record. */
static check_finding explain(const run *this_run, const lab_trace *trace, int k, const char *function)
{
    const passages found = follow(this_run, trace, function);
    const passage *array = &found.array[k];
    const check_place at = check_at(own_call(&found, k));
    const char *missing = what_is_missing(this_run, &found, k);
    check_ordered(this_run->program, function, at);
    if (missing) return (check_finding){.at = at, .cause = missing};
    if (!lab_relations_waited_by(check_relations(trace), array->out->id))
        return (check_finding){
            .at = at,
            .cause = check_text("%s returned before this copy had arrived: nothing waits for its stream", function)};
    check_finding why = explain_copy(this_run, array->in, check_text("work->input[%d]", k));
    if (!why.cause) why = explain_copy(this_run, array->out, check_text("work->output[%d]", k));
    if (!why.cause)
        why = (check_finding){.at = check_at_after(array->out, array->in),
                              .cause = check_text("copies and kernel of array %d ran: look at what they are "
                                                  "given, such as work->input[k], work->output[k] and work->rate[k]",
                                                  k)};
    return why;
}

void run_check_outputs(const run *this_run, const lab_trace *trace, const char *function)
{
    check_difference difference = {.array = "output"};
    for (int k = 0; k < this_run->size.arrays; k++) {
        const size_t first = (size_t)k * length_of(this_run);
        const float *expected = this_run->expected + first;
        float *output = this_run->output + first;
        check_snapshot(this_run->program, output, lab03_output_offset(&this_run->size, k), bytes_of(this_run));
        if (memcmp(output, expected, bytes_of(this_run)) != 0)
            check_compare_floats(&difference, (size_t)k, expected, output, length_of(this_run));
        else
            difference.compared += length_of(this_run);
    }
    if (!difference.count) return;
    check_finding why =
        explain(this_run, trace ? trace : check_trace(this_run->program), (int)difference.first_array, function);
    why.message = check_text("%s left wrong numbers in the outputs", function);
    check_fail_if_different(&difference, why);
}

passages run_record(run *this_run, const char *function, void *result, size_t result_bytes)
{
    check_trace_begin(this_run->program);
    run_fill(this_run);
    check_call(this_run->program, function, NULL, 0, result, result_bytes);
    const lab_trace *trace = check_trace(this_run->program);
    const check_span span = check_whole(trace, function);
    run_check_outputs(this_run, trace, function);
    const passages found = follow(this_run, trace, function);
    int strays = 0; /* the first array whose copies are on two streams, or else the last */
    for (int k = 0; k < this_run->size.arrays; k++) {
        const char *missing = what_is_missing(this_run, &found, k);
        CHECK_THAT(!missing, CHECK_RULE, missing, .at = check_at(own_call(&found, k)));
        check_launched(span, found.array[k].kernel, 1, 1, 64, "LAB03_GRID and LAB03_BLOCK, in the given `launch`");
        if (found.array[strays].in->stream == found.array[strays].out->stream) strays = k;
    }
    check_ordered(this_run->program, function, check_at(own_call(&found, strays)));
    return found;
}

void run_check_flow(const run *this_run, const passages *found)
{
    const size_t arrays = (size_t)this_run->size.arrays, bytes = bytes_of(this_run);
    check_passage *array = check_alloc(arrays * sizeof *array);
    for (size_t k = 0; k < arrays; k++)
        array[k] = (check_passage){
            .what = check_text("array %d", (int)k),
            .output = {this_run->output + k * length_of(this_run), bytes},
            .input = {{this_run->input + k * length_of(this_run), bytes}},
            .argument = {{"rate", (double)this_run->head.rate[k]}, {"steps", this_run->size.steps}},
        };
    check_flow(this_run->program, found->trace,
               &(check_way){.function = found->function,
                            .passage = array,
                            .passages = arrays,
                            .kernel = {{"kernels.cu", "advance(float x[length], int length, float rate, int steps), "
                                                      "any grid"}}});
}

passages run_check(run *this_run, const char *function, unsigned rules)
{
    const passages found = run_record(this_run, function, NULL, 0);
    run_check_rules(&found, rules);
    run_check_flow(this_run, &found);
    return found;
}
