/* The order checker compared with an independent computation, over random programs: silent on right programs, also
 * after adding or removing an edge that does not matter; never silent when an edge is missing that matters. */
#include "programs/run_program.h"
#include "lab_trace.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

enum { SEEDS = 40, STEPS = 70 };

static program_stage make_stage(void)
{
    program_stage made = {0};
    lab_module *module;
    LAB_CHECK(lab_module_load_source(&module, PROGRAM_KERNEL, "mix.cu"));
    LAB_CHECK(lab_module_get_function(&made.kernel, module, "mix"));
    made.stream[0] = lab_stream_null();
    for (int i = 1; i < PROGRAM_STREAMS; i++)
        LAB_CHECK(lab_stream_create(&made.stream[i], i <= 2 ? LAB_STREAM_DEFAULT : LAB_STREAM_NON_BLOCKING));
    for (int i = 0; i < PROGRAM_BUFFERS; i++)
        LAB_CHECK(lab_array_empty(&made.buffer[i], LAB_UINT8, LAB_SHAPE(PROGRAM_BUFFER_BYTES)));
    return made;
}

/* The number of findings in the program, with events that were never recorded before. */
static uint64_t findings_of(const random_program *program, program_stage *stage)
{
    for (int i = 0; i < PROGRAM_EVENTS; i++) LAB_CHECK(lab_event_create(&stage->event[i], LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_order_start(LAB_ORDER_COLLECT));
    LAB_CHECK(random_program_run(program, stage));
    uint64_t findings = lab_order_get_counts().findings;
    LAB_CHECK(lab_order_start(LAB_ORDER_OFF));
    for (int i = 0; i < PROGRAM_EVENTS; i++) LAB_CHECK(lab_event_destroy(stage->event[i]));
    return findings;
}

Test(order, is_silent_on_random_legal_programs)
{
    static random_program program;
    program_stage stage = make_stage();
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        int first, second;
        random_program_make(&program, seed, STEPS, PROGRAM_SIMPLE_WORK);
        cr_assert_not(program_find_race(&program, &first, &second), "the generator made a wrong program");
        cr_assert_eq(findings_of(&program, &stage), 0, "seed %d", (int)seed);
    }
}

Test(order, reports_every_random_program_that_lacks_an_edge_that_matters)
{
    static random_program program, without;
    setenv("LAB_SCHEDULE", "fifo", 0); /* only the checker sees these programs race */
    program_stage stage = make_stage();
    int mattered = 0, redundant = 0;
    for (uint64_t seed = 1; seed <= SEEDS / 2; seed++) {
        random_program_make(&program, seed, STEPS, PROGRAM_SIMPLE_WORK);
        for (int i = 0; i < program.steps; i++) {
            if (program.step[i].kind < STEP_RECORD) continue;
            int first, second;
            without = program;
            without.step[i].kind = STEP_NOTHING;
            bool matters = program_find_race(&without, &first, &second);
            uint64_t findings = findings_of(&without, &stage);
            *(matters ? &mattered : &redundant) += 1;
            cr_assert_eq(findings > 0, matters, "seed %d without step %d: %d findings", (int)seed, i, (int)findings);
        }
    }
    cr_assert_gt(mattered, 100, "%d edges mattered", mattered);
    cr_assert_gt(redundant, 10, "%d edges were redundant", redundant);
}

Test(order, never_reports_an_edge_too_many)
{
    static random_program program, extended;
    program_stage stage = make_stage();
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        random_program_make(&program, seed, STEPS, PROGRAM_SIMPLE_WORK);
        int at = (int)(seed % (uint64_t)program.steps);
        /* A step without events: a new record would change what other steps wait for. */
        const program_step more = {.kind = STEP_SYNC_STREAM, .stream = (int)(seed % PROGRAM_STREAMS)};
        extended = program;
        memmove(&extended.step[at + 1], &extended.step[at], (size_t)(program.steps - at) * sizeof extended.step[0]);
        extended.step[at] = more;
        extended.steps++;
        cr_assert_eq(findings_of(&extended, &stage), 0, "seed %d", (int)seed);
    }
}
