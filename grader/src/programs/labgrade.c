/*
 * labgrade: grades a class, continues a grading that was cut short, grades again, and lists gradings. It knows its
 * command line; grading.h does the work, history.h prints the past.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adjust_command.h"
#include "base/arguments.h"
#include "base/text.h"
#include "class/grading.h"
#include "class/grading_parts.h"
#include "class/history.h"
#include "decide_command.h"
#include "plan/plan_status.h"
#include "sandbox/cleanup_guard.h"
#include "sandbox/sandbox_choice.h"
#include "slurm_command.h"
#include "work_on_gpus.h"

static const char usage[] =
    "labgrade grade --lab NAME --submissions DIR --out DIR [--seed N] [--seconds N] [--jobs N] [--why TEXT]\n"
    "        [--roster FILE [--columns 'id=ID,name=\"Full name\"'] [--dropped-zeros]] [--accept FILE] [--course FILE]\n"
    "    grades every subfolder or archive in the submissions, or a download of Canvas, Moodle, Gradescope, "
    "Blackboard,\n"
    "    Brightspace, Autolab or GitHub Classroom, each with its NAME.c, and writes DIR/results.json\n"
    "    and a folder for each with result.json, build.log, trace.json and timeline.svg;\n"
    "    several labs (--lab \"lab01 lab03\") each get a folder in DIR. Unchanged submissions keep their results.\n"
    "labgrade status --out DIR                   the progress of the last grading\n"
    "labgrade resume --out DIR [--jobs N]        continues it after it was cut short\n"
    "labgrade regrade --out DIR [--student NAME] [--lab NAME] [--check NAME] [--why TEXT] [--jobs N]\n"
    "    grades all or some of its submissions again, from the files that DIR keeps\n"
    "labgrade list --out DIR [--student NAME]    all gradings; or every result of a student, with when, who and why\n"
    "labgrade diff OLD NEW [--out DIR]           the differences: OLD and NEW are folders of results, or numbers of\n"
    "                                            gradings in DIR\n"
    "labgrade adjust --out DIR ...               a person's word: points, comments, extensions (adjust --help)\n"
    "labgrade weigh --out DIR ...                other points for a check of everybody (weigh --help)\n"
    "labgrade hold --out DIR ..., release        holds results back, and releases them (release --help)\n"
    "\n"
    "labgrade grade --slurm ...                  grades on a cluster: plans, submits, follows, merges; resume goes on\n"
    "        [--array-size N] [--partition NAME] [--gres gpu:1] [--time 2:00:00] [--jobs N] [--device cpu|cuda]\n"
    "labgrade plan ...                           plans for several machines, with the options of grade; with --slurm\n"
    "                                            writes the batch script too, and submits nothing\n"
    "labgrade work --out DIR --part K/N          grades part K of N of the plan in DIR, on any machine\n"
    "        [--gpus 0,1,2,3]                    with one process for each of these GPUs, named as in\n"
    "                                            CUDA_VISIBLE_DEVICES\n"
    "labgrade merge DIR [FROM...] [--give-up]    takes the results of all parts in, also from copies of DIR or its\n"
    "                                            plan; --give-up makes what is missing a grader fault\n"
    "labgrade status --out DIR --parts N         the parts, of N, that have submissions to grade\n"
    "\n"
    "  --root DIR     the workbook's folder (.)             --build DIR    where make built it (build)\n"
    "  --seed N       makes the input data repeatable; without it they are secret, the same for all of DIR\n"
    "                 (LABGRADE_SEED=N in the environment does the same)\n"
    "  --seconds N    in place of checks' own limits      --jobs N       submissions at once (one a core, 4 on a GPU)\n"
    "  --memory MIB   limit of the programs of one check together (half the machine's memory, at most 4096)\n"
    "  --show-sandbox prints what submissions run in, with its command line, and grades nothing; with --lab it also\n"
    "                 compiles and runs a kernel of the lab in it\n"
    "  --no-sandbox i-trust-these-files           runs submissions as you, free to do all that you can do\n"
    "  --sandbox-if-possible i-trust-these-files  does so where no sandbox is possible\n"
    "  --container-sandbox this-container-is-thrown-away\n"
    "                 where bubblewrap does not work: each program has a user of its own; for root in a container,\n"
    "                 whose permissions of files change for good\n"
    "\n"
    "Exit status: 0 every submission has a result, 1 diff found differences, 2 it could not be done, 3 work or merge\n"
    "left submissions without a result.\n";

enum { EXIT_DONE = 0, EXIT_DIFFERENT = 1, EXIT_FAULT = 2, EXIT_LEFT = 3 };
enum { MOST_WORDS = 256 };

typedef struct command_line {
    const char *lab, *submissions, *root, *build, *out, *seed, *seconds, *jobs, *student, *check, *why, *roster,
        *columns, *accept, *course, *memory, *part, *parts, *device, *gpus;
    const char *word[MOST_WORDS]; /* words without an option, of diff and merge */
    int words;
    bool help, show_sandbox, give_up, slurm, dropped_zeros;
    slurm_options cluster;
    sandbox_choice sandbox;
    grading_settings settings;
} command_line;

