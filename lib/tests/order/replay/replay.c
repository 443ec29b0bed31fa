/*
 * Makes the calls that note_calls.c noted, in WebAssembly, and answers what the checker then finds. It stands in for
 * the checker's threads: what a thread has of its own is put aside while another one calls.
 */
#include "findings.h"

#include "order/order_state.h"
#include "playground/web/entry.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

/* A thread of the program. */
typedef struct actor {
    void *key_value, *mine;
    unsigned starter, call;
    uint64_t era;
    int slack;
} actor;
static actor actors[REPLAY_THREADS], *current;

static int slack_of_thread(int option, unsigned long slack)
{
    if (option == PR_SET_TIMERSLACK) current->slack = (int)slack;
    return current->slack;
}

/* The checker's own text, with the thread's slack and key of the thread that calls. */
#define prctl(option, ...) slack_of_thread(option, __VA_ARGS__ + 0)
#define pthread_setspecific(key, value) (current->key_value = (value))
#include "order/order_thread.c"
#undef prctl
#undef pthread_setspecific

static void switch_to(actor *next)
{
    if (current) {
        current->mine = mine;
        current->starter = my_starter;
        current->call = my_call;
        current->era = my_era;
    }
    current = next;
    mine = next->mine;
    my_starter = next->starter;
    my_call = next->call;
    my_era = next->era;
}

/* ---- arguments ---- */

static char *rest; /* of the line */
static void *handle[REPLAY_HANDLES + 1];

static uint64_t number(void) { return rest ? strtoull(rest, &rest, 10) : 0; }

/* The checker keeps texts by their addresses. */
static const char *text(void)
{
    strsep(&rest, "\"");
    return strsep(&rest, "\"");
}

static void **given(void) { return &handle[number()]; }

static const void *named(void) { return (const void *)(uintptr_t)number(); }

static stream_identity *stream(void)
{
    static stream_identity read;
    if (!number()) return NULL;
    read.id = number();
    read.context = number();
    read.device = (int)number();
    read.priority = (int)number();
    read.null = number();
    read.blocking = number();
    read.made.line = (int)number();
    read.made.file = text();
    return &read;
}

static lab_trace_op *operation(void)
{
    static lab_trace_op op;
    static lab_trace_access access[REPLAY_ACCESSES];
    op = (lab_trace_op){.id = number()};
    op.kind = (lab_op_kind)number();
    op.device = (int)number();
    op.stream = number();
    op.object = number();
    op.thread = number();
    op.bytes = number();
    op.host_memory = (lab_host_memory)number();
    op.host_waits = number();
    op.line = (int)number();
    op.accesses = (int)number();
    op.access = access;
    for (int i = 0; i < op.accesses; i++) {
        access[i] = (lab_trace_access){.address = number()};
        access[i].bytes = number();
        const uint64_t how = number();
        access[i].host = how & 4;
        access[i].reads = how & 2;
        access[i].writes = how & 1;
    }
    op.name = text();
    op.file = text();
    return &op;
}

/* ---- calls: arguments are read in the order in which they were noted ---- */

static void call_check(void)
{
    const lab_trace_op *op = operation();
    const int declared = (int)number();
    const stream_identity *identity = stream();
    const bool captured = number();
    order_check(op, declared, identity, captured, *given());
}

static void call_begin(void)
{
    const lab_trace_op *op = operation();
    order_begin(op, stream());
}

static void call_judge(void)
{
    const lab_trace_op *op = operation();
    order_judge(op, (int)number());
}

static void call_covered_by_last(void)
{
    const bool source_alone = number();
    *given() = order_covered_by_last(source_alone);
}

static void call_memory_is_variable(void)
{
    const uint64_t address = number(), bytes = number();
    const bool host = number();
    order_memory_is_variable(address, bytes, host, text());
}

static void call_memory_made(void)
{
    const lab_trace_op *op = operation();
    order_memory_made(op, stream());
}

static void call_memory_given_back(void)
{
    const lab_trace_op *op = operation();
    const stream_identity *identity = stream();
    order_memory_given_back(op, identity, *given());
}

static void call_memory_told(void)
{
    const bool host = number();
    const uint64_t address = number();
    order_memory_told(host, address, stream());
}

static void call_event_recorded(void)
{
    const void *event = named();
    const stream_identity *identity = stream();
    order_event_recorded(event, identity, number());
}

static void call_event_waited(void)
{
    const void *event = named();
    const stream_identity *identity = stream();
    order_event_waited(event, identity, number());
}

static void call_cover_stream(void)
{
    const stream_identity *identity = stream();
    *given() = order_cover_stream(identity);
}

