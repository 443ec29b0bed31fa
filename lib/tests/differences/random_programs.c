/*
 * Runs random programs on two devices, or on one in several orders, and compares the outcomes:
 *
 *   random_programs --device NAME SEEDS...
 *
 * With a GPU: the CPU device, first in first out, and the GPU. Without one: the CPU device first in first out, in a
 * random order and in an adversarial one. The last line is "N passed, N failed".
 */
#include "lab.h"
#include "programs/random_program.h"
#include "worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SIDES = 3, MOST_SHOWN = 5 };

/* Chooses the sides to compare. Several processes share a GPU in turns, so more of them gain nothing. */
static int choose_sides(side *sides, const char *device, bool gpu)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const int workers = processors < 1 ? 1 : processors > 32 ? 32 : (int)processors;
    sides[0] = (side){"the CPU device, first in first out", "cpu", "fifo", workers};
    if (gpu) {
        sides[1] = (side){"the GPU", device, "concurrent", workers < 8 ? workers : 8};
        return 2;
    }
    sides[1] = (side){"the CPU device, in a random order", "cpu", "random", workers};
    sides[2] = (side){"the CPU device, in an adversarial order", "cpu", "adversarial", workers};
    return 3;
}

/* Whether LAB_DEVICE=NAME is a GPU: a separate process asks, since this one must not open a device. */
static bool is_gpu(const char *device, bool *gpu)
{
    char command[100], kind[20] = "";
    snprintf(command, sizeof command, "LAB_DEVICE=%s /proc/%d/exe --kind", device, (int)getpid());
    FILE *pipe = popen(command, "re");
    if (!pipe) return false;
    const bool read = fgets(kind, sizeof kind, pipe) != NULL;
    *gpu = strncmp(kind, "cuda", 4) == 0;
    return pclose(pipe) == 0 && read;
}

static int kind_main(void)
{
    lab_device_info info;
    if (lab_device_get_info(&info, 0) != LAB_SUCCESS) {
        fprintf(stderr, "%s\n", lab_error_message());
        return WORKER_NO_DEVICE;
    }
    puts(info.kind);
    return 0;
}

/* Describes what differs, or what is wrong on one side; NULL if nothing. */
static const char *differs(const side_result *first, const side_result *other)
{
    if (*other->lost) return other->lost;
    if (!other->done) return "it did not run";
    if (other->outcome.failures) return "calls fail that should not";
    if (other->outcome.wrong) return "memory holds what the program does not compute";
    if (other->outcome.misordered) return "the record orders what the program does not, or the reverse";
    if (other->outcome.findings) return "the order checker finds fault with a right program";
    if (other->outcome.calls != first->outcome.calls) return "calls give something else";
    if (other->outcome.bytes != first->outcome.bytes) return "memory holds something else";
    return other->outcome.order != first->outcome.order ? "the record's order is another" : NULL;
}

/* The first line that reports something wrong on its own; NULL if none does. */
static const char *find_fault(const char *line)
{
    for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const size_t length = strcspn(line, "\n");
        if (memmem(line, length, "wrong", 5) || memmem(line, length, "finds", 5) || memmem(line, length, " (", 2))
            return line;
    }
    return NULL;
}

/* Shows the first line in which the details differ, or the first that reports something wrong. */
static void show_first_difference(const side *first, const side *other, const char *word)
{
    char *text[2] = {workers_details(first, word), workers_details(other, word)};
    const char *line[2] = {text[0] ? text[0] : "", text[1] ? text[1] : ""};
    size_t length[2];
    bool same = true;
    while (same && (*line[0] || *line[1])) {
        for (int i = 0; i < 2; i++) length[i] = strcspn(line[i], "\n");
        same = length[0] == length[1] && memcmp(line[0], line[1], length[0]) == 0;
        for (int i = 0; i < 2 && same; i++) line[i] += length[i] + (line[i][length[i]] == '\n');
    }
    const char *fault = same && text[1] ? find_fault(text[1]) : NULL;
    if (fault)
        printf("    %.*s\n", (int)strcspn(fault, "\n"), fault);
    else if (same)
        printf("    Run again by itself, %s gave nothing of the kind.\n", word);
    else
        for (int i = 0; i < 2; i++)
            printf("    %s: %.*s\n", (i ? other : first)->name, (int)length[i], *line[i] ? line[i] : "(nothing more)");
    free(text[0]);
    free(text[1]);
}

