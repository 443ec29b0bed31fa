/* The checks of lab 07: elementwise kernels and what they move, the tree of a reduction, one formula for host and
 * device, and a kernel that is right for any launch. */
#include "check.h"
#include "lab07.h"
#include "shared.h"

#include <float.h>
#include <math.h>
#include <string.h>

CHECK_LAB("lab07", "Kernels");

static const int sizes[] = {0, 1, 31, 32, 33, LAB07_MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* ------------------------------------------------------------------------------------------------------
 * Calls
 */

/* One call: what goes in, what came out, and what must be there. */
typedef struct call {
    check_program *program;
    const char *function;
    lab07_arguments given;
    float *input[LAB07_INPUTS], *found, *expected;
    int inputs;     /* how many arrays */
    int outputs;    /* elements that the kernel writes */
    bool reduces;   /* to one number, behind which the shared memory is not looked at */
    float identity; /* of lab07_reduce and lab07_shuffle: IDENTITY, as the kernel sees it */
    const lab_trace *trace;
    check_span span;
} call;

/* Makes room for a call, with inputs from the range. The numbers behind an array are large: a kernel that reads them
 * gives wrong results. */
static call make_call(check_program *program, const char *function, lab07_arguments given, int inputs, float low,
                      float high)
{
    const size_t room = (size_t)given.count + LAB07_BEHIND;
    static uint64_t streams;
    call made = {.program = program, .function = function, .given = given, .inputs = inputs, .outputs = given.count};
    for (int i = 0; i < inputs; i++) {
        made.input[i] = check_alloc(room * sizeof(float));
        check_random_floats(made.input[i], room, ++streams, low, high);
        for (size_t k = (size_t)given.count; k < room; k++) made.input[i][k] = LAB07_LARGE;
    }
    made.found = check_alloc(room * sizeof(float));
    made.expected = check_alloc(room * sizeof(float));
    return made;
}

/* Writes a whole number as an element of this type. */
static void put(float *element, int type, int32_t number)
{
    if (type == LAB_INT32)
        memcpy(element, &number, sizeof number);
    else
        *element = (float)number;
}

/* Why a kernel fails, by its message. */
static const check_failure_cause why_kernels_fail[] = {
    {"pass values on by shuffles alone",
     "the threads of a warp pass their results on by shuffles, and in no other way"},
    {"pass values on through shared memory",
     "the threads of a block pass their results on in shared memory, and in no other way"},
    {"each thread combines its share", "a thread that combines what the others have loaded is no faster than a loop: "
                                       "each first combines its own numbers"},
    {"each thread reads its share",
     "a thread that does the work of others is no faster than a loop: each first combines its own numbers"},
    {"wait at different barriers",
     "some threads of the block pass a barrier by: as a line of the loop, outside the if, it is there for all of them"},
    {"passes by this __syncthreads",
     "some threads of the block pass a barrier by: as a line of the loop, outside the if, it is there for all of them"},
    {"(write after write): no __", "two threads of a block write the same element: which of them is to write it?"},
    {" __syncthreads() ", "a barrier belongs between the two accesses that the message names"},
    {"the blocks", "threads of two blocks use the same element: have they the same index, or is the stride short?"},
    {"order blocks", "threads of two blocks use the same element: have they the same index, or is the stride short?"},
    {"__shfl_", "all 32 threads of the warp call the shuffle, and its mask names all of them"},
    {"nothing has written", "a thread reads what no thread has written yet: without a barrier its writer comes "
                            "later, and a thread that has returned or was not launched writes nothing"},
    {"through a null pointer", "an array without elements has no memory: where count is 0, no index is below it"},
    {"past the end of the __shared__", "the shared array has no element of this index: in the first round half of the "
                                       "threads read the other half"},
    {"past the end", "the array ends before this index: is count, as launched, its number of elements, and is every "
                     "index below count?"},
    {"the grid's x is 0", "count is 0 here, and the number of blocks does not depend on it"},
    {0},
};

static int count_kernels(const call *now)
{
    int kernels = 0;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) kernels += op->kind == LAB_OP_KERNEL;
    return kernels;
}

