/* The proof that a kernel runs; see kernel_probe.h. */
#include "kernel_probe.h"

#include <stdlib.h>

#include "base/environment.h"
#include "base/folder.h"
#include "base/text.h"

/* The environment of a device process: a folder to write in, with its compiled kernels below. */
static char **own_environment(const char *folder)
{
    text_buffer temporary = {0}, cache = {0};
    text_format(&temporary, "TMPDIR=%s", folder);
    text_format(&cache, "LAB_CACHE_DIR=%s/cache", folder);
    const char *const extra[] = {temporary.text, cache.text, "HOME=/tmp", NULL};
    char **environment = temporary.failed || cache.failed ? NULL : environment_make(extra);
    free(temporary.text);
    free(cache.text);
    return environment;
}

/* `what` failed unless the program ended well. */
static bool conclude(const char *what, const subprocess_result *ended, bool sandboxed, grader_fault *fault)
{
    if (ended->event == SUBPROCESS_EXITED && ended->exit.status == 0) return true;
    char *said = text_clean_line(ended->output, ended->output_bytes);
    const char *late = ended->event == SUBPROCESS_DEADLINE ? "it did not end in time" : "it does not say why";
    fault_set(fault, "nothing is graded, because %s %s, which no student caused: %s%s", what,
              sandboxed ? "in the sandbox" : "on this machine", said && *said ? said : late,
              sandboxed ? " (labgrade --show-sandbox lists what it sees)" : "");
    free(said);
    return false;
}

static bool run_in(const sandbox_cell *cell, const char *const *arguments, const char *what, const char *folder,
                   grader_fault *fault)
{
    enum { SECONDS = 120, OUTPUT_BYTES = 65536 };
    char **environment = own_environment(folder);
    if (!environment) return fault_memory(fault, "an environment");
    subprocess_options options = {
        .arguments = arguments,
        .environment = (const char *const *)environment,
        .directory = folder,
        .output_limit = OUTPUT_BYTES,
    };
    if (cell) sandbox_cell_apply(cell, &options);
    subprocess_result result;
    bool ok = subprocess_run(&result, &options, SECONDS, fault);
    environment_free(environment);
    FAULT_TRY(ok);
    ok = conclude(what, &result, cell != NULL, fault);
    subprocess_result_free(&result);
    return ok;
}

/* An empty file becomes a library: compiler, assembler, linker and what the C library adds are there. */
static bool compile_in(const sandbox_cell *cell, const char *compiler, const char *folder, grader_fault *fault)
{
    const char *const arguments[] = {compiler, "-shared", "-fPIC", "-x", "c", "-o", "empty", "/dev/null", NULL};
    char *what = text_make("%s does not work", compiler);
    bool ok = what ? run_in(cell, arguments, what, folder, fault) : fault_memory(fault, "a sentence");
    free(what);
    return ok;
}

bool kernel_probe_run(const sandbox *box, const lab_parts *parts, grader_fault *fault)
{
    char *folder;
    FAULT_TRY(folder_make_private(&folder, "lab-probe", fault));
    const char *const read[] = {parts->reference, parts->server, parts->kernels, NULL}, *const write[] = {folder, NULL};
    const sandbox_view view = {.read = read, .write = write, .device = true};
    sandbox_cell cell = {0};
    bool ok = (!box || sandbox_cell_open(&cell, box, &view, fault)) &&
              compile_in(box ? &cell : NULL, parts->compiler, folder, fault) &&
              run_in(box ? &cell : NULL, (const char *const[]){parts->reference, "--probe", NULL}, "no kernel runs",
                     folder, fault);
    sandbox_cell_close(&cell);
    folder_remove(folder);
    free(folder);
    return ok;
}
