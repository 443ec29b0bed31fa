/*
 * labcheck: one student's verdict. Builds the student's file, runs the lab's checks and prints the page; or prints a
 * hint or the progress so far; or proves labs. It knows its command line; job.h does the work and verdict.h writes the
 * page.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arguments.h"
#include "base/folder.h"
#include "base/live_line.h"
#include "base/page_layout.h"
#include "base/text.h"
#include "judge/build.h"
#include "judge/job.h"
#include "lab_trace.h"
#include "page/hints.h"
#include "page/lesson.h"
#include "page/progress.h"
#include "page/timelines.h"
#include "page/verdict.h"
#include "page/waiting_line.h"
#include "prove/verify.h"
#include "sandbox/cleanup_guard.h"
#include "sandbox/sandbox_choice.h"

static const char usage[] =
    "labcheck --lab NAME [--source FILE] [--out DIR] [--seed N] [--seconds N] [--json FILE] [--quiet]\n"
    "         [--predict PROFILE] [--lessons ADDRESS] [--first-failure | --one-check [--check N]] [--points-only]\n"
    "    builds FILE (without it, the lab's starter file), runs the checks, prints the verdict\n"
    "labcheck --lab NAME --hint N [--check N]\n"
    "    prints hint N of a check, or with N = next the one after those taken; the check is the first that failed\n"
    "    last time unless it is named\n"
    "labcheck --lab NAME --timeline [--check N]\n"
    "    draws the record of the last run that the verdict shows, or that of a check\n"
    "labcheck --show-progress --progress FILE\n"
    "    prints the labs with the best and last points\n"
    "labcheck --verify [--lab \"NAME ...\"] [--all-checks] [--turn N/M]\n"
    "    proves all labs, or these: starters fail, solutions pass, wrong answers fail the check that they name;\n"
    "    without --all-checks, a wrong answer meets that check only; --turn 2/5 tries the second fifth of them\n"
    "\n"
    "  --root DIR     the workbook's folder (.)             --build DIR    where make built it (build)\n"
    "  --out DIR      for the record and the timeline (BUILD/NAME)\n"
    "  --seed N       the same input data again             --seconds N    in place of checks' own limits\n"
    "  --json FILE    writes the result there as well       --quiet        prints no page\n"
    "  --progress FILE  keeps points and hints there\n"
    "  --whole        prints every finding in full, and a failure's timeline\n"
    "  --predict PROFILE  prints how long the records would take on another device, such as h200\n"
    "  --lessons ADDRESS  names the lesson's page there, on the published site, and not its file\n"
    "  --first-failure  stops at the first check that fails, and measures no times\n"
    "  --one-check    runs check N, or else that which failed first last time, alone\n"
    "  --points-only  tells what FILE could win: without sanitizers, times and lines of failures\n"
    "  --graded       in the sandbox in which labgrade runs submissions\n"
    "\n"
    "Exit status: 0 all required checks passed, 1 one failed, 2 the grader could not do its work.\n";

static const char usual_build[] = "build"; /* also the default of make */

enum { EXIT_PASSED = 0, EXIT_FAILED = 1, EXIT_FAULT = 2 };

typedef struct command_line {
    const char *lab, *source, *root, *build, *out, *seed, *seconds, *json, *hint, *check, *progress, *predict, *lessons,
        *turn;
    bool quiet, verify, all_checks, show_progress, timeline, whole, graded, first_failure, one_check, points_only, help;
} command_line;

static int complain(const char *sentence)
{
    fprintf(stderr, "labcheck: %s\n", sentence);
    return EXIT_FAULT;
}

