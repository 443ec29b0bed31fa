/* The checks of lab 07: elementwise kernels and what they move, the tree of a reduction, one formula for host and
 * device, and a kernel that is right for any launch. */
#include "checks_causes.h"
#include "find.h"
#include "lab07.h"
#include "plan.h"
#include "shared.h"

#include <float.h>
#include <math.h>
#include <string.h>

CHECK_LAB("lab07", "Kernels");

#define KERNELS .failure_causes = why_kernels_fail

/* What launches give them is no more than they have. */
static const check_kernel kernels[] = {{"lab07.c", "tree(float partial[1], const float x[count], int count)"},
                                       {"lab07.c", "scale(float x[count], float factor, int count)"},
                                       {0}};

static const int sizes[] = {0, 1, 31, 32, 33, LAB07_MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

/* A call, with inputs from the range. What is behind an array is large: a kernel that reads it gives wrong results. */
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

/* Calls the function, and fails the check if it changed what is behind the output. */
static void run(call *now)
{
    lab07_memory *memory = check_memory(now->program);
    const size_t bytes = ((size_t)now->given.count + LAB07_BEHIND) * sizeof(float);
    float behind[LAB07_BEHIND];
    check_trace_begin(now->program);
    for (int i = 0; i < now->inputs; i++) memcpy(memory->input[i], now->input[i], bytes);
    check_poison(now->program, offsetof(lab07_memory, output), bytes);
    for (int i = 0; i < LAB07_BEHIND; i++) put(&behind[i], now->given.type, LAB07_UNWRITTEN);
    if (strcmp(now->function, "lab07_scale") == 0) memcpy(behind, &now->input[0][now->given.count], sizeof behind);
    check_expect_launches(kernels, NULL);
    check_call(now->program, now->function, &now->given, sizeof now->given, NULL, 0);
    if (now->given.on_host)
        check_said(now->program, now->found, offsetof(lab07_memory, output), bytes, "the array is the host's");
    else
        check_snapshot(now->program, now->found, offsetof(lab07_memory, output), bytes);
    check_said(now->program, &now->identity, offsetof(lab07_memory, identity), sizeof now->identity,
               "the student's function says it");
    now->trace = check_trace(now->program);
    now->span = check_span_of(now->trace, now->function);
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++)
        CHECK_THAT(!check_is_work(op) || op->stream == now->span.begins->stream, CHECK_RULE,
                   check_text("%s works on another stream", now->function), .at = check_at(op),
                   .expected = check_text("all work on the current stream, number %d", (int)now->span.begins->stream),
                   .found = check_text("%s on stream %d", lab_op_kind_name(op->kind), (int)op->stream));
    if (now->given.exact || now->given.on_host || now->reduces) return;
    CHECK_THAT(memcmp(behind, now->found + now->given.count, sizeof behind) == 0, CHECK_WRONG_RESULT,
               check_text("%s writes behind the end of its array of %d", now->function, now->given.count),
               .expected = check_text("%d numbers, and nothing changed behind them", now->given.count),
               .cause = "a thread whose index is not below count must write nothing");
}

/* Whether the largest of some numbers is what no number is. */
static bool lost_all(const call *now) { return now->given.largest && now->given.count && now->found[0] == -INFINITY; }

/* The function that returns the kernel's text; NULL for kernels of the library. */
static const char *text_of_kernel(const call *now)
{
    return strcmp(now->function, "lab07_reduce") == 0                         ? "lab07_tree"
           : now->given.blocks || strcmp(now->function, "lab07_shuffle") == 0 ? now->function
                                                                              : NULL;
}

/* The kernel of the call: its text if the student wrote one, and its launches are right, or else its last launch. The
 * operation where that is wrong. */
static check_place place_of_kernel(const call *now)
{
    const char *text = text_of_kernel(now);
    if (now->given.largest && (now->identity != -INFINITY || lost_all(now))) return check_at_name("lab07_max");
    return text && check_count_in(now->span, LAB_OP_KERNEL) ? check_at_name(text)
                                                            : check_at(check_op_in(now->span, LAB_OP_KERNEL, -1));
}

