/* The checks of lab 06: special and random values for every integer type, compared with the library's two rules; and
 * how often the host waits for a sum. */
#include "case.h"
#include "find.h"
#include "shared.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

CHECK_LAB("lab06", "Casts");

static const lab_dtype integers[] = {LAB_INT8,  LAB_UINT8,  LAB_INT16, LAB_UINT16,
                                     LAB_INT32, LAB_UINT32, LAB_INT64, LAB_UINT64};
enum { INTEGERS = sizeof integers / sizeof *integers };

static const float special[] = {0.0f,         -0.0f,          0.5f,           -0.5f,          0.99999994f,
                                -0.99999994f, 1.0f,           -1.0f,          -1.5f,          127.0f,
                                128.0f,       -128.0f,        -129.0f,        255.0f,         256.0f,
                                300.0f,       32767.0f,       32768.0f,       65535.0f,       65536.0f,
                                -32769.0f,    0x1p31f,        -0x1p31f,       0x1.fffffep30f, -0x1.000002p31f,
                                3e9f,         0x1p32f,        0x1.fffffep31f, -0x1p32f,       1e10f,
                                -1e10f,       0x1p63f,        -0x1p63f,       0x1.fffffep62f, -0x1.000002p63f,
                                0x1p64f,      0x1.fffffep63f, 0x1.8p63f,      -0x1p64f,       1e20f,
                                -1e20f,       1e38f,          -1e38f,         INFINITY,       -INFINITY,
                                NAN,          -NAN,           0x1p-149f,      0x1p-126f};
enum { SPECIALS = sizeof special / sizeof *special };

/* ---- Values and comparisons -------------------------------------------------------------------------------------- */

/* The special values, then random ones: arbitrary bits, and numbers near the limits of the integer types. From the
 * second call for a type on, whose streams begin at INTEGERS, the special values are in another order. */
static void fill(float *input, size_t count, uint64_t stream)
{
    const size_t shift = stream < INTEGERS ? 0 : 1 + (size_t)(check_random_u64(stream, SIZE_MAX) % (SPECIALS - 1));
    for (size_t i = 0; i < count; i++) {
        uint64_t dice = check_random_u64(stream, i);
        uint32_t bits = (uint32_t)(dice >> 32);
        if (i < SPECIALS)
            input[i] = special[(i + shift) % SPECIALS];
        else if (dice % 2)
            memcpy(&input[i], &bits, sizeof bits);
        else
            input[i] = ldexpf((float)(int32_t)bits, (int)(dice >> 1) % 70 - 34);
    }
}

static bool is_signed(lab_dtype type)
{
    return type == LAB_INT8 || type == LAB_INT16 || type == LAB_INT32 || type == LAB_INT64;
}

/* Element i as a number; of uint64, that with the same bits. */
static long long element(const void *elements, lab_dtype type, size_t i)
{
    const size_t size = lab_dtype_size(type), unused = 64 - 8 * size;
    uint64_t bits = 0;
    memcpy(&bits, (const unsigned char *)elements + i * size, size);
    return is_signed(type) ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
}

static const char *element_text(const void *elements, lab_dtype type, size_t i)
{
    return check_text(is_signed(type) ? "%lld" : "%llu", element(elements, type, i));
}

typedef lab_status rule(void *output, lab_dtype to_type, const void *input, lab_dtype from_type, size_t count);

