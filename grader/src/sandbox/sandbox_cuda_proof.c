/* The proof that a kernel runs in a sandbox with a GPU. */
#include "sandbox_cuda_proof.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/text.h"

static bool run_in_cell(subprocess_result *out, const sandbox_cell *cell, const char *labdevice, grader_fault *fault)
{
    enum { SECONDS = 120, OUTPUT_BYTES = 65536 };
    static const char *const extra[] = {"HOME=/tmp", "TMPDIR=/tmp", "LAB_CACHE_DIR=/tmp/cache", NULL};
    const char *const arguments[] = {labdevice, NULL};
    char **environment = environment_make(extra);
    if (!environment) return fault_memory(fault, "an environment");
    subprocess_options options = {.arguments = arguments, .environment = (const char *const *)environment};
    options.output_limit = OUTPUT_BYTES;
    sandbox_cell_apply(cell, &options);
    bool ran = subprocess_run(out, &options, SECONDS, fault);
    environment_free(environment);
    return ran;
}

/* Runs labdevice in a cell. `proven` is true if it found a GPU; `said` gets its output in one line, which
 * the caller frees. */
static bool prove_once(bool *proven, char **said, const sandbox *box, const char *labdevice, grader_fault *fault)
{
    const char *const read[] = {labdevice, NULL};
    const sandbox_view view = {.read = read, .device = true};
    sandbox_cell cell;
    subprocess_result result;
    *proven = false;
    *said = NULL;
    FAULT_TRY(sandbox_cell_open(&cell, box, &view, fault));
    bool ran = run_in_cell(&result, &cell, labdevice, fault);
    sandbox_cell_close(&cell);
    if (!ran) return false;
    *proven = result.event == SUBPROCESS_EXITED && result.exit.status == 0;
    *said = text_clean_line(result.output, result.output_bytes);
    subprocess_result_free(&result);
    return *said || fault_memory(fault, "the output of labdevice");
}

/* Tries the sandbox without a data limit, which stays off if that helps. */
static bool prove_without_limit(bool *proven, sandbox *box, const char *labdevice, grader_fault *fault)
{
    char *said;
    box->no_data_limit = true;
    bool ran = prove_once(proven, &said, box, labdevice, fault);
    free(said);
    if (!*proven) box->no_data_limit = false;
    return ran && (!*proven || sandbox_describe(box, fault));
}

bool sandbox_cuda_prove(sandbox *box, const char *labdevice, grader_fault *fault)
{
    bool proven;
    char *said;
    if (access(labdevice, X_OK) < 0) {
        return fault_set(fault, "%s is not built: it proves that the sandbox has the GPU (run `make grade`)",
                         labdevice);
    }
    FAULT_TRY(prove_once(&proven, &said, box, labdevice, fault));
    bool tried = proven || box->groups.memory || prove_without_limit(&proven, box, labdevice, fault);
    if (tried && !proven) {
        fault_set(fault,
                  "no kernel runs on a GPU in the sandbox, though outside the lab finds one (labgrade --show-sandbox "
                  "lists what it sees): %s",
                  *said ? said : "labdevice does not say why");
    }
    free(said);
    return tried && proven;
}
