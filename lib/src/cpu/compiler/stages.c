/* The output of each run of clang is rewritten and becomes the input of the next. */
#include "stages.h"
#include "clang_options.h"
#include "diagnostics.h"
#include "header_overlay.h"
#include "mark_ways.h"
#include "temporary_folder.h"

#include "base/status.h"
#include "cpu/builtins/builtins.h"
#include "cpu/passes/passes.h"
#include "cpu/retarget/retarget.h"
#include "cpu/passes/host_code.h"
#include "cpu/ir/kernels.h"
#include "cpu/passes/memcheck.h"
#include "cpu/split/split.h"
#include "seam/source_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A unit that is being compiled. */
typedef struct compilation {
    const cpu_clang *clang;
    const cpu_unit *unit;
    const char **kernel; /* the names of the unit's kernels; NULL for a function that is not a kernel after all */
    cpu_text unchecked;  /* optimised code of a unit that has checks or is debugged, to judge its kernels by */
    char *failure;       /* how the last failed stage ended, or NULL */
} compilation;

/* ---- failures ---- */

static lab_status no_memory(const compilation *c)
{
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to compile %s", c->unit->name);
}

static bool succeeded(const lab_process_result *result)
{
    return !result->timed_out && !result->flooded && WIFEXITED(result->status) && WEXITSTATUS(result->status) == 0;
}

/* Describes how a failed run ended. The caller frees the text. NULL when memory runs out. */
static char *describe(const cpu_clang *clang, const lab_process_result *result)
{
    char *text;
    int length;
    if (result->timed_out)
        length = asprintf(&text, "compiling took more than %d s of processor time, or %d s in all, and was stopped",
                          CLANG_PROCESSOR_SECONDS, CLANG_SECONDS);
    else if (result->flooded)
        length = asprintf(&text, "compiling made more code than is sensible and was stopped");
    else if (WIFSIGNALED(result->status))
        length = asprintf(&text, "the compiler was ended by signal %d (%s)", WTERMSIG(result->status),
                          strsignal(WTERMSIG(result->status)));
    else
        length =
            asprintf(&text, "%s failed with exit status %d and %s%.2000s", clang->program, WEXITSTATUS(result->status),
                     *result->errors ? "says: " : "without a message", result->errors);
    return length < 0 ? NULL : text;
}

static bool was_stopped(const lab_process_result *result)
{
    return result->timed_out || result->flooded || WIFSIGNALED(result->status);
}

/* Fails for a run of the front end without a message about the source. */
static lab_status fail_stage(compilation *c, const lab_process_result *result)
{
    free(c->failure);
    c->failure = describe(c->clang, result);
    if (!c->failure) return no_memory(c);
    return lab_fail(was_stopped(result) ? LAB_ERROR_INVALID_SOURCE : LAB_ERROR_COMPILER_UNAVAILABLE, "%s: %s",
                    c->unit->name, c->failure);
}

/* The same for the runs behind it: the source compiles, but not what this library made of it. */
static lab_status fail_later_stage(compilation *c, const lab_process_result *result)
{
    const lab_status status = fail_stage(c, result);
    if (status != LAB_ERROR_COMPILER_UNAVAILABLE) return status;
    return lab_fail(LAB_ERROR_NOT_SUPPORTED,
                    "%s: the source compiles, but the CPU device cannot make its code of these kernels, which is a "
                    "fault of this library: %s",
                    c->unit->name, c->failure);
}

/* ---- the front end ---- */

/* The folder of the source, in which it finds the files that it includes. The caller frees it. */
static char *source_folder(const char *name)
{
    const char *slash = strrchr(name, '/');
    if (!slash) return strdup(".");
    return strndup(name, slash == name ? 1 : (size_t)(slash - name));
}

