/*
 * Runs the CPU device's compiler up to optimised code, and writes what that shows as text, with a line for each kernel:
 * "scale rb calls=b". The cache keeps the text. It also keeps the empty text of a source that clang does not accept.
 */
#include "seam/kernel_accesses.h"
#include "stages.h"

#include "base/system/cache.h"
#include "base/status.h"
#include "cpu/builtins/builtins.h"
#include "cpu/passes/accesses.h"
#include "cpu/ir/emit.h"
#include "cpu/passes/variables.h"

#include <stdlib.h>

/* ---- asking ---- */

/* Writes a letter for each parameter. A struct may be several parameters in the code: then none of them is known. */
static bool write_letters(FILE *out, const char *optimised, const scanned_kernel *kernel)
{
    cpu_text letters = {0};
    FILE *file = open_memstream(&letters.data, &letters.size);
    if (!file) return false;
    const bool are_known = ir_accesses_write(file, optimised, kernel->name) == kernel->params && kernel->params > 0;
    const bool done = ir_emit_end(file, &letters);
    if (done) fprintf(out, "%s %s", kernel->name, are_known ? letters.data : "-");
    free(letters.data);
    return done;
}

static bool write_kernel(FILE *out, ir_symbols *all, const char *optimised, const scanned_kernel *kernel)
{
    ir_symbol *probe = ir_accesses_probe(all, kernel->name);
    if (!probe) return true;
    if (!write_letters(out, optimised, kernel)) return false;
    ir_forget_reached(all);
    ir_reach(all, probe);
    for (int i = 0; i < all->count; i++) {
        const ir_symbol *variable = &all->list[i];
        const char letter = ir_variable_type(variable).length ? ir_variable_access(all, variable) : 'n';
        if (letter != 'n') fprintf(out, " %.*s=%c", (int)variable->name.length, variable->name.start, letter);
    }
    fputc('\n', out);
    return true;
}

static bool write_accesses(cpu_text *out, const char *optimised, const kernel_scan *scan)
{
    ir_symbols all = {0};
    FILE *file = open_memstream(&out->data, &out->size);
    if (!file) return false;
    bool done = ir_find_symbols(&all, optimised);
    for (int i = 0; i < scan->kernels && done; i++) done = write_kernel(file, &all, optimised, &scan->kernel[i]);
    ir_free_symbols(&all);
    return ir_emit_end(file, out) && done;
}

/* The key of everything that the text depends on. Code for other processors shows the same. */
static lab_status find_key(cache_key *key, const cpu_clang *clang, const cpu_unit *unit)
{
    static const char what[] = "accesses";
    cpu_text included = {0};
    if (unit->scan->includes_files) LAB_TRY(cpu_unit_preprocess(&included, clang, unit));
    char *identity = cpu_clang_identity(clang);
    bool made = false;
    if (identity) {
        const cache_bytes part[] = {
            {what, sizeof what},
            {&unit->scan->needs, sizeof unit->scan->needs},
            {unit->text.data + unit->source_begin, unit->source_end - unit->source_begin},
            {included.data, included.size},
            {identity, strlen(identity)},
            {cpu_compiler_version, strlen(cpu_compiler_version)},
        };
        made = cache_key_make(key, part, sizeof part / sizeof *part);
    }
    free(included.data);
    free(identity);
    return made ? LAB_SUCCESS : LAB_ERROR_OUT_OF_MEMORY;
}

static lab_status ask(cpu_text *out, const cpu_clang *clang, const cpu_unit *unit)
{
    cpu_text optimised = {0};
    lab_status status = cpu_unit_optimise(&optimised, clang, unit);
    if (status == LAB_SUCCESS && !write_accesses(out, optimised.data, unit->scan)) status = LAB_ERROR_OUT_OF_MEMORY;
    free(optimised.data);
    return status;
}