static bool read_command(command_line *command, int count, char **argument)
{
    const arguments_option options[] = {
        {"lab", &command->lab, NULL},
        {"source", &command->source, NULL},
        {"root", &command->root, NULL},
        {"build", &command->build, NULL},
        {"out", &command->out, NULL},
        {"seed", &command->seed, NULL},
        {"seconds", &command->seconds, NULL},
        {"json", &command->json, NULL},
        {"hint", &command->hint, NULL},
        {"check", &command->check, NULL},
        {"progress", &command->progress, NULL},
        {"predict", &command->predict, NULL},
        {"lessons", &command->lessons, NULL},
        {"turn", &command->turn, NULL},
        {"quiet", NULL, &command->quiet},
        {"verify", NULL, &command->verify},
        {"show-progress", NULL, &command->show_progress},
        {"graded", NULL, &command->graded},
        {"all-checks", NULL, &command->all_checks},
        {"timeline", NULL, &command->timeline},
        {"whole", NULL, &command->whole},
        {"help", NULL, &command->help},
        {"first-failure", NULL, &command->first_failure},
        {"one-check", NULL, &command->one_check},
        {"points-only", NULL, &command->points_only},
    };
    return arguments_read(count, argument, options, sizeof options / sizeof *options);
}

static bool choose_seed(uint64_t *seed, const command_line *command, grader_fault *fault)
{
    if (command->seed)
        return arguments_number(seed, "seed", command->seed) || fault_set(fault, "the seed is not a number");
    return job_random_seed(seed, fault);
}

/* ---- hints ------------------------------------------------------------------------------------------------------- */

static text_page own_page(void)
{
    return (text_page){.file = stdout, .terminal = lab_terminal_describe(STDOUT_FILENO)};
}

static void name_variable(text_buffer *variables, const char *name, const char *value)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+";
    const char *quote = value[strspn(value, plain)] ? "'" : "";
    text_format(variables, " %s=%s%s%s", name, quote, value, quote);
}

/* make finds a build folder of another name only if every command names it. */
static void name_build(text_buffer *variables, const char *build)
{
    if (strcmp(build, usual_build) != 0) name_variable(variables, "BUILD", build);
}

/* A student reads "labs/...", not "./labs/...". */
static const char *without_own_root(const char *path) { return strncmp(path, "./", 2) == 0 ? path + 2 : path; }

/* The same for a path below the checkout, wherever that is. */
static const char *from_labs(const char *path)
{
    const char *found = path;
    for (const char *at = strstr(path, "/labs/"); at; at = strstr(at + 1, "/labs/")) found = at + 1;
    return found;
}

/* make takes another file than the lab's own only if every command names it. */
static void name_file(text_buffer *variables, const grading_job *job)
{
    struct stat own, source;
    char *path = folder_path(job->parts->folder, job->parts->file);
    const bool known = path && stat(path, &own) == 0 && stat(job->source, &source) == 0;
    if (!known || own.st_dev != source.st_dev || own.st_ino != source.st_ino)
        name_variable(variables, "FILE", job->source);
    free(path);
}

static int print_hint(const lab_parts *parts, const command_line *command, grader_fault *fault)
{
    hints_choice choice = {.out = command->out, .progress = command->progress};
    char *end = NULL;
    bool next = strcmp(command->hint, "next") == 0 || !*command->hint;
    if (!next) choice.level = strtoul(command->hint, &end, 10);
    if (!next && (*end || choice.level < 1 || command->hint[0] == '-')) {
        fault_set(fault, "HINT=%s is not a hint: it can be 1, 2 or 3; without it you get the next one", command->hint);
        return complain(fault->text);
    }
    if (command->check && !arguments_number(&choice.check, "check", command->check)) return EXIT_FAULT;
    const text_page page = own_page();
    return hints_print(&page, parts, &choice, fault) ? EXIT_PASSED : complain(fault->text);
}

/* ---- timelines --------------------------------------------------------------------------------------------------- */

static int print_timeline(const lab_parts *parts, const command_line *command, grader_fault *fault)
{
    text_buffer variables = {0};
    timelines_choice choice = {.out = command->out};
    if (command->check && !arguments_number(&choice.check, "check", command->check)) return EXIT_FAULT;
    name_build(&variables, command->build);
    choice.variables = variables.text ? variables.text : "";
    const text_page page = own_page();
    const bool ok = timelines_print(&page, parts, &choice, fault);
    free(variables.text);
    return ok ? EXIT_PASSED : complain(fault->text);
}

/* ---- progress ---------------------------------------------------------------------------------------------------- */