/* The files that a source includes find the headers for kernels by name. */
static lab_status run_with_headers(lab_process_result *result, const compilation *c, const char *const *what,
                                   size_t size, const char *folder)
{
    char temporary[PATH_MAX], overlay[PATH_MAX + 16];
    LAB_TRY(temporary_folder_make(temporary));
    snprintf(overlay, sizeof overlay, "%s/headers", temporary);
    const char *const where[] = {folder, "-ivfsoverlay", overlay, "-isystem", HEADER_OVERLAY_FOLDER, NULL};
    const char *const *const options[] = {clang_front_end, where, what};
    lab_status status = header_overlay_write(overlay);
    if (status == LAB_SUCCESS) status = cpu_clang_run(result, c->clang, NULL, options, c->unit->text.data, size);
    temporary_folder_remove(temporary);
    return status;
}

static lab_status run_without_files(lab_process_result *result, const compilation *c, const char *const *what,
                                    size_t size, const char *folder)
{
    const bool no_files = source_files_are_refused();
    const char *const where[] = {folder, no_files ? "-U__has_include" : NULL, "-U__has_include_next", NULL};
    const char *const *const options[] = {clang_front_end, where, what};
    return cpu_clang_run(result, c->clang, NULL, options, c->unit->text.data, size);
}

static lab_status run_front_end(lab_process_result *result, const compilation *c, const char *const *what, size_t size)
{
    const bool has_files = c->unit->scan->includes_files && !source_files_are_refused();
    char *folder = source_folder(c->unit->name);
    *result = (lab_process_result){0};
    const lab_status status = !folder     ? no_memory(c)
                              : has_files ? run_with_headers(result, c, what, size, folder)
                                          : run_without_files(result, c, what, size, folder);
    free(folder);
    return status;
}

/* The messages of the preprocessor alone. */
static lab_status fail_preprocessor(compilation *c, const lab_process_result *result)
{
    char *text = cpu_diagnostics(result->errors);
    const lab_status status = text && *text && WIFEXITED(result->status)
                                  ? lab_fail(LAB_ERROR_INVALID_SOURCE, "%s does not compile:\n%s", c->unit->name, text)
                                  : fail_stage(c, result);
    free(text);
    return status;
}

/* If the source alone does not compile either, only its own messages are shown. */
static lab_status fail_front_end(compilation *c, const lab_process_result *result)
{
    char *text = cpu_diagnostics(result->errors);
    if (!text || !*text || !WIFEXITED(result->status)) {
        free(text);
        return fail_stage(c, result);
    }
    lab_process_result alone;
    if (run_front_end(&alone, c, clang_to_nothing, c->unit->source_end) == LAB_SUCCESS && !succeeded(&alone)) {
        char *better = cpu_diagnostics(alone.errors);
        if (better && *better) {
            free(text);
            text = better;
        } else {
            free(better);
        }
    }
    lab_process_result_free(&alone);
    const lab_status status = lab_fail(LAB_ERROR_INVALID_SOURCE, "%s does not compile:\n%s", c->unit->name, text);
    free(text);
    return status;
}

/* Fails if the source includes a file, in whatever way, before the parser could show a line from it in a message. The
 * preprocessor names each file on a line that begins with dots, and all together as what its output depends on. */
static lab_status refuse_files(compilation *c)
{
    lab_process_result names;
    lab_status status = run_front_end(&names, c, clang_to_file_names, c->unit->source_end);
    const char *listed = status == LAB_SUCCESS ? strchr(names.output, ':') : NULL, *errors = names.errors;
    const bool includes = status == LAB_SUCCESS && (*errors == '.' || strstr(errors, "\n.") ||
                                                    (listed && listed[1 + strspn(listed + 1, " \\\n")]));
    if (includes)
        status = source_files_fail(c->unit->name);
    else if (status == LAB_SUCCESS && !succeeded(&names))
        status = fail_preprocessor(c, &names);
    lab_process_result_free(&names);
    return status;
}

/* Copies what code for this machine begins with: which machine that is, and the built-ins' assembly. */
static void write_beginning(FILE *out, const char *ir)
{
    for (span line; (line = ir_line(ir)).length; ir += line.length)
        if (span_starts_with(line, "target ") || span_starts_with(line, "module asm "))
            fwrite(line.start, 1, line.length, out);
}

