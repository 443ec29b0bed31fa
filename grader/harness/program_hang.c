/*
 * What has hung in an earlier check, where it is not to be waited for again: a person who waits for a verdict learns nothing
 * from the second time. It knows the names of calls and what a check says instead of its result; it refuses to know clocks.
 */
#include "check_program.h"

#include <stdlib.h>
#include <string.h>

/* A line each; NULL if whatever hangs is to be waited for. */
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

void program_require_hope(const check_program *program, const char *what)
{
    const char *hung = hung_before(program);
    if (hung && is_among(hung, what)) check_not_run("it needs %s, which did not end above", what);
}

void program_require_full_time(const check_program *program, const char *sentence)
{
    const char *hung = hung_before(program);
    if (hung) check_not_run("%s; it is given longer once %.*s ends", sentence, (int)strcspn(hung, "\n"), hung);
}

void program_note_hang(const check_program *program, const char *what)
{
    if (!program->reference) check_now.hung = check_text("%s", what);
}
