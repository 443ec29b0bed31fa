/* nvcc puts what is a file's own into namespaces whose names have the file's name and a hash. Here these namespaces get
 * clang's names, by which the host's code knows kernels and variables. */
#include "gpu_code.h"

#include "seam/program/program_image.h"

#include "base/system/process.h"
#include "base/system/text_file.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- nvcc ---- */

static bool find_nvcc(char path[PATH_MAX])
{
    static const char *const settings[] = {"CUDA_PATH", "CUDA_HOME"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *home = getenv(settings[i]);
        if (home && *home && snprintf(path, PATH_MAX, "%s/bin/nvcc", home) < PATH_MAX && lab_process_is_program(path))
            return true;
    }
    return lab_process_find(path, PATH_MAX, getenv("PATH"), "nvcc") ||
           lab_process_find(path, PATH_MAX, "/usr/local/cuda/bin", "nvcc");
}

static int run_nvcc(const labcc_options *options, const char *file, const char *made)
{
    arguments command = {0};
    char nvcc[PATH_MAX];
    if (!find_nvcc(nvcc)) {
        fputs("labcc: --gpu needs nvcc, which was not found; install the CUDA Toolkit, set CUDA_PATH to where it is, "
              "or leave --gpu out\n",
              stderr);
        return EXIT_FAILURE;
    }
    arguments_add(&command, nvcc, "-ptx", "-w", "--expt-relaxed-constexpr", "--extended-lambda", NULL);
    if (options->host) arguments_add(&command, "-ccbin", options->host, NULL);
    if (options->standard) arguments_add(&command, options->standard, NULL);
    arguments_add_all(&command, &options->all);
    arguments_add_all(&command, &options->gpu_compiler);
    arguments_add(&command, "-o", made, "-x", "cu", file, NULL);
    return arguments_run(&command, NULL, NULL, options->shows);
}

/* ---- names ---- */

/* The length, at least `least`, of the namespace at `name`, whose decimal number of letters ends there. 0 if none fits:
 * digits before the number may belong to the name before it. *number: where the number begins. */
static size_t namespace_length(const char **number, const char *text, const char *name, size_t least)
{
    for (const char *digit = name; digit > text && isdigit((unsigned char)digit[-1]);) {
        const size_t length = strtoul(--digit, NULL, 10);
        if (*digit == '0' || length < least || length > strcspn(name, " ,;:()[]\n")) continue;
        if (isdigit((unsigned char)name[length]) || name[length] == 'L') {
            *number = digit;
            return length;
        }
    }
    return 0;
}

/* Replaces each namespace whose name begins with `begins`, and the number before it. What it becomes is shorter. */
static void rename_namespaces(char *text, const char *begins, const char *becomes)
{
    char *out = text;
    const char *copied = text;
    for (const char *name = text; (name = strstr(name, begins));) {
        const char *number;
        const size_t length = namespace_length(&number, copied, name, strlen(begins) + 2);
        if (!length) {
            name++;
            continue;
        }
        memmove(out, copied, (size_t)(number - copied));
        out += number - copied;
        memcpy(out, becomes, strlen(becomes));
        out += strlen(becomes);
        copied = name += length;
    }
    memmove(out, copied, strlen(copied) + 1);
}

static bool has_entry(const char *ptx, const program_kernel *kernel)
{
    const char *mangled = arguments_text("%.*s", kernel->mangled_length, kernel->mangled);
    char *name = program_ptx_name(mangled);
    const bool found = name && strstr(ptx, arguments_text(".entry %s(", name));
    free(name);
    return found;
}

int labcc_make_ptx(char **ptx, const labcc_options *options, const char *folder, const char *file, const char *listed)
{
    const char *made = arguments_text("%s/gpu.ptx", folder);
    const int status = run_nvcc(options, file, made);
    if (status) return status;
    if (text_file_read(ptx, made) != LAB_SUCCESS) {
        fprintf(stderr, "labcc: %s\n", lab_error_message());
        return EXIT_FAILURE;
    }
    rename_namespaces(*ptx, "_INTERNAL_", "");
    rename_namespaces(*ptx, "_GLOBAL__N__", "12_GLOBAL__N_1");
    program_kernel kernel;
    for (const char *at = listed; program_image_next_kernel(&kernel, &at);) {
        if (has_entry(*ptx, &kernel)) continue;
        fprintf(stderr,
                "%s:%d: error: nvcc's code for %.*s has another name than clang's: labcc --gpu cannot launch it; "
                "give the kernel other types, or leave --gpu out\n",
                file, kernel.line, kernel.name_length, kernel.name);
        free(*ptx);
        return EXIT_FAILURE;
    }
    return 0;
}