/* Calls the function, and fails the check if it changed what is behind the output. */
static void run(call *now)
{
    lab07_memory *memory = check_memory(now->program);
    const size_t bytes = ((size_t)now->given.count + LAB07_BEHIND) * sizeof(float);
    float *behind = check_alloc(LAB07_BEHIND * sizeof(float));
    check_trace_begin(now->program);
    for (int i = 0; i < now->inputs; i++) memcpy(memory->input[i], now->input[i], bytes);
    check_poison(now->program, offsetof(lab07_memory, output), bytes);
    for (int i = 0; i < LAB07_BEHIND; i++) put(&behind[i], now->given.type, LAB07_UNWRITTEN);
    if (strcmp(now->function, "lab07_scale") == 0)
        memcpy(behind, &now->input[0][now->given.count], LAB07_BEHIND * sizeof(float));
    check_call(now->program, now->function, &now->given, sizeof now->given, NULL, 0);
    if (now->given.on_host)
        check_said(now->program, now->found, offsetof(lab07_memory, output), bytes, "the array is the host's");
    else
        check_snapshot(now->program, now->found, offsetof(lab07_memory, output), bytes);
    check_said(now->program, &now->identity, offsetof(lab07_memory, identity), sizeof now->identity,
               "the student's function says it");
    now->trace = check_trace(now->program);
    now->span = check_between(now->trace, LAB07_BEGINS, LAB07_ENDS, now->function);
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        CHECK_THAT(!check_is_work(op) || op->stream == now->span.begins->stream, CHECK_RULE,
                   check_text("%s works on another stream", now->function), .at = check_at(op),
                   .expected =
                       check_text("all work on the current stream, %llu", (unsigned long long)now->span.begins->stream),
                   .found =
                       check_text("%s on stream %llu", lab_op_kind_name(op->kind), (unsigned long long)op->stream));
    }
    if (now->given.exact || now->given.on_host || now->reduces) return;
    CHECK_THAT(memcmp(behind, now->found + now->given.count, LAB07_BEHIND * sizeof(float)) == 0, CHECK_WRONG_RESULT,
               check_text("%s writes behind the end of its array of %d", now->function, now->given.count),
               .expected = check_text("%d numbers, and nothing changed behind them", now->given.count),
               .cause = "a thread whose index is not below count must write nothing");
}

/* The last kernel of the call: its launch, or its text if that is all that the student wrote. The operation where its
 * identity is wrong, and the tree that begins with 0 instead of it. */
static check_place place_of_kernel(const call *now)
{
    static const char *const text[] = {"lab07_tree", "lab07_scale", "lab07_shuffle"};
    const lab_trace_op *last = NULL;
    if (now->given.largest && now->identity != -INFINITY) return check_at_name("lab07_max");
    if (now->given.largest && now->found[0] == 0 && strcmp(now->function, "lab07_reduce") == 0)
        return check_at_name("lab07_tree");
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (strcmp(now->function, text[i]) == 0) return check_at_name(text[i]);
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++)
        if (op->kind == LAB_OP_KERNEL) last = op;
    return check_at(last);
}

/* Fails the check if a kernel that was compiled in the call is still loaded. */
static void check_unloaded(const call *now, const char *kernel)
{
    int loaded = 0;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        if (op->kind == LAB_OP_MODULE_LOAD && strcmp(op->name, kernel) == 0) loaded++;
        if (op->kind == LAB_OP_MODULE_UNLOAD) loaded--;
    }
    CHECK_THAT(loaded <= 0, CHECK_LEAK, check_text("%s leaves its kernel '%s' loaded", now->function, kernel),
               .cause = "what was created must be destroyed, before the function returns");
}

/* Why elements have kept what was in them before. */
static const char *cause_of_unwritten(const call *now)
{
    if (count_kernels(now) == 0)
        return now->given.count ? check_text("no kernel is launched: is %s written yet?", now->function)
                                : "no kernel is launched where there are no numbers, and the result stays unwritten: "
                                  "the reduction of none is IDENTITY";
    return now->reduces ? "a block has written no result: thread 0 writes it, also in a block without numbers"
                        : "out was never written: in a launch the arrays have the order of the kernel's declaration, "
                          "the inputs first";
}

/* Fails the check unless the outputs came from these inputs by this kernel. */
static void follow(const call *now, const char *kernel)
{
    const size_t bytes = (size_t)now->given.count * sizeof(float);
    check_passage passage = {.output = {now->found, (size_t)now->outputs * sizeof(float)}};
    for (int i = 0; i < now->inputs; i++) passage.input[i] = (check_bytes){now->input[i], bytes};
    check_flow(now->program, now->trace,
               &(check_way){.function = now->function, .passage = &passage, .passages = 1, .kernel = {{NULL, kernel}}});
}

