/* What most labs check of a case; see case.h. */
#include "case.h"

#include "record/records.h"

const check_usual check_usual_sizes = {.title = "Every number is right, at every size"};

const check_usual check_usual_order = {
    .title = "Each operation is on its stream, and waits for those that it needs",
    .hints = {
        "The numbers may be right all the same. On which stream does each operation run, and what does it wait for?",
        "NULL is the current stream. A stream keeps its own order. Another stream waits for an event that is "
        "recorded behind the work, and is waited for right before what needs it."}};

const check_usual check_usual_races = {
    .title = "No thread reads what another writes",
    .hints = {"Which number does a thread read, which thread writes that number, and when?",
              "Blocks run in any order: a barrier orders the threads of one block only."}};

const check_usual check_usual_leaks = {
    .title = "What the function makes is released",
    .hints = {"What your function makes is still there when it returns.",
              "lab.h says of each call that makes something who owns it, and which call releases it."}};

static size_t some(const check_case *of)
{
    enum { MANY = 4000 };
    const int most = of->most < MANY ? (int)of->most : MANY;
    return (size_t)check_draw((most + 3) / 4, (most + 1) / 2);
}

void check_case_sizes(const check_case *of)
{
    const size_t threads = of->threads ? of->threads : 128, drawn = some(of);
    const size_t sizes[] = {of->least ? of->least : 1, threads - 1, threads, threads + 1, drawn, drawn, of->most};
    check_program *program = check_start(check_case_bytes(of));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const check_case_run now = check_case_at(of, program, sizes[i]);
        check_case_prove(&now);
    }
}

void check_case_no_races(const check_case *of)
{
    const check_case_run now = check_case_at(of, NULL, some(of));
    check_case_prove(&now);
}

void check_case_in_order(const check_case *of)
{
    const check_case_run now = check_case_at(of, NULL, some(of));
    check_case_keeps_plan(&now);
    check_case_prove(&now);
}

void check_case_keeps_nothing(const check_case *of)
{
    const check_case_run now = check_case_at(of, NULL, some(of));
    check_case_prove(&now);
    check_keeps_nothing(now.trace, now.span);
}

void check_case_failures(const check_case *of)
{
    const check_case_run now = check_case_drawn(of, NULL, some(of));
    check_failures(&(check_failing){.function = of->function,
                                    .arguments = now.arguments,
                                    .argument_bytes = now.argument_bytes,
                                    .memory_bytes = check_case_bytes(of),
                                    .also = CHECK_FAIL_WAITS,
                                    .at_once = true});
}
