/*
 * labcc: compiles CUDA programs as nvcc does, for the devices of this library (lib/docs/labcc.md).
 */
#include "cpu/compiler/temporary_folder.h"
#include "labcc/cuda_file.h"
#include "labcc/depends.h"
#include "labcc/explain.h"
#include "labcc/openmp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_CANNOT_CHECK = 2 };

static const char help[] =
    "usage: labcc [OPTION|FILE]...\n"
    "\n"
    "Compiles CUDA C++ files (.cu) and links them with C++ and C files, objects and libraries. The program runs on "
    "the\n"
    "CPU device, under the checks that LAB_ORDER, LAB_MEMCHECK, LAB_RACECHECK, LAB_INITCHECK, LAB_SYNCCHECK and\n"
    "LAB_SCHEDULE ask for. nvcc compiles the same files for a GPU.\n"
    "\n"
    "  --check [--limit SECONDS] [--out FOLDER] [OPTION]... FILE... [-- ARG...]\n"
    "                                          looks for mistakes: runs the program under all of these checks\n"
    "  -o FILE  -c  -E  -M  -x cu|c++|c        what is made\n"
    "  -ptx  -cubin  -fatbin                   makes a file of kernels for cuModuleLoad\n"
    "  -rdc=true  -dc                          kernels may use what other files define\n"
    "  -I -D -U -include -isystem -std -w      for every compiler\n"
    "  -O -g -Xcompiler LIST -W... -f... -m... for host code\n"
    "  -L -l -Xlinker LIST                     for the linker\n"
    "  -ccbin PROGRAM                          compiles C++ files and links (default: c++)\n"
    "  -fmad=false --default-stream per-thread as in nvcc\n"
    "  --gpu [-arch ARCH]                      code for a GPU too, which nvcc makes; LAB_DEVICE=cuda runs it\n"
    "  -v                                      shows the commands, and which options have no effect\n"
    "\n"
    "Other options of nvcc, such as -gencode and -lineinfo, are accepted and have no effect.\n";

/* CMake takes a compiler whose words have the second line as nvcc, and reads the third. */
static const char version[] = "labcc: CUDA C++ for the devices of lab.h, with the options of\n"
                              "nvcc: NVIDIA (R) Cuda compiler driver\n"
                              "Cuda compilation tools, release 12.4, V12.4.0\n";

static int compile_host_file(const labcc_options *options, const labcc_places *places, const char *folder,
                             const labcc_item *item, const char *object)
{
    arguments command = {0};
    const bool is_c = item->language == LABCC_C;
    arguments_add(&command, is_c ? "cc" : options->host ? options->host : "c++", "-I", places->cuda_headers, NULL);
    if (options->standard && !is_c) arguments_add(&command, options->standard, NULL);
    arguments_add_all(&command, &options->all);
    arguments_add_all(&command, &options->host_compiler);
    if (options->openmp) arguments_add(&command, "-fopenmp", NULL);
    if (options->action == LABCC_PREPROCESS) arguments_add(&command, "-E", NULL);
    if (object) arguments_add(&command, "-c", NULL);
    labcc_add_output(&command, options, object);
    labcc_depends_ask(&command, options, folder, item->text);
    arguments_add(&command, "-x", is_c ? "c" : "c++", item->text, NULL);
    const char *errors = arguments_text("%s/errors", folder);
    const int status = arguments_run(&command, NULL, errors, options->shows);
    labcc_explain(errors);
    return status;
}

/* Compiles all sources. What the linker gets goes to `link`, in the order of the command line. */
static int compile_all(arguments *link, const labcc_options *options, const labcc_places *places, const char *folder)
{
    const bool is_image = options->action == LABCC_IMAGE, links = options->action == LABCC_LINK;
    const bool keeps = is_image || options->action == LABCC_COMPILE;
    int status = 0;
    for (int i = 0; i < options->items && !status; i++) {
        const labcc_item *item = &options->item[i];
        if (item->language == LABCC_OBJECT || item->language == LABCC_LINKER_OPTION) {
            arguments_add(link, item->text, NULL);
            continue;
        }
        if (is_image && item->language != LABCC_CUDA) {
            fprintf(stderr, "labcc: %s has no kernels: %s files are made of .cu files\n", item->text, options->ending);
            return EXIT_FAILURE;
        }
        const char *object = keeps ? (options->output ? options->output : labcc_base_name(item->text, options->ending))
                             : links ? arguments_text("%s/%d.o", folder, i)
                                     : NULL;
        status = item->language == LABCC_CUDA ? labcc_compile_cuda(options, places, folder, item->text, object)
                                              : compile_host_file(options, places, folder, item, object);
        if (!status) status = labcc_depends_write(options, folder, item->text);
        if (object) arguments_add(link, object, NULL);
    }
    return status;
}