/* Fails the check if a kernel that was compiled in the call is still loaded. */
static void check_unloaded(const call *now, const char *kernel)
{
    int loaded = -check_count_in(now->span, LAB_OP_MODULE_UNLOAD);
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++)
        loaded += op->kind == LAB_OP_MODULE_LOAD && strcmp(op->name, kernel) == 0;
    CHECK_THAT(loaded <= 0, CHECK_LEAK, check_text("%s leaves its kernel '%s' loaded", now->function, kernel),
               .cause = "what was created must be destroyed, before the function returns");
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

/* Fails the check unless the outputs are right, came from these inputs by this kernel, and nothing was left. */
static void prove(const call *now, check_difference difference, const char *kernel, check_finding why)
{
    if (!now->reduces) difference.input = now->input[0];
    check_compare_floats(&difference, 0, now->expected, now->found, (size_t)now->outputs);
    if (difference.count && now->found[difference.first_element] == LAB07_UNWRITTEN)
        why = (check_finding){.expected = why.expected, .cause = cause_of_unwritten(now)};
    if (!why.at.known) why.at = place_of_kernel(now);
    why = check_explain_arguments(now->span, kernels, NULL, why);
    check_equal(&difference,
                check_text("%s of %d number%s", now->function, now->given.count, now->given.count == 1 ? "" : "s"),
                .at = why.at, .expected = why.expected, .cause = why.cause);
    check_keeps_nothing(now->trace, now->span);
    check_unloaded(now, kernel);
    follow(now, kernel);
}

/* ---- Task 1 ------------------------------------------------------------------------------------------------------ */

typedef struct traffic {
    int kernels, allocations;
    uint64_t bytes[LAB07_COLUMNS];
} traffic;

/* What the kernels of the call moved, by the record. An array that a kernel writes counts as written. */
static traffic count_traffic(const call *now)
{
    traffic found = {.kernels = check_count_in(now->span, LAB_OP_KERNEL),
                     .allocations =
                         check_count_in(now->span, LAB_OP_POOL_ALLOC) + check_count_in(now->span, LAB_OP_MEMORY_ALLOC)};
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++)
        for (int i = 0; i < op->accesses && op->kind == LAB_OP_KERNEL; i++)
            found.bytes[op->access[i].writes ? LAB07_WRITTEN : LAB07_READ] += op->access[i].bytes;
    return found;
}

/* Fails the check unless one kernel reads `inputs` arrays and writes one. */
static void check_fused(const call *now)
{
    const traffic found = count_traffic(now);
    const uint64_t bytes = (uint64_t)now->given.count * sizeof(float);
    CHECK_THAT(
        found.kernels == 1 && found.allocations == 0 && found.bytes[LAB07_READ] == (uint64_t)now->inputs * bytes &&
            found.bytes[LAB07_WRITTEN] == bytes,
        CHECK_RULE, check_text("%s moves more memory than its formula needs", now->function),
        .at = place_of_kernel(now),
        .expected = check_text("one kernel that reads %d bytes for each element and writes 4", 4 * now->inputs),
        .found =
            check_text("%d kernels, which read %.3g bytes for each element and write %.3g; %d arrays made on the way",
                       found.kernels, (double)found.bytes[LAB07_READ] / now->given.count,
                       (double)found.bytes[LAB07_WRITTEN] / now->given.count, found.allocations),
        .cause = "a result between two kernels goes to memory and back; within one kernel it stays in a register");
}

/* A function that makes one array of others, by one kernel. */
typedef struct formula {
    const char *function, *kernel, *creates;
    int inputs;
    float low, high;
    check_difference allowed;
    void (*compute)(call *now);
    const char *(*cause)(const call *now); /* of wrong numbers; NULL: none is known */
} formula;

