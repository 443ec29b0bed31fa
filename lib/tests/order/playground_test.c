/* The programs of the catalogue that the playground's language can say (playground/program.h), said in it: the
 * playground finds the same. What it can say is read from the record of each program. */
#include "catalogue.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>

/* With this in the environment, the programs are also written into the file of that name, a line each: the name of the
 * program, a tab, its text. */
static const char texts_wanted[] = "PLAYGROUND_TEXTS";

enum { MOST_STATEMENTS = 200, MOST_RANGES = 40, MOST_EVENTS = 20 };

/* A program in the making. */
typedef struct saying {
    const lab_trace *trace;
    uint64_t thread;
    char text[16384];
    size_t length;
    int statements;
    int line[MOST_STATEMENTS]; /* of the catalogue's call behind each statement; 0 of a declaration */
    lab_trace_access range[MOST_RANGES];
    int ranges;
    uint64_t event[MOST_EVENTS];
    int events;
    const char *cannot; /* why the language cannot say it; NULL if it can */
} saying;

__attribute__((format(printf, 3, 4))) static void say(saying *made, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    made->length += (size_t)vsnprintf(made->text + made->length, sizeof made->text - made->length, format, arguments);
    va_end(arguments);
    cr_assert(made->length < sizeof made->text && made->statements < MOST_STATEMENTS);
    made->line[made->statements++] = line;
}

static bool is_program(const lab_trace_op *op) { return !strstr(op->file, "catalogue_test.c"); }

/* ---- what a statement names ---- */

static bool is_pinned(const saying *made, uint64_t address)
{
    for (size_t i = 0; i < made->trace->ops; i++) {
        const lab_trace_op *op = &made->trace->op[i];
        if (op->kind == LAB_OP_HOST_ALLOC && address - op->object < op->bytes) return true;
    }
    return false;
}

static bool is_pooled(const saying *made, const lab_trace_access *used)
{
    for (size_t i = 0; i < made->trace->ops && !used->host; i++) {
        const lab_trace_op *op = &made->trace->op[i];
        if (op->kind == LAB_OP_POOL_ALLOC && is_program(op) && used->address - op->object < op->bytes) return true;
    }
    return false;
}

/* The number of the memory; memory that overlaps other memory cannot be said. */
static int find_memory(saying *made, const lab_trace_access *used)
{
    for (int i = 0; i < made->ranges; i++) {
        const lab_trace_access *known = &made->range[i];
        if (known->host == used->host && known->address == used->address && known->bytes == used->bytes) return i;
        if (known->host == used->host && known->address < used->address + used->bytes &&
            used->address < known->address + known->bytes)
            made->cannot = "parts of memory";
    }
    if (used->bytes % 4 || made->ranges == MOST_RANGES) made->cannot = "sizes";
    if (made->cannot) return 0;
    made->range[made->ranges] = *used;
    say(made, 0, "%s m%d %llu;",
        is_pooled(made, used)            ? "pooled"
        : !used->host                    ? "device"
        : is_pinned(made, used->address) ? "pinned"
                                         : "pageable",
        made->ranges, (unsigned long long)used->bytes);
    return made->ranges++;
}

static int find_event(saying *made, uint64_t number)
{
    for (int i = 0; i < made->events; i++)
        if (made->event[i] == number) return i;
    made->event[made->events] = number;
    say(made, 0, "event e%d;", made->events);
    return made->events++;
}

/* "s5", or "null". Valid until the next call. */
static const char *name_stream(const saying *made, uint64_t id)
{
    static char name[24];
    snprintf(name, sizeof name, "s%llu", (unsigned long long)id);
    for (size_t i = 0; i < made->trace->streams; i++)
        if (made->trace->stream[i].id == id && made->trace->stream[i].null_stream) return "null";
    return name;
}

/* ---- statements ---- */

static void say_copy(saying *made, const lab_trace_op *op)
{
    const int source = find_memory(made, &op->access[0]), target = find_memory(made, &op->access[1]);
    const bool is_null = strcmp(name_stream(made, op->stream), "null") == 0;
    if (op->host_waits && (!is_null || op->kind == LAB_OP_COPY_DTOD)) made->cannot = "copies that wait";
    if (made->cannot) return;
    if (op->host_waits)
        say(made, op->line, "copy-now m%d m%d;", source, target);
    else
        say(made, op->line, "copy %s m%d m%d;", name_stream(made, op->stream), source, target);
}

