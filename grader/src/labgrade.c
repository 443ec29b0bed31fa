/*
 * labgrade: grades a folder of submissions, one after another. What one of them does to itself never stops the
 * others. It knows its command line and the order of work; job.h grades one submission, class_file.h writes them all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "class_file.h"
#include "clock.h"
#include "folder.h"
#include "guard.h"
#include "job.h"
#include "layout.h"
#include "sandbox_choice.h"
#include "submissions.h"
#include "text.h"

static const char usage[] =
    "labgrade --lab NAME --submissions DIR --out DIR [--seed N] [--seconds N]\n"
    "    grades every subfolder of the submissions, each with its NAME.c, and writes DIR/results.json\n"
    "    and a folder for each with result.json, build.log, trace.json and timeline.svg\n"
    "\n"
    "  --root DIR     the workbook's folder (.)             --build DIR    where make built it (build)\n"
    "  --seed N       the input data of an earlier grading again; without it they are new and secret\n"
    "  --seconds N    what one check may take (20)\n"
    "  --memory MIB   what the programs of one check may use together (half the machine's, at most 4096)\n"
    "  --show-sandbox says what submissions run in and with what command line, and grades nothing\n"
    "  --no-sandbox i-trust-these-files           runs submissions as you, free to do all that you can do\n"
    "  --sandbox-if-possible i-trust-these-files  does so where there can be no sandbox\n"
    "\n"
    "Exit status: 0 every submission has a result, 2 the grading could not be done.\n";

enum { EXIT_GRADED = 0, EXIT_FAULT = 2 };

typedef struct command_line {
    const char *lab, *submissions, *root, *build, *out, *seed, *seconds, *memory;
    sandbox_choice sandbox;
    bool help, show_sandbox;
} command_line;

/* A grading under way. */
typedef struct grading_run {
    grading_kit kit;
    submission_list list;
    class_file *file;
    sandbox sandbox;
    const struct sandbox *use; /* the sandbox, or NULL for none */
    const char *out;
    uint64_t seed;
    bool seed_secret;
    double seconds;
    size_t verdicts[RESULT_VERDICTS];
    layout_page page;
} grading_run;

static bool read_command(command_line *command, int count, char **argument)
{
    const arguments_option options[] = {
        {"lab", &command->lab, NULL},
        {"submissions", &command->submissions, NULL},
        {"root", &command->root, NULL},
        {"build", &command->build, NULL},
        {"out", &command->out, NULL},
        {"seed", &command->seed, NULL},
        {"help", NULL, &command->help},
        {"seconds", &command->seconds, NULL},
        {"memory", &command->memory, NULL},
        {"show-sandbox", NULL, &command->show_sandbox},
        {"no-sandbox", &command->sandbox.none, NULL},
        {"sandbox-if-possible", &command->sandbox.if_possible, NULL},
    };
    return arguments_read(count, argument, options, sizeof options / sizeof *options);
}

static int complain(const char *sentence)
{
    fprintf(stderr, "labgrade: %s\n", sentence);
    return EXIT_FAULT;
}

/* ---- one submission ---------------------------------------------------------------------------------------------- */

static void print_line(const grading_run *grading, const grading_result *result)
{
    static const layout_color colors[RESULT_VERDICTS] = {
        [RESULT_GRADER_FAULT] = LAYOUT_WARN, [RESULT_PASSED] = LAYOUT_GOOD};
    const layout_page *page = &grading->page;
    char *name = text_clean_line(result->submission ? result->submission : "?", strlen(result->submission));
    char points[32];
    snprintf(points, sizeof points, "%d/%d", result->points, result->max_points);
    bool bad = colors[result->verdict] == LAYOUT_PLAIN;
    layout_colored(page, bad ? LAYOUT_BAD : colors[result->verdict], "%-13s", result_verdict_name(result->verdict));
    layout_right(page, 8, points);
    fputs("  ", page->to);
    layout_text(page, 23, name ? name : "?");
    if (result->verdict == RESULT_GRADER_FAULT) layout_field(page, 23, 0, "", result->summary ? result->summary : "");
    fflush(page->to);
    free(name);
}

/* A result that cannot be written is a fault of the whole grading: the disk is full, or the folder has gone. */
static bool write_result(const grading_result *result, const char *out, grader_fault *fault)
{
    char *path = folder_path(out, "result.json");
    bool ok = path ? result_write(result, path, fault) : fault_set(fault, "not enough memory for a path");
    free(path);
    return ok;
}

/* The student's file as it was graded, for the report: OUT/ada/source/lab03.c. */
static bool keep_source(const grading_run *grading, const submission *entry, const char *out, grader_fault *fault)
{
    char *kept = folder_path(out, "source");
    bool ok = kept ? folder_make(kept, fault) && folder_copy_files(entry->folder, grading->kit.file, kept, fault)
                   : fault_set(fault, "not enough memory for a path");
    free(kept);
    return ok;
}

