/* The checks of lab 08: the costs of a first call one by one, the key of a kernel, the kernels of a process, and those
 * on a disk. */
#include "checks_call.h"
#include "find.h"

#include <stdio.h>
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

static const lab08_arguments plain = {0}, expects = {.expects = true}, fixed = {.fixed = true};

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
        const int charged = check_numbered(op, LAB08_LAP, LAB08_COSTS);
        CHECK_THAT(cost < LAB08_COSTS && charged == cost, CHECK_RULE,
                   "lab08_measure does not call lab08_lap for each cost in turn",
                   .at = check_at_after(op, begins + 1 < op ? begins + 1 : op),
                   .expected = cost < LAB08_COSTS ? cost_name[cost] : "no lap after that of the next launch",
                   .found =
                       check_text("%s in lap %d", charged >= 0 ? cost_name[charged] : "no cost of the list", cost + 1));
        found[cost++] = (check_span){.begins = begins, .ends = op, .function = span.function};
        begins = op;
    }
    CHECK_THAT(cost == LAB08_COSTS, CHECK_RULE, "lab08_measure does not call lab08_lap for each cost",
               .at = cost ? check_at(begins) : check_at_name("lab08_measure"),
               .expected = check_text("%d laps", LAB08_COSTS), .found = check_text("%d", cost),
               .cause = cost ? check_text("after this lap comes that of %s", cost_name[cost]) : NULL);
}

/* Fails the check unless the lap has exactly the call that its cost is paid by, and waits. What the lap lacks may be in
 * the next one. */
static void check_lap(check_span lap, check_span next, int cost)
{
    static const lab_op_kind paid_by[] = {LAB_OP_CONTEXT_CREATE, LAB_OP_MODULE_LOAD, LAB_OP_MODULE_LOAD, LAB_OP_KERNEL,
                                          LAB_OP_KERNEL};
    static const lab_op_kind waits[] = {LAB_OP_STREAM_SYNC,  LAB_OP_DEVICE_SYNC, LAB_OP_CONTEXT_SYNC, LAB_OP_EVENT_SYNC,
                                        LAB_OP_STREAM_QUERY, LAB_OP_EVENT_QUERY, LAB_OP_EVENT_RECORD};
    const char *one = lab_op_kind_name(paid_by[cost]);
    const lab_trace_op *other = NULL;
    for (const lab_trace_op *op = lap.begins + 1; op < lap.ends; op++) {
        bool belongs = op->kind == paid_by[cost] || check_is_note(op);
        for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) belongs |= op->kind == waits[i];
        if (!belongs) other = op;
    }
    const int nexts = cost < LAB08_NEXT && paid_by[cost + 1] == paid_by[cost];
    const bool later = check_count_in(lap, paid_by[cost]) == 0 && check_count_in(next, paid_by[cost]) > nexts;
    CHECK_THAT(
        check_count_in(lap, paid_by[cost]) == 1 && !other, CHECK_RULE,
        check_text("the lap of %s does not measure %s alone", cost_name[cost], cost_name[cost]),
        .at = check_at(other ? other : lap.ends), .expected = check_text("one %s, and a wait at most", one),
        .found = check_text("%s: %d%s%s", one, check_count_in(lap, paid_by[cost]), other ? ", and another call: " : "",
                            other ? lab_op_kind_name(other->kind) : ""),
        .cause = later
                     ? check_text("the %s comes after the lap that charges it: a lap charges what lies before it", one)
                     : "a lap charges everything since the lap before it: what lies between the two calls of "
                       "lab08_lap?");
}

