/* The checks of lab 08: the costs of a first call one by one, the key of a kernel, the kernels of a process, and those
 * on a disk. */
#include "checks_key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

CHECK_LAB("lab08", "Overheads");

/* A number that no earlier run had: a source with it is new to the cache of kernels. */
static long long new_number(void)
{
    struct timespec moment;
    clock_gettime(CLOCK_REALTIME, &moment);
    return (long long)moment.tv_sec * 1000000000 + moment.tv_nsec;
}

/* Ends the check where the library compiles what it has compiled before. */
static void need_the_cache(const lab_trace_op *load)
{
    if (load->compile_ns > 0)
        check_not_measured("the library's cache of kernels keeps nothing; build/bin/labcache says why");
}

/* ------------------------------------------------------------------------------------------------------
 * Task 1
 */

static const char *const cost_name[] = {"the context", "the compilation", "the load", "the first launch",
                                        "the next launch"};

/* The source of a kernel that does nothing, new in each call. */
static void give_nothing(lab08_memory *memory)
{
    snprintf(memory->request.source, sizeof memory->request.source,
             "/* %lld */\nextern \"C\" __global__ void nothing(void) {}\n", new_number());
}

/* What lies between two laps. */
typedef struct segment {
    const lab_trace_op *begins, *ends;
    int contexts, loads, kernels, others;
    const lab_trace_op *load, *kernel, *other;
} segment;

static segment find_segment(const lab_trace_op *begins, const lab_trace_op *ends)
{
    segment found = {.begins = begins, .ends = ends};
    for (const lab_trace_op *op = begins + 1; op < ends; op++) {
        if (op->kind == LAB_OP_CONTEXT_CREATE) {
            found.contexts++;
        } else if (op->kind == LAB_OP_MODULE_LOAD) {
            found.load = op;
            found.loads++;
        } else if (op->kind == LAB_OP_KERNEL) {
            found.kernel = op;
            found.kernels++;
        } else if (op->kind != LAB_OP_STREAM_SYNC && op->kind != LAB_OP_DEVICE_SYNC &&
                   op->kind != LAB_OP_CONTEXT_SYNC && op->kind != LAB_OP_EVENT_SYNC && !check_is_note(op) &&
                   op->kind != LAB_OP_STREAM_QUERY && op->kind != LAB_OP_EVENT_QUERY &&
                   op->kind != LAB_OP_EVENT_RECORD) {
            found.other = op;
            found.others++;
        }
    }
    return found;
}

/* The segments of a call, which end with their laps. */
static void find_segments(segment found[LAB08_COSTS], check_span span)
{
    int cost = 0;
    const lab_trace_op *begins = span.begins;
    for (const lab_trace_op *op = span.begins + 1; op < span.ends; op++) {
        char expected[64];
        if (op->kind != LAB_OP_MARK || strncmp(op->name, LAB08_LAP, strlen(LAB08_LAP)) != 0) continue;
        snprintf(expected, sizeof expected, LAB08_LAP "%d", cost);
        const int charged = atoi(op->name + strlen(LAB08_LAP));
        const bool known = charged >= 0 && charged < LAB08_COSTS;
        CHECK_THAT(cost < LAB08_COSTS && strcmp(op->name, expected) == 0, CHECK_RULE,
                   "lab08_measure does not call lab08_lap for each cost in turn",
                   .at = check_at_after(op, begins + 1 < op ? begins + 1 : op),
                   .expected = cost < LAB08_COSTS ? cost_name[cost] : "no lap after that of the next launch",
                   .found = check_text("%s in lap %d", known ? cost_name[charged] : "no cost of the list", cost + 1));
        found[cost++] = find_segment(begins, op);
        begins = op;
    }
    CHECK_THAT(cost == LAB08_COSTS, CHECK_RULE, "lab08_measure does not call lab08_lap for each cost",
               .at = cost ? check_at(begins) : check_at_name("lab08_measure"),
               .expected = check_text("%d laps", LAB08_COSTS), .found = check_text("%d", cost),
               .cause = cost ? check_text("after this lap comes that of %s", cost_name[cost]) : NULL);
}

/* Fails the check unless the segment has exactly what belongs to its cost. */
static void check_segment(const segment *now, int cost)
{
    const int contexts = cost == LAB08_CONTEXT, loads = cost == LAB08_COMPILE || cost == LAB08_LOAD;
    const int kernels = cost >= LAB08_FIRST;
    CHECK_THAT(
        now->contexts == contexts && now->loads == loads && now->kernels == kernels && now->others == 0, CHECK_RULE,
        check_text("the lap of %s does not measure %s alone", cost_name[cost], cost_name[cost]),
        .at = check_at(now->other ? now->other : now->ends),
        .expected = contexts ? "one call that makes a context"
                    : loads  ? "one load"
                             : "one launch, and a wait",
        .found = check_text("contexts made: %d, loads: %d, launches: %d%s%s", now->contexts, now->loads, now->kernels,
                            now->other ? ", other calls: " : "", now->other ? lab_op_kind_name(now->other->kind) : ""),
        .cause = "a lap charges everything since the lap before it: what lies between the two calls of lab08_lap?");
}

/* Fails the check unless the launch was waited for before its lap. */
static void check_has_run(const lab_trace *trace, const segment *now, int cost)
{
    lab_relations *relations = check_relations(trace);
    const lab_trace_op *wait = lab_relations_waited_by(relations, now->kernel->id);
    CHECK_THAT(wait && wait < now->ends, CHECK_RULE,
               check_text("the lap of %s ends before its kernel has run", cost_name[cost]), .at = check_at(now->kernel),
               .expected = "a call that waits for the kernel, before the lap",
               .found = wait && wait < now->ends ? "one" : "none",
               .cause = "a launch returns before its kernel has run: without a wait only the call is measured");
}

