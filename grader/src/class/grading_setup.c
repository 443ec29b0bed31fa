/* Opening what a grading needs: labs, sandbox, folders; see grading_internal.h. */
#include "grading_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "judge/build.h"
#include "judge/file_definitions.h"
#include "judge/kernel_probe.h"
#include "sandbox/sandbox_cuda_proof.h"

bool grading_open_lab(grading *run, const char *name, grader_fault *fault)
{
    graded_lab *larger = realloc(run->lab, (run->labs + 1) * sizeof *larger);
    if (!larger) return fault_memory(fault, "the grading");
    run->lab = larger;
    graded_lab *lab = &run->lab[run->labs];
    *lab = (graded_lab){0};
    const lab_parts_places places = {.root = run->settings->root, .build = run->settings->build, .name = name};
    FAULT_TRY(lab_parts_open(&lab->parts, &places, fault));
    run->labs++;
    FAULT_TRY(file_definitions_of_starter(&lab->parts.given, &lab->parts, fault));
    FAULT_TRY(build_know_starter(&lab->parts, fault));
    return lab_parts_key(&lab->key, &lab->parts, fault);
}

/* The absolute path of a program that make built; as make names it if it is not there. */
static bool open_tool(char **out, const grading *run, const char *name, grader_fault *fault)
{
    char *tool = folder_path(run->settings->build, name), *whole = tool ? realpath(tool, NULL) : NULL;
    *out = whole ? whole : tool;
    if (whole) free(tool);
    return *out || fault_memory(fault, "the grading");
}

bool grading_open_sandbox(grading *run, grader_fault *fault)
{
    const grading_settings *settings = run->settings;
    const char *const hidden[] = {settings->root, settings->build, run->folder ? run->folder : settings->root,
                                  settings->out, NULL};
    sandbox_options options = {.hidden = hidden, .memory_bytes = settings->memory_bytes};
    for (size_t i = 0; i < run->labs; i++) {
        options.cuda = options.cuda || strcmp(run->lab[i].parts.device.kind, "cuda") == 0;
    }
    FAULT_TRY(open_tool(&run->unpack, run, "bin/labunpack", fault));
    FAULT_TRY(sandbox_choose(&run->use, &run->box, &settings->sandbox, &options, fault));
    if (!run->use) fprintf(stderr, "labgrade: sandbox: %s\n", run->box.description);
    if (run->box.why)
        fprintf(stderr, "labgrade: each program has a user of its own and no namespaces, because %s\n", run->box.why);
    return true;
}

/* In a sandbox without the GPU, a program that may choose its device would quietly take the CPU. */
static bool prove_gpu(grading *run, grader_fault *fault)
{
    char *tool;
    FAULT_TRY(open_tool(&tool, run, "bin/labdevice", fault));
    bool ok = sandbox_cuda_prove(&run->box, tool, fault);
    free(tool);
    return ok;
}

bool grading_prove_kernels(grading *run, grader_fault *fault)
{
    if (run->use && run->box.cuda) FAULT_TRY(prove_gpu(run, fault));
    return run->labs == 0 || kernel_probe_run(run->use, &run->lab[0].parts, fault);
}

bool grading_place_labs(grading *run, grader_fault *fault)
{
    for (size_t i = 0; i < run->labs; i++) {
        graded_lab *lab = &run->lab[i];
        lab->out = run->flat ? strdup(run->settings->out) : folder_path(run->settings->out, lab->parts.name);
        if (!lab->out) return fault_memory(fault, "the grading");
        FAULT_TRY(folder_make(lab->out, fault));
    }
    return true;
}

void grading_close(grading *run)
{
    for (size_t i = 0; i < run->labs; i++) {
        lab_parts_close(&run->lab[i].parts);
        intake_close(&run->lab[i].taken);
        free(run->lab[i].out);
        free(run->lab[i].facts);
    }
    sandbox_close(&run->box);
    roster_free(&run->students);
    accept_free(&run->accepted);
    free(run->lab);
    free(run->folder);
    free(run->unpack);
    store_close(run->store);
}
