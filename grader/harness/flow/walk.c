/* Each operation is looked at once in a walk, but copies and uploads once for each range of their memory. */
#include "walk.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1 << 26 };

static const lab_trace_op *op_of(const walk *now, uint32_t op) { return op ? &now->ways.trace->op[op - 1] : NULL; }

/* ---- Findings ---- */

void walk_refuse(walk *now, flow_verdict verdict, uint32_t op, const char *format, ...)
{
    va_list arguments;
    now->verdict = verdict;
    *now->finding = (flow_finding){.op = op_of(now, op)};
    va_start(arguments, format);
    vsnprintf(now->finding->message, sizeof now->finding->message, format, arguments);
    va_end(arguments);
}

static bool has_a_name_of_the_lab(const walk *now, const char *name)
{
    for (int i = 0; i < CHECK_KERNELS && now->way->kernel[i].declaration; i++)
        if (strcmp(name, now->ways.kernel[i].name) == 0) return true;
    return false;
}

static void say_the_names(walk *now)
{
    char names[128] = "";
    for (int i = 0; i < CHECK_KERNELS && now->way->kernel[i].declaration; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? " or " : "",
                 now->ways.kernel[i].name);
    if (*names) WALK_SAY(now, expected, "a kernel named %s", names);
}

static void refuse_unknown(walk *now, uint32_t op)
{
    const lab_trace_op *unknown = op_of(now, op);
    if (unknown->kind == LAB_OP_GRAPH_LAUNCH) {
        walk_refuse(now, FLOW_REFUSED, op, "%s launches %s, and nothing shows what it does", now->way->function,
                    unknown->name);
        WALK_SAY(now, cause,
                 "the graph may have written the output: it was not captured in this call, or has other nodes than "
                 "kernels and "
                 "fills");
        return;
    }
    if (has_a_name_of_the_lab(now, unknown->name)) {
        walk_refuse(now, FLOW_REFUSED, op,
                    "the kernel %s is not one of the lab's, or not called as the lab declares it", unknown->name);
        WALK_SAY(now, expected, "the lab's own kernels, with arguments that stay within their arrays");
    } else {
        walk_refuse(now, FLOW_REFUSED, op, "the kernel %s is not one of the lab's", unknown->name);
        say_the_names(now);
    }
    WALK_SAY(now, found, "%s(%s)", unknown->name, unknown->arguments);
    WALK_SAY(now, cause, "it may have written what %s gives", now->way->function);
}

static void refuse_host(walk *now, const visit *what, uint64_t unknown)
{
    const lab_trace_op *op = op_of(now, what->edge.writer);
    walk_refuse(now, FLOW_REFUSED, what->edge.writer, "%s uploads what the host made, not the input",
                now->way->function);
    WALK_SAY(now, expected, "the input, as it was given");
    WALK_SAY(now, found, "other bytes, from byte %" PRIu64 " of this copy on", unknown - op->access[1].address);
    WALK_SAY(now, cause, "%s",
             what->last ? "the host computed the output, and the device only handed it back"
                        : "the host changed the input, or computed something, before this copy to the device");
}

static void refuse_origin(walk *now, const visit *what, const char *origin, const char *cause)
{
    walk_refuse(now, FLOW_REFUSED, what->edge.writer ? what->edge.writer : what->reader,
                "the output of %s was %s, not by a kernel", now->way->function, origin);
    WALK_SAY(now, cause, "%s", cause);
}

/* ---- One operation ---- */

static bool is_ordered(walk *now, uint32_t op)
{
    if (!now->race[op]) return true;
    const lab_trace_finding *finding = &now->ways.trace->finding[now->race[op] - 1];
    walk_refuse(now, FLOW_UNORDERED, op, "%s", finding->text);
    WALK_SAY(now, expected, "an order: %s", finding->edge);
    return false;
}

