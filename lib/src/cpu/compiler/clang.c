/*
 * Three runs of clang: front end, optimiser, code generator and linker, with a rewriting of the code between each two
 * (ir.h). The first makes code in which nothing has been optimised yet, so that no cast has been computed at compile
 * time by rules that are not CUDA's.
 */
#include "clang.h"
#include "diagnostics.h"
#include "cpu/ir/ir_memcheck.h"
#include "cpu/ir/ir_host.h"
#include "base/system/process.h"
#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMPILE_SECONDS = 60, PROBE_BYTES = 256 * 1024, MAX_ARGUMENTS = 48 };

/* clang-format off */
#ifdef __x86_64__
#define NATIVE "-march=native"
#define WRAP "-Wl,--wrap=__tls_get_addr", /* why: see builtins.cuh */
#else
#define NATIVE "-mcpu=native"
#define WRAP
#endif

/* Floating point as nvcc has it: contraction unless a function forbids it, no errno, subnormals kept. Every cast
 * saturates, until ir.h says how. Pointers of any type may alias: kernels reinterpret memory freely. */
static const char *const front_end[] = {
    "-x", "c++", "-std=c++17", "-O3", NATIVE, "-fPIC", "-fvisibility=hidden", "-fdeclspec", "-nostdinc++", "-w",
    "-fno-strict-float-cast-overflow", "-Xclang", "-ffp-contract=fast-honor-pragmas", "-fno-math-errno",
    "-fno-trapping-math", "-fno-strict-aliasing", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics",
    "-fno-stack-protector", "-fno-color-diagnostics", "-fno-crash-diagnostics", "-iquote", NULL};
static const char *const to_code[] = {"-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", "-o", "-", "-", NULL};
static const char *const to_checked_code[] = {
    "-gline-tables-only", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", "-o", "-", "-", NULL};
static const char *const to_text[] = {"-E", "-o", "-", "-", NULL};
static const char *const to_nothing[] = {"-fsyntax-only", "-", NULL};

/* Only inlines what must be inlined. */
static const char *const inliner[] = {
    "-x", "ir", "-O0", "-S", "-emit-llvm", "-fno-crash-diagnostics", "-o", "-", "-", NULL};

/* Device functions are inlined more eagerly than a host's: a call in a kernel stands in the way of vectors. */
static const char *const optimiser[] = {
    "-x", "ir", "-O3", NATIVE, "-mllvm", "-inline-threshold=2000", "-S", "-emit-llvm", "-fno-crash-diagnostics",
    "-o", "-", "-", NULL};

/* Before kernels are split at their barriers: what they call becomes part of them, and variables become values. */
static const char *const before_split[] = {
    "-x", "ir", "-O1", NATIVE, "-S", "-emit-llvm", "-fno-crash-diagnostics", "-o", "-", "-", NULL};

static const char *const generator[] = {
    "-x", "ir", "-O3", "-Xclang", "-disable-llvm-passes", NATIVE, "-fPIC", "-fno-crash-diagnostics",
    "-shared", "-nostdlib", "-Wl,-z,defs", "-Wl,--build-id=none", WRAP "-s", "-o", NULL};
static const char *const libraries[] = {"-", "-lm", "-lc", NULL};
/* clang-format on */

/* ---- finding clang ---- */

/* The program by its file, whose time changes with every version that is installed, and what it is asked to do. */
static void describe(cpu_clang *clang, const struct stat *file)
{
    const char *barriers = getenv("LAB_BARRIERS");
    clang->splits = !barriers || strcmp(barriers, "fibers") != 0;
    int used = snprintf(clang->identity, sizeof clang->identity, "%s %lld %lld.%09ld %s", clang->program,
                        (long long)file->st_size, (long long)file->st_mtim.tv_sec, file->st_mtim.tv_nsec,
                        clang->splits ? "split" : "fibers");
    static const char *const *const all[] = {front_end,    to_code,   to_checked_code, inliner,
                                             before_split, optimiser, generator,       libraries};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        for (const char *const *option = all[i]; *option && used < (int)sizeof clang->identity; ++option)
            used += snprintf(clang->identity + used, sizeof clang->identity - (size_t)used, " %s", *option);
}

/* Fills clang->program if there is such a program. */
static bool take_program(cpu_clang *clang, const char *folder, size_t folder_length, const char *name)
{
    char path[PATH_MAX];
    struct stat file;
    const int length = folder_length ? snprintf(path, sizeof path, "%.*s/%s", (int)folder_length, folder, name)
                                     : snprintf(path, sizeof path, "%s", name);
    if (length >= (int)sizeof path || stat(path, &file) != 0 || !S_ISREG(file.st_mode) || access(path, X_OK) != 0)
        return false;
    memcpy(clang->program, path, (size_t)length + 1);
    describe(clang, &file);
    return true;
}

lab_status cpu_clang_find(cpu_clang *clang)
{
    const char *chosen = getenv("LAB_CLANG"), *path = getenv("PATH");
    const char *name = chosen && *chosen ? chosen : "clang";
    if (strchr(name, '/')) {
        if (take_program(clang, NULL, 0, name)) return LAB_SUCCESS;
        path = NULL;
    }
    for (const char *folder = path; folder; folder = strchr(folder, ':') ? strchr(folder, ':') + 1 : NULL) {
        const size_t length = strcspn(folder, ":");
        if (length && take_program(clang, folder, length, name)) return LAB_SUCCESS;
    }
    if (name == chosen)
        return lab_fail(LAB_ERROR_COMPILER_UNAVAILABLE,
                        "LAB_CLANG is %s, but there is no such program; unset it, or set it to a clang", name);
    return lab_fail(LAB_ERROR_COMPILER_UNAVAILABLE,
                    "clang is not installed; it compiles the kernels of the CPU device: run make setup");
}

/* ---- a folder for temporary files ---- */

/* Whether a file fits that is larger than any that the compiler will leave here. */
static bool has_room(const char *folder)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/probe", folder) >= (int)sizeof path) return false;
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) return false;
    const bool fits = posix_fallocate(descriptor, 0, PROBE_BYTES) == 0;
    close(descriptor);
    unlink(path);
    return fits;
}

