/* Calls of lab 11, and the shares of lab11_split from the record of one; see checks_call.h. */
#include "checks_call.h"

#include <stdlib.h>
#include <string.h>

/* ---- every call -------------------------------------------------------------------------------------------------- */

uint64_t call_stream(const check_case_run *now, int device)
{
    static const char *const mark[] = LAB11_MARKS;
    return check_mark(now->trace, mark[device])->stream;
}

void call_prove(const check_case_run *now)
{
    check_case_prove(now);
    check_keeps_nothing(now->trace, now->span);
}

void call_check_place(const check_case_run *now, const lab_trace_op *op, int device)
{
    const char *what = op->device == device ? "stream" : "device", *kind = lab_op_kind_name(op->kind);
    CHECK_THAT(op->device == device && op->stream == call_stream(now, device), CHECK_RULE,
               check_text("%s works on another %s", now->of->function, what), .at = check_at(op),
               .expected = check_text("%s on the stream of device %d in the work", kind, device),
               .found = op->device == device ? check_text("%s on another stream of this device", kind)
                                             : check_text("%s on device %d", kind, op->device));
}

/* Fails the check if the operation uses an array of the call that is on another device than its stream. */
static void check_array_place(const check_case_run *now, const lab_trace_op *op)
{
    for (const lab_trace_op *made = now->span.begins; made < op; made++)
        CHECK_THAT(
            made->kind != LAB_OP_POOL_ALLOC || made->device == op->device || !check_uses_block(op, made), CHECK_RULE,
            check_text("%s works with an array of device %d on device %d", now->of->function, made->device, op->device),
            .at = check_at(op),
            .expected =
                check_text("%s on a stream of device %d, where its array is", lab_op_kind_name(op->kind), made->device),
            .found = check_text("%s on a stream of device %d", lab_op_kind_name(op->kind), op->device),
            .cause = "work runs where its stream is, whichever array it names");
}

/* ---- shares ------------------------------------------------------------------------------------------------------ */

/* The numbers that a kernel is told of. */
static uint64_t count_of(const lab_trace_op *kernel)
{
    const char *word = kernel->arguments;
    for (int which = 0; which < 2 && word; which++) word = strchr(word, ' ') ? strchr(word, ' ') + 1 : NULL;
    return word ? __builtin_bswap32((uint32_t)strtoull(word, NULL, 16)) : UINT64_MAX;
}

/* Some of the numbers of an array. */
typedef struct part {
    uint64_t first, end;
} part;

/* The numbers of device d, as lab11.h has them. */
static part part_of(const check_case_run *now, int device)
{
    const int count = call_given(now)->count, devices = call_given(now)->devices;
    return (part){(uint64_t)(count * device / devices), (uint64_t)(count * (device + 1) / devices)};
}

/* The device whose number this is. */
static int owner_of(const check_case_run *now, uint64_t number)
{
    int owner = 0;
    while (owner + 1 < call_given(now)->devices && part_of(now, owner).end <= number) owner++;
    return owner;
}

/* The last work of this kind on the device in the span, or on any; NULL without any. */
enum { ANY_DEVICE = -1, ANY_KIND = -1 };
static const lab_trace_op *last_work(const check_case_run *now, int device, int kind)
{
    const lab_trace_op *last = NULL;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++)
        if (check_is_work(op) && (device == ANY_DEVICE || op->device == device) &&
            (kind == ANY_KIND || (int)op->kind == kind))
            last = op;
    return last;
}

/* The numbers between host memory and the device that the operation copies; none if it is no such copy. */
static part copied_numbers(const check_case_run *now, const lab_trace_op *op)
{
    const bool in = op->kind == LAB_OP_COPY_HTOD, out = op->kind == LAB_OP_COPY_DTOH;
    const uint64_t array =
        check_address(now->program) + (in ? offsetof(lab11_memory, in) : offsetof(lab11_memory, out));
    for (int i = 0; i < op->accesses && (in || out); i++)
        if (op->access[i].host)
            return (part){(op->access[i].address - array) / sizeof(float),
                          (op->access[i].address - array + op->access[i].bytes) / sizeof(float)};
    return (part){0, 0};
}