/* Fails the check unless the outputs are right, came from these inputs by this kernel, and nothing was left. Where they
 * are not right, `why` has the cause, and what was expected, as far as they are known. */
static void prove(const call *now, check_difference difference, const char *kernel, check_finding why)
{
    if (!now->reduces) difference.input = now->input[0];
    check_compare_floats(&difference, 0, now->expected, now->found, (size_t)now->outputs);
    const bool unwritten = difference.count && now->found[difference.first_element] == LAB07_UNWRITTEN;
    check_equal(
        &difference, check_text("%s of %d number%s", now->function, now->given.count, now->given.count == 1 ? "" : "s"),
        .at = place_of_kernel(now), .expected = why.expected, .cause = unwritten ? cause_of_unwritten(now) : why.cause);
    check_keeps_nothing(now->trace, now->span);
    check_unloaded(now, kernel);
    follow(now, kernel);
}

/* ------------------------------------------------------------------------------------------------------
 * Task 1
 */

typedef struct traffic {
    int kernels, allocations;
    uint64_t bytes[LAB07_COLUMNS];
} traffic;

/* What the kernels of the call moved, by the record. An array that a kernel writes counts as written. */
static traffic count_traffic(const call *now)
{
    traffic found = {0};
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        found.allocations += op->kind == LAB_OP_POOL_ALLOC || op->kind == LAB_OP_MEMORY_ALLOC;
        if (op->kind != LAB_OP_KERNEL) continue;
        found.kernels++;
        for (int i = 0; i < op->accesses; i++)
            found.bytes[op->access[i].writes ? LAB07_WRITTEN : LAB07_READ] += op->access[i].bytes;
    }
    return found;
}

/* Fails the check unless one kernel reads `inputs` arrays and writes one. */
static void check_fused(const call *now)
{
    const int inputs = now->inputs;
    const traffic found = count_traffic(now);
    const uint64_t bytes = (uint64_t)now->given.count * sizeof(float);
    CHECK_THAT(
        found.kernels == 1 && found.allocations == 0 && found.bytes[LAB07_READ] == (uint64_t)inputs * bytes &&
            found.bytes[LAB07_WRITTEN] == bytes,
        CHECK_RULE, check_text("%s moves more memory than its formula needs", now->function),
        .at = place_of_kernel(now),
        .expected = check_text("one kernel that reads %d bytes for each element and writes 4", 4 * inputs),
        .found =
            check_text("%d kernels, which read %.3g bytes for each element and write %.3g; %d arrays made on the way",
                       found.kernels, (double)found.bytes[LAB07_READ] / now->given.count,
                       (double)found.bytes[LAB07_WRITTEN] / now->given.count, found.allocations),
        .cause = "a result between two kernels goes to memory and back; within one kernel it stays in a register");
}

static void compute_wave(call *now)
{
    for (int i = 0; i < now->given.count; i++) {
        const double x = now->input[0][i], y = now->input[1][i], z = now->input[2][i];
        now->expected[i] = (float)(sin(x) + cos(y) / sqrt(z));
    }
}

static const check_difference about_wave = {.bound = 16 * FLT_EPSILON};

static void check_int_difference(check_program *program, int count)
{
    call now = make_call(program, "lab07_difference", (lab07_arguments){.count = count, .type = LAB_INT32}, 2, 0, 1);
    for (int i = 0; i < count; i++) {
        const int32_t x = (int32_t)(check_random_u64(1, i) % 20000), y = (int32_t)(check_random_u64(2, i) % 20000);
        put(&now.input[0][i], LAB_INT32, x);
        put(&now.input[1][i], LAB_INT32, y);
        put(&now.expected[i], LAB_INT32, (x - y) * (x - y));
    }
    run(&now);
    CHECK_THAT(memcmp(now.found, now.expected, (size_t)count * sizeof(float)) == 0, CHECK_WRONG_RESULT,
               check_text("lab07_difference of %d int32 numbers is wrong, or they were converted on the way", count),
               .at = place_of_kernel(&now));
    if (count) check_fused(&now);
    follow(&now, "difference");
}

