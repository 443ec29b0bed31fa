/* Notes the calls to the order checker while the catalogue runs. The linker leads each call of a function below to the
 * one whose name begins with __wrap_. */
#include "../catalogue.h"
#include "findings.h"

#include "order/order.h"

#include <stdarg.h>
#include <sys/prctl.h>

enum { MOST_OBJECTS = 10000, MOST_LINE = 1 << 16 };

/* What a call returned, and may be passed to others. Its number is the one behind it in the text. */
static const void *handle[REPLAY_HANDLES + 1];
static int handles;
static const void *object[MOST_OBJECTS];
static int objects;
static FILE *calls;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int threads;

static _Thread_local int me, depth; /* the checker's functions call each other: only the outermost call is noted */
static _Thread_local char line[MOST_LINE];
static _Thread_local size_t length;

/* ---- lines ---- */

__attribute__((format(printf, 1, 2))) static void write_line(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&lock);
    if (calls) vfprintf(calls, format, arguments);
    pthread_mutex_unlock(&lock);
    va_end(arguments);
}

/* The thread ends before a join returns, as the checker sees it. */
static void end_thread(void *number) { write_line("%d end\n", (int)(intptr_t)number); }

static void make_key(void) { pthread_key_create(&key, end_thread); }

static void meet_thread(void)
{
    if (me) return;
    pthread_once(&once, make_key);
    pthread_mutex_lock(&lock);
    me = ++threads;
    pthread_mutex_unlock(&lock);
    cr_assert(me < REPLAY_THREADS);
    pthread_setspecific(key, (void *)(intptr_t)me);
    write_line("%d thread %d\n", me, prctl(PR_GET_TIMERSLACK));
}

/* Begins the line of a call. Without a line, the functions below do nothing. */
static void begins(const char *call)
{
    if (depth++ || !calls) return;
    meet_thread();
    length = (size_t)snprintf(line, sizeof line, "%d %s", me, call);
}

/* A call that takes the checker's lock is written while the lock is held, so the order of lines is that of effects. */
static void write_call(void)
{
    if (length) write_line("%s\n", line);
    length = 0;
}

static void ends(void)
{
    if (--depth == 0) write_call();
}

/* ---- arguments ---- */

static void number(uint64_t value)
{
    if (length) length += (size_t)snprintf(line + length, sizeof line - length, " %llu", (unsigned long long)value);
}

static void text(const char *value)
{
    if (length) length += (size_t)snprintf(line + length, sizeof line - length, " \"%s\"", value ? value : "");
}

static void stream(const stream_identity *identity)
{
    number(identity != NULL);
    if (!identity) return;
    const uint64_t value[] = {
        identity->id,   identity->context,  (uint64_t)identity->device,   (uint64_t)identity->priority,
        identity->null, identity->blocking, (uint64_t)identity->made.line};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) number(value[i]);
    text(identity->made.file);
}

static void operation(const lab_trace_op *op)
{
    cr_assert(op->accesses <= REPLAY_ACCESSES);
    const uint64_t value[] = {op->id,
                              op->kind,
                              (uint64_t)op->device,
                              op->stream,
                              op->object,
                              op->thread,
                              op->bytes,
                              op->host_memory,
                              op->host_waits,
                              (uint64_t)op->line,
                              (uint64_t)op->accesses};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) number(value[i]);
    for (int i = 0; i < op->accesses; i++) {
        const lab_trace_access *access = &op->access[i];
        number(access->address);
        number(access->bytes);
        number(access->host * 4u + access->reads * 2u + access->writes);
    }
    text(op->name);
    text(op->file);
}

/* An object of the program, by a number: addresses have fewer bits in WebAssembly. */
static void named(const void *address)
{
    int found = 0;
    if (!length) return;
    pthread_mutex_lock(&lock);
    while (found < objects && object[found] != address) found++;
    if (found == objects) object[objects++] = address;
    pthread_mutex_unlock(&lock);
    cr_assert(objects < MOST_OBJECTS);
    number((uint64_t)found + 1);
}

static void nothing(void) {}
static void count(int value) { number((uint64_t)value); }