static void check_formula(check_program *program, const formula *of, lab07_arguments given)
{
    call now = make_call(program, of->function, given, of->inputs, of->low, of->high);
    of->compute(&now);
    run(&now);
    const char *known = of->cause ? of->cause(&now) : NULL;
    const check_finding why = {
        .at = check_at_name(check_text("%s in %s", of->creates, of->function)),
        .cause =
            known ? known : "these numbers are those of another formula: compare the text with the one in lab07.h"};
    if (!given.on_host) {
        prove(&now, of->allowed, of->kernel, why);
        if (given.count) check_fused(&now);
        return;
    }
    check_difference difference = of->allowed;
    check_compare_floats(&difference, 0, now.expected, now.found, (size_t)given.count);
    check_equal(&difference, check_text("%s on the host, of %d", of->function, given.count), .at = why.at,
                .cause = why.cause);
    for (const lab_trace_op *op = now.span.begins; op < now.span.ends; op++)
        CHECK_THAT(
            !check_is_work(op), CHECK_RULE,
            check_text("%s asks the device (%s) for what is on the host", of->function, lab_op_kind_name(op->kind)),
            .at = check_at(op));
}

static void compute_difference(call *now)
{
    for (int i = 0; i < now->given.count; i++) {
        const float apart = now->input[0][i] - now->input[1][i];
        now->expected[i] = apart * apart;
    }
}

static void compute_wave(call *now)
{
    for (int i = 0; i < now->given.count; i++) {
        const double x = now->input[0][i], y = now->input[1][i], z = now->input[2][i];
        now->expected[i] = (float)(sin(x) + cos(y) / sqrt(z));
    }
}

static const formula by_difference =
                         {"lab07_difference",           "difference", "lab_elementwise_create", 2, -100, 100,
                          .compute = compute_difference},
                     wave = {"lab07_wave", "wave", "lab_elementwise_create", 3, 0.5f, 3, {.bound = 16 * FLT_EPSILON},
                             compute_wave, NULL};

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

CHECK(elementwise_is_right, KERNELS, .points = 20, .schedule = "adversarial",
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
        check_formula(program, &by_difference, given);
        if (sizes[s] < 32) check_int_difference(program, sizes[s]);
        check_formula(program, &wave, given);
    }
}

CHECK(bytes_are_predicted, KERNELS, .points = 10,
      .without_flow = "a prediction: the record says how many bytes kernels move, whatever they are",
      .schedule = "fifo", .title = "Task 1: the bytes, as predicted",
      .hints = {"Task 1: how many arrays does each kernel read, and how many does it write?",
                "A float has 4 bytes. Count each kernel of lab07_steps by itself: what one writes, another reads.",
                "In one kernel the wave reads 12 bytes and writes 4. In steps: cos, sqrt and sin read one array each, "
                "the division and the sum two each; all five write one."})
{
    static const char *const function[] = {"lab07_difference", "lab07_wave", "lab07_steps"};
    static const int arrays[][LAB07_COLUMNS] = {{2, 1}, {3, 1}, {7, 5}};
    enum { COUNT = 1000 };
    int predicted[LAB07_FUNCTIONS][LAB07_COLUMNS];
    check_program *program = check_start(sizeof(lab07_memory));
    check_table(predicted, sizeof predicted, "lab07_bytes");
    for (int f = 0; f < LAB07_FUNCTIONS; f++) {
        call now = make_call(program, function[f], (lab07_arguments){.count = COUNT}, LAB07_INPUTS, 0.5f, 3);
        run(&now);
        const traffic found = count_traffic(&now);
        for (int c = 0; c < LAB07_COLUMNS; c++) {
            const char *what = c == LAB07_READ ? "read" : "written";
            CHECK_THAT((int)found.bytes[c] == COUNT * 4 * arrays[f][c], CHECK_RULE,
                       check_text("%s does not work yet as it should: predict, then measure", function[f]));
            CHECK_THAT(predicted[f][c] == 4 * arrays[f][c], CHECK_WRONG_RESULT,
                       check_text("the prediction of the bytes that %s has %s is wrong", function[f], what),
                       .at = check_at_name(check_text("lab07_bytes[%d]", f)),
                       .expected =
                           check_text("the record of %s: %d bytes %s for each element, by %d kernel%s", function[f],
                                      4 * arrays[f][c], what, found.kernels, found.kernels == 1 ? "" : "s"),
                       .found = check_text("lab07_bytes says %d", predicted[f][c]),
                       .cause = why_bytes_are_wrong(predicted[f][c], arrays[f][c], arrays[f][!c], found.kernels));
        }
    }
}

/* ---- Task 2 ------------------------------------------------------------------------------------------------------ */