static int show_progress(const command_line *command, grader_fault *fault)
{
    char **folders = NULL;
    if (!command->progress) return complain("--show-progress needs --progress FILE");
    if (!lab_parts_folders(&folders, command->root, fault)) return complain(fault->text);
    const text_page page = own_page();
    bool ok = progress_print(&page, command->progress, (const char *const *)folders, fault);
    lab_parts_names_free(folders);
    return ok ? EXIT_PASSED : complain(fault->text);
}

/* The verdict is what counts: failing to write the progress is only worth a sentence. */
static void note_progress(const grading_result *result, const command_line *command)
{
    grader_fault fault = {0};
    if (!command->progress || result->verdict == RESULT_GRADER_FAULT) return;
    if (!progress_note(command->progress, result, &fault))
        fprintf(stderr, "labcheck: your progress was not saved: %s\n", fault.text);
}

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

static bool write_results(const grading_result *result, const command_line *command, grader_fault *fault)
{
    char *path = folder_path(command->out, "result.json");
    if (!path) return fault_memory(fault, "a path");
    bool ok = result_write(result, path, fault);
    free(path);
    FAULT_TRY(ok);
    return !command->json || result_write(result, command->json, fault);
}

/* The folder of the lab after this one; the caller frees it; NULL after the last. */
static char *find_next_lab(const command_line *command)
{
    char **folders = NULL, *next = NULL;
    grader_fault unknown = {0};
    if (!lab_parts_folders(&folders, command->root, &unknown)) return NULL;
    const size_t length = strlen(command->lab);
    for (size_t i = 0; folders[i] && !next; i++) {
        const char *slash = strrchr(folders[i], '/'), *base = slash ? slash + 1 : folders[i];
        const bool own = strncmp(base, command->lab, length) == 0 && base[length] == '-';
        if (own && folders[i + 1]) next = strdup(folders[i + 1]);
    }
    lab_parts_names_free(folders);
    return next;
}

/* What the lesson says about the first check that failed, which the caller frees; NULL if none has. */
static char *find_lesson(const grading_result *result, const lab_parts *parts, const char *site)
{
    const json_t *failure = result_first_failure(result), *check;
    size_t index;
    json_array_foreach(parts->manifest, index, check)
    {
        if (strcmp(result_string(check, "name"), result_string(failure, "name")) != 0) continue;
        char *place = lesson_place(parts->folder, check);
        if (!place || !site) return place;
        char *address = lesson_address(site, from_labs(place));
        free(place);
        return address;
    }
    return NULL;
}

static void print_page(const grading_result *result, const grading_job *job, const command_line *command)
{
    char again[64];
    text_buffer build = {0}, variables = {0};
    snprintf(again, sizeof again, "make %s", command->lab);
    name_build(&build, command->build);
    name_build(&variables, command->build);
    name_file(&variables, job);
    char *next = find_next_lab(command), *lesson = find_lesson(result, job->parts, command->lessons);
    const verdict_page page = {
        .file = stdout,
        .terminal = lab_terminal_describe(STDOUT_FILENO),
        .out = command->out,
        .command = again,
        .build = build.text ? build.text : "",
        .variables = variables.text ? variables.text : "",
        .next_lab = next ? without_own_root(next) : NULL,
        .lesson = !lesson || command->lessons ? lesson : from_labs(lesson),
        .predict = command->predict,
        .whole = command->whole,
    };
    verdict_print(&page, result);
    free(lesson);
    free(next);
    free(variables.text);
    free(build.text);
}

/* A profile that cannot be read is said before the checks run. */
static bool has_profile(const command_line *command, grader_fault *fault)
{
    lab_profile *profile;
    if (!command->predict) return true;
    if (lab_profile_open(&profile, command->predict) != LAB_SUCCESS) return fault_set(fault, "%s", lab_error_message());
    lab_profile_free(profile);
    return true;
}

/* Runs the job, and returns the exit status. */
static int run_job(grading_job *job, const command_line *command, grader_fault *fault)
{
    live_line line = {.page = {.file = stderr, .terminal = lab_terminal_describe(STDERR_FILENO)}};
    const job_watcher watcher = waiting_line_watcher(&line);
    if (!command->quiet) job->watch = &watcher;
    grading_result result;
    job_run(&result, job);
    if (!command->quiet) print_page(&result, job, command);
    note_progress(&result, command);
    int status = result.verdict == RESULT_PASSED         ? EXIT_PASSED
                 : result.verdict == RESULT_GRADER_FAULT ? EXIT_FAULT
                                                         : EXIT_FAILED;
    if (!write_results(&result, command, fault)) status = complain(fault->text);
    result_free(&result);
    return status;
}