static void say_work(saying *made, const lab_trace_op *op, const char *word, bool host)
{
    int memory[8];
    if (!op->accesses || op->accesses > 8) made->cannot = "work without memory";
    for (int i = 0; i < op->accesses && !made->cannot; i++) {
        if (op->access[i].host != host) made->cannot = "kernels on pinned memory";
        memory[i] = find_memory(made, &op->access[i]);
    }
    if (made->cannot) return;
    char text[400];
    size_t length =
        (size_t)snprintf(text, sizeof text, "%s %s %s", word, name_stream(made, op->stream), host ? "call" : op->name);
    for (int i = 0; i < op->accesses; i++) {
        if (op->access[i].reads)
            length += (size_t)snprintf(text + length, sizeof text - length, " reads m%d", memory[i]);
        if (op->access[i].writes)
            length += (size_t)snprintf(text + length, sizeof text - length, " writes m%d", memory[i]);
    }
    say(made, op->line, "%s;", text);
}

static void say_op(saying *made, const lab_trace_op *op)
{
    const char *stream = name_stream(made, op->stream);
    const int event = op->kind == LAB_OP_EVENT_RECORD || op->kind == LAB_OP_EVENT_WAIT ||
                              op->kind == LAB_OP_EVENT_SYNC || op->kind == LAB_OP_EVENT_QUERY
                          ? find_event(made, op->object)
                          : 0;
    switch (op->kind) {
    case LAB_OP_COPY_HTOD:
    case LAB_OP_COPY_DTOH:
    case LAB_OP_COPY_DTOD: say_copy(made, op); break;
    case LAB_OP_FILL: {
        const int memory = find_memory(made, &op->access[0]);
        say(made, op->line, "fill %s m%d;", stream, memory);
        break;
    }
    case LAB_OP_POOL_ALLOC:
    case LAB_OP_POOL_FREE: {
        const int memory = find_memory(made, &(lab_trace_access){.address = op->object, .bytes = op->bytes});
        if (!op->stream) made->cannot = "memory that is freed on no stream";
        say(made, op->line, "%s %s m%d;", op->kind == LAB_OP_POOL_ALLOC ? "alloc" : "free", stream, memory);
        break;
    }
    case LAB_OP_KERNEL: say_work(made, op, "kernel", false); break;
    case LAB_OP_HOST_FUNCTION: say_work(made, op, "function", true); break;
    case LAB_OP_EVENT_RECORD: say(made, op->line, "record e%d %s;", event, stream); break;
    case LAB_OP_EVENT_WAIT: say(made, op->line, "wait %s e%d;", stream, event); break;
    case LAB_OP_STREAM_SYNC:
    case LAB_OP_STREAM_QUERY: say(made, op->line, "sync %s;", stream); break;
    case LAB_OP_EVENT_SYNC:
    case LAB_OP_EVENT_QUERY: say(made, op->line, "sync e%d;", event); break;
    case LAB_OP_DEVICE_SYNC: say(made, op->line, "sync device;"); break;
    case LAB_OP_HOST_READ:
    case LAB_OP_HOST_WRITE: {
        const int memory = find_memory(made, &op->access[0]);
        say(made, op->line, "host %s m%d;", op->kind == LAB_OP_HOST_READ ? "reads" : "writes", memory);
        break;
    }
    case LAB_OP_STREAM_CREATE:
    case LAB_OP_STREAM_DESTROY: /* which waits for nothing */
    case LAB_OP_EVENT_CREATE:
    case LAB_OP_EVENT_DESTROY:
    case LAB_OP_MARK: break;
    default: made->cannot = lab_op_kind_name(op->kind); break;
    }
}

/* Uses of a block of which its pool knows nothing: the language's kernels show the pool all that they use. */
static bool hides_uses(void)
{
    lab_order_finding found;
    for (size_t i = 0; lab_order_get_finding(&found, i) == LAB_SUCCESS; i++)
        if (found.kind == LAB_ORDER_FREE_IN_USE || found.kind == LAB_ORDER_USE_BEFORE_ALLOCATION) return true;
    return false;
}

/* Says what the record shows of the program's own calls. */
static void say_all(saying *made, const lab_trace *trace)
{
    *made = (saying){.trace = trace, .cannot = hides_uses() ? "hidden uses" : NULL};
    for (size_t i = 0; i < trace->streams; i++)
        if (!trace->stream[i].null_stream)
            say(made, 0, "%s s%llu;", trace->stream[i].non_blocking ? "stream" : "blocking",
                (unsigned long long)trace->stream[i].id);
    for (size_t i = 0; i < trace->ops && !made->cannot; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (!is_program(op)) continue;
        if (!made->thread) made->thread = op->thread;
        if (op->thread != made->thread) made->cannot = "several threads";
        if (op->device != 0) made->cannot = "several devices";
        if (!made->cannot) say_op(made, op);
    }
}

/* ---- answers ---- */