/* One call of lab08_measure with a new source: each lap has its cost, and nothing else. */
static void check_laps(check_program *program, bool shows_times)
{
    segment found[LAB08_COSTS];
    give_nothing(check_memory(program));
    check_trace_begin(program);
    check_call(program, "lab08_measure", NULL, 0, NULL, 0);
    const lab_trace *trace = check_trace(program);
    const check_span span = check_between(trace, LAB08_BEGINS, LAB08_ENDS, "lab08_measure");
    find_segments(found, span);
    for (int cost = 0; cost < LAB08_COSTS; cost++) check_segment(&found[cost], cost);
    const lab_trace_op *compiled = found[LAB08_COMPILE].load, *loaded = found[LAB08_LOAD].load;
    CHECK_THAT(strcmp(compiled->module, loaded->module) == 0, CHECK_RULE,
               "the second load has another source than the first", .at = check_at(loaded),
               .expected = "the same source as in the load before");
    CHECK_THAT(compiled->compile_ns > 0, CHECK_RULE, "the first load does not load the source that it was given",
               .at = check_at(compiled), .expected = "a load that compiles: the source is new");
    CHECK_THAT(strcmp(compiled->name, loaded->name) == 0, CHECK_RULE, "the second load has another name",
               .at = check_at(loaded),
               .cause = "the name is a part of the library's key: it belongs to messages, and these are kept");
    need_the_cache(loaded);
    uint64_t context = 0;
    for (const lab_trace_op *op = found[LAB08_CONTEXT].begins; op < found[LAB08_CONTEXT].ends; op++)
        if (op->kind == LAB_OP_CONTEXT_CREATE) context = op->object;
    for (int cost = LAB08_FIRST; cost < LAB08_COSTS; cost++) {
        const lab_trace_op *kernel = found[cost].kernel;
        CHECK_THAT(
            strcmp(kernel->name, "nothing") == 0 && strcmp(kernel->module, compiled->module) == 0 &&
                kernel->grid.x == 1 && kernel->block.x == 1 && check_stream(trace, kernel->stream)->context == context,
            CHECK_RULE, check_text("%s is not that of `nothing` with one thread", cost_name[cost]),
            .at = check_at(kernel),
            .expected = "the kernel `nothing` of the source, one block of one thread, in the context that was made",
            .found = check_text("%s, %u blocks of %u threads", kernel->name, kernel->grid.x, kernel->block.x));
        check_has_run(trace, &found[cost], cost);
    }
    check_keeps_nothing(trace, span);
    for (int cost = 0; shows_times && cost < LAB08_COSTS; cost++) {
        const double milliseconds = (double)(found[cost].ends->call_ns - found[cost].begins->call_ns) * 1e-6;
        check_timing(cost_name[cost] + strlen("the "), CHECK_YOURS, &milliseconds, 1);
    }
}

CHECK(costs_are_separate, .points = 20, .without_flow = "the task measures what given calls cost: nothing is computed",
      .schedule = "fifo", .title = "Task 1: each cost in a lap of its own",
      .hints = {"Task 1: what does the first call of a program pay for that the second one does not?",
                "One cost, then its lap. A load compiles if the cache of kernels does not have the source. A launch "
                "returns before its kernel has run.",
                "lab_context_create(&context, 0), lap; lab_module_load_source twice with the same source and name, "
                "each with its lap; twice a launch of `nothing` with LAB_NO_ARGS and a wait, each with its lap; "
                "lab_context_destroy, also if a call in between failed."})
{
    check_program *program = check_start(sizeof(lab08_memory));
    check_laps(program, true);
    check_laps(program, false);                                  /* nothing comes from the first call */
    check_laps(check_start_unkind(sizeof(lab08_memory)), false); /* whether one query finds the kernel done is luck */
}

/* What a run of the given program pays, by its record. */
typedef struct payment {
    bool paid[LAB08_FIRST];
    double milliseconds[LAB08_COSTS];
} payment;

static payment find_paid(check_program *program, int launch)
{
    payment found = {0};
    double begins = 0;
    check_trace_begin(program);
    check_call(program, "lab08_paid", NULL, 0, NULL, 0);
    const lab_trace *trace = check_trace(program);
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        const double call = (double)op->call_ns * 1e-6, took = (double)op->return_ns * 1e-6 - call;
        if (op->kind == LAB_OP_CONTEXT_CREATE) {
            found.paid[LAB08_CONTEXT] = true;
            found.milliseconds[LAB08_CONTEXT] = took;
        } else if (op->kind == LAB_OP_MODULE_LOAD) {
            const double compiled = (double)op->compile_ns * 1e-6;
            found.paid[LAB08_LOAD] = true;
            found.paid[LAB08_COMPILE] = compiled > 0;
            found.milliseconds[LAB08_COMPILE] = compiled;
            found.milliseconds[LAB08_LOAD] = took - compiled;
        } else if (op->kind == LAB_OP_KERNEL) {
            begins = call;
        } else if (op->kind == LAB_OP_DEVICE_SYNC) {
            found.milliseconds[launch] = call + took - begins;
        }
    }
    return found;
}

/* Shows what each run took, part by part. */
static void show_payments(const payment paid[LAB08_RUNS], const char *const run[LAB08_RUNS])
{
    for (int r = 0; r < LAB08_RUNS; r++)
        for (int cost = 0; cost < LAB08_COSTS; cost++) {
            char label[64];
            snprintf(label, sizeof label, "%s: %s", run[r] + strlen("the "), cost_name[cost] + strlen("the "));
            if (paid[r].milliseconds[cost] > 0) check_timing(label, CHECK_REFERENCE, &paid[r].milliseconds[cost], 1);
        }
}

