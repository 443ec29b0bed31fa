/* A GPU in a sandbox; see sandbox_cuda.h. */
#include "sandbox_cuda.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/text.h"

/* ---- device files
 * ------------------------------------------------------------------------------------------------- */

/* The files of all GPUs, of unified memory, of NVSwitch, of the capabilities that parts of a GPU need, and WSL's. */
static void pass_devices(word_list *words, const char *root)
{
    static const char *const patterns[] = {"/dev/nvidia*", "/dev/dxg"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found = {0};
        char *pattern = text_make("%s%s", root, patterns[i]);
        if (!pattern) words->failed = true;
        if (pattern && glob(pattern, 0, NULL, &found) == 0) {
            for (size_t k = 0; k < found.gl_pathc; k++) {
                word_list_add(words, "--dev-bind", found.gl_pathv[k], found.gl_pathv[k] + strlen(root), NULL);
            }
        }
        globfree(&found);
        free(pattern);
    }
}

/* ---- libraries
 * ----------------------------------------------------------------------------------------------------- */

static bool is_in(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Makes a folder visible unless it is already. */
static void see_folder(word_list *words, const char *path, const char *const *system)
{
    for (size_t i = 0; system[i]; i++) {
        if (is_in(path, system[i])) return;
    }
    word_list_add_once(words, "--ro-bind", path, path);
}

/* Makes the folder of a library visible, from a line of ldconfig: "\tlibcuda.so.1 (libc6) => /PATH". */
static void see_library(word_list *words, const char *line, const char *const *system)
{
    static const char *const names[] = {"libcuda.so", "libnvidia-", "libnvrtc", "libcupti", "libcudart"};
    const char *path = strstr(line, "=> /"), *name = line + strspn(line, " \t");
    bool wanted = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        wanted = wanted || strncmp(name, names[i], strlen(names[i])) == 0;
    }
    if (!wanted || !path) return;
    char *folder = realpath(path + 3, NULL), *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) *slash = '\0';
    if (slash) see_folder(words, folder, system);
    free(folder);
}

static void see_libraries(word_list *words, const char *const *system)
{
    enum { SECONDS = 10, OUTPUT_BYTES = 4 << 20 };
    static const char *const environment[] = {NULL};
    const char *const arguments[] = {access("/sbin/ldconfig", X_OK) == 0 ? "/sbin/ldconfig" : "/usr/sbin/ldconfig",
                                     "-p", NULL};
    subprocess_options options = {.arguments = arguments, .environment = environment, .output_limit = OUTPUT_BYTES};
    subprocess_result result;
    grader_fault ignored; /* without ldconfig the system's folders have to do */
    if (!subprocess_run(&result, &options, SECONDS, &ignored)) return;
    char *rest = result.output;
    for (char *line; (line = strsep(&rest, "\n"));) see_library(words, line, system);
    subprocess_result_free(&result);
}

/* Makes the toolkit visible for NVRTC, its headers and CUPTI: under its own name, and where links in it lead. */
static void see_toolkit(word_list *words, const char *path, const char *const *system)
{
    static const char *const parts[] = {"lib64", "include", "extras/CUPTI/lib64"};
    if (!path || path[0] != '/' || strcmp(path, "/") == 0 || access(path, R_OK | X_OK) < 0) return;
    see_folder(words, path, system);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *part = text_make("%s/%s", path, parts[i]), *real = part ? realpath(part, NULL) : NULL;
        if (real && !is_in(real, path)) see_folder(words, real, system);
        free(part);
        free(real);
    }
}

void sandbox_cuda_see(word_list *words, const char *root, const char *const *system)
{
    pass_devices(words, root);
    word_list_add(words, "--ro-bind", "/sys", "/sys", NULL);
    word_list_add(words, "--ro-bind-try", "/proc/driver/nvidia", "/proc/driver/nvidia", NULL);
    word_list_add(words, "--ro-bind-try", "/run/nvidia-persistenced", "/run/nvidia-persistenced", NULL);
    see_libraries(words, system);
    const char *const toolkits[] = {getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda", "/opt/cuda"};
    for (size_t i = 0; i < sizeof toolkits / sizeof *toolkits; i++) see_toolkit(words, toolkits[i], system);
}

void sandbox_cuda_close_proc(word_list *words)
{
    static const char *const settings[] = {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq",  "/proc/bus",
                                           "/proc/fs",  "/proc/acpi",          "/proc/scsi", "/proc/mtrr"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        word_list_add(words, "--ro-bind-try", settings[i], settings[i], NULL);
    }
}

/* ---- the proof
 * ------------------------------------------------------------------------------------------------------ */