static bool grade_one(grading_run *grading, const submission *entry, grader_fault *fault)
{
    grading_result result = {0};
    char *out = folder_path(grading->out, entry->safe);
    char *source = folder_path(entry->folder, grading->kit.file);
    bool ok = out && source ? folder_make(out, fault) : fault_set(fault, "not enough memory for a path");
    if (ok) {
        const grading_job job = {
            .kit = &grading->kit,
            .source = source,
            .submission = entry->name,
            .out = out,
            .out_name = entry->safe,
            .seed = grading->seed,
            .seed_secret = grading->seed_secret,
            .seconds = grading->seconds,
            .private_cache = true,
            .sandbox = grading->use,
        };
        job_run(&result, &job);
        grading->verdicts[result.verdict]++;
        print_line(grading, &result);
        ok = write_result(&result, out, fault) && keep_source(grading, entry, out, fault) &&
             class_file_add(grading->file, &result, fault);
    }
    result_free(&result);
    free(source);
    free(out);
    return ok;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static void print_close(const grading_run *grading, const char *path, double seconds)
{
    FILE *to = grading->page.to;
    size_t count = grading->list.count;
    fprintf(to, "\n%zu submission%s of %s in %.1f s:", count, count == 1 ? "" : "s", grading->kit.name, seconds);
    const char *separator = " ";
    for (int verdict = RESULT_VERDICTS - 1; verdict >= 0; verdict--) {
        if (grading->verdicts[verdict] == 0) continue;
        fprintf(to, "%s%zu %s", separator, grading->verdicts[verdict], result_verdict_name((result_verdict)verdict));
        separator = ", ";
    }
    fprintf(to, "\n%s\n", path);
    if (grading->verdicts[RESULT_GRADER_FAULT]) {
        fprintf(to, "A grader fault is no student's zero: mend what it names and grade again.\n");
    }
}

static bool grade_all(grading_run *grading, const char *folder, grader_fault *fault)
{
    double begun = clock_seconds();
    char *path = folder_path(grading->out, "results.json");
    bool ok = path || fault_set(fault, "not enough memory for a path");
    ok = ok && class_file_begin(&grading->file, path, &grading->kit, folder, grading->sandbox.description, fault);
    for (size_t i = 0; ok && i < grading->list.count; i++) ok = grade_one(grading, &grading->list.entry[i], fault);
    double seconds = clock_seconds() - begun;
    if (ok)
        ok = class_file_finish(grading->file, seconds, fault);
    else
        class_file_abandon(grading->file);
    if (ok) print_close(grading, path, seconds);
    free(path);
    return ok;
}

/* Opens the sandbox that the command line asks for. */
static bool open_sandbox(grading_run *grading, const command_line *command, grader_fault *fault)
{
    uint64_t mebibytes = 0;
    const char *const hidden[] = {command->root, command->build, command->submissions, command->out, NULL};
    sandbox_options options = {.cuda = strcmp(grading->kit.device.kind, "cuda") == 0, .hidden = hidden};
    if (command->memory && !arguments_number(&mebibytes, "memory", command->memory))
        return fault_set(fault, "--memory is a number of MiB");
    options.memory_bytes = mebibytes << 20;
    if (!sandbox_choose(&grading->use, &grading->sandbox, &command->sandbox, &options, fault)) return false;
    if (!grading->use) fprintf(stderr, "labgrade: sandbox: %s\n", grading->sandbox.description);
    return true;
}

static void show_sandbox(const grading_run *grading)
{
    printf("sandbox: %s\n", grading->sandbox.description);
    for (char **word = grading->sandbox.common; word && *word; word++) printf("  %s\n", *word);
}

static int run(const command_line *command, grader_fault *fault)
{
    grading_run grading = {.out = command->out, .seed_secret = !command->seed};
    grading.page = (layout_page){.to = stdout, .terminal = lab_terminal_describe(STDOUT_FILENO)};
    bool grades = !command->show_sandbox;
    if (!command->lab || (grades && (!command->submissions || !command->out))) {
        return complain("--lab, --submissions and --out are needed (--help lists the options)");
    }
    if (command->seed && !arguments_number(&grading.seed, "seed", command->seed)) return EXIT_FAULT;
    if (command->seconds && !arguments_seconds(&grading.seconds, "seconds", command->seconds)) return EXIT_FAULT;
    const kit_places places = {.root = command->root, .build = command->build, .name = command->lab};
    bool ok = (command->seed || job_random_seed(&grading.seed, fault)) &&
              (!grades || submissions_list(&grading.list, command->submissions, command->out, fault)) &&
              kit_open(&grading.kit, &places, fault) && open_sandbox(&grading, command, fault);
    if (ok && grading.list.skipped) {
        fprintf(stderr, "labgrade: %zu in %s skipped: not folders\n", grading.list.skipped, command->submissions);
    }
    if (ok && !grades) show_sandbox(&grading);
    if (grades) ok = ok && folder_make(command->out, fault) && grade_all(&grading, command->submissions, fault);
    sandbox_close(&grading.sandbox);
    submissions_free(&grading.list);
    if (grading.kit.name) kit_close(&grading.kit);
    return ok ? EXIT_GRADED : complain(fault->text);
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
        return EXIT_GRADED;
    }
    int status = guard_run(work, &command, "labgrade");
    return status == GUARD_FAILED ? EXIT_FAULT : status;
}
