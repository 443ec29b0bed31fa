/* The four checks of kernels (lib/docs/memcheck.md) on the kernels in sanitizers/, half of them right. The comment
 * above a kernel says what each check finds; a check that is not named there finds nothing. */
#include "test.h"

#include "sanitizers/launch.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 8, LINE = 256 };

/* A kernel and the lines above it. */
typedef struct kernel_case {
    sanitizer_launch run;
    char file[64], kernel[64];
    char expected[MOST_LINES][LINE]; /* "racecheck no __syncthreads()" */
    unsigned lines;
    const char *text; /* the kernel in its file, from its first line on, */
    unsigned line;    /* which has this number */
} kernel_case;

/* ---- reading the cases ---- */

static char *read_file(const char *path)
{
    enum { MOST_BYTES = 1 << 16 };
    static char text[MOST_BYTES];
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s cannot be read", path);
    text[fread(text, 1, MOST_BYTES - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* Reads the case at the line; false if no case begins there. Moves on to the kernel. */
static bool read_case(kernel_case *c, const char **at, unsigned *line)
{
    int used = 0;
    if (sscanf(*at, "//: %63s %u %u %u%n", c->kernel, &c->run.blocks, &c->run.threads, &c->run.shared_bytes, &used) < 4)
        return false;
    c->run.kernel = c->kernel;
    c->lines = 0;
    for (*at = strchr(*at, '\n') + 1, ++*line; strncmp(*at, "//: ", 4) == 0; ++*line) {
        const size_t length = strcspn(*at + 4, "\n");
        cr_assert(c->lines < MOST_LINES && length < LINE, "%s has more lines than there is room for", c->kernel);
        snprintf(c->expected[c->lines++], LINE, "%.*s", (int)length, *at + 4);
        *at += 4 + length + 1;
    }
    c->text = *at;
    c->line = *line;
    return true;
}

/* Replaces "(a)" by the number of the line of the kernel that has it as a comment: "line 12". */
static void write_lines(char text[LINE], const kernel_case *c, const char *expected)
{
    size_t length = 0;
    for (const char *at = expected; *at; at++) {
        if (at[0] != '(' || at[1] == '\0' || at[1] == ')' || at[2] != ')') {
            text[length++] = *at;
            continue;
        }
        const char mark[] = {'/', '/', ' ', '(', at[1], ')', '\0'};
        const char *place = strstr(c->text, mark);
        unsigned line = c->line;
        cr_assert(place, "%s has no line %s", c->kernel, mark);
        for (const char *each = c->text; each < place; each++) line += *each == '\n';
        length += (size_t)snprintf(text + length, LINE - length, "line %u", line);
        at += 2;
    }
    text[length] = '\0';
}

/* ---- running them ---- */

static const char *check_variable;

static void launch(void *user)
{
    lab_deviceptr out, zero;
    const kernel_case *c = user;
    setenv("LAB_DEVICE", "cpu", 1);
    setenv(check_variable, "1", 1);
    if (sanitizer_run(&out, &zero, &c->run) != LAB_SUCCESS) puts(lab_error_message());
}

/* Runs a case, and compares what was printed with each expected line of the check. */
static void check_case(kernel_case *c, const char *check)
{
    char found[4096], wanted[LINE];
    bool any = false;
    const int status = test_in_child(launch, c, found, sizeof found);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: %s", c->kernel, found);
    for (unsigned i = 0; i < c->lines; i++) {
        const size_t length = strcspn(c->expected[i], " ");
        const bool mine = strncmp(c->expected[i], check, length) == 0 && check[length] == '\0';
        if (!mine && strncmp(c->expected[i], "any ", 4) != 0) continue;
        any = true;
        write_lines(wanted, c, c->expected[i] + length + 1);
        cr_assert(strstr(found, wanted), "%s of %s finds: %s\nwhich lacks: %s", check, c->kernel, found, wanted);
    }
    cr_assert(any || !*found, "%s of %s should find nothing, but finds: %s", check, c->kernel, found);
}

/* Files of kernels, a list that ends with NULL. */
static const char *const own[] = {"shared", "warps", "barriers", "blocks", "memory", "copies", "locals", NULL};
static const char *const reported[] = {"reported_blocks", "reported_warps", "reported_grids", NULL};

static void check_all(const char *check, const char *variable, const char *const *file)
{
    unsigned cases = 0;
    check_variable = variable;
    for (; *file; file++) {
        kernel_case c = {.run.file = c.file};
        snprintf(c.file, sizeof c.file, "lib/tests/sanitizers/%s.cu", *file);
        unsigned line = 1;
        for (const char *at = read_file(c.file); at && *at;) {
            if (read_case(&c, &at, &line)) {
                check_case(&c, check);
                cases++;
                continue;
            }
            at = strchr(at, '\n');
            if (at) at++;
            line++;
        }
    }
    cr_assert(cases >= 60, "only %u kernels", cases);
}

Test(sanitizers, memcheck) { check_all("memcheck", "LAB_MEMCHECK", own); }
Test(sanitizers, racecheck) { check_all("racecheck", "LAB_RACECHECK", own); }
Test(sanitizers, initcheck) { check_all("initcheck", "LAB_INITCHECK", own); }
Test(sanitizers, synccheck) { check_all("synccheck", "LAB_SYNCCHECK", own); }

Test(sanitizers, memcheck_of_what_others_reported) { check_all("memcheck", "LAB_MEMCHECK", reported); }
Test(sanitizers, racecheck_of_what_others_reported) { check_all("racecheck", "LAB_RACECHECK", reported); }
Test(sanitizers, initcheck_of_what_others_reported) { check_all("initcheck", "LAB_INITCHECK", reported); }
Test(sanitizers, synccheck_of_what_others_reported) { check_all("synccheck", "LAB_SYNCCHECK", reported); }

/* ---- the same with kernels in a process of their own, which is not written for every processor ---- */

static void check_all_apart(const char *check, const char *variable)
{
    setenv("LAB_KERNELS_APART", "1", 1);
    check_all(check, variable, own);
}

Test(sanitizers, memcheck_of_kernels_apart) { check_all_apart("memcheck", "LAB_MEMCHECK"); }
Test(sanitizers, racecheck_of_kernels_apart) { check_all_apart("racecheck", "LAB_RACECHECK"); }
Test(sanitizers, initcheck_of_kernels_apart) { check_all_apart("initcheck", "LAB_INITCHECK"); }
Test(sanitizers, synccheck_of_kernels_apart) { check_all_apart("synccheck", "LAB_SYNCCHECK"); }

/* ---- without a check: the adversarial schedule ---- */

typedef struct pair {
    sanitizer_launch run;
    const char *wrong;
} pair;

static const pair pairs[] = {
    {{"lib/tests/sanitizers/shared.cu", "reverse_right", 2, 64, 0}, "reverse_without_barrier"},
    {{"lib/tests/sanitizers/shared.cu", "product_right", 16, 256, 0}, "product_without_second_barrier"},
    {{"lib/tests/sanitizers/shared.cu", "reload_right", 2, 64, 0}, "reload_without_second_barrier"},
    {{"lib/tests/sanitizers/shared.cu", "attention_right", 2, 64, 512}, "attention_without_second_barrier"},
    {{"lib/tests/sanitizers/shared.cu", "tree_right", 4, 128, 0}, "tree_without_barrier_in_loop"},
    {{"lib/tests/sanitizers/shared.cu", "scan_right", 2, 128, 0}, "scan_in_place"},
    {{"lib/tests/sanitizers/shared.cu", "two_buffers_right", 2, 64, 0}, "one_buffer_of_two"},
};

static unsigned seed;

/* Prints the results of a kernel. */
static void print_results(void *user)
{
    enum { RESULTS = 1024 };
    char schedule[32];
    int result[RESULTS];
    lab_deviceptr out, zero;
    setenv("LAB_DEVICE", "cpu", 1);
    snprintf(schedule, sizeof schedule, "adversarial:%u", seed);
    setenv("LAB_SCHEDULE", schedule, 1);
    LAB_CHECK(sanitizer_run(&out, &zero, user));
    LAB_CHECK(lab_memcpy_dtoh(result, out, sizeof result));
    for (int i = 0; i < RESULTS; i++) printf("%d ", result[i]);
}

Test(sanitizers, the_adversarial_schedule_shows_a_missing_barrier)
{
    static char right[1 << 15], wrong[1 << 15];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        sanitizer_launch run = pairs[i].run;
        for (seed = 0; seed < 4; seed++) {
            run.kernel = pairs[i].run.kernel;
            cr_assert_eq(test_in_child(print_results, &run, right, sizeof right), 0, "%s", right);
            run.kernel = pairs[i].wrong;
            cr_assert_eq(test_in_child(print_results, &run, wrong, sizeof wrong), 0, "%s", wrong);
            cr_assert_neq(strcmp(right, wrong), 0, "seed %u does not show that %s is wrong", seed, run.kernel);
        }
    }
}
