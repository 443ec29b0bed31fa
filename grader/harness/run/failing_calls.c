/* Makes the library calls of a student's function fail, one in each run; see check_failures in check.h. The device
 * process counts the calls and makes them fail (lib/src/served/failing.c). */
#include "record/records.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/device_process.h"
#include "program/grounds.h"
#include "worker/call.h"

enum { MOST_SITES = 128 };

const check_usual check_usual_failures = {
    .title = "A call that fails ends the function, with its status",
    .hints = {"Every call of the library returns a status. Who learns that it was not LAB_SUCCESS?",
              "LAB_TRY(call) returns the call's status from your function if the call fails."}};

/* The calls of one function of the library at one line of the student's file. */
typedef struct call_place {
    char name[64];
    bool known;
    unsigned sort; /* 0, or CHECK_FAIL_... */
    int line;
    uint64_t calls;
    const check_program *program; /* in which it has failed, */
    uint64_t caller;              /* and the operation's `caller` there */
} call_place;

/* What is being tried: the call with this number, counted from 1; 0: none fails. */
typedef struct attempt {
    const check_failing *failing;
    const call_place *site;
    uint64_t number;
    lab_status status;
} attempt;

/* "lab_stream_create (lab01.c:12)" */
static const char *site_text(const call_place *site)
{
    return site->known ? check_text("%s (%s:%d)", site->name, getenv("LAB_CHECK_SOURCE"), site->line) : site->name;
}

/* A call of program.c that the student's function has led to is told by the student's line. */
static check_place place_of(const call_place *site)
{
    const char *file = getenv("LAB_CHECK_SOURCE");
    if (!file || (!site->known && !site->caller)) return (check_place){0};
    check_place at = check_at_line(site->known ? file : "", site->line, NULL);
    at.program = site->program;
    at.caller = site->caller;
    return at;
}

/* Asks for the failure of this attempt, and has calls counted. */
static void begin(check_program *program, const attempt *trial)
{
    control_message request = {.kind = CONTROL_FAILING_BEGINS, .status = (int32_t)trial->status};
    const char *file = getenv("LAB_CHECK_SOURCE");
    request.bytes = trial->number;
    snprintf(request.place, sizeof request.place, "%s:%d", file ? file : "", trial->site ? trial->site->line : 0);
    snprintf(request.text, sizeof request.text, "%s", trial->site ? trial->site->name : "");
    device_process_ask(program, &request, NULL, trial->failing->function);
}

/* A call with what fails in it. */
typedef struct failing_call {
    check_program *program;
    const attempt *trial;
    program_return returned;
} failing_call;

static void make_call(void *user)
{
    failing_call *call = user;
    const check_failing *failing = call->trial->failing;
    const char *step = check_text("%s, after %s failed,", failing->function, site_text(call->trial->site));
    call->returned =
        program_call_that_may_fail(call->program, failing->function, failing->arguments, failing->argument_bytes, step);
}

/* Calls the function with what fails in it. If that ends the check, says of what. */
static program_return call(check_program *program, const attempt *trial)
{
    const char *what = site_text(trial->site);
    failing_call call = {program, trial, {LAB_SUCCESS, false}};
    check_ending ending;
    if (check_catch(&ending, make_call, &call)) return call.returned;
    check_finding *finding = &ending.finding;
    if (ending.outcome == CHECK_FAILED && !strstr(finding->message, what))
        finding->message = check_text("after %s failed: %s", what, finding->message);
    if (!finding->at.known || (!finding->at.file && !finding->at.caller)) finding->at = place_of(trial->site);
    check_end(ending);
}

/* ---- what a failing run shows ---------------------------------------------------------------------------------- */

/* Whether this noun is in the list "stream, event". */
static bool is_listed(const char *list, const char *noun)
{
    const size_t length = strlen(noun);
    for (const char *at = list; at && (at = strstr(at, noun)); at += length) {
        const bool begins = at == list || at[-1] == ' ' || at[-1] == ',';
        if (begins && (at[length] == '\0' || at[length] == ',')) return true;
    }
    return false;
}