/* The code that an image of a program holds, as the front end would have made it. */
static lab_status take_code(lab_process_result *code, compilation *c, bool checked)
{
    lab_process_result beginning = {0};
    cpu_text rest = {0}, whole = {0};
    const char *const *const options[] = {clang_front_end, (const char *const[]){".", NULL}, clang_to_code};
    lab_status status = cpu_clang_run(&beginning, c->clang, NULL, options, cpu_assembly, strlen(cpu_assembly));
    if (status == LAB_SUCCESS && !succeeded(&beginning)) status = fail_stage(c, &beginning);
    if (status == LAB_SUCCESS && !checked && !cpu_ir_leave_out_checks(&rest, c->unit->text.data)) status = no_memory(c);
    FILE *out = status == LAB_SUCCESS ? open_memstream(&whole.data, &whole.size) : NULL;
    if (out) {
        write_beginning(out, beginning.output);
        fputs(checked ? c->unit->text.data : rest.data, out);
        if (fclose(out) == 0)
            *code = (lab_process_result){.output = whole.data, .output_size = whole.size};
        else
            free(whole.data);
    }
    free(rest.data);
    lab_process_result_free(&beginning);
    return status == LAB_SUCCESS && !code->output ? no_memory(c) : status;
}

static lab_status make_code(lab_process_result *code, compilation *c, const char *const *what)
{
    *code = (lab_process_result){0};
    if (c->unit->is_code) return take_code(code, c, what == clang_to_checked_code);
    if (source_files_are_refused()) LAB_TRY(refuse_files(c));
    const lab_status status = run_front_end(code, c, what, c->unit->text.size);
    if (status != LAB_SUCCESS || succeeded(code)) return status;
    return fail_front_end(c, code);
}

/* Takes the output out of a result. */
static cpu_text take_output(lab_process_result *result)
{
    const cpu_text text = {result->output, result->output_size};
    result->output = NULL;
    return text;
}

lab_status cpu_unit_preprocess(cpu_text *out, const cpu_clang *clang, const cpu_unit *unit)
{
    compilation c = {clang, unit, NULL, {0}, NULL};
    lab_process_result result;
    const lab_status status = make_code(&result, &c, clang_to_text);
    if (status == LAB_SUCCESS) *out = take_output(&result);
    lab_process_result_free(&result);
    free(c.failure);
    return status;
}

/* ---- what the code may be ---- */

/* Decodes \C3, which stands for a byte of a name that is not ASCII. Returns whether there was any. */
static bool decode_name(char *name)
{
    char *written = name;
    const char *read = name;
    for (unsigned byte; *read; *written++ = (char)byte) {
        if (sscanf(read, "\\%2X", &byte) == 1)
            read += 3;
        else
            byte = (unsigned char)*read++;
    }
    *written = '\0';
    return written != read;
}

static lab_status refuse_kernel(const compilation *c, span name)
{
    char *text = strndup(name.start, name.length);
    if (!text) return no_memory(c);
    const lab_status status =
        decode_name(text)
            ? lab_fail(LAB_ERROR_INVALID_SOURCE,
                       "%s: the kernel %s has a letter in its name that is not ASCII's, which no name in a GPU's code "
                       "can have; use a to z, A to Z, 0 to 9 and _",
                       c->unit->name, text)
            : lab_fail(LAB_ERROR_INVALID_SOURCE,
                       "%s: the kernel %s is declared through a macro, where the CPU device cannot find it; write "
                       "extern \"C\" __global__ void %s(...) { ... } out in full",
                       c->unit->name, text, text);
    free(text);
    return status;
}

static lab_status list_kernels(compilation *c, const char *code)
{
    const int kernels = c->unit->scan->kernels;
    c->kernel = calloc((size_t)kernels + 1, sizeof *c->kernel);
    if (!c->kernel) return no_memory(c);
    for (int i = 0; i < kernels; ++i) c->kernel[i] = c->unit->scan->kernel[i].name;
    const span other = ir_find_other_kernel(code, c->kernel, kernels);
    if (other.length) return refuse_kernel(c, other);
    for (int i = 0; i < kernels; ++i)
        if (!ir_has_kernel(code, c->kernel[i])) c->kernel[i] = NULL;
    return LAB_SUCCESS;
}

