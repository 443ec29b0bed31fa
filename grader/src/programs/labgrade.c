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
#include "class/history.h"
#include "sandbox/cleanup_guard.h"
#include "sandbox/sandbox_choice.h"

static const char usage[] =
    "labgrade grade --lab NAME --submissions DIR --out DIR [--seed N] [--seconds N] [--jobs N] [--why TEXT]\n"
    "        [--roster FILE] [--course FILE]\n"
    "    grades every subfolder or archive in the submissions, or a download of Canvas, Moodle or Gradescope,\n"
    "    each with its NAME.c, and writes DIR/results.json\n"
    "    and a folder for each with result.json, build.log, trace.json and timeline.svg;\n"
    "    several labs (--lab \"lab01 lab03\") each get a folder in DIR. Unchanged submissions keep their results.\n"
    "labgrade status --out DIR                   the progress of the last grading\n"
    "labgrade resume --out DIR [--jobs N]        continues it after it was cut short\n"
    "labgrade regrade --out DIR [--student NAME] [--lab NAME] [--check NAME] [--why TEXT] [--jobs N]\n"
    "    grades all or some of its submissions again, from the files that DIR keeps\n"
    "labgrade list --out DIR [--student NAME]    all gradings; or every result of a student, with when, who and why\n"
    "labgrade diff OLD NEW [--out DIR]           the differences: OLD and NEW are folders of results, or numbers of\n"
    "                                            gradings in DIR\n"
    "labgrade adjust --out DIR ...               a person's word: points, comments, excuses (adjust --help)\n"
    "\n"
    "  --root DIR     the workbook's folder (.)             --build DIR    where make built it (build)\n"
    "  --seed N       makes the input data repeatable; without it they are secret, the same for all of DIR\n"
    "  --seconds N    limit of one check (20, or its lab's)  --jobs N       submissions at once (one a core, 4 on a "
    "GPU)\n"
    "  --memory MIB   limit of the programs of one check together (half the machine's memory, at most 4096)\n"
    "  --show-sandbox prints what submissions run in, with its command line, and grades nothing; with --lab it also\n"
    "                 compiles and runs a kernel of the lab in it\n"
    "  --no-sandbox i-trust-these-files           runs submissions as you, free to do all that you can do\n"
    "  --sandbox-if-possible i-trust-these-files  does so where no sandbox is possible\n"
    "\n"
    "Exit status: 0 every submission has a result, 1 diff found differences, 2 it could not be done.\n";

enum { EXIT_DONE = 0, EXIT_DIFFERENT = 1, EXIT_FAULT = 2 };

typedef struct command_line {
    const char *lab, *submissions, *root, *build, *out, *seed, *seconds, *jobs, *student, *check, *why, *roster,
        *course, *memory;
    const char *word[2]; /* words without an option, of diff */
    int words;
    bool help, show_sandbox;
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

static bool run_grade(const command_line *command, int *status, grader_fault *fault)
{
    uint64_t seed = 0;
    grading_request request = {.labs = command->lab,
                               .submissions = command->submissions,
                               .roster = command->roster,
                               .course = command->course,
                               .why = command->why};
    if (command->show_sandbox) return grading_show_sandbox(&command->settings, command->lab, fault);
    if ((!command->lab && !command->course) || !command->submissions || !command->out) {
        return fault_set(fault, "--lab, --submissions and --out are needed (--help lists the options)");
    }
    *status = EXIT_FAULT;
    if (command->seed && !arguments_number(&seed, "seed", command->seed)) return true;
    if (command->seconds && !arguments_seconds(&request.seconds, "seconds", command->seconds)) return true;
    *status = EXIT_DONE;
    request.seed = command->seed ? &seed : NULL;
    return grading_grade(&command->settings, &request, fault);
}

static bool run_resume(const command_line *command, int *status, grader_fault *fault)
{
    (void)status;
    FAULT_TRY(need_out(command, fault));
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
    (void)status;
    FAULT_TRY(need_out(command, fault));
    return history_status(stdout, command->out, fault);
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
};

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
        {"course", &command->course, NULL},
        {"memory", &command->memory, NULL},
        {"show-sandbox", NULL, &command->show_sandbox},
        {"no-sandbox", &command->sandbox.none, NULL},
        {"sandbox-if-possible", &command->sandbox.if_possible, NULL},
        {"why", &command->why, NULL},
    };
    return arguments_read(count, argument, options, sizeof options / sizeof *options) && read_jobs(command);
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
    if (named && strcmp(argument[1], "adjust") == 0) {
        argument[1] = argument[0];
        return adjust_command(count - 1, argument + 1);
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
