/* Calls of lab 11; see checks_call.h. */
#include "checks_call.h"

#include <stdlib.h>
#include <string.h>

size_t call_bytes(const call *now) { return (size_t)now->given.count * sizeof(float); }

float *call_advanced(const call *now, const float *from)
{
    float *to = check_alloc(call_bytes(now) + 1);
    for (int i = 0; i < now->given.count; i++) {
        to[i] = from[i];
        for (int step = 0; step < now->given.steps; step++) to[i] = 3.9f * to[i] * (1.0f - to[i]);
    }
    return to;
}

float *call_mixed(const call *now, const float *a, const float *b)
{
    float *to = check_alloc(call_bytes(now) + 1);
    for (int i = 0; i < now->given.count; i++) to[i] = 0.5f * a[i] + 0.25f * b[i];
    return to;
}

float *call_put_numbers(call *now, int array)
{
    static uint64_t arrays;
    now->in[array] = check_alloc(call_bytes(now) + 1);
    check_random_floats(now->in[array], (size_t)now->given.count, ++arrays, 0.1f, 0.9f);
    return now->in[array];
}

call call_make(check_program *program, const char *function, lab11_arguments given)
{
    if (!given.steps) given.steps = 5;
    return (call){.program = program, .function = function, .given = given};
}

check_passage *call_add_passage(call *now, const char *what, const float *output, const float *input, part numbers)
{
    check_passage *added = &now->passage[now->passages++];
    const size_t bytes = (size_t)(numbers.end - numbers.first) * sizeof(float);
    *added = (check_passage){.what = what,
                             .output = {output + numbers.first, bytes},
                             .input = {{input + numbers.first, bytes}},
                             .argument = {{"steps", now->given.steps}}};
    return added;
}

void call_expect(call *now, int array, const char *what, float *numbers, const float *a, const float *b)
{
    check_passage *added = call_add_passage(now, what, numbers, a, (part){0, (uint64_t)now->given.count});
    if (b) added->input[1] = (check_bytes){b, call_bytes(now)};
    now->out[array] = numbers;
    now->what[array] = what;
}

void call_run(call *now)
{
    static const char *const mark[] = LAB11_MARKS;
    lab11_memory *memory = check_memory(now->program);
    check_trace_begin(now->program);
    for (int i = 0; i < LAB11_ARRAYS; i++) {
        if (now->in[i]) memcpy(memory->in[i], now->in[i], call_bytes(now));
        check_poison(now->program, offsetof(lab11_memory, out[i]), call_bytes(now));
    }
    check_call(now->program, now->function, &now->given, sizeof now->given, &now->result, sizeof now->result);
    now->trace = check_trace(now->program);
    now->span = check_between(now->trace, LAB11_BEGINS, LAB11_ENDS, now->function);
    now->span.block = "array";
    for (int d = 0; d < now->given.devices; d++) now->stream[d] = check_mark(now->trace, mark[d])->stream;
}

uint64_t call_argument(const lab_trace_op *kernel, int which)
{
    const char *word = kernel->arguments;
    while (which-- > 0 && word) word = strchr(word, ' ') ? strchr(word, ' ') + 1 : NULL;
    if (!word) return UINT64_MAX;
    const uint64_t value = strtoull(word, NULL, 16);
    return strncmp(word, "0x", 2) == 0 ? value : __builtin_bswap32((uint32_t)value);
}

check_place call_place(const call *now, const lab_trace_op *op)
{
    const lab_trace_op *before = check_beside(now->trace, op, -1);
    return check_at_after(op, before ? before : op);
}

