/* Fetches the record from the device process, shows it to the student, and answers a check's questions about it. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "device_process.h"

/* The check's records, each with the return of its last call. */
enum { MOST_RECORDS = 32 };
static struct kept_record {
    lab_trace *trace;
    lab_relations *relations; /* NULL until asked for */
    call_return last;
    check_program *program;
} records[MOST_RECORDS];
static int record_count;

int records_kept(void) { return record_count; }

void records_drop(int kept)
{
    while (record_count > kept) {
        lab_relations_free(records[--record_count].relations);
        lab_trace_free(records[record_count].trace);
    }
}

static void free_records(void) { records_drop(0); }

/* ---- the returns of calls, which the program marks ---- */

static const char suffix[] = " returned";

bool record_is_return(const lab_trace_op *op, const char *function)
{
    if (op->kind != LAB_OP_MARK) return false;
    size_t length = strlen(op->name), end = sizeof suffix - 1;
    if (length < end || strcmp(op->name + length - end, suffix) != 0) return false;
    return !function || (length - end == strlen(function) && strncmp(op->name, function, length - end) == 0);
}

static call_return take_return(lab_trace *trace)
{
    call_return last = {.function = "", .ns = -1};
    if (trace->ops == 0 || !record_is_return(&trace->op[trace->ops - 1], NULL)) return last;
    const lab_trace_op *mark = &trace->op[--trace->ops];
    size_t length = strlen(mark->name) - (sizeof suffix - 1);
    return (call_return){.function = owned_text("%.*s", (int)length, mark->name), .ns = mark->call_ns};
}

static _Noreturn void fail_flood(const check_program *program, size_t has, const char *what, size_t most)
{
    check_expected("a record with at most %zu %s", most, what);
    check_found("%zu", has);
    check_cause("a loop that calls the library once for each element, or without end");
    program_fail(program, CHECK_RECORD_FLOOD, "the program's record is too long: %zu %s", has, what);
}

/* Fails a check whose work on the record would grow without bound. */
static void require_bounded(const check_program *program, const lab_trace *trace)
{
    size_t entries = 0;
    for (size_t i = 0; i < trace->ops; i++) entries += (size_t)trace->op[i].accesses + (size_t)trace->op[i].waits;
    if (trace->ops > CHECK_RECORD_OPERATIONS) fail_flood(program, trace->ops, "operations", CHECK_RECORD_OPERATIONS);
    if (entries > CHECK_RECORD_ENTRIES)
        fail_flood(program, entries, "accesses and waits in its operations", CHECK_RECORD_ENTRIES);
}

/* Fails the check because something was enqueued outside of calls. */
static _Noreturn void fail_left_over(check_program *program, const control_message *answer)
{
    program_locate(answer->place);
    program_fail_left_running(program, answer->text);
}

/* Ends the record; returns it as a file. The program goes on meanwhile: its host functions may be part of the
 * record. */
static int end_record(check_program *program)
{
    static const char step[] = "the end of the record";
    int file;
    struct stat status;
    program_continue(program);
    const control_message *answer =
        device_process_ask(program, &(control_message){.kind = CONTROL_RECORD_END}, &file, step);
    program_pause(program);
    program->memory_address = answer->bytes;
    if (answer->status == LAB_ERROR_NOT_READY) fail_left_over(program, answer);
    if (answer->status != LAB_SUCCESS) program_fail(program, CHECK_WRONG_RESULT, "%s failed: %s", step, answer->text);
    if (file < 0 || fstat(file, &status) < 0) check_fault("the device process gave no record");
    if (status.st_size <= CHECK_RECORD_BYTES) return file;
    close(file);
    fail_flood(program, (size_t)status.st_size >> 20, "MiB", CHECK_RECORD_BYTES >> 20);
}

/* A record as text, for the evidence; the library writes records only to files. */
static char *record_text(const lab_trace *trace)
{
    enum { MOST_BYTES = 256 << 20 };
    grader_fault fault = {"the record is not a file"};
    char *folder, *text = NULL;
    size_t bytes;
    if (!folder_make_private(&folder, "lab-record", &fault)) check_fault("%s", fault.text);
    char *path = folder_path(folder, "trace.json");
    bool saved = path && lab_trace_save(trace, path) == LAB_SUCCESS;
    bool read = saved && folder_read(&text, &bytes, path, MOST_BYTES, &fault) == FOLDER_FILE;
    folder_remove(folder);
    free(folder);
    free(path);
    if (!saved) check_fault("cannot save the record: %s", lab_error_message());
    if (!read) check_fault("%s", fault.text);
    return text;
}

/* this_check.write_record */
static char *write_record(void)
{
    for (int i = record_count; i-- > 0;)
        if (!records[i].program->reference && lab_trace_summarize(records[i].trace).streams_used > 0)
            return record_text(records[i].trace);
    return NULL;
}

void check_locate(const lab_trace_op *op)
{
    check_location(op->file, op->line, NULL);
    for (int i = 0; i < record_count; i++) {
        const lab_trace *trace = records[i].trace;
        if (op >= trace->op && op < trace->op + trace->ops) program_called_from(records[i].program, op->caller);
    }
}