/* Fails the check unless the call launched tree twice, as lab07.h says. */
static void check_launches(const call *now)
{
    const int launches = check_count_in(now->span, LAB_OP_KERNEL);
    for (int i = 0; i < launches && i < 2; i++) {
        const unsigned blocks = i ? 1 : LAB07_BLOCKS;
        check_launched(now->span, check_op_in(now->span, LAB_OP_KERNEL, i), blocks, blocks, LAB07_THREADS,
                       i ? "the second of two launches" : "the first of two launches");
    }
    CHECK_THAT(launches == 2, CHECK_RULE, "lab07_reduce does not launch tree twice",
               .at = check_at(check_op_in(now->span, LAB_OP_KERNEL, -1)),
               .expected = "two launches, the second of one block", .found = check_text("%d", launches));
}

/* Why the largest is wrong; NULL if that is not known. */
static const char *cause_of_largest(const call *now)
{
    if (now->identity != -INFINITY)
        return check_text("the identity is %.9g: a number below it is lost, and the largest of none is -Inf",
                          (double)now->identity);
    if (lost_all(now)) return "combine(a, b) has returned the identity instead of a number: it is to be the larger one";
    return now->found[0] == 0 ? "0 is larger than every number here: a thread without a number begins with IDENTITY"
                              : NULL;
}

/* Why a sum is wrong; NULL if that is not known. A block that wrote nothing leaves LAB07_UNWRITTEN. `shared`: a number
 * belongs to several threads, by its index. */
static const char *cause_of_sum(const call *now, double sum, double magnitude, bool *shared)
{
    const double found = (double)now->found[0], nearly = 1e-3 * found;
    double short_stride = 0; /* the sum, if each block goes on by its own threads */
    for (int i = 0; i < now->given.count; i++)
        short_stride += (double)now->input[0][i] * fmin(LAB07_BLOCKS, 1 + i / LAB07_THREADS);
    *shared = sum == magnitude && found - sum > nearly;
    if (*shared && fabs(found - LAB07_BLOCKS * sum) < nearly)
        return check_text("each of the %d blocks adds all numbers: which numbers belong to which block?", LAB07_BLOCKS);
    if (*shared && fabs(found - short_stride) < nearly)
        return "a block goes on by its own threads, into the numbers of the next: the stride is that of all blocks";
    *shared = false;
    if (now->given.count == 0 && found == LAB07_BLOCKS * LAB07_UNWRITTEN)
        return "no block has written a result: a block without numbers writes IDENTITY, so no thread may return before";
    if (sum > 0 && found > 1.5 * sum)
        return "more was added than the numbers, each once: does a number belong to two threads, or is a value of the "
               "tree added twice?";
    if (sum == magnitude && found > 0 && found < 0.99 * sum)
        return "some numbers are missing: each belongs to a thread, and the last round combines value[0] with value[1]";
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
    if (!shuffles && check_count_in(now->span, LAB_OP_KERNEL)) check_launches(now);
    bool shared = false;
    const char *cause = largest ? cause_of_largest(now) : cause_of_sum(now, sum, magnitude, &shared);
    prove(now, (check_difference){.bound = largest || shuffles ? 0 : 96 * 0x1p-24 * magnitude}, "tree",
          (check_finding){.at = shared ? check_at_name(check_text("blockDim in %s", text_of_kernel(now)))
                                       : check_at(NULL),
                          .cause = cause});
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
    now.outputs = blocks;
    follow(&now, "tree");
}

/* Reduces new numbers of this range. */
static void reduce(check_program *program, const char *function, lab07_arguments given, float low, float high)
{
    call now = make_call(program, function, given, 1, low, high);
    check_reduction(&now);
}

CHECK(threads_are_ordered, KERNELS, .points = 15, .checks_kernels = true, .schedule = "adversarial",
      .setting = "LAB_EXCHANGE=shared", .title = "Task 2: barriers order the threads of a block",
      .hints = {"Task 2: which thread wrote the value that this thread reads, and what makes it wait?",
                "__syncthreads() belongs between a round's writes and the next round's reads. All threads of the "
                "block that have not returned must come to it, also those that have nothing to do in this round.",
                "The barrier is a line of the loop, outside the if: the first thing that happens in each round."})
{
    static const int few[] = {0, 1, 33, 255, 257, 5000};
    check_program *program = check_start(sizeof(lab07_memory));
    for (size_t s = 0; s < sizeof few / sizeof *few; s++)
        reduce(program, "lab07_reduce", (lab07_arguments){.count = few[s], .exact = true}, 1, 2);
}