static json_t *ask(const saying *made)
{
    static char command[sizeof made->text + 200];
    const char *build = getenv("BUILD");
    snprintf(command, sizeof command, "%s/tests/play lab h200 '%s'", build ? build : "build", made->text);
    FILE *answer = popen(command, "r");
    cr_assert_not_null(answer);
    json_t *answered = json_loadf(answer, 0, NULL);
    cr_assert_eq(pclose(answer), 0, "%s", command);
    cr_assert_not_null(answered, "no answer to %s", command);
    cr_assert_null(json_object_get(answered, "fault"), "%s: %s", command,
                   json_string_value(json_object_get(json_object_get(answered, "fault"), "text")));
    return answered;
}

static int number_of(const json_t *object, const char *key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

/* The words of an edge, without places ("play.c:7") and the names and numbers of streams. */
static void words_of(char *out, const char *edge)
{
    static const char stream[] = "stream ", letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789.";
    while (*edge) {
        const size_t length = strspn(edge, letters);
        const bool names_stream = strncmp(edge, stream, sizeof stream - 1) == 0;
        const char *token = names_stream ? edge + sizeof stream - 1 : edge;
        if (names_stream && strcspn(token, "0123456789") <= 1) {
            out = stpcpy(out, stream);
            edge = token + strspn(token, letters);
        } else if (edge[length] == ':') {
            edge += length + 1 + strspn(edge + length + 1, letters);
        } else {
            out = stpncpy(out, edge, length ? length : 1);
            edge += length ? length : 1;
        }
    }
    *out = '\0';
}

/* Why an answer differs from the catalogue's finding of that number; NULL if it does not. */
static const char *compare(const saying *made, const json_t *found, const lab_order_finding *wanted)
{
    char words[2][4096];
    if (made->line[number_of(found, "first")] != wanted->first.line) return "another first call";
    if (made->line[number_of(found, "second")] != wanted->second.line) return "another second call";
    if ((uint64_t)number_of(found, "bytes") != wanted->bytes) return "other bytes";
    if (json_is_true(json_object_get(found, "host")) != wanted->host) return "other memory";
    words_of(words[0], json_string_value(json_object_get(found, "edge")));
    words_of(words[1], wanted->edge);
    return strcmp(words[0], words[1]) == 0 ? NULL : "other words";
}

/* Several statements may come from one line, in a loop, whose findings are one in the catalogue. */
static bool is_repeated(const saying *made, const json_t *findings, size_t number)
{
    const json_t *found = json_array_get(findings, number);
    for (size_t i = 0; i < number; i++) {
        const json_t *other = json_array_get(findings, i);
        if (made->line[number_of(other, "first")] == made->line[number_of(found, "first")] &&
            made->line[number_of(other, "second")] == made->line[number_of(found, "second")])
            return true;
    }
    return false;
}

static void assert_same(const saying *made, const char *name)
{
    json_t *answer = ask(made);
    const json_t *findings = json_object_get(answer, "findings");
    size_t wanted_number = 0;
    for (size_t i = 0; i < json_array_size(findings); i++) {
        lab_order_finding wanted;
        if (is_repeated(made, findings, i)) continue;
        cr_assert_eq(lab_order_get_finding(&wanted, wanted_number), LAB_SUCCESS, "%s: one finding more", name);
        const char *difference = compare(made, json_array_get(findings, i), &wanted);
        cr_assert_null(difference, "%s: %s: %s, and not %s", name, difference,
                       json_string_value(json_object_get(json_array_get(findings, i), "edge")), wanted.edge);
        wanted_number++;
    }
    cr_assert_eq(lab_order_get_counts().findings, wanted_number, "%s: fewer findings", name);
    json_decref(answer);
}

/* On the CPU device whatever DEVICE says: the page knows no other. */
Test(playground, finds_in_the_programs_of_the_catalogue_what_the_checker_finds)
{
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_CPU_DEVICES", "2", 0);
    setenv("LAB_SCHEDULE", "fifo", 0);
    static ground kit;
    static saying made;
    int said = 0, wrong = 0, left_out = 0, devices;
    FILE *texts = getenv(texts_wanted) ? fopen(getenv(texts_wanted), "w") : NULL;
    LAB_CHECK(lab_device_count(&devices));
    catalogue_load(&kit);
    for (const program *each = catalogue_first(); each; each = each->next) {
        lab_trace *trace;
        if (each->two_devices && devices < 2) continue;
        LAB_CHECK(lab_trace_begin());
        catalogue_run(each, &kit);
        LAB_CHECK(lab_trace_end(&trace));
        say_all(&made, trace);
        if (made.cannot) {
            left_out++;
        } else {
            said++;
            wrong += each->wrong;
            if (texts) fprintf(texts, "%s\t%s\n", each->name, made.text);
            assert_same(&made, each->name);
        }
        lab_trace_free(trace);
    }
    if (texts) cr_assert_eq(fclose(texts), 0);
    printf("playground: %d programs of the catalogue, %d of them wrong; %d it cannot say\n", said, wrong, left_out);
    cr_assert(said >= 60 && wrong >= 30, "the playground can say %d programs, %d of them wrong", said, wrong);
}
