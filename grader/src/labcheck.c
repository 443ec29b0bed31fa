/*
 * labcheck: one student's verdict. Builds the student's file, runs the lab's checks, prints the page; or prints a hint;
 * or proves labs. It knows its command line; job.h does the work and verdict.h writes the page.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "folder.h"
#include "guard.h"
#include "job.h"
#include "layout.h"
#include "text.h"
#include "verdict.h"
#include "verify.h"

static const char usage[] =
    "labcheck --lab NAME [--source FILE] [--out DIR] [--seed N] [--seconds N] [--json FILE] [--quiet]\n"
    "    builds FILE (the lab's own starter file if none is named), runs the checks, prints the verdict\n"
    "labcheck --lab NAME --hint N\n"
    "    prints the hint of check number N, or with N = next that of the first check that failed last time\n"
    "labcheck --verify [--lab NAME]\n"
    "    proves all labs, or one: starters fail, solutions pass, wrong answers fail the check they name\n"
    "\n"
    "  --root DIR     the workbook's folder (.)             --build DIR    where make built it (build)\n"
    "  --out DIR      for the record and the timeline (BUILD/NAME)\n"
    "  --seed N       the same input data again             --seconds N    what one check may take (20)\n"
    "  --json FILE    writes the result there as well       --quiet        prints no page\n"
    "\n"
    "Exit status: 0 all checks passed, 1 not all, 2 the grader could not do its work.\n";

enum { EXIT_PASSED = 0, EXIT_FAILED = 1, EXIT_FAULT = 2 };

typedef struct command_line {
    const char *lab, *source, *root, *build, *out, *seed, *seconds, *json, *hint;
    bool quiet, verify, help;
} command_line;

static int complain(const char *sentence)
{
    fprintf(stderr, "labcheck: %s\n", sentence);
    return EXIT_FAULT;
}

static bool read_command(command_line *command, int count, char **argument)
{
    const arguments_option options[] = {
        {"lab", &command->lab, NULL},         {"source", &command->source, NULL}, {"root", &command->root, NULL},
        {"build", &command->build, NULL},     {"out", &command->out, NULL},       {"seed", &command->seed, NULL},
        {"seconds", &command->seconds, NULL}, {"json", &command->json, NULL},     {"hint", &command->hint, NULL},
        {"quiet", NULL, &command->quiet},     {"verify", NULL, &command->verify}, {"help", NULL, &command->help},
    };
    return arguments_read(count, argument, options, sizeof options / sizeof *options);
}

static bool choose_seed(uint64_t *seed, const command_line *command, grader_fault *fault)
{
    if (command->seed)
        return arguments_number(seed, "seed", command->seed) || fault_set(fault, "the seed is no number");
    return job_random_seed(seed, fault);
}

/* ---- hints ------------------------------------------------------------------------------------------------------- */

/* The number of the first check that failed in the last result, from 0; 0 if there is none. */
static size_t first_failed(const char *out)
{
    char *path = folder_path(out, "result.json");
    json_t *last = path ? json_load_file(path, 0, NULL) : NULL;
    const json_t *check;
    size_t index, found = 0;
    json_array_foreach(json_object_get(last, "checks"), index, check)
    {
        if (strcmp(result_string(check, "status"), "failed") != 0) continue;
        found = index;
        break;
    }
    json_decref(last);
    free(path);
    return found;
}

static int print_hint(const grading_kit *kit, const command_line *command)
{
    size_t count = json_array_size(kit->manifest);
    uint64_t number = 0;
    if (strcmp(command->hint, "next") == 0)
        number = first_failed(command->out) + 1;
    else if (!arguments_number(&number, "hint", command->hint))
        return EXIT_FAULT;
    const json_t *check = number ? kit_check(kit, number - 1) : NULL;
    if (!check) {
        fprintf(stderr, "labcheck: %s has the hints 1 to %zu\n", kit->name, count);
        return EXIT_FAULT;
    }
    const layout_page page = {.to = stdout, .terminal = lab_terminal_describe(STDOUT_FILENO)};
    char head[64];
    snprintf(head, sizeof head, "Hint %d of %zu  ", (int)number, count);
    layout_field(&page, 0, layout_columns(head), head, result_string(check, "title"));
    layout_field(&page, 2, 0, "", result_string(check, "hint"));
    return EXIT_PASSED;
}

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

