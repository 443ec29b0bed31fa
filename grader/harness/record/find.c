/* Operations of a record, found by what they are; see find.h. */
#include "find.h"

#include <stdlib.h>
#include <string.h>

static bool is_sought(const lab_trace_op *op, const check_sought *what)
{
    return op->kind == what->kind && (!what->name || strcmp(op->name, what->name) == 0) &&
           (!what->block || check_uses_block(op, what->block)) && (!what->stream || op->stream == what->stream);
}

const lab_trace_op *check_find(const lab_trace *trace, check_sought what)
{
    for (size_t i = 0; i < trace->ops; i++)
        if (is_sought(&trace->op[i], &what)) return &trace->op[i];
    return NULL;
}

const lab_trace_op *check_find_last(const lab_trace *trace, check_sought what)
{
    for (size_t i = trace->ops; i-- > 0;)
        if (is_sought(&trace->op[i], &what)) return &trace->op[i];
    return NULL;
}

static bool meet(const lab_trace_access *one, const lab_trace_access *other)
{
    return one->address < other->address + other->bytes && other->address < one->address + one->bytes;
}

const char *check_cause_unread(const lab_trace *trace, const char *before, const char *kernel)
{
    const lab_trace_op *from = check_find_last(trace, (check_sought){LAB_OP_KERNEL, .name = before}),
                       *to = check_find_last(trace, (check_sought){LAB_OP_KERNEL, .name = kernel});
    if (!from || !to) return NULL;
    bool overwrites = false;
    for (int i = 0; i < from->accesses; i++)
        for (int k = 0; k < to->accesses; k++) {
            if (!from->access[i].writes || !meet(&from->access[i], &to->access[k])) continue;
            if (to->access[k].reads) return NULL;
            overwrites = true;
        }
    return check_text("the kernel %s reads nothing that the kernel %s has written%s", kernel, before,
                      overwrites ? ", and writes there: are two of its arrays exchanged?" : "");
}

static bool uses_memory(const lab_trace_op *op, lab_trace_access memory, bool writes)
{
    for (int i = 0; i < op->accesses; i++)
        if (!op->access[i].host && meet(&op->access[i], &memory) && (!writes || op->access[i].writes)) return true;
    return false;
}

check_finding check_explain_memory(check_span span, lab_trace_access memory, check_finding why)
{
    const lab_trace_op *reader = NULL, *writer = NULL, *kernel = NULL, *fill = NULL;
    uint64_t filled = 0;
    for (const lab_trace_op *op = span.begins; op < span.ends; op++) {
        const bool writes = check_is_work(op) && uses_memory(op, memory, true);
        if (writes && op->kind == LAB_OP_KERNEL) kernel = op;
        if (writes) writer = op;
        if (writes && op->kind == LAB_OP_FILL) {
            fill = op;
            filled += op->bytes;
        }
        if (op->kind == LAB_OP_KERNEL && uses_memory(op, memory, false)) reader = op;
    }
    if (reader && !writer)
        return (check_finding){.at = check_at(reader),
                               .cause = check_text("the kernel %s only reads what it is to write, and nothing else "
                                                   "writes it: are two of its arrays exchanged?",
                                                   reader->name)};
    if (kernel && writer->kind == LAB_OP_FILL)
        return (check_finding){.at = check_at(writer),
                               .cause = check_text("this fill comes behind the kernel %s at line %d, and overwrites "
                                                   "what that has written",
                                                   kernel->name, kernel->line)};
    if (kernel && fill && filled < memory.bytes)
        return (check_finding){.at = check_at(fill),
                               .cause = check_text("this fill sets %llu of the %llu bytes to which the kernel %s adds",
                                                   (unsigned long long)filled, (unsigned long long)memory.bytes,
                                                   kernel->name)};
    return why;
}

int check_numbered(const lab_trace_op *op, const char *begin, int count)
{
    const size_t length = strlen(begin);
    char *end;
    if (op->kind != LAB_OP_MARK || strncmp(op->name, begin, length) != 0) return -1;
    const long number = strtol(op->name + length, &end, 10);
    return end == op->name + length || *end || number < 0 || number >= count ? -1 : (int)number;
}

static lab_trace_access access_of(const lab_trace_op *op, bool host)
{
    for (int i = 0; i < op->accesses; i++)
        if (op->access[i].host == host) return op->access[i];
    return (lab_trace_access){0};
}

lab_trace_access check_host_access(const lab_trace_op *op) { return access_of(op, true); }
lab_trace_access check_device_access(const lab_trace_op *op) { return access_of(op, false); }

const lab_trace *check_recorded(check_program *program, const char *function, const void *arguments,
                                size_t argument_bytes, void *result, size_t result_bytes)
{
    check_trace_begin(program);
    check_call(program, function, arguments, argument_bytes, result, result_bytes);
    return check_trace(program);
}

