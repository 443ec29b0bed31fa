/* Every list has room for the NULL behind it. A signal that ends labcc is passed to the program that runs; labcc itself
 * ends when its files are removed. */
#include "arguments.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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

/* ---- signals ---- */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING = sizeof ending / sizeof *ending };
static volatile sig_atomic_t caught;
static volatile pid_t running; /* 0 if there is none. Signals are blocked where it changes */

static void pass_on(int number)
{
    caught = number;
    if (running) kill(running, number);
}

void arguments_catch_signals(void)
{
    for (int i = 0; i < ENDING; i++) {
        struct sigaction before;
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(ending[i], &(struct sigaction){.sa_handler = pass_on, .sa_flags = SA_RESTART}, NULL);
    }
}

void arguments_end_if_caught(void)
{
    if (!caught) return;
    signal(caught, SIG_DFL);
    raise(caught);
}

/* ---- programs ---- */

/* Starts the program, unless a signal has come. Returns posix_spawn's error. */
static int start(const arguments *command, const posix_spawn_file_actions_t *actions)
{
    sigset_t before, blocked;
    posix_spawnattr_t attributes;
    pid_t child;
    int failed = EINTR;
    sigemptyset(&blocked);
    for (int i = 0; i < ENDING; i++) sigaddset(&blocked, ending[i]);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    if (!caught) {
        if (posix_spawnattr_init(&attributes) != 0) abort();
        posix_spawnattr_setsigmask(&attributes, &before);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        failed = posix_spawnp(&child, command->list[0], actions, &attributes, (char *const *)command->list, environ);
        posix_spawnattr_destroy(&attributes);
        if (!failed) running = child;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return failed;
}

int arguments_run(const arguments *command, const char *output, const char *errors, bool shows)
{
    posix_spawn_file_actions_t actions;
    siginfo_t ended;
    int status;
    for (int i = 0; shows && i < command->count; i++)
        fprintf(stderr, "%s%s", command->list[i], i + 1 < command->count ? " " : "\n");
    if (posix_spawn_file_actions_init(&actions) != 0) abort();
    if (output) posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (errors) posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int failed = start(command, &actions);
    posix_spawn_file_actions_destroy(&actions);
    if (caught && failed) return 128 + caught;
    if (failed) {
        fprintf(stderr, "labcc: %s cannot be run: %s\n", command->list[0], strerror(failed));
        return 127;
    }
    /* The number of the process stays its own until `running` no longer names it. */
    while (waitid(P_PID, (id_t)running, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) continue;
    const pid_t child = running;
    running = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (caught) return 128 + caught;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