/* Fails the check unless the numbers that are copied in or out are the device's own. Where their number is not that of
 * its share, the mistake is in the shares and not in the copy. */
static void check_own(const check_case_run *now, const lab_trace_op *op, part copied)
{
    const part own = part_of(now, op->device);
    const bool inside = copied.first >= own.first && copied.end <= own.end;
    const int owner = owner_of(now, copied.first);
    const bool other_size = copied.end - copied.first != own.end - own.first;
    const int other = owner == op->device ? owner + 1 : owner;
    CHECK_THAT(copied.first == copied.end || inside, CHECK_RULE,
               check_text("device %d has numbers that are another's", op->device),
               .at = other_size ? check_at_name("count in lab11_split") : check_at(op),
               .expected = check_text("device %d: numbers %d up to %d", op->device, (int)own.first, (int)own.end),
               .found = check_text("a %s of numbers %lld up to %lld", lab_op_kind_name(op->kind),
                                   (long long)copied.first, (long long)copied.end),
               .cause = check_text("number %lld is %s: device d has those from count * d / devices on",
                                   (long long)(owner == op->device ? own.end : copied.first),
                                   other < call_given(now)->devices ? check_text("device %d's", other) : "nobody's"));
}

/* The copy out of the first wrong number, and the copy in of that device. Fails the check for numbers of another. */
static check_finding explain_split(const check_case_run *now, int array, size_t number)
{
    const int owner = owner_of(now, number);
    const lab_trace_op *out = last_work(now, owner, LAB_OP_COPY_DTOH), *in = last_work(now, owner, LAB_OP_COPY_HTOD);
    (void)array;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++)
        check_own(now, op, copied_numbers(now, op));
    return (check_finding){.at = out && in ? check_at_after(out, in) : check_at(NULL)};
}

const check_case split_case = {
    CALL_COMMON, .function = "lab11_split", .explain = explain_split,
    .array = {{"in", CALL_IN(0)}, {"out", CALL_OUT(0), .is = check_advanced, .from = {"in"}}}};

/* Each device must copy its own numbers in and out, and nobody else's, and compute them once on its stream. */
static void check_shares(const check_case_run *now)
{
    enum { IN, ADVANCED, OUT, STEPS };
    uint64_t moved[LAB11_DEVICES][STEPS] = {0};
    const lab_trace_op *first = NULL;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        if (!check_is_work(op)) continue;
        if (!first) first = op;
        call_check_place(now, op, op->device < call_given(now)->devices ? op->device : 0);
        check_array_place(now, op);
        const part copied = copied_numbers(now, op);
        check_own(now, op, copied);
        if (op->kind == LAB_OP_KERNEL)
            moved[op->device][ADVANCED] += count_of(op);
        else
            moved[op->device][op->kind == LAB_OP_COPY_DTOH ? OUT : IN] += copied.end - copied.first;
    }
    int empty = -1; /* the last device before this one that has no part */
    for (int d = 0; d < call_given(now)->devices; d++) {
        const uint64_t own = part_of(now, d).end - part_of(now, d).first, *its = moved[d];
        const bool idle = its[IN] + its[ADVANCED] + its[OUT] == 0;
        if (own == 0) empty = d;
        const int kind = its[IN] != own ? LAB_OP_COPY_HTOD : its[ADVANCED] != own ? LAB_OP_KERNEL : LAB_OP_COPY_DTOH;
        const lab_trace_op *last = last_work(now, d, kind);
        if (!last) last = last_work(now, d, ANY_KIND);
        if (!last) last = last_work(now, ANY_DEVICE, ANY_KIND);
        CHECK_THAT(its[IN] == own && its[ADVANCED] == own && its[OUT] == own, CHECK_RULE,
                   check_text("device %d does not do its share", d),
                   .at = first ? check_at_after(last, its[IN] || its[OUT] ? last : first) : check_at_no_line(),
                   .expected = check_text("device %d: %d numbers in, as many advanced, and as many out", d, (int)own),
                   .found = check_text("%d in, %d advanced, %d out", (int)its[IN], (int)its[ADVANCED], (int)its[OUT]),
                   .cause = idle && empty >= 0
                                ? check_text("device %d has no part of so few numbers, and the work ends with it: the "
                                             "devices behind it have theirs",
                                             empty)
                            : first ? NULL
                                    : check_explain_calls(now->program, now->span, (check_finding){0}).cause);
    }
}