static void remove_folder(const char *folder)
{
    DIR *files = opendir(folder);
    for (struct dirent *file; files && (file = readdir(files));) unlinkat(dirfd(files), file->d_name, 0);
    if (files) closedir(files);
    rmdir(folder);
}

/* In $TMPDIR, else wherever there is room. */
static lab_status make_folder(char folder[PATH_MAX])
{
    const char *const parents[] = {getenv("TMPDIR"), P_tmpdir, "/var/tmp", "/dev/shm"};
    for (size_t i = 0; i < sizeof parents / sizeof *parents; ++i) {
        if (!parents[i] || !*parents[i]) continue;
        if (snprintf(folder, PATH_MAX, "%s/lab-XXXXXX", parents[i]) >= PATH_MAX || !mkdtemp(folder)) continue;
        if (has_room(folder)) return LAB_SUCCESS;
        remove_folder(folder);
    }
    return lab_fail(LAB_ERROR_IO, "no folder to compile kernels in: neither $TMPDIR nor " P_tmpdir " can hold a file; "
                                  "make room there, or set TMPDIR");
}

/* ---- running a stage ---- */

static lab_status fail_without_diagnostics(const cpu_clang *clang, const cpu_unit *unit,
                                           const lab_process_result *result)
{
    if (result->timed_out)
        return lab_fail(LAB_ERROR_INVALID_SOURCE, "%s: compiling took longer than %d s and was stopped", unit->name,
                        COMPILE_SECONDS);
    if (result->flooded)
        return lab_fail(LAB_ERROR_INVALID_SOURCE, "%s: compiling made more code than is sensible and was stopped",
                        unit->name);
    if (WIFSIGNALED(result->status))
        return lab_fail(LAB_ERROR_INVALID_SOURCE, "%s: the compiler was ended by signal %d (%s)", unit->name,
                        WTERMSIG(result->status), strsignal(WTERMSIG(result->status)));
    return lab_fail(LAB_ERROR_COMPILER_UNAVAILABLE, "%s: %s failed with exit status %d and %s%.2000s", unit->name,
                    clang->program, WEXITSTATUS(result->status), *result->errors ? "says: " : "without a message",
                    result->errors);
}