static lab_status refuse_host_code(const compilation *c, const char *code)
{
    host_code found;
    if (!ir_find_host_code(&found, code, true)) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_SOURCE, "%s does not compile:\n%s: error: %.*s%s", c->unit->name, c->unit->name,
                    (int)found.name.length, found.name.start, found.what);
}

/* ---- the generator and the linker ---- */

/* The linker's "undefined reference to `scale(float)'" is an error of the source: the function is never defined. */
static lab_status fail_linker(compilation *c, const lab_process_result *result)
{
    static const char mark[] = "undefined reference to `";
    const char *name = strstr(result->errors, mark);
    if (!name) return fail_later_stage(c, result);
    name += sizeof mark - 1;
    return lab_fail(LAB_ERROR_INVALID_SOURCE, "%s does not compile:\n%s: error: %.*s is declared, but never defined",
                    c->unit->name, c->unit->name, (int)strcspn(name, "'\n"), name);
}

static lab_status read_object(cpu_text *object, const char *path)
{
    struct stat file;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &file) != 0 || !(object->data = malloc((size_t)file.st_size + 1))) {
        const int error = errno;
        if (descriptor >= 0) close(descriptor);
        return lab_fail(error == ENOMEM ? LAB_ERROR_OUT_OF_MEMORY : LAB_ERROR_IO,
                        "%s: the compiled kernels cannot be read: %s", path, strerror(error));
    }
    ssize_t count = 1;
    while (object->size < (size_t)file.st_size && count > 0) {
        count = read(descriptor, object->data + object->size, (size_t)file.st_size - object->size);
        if (count > 0) object->size += (size_t)count;
    }
    close(descriptor);
    if (object->size == (size_t)file.st_size) return LAB_SUCCESS;
    free(object->data);
    *object = (cpu_text){0};
    return lab_fail(LAB_ERROR_IO, "%s: the compiled kernels cannot be read whole", path);
}

static lab_status link_object(cpu_text *object, compilation *c, const char *file, const char *shared)
{
    lab_process_result result;
    lab_status status = cpu_linker_run(&result, c->clang, file, shared, c->unit->debugged);
    if (status == LAB_SUCCESS) status = succeeded(&result) ? read_object(object, shared) : fail_linker(c, &result);
    lab_process_result_free(&result);
    return status;
}

static lab_status generate(cpu_text *object, compilation *c, const cpu_text *code)
{
    char folder[PATH_MAX], file[PATH_MAX + 16], shared[PATH_MAX + 16];
    LAB_TRY(temporary_folder_make(folder));
    snprintf(file, sizeof file, "%s/kernels.o", folder);
    snprintf(shared, sizeof shared, "%s/kernels.so", folder);
    const char *const *const how = c->unit->debugged ? clang_debug_generator : clang_generator;
    const char *const where[] = {file, NULL}, *const *const options[] = {how, where, NULL};
    lab_process_result result;
    lab_status status = cpu_clang_run(&result, c->clang, folder, options, code->data, code->size);
    if (status == LAB_SUCCESS)
        status = succeeded(&result) ? link_object(object, c, file, shared) : fail_later_stage(c, &result);
    lab_process_result_free(&result);
    temporary_folder_remove(folder);
    return status;
}

/* ---- the stages between ---- */

static lab_status transform(lab_process_result *code, compilation *c, const char *const *how, const cpu_text *input)
{
    const char *const *const options[] = {how, NULL, NULL};
    LAB_TRY(cpu_clang_run(code, c->clang, NULL, options, input->data, input->size));
    return succeeded(code) ? LAB_SUCCESS : fail_later_stage(c, code);
}

