/* The check's requests, which a thread of its own answers; and what was enqueued outside of calls. */
#include "served.h"

#include "base/monotonic.h"
#include "base/system/evidence.h"
#include "base/system/own_time.h"
#include "lab_trace.h"
#include "objects/contexts/capture.h"
#include "record/record.h"
#include "seam/checks.h"
#include "wire/control.h"
#include "wire/passing.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Calls ---- */

enum { MOST_CALLS = 1024 };
static struct {
    int64_t begins, ends; /* of the calls since the record began; the last entry covers all further calls */
} call[MOST_CALLS];
static int calls;
static int64_t record_earliest, record_latest; /* the record's own beginning lies between these times */
static uint64_t failures_before;               /* the number of the library's failures when the call began */

static void call_begins(void)
{
    failures_before = lab_failures();
    if (calls < MOST_CALLS) call[calls++].begins = monotonic_ns();
    call[calls - 1].ends = INT64_MAX;
}

/* Whether a time in the record can lie within a call. */
static bool is_in_a_call(int64_t record_ns)
{
    int64_t earliest = record_earliest + record_ns, latest = record_latest + record_ns;
    for (int i = 0; i < calls; i++)
        if (latest >= call[i].begins && earliest <= call[i].ends) return true;
    return false;
}

/* ---- Answers ---- */

static void set_place(control_message *answer, const char *file, int line)
{
    if (file[0]) snprintf(answer->place, sizeof answer->place, "%.200s:%d", file, line);
}

static void fail(control_message *answer, lab_status status)
{
    answer->status = (int32_t)status;
    snprintf(answer->text, sizeof answer->text, "%s", lab_error_message());
}

static void begin_record(control_message *answer)
{
    static bool checks_order;
    lab_status status = checks_order ? LAB_SUCCESS : lab_order_start(LAB_ORDER_COLLECT);
    checks_order = true;
    calls = 0;
    record_answer_late();   /* whether asking was waiting is no luck */
    record_wait_for_work(); /* what still runs from before would write memory unseen */
    if (evidence_is_kept()) evidence_clear();
    record_earliest = monotonic_ns();
    if (status == LAB_SUCCESS) status = lab_trace_begin();
    record_latest = monotonic_ns();
    if (status != LAB_SUCCESS) fail(answer, status);
}

/* Whether the record holds an operation that was enqueued outside of calls; describes it. */
static bool is_left_over(control_message *answer, const lab_trace *trace)
{
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (is_in_a_call(op->call_ns)) continue;
        answer->status = LAB_ERROR_NOT_READY;
        snprintf(answer->text, sizeof answer->text,
                 "a thread enqueued a %s after the function that had started it had returned",
                 lab_op_kind_name(op->kind));
        set_place(answer, op->file, op->line);
        return true;
    }
    return false;
}

/* The saved record as a file without a name. */
static int save(control_message *answer, const lab_trace *trace)
{
    static const char path[] = "record.json";
    lab_status status = lab_trace_save(trace, path);
    if (status != LAB_SUCCESS) fail(answer, status);
    int file = status == LAB_SUCCESS ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    unlink(path);
    return file;
}

static int end_record(control_message *answer)
{
    lab_trace *trace;
    int file = -1;
    lab_status status = lab_trace_end(&trace);
    if (status != LAB_SUCCESS)
        fail(answer, status);
    else if (!is_left_over(answer, trace))
        file = save(answer, trace);
    if (status == LAB_SUCCESS) lab_trace_free(trace);
    return file;
}

static void give_finding(control_message *answer)
{
    static size_t given;
    lab_order_finding found;
    if (given >= lab_order_get_counts().findings || lab_order_get_finding(&found, given) != LAB_SUCCESS) return;
    given++;
    set_place(answer, found.second.file, found.second.line);
    snprintf(answer->text, sizeof answer->text, "%s. To order them: %s", found.text, found.edge);
}

static void give_failure(control_message *answer, lab_status status)
{
    lab_failure last;
    if (!lab_last_failure(&last, status, failures_before)) return;
    set_place(answer, last.file, last.line);
    answer->caller = last.caller;
    snprintf(answer->text, sizeof answer->text, "%s", last.message);
}

static void begin_failing(const control_message *request)
{
    char file[sizeof request->place];
    const char *colon = strrchr(request->place, ':');
    snprintf(file, sizeof file, "%.*s", colon ? (int)(colon - request->place) : 0, request->place);
    served_failing_begin(file, colon ? atoi(colon + 1) : 0, request->text, request->bytes, (lab_status)request->status);
}

static void give_wait(control_message *answer)
{
    lab_trace_wait wait;
    if (!record_find_wait(&wait, atomic_load(&served_first_thread)) || !*wait.text) return;
    char file[KERNEL_PROGRESS_FILE];
    int line;
    if (kernel_checks_are_on() && kernel_progress_see_line(file, &line)) set_place(answer, file, line);
    answer->bytes = wait.own;
    if (wait.own)
        snprintf(answer->text, sizeof answer->text, "%s", wait.text);
    else
        snprintf(answer->text, sizeof answer->text, "the %s of %s:%d waits for %s", lab_op_kind_name(wait.kind),
                 wait.file, wait.line, wait.text);
}

/* Fills in the answer to the request, which it holds; returns the file that goes with it, -1 if none does. */
static int answer_request(control_message *message)
{
    const control_message request = *message;
    *message = (control_message){.kind = request.kind};
    switch ((control_kind)request.kind) {
    case CONTROL_MEMORY: return memory_share(request.bytes);
    case CONTROL_OWN_TIME: return own_time_file();
    case CONTROL_EVIDENCE: return evidence_begin(request.bytes) ? evidence_descriptor() : -1;
    case CONTROL_RECORD_BEGIN: begin_record(message); break;
    case CONTROL_RECORD_END: message->bytes = memory_shared_address(); return end_record(message);
    case CONTROL_CALL_BEGINS: call_begins(); break;
    case CONTROL_CALL_ENDS:
        if (calls > 0) call[calls - 1].ends = monotonic_ns();
        give_finding(message);
        break;
    case CONTROL_FAILURE: give_failure(message, (lab_status)request.status); break;
    case CONTROL_FAILING_BEGINS: begin_failing(&request); break;
    case CONTROL_FAILING_ENDS:
        message->bytes = served_failing_end(message->text, sizeof message->text, &message->caller);
        message->captures = capture_is_any_on();
        break;
    case CONTROL_WAIT: give_wait(message); break;
    }
    return -1;
}

static void *serve_check(void *user)
{
    const int socket = (int)(intptr_t)user;
    static control_message message;
    for (int file; passing_receive(&message, sizeof message, &file, socket);) {
        if (file >= 0) close(file);
        file = answer_request(&message);
        if (!passing_send(socket, &message, sizeof message, file)) break;
        if (file >= 0 && message.kind == CONTROL_RECORD_END) close(file);
    }
    _exit(EXIT_SUCCESS); /* the check has ended */
}

bool served_checked;

bool served_control(int socket)
{
    pthread_t thread;
    served_checked = true;
    if (pthread_create(&thread, NULL, serve_check, (void *)(intptr_t)socket) != 0) return false;
    pthread_detach(thread);
    return true;
}
