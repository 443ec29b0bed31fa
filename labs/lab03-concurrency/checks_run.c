/* Runs of lab 03's programs; see checks_run.h. */
#include "checks_run.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------
 * Runs: a program with its sizes and a copy of its inputs
 */

lab03_size short_arrays(void) { return (lab03_size){ALL_ARRAYS, 16 * 1024, 8, ALL_ARRAYS}; }

/* Longer arrays on a GPU: a kernel of 2.5 ms beside copies of 20 us. Four times that length gives the same ratios, but
 * a round of the timed runs then occupies the GPU for eight seconds instead of two. */
lab03_size size_for_device(void)
{
    if (strcmp(check_device()->kind, "cuda") != 0) return short_arrays();
    return (lab03_size){ALL_ARRAYS, 256 * 1024, 50, ALL_ARRAYS};
}

lab03_size small_size(void) { return (lab03_size){FEW_ARRAYS, 5000, 9, FEW_STREAMS}; }

static size_t length_of(const run *this_run) { return (size_t)this_run->size.length; }

static float *input_of(const run *this_run, int array) { return this_run->input + (size_t)array * length_of(this_run); }

run run_begin(bool reference, lab03_size size)
{
    run made = {.size = size};
    size_t bytes = lab03_memory_bytes(&size);
    made.program = reference ? check_start_reference(bytes) : check_start(bytes);
    made.shared = check_memory(made.program);
    made.input = check_alloc((size_t)size.arrays * (size_t)size.length * sizeof(float));
    made.found = check_alloc((size_t)size.arrays * (size_t)size.length * sizeof(float));
    check_call(made.program, "prepare", &size, sizeof size, NULL, 0);
    return made;
}

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

/* ------------------------------------------------------------------------------------------------------
 * The operations of each array in the record
 */

/* The array whose input (or output) the copy moves, at once or a piece of it; -1 if none. `first` gets the byte of the
 * array that is moved first. */
static int array_of_copy(uint64_t *first, const run *this_run, const lab_trace_op *op)
{
    const bool in = op->kind == LAB_OP_COPY_HTOD;
    const uint64_t begin = check_address(this_run->program) +
                           (in ? lab03_input_offset(&this_run->size, 0) : lab03_output_offset(&this_run->size, 0));
    const uint64_t stride = lab03_stride(&this_run->size), bytes = length_of(this_run) * sizeof(float);
    for (int side = 0; side < op->accesses; side++) {
        const lab_trace_access *access = &op->access[side];
        if (!access->host || access->address < begin) continue;
        const uint64_t k = (access->address - begin) / stride;
        *first = (access->address - begin) % stride;
        if (k < (uint64_t)this_run->size.arrays && *first < bytes && op->bytes <= bytes - *first) return (int)k;
    }
    return -1;
}

static uint64_t device_address(const lab_trace_op *op)
{
    for (int i = 0; i < op->accesses; i++)
        if (!op->access[i].host) return op->access[i].address;
    return 0;
}

/* Adds a copy to an array's passage. A copy in after the kernel begins another passage. */
static void add_copy(passage *array, const lab_trace_op *op, size_t whole)
{
    if (op->kind == LAB_OP_COPY_HTOD) {
        if (array->kernel) *array = (passage){0};
        if (!array->in) array->in = op;
        array->bytes_in += op->bytes;
    } else {
        if (array->kernel) array->bytes_out += op->bytes;
        if (array->bytes_out >= whole) array->out = op;
    }
}

/* What is missing stays NULL. */
static passages follow(const run *this_run, const lab_trace *trace)
{
    const size_t arrays = (size_t)this_run->size.arrays, whole = length_of(this_run) * sizeof(float);
    const uint64_t module = check_module("kernels.cu");
    passage *array = check_alloc(arrays * sizeof *array);
    uint64_t *place = check_alloc(arrays * sizeof *place); /* of the array on the device */
    int *owner = check_alloc((trace->ops + 1) * sizeof *owner);
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        uint64_t first;
        owner[i] = -1;
        if (op->kind == LAB_OP_COPY_HTOD || op->kind == LAB_OP_COPY_DTOH) {
            owner[i] = array_of_copy(&first, this_run, op);
            if (owner[i] < 0) continue;
            if (op->kind == LAB_OP_COPY_HTOD) place[owner[i]] = device_address(op) - first;
            add_copy(&array[owner[i]], op, whole);
        }
        for (size_t k = 0; op->kind == LAB_OP_KERNEL && op->module == module && k < arrays; k++) {
            if (array[k].bytes_in < whole || array[k].out || place[k] != device_address(op)) continue;
            array[k].kernel = op;
            owner[i] = (int)k;
        }
    }
    return (passages){trace, array, owner};
}

passages run_follow_all(const run *this_run, const lab_trace *trace, const char *function)
{
    const passages found = follow(this_run, trace);
    for (int k = 0; k < this_run->size.arrays; k++) {
        const passage *array = &found.array[k];
        const char *missing = !array->in       ? "was never copied in"
                              : !array->kernel ? "has no kernel after it was copied in"
                                               : "was never copied out after its kernel";
        if (array->in && array->kernel && array->out) continue;
        if (array->in) check_locate(array->in);
        check_fail(CHECK_RULE, "%s: array %d %s", function, k, missing);
    }
    return found;
}

const lab_trace_op *run_next(const passages *found, const lab_trace_op *op)
{
    for (size_t i = op ? op->id : 0; i < found->trace->ops; i++)
        if (found->owner[i] >= 0) return &found->trace->op[i];
    return NULL;
}

/* ------------------------------------------------------------------------------------------------------
 * Outputs
 */

/* Sets the cause and location of a wrong array k, from the record. */
static void explain(const run *this_run, int k, const char *function)
{
    const lab_trace *trace = check_trace(this_run->program);
    const passage found = follow(this_run, trace).array[k];
    if (found.out) check_locate(found.out);
    if (check_unordered(this_run->program))
        check_cause("%s", check_unordered(this_run->program));
    else if (!found.in && !found.out && k == 0)
        check_cause("%s enqueues nothing for array 0", function);
    else if (!found.in && !found.out)
        check_cause("%s stops at array %d: the loop must run over all work->arrays arrays", function, k);
    else if (!found.in || !found.out)
        check_cause("%s never copies array %d %s", function, k, found.in ? "out" : "in");
    else if (!found.kernel)
        check_cause("the copies of array %d ran, but its kernel was never launched", k);
    else if (!check_is_waited_for(trace, found.out))
        check_cause("%s returned before this copy had arrived: nothing waits for its stream", function);
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

void run_check_outputs(const run *this_run, const char *function)
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
    if (difference.count) explain(this_run, (int)difference.first_array, function);
    check_equal(&difference, "%s left wrong numbers in the outputs", function);
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