CHECK(elementwise_is_right, .failure_causes = why_kernels_fail, .points = 20, .schedule = "adversarial",
      .title = "Task 1: two formulas, one kernel each",
      .hints = {"Task 1: lab07_difference and lab07_wave each create a kernel, launch it and destroy it.",
                "The inputs' declaration is \"T x, T y\", the output's \"T out\", and the body is the formula for one "
                "element: out = ... A T stands for the type of the arrays.",
                "lab_elementwise_create(&kernel, \"T x, T y\", \"T out\", \"out = (x - y) * (x - y)\", "
                "\"difference\"); lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, y, out)); "
                "lab_elementwise_destroy(kernel). The wave is the same with three inputs."})
{
    check_program *program = check_start(sizeof(lab07_memory));
    for (int s = 0; s < SIZES; s++) {
        const lab07_arguments given = {.count = sizes[s]};
        call difference = make_call(program, "lab07_difference", given, 2, -100, 100);
        for (int i = 0; i < sizes[s]; i++) {
            const float apart = difference.input[0][i] - difference.input[1][i];
            difference.expected[i] = apart * apart;
        }
        run(&difference);
        prove(&difference, (check_difference){0}, "difference", (check_finding){0});
        if (sizes[s]) check_fused(&difference);
        if (sizes[s] < 32) check_int_difference(program, sizes[s]);
        call wave = make_call(program, "lab07_wave", given, 3, 0.5f, 3);
        compute_wave(&wave);
        run(&wave);
        prove(&wave, about_wave, "wave", (check_finding){0});
        if (sizes[s]) check_fused(&wave);
    }
}

CHECK(bytes_are_predicted, .failure_causes = why_kernels_fail, .points = 10,
      .without_flow = "a prediction: the record says how many bytes kernels move, whatever they are",
      .schedule = "fifo", .title = "Task 1: the bytes, as predicted",
      .hints = {"Task 1: how many arrays does each kernel read, and how many does it write?",
                "A float has 4 bytes. Count each kernel of lab07_steps by itself: what one writes, another reads.",
                "In one kernel the wave reads 12 bytes and writes 4. In steps: cos, sqrt and sin read one array each, "
                "the division and the sum two each; all five write one."})
{
    static const char *const function[] = {"lab07_difference", "lab07_wave", "lab07_steps"};
    enum { COUNT = 1000 };
    int predicted[LAB07_FUNCTIONS][LAB07_COLUMNS];
    check_program *program = check_start(sizeof(lab07_memory));
    check_table(predicted, sizeof predicted, "lab07_bytes");
    for (int f = 0; f < LAB07_FUNCTIONS; f++) {
        static const int arrays[][LAB07_COLUMNS] = {{2, 1}, {3, 1}, {7, 5}};
        call now = make_call(program, function[f], (lab07_arguments){.count = COUNT}, LAB07_INPUTS, 0.5f, 3);
        run(&now);
        const traffic found = count_traffic(&now);
        for (int c = 0; c < LAB07_COLUMNS; c++) {
            const char *what = c == LAB07_READ ? "read" : "written";
            CHECK_THAT(found.bytes[c] == (uint64_t)COUNT * sizeof(float) * (uint64_t)arrays[f][c], CHECK_RULE,
                       check_text("%s does not work yet as it should: predict, then measure", function[f]));
            CHECK_THAT(predicted[f][c] == 4 * arrays[f][c], CHECK_WRONG_RESULT,
                       check_text("the prediction of the bytes that %s has %s is wrong", function[f], what),
                       .expected =
                           check_text("the record of %s: %d bytes %s for each element, by %d kernel%s", function[f],
                                      4 * arrays[f][c], what, found.kernels, found.kernels == 1 ? "" : "s"),
                       .found = check_text("lab07_bytes says %d", predicted[f][c]));
        }
    }
}

/* ------------------------------------------------------------------------------------------------------
 * Task 2
 */

