/*
 * check.h: for who writes a lab's checks.c.
 *
 * A check runs in a process that never loads the student's code. It starts the student's program as a second
 * process, puts inputs into memory that both share, says go, and waits for done. It owns the inputs, the clock
 * and the reference, and it looks at nothing but the shared memory and the program's record. It refuses to
 * believe anything else: what the program prints, how it exits and what it claims earns no points.
 *
 *   while the program runs     between two calls of check_call the program stands still, with all its threads
 *                              and all processes it started: nothing it does late reaches what you compare
 *   when the program fails     a call that crashes, hangs, floods its output or breaks the rules ends the check
 *                              with that finding; you write no code for it
 *   when the grader fails      no memory, no process, a reference that does not run: the check ends as a fault
 *                              of the grader, which is never the student's zero
 *   when a check ends          by its last line, by check_fail or by a failing call, all the same: programs
 *                              are killed with everything they started, memory from check_alloc is freed
 *
 * A complete example. The lab's shared header says what lies where in the shared memory:
 *
 *     // double.h                                      // program.c, linked with the student's double.c
 *     enum { COUNT = 1000 };                           #include "double.h"
 *     struct double_memory {                           #include "worker.h"
 *         float in[COUNT];                             static lab_status run(void *memory, const void *arguments,
 *         float out[COUNT];                                                  void *result)
 *     };                                               {
 *     lab_status double_run(float *out,                    struct double_memory *m = memory;
 *                           const float *in,               return double_run(m->out, m->in, COUNT);
 *                           size_t count);             }
 *                                                      const worker_entry worker_entries[] = {{"double_run", run}, {0}};
 *
 * and checks.c:
 *
 *     #include "check.h"
 *     #include "double.h"
 *
 *     CHECK_LAB("lab99", "Twice as much");
 *
 *     CHECK(every_element_is_doubled, .points = 20, .title = "Every element is doubled",
 *           .hints = {"Task 1: look at the last index.", "One thread an element: which index does a thread have?",
 *                     "blockIdx.x * blockDim.x + threadIdx.x is the index; compare it with count before you write."})
 *     {
 *         check_program *program = check_start(sizeof(struct double_memory));
 *         struct double_memory *memory = check_memory(program);
 *         float *in = check_alloc(sizeof memory->in);
 *         check_random_floats(in, COUNT, 0, -1.0f, 1.0f);
 *         memcpy(memory->in, in, sizeof memory->in);
 *         check_poison(program, offsetof(struct double_memory, out), sizeof memory->out);
 *
 *         check_call(program, "double_run", NULL, 0, NULL, 0);
 *
 *         float *found = check_alloc(sizeof memory->out), *expected = check_alloc(sizeof memory->out);
 *         check_snapshot(program, found, offsetof(struct double_memory, out), sizeof memory->out);
 *         for (size_t k = 0; k < COUNT; k++) expected[k] = 2.0f * in[k];
 *
 *         check_difference difference = {.array = "row"};
 *         check_compare_floats(&difference, 0, expected, found, COUNT);
 *         if (difference.unwritten == COUNT) check_cause("double_run never wrote to out");
 *         check_equal(&difference, "double_run wrote wrong elements");
 *     }
 *
 * `checks --manifest` prints what CHECK registers, as JSON; without it the program is a Criterion test runner
 * (always with -j1), which prints one line of JSON a check to standard output. labcheck and labgrade run it.
 * Its environment, set by them: LAB_CHECK_PROGRAM (the program to check), LAB_CHECK_REFERENCE (the reference),
 * LAB_CHECK_FILES (the folder whose .cu files the program finds in its current directory), LAB_CHECK_SEED,
 * LAB_CHECK_SECONDS (limit of a check), LAB_CHECK_SOURCE (the student's file, "lab99.c"), LAB_CHECK_DEVICE (what
 * `reference --device` prints), LAB_CHECK_CACHE (where the student's program keeps compiled kernels), LAB_CHECK_RERUNS
 * (how often unstable times are measured again), LAB_CHECK_HUNG (what did not end in earlier checks, a line each, and is
 * not to be waited for again), LAB_CHECK_SANDBOX (the file that says in which sandbox the student's
 * program runs). The programs see none of these.
 */
