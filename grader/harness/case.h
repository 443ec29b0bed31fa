/*
 * case.h: a call of a function, as a table of its arrays and of its work; a part of check.h's manual.
 *
 *     static void scaled(float *to, const float *const *from, const check_case_run *now)
 *     {
 *         for (size_t i = 0; i < now->count; i++) to[i] = from[0][i] * (float)now->argument[0].value;
 *     }
 *
 *     static const check_case scale = {
 *         .function = "lab99_run",
 *         .most = 100000,
 *         .given = {.draw = {{"by", .low = 1.5f, .high = 2.5f}}},
 *         .array = {{"in", .low = 1.0f, .high = 2.0f}, {"out", .is = scaled, .from = {"in"}}},
 *         .kernel = {{"kernels.cu", "scale(float to[count], const float from[count], int count, float by)"}},
 *         .stream = {{"one", "`one`"}},
 *         .step = {{"scale", .on = "`one`"}},
 *         .waits = true,
 *     };
 *
 *     CHECK_SIZES(all_are_right, scale, .points = 40, .hints = {"...", "...", "..."});
 *     CHECK_IN_ORDER(kernel_is_on_one, scale, .points = 30, .hints = {[2] = "lab_launch takes `one`."});
 *     CHECK_KEEPS_NOTHING(arrays_are_released, scale, .points = 20, .hints = {[2] = "lab_array_destroy, for both."});
 *     CHECK_FAILURES(failures_are_passed_on, scale, .points = 10, .after = "all_are_right",
 *                    .hints = {[2] = "LAB_TRY around each call."});
 *
 * and program.c, which gets what the case draws (worker.h):
 *
 *     static lab_status run(void *memory, const void *arguments, void *result)
 *     {
 *         const worker_drawn drawn = worker_take(memory, arguments);
 *         lab99_work work = {drawn.count, .in = drawn.array[0], .out = drawn.array[1], .by = drawn.real[0]};
 *         (void)result;
 *         LAB_TRY(worker_runtime_kernel(&work.scale, "scale"));
 *         LAB_TRY(worker_runtime_stream(&work.one, "one"));
 *         return WORKER_CALL(lab99_run(&work));
 *     }
 *
 * A check that asks for more makes its own calls, and looks at now.trace and now.span between these functions:
 *
 *         const check_case_run now = check_case_at(&scale, NULL, 1000);
 *         check_case_keeps_plan(&now);
 *         check_case_prove(&now);
 *
 * Each ends the check with one finding.
 */
#ifndef GRADER_HARNESS_CASE_H
#define GRADER_HARNESS_CASE_H

#include "check.h"
#include "plan.h"

enum { CHECK_CASE_ARRAYS = 18, CHECK_CASE_STEPS = 8, CHECK_CASE_AFTER = 3 };

typedef struct check_case_run check_case_run;

/* The arguments of a call, a struct of the lab's with the number of elements. Where a field that is named here is 0, a
 * float or, with `whole`, an int is drawn from between two limits. The kernels that have an argument of the same name
 * get that one. With check_case.dealt each of these fields is the first of as many as the case has rows.
 *
 * A case that needs no more has no such struct, and no memory of its own either: without `bytes` the shared memory
 * consists of the arrays, which have no rows. program.c finds them, and the numbers of `draw`, in a worker_drawn. */
typedef struct check_case_given {
    size_t bytes, count_at, count_bytes;
    struct {
        const char *name;
        size_t offset;
        float low, high;
        bool whole;
    } draw[CHECK_ARGUMENTS];
} check_case_given;
#define CHECK_CASE_GIVEN(type, count, ...)                                                                             \
    {                                                                                                                  \
        sizeof(type), offsetof(type, count), sizeof(((type *)NULL)->count), { __VA_ARGS__ }                            \
    }

/* The reference on the host: computes now->count numbers from those of the arrays in `from`. Of an array with rows it
 * computes row now->row; the row before is right before `to`. */
typedef void check_reference(float *to, const float *const *from, const check_case_run *now);

/* What several labs compute: the same numbers; the sum of whole ones, which is one number; x = 3.9 * x * (1 - x), once
 * or as often as the first argument of the kernels says; a / 2 + b / 4, where a single array is both. */
check_reference check_copied, check_summed, check_advanced, check_mixed;

/* Floats in the shared memory, now->count of them: random numbers that the check puts there, or, with `is`, numbers
 * that the call leaves there. With a stride, as many for each row of the call, each made of the same row of others. */