static int link_program(const arguments *objects, const labcc_options *options, const labcc_places *places,
                        const char *folder)
{
    arguments command = {0};
    arguments_add(&command, options->host ? options->host : "c++", "-o", options->output ? options->output : "a.out",
                  NULL);
    arguments_add_all(&command, &options->host_compiler);
    arguments_add_all(&command, objects);
    if (options->links_openmp) labcc_openmp_link(&command, options, folder);
    arguments_add(&command, arguments_text("-L%s", places->libraries),
                  arguments_text("-L%s/lab-cuda", places->libraries), "-llabcuda", "-llab", NULL);
    arguments_add_list(&command, (const char *const[]){LABCC_LIBRARIES NULL});
    const char *errors = arguments_text("%s/errors", folder);
    const int status = arguments_run(&command, NULL, errors, options->shows);
    labcc_explain_link(errors);
    return status;
}

/* Programs link device code when they run (cudart/register.c): nothing is left for the object that nvcc makes. */
static int make_empty_object(const labcc_options *options)
{
    arguments command = {0};
    const char *output = options->output ? options->output : "a_dlink.o";
    arguments_add(&command, "cc", "-x", "c", "-c", "-o", output, "/dev/null", NULL);
    return arguments_run(&command, NULL, NULL, options->shows);
}

/* What CMake reads of -v, as nvcc says it. Where CMake links itself, it takes the options of the command for that from
 * here and from the command with these libraries. */
static void show_places(const labcc_places *places)
{
    const char *path = getenv("PATH");
    fprintf(stderr, "#$ TOP=%s/..\n#$ NVVMIR_LIBRARY_DIR=%s/../nvvm/libdevice\n", places->libraries, places->libraries);
    fprintf(stderr, "#$ PATH=%s\n#$ INCLUDES=\"-I%s\"\n", path ? path : "", places->cuda_headers);
    fprintf(stderr, "#$ LIBRARIES=-L%s -L%s/lab-cuda\n#$ ARCHITECTURE=-arch compute_70\n", places->libraries,
            places->libraries);
}

static int run(const labcc_options *options)
{
    const labcc_places places = labcc_find_places();
    if (options->shows) show_places(&places);
    char folder[PATH_MAX];
    arguments objects = {0};
    bool any = false;
    for (int i = 0; i < options->items; i++) any = any || options->item[i].language != LABCC_LINKER_OPTION;
    if (!any) {
        fputs("labcc: no file to compile; labcc --help says more\n", stderr);
        return EXIT_FAILURE;
    }
    const char *single = options->depends.file ? "-MF" : options->output && options->action != LABCC_LINK ? "-o" : NULL;
    if (options->sources > 1 && single) {
        fprintf(stderr, "labcc: %s names one file, but several are compiled\n", single);
        return EXIT_FAILURE;
    }
    arguments_catch_signals();
    if (options->action == LABCC_DEVICE_LINK) return make_empty_object(options);
    if (temporary_folder_make(folder) != LAB_SUCCESS) {
        fprintf(stderr, "labcc: %s\n", lab_error_message());
        return EXIT_FAILURE;
    }
    int status = compile_all(&objects, options, &places, folder);
    if (!status && options->action == LABCC_LINK) status = link_program(&objects, options, &places, folder);
    temporary_folder_remove(folder);
    arguments_end_if_caught();
    return status;
}

/* Becomes the program that builds the rest of the command line with labcc and runs it under every check. */
static int check(int count, char **argument)
{
    const labcc_places places = labcc_find_places();
    arguments command = {0};
    arguments_add(&command, "python3", places.check, places.programs, NULL);
    for (int i = 0; i < count; i++) arguments_add(&command, argument[i], NULL);
    execvp(command.list[0], (char **)command.list);
    fputs("labcc: --check needs python3, which cannot be started\n", stderr);
    return EXIT_CANNOT_CHECK;
}

int main(int count, char **argument)
{
    if (count > 1 && strcmp(argument[1], "--check") == 0) return check(count - 2, argument + 2);
    labcc_options options;
    if (!labcc_options_read(&options, count, argument)) return EXIT_FAILURE;
    if (options.action == LABCC_HELP || options.action == LABCC_VERSION) {
        fputs(options.action == LABCC_HELP ? help : version, stdout);
        return EXIT_SUCCESS;
    }
    return run(&options);
}