/* The environment of the compiler: nothing in it changes what is made. */
typedef struct environment {
    char text[4][PATH_MAX + 32];
    const char *list[5];
} environment;

static void set_environment(environment *e, const char *folder)
{
    const char *const name[] = {"PATH", "LD_LIBRARY_PATH", "TMPDIR", "LC_ALL"};
    const char *const value[] = {getenv("PATH"), getenv("LD_LIBRARY_PATH"), folder, "C"};
    int count = 0;
    for (int i = 0; i < 4; ++i)
        if (value[i] && snprintf(e->text[i], sizeof e->text[i], "%s=%s", name[i], value[i]) < (int)sizeof e->text[i])
            e->list[count++] = e->text[i];
    e->list[count] = NULL;
}

/* One run of the compiler on the input, with the options of several lists one after another. */
typedef struct stage {
    const cpu_clang *clang;
    const char *folder; /* for its temporary files; NULL if it makes none */
    const char *const *options[3];
} stage;

static lab_status run_stage(lab_process_result *result, const stage *s, const char *input, size_t size)
{
    environment surroundings;
    set_environment(&surroundings, s->folder);
    const char *arguments[MAX_ARGUMENTS] = {s->clang->program};
    int count = 1;
    for (int i = 0; i < 3; ++i)
        for (const char *const *option = s->options[i]; option && *option && count < MAX_ARGUMENTS - 1; ++option)
            arguments[count++] = *option;
    const lab_process process = {s->clang->program, arguments, surroundings.list, input, size, COMPILE_SECONDS};
    const lab_status status = lab_process_run(result, &process);
    if (status != LAB_ERROR_FILE_NOT_FOUND) return status;
    return lab_fail(LAB_ERROR_COMPILER_UNAVAILABLE, "the compiler %s cannot be run", s->clang->program);
}

static bool succeeded(const lab_process_result *result)
{
    return !result->timed_out && !result->flooded && WIFEXITED(result->status) && WEXITSTATUS(result->status) == 0;
}

/* ---- the front end ---- */

/* The folder of the source: where it finds the files it includes. */
static void source_folder(char folder[PATH_MAX], const char *name)
{
    const char *slash = strrchr(name, '/');
    if (slash)
        snprintf(folder, PATH_MAX, "%.*s", slash == name ? 1 : (int)(slash - name), name);
    else
        snprintf(folder, PATH_MAX, ".");
}

static lab_status run_front_end(lab_process_result *result, const cpu_clang *clang, const cpu_unit *unit,
                                const char *const *what, size_t size)
{
    char folder[PATH_MAX];
    source_folder(folder, unit->name);
    const char *const where[] = {folder, NULL};
    const stage s = {clang, NULL, {front_end, where, what}};
    return run_stage(result, &s, unit->text.data, size);
}

/* Whether the user's own text is what does not compile: then only its messages are shown. */
static lab_status fail_front_end(const cpu_clang *clang, const cpu_unit *unit, const lab_process_result *result)
{
    char *text = cpu_diagnostics(result->errors);
    if (!text || !*text || !WIFEXITED(result->status)) {
        free(text);
        return fail_without_diagnostics(clang, unit, result);
    }
    lab_process_result alone;
    if (run_front_end(&alone, clang, unit, to_nothing, unit->source_end) == LAB_SUCCESS && !succeeded(&alone)) {
        char *better = cpu_diagnostics(alone.errors);
        if (better && *better) {
            free(text);
            text = better;
        } else {
            free(better);
        }
    }
    lab_process_result_free(&alone);
    const lab_status status = lab_fail(LAB_ERROR_INVALID_SOURCE, "%s does not compile:\n%s", unit->name, text);
    free(text);
    return status;
}

static lab_status make_code(lab_process_result *code, const cpu_clang *clang, const cpu_unit *unit,
                            const char *const *what)
{
    const lab_status status = run_front_end(code, clang, unit, what, unit->text.size);
    if (status != LAB_SUCCESS || succeeded(code)) return status;
    return fail_front_end(clang, unit, code);
}