typedef struct subcommand {
    const char *name;
    int words;
    bool guarded; /* starts other programs */
    bool (*run)(const command_line *command, int *status, grader_fault *fault);
} subcommand;

/* ---- the subcommands --------------------------------------------------------------------------------------------- */

static bool need_out(const command_line *command, grader_fault *fault)
{
    return command->out || fault_set(fault, "--out is needed (--help lists the options)");
}

/* What to grade by the command line; *status is EXIT_FAULT after a word that was refused. */
static bool read_request(grading_request *request, uint64_t *seed, const command_line *command, int *status,
                         grader_fault *fault)
{
    *request = (grading_request){.labs = command->lab,
                                 .submissions = command->submissions,
                                 .roster = command->roster,
                                 .columns = command->columns,
                                 .dropped_zeros = command->dropped_zeros,
                                 .accept = command->accept,
                                 .course = command->course,
                                 .why = command->why};
    if ((!command->lab && !command->course) || !command->submissions || !command->out) {
        return fault_set(fault, "--lab, --submissions and --out are needed (--help lists the options)");
    }
    if (!command->roster && (command->columns || command->dropped_zeros))
        return fault_set(fault, "--columns and --dropped-zeros are about the file of --roster, which is missing");
    *status = EXIT_FAULT;
    if (command->seed && !arguments_number(seed, "seed", command->seed)) return true;
    if (command->seconds && !arguments_seconds(&request->seconds, "seconds", command->seconds)) return true;
    *status = EXIT_DONE;
    request->seed = command->seed ? seed : NULL;
    return true;
}

static bool run_plan(const command_line *command, int *status, grader_fault *fault)
{
    uint64_t seed = 0;
    size_t count;
    grading_request request;
    const char *device = command->device ? command->device : "";
    FAULT_TRY(read_request(&request, &seed, command, status, fault));
    if (*status != EXIT_DONE) return true;
    if (*device && strcmp(device, "cpu") != 0 && strcmp(device, "cuda") != 0) {
        return fault_set(fault, "--device %s: cpu or cuda is needed", device);
    }
    FAULT_TRY(grading_plan(&command->settings, &request, device, &count, fault));
    printf("%s/+plan: %zu submissions to grade\n", command->out, count);
    if (!command->slurm) printf("  on each machine: labgrade work --out %s --part K/N\n", command->out);
    return true;
}

/* Plans, writes the batch script, and in grade submits it. */
static bool run_slurm(const command_line *command, bool submits, int *status, grader_fault *fault)
{
    FAULT_TRY(run_plan(command, status, fault));
    if (*status != EXIT_DONE) return true;
    fflush(stdout);
    return slurm_command_start(&command->settings, &command->cluster, submits, fault);
}

static bool run_plan_alone(const command_line *command, int *status, grader_fault *fault)
{
    return command->slurm ? run_slurm(command, false, status, fault) : run_plan(command, status, fault);
}

static bool run_grade(const command_line *command, int *status, grader_fault *fault)
{
    uint64_t seed = 0;
    grading_request request;
    if (command->show_sandbox) return grading_show_sandbox(&command->settings, command->lab, fault);
    if (command->slurm) return run_slurm(command, true, status, fault);
    FAULT_TRY(read_request(&request, &seed, command, status, fault));
    return *status != EXIT_DONE || grading_grade(&command->settings, &request, fault);
}

/* Reads "3/40". */
static bool read_part(grading_part *part, const char *text, grader_fault *fault)
{
    int end = 0;
    bool whole = text && sscanf(text, "%zu/%zu%n", &part->part, &part->parts, &end) == 2 && text[end] == '\0';
    if (whole && *text != '-' && part->part >= 1 && part->part <= part->parts && part->parts <= 1000000) return true;
    return fault_set(fault, "--part %s: a part such as 3/40 is needed", text ? text : "");
}

static bool run_work(const command_line *command, int *status, grader_fault *fault)
{
    size_t left = 0;
    bool some_left = false;
    grading_part part;
    FAULT_TRY(need_out(command, fault));
    FAULT_TRY(read_part(&part, command->part, fault));
    if (command->gpus)
        FAULT_TRY(work_on_gpus(&command->settings, &part, command->gpus, &some_left, fault));
    else
        FAULT_TRY(grading_work(&command->settings, &part, &left, fault));
    if (left || some_left) *status = EXIT_LEFT;
    return true;
}