/* Fails the check unless the call launched tree twice, as lab07.h says. */
static void check_launches(const call *now)
{
    const unsigned blocks[] = {LAB07_BLOCKS, 1};
    int launches = 0;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        if (op->kind != LAB_OP_KERNEL) continue;
        CHECK_THAT(launches < 2 && op->grid.x == blocks[launches] && op->block.x == LAB07_THREADS, CHECK_RULE,
                   "lab07_reduce does not launch as lab07.h says", .at = check_at(op),
                   .expected = check_text("two launches: of %d blocks and of one, each of %d threads", LAB07_BLOCKS,
                                          LAB07_THREADS),
                   .found = check_text("launch %d has %u blocks of %u threads", launches + 1, op->grid.x, op->block.x));
        launches++;
    }
    CHECK_THAT(launches == 2, CHECK_RULE, "lab07_reduce does not launch as lab07.h says", .at = place_of_kernel(now),
               .expected = "two launches", .found = check_text("%d", launches));
}

/* Why the largest is wrong; NULL if that is not known. */
static const char *cause_of_largest(const call *now)
{
    if (now->identity != -INFINITY)
        return check_text(
            "the identity is %.9g: combined with it a number below it is lost, and the largest of none is "
            "-Inf",
            (double)now->identity);
    return now->found[0] == 0 ? "0 is larger than every number here: a thread without a number begins with IDENTITY"
                              : NULL;
}

/* Why a sum is wrong; NULL if that is not known. Each block that wrote nothing leaves LAB07_UNWRITTEN among the partial
 * sums. */
static const char *cause_of_sum(const call *now, double sum, double magnitude)
{
    const double found = (double)now->found[0];
    if (now->given.count == 0 && found == LAB07_BLOCKS * LAB07_UNWRITTEN)
        return "no block has written a result: a block without numbers writes IDENTITY, so its threads must not return "
               "before";
    if (sum > 0 && fabs(found - LAB07_BLOCKS * sum) < 0.01 * found)
        return check_text("each of the %d blocks adds all numbers: which numbers belong to which block?", LAB07_BLOCKS);
    if (sum > 0 && found > 1.5 * sum)
        return "more was added than the numbers, each once: does a number belong to two threads, or is a value of the "
               "tree added twice?";
    if (fabs(found - sum) < 0.01 * magnitude)
        return check_text("the sum is nearly right: a few numbers %s, or too many additions follow each other",
                          found < sum ? "are missing" : "count twice");
    return NULL;
}

/* Reduces numbers that are in the call. */
static void check_reduction(call *now)
{
    const bool largest = now->given.largest, shuffles = strcmp(now->function, "lab07_shuffle") == 0;
    double sum = 0, magnitude = 0;
    float most = -INFINITY;
    for (int i = 0; i < now->given.count; i++) {
        sum += (double)now->input[0][i];
        magnitude += fabs((double)now->input[0][i]);
        most = fmaxf(most, now->input[0][i]);
    }
    now->outputs = 1;
    now->reduces = true;
    now->expected[0] = largest ? most : (float)sum;
    run(now);
    prove(now, (check_difference){.bound = largest || shuffles ? 0 : 96 * 0x1p-24 * magnitude}, "tree",
          (check_finding){.cause = largest ? cause_of_largest(now) : cause_of_sum(now, sum, magnitude)});
    if (!shuffles) check_launches(now);
}

/* Fails the check unless a tree is right in another grid than that of lab07_reduce, and with an operation that its text
 * cannot know: a sum modulo a number, which is exact in any order. */
static void check_grid(check_program *program, const char *function, int threads)
{
    static const int moduli[] = {499, 613, 751, 997}; /* few, since each is another text to compile */
    static int modulus;
    const int blocks = check_draw(2, 5);
    if (!modulus) modulus = moduli[check_draw(0, 3)];
    const int count = blocks * threads * check_draw(20, 40) + check_draw(0, threads - 1);
    double sum = 0, found = 0;
    bool reduced = true;
    call now = make_call(program, function, (lab07_arguments){.count = count, .blocks = blocks, .modulus = modulus}, 1,
                         0, (float)modulus);
    for (int i = 0; i < count; i++) sum += now.input[0][i] = truncf(now.input[0][i]);
    now.reduces = true;
    run(&now);
    for (int i = 0; i < blocks; i++) {
        found += now.found[i];
        reduced &= now.found[i] >= 0 && now.found[i] < (float)modulus;
    }
    CHECK_THAT(reduced && fmod(found, modulus) == fmod(sum, modulus), CHECK_WRONG_RESULT,
               check_text("tree, launched with %d blocks, is wrong for %d numbers and a sum modulo %d", blocks, count,
                          modulus),
               .at = place_of_kernel(&now),
               .expected = check_text("the results of all %d blocks together, modulo %d: %.9g", blocks, modulus,
                                      fmod(sum, modulus)),
               .found = check_text("%.9g", reduced ? fmod(found, modulus) : found),
               .cause = reduced ? "a grid has any number of blocks: what changes with it is gridDim.x"
                                : "numbers are combined with combine(a, b), whatever it is");
    check_flow(program, now.trace,
               &(check_way){.function = function,
                            .passage = &(check_passage){.input = {{now.input[0], (size_t)count * sizeof(float)}},
                                                        .output = {now.found, (size_t)blocks * sizeof(float)}},
                            .passages = 1,
                            .kernel = {{NULL, "tree"}}});
}