static lab_status find_text(cpu_text *out, const cpu_unit *unit)
{
    cpu_clang clang;
    cache_key key = {.text = NULL};
    void *kept;
    int claim = -1;
    LAB_TRY(cpu_clang_find(&clang));
    lab_status status = find_key(&key, &clang, unit);
    if (status == LAB_SUCCESS && cache_read(&kept, &out->size, &claim, &key)) {
        out->data = kept; /* with a zero byte at its end */
    } else if (status == LAB_SUCCESS) {
        status = ask(out, &clang, unit);
        if (status == LAB_SUCCESS || status == LAB_ERROR_INVALID_SOURCE)
            cache_write(&key, out->data ? out->data : "", out->size + 1);
    }
    cache_give_up(claim);
    cache_key_free(&key);
    return status;
}

/* ---- reading the answer ---- */

/* The word at *at, cut off at the first of the characters `ends`; *at moves on. NULL at the end of the text. */
static char *next_word(char **at, const char *ends, char *end)
{
    char *word = *at;
    if (!*word) return NULL;
    const size_t length = strcspn(word, ends);
    *end = word[length];
    *at = word + length + (*end != '\0');
    word[length] = '\0';
    return word;
}

static void read_text(kernel_accesses *accesses, char *text)
{
    int variables = 0;
    char end;
    for (char *name; (name = next_word(&text, " \n", &end));) {
        kernel_access *kernel = &accesses->kernel[accesses->kernels];
        const char *params = end == ' ' ? next_word(&text, " \n", &end) : NULL;
        if (!params) return;
        *kernel = (kernel_access){name, *params == '-' ? "" : params, 0, &accesses->variable[variables]};
        while (end == ' ') {
            char *variable = next_word(&text, " \n", &end), *equals = variable ? strrchr(variable, '=') : NULL;
            if (!equals) return;
            *equals = '\0';
            accesses->variable[variables++] = (kernel_variable_access){variable, equals[1]};
            kernel->variables++;
        }
        accesses->kernels++;
    }
}

static size_t count(const char *text, char c)
{
    size_t found = 0;
    for (; *text; text++) found += *text == c;
    return found;
}

/* Frees the unit, if it could be made. */
static bool find_accesses(kernel_accesses *out, cpu_unit *unit, bool made)
{
    cpu_text text = {0};
    *out = (kernel_accesses){0};
    if (!made) return false;
    status_try_begin();
    lab_status status = find_text(&text, unit);
    status_try_end();
    free(unit->text.data);
    if (status != LAB_SUCCESS || !text.data) {
        free(text.data);
        return status != LAB_ERROR_OUT_OF_MEMORY;
    }
    out->text = text.data;
    out->kernel = calloc(count(text.data, '\n') + 1, sizeof *out->kernel);
    out->variable = calloc(count(text.data, '=') + 1, sizeof *out->variable);
    if (!out->kernel || !out->variable) return false;
    read_text(out, text.data);
    return true;
}

bool kernel_accesses_find(kernel_accesses *out, const kernel_scan *scan, const char *name)
{
    cpu_unit unit;
    return find_accesses(out, &unit, cpu_unit_write(&unit, scan, name, false) == LAB_SUCCESS);
}

bool kernel_accesses_find_in_code(kernel_accesses *out, const char *code)
{
    cpu_unit unit;
    kernel_scan scan;
    const program_image image = {.cpu = code, .cpu_bytes = strlen(code)};
    const bool made = cpu_unit_take_code(&unit, &scan, &image, "the program", false) == LAB_SUCCESS;
    const bool found = find_accesses(out, &unit, made);
    kernel_scan_free(&scan);
    return found;
}

void kernel_accesses_free(kernel_accesses *accesses)
{
    free(accesses->kernel);
    free(accesses->variable);
    free(accesses->text);
    *accesses = (kernel_accesses){0};
}

const kernel_access *kernel_accesses_of(const kernel_accesses *accesses, const char *kernel)
{
    for (int i = 0; i < accesses->kernels; i++)
        if (strcmp(accesses->kernel[i].name, kernel) == 0) return &accesses->kernel[i];
    return NULL;
}