/* The cause that the lab has for this call, or else the usual one. */
static const char *cause_of(const attempt *trial, const char *usual)
{
    const char *call = trial->failing->cause_of.call, *cause = trial->failing->cause_of.cause;
    return call && cause && strcmp(call, trial->site->name) == 0 ? cause : usual;
}

static void require_status(const attempt *trial, lab_status returned)
{
    const char *function = trial->failing->function, *what = site_text(trial->site);
    if (trial->site->sort == CHECK_FAIL_CLEAN_UPS || returned == trial->status) return;
    if (trial->failing->any_failure && returned != LAB_SUCCESS) return;
    const char *usual =
        check_text(returned == LAB_SUCCESS ? "nothing looks at what %s returns here, or its status is lost on the way: "
                                             "LAB_TRY returns it at once; where something must be undone first, keep it"
                                           : "the function continues after %s failed, or undoes what it had begun and "
                                             "returns the status of that: keep the status of the first failure",
                   trial->site->name);
    check_fail(CHECK_WRONG_RESULT,
               check_text("%s failed with %s, but %s returned %s", what, lab_status_name(trial->status), function,
                          lab_status_name(returned)),
               .at = place_of(trial->site),
               .expected =
                   check_text("%s%s, the status of the call that failed",
                              trial->failing->any_failure ? "for example " : "", lab_status_name(trial->status)),
               .found = lab_status_name(returned), .cause = cause_of(trial, usual));
}

static _Noreturn void fail_left(const attempt *trial, const char *noun, size_t count, const char *made)
{
    const char *function = trial->failing->function, *what = site_text(trial->site), *s = count == 1 ? "" : "s";
    check_fail(CHECK_LEAK, check_text("after %s failed, %s left %zu %s%s behind", what, function, count, noun, s),
               .at = place_of(trial->site), .expected = "nothing left behind, also when a call fails",
               .found = check_text("%zu %s%s%s", count, noun, s, made),
               .cause = check_text("the function returns early, with the status of %s, before it has released what "
                                   "it had made by then",
                                   trial->site->name));
}

/* Fails the check if a capture goes on that the function should have ended. */
static void require_no_capture(const attempt *trial, bool captures)
{
    const char *what = site_text(trial->site);
    if (!captures || !is_listed(trial->failing->gives_back, "capture")) return;
    check_fail(CHECK_RULE, check_text("after %s failed, a stream still captures", what), .at = place_of(trial->site),
               .expected = "afterwards no stream captures, also if a call fails",
               .found = "a stream that still captures",
               .cause = "the function returns between the beginning of the capture and its end: keep the status, end "
                        "the capture, then return the status");
}

/* Fails the check if the function has left another stream, context or device current than it found, by the marks of
 * the program around it. */
static void require_current(const attempt *trial, const lab_trace *trace)
{
    const lab_trace_op *begins = NULL, *ends = NULL;
    for (size_t i = 0; trial->failing->restores && i < trace->ops; i++) {
        if (check_is_mark(&trace->op[i], CALL_BEGINS)) begins = &trace->op[i];
        if (check_is_mark(&trace->op[i], CALL_ENDS)) ends = &trace->op[i];
    }
    if (!begins || !ends) return; /* a call of program.c has failed */
    const char *noun = begins->device != ends->device   ? "device"
                       : begins->object != ends->object ? "context"
                       : begins->stream != ends->stream ? "stream"
                                                        : NULL;
    if (!noun) return;
    const bool device = begins->device != ends->device;
    check_fail(CHECK_RULE,
               check_text("after %s failed, another %s is current than before the call", site_text(trial->site), noun),
               .at = place_of(trial->site),
               .expected = device ? check_text("afterwards: device %d is current, also if a call fails", begins->device)
                                  : check_text("afterwards: the current %s from before, also if a call fails", noun),
               .found = device ? check_text("device %d", ends->device) : check_text("another %s", noun),
               .cause = check_text("the function makes a %s current, this call fails, and it returns before it goes "
                                   "back",
                                   noun));
}

