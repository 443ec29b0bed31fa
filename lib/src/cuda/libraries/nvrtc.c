/* Looks for the compiler's library where the loader looks and where the CUDA Toolkit is installed, first for the
 * driver's major version: code from a later version may not load. */
#include "nvrtc.h"

#include "driver.h"
#include "seam/kernel_headers.h"

#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <nvrtc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NVRTC_CALLS(X)                                                                                                 \
    X(nvrtcVersion)                                                                                                    \
    X(nvrtcGetErrorString)                                                                                             \
    X(nvrtcCreateProgram)                                                                                              \
    X(nvrtcDestroyProgram)                                                                                             \
    X(nvrtcCompileProgram)                                                                                             \
    X(nvrtcGetCUBINSize)                                                                                               \
    X(nvrtcGetCUBIN)                                                                                                   \
    X(nvrtcGetProgramLogSize)                                                                                          \
    X(nvrtcGetProgramLog)

static struct {
#define FIELD(name) __typeof__(&name) name;
    NVRTC_CALLS(FIELD)
#undef FIELD
} nvrtc;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *library;
static int found_version;
/* "--include-path=..." for the toolkit's headers, and for those of its C++ library; "" if they are missing */
static char toolkit_include[PATH_MAX], library_include[PATH_MAX];
static unsigned toolkit_headers; /* the needs that it fulfils */

/* As lab.h promises for every device: multiply-adds are contracted, and nothing is flushed to zero. */
static const char *const OPTIONS[] = {"--std=c++17",       "--fmad=true",      "--ftz=false",
                                      "--prec-div=true",   "--prec-sqrt=true", "--generate-line-info",
                                      "--disable-warnings"};
enum { COMMON_OPTIONS = sizeof OPTIONS / sizeof *OPTIONS, MOST_OPTIONS = COMMON_OPTIONS + 4 };

static const char *const FOLDERS[] = {"/usr/local/cuda/lib64",
                                      "/usr/local/cuda/targets/x86_64-linux/lib",
                                      "/opt/cuda/lib64",
                                      "/usr/lib/x86_64-linux-gnu",
                                      "/usr/lib/aarch64-linux-gnu",
                                      "/usr/lib64"};

/* ---- finding it ---- */

static const char *toolkit(void)
{
    const char *home = getenv("CUDA_PATH") ? getenv("CUDA_PATH") : getenv("CUDA_HOME");
    return home && *home ? home : NULL;
}

static bool is_in(char path[PATH_MAX], const char *folder, const char *rest, const char *name)
{
    return snprintf(path, PATH_MAX, "%s%s/%s", folder, rest, name) < PATH_MAX && access(path, R_OK) == 0;
}

/* The library of this name in the first folder that has it. */
static bool find_named(char path[PATH_MAX], const char *name)
{
    if (toolkit() && is_in(path, toolkit(), "/lib64", name)) return true;
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++)
        if (is_in(path, FOLDERS[i], "", name)) return true;
    return false;
}

