/* What most labs check of a case; see case.h. */
#include "case.h"

#include "record/records.h"

static size_t some(const check_case *of)
{
    enum { MANY = 4000 };
    const int most = of->most < MANY ? (int)of->most : MANY;
    return (size_t)check_draw((most + 3) / 4, (most + 1) / 2);
}

void check_case_sizes(const check_case *of)
{
    const size_t threads = of->threads ? of->threads : 128, drawn = some(of);
    const size_t sizes[] = {1, threads - 1, threads, threads + 1, drawn, drawn, of->most};
    check_program *program = check_start(of->memory_bytes);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const check_case_run now = check_case_at(of, program, sizes[i]);
        check_case_prove(&now);
    }
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
                                    .memory_bytes = of->memory_bytes,
                                    .also = CHECK_FAIL_WAITS,
                                    .at_once = true});
}
