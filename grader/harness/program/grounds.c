/* Compares what the body of a check has looked at with what check_flow has proven; see grounds.h. */
#include "program/grounds.h"

#include "program/program.h"

/* A run of a program: its calls from one beginning of the record to the next. Memory of check_alloc. */
typedef struct ground {
    struct ground *next;
    const check_program *program;
    const lab_trace *trace; /* NULL until the body has read it */
    size_t copied;          /* bytes of outputs, or of what lies around them */
    bool ordered, followed;
} ground;

static ground *grounds;
static bool measures, timed, reads, follows, fails;

void grounds_begin(void)
{
    grounds = NULL;
    measures = timed = reads = follows = fails = false;
}

/* The outputs of the reference, and of a program whose calls are made to fail, win no points. */
static bool is_judged(const check_program *program) { return !program->reference && !program->fails; }

static ground *begin_run(const check_program *program)
{
    ground *run = check_alloc(sizeof *run);
    *run = (ground){.next = grounds, .program = program};
    return grounds = run;
}

void grounds_run_begins(const check_program *program)
{
    if (is_judged(program)) begin_run(program);
}

/* The latest run of the program. */
static ground *run_of(const check_program *program)
{
    ground *run = grounds;
    while (run && run->program != program) run = run->next;
    return run ? run : begin_run(program);
}

void grounds_copied(const check_program *program, size_t bytes)
{
    if (is_judged(program) && !measures) run_of(program)->copied += bytes;
}

void grounds_recorded(const check_program *program, const lab_trace *trace)
{
    if (!is_judged(program)) return;
    run_of(program)->trace = trace;
    reads = true;
}

/* NULL for a record of a program that is not judged. */
static ground *run_with(const lab_trace *trace)
{
    ground *run = grounds;
    while (run && run->trace != trace) run = run->next;
    return run;
}

void grounds_ordered(const lab_trace *trace)
{
    ground *run = run_with(trace);
    if (run) run->ordered = true;
}

void grounds_measure(bool begins) { measures = begins; }

void grounds_timed(void) { timed = true; }

void grounds_failed(void) { fails = true; }

void grounds_proven(const lab_trace *trace)
{
    ground *run = run_with(trace);
    if (run) run->followed = follows = true;
}

/* "CHECK gives points for WHAT, and no check_flow has followed ..." */
static _Noreturn void refuse(const char *what)
{
    check_fault("the check %s gives points for %s: call check_flow, or say why not (.without_flow, check_said)",
                this_check.definition->name, what);
}

void grounds_settle(void)
{
    const check_definition *check = this_check.definition;
    if (check->without_flow) return;
    for (const ground *run = grounds; run; run = run->next) {
        if (run->copied && !run->followed) refuse("outputs of a run that no check_flow has followed");
        if (run->ordered && !run->followed) refuse("the order of a run whose outputs no check_flow has followed");
    }
    if (timed && !follows) refuse("times of a program whose outputs no check_flow has followed");
    if (reads && !follows && !check->after) refuse("a record without outputs, and .after names no check of these");
    if (fails && !check->after) refuse("calls that fail, and .after names no check of what the function does");
}