static bool write_results(const grading_result *result, const command_line *command, grader_fault *fault)
{
    char *path = folder_path(command->out, "result.json");
    bool ok = path ? result_write(result, path, fault) : fault_set(fault, "not enough memory for a path");
    if (ok && command->json) ok = result_write(result, command->json, fault);
    free(path);
    return ok;
}

static void print_page(const grading_result *result, const command_line *command)
{
    char again[64];
    snprintf(again, sizeof again, "make %s", command->lab);
    const verdict_page page = {
        .to = stdout,
        .terminal = lab_terminal_describe(STDOUT_FILENO),
        .out = command->out,
        .command = again,
    };
    verdict_print(&page, result);
}

static int check(const grading_kit *kit, const command_line *command, grader_fault *fault)
{
    text_buffer starter = {0};
    text_format(&starter, "%s/%s", kit->folder, kit->file);
    grading_job job = {.kit = kit, .out = command->out, .out_name = ""};
    job.source = command->source ? command->source : starter.text;
    job.submission = job.source;
    if (starter.failed || !choose_seed(&job.seed, command, fault)) return complain(fault->text);
    if (command->seconds && !arguments_seconds(&job.seconds, "seconds", command->seconds)) return EXIT_FAULT;
    if (!folder_make(command->out, fault)) return complain(fault->text);

    grading_result result;
    job_run(&result, &job);
    if (!command->quiet) print_page(&result, command);
    int status = result.verdict == RESULT_PASSED         ? EXIT_PASSED
                 : result.verdict == RESULT_GRADER_FAULT ? EXIT_FAULT
                                                         : EXIT_FAILED;
    if (!write_results(&result, command, fault)) status = complain(fault->text);
    result_free(&result);
    free(starter.text);
    return status;
}

/* ---- proofs ------------------------------------------------------------------------------------------------------ */

static bool verify_one(verify_counts *counts, const command_line *command, const char *lab, grader_fault *fault)
{
    grading_kit kit;
    uint64_t seed;
    const kit_places places = {.root = command->root, .build = command->build, .name = lab};
    if (!choose_seed(&seed, command, fault) || !kit_open(&kit, &places, fault)) return false;
    bool ok = verify_lab(counts, &kit, seed, stdout, fault);
    kit_close(&kit);
    return ok;
}

static int verify(const command_line *command, grader_fault *fault)
{
    char **names = NULL;
    verify_counts counts = {0};
    bool ok = command->lab || kit_names(&names, command->root, fault);
    if (ok && command->lab) ok = verify_one(&counts, command, command->lab, fault);
    for (size_t i = 0; ok && names && names[i]; i++) ok = verify_one(&counts, command, names[i], fault);
    kit_names_free(names);
    if (!ok) return complain(fault->text);
    printf("%d passed, %d failed\n", counts.passed, counts.failed);
    return counts.failed ? EXIT_FAILED : EXIT_PASSED;
}

/* ---- main -------------------------------------------------------------------------------------------------------- */

static int run(command_line *command, grader_fault *fault)
{
    if (command->verify) return verify(command, fault);
    if (!command->lab) return complain("say which lab: --lab lab03 (--help lists the options)");
    text_buffer out = {0};
    grading_kit kit;
    const kit_places places = {.root = command->root, .build = command->build, .name = command->lab};
    text_format(&out, "%s/%s", command->build, command->lab);
    if (!command->out) command->out = out.text;
    int status = EXIT_FAULT;
    if (out.failed || !kit_open(&kit, &places, fault)) {
        complain(out.failed ? "not enough memory" : fault->text);
    } else {
        status = command->hint ? print_hint(&kit, command) : check(&kit, command, fault);
        kit_close(&kit);
    }
    free(out.text);
    return status;
}

static int work(void *user)
{
    grader_fault fault = {0};
    return run(user, &fault);
}

int main(int count, char **argument)
{
    command_line command = {.root = ".", .build = "build"};
    if (!read_command(&command, count, argument)) return EXIT_FAULT;
    if (command.help) {
        fputs(usage, stdout);
        return EXIT_PASSED;
    }
    int status = guard_run(work, &command, "labcheck");
    return status == GUARD_FAILED ? EXIT_FAULT : status;
}
