/*
 * check.h: the manual for the author of a lab's checks.c.
 *
 * A check runs in a process that never loads the student's code. It starts the student's program as a second process,
 * and a third for it, the device process, which holds the library with its devices and records what the program does
 * there (grader/README.md draws them). The check puts inputs into shared memory, starts a call, and waits for its end.
 * It owns the inputs, the clock and the reference. It looks at the shared memory and at the record of the device
 * process. Nothing else earns points: neither what the program prints, nor how it exits, nor what it claims.
 *
 *   between two calls          The program stands still with all its threads and child processes, so nothing that it
 *                              does late can change what you compare.
 *   when the program fails     A call that crashes, hangs, floods its output or breaks the rules ends the check with
 *                              that finding. You write no code for it.
 *   when a check passes        What it looked at must be proven: outputs by check_flow, an order or a time by the
 *                              outputs of the same run. Else it ends as a fault of the grader, so that its author sees
 *                              it ("What a check rests on", below).
 *   when the grader fails      If memory, a process or the reference fails, the check ends as a fault of the grader and
 *                              never costs the student points.
 *   when a check ends          Whether by its last line, by check_fail or by a failing call: programs are killed with
 *                              everything they started, and memory from check_alloc is freed.
 *
 * A complete example. The lab's shared header defines the layout of the shared memory:
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
 *                                                      const worker_entry worker_entries[] = {
 *                                                          {"double_run", run}, {0}};
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
 *         check_equal(&difference, "double_run wrote wrong elements",
 *                     .cause = difference.unwritten == COUNT ? "double_run never wrote to out" : NULL);
 *     }
 *
 * case.h has such a call as a table, plan.h what the call must enqueue, and find.h what several labs ask of a record.
 *
 * `checks --manifest` prints the registered checks as JSON. `checks --check NAME` runs one check and prints its
 * evidence, one line of JSON. `checks` alone runs all of them, one at a time. labcheck and labgrade run the first two
 * and set their environment, which the programs do not see:
 *
 *   LAB_CHECK_PROGRAM    the program to check
 *   LAB_CHECK_REFERENCE  the reference
 *   LAB_CHECK_SERVER     the program of the device process
 *   LAB_CHECK_FILES      the folder whose .cu files the program finds in its current directory
 *   LAB_CHECK_SEED       the seed of the run
 *   LAB_CHECK_SECONDS    the time limit of a call; all calls of a check have four times as long
 *   LAB_CHECK_TABLES     the folder with the predictions that the student's file holds
 *   LAB_CHECK_SOURCE     the name of the student's file, "lab99.c"
 *   LAB_CHECK_TEXT       the path of its text
 *   LAB_CHECK_STARTER    the path of the text that it began as
 *   LAB_CHECK_DEVICE     the output of `reference --device`
 *   LAB_CHECK_CACHE      the folder of the submission's compiled kernels, in a sandbox
 *   LAB_CHECK_REFERENCE_CACHE  the folder of the reference program's, which the submission's device process reads
 *   LAB_CHECK_ROOM       the folder, of bounded size, for the files of the student's program
 *   LAB_CHECK_RECORDS    set if the evidence is to contain the last record of the student's work
 *   LAB_CHECK_PROFILE    a profile for which the table also gets its modelled times, a name or a path
 *   LAB_CHECK_BRIEFLY    set if nobody reads the times: a measurement takes one sample
 *   LAB_CHECK_RERUNS     how often unstable times are measured again
 *   LAB_CHECK_HUNG       the calls that hung in earlier checks and are not called again, one per line
 *   LAB_CHECK_SANDBOX    the file that describes the sandbox of the student's program
 *   LAB_CHECK_DEVICE_SANDBOX  the same for its device process
 */
#ifndef GRADER_HARNESS_CHECK_H
#define GRADER_HARNESS_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/flow.h"
#include "lab_trace.h"

/* ------------------------------------------------------------------------------------------------------
 * Defining a lab's checks
 */

enum { CHECK_HINTS = 3, CHECK_LEVELS = 3 };

/* A part of what a check asks for, and the points that it gives when the check fails after it. */
typedef struct check_level {
    const char *name; /* what the program does: "right, but slower than the bound" */
    int points;       /* less than the check's, more than those of the level before */
} check_level;

/* The cause of a call that fails with a message that has this part: a pattern of the shell, "reads *also lines". */
typedef struct check_failure_cause {
    const char *part, *cause;
} check_failure_cause;

/* Enough for most checks, also on a slow machine. The manifest tells each check's limit. */
enum { CHECK_SECONDS = 20 };

/* What checks of one sort say in every lab: the title of one that has none, and its first hints. */
typedef struct check_usual {
    const char *title, *hints[CHECK_HINTS - 1];
} check_usual;