CHECK(costs_are_predicted, .points = 10, .without_flow = "a prediction about costs, which the reference has paid",
      .schedule = "fifo", .after = "costs_are_separate", .title = "Task 1: which costs come back, as predicted",
      .hints = {"Task 1: what ends with the process, and what is still there in the next one?",
                "A context and the modules in it end with the process. What was compiled is in a file.",
                "The context: 1, 1, 0. The compilation: 1, 0, 0. The load: 1, 1, 0."})
{
    static const char *const run[] = {"the first run", "the next run", "the second call"};
    int predicted[LAB08_FIRST][LAB08_RUNS];
    payment paid[LAB08_RUNS];
    check_table(predicted, sizeof predicted, "lab08_paid");
    check_program *cold = check_start(sizeof(lab08_memory)), *warm = check_start(sizeof(lab08_memory));
    give_nothing(check_memory(cold));
    memcpy(check_memory(warm), check_memory(cold), sizeof(lab08_texts));
    paid[LAB08_COLD] = find_paid(cold, LAB08_FIRST);
    paid[LAB08_WARM] = find_paid(warm, LAB08_FIRST);
    paid[LAB08_AGAIN] = find_paid(warm, LAB08_NEXT);
    if (paid[LAB08_WARM].paid[LAB08_COMPILE])
        check_not_measured("the library's cache of kernels keeps nothing; build/bin/labcache says why");
    for (int cost = 0; cost < LAB08_FIRST; cost++)
        for (int r = 0; r < LAB08_RUNS; r++) {
            CHECK_THAT(predicted[cost][r] == paid[r].paid[cost], CHECK_WRONG_RESULT,
                       check_text("the prediction whether %s pays for %s is wrong", run[r], cost_name[cost]),
                       .at = check_at_name(check_text("lab08_paid[%d]", cost)),
                       .expected = check_text("%d, by the record of %s", paid[r].paid[cost], run[r]),
                       .found = check_text("lab08_paid says %d", predicted[cost][r]));
        }
    show_payments(paid, run);
}

/* ------------------------------------------------------------------------------------------------------
 * Requests and their answers
 */

/* A request, and what its kernel writes. */
typedef struct wanted {
    lab08_texts request;
    int number[LAB08_NUMBERS];
} wanted;

/* Where each number of an answer comes from. */
static const char *const origin[LAB08_NUMBERS] = {"the source",       "the header",       "the option FACTOR",
                                                  "the option SHIFT", "the architecture", "the compiler's version"};
enum { FROM_SOURCE, FROM_HEADER, FROM_FACTOR, FROM_SHIFT, FROM_ARCHITECTURE, FROM_COMPILER };

/* Writes the request with these numbers in its parts. */
static wanted make_wanted(const int number[LAB08_NUMBERS])
{
    wanted made = {.request = {.architecture = number[FROM_ARCHITECTURE], .compiler = number[FROM_COMPILER]}};
    lab08_texts *request = &made.request;
    memcpy(made.number, number, sizeof made.number);
    snprintf(request->source, sizeof request->source,
             "extern \"C\" __global__ void answer(int *out)\n{\n"
             "    int number[] = {%d, FROM_HEADER, FACTOR, SHIFT, ARCHITECTURE, COMPILER};\n"
             "    for (int i = 0; i < %d; i++) out[i] = number[i];\n}\n",
             number[FROM_SOURCE], LAB08_NUMBERS);
    snprintf(request->header, sizeof request->header, "#define FROM_HEADER %d\n", number[FROM_HEADER]);
    snprintf(request->options, sizeof request->options, "-DFACTOR=%d -DSHIFT=%d", number[FROM_FACTOR],
             number[FROM_SHIFT]);
    snprintf(request->label, sizeof request->label, "answer.cu");
    return made;
}

/* Numbers of five digits, new in every check. */
static wanted new_wanted(void)
{
    int number[LAB08_NUMBERS];
    for (int i = 0; i < LAB08_NUMBERS; i++) number[i] = 10000 + (int)(check_random_u64(1, (uint64_t)i) % 80000);
    return make_wanted(number);
}

/* The same with another number in one of its parts. */
static wanted change(const wanted *from, int part)
{
    wanted changed = *from;
    changed.number[part]++;
    return make_wanted(changed.number);
}

/* One call of lab08_get or lab08_load, and what the record shows of it. */
typedef struct call {
    const char *function;
    const lab_trace *trace;
    check_span span;
    lab08_memory *after; /* the shared memory */
    int loads, unloads;
    const char *module;       /* what was loaded last */
    const lab_trace_op *load; /* NULL without one */
} call;

/* The last load of the call, or else the loop over the table. */
static check_place place_of_load(const call *now)
{
    return now->load ? check_at(now->load) : check_at_name(check_text("count in %s", now->function));
}

static call make_call(check_program *program, const char *function, const wanted *request, lab08_arguments arguments)
{
    lab08_memory *memory = check_memory(program);
    call made = {.function = function, .after = check_alloc(sizeof *made.after)};
    check_trace_begin(program);
    memcpy(&memory->request, &request->request, sizeof memory->request);
    memset(memory->numbers, 0, sizeof memory->numbers);
    check_call(program, function, &arguments, sizeof arguments, NULL, 0);
    check_said(program, made.after, 0, sizeof *made.after, "the table of kernels is the host's");
    made.trace = check_trace(program);
    made.span = check_between(made.trace, LAB08_BEGINS, LAB08_ENDS, function);
    for (const lab_trace_op *op = made.span.begins; op < made.span.ends; op++) {
        made.unloads += op->kind == LAB_OP_MODULE_UNLOAD;
        if (op->kind != LAB_OP_MODULE_LOAD) continue;
        made.loads++;
        made.load = op;
        made.module = op->module;
    }
    CHECK_THAT(!made.after->empty, CHECK_WRONG_RESULT, check_text("%s succeeds and gives the caller nothing", function),
               .at = place_of_load(&made), .expected = "a kernel, or the status of the call that failed",
               .found = check_text("%s, and nothing written for the caller", lab_status_name(LAB_SUCCESS)));
    return made;
}