/* Fails the check unless the lap's launch is that of `nothing` in the new context, and was waited for in the lap. */
static void check_launch(const lab_trace *trace, check_span lap, int cost, const lab_trace_op *load, uint64_t context)
{
    const lab_trace_op *kernel = check_op_in(lap, LAB_OP_KERNEL, 0),
                       *wait = lab_relations_waited_by(check_relations(trace), kernel->id);
    CHECK_THAT(
        strcmp(kernel->name, "nothing") == 0 && strcmp(kernel->module, load->module) == 0 && kernel->grid.x == 1 &&
            kernel->block.x == 1 && check_stream(trace, kernel->stream)->context == context,
        CHECK_RULE, check_text("%s is not that of `nothing` with one thread", cost_name[cost]), .at = check_at(kernel),
        .expected = "the kernel `nothing` of the source, one block of one thread, in the context that was made",
        .found = check_text("%s, %u blocks of %u threads", kernel->name, kernel->grid.x, kernel->block.x));
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
    const lab_trace *trace = check_recorded(program, "lab08_measure", NULL, 0, NULL, 0);
    const check_span span = check_span_of(trace, "lab08_measure");
    find_laps(found, span);
    for (int cost = 0; cost < LAB08_COSTS; cost++)
        check_lap(found[cost],
                  cost < LAB08_NEXT ? found[cost + 1] : (check_span){.begins = found[cost].ends, .ends = span.ends},
                  cost);
    const lab_trace_op *compiled = check_op_in(span, LAB_OP_MODULE_LOAD, 0),
                       *loaded = check_op_in(span, LAB_OP_MODULE_LOAD, 1);
    const bool same_source = strcmp(compiled->module, loaded->module) == 0;
    CHECK_THAT(same_source && strcmp(compiled->name, loaded->name) == 0, CHECK_RULE,
               check_text("the second load has another %s", same_source ? "name" : "source than the first"),
               .at = check_at(loaded), .expected = "the same source and name as in the load before",
               .cause = same_source ? "the name is a part of the library's key: it belongs to messages, and these are "
                                      "kept"
                                    : NULL);
    CHECK_THAT(compiled->compile_ns > 0, CHECK_RULE, "the first load does not load the source that it was given",
               .at = check_at(compiled), .expected = "a load that compiles: the source is new");
    need_the_cache(loaded->compile_ns > 0);
    for (int cost = LAB08_FIRST; cost < LAB08_COSTS; cost++)
        check_launch(trace, found[cost], cost, compiled, check_op_in(span, LAB_OP_CONTEXT_CREATE, 0)->object);
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

/* The milliseconds that a run of the given program pays for each cost, by its record; 0: it does not pay. */
static void find_paid(double paid[LAB08_COSTS], check_program *program, int launch)
{
    double begins = 0;
    const lab_trace *trace = check_recorded(program, "lab08_paid", NULL, 0, NULL, 0);
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++) {
        const double at = (double)op->call_ns * 1e-6, took = (double)op->return_ns * 1e-6 - at;
        if (op->kind == LAB_OP_KERNEL) begins = at;
        if (op->kind == LAB_OP_CONTEXT_CREATE) paid[LAB08_CONTEXT] = took;
        if (op->kind == LAB_OP_MODULE_LOAD) paid[LAB08_COMPILE] = (double)op->compile_ns * 1e-6;
        if (op->kind == LAB_OP_MODULE_LOAD) paid[LAB08_LOAD] = took - paid[LAB08_COMPILE];
        if (op->kind == LAB_OP_DEVICE_SYNC) paid[launch] = at + took - begins;
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
    double paid[LAB08_RUNS][LAB08_COSTS] = {{0}};
    check_table(predicted, sizeof predicted, "lab08_paid");
    check_program *cold = check_start(sizeof(lab08_memory)), *warm = check_start(sizeof(lab08_memory));
    give_nothing(check_memory(cold));
    memcpy(check_memory(warm), check_memory(cold), sizeof(lab08_texts));
    find_paid(paid[LAB08_COLD], cold, LAB08_FIRST);
    find_paid(paid[LAB08_WARM], warm, LAB08_FIRST);
    find_paid(paid[LAB08_AGAIN], warm, LAB08_NEXT);
    need_the_cache(paid[LAB08_WARM][LAB08_COMPILE] > 0);
    for (int cost = 0; cost < LAB08_FIRST; cost++)
        for (int r = 0; r < LAB08_RUNS; r++) {
            const int pays = paid[r][cost] > 0;
            CHECK_THAT(predicted[cost][r] == pays, CHECK_WRONG_RESULT,
                       check_text("the prediction whether %s pays for %s is wrong", run[r], cost_name[cost]),
                       .at = check_at_name(check_text("lab08_paid[%d]", cost)),
                       .expected = check_text("%d, by the record of %s", pays, run[r]),
                       .found = check_text("lab08_paid says %d", predicted[cost][r]));
        }
    for (int r = 0; r < LAB08_RUNS; r++)
        for (int cost = 0; cost < LAB08_COSTS; cost++)
            if (paid[r][cost] > 0)
                check_timing(check_text("%s: %s", run[r] + strlen("the "), cost_name[cost] + strlen("the ")),
                             CHECK_REFERENCE, &paid[r][cost], 1);
}

/* ---- Task 2 ------------------------------------------------------------------------------------------------------ */

CHECK(key_has_everything, .points = 15, .schedule = "fifo", .title = "Task 2: the key has everything, and nothing else",
      .hints = {"Task 2: which changes of a request make other code? Which do not?",
                "A text counts, not its address. Where one text ends and the next begins counts too: its final 0 marks "
                "that.",
                "hash_text for source, header and options; lab08_hash with the address and size of architecture and of "
                "compiler; each call goes on with the number of the call before. Nothing of the label."})
{
    key_check_all(check_start(sizeof(lab08_keys)));
}

CHECK(hits_load_nothing, .points = 15, .schedule = "fifo",
      .title = "Task 2: what is loaded is found, all else is loaded",
      .hints = {"Task 2: when may lab08_get return without a call of lab08_load?",
                "Look through the entries of the table for the key of the request. If it is not there, load, find "
                "the kernel `answer`, and write an entry.",
                "if (table->entry[i].key == key && ...) { *kernel = table->entry[i].kernel; return LAB_SUCCESS; } "
                "Behind the loop: lab08_load, lab_module_get_function, table->entry[table->count++] = ..."})
{
    check_program *program = check_start(sizeof(lab08_memory));
    const wanted base = wanted_new();
    wanted relabelled = base;
    snprintf(relabelled.request.label, sizeof relabelled.request.label, "another_name.cu");
    const wanted request[] = {base, wanted_change(&base, FROM_HEADER), wanted_change(&base, FROM_SHIFT),
                              wanted_change(&base, FROM_ARCHITECTURE)};
    enum { REQUESTS = sizeof request / sizeof *request };
    for (int i = 0; i < REQUESTS; i++) {
        const call first =
            call_answered(program, "lab08_get", &request[i], plain, 1, "nothing like this request was loaded before");
        call_check_entry(&first, i, key_find(program, &request[i].request));
        /* The one before: found among others. */
        call_answered(program, "lab08_get", &request[i ? i - 1 : 0], plain, 0,
                      "this request was loaded before: its kernel is in the table");
    }
    call_answered(program, "lab08_get", &relabelled, plain, 0, "only the label differs");
    const lab_trace *cleared = check_recorded(program, "lab08_clear", NULL, 0, NULL, 0);
    const int unloads = check_count_ops(cleared, LAB_OP_MODULE_UNLOAD);
    CHECK_THAT(unloads == REQUESTS, CHECK_LEAK, "lab08_get loses modules that it has loaded",
               .at = check_at_name("lab08_get"),
               .expected = check_text("the %d modules that were loaded, in the table", REQUESTS),
               .found = check_text("%d", unloads));
    call_make(program, "lab08_get", &base, plain);
    call_answered(program, "lab08_get", &base, (lab08_arguments){.forgets = true}, 1,
                  "the table's count is 0: what an earlier use has left in its entries means nothing");
}

CHECK(contexts_are_apart, .points = 10, .schedule = "fifo", .title = "Task 2: each context has its own",
      .hints = {"Task 2: to what does a module belong?",
                "A kernel can be launched only in the context in which its module was loaded. Each context has a "
                "number of its own.",
                "lab_context_get_info(&here, NULL) gives here.id. An entry is the right one if its key and its context "
                "are."})
{
    static const struct {
        int context, loads;
        bool ends;
    } calls[] = {{0, 1, 0}, {1, 1, 0}, {0, 0, 0}, {1, 0, 0}, {1, 0, true}, {2, 1, 0}, {2, 0, 0}, {1, 1, 0}};
    check_program *program = check_start(sizeof(lab08_memory));
    const wanted request = wanted_new();
    const uint64_t key = key_find(program, &request.request);
    int entries = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const lab08_arguments arguments = {.context = calls[i].context, .ends = calls[i].ends, .expects = true};
        const call now = call_make(program, "lab08_get", &request, arguments);
        call_check_loads(&now, calls[i].loads,
                         calls[i].loads ? "the table has this kernel for another context only, where it cannot run"
                                        : "the table has this kernel for this context");
        call_check_answer(&now, &request);
        if (calls[i].loads) call_check_entry(&now, entries++, key);
    }
}