#ifndef GRADER_HARNESS_CHECK_H
#define GRADER_HARNESS_CHECK_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab_trace.h"

/* ------------------------------------------------------------------------------------------------------
 * Defining a lab's checks
 */

enum { CHECK_HINTS = 3 };

/* What a check is; CHECK fills it in. `points` to `measures` are for you. */
typedef struct check_definition {
    const char *name;
    int order; /* checks are listed in the order of their lines */
    void (*body)(void);
    int points;
    const char *title;              /* "Every array is right" */
    const char *hints[CHECK_HINTS]; /* where to look; which idea or call is needed; all but the line itself */
    double seconds; /* how long the check may wait for programs, all calls together; 0 means the default, 20 */
    /* The schedule of the CPU device that the check's programs run under (LAB_SCHEDULE in lab.h): "adversarial" finds what
     * luck hides, whatever the machine's load; "random"; "fifo". NULL: the user's own. With `seeds`, the body runs so many
     * times, each with another seed, made from the check's own; 0 means once. On a GPU there are no schedules, and the
     * body runs once. A message of a check that fails says under which schedule, unless it is fifo, the order of the calls.
     * Do not measure times in such a check. */
    const char *schedule;
    int seeds;
    /* Its calls do not fail by what the order checker finds: check_unordered gives that. For checks of something else, which
     * another check's mistake need not cost, and for those that say the cause more exactly. */
    bool any_order;
    /* It times calls, or compares times of the device, which another program's turn on a GPU would lengthen: a grader runs
     * it with nothing else on the device. */
    bool measures;
} check_definition;

/* Names the lab; once in every checks.c, at file level. */
#define CHECK_LAB(lab_name, lab_title)                                                                                 \
    const char check_lab_name[] = lab_name;                                                                            \
    const char check_lab_title[] = lab_title

/* Defines one check: CHECK(name, .points = 20, .title = "...", .hints = {"...", "...", "..."}) { body }. All checks of a lab
 * stand in one file. Criterion's own limit, far above the check's, is only for a fault of the check itself. */
