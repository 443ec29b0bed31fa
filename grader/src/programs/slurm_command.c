/* Becoming grader/cluster/slurm.py; see slurm_command.h. */
#include "slurm_command.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/text.h"
#include "base/word_list.h"

static void add_option(word_list *words, const char *name, const char *value)
{
    if (!value) return;
    word_list_add(words, name, NULL);
    word_list_add(words, value, NULL);
}

/* Replaces this process. What the sandbox is told goes to the tasks as it is. */
static bool become(const grading_settings *settings, const char *what, const slurm_options *options,
                   grader_fault *fault)
{
    word_list words = {0};
    char *python = folder_path(settings->root, "lib/tools/python.sh");
    char *driver = folder_path(settings->root, "grader/cluster/slurm.py");
    if (!python || !driver) return fault_memory(fault, "the cluster");
    const char *const fixed[] = {python, driver, what};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) word_list_add(&words, fixed[i], NULL);
    add_option(&words, "--root", settings->root);
    add_option(&words, "--build", settings->build);
    add_option(&words, "--out", settings->out);
    add_option(&words, "--array-size", options->array_size);
    add_option(&words, "--partition", options->partition);
    add_option(&words, "--gres", options->gres);
    add_option(&words, "--time", options->time);
    add_option(&words, "--jobs", options->jobs);
    add_option(&words, "--device", options->device);
    add_option(&words, "--memory", options->memory);
    add_option(&words, "--container-sandbox", settings->sandbox.container);
    add_option(&words, "--no-sandbox", settings->sandbox.none);
    add_option(&words, "--sandbox-if-possible", settings->sandbox.if_possible);
    char **arguments = word_list_take(&words);
    if (arguments) execv(python, arguments);
    return fault_errno(fault, "cannot run %s", python);
}

bool slurm_command_start(const grading_settings *settings, const slurm_options *options, bool submits,
                         grader_fault *fault)
{
    return become(settings, submits ? "grade" : "write", options, fault);
}

static char *script_of(const char *out) { return folder_path(out, "+plan/grade.sbatch"); }

bool slurm_command_is_under_way(const char *out)
{
    char *script = script_of(out);
    bool there = script && access(script, R_OK) == 0;
    free(script);
    return there;
}

bool slurm_command_follow(const grading_settings *settings, grader_fault *fault)
{
    return become(settings, "follow", &(slurm_options){0}, fault);
}