static bool run_merge(const command_line *command, int *status, grader_fault *fault)
{
    size_t left;
    grading_settings settings = command->settings;
    const bool named = !command->out;
    const grading_merging merging = {.from = command->word + named,
                                     .count = command->words > named ? (size_t)(command->words - named) : 0,
                                     .give_up = command->give_up};
    if (named && command->words == 0) return fault_set(fault, "merge needs a folder of results: labgrade merge OUT");
    if (named) settings.out = command->word[0];
    FAULT_TRY(grading_merge(&settings, &merging, &left, fault));
    if (left) printf("%zu submissions have no result yet\n", left);
    if (left) *status = EXIT_LEFT;
    return true;
}

static bool run_resume(const command_line *command, int *status, grader_fault *fault)
{
    (void)status;
    FAULT_TRY(need_out(command, fault));
    if (slurm_command_is_under_way(command->out)) return slurm_command_follow(&command->settings, fault);
    return grading_resume(&command->settings, fault);
}

static bool run_regrade(const command_line *command, int *status, grader_fault *fault)
{
    (void)status;
    const grading_choice choice = {
        .student = command->student, .lab = command->lab, .check = command->check, .why = command->why};
    FAULT_TRY(need_out(command, fault));
    return grading_regrade(&command->settings, &choice, fault);
}

static bool run_status(const command_line *command, int *status, grader_fault *fault)
{
    uint64_t parts;
    FAULT_TRY(need_out(command, fault));
    if (!command->parts) return history_status(stdout, command->out, fault);
    *status = EXIT_FAULT;
    if (!arguments_number(&parts, "parts", command->parts)) return true;
    *status = EXIT_DONE;
    return plan_status_left(stdout, command->out, (size_t)parts, fault);
}

static bool run_list(const command_line *command, int *status, grader_fault *fault)
{
    (void)status;
    FAULT_TRY(need_out(command, fault));
    return history_list(stdout, command->out, command->student, fault);
}

/* A folder of results, or the number of a grading in --out. */
static bool read_place(history_place *place, const command_line *command, const char *word, grader_fault *fault)
{
    bool number = *word && strspn(word, "0123456789") == strlen(word) && strlen(word) < 18;
    *place = (history_place){.folder = word};
    if (!number) return true;
    *place = (history_place){.folder = command->out, .grading = strtoll(word, NULL, 10)};
    return command->out || fault_set(fault, "%s is the number of a grading: --out says where it is", word);
}

static bool run_diff(const command_line *command, int *status, grader_fault *fault)
{
    history_place old, new;
    size_t differences = 0;
    if (command->words != 2) return fault_set(fault, "diff needs two gradings: labgrade diff OLD NEW");
    FAULT_TRY(read_place(&old, command, command->word[0], fault));
    FAULT_TRY(read_place(&new, command, command->word[1], fault));
    FAULT_TRY(history_diff(stdout, &old, &new, &differences, fault));
    *status = differences ? EXIT_DIFFERENT : EXIT_DONE;
    return true;
}

static const subcommand subcommands[] = {
    {"grade", 0, true, run_grade},     {"status", 0, false, run_status}, {"resume", 0, true, run_resume},
    {"regrade", 0, true, run_regrade}, {"list", 0, false, run_list},     {"diff", 2, false, run_diff},
    {"plan", 0, true, run_plan_alone}, {"work", 0, true, run_work},      {"merge", MOST_WORDS, false, run_merge},
};

/* Commands with options of their own, which run nothing. */
static const struct person_command {
    const char *name;
    int (*run)(int count, char **argument);
} person_commands[] = {
    {"adjust", adjust_command}, {"weigh", weigh_command}, {"hold", hold_command}, {"release", release_command}};

/* ---- the command line -------------------------------------------------------------------------------------------- */

static const subcommand *find_subcommand(const char *name)
{
    for (size_t i = 0; i < sizeof subcommands / sizeof *subcommands; i++) {
        if (strcmp(subcommands[i].name, name) == 0) return &subcommands[i];
    }
    return NULL;
}

static bool read_jobs(command_line *command)
{
    uint64_t jobs = 0, mebibytes = 0;
    if (command->jobs && !arguments_number(&jobs, "jobs", command->jobs)) return false;
    if (command->jobs && (jobs == 0 || jobs > GRADING_MOST_JOBS)) {
        fprintf(stderr, "labgrade: --jobs %s: a number from 1 to %d is needed\n", command->jobs, GRADING_MOST_JOBS);
        return false;
    }
    if (command->memory && !arguments_number(&mebibytes, "memory", command->memory)) return false;
    command->settings = (grading_settings){.root = command->root, .build = command->build, .out = command->out};
    command->settings.sandbox = command->sandbox;
    command->settings.memory_bytes = mebibytes << 20;
    command->settings.jobs = (size_t)jobs;
    command->cluster.jobs = command->jobs;
    command->cluster.device = command->device;
    command->cluster.memory = command->memory;
    return true;
}