/* Fails the check unless the kernel of the call is that of the request. */
static void check_answer(check_program *program, const call *now, const wanted *request)
{
    const check_passage passage = {.output = CHECK_BYTES(now->after->numbers)};
    check_snapshot(program, now->after->numbers, offsetof(lab08_memory, numbers), sizeof now->after->numbers);
    for (int i = 0; i < LAB08_NUMBERS; i++) {
        CHECK_THAT(now->after->numbers[i] == request->number[i], CHECK_WRONG_RESULT,
                   check_text("the kernel was not made from %s of this request", origin[i]), .at = place_of_load(now),
                   .expected = check_text("%d, from %s of this request", request->number[i], origin[i]),
                   .found = check_text("%d", now->after->numbers[i]),
                   .cause = strcmp(now->function, "lab08_get") == 0
                                ? "a kernel of another request was found: what is in the key?"
                                : NULL);
    }
    check_flow(
        program, now->trace,
        &(check_way){.function = now->function, .passage = &passage, .passages = 1, .kernel = {{NULL, "answer"}}});
}

/* Fails the check unless the call loaded so many modules. */
static void check_loads(const call *now, int loads, const char *why)
{
    /* A load is not wrong where none is asked for: the search did not find. */
    const check_place at =
        !loads && strcmp(now->function, "lab08_get") == 0 ? check_at_name("count in lab08_get") : place_of_load(now);
    CHECK_THAT(loads == 0 || now->loads <= 1, CHECK_RULE,
               check_text("%s goes on to load again after a load", now->function), .at = at,
               .expected = loads ? "one load" : "no load", .found = check_text("%d", now->loads),
               .cause = "what the first load has made is to be returned: is a return missing behind it?");
    CHECK_THAT(now->loads == loads, CHECK_RULE,
               check_text(loads ? "%s does not load once what it has not" : "%s loads what it has", now->function),
               .at = at, .expected = loads ? "one load" : "no load", .found = check_text("%d", now->loads),
               .cause = why);
}

/* ------------------------------------------------------------------------------------------------------
 * Task 2
 */

/* A request whose key must not be that of any other in the list, and how it differs from the first. */
typedef struct distinct {
    const char *how;
    lab08_texts request;
    const char *look_at; /* where the part is missing: at the part before it */
    uint64_t key;
} distinct;

CHECK(key_has_everything, .points = 15, .schedule = "fifo", .title = "Task 2: the key has everything, and nothing else",
      .hints = {"Task 2: which changes of a request make other code? Which do not?",
                "A text counts, not its address. Where one text ends and the next begins counts too: its final 0 marks "
                "that.",
                "hash_text for source, header and options; lab08_hash with the address and size of architecture and of "
                "compiler; each call goes on with the number of the call before. Nothing of the label."})
{
    distinct all[] = {
        {"nothing", {"ab", "cd", "ef", "a.cu", 80, 1300}, "lab08_key", 0},
        {"the source", {"aB", "cd", "ef", "a.cu", 80, 1300}, "lab08_key", 0},
        {"the header", {"ab", "cD", "ef", "a.cu", 80, 1300}, "source in lab08_key", 0},
        {"the options", {"ab", "cd", "eF", "a.cu", 80, 1300}, "header in lab08_key", 0},
        {"the architecture", {"ab", "cd", "ef", "a.cu", 90, 1300}, "options in lab08_key", 0},
        {"the compiler's version", {"ab", "cd", "ef", "a.cu", 80, 1301}, "architecture in lab08_key", 0},
        {"a letter that moved from the source to the header",
         {"a", "bcd", "ef", "a.cu", 80, 1300},
         "source in lab08_key",
         0},
        {"a letter that moved from the header to the source",
         {"abc", "d", "ef", "a.cu", 80, 1300},
         "source in lab08_key",
         0},
        {"a letter that moved from the header to the options",
         {"ab", "c", "def", "a.cu", 80, 1300},
         "header in lab08_key",
         0},
        {"a letter that moved from the options to the header",
         {"ab", "cde", "f", "a.cu", 80, 1300},
         "header in lab08_key",
         0},
        {"a letter that moved from the options to the source",
         {"abf", "cd", "e", "a.cu", 80, 1300},
         "source in lab08_key",
         0},
        {"a letter that moved from the source to the options",
         {"b", "cd", "efa", "a.cu", 80, 1300},
         "source in lab08_key",
         0},
        {"source and header, exchanged", {"cd", "ab", "ef", "a.cu", 80, 1300}, "source in lab08_key", 0},
        {"header and options, exchanged", {"ab", "ef", "cd", "a.cu", 80, 1300}, "header in lab08_key", 0},
        {"source and options, exchanged", {"ef", "cd", "ab", "a.cu", 80, 1300}, "source in lab08_key", 0},
        {"architecture and version, exchanged", {"ab", "cd", "ef", "a.cu", 1300, 80}, "architecture in lab08_key", 0},
        {"a blank in the source", {"a b", "cd", "ef", "a.cu", 80, 1300}, "lab08_key", 0},
        {"a blank in the header", {"ab", "c d", "ef", "a.cu", 80, 1300}, "lab08_key", 0},
        {"a blank in the options", {"ab", "cd", "e f", "a.cu", 80, 1300}, "lab08_key", 0},
        {"empty texts", {"", "", "", "a.cu", 80, 1300}, "lab08_key", 0},
        {"the highest byte of the architecture",
         {"ab", "cd", "ef", "a.cu", 80 + (1 << 24), 1300},
         "architecture in lab08_key",
         0},
        {"the highest byte of the compiler's version",
         {"ab", "cd", "ef", "a.cu", 80, 1300 + (1 << 24)},
         "compiler in lab08_key",
         0},
    };
    enum { ALL = sizeof all / sizeof *all };
    check_program *program = check_start(sizeof(lab08_keys)), *other = check_start(sizeof(lab08_memory));
    for (int i = 0; i < ALL; i++) all[i].key = key_find_same(program, &all[i].request);
    for (int i = 0; i < ALL; i++)
        for (int k = 0; k < i; k++) {
            CHECK_THAT(all[i].key != all[k].key, CHECK_WRONG_RESULT, "two requests with different code have one key",
                       .at = check_at_name(all[i].look_at),
                       .expected = check_text("two keys: what differs is %s", k ? "more than one part" : all[i].how),
                       .found = check_text("%016llx for both", (unsigned long long)all[i].key),
                       .cause =
                           strstr(all[i].how, "moved")
                               ? "without something between them, \"a\" and \"bc\" are the same bytes as \"ab\" and "
                                 "\"c\""
                           : strstr(all[i].how, "exchanged")
                               ? "the parts are in the key and their order is not: each hash goes on with the number "
                                 "of the one before"
                               : "what is not in the key may change, and the old kernel is still found");
        }
    key_check_separators(program);
    key_check_places(program);
    const uint64_t elsewhere = key_find(other, &all[0].request);
    CHECK_THAT(elsewhere == all[0].key, CHECK_WRONG_RESULT, "the same request has another key in another process",
               .at = check_at_name("lab08_key"), .expected = "one key: the texts are the same",
               .cause = "is there an address in the key, or something of the process?");
    lab08_texts relabelled = all[0].request;
    snprintf(relabelled.label, sizeof relabelled.label, "another_name.cu");
    const uint64_t renamed = key_find(program, &relabelled);
    CHECK_THAT(renamed == all[0].key, CHECK_WRONG_RESULT, "the label changes the key",
               .at = check_at_name("label in lab08_key"), .expected = "one key: only the label differs",
               .cause = "the label is for messages, and the code is the same: such a key compiles again for nothing");
    for (int part = 0; part < LAB08_IN_PARTS; part++) key_check_many(program, (lab08_part)part);
}

