/* Calls of lab 11; see checks_call.h. */
#include "checks_call.h"

#include <stdlib.h>
#include <string.h>

void call_advanced(float *to, const float *const *from, const check_case_run *now)
{
    for (size_t i = 0; i < now->count; i++) {
        to[i] = from[0][i];
        for (int step = 0; step < call_given(now)->steps; step++) to[i] = 3.9f * to[i] * (1.0f - to[i]);
    }
}

void call_mixed(float *to, const float *const *from, const check_case_run *now)
{
    const float *other = from[1] ? from[1] : from[0];
    for (size_t i = 0; i < now->count; i++) to[i] = 0.5f * from[0][i] + 0.25f * other[i];
}

const lab11_arguments *call_given(const check_case_run *now) { return now->arguments; }

uint64_t call_stream(const check_case_run *now, int device)
{
    static const char *const mark[] = LAB11_MARKS;
    return check_mark(now->trace, mark[device])->stream;
}

uint64_t call_argument(const lab_trace_op *kernel, int which)
{
    const char *word = kernel->arguments;
    while (which-- > 0 && word) word = strchr(word, ' ') ? strchr(word, ' ') + 1 : NULL;
    if (!word) return UINT64_MAX;
    const uint64_t value = strtoull(word, NULL, 16);
    return strncmp(word, "0x", 2) == 0 ? value : __builtin_bswap32((uint32_t)value);
}

check_place call_place(const check_case_run *now, const lab_trace_op *op)
{
    const lab_trace_op *before = check_beside(now->trace, op, -1);
    return check_at_after(op, before ? before : op);
}

void call_check_launch(const check_case_run *now, const lab_trace_op *kernel, int numbers)
{
    const int last = strcmp(kernel->name, "mix") == 0 ? 3 : 2;
    check_launched(now->span, kernel, (unsigned)(numbers + 127) / 128, 0, 128, NULL);
    CHECK_THAT((int)call_argument(kernel, last) == numbers, CHECK_RULE,
               check_text("in %s the kernel %s is told of another number of elements", now->of->function, kernel->name),
               .at = check_at(kernel), .expected = check_text("%d numbers", numbers),
               .found = check_text("%d", (int)call_argument(kernel, last)));
}

void call_check_written(const check_case_run *now)
{
    int work = 0;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) work += check_is_work(op);
    CHECK_THAT(work, CHECK_RULE, check_text("%s enqueues nothing", now->of->function), .at = check_at_no_line(),
               .cause = check_text("%s is not written yet, or leaves before its work: here it has %d %s and %d numbers",
                                   now->of->function, call_given(now)->devices,
                                   call_given(now)->devices == 1 ? "device" : "devices", call_given(now)->count));
}

void call_prove(const check_case_run *now)
{
    check_case_prove(now);
    check_keeps_nothing(now->trace, now->span);
}

void call_check_place(const check_case_run *now, const lab_trace_op *op, int device)
{
    CHECK_THAT(op->device == device, CHECK_RULE, check_text("%s works on another device", now->of->function),
               .at = check_at(op), .expected = check_text("%s on device %d", lab_op_kind_name(op->kind), device),
               .found = check_text("%s on device %d", lab_op_kind_name(op->kind), op->device));
    CHECK_THAT(op->stream == call_stream(now, device), CHECK_RULE,
               check_text("%s works on another stream", now->of->function), .at = check_at(op),
               .expected = check_text("%s on the stream of device %d in the work", lab_op_kind_name(op->kind), device),
               .found = check_text("%s on another stream", lab_op_kind_name(op->kind)));
}