lab_status cpu_clang_preprocess(cpu_text *out, const cpu_clang *clang, const cpu_unit *unit)
{
    lab_process_result result;
    const lab_status status = make_code(&result, clang, unit, to_text);
    if (status == LAB_SUCCESS) {
        *out = (cpu_text){result.output, result.output_size};
        result.output = NULL;
    }
    lab_process_result_free(&result);
    return status;
}

/* ---- the other stages ---- */

static lab_status transform(lab_process_result *code, const cpu_clang *clang, const cpu_unit *unit,
                            const char *const *how, const cpu_text *input)
{
    const stage s = {clang, NULL, {how}};
    LAB_TRY(run_stage(code, &s, input->data, input->size));
    return succeeded(code) ? LAB_SUCCESS : fail_without_diagnostics(clang, unit, code);
}

/* The linker's "undefined reference to `scale(float)'" is the user's: a function declared and never defined. */
static lab_status fail_generator(const cpu_clang *clang, const cpu_unit *unit, const lab_process_result *result)
{
    static const char mark[] = "undefined reference to `";
    const char *name = strstr(result->errors, mark);
    if (!name) return fail_without_diagnostics(clang, unit, result);
    name += sizeof mark - 1;
    return lab_fail(LAB_ERROR_INVALID_SOURCE, "%s does not compile:\n%s: error: %.*s is declared, but never defined",
                    unit->name, unit->name, (int)strcspn(name, "'\n"), name);
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

static lab_status generate(cpu_text *object, const cpu_clang *clang, const cpu_unit *unit, const cpu_text *code)
{
    char folder[PATH_MAX], path[PATH_MAX + 16];
    LAB_TRY(make_folder(folder));
    snprintf(path, sizeof path, "%s/kernels.so", folder);
    const char *const where[] = {path, NULL};
    const stage s = {clang, folder, {generator, where, libraries}};
    lab_process_result result;
    lab_status status = run_stage(&result, &s, code->data, code->size);
    if (status == LAB_SUCCESS)
        status = succeeded(&result) ? read_object(object, path) : fail_generator(clang, unit, &result);
    lab_process_result_free(&result);
    remove_folder(folder);
    return status;
}

/* The intermediate code writes each byte of a name that is not ASCII's as \C3. Puts the bytes back; true if there were any. */
static bool decode_name(char *name)
{
    char *to = name;
    const char *from = name;
    for (unsigned byte; *from; *to++ = (char)byte) {
        if (sscanf(from, "\\%2X", &byte) == 1)
            from += 3;
        else
            byte = (unsigned char)*from++;
    }
    *to = '\0';
    return to != from;
}

/* The names of the unit's kernels, NULL for one that is none after all. */
static lab_status list_kernels(const char **kernel, const cpu_unit *unit, const char *code)
{
    char other[256];
    for (int i = 0; i < unit->scan->kernels; ++i) kernel[i] = unit->scan->kernel[i].name;
    const bool unseen = cpu_ir_find_other_kernel(other, sizeof other, code, kernel, unit->scan->kernels);
    if (unseen && decode_name(other))
        return lab_fail(
            LAB_ERROR_INVALID_SOURCE,
            "%s: the kernel %s has a letter in its name that is not ASCII's, which no name in a GPU's code can "
            "have; use a to z, A to Z, 0 to 9 and _",
            unit->name, other);
    if (unseen)
        return lab_fail(LAB_ERROR_INVALID_SOURCE,
                        "%s: the kernel %s is declared through a macro, where the CPU device cannot find it; write "
                        "extern \"C\" __global__ void %s(...) { ... } out in full",
                        unit->name, other, other);
    for (int i = 0; i < unit->scan->kernels; ++i)
        if (!cpu_ir_has_kernel(code, kernel[i])) kernel[i] = NULL;
    return LAB_SUCCESS;
}

static lab_status refuse_host_code(const cpu_unit *unit, const char *code)
{
    char found[512];
    if (!cpu_ir_find_host_code(found, sizeof found, code)) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_SOURCE, "%s does not compile:\n%s: error: %s", unit->name, unit->name, found);
}