/* Fails the check unless the table has so many entries after the call. */
static void check_count(const call *now, int entries)
{
    CHECK_THAT(now->after->table.count == entries, CHECK_RULE, "lab08_get does not add to the table what it has loaded",
               .at = place_of_load(now), .expected = check_text("a count of %d", entries),
               .found = check_text("%d", now->after->table.count),
               .cause = "after this call the kernel gets an entry at the end of the table, and the count is one more");
}

/* Fails the check unless this entry of the table, its last, is the kernel of the call, with the number of its context.
 */
static void check_context(const call *now, int place)
{
    const lab_trace_op *kernel = check_last_op(now->trace, LAB_OP_KERNEL);
    const uint64_t context = kernel ? check_stream(now->trace, kernel->stream)->context : 0;
    const lab08_entry *entry = &now->after->table.entry[place];
    check_count(now, place + 1);
    CHECK_THAT(entry->context == context, CHECK_WRONG_RESULT,
               "lab08_get writes another number for the context into the table", .at = place_of_load(now),
               .expected = check_text("context %llu in entry %d, by the record of the kernel",
                                      (unsigned long long)context, place),
               .found = check_text("%llu", (unsigned long long)entry->context),
               .cause = "lab_context_info.id is a number that no other context will have; a handle may be used again");
}

CHECK(hits_load_nothing, .points = 15, .schedule = "fifo",
      .title = "Task 2: what is loaded is found, all else is loaded",
      .hints = {"Task 2: when may lab08_get return without a call of lab08_load?",
                "Look through the entries of the table for the key of the request. If it is not there, load, find "
                "the kernel `answer`, and write an entry.",
                "if (table->entry[i].key == key && ...) { *kernel = table->entry[i].kernel; return LAB_SUCCESS; } "
                "Behind the loop: lab08_load, lab_module_get_function, table->entry[table->count++] = ..."})
{
    static const lab08_arguments plain = {0};
    check_program *program = check_start(sizeof(lab08_memory));
    const wanted base = new_wanted();
    const wanted request[] = {base, change(&base, FROM_HEADER), change(&base, FROM_SHIFT),
                              change(&base, FROM_ARCHITECTURE)};
    enum { REQUESTS = sizeof request / sizeof *request };
    for (int i = 0; i < REQUESTS; i++) {
        const call first = make_call(program, "lab08_get", &request[i], plain);
        check_answer(program, &first, &request[i]);
        check_loads(&first, 1, "nothing like this request was loaded before");
        check_count(&first, i + 1);
        const uint64_t key = key_find_same(program, &request[i].request), entered = first.after->table.entry[i].key;
        CHECK_THAT(entered == key, CHECK_RULE, "lab08_get writes another key into the table",
                   .at = place_of_load(&first),
                   .expected = check_text("%016llx, the request's key, in entry %d", (unsigned long long)key, i),
                   .found = check_text("%016llx", (unsigned long long)entered));
        check_context(&first, i);
        const int again = i ? i - 1 : 0; /* the one before: found among others */
        const call second = make_call(program, "lab08_get", &request[again], plain);
        check_answer(program, &second, &request[again]);
        check_loads(&second, 0, "this request was loaded before: its kernel is in the table");
    }
    wanted relabelled = base;
    snprintf(relabelled.request.label, sizeof relabelled.request.label, "another_name.cu");
    const call again = make_call(program, "lab08_get", &relabelled, plain);
    check_answer(program, &again, &relabelled);
    check_loads(&again, 0, "only the label differs");
    check_trace_begin(program);
    check_call(program, "lab08_clear", NULL, 0, NULL, 0);
    const int unloads = check_count_ops(check_trace(program), LAB_OP_MODULE_UNLOAD);
    CHECK_THAT(unloads == REQUESTS, CHECK_LEAK, "lab08_get loses modules that it has loaded",
               .at = check_at_name("lab08_get"),
               .expected = check_text("the %d modules that were loaded, in the table", REQUESTS),
               .found = check_text("%d", unloads));
    make_call(program, "lab08_get", &base, plain);
    const call anew = make_call(program, "lab08_get", &base, (lab08_arguments){.forgets = true});
    check_loads(&anew, 1, "the table's count is 0: what an earlier use has left in its entries means nothing");
    check_answer(program, &anew, &base);
}