CHECK(threads_are_ordered, .failure_causes = why_kernels_fail, .points = 15, .checks_kernels = true,
      .schedule = "adversarial", .setting = "LAB_EXCHANGE=shared",
      .title = "Task 2: barriers order the threads of a block",
      .hints = {"Task 2: which thread wrote the value that this thread reads, and what makes it wait?",
                "__syncthreads() belongs between a round's writes and the next round's reads. All threads of the "
                "block that have not returned must come to it, also those that have nothing to do in this round.",
                "The barrier is a line of the loop, outside the if: the first thing that happens in each round."})
{
    static const int few[] = {0, 1, 33, 255, 257, 5000};
    check_program *program = check_start(sizeof(lab07_memory));
    for (size_t s = 0; s < sizeof few / sizeof *few; s++) {
        call now = make_call(program, "lab07_reduce", (lab07_arguments){.count = few[s], .exact = true}, 1, 1, 2);
        check_reduction(&now);
    }
}

CHECK(sum_is_right, .failure_causes = why_kernels_fail, .points = 20, .schedule = "adversarial", .seeds = 2,
      .title = "Task 2: the sum, at every size",
      .hints = {"Task 2: tree first gives each thread the sum of its own numbers, then halves the block's values.",
                "A thread begins at blockIdx.x * blockDim.x + threadIdx.x and goes on by gridDim.x * blockDim.x. Then "
                "thread t combines value[t] with value[t + half], for half = 128, 64, ... 1. A barrier comes before "
                "each of these rounds.",
                "value[threadIdx.x] = mine; for (int half = 128; half > 0; half /= 2) { __syncthreads(); "
                "if (threadIdx.x < half) value[threadIdx.x] = combine(...); } thread 0 writes partial[blockIdx.x]. "
                "lab07_reduce launches it with LAB07_BLOCKS blocks, then with one."})
{
    check_program *program = check_start(sizeof(lab07_memory));
    for (int s = 0; s < SIZES; s++) {
        call first = make_call(program, "lab07_reduce", (lab07_arguments){.count = sizes[s]}, 1, 1, 2);
        if (sizes[s] == LAB07_MOST) /* equal numbers: rounding errors add up if many additions follow each other */
            for (int i = 1; i < sizes[s]; i++) first.input[0][i] = first.input[0][0];
        check_reduction(&first);
        if (sizes[s] < LAB07_MOST) continue;
        call second = first;
        second.found = check_alloc((LAB07_MOST + LAB07_BEHIND) * sizeof(float));
        check_reduction(&second);
        CHECK_THAT(memcmp(first.found, second.found, sizeof(float)) == 0, CHECK_WRONG_RESULT,
                   check_text("two sums of the same numbers differ, %d of them", sizes[s]),
                   .expected = "the same sum twice, to the last bit",
                   .found = check_text("%.9g, then %.9g", (double)first.found[0], (double)second.found[0]));
    }
    check_grid(check_start_set(sizeof(lab07_memory), "LAB_EXCHANGE=shared"), "lab07_tree", LAB07_THREADS);
}

CHECK(largest_of_negatives, .failure_causes = why_kernels_fail, .points = 5, .after = "sum_is_right",
      .title = "Task 2: the largest of negative numbers, and of none",
      .hints = {"Task 2: what does a thread that has no number put into the tree?",
                "Whatever the identity is, it must lose against every number, also against negative ones.",
                "CUDART_INF_F is infinity; its negative is the identity of the largest."})
{
    check_program *program = check_start(sizeof(lab07_memory));
    for (int s = 0; s < SIZES; s++) {
        call now = make_call(program, "lab07_reduce", (lab07_arguments){.count = sizes[s], .largest = true}, 1, -2e38f,
                             -1e38f);
        if (sizes[s] == 1) now.input[0][0] = -FLT_MAX;
        check_reduction(&now);
    }
}

