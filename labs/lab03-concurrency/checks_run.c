/* Runs of lab 03's programs; see checks_run.h. */
#include "checks_run.h"

#include <stdio.h>
#include <string.h>

/* ---- Runs: a program with its sizes and a copy of its inputs ----------------------------------------------------- */

lab03_size short_arrays(void) { return (lab03_size){ALL_ARRAYS, 16 * 1024, 8, ALL_ARRAYS}; }

/* Longer arrays on a GPU: a kernel of 2.5 ms next to copies of 20 us. Four times that length gives the same ratios, but
 * a round of the timed runs then occupies the GPU for eight seconds instead of two. */
lab03_size size_for_device(void)
{
    if (strcmp(check_device()->kind, "cuda") != 0) return short_arrays();
    return (lab03_size){ALL_ARRAYS, 256 * 1024, 50, ALL_ARRAYS};
}

lab03_size small_size(void) { return (lab03_size){FEW_ARRAYS, check_draw(4000, 6000), check_draw(6, 12), FEW_STREAMS}; }

static size_t length_of(const run *this_run) { return (size_t)this_run->size.length; }

static float *input_of(const run *this_run, int array) { return this_run->input + (size_t)array * length_of(this_run); }

/* "prepare" makes the arrays in their order, before it calls anything of the student's. */
static void find_arrays(run *this_run, const lab_trace *trace)
{
    int found = 0;
    for (size_t i = 0; i < trace->ops && found < this_run->size.arrays; i++)
        if (trace->op[i].kind == LAB_OP_POOL_ALLOC) this_run->device[found++] = trace->op[i].object;
    if (found < this_run->size.arrays) check_fault("the record has %d of %d arrays", found, this_run->size.arrays);
}

static run begin(check_program *program, bool reference, lab03_size size)
{
    run made = {.size = size, .program = program, .reference = reference};
    made.shared = check_memory(made.program);
    made.input = check_alloc((size_t)size.arrays * (size_t)size.length * sizeof(float));
    made.found = check_alloc((size_t)size.arrays * (size_t)size.length * sizeof(float));
    made.device = check_alloc((size_t)size.arrays * sizeof *made.device);
    check_trace_begin(made.program);
    check_call(made.program, "prepare", &size, sizeof size, NULL, 0);
    find_arrays(&made, check_trace(made.program));
    return made;
}

run run_begin(bool reference, lab03_size size)
{
    const size_t bytes = lab03_memory_bytes(&size);
    return begin(reference ? check_start_reference(bytes) : check_start_kept(bytes), reference, size);
}

run run_begin_timed(lab03_size size) { return begin(check_start(lab03_memory_bytes(&size)), false, size); }

/* What fill_array needs. */
typedef struct filling {
    run *this_run;
    uint64_t stream;
} filling;

static void fill_array(void *user, int k)
{
    const filling *filled = user;
    run *this_run = filled->this_run;
    check_random_floats(input_of(this_run, k), length_of(this_run), filled->stream + (uint64_t)k, 0.05f, 0.95f);
    memcpy((unsigned char *)this_run->shared + lab03_input_offset(&this_run->size, k), input_of(this_run, k),
           length_of(this_run) * sizeof(float));
    check_poison(this_run->program, lab03_output_offset(&this_run->size, k), length_of(this_run) * sizeof(float));
}

void run_fill(run *this_run)
{
    filling filled = {this_run, this_run->fills++ * (LAB03_MOST_ARRAYS + 1)};
    check_random_floats(this_run->head.rate, LAB03_MOST_ARRAYS, filled.stream + LAB03_MOST_ARRAYS, 3.6f, 3.95f);
    memcpy(this_run->shared, &this_run->head, sizeof this_run->head);
    check_each(this_run->size.arrays, fill_array, &filled);
}

double run_call(run *this_run, const char *name) { return check_call(this_run->program, name, NULL, 0, NULL, 0); }

double run_call_afresh(run *this_run, const char *name)
{
    run_fill(this_run);
    return run_call(this_run, name);
}

enum { CHUNK = 512 };

/* Computes the results of up to CHUNK elements of array k, from `first` on, and returns their number. They equal the
 * kernel's to the last bit: this file is compiled without contraction, and the kernel has nothing to contract. */
static size_t advance(float value[CHUNK], const run *this_run, int k, size_t first)
{
    const size_t left = length_of(this_run) - first, count = left < CHUNK ? left : CHUNK;
    const float rate = this_run->head.rate[k];
    memset(value, 0, CHUNK * sizeof *value);
    memcpy(value, input_of(this_run, k) + first, count * sizeof *value);
    for (int step = 0; step < this_run->size.steps; step++)
        for (int i = 0; i < CHUNK; i++) value[i] = rate * value[i] * (1.0f - value[i]);
    return count;
}