CHECK(contexts_are_apart, .points = 10, .schedule = "fifo", .title = "Task 2: each context has its own",
      .hints = {"Task 2: to what does a module belong?",
                "A kernel can be launched only in the context in which its module was loaded. Each context has a "
                "number of its own.",
                "lab_context_get_info(&here, NULL) gives here.id. An entry is the right one if its key and its context "
                "are."})
{
    static const lab08_arguments calls[] = {
        {.context = 0}, {.context = 1}, {.context = 0}, {.context = 1}, {.context = 1, .ends = true},
        {.context = 2}, {.context = 2}, {.context = 1}};
    static const int loads[] = {1, 1, 0, 0, 0, 1, 0, 1};
    check_program *program = check_start(sizeof(lab08_memory));
    const wanted request = new_wanted();
    int entries = 0;
    key_find_same(program, &request.request);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        lab08_arguments arguments = calls[i];
        arguments.expects = true;
        const call now = make_call(program, "lab08_get", &request, arguments);
        check_loads(&now, loads[i],
                    loads[i] ? "the table has this kernel for another context only, where it cannot run"
                             : "the table has this kernel for this context");
        check_answer(program, &now, &request);
        if (loads[i]) check_context(&now, entries++);
    }
}

/* ------------------------------------------------------------------------------------------------------
 * Task 3
 */

/* The only file of the disk; NULL without one. Fails the check if there are more. */
static const lab08_stored *only_file(const call *now)
{
    const lab08_stored *found = NULL;
    int files = 0;
    for (int i = 0; i < LAB08_FILES; i++) {
        if (!now->after->disk[i].bytes) continue;
        found = &now->after->disk[i];
        files++;
    }
    CHECK_THAT(files <= 1, CHECK_RULE, "lab08_load writes a second file for the same request",
               .at = check_at_name("lab08_disk_write in lab08_load"), .expected = "one file for each request",
               .found = check_text("%d", files));
    return found;
}

/* Fails the check unless the disk has one sound file under this key, with the code that was loaded. */
static const lab08_stored *check_sound(const call *now, uint64_t key)
{
    const lab08_stored *file = only_file(now);
    CHECK_THAT(file, CHECK_RULE, "lab08_load writes no file",
               .at = check_at_name(now->after->writes ? "lab08_disk_write in lab08_load" : "end of lab08_load"),
               .expected = "a file with the code, for the next run",
               .found = now->after->writes ? "no file, although lab08_disk_write was called"
                                           : "no call of lab08_disk_write");
    const lab08_header *header = &file->file.header;
    const size_t bytes = file->bytes - sizeof *header, room = sizeof file->file.code;
    CHECK_THAT(file->name == key, CHECK_RULE, "the file has another name than the key",
               .at = check_at_name(now->after->writes ? "lab08_disk_write in lab08_load" : "end of lab08_load"),
               .expected = check_text("a file whose name is the key of its request: %016llx", (unsigned long long)key),
               .found = check_text("the name %016llx", (unsigned long long)file->name));
    CHECK_THAT(header->format == LAB08_FORMAT, CHECK_WRONG_RESULT, "the file does not begin with LAB08_FORMAT",
               .at = check_at_name("header in lab08_load"),
               .expected = check_text("a header, and then the code: %016llx in the first 8 bytes",
                                      (unsigned long long)LAB08_FORMAT),
               .found = check_text("%016llx", (unsigned long long)header->format));
    CHECK_THAT(file->bytes > sizeof *header && bytes <= room && header->bytes == bytes, CHECK_WRONG_RESULT,
               "the file does not end where its header says", .at = check_at_name("header in lab08_load"),
               .expected = "a header, then the code with the 0 at its end",
               .found = check_text("%zu bytes; the header has %zu, and says %llu for the code", file->bytes,
                                   sizeof *header, (unsigned long long)header->bytes));
    const size_t length = strnlen(file->file.code, bytes);
    CHECK_THAT(length + 1 == bytes, CHECK_WRONG_RESULT, "the file does not end with the 0 of its code",
               .at = check_at_name("header in lab08_load"), .expected = "a header, then the code with the 0 at its end",
               .found = length == bytes ? "no 0 among the bytes that the header counts" : "more bytes behind the 0",
               .cause = length == bytes ? "strlen does not count the 0 at the end of a text" : NULL);
    CHECK_THAT(header->key == key && header->hash == lab08_hash(LAB08_HASH, file->file.code, bytes), CHECK_WRONG_RESULT,
               "the file's header is not that of its code", .at = check_at_name("header in lab08_load"),
               .expected = "the key, and the hash of the code",
               .found = header->key != key ? "another key" : "another hash");
    return file;
}

/* Puts a file onto the program's disk, in place of all others. */
static void give_file(check_program *program, const lab08_stored *file)
{
    lab08_memory *memory = check_memory(program);
    memset(memory->disk, 0, sizeof memory->disk);
    memory->disk[0] = *file;
}

/* Fails the check if the whole file was not read. */
static void check_read(const call *now, uint64_t key, const lab08_stored *file)
{
    const lab08_memory *after = now->after;
    CHECK_THAT(after->reads && after->read_name == key && after->read_bytes == file->bytes, CHECK_RULE,
               "lab08_load does not read the file that is on the disk",
               .at = check_at_name(after->reads ? "lab08_disk_read in lab08_load" : "lab08_load"),
               .expected = check_text("the file %016llx read, all %zu bytes", (unsigned long long)key, file->bytes),
               .found = after->reads ? check_text("%zu bytes of the file %016llx", after->read_bytes,
                                                  (unsigned long long)after->read_name)
                                     : "no call of lab08_disk_read",
               .cause = "the file is there and sound: read it before lab08_compile");
}