/* ------------------------------------------------------------------------------------------------------
 * Tasks 3 to 5
 */

/* Which intermediate result was too large or lost, by the numbers that are wrong; NULL if they do not show it. */
static const char *cause_of_softplus(const call *now)
{
    bool up = false, down = false, most = false, zero = false, other = false;
    for (int i = 0; i < now->given.count; i++) {
        const float x = now->input[0][i], found = now->found[i];
        const bool infinite = isinf(found) || isnan(found);
        up |= infinite && x > 0 && x < FLT_MAX;
        down |= infinite && x < 0;
        most |= infinite && x == FLT_MAX;
        zero |= found == 0 && now->expected[i] > 0 && x < -16;
        other |= found == 0 && now->expected[i] > 0 && x >= -16;
    }
    return down ? "e^-x is too large for a float up to x = -89: where x is negative, use e^x"
           : up && zero
               ? "e^x is too large for a float from x = 89 on, where softplus(x) is x; and for a very negative x "
                 "1 + e^x is 1"
           : up             ? "e^x is too large for a float from x = 89 on, but softplus(x) is x there"
           : most           ? "twice the largest float is too large for a float"
           : zero && !other ? "1 + e^x is 1 for a very negative x: log1p(a) is log(1 + a) without that sum"
                            : NULL;
}

static void check_softplus(check_program *program, int count, bool on_host)
{
    static const float special[] = {0.0f,  -0.0f, 1e-3f,   20.0f,    -20.0f,  -80.0f,
                                    88.0f, 89.0f, 1000.0f, -1000.0f, FLT_MAX, -FLT_MAX};
    const int specials = (int)(sizeof special / sizeof *special);
    call now = make_call(program, "lab07_softplus", (lab07_arguments){.count = count, .on_host = on_host}, 1, -30, 30);
    for (int i = 0; i < specials && i < count; i++) now.input[0][i] = special[(i + count) % specials];
    for (int i = 0; i < count; i++) {
        const double x = now.input[0][i];
        now.expected[i] = (float)(fmax(x, 0) + log1p(exp(-fabs(x))));
    }
    run(&now);
    const char *cause = cause_of_softplus(&now);
    if (!on_host) {
        prove(&now, (check_difference){.ulps = 8}, "softplus", (check_finding){.cause = cause});
        if (count) check_fused(&now);
        return;
    }
    check_difference difference = {.ulps = 8};
    check_compare_floats(&difference, 0, now.expected, now.found, (size_t)count);
    check_equal(&difference, check_text("lab07_softplus of %d number%s on the host", count, count == 1 ? "" : "s"),
                .cause = cause);
    for (const lab_trace_op *op = now.span.begins; op < now.span.ends; op++) {
        CHECK_THAT(
            !check_is_work(op), CHECK_RULE,
            check_text("lab07_softplus asks the device (%s) for what is on the host", lab_op_kind_name(op->kind)),
            .at = check_at(op));
    }
}

CHECK(softplus_on_both, .failure_causes = why_kernels_fail, .points = 10,
      .title = "Task 3: one formula, on the host and on the device",
      .hints = {"Task 3: what is e^100 as a float, and what is log(1 + e^100)?",
                "For x > 0, log(1 + e^x) = x + log(1 + e^-x): the exponent is never positive. lab_expression_apply "
                "computes where its arrays are.",
                "lab_expression_create(&softplus, \"x\", \"maximum(0, x) + log1p(exp(-abs(x)))\", \"softplus\"); "
                "apply it to LAB_ARGS(x, y); destroy it."})
{
    static const int few[] = {0, 1, 31, 32, 33, 5000};
    check_program *program = check_start(sizeof(lab07_memory));
    for (size_t s = 0; s < sizeof few / sizeof *few; s++) {
        check_softplus(program, few[s], false);
        check_softplus(program, few[s], true);
    }
}

