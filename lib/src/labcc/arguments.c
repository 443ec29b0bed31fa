/* Every list has room for the NULL behind it. */
#include "arguments.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

static void add(arguments *to, const char *text)
{
    if (to->count + 1 >= to->capacity) {
        to->capacity = 2 * to->capacity + 16;
        to->list = realloc(to->list, (size_t)to->capacity * sizeof *to->list);
        if (!to->list) abort();
    }
    to->list[to->count++] = text;
    to->list[to->count] = NULL;
}

void arguments_add(arguments *to, const char *first, ...)
{
    va_list more;
    va_start(more, first);
    for (const char *text = first; text; text = va_arg(more, const char *)) add(to, text);
    va_end(more);
}

void arguments_add_list(arguments *to, const char *const *list)
{
    for (; *list; list++) add(to, *list);
}

void arguments_add_all(arguments *to, const arguments *from)
{
    for (int i = 0; i < from->count; i++) add(to, from->list[i]);
}

char *arguments_text(const char *format, ...)
{
    va_list values;
    char *text;
    va_start(values, format);
    if (vasprintf(&text, format, values) < 0) abort();
    va_end(values);
    return text;
}

int arguments_run(const arguments *command, const char *output, const char *errors, bool shows)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    for (int i = 0; shows && i < command->count; i++)
        fprintf(stderr, "%s%s", command->list[i], i + 1 < command->count ? " " : "\n");
    if (posix_spawn_file_actions_init(&actions) != 0) abort();
    if (output) posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (errors) posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int failed = posix_spawnp(&child, command->list[0], &actions, NULL, (char *const *)command->list, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) {
        fprintf(stderr, "labcc: %s cannot be run: %s\n", command->list[0], strerror(failed));
        return 127;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