/* The library's file, or the name under which the loader may find it. */
static void find_library(char path[PATH_MAX])
{
    static const char *const later[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
    char own[32];
    int version = 0;
    if (cuda.cuDriverGetVersion) cuda.cuDriverGetVersion(&version);
    snprintf(own, sizeof own, "libnvrtc.so.%d", version / 1000);
    if (find_named(path, own)) return;
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (find_named(path, later[i])) return;
    snprintf(path, PATH_MAX, "%s", version ? own : "libnvrtc.so");
}

static bool find_calls(void *handle)
{
    void *found;
#define FIND(name)                                                                                                     \
    if (!(found = dlsym(handle, #name))) return false;                                                                 \
    memcpy(&nvrtc.name, &found, sizeof found);
    NVRTC_CALLS(FIND)
#undef FIND
    return true;
}

static void find_headers(void)
{
    char folder[PATH_MAX - 32];
    const char *home = toolkit() ? toolkit() : "/usr/local/cuda";
    if (snprintf(folder, sizeof folder, "%s/include", home) < (int)sizeof folder && access(folder, R_OK) == 0)
        snprintf(toolkit_include, sizeof toolkit_include, "--include-path=%s", folder);
    if (!*toolkit_include) return;
    char path[PATH_MAX];
    if (is_in(path, folder, "/cccl", "cuda/atomic"))
        snprintf(library_include, sizeof library_include, "--include-path=%s/cccl", folder);
    else if (!is_in(path, folder, "", "cuda/atomic"))
        return;
    if (is_in(path, folder, "", "cooperative_groups/scan.h")) toolkit_headers |= KERNEL_HEADER_GROUPS;
    if (is_in(path, folder, "", "cuda_pipeline.h")) toolkit_headers |= KERNEL_HEADER_PIPELINE;
    if (is_in(path, folder, "", "cuda_fp16.h") && is_in(path, folder, "", "cuda_bf16.h"))
        toolkit_headers |= KERNEL_HEADER_HALF;
}

static lab_status open_compiler(void)
{
    char path[PATH_MAX];
    int major = 0, minor = 0;
    find_library(path);
    void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!opened)
        return lab_fail(
            LAB_ERROR_COMPILER_UNAVAILABLE,
            "kernels cannot be compiled: NVRTC, the CUDA Toolkit's compiler library, was not found; install "
            "it (libnvrtc), or set CUDA_PATH to where the toolkit is");
    if (!find_calls(opened) || nvrtc.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) {
        dlclose(opened);
        return lab_fail(
            LAB_ERROR_COMPILER_UNAVAILABLE,
            "kernels cannot be compiled: the NVRTC that was found is too old; that of CUDA 11.4 or later is "
            "needed");
    }
    library = opened;
    found_version = 1000 * major + 10 * minor;
    return LAB_SUCCESS;
}

lab_status cuda_nvrtc_open(int *version)
{
    pthread_mutex_lock(&lock);
    lab_status status = library ? LAB_SUCCESS : open_compiler();
    pthread_mutex_unlock(&lock);
    *version = found_version;
    return status;
}

static char identity[2 * PATH_MAX + 512];

/* Describes the compiler: the library's file with its size and age, and the options. A library that only the loader
 * finds must be opened to get its version. */
static void describe(void)
{
    char path[PATH_MAX];
    struct stat file;
    int version = 0;
    find_headers();
    find_library(path);
    if (stat(path, &file) != 0) {
        file = (struct stat){0};
        cuda_nvrtc_open(&version);
    }
    size_t used = (size_t)snprintf(identity, sizeof identity, "%s %d %lld %lld %s", path, version,
                                   (long long)file.st_size, (long long)file.st_mtime, toolkit_include);
    for (int i = 0; i < COMMON_OPTIONS && used < sizeof identity; i++)
        used += (size_t)snprintf(identity + used, sizeof identity - used, " %s", OPTIONS[i]);
}

const char *cuda_nvrtc_identity(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, describe);
    return identity;
}

unsigned cuda_nvrtc_toolkit_headers(void)
{
    cuda_nvrtc_identity(); /* finds the headers */
    return toolkit_headers;
}

/* ---- compiling ---- */

/* Rewrites "kernel.cu(3): error: ..." as "kernel.cu:3: error: ...", the form of the other compilers. */
static void write_line(FILE *out, const char *line, size_t length)
{
    const char *open = memchr(line, '(', length);
    const char *close = open ? memchr(open, ')', length - (size_t)(open - line)) : NULL;
    bool number = close && close > open + 1 && (size_t)(close - line) + 1 < length && close[1] == ':';
    for (const char *digit = open ? open + 1 : line; number && digit < close; digit++)
        number = isdigit((unsigned char)*digit);
    if (number)
        fprintf(out, "%.*s:%.*s%.*s\n", (int)(open - line), line, (int)(close - open - 1), open + 1,
                (int)(length - (size_t)(close + 1 - line)), close + 1);
    else
        fprintf(out, "%.*s\n", (int)length, line);
}

/* Writes the messages without empty lines and without the count at the end. */
static void write_log(FILE *out, const char *log)
{
    for (const char *line = log; *line;) {
        size_t length = strcspn(line, "\n");
        bool count = isdigit((unsigned char)*line) && memmem(line, length, " detected in the compilation of ", 32);
        if (length > 0 && !count) write_line(out, line, length);
        line += length + (line[length] == '\n');
    }
}

static lab_status refuse(nvrtcProgram program, const char *name)
{
    size_t size = 0, text_size;
    char *text = NULL;
    nvrtc.nvrtcGetProgramLogSize(program, &size);
    char *log = calloc(size + 1, 1);
    FILE *out = log ? open_memstream(&text, &text_size) : NULL;
    if (out) {
        nvrtc.nvrtcGetProgramLog(program, log);
        write_log(out, log);
        fclose(out);
    }
    free(log);
    if (!out) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for the compiler's messages about %s", name);
    for (size_t end = strlen(text); end > 0 && text[end - 1] == '\n';) text[--end] = '\0';
    lab_status status = lab_fail(LAB_ERROR_INVALID_SOURCE, "%s", text);
    free(text);
    return status;
}

static lab_status read_image(cuda_image *out, nvrtcProgram program, const char *name)
{
    nvrtcResult result = nvrtc.nvrtcGetCUBINSize(program, &out->size);
    if (result == NVRTC_SUCCESS && !(out->data = malloc(out->size)))
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for the compiled code of %s", name);
    if (result == NVRTC_SUCCESS) result = nvrtc.nvrtcGetCUBIN(program, out->data);
    if (result == NVRTC_SUCCESS) return LAB_SUCCESS;
    free(out->data);
    return lab_fail(LAB_ERROR_COMPILER_UNAVAILABLE, "%s was compiled, but reading the code failed: %s", name,
                    nvrtc.nvrtcGetErrorString(result));
}

static lab_status compile(cuda_image *out, nvrtcProgram program, const char *name, int architecture)
{
    const char *option[MOST_OPTIONS];
    int options = 0;
    char target[64], folder[PATH_MAX + 32];
    const char *slash = strrchr(name, '/');
    for (int i = 0; i < COMMON_OPTIONS; i++) option[options++] = OPTIONS[i];
    snprintf(target, sizeof target, "--gpu-architecture=sm_%d", architecture);
    option[options++] = target;
    snprintf(folder, sizeof folder, "--include-path=%.*s", slash ? (int)(slash - name) : 1, slash ? name : ".");
    option[options++] = folder;
    if (*toolkit_include) option[options++] = toolkit_include;
    if (*library_include) option[options++] = library_include;
    switch (nvrtc.nvrtcCompileProgram(program, options, option)) {
    case NVRTC_SUCCESS: return read_image(out, program, name);
    case NVRTC_ERROR_COMPILATION: return refuse(program, name);
    case NVRTC_ERROR_OUT_OF_MEMORY: return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to compile %s", name);
    case NVRTC_ERROR_INVALID_OPTION:
        return lab_fail(LAB_ERROR_COMPILER_UNAVAILABLE,
                        "NVRTC %d.%d does not know this GPU's architecture, sm_%d, or one of the library's options; "
                        "install a newer CUDA Toolkit",
                        found_version / 1000, found_version % 1000 / 10, architecture);
    default:
        return lab_fail(LAB_ERROR_COMPILER_UNAVAILABLE, "NVRTC %d.%d could not compile %s and gave no reason",
                        found_version / 1000, found_version % 1000 / 10, name);
    }
}

/* A file that the source includes may include the headers that every device has. */
static nvrtcResult create(nvrtcProgram *program, const char *source, const char *name)
{
    enum { MOST = 64 };
    const char *header[MOST], *text[MOST];
    int count = 0;
    for (const kernel_header *each = kernel_headers; each->name && count < MOST; each++) {
        if (each->needs & toolkit_headers) continue; /* the Toolkit's are read */
        header[count] = each->name;
        text[count++] = "";
    }
    return nvrtc.nvrtcCreateProgram(program, source, name, count, text, header);
}

lab_status cuda_nvrtc_compile(cuda_image *out, const char *source, const char *name, int architecture)
{
    nvrtcProgram program;
    int version;
    *out = (cuda_image){NULL, 0};
    LAB_TRY(cuda_nvrtc_open(&version));
    cuda_nvrtc_identity(); /* finds the headers */
    nvrtcResult result = create(&program, source, name);
    if (result != NVRTC_SUCCESS)
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "NVRTC has no memory to compile %s: %s", name,
                        nvrtc.nvrtcGetErrorString(result));
    lab_status status = compile(out, program, name, architecture);
    nvrtc.nvrtcDestroyProgram(&program);
    return status;
}