CHECK(disk_saves_the_compiler, .points = 10, .schedule = "fifo", .title = "Task 3: the next run compiles nothing",
      .hints = {"Task 3: what is on the disk when lab08_load returns for the first time?",
                "Read the file under the key before you compile. Write it when the code has been loaded: header first, "
                "then the code.",
                "lab08_disk_read(&file, sizeof file, key); if it is sound, lab_module_load_source(module, file.code, "
                "request->label). At the end fill in file.header and lab08_disk_write(key, &file, sizeof file.header "
                "+ bytes), where bytes is strlen(file.code) + 1."})
{
    static const lab08_arguments plain = {0};
    const wanted request = new_wanted(), changed = change(&request, FROM_HEADER);
    check_program *first = check_start(sizeof(lab08_memory)), *next = check_start(sizeof(lab08_memory));
    const uint64_t key = key_find_same(first, &request.request);
    const call cold = make_call(first, "lab08_load", &request, plain);
    check_answer(first, &cold, &request);
    check_loads(&cold, 1, "the disk was empty");
    const lab08_stored *file = check_sound(&cold, key);
    give_file(next, file);
    const call warm = make_call(next, "lab08_load", &request, plain);
    check_answer(next, &warm, &request);
    check_loads(&warm, 1, "the file has the code of this request");
    if (strcmp(warm.module, cold.module) != 0) check_read(&warm, key, file);
    CHECK_THAT(strcmp(warm.module, cold.module) == 0, CHECK_RULE,
               "lab08_load does not load the code that is on the disk", .at = check_at_name("is_sound"),
               .expected = "the code that the file has", .found = "code that was compiled again",
               .cause = "the file was read and is sound: compare what its header says with what you know");
    const lab08_stored *kept = only_file(&warm);
    CHECK_THAT(kept && kept->bytes == file->bytes && memcmp(&kept->file, &file->file, file->bytes) == 0, CHECK_RULE,
               "lab08_load changes a file that is sound", .at = check_at_name("is_sound"),
               .expected = "the file as it was", .found = "another",
               .cause = "a file that is sound stays: write only what was compiled");
    const call other = make_call(next, "lab08_load", &changed, plain);
    check_answer(next, &other, &changed);
}

/* Ways in which a file is not sound. */
typedef enum damage {
    DAMAGE_CUT,
    DAMAGE_CUT_HEADER,
    DAMAGE_CUT_ZEROS,
    DAMAGE_DIGIT,
    DAMAGE_LONGER,
    DAMAGE_FORMAT,
    DAMAGE_OLDER,
    DAMAGE_KEY,
    DAMAGE_HUGE,
    DAMAGES
} damage;

static const char *const damage_text[] = {
    "was cut in the middle of its code",
    "was cut in the middle of its header",
    "lacks the end of its code, which was zeros",
    "has a digit of its code changed",
    "goes on behind the end that its header says",
    "was written in a later format",
    "was written in an earlier format",
    "has the code of another request, whose key it says",
    "has a header that says a length beyond all memory",
};

/* Damages a file. Whoever trusts it all the same runs a kernel with another number from the source. */
static lab08_stored damaged(const lab08_stored *from, damage how, int number)
{
    lab08_stored made = *from;
    lab08_header *header = &made.file.header;
    char digits[32];
    snprintf(digits, sizeof digits, "{%d", number);
    char *digit = strstr(made.file.code, digits);
    if (!digit) check_fail(CHECK_WRONG_RESULT, "the file does not have the code of its request");
    digit[1] = digit[1] == '9' ? '1' : '9';
    if (how == DAMAGE_CUT_ZEROS) header->bytes += 64;
    if (how != DAMAGE_DIGIT) header->hash = lab08_hash(LAB08_HASH, made.file.code, header->bytes);
    if (how == DAMAGE_CUT) made.bytes -= header->bytes / 2;
    if (how == DAMAGE_CUT_HEADER) {
        made.bytes = sizeof *header - 1;
        header->bytes = made.bytes - sizeof *header; /* so that only the length of the file tells */
    }
    if (how == DAMAGE_LONGER) {
        memset(made.file.code + header->bytes, 'x', 40);
        made.bytes += 40;
    }
    if (how == DAMAGE_FORMAT) header->format++;
    if (how == DAMAGE_OLDER) header->format--;
    if (how == DAMAGE_KEY) header->key++;
    if (how == DAMAGE_HUGE) header->bytes = UINT64_MAX - sizeof *header;
    return made;
}

CHECK(damaged_files_are_replaced, .points = 10, .schedule = "fifo", .after = "disk_saves_the_compiler",
      .title = "Task 3: a damaged file is replaced, never trusted",
      .hints = {"Task 3: what can have happened to a file since it was written?",
                "A crash cuts it, a disk changes it, somebody copies it, another version writes it. Compare each part "
                "of the header with what you know.",
                "count >= sizeof(lab08_header), format, key, header.bytes == count - sizeof(lab08_header), and "
                "lab08_hash(LAB08_HASH, file->code, header.bytes) == header.hash, in this order."})
{
    const lab08_arguments expects = {.expects = true};
    const wanted request = new_wanted();
    check_program *program = check_start(sizeof(lab08_memory));
    const uint64_t key = key_find(program, &request.request);
    const call cold = make_call(program, "lab08_load", &request, expects);
    check_answer(program, &cold, &request);
    const lab08_stored *sound = check_sound(&cold, key);
    /* A damaged file may be this process's own or another's: each in turn, and which first is drawn. */
    check_program *const process[] = {program, check_start(sizeof(lab08_memory))};
    const int first = check_draw(0, 1);
    for (int how = 0; how < DAMAGES; how++) {
        const lab08_stored file = damaged(sound, (damage)how, request.number[FROM_SOURCE]);
        program = process[(first + how) % 2];
        /* The two formats share one compilation: the check has little time. */
        const lab08_arguments here = {.expects = true, .fixed = how == DAMAGE_FORMAT || how == DAMAGE_OLDER};
        give_file(program, &file);
        const call now = make_call(program, "lab08_load", &request, here);
        const lab_status status = (lab_status)now.after->status;
        CHECK_THAT(status == LAB_SUCCESS || status == LAB_ERROR_INVALID_SOURCE || now.after->lacks, CHECK_WRONG_RESULT,
                   check_text("lab08_load fails because of a file that %s", damage_text[how]),
                   .at = check_at_name("is_sound in lab08_load"),
                   .expected = check_text("the code compiled again: the file %s", damage_text[how]),
                   .found = lab_status_name(status),
                   .cause = "a file that is not sound is no error: compile, and replace it");
        CHECK_THAT(status == LAB_SUCCESS && now.after->numbers[0] == request.number[0], CHECK_WRONG_RESULT,
                   check_text("lab08_load loads the code of a file that %s", damage_text[how]),
                   .at = check_at_name("is_sound"),
                   .expected = check_text("the code compiled again: the file %s", damage_text[how]),
                   .found = now.after->lacks        ? "code without the kernel `answer`"
                            : status == LAB_SUCCESS ? "a kernel with another number"
                                                    : "code that does not compile",
                   .cause = check_text("the file was trusted, which %s", damage_text[how]));
        check_answer(program, &now, &request);
        check_loads(&now, 1, "the code that was compiled");
        check_sound(&now, key);
        const call again = make_call(program, "lab08_load", &request, expects);
        CHECK_THAT(strcmp(again.module, now.module) == 0, CHECK_RULE, "the next run compiles again",
                   .at = place_of_load(&again), .expected = "the damaged file replaced",
                   .found = check_text("compiled again: the file %s", damage_text[how]));
    }
}

