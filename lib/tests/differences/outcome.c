/* Streams are kept from program to program; each program has its own events, memory and pool. */
#include "outcome.h"
#include "lab_trace.h"
#include "programs/computed_program.h"
#include "programs/run_program.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_OPERATIONS = 4096 };

static void make_program(random_program *out, seed_entry entry)
{
    uint64_t random = entry.seed;
    random_program_make(out, entry.seed, 16 + (int)program_draw(&random, 80), PROGRAM_ALL_WORK);
    if (entry.steps > 0 && entry.steps < out->steps) out->steps = entry.steps;
}

static uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * 1099511628211u + (hash >> 29); }

static uint64_t mix_bytes(uint64_t hash, const unsigned char *byte, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) hash = mix(hash, byte[i]);
    return hash;
}

/* ---- the stage ---- */

static bool failed(const char *call)
{
    fprintf(stderr, "%s: %s\n", call, lab_error_message());
    return false;
}
#define NEED(call)                                                                                                     \
    do {                                                                                                               \
        if ((call) != LAB_SUCCESS) return failed(#call);                                                               \
    } while (0)

static bool open_stage(program_stage *stage)
{
    lab_module *module;
    NEED(lab_module_load_source(&module, PROGRAM_KERNEL, "mix.cu"));
    NEED(lab_module_get_function(&stage->kernel, module, "mix"));
    stage->stream[0] = lab_stream_null();
    for (int i = 1; i < PROGRAM_STREAMS; i++)
        NEED(lab_stream_create(&stage->stream[i],
                               program_is_blocking(i) ? LAB_STREAM_DEFAULT : LAB_STREAM_NON_BLOCKING));
    for (int i = 0; i < PROGRAM_BUFFERS; i++)
        NEED(lab_array_empty(&stage->buffer[i], LAB_UINT8, LAB_SHAPE(PROGRAM_BUFFER_BYTES)));
    for (int i = 0; i < PROGRAM_HOSTS; i++) NEED(lab_host_alloc((void **)&stage->host[i], PROGRAM_BUFFER_BYTES));
    for (int target = 0; target < PROGRAM_HOSTS; target++)
        for (int source = 0; source < PROGRAM_HOSTS; source++)
            stage->call[target][source] = (program_host_call){stage->host[target], stage->host[source]};
    return true;
}

/* Fills every place with bytes that depend only on the seed. */
static bool set_stage(program_stage *stage, program_memory *computed, uint64_t seed)
{
    for (int place = 0; place < PROGRAM_PLACES; place++) {
        unsigned char *target = place < PROGRAM_BUFFERS ? stage->pageable : stage->host[place - PROGRAM_BUFFERS];
        for (int i = 0; i < PROGRAM_BUFFER_BYTES; i++) target[i] = (unsigned char)(seed + (uint64_t)(i * (place + 7)));
        memcpy(computed->place[place], target, PROGRAM_BUFFER_BYTES);
        if (place < PROGRAM_BUFFERS) NEED(lab_array_set(stage->buffer[place], target));
    }
    for (int i = 0; i < PROGRAM_EVENTS; i++) NEED(lab_event_create(&stage->event[i], LAB_EVENT_DISABLE_TIMING));
    NEED(lab_event_create(&stage->fork, LAB_EVENT_DISABLE_TIMING));
    NEED(lab_event_create(&stage->join, LAB_EVENT_DISABLE_TIMING));
    NEED(lab_mempool_create(&stage->pool, NULL));
    NEED(lab_device_synchronize());
    return true;
}

static bool clear_stage(const program_stage *stage)
{
    for (int i = 0; i < PROGRAM_EVENTS; i++) NEED(lab_event_destroy(stage->event[i]));
    NEED(lab_event_destroy(stage->fork));
    NEED(lab_event_destroy(stage->join));
    NEED(lab_mempool_destroy(stage->pool));
    return true;
}

/* ---- the outcome ---- */

/* Notes the bytes of a place, and whether they are the expected ones. */
static void note_memory(outcome *noted, const unsigned char *held, const unsigned char *computed, size_t bytes,
                        FILE *details)
{
    const uint64_t hash = mix_bytes(1, held, bytes);
    noted->bytes = mix(noted->bytes, hash);
    if (details) fprintf(details, " %016" PRIx64, hash);
    if (memcmp(held, computed, bytes) == 0) return;
    noted->wrong++;
    for (size_t i = 0; details; i++) {
        if (held[i] == computed[i]) continue;
        fprintf(details, ", wrong from byte %zu on: %d is computed, %d is there", i, computed[i], held[i]);
        break;
    }
}

static void note_calls(outcome *noted, const random_program *program, program_stage *stage, program_memory *computed,
                       FILE *details)
{
    for (int i = 0; i < program->steps; i++) {
        const program_step *step = &program->step[i];
        const int given = program_run_step(step, stage);
        noted->calls = mix(noted->calls, (uint64_t)given);
        noted->failures += given != 0 && step->kind != STEP_MISTAKE;
        if (details) fprintf(details, "step %d gives %d", i, given);
        if (given != 0 && details && step->kind != STEP_MISTAKE) fprintf(details, " (%s)", lab_error_message());
        program_compute(computed, step);
        if (step->kind == STEP_READ) {
            if (details) fputs(", bytes", details);
            note_memory(noted, stage->pageable + step->offset, computed->place[step->source] + step->offset,
                        step->bytes, details);
        }
        if (details) fputc('\n', details);
    }
}

static bool note_bytes(outcome *noted, program_stage *stage, const program_memory *computed, FILE *details)
{
    for (int place = 0; place < PROGRAM_PLACES; place++) {
        const unsigned char *contents =
            place < PROGRAM_BUFFERS ? stage->pageable : stage->host[place - PROGRAM_BUFFERS];
        if (place < PROGRAM_BUFFERS) NEED(lab_array_get(stage->buffer[place], stage->pageable));
        if (details) fprintf(details, "buffer %d holds", place);
        note_memory(noted, contents, computed->place[place], PROGRAM_BUFFER_BYTES, details);
        if (details) fputc('\n', details);
    }
    return true;
}

/* The stage's stream of an operation, as its index. */
static int stream_of(const lab_trace_op *op, const program_stage *stage)
{
    for (int i = 0; i < PROGRAM_STREAMS; i++) {
        uint64_t id;
        if (lab_stream_get_id(&id, stage->stream[i]) == LAB_SUCCESS && id == op->stream) return i;
    }
    return -1;
}

/* The steps of a program that have operations, in the order of the calls. */
typedef struct operations {
    int count;
    int step[MOST_OPERATIONS];
} operations;

static void list_operations(operations *out, const random_program *program)
{
    out->count = 0;
    for (int i = 0; i < program->steps; i++) {
        program_graph graph;
        const program_step *step = &program->step[i];
        int times = step->kind < STEP_RECORD ? 1 : 0;
        if (step->kind == STEP_POOL) times = 2;
        if (step->kind == STEP_GRAPH) {
            program_make_graph(&graph, step->nodes);
            times = graph.launches;
        }
        while (times--) out->step[out->count++] = i;
    }
}

/* The order that the program itself requires. */
static const program_order *order_of(const random_program *program)
{
    static program_order order;
    program_state state;
    program_state_begin(&state);
    for (int i = 0; i < program->steps; i++) program_advance(&order, &state, &program->step[i], i);
    return &order;
}

/* Notes one operation: its kind, and the earlier ones that are always done before it begins. */
static void note_operation(outcome *noted, const lab_trace_op *const *work, int number, lab_relations *relations,
                           const operations *steps, const program_order *order, FILE *details)
{
    const int step = steps->step[number];
    if (details) fprintf(details, ", of step %d, is after", step);
    for (int i = 0; i < number; i++) {
        const bool before = lab_relations_before(relations, work[i]->id, work[number]->id);
        const bool expected = steps->step[i] == step || program_is_before(order, steps->step[i], step);
        noted->order = mix(noted->order, before);
        noted->misordered += before != expected;
        if (before && details) fprintf(details, " %d%s", i, expected ? "" : " (wrongly)");
        if (!before && expected && details) fprintf(details, " (not %d, wrongly)", i);
    }
}

static void note_order(outcome *noted, const lab_trace *trace, lab_relations *relations, const program_stage *stage,
                       const random_program *program, FILE *details)
{
    static const lab_trace_op *work[MOST_OPERATIONS];
    static operations steps;
    const program_order *order = order_of(program);
    int count = 0;
    list_operations(&steps, program);
    for (size_t i = 0; i < trace->ops && count < MOST_OPERATIONS; i++)
        if (*lab_op_kind_engine(trace->op[i].kind)) work[count++] = &trace->op[i];
    if (details) fprintf(details, "%d operations, of %d\n", count, steps.count);
    noted->order = mix(noted->order, (uint64_t)count);
    if (count != steps.count) noted->misordered++;
    for (int i = 0; i < count && i < steps.count; i++) {
        const int stream = stream_of(work[i], stage);
        noted->order = mix(noted->order, (uint64_t)(work[i]->kind * 16 + stream));
        if (details) fprintf(details, "operation %d, %s on stream %d", i, lab_op_kind_name(work[i]->kind), stream);
        note_operation(noted, work, i, relations, &steps, order, details);
        if (details) fputc('\n', details);
    }
}

static bool note_record(outcome *noted, const program_stage *stage, const random_program *program, FILE *details)
{
    lab_trace *trace;
    lab_relations *relations;
    NEED(lab_trace_end(&trace));
    noted->findings = (int)lab_order_get_counts().findings;
    lab_order_finding finding;
    for (size_t i = 0; details && lab_order_get_finding(&finding, i) == LAB_SUCCESS; i++)
        fprintf(details, "the order checker finds: %s\n", finding.text);
    NEED(lab_order_start(LAB_ORDER_OFF));
    NEED(lab_relations_create(&relations, trace));
    note_order(noted, trace, relations, stage, program, details);
    lab_relations_free(relations);
    lab_trace_free(trace);
    return true;
}

bool outcome_of(outcome *made, seed_entry entry, FILE *details)
{
    static program_stage stage;
    static random_program program;
    static program_memory computed;
    const uint64_t seed = entry.seed;
    static bool open;
    if (!open && !open_stage(&stage)) return false;
    open = true;
    *made = (outcome){.calls = seed + 1, .bytes = seed + 1, .order = seed + 1};
    make_program(&program, entry);
    if (!set_stage(&stage, &computed, seed)) return false;
    NEED(lab_order_start(LAB_ORDER_COLLECT));
    NEED(lab_trace_begin());
    note_calls(made, &program, &stage, &computed, details);
    NEED(lab_device_synchronize());
    return note_record(made, &stage, &program, details) && note_bytes(made, &stage, &computed, details) &&
           clear_stage(&stage);
}

/* ---- the program in words ---- */

static void list_work(FILE *out, const program_step *step)
{
    static const char *const word[] = {
        "kernel", "fill", "copy", "upload", "download", "host function", "2 kernels through a block of the pool",
        "set",    "read"};
    fputs(word[step->kind], out);
    if (step->kind != STEP_READ) fprintf(out, ", to buffer %d", step->target);
    if (step->reads) fprintf(out, ", from buffer %d", step->source);
    if (program_is_partial(step)) fprintf(out, ", bytes %u to %u", step->offset, step->offset + step->bytes - 1);
    fputc('\n', out);
}

static void list_graph(FILE *out, const program_step *step)
{
    program_graph graph;
    program_make_graph(&graph, step->nodes);
    const int part[] = {graph.head, graph.main, graph.branch, graph.tail};
    const int other_stream[] = {graph.stream, graph.stream, graph.other, graph.stream};
    static const char *const how[] = {"", ", meanwhile", ", meanwhile", ""};
    const program_step *node = graph.node;
    fprintf(out, "graph, launched %d time%s, captured (mode %d):\n", graph.launches, graph.launches == 1 ? "" : "s",
            graph.mode);
    for (int p = 0; p < 4; p++)
        for (int i = 0; i < part[p]; i++) {
            fprintf(out, "                  stream %d%s: ", other_stream[p], how[p]);
            list_work(out, node++);
        }
}

static void list_step(FILE *out, const program_step *step)
{
    switch (step->kind) {
    case STEP_RECORD: fprintf(out, "record event %d\n", step->event); break;
    case STEP_WAIT: fprintf(out, "wait for event %d\n", step->event); break;
    case STEP_SYNC_STREAM: fputs("the host waits for it, and asks\n", out); break;
    case STEP_SYNC_EVENT: fprintf(out, "the host waits for event %d, and asks\n", step->event); break;
    case STEP_MISTAKE: fprintf(out, "mistake: %s\n", program_mistake_words[step->event]); break;
    case STEP_NOTHING: fputs("nothing\n", out); break;
    case STEP_GRAPH: list_graph(out, step); break;
    default: list_work(out, step);
    }
}

void outcome_list(FILE *out, seed_entry entry)
{
    static random_program program;
    make_program(&program, entry);
    fputs("  Streams: 0 is the null stream, 1 and 2 are blocking, 3 and 4 are not. Buffers: ", out);
    fprintf(out, "0 to %d are the device's, the others pinned.\n", PROGRAM_BUFFERS - 1);
    for (int i = 0; i < program.steps; i++) {
        fprintf(out, "  step %3d  stream %d: ", i, program.step[i].stream);
        list_step(out, &program.step[i]);
    }
}