#define CHECK(check_name, ...)                                                                                         \
    static void check_body_##check_name(void);                                                                         \
    static const check_definition check_definition_##check_name = {                                                    \
        .name = #check_name, .order = __LINE__, .body = check_body_##check_name, __VA_ARGS__};                         \
    static const check_definition *const check_registered_##check_name __attribute__((section("lab_checks"), used)) =  \
        &check_definition_##check_name;                                                                                \
    Test(checks, check_name, .timeout = 600) { check_run(&check_definition_##check_name); }                            \
    static void check_body_##check_name(void)

/* What the body of the Criterion test calls; not for direct use. */
void check_run(const check_definition *definition);

/* ------------------------------------------------------------------------------------------------------
 * The program
 *
 * check_start gives a program that is loaded, has begun its record and waits. Start a fresh one for every
 * run that must not know of an earlier one. Several may live at once (the student's and the reference, to
 * take turns with timing): at most one runs at any moment, the others stand still.
 */

typedef struct check_program check_program;

/* Starts the student's program, or the reference built from solutions/, with `bytes` of shared memory, all
 * zero. A failure of the reference is a fault of the grader. Owned by the check. */
check_program *check_start(size_t bytes);
check_program *check_start_reference(size_t bytes);

/* The shared memory, aligned to a page. Write inputs into it before a call. Never compute with what you read
 * back from it: the program may have changed it; take check_snapshot, and keep your own copy of the inputs. */
void *check_memory(check_program *program);

/* Fills a range of the shared memory with a value that check_compare_floats reports as "never written" (a NaN
 * of a kind that no computation gives). `offset` and `bytes` are multiples of 4. */
void check_poison(check_program *program, size_t offset, size_t bytes);

/* Calls an entry of the program's worker_entries (named as the student's function: messages show it), waits, and
 * returns the milliseconds that took on this side's clock. The clock starts while the program still stands still, so
 * everything it does with these inputs is on it: write the inputs of a call right before the call. `arguments` are
 * copied to the program and `result` from it, each at most CHECK_MAX_BYTES; NULL with 0 for none. `result` is the
 * program's claim: report it, compare it with the record, but give no points for it alone. If the entry does not
 * return LAB_SUCCESS, the check fails with the program's own message. When the call returns, the program stands
 * still again. */
double check_call(check_program *program, const char *name, const void *arguments, size_t argument_bytes, void *result,
                  size_t result_bytes);
enum { CHECK_MAX_BYTES = 2048 };

/* In a check with .any_order: what the order checker found in the program's last call, a sentence with both lines and what
 * would order them; NULL if it found nothing. Owned by the check. In other checks such a call fails the check. */
const char *check_unordered(const check_program *program);

/* Copies a part of the shared memory as it was when the last call returned. */
void check_snapshot(check_program *program, void *to, size_t offset, size_t bytes);

/* Fails the check (kind rule) if that part of the shared memory is not what `copy` holds: "the program changed
 * its inputs". `what` names it in the message: "the input arrays". */
void check_unchanged(check_program *program, size_t offset, const void *copy, size_t bytes, const char *what);

/* Drops the program's record so far and begins a new one: from here on check_trace sees only what follows. */
void check_trace_begin(check_program *program);

/* Ends the program's record and reads it, every field checked. It is the program's own word on what it did:
 * use it beside right results, never instead of them. Owned by the check. */
const lab_trace *check_trace(check_program *program);

/* How many operations of this kind the record has. */
int check_count_ops(const lab_trace *trace, lab_op_kind kind);

/* What stands beside the operation on its stream, before it (-1) or after it (1); NULL if nothing does. */
const lab_trace_op *check_beside(const lab_trace *trace, const lab_trace_op *op, int direction);

/* Whether the host waited for the operation in a later call: by its stream, by an event or the work of another stream that
 * comes after it, by the device. */
bool check_is_waited_for(const lab_trace *trace, const lab_trace_op *op);

/* How far apart a record's times of the device and of the host's calls may be, though they are the same: a GPU has another
 * clock. */
int64_t check_clock_slack_ns(void);

/* Fails the check (kind rule) unless the record has at least as many kernels, and as many copies in and copies out: the
 * host can compute the same numbers, and then they are no answer. */
void check_device_computed(const lab_trace *trace, int kernels, int copies, const char *function);

/* Fails the check (kind leak) if something that the record made was not given back, and names the first line that made
 * one: a "stream", an "event", a "pinning" (lab_lifetime has all nouns). None made at all fails it too (kind rule). */
void check_given_back(const lab_trace *trace, const char *noun);

/* Fails the check (race suspected) if a call of `function` returned while the device was still at what had been enqueued:
 * the first such operation is named, with its line. For labs whose functions must wait for their work. What nobody waited
 * for may have ended in time by luck: give the check an adversarial schedule, or ask check_is_waited_for. On a GPU the
 * clocks of record and host agree to 100 microseconds, and so much is not counted. */
void check_nothing_outstanding(const lab_trace *trace, const char *function);

/* Lets the program leave main and returns its exit status; 0 is success. Crashing or hanging on the way out
 * fails the check. Not needed: a check that ends ends its programs. */
int check_finish(check_program *program);

/* What programs run on: asked once, of the reference. For sizes that follow the device. */
typedef struct check_device_info {
    char kind[8]; /* "cpu" or "cuda" */
    char name[128];
    int multiprocessors;
} check_device_info;
const check_device_info *check_device(void);

/* ------------------------------------------------------------------------------------------------------
 * Inputs
 *
 * Every check has its own sequence of random numbers, made from the seed of the run and the check's name. It
 * is counter-based (Philox 4x32-10, the generator that cuRAND calls PHILOX4_32_10): element k of array j is
 * computed directly, in any order.
 */

/* The seed of this check. Never give it to the program. */
uint64_t check_seed(void);

uint64_t check_random_u64(uint64_t array, uint64_t element);

/* From 0 up to but not including 1, 24 bits. */
float check_random_float(uint64_t array, uint64_t element);

/* to[k] = low + (high - low) * check_random_float(array, k), for k < count. */
void check_random_floats(float *to, size_t count, uint64_t array, float low, float high);

/* Zeroed memory that the check owns; never NULL. */
void *check_alloc(size_t bytes);

/* Whether a time that events measured is the one between two moments of the record, both in milliseconds: to the events'
 * resolution on the CPU device; on a GPU, whose record has another source than its events, within 100 microseconds and 5%. */
bool check_is_event_time(double measured, double recorded);

/* Sets the cause of a time that is not the recorded one although its events stand where they should: on a GPU another
 * program's turn may lie between them, on the CPU device there is none to name. */
void check_cause_event_time(void);

/* Calls work(user, k) for k = 0 to count - 1, several at a time, and returns when all are done. For making inputs and
 * references of many arrays: `work` uses nothing of this header but check_random_..., and writes only what is of k. */
void check_each(int count, void (*work)(void *user, int k), void *user);

/* ------------------------------------------------------------------------------------------------------
 * Findings
 *
 * A check that reaches its end has passed. Say what you know before you fail: check_expected, check_found,
 * check_cause and check_location keep what they are told, each the latest, and show it only if the check
 * fails. Texts are sentences for a student, without a final full stop.
 */

typedef enum check_kind {
    CHECK_WRONG_RESULT,   /* "wrong result": computed something else */
    CHECK_RACE_SUSPECTED, /* "race suspected": nothing orders what must be ordered */
    CHECK_LEAK,           /* "leak": made and not given back */
    CHECK_RULE,           /* "rule": right, but not by the way the task asks for */
    CHECK_CRASH,          /* these four the harness finds itself */
    CHECK_TIMEOUT,
    CHECK_OUTPUT_FLOOD,
    CHECK_MEMORY, /* "memory": used more than the sandbox allows */
} check_kind;

/* Fails and ends the check. */
_Noreturn void check_fail(check_kind kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fails and ends the check unless the condition holds:
 * CHECK_THAT(summary.streams_used > 1, CHECK_RULE, "all work was on one stream"). */
#define CHECK_THAT(condition, kind, ...)                                                                               \
    do {                                                                                                               \
        if (!(condition)) check_fail((kind), __VA_ARGS__);                                                             \
    } while (0)

/* Ends the check as not measured: what its points are for cannot be told here, through no fault of the student's. The
 * machine has no GPU, the times are unstable, others use the device. Its points are neither won nor lost. */
_Noreturn void check_not_measured(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the check as a fault of the grader: something that is not the student's doing. */
_Noreturn void check_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

void check_expected(const char *format, ...) __attribute__((format(printf, 1, 2)));
void check_found(const char *format, ...) __attribute__((format(printf, 1, 2)));
void check_cause(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The line to look at. `function` may be NULL. */
void check_location(const char *file, int line, const char *function);

/* The place of a recorded call. */
void check_locate(const lab_trace_op *op);

/* How arrays differ. Start with {.array = "array"} (what one of them is called; NULL: a single array, only
 * elements are named), compare array by array, then decide. */
typedef struct check_difference {
    const char *array;
    unsigned ulps; /* how many representable floats apart still counts as equal; 0: exactly equal */
    /* Or how far apart, where the problem's condition says what any right order of operations may lose: for a sum of
     * `count` floats, count * FLT_EPSILON times the sum of their absolute values. Finite; 0: ulps alone decide. */
    double bound;
    /* Filled by check_compare_floats; `compared` also by a check that knows an array to be right: */
    size_t compared;                   /* elements */
    size_t count;                      /* elements that differ */
    size_t arrays;                     /* arrays with an element that differs */
    size_t first_array, first_element; /* the first that differs */
    size_t last_array;                 /* the last array that differs */
    size_t unwritten;                  /* wrong elements that still hold check_poison's value */
    size_t zeros;                      /* wrong elements that are 0 */
} check_difference;

/* Compares array number `array`. NaN and infinity differ from everything but the very same bits. The first few
 * differences of a check are kept and shown: "array 128, element 0: expected 0.3127, found never written". */
void check_compare_floats(check_difference *difference, size_t array, const float *expected, const float *found,
                          size_t count);

/* Fails the check (wrong result) if anything differed; the message is yours, the numbers are added. */
void check_equal(const check_difference *difference, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ------------------------------------------------------------------------------------------------------
 * What the result shows beside the checks
 */

typedef enum check_who { CHECK_YOURS, CHECK_REFERENCE } check_who;

/* A row of the table of times: median, least and most of the samples, in milliseconds, and the interval in which the
 * median of endlessly many lies with a confidence of at least 95 %. With CHECK_SAMPLES or more of them, a row whose
 * interval is wider than a quarter of the median is called unstable. */
void check_timing(const char *label, check_who who, const double *milliseconds, size_t samples);

enum { CHECK_SAMPLES = 10, CHECK_FEWEST_SAMPLES = 3, CHECK_ENOUGH_SECONDS = 20 };

/* Measures several rows, yours and the reference's in turn: `round` is called once to warm up and then CHECK_SAMPLES
 * times, and gives one sample of each row. For a student it ends after CHECK_ENOUGH_SECONDS if there are
 * CHECK_FEWEST_SAMPLES by then. When an instructor grades and a row is unstable, all rounds are run again, at most twice
 * and as far as that ends within the check's seconds; the last ones count. A row that is unstable then says so and costs
 * no points. `median` gets the rows' medians.
 *
 * True if all rows are stable. Points that a time decides are given like this:
 *
 *     if (!check_measure(median, rows, 2, time_round, &both)) check_not_measured("the times are unstable");
 *     CHECK_THAT(median[0] < 1.5 * median[1], CHECK_RULE, "...");
 *
 * A sample of yours that is shorter than the device's link to the host needs for the row's bytes is impossible. The check
 * then ends as not measured and without points, and the result says that a person should look at it: whether the clock,
 * the bound or the program is wrong is not for the grader to say. */
typedef struct check_row {
    const char *label;
    check_who who;
    double bytes; /* that each sample copies in one direction at least; 0 if that is not known */
} check_row;
bool check_measure(double *median, const check_row *row, size_t rows, void (*round)(void *user, double *milliseconds),
                   void *user);

/* A ratio of the student's, beside the reference's: check_ratio("streams: times faster than serial", 1.8, 1.9). */
void check_ratio(const char *label, double yours, double reference);

double check_median(const double *values, size_t count);

/* What the program of a record would take on a device that is not here, in milliseconds: the same on every machine,
 * so that points can depend on it. Counts every array as `scale` times as large. */
typedef struct check_modelled {
    char label[48];  /* "modelled on h200": shown beside every figure */
    double makespan; /* of the program as it is */
    double
        best; /* of the same work with pinned memory, no wait in between and no order that its memory does not need */
    char advice[512]; /* what to change first: a sentence for check_cause */
} check_modelled;
check_modelled check_model(const lab_trace *trace, const char *profile, double scale);

/* A row "LABEL, modelled on h200" of the table of times. */
void check_timing_modelled(const char *label, check_who who, const check_modelled *modelled);

/* Shows this record to the student: trace.json, timeline.svg and the text timeline. The last one counts; but the first
 * in which the order checker found something, and a check that such a finding fails shows its record by itself. */
void check_artifact_trace(const lab_trace *trace, const char *title);

#endif
