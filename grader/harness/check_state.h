/*
 * check_state.h: the state of the running check, which the files of the trusted side share. A process runs one check,
 * so there is one state.
 */
#ifndef GRADER_HARNESS_CHECK_STATE_H
#define GRADER_HARNESS_CHECK_STATE_H

#include "check.h"

#include <jansson.h>
#include <setjmp.h>

#include "base/fault.h"
#include "machine/patience.h"
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
    CHECK_STEPS = 2,
    CHECK_SHOWN_OUTPUT = 16 * 1024,
    CHECK_PROGRAM_OUTPUT = 8 << 20, /* more is a flood */
    CHECK_RECORD_BYTES = 32 << 20,
    CHECK_RECORD_ENTRIES = 8 * CHECK_RECORD_OPERATIONS, /* accesses and waits of all operations */
};

/* All waits together may take so many times the limit of one. */
enum { CHECK_MOST_LIMITS = 4 };

static inline double check_seconds(const check_definition *check)
{
    return check->seconds > 0 ? check->seconds : CHECK_SECONDS;
}

typedef struct check_state {
    const check_definition *definition;
    uint64_t seed;
    double started;      /* a value of clock_seconds() */
    double limit;        /* of one wait for the student's programs, in seconds */
    double whole_left;   /* for all further waits for them */
    double seconds_left; /* of the limit, for a check that chooses how often to call; may be below 0 */
    double reference_seconds_left;
    patience patience;  /* of all these waits */
    double device_time; /* own time of the device processes that have ended (own_time.h) */
    jmp_buf end;
    const char *schedule;     /* LAB_SCHEDULE of programs that are started: "adversarial:17"; NULL for the user's own */
    const char *called_under; /* that of the program that was called last */

    check_outcome outcome;
    const check_level *level; /* the last that the program has reached; NULL for none */
    check_kind kind;
    bool impossible;                           /* not measured because a time was impossibly short */
    char *message, *expected, *found, *cause;  /* NULL until said */
    const check_failure_cause *failure_causes; /* NULL for none */
    int expected_held, found_held, cause_held; /* the line of a CHECK_THAT that has held since; 0: none has */
    char *location_file, *location_function;
    int location_line;
    bool located;             /* the check has said where, or that there is no line */
    bool guessed;             /* it has not: the line is that of the function's last call */
    bool lacks_an_end;        /* something is missing at the function's end: its last call is told too, as of a leak */
    uint64_t location_caller; /* an address in this program, whose line is `called_at` once the check has failed */
    const struct check_program *location_program;
    int called_at, last_call; /* lines of the student's file; 0 if unknown */
    int after[CHECK_STEPS];   /* the lines at which the last call was before the location's; 0 behind the last */
    json_t *mismatches;       /* in the form of the evidence */
    size_t mismatch_count;
    json_t *timings, *ratios;
    char *trace, *timeline_svg, *timeline_text; /* of the record that the student is shown */
    size_t findings;                            /* findings of the order checker that are marked in it */
    char *hung;                                 /* the call that did not end in time; NULL if none */
    char *output;                               /* the cleaned output of the student's program; NULL if none */
    bool output_truncated;

    uint64_t draws;              /* of check_draw so far */
    struct check_memory *memory; /* from check_alloc */
    check_program *programs;
    /* Set by program_record.c: a check without records does not need the trace library. */
    char *(*write_record)(void); /* the last record of the student's work as text, to be freed; NULL for none */
    void (*free_records)(void);
    void (*find_lines)(bool lacks_an_end); /* adds to the location, or guesses one; NULL without programs */
    /* Locates the student's last call in the last record, which is taken from the program first if it is `open`; false
     * without one. */
    bool (*locate_last_call)(bool open);
} check_state;

extern check_state this_check;

/* From CHECK_LAB, in the lab's checks.c. */
extern const char check_lab_name[];
extern const char check_lab_title[];

/* ---- check.c ---- */

/* A formatted text, owned by the check; ends the check as a fault if memory runs out. */
char *owned_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Forgets what was said with check_expected, check_found, check_cause and check_location, and how the check ended. */
void forget_findings(void);

/* Ends the check as not run: an earlier check has found the reason. */
_Noreturn void end_not_run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Runs a check and writes its evidence; whether it passed. `message` gets what the check found, or an empty text. */
enum { CHECK_MESSAGE = 512 };
bool check_run(const check_definition *definition, char message[CHECK_MESSAGE]);

/* Frees what check_alloc gave. */
void check_free_memory(void);

/* From now on this check's programs run on the CPU device, and check_device tells of that one. */
void check_use_cpu_device(void);

/* Which device programs run on now, and to go back to it. Owned by the check; NULL where nothing chooses. */
typedef struct check_chosen_device {
    const char *chosen, *known; /* LAB_DEVICE, LAB_CHECK_DEVICE */
} check_chosen_device;
check_chosen_device check_chosen_device_now(void);
void check_choose_device(check_chosen_device device);

/* ---- copy_bound.c ---- */

/* The least milliseconds that so many bytes need between host and device in one direction. */
double copy_bound_ms(double bytes);

/* ---- grounds.c: what a check that passes rests on ----
 *
 * Numbers and record are one piece of evidence: outputs count with the flow that brought them, and an order or a time
 * counts with the outputs of the same run. The harness keeps what the body looks at and what check_flow proves, run by
 * run, and compares them when the body has ended. */

/* Forgets all runs: a body begins. */
void grounds_begin(void);

/* The program begins a run: what is told of it from here on belongs to that. */
void grounds_run_begins(const check_program *program);

/* The body has copied so many bytes of the program's memory, as outputs. */
void grounds_copied(const check_program *program, size_t bytes);

/* The body has read the run's record. */
void grounds_recorded(const check_program *program, const lab_trace *trace);

/* The body judges the order of this record, or what it would take elsewhere. */
void grounds_ordered(const lab_trace *trace);

/* Begins or ends a measurement, whose samples keep no flow: that of another run in the same check stands for them. */
void grounds_measure(bool begins);

/* The body shows times of the student's program. */
void grounds_timed(void);

/* The body makes calls fail. */
void grounds_failed(void);

/* check_flow has followed the outputs of the run with this record. */
void grounds_proven(const lab_trace *trace);

/* The body has ended, and nothing has failed. Ends the check as a fault of the grader if it has looked at more than it
 * has proven. */
void grounds_settle(void);

/* ---- evidence_line.c ---- */

/* Writes the check's one line of JSON to standard output; false if that fails. */
bool evidence_line_write(const check_state *state);

#endif