/* ---- The operations of each array in the record ------------------------------------------------------------------ */

static uint64_t device_address(const lab_trace_op *op)
{
    for (int i = 0; i < op->accesses; i++)
        if (!op->access[i].host) return op->access[i].address;
    return 0;
}

/* The array that the operation copies, at once or a piece, or computes with the lab's kernel; -1 for none. */
static int array_of(const run *this_run, const lab_trace_op *op, const char *module)
{
    const bool copies = op->kind == LAB_OP_COPY_HTOD || op->kind == LAB_OP_COPY_DTOH;
    if (!copies && (op->kind != LAB_OP_KERNEL || strcmp(op->module, module) != 0)) return -1;
    const uint64_t address = device_address(op), bytes = length_of(this_run) * sizeof(float);
    for (int k = 0; k < this_run->size.arrays; k++)
        if (address >= this_run->device[k] && address - this_run->device[k] < bytes) return k;
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
static passages follow(const run *this_run, const lab_trace *trace)
{
    passage *array = check_alloc((size_t)this_run->size.arrays * sizeof *array);
    int *owner = check_alloc((trace->ops + 1) * sizeof *owner);
    const char *module = check_module("kernels.cu");
    for (size_t i = 0; i < trace->ops; i++) {
        owner[i] = array_of(this_run, &trace->op[i], module);
        if (owner[i] >= 0) add(&array[owner[i]], &trace->op[i], length_of(this_run) * sizeof(float));
    }
    return (passages){trace, array, owner};
}

/* The call for an array in the student's own loop, where the kernel's launch is not: the copy in if it is on another
 * stream than the kernel, else the last copy; NULL for none. */
static const lab_trace_op *own_call(const passage *array)
{
    const bool strays = array->in && array->kernel && array->in->stream != array->kernel->stream;
    return array->out && !strays ? array->out : array->in;
}

static void check_passage_of(const passages *found, int k, const char *function)
{
    const passage *array = &found->array[k];
    const char *missing = !array->in       ? "was never copied in to work->device"
                          : !array->kernel ? "has no kernel after it was copied in"
                                           : "was never copied out after its kernel";
    if (array->in && array->kernel && array->out) return;
    check_fail(CHECK_RULE, check_text("%s: array %d %s", function, k, missing), .at = check_at(own_call(array)));
}

/* Fails the check unless the kernel was launched with LAB03_GRID and LAB03_BLOCK. */
static void check_launch(const lab_trace_op *kernel, int k, const char *function)
{
    enum { THREADS = 64 };
    const lab_dim grid = kernel->grid, block = kernel->block;
    if (grid.x * grid.y * grid.z == 1 && block.x == THREADS && block.y * block.z == 1) return;
    check_fail(CHECK_RULE, check_text("%s launches the kernel of array %d in another shape", function, k),
               .at = check_at(kernel),
               .expected = check_text("LAB03_GRID and LAB03_BLOCK: one block of %d threads", THREADS),
               .found = check_text("%u blocks of %u threads", grid.x * grid.y * grid.z, block.x * block.y * block.z),
               .cause = "the given function launch was changed: with one block a kernel leaves room for the others");
}

passages run_record(run *this_run, const char *function, void *result, size_t result_bytes)
{
    check_trace_begin(this_run->program);
    run_fill(this_run);
    check_call(this_run->program, function, NULL, 0, result, result_bytes);
    const lab_trace *trace = check_trace(this_run->program);
    run_check_outputs(this_run, trace, function);
    const passages found = follow(this_run, trace);
    for (int k = 0; k < this_run->size.arrays; k++) {
        check_passage_of(&found, k, function);
        check_launch(found.array[k].kernel, k, function);
    }
    return found;
}

void run_check_order(const run *this_run, const passages *found, const char *function)
{
    int k = 0;
    while (k + 1 < this_run->size.arrays && found->array[k].in->stream == found->array[k].out->stream) k++;
    check_ordered(this_run->program, function, check_at(own_call(&found->array[k])));
}

const lab_trace_op *run_next(const passages *found, const lab_trace_op *op)
{
    for (size_t i = op ? op->id : 0; i < found->trace->ops; i++)
        if (found->owner[i] >= 0) return &found->trace->op[i];
    return NULL;
}

/* ---- Outputs ----------------------------------------------------------------------------------------------------- */

/* Why array k is wrong, and where, by the record. */
static check_finding explain(const run *this_run, const lab_trace *trace, int k, const char *function)
{
    const passages all = follow(this_run, trace);
    const passage found = all.array[k];
    const lab_trace_op *call = own_call(&found);
    if (!call && k > 0) call = all.array[k - 1].in;
    if (!call) call = run_next(&all, NULL);
    check_ordered(this_run->program, function, check_at(call));
    check_finding why = {.at = check_at(call)};
    if (!found.in && !found.out && k == 0)
        why.cause = check_text("%s enqueues nothing for array 0%s", function,
                               this_run->fills > 1 ? " in this call, which is not the first of this program" : "");
    else if (!found.in && !found.out)
        why.cause = check_text("%s stops at array %d: the loop must run over all work->arrays arrays", function, k);
    else if (!found.in)
        why.cause = check_text("%s never copies array %d in to work->device[%d]", function, k, k);
    else if (!found.kernel)
        why.cause = check_text("%s copies array %d in, but nothing launches its kernel after that", function, k);
    else if (!found.out)
        why.cause = check_text("%s never copies array %d out after its kernel", function, k);
    else if (!lab_relations_waited_by(check_relations(trace), found.out->id))
        why.cause = check_text("%s returned before this copy had arrived: nothing waits for its stream", function);
    else
        why = (check_finding){.at = check_at_after(found.out, found.in),
                              .cause = check_text("copies and kernel of array %d ran: look at what they are given, "
                                                  "such as work->input[k], work->output[k] and work->rate[k]",
                                                  k)};
    return why;
}

static float *found_of(const run *this_run, int array) { return this_run->found + (size_t)array * length_of(this_run); }

static bool is_right(const run *this_run, int k)
{
    float expected[CHUNK];
    const float *found = found_of(this_run, k);
    for (size_t first = 0, count; first < length_of(this_run); first += count) {
        count = advance(expected, this_run, k, first);
        if (memcmp(found + first, expected, count * sizeof *expected) != 0) return false;
    }
    return true;
}

typedef struct comparison {
    const run *this_run;
    bool right[LAB03_MOST_ARRAYS];
} comparison;

/* Takes a copy of the outputs of array k and compares it. */
static void look_at_array(void *user, int k)
{
    comparison *compared = user;
    check_snapshot(compared->this_run->program, found_of(compared->this_run, k),
                   lab03_output_offset(&compared->this_run->size, k), length_of(compared->this_run) * sizeof(float));
    compared->right[k] = is_right(compared->this_run, k);
}

/* Adds the wrong elements of array k to the difference. */
static void compare_array(check_difference *difference, const run *this_run, int k)
{
    float chunk[CHUNK], *expected = check_alloc(length_of(this_run) * sizeof *expected);
    for (size_t first = 0, count; first < length_of(this_run); first += count) {
        count = advance(chunk, this_run, k, first);
        memcpy(expected + first, chunk, count * sizeof *expected);
    }
    check_compare_floats(difference, (size_t)k, expected, found_of(this_run, k), length_of(this_run));
}

void run_check_outputs(const run *this_run, const lab_trace *trace, const char *function)
{
    check_difference difference = {.array = "output"};
    comparison compared = {.this_run = this_run};
    check_each(this_run->size.arrays, look_at_array, &compared);
    for (int k = 0; k < this_run->size.arrays; k++) {
        if (compared.right[k])
            difference.compared += length_of(this_run);
        else
            compare_array(&difference, this_run, k);
    }
    if (!difference.count) return;
    const check_finding why =
        explain(this_run, trace ? trace : check_trace(this_run->program), (int)difference.first_array, function);
    check_equal(&difference, check_text("%s left wrong numbers in the outputs", function), .at = why.at,
                .cause = why.cause);
}

void run_check_flow(const run *this_run, const lab_trace *trace, const char *function)
{
    const size_t arrays = (size_t)this_run->size.arrays, bytes = length_of(this_run) * sizeof(float);
    check_passage *array = check_alloc(arrays * sizeof *array);
    for (int k = 0; k < this_run->size.arrays; k++) {
        char *name = check_alloc(16);
        snprintf(name, 16, "array %d", k);
        array[k] = (check_passage){
            .what = name,
            .output = {found_of(this_run, k), bytes},
            .input = {{input_of(this_run, k), bytes}},
            .argument = {{"rate", (double)this_run->head.rate[k]}, {"steps", this_run->size.steps}},
        };
    }
    check_flow(this_run->program, trace,
               &(check_way){.function = function,
                            .passage = array,
                            .passages = arrays,
                            .kernel = {{"kernels.cu", "advance(float x[length], int length, float rate, int steps), "
                                                      "any grid"}}});
}