/* What the rule makes of a number. */
static long long answer_of(rule *right, float input, lab_dtype type)
{
    uint64_t answer = 0;
    if (right(&answer, type, &input, LAB_FLOAT32, 1) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    return element(&answer, type, 0);
}

/* The rule for this number and type. */
static const char *rule_of(float input, lab_dtype type, bool numpys)
{
    const size_t size = lab_dtype_size(type);
    const bool unsigned_32 = numpys && type == LAB_UINT32;
    const lab_dtype wide = unsigned_32 ? LAB_INT64 : numpys || is_signed(type) ? LAB_INT32 : LAB_UINT32;
    rule *right = numpys ? lab_cast_as_numpy : lab_cast_as_device;
    if (size < 4 || unsigned_32)
        return check_text("%s casts to %s first, here to %lld, and keeps the low %zu bits",
                          numpys ? "NumPy" : "the device", lab_dtype_name(wide), answer_of(right, input, wide),
                          8 * size);
    if (fabsf(input) < 0x1p63f && truncf(input) == (float)answer_of(right, input, type))
        return "the number fits, and is cut to what stands before the point";
    if (!numpys && isnan(input))
        return size < 8 ? "the device turns NaN into 0"
                        : "for 64 bits the device turns NaN into the bits 0x8000000000000000, not 0";
    if (!numpys) return "the device goes to the nearest number that the type has";
    return type != LAB_UINT64 ? "NumPy gives the lowest number of the type for all that do not fit"
           : input >= 0x1p64f ? "from 2^64 on NumPy's uint64 is 0"
           : input >= 0x1p63f ? "from 2^63 to below 2^64 NumPy's uint64 is the number itself"
                              : "below 2^63 NumPy's uint64 has the bits of a cast to int64";
}

/* The likely cause of a wrong result for this input, or else the rule. */
static const char *likely_cause(float input, const void *found, lab_dtype type, size_t i, size_t wrong, bool numpys)
{
    enum { FEW = 2 };
    const size_t size = lab_dtype_size(type);
    const long long number = element(found, type, i);
    const char *rule_here = rule_of(input, type, numpys);
    if (isnan(input) && !numpys && size == 8 && number == 0) return rule_here;
    if (isnan(input)) return "NaN is not lower and not higher than anything: every comparison with it is false";
    if (wrong <= FEW && (input == 0x1p31f || input == 0x1p32f || input == 0x1p63f || input == 0x1p64f))
        return "this is the first number that does not fit: the number just below it is not a float, so a limit "
               "written with that is rounded up to this one";
    if (input < 0.0f && input > -1.0f) return "the number is cut to -0 first, and 0 fits: -1 is the first that may not";
    if ((size == 4 && input == -0x1p31f) || (size == 8 && input == -0x1p63f))
        return "this number fits into the signed type: it is the lowest";
    if (answer_of(numpys ? lab_cast_as_device : lab_cast_as_numpy, input, type) == number)
        return check_text("that is the answer of %s: %s", numpys ? "the device" : "NumPy", rule_here);
    return rule_here;
}

/* The part of a function that converts to this type. */
static check_place place_of_type(const char *function, lab_dtype type)
{
    const char *name = lab_dtype_name(type);
    char constant[16] = "";
    for (size_t i = 0; name[i] && i < sizeof constant - 1; i++) constant[i] = (char)toupper((unsigned char)name[i]);
    return check_at_name(strcmp(function, "lab06_as_device") == 0
                             ? check_text("to_%s%d", *name == 'u' ? "uint" : "int", lab_dtype_size(type) == 8 ? 64 : 32)
                             : check_text("%s(LAB_%s)", function, constant));
}

/* Why values are wrong, and where, as far as the record shows it. `bytes`: those of the result. */
static check_finding explain(check_program *program, const char *function, lab_dtype type, size_t bytes, bool unwritten)
{
    if (strcmp(function, "lab06_measure") != 0)
        return (check_finding){.at = place_of_type(function, type),
                               .cause = unwritten ? check_text("%s never wrote to its result", function) : NULL};
    const lab_trace *trace = check_trace(program);
    const check_span span = check_span_of(trace, function);
    const lab_trace_op *kernel = check_op_in(span, LAB_OP_KERNEL, -1), *copy = check_op_in(span, LAB_OP_COPY_DTOH, -1),
                       *in = check_op_in(span, LAB_OP_COPY_HTOD, 0);
    const lab_trace_op at = {.object = copy ? check_device_access(copy).address : 0};
    const bool unconverted = copy && !kernel, other = kernel && copy && !check_writes_block(kernel, &at),
               longer = copy && copy->bytes != bytes,
               shaped = in && in->bytes / sizeof(float) == bytes / lab_dtype_size(type);
    return (check_finding){
        .at = check_at(unconverted                                 ? in
                       : unwritten || other || (longer && !shaped) ? copy
                                                                   : kernel),
        .cause =
            unwritten && !copy ? check_text("%s never wrote to its result", function)
            : unwritten ? "the copy to its result is enqueued, but nothing waits for it before the function returns"
            : unconverted
                ? "nothing was converted: lab_array_astype converts an array of LAB_FLOAT32 into one of `type`"
            : other            ? "this copy is not of the array that the cast has made"
            : longer && shaped ? check_text("the floats are converted to a type of %zu bytes, and %s is asked for",
                                            (size_t)copy->bytes / (in->bytes / sizeof(float)), lab_dtype_name(type))
            : longer ? check_text("the array that is copied back does not have %zu bytes: a shape has elements", bytes)
            : check_count_in(span, LAB_OP_KERNEL) > 1
                ? "the floats are converted to the type at once: a type in between changes the numbers"
            : shaped ? "all numbers are converted, and come back: are these the floats, and is this the type asked for?"
                     : "all count floats go into the array, and the array's whole contents come back"};
}

/* Calls the student's function for one type and compares every element with what the rule gives, and what follows the
 * last one with what was there. Returns what check_flow asks of the call. */
static check_passage check_type(check_program *program, const char *function, lab_dtype type, size_t count, rule *right,
                                uint64_t stream)
{
    enum { BEHIND = 64 };
    const size_t bytes = count * lab_dtype_size(type),
                 behind = bytes + BEHIND <= sizeof(uint64_t[LAB06_MOST]) ? BEHIND : 0;
    const lab06_arguments arguments = {(int)type, count};
    lab06_memory *memory = check_memory(program);
    float *input = check_alloc(count * sizeof(float));
    unsigned char *expected = check_alloc(bytes), *before = check_alloc(bytes + behind),
                  *found = check_alloc(bytes + behind);
    fill(input, count, stream);
    memcpy(memory->input, input, count * sizeof(float));
    check_poison(program, offsetof(lab06_memory, output), sizeof memory->output);
    memcpy(before, memory->output, bytes + behind);
    check_call(program, function, &arguments, sizeof arguments, NULL, 0);
    check_snapshot(program, found, offsetof(lab06_memory, output), bytes + behind);
    if (right(expected, type, input, LAB_FLOAT32, count) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    size_t wrong = 0, first = 0;
    for (size_t i = count; i-- > 0;) {
        if (element(expected, type, i) == element(found, type, i)) continue;
        wrong++;
        first = i;
    }
    const bool past = memcmp(before + bytes, found + bytes, behind) != 0;
    if (!wrong && !past)
        return (check_passage){
            .what = lab_dtype_name(type), .output = {found, bytes}, .input = {{input, count * sizeof(float)}}};
    check_finding why = explain(program, function, type, bytes, memcmp(found, before, bytes) == 0);
    CHECK_THAT(wrong, CHECK_WRONG_RESULT, check_text("%s writes past the end of its result", function), .at = why.at,
               .expected = check_text("%zu elements of %s and nothing after them", count, lab_dtype_name(type)),
               .found = "something after them", .cause = why.cause);
    const float value = input[first];
    const bool whole = fabsf(value) < 1e19f && value == truncf(value); /* nine digits of 2147483648 would hide it */
    if (!why.cause) why.cause = likely_cause(value, found, type, first, wrong, right == lab_cast_as_numpy);
    check_fail(CHECK_WRONG_RESULT,
               check_text("%s: %zu of %zu values to %s are wrong", function, wrong, count, lab_dtype_name(type)),
               .at = why.at,
               .expected = check_text("%s to %s: %s", check_text(whole ? "%.0f" : "%.9g", (double)value),
                                      lab_dtype_name(type), element_text(expected, type, first)),
               .found = element_text(found, type, first), .cause = why.cause);
}

/* Checks every type, with so many values: the special ones come first. `passage` gets what check_flow asks of them.
 * Returns the record. */
static const lab_trace *check_types(check_program *program, const char *function, size_t count, rule *right,
                                    check_passage passage[INTEGERS])
{
    check_trace_begin(program);
    for (int i = 0; i < INTEGERS; i++)
        passage[i] = check_type(program, function, integers[i], count, right, count + (uint64_t)i);
    return check_trace(program);
}

static const size_t few_and_most[] = {SPECIALS, LAB06_MOST};

/* Fails the check if the device did anything. */
static void check_host_alone(const lab_trace *trace, const char *function)
{
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++)
        CHECK_THAT(!check_is_work(op), CHECK_RULE,
                   check_text("%s gives the right numbers, but asks the device for them", function), .at = check_at(op),
                   .expected = "computed on the host",
                   .found = check_text("work for the device (%s)", lab_op_kind_name(op->kind)));
}

/* ---- Task 1 ------------------------------------------------------------------------------------------------------ */

enum { MOST_MEASURED = 3000 };

CHECK(device_is_measured, .points = 10, .schedule = "adversarial", .title = "Task 1: the device's casts, measured",
      .hints = {"Task 1 is in lab06_measure: how do the floats get to the device, and the integers back?",
                "lab_array_from_host makes an array of the floats, lab_array_astype a second one of another type.",
                "from_host(&floats, LAB_FLOAT32, LAB_SHAPE(count), from); astype(&cast, floats, type, NULL); "
                "lab_array_get(cast, to); destroy both."})
{
    check_program *program = check_start(sizeof(lab06_memory));
    for (int call = 0; call < 2 * INTEGERS; call++) {
        const lab_dtype type = integers[call % INTEGERS];
        const size_t count = call < INTEGERS ? SPECIALS : (size_t)(1 + check_random_u64(call, 0) % MOST_MEASURED);
        check_trace_begin(program);
        const check_passage passage =
            check_type(program, "lab06_measure", type, count, lab_cast_as_device, (uint64_t)call);
        const lab_trace *trace = check_trace(program);
        check_flow(program, trace, &(check_way){.function = "lab06_measure", .passage = &passage, .passages = 1});
        check_span span = check_span_of(trace, "lab06_measure");
        span.block = "array";
        check_waits_for_all(trace, span);
        check_keeps_nothing(trace, span);
    }
}

static void compare_table(const char *name, rule *right, const char *whose)
{
    static const char *const texts[] = {"-1", "-0.5", "300", "3e9", "1e10", "NaN"};
    static const float values[] = {-1.0f, -0.5f, 300.0f, 3e9f, 1e10f, NAN};
    static const lab_dtype types[] = {LAB_INT8, LAB_UINT8, LAB_INT32, LAB_UINT32};
    enum { VALUES = sizeof values / sizeof *values, TYPES = sizeof types / sizeof *types };
    long long predicted[VALUES * TYPES];
    int wrong = 0, first = 0;
    check_table(predicted, sizeof predicted, name);
    for (int i = VALUES * TYPES; i-- > 0;) {
        if (predicted[i] == answer_of(right, values[i / TYPES], types[i % TYPES])) continue;
        wrong++;
        first = i;
    }
    const int value = first / TYPES;
    const lab_dtype type = types[first % TYPES];
    const bool numpys = right == lab_cast_as_numpy,
               others =
                   predicted[first] == answer_of(numpys ? lab_cast_as_device : lab_cast_as_numpy, values[value], type);
    CHECK_THAT(wrong == 0, CHECK_WRONG_RESULT, check_text("%d of the 24 predictions of %s are wrong", wrong, name),
               .at = check_at_name(check_text("%s[%d]", name, value)),
               .expected = check_text("%s converts %s to %s: %lld", whose, texts[value], lab_dtype_name(type),
                                      answer_of(right, values[value], type)),
               .found = check_text("%s says %lld", name, predicted[first]),
               .cause = predicted[first] != element(&predicted[first], type, 0)
                            ? check_text("%s has no such number", lab_dtype_name(type))
                        : others ? check_text("that is the answer of %s", numpys ? "the device" : "NumPy")
                        : isnan(values[value])
                            ? rule_of(values[value], type, numpys)
                            : likely_cause(values[value], &predicted[first], type, 0, (size_t)wrong, numpys));
}

CHECK(tables_are_predicted, .points = 15, .without_flow = "predictions about casts, whose answers the check computes",
      .title = "Task 1: both tables, as predicted",
      .hints = {"Task 1: which of the six values fits into which of the four types?",
                "What fits is truncated, on both. What does not: the device goes to the nearest 32-bit number there is "
                "and keeps its low bits for 8; NumPy takes the lowest int32 (for uint32 the low half of an int64).",
                "Device, 3e9: int32 2147483647, whose low 8 bits are -1; uint32 holds it, low 8 bits 0. NumPy, -1: "
                "255 and 4294967295, because the low bits of -1 are all ones."})
{
    enum { MOST = 1 << 24 };
    check_program *program = check_start(sizeof(lab06_memory));
    lab06_memory *memory = check_memory(program);
    const int32_t number = (int32_t)(check_random_u64(0, 0) % MOST);
    memory->input[0] = (float)number;
    check_poison(program, offsetof(lab06_memory, output), sizeof memory->output);
    lab06_arguments arguments = {LAB_INT32, 1};
    int32_t found;
    check_trace_begin(program);
    check_call(program, "lab06_measure", &arguments, sizeof arguments, NULL, 0);
    check_snapshot(program, &found, offsetof(lab06_memory, output), sizeof found);
    CHECK_THAT(found == number && check_count_ops(check_trace(program), LAB_OP_KERNEL) > 0, CHECK_RULE,
               "lab06_measure does not work yet: predict, then measure");
    compare_table("lab06_device", lab_cast_as_device, "the device");
    compare_table("lab06_numpy", lab_cast_as_numpy, "NumPy");
}

/* ---- Tasks 2 to 4 ------------------------------------------------------------------------------------------------ */

CHECK(device_gives_numpys, .points = 25, .title = "Task 2: NumPy's answer from a kernel, for every integer type",
      .hints = {
          "Task 2: what does NumPy do with a number that does not fit, and with NaN?",
          "Ask whether x fits, so that NaN is among those that do not: x >= lowest && x < highest + 1. Types of 8, "
          "16 and 32 bits go through int32, uint32 and 64 bits through int64.",
          "\"y = x >= -2147483648.0f && x < 2147483648.0f ? (int)x : (int)0x80000000u\" for the small ones and "
          "int32. lab.h's table under Casts has the rule for uint64 from 2^63 on."})
{
    check_builds_on(CHECK_TASK(1));
    check_passage passage[INTEGERS];
    check_program *program = check_start(sizeof(lab06_memory));
    for (int k = 0; k < 2; k++) {
        const lab_trace *trace = check_types(program, "lab06_numpy_body", few_and_most[k], lab_cast_as_numpy, passage);
        check_flow(
            program, trace,
            &(check_way){
                .function = "lab06_numpy_body", .passage = passage, .passages = INTEGERS, .kernel = {{NULL, "numpy"}}});
    }
}

CHECK(host_gives_the_devices, .points = 25, .without_flow = "lab06_as_device is a function of the host",
      .title = "Task 3: the device's answer from the host, nothing undefined",
      .hints = {
          "Task 3: for which x is (int32_t)x defined in C?",
          "Only if the truncated number fits. So ask first: NaN, too low, too high; then cast. The limits are powers "
          "of two, which a float holds exactly.",
          "to_int32: x != x gives 0; x < -2147483648.0f gives INT32_MIN; x >= 2147483648.0f gives INT32_MAX; else "
          "(int32_t)x. For 64 bits, NaN gives the bits 0x8000000000000000."})
{
    check_passage unused[INTEGERS];
    check_program *program = check_start(sizeof(lab06_memory));
    for (int k = 0; k < 2; k++)
        check_host_alone(check_types(program, "lab06_as_device", few_and_most[k], lab_cast_as_device, unused),
                         "lab06_as_device");
}

/* Fails the check unless all work of the call is on one stream, and the host waits once, when all is enqueued. A wait
 * for nothing does not count, nor does a question that is answered at once. */
static void check_one_wait(check_span span, uint64_t stream)
{
    const lab_trace_op *wait[2] = {NULL}, *divided = NULL;
    const int waits = check_waits_in(span, wait);
    for (const lab_trace_op *op = span.begins; op < span.ends; op++) {
        CHECK_THAT(!check_is_work(op) || op->stream == stream, CHECK_RULE, "lab06_normalize works on another stream",
                   .at = check_at(op),
                   .expected = check_text("all work on work->stream, stream %llu", (unsigned long long)stream),
                   .found = check_text("%s on stream %llu", lab_op_kind_name(op->kind), (unsigned long long)op->stream),
                   .cause =
                       op->kind == LAB_OP_COPY_DTOH && op->host_waits
                           ? "lab_array_get_item and lab_array_get use the current stream: use lab_array_get_async "
                             "on work->stream"
                           : "NULL is the current stream, and calls without a stream argument use the null or the "
                             "current one");
        if (op->kind == LAB_OP_KERNEL && strcmp(op->name, "divide") == 0) divided = op;
    }
    CHECK_THAT(divided, CHECK_RULE, "lab06_normalize does not launch divide", .at = check_at_no_line());
    CHECK_THAT(!waits || wait[0] > divided, CHECK_RULE,
               "lab06_normalize reads the sum before it has enqueued the division", .at = check_at(wait[0]),
               .expected = "everything enqueued, then one wait",
               .found = check_text("a wait (%s) before the division is enqueued", lab_op_kind_name(wait[0]->kind)),
               .cause = "the device stands still until the host has read the sum and comes back with more work");
    CHECK_THAT(waits <= 1, CHECK_RULE, check_text("lab06_normalize waits %d times", waits), .at = check_at(wait[1]),
               .expected = "everything enqueued, then one wait", .found = check_text("%d waits", waits),
               .cause = "one wait at the end is enough: what is enqueued on a stream runs in order");
}

static void divided(float *to, const float *const *from, const check_case_run *now)
{
    for (size_t i = 0; i < now->count; i++) to[i] = from[0][i] / *from[1];
}

enum { BEFORE, SUM, X };
static check_finding explain_normalize(const check_case_run *now, int array, size_t element)
{
    const lab_trace_op *out = check_op_in(now->span, LAB_OP_COPY_DTOH, -1);
    float first;
    (void)element;
    check_snapshot(now->program, &first, offsetof(lab06_memory, output), sizeof first);
    if (array == X && first != now->numbers[BEFORE][0] && first != now->numbers[X][0])
        return (check_finding){.at = check_at(check_op_in(now->span, LAB_OP_KERNEL, -1)),
                               .cause =
                                   "x was divided by something else than its sum: `by` is the array in which that is"};
    if (array != SUM || !out) return (check_finding){.cause = NULL};
    return check_explain_arguments(
        now->span, now->of->kernel, now->argument,
        (check_finding){.at = check_at(out),
                        .cause = "the sum is that of x before the division, and its copy must have arrived"});
}

static const check_case normalize = {
    .function = "lab06_normalize",
    .block = "array",
    .memory_bytes = sizeof(lab06_memory),
    .given = CHECK_CASE_GIVEN(lab06_arguments, count, {.name = NULL}),
    /* Their sum is at most 2^24, and so are all parts of it. */
    .array = {{"x before", offsetof(lab06_memory, input), .low = 1.0f, .high = 17.0f, .whole = true},
              {"*sum", offsetof(lab06_memory, sum), .is = check_summed, .from = {"x before"}, .numbers = 1},
              {"x", offsetof(lab06_memory, output), .is = divided, .from = {"x before", "*sum"}}},
    .kernel = {{"kernels.cu", "divide(float x[count], const float by[1], int count)"}},
    .explain = explain_normalize};

/* One call with so many numbers. */
static void check_normalize(check_program *program, size_t count)
{
    const check_case_run now = check_case_at(&normalize, program, count);
    if (check_unordered(program)) check_artifact_trace(now.trace, normalize.function);
    /* The program makes the stream. What names another one is the cause of numbers, and not a missing event. */
    check_one_wait(now.span, check_find(now.trace, (check_sought){.kind = LAB_OP_STREAM_CREATE})->stream);
    check_case_ordered(&now);
    check_waits_for_all(now.trace, now.span);
    check_case_prove(&now);
    check_keeps_nothing(now.trace, now.span);
}

CHECK(one_synchronization, .points = 20, .schedule = "adversarial", .seeds = 2, .any_order = true,
      .title = "Task 4: the host waits once, when all is enqueued",
      .hints = {"Task 4: who needs the sum first, the device or the host?",
                "lab_array_sum leaves the sum on the device. The kernel takes its address: the host need not know the "
                "number to have it divided by.",
                "lab_array_sum(work->total, work->x, work->stream); launch divide with LAB_ARGS(work->x, work->total, "
                "work->count); lab_array_get_async(work->total, sum, work->stream); lab_stream_synchronize."})
{
    const size_t counts[] = {1 + (size_t)(check_random_u64(0, 0) % 5000), 1, 128, LAB06_MOST};
    check_program *program = check_start(sizeof(lab06_memory));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) check_normalize(program, counts[i]);
}

CHECK(failures_are_passed_on, CHECK_OF_FAILURES, .points = 5, .after = "device_is_measured, one_synchronization",
      .hints = {[2] = "LAB_TRY around each call of lab06_measure and lab06_normalize, the last ones too."})
{
    const lab06_arguments given = {LAB_INT32, (size_t)check_draw(1, 2000)};
    check_failures(&(check_failing){.functions = CHECK_FUNCTIONS("lab06_measure", "lab06_normalize"),
                                    CHECK_GIVEN(given),
                                    .memory_bytes = sizeof(lab06_memory),
                                    .also = CHECK_FAIL_WAITS,
                                    .at_once = true});
}