enum { CHECK_PACKED = -1 }; /* a row begins where the one before ends */
typedef struct check_case_array {
    const char *name; /* for messages: "u" */
    size_t offset;    /* in the lab's shared memory */
    size_t place;     /* behind so many arrays of as many numbers, which begin there */
    float low, high;
    bool whole; /* whole numbers, whose sum is exact in any order: from `low` up to but not including `high` */
    check_reference *is;
    const char *from[CHECK_INPUTS]; /* names of arrays above this one: what `is` gets */
    unsigned ulps;                  /* check_difference.ulps */
    ptrdiff_t stride;               /* bytes from row to row */
    size_t numbers;                 /* it has so many, whatever the call's count; 0: as many as that */
    bool unfollowed;                /* check_case_prove does not ask where its numbers came from */
    bool by_host;                   /* a host function makes it of its only source, which the device has delivered */
    const char *mistake;            /* no array: what a mistake makes of the others. Where an array has these numbers,
                                       this is the cause */
} check_case_array;

/* An operation that must be enqueued once. A kernel, or a node of a graph, is that which writes the array of the step's
 * name (in_blocks), or else the one of that name. Other operations, and steps with the same `kernel`, are told by their
 * streams. */
typedef struct check_case_step {
    const char *name;                    /* "copy in" */
    lab_op_kind kind;                    /* 0: LAB_OP_KERNEL */
    const char *on;                      /* a stream of the case; NULL: any of them */
    const char *after[CHECK_CASE_AFTER]; /* the steps above this one for which it waits */
    const char *kernel;                  /* its name, where the step has another */
} check_case_step;

/* Every list ends with its first empty entry. */
typedef struct check_case {
    const char *function;
    size_t memory_bytes;       /* for check_start, where a call names no program */
    size_t least;              /* numbers in an array; 0: 1 */
    size_t most;               /* the most of them; those behind a call's stay, but in arrays with rows */
    int rows;                  /* of arrays with a stride */
    size_t rows_at;            /* or an int of the arguments that says how many */
    const char *row;           /* what the lab calls one: "job"; NULL: "row" */
    bool starts_with_0;        /* number 0 of what is given is 0: a small number that is added shows nowhere else */
    bool dealt;                /* each row has a count and arguments of its own */
    check_case_given given;    /* of check_case_at */
    size_t result_bytes;       /* what the call says: check_call */
    const char *begins, *ends; /* program.c's marks around all rows; NULL: those of WORKER_CALL */
    const char *block;         /* check_span.block */
    check_case_array array[CHECK_CASE_ARRAYS];
    /* program.c makes an array on the device for each array of the case, in their order and before all others: they are
     * the record's first pool blocks. A step whose name is an array's needs it. */
    bool in_blocks;
    check_kernel kernel[CHECK_KERNELS]; /* that may write outputs: check_flow */
    bool no_kernel;                     /* none may: outputs are copies of inputs */
    unsigned threads;                   /* in each block of the kernels; 0: any number */
    struct {
        const char *mark; /* program.c sets it while the stream is current */
        const char *name; /* as the lab's header calls it: "`one`" */
    } stream[CHECK_PLAN_STREAMS];
    check_case_step step[CHECK_CASE_STEPS]; /* the function enqueues these and nothing else */
    bool pieces;                            /* check_plan.pieces */
    /* In place of steps, where these cannot say it: fails the check unless the call enqueues what it must. */
    void (*keeps)(const check_case_run *now);
    /* Why array number `array`, in now->row, is wrong from this element on, and where; NULL, or what is not known: what
     * the record and the numbers show, at the kernel. */
    check_finding (*explain)(const check_case_run *now, int array, size_t element);
    const char *cause; /* in place of what the numbers look like, where the steps and the sizes show no other */
    bool waits;        /* all work is done when the function returns: check_waits_for_all */
} check_case;

/* One call. */
struct check_case_run {
    const check_case *of;
    check_program *program;
    size_t count;          /* of numbers in each array, or row; where it differs, in `row` */
    size_t room;           /* the most in a row: from row to row in `numbers` */
    int rows, row;         /* row: the one that is computed, or is wrong */
    const void *arguments; /* they live as long as the check */
    size_t argument_bytes;
    check_argument argument[CHECK_ARGUMENTS]; /* of the kernels: check_flow */
    /* Set by the call: */
    const void *result;                /* check_call's, of the case's result_bytes; NULL for none */
    float *numbers[CHECK_CASE_ARRAYS]; /* of each array, row after row: what it was given, or what is expected */
    const lab_trace *trace;
    check_span span;
};