/* The properties of a check. CHECK sets name, order and body; the others are yours. */
typedef struct check_definition {
    const char *name;
    int order; /* checks are listed in the order of their lines */
    void (*body)(void);
    int points;
    const char *title;              /* "Every array is right" */
    const char *hints[CHECK_HINTS]; /* where to look; which idea or call is needed; everything except the line itself */
    const check_usual *usual;       /* where title or hints are left out; NULL: nothing */
    double seconds; /* how long a call may take, and all together four times as long; 0 means CHECK_SECONDS */
    /* The schedule of the CPU device for the check's programs (LAB_SCHEDULE in lab.h). "adversarial" finds mistakes
     * that luck hides, whatever the machine's load; others are "random" and "fifo"; NULL keeps the user's own. The body
     * runs `seeds` times, each time with another seed derived from the check's own; 0 means once. Where labs run on a
     * GPU, which has no schedules, such a check runs on the CPU device all the same; with "fifo" it runs on the GPU,
     * once. The message of a failing check names the schedule, unless that is fifo, the order of the calls, or the
     * finding is a leak or a broken rule, which no schedule hides. Do not measure times in such a check. */
    const char *schedule;
    int seeds;
    /* Findings of the order checker do not fail the check's calls; check_unordered returns them. For checks of
     * something else, which should not fail for another check's mistake, and for checks that name the cause more
     * exactly. */
    bool any_order;
    /* The CPU device, on which such a check always runs, checks the accesses of kernels and what orders them
     * (LAB_MEMCHECK, LAB_RACECHECK, LAB_INITCHECK and LAB_SYNCCHECK in lab.h): a finding fails the call that waits for
     * the kernel. They are in the kernel's process, where a hostile kernel can hide what they find: ask the record
     * too. */
    bool checks_kernels;
    /* A setting of the CPU device, on which such a check always runs, for its programs: "LAB_CPU_PRIORITIES=3". */
    const char *setting;
    /* How many devices the check needs, if more than one. There are as many CPU devices as are asked for. Where there
     * are fewer GPUs, the check runs on CPU devices. */
    int devices;
    /* The check measures times, or compares times of the device. Another program on the GPU would lengthen them, so a
     * grader runs the check with nothing else on the device. */
    bool measures;
    /* The check counts changed lines: check_changed_lines. */
    bool counts_lines;
    /* The checks, by name with ", " between, that must not have failed for this one to run: "sums_are_right". For a
     * check that a function passes which does nothing. A check that does not run has no points, and says why. */
    const char *after;
    /* The task is for those who want more: the check gives points, and the lab passes without it. */
    bool extra;
    /* Causes of calls that fail with a message that has a part. The first that fits is shown, in place of the harness's
     * own. The list ends with {0}; NULL for none. */
    const check_failure_cause *failure_causes;
    /* Why the check gives points without check_flow; NULL if it does not ("What a check rests on", below). */
    const char *without_flow;
    /* Levels, for a check of which a part is worth points: .levels = {{"right, but slower than the bound", 12}}. The
     * body says with check_reaches when the program has reached one. Without levels a check gives all points or none,
     * which is what most should do: two checks say more than one with a level. */
    check_level levels[CHECK_LEVELS];
} check_definition;

/* Names the lab. Use it once in every checks.c, at file level. */
#define CHECK_LAB(lab_name, lab_title)                                                                                 \
    const char check_lab_name[] = lab_name;                                                                            \
    const char check_lab_title[] = lab_title

/* Defines one check: CHECK(name, .points = 20, .title = "...", .hints = {"...", "...", "..."}) { body }. All checks of
 * a lab must be in one file. */
#define CHECK(check_name, ...)                                                                                         \
    static void check_body_##check_name(void);                                                                         \
    CHECK_REGISTERED(check_name, __VA_ARGS__);                                                                         \
    static void check_body_##check_name(void)
#define CHECK_REGISTERED(check_name, ...)                                                                              \
    static const check_definition check_definition_##check_name = {                                                    \
        .name = #check_name, .order = __LINE__, .body = check_body_##check_name, __VA_ARGS__};                         \
    static const check_definition *const check_registered_##check_name __attribute__((section("lab_checks"), used)) =  \
        &check_definition_##check_name

/* ------------------------------------------------------------------------------------------------------
 * Findings
 *
 * A check that reaches its end has passed. A check that fails ends with one finding: a value that says what is wrong,
 * where, what was expected, what was found and the likely cause. It is made at the test that fails, and nothing that
 * was said before belongs to it:
 *
 *     CHECK_THAT(stream->non_blocking, CHECK_RULE, "the stream is blocking", .at = check_at(creation),
 *                .expected = "a non-blocking stream", .found = "a blocking stream");
 *
 * Tell a cause only where what it says of the program was observed. A function that looks for the cause returns it,
 * and returns NULL where it knows none. Texts are sentences for a student, without a final full stop. The harness
 * copies them when the check ends, and leaves out those that are NULL or empty.
 */

typedef enum check_kind {
    CHECK_WRONG_RESULT,   /* "wrong result": computed something else */
    CHECK_RACE_SUSPECTED, /* "race suspected": nothing orders what must be ordered */
    CHECK_LEAK,           /* "leak": made and not released */
    CHECK_RULE,           /* "rule": right, but not in the way that the task asks for */
    CHECK_CRASH,          /* the harness itself finds this kind and the next four */
    CHECK_TIMEOUT,
    CHECK_OUTPUT_FLOOD,
    CHECK_RECORD_FLOOD, /* "record flood": did more than a record may hold (CHECK_RECORD_OPERATIONS) */
    CHECK_MEMORY,       /* "memory": used more than the sandbox allows */
} check_kind;

/* A formatted text, owned by the check. */
char *check_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The line that the student should look at. Make places with the functions below; a place that is all zeros is not
 * known. A finding without a known place gets that of the student's last call in the record; without one, the lines at
 * which the function was last in the last check_call; if those are not in the function of which the message speaks, the
 * line of the function. */
enum { CHECK_STEPS = 2 };
typedef struct check_program check_program;
typedef struct check_place {
    const check_program *program; /* in which `caller` is an address */
    uint64_t caller;              /* whose line is told as that of the call; 0 for none */
    bool known, guessed;
    const char *file, *function; /* NULL: not known */
    int line, called_at, last_call;
    int after[CHECK_STEPS]; /* the lines at which the last call was before this one; 0 behind the last */
} check_place;