static void call_cover_event(void)
{
    const void *event = named();
    *given() = order_cover_event(event);
}

static void call_cover_context(void)
{
    const uint64_t context = number();
    *given() = order_cover_context(context);
}

static void call_wait_ended(void)
{
    order_clock *covered = *given();
    order_wait_ended(covered, number());
}

static void call_capture_ended(void)
{
    static lab_graph_edge edge[REPLAY_EDGES];
    const stream_identity *identity = stream();
    const int nodes = (int)number(), edges = (int)number();
    for (int i = 0; i < edges; i++) {
        edge[i].from = (int)number();
        edge[i].to = (int)number();
    }
    *given() = order_capture_ended(identity, nodes, edge, edges);
}

static void call_exec_create(void)
{
    const order_graph *graph = *given();
    const uint64_t graph_number = number();
    *given() = order_exec_create(graph, graph_number);
}

static void call_exec_update(void)
{
    order_exec *exec = *given();
    const int node = (int)number();
    order_exec_update(exec, node, operation());
}

static void call_start(void) { lab_order_start((lab_order_mode)number()); }
static void call_meet_thread(void) { order_meet_thread(number()); }
static void call_commit(void) { order_commit(number()); }
static void call_memory_is_of_graph(void) { order_memory_is_of_graph(number()); }
static void call_host_access(void) { order_host_access(operation()); }
static void call_event_ended(void) { order_event_ended(named()); }
static void call_stream_ended(void) { order_stream_ended(stream()); }
static void call_context_ended(void) { order_context_ended(number()); }
static void call_release(void) { order_release(named()); }
static void call_acquire(void) { order_acquire(named()); }
static void call_capture_began(void) { order_capture_began(stream()); }
static void call_graph_destroy(void) { order_graph_destroy(*given()); }
static void call_exec_destroy(void) { order_exec_destroy(*given()); }
static void call_host_call_create(void) { *given() = order_host_call_create(); }
static void call_calls(void) { order_calls(*given()); }
static void call_host_call_begin(void) { order_host_call_begin(*given()); }
static void call_host_call_release(void) { order_host_call_release(*given()); }
static void call_host_call_release_key(void) { order_host_call_release_key(named()); }

static void call_thread(void) { current->slack = (int)number(); }

static void call_end(void)
{
    if (current->key_value) end_thread(current->key_value);
}

/* clang-format off */
#define CALL(name) {"order_" #name, call_##name}
static const struct {
    const char *name;
    void (*call)(void);
} calls[] = {
    {"order_enter", order_enter}, {"order_leave", order_leave}, {"order_ends_memory", order_ends_memory},
    {"order_host_call_end", order_host_call_end}, {"thread", call_thread}, {"end", call_end},
    {"lab_order_start", call_start}, CALL(meet_thread), CALL(check), CALL(begin), CALL(judge), CALL(commit),
    CALL(covered_by_last), CALL(memory_is_variable), CALL(memory_is_of_graph), CALL(memory_made),
    CALL(memory_given_back), CALL(memory_told), CALL(host_access), CALL(event_recorded), CALL(event_waited),
    CALL(cover_stream), CALL(cover_event), CALL(cover_context), CALL(wait_ended), CALL(event_ended),
    CALL(stream_ended), CALL(context_ended), CALL(release), CALL(acquire), CALL(capture_began),
    CALL(capture_ended), CALL(graph_destroy), CALL(exec_create), CALL(exec_update), CALL(exec_destroy),
    CALL(host_call_create), CALL(calls), CALL(host_call_begin), CALL(host_call_release),
    CALL(host_call_release_key),
};
/* clang-format on */

/* Makes the call; false if there is none of that name. */
static bool make_call(const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strcmp(calls[i].name, name) != 0) continue;
        calls[i].call();
        return true;
    }
    return false;
}

/* The findings of each program whose calls the lines are. The caller frees the text. */
char *play_replay(char *lines);
char *play_replay(char *lines)
{
    char *answer = NULL;
    size_t size;
    FILE *out = open_memstream(&answer, &size);
    while ((rest = strsep(&lines, "\n")) && *rest) {
        switch_to(&actors[number()]);
        strsep(&rest, " ");
        const char *name = strsep(&rest, " ");
        if (strcmp(name, "program") == 0) {
            fprintf(out, "%s\n", rest);
            write_findings(out);
        } else if (!make_call(name)) {
            fprintf(out, "there is no call %s\n", name);
        }
    }
    fclose(out);
    return answer;
}

char *play_text(size_t bytes) { return calloc(bytes + 1, 1); }

void play_free(void *text) { free(text); }