/* The one check to run: that of --check, or the one that failed first in the lab's last result. */
static bool choose_check(grading_job *job, const command_line *command, grader_fault *fault)
{
    uint64_t number = 0;
    char *last = folder_path(command->build, command->lab);
    if (!last) return fault_memory(fault, "a path");
    if (!command->check) number = hints_first_failed(last);
    free(last);
    if (command->check && !arguments_number(&number, "check", command->check))
        return fault_set(fault, "CHECK=%s is no number of a check", command->check);
    const json_t *check = number ? lab_parts_check(job->parts, number - 1) : NULL;
    if (!check && !number) return fault_set(fault, "all checks passed in your last run; CHECK=N chooses a check");
    if (!check)
        return fault_set(fault, "%s has the checks 1 to %zu", command->lab, json_array_size(job->parts->manifest));
    job->checks = JOB_ONE_CHECK;
    job->check = result_string(check, "name");
    return true;
}

/* The sandbox that labgrade would use. */
static bool open_sandbox(sandbox *box, const lab_parts *parts, const command_line *command, grader_fault *fault)
{
    const char *const hidden[] = {command->root, command->build, NULL};
    const sandbox_options options = {.hidden = hidden, .cuda = strcmp(parts->device.kind, "cuda") == 0};
    return sandbox_choose_own(box, &options, fault);
}

static void say_waiting(const char *sentence) { fprintf(stderr, "labcheck: %s\n", sentence); }

/* A GPU's driver makes processes take turns: what is late next to others there runs again alone. Without a GPU, no line
 * is opened. */
static bool open_lock(device_lock *lock, const lab_parts *parts, grader_fault *fault)
{
    *lock = (device_lock){.count = 0};
    if (strcmp(parts->device.kind, "cuda") != 0) return true;
    FAULT_TRY(device_lock_open(lock, &parts->device, fault));
    lock->waits = say_waiting;
    return true;
}

static int check(const lab_parts *parts, const command_line *command, grader_fault *fault)
{
    sandbox box = {0};
    grading_job job = {.parts = parts, .out = command->out, .out_name = "", .skips_hung = true};
    job.points_only = job.without_lines = command->points_only;
    job.keeps_records = !command->points_only;
    job.profile = command->predict;
    if (!has_profile(command, fault)) return complain(fault->text);
    if (!choose_seed(&job.seed, command, fault)) return complain(fault->text);
    if (command->seconds && !arguments_seconds(&job.seconds, "seconds", command->seconds)) return EXIT_FAULT;
    if (command->one_check && !choose_check(&job, command, fault)) return complain(fault->text);
    if (!folder_make(command->out, fault)) return complain(fault->text);
    char *starter = folder_path(parts->folder, parts->file);
    if (!starter) return complain("not enough memory");
    job.source = command->source ? command->source : starter;
    job.submission = job.source;
    if (command->first_failure) job.checks = JOB_FIRST_FAILURE;
    const bool ready = !command->graded || open_sandbox(&box, parts, command, fault);
    if (command->graded) job.sandbox = &box;
    device_lock lock;
    const bool open = ready && open_lock(&lock, parts, fault);
    if (open && lock.count > 0) job.device_lock = &lock;
    int status = open ? run_job(&job, command, fault) : complain(fault->text);
    if (open) device_lock_close(&lock);
    sandbox_close(&box);
    free(starter);
    return status;
}

/* ---- proofs ------------------------------------------------------------------------------------------------------ */

typedef struct proofs {
    verify_row *rows;
    size_t count;
    verify_counts counts;
} proofs;