/* Makes prepared code check its accesses to memory, and its ways to barriers. */
static lab_status add_checks(cpu_text *code, compilation *c)
{
    lab_process_result inlined = {0};
    cpu_text marked = {0}, checked = {0};
    lab_status status = transform(&inlined, c, clang_inliner, code);
    if (status == LAB_SUCCESS &&
        (!cpu_ir_mark_ways(&marked, inlined.output) || !cpu_ir_check(&checked, marked.data, c->unit->checks)))
        status = no_memory(c);
    lab_process_result_free(&inlined);
    free(marked.data);
    if (status != LAB_SUCCESS) {
        free(checked.data);
        return status;
    }
    free(code->data);
    *code = checked;
    return LAB_SUCCESS;
}

/* Compiles prepared code to an object. */
static lab_status finish(cpu_text *object, compilation *c, const cpu_text *prepared)
{
    lab_process_result optimised = {0};
    cpu_text finished = {0};
    lab_status status = transform(&optimised, c, c->unit->debugged ? clang_inliner : clang_optimiser, prepared);
    const char *judged = c->unchecked.data ? c->unchecked.data : optimised.output;
    if (status == LAB_SUCCESS && !cpu_ir_finish(&finished, optimised.output, judged, c->kernel, c->unit->scan->kernels))
        status = no_memory(c);
    if (status == LAB_SUCCESS) status = generate(object, c, &finished);
    free(finished.data);
    lab_process_result_free(&optimised);
    return status;
}

static void say_why(const compilation *c, const char *reasons)
{
    for (span line; (line = ir_line(reasons)).length; reasons += line.length)
        fprintf(stderr, "LAB_BARRIERS: %s: %.*s", c->unit->name, (int)line.length, line.start);
}

/* Compiles marked code to an object, with its kernels split. *any is whether that was possible for one of them: if not,
 * nothing is compiled. */
static lab_status finish_split(cpu_text *object, bool *any, compilation *c, const cpu_text *marked)
{
    lab_process_result code = {0};
    cpu_text split = {0}, why = {0};
    lab_status status = transform(&code, c, clang_before_split, marked);
    if (status == LAB_SUCCESS &&
        !cpu_ir_split_kernels(&split, &why, any, code.output, c->kernel, c->unit->scan->kernels,
                              c->unit->in_turn ? IR_CUT_AT_WAITS : IR_CUT_AT_BRANCHES))
        status = no_memory(c);
    lab_process_result_free(&code);
    if (status == LAB_SUCCESS && *any) status = finish(object, c, &split);
    if (status == LAB_SUCCESS && c->clang->says_why) say_why(c, why.data);
    free(split.data);
    free(why.data);
    return status;
}

/* ---- the whole ---- */

/* Says why the unit's kernels are not split, in one line. */
static void say_unsplit(const compilation *c, lab_status status)
{
    const char *why = c->failure ? c->failure : lab_status_text(status);
    fprintf(stderr,
            "LAB_BARRIERS: %s: its kernels are slower, since they do not compile split at barriers and loops: %.*s\n",
            c->unit->name, (int)strcspn(why, "\n"), why);
}

/* Compiles prepared code with its kernels split, if it has such kernels and that succeeds. Else *any is false. In loops
 * with checks no threads take turns. */
static lab_status try_split(cpu_text *object, bool *any, compilation *c, const cpu_text *prepared)
{
    cpu_text marked = {0};
    lab_status status = LAB_SUCCESS;
    if (!cpu_ir_mark_waits(&marked, any, prepared->data, c->kernel, c->unit->scan->kernels, !c->unit->checked))
        status = LAB_ERROR_OUT_OF_MEMORY;
    if (*any && status == LAB_SUCCESS) {
        status_try_begin();
        if (c->unit->checked) status = add_checks(&marked, c);
        if (status == LAB_SUCCESS) status = finish_split(object, any, c, &marked);
        status_try_end();
    }
    free(marked.data);
    return status;
}

/* Lanes of a part of a warp pass __syncwarp before the others have come to it, where each has a stack. */
static bool must_have_stacks(const compilation *c, const cpu_text *prepared)
{
    return c->unit->in_turn && strstr(prepared->data, "@" IR_WAIT_PREFIX "syncwarp(");
}