/* Takes the words after the subcommand that are not options out of the list. Returns how many words are left. */
static int take_words(command_line *command, int most, int count, char **argument)
{
    while (command->words < most && count > 1 && argument[1][0] != '-') {
        command->word[command->words++] = argument[1];
        argument[1] = argument[0];
        argument++;
        count--;
    }
    return count;
}

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
        {"jobs", &command->jobs, NULL},
        {"student", &command->student, NULL},
        {"check", &command->check, NULL},
        {"roster", &command->roster, NULL},
        {"columns", &command->columns, NULL},
        {"dropped-zeros", NULL, &command->dropped_zeros},
        {"accept", &command->accept, NULL},
        {"course", &command->course, NULL},
        {"memory", &command->memory, NULL},
        {"part", &command->part, NULL},
        {"parts", &command->parts, NULL},
        {"gpus", &command->gpus, NULL},
        {"device", &command->device, NULL},
        {"give-up", NULL, &command->give_up},
        {"slurm", NULL, &command->slurm},
        {"array-size", &command->cluster.array_size, NULL},
        {"partition", &command->cluster.partition, NULL},
        {"gres", &command->cluster.gres, NULL},
        {"time", &command->cluster.time, NULL},
        {"show-sandbox", NULL, &command->show_sandbox},
        {"no-sandbox", &command->sandbox.none, NULL},
        {"sandbox-if-possible", &command->sandbox.if_possible, NULL},
        {"container-sandbox", &command->sandbox.container, NULL},
        {"why", &command->why, NULL},
    };
    return arguments_read(count, argument, options, sizeof options / sizeof *options) && read_jobs(command);
}

/* Every user of the machine can read the command line of a process: the seed does not stay there. */
static void take_seed(command_line *command, int count, char **argument)
{
    static char seed[32];
    const char *given = command->seed ? command->seed : getenv("LABGRADE_SEED");
    if (!given || !*given) return;
    for (int i = 1; i < count; i++) {
        if (argument[i] != given) continue;
        snprintf(seed, sizeof seed, "%s", given);
        memset(argument[i], '*', strlen(argument[i]));
        given = seed;
    }
    command->seed = given;
}

typedef struct guarded_work {
    const subcommand *subcommand;
    const command_line *command;
} guarded_work;

static int work(void *user)
{
    const guarded_work *todo = user;
    grader_fault fault = {0};
    int status = EXIT_DONE;
    if (todo->subcommand->run(todo->command, &status, &fault)) return status;
    fprintf(stderr, "labgrade: %s\n", fault.text);
    return EXIT_FAULT;
}

/* After an interrupt in the middle of a grading: says how to continue. */
static void say_how_to_go_on(const char *program, const char *out)
{
    text_buffer path = {0};
    if (out) text_format(&path, "%s/grades.db", out);
    if (out && !path.failed && access(path.text, F_OK) == 0) {
        fprintf(stderr,
                "labgrade: finished results are kept: the same command again, or %s resume --out '%s', continues\n",
                program, out);
    }
    free(path.text);
}

int main(int count, char **argument)
{
    command_line command = {.root = ".", .build = "build"};
    bool named = count > 1 && argument[1][0] != '-';
    for (size_t i = 0; named && i < sizeof person_commands / sizeof *person_commands; i++) {
        if (strcmp(argument[1], person_commands[i].name) != 0) continue;
        argument[1] = argument[0];
        return person_commands[i].run(count - 1, argument + 1);
    }
    const subcommand *chosen = find_subcommand(named ? argument[1] : "grade");
    if (!chosen) {
        fprintf(stderr, "labgrade: there is no command %s; --help lists the commands\n", argument[1]);
        return EXIT_FAULT;
    }
    if (named) {
        argument[1] = argument[0];
        argument++;
        count--;
    }
    int left = take_words(&command, chosen->words, count, argument);
    if (!read_command(&command, left, argument + (count - left))) return EXIT_FAULT;
    take_seed(&command, count, argument);
    if (command.help) {
        fputs(usage, stdout);
        return EXIT_DONE;
    }
    guarded_work todo = {.subcommand = chosen, .command = &command};
    if (!chosen->guarded) return work(&todo);
    int status = cleanup_guard_run(work, &todo, "labgrade");
    if (status != CLEANUP_GUARD_FAILED) return status;
    say_how_to_go_on(argument[0], command.out);
    return EXIT_FAULT;
}