void check_locate_after(const lab_trace_op *op, const lab_trace_op *before)
{
    check_locate(op);
    if (before->line != op->line && strcmp(before->file, op->file) == 0) this_check.after[0] = before->line;
}

static bool locate_last_call(bool open);

const lab_trace *check_trace(check_program *program)
{
    if (record_count == MOST_RECORDS) check_fault("the check asks for more than %d records", MOST_RECORDS);
    int file = end_record(program);
    const char *opened = owned_text("/proc/self/fd/%d", file);
    lab_trace *trace;
    lab_status status = lab_trace_load(&trace, opened);
    close(file);
    if (status != LAB_SUCCESS) check_fault("the record cannot be read: %s", lab_error_message());
    records[record_count++] = (struct kept_record){.trace = trace, .last = take_return(trace), .program = program};
    this_check.free_records = free_records;
    this_check.locate_last_call = locate_last_call;
    this_check.write_record = write_record;
    require_bounded(program, trace);
    grounds_recorded(program, trace);
    return trace;
}

lab_relations *check_relations(const lab_trace *trace)
{
    int i = 0;
    while (i < record_count && records[i].trace != trace) i++;
    if (i == record_count) check_fault("the relations of a record were asked for that check_trace did not give");
    grounds_ordered(trace);
    if (!records[i].relations && lab_relations_create(&records[i].relations, trace) != LAB_SUCCESS)
        check_fault("%s", lab_error_message());
    return records[i].relations;
}

uint64_t check_address(const check_program *program) { return program->memory_address; }

const call_return *record_last_return(const lab_trace *trace)
{
    for (int i = 0; i < record_count; i++) {
        if (records[i].trace == trace) return &records[i].last;
    }
    return NULL;
}

/* The first record with findings stays: in a later one the student would miss them. */
void check_artifact_trace(const lab_trace *trace, const char *title)
{
    if (this_check.findings) return;
    lab_timeline_options options = {LAB_TIMELINE_DEFAULTS, .title = title};
    free(this_check.trace);
    free(this_check.timeline_svg);
    free(this_check.timeline_text);
    this_check.timeline_svg = this_check.timeline_text = NULL;
    this_check.trace = record_text(trace);
    bool drawn = lab_timeline_svg(&this_check.timeline_svg, trace, &options) == LAB_SUCCESS &&
                 lab_timeline_text(&this_check.timeline_text, trace, &options) == LAB_SUCCESS;
    if (!drawn) check_fault("cannot draw the timeline: %s", lab_error_message());
    this_check.findings = trace->findings;
}

/* "kernel scale (lab02.c:40)" */
static const char *call_text(const lab_trace_op *op)
{
    const char *slash = strrchr(op->file, '/'), *file = slash ? slash + 1 : op->file;
    const char *call = owned_text("%s%s%s", lab_op_kind_name(op->kind), *op->name ? " " : "", op->name);
    return *file ? owned_text("%s (%s:%d)", call, file, op->line) : call;
}

/* The recorded finding with which this sentence begins; NULL if the record does not have it. */
static const lab_trace_finding *find_finding(const lab_trace *trace, const char *sentence)
{
    for (size_t i = 0; i < trace->findings; i++)
        if (strncmp(sentence, trace->finding[i].text, strlen(trace->finding[i].text)) == 0) return &trace->finding[i];
    return NULL;
}

static void try_to_show(check_program *program, const char *step, char *sentence)
{
    const lab_trace *trace = check_trace(program);
    const lab_trace_finding *found = find_finding(trace, sentence);
    check_artifact_trace(trace, owned_text("%s, with unordered uses marked", step));
    if (!found || !found->second) return;
    sentence[strlen(found->text)] = '\0';
    check_locate(&trace->op[found->second - 1]);
    check_expected("an order: %s", found->edge);
    if (!found->first) return;
    const lab_trace_op *first = &trace->op[found->first - 1], *second = &trace->op[found->second - 1];
    if (strstr(found->text, " has freed")) {
        check_found("%s, and then %s", call_text(first), call_text(second));
        check_cause("memory that was given back is used: by then it may be another owner's");
        return;
    }
    check_found("none between %s and %s", call_text(first), call_text(second));
    check_cause_no_edge(trace, first, second);
}

/* The check fails in any case, and not for a reason that has come since. */
static void forget_since(const check_state *before)
{
    this_check.outcome = before->outcome;
    this_check.kind = before->kind;
    this_check.message = before->message;
    this_check.expected = before->expected;
    this_check.found = before->found;
    this_check.cause = before->cause;
}

/* program->show_finding */
static void show_finding(check_program *program, const char *step, char *finding)
{
    const check_state before = this_check;
    if (setjmp(this_check.end) == 0)
        try_to_show(program, step, finding);
    else
        forget_since(&before);
    memcpy(this_check.end, before.end, sizeof this_check.end);
}