/* ---- Task 3 ------------------------------------------------------------------------------------------------------ */

/* Why a sound file, which was read, is not loaded, and where: which header the function would have taken instead. */
static check_finding explain_refusal(check_program *program, const wanted *request, const lab08_stored *sound,
                                     const char *code)
{
    const size_t bytes = sound->file.header.bytes, all = sound->bytes;
    const struct {
        const char *field;
        size_t bytes, hashed;
    } says[] = {{"hash", bytes, sizeof sound->file.code},
                {"hash", bytes, all},
                {"hash", bytes, bytes - 1},
                {"bytes", all, all},
                {"bytes", bytes - 1, bytes - 1}};
    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        lab08_stored other = *sound;
        other.file.header.bytes = says[i].bytes;
        other.file.header.hash = lab08_hash(LAB08_HASH, other.file.code, says[i].hashed);
        disk_give(program, &other);
        if (strcmp(call_make(program, "lab08_load", request, expects).module, code) == 0)
            return (check_finding){
                .at = check_at_name(check_text("%s in is_sound", says[i].field)),
                .cause = check_text("a file would be loaded whose header says %zu bytes and the hash of %zu: the code "
                                    "has %zu, with its final 0, and the hash is theirs",
                                    says[i].bytes, says[i].hashed, bytes)};
    }
    return (check_finding){.at = check_at_name("is_sound"),
                           .cause = "the file was read and is sound: compare what its header says with what you know"};
}