static void require_given_back(const attempt *trial, const lab_trace *trace)
{
    const char *file = getenv("LAB_CHECK_SOURCE");
    lab_lifetime *life, first = {0};
    size_t lives, kept = 0;
    if (lab_trace_lifetimes(&life, &lives, trace) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    for (size_t i = 0; i < lives; i++) {
        const char *made = life[i].made->file;
        const bool own = !*made || (file && strcmp(made, file) == 0);
        if (life[i].ended || !own || !is_listed(trial->failing->gives_back, life[i].noun)) continue;
        if (!kept) first = life[i];
        kept += strcmp(first.noun, life[i].noun) == 0;
    }
    free(life);
    if (!kept) return;
    const lab_trace_op *made = first.made;
    const char *place = *made->file ? check_text("%s:%d", made->file, made->line) : "a line that is not known";
    fail_left(trial, first.noun, kept, check_text(", %smade at %s", kept > 1 ? "the first " : "", place));
}

/* Fails the check if the function went on; `counted` is what the device process says of the run. */
static void require_end(const attempt *trial, const char *counted)
{
    call_place next = {.known = true, .calls = 1};
    if (!trial->failing->at_once || sscanf(counted, "%63s next %*[^:]:%d", next.name, &next.line) != 2) return;
    check_fail(CHECK_RULE, check_text("%s failed, and %s continues", site_text(trial->site), trial->failing->function),
               .at = place_of(&next), .expected = "no further call, but those that release what was made",
               .found = site_text(&next),
               .cause =
                   cause_of(trial, "the function continues after a failure: LAB_TRY(call) returns the call's status "
                                   "at once"));
}

/* Looks at a run in which a call has failed. */
static void look(check_program *program, const attempt *trial, program_return returned, bool captures)
{
    const check_failing *failing = trial->failing;
    if (returned.left_unjoined) {
        /* A thread that goes on may do so in the middle of its calls: the record says nothing then. */
        if (!failing->returned) require_status(trial, returned.status);
        if (is_listed(failing->gives_back, "thread")) fail_left(trial, "thread", 1, " that is not joined");
        return;
    }
    const lab_trace *trace = check_trace(program);
    require_status(trial, failing->returned ? failing->returned(trace) : returned.status);
    require_no_capture(trial, captures);
    require_current(trial, trace);
    require_given_back(trial, trace);
    if (!failing->look) return;
    failing->look(trace, site_text(trial->site), place_of(trial->site));
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

/* Begins a record of a run in which this call fails; site NULL: none does. */
static void prepare(check_program *program, const attempt *trial)
{
    const check_failing *failing = trial->failing;
    if (failing->prepare) failing->prepare(program, failing->user);
    check_trace_begin(program);
    begin(program, trial);
}

static const control_message *end(check_program *program)
{
    return device_process_tell(program, CONTROL_FAILING_ENDS, 0, "the end of the calls that are counted");
}

/* The run in which nothing fails. Returns what was counted. */
static const char *run_plainly(check_program *program, const check_failing *failing)
{
    prepare(program, &(attempt){.failing = failing});
    check_call(program, failing->function, failing->arguments, failing->argument_bytes, NULL, 0);
    return check_text("%s", end(program)->text);
}

/* Whether the program can be used again: not one that does not come to a call of the student's any more. */
static bool run(check_program *program, const attempt *trial)
{
    prepare(program, trial);
    const program_return returned = call(program, trial);
    const control_message *answer = end(program);
    const bool failed = answer->bytes != 0, captures = answer->captures != 0;
    const char *counted = check_text("%s", answer->text);
    call_place site = *trial->site;
    attempt ended = *trial;
    site.program = program;
    site.caller = answer->caller;
    ended.site = &site;
    device_process_pause(program);
    if (failed) look(program, &ended, returned, captures);
    if (failed && site.sort != CHECK_FAIL_CLEAN_UPS) require_end(&ended, counted);
    return (failed || !trial->site->known) && !returned.left_unjoined;
}

typedef struct failing_run {
    check_program *program;
    const attempt *trial;
    bool usable;
} failing_run;

static void make_run(void *user)
{
    failing_run *made = user;
    made->usable = run(made->program, made->trial);
}

/* The same; false also if the run ended the check with one of these kinds, from the first to the last. The check then
 * goes on. */
static bool run_and_forgive(check_program *program, const attempt *trial, check_kind first, check_kind last)
{
    const int records = records_kept();
    failing_run made = {program, trial, false};
    check_ending ending;
    if (!check_catch(&ending, make_run, &made)) {
        const check_kind kind = ending.finding.kind;
        if (ending.outcome != CHECK_FAILED || kind < first || kind > last) check_end(ending);
    }
    records_drop(records);
    return made.usable;
}

/* What counts is what a new program does: an earlier failure may have left the old one in any state. There is no second
 * try after a hang. */
static check_program *try_call(check_program *program, const attempt *trial)
{
    const bool may_end = trial->failing->any_failure;
    if (program && run_and_forgive(program, trial, CHECK_WRONG_RESULT, may_end ? CHECK_CRASH : CHECK_RULE))
        return program;
    if (program) program_drop(program);
    program = program_start_plain(trial->failing->memory_bytes);
    if (may_end ? run_and_forgive(program, trial, CHECK_CRASH, CHECK_CRASH) : run(program, trial)) return program;
    program_drop(program);
    return NULL;
}

/* By the words of lib/src/served/failing.c. */
static unsigned sort_of(const char *word)
{
    if (strcmp(word, "waits") == 0) return CHECK_FAIL_WAITS;
    if (strcmp(word, "queries") == 0) return CHECK_FAIL_QUERIES;
    return strcmp(word, "goes-back") == 0 ? CHECK_FAIL_CLEAN_UPS : 0;
}

static int read_sites(call_place sites[MOST_SITES], const char *text)
{
    int count = 0;
    char kind[16], file[256];
    for (; count < MOST_SITES; text = strchr(text, '\n') + 1) {
        call_place *next = &sites[count];
        *next = (call_place){0};
        if (sscanf(text, "%63s %15s %255[^:]:%d %" SCNu64, next->name, kind, file, &next->line, &next->calls) != 5)
            break;
        next->known = strcmp(file, "?") != 0;
        next->sort = sort_of(kind);
        count++;
    }
    return count;
}

/* None of them has a meaning of its own for what labs ask. */
static lab_status some_status(uint64_t number)
{
    static const lab_status statuses[] = {LAB_ERROR_ILLEGAL_ADDRESS, LAB_ERROR_MISALIGNED_ADDRESS,
                                          LAB_ERROR_LAUNCH_FAILED, LAB_ERROR_ASSERT};
    return statuses[check_random_u64(UINT64_MAX, number) % (sizeof statuses / sizeof *statuses)];
}

static void try_calls(const check_failing *failing)
{
    static call_place sites[MOST_SITES];
    check_program *program = program_start_plain(failing->memory_bytes);
    const int count = read_sites(sites, run_plainly(program, failing));
    uint64_t tried = 0;
    for (int i = 0; i < count; i++) {
        const call_place *site = &sites[i];
        if ((site->sort & failing->also) != site->sort) continue;
        const uint64_t last = site->sort == CHECK_FAIL_QUERIES ? 1 : site->calls, middle = last / 2 + 1;
        for (uint64_t number = 1; number <= last; number = number < middle ? middle : number < last ? last : last + 1)
            program = try_call(program, &(attempt){failing, site, number, some_status(tried++)});
    }
    if (program) program_drop(program);
    CHECK_THAT(tried > 0, CHECK_RULE, check_text("%s makes no call of the library", failing->function),
               .expected = check_text("calls of the library in %s that can fail", failing->function), .found = "none");
}

void check_failures(const check_failing *failing)
{
    const char *const one[] = {failing->function, NULL};
    grounds_failed();
    for (const char *const *function = failing->functions ? failing->functions : one; *function; function++) {
        check_failing each = *failing;
        each.function = *function;
        try_calls(&each);
    }
}
