/*
 * shell.h: what a person types, for tests: a command in bash on the CPU device, with 80 columns of ASCII.
 */
#ifndef GRADER_TESTS_SHELL_H
#define GRADER_TESTS_SHELL_H

#include "test.h"

#include <string.h>

#include "base/environment.h"
#include "base/subprocess.h"

/* Runs the command, which must end with this status. Returns its output, to be freed. */
static inline char *shell(const char *command, int status)
{
    const char *extra[] = {"LAB_DEVICE=cpu", "LANG=C", "LC_ALL=C", "COLUMNS=80", NULL};
    const char *const arguments[] = {"/bin/bash", "-c", command, NULL};
    char **environment = environment_make(extra);
    subprocess_options options = {.arguments = arguments, .environment = (const char *const *)environment};
    options.output_limit = 1 << 20;
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 120, &fault), "%s", fault.text);
    environment_free(environment);
    cr_assert_eq(result.exit.status, status, "%s: status %d: %s%s", command, result.exit.status, result.output,
                 result.errors);
    char *said = strdup(result.output);
    subprocess_result_free(&result);
    return said;
}

static inline void assert_says(const char *page, const char *phrase)
{
    cr_assert_not_null(strstr(page, phrase), "no \"%s\" in:\n%s", phrase, page);
}

#endif