static lab_status finish_best(cpu_text *object, compilation *c, cpu_text *prepared)
{
    bool any = false;
    const bool splits = c->clang->splits && !c->unit->debugged && !must_have_stacks(c, prepared);
    const lab_status tried = splits ? try_split(object, &any, c, prepared) : LAB_SUCCESS;
    if (tried == LAB_ERROR_OUT_OF_MEMORY) return no_memory(c);
    if (any && tried == LAB_SUCCESS) return LAB_SUCCESS;
    lab_status status = c->unit->checked ? add_checks(prepared, c) : LAB_SUCCESS;
    if (status == LAB_SUCCESS) status = finish(object, c, prepared);
    if (any && status == LAB_SUCCESS) say_unsplit(c, tried);
    return status;
}

static lab_status compile_unit(cpu_text *object, const cpu_clang *clang, const cpu_unit *unit)
{
    compilation c = {clang, unit, NULL, {0}, NULL};
    lab_process_result code = {0};
    cpu_text prepared = {0};
    const bool keeps = unit->checked || unit->debugged; /* the debug information */
    lab_status status = make_code(&code, &c, keeps ? clang_to_checked_code : clang_to_code);
    if (status == LAB_SUCCESS) status = list_kernels(&c, code.output);
    if (status == LAB_SUCCESS) status = refuse_host_code(&c, code.output);
    if (status == LAB_SUCCESS && !cpu_ir_prepare(&prepared, code.output)) status = no_memory(&c);
    lab_process_result_free(&code);
    if (status == LAB_SUCCESS && keeps) status = cpu_unit_optimise(&c.unchecked, clang, unit);
    if (status == LAB_SUCCESS) status = finish_best(object, &c, &prepared);
    free(prepared.data);
    free(c.unchecked.data);
    free(c.kernel);
    free(c.failure);
    return status;
}

lab_status cpu_unit_compile(cpu_text *object, const cpu_clang *clang, const cpu_unit *unit)
{
    cpu_clang loaded = *clang;
    cpu_clang_load(&loaded);
    const lab_status status = compile_unit(object, &loaded, unit);
    cpu_clang_unload(&loaded);
    return status;
}

/* A function that sets threadIdx and the others, in place of the loops over blocks and threads. Without it the
 * optimiser would conclude that they are always 0. */
static const char stand_in[] = "\nextern \"C\" __attribute__((visibility(\"default\")))\n"
                               "void lab_stand_at(const lab_index3 *place, const cpu_launch *launch)\n"
                               "{\n"
                               "    lab_thread = place[0], lab_block = place[1];\n"
                               "    lab_block_extent = place[2], lab_grid_extent = place[3];\n"
                               "    lab_launch = launch;\n"
                               "}\n";

/* The unit up to the end of its source. In code, the entries set threadIdx. */
static lab_status cut_source(cpu_unit *alone, const cpu_unit *unit)
{
    const char *more = unit->is_code ? "" : stand_in;
    *alone = *unit;
    alone->text = (cpu_text){malloc(unit->source_end + strlen(more) + 1), unit->source_end + strlen(more)};
    if (!alone->text.data) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to compile %s", unit->name);
    memcpy(alone->text.data, unit->text.data, unit->source_end);
    strcpy(alone->text.data + unit->source_end, more);
    return LAB_SUCCESS;
}

lab_status cpu_unit_optimise(cpu_text *out, const cpu_clang *clang, const cpu_unit *unit)
{
    cpu_unit alone;
    compilation c = {clang, &alone, NULL, {0}, NULL};
    lab_process_result code = {0}, optimised = {0};
    cpu_text prepared = {0};
    LAB_TRY(cut_source(&alone, unit));
    lab_status status = make_code(&code, &c, clang_to_code);
    if (status == LAB_SUCCESS && !cpu_ir_prepare(&prepared, code.output)) status = no_memory(&c);
    if (status == LAB_SUCCESS) status = transform(&optimised, &c, clang_optimiser, &prepared);
    if (status == LAB_SUCCESS) *out = take_output(&optimised);
    free(alone.text.data);
    free(prepared.data);
    lab_process_result_free(&optimised);
    lab_process_result_free(&code);
    free(c.failure);
    return status;
}