CHECK(sum_is_right, KERNELS, .points = 20, .schedule = "adversarial", .seeds = 2,
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

CHECK(largest_of_negatives, KERNELS, .points = 5, .after = "sum_is_right",
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

/* ---- Tasks 3 to 5 ------------------------------------------------------------------------------------------------ */

static void compute_softplus(call *now)
{
    static const float special[] = {0.0f,  -0.0f, 1e-3f,   20.0f,    -20.0f,  -80.0f,
                                    88.0f, 89.0f, 1000.0f, -1000.0f, FLT_MAX, -FLT_MAX};
    const int specials = (int)(sizeof special / sizeof *special), count = now->given.count;
    for (int i = 0; i < count; i++) {
        if (i < specials) now->input[0][i] = special[(i + count) % specials];
        const double x = now->input[0][i];
        now->expected[i] = (float)(fmax(x, 0) + log1p(exp(-fabs(x))));
    }
}

static const formula softplus = {"lab07_softplus", "softplus",       "lab_expression_create", 1, -30, 30,
                                 {.ulps = 8},      compute_softplus, cause_of_softplus};

CHECK(softplus_on_both, KERNELS, .points = 10, .title = "Task 3: one formula, on the host and on the device",
      .hints = {"Task 3: what is e^100 as a float, and what is log(1 + e^100)?",
                "For x > 0, log(1 + e^x) = x + log(1 + e^-x): the exponent is never positive. lab_expression_apply "
                "computes where its arrays are.",
                "lab_expression_create(&softplus, \"x\", \"maximum(0, x) + log1p(exp(-abs(x)))\", \"softplus\"); "
                "apply it to LAB_ARGS(x, y); destroy it."})
{
    static const int few[] = {0, 1, 31, 32, 33, 5000};
    check_program *program = check_start(sizeof(lab07_memory));
    for (size_t s = 0; s < 2 * sizeof few / sizeof *few; s++)
        check_formula(program, &softplus, (lab07_arguments){.count = few[s / 2], .on_host = s % 2 == 1});
}

static void check_scale(check_program *program, lab07_arguments given)
{
    given.factor = 1.5f + check_random_float(1, (uint64_t)given.count);
    call now = make_call(program, "lab07_scale", given, 1, 1, 2);
    bool twice = false;
    run(&now);
    for (int i = 0; i < given.count; i++) {
        now.expected[i] = now.input[0][i] * given.factor;
        twice |= now.found[i] == now.expected[i] * given.factor;
    }
    prove(&now, (check_difference){0}, "scale",
          (check_finding){.expected = check_text("each number times the factor (blocks: %d, threads in each: %d)",
                                                 given.blocks, given.threads),
                          .cause = twice ? "some numbers were multiplied twice: two threads have the same index, or "
                                           "the stride is short"
                                         : NULL});
}

CHECK(any_launch, KERNELS, .points = 10, .checks_kernels = true, .title = "Task 4: right for any size and any launch",
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

CHECK(shuffles_replace_memory, KERNELS, .points = 5, .extra = true, .checks_kernels = true,
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
        reduce(program, "lab07_shuffle", given, -2, -1);
    }
    check_grid(program, "lab07_shuffle", LAB07_WARP);
}

CHECK(failures_are_passed_on, CHECK_OF_FAILURES, KERNELS, .points = 5,
      .after = "elementwise_is_right, sum_is_right, softplus_on_both",
      .hints = {[2] = "LAB_TRY around each call of the four functions; the last may be what you return."})
{
    const lab07_arguments given = {.count = check_draw(1, 2000)};
    check_failures(&(check_failing){
        .functions = CHECK_FUNCTIONS("lab07_difference", "lab07_wave", "lab07_reduce", "lab07_softplus"),
        CHECK_GIVEN(given),
        .memory_bytes = sizeof(lab07_memory),
        .at_once = true});
}
