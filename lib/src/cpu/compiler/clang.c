/* The time of clang's file identifies its version: installing another version changes it. */
#include "clang.h"
#include "clang_options.h"

#include "base/status.h"
#include "cpu/engine/schedule_setting.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 48, VARIABLES = 5 };

/* ---- finding clang ---- */

/* Whether kernels are split at their barriers. A split kernel's threads meet at the edges of its loops too, so that a
 * schedule that lets threads run ahead of each other gives each of them a stack. */
static bool splits_kernels(void)
{
    const char *barriers = getenv("LAB_BARRIERS");
    return barriers && *barriers ? strcmp(barriers, "fibers") != 0 : !cpu_schedule_shuffles_threads();
}

/* Fills in *clang if the program exists. */
static bool take_program(cpu_clang *clang, const char *folder, size_t folder_length, const char *name)
{
    char path[PATH_MAX];
    struct stat file;
    const int length = folder_length ? snprintf(path, sizeof path, "%.*s/%s", (int)folder_length, folder, name)
                                     : snprintf(path, sizeof path, "%s", name);
    if (length >= (int)sizeof path || stat(path, &file) != 0 || !S_ISREG(file.st_mode) || access(path, X_OK) != 0)
        return false;
    *clang = (cpu_clang){.splits = splits_kernels(),
                         .bytes = file.st_size,
                         .seconds = file.st_mtim.tv_sec,
                         .nanoseconds = file.st_mtim.tv_nsec};
    memcpy(clang->program, path, (size_t)length + 1);
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

/* ---- running it ---- */

/* The environment of the compiler. Nothing in it changes the result. */
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

lab_status cpu_clang_run(lab_process_result *result, const cpu_clang *clang, const char *folder,
                         const char *const *const options[3], const char *input, size_t size)
{
    environment surroundings;
    const char *arguments[MAX_ARGUMENTS] = {clang->program};
    int count = 1;
    *result = (lab_process_result){0};
    for (int i = 0; i < 3; ++i)
        for (const char *const *option = options[i]; option && *option; ++option) {
            assert(count < MAX_ARGUMENTS - 1);
            arguments[count++] = *option;
        }
    if (!set_environment(&surroundings, folder)) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to run clang");
    const lab_process process = {clang->program, arguments, (const char *const *)surroundings.list,
                                 input,          size,      CLANG_SECONDS};
    const lab_status status = lab_process_run(result, &process);
    free_environment(&surroundings);
    if (status != LAB_ERROR_FILE_NOT_FOUND) return status;
    return lab_fail(LAB_ERROR_COMPILER_UNAVAILABLE, "the compiler %s cannot be run", clang->program);
}
