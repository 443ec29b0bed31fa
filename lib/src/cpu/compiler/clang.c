/* The time of clang's file identifies its version: installing another version changes it. */
#include "clang.h"
#include "clang_options.h"

#include "base/status.h"
#include "cpu/engine/schedule_setting.h"

#include <assert.h>
#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 48, VARIABLES = 5 };

/* ---- finding them ---- */

/* Whether kernels are split where their threads wait. A split kernel's threads meet at the edges of its loops too, so
 * that a schedule that lets threads run ahead of each other gives each of them a stack. */
static bool splits_kernels(void)
{
    const char *barriers = getenv("LAB_BARRIERS");
    return barriers && *barriers ? strcmp(barriers, "fibers") != 0 : !cpu_schedule_shuffles_threads();
}

lab_status cpu_clang_find(cpu_clang *clang)
{
    const char *chosen = getenv("LAB_CLANG");
    const char *name = chosen && *chosen ? chosen : "clang";
    struct stat file;
    const char *barriers = getenv("LAB_BARRIERS");
    *clang = (cpu_clang){
        .splits = splits_kernels(), .says_why = barriers && strcmp(barriers, "split") == 0, .server = FORK_SERVER_NONE};
    if (strchr(name, '/'))
        snprintf(clang->program, sizeof clang->program, "%s", name);
    else
        lab_process_find(clang->program, sizeof clang->program, getenv("PATH"), name);
    if (lab_process_is_program(clang->program) && stat(clang->program, &file) == 0) {
        clang->bytes = file.st_size;
        clang->seconds = file.st_mtim.tv_sec;
        clang->nanoseconds = file.st_mtim.tv_nsec;
        return LAB_SUCCESS;
    }
    if (name == chosen)
        return lab_fail(LAB_ERROR_COMPILER_UNAVAILABLE,
                        "LAB_CLANG is %s, but there is no such program; unset it, or set it to a clang", name);
    return lab_fail(LAB_ERROR_COMPILER_UNAVAILABLE,
                    "clang is not installed; it compiles the kernels of the CPU device: run make setup");
}

static lab_status find_linker(char path[PATH_MAX], const cpu_clang *clang)
{
    char beside[PATH_MAX];
    snprintf(beside, sizeof beside, "%s", clang->program);
    char *slash = strrchr(beside, '/');
    if (slash) *slash = '\0';
    if (lab_process_find(path, PATH_MAX, getenv("PATH"), "ld") || lab_process_find(path, PATH_MAX, beside, "ld") ||
        lab_process_find(path, PATH_MAX, "/usr/bin", "ld"))
        return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_COMPILER_UNAVAILABLE,
                    "ld is not installed; it links the kernels of the CPU device: run make setup");
}

char *cpu_clang_identity(const cpu_clang *clang)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    fprintf(out, "%s %lld %lld.%09lld %s", clang->program, clang->bytes, clang->seconds, clang->nanoseconds,
            clang->splits ? "split" : "fibers");
    for (const char *const *const *list = clang_all_options; *list; ++list)
        for (const char *const *option = *list; *option; ++option) fprintf(out, " %s", *option);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

/* ---- running them ---- */

/* The environment of the programs. Nothing in it changes the result. */
typedef struct environment {
    char *list[VARIABLES + 1]; /* NULL last */
} environment;

static void free_environment(environment *e)
{
    for (int i = 0; i < VARIABLES; ++i) free(e->list[i]);
}

static bool set_environment(environment *e, const char *folder)
{
    const char *const name[VARIABLES] = {"PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "TMPDIR", "LC_ALL"};
    const char *const value[VARIABLES] = {getenv("PATH"), getenv("LD_LIBRARY_PATH"), getenv("LIBRARY_PATH"), folder,
                                          "C"};
    int count = 0;
    *e = (environment){0};
    for (int i = 0; i < VARIABLES; ++i) {
        if (!value[i]) continue;
        if (asprintf(&e->list[count], "%s=%s", name[i], value[i]) < 0) {
            e->list[count] = NULL;
            free_environment(e);
            return false;
        }
        ++count;
    }
    return true;
}

void cpu_clang_load(cpu_clang *clang)
{
    environment surroundings;
    if (!set_environment(&surroundings, NULL)) return;
    fork_server_start(&clang->server, clang->program, (const char *const *)surroundings.list);
    free_environment(&surroundings);
}

void cpu_clang_unload(cpu_clang *clang) { fork_server_stop(&clang->server); }

static lab_status run(lab_process_result *result, const char *const *arguments, const char *folder, const char *input,
                      size_t size, const fork_server *server)
{
    environment surroundings;
    if (!set_environment(&surroundings, folder))
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to run %s", arguments[0]);
    const lab_process process = {.program = arguments[0],
                                 .arguments = arguments,
                                 .environment = (const char *const *)surroundings.list,
                                 .input = input,
                                 .input_size = size,
                                 .processor_seconds = CLANG_PROCESSOR_SECONDS,
                                 .seconds = CLANG_SECONDS,
                                 .server = server};
    const lab_status status = lab_process_run(result, &process);
    free_environment(&surroundings);
    if (status != LAB_ERROR_FILE_NOT_FOUND) return status;
    return lab_fail(LAB_ERROR_COMPILER_UNAVAILABLE, "the compiler %s cannot be run", arguments[0]);
}

lab_status cpu_clang_run(lab_process_result *result, const cpu_clang *clang, const char *folder,
                         const char *const *const options[3], const char *input, size_t size)
{
    const char *arguments[MAX_ARGUMENTS] = {clang->program};
    int count = 1;
    *result = (lab_process_result){0};
    for (int i = 0; i < 3; ++i)
        for (const char *const *option = options[i]; option && *option; ++option) {
            assert(count < MAX_ARGUMENTS - 1);
            arguments[count++] = *option;
        }
    return run(result, arguments, folder, input, size, fork_server_runs(&clang->server) ? &clang->server : NULL);
}

/* The file of a library that this process has loaded or can load, and which it keeps. The name itself if there is none:
 * the linker then tells that it is missing. */
static const char *library_file(const char *name)
{
    struct link_map *library;
    void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    return handle && dlinfo(handle, RTLD_DI_LINKMAP, &library) == 0 ? library->l_name : name;
}

lab_status cpu_linker_run(lab_process_result *result, const cpu_clang *clang, const char *object, const char *shared,
                          bool keeps_symbols)
{
    char linker[PATH_MAX];
    const char *arguments[MAX_ARGUMENTS] = {linker};
    int count = 1;
    *result = (lab_process_result){0};
    LAB_TRY(find_linker(linker, clang));
    for (const char *const *option = linker_options; *option; ++option) arguments[count++] = *option;
    if (!keeps_symbols) arguments[count++] = "-s";
    const char *const files[] = {
        "-o", shared, object, library_file(LIBM_SO), library_file(LIBC_SO), "--as-needed", library_file(LD_SO)};
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) arguments[count++] = files[i];
    assert(count < MAX_ARGUMENTS);
    return run(result, arguments, NULL, NULL, 0, NULL);
}