static const check_argument *find_argument(const check_passage *passage, const char *name)
{
    for (int i = 0; i < CHECK_ARGUMENTS && passage->argument[i].name; i++)
        if (strcmp(passage->argument[i].name, name) == 0) return &passage->argument[i];
    return NULL;
}

/* Whether a kernel has the arguments that this output needs. */
static bool has_arguments(walk *now, uint32_t op, const check_passage *passage)
{
    const declaration *kernel = &now->ways.kernel[now->ways.node[op].kernel];
    launch_arguments found;
    launch_arguments_read(&found, kernel, op_of(now, op)->arguments);
    for (int i = 0; i < kernel->parameters; i++) {
        const declared_parameter *parameter = &kernel->parameter[i];
        const check_argument *expected = parameter->array ? NULL : find_argument(passage, parameter->name);
        if (!parameter->array && !parameter->counts && !expected) {
            walk_refuse(now, FLOW_WRONG_CHECK, op, "check_flow: a passage does not say what %s of %s must be",
                        parameter->name, kernel->name);
            return false;
        }
        if (!expected || expected->value == found.value[i]) continue;
        walk_refuse(now, FLOW_REFUSED, op, "%s ran with another %s than it was given", kernel->name, parameter->name);
        WALK_SAY(now, expected, "%s = %.9g", parameter->name, expected->value);
        WALK_SAY(now, found, "%s = %.9g", parameter->name, found.value[i]);
        return false;
    }
    return true;
}

/* Whether a kernel may be what an output comes from. */
static bool suits(walk *now, uint32_t op, const check_passage *passage)
{
    const way_node *node = &now->ways.node[op];
    if (node->uses_host) {
        walk_refuse(now, FLOW_REFUSED, op, "the kernel %s uses host memory by itself", op_of(now, op)->name);
        WALK_SAY(now, cause, "copy to the device before the kernel, and back after it");
        return false;
    }
    return node->kernel < 0 || !now->way->kernel[node->kernel].file || has_arguments(now, op, passage);
}

/* ---- The stack ---- */

void walk_add(walk *now, visits *list, visit added)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 64;
        visit *larger = reallocarray(list->visit, capacity, sizeof *larger);
        if (!larger) {
            now->verdict = FLOW_NO_MEMORY;
            return;
        }
        list->visit = larger;
        list->capacity = capacity;
    }
    list->visit[list->count++] = added;
}

void walk_push(walk *now, uint32_t op, uint64_t first, uint64_t end, bool last)
{
    const way_node *node = &now->ways.node[op];
    for (size_t i = 0; i < node->edges; i++) {
        way_edge edge = now->ways.edge[node->edge + i];
        if (edge.first < first) edge.first = first;
        if (edge.end > end) edge.end = end;
        if (edge.first < edge.end) walk_add(now, &now->stack, (visit){edge, op, last});
    }
}

/* Pushes what a copy within device memory read for this part of its destination. */
static void push_copied(walk *now, const visit *what)
{
    const lab_trace_op *op = op_of(now, what->edge.writer);
    const uint64_t from = op->access[0].address, to = op->access[1].address;
    walk_push(now, what->edge.writer, what->edge.first - to + from, what->edge.end - to + from, what->last);
}

/* Uploaded bytes of which something is known, as far as they lie in the range of an edge. */
typedef struct known_part {
    const known_bytes *known;
    uint64_t first, end;
} known_part;

/* Takes the part at *next, and steps on. Begin with uploads_find. False at the end of the edge. */
static bool next_known(known_part *out, size_t *next, const uploads *all, const way_edge *edge)
{
    while (*next < all->knowns && all->known[*next].op == edge->writer && all->known[*next].first < edge->end) {
        const known_bytes *known = &all->known[(*next)++];
        *out = (known_part){known, known->first > edge->first ? known->first : edge->first,
                            known->end < edge->end ? known->end : edge->end};
        if (out->first < out->end) return true;
    }
    return false;
}