check_two_calls check_call_twice(check_program *program, const char *function, const void *arguments,
                                 size_t argument_bytes, void *result, size_t result_bytes)
{
    const lab_trace *first = check_recorded(program, function, arguments, argument_bytes, result, result_bytes),
                    *second = check_recorded(program, function, arguments, argument_bytes, result, result_bytes);
    check_first_call(first, second, function);
    return (check_two_calls){first, second};
}

/* Whether the record stands just before or just after a kernel on its stream. */
static bool is_by_kernel(const lab_trace *trace, const lab_trace_op *record)
{
    const lab_trace_op *before = check_beside(trace, record, -1), *after = check_beside(trace, record, 1);
    return (before && before->kind == LAB_OP_KERNEL) || (after && after->kind == LAB_OP_KERNEL);
}

/* A record by the student's file on that side of the kernel that is on another stream, where the kernel's own has none
 * but those of other kernels; NULL for none. */
static const lab_trace_op *strayed_record(const lab_trace *trace, const lab_trace_op *kernel, bool after)
{
    const lab_trace_op *stray = NULL;
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++) {
        if (op->kind != LAB_OP_EVENT_RECORD || (op > kernel) != after || !check_is_students(op)) continue;
        if (is_by_kernel(trace, op)) continue;
        if (op->stream == kernel->stream) return NULL;
        stray = op;
    }
    return stray;
}

/* Where an event belongs on this side of the kernel and none is recorded there until the next kernel, but two in a row
 * are on the other side: the one of them that is next to the kernel. Else NULL. */
static const lab_trace_op *displaced_record(const lab_trace *trace, const lab_trace_op *kernel, bool after)
{
    const int to = after ? 1 : -1;
    const lab_trace_op *near = check_beside(trace, kernel, -to), *far = near ? check_beside(trace, near, -to) : NULL;
    if (!far || near->kind != LAB_OP_EVENT_RECORD || far->kind != LAB_OP_EVENT_RECORD) return NULL;
    const lab_trace_op *op = check_beside(trace, kernel, to);
    while (op && op->kind != LAB_OP_EVENT_RECORD && op->kind != LAB_OP_KERNEL) op = check_beside(trace, op, to);
    return op && op->kind == LAB_OP_EVENT_RECORD ? NULL : near;
}

check_event_pair check_events_around(const lab_trace *trace, const lab_trace_op *kernel, const char *what,
                                     check_place before, check_place after)
{
    const lab_trace_op *record[2];
    for (int k = 0; k < 2; k++) {
        const char *side = k ? "after" : "before";
        const check_place near = k ? after : before;
        record[k] = check_beside(trace, kernel, k ? 1 : -1);
        if (record[k] && record[k]->kind == LAB_OP_EVENT_RECORD) continue;
        const lab_trace_op *next = record[k], *stray = strayed_record(trace, kernel, k),
                           *displaced = stray ? NULL : displaced_record(trace, kernel, k),
                           *blamed = stray ? stray : displaced;
        const bool is_programs = next && next->host_waits && !check_is_students(next);
        check_fail(
            CHECK_RULE, check_text("the event does not stand just %s %s", side, what),
            .at = blamed       ? check_at(blamed)
                  : near.known ? near
                               : check_at(next ? next : kernel),
            .expected = check_text("an event record just %s %s, on its stream", side, what),
            .found = displaced ? check_text("two event records %s it, and none %s", k ? "before" : "after", side)
                     : next && !is_programs ? lab_op_kind_name(next->kind)
                                            : "nothing",
            .cause = !blamed ? "the interval spans whatever lies between its two events: here more than the kernel, or "
                               "not the kernel"
                             : check_text(stray ? "the %s event is on another stream than the kernel; NULL means the "
                                                  "current one"
                                                : "the %s event is recorded here, on the wrong side of the work, which "
                                                  "so does not lie between the two",
                                          k ? "end" : "start"));
    }
    return (check_event_pair){record[0], record[1]};
}

void check_filled(check_program *program, const lab_trace *trace, const char *function, const char *const *names,
                  size_t offset, size_t count)
{
    enum { MOST = 8 };
    const size_t bytes = count * sizeof(float);
    float *expected = check_alloc(bytes);
    check_passage passage[MOST];
    check_way way = {.function = function, .passage = passage, .fills = true};
    for (size_t k = 0; names[k] && k < MOST; k++) {
        for (size_t i = 0; i < count; i++) expected[i] = (float)(k + 1);
        const lab_trace_op *block = check_pool_block(trace, (int)k),
                           *fill = check_find_last(trace, (check_sought){.kind = LAB_OP_FILL, .block = block}),
                           *kernel = check_find_last(trace, (check_sought){.kind = LAB_OP_KERNEL, .block = block});
        const check_finding why = {.message = check_text("%s does not fill %s with %zu", function, names[k], k + 1),
                                   .at = check_at(fill ? fill : kernel)};
        passage[k] = (check_passage){
            .what = names[k], .output = {check_floats(program, offset + k * bytes, expected, count, why), bytes}};
        way.passages++;
    }
    check_flow(program, trace, &way);
}
