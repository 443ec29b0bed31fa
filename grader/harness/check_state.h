/*
 * check_internal.h: what the files of the trusted side share. One check runs in a process, so there is one state.
 */
#ifndef GRADER_HARNESS_CHECK_INTERNAL_H
#define GRADER_HARNESS_CHECK_INTERNAL_H

#include "check.h"

#include <jansson.h>
#include <setjmp.h>

#include "base/fault.h"
#include "protocol.h"

typedef enum check_outcome {
    CHECK_PASSED,
    CHECK_FAILED,
    CHECK_NOT_RUN,
    CHECK_NOT_MEASURED,
    CHECK_FAULTED
} check_outcome;

enum {
    CHECK_SHOWN_MISMATCHES = 5,
    CHECK_SHOWN_OUTPUT = 16 * 1024,
    CHECK_PROGRAM_OUTPUT = 8 << 20, /* more is a flood */
};

typedef struct check_state {
    const check_definition *definition;
    uint64_t seed;
    double started;      /* clock_seconds() */
    double seconds_left; /* that the check may still wait for the student's programs */
    double reference_seconds_left;
    jmp_buf end;
    const char *schedule; /* LAB_SCHEDULE of its programs: "adversarial:17"; NULL: the user's own */

    check_outcome outcome;
    check_kind kind;
    bool impossible;                          /* not measured because a time was shorter than any can be */
    char *message, *expected, *found, *cause; /* NULL until said */
    char *location_file, *location_function;
    int location_line;
    json_t *mismatches; /* as the evidence shows them */
    size_t mismatch_count;
    json_t *timings, *ratios;
    char *trace, *timeline_svg, *timeline_text;
    size_t findings; /* of the order checker, marked in these */
    char *hung;      /* which call did not end in time; NULL if none */
    char *output;    /* what the student's program printed, cleaned; NULL if nothing */
    bool output_truncated;

    struct check_memory *memory; /* from check_alloc */
    check_program *programs;
    void (*free_traces)(void); /* set by check_trace.c: a check without records needs no trace library */
} check_state;

extern check_state check_now;

/* From CHECK_LAB, in the lab's checks.c. */
extern const char check_lab_name[];
extern const char check_lab_title[];

/* check.c: ends the check as it stands. */
_Noreturn void check_end(void);

/* check.c: ends the check as not run to its end: another check has found why it cannot be. */
_Noreturn void check_not_run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* check_bound.c: the least milliseconds in which so many bytes go between host and device in one direction. */
double check_least_ms(double bytes);

/* check_outstanding.c: takes the last call's return off the record's end; check_trace.c: and has it, `ns` -1 if the record
 * does not say; NULL for a record that is not of check_trace. */
typedef struct check_return {
    const char *function;
    int64_t ns;
} check_return;
check_return check_take_return(lab_trace *trace);
const check_return *check_last_return(const lab_trace *trace);

/* check.c: a formatted string; ends the check as a fault without memory. */
char *check_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* check_evidence.c: the name of a kind as the evidence spells it; and the check's one line of JSON on standard output.
 * False if it could not be written. */
const char *check_kind_name(check_kind kind);
bool check_evidence_write(const check_state *state);

/* check_crash.c: fails the check with what a crash message says, resolved to function and line. */
_Noreturn void check_crash_report(const protocol_message *message, const char *program_path, bool reference);

/* check_crash.c: fails the check since a call did not end in time, as the sentence `what` says; `message` says where it is,
 * NULL if the program did not. */
_Noreturn void check_hang_report(const protocol_message *message, const char *program_path, bool reference,
                                 const char *what);

/* check_program.c: ends all programs and keeps what the student's printed. */
void check_programs_end(void);

/* check_program.c: sends a request that is answered READY, and waits for the answer while the program runs. */
void check_program_request(check_program *program, protocol_kind kind, const char *name, const char *what);

/* check_program.c: the program's private folder. */
const char *check_program_folder(const check_program *program);

/* check_trace.c: shows the student the program's record, in which the order checker found something during `what`, and
 * says what was expected and found, and where; `words` are the checker's, and lose what would then be said twice. Nothing
 * happens if the program does not give its record. */
void check_trace_show_finding(check_program *program, const char *what, char *words);

/* Runs a check without Criterion; whether it passed. */
bool check_run_alone(const check_definition *definition);

/* check_answer.c: fails the check, or ends it as a fault of the grader if the program is the reference. */
_Noreturn void check_program_fail(const check_program *program, check_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
