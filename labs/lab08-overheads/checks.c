/* The checks of lab 08: the costs of a first call one by one, the key of a kernel, the kernels of a process, and those
 * on a disk. */
#include "checks_call.h"

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
static void need_the_cache(bool compiles)
{
    if (compiles) check_not_measured("the library's cache of kernels keeps nothing; build/bin/labcache says why");
}

/* ---- Task 1 ------------------------------------------------------------------------------------------------------ */

static const char *const cost_name[] = {"the context", "the compilation", "the load", "the first launch",
                                        "the next launch"};

/* The source of a kernel that does nothing, new in each call. */
static void give_nothing(lab08_memory *memory)
{
    snprintf(memory->request.source, sizeof memory->request.source,
             "/* %lld */\nextern \"C\" __global__ void nothing(void) {}\n", new_number());
}

/* Finds the laps of a call: each is what lies between two calls of lab08_lap. */
static void find_laps(check_span found[LAB08_COSTS], check_span span)
{
    int cost = 0;
    const lab_trace_op *begins = span.begins;
    for (const lab_trace_op *op = span.begins + 1; op < span.ends; op++) {
        if (op->kind != LAB_OP_MARK || strncmp(op->name, LAB08_LAP, strlen(LAB08_LAP)) != 0) continue;
        const int charged = atoi(op->name + strlen(LAB08_LAP));
        const bool known = charged >= 0 && charged < LAB08_COSTS;
        CHECK_THAT(cost < LAB08_COSTS && check_is_mark(op, check_text(LAB08_LAP "%d", cost)), CHECK_RULE,
                   "lab08_measure does not call lab08_lap for each cost in turn",
                   .at = check_at_after(op, begins + 1 < op ? begins + 1 : op),
                   .expected = cost < LAB08_COSTS ? cost_name[cost] : "no lap after that of the next launch",
                   .found = check_text("%s in lap %d", known ? cost_name[charged] : "no cost of the list", cost + 1));
        found[cost++] = (check_span){.begins = begins, .ends = op, .function = span.function};
        begins = op;
    }
    CHECK_THAT(cost == LAB08_COSTS, CHECK_RULE, "lab08_measure does not call lab08_lap for each cost",
               .at = cost ? check_at(begins) : check_at_name("lab08_measure"),
               .expected = check_text("%d laps", LAB08_COSTS), .found = check_text("%d", cost),
               .cause = cost ? check_text("after this lap comes that of %s", cost_name[cost]) : NULL);
}

/* The last call in a lap that is no cost, no wait and no note; NULL without one. */
static const lab_trace_op *find_other(check_span lap)
{
    static const lab_op_kind known[] = {
        LAB_OP_CONTEXT_CREATE, LAB_OP_MODULE_LOAD, LAB_OP_KERNEL,       LAB_OP_STREAM_SYNC, LAB_OP_DEVICE_SYNC,
        LAB_OP_CONTEXT_SYNC,   LAB_OP_EVENT_SYNC,  LAB_OP_STREAM_QUERY, LAB_OP_EVENT_QUERY, LAB_OP_EVENT_RECORD};
    const lab_trace_op *other = NULL;
    for (const lab_trace_op *op = lap.begins + 1; op < lap.ends; op++) {
        bool is_known = check_is_note(op);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) is_known |= op->kind == known[i];
        if (!is_known) other = op;
    }
    return other;
}

/* Fails the check unless the lap has exactly what belongs to its cost. */
static void check_lap(check_span lap, int cost)
{
    const int contexts = cost == LAB08_CONTEXT, loads = cost == LAB08_COMPILE || cost == LAB08_LOAD,
              kernels = cost >= LAB08_FIRST, its_contexts = check_count_in(lap, LAB_OP_CONTEXT_CREATE),
              its_loads = check_count_in(lap, LAB_OP_MODULE_LOAD), its_kernels = check_count_in(lap, LAB_OP_KERNEL);
    const lab_trace_op *other = find_other(lap);
    CHECK_THAT(
        its_contexts == contexts && its_loads == loads && its_kernels == kernels && !other, CHECK_RULE,
        check_text("the lap of %s does not measure %s alone", cost_name[cost], cost_name[cost]),
        .at = check_at(other ? other : lap.ends),
        .expected = contexts ? "one call that makes a context"
                    : loads  ? "one load"
                             : "one launch, and a wait",
        .found = check_text("contexts made: %d, loads: %d, launches: %d%s%s", its_contexts, its_loads, its_kernels,
                            other ? ", other calls: " : "", other ? lab_op_kind_name(other->kind) : ""),
        .cause = "a lap charges everything since the lap before it: what lies between the two calls of lab08_lap?");
}