/* Draws new numbers, calls the function and reads the record: with so many numbers, or with these arguments, but for
 * what `given` draws. NULL: in a program of its own. */
check_case_run check_case_at(const check_case *of, check_program *program, size_t count);
check_case_run check_case_with(const check_case *of, check_program *program, const void *arguments);

/* A call for a measurement, with these arguments: no record is read of it. Fails the check unless it leaves the
 * expected numbers. Returns its milliseconds. */
double check_case_time(const check_case *of, check_program *program, const void *arguments);

/* What most labs check of a case. The numbers are right in one program with the least of them, with one fewer than a
 * block has threads, as many and one more, twice with some, and with the most. The plan is kept (and the numbers are
 * right). No threads of a kernel race. What the call makes is released. A call of the library that fails ends the
 * function at once, with its status. */
void check_case_sizes(const check_case *of);
void check_case_in_order(const check_case *of);
void check_case_no_races(const check_case *of);
void check_case_keeps_nothing(const check_case *of);
void check_case_failures(const check_case *of);

/* Each of them as a check of its own, with the name of the case and the check's other properties. Title and hints that
 * are left out are the usual ones: all titles, and, but for CHECK_SIZES, the first two hints. Work runs in the order of
 * the calls, so that a wrong stream or a missing wait fails the check of the order alone. */
#define CHECK_SIZES(check_name, of, ...)                                                                               \
    CHECK_OF_CASE(check_name, check_case_sizes(&(of)), .usual = &check_usual_sizes, __VA_ARGS__)
#define CHECK_IN_ORDER(check_name, of, ...)                                                                            \
    CHECK_OF_CASE(check_name, check_case_in_order(&(of)), .usual = &check_usual_order, __VA_ARGS__)
#define CHECK_NO_RACES(check_name, of, ...)                                                                            \
    CHECK_OF_CASE(check_name, check_case_no_races(&(of)), .usual = &check_usual_races, .checks_kernels = true,         \
                  __VA_ARGS__)
#define CHECK_KEEPS_NOTHING(check_name, of, ...)                                                                       \
    CHECK_OF_CASE(check_name, check_case_keeps_nothing(&(of)), .usual = &check_usual_leaks, __VA_ARGS__)
#define CHECK_FAILURES(check_name, of, ...)                                                                            \
    CHECK_OF_CASE(check_name, check_case_failures(&(of)), .usual = &check_usual_failures, __VA_ARGS__)
#define CHECK_OF_CASE(check_name, call, ...)                                                                           \
    static void check_body_##check_name(void) { call; }                                                                \
    CHECK_REGISTERED(check_name, .schedule = "fifo", .any_order = true, __VA_ARGS__)
extern const check_usual check_usual_sizes, check_usual_order, check_usual_races, check_usual_leaks;

/* The plan of the call, with the table's streams and steps. A check may add steps before it has the plan checked. */
check_plan check_case_plan(const check_case_run *now);

/* check_plan_find and check_plan_edges for this plan, or the case's `keeps`. Nothing for a case without both. */
void check_case_keeps_plan(const check_case_run *now);

/* Fails the check unless the call has left the expected numbers, and nothing behind them. The cause of wrong numbers is
 * the missing order, if the order checker has found one, and no other sources make the same numbers; but where the plan
 * is not kept, the check ends with the finding of check_case_keeps_plan, as the check of the plan does. Else it is a
 * mistake of the table that makes them; a step that is missing, that comes before one whose numbers it needs, or that
 * is there twice; a kernel on the way to the array with fewer threads than numbers, or a copy of fewer bytes or of
 * other memory; two sources that were exchanged, or another array in the place of one; what check_explain_memory and
 * check_explain_arguments find; the case's own cause; or what the numbers look like. */
void check_case_numbers(const check_case_run *now);

/* The same, and fails the check unless the call has left the given numbers alone, and all came from the arrays in
 * `from` by way of the kernels (check_flow). With `waits`, fails it (race suspected) if the host has not waited. */
void check_case_prove(const check_case_run *now);

/* check_case_with, and check_case_prove. */
check_case_run check_case_proven(const check_case *of, check_program *program, const void *arguments);

/* Fails the check (race suspected) if the order checker has found two operations that nothing orders; where the plan is
 * not kept, with the finding of check_case_keeps_plan. The place is the second of them, and the line of the first. */
void check_case_ordered(const check_case_run *now);

#endif