void call_check_launch(const call *now, const lab_trace_op *kernel, int numbers)
{
    const int last = strcmp(kernel->name, "mix") == 0 ? 3 : 2;
    CHECK_THAT(kernel->block.x == 128 && kernel->grid.x >= (unsigned)(numbers + 127) / 128, CHECK_RULE,
               check_text("in %s the kernel %s is launched in another shape", now->function, kernel->name),
               .at = check_at(kernel),
               .expected = check_text("at least %d blocks of 128 threads", (numbers + 127) / 128),
               .found = check_text("%u blocks of %u threads", kernel->grid.x, kernel->block.x));
    CHECK_THAT((int)call_argument(kernel, last) == numbers, CHECK_RULE,
               check_text("in %s the kernel %s is told of another number of elements", now->function, kernel->name),
               .at = check_at(kernel), .expected = check_text("%d numbers", numbers),
               .found = check_text("%d", (int)call_argument(kernel, last)));
}

void call_check_written(const call *now)
{
    int work = 0;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) work += check_is_work(op);
    CHECK_THAT(work, CHECK_RULE, check_text("%s enqueues nothing", now->function), .at = check_at_no_line(),
               .cause = check_text("%s is not written yet, or leaves before its work: here it has %d %s and %d numbers",
                                   now->function, now->given.devices, now->given.devices == 1 ? "device" : "devices",
                                   now->given.count));
}

/* The second of the two calls that nothing orders, and the line of the first. */
static check_place place_of_finding(const call *now)
{
    const lab_trace_finding *finding = now->trace->finding;
    if (!now->trace->findings || !finding->second) return check_at(NULL);
    const lab_trace_op *second = &now->trace->op[finding->second - 1];
    return check_at_after(second, finding->first ? &now->trace->op[finding->first - 1] : second);
}

void call_check_order(const call *now)
{
    const char *unordered = check_unordered(now->program);
    CHECK_THAT(
        !unordered, CHECK_RACE_SUSPECTED, check_text("in %s, %s", now->function, unordered),
        .at = place_of_finding(now),
        .expected = "something that orders every two uses of the same memory, one of them a write",
        .cause = "nothing makes one of the two wait for the other; if the numbers were right this time, that was luck");
}

void call_check_numbers(const call *now)
{
    const char *unordered = check_unordered(now->program);
    for (int i = 0; i < LAB11_ARRAYS; i++) {
        check_difference difference = {.input = now->in[i] ? now->in[i] : now->in[0]};
        float *found = check_alloc(call_bytes(now) + 1);
        if (!now->out[i]) continue;
        check_snapshot(now->program, found, offsetof(lab11_memory, out[i]), call_bytes(now));
        check_compare_floats(&difference, 0, now->out[i], found, (size_t)now->given.count);
        check_equal(&difference, check_text("%s leaves wrong numbers in %s", now->function, now->what[i]),
                    .at = unordered             ? place_of_finding(now)
                          : now->place_of_wrong ? now->place_of_wrong(now, difference.first_element)
                                                : check_at(NULL),
                    .cause = unordered);
    }
}

void call_prove(const call *now)
{
    check_flow(
        now->program, now->trace,
        &(check_way){.function = now->function,
                     .passage = now->passage,
                     .passages = now->passages,
                     .kernel = {{"kernels.cu", "advance(float to[count], const float from[count], int count, "
                                               "int steps)"},
                                {"kernels.cu", "mix(float to[count], const float a[count], const float b[count], "
                                               "int count)"}}});
    check_keeps_nothing(now->trace, now->span);
}

void call_check_place(const call *now, const lab_trace_op *op, int device)
{
    CHECK_THAT(op->device == device, CHECK_RULE, check_text("%s works on another device", now->function),
               .at = check_at(op), .expected = check_text("%s on device %d", lab_op_kind_name(op->kind), device),
               .found = check_text("%s on device %d", lab_op_kind_name(op->kind), op->device));
    CHECK_THAT(op->stream == now->stream[device], CHECK_RULE, check_text("%s works on another stream", now->function),
               .at = check_at(op),
               .expected = check_text("%s on the stream of device %d in the work", lab_op_kind_name(op->kind), device),
               .found = check_text("%s on another stream", lab_op_kind_name(op->kind)));
}