static void all_edges(const lab_graph_edge *edge, int edges)
{
    cr_assert(edges <= REPLAY_EDGES);
    count(edges);
    for (int i = 0; i < edges; i++) count(edge[i].from), count(edge[i].to);
}

/* The latest handle of the address, or a number for one to come; 0 for NULL. */
static int find_handle(const void *address)
{
    int found = 0;
    pthread_mutex_lock(&lock);
    for (int i = handles; address && i > 0 && !found; i--)
        if (handle[i] == address) found = i;
    pthread_mutex_unlock(&lock);
    return found;
}

static void given(const void *address) { number((uint64_t)find_handle(address)); }

/* Hands a clock over: the address may come back, as the same clock. */
static void given_away(const void *address)
{
    const int found = find_handle(address);
    number((uint64_t)found);
    if (length) handle[found] = NULL;
}

static int new_handle(void)
{
    if (!length) return 0;
    pthread_mutex_lock(&lock);
    const int made = ++handles;
    pthread_mutex_unlock(&lock);
    cr_assert(made <= REPLAY_HANDLES);
    number((uint64_t)made);
    return made;
}

static void *returns(int made, void *address)
{
    if (made) handle[made] = address;
    ends();
    return address;
}

/* ---- calls ---- */

/* NOTED(TYPE, NAME, PARAMETERS, ARGUMENTS, the notes of its arguments): begins each in a line of its own, which the
 * linker's options are read from. */