CHECK(failures_are_not_kept, .points = 5, .schedule = "fifo", .after = "hits_load_nothing",
      .title = "What failed is not kept; a full disk is no failure",
      .hints = {"What is in the table and on the disk after a source that does not compile?",
                "First load, then write. A module without the kernel is unloaded. Nobody needs the answer of "
                "lab08_disk_write.",
                "lab_module_load_source before lab08_disk_write, whose result is ignored; if lab_module_get_function "
                "fails, lab_module_unload(module) and return that status."})
{
    const lab08_arguments expects = {.expects = true}, full = {.full = true, .expects = true};
    check_program *program = check_start(sizeof(lab08_memory));
    const wanted request = new_wanted();
    wanted wrong = request, missing = request;
    snprintf(wrong.request.source, sizeof wrong.request.source, "this is no code\n");
    snprintf(missing.request.source, sizeof missing.request.source,
             "/* %lld */ extern \"C\" __global__ void another(int *out) { *out = 0; }\n", new_number());
    const call failed = make_call(program, "lab08_get", &wrong, expects);
    CHECK_THAT(failed.after->status == LAB_ERROR_INVALID_SOURCE, CHECK_WRONG_RESULT,
               "the status for a source that does not compile is lost", .at = check_at_name("lab08_load"),
               .expected = lab_status_name(LAB_ERROR_INVALID_SOURCE),
               .found = lab_status_name((lab_status)failed.after->status));
    CHECK_THAT(!only_file(&failed), CHECK_RULE, "code that does not load is on the disk",
               .at = check_at_name("lab08_disk_write in lab08_load"),
               .expected = "no file: it would fail again in every run");
    const call empty = make_call(program, "lab08_get", &missing, expects);
    CHECK_THAT(empty.after->status == LAB_ERROR_NOT_FOUND, CHECK_WRONG_RESULT,
               "the status for a source without the kernel is lost", .at = check_at_name("lab08_get"),
               .expected = lab_status_name(LAB_ERROR_NOT_FOUND),
               .found = lab_status_name((lab_status)empty.after->status));
    CHECK_THAT(empty.after->table.count == 0 && empty.loads == empty.unloads, CHECK_LEAK,
               "lab08_get keeps what it could not load whole",
               .at = empty.after->table.count ? place_of_load(&empty) : check_at_name("end of lab08_get"),
               .expected = "an empty table, and the module unloaded",
               .found = check_text("%d entries; %d loaded, %d unloaded", empty.after->table.count, empty.loads,
                                   empty.unloads));
    const call lost = make_call(program, "lab08_get", &request, full);
    CHECK_THAT(lost.after->status == LAB_SUCCESS, CHECK_WRONG_RESULT, "lab08_load fails if the disk is full",
               .at = check_at_name("lab08_load"), .expected = "the kernel, and no file",
               .found = lab_status_name((lab_status)lost.after->status),
               .cause = "without room on the disk the next run compiles again, and nothing else is lost");
    check_answer(program, &lost, &request);
}

/* ------------------------------------------------------------------------------------------------------
 * Failures
 */

/* A request that is the same in every run. */
static void give_request(check_program *program, const void *user)
{
    static const int number[LAB08_NUMBERS] = {1, 2, 3, 4, 5, 6};
    lab08_memory *memory = check_memory(program);
    (void)user;
    memory->request = make_wanted(number).request;
    memset(memory->disk, 0, sizeof memory->disk);
    check_call(program, "lab08_clear", NULL, 0, NULL, 0);
}

static void give_source(check_program *program, const void *user)
{
    lab08_memory *memory = check_memory(program);
    (void)user;
    snprintf(memory->request.source, sizeof memory->request.source, "extern \"C\" __global__ void nothing(void) {}\n");
}

static const lab08_arguments fixed = {.fixed = true};

/* The same request, whose file the disk has. */
static void give_request_and_file(check_program *program, const void *user)
{
    give_request(program, user);
    check_call(program, "lab08_load", &fixed, sizeof fixed, NULL, 0);
}

CHECK(failures_are_passed_on, .points = 5, .schedule = "fifo", .any_order = true,
      .after = "costs_are_separate, hits_load_nothing", .title = "A call that fails ends the function, with its status",
      .hints = CHECK_FAILURE_HINTS("LAB_TRY around each call; in lab08_measure the context is destroyed first, and in "
                                   "lab08_get the module unloaded."))
{
    static const struct {
        const char *function;
        void (*prepare)(check_program *program, const void *user);
    } each[] = {{"lab08_measure", give_source},
                {"lab08_get", give_request},
                {"lab08_load", give_request},
                {"lab08_load", give_request_and_file}};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        check_failures(&(check_failing){.function = each[i].function,
                                        .arguments = &fixed,
                                        .argument_bytes = sizeof fixed,
                                        .memory_bytes = sizeof(lab08_memory),
                                        .prepare = each[i].prepare,
                                        .gives_back = i ? NULL : "context",
                                        .at_once = true});
}