/* Fails the check unless the launch was waited for before its lap. */
static void check_has_run(const lab_trace *trace, check_span lap, int cost)
{
    const lab_trace_op *kernel = check_op_in(lap, LAB_OP_KERNEL, 0),
                       *wait = lab_relations_waited_by(check_relations(trace), kernel->id);
    CHECK_THAT(wait && wait < lap.ends, CHECK_RULE,
               check_text("the lap of %s ends before its kernel has run", cost_name[cost]), .at = check_at(kernel),
               .expected = "a call that waits for the kernel, before the lap", .found = "none",
               .cause = "a launch returns before its kernel has run: without a wait only the call is measured");
}

/* One call of lab08_measure with a new source: each lap has its cost, and nothing else. */
static void check_laps(check_program *program, bool shows_times)
{
    check_span found[LAB08_COSTS];
    give_nothing(check_memory(program));
    check_trace_begin(program);
    check_call(program, "lab08_measure", NULL, 0, NULL, 0);
    const lab_trace *trace = check_trace(program);
    const check_span span = check_between(trace, LAB08_BEGINS, LAB08_ENDS, "lab08_measure");
    find_laps(found, span);
    for (int cost = 0; cost < LAB08_COSTS; cost++) check_lap(found[cost], cost);
    const lab_trace_op *compiled = check_op_in(span, LAB_OP_MODULE_LOAD, 0),
                       *loaded = check_op_in(span, LAB_OP_MODULE_LOAD, 1);
    CHECK_THAT(strcmp(compiled->module, loaded->module) == 0, CHECK_RULE,
               "the second load has another source than the first", .at = check_at(loaded),
               .expected = "the same source as in the load before");
    CHECK_THAT(compiled->compile_ns > 0, CHECK_RULE, "the first load does not load the source that it was given",
               .at = check_at(compiled), .expected = "a load that compiles: the source is new");
    CHECK_THAT(strcmp(compiled->name, loaded->name) == 0, CHECK_RULE, "the second load has another name",
               .at = check_at(loaded),
               .cause = "the name is a part of the library's key: it belongs to messages, and these are kept");
    need_the_cache(loaded->compile_ns > 0);
    const uint64_t context = check_op_in(span, LAB_OP_CONTEXT_CREATE, 0)->object;
    for (int cost = LAB08_FIRST; cost < LAB08_COSTS; cost++) {
        const lab_trace_op *kernel = check_op_in(found[cost], LAB_OP_KERNEL, 0);
        CHECK_THAT(
            strcmp(kernel->name, "nothing") == 0 && strcmp(kernel->module, compiled->module) == 0 &&
                kernel->grid.x == 1 && kernel->block.x == 1 && check_stream(trace, kernel->stream)->context == context,
            CHECK_RULE, check_text("%s is not that of `nothing` with one thread", cost_name[cost]),
            .at = check_at(kernel),
            .expected = "the kernel `nothing` of the source, one block of one thread, in the context that was made",
            .found = check_text("%s, %u blocks of %u threads", kernel->name, kernel->grid.x, kernel->block.x));
        check_has_run(trace, found[cost], cost);
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
        const double at = (double)op->call_ns * 1e-6, took = (double)op->return_ns * 1e-6 - at;
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
            begins = at;
        } else if (op->kind == LAB_OP_DEVICE_SYNC) {
            found.milliseconds[launch] = at + took - begins;
        }
    }
    return found;
}