#define WRAPPED(type, name, parameters)                                                                                \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters
#define NOTED_void(name, parameters, arguments, ...)                                                                   \
    WRAPPED(void, name, parameters)                                                                                    \
    {                                                                                                                  \
        begins(#name), __VA_ARGS__;                                                                                    \
        __real_##name arguments;                                                                                       \
        ends();                                                                                                        \
    }
#define NOTED_lab_status(name, parameters, arguments, ...)                                                             \
    WRAPPED(lab_status, name, parameters)                                                                              \
    {                                                                                                                  \
        begins(#name), __VA_ARGS__;                                                                                    \
        const lab_status status = __real_##name arguments;                                                             \
        ends();                                                                                                        \
        return status;                                                                                                 \
    }
#define NOTED_HANDLE(type, name, parameters, arguments, ...)                                                           \
    WRAPPED(type *, name, parameters)                                                                                  \
    {                                                                                                                  \
        begins(#name), __VA_ARGS__;                                                                                    \
        const int made = new_handle();                                                                                 \
        return returns(made, __real_##name arguments);                                                                 \
    }
#define NOTED_order_clock(...) NOTED_HANDLE(order_clock, __VA_ARGS__)
#define NOTED_order_graph(...) NOTED_HANDLE(order_graph, __VA_ARGS__)
#define NOTED_order_exec(...) NOTED_HANDLE(order_exec, __VA_ARGS__)
#define NOTED_order_host_call(...) NOTED_HANDLE(order_host_call, __VA_ARGS__)
#define NOTED(type, ...) NOTED_##type(__VA_ARGS__)

#define ID const stream_identity *identity
#define OP const lab_trace_op *op

/* The lock. A call that takes it itself is written here too. */
WRAPPED(void, order_enter, (void))
{
    begins("order_enter");
    __real_order_enter();
    write_call();
    ends();
}
NOTED(void, order_leave, (void), (), write_call());

/* clang-format off */
NOTED(lab_status, lab_order_start, (lab_order_mode mode), (mode), number(mode));
NOTED(void, order_meet_thread, (bool entered), (entered), number(entered));
NOTED(lab_status, order_check, (OP, int declared, ID, bool captured, order_exec *exec),
      (op, declared, identity, captured, exec),
      operation(op), count(declared), stream(identity), number(captured), given(exec));
NOTED(void, order_begin, (OP, ID), (op, identity), operation(op), stream(identity));
NOTED(lab_status, order_judge, (OP, int declared), (op, declared), operation(op), count(declared));
NOTED(void, order_commit, (bool enqueued), (enqueued), number(enqueued));
NOTED(order_clock, order_covered_by_last, (bool source_alone), (source_alone), number(source_alone));

NOTED(void, order_memory_is_variable, (uint64_t address, uint64_t bytes, bool host, const char *name),
      (address, bytes, host, name),
      number(address), number(bytes), number(host), text(name));
NOTED(void, order_memory_is_of_graph, (uint64_t address), (address), number(address));
NOTED(void, order_memory_made, (OP, ID), (op, identity), operation(op), stream(identity));
NOTED(lab_status, order_memory_given_back, (OP, ID, const order_clock *waited), (op, identity, waited),
      operation(op), stream(identity), given(waited));
NOTED(void, order_memory_told, (bool host, uint64_t address, ID), (host, address, identity),
      number(host), number(address), stream(identity));
NOTED(lab_status, order_host_access, (OP), (op), operation(op));

NOTED(void, order_event_recorded, (const void *event, ID, bool captured), (event, identity, captured),
      named(event), stream(identity), number(captured));
NOTED(void, order_event_waited, (const void *event, ID, bool captured), (event, identity, captured),
      named(event), stream(identity), number(captured));
NOTED(order_clock, order_cover_stream, (ID), (identity), stream(identity));
NOTED(order_clock, order_cover_event, (const void *event), (event), named(event));
NOTED(order_clock, order_cover_context, (uint64_t context), (context), number(context));
NOTED(void, order_wait_ended, (order_clock *covered, bool success), (covered, success),
      given_away(covered), number(success));
NOTED(void, order_event_ended, (const void *event), (event), named(event));
NOTED(void, order_stream_ended, (ID), (identity), stream(identity));
NOTED(void, order_context_ended, (uint64_t context), (context), number(context));
NOTED(void, order_release, (const void *name), (name), named(name));
NOTED(void, order_acquire, (const void *name), (name), named(name));

NOTED(void, order_capture_began, (ID), (identity), stream(identity));
NOTED(order_graph, order_capture_ended, (ID, int nodes, const lab_graph_edge *edge, int edges),
      (identity, nodes, edge, edges),
      stream(identity), count(nodes), all_edges(edge, edges));
NOTED(void, order_graph_destroy, (order_graph *graph), (graph), given_away(graph));
NOTED(order_exec, order_exec_create, (const order_graph *graph, uint64_t of), (graph, of), given(graph), number(of));
NOTED(void, order_exec_update, (order_exec *exec, int node, OP), (exec, node, op),
      given(exec), count(node), operation(op));
NOTED(void, order_exec_destroy, (order_exec *exec), (exec), given_away(exec));

/* Host functions. What a device's thread does leaves a note, which the next thread that takes the lock takes: it is
 * written before. */
NOTED(order_host_call, order_host_call_create, (void), (), nothing());
NOTED(void, order_calls, (order_host_call *call), (call), given(call));
NOTED(void, order_ends_memory, (void), (), nothing());
NOTED(void, order_host_call_begin, (order_host_call *call), (call), given(call), write_call());
NOTED(void, order_host_call_end, (void), (), write_call());
NOTED(void, order_host_call_release, (order_host_call *call), (call), given(call), write_call());
NOTED(void, order_host_call_release_key, (const void *name), (name), named(name), write_call());
/* clang-format on */

/* ---- the catalogue ---- */

static FILE *open_file(const char *variable)
{
    const char *path = getenv(variable);
    cr_assert_not_null(path, "%s has to name a file", variable);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    return file;
}

Test(replay, notes_the_calls_and_findings_of_the_catalogue)
{
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_CPU_DEVICES", "2", 1);
    setenv("LAB_SCHEDULE", "fifo", 1);
    static ground kit;
    FILE *findings = open_file("ORDER_FINDINGS");
    calls = open_file("ORDER_CALLS");
    catalogue_load(&kit);
    for (const program *each = catalogue_first(); each; each = each->next) {
        catalogue_run(each, &kit);
        write_line("%d program %s\n", me, each->name);
        fprintf(findings, "%s\n", each->name);
        write_findings(findings);
    }
    cr_assert_eq(fclose(findings), 0);
    pthread_mutex_lock(&lock);
    cr_assert_eq(fclose(calls), 0);
    calls = NULL;
    pthread_mutex_unlock(&lock);
}
