/* nvcc's compiler and the parts of its PTX that labcc changes. */
#include "gpu_code.h"
#include "labcc/ptx/ptx_managed.h"
#include "labcc/ptx/ptx_names.h"

#include "seam/program/program_image.h"

#include "base/processes/process.h"
#include "base/system/text_file.h"

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
    if (options->links_device_code) arguments_add(&command, "-rdc=true", NULL);
    if (options->host) arguments_add(&command, "-ccbin", options->host, NULL);
    if (options->standard) arguments_add(&command, options->standard, NULL);
    arguments_add_all(&command, &options->all);
    arguments_add_all(&command, &options->gpu_compiler);
    arguments_add(&command, "-o", made, "-x", "cu", file, NULL);
    return arguments_run(&command, NULL, NULL, options->shows);
}

/* ---- what it made ---- */

static bool has_entry(const char *ptx, const program_kernel *kernel)
{
    const char *mangled = arguments_text("%.*s", kernel->mangled_length, kernel->mangled);
    char *name = program_ptx_name(mangled);
    const bool found = name && (strstr(ptx, arguments_text(".entry %s(", name)) ||
                                strstr(ptx, arguments_text(".entry %s" PROGRAM_PTX_FILE "(", name)));
    free(name);
    return found;
}

int labcc_make_ptx(char **ptx, const labcc_options *options, const char *folder, const char *file, const char *listed)
{
    const char *made = arguments_text("%s/gpu.ptx", folder);
    char *text;
    const int status = run_nvcc(options, file, made);
    if (status) return status;
    if (text_file_read(&text, made) != LAB_SUCCESS) {
        fprintf(stderr, "labcc: %s\n", lab_error_message());
        return EXIT_FAILURE;
    }
    labcc_rename_ptx(text);
    const bool is_file = options->action == LABCC_IMAGE; /* without host code, which would share variables */
    *ptx = is_file ? text : labcc_share_ptx_variables(text);
    if (!is_file) free(text);
    if (!*ptx) {
        fprintf(stderr, "labcc: no memory to compile %s\n", file);
        return EXIT_FAILURE;
    }
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