/* Takes the program's record, if it has one, for a check that fails. */
static void take_last(check_program *program)
{
    static bool is_taking; /* it may fail, which would bring us here again */
    const check_state before = this_check;
    if (is_taking || !program || !program->device) return;
    is_taking = true;
    if (setjmp(this_check.end) == 0)
        check_trace(program);
    else
        forget_since(&before);
    memcpy(this_check.end, before.end, sizeof this_check.end);
    is_taking = false;
}

/* this_check.locate_last_call */
static bool locate_last_call(bool open)
{
    check_program *program = this_check.programs;
    while (program && program->reference) program = program->next;
    if (open) take_last(program);
    const char *source = getenv("LAB_CHECK_SOURCE");
    int last = record_count - 1;
    while (last >= 0 && records[last].program->reference) last--;
    const lab_trace *trace = last >= 0 && source ? records[last].trace : NULL;
    for (size_t i = trace ? trace->ops : 0; i-- > 0;)
        if (trace->op[i].caller || strcmp(trace->op[i].file, source) == 0) {
            check_locate(&trace->op[i]);
            return true;
        }
    return false;
}

void check_trace_begin(check_program *program)
{
    program->show_finding = show_finding;
    this_check.locate_last_call = locate_last_call;
    device_process_begin_record(program);
    grounds_run_begins(program);
}

int check_count_ops(const lab_trace *trace, lab_op_kind kind)
{
    int count = 0;
    for (size_t i = 0; i < trace->ops; i++) count += trace->op[i].kind == kind;
    return count;
}

bool check_is_note(const lab_trace_op *op)
{
    return op->kind == LAB_OP_MARK || op->kind == LAB_OP_HOST_RELEASE || op->kind == LAB_OP_HOST_ACQUIRE;
}

bool check_is_mark(const lab_trace_op *op, const char *name)
{
    return op->kind == LAB_OP_MARK && strcmp(op->name, name) == 0;
}

const lab_trace_op *check_mark(const lab_trace *trace, const char *name)
{
    for (size_t i = 0; i < trace->ops; i++)
        if (check_is_mark(&trace->op[i], name)) return &trace->op[i];
    check_fail(CHECK_RULE, "the record has no mark \"%s\"", name);
}

void check_device_computed(const lab_trace *trace, int kernels, int copies, const char *function)
{
    const int launched = check_count_ops(trace, LAB_OP_KERNEL), in = check_count_ops(trace, LAB_OP_COPY_HTOD),
              out = check_count_ops(trace, LAB_OP_COPY_DTOH);
    check_expected("computed on the device: copies in and copies out, at least %d of each, and kernels, at least %d",
                   copies, kernels);
    check_found("%d copies in, %d out, %d kernels", in, out, launched);
    if (!launched) check_cause("no kernel was launched: the numbers are the host's own");
    CHECK_THAT(launched >= kernels && in >= copies && out >= copies, CHECK_RULE,
               "%s gives the right numbers, but the device did not compute them", function);
    check_cause("%s", "");
}

const lab_trace_op *check_beside(const lab_trace *trace, const lab_trace_op *op, int direction)
{
    for (int64_t i = (int64_t)op->id - 1 + direction; i >= 0 && i < (int64_t)trace->ops; i += direction)
        if (trace->op[i].stream == op->stream && trace->op[i].kind != LAB_OP_MARK &&
            trace->op[i].kind != LAB_OP_STREAM_QUERY)
            return &trace->op[i];
    return NULL;
}

const lab_trace_op *check_pool_block(const lab_trace *trace, int which)
{
    for (size_t i = 0; i < trace->ops; i++)
        if (trace->op[i].kind == LAB_OP_POOL_ALLOC && which-- == 0) return &trace->op[i];
    check_fail(CHECK_RULE, "the record lacks the arrays that the lab made");
}

bool check_uses_block(const lab_trace_op *op, const lab_trace_op *block)
{
    for (int i = 0; i < op->accesses; i++) {
        const lab_trace_access *access = &op->access[i];
        if (!access->host && access->address < block->object + block->bytes &&
            block->object < access->address + access->bytes)
            return true;
    }
    return false;
}

bool check_is_waited_for(const lab_trace *trace, const lab_trace_op *op)
{
    lab_relations *relations = check_relations(trace);
    bool waited = lab_relations_waited_by(relations, op->id) != NULL;
    return waited;
}

void check_given_back(const lab_trace *trace, const char *noun)
{
    lab_lifetime *life;
    size_t lives, made = 0, kept = 0;
    if (lab_trace_lifetimes(&life, &lives, trace) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    for (size_t i = 0; i < lives; i++) {
        if (strcmp(life[i].noun, noun) != 0) continue;
        made++;
        if (!life[i].ended && !kept++) check_locate(life[i].made);
    }
    free(life);
    if (made == 0) {
        check_cause("%s", "");
        check_fail(CHECK_RULE, "no %s was ever made", noun);
    }
    check_expected("as many given back as made: %zu", made);
    check_found("%zu given back", made - kept);
    CHECK_THAT(kept == 0, CHECK_LEAK, "%zu %s%s not given back; %s made here", kept, noun,
               kept == 1 ? " was" : "s were", kept == 1 ? "it was" : "the first was");
}
