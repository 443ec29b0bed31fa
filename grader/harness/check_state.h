/*
 * check_state.h: the state of the running check, which the files of the trusted side share. A process runs one check,
 * so there is one state. What a check finds is no part of it: a finding is a value (check.h).
 */
#ifndef GRADER_HARNESS_CHECK_STATE_H
#define GRADER_HARNESS_CHECK_STATE_H

#include "check.h"

#include <jansson.h>

#include "base/fault.h"
#include "machine/patience.h"

typedef enum check_outcome {
    CHECK_PASSED,
    CHECK_FAILED,
    CHECK_NOT_RUN,
    CHECK_NOT_MEASURED,
    CHECK_FAULTED
} check_outcome;

enum {
    CHECK_SHOWN_OUTPUT = 16 * 1024,
    CHECK_PROGRAM_OUTPUT = 8 << 20, /* more is a flood */
    CHECK_RECORD_BYTES = 32 << 20,
    CHECK_RECORD_ENTRIES = 8 * CHECK_RECORD_OPERATIONS, /* accesses and waits of all operations */
};

/* A quiet NaN with a payload that no computation gives: what check_poison writes. */
enum { CHECK_POISON = 0x7FD1EAD5 };

/* All waits together may take so many times the limit of one. */
enum { CHECK_MOST_LIMITS = 4 };

static inline double check_seconds(const check_definition *check)
{
    return check->seconds > 0 ? check->seconds : CHECK_SECONDS;
}

/* How a check ended, and with what: the finding of a check that failed, or else its message alone. */
typedef struct check_ending {
    check_outcome outcome;
    check_finding finding;
} check_ending;

typedef struct check_state {
    const check_definition *definition;
    uint64_t seed;
    double started;      /* a value of clock_seconds() */
    double limit;        /* of one wait for the student's programs, in seconds */
    double whole_left;   /* for all further waits for them */
    double seconds_left; /* of the limit, for a check that chooses how often to call; may be below 0 */
    double reference_seconds_left;
    patience patience;        /* of all these waits */
    double device_time;       /* own time of the device processes that have ended (own_time.h) */
    const char *schedule;     /* LAB_SCHEDULE of programs that are started: "adversarial:17"; NULL for the user's own */
    const char *setting;      /* in place of the check's own, for a program that is started; else NULL */
    const char *called_under; /* that of the program that was called last */
    struct {
        const check_kernel *kernel;
        const check_argument *argument;
    } launches;         /* check_expect_launches; NULL: nothing is known of them */
    unsigned builds_on; /* tasks whose solution is in programs that are started; bit 1 << TASK */

    const check_level *level; /* the last that the program has reached; NULL for none */
    bool impossible;          /* not measured because a time was impossibly short */
    json_t *timings, *ratios;
    char *trace, *timeline_svg, *timeline_text; /* of the record that the student is shown */
    size_t findings;                            /* findings of the order checker that are marked in it */
    char *hung;                                 /* the call that did not end in time; NULL if none */
    char *output;                               /* the cleaned output of the student's program; NULL if none */
    bool output_truncated;

    uint64_t draws;              /* of check_draw so far */
    struct check_memory *memory; /* from check_alloc */
    check_program *programs;
} check_state;

extern check_state this_check;

/* From CHECK_LAB, in the lab's checks.c. */
extern const char check_lab_name[];
extern const char check_lab_title[];

/* ---- check.c ---- */

/* Calls work(user). Returns false if that ended the check: the end is put into `ending`, and the check continues. */
bool check_catch(check_ending *ending, void (*work)(void *user), void *user);

/* Ends the check in this way: what was caught, as it was or with more said. */
_Noreturn void check_end(check_ending ending);

/* Ends the check as not run: an earlier check has found the reason. */
_Noreturn void end_not_run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Frees what check_alloc gave. */
void check_free_memory(void);

/* ---- float_bits.c, wrong_numbers.c ---- */

uint32_t float_bits(float value);

/* How many floats one number is from the other; the distance to NaN and infinity has no end. */
uint64_t float_distance(float expected, float found);

/* Whether the two are equal, as far as the difference allows. */
bool floats_agree(float expected, float found, const check_difference *allowed);

/* Looks at an array, of which so many numbers are wrong, before the difference counts it. */
void wrong_numbers_add(check_difference *difference, size_t array, const float *expected, const float *found,
                       size_t count, size_t wrong);

/* Why the numbers are wrong, by what they look like; NULL where they look like nothing. */
const char *wrong_numbers_cause(const check_difference *difference);

#endif
