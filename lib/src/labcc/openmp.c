/* Where there is no library of clang's, C++ files still get gcc's. */
#include "openmp.h"

#include "base/system/text_file.h"
#include "cpu/compiler/clang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What clang answers, with `more` behind it. NULL if there is no such file. */
static char *ask(const labcc_options *options, const char *folder, const char *question, const char *more)
{
    cpu_clang clang;
    char *answer;
    arguments command = {0};
    const char *output = arguments_text("%s/openmp", folder);
    if (cpu_clang_find(&clang) != LAB_SUCCESS) return NULL;
    arguments_add(&command, clang.program, question, NULL);
    if (arguments_run(&command, output, NULL, options->shows) || text_file_read(&answer, output) != LAB_SUCCESS)
        return NULL;
    char *path = arguments_text("%.*s%s", (int)strcspn(answer, "\n"), answer, more);
    free(answer);
    return realpath(path, NULL);
}

/* The library's path: in the folder of LLVM's libraries, or of the system's. NULL if there is none. */
static char *find_library(const labcc_options *options, const char *folder)
{
    char *own = ask(options, folder, "-print-resource-dir", "/../../libomp.so");
    return own ? own : ask(options, folder, "-print-file-name=libomp.so", "");
}

bool labcc_openmp_is_there(const labcc_options *options, const char *folder)
{
    if (find_library(options, folder)) return true;
    fputs("labcc: -fopenmp: CUDA files need clang's OpenMP library, which is not installed (Debian: libomp-dev)\n",
          stderr);
    return false;
}

void labcc_openmp_link(arguments *command, const labcc_options *options, const char *folder)
{
    const char *library = find_library(options, folder);
    if (library)
        arguments_add(command, library,
                      arguments_text("-Wl,-rpath,%.*s", (int)(strrchr(library, '/') - library), library), NULL);
    else
        arguments_add(command, "-fopenmp", NULL);
}