static bool choose_turn(verify_options *options, const command_line *command, grader_fault *fault)
{
    const char *chosen = command->turn;
    if (!chosen) return true;
    if (strlen(chosen) != 3 || chosen[1] != '/' || chosen[0] < '1' || chosen[0] > chosen[2] || chosen[2] > '9')
        return fault_set(fault, "--turn %s is no part of the wrong answers: 2/5 is the second fifth of them", chosen);
    options->turn = (unsigned)(chosen[0] - '0');
    options->turns = (unsigned)(chosen[2] - '0');
    return true;
}

static bool verify_one(proofs *proven, const command_line *command, const char *lab, grader_fault *fault)
{
    lab_parts parts;
    verify_options options = {.build = command->build, .all_checks = command->all_checks, .out = stdout};
    const lab_parts_places places = {.root = command->root, .build = command->build, .name = lab};
    verify_row *rows = realloc(proven->rows, (proven->count + 1) * sizeof *rows);
    if (!rows) return fault_memory(fault, "a table");
    proven->rows = rows;
    FAULT_TRY(choose_seed(&options.seed, command, fault));
    FAULT_TRY(choose_turn(&options, command, fault));
    FAULT_TRY(lab_parts_open(&parts, &places, fault));
    device_lock lock;
    bool ok = open_lock(&lock, &parts, fault) && build_know_starter(&parts, fault);
    if (ok && lock.count > 0) options.lock = &lock;
    ok = ok && verify_lab(&rows[proven->count++], &proven->counts, &parts, &options, fault);
    device_lock_close(&lock);
    lab_parts_close(&parts);
    return ok;
}

static bool verify_named(proofs *proven, const command_line *command, grader_fault *fault)
{
    char *names = strdup(command->lab), *rest = names;
    if (!names) return fault_memory(fault, "names");
    bool ok = true;
    for (char *name; ok && (name = strsep(&rest, " "));) ok = !*name || verify_one(proven, command, name, fault);
    free(names);
    return ok;
}

static bool verify_all(proofs *proven, const command_line *command, grader_fault *fault)
{
    char **names;
    FAULT_TRY(lab_parts_names(&names, command->root, fault));
    bool ok = true;
    for (size_t i = 0; ok && names[i]; i++) ok = verify_one(proven, command, names[i], fault);
    lab_parts_names_free(names);
    return ok;
}

static int verify(const command_line *command, grader_fault *fault)
{
    proofs proven = {0};
    bool ok = command->lab ? verify_named(&proven, command, fault) : verify_all(&proven, command, fault);
    if (ok) verify_table(proven.rows, proven.count, stdout);
    free(proven.rows);
    if (!ok) return complain(fault->text);
    printf("%d passed, %d failed\n", proven.counts.passed, proven.counts.failed);
    return proven.counts.failed ? EXIT_FAILED : EXIT_PASSED;
}

/* ---- main -------------------------------------------------------------------------------------------------------- */

static int run_for_lab(const command_line *command, grader_fault *fault)
{
    lab_parts parts;
    const lab_parts_places places = {.root = command->root, .build = command->build, .name = command->lab};
    if (!lab_parts_open(&parts, &places, fault)) return complain(fault->text);
    int status = command->hint       ? print_hint(&parts, command, fault)
                 : command->timeline ? print_timeline(&parts, command, fault)
                                     : check(&parts, command, fault);
    lab_parts_close(&parts);
    return status;
}

static int run(command_line *command, grader_fault *fault)
{
    if (command->verify) return verify(command, fault);
    if (command->show_progress) return show_progress(command, fault);
    if (!command->lab) return complain("say which lab: --lab lab03 (--help lists the options)");
    char *out = folder_path(command->build, command->lab);
    if (!out) return complain("not enough memory");
    if (!command->out) command->out = out;
    int status = run_for_lab(command, fault);
    free(out);
    return status;
}

static int work(void *user)
{
    grader_fault fault = {0};
    return run(user, &fault);
}

int main(int count, char **argument)
{
    command_line command = {.root = ".", .build = usual_build};
    if (!read_command(&command, count, argument)) return EXIT_FAULT;
    if (command.help) {
        fputs(usage, stdout);
        return EXIT_PASSED;
    }
    int status = cleanup_guard_run(work, &command, "labcheck");
    return status == CLEANUP_GUARD_FAILED ? EXIT_FAULT : status;
}