/* Shows what each run took, part by part. */
static void show_payments(const payment paid[LAB08_RUNS], const char *const run[LAB08_RUNS])
{
    for (int r = 0; r < LAB08_RUNS; r++)
        for (int cost = 0; cost < LAB08_COSTS; cost++)
            if (paid[r].milliseconds[cost] > 0)
                check_timing(check_text("%s: %s", run[r] + strlen("the "), cost_name[cost] + strlen("the ")),
                             CHECK_REFERENCE, &paid[r].milliseconds[cost], 1);
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
    need_the_cache(paid[LAB08_WARM].paid[LAB08_COMPILE]);
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

/* ---- Task 2 ------------------------------------------------------------------------------------------------------ */

/* A request whose key must not be that of any other in the list, and how it differs from the first. */
static const struct {
    const char *how, *look_at; /* where the part is missing: at the part before it; NULL: anywhere */
    lab08_texts request;
} distinct[] = {
    {"nothing", NULL, {"ab", "cd", "ef", "a.cu", 80, 1300}},
    {"the source", NULL, {"aB", "cd", "ef", "a.cu", 80, 1300}},
    {"the header", "source", {"ab", "cD", "ef", "a.cu", 80, 1300}},
    {"the options", "header", {"ab", "cd", "eF", "a.cu", 80, 1300}},
    {"the architecture", "options", {"ab", "cd", "ef", "a.cu", 90, 1300}},
    {"the compiler's version", "architecture", {"ab", "cd", "ef", "a.cu", 80, 1301}},
    {"a letter that moved from the source to the header", "source", {"a", "bcd", "ef", "a.cu", 80, 1300}},
    {"a letter that moved from the header to the source", "source", {"abc", "d", "ef", "a.cu", 80, 1300}},
    {"a letter that moved from the header to the options", "header", {"ab", "c", "def", "a.cu", 80, 1300}},
    {"a letter that moved from the options to the header", "header", {"ab", "cde", "f", "a.cu", 80, 1300}},
    {"a letter that moved from the options to the source", "source", {"abf", "cd", "e", "a.cu", 80, 1300}},
    {"a letter that moved from the source to the options", "source", {"b", "cd", "efa", "a.cu", 80, 1300}},
    {"source and header, exchanged", "source", {"cd", "ab", "ef", "a.cu", 80, 1300}},
    {"header and options, exchanged", "header", {"ab", "ef", "cd", "a.cu", 80, 1300}},
    {"source and options, exchanged", "source", {"ef", "cd", "ab", "a.cu", 80, 1300}},
    {"architecture and version, exchanged", "architecture", {"ab", "cd", "ef", "a.cu", 1300, 80}},
    {"a blank in the source", NULL, {"a b", "cd", "ef", "a.cu", 80, 1300}},
    {"a blank in the header", NULL, {"ab", "c d", "ef", "a.cu", 80, 1300}},
    {"a blank in the options", NULL, {"ab", "cd", "e f", "a.cu", 80, 1300}},
    {"empty texts", NULL, {"", "", "", "a.cu", 80, 1300}},
    {"the highest byte of the architecture", "architecture", {"ab", "cd", "ef", "a.cu", 80 + (1 << 24), 1300}},
    {"the highest byte of the compiler's version", "compiler", {"ab", "cd", "ef", "a.cu", 80, 1300 + (1 << 24)}},
};
enum { DISTINCT = sizeof distinct / sizeof *distinct };

/* Why two requests have one key, by how the later differs from the first. */
static const char *cause_of_one_key(const char *how)
{
    return strstr(how, "moved") ? "without something between them, \"a\" and \"bc\" are the same bytes as \"ab\" and "
                                  "\"c\""
           : strstr(how, "exchanged")
               ? "the parts are in the key and their order is not: each hash goes on with the number of the one before"
               : "what is not in the key may change, and the old kernel is still found";
}

CHECK(key_has_everything, .points = 15, .schedule = "fifo", .title = "Task 2: the key has everything, and nothing else",
      .hints = {"Task 2: which changes of a request make other code? Which do not?",
                "A text counts, not its address. Where one text ends and the next begins counts too: its final 0 marks "
                "that.",
                "hash_text for source, header and options; lab08_hash with the address and size of architecture and of "
                "compiler; each call goes on with the number of the call before. Nothing of the label."})
{
    check_program *program = check_start(sizeof(lab08_keys)), *other = check_start(sizeof(lab08_memory));
    uint64_t key[DISTINCT];
    for (int i = 0; i < DISTINCT; i++) key[i] = key_find_same(program, &distinct[i].request);
    for (int i = 0; i < DISTINCT; i++)
        for (int k = 0; k < i; k++)
            CHECK_THAT(key[i] != key[k], CHECK_WRONG_RESULT, "two requests with different code have one key",
                       .at = check_at_name(distinct[i].look_at ? check_text("%s in lab08_key", distinct[i].look_at)
                                                               : "lab08_key"),
                       .expected =
                           check_text("two keys: what differs is %s", k ? "more than one part" : distinct[i].how),
                       .found = check_text("%016llx for both", (unsigned long long)key[i]),
                       .cause = cause_of_one_key(distinct[i].how));
    key_check_separators(program);
    key_check_places(program);
    const uint64_t elsewhere = key_find(other, &distinct[0].request);
    CHECK_THAT(elsewhere == key[0], CHECK_WRONG_RESULT, "the same request has another key in another process",
               .at = check_at_name("lab08_key"), .expected = "one key: the texts are the same",
               .cause = "is there an address in the key, or something of the process?");
    lab08_texts relabelled = distinct[0].request;
    snprintf(relabelled.label, sizeof relabelled.label, "another_name.cu");
    const uint64_t renamed = key_find(program, &relabelled);
    CHECK_THAT(renamed == key[0], CHECK_WRONG_RESULT, "the label changes the key",
               .at = check_at_name("label in lab08_key"), .expected = "one key: only the label differs",
               .cause = "the label is for messages, and the code is the same: such a key compiles again for nothing");
    for (int part = 0; part < LAB08_IN_PARTS; part++) key_check_many(program, (lab08_part)part);
}

/* Fails the check unless the table has so many entries after the call. */
static void check_count(const call *now, int entries)
{
    CHECK_THAT(now->after->table.count == entries, CHECK_RULE, "lab08_get does not add to the table what it has loaded",
               .at = call_place(now), .expected = check_text("a count of %d", entries),
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
               "lab08_get writes another number for the context into the table", .at = call_place(now),
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
    const wanted base = wanted_new();
    const wanted request[] = {base, wanted_change(&base, FROM_HEADER), wanted_change(&base, FROM_SHIFT),
                              wanted_change(&base, FROM_ARCHITECTURE)};
    enum { REQUESTS = sizeof request / sizeof *request };
    for (int i = 0; i < REQUESTS; i++) {
        const call first = call_make(program, "lab08_get", &request[i], plain);
        call_check_answer(program, &first, &request[i]);
        call_check_loads(&first, 1, "nothing like this request was loaded before");
        check_count(&first, i + 1);
        const uint64_t key = key_find_same(program, &request[i].request), entered = first.after->table.entry[i].key;
        CHECK_THAT(entered == key, CHECK_RULE, "lab08_get writes another key into the table", .at = call_place(&first),
                   .expected = check_text("%016llx, the request's key, in entry %d", (unsigned long long)key, i),
                   .found = check_text("%016llx", (unsigned long long)entered));
        check_context(&first, i);
        const int again = i ? i - 1 : 0; /* the one before: found among others */
        const call second = call_make(program, "lab08_get", &request[again], plain);
        call_check_answer(program, &second, &request[again]);
        call_check_loads(&second, 0, "this request was loaded before: its kernel is in the table");
    }
    wanted relabelled = base;
    snprintf(relabelled.request.label, sizeof relabelled.request.label, "another_name.cu");
    const call again = call_make(program, "lab08_get", &relabelled, plain);
    call_check_answer(program, &again, &relabelled);
    call_check_loads(&again, 0, "only the label differs");
    check_trace_begin(program);
    check_call(program, "lab08_clear", NULL, 0, NULL, 0);
    const int unloads = check_count_ops(check_trace(program), LAB_OP_MODULE_UNLOAD);
    CHECK_THAT(unloads == REQUESTS, CHECK_LEAK, "lab08_get loses modules that it has loaded",
               .at = check_at_name("lab08_get"),
               .expected = check_text("the %d modules that were loaded, in the table", REQUESTS),
               .found = check_text("%d", unloads));
    call_make(program, "lab08_get", &base, plain);
    const call forgotten = call_make(program, "lab08_get", &base, (lab08_arguments){.forgets = true});
    call_check_loads(&forgotten, 1,
                     "the table's count is 0: what an earlier use has left in its entries means nothing");
    call_check_answer(program, &forgotten, &base);
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
    const wanted request = wanted_new();
    int entries = 0;
    key_find_same(program, &request.request);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        lab08_arguments arguments = calls[i];
        arguments.expects = true;
        const call now = call_make(program, "lab08_get", &request, arguments);
        call_check_loads(&now, loads[i],
                         loads[i] ? "the table has this kernel for another context only, where it cannot run"
                                  : "the table has this kernel for this context");
        call_check_answer(program, &now, &request);
        if (loads[i]) check_context(&now, entries++);
    }
}

/* ---- Task 3 ------------------------------------------------------------------------------------------------------ */

CHECK(disk_saves_the_compiler, .points = 10, .schedule = "fifo", .title = "Task 3: the next run compiles nothing",
      .hints = {"Task 3: what is on the disk when lab08_load returns for the first time?",
                "Read the file under the key before you compile. Write it when the code has been loaded: header first, "
                "then the code.",
                "lab08_disk_read(&file, sizeof file, key); if it is sound, lab_module_load_source(module, file.code, "
                "request->label). At the end fill in file.header and lab08_disk_write(key, &file, sizeof file.header "
                "+ bytes), where bytes is strlen(file.code) + 1."})
{
    static const lab08_arguments plain = {0};
    const wanted request = wanted_new(), changed = wanted_change(&request, FROM_HEADER);
    check_program *first = check_start(sizeof(lab08_memory)), *next = check_start(sizeof(lab08_memory));
    const uint64_t key = key_find_same(first, &request.request);
    const call cold = call_make(first, "lab08_load", &request, plain);
    call_check_answer(first, &cold, &request);
    call_check_loads(&cold, 1, "the disk was empty");
    const lab08_stored *file = disk_check_sound(&cold, key);
    disk_give(next, file);
    const call warm = call_make(next, "lab08_load", &request, plain);
    call_check_answer(next, &warm, &request);
    call_check_loads(&warm, 1, "the file has the code of this request");
    if (strcmp(warm.module, cold.module) != 0) disk_check_read(&warm, key, file);
    CHECK_THAT(strcmp(warm.module, cold.module) == 0, CHECK_RULE,
               "lab08_load does not load the code that is on the disk", .at = check_at_name("is_sound"),
               .expected = "the code that the file has", .found = "code that was compiled again",
               .cause = "the file was read and is sound: compare what its header says with what you know");
    const lab08_stored *kept = disk_only_file(&warm);
    CHECK_THAT(kept && kept->bytes == file->bytes && memcmp(&kept->file, &file->file, file->bytes) == 0, CHECK_RULE,
               "lab08_load changes a file that is sound", .at = check_at_name("is_sound"),
               .expected = "the file as it was", .found = "another",
               .cause = "a file that is sound stays: write only what was compiled");
    const call other = call_make(next, "lab08_load", &changed, plain);
    call_check_answer(next, &other, &changed);
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
    const wanted request = wanted_new();
    check_program *program = check_start(sizeof(lab08_memory));
    const uint64_t key = key_find(program, &request.request);
    const call cold = call_make(program, "lab08_load", &request, expects);
    call_check_answer(program, &cold, &request);
    const lab08_stored *sound = disk_check_sound(&cold, key);
    /* A damaged file may be this process's own or another's: each in turn, and which first is drawn. */
    check_program *const process[] = {program, check_start(sizeof(lab08_memory))};
    const int first = check_draw(0, 1);
    for (int how = 0; how < DAMAGES; how++) {
        const lab08_stored file = disk_damaged(sound, how, request.number[FROM_SOURCE]);
        program = process[(first + how) % 2];
        /* The two formats share one compilation: the check has little time. */
        const lab08_arguments here = {.expects = true, .fixed = how == FORMAT || how == OLDER};
        disk_give(program, &file);
        const call now = call_make(program, "lab08_load", &request, here);
        const lab_status status = (lab_status)now.after->status;
        CHECK_THAT(status == LAB_SUCCESS || status == LAB_ERROR_INVALID_SOURCE || now.after->lacks, CHECK_WRONG_RESULT,
                   check_text("lab08_load fails because of a file that %s", disk_damage[how]),
                   .at = check_at_name("is_sound in lab08_load"),
                   .expected = check_text("the code compiled again: the file %s", disk_damage[how]),
                   .found = lab_status_name(status),
                   .cause = "a file that is not sound is no error: compile, and replace it");
        CHECK_THAT(status == LAB_SUCCESS && now.after->numbers[0] == request.number[0], CHECK_WRONG_RESULT,
                   check_text("lab08_load loads the code of a file that %s", disk_damage[how]),
                   .at = check_at_name("is_sound"),
                   .expected = check_text("the code compiled again: the file %s", disk_damage[how]),
                   .found = now.after->lacks        ? "code without the kernel `answer`"
                            : status == LAB_SUCCESS ? "a kernel with another number"
                                                    : "code that does not compile",
                   .cause = check_text("the file was trusted, which %s", disk_damage[how]));
        call_check_answer(program, &now, &request);
        call_check_loads(&now, 1, "the code that was compiled");
        disk_check_sound(&now, key);
        const call again = call_make(program, "lab08_load", &request, expects);
        CHECK_THAT(strcmp(again.module, now.module) == 0, CHECK_RULE, "the next run compiles again",
                   .at = call_place(&again), .expected = "the damaged file replaced",
                   .found = check_text("compiled again: the file %s", disk_damage[how]));
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
    const wanted request = wanted_new();
    wanted wrong = request, missing = request;
    snprintf(wrong.request.source, sizeof wrong.request.source, "this is no code\n");
    snprintf(missing.request.source, sizeof missing.request.source,
             "/* %lld */ extern \"C\" __global__ void another(int *out) { *out = 0; }\n", new_number());
    const call failed = call_make(program, "lab08_get", &wrong, expects);
    CHECK_THAT(failed.after->status == LAB_ERROR_INVALID_SOURCE, CHECK_WRONG_RESULT,
               "the status for a source that does not compile is lost", .at = check_at_name("lab08_load"),
               .expected = lab_status_name(LAB_ERROR_INVALID_SOURCE),
               .found = lab_status_name((lab_status)failed.after->status));
    CHECK_THAT(!disk_only_file(&failed), CHECK_RULE, "code that does not load is on the disk",
               .at = check_at_name("lab08_disk_write in lab08_load"),
               .expected = "no file: it would fail again in every run");
    const call empty = call_make(program, "lab08_get", &missing, expects);
    const int unloads = check_count_in(empty.span, LAB_OP_MODULE_UNLOAD);
    CHECK_THAT(empty.after->status == LAB_ERROR_NOT_FOUND, CHECK_WRONG_RESULT,
               "the status for a source without the kernel is lost", .at = check_at_name("lab08_get"),
               .expected = lab_status_name(LAB_ERROR_NOT_FOUND),
               .found = lab_status_name((lab_status)empty.after->status));
    CHECK_THAT(empty.after->table.count == 0 && empty.loads == unloads, CHECK_LEAK,
               "lab08_get keeps what it could not load whole",
               .at = empty.after->table.count ? call_place(&empty) : check_at_name("end of lab08_get"),
               .expected = "an empty table, and the module unloaded",
               .found =
                   check_text("%d entries; %d loaded, %d unloaded", empty.after->table.count, empty.loads, unloads));
    const call lost = call_make(program, "lab08_get", &request, full);
    CHECK_THAT(lost.after->status == LAB_SUCCESS, CHECK_WRONG_RESULT, "lab08_load fails if the disk is full",
               .at = check_at_name("lab08_load"), .expected = "the kernel, and no file",
               .found = lab_status_name((lab_status)lost.after->status),
               .cause = "without room on the disk the next run compiles again, and nothing else is lost");
    call_check_answer(program, &lost, &request);
}

/* ---- Failures ---------------------------------------------------------------------------------------------------- */

/* A request that is the same in every run. */
static void give_request(check_program *program, const void *user)
{
    static const int number[LAB08_NUMBERS] = {1, 2, 3, 4, 5, 6};
    lab08_memory *memory = check_memory(program);
    (void)user;
    memory->request = wanted_make(number).request;
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
