/* The program's record, and what of it the student is shown. It knows lab_trace.h and where the record lies; it
 * refuses to know what a record should say. */
#include "check_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"

enum { MOST_TRACES = 16 };
static lab_trace *traces[MOST_TRACES];
static check_return returns[MOST_TRACES]; /* of their last calls */
static int trace_count;

static void free_traces(void)
{
    while (trace_count > 0) lab_trace_free(traces[--trace_count]);
}

void check_trace_begin(check_program *program)
{
    check_program_request(program, PROTOCOL_RECORD_BEGIN, "", "the beginning of the record");
}

/* Opens the file that the program left, which may be anything by now: a link, a pipe, without end. */
static int open_record(const check_program *program, const char *path)
{
    enum { MOST_BYTES = 256 << 20 };
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0 && errno != ENOENT && errno != ELOOP) check_fault("cannot open %s: %s", path, strerror(errno));
    if (descriptor < 0) check_program_fail(program, CHECK_RULE, "the program left no record of what it did");
    if (fstat(descriptor, &status) < 0) check_fault("cannot open %s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode) || status.st_size > MOST_BYTES) {
        close(descriptor);
        check_program_fail(program, CHECK_RULE, "the program's record is not a file of at most 256 MiB");
    }
    return descriptor;
}

const lab_trace *check_trace(check_program *program)
{
    if (trace_count == MOST_TRACES) check_fault("the check asks for more than %d records", MOST_TRACES);
    const char *path = check_text("%s/record.json", check_program_folder(program));
    check_program_request(program, PROTOCOL_RECORD_SAVE, path, "the end of the record");

    /* By its descriptor, so that what is read is what was looked at. */
    int descriptor = open_record(program, path);
    const char *opened = check_text("/proc/self/fd/%d", descriptor);
    lab_trace *trace;
    lab_status status = lab_trace_load(&trace, opened);
    close(descriptor);
    unlink(path);
    if (status == LAB_ERROR_OUT_OF_MEMORY) check_fault("%s", lab_error_message());
    if (status != LAB_SUCCESS) {
        check_program_fail(program, CHECK_RULE, "the program's record is damaged: %s", lab_error_message());
    }
    returns[trace_count] = check_take_return(trace);
    traces[trace_count++] = trace;
    check_now.free_traces = free_traces;
    return trace;
}

const check_return *check_last_return(const lab_trace *trace)
{
    for (int i = 0; i < trace_count; i++) {
        if (traces[i] == trace) return &returns[i];
    }
    return NULL;
}

/* The library writes records to files only; this side keeps them as text, in its evidence. */
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

/* Marks of another record than the one that is shown would be missed: what was found first stays. */
void check_artifact_trace(const lab_trace *trace, const char *title)
{
    if (check_now.findings) return;
    lab_timeline_options options = {LAB_TIMELINE_DEFAULTS, .title = title};
    free(check_now.trace);
    free(check_now.timeline_svg);
    free(check_now.timeline_text);
    check_now.timeline_svg = check_now.timeline_text = NULL;
    check_now.trace = record_text(trace);
    bool drawn = lab_timeline_svg(&check_now.timeline_svg, trace, &options) == LAB_SUCCESS &&
                 lab_timeline_text(&check_now.timeline_text, trace, &options) == LAB_SUCCESS;
    if (!drawn) check_fault("cannot draw the timeline: %s", lab_error_message());
    check_now.findings = trace->findings;
}

/* "kernel scale (lab02.c:40)" */
static const char *call_text(const lab_trace_op *op)
{
    const char *slash = strrchr(op->file, '/'), *file = slash ? slash + 1 : op->file;
    const char *call = check_text("%s%s%s", lab_op_kind_name(op->kind), *op->name ? " " : "", op->name);
    return *file ? check_text("%s (%s:%d)", call, file, op->line) : call;
}

/* The finding in the record that begins with these words; NULL if there is none. */
static const lab_trace_finding *find_finding(const lab_trace *trace, const char *words)
{
    for (size_t i = 0; i < trace->findings; i++)
        if (strncmp(words, trace->finding[i].text, strlen(trace->finding[i].text)) == 0) return &trace->finding[i];
    return NULL;
}

static void show_finding(check_program *program, const char *what, char *words)
{
    const lab_trace *trace = check_trace(program);
    const lab_trace_finding *found = find_finding(trace, words);
    check_artifact_trace(trace, check_text("%s, with what nothing orders marked", what));
    if (!found || !found->second) return;
    words[strlen(found->text)] = '\0';
    check_locate(&trace->op[found->second - 1]);
    check_expected("an order: %s", found->edge);
    if (found->first)
        check_found("none between %s and %s", call_text(&trace->op[found->first - 1]),
                    call_text(&trace->op[found->second - 1]));
}

void check_trace_show_finding(check_program *program, const char *what, char *words)
{
    const check_state before = check_now;
    if (setjmp(check_now.end) == 0) {
        show_finding(program, what, words);
    } else { /* the check fails in any case, and not for this */
        check_now.outcome = before.outcome;
        check_now.kind = before.kind;
        check_now.message = before.message;
        check_now.expected = before.expected;
        check_now.found = before.found;
        check_now.cause = before.cause;
    }
    memcpy(check_now.end, before.end, sizeof check_now.end);
}

void check_locate(const lab_trace_op *op) { check_location(op->file, op->line, NULL); }

int check_count_ops(const lab_trace *trace, lab_op_kind kind)
{
    int count = 0;
    for (size_t i = 0; i < trace->ops; i++) count += trace->op[i].kind == kind;
    return count;
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
        if (trace->op[i].stream == op->stream) return &trace->op[i];
    return NULL;
}

bool check_is_waited_for(const lab_trace *trace, const lab_trace_op *op)
{
    lab_relations *relations;
    if (lab_relations_create(&relations, trace) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    bool waited = lab_relations_waited_by(relations, op->id) != NULL;
    lab_relations_free(relations);
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
    check_expected("as many given back as made: %zu", made);
    check_found("%zu given back", made - kept);
    CHECK_THAT(made > 0, CHECK_RULE, "no %s was ever made", noun);
    CHECK_THAT(kept == 0, CHECK_LEAK, "%zu %s%s not given back; %s made here", kept, noun,
               kept == 1 ? " was" : "s were", kept == 1 ? "it was" : "the first was");
}