/* The line of a recorded call; of a mark, that from which the student's file called what made it. The verdict also has
 * the line from which the function around it was called. NULL gives a place that is not known. */
check_place check_at(const lab_trace_op *op);

/* The same, where the mistake is in one of two calls: the verdict says behind which line this call came. */
check_place check_at_after(const lab_trace_op *op, const lab_trace_op *before);

/* A definition in the student's file, which need not be there: a function "lab06_numpy_body", the return with which it
 * ends, or else its last line, "end of lab06_numpy_body", a case of it "lab06_numpy_body(LAB_INT8)", the first line of
 * it with a word "repeats in lab00_benchmark", of its code or of a kernel in its strings, or else the function's; a
 * table "lab01_waits", or an entry of it "lab01_waits[3]". */
check_place check_at_name(const char *definition);

/* This line; an empty `file` means that no line is known. `function` may be NULL. */
check_place check_at_line(const char *file, int line, const char *function);

/* No call is to blame: the lines at which the function was last, or else the function's. */
check_place check_at_no_line(void);

/* An element that differs, in words. */
typedef struct check_mismatch {
    const char *where, *expected, *found;
} check_mismatch;

/* How arrays differ. Start with {.array = "array"}, compare array by array, then decide. `array` is the noun for one of
 * them; NULL for a single array, where messages name only elements. */
enum { CHECK_SHOWN_MISMATCHES = 5 };
typedef struct check_difference {
    const char *array;
    /* Values that are at most so many representable floats apart are equal; 0: exactly equal. A kernel may round
     * a * b + c once (lab.h, "Floating point"), which C on the host does not do. If a * b and c have the same sign, the
     * results are at most 1 apart. */
    unsigned ulps;
    /* Values that are at most `bound` apart are equal too. For results whose error depends on the order of operations:
     * for a sum of `count` floats, count * FLT_EPSILON times the sum of their absolute values. For a * b + c with signs
     * that may differ, 2 * FLT_EPSILON times the largest |a * b| + |c|. Finite; 0: only ulps count. */
    double bound;
    const float *input; /* what the array was computed from, number by number; NULL: nothing, or of another length */
    /* Set by check_compare_floats; `compared` also by a check that knows an array to be right: */
    size_t compared;                              /* elements */
    size_t count;                                 /* elements that differ */
    size_t arrays;                                /* arrays with an element that differs */
    size_t first_array, first_element;            /* the first that differs */
    size_t last_array;                            /* the last array that differs */
    size_t unwritten;                             /* wrong elements that still hold check_poison's value */
    size_t zeros;                                 /* wrong elements that are 0 */
    size_t near;                                  /* wrong elements that differ in the last digits only */
    check_mismatch shown[CHECK_SHOWN_MISMATCHES]; /* the first that differ */
    struct wrong_numbers *looks;                  /* for the harness */
} check_difference;

typedef struct check_finding {
    check_kind kind;
    const char *message; /* what is wrong: the verdict's first line */
    check_place at;
    const char *expected, *found, *cause;
    const check_difference *difference; /* the elements that differ are shown; NULL for none */
    bool lacks_an_end;                  /* something is missing at the function's end: its last call is told too */
    /* Of a record, the two operations that nothing orders; NULL for another mistake. Checks that fail for want of the
     * same order are told as one mistake. Where a text of the finding quotes the order checker (check_unordered), the
     * harness finds them. */
    const lab_trace_op *earlier, *later;
    /* For the harness: the order checker has found this in a call of the program's, and its record shows it. */
    struct {
        check_program *program;
        const char *call, *sentence;
    } unordered;
    /* For the harness: this kernel of the program's has used memory where there is none, and its record shows the
     * launch. */
    struct {
        check_program *program;
        const char *name;
        bool told; /* the place is that of the kernel or of its launch */
    } strayed;
    struct {
        const char *what; /* "kernel produce"; NULL for none */
        check_place at;
    } pair[2]; /* the same two, from the harness */
} check_finding;

/* Fails and ends the check. */
_Noreturn void check_fail_with(check_finding finding);

/* The same: check_fail(CHECK_RULE, "all work is on one stream", .at = check_at(op)). The message comes first; of the
 * other fields, those that are known. */
#define check_fail(of_kind, ...) check_fail_with((check_finding){.kind = (of_kind), .message = __VA_ARGS__})

/* Fails and ends the check unless the condition holds. Nothing else is computed if it does:
 * CHECK_THAT(streams > 1, CHECK_RULE, "all work was on one stream", .found = check_text("%d streams", streams)). */
#define CHECK_THAT(condition, of_kind, ...)                                                                            \
    do {                                                                                                               \
        if (!(condition)) check_fail((of_kind), __VA_ARGS__);                                                          \
    } while (0)

/* The program has reached this level of the check, by its name. If the check fails from here on, the level's points
 * count, and the verdict names it. With several seeds each run begins without a level, and so the last run decides. */
void check_reaches(const char *level);

/* Ends the check as not measured: this machine cannot decide it, through no fault of the student. It has no GPU, the
 * times are unstable, or others use the device. The points are neither won nor lost. */