CHECK(disk_saves_the_compiler, .points = 10, .schedule = "fifo", .title = "Task 3: the next run compiles nothing",
      .hints = {"Task 3: what is on the disk when lab08_load returns for the first time?",
                "Read the file under the key before you compile. Write it when the code has been loaded: header first, "
                "then the code.",
                "lab08_disk_read(&file, sizeof file, key); if it is sound, lab_module_load_source(module, file.code, "
                "request->label). At the end fill in file.header and lab08_disk_write(key, &file, sizeof file.header "
                "+ bytes), where bytes is strlen(file.code) + 1."})
{
    const wanted request = wanted_new(), changed = wanted_change(&request, FROM_HEADER);
    check_program *first = check_start(sizeof(lab08_memory)), *next = check_start(sizeof(lab08_memory));
    const uint64_t key = key_find(first, &request.request);
    const call cold = call_answered(first, "lab08_load", &request, plain, 1, "the disk was empty");
    const lab08_stored *file = disk_check_sound(&cold, key);
    disk_give(next, file);
    const call warm = call_answered(next, "lab08_load", &request, plain, 1, "the file has the code of this request");
    const lab08_memory *after = warm.after;
    const bool same = strcmp(warm.module, cold.module) == 0,
               reads = after->reads && after->read_name == key && after->read_bytes == file->bytes;
    const check_finding refused =
        same || !reads ? (check_finding){0} : explain_refusal(next, &request, file, cold.module);
    CHECK_THAT(same, CHECK_RULE, "lab08_load does not load the code that is on the disk",
               .at = reads ? refused.at : check_at_name(after->reads ? "lab08_disk_read in lab08_load" : "lab08_load"),
               .expected = check_text("the file %016llx read, all %zu bytes, and its code loaded",
                                      (unsigned long long)key, file->bytes),
               .found = after->reads ? check_text("%zu bytes of the file %016llx read, and code compiled again",
                                                  after->read_bytes, (unsigned long long)after->read_name)
                                     : "no call of lab08_disk_read, and code compiled again",
               .cause = reads ? refused.cause : "the file is there and sound: read it before lab08_compile");
    const lab08_stored *kept = disk_only_file(&warm);
    CHECK_THAT(kept && kept->bytes == file->bytes && memcmp(&kept->file, &file->file, file->bytes) == 0, CHECK_RULE,
               "lab08_load changes a file that is sound", .at = check_at_name("is_sound"),
               .expected = "the file as it was", .found = "another",
               .cause = "a file that is sound stays: write only what was compiled");
    call_answered(next, "lab08_load", &changed, plain, 1, "the disk has the file of another request alone");
}

