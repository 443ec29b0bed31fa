/* Fetches records from the device process, keeps them for the check, and shows one to the student; see records.h. */
#include "record/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "program/device_process.h"
#include "program/grounds.h"

/* The check's records. */
enum { MOST_RECORDS = 32 };
static struct kept_record {
    lab_trace *trace;
    lab_relations *relations; /* NULL until asked for */
    check_program *program;
} records[MOST_RECORDS];
static int record_count;

int records_kept(void) { return record_count; }

const lab_trace *records_get(int number) { return records[number].trace; }

void records_drop(int kept)
{
    while (record_count > kept) {
        lab_relations_free(records[--record_count].relations);
        lab_trace_free(records[record_count].trace);
    }
}

/* The program marks each return of a call. A mark at the very end is taken off again, so that checks and drawings show
 * only what the student's code did. */
static void drop_last_return(lab_trace *trace)
{
    static const char suffix[] = " returned";
    const lab_trace_op *last = trace->ops ? &trace->op[trace->ops - 1] : NULL;
    const size_t length = last && last->kind == LAB_OP_MARK ? strlen(last->name) : 0, end = sizeof suffix - 1;
    if (length >= end && strcmp(last->name + length - end, suffix) == 0) trace->ops--;
}

static _Noreturn void fail_flood(const check_program *program, size_t has, const char *what, size_t most)
{
    program_fail(program, CHECK_RECORD_FLOOD, check_text("the program's record is too long: %zu %s", has, what),
                 .expected = check_text("a record with at most %zu %s", most, what), .found = check_text("%zu", has),
                 .cause = "a loop that calls the library once for each element, or without end");
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
    program_fail_left_unjoined(program, answer->text, program_place(program, answer->place, 0));
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
    if (answer->status != LAB_SUCCESS)
        program_fail(program, CHECK_WRONG_RESULT, check_text("%s failed: %s", step, answer->text));
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

char *records_write_last(void)
{
    for (int i = record_count; i-- > 0;)
        if (!records[i].program->reference && lab_trace_summarize(records[i].trace).streams_used > 0)
            return record_text(records[i].trace);
    return NULL;
}

/* The program whose record has this operation; NULL for a record of the check's own making. */
static const check_program *program_of(const lab_trace_op *op)
{
    for (int i = 0; i < record_count; i++) {
        const lab_trace *trace = records[i].trace;
        if (op >= trace->op && op < trace->op + trace->ops) return records[i].program;
    }
    return NULL;
}

check_place check_at(const lab_trace_op *op)
{
    if (!op) return (check_place){0};
    check_place at = check_at_line(op->file, op->line, NULL);
    at.program = program_of(op);
    at.caller = op->caller;
    return at;
}

check_place check_at_after(const lab_trace_op *op, const lab_trace_op *before)
{
    check_place at = check_at(op);
    if (before->line != op->line && strcmp(before->file, op->file) == 0) at.after[0] = before->line;
    return at;
}

const lab_trace *records_last(void)
{
    int last = record_count - 1;
    while (last >= 0 && records[last].program->reference) last--;
    return last >= 0 ? records[last].trace : NULL;
}

const lab_trace *check_trace(check_program *program)
{
    if (record_count == MOST_RECORDS) check_fault("the check asks for more than %d records", MOST_RECORDS);
    int file = end_record(program);
    const char *opened = check_text("/proc/self/fd/%d", file);
    lab_trace *trace;
    lab_status status = lab_trace_load(&trace, opened);
    close(file);
    if (status != LAB_SUCCESS) check_fault("the record cannot be read: %s", lab_error_message());
    records[record_count++] = (struct kept_record){.trace = trace, .program = program};
    drop_last_return(trace);
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

void check_trace_begin(check_program *program)
{
    program->recorded = true;
    device_process_begin_record(program);
    grounds_run_begins(program);
}