/* Pushes what the device had delivered of uploaded bytes. */
static void push_delivered(walk *now, const way_edge *edge, bool last)
{
    size_t next = uploads_find(&now->uploads, edge->writer, edge->first);
    for (known_part part; next_known(&part, &next, &now->uploads, edge);) {
        const known_bytes *known = part.known;
        if (known->delivery)
            walk_push(now, known->delivery, known->delivered + (part.first - known->first),
                      known->delivered + (part.end - known->first), last);
    }
}

/* Takes the top of the stack. False at its end, or if the walk cannot go on. */
static bool pop(walk *now, visit *out)
{
    if (now->verdict != FLOW_PROVEN || !now->stack.count) return false;
    *out = now->stack.visit[--now->stack.count];
    if (++now->steps <= MOST_STEPS) return true;
    walk_refuse(now, FLOW_FLOOD, out->reader, "%s uses its memory in too many pieces to be followed",
                now->way->function);
    return false;
}

/* Whether the operation is met for the first time in this walk. */
static bool is_new(walk *now, uint32_t op)
{
    const bool found = now->seen[op] != now->number;
    now->seen[op] = now->number;
    return found;
}

/* ---- Whether it is in order ---- */

static uint64_t first_not(walk *now, const way_edge *edge, unsigned kinds)
{
    return uploads_first_not(&now->uploads, edge->writer, edge->first, edge->end, kinds);
}

/* What a kernel reads is the input, or zeros, or came from the device before. An output that was uploaded was no
 * kernel's, unless it came from the device before, or is meant to be a copy of the input. */
static void visit_upload(walk *now, const visit *what)
{
    const way_edge *edge = &what->edge;
    const unsigned wanted = !what->last           ? UPLOADED_INPUT | UPLOADED_DELIVERED | UPLOADED_ZERO
                            : now->way->no_kernel ? UPLOADED_INPUT | UPLOADED_DELIVERED
                                                  : UPLOADED_DELIVERED;
    uint64_t other = first_not(now, edge, wanted);
    if (other < edge->end && !now->knows_delivered) {
        now->knows_delivered = true;
        if (!uploads_add_delivered(&now->uploads, &now->deliveries)) now->verdict = FLOW_NO_MEMORY;
        other = first_not(now, edge, wanted);
    }
    if (other == edge->end) {
        push_delivered(now, edge, what->last);
    } else if (what->last && first_not(now, edge, UPLOADED_INPUT | UPLOADED_DELIVERED) == edge->end) {
        walk_refuse(now, FLOW_REFUSED, edge->writer, "the output of %s is the input, copied to the device and back",
                    now->way->function);
        WALK_SAY(now, expected, "a kernel that writes it between the two copies");
        WALK_SAY(now, found, "none");
    } else {
        refuse_host(now, what, other);
    }
}

/* Looks at who wrote the output's own bytes. False if it was no kernel. */
static bool visit_last(walk *now, const visit *what)
{
    const way_kind kind = now->ways.node[what->edge.writer].kind;
    if (!what->edge.writer)
        refuse_origin(now, what, "written by nothing", "this copy brings back memory that no operation wrote");
    else if (kind == WAY_FILL && !now->way->fills)
        refuse_origin(now, what, "written by a memset or a fill", "it writes one value, and computes nothing");
    else if (kind == WAY_KERNEL && now->way->no_kernel)
        walk_refuse(now, FLOW_REFUSED, what->edge.writer, "%s runs a kernel on what it should only copy",
                    now->way->function);
    return now->verdict == FLOW_PROVEN;
}