CHECK(damaged_files_are_replaced, .points = 10, .schedule = "fifo", .after = "disk_saves_the_compiler",
      .title = "Task 3: a damaged file is replaced, never trusted",
      .hints = {"Task 3: what can have happened to a file since it was written?",
                "A crash cuts it, a disk changes it, somebody copies it, another version writes it. Compare each part "
                "of the header with what you know.",
                "count >= sizeof(lab08_header), format, key, header.bytes == count - sizeof(lab08_header), and "
                "lab08_hash(LAB08_HASH, file->code, header.bytes) == header.hash, in this order."})
{
    const wanted request = wanted_new();
    check_program *program = check_start(sizeof(lab08_memory));
    const uint64_t key = key_find(program, &request.request);
    const call cold = call_answered(program, "lab08_load", &request, expects, 1, "the disk was empty");
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
        const bool ran = status == LAB_SUCCESS, trusted = ran || status == LAB_ERROR_INVALID_SOURCE || now.after->lacks;
        CHECK_THAT(ran && now.after->numbers[0] == request.number[0], CHECK_WRONG_RESULT,
                   check_text(trusted ? "lab08_load loads the code of a file that %s"
                                      : "lab08_load fails because of a file that %s",
                              disk_damage[how]),
                   .at = check_at_name(trusted ? "is_sound" : "is_sound in lab08_load"),
                   .expected = check_text("the code compiled again: the file %s", disk_damage[how]),
                   .found = now.after->lacks ? "code without the kernel `answer`"
                            : ran            ? "a kernel with another number"
                            : trusted        ? "code that does not compile"
                                             : lab_status_name(status),
                   .cause = trusted ? check_text("the file was trusted, which %s", disk_damage[how])
                                    : "a file that is not sound is no error: compile, and replace it");
        call_check_loads(&now, 1, "the code that was compiled");
        call_check_answer(&now, &request);
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
    const lab08_arguments full = {.full = true, .expects = true};
    check_program *program = check_start(sizeof(lab08_memory));
    const wanted request = wanted_new();
    wanted wrong = request, missing = request;
    snprintf(wrong.request.source, sizeof wrong.request.source, "this is no code\n");
    snprintf(missing.request.source, sizeof missing.request.source,
             "/* %lld */ extern \"C\" __global__ void another(int *out) { *out = 0; }\n", new_number());
    const call failed = call_make(program, "lab08_get", &wrong, expects);
    call_check_status(&failed, LAB_ERROR_INVALID_SOURCE, "the status for a source that does not compile is lost",
                      "lab08_load", NULL);
    CHECK_THAT(!disk_only_file(&failed), CHECK_RULE, "code that does not load is on the disk",
               .at = check_at_name("lab08_disk_write in lab08_load"),
               .expected = "no file: it would fail again in every run");
    const call empty = call_make(program, "lab08_get", &missing, expects);
    call_check_status(&empty, LAB_ERROR_NOT_FOUND, "the status for a source without the kernel is lost", "lab08_get",
                      NULL);
    const int entries = empty.after->table.count, loads = check_count_in(empty.span, LAB_OP_MODULE_LOAD),
              unloads = check_count_in(empty.span, LAB_OP_MODULE_UNLOAD);
    CHECK_THAT(entries == 0 && loads == unloads, CHECK_LEAK, "lab08_get keeps what it could not load whole",
               .at = entries ? call_place(&empty) : check_at_name("end of lab08_get"),
               .expected = "an empty table, and the module unloaded",
               .found = check_text("%d entries; %d loaded, %d unloaded", entries, loads, unloads));
    const call lost = call_make(program, "lab08_get", &request, full);
    call_check_status(&lost, LAB_SUCCESS, "lab08_load fails if the disk is full", "lab08_load",
                      "without room on the disk the next run compiles again, and nothing else is lost");
    call_check_answer(&lost, &request);
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

/* The same request, whose file the disk has. */
static void give_request_and_file(check_program *program, const void *user)
{
    give_request(program, user);
    check_call(program, "lab08_load", &fixed, sizeof fixed, NULL, 0);
}

CHECK(failures_are_passed_on, CHECK_OF_FAILURES, .points = 5, .after = "costs_are_separate, hits_load_nothing",
      .hints = {[2] = "LAB_TRY around each call; in lab08_measure the context is destroyed first, and in "
                      "lab08_get the module unloaded."})
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
                                        CHECK_GIVEN(fixed),
                                        .memory_bytes = sizeof(lab08_memory),
                                        .prepare = each[i].prepare,
                                        .gives_back = i ? NULL : "context",
                                        .at_once = true});
}