static lab_status no_memory(const cpu_unit *unit)
{
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to compile %s", unit->name);
}

/* Replaces code that is prepared for the optimiser by code that checks its accesses to memory. */
static lab_status add_checks(cpu_text *code, const cpu_clang *clang, const cpu_unit *unit)
{
    lab_process_result inlined = {0};
    cpu_text checked = {0};
    lab_status status = transform(&inlined, clang, unit, inliner, code);
    if (status == LAB_SUCCESS && !cpu_ir_check(&checked, inlined.output)) status = no_memory(unit);
    lab_process_result_free(&inlined);
    if (status != LAB_SUCCESS) return status;
    free(code->data);
    *code = checked;
    return LAB_SUCCESS;
}

/* Splits the kernels in the prepared code that can be, at their barriers. */
static lab_status split_kernels(cpu_text *prepared, const cpu_clang *clang, const cpu_unit *unit,
                                const char *const *kernel)
{
    const int kernels = unit->scan->kernels;
    cpu_text marked = {0}, split = {0};
    lab_process_result code = {0};
    bool any;
    if (!clang->splits) return LAB_SUCCESS;
    lab_status status =
        cpu_ir_mark_barriers(&marked, &any, prepared->data, kernel, kernels) ? LAB_SUCCESS : no_memory(unit);
    if (status == LAB_SUCCESS && any) {
        status = transform(&code, clang, unit, before_split, &marked);
        if (status == LAB_SUCCESS && !cpu_ir_split_kernels(&split, code.output, kernel, kernels))
            status = no_memory(unit);
        if (status == LAB_SUCCESS) {
            free(prepared->data);
            *prepared = split;
            split = (cpu_text){0};
        }
    }
    lab_process_result_free(&code);
    free(split.data);
    free(marked.data);
    return status;
}

lab_status cpu_clang_compile(cpu_text *object, const cpu_clang *clang, const cpu_unit *unit)
{
    lab_process_result first = {0}, second = {0};
    cpu_text prepared = {0}, finished = {0};
    const int kernels = unit->scan->kernels;
    const char **kernel = calloc((size_t)kernels + 1, sizeof *kernel);
    lab_status status =
        kernel ? make_code(&first, clang, unit, unit->checked ? to_checked_code : to_code) : no_memory(unit);
    if (status == LAB_SUCCESS) status = list_kernels(kernel, unit, first.output);
    if (status == LAB_SUCCESS) status = refuse_host_code(unit, first.output);
    if (status == LAB_SUCCESS && !cpu_ir_prepare(&prepared, first.output)) status = no_memory(unit);
    if (status == LAB_SUCCESS)
        status = unit->checked ? add_checks(&prepared, clang, unit) : split_kernels(&prepared, clang, unit, kernel);
    if (status == LAB_SUCCESS) status = transform(&second, clang, unit, optimiser, &prepared);
    if (status == LAB_SUCCESS && !cpu_ir_finish(&finished, second.output, kernel, kernels)) status = no_memory(unit);
    if (status == LAB_SUCCESS) status = generate(object, clang, unit, &finished);
    free(finished.data);
    free(prepared.data);
    free(kernel);
    lab_process_result_free(&second);
    lab_process_result_free(&first);
    return status;
}

lab_status cpu_clang_optimise(cpu_text *out, const cpu_clang *clang, const cpu_unit *unit)
{
    lab_process_result first = {0}, second = {0};
    cpu_text prepared = {0};
    lab_status status = make_code(&first, clang, unit, to_code);
    if (status == LAB_SUCCESS && !cpu_ir_prepare(&prepared, first.output)) status = no_memory(unit);
    if (status == LAB_SUCCESS) status = transform(&second, clang, unit, optimiser, &prepared);
    if (status == LAB_SUCCESS) {
        *out = (cpu_text){second.output, second.output_size};
        second.output = NULL;
    }
    free(prepared.data);
    lab_process_result_free(&second);
    lab_process_result_free(&first);
    return status;
}