/* Looks at one range, and pushes what its writer read. */
static void visit_range(walk *now, const visit *what, const check_passage *passage)
{
    const uint32_t writer = what->edge.writer, unknown = memory_ways_unknown(&now->ways, writer, what->reader);
    const way_kind kind = now->ways.node[writer].kind;
    if (unknown || (writer && kind == WAY_NOTHING)) {
        refuse_unknown(now, unknown ? unknown : writer);
        return;
    }
    if (what->last && !visit_last(now, what)) return;
    if (!writer || !is_ordered(now, writer) || !is_ordered(now, what->reader)) return;
    if (kind == WAY_UPLOAD) visit_upload(now, what);
    if (kind == WAY_COPY) push_copied(now, what);
    if (kind == WAY_KERNEL && is_new(now, writer) && suits(now, writer, passage))
        walk_push(now, writer, 0, UINT64_MAX, false);
}

bool walk_back(walk *now, const check_passage *passage)
{
    for (visit next; pop(now, &next);) visit_range(now, &next, passage);
    return now->verdict == FLOW_PROVEN;
}

/* ---- What was read ---- */

static void add_input(walk *now, spans *out, const way_edge *edge, size_t input)
{
    size_t next = uploads_find(&now->uploads, edge->writer, edge->first);
    for (known_part part; next_known(&part, &next, &now->uploads, edge);) {
        const known_bytes *known = part.known;
        if (known->delivery || known->input != input) continue;
        if (!spans_add(out, known->offset + (part.first - known->first), known->offset + (part.end - known->first)))
            now->verdict = FLOW_NO_MEMORY;
    }
}

/* Memory that a kernel perhaps did not overwrite was not read by it. */
void walk_collect(walk *now, spans *out, size_t input)
{
    now->number++;
    for (visit next; pop(now, &next);) {
        const uint32_t writer = next.edge.writer;
        const way_kind kind = now->ways.node[writer].kind;
        if (next.edge.under) continue;
        if (kind == WAY_UPLOAD) {
            add_input(now, out, &next.edge, input);
            push_delivered(now, &next.edge, false);
        }
        if (kind == WAY_COPY) push_copied(now, &next);
        if (kind == WAY_KERNEL && is_new(now, writer)) walk_push(now, writer, 0, UINT64_MAX, false);
    }
}

/* ---- Beginning and end ---- */

static bool note_races(walk *now)
{
    const lab_trace *trace = now->ways.trace;
    now->race = calloc(trace->ops + 1, sizeof *now->race);
    now->seen = calloc(trace->ops + 1, sizeof *now->seen);
    if (!now->race || !now->seen) return false;
    for (size_t i = 0; i < trace->findings && !now->evidence->in_order; i++) {
        const lab_trace_finding *finding = &trace->finding[i];
        if (!finding->first || !finding->second) continue;
        now->race[finding->first] = now->race[finding->second] = (uint32_t)i + 1;
    }
    return true;
}

static bool read_uploads(walk *now)
{
    const size_t inputs = now->way->passages * CHECK_INPUTS;
    content_text *text = calloc(inputs + 1, sizeof *text);
    for (size_t i = 0; text && i < inputs; i++) {
        const check_bytes *input = &now->way->passage[i / CHECK_INPUTS].input[i % CHECK_INPUTS];
        text[i] = (content_text){input->bytes, input->size};
    }
    const bool read = text && uploads_read(&now->uploads, now->evidence->kept, now->evidence->trace, text, inputs);
    free(text);
    return read;
}

void walk_begin(walk *out, flow_finding *finding, const flow_evidence *evidence, const check_way *way)
{
    *out = (walk){.evidence = evidence, .way = way, .finding = finding};
    *finding = (flow_finding){.op = NULL};
    out->verdict = memory_ways_find(&out->ways, finding, evidence, way);
    if (out->verdict != FLOW_PROVEN) return;
    if (!note_races(out) || !read_uploads(out) ||
        !kept_runs_make(&out->deliveries, evidence->kept, EVIDENCE_DELIVERY, evidence->trace))
        out->verdict = FLOW_NO_MEMORY;
}

void walk_end(walk *ended)
{
    memory_ways_free(&ended->ways);
    uploads_free(&ended->uploads);
    kept_runs_free(&ended->deliveries);
    free(ended->stack.visit);
    free(ended->seen);
    free(ended->race);
}