_Noreturn void check_not_measured(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the check as a fault of the grader: something failed that is not the student's doing. */
_Noreturn void check_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Compares array number `array`. NaN and infinity equal only the same bits. The first few differences are kept and
 * shown: "array 128, element 0: expected 0.3127, found never written". */
void check_compare_floats(check_difference *difference, size_t array, const float *expected, const float *found,
                          size_t count);

/* Fails the check (wrong result) unless the `count` floats at this offset of the shared memory are the expected ones:
 * check_snapshot, check_compare_floats and check_equal for a single array. Returns them, for check_flow. */
const float *check_floats(check_program *program, size_t offset, const float *expected, size_t count,
                          check_finding finding);

/* Fails the check (wrong result) if anything differed: check_equal(&difference, "the rows are wrong", .cause = cause).
 * The numbers are appended to the message. Where only the last digits differ, that is the cause. A finding without a
 * cause gets one from what the wrong numbers look like: the input's own, right ones up to an element and the same from
 * there on, right ones of other places or of another array, twice the right ones, without what is behind the point, or
 * right in the first quarter. */
#define check_equal(of_difference, ...)                                                                                \
    check_fail_if_different((of_difference), (check_finding){.message = __VA_ARGS__})
void check_fail_if_different(const check_difference *difference, check_finding finding);

/* ------------------------------------------------------------------------------------------------------
 * The program
 *
 * check_start returns a program that is loaded, has begun its record and waits. Start a new one for every run that must
 * be independent of an earlier one. Several may exist at once, such as the student's and the reference taking turns in
 * a measurement. At most one runs at any moment; the others stand still.
 */

/* Starts the student's program, or the reference built from solutions/, with `bytes` of zeroed shared memory. A failure
 * of the reference is a fault of the grader. The program is owned by the check. */
check_program *check_start(size_t bytes);
check_program *check_start_reference(size_t bytes);

/* What a task builds on is in program.c: functions that do what another task asks for, marked WORKER_SOLVES (worker.h).
 * In the student's program their code is missing, so that nothing in it solves the task that is tried. Programs that
 * are started from now on have the code of these tasks: check_builds_on(CHECK_TASK(1) | CHECK_TASK(2)). */
#define CHECK_TASK(number) (1u << (number))
void check_builds_on(unsigned tasks);

/* check_start for check_flow in a check that measures: what this program's copies move is kept, which takes time. */
check_program *check_start_kept(size_t bytes);

/* check_start for a question of order in a check without a schedule: the program runs under an adversarial one, on the
 * CPU device also where there is a GPU. Without a schedule it is luck whether lab_event_elapsed_time finds work done.
 * A query is no luck in any program of a check: while a record runs, the first one for new work says "not ready", so
 * that asking until it is done counts as a wait, on every machine and under any load. */
check_program *check_start_unkind(size_t bytes);

/* check_start with a setting of the CPU device, "LAB_EXCHANGE=shared", which takes the place of the check's own
 * (check_definition.setting) for this program. It has the CPU device also where there is a GPU. */
check_program *check_start_set(size_t bytes, const char *setting);

/* The shared memory, aligned to a page. Write inputs into it before a call. Never compute with values that you read
 * from it directly, because the program may have changed them: use check_snapshot, and keep your own copy of the
 * inputs. */
void *check_memory(check_program *program);

/* Fills a range of the shared memory with a value that check_compare_floats reports as "never written": a NaN that no
 * computation gives. `offset` and `bytes` are multiples of 4. */
void check_poison(check_program *program, size_t offset, size_t bytes);

/* Calls an entry of the program's worker_entries and waits for its end. Returns the milliseconds that this took on the
 * check's clock.
 *
 * The entry is named like the student's function, because messages show the name. The clock starts while the program
 * stands still, so it covers everything that the program does with these inputs: write them right before the call.
 * `arguments` are copied to the program and `result` from it, each at most CHECK_MAX_BYTES; NULL with 0 for none.
 * `result` is the program's claim: report it or compare it with the record, but give no points for it alone. If the
 * entry does not return LAB_SUCCESS, the check fails with the program's own message. When check_call returns, the
 * program stands still again. */
double check_call(check_program *program, const char *name, const void *arguments, size_t argument_bytes, void *result,
                  size_t result_bytes);
enum { CHECK_MAX_BYTES = 2048 };

/* In a check with .any_order: the order checker's finding in the program's last call, a sentence with both lines and
 * what would order them; NULL if it found nothing. Owned by the check. In other checks such a call fails the check. */
const char *check_unordered(const check_program *program);

/* Fails the check (race suspected) if the order checker found something in the program's last call. */
void check_ordered(const check_program *program, const char *function, check_place at);

/* The latest call that failed with this status during the program's last call, whatever the program did with it. */
typedef struct check_failed_call {
    const char *message; /* the library's; NULL if no call failed so. Owned by the check */
    check_place at;      /* its line, if that is in the student's file */
} check_failed_call;
check_failed_call check_failure(check_program *program, lab_status status);

/* "an event", "a stream", "device memory": a noun of lab_lifetime with its article, where it has one. Owned by the
 * check. */
const char *check_one(const char *noun);

/* Copies a part of the shared memory as it was when the last call returned: an output. Pass `out`, or parts of it, to
 * check_flow as the outputs of passages. */
void check_snapshot(check_program *program, void *out, size_t offset, size_t bytes);

/* The same for what is no output: the host computes it, or the program says it. `why` says so. */
void check_said(check_program *program, void *out, size_t offset, size_t bytes, const char *why);

/* Fails the check (kind rule) if that part of the shared memory differs from `copy`: "the program changed the input
 * arrays", where `what` is "the input arrays". */
void check_unchanged(check_program *program, size_t offset, const void *copy, size_t bytes, const char *what);

/* A prediction: copies the table `name` of the student's file to `out`. The lab's header declares it as extern const.
 * The build takes it from the object, so what the program does to it while it runs counts for nothing. Fails the check
 * (kind rule) if the file has no such table of plain numbers, or one of another size. */
void check_table(void *out, size_t bytes, const char *name);

/* How many lines of this function of the student's file, and of what stands outside of the starter's functions, are
 * new, changed, moved or gone (changed_lines.h says what a line is). For tasks that ask for few. Fails the check (kind
 * rule) if the file's macros make it too long to be read. */
int check_changed_lines(const char *function);

/* Drops the program's record and begins a new one: check_trace then shows only what follows. */
void check_trace_begin(check_program *program);

/* The most operations of a record. A check may look at each of them again for each, but no more: its own time is
 * bounded too. */
enum { CHECK_RECORD_OPERATIONS = 32768 };

/* Ends the program's record and reads it. A longer record fails the check. The record is the device process's: the
 * program decides what it calls, with which names for its marks and places, and nothing else of what is there. Values
 * in the shared memory are the program's own; check_flow says whether they came from the device. Owned by the check. */
const lab_trace *check_trace(check_program *program);

/* The order that a record shows (lab_relations_create). Owned by the check. */
lab_relations *check_relations(const lab_trace *trace);

/* The address of the shared memory in the program's record, to find its arrays there. Known after check_trace. */
uint64_t check_address(const check_program *program);

/* The number of operations of this kind in the record. */
int check_count_ops(const lab_trace *trace, lab_op_kind kind);

/* Whether the operation is work of the device: a kernel, a copy, a fill, a graph's launch, a host function. */
bool check_is_work(const lab_trace_op *op);

/* Whether the call of the operation stands in the student's file. */
bool check_is_students(const lab_trace_op *op);

/* Whether the operation only notes something in the record: a mark, or the start or the end of a thread. */
bool check_is_note(const lab_trace_op *op);

/* Whether the operation is a mark with this name. */
bool check_is_mark(const lab_trace_op *op, const char *name);

/* The last operation of this kind in the record; NULL for none. */
const lab_trace_op *check_last_op(const lab_trace *trace, lab_op_kind kind);

/* The stream with this id, as the record lists it; all zeros for another id. */
const lab_trace_stream *check_stream(const lab_trace *trace, uint64_t id);

/* The first mark with this name. Fails the check (kind rule) without one: the program did not get there. */
const lab_trace_op *check_mark(const lab_trace *trace, const char *name);

/* The operation next to this one on its stream, before it (-1) or after it (1), marks left out; NULL at the end. */
const lab_trace_op *check_beside(const lab_trace *trace, const lab_trace_op *op, int direction);

/* Pool block number `which` of the record, from 0. The arrays that program.c makes before it calls the function come
 * first. Fails the check (kind rule) if the record has fewer blocks. */
const lab_trace_op *check_pool_block(const lab_trace *trace, int which);

/* Whether the operation reads or writes device memory of the block. */
bool check_uses_block(const lab_trace_op *op, const lab_trace_op *block);

/* How far equal times of the device and of the host may lie apart in a record. A GPU has its own clock. */
int64_t check_clock_slack_ns(void);

/* Fails the check unless the outputs came from the inputs by way of the device: input, kernel, output. Nothing counts
 * but the device's record and the bytes that it moved.
 *
 *     check_passage passage = {.output = {found, bytes}, .input = {{in, bytes}}, .argument = {{"by", 0.5}}};
 *     check_flow(program, check_trace(program),
 *                &(check_way){.function = "double_run", .passage = &passage, .passages = 1,
 *                             .kernel = {{"kernels.cu", "scale(float x[count], int count, float by)"}}});
 *
 * For each passage:
 *
 *   output      All its bytes were copied from the device to the host: to any place of the program's memory, at once or
 *               in pieces, also as part of a larger copy. Compare them with your reference first.
 *   kernel      That device memory was last written by the library's own kernels or by those in `kernel`, directly or
 *               before copies within the device: not by a memset, a fill, an upload, or a kernel of the program's own.
 *               Each kernel is known by its file's text and its name. Its scalar arguments are those in `argument`,
 *               except for one that counts an array's elements. Its arrays are large enough for what they count.
 *   input       Everything that these kernels read, and whatever that came from, is a part of some passage's inputs,
 *               zeros, values set by fills, or bytes that the device had delivered. All bytes of the passage's own
 *               inputs are among it. Copy inputs before the call; the program may change the shared memory.
 *
 * Begin the record before you write the inputs: memory that the record does not show being written may hold anything
 * from before. A check that measures starts the program with check_start_kept. The launch of a graph counts as its
 * nodes, if it was captured in the same record and holds kernels and fills alone; else an output that may come from it
 * is refused. Where nothing orders two operations on the way, the check fails (race suspected) as any call does, except
 * with the schedule fifo on the CPU device, which runs them in the order of the calls. */
void check_flow(check_program *program, const lab_trace *trace, const check_way *way);

/* What the record has as `module` for the kernels of this file of the lab, such as "kernels.cu": the SHA-256 of its
 * text. For checks that measure: the program may launch a kernel of its own with the same name. */
const char *check_module(const char *file);

/* Fails the check (kind leak) if an object of this kind was made and not released, and names the first line that made
 * one. `noun` is "stream", "event", "pinning", ... (lab_lifetime has all nouns). Also fails it (kind rule) if the
 * record made none, and names `function` then. `cause` is why it is left. Both may be NULL. */
void check_given_back(const lab_trace *trace, const char *noun, const char *function, const char *cause);

/* The same where one function makes what another releases. The mistake is told at the first or the second of them. */
void check_released_by(const lab_trace *trace, const char *noun, const char *made_by, const char *released_by);

/* Makes each library call of the student's function fail once, in turn, and fails the check unless the function
 * returns, passes that status on, and leaves nothing behind. For functions whose contract says so.
 *
 *     static void fill(check_program *program, const void *user) { ... write the inputs into check_memory(program) }
 *
 *     check_failures(&(check_failing){.function = "lab01_sum", CHECK_GIVEN(counts), .prepare = fill,
 *                                     .memory_bytes = sizeof(lab01_memory), .gives_back = "stream"});
 *
 * The first run, in which nothing fails, counts the calls that the student's file makes in `function`. Then, for each
 * line that calls something, the function runs with the first of these calls failing, with one in the middle, and with
 * the last: a loop over four streams fails at the first, the third and the fourth. `prepare` comes before each run; it
 * may also call the program. Nobody looks at the results of a failing run or at the order of its work; at that of the
 * first run the order checker looks, unless the check has `.any_order`. A program serves many runs, and a finding
 * counts only if a new program shows it too.
 *
 * A call that is made to fail has no effect. A handle or an address that it would have given is NULL, as after any
 * failure. lab_stream_end_capture ends the capture all the same, and may follow another call that failed. The status is
 * one that no right answer treats in a way of its own: never OUT_OF_MEMORY or NOT_READY. Three sorts of calls are left
 * alone unless `also` names them, because a right answer may ignore what they return:
 *
 *   CHECK_FAIL_WAITS      lab_stream_synchronize and its like: a wait may be part of cleaning up
 *   CHECK_FAIL_QUERIES    lab_stream_query, lab_event_query. A line's first call fails: how often it asks is luck
 *   CHECK_FAIL_CLEAN_UPS  calls that release or go back: destroy, free, unload, pop, use and their like. Such a call
 *                         does its work and reports a failure all the same, so that the function can leave nothing
 *                         behind. Whether its status is passed on does not matter; that the rest is released does
 *
 * The check fails with one of these findings, each with the name and the line of the call that failed:
 *
 *   wrong result     the function returned LAB_SUCCESS or another status
 *   leak             what is in `gives_back` was made by a line of the student's file, and still exists
 *   rule             a stream still captures, or another one is current, or another device or context
 *   timeout, crash   the function never returned; it crashed
 *   rule             in the first run the student's file made no call that can fail */
typedef struct check_failing {
    const char *function;         /* the entry */
    const char *const *functions; /* in its place: several entries, one after the other; CHECK_FUNCTIONS makes them */
    const void *arguments;
    size_t argument_bytes, memory_bytes;                       /* memory_bytes: for check_start */
    void (*prepare)(check_program *program, const void *user); /* NULL: nothing to do */
    const void *user;                                          /* for prepare */
    /* Nouns of lab_lifetime, "thread" and "capture", with commas between them: "stream, event, pinned memory". What the
     * lab's program makes and releases does not count. NULL: the function may leave anything behind. */
    const char *gives_back;
    /* The current device, context and stream must be the same at both marks of WORKER_CALL. Else the function may leave
     * any of them current. */
    bool restores;
    unsigned also; /* CHECK_FAIL_WAITS | ... */
    /* The contract only says that a failure is not hidden: the function may return any other status than LAB_SUCCESS,
     * and may end the program, as an assertion does. */
    bool any_failure;
    bool at_once; /* the contract says that the function makes no further call, but to release and to go back */
    /* What the function returned, from the record of the call, for an entry that does not return it; else NULL. */
    lab_status (*returned)(const lab_trace *trace);
    /* What else must hold when this call, at this place, has failed, by the record of the run. NULL: nothing. */
    void (*look)(const lab_trace *trace, const char *failed, check_place at);
    struct {
        const char *call, *cause;
    } cause_of; /* what the cause is if this call's status is not returned at once; NULL: the usual one */
} check_failing;
#define CHECK_FUNCTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define CHECK_GIVEN(variable) .arguments = &(variable), .argument_bytes = sizeof(variable)

/* The properties that checks of failures have in every lab, the first two hints among them:
 *
 *     CHECK(failures_are_passed_on, CHECK_OF_FAILURES, .points = 5, .after = "sums_are_right",
 *           .hints = {[2] = "LAB_TRY around each call."}) */
#define CHECK_OF_FAILURES .schedule = "fifo", .any_order = true, .usual = &check_usual_failures
extern const check_usual check_usual_failures;
enum { CHECK_FAIL_WAITS = 1, CHECK_FAIL_QUERIES = 2, CHECK_FAIL_CLEAN_UPS = 4 };
void check_failures(const check_failing *failing);

/* One call of the student's function in the record, between the two marks that WORKER_CALL sets around it (worker.h),
 * or between two others of program.c. The check fails (kind rule) if the record does not have each of them once. */
typedef struct check_span {
    const lab_trace_op *begins, *ends; /* the marks */
    const char *function;              /* for messages */
    const char *then;                  /* what the function does at the end; NULL: "returns" */
    /* For check_keeps_nothing: what was made from here on, before the call, is the function's to release. NULL: only
     * what is made in the call. */
    const lab_trace_op *given;
    const char *block; /* for check_keeps_nothing: what a lab without pools calls a pool block: "array"; else NULL */
} check_span;
check_span check_span_of(const lab_trace *trace, const char *function);
check_span check_between(const lab_trace *trace, const char *begins, const char *ends, const char *function);
check_span check_whole(const lab_trace *trace, const char *function); /* all of the record */

/* Fails the check (race suspected) if a call of the host does not wait for all work of the span before its end. The
 * record decides, not the times: work that happened to end in time has not been waited for. The verdict has the line of
 * the work and that of the last call. */
void check_waits_for_all(const lab_trace *trace, check_span span);

/* Fails the check (kind rule) if the host waits for the device in the span: the function enqueues, and returns. */
void check_returns_at_once(const lab_trace *trace, check_span span);

/* Fails the check (kind rule) if the host waits in the span before the last work of it is enqueued. */
void check_waits_at_the_end(const lab_trace *trace, check_span span);

/* Fails the check (kind leak) if something that lab_lifetime knows was made in the span and not released before its
 * end, and names the line that made it. What pools have taken from the driver is theirs to keep. */
void check_keeps_nothing(const lab_trace *trace, check_span span);

/* Fails the check (kind rule) if the student's file joined a thread that it had not started, or had joined before. Such
 * a join returns an error in the program of a check, where C leaves open what it does. */
void check_joins(const lab_trace *trace, const char *function);

/* Fails the check (kind rule) if the first call of a function did less than the second: fewer operations of some kind
 * in its record. For a check that judges the second call only, in which nothing may come from the first. */
void check_first_call(const lab_trace *first, const lab_trace *second, const char *function);

/* An edge of the record that a check did not ask for, with the check's own words for the two operations. */
typedef struct check_edge {
    const lab_trace_op *earlier, *later;
    const char *earlier_name, *later_name;
} check_edge;

/* Why there is an edge too many: what makes the later operation wait, and the place of it: the wait for an event, or
 * else the later operation. */
typedef struct check_edge_cause {
    const lab_trace_op *where;
    const char *cause;
} check_edge_cause;
check_edge_cause check_cause_edge(const lab_trace *trace, const check_edge *edge);

/* Why there is no edge, where a wait was meant to make one: it comes too late, is on another stream, or stands for no
 * record, for one before the work or for one on another stream. Where the later operation is an access of the host, it
 * is a wait of the host, or one by which the stream waits for its own work. The place is that wait, or a record that is
 * too early or repeats another. Of several waits at one line the last counts; of those at several lines, the ones
 * behind the last work before the later operation go first; of these, the one that holds nothing back or comes too
 * early is told. Without such a wait: that nothing waits for a record behind the earlier work, or that its stream waits
 * for the other, and not the reverse; else both are NULL. */
check_edge_cause check_cause_no_edge(const lab_trace *trace, const check_edge *edge);

/* The device that programs run on, as the reference reports it. For sizes that depend on the device. */
typedef struct check_device_info {
    char kind[8]; /* "cpu" or "cuda" */
    char name[128];
    int multiprocessors; /* of device 0 */
    int devices;
} check_device_info;
const check_device_info *check_device(void);

/* ------------------------------------------------------------------------------------------------------
 * What a check rests on
 *
 * Numbers and record are one piece of evidence. Numbers alone are what the host can compute, and a record alone is what
 * a program that computes nothing can have: doing nothing is the fastest order. So a check that passes has followed
 * what it looked at. Where it has not, it ends as a fault of the grader that names it:
 *
 *   check_snapshot      in each run, a run being what follows one check_trace_begin: check_flow for that run
 *   check_relations,    of the student's record: check_flow for that run
 *   check_model
 *   check_timing,       of the student's: check_flow in the check, for a run whose copies are kept (check_start_kept)
 *   check_measure
 *   check_trace         check_flow in the check, or .after with checks of the same functions
 *   check_failures      .after with checks of the same functions
 *
 * What is no output, such as what a function of the host computes or what the program says, is read with check_said,
 * which has the reason. A check in which nothing is computed, or a prediction, has its reason in .without_flow. The
 * manifest lists that of each check, and `make lint CHECKS=followed_checks` finds what is missing without a run.
 */

/* ------------------------------------------------------------------------------------------------------
 * Inputs
 *
 * Every check has its own random numbers, derived from the seed of the run and the check's name. The generator is
 * counter-based (Philox 4x32-10, which cuRAND calls PHILOX4_32_10): element k of array j is computed directly, in any
 * order.
 */

uint64_t check_random_u64(uint64_t array, uint64_t element);

/* A number from 0 up to but not including 1, with 24 bits. */
float check_random_float(uint64_t array, uint64_t element);

/* out[k] = low + (high - low) * check_random_float(array, k), for k < count. */
void check_random_floats(float *out, size_t count, uint64_t array, float low, float high);

/* The next whole number from `least` to `most`: a size, a number of rounds, a place. A check whose sizes are always the
 * same can be recognised by them, and a program be right only there. Draw each size that means nothing by itself. */
int check_draw(int least, int most);

/* Zeroed memory that the check owns; never NULL. */
void *check_alloc(size_t bytes);

/* A time that is known to lie between two bounds, in milliseconds. */
typedef struct check_bounds {
    double low, high;
} check_bounds;

/* The time between the moments that two event records noted. The CPU device's record has both moments, so the bounds
 * are equal. On a GPU each moment lies between two that the record noted on the same stream, just before and just
 * after. However late the host was between them, and whatever else the GPU did, the bounds hold. */
check_bounds check_event_time(const lab_trace_op *start, const lab_trace_op *end);

/* Whether a time measured with events lies between these bounds, but for the resolution of events. */
bool check_is_event_time(double measured, check_bounds recorded);

/* Fails the check with this finding unless such a time was measured. Adds what was expected and found, and, where no
 * cause is known, that the two events are exchanged if they are, and the line of the function that asks for the time:
 * the record has the two events in their places. */
void check_reports_event_time(double measured, check_bounds recorded, const char *function, check_finding finding);

/* The bounds as a sentence's part: "0.0123 ms", or "from 0.0123 to 0.0150 ms". */
const char *check_bounds_text(check_bounds time);

/* Calls work(user, k) for k = 0 to count - 1, on several threads, and returns when all calls have returned. For the
 * inputs and references of many arrays. Of this header `work` may use only check_random_..., and it may write only to
 * what belongs to k. */
void check_each(int count, void (*work)(void *user, int k), void *user);

/* ------------------------------------------------------------------------------------------------------
 * Times, models and records in the result
 */

typedef enum check_who { CHECK_YOURS, CHECK_REFERENCE } check_who;

/* Adds a row to the table of times: median, minimum and maximum of the samples, in milliseconds, and a confidence
 * interval of at least 95 % for the median. With CHECK_SAMPLES or more samples, a row whose interval is wider than a
 * quarter of the median counts as unstable. Rows with labels such as "first run: load" are the parts of one time: the
 * verdict draws them as a bar below the table, with at most five different parts in all. */
void check_timing(const char *label, check_who who, const double *milliseconds, size_t samples);

enum { CHECK_SAMPLES = 10, CHECK_FEWEST_SAMPLES = 3, CHECK_ENOUGH_SECONDS = 20 };

/* Measures several rows, the student's and the reference's in turn. `round` gives one sample of each row; it is called
 * once to warm up and then CHECK_SAMPLES times. `median` gets the rows' medians. Returns true if all rows are stable.
 *
 * For a student the measurement ends after CHECK_ENOUGH_SECONDS if there are CHECK_FEWEST_SAMPLES by then. It always
 * ends, with one sample or more, before a slow machine's next round could exceed the check's seconds. When an
 * instructor grades and a row is unstable, all rounds run again, at most twice and within the check's seconds; the last
 * rounds count. A row that stays unstable says so and costs no points. Points that depend on a time are given like
 * this:
 *
 *     if (!check_measure(median, rows, 2, time_round, &both)) check_not_measured("the times are unstable");
 *     CHECK_THAT(median[0] < 1.5 * median[1], CHECK_RULE, "...");
 *
 * A sample of the student's is impossible if the link between host and device cannot carry the row's bytes in that
 * time. The check then ends as not measured, without points, and the result asks a person to look at it: the grader
 * cannot tell whether the clock, the bound or the program is wrong. */
typedef struct check_row {
    const char *label;
    check_who who;
    double bytes; /* the least that each sample copies in one direction; 0 if unknown */
} check_row;
bool check_measure(double *median, const check_row *row, size_t rows, void (*round)(void *user, double *milliseconds),
                   void *user);

/* The same with rows for the student's program and for the reference, which are started here: `round` gives one sample
 * of each label in one of them. `median` gets the student's medians, then the reference's. */
bool check_measure_both(double *median, const char *const *label, size_t labels, size_t memory_bytes,
                        void (*round)(check_program *program, double *milliseconds));

/* Adds a ratio of the student's and the reference's: check_ratio("streams: times faster than serial", 1.8, 1.9). */
void check_ratio(const char *label, double yours, double reference);

double check_median(const double *values, size_t count);

/* The modelled time of a recorded program on another device, in milliseconds. It is the same on every machine, so
 * points may depend on it. Every array counts as `scale` times as large. */
typedef struct check_modelled {
    char label[48];  /* "modelled on h200": shown next to every figure */
    double makespan; /* of the program as it is */
    double best; /* of the same work with pinned memory, no wait in between and only the order that its memory needs */
    double work; /* of all operations, one after another */
    char advice[512];            /* what to change first, in words */
    double advised;              /* of the program after that change */
    const lab_trace_op *longest; /* the longest operation of those that the makespan waits for; NULL for none */
    char asked_label[48];        /* of the profile that LAB_CHECK_PROFILE asks for besides; "" if there is none */
    double asked_makespan;       /* of the program there */
} check_modelled;
check_modelled check_model(const lab_trace *trace, const char *profile, double scale);

/* Fails the check (kind rule) unless `yours` takes at most a ninth longer than `best` milliseconds, a time of the model
 * that the same work can have. Fails it too if `yours` takes less than the reference's own best, and work is missing: a
 * better order has all of it. `at` is where the student looks; where no line is known, at the longest operation. */
void check_near_best(const check_modelled *yours, const check_modelled *its, double best, const char *function,
                     check_place at);

/* Adds a row "LABEL, modelled on h200" to the table of times, and one for the profile of LAB_CHECK_PROFILE. */
void check_timing_modelled(const char *label, check_who who, const check_modelled *modelled);

/* Shows this record to the student: trace.json, timeline.svg and the text timeline. The last such record is shown,
 * unless the order checker found something in an earlier one: then the first of those is shown. A check that fails for
 * a finding of the order checker shows its record by itself. Every other check with a record has a timeline too: `make
 * labNN-timeline CHECK=N` draws the last record of the student's work. */
void check_artifact_trace(const lab_trace *trace, const char *title);

/* The same for a record whose subject is a captured graph. timeline.svg has the graph that was asked for and the
 * captured one next to it. The text is the captured one in the language DOT, which Graphviz reads. Both mark the edges
 * that differ. Names are words. */
enum { CHECK_GRAPH_NODES = 12 };
typedef struct check_graph {
    const char *title;
    int nodes;
    const char *name[CHECK_GRAPH_NODES];
    bool wanted[CHECK_GRAPH_NODES][CHECK_GRAPH_NODES]; /* wanted[from][to] */
    bool found[CHECK_GRAPH_NODES][CHECK_GRAPH_NODES];
} check_graph;
void check_artifact_graph(const lab_trace *trace, const check_graph *graph);

#endif
