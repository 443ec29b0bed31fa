/* Calls that hung in an earlier check are not called again: waiting a second time tells a student nothing new. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

/* The steps that hung before, one per line; NULL if the grader does not pass them on. */
static const char *hung_before(const check_program *program)
{
    return program->reference ? NULL : getenv("LAB_CHECK_HUNG");
}

static bool is_among(const char *lines, const char *line)
{
    size_t length = strlen(line);
    while (*lines) {
        size_t next = strcspn(lines, "\n");
        if (next == length && strncmp(lines, line, length) == 0) return true;
        lines += next + (lines[next] == '\n');
    }
    return false;
}

void program_skip_if_hung(const check_program *program, const char *step)
{
    const char *hung = hung_before(program);
    if (hung && is_among(hung, step)) end_not_run("it needs %s, which did not end above", step);
}

void program_require_full_time(const check_program *program, const char *sentence)
{
    const char *hung = hung_before(program);
    if (hung) end_not_run("%s; it is given longer once %.*s ends", sentence, (int)strcspn(hung, "\n"), hung);
}

void program_note_hang(const check_program *program, const char *step)
{
    if (!program->reference) this_check.hung = owned_text("%s", step);
}