/* Whether the entry's steps are enough to make a difference. */
static bool is_enough(const side *first, const side *other, seed_entry entry)
{
    char word[60], *words[] = {word, NULL};
    seed_list seeds = {0};
    side_result result[2][1] = {0};
    side runner[2] = {*first, *other};
    snprintf(word, sizeof word, "%" PRIu64 ":%d", entry.seed, entry.steps);
    bool run = seeds_add(&seeds, word);
    for (int i = 0; i < 2 && run; i++) {
        runner[i].workers = 1;
        run = workers_run(result[i], &runner[i], &seeds, words);
    }
    free(seeds.entry);
    return run && differs(result[0], result[1]);
}

/* The fewest steps that make a difference, as far as halving finds them. */
static seed_entry shorten(const side *first, const side *other, seed_entry entry)
{
    int enough = PROGRAM_STEPS, few = 0;
    while (enough - few > 1) {
        const int middle = few + (enough - few) / 2;
        if (is_enough(first, other, (seed_entry){entry.seed, middle}))
            enough = middle;
        else
            few = middle;
    }
    return enough < PROGRAM_STEPS ? (seed_entry){entry.seed, enough} : entry;
}

static void show(const side *first, const side *other, seed_entry entry, const char *what, const char *device)
{
    char word[60];
    if (entry.steps == 0) entry = shorten(first, other, entry);
    snprintf(word, sizeof word, entry.steps ? "%" PRIu64 ":%d" : "%" PRIu64, entry.seed, entry.steps);
    printf("\nSeed %" PRIu64 ", %s: %s.\n", entry.seed, other->name, what);
    show_first_difference(first, other, word);
    outcome_list(stdout, entry);
    printf("  Again: make test-random DEVICE=%s SEEDS=%s\n", device, word);
    fflush(stdout);
}

static int compare(const char *device, const seed_list *seeds, char *const *words)
{
    side runner[MOST_SIDES];
    side_result *result[MOST_SIDES];
    struct timespec begin, end;
    bool gpu;
    size_t different = 0;
    if (!is_gpu(device, &gpu)) return EXIT_FAILURE;
    const int sides = choose_sides(runner, device, gpu);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < sides; i++) {
        result[i] = calloc(seeds->count + 1, sizeof *result[i]);
        if (!result[i] || !workers_run(result[i], &runner[i], seeds, words)) {
            printf("%s cannot be used\n", runner[i].name);
            return EXIT_FAILURE;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    for (size_t k = 0; k < seeds->count; k++) {
        const char *what = NULL;
        for (int i = 0; i < sides && !what; i++)
            if ((what = differs(&result[0][k], &result[i][k])) && different++ < MOST_SHOWN)
                show(&runner[0], &runner[i], seeds->entry[k], what, device);
    }
    printf("%srandom programs: %zu on %s", different ? "\n" : "", seeds->count, runner[0].name);
    for (int i = 1; i < sides; i++) printf("%s%s", i + 1 < sides ? "; " : " and ", runner[i].name);
    printf(": %zu alike, %zu different, %.1f s\n", seeds->count - different, different,
           (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
    printf("%zu passed, %zu failed\n", seeds->count - different, different);
    for (int i = 0; i < sides; i++) free(result[i]);
    return different ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int count, char **argument)
{
    seed_list seeds = {0};
    if (count > 1 && !strcmp(argument[1], "--work")) return worker_main(count - 2, argument + 2);
    if (count > 1 && !strcmp(argument[1], "--details")) return details_main(count - 2, argument + 2);
    if (count > 1 && !strcmp(argument[1], "--kind")) return kind_main();
    if (count < 4 || strcmp(argument[1], "--device") != 0) {
        fputs("random_programs --device NAME SEEDS...: SEEDS are 7, 0..99, 7:23 for 23 steps, or @FILE\n", stderr);
        return EXIT_FAILURE;
    }
    for (int i = 3; i < count; i++)
        if (!seeds_add(&seeds, argument[i])) return EXIT_FAILURE;
    const int status = compare(argument[2], &seeds, argument + 3);
    free(seeds.entry);
    return status;
}