static void check_scale(check_program *program, lab07_arguments given)
{
    given.factor = 1.5f + check_random_float(1, (uint64_t)given.count);
    call now = make_call(program, "lab07_scale", given, 1, 1, 2);
    int twice = 0;
    for (int i = 0; i < given.count; i++) now.expected[i] = now.input[0][i] * given.factor;
    run(&now);
    for (int i = 0; i < given.count; i++) twice += now.found[i] == now.expected[i] * given.factor;
    const check_finding why = {
        .expected =
            check_text("each number times the factor (blocks: %d, threads in each: %d)", given.blocks, given.threads),
        .cause = twice ? "some numbers were multiplied twice: two threads have the same index, or the stride is short"
                       : NULL};
    prove(&now, (check_difference){0}, "scale", why);
}

CHECK(any_launch, .failure_causes = why_kernels_fail, .points = 10, .checks_kernels = true,
      .title = "Task 4: right for any size and any launch",
      .hints = {"Task 4: with one block of one thread and 1000 numbers, who multiplies number 999?",
                "Each thread has a loop: it begins at its own index, goes on by the number of all threads, and ends at "
                "count.",
                "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) "
                "x[i] *= factor;"})
{
    static const int launches[][2] = {{3, 33}, {200, 256}};
    static const int others[][3] = {{33, 1, 1}, {33, 1, 32}, {5000, 7, 100}, {LAB07_MOST, 200, 256}};
    check_program *program = check_start(sizeof(lab07_memory));
    for (int k = 0; k < 2 * (SIZES - 1); k++)
        check_scale(program, (lab07_arguments){.count = sizes[k % (SIZES - 1)],
                                               .exact = k % 2 == 1,
                                               .blocks = launches[k / (SIZES - 1)][0],
                                               .threads = launches[k / (SIZES - 1)][1]});
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        check_scale(program, (lab07_arguments){.count = others[k][0], .blocks = others[k][1], .threads = others[k][2]});
}

CHECK(shuffles_replace_memory, .failure_causes = why_kernels_fail, .points = 5, .extra = true, .checks_kernels = true,
      .setting = "LAB_EXCHANGE=shuffles", .title = "Task 5: a warp's tree with shuffles, and without shared memory",
      .hints = {"Task 5: a warp has 32 threads. How many rounds does its tree have?",
                "__shfl_down_sync(0xffffffffu, mine, half) gives the value `mine` of the thread that is `half` further "
                "on. All 32 threads call it.",
                "for (int half = 16; half > 0; half /= 2) mine = combine(mine, __shfl_down_sync(0xffffffffu, mine, "
                "half)); then thread 0 writes partial[blockIdx.x]."})
{
    static const int few[] = {0, 1, 31, 32, 33, 100001};
    check_program *program = check_start(sizeof(lab07_memory));
    for (size_t s = 0; s < sizeof few / sizeof *few; s++) {
        lab07_arguments given = {.count = few[s], .exact = true};
        call sum = make_call(program, "lab07_shuffle", given, 1, -100, 100);
        for (int i = 0; i < few[s]; i++) sum.input[0][i] = truncf(sum.input[0][i]); /* exact in any order */
        check_reduction(&sum);
        given.largest = true;
        call largest = make_call(program, "lab07_shuffle", given, 1, -2, -1);
        check_reduction(&largest);
    }
    check_grid(program, "lab07_shuffle", LAB07_WARP);
}

static void give_numbers(check_program *program, const void *user)
{
    lab07_memory *memory = check_memory(program);
    const lab07_arguments *given = user;
    for (int i = 0; i < LAB07_INPUTS; i++)
        for (int k = 0; k < given->count; k++) memory->input[i][k] = (float)(k + 1);
}

CHECK(failures_are_passed_on, .failure_causes = why_kernels_fail, .points = 5, .schedule = "fifo", .any_order = true,
      .after = "elementwise_is_right, sum_is_right, softplus_on_both",
      .title = "A call that fails ends the function, with its status",
      .hints = CHECK_FAILURE_HINTS("LAB_TRY around each call of the four functions; the last may be what you return."))
{
    const lab07_arguments given = {.count = check_draw(1, 2000)};
    check_failures(&(check_failing){
        .functions = CHECK_FUNCTIONS("lab07_difference", "lab07_wave", "lab07_reduce", "lab07_softplus"),
        .arguments = &given,
        .argument_bytes = sizeof given,
        .memory_bytes = sizeof(lab07_memory),
        .prepare = give_numbers,
        .user = &given,
        .at_once = true});
}
