/*
 * main of a lab's `checks`:
 *
 *   checks                runs all checks, one at a time because they measure, and prints a line each
 *   checks --check NAME   runs one check in this process and prints its evidence, for the grader
 *   checks --manifest     prints what CHECK registered, as JSON, without running anything
 */
#include "run/check_run.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The list that CHECK fills, delimited by the linker. */
extern const check_definition *const __start_lab_checks[];
extern const check_definition *const __stop_lab_checks[];

static int by_order(const void *a, const void *b)
{
    const check_definition *x = *(const check_definition *const *)a, *y = *(const check_definition *const *)b;
    return (x->order > y->order) - (x->order < y->order);
}

/* Whether each name in the check's .after is one of those before it; if not, says so. */
static bool comes_after_earlier_ones(const check_definition *const *ordered, size_t index)
{
    const check_definition *check = ordered[index];
    bool known = true;
    for (const char *name = check->after; name && *name; name += strspn(name, ", ")) {
        const size_t length = strcspn(name, ", ");
        size_t earlier = 0;
        while (earlier < index &&
               (strlen(ordered[earlier]->name) != length || strncmp(ordered[earlier]->name, name, length) != 0))
            earlier++;
        if (earlier == index)
            fprintf(stderr, "%s: .after names %.*s, which is no earlier check\n", check->name, (int)length, name);
        known = known && earlier < index;
        name += length;
    }
    return known;
}

/* Whether each level gives more points than the one before, and less than the check; if not, says so. */
static bool has_rising_levels(const check_definition *check)
{
    int before = 0;
    for (int i = 0; i < CHECK_LEVELS && check->levels[i].name; i++) {
        const check_level *level = &check->levels[i];
        if (level->points <= before || level->points >= check->points) {
            fprintf(stderr, "%s: the level \"%s\" gives %d points: more than %d and less than %d are needed\n",
                    check->name, level->name, level->points, before, check->points);
            return false;
        }
        before = level->points;
    }
    return true;
}

static const char *title_of(const check_definition *check)
{
    if (check->title) return check->title;
    return check->usual ? check->usual->title : "";
}

static const char *hint_of(const check_definition *check, int level)
{
    if (check->hints[level] || !check->usual || level == CHECK_HINTS - 1) return check->hints[level];
    return check->usual->hints[level];
}

/* A check's hints as a list. */
static json_t *hint_list(const check_definition *check)
{
    json_t *list = json_array();
    for (int level = 0; level < CHECK_HINTS && hint_of(check, level); level++)
        json_array_append_new(list, json_string(hint_of(check, level)));
    return list;
}

/* The checks in the order of their lines, to be freed; ends the program without memory. */
static const check_definition **ordered_checks(size_t *count)
{
    *count = (size_t)(__stop_lab_checks - __start_lab_checks);
    const check_definition **ordered = calloc(*count, sizeof *ordered);
    if (!ordered) abort();
    memcpy(ordered, __start_lab_checks, *count * sizeof *ordered);
    qsort(ordered, *count, sizeof *ordered, by_order);
    return ordered;
}

static json_t *check_list(void)
{
    size_t count;
    const check_definition **ordered = ordered_checks(&count);
    json_t *list = json_array();
    bool known = list != NULL;
    for (size_t i = 0; i < count; i++) {
        const check_definition *check = ordered[i];
        known = comes_after_earlier_ones(ordered, i) && has_rising_levels(check) && known;
        json_array_append_new(list, json_pack("{s:s, s:i, s:s, s:o, s:f, s:b, s:b, s:b, s:s, s:s}", "name", check->name,
                                              "points", check->points, "title", title_of(check), "hints",
                                              hint_list(check), "seconds", check_seconds(check), "measures",
                                              check->measures, "counts_lines", check->counts_lines, "extra",
                                              check->extra, "after", check->after ? check->after : "", "without_flow",
                                              check->without_flow ? check->without_flow : ""));
    }
    free(ordered);
    if (known) return list;
    json_decref(list);
    return NULL;
}

static int print_manifest(void)
{
    json_t *manifest = json_pack("{s:{s:s, s:s}, s:o}", "lab", "name", check_lab_name, "title", check_lab_title,
                                 "checks", check_list());
    bool printed = manifest && json_dumpf(manifest, stdout, JSON_INDENT(2)) == 0 && putchar('\n') != EOF;
    json_decref(manifest);
    return printed && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_one(const char *name)
{
    char message[CHECK_MESSAGE];
    for (const check_definition *const *check = __start_lab_checks; check < __stop_lab_checks; check++) {
        if (strcmp((*check)->name, name) == 0) return check_run(*check, message) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    fprintf(stderr, "there is no check %s (--manifest lists them)\n", name);
    return EXIT_FAILURE;
}

/* In a process of its own: the line of this check takes the place of its evidence. */
static _Noreturn void run_and_tell(const check_definition *check)
{
    char message[CHECK_MESSAGE];
    const int line = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (line < 0 || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) abort();
    fcntl(line, F_SETFD, FD_CLOEXEC);
    const bool passed = check_run(check, message);
    dprintf(line, "%s %s%s%s\n", passed ? "passed" : "failed", check->name, *message ? ": " : "", message);
    exit(passed ? EXIT_SUCCESS : EXIT_FAILURE);
}

static bool run_apart(const check_definition *check)
{
    int status;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) run_and_tell(check);
    if (child < 0 || waitpid(child, &status, 0) != child) abort();
    if (!WIFEXITED(status))
        printf("failed %s: the check itself was ended by signal %d\n", check->name, WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

static int run_all(void)
{
    size_t count, passed = 0;
    const check_definition **ordered = ordered_checks(&count);
    for (size_t i = 0; i < count; i++) passed += run_apart(ordered[i]);
    free(ordered);
    printf("%zu passed, %zu failed\n", passed, count - passed);
    return passed == count ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[1], "--manifest") == 0) return print_manifest();
    if (count == 3 && strcmp(arguments[1], "--check") == 0) return run_one(arguments[2]);
    if (count == 1) {
        prctl(PR_SET_DUMPABLE, 0); /* its environment holds the seed */
        return run_all();
    }
    fprintf(stderr, "%s [--check NAME | --manifest]\n", arguments[0]);
    return EXIT_FAILURE;
}