/* Fails the check if work of one device waits for that of another. */
static void check_side_by_side(const check_case_run *now)
{
    lab_relations *relations = check_relations(now->trace);
    for (const lab_trace_op *later = now->span.begins; later < now->span.ends; later++) {
        for (const lab_trace_op *earlier = now->span.begins; earlier < later && check_is_work(later); earlier++) {
            if (!check_is_work(earlier) || earlier->device == later->device) continue;
            if (lab_relations_may_overlap(relations, earlier->id, later->id)) continue;
            const lab_trace_op *wait = lab_trace_host_wait_between(now->trace, earlier->id, later->id);
            if (earlier->host_waits) wait = earlier;
            check_fail(CHECK_RULE, "one device waits for another, which has nothing that it needs",
                       .at = check_at(wait ? wait : later), .expected = "the devices at work side by side",
                       .found = check_text("device %d begins when device %d is done", later->device, earlier->device),
                       .cause = wait ? "the host waits here before it has given every device its work"
                                     : "an event makes one device wait for the other");
        }
    }
}

/* The first work of the device that got its own when the other's was done; NULL if the two overlapped. A host function
 * may tell the host to go on before it has ended. */
static const lab_trace_op *begins_late(const check_case_run *now)
{
    int64_t ends[2] = {0};
    const lab_trace_op *first[2] = {NULL};
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        if (!check_is_work(op) || op->kind == LAB_OP_HOST_FUNCTION || op->device > 1) continue;
        if (!first[op->device]) first[op->device] = op;
        if (op->end_ns > ends[op->device]) ends[op->device] = op->end_ns;
    }
    for (int d = 0; d < 2; d++)
        if (first[d] && first[d]->call_ns > ends[1 - d] + check_clock_slack_ns()) return first[d];
    return NULL;
}

void split_check_turns(const check_case_run *before)
{
    static const int longer[] = {10000, 100000, 400000};
    const lab_trace_op *late = begins_late(before);
    if (!late) return;
    check_program *program = check_start_unkind(sizeof(lab11_memory));
    for (size_t k = 0; k < sizeof longer / sizeof *longer; k++) {
        const check_case_run now =
            check_case_with(&split_case, program, &(lab11_arguments){.devices = 2, .count = 256, .steps = longer[k]});
        late = begins_late(&now);
        if (!late) return;
    }
    check_fail(CHECK_RULE, "the devices take turns", .at = check_at(late),
               .expected = "the devices at work side by side",
               .found = check_text("device %d gets its work when device %d is done, each time", late->device,
                                   1 - late->device),
               .cause = "the host waits for one device before it hands out more work, by what no record shows: a lock, "
                        "a semaphore, a flag");
}

/* The parts one by one: threads may copy them in any order. */
void split_prove(const check_case_run *now)
{
    static const char *const name[] = {"the numbers of device 0", "the numbers of device 1", "the numbers of device 2"};
    const float *in = now->numbers[0], *out = now->numbers[1];
    check_passage passage[LAB11_DEVICES];
    check_way way = {.function = now->of->function, .passage = passage};
    memcpy(way.kernel, now->of->kernel, sizeof way.kernel);
    check_case_numbers(now);
    for (int d = 0; d < call_given(now)->devices; d++) {
        const part own = part_of(now, d);
        const size_t bytes = (size_t)(own.end - own.first) * sizeof *out;
        if (!bytes) continue;
        passage[way.passages++] = (check_passage){.what = name[d],
                                                  .output = {out + own.first, bytes},
                                                  .input = {{in + own.first, bytes}},
                                                  .argument = {now->argument[0]}};
    }
    check_flow(now->program, now->trace, &way);
    check_keeps_nothing(now->trace, now->span);
}

void split_check(const check_case_run *now)
{
    check_shares(now);
    check_side_by_side(now);
    check_case_ordered(now);
    check_waits_for_all(now->trace, now->span);
    check_joins(now->trace, now->span.function);
    split_prove(now);
}
