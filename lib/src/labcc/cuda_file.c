/* The device's code comes first: what a GPU could not run is then said before anything else. */
#include "cuda_file.h"
#include "depends.h"
#include "explain.h"
#include "gpu_code.h"
#include "managed.h"
#include "openmp.h"
#include "overlay.h"
#include "prelude.h"

#include "cpu/compiler/clang.h"
#include "cpu/compiler/clang_options.h"
#include "cpu/compiler/link_parts.h"
#include "cpu/ir/debug.h"
#include "cpu/passes/host_code.h"
#include "cpu/retarget/parts.h"
#include "cpu/retarget/retarget.h"
#include "base/system/text_file.h"
#include "seam/program/program_image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct unit {
    const labcc_options *options;
    const labcc_places *places;
    const char *folder, *file;
    const char *prelude, *code, *image, *errors; /* files in the folder; */
    const char *host_code;                       /* NULL if the host's code is left as clang makes it */
    labcc_overlay overlay;
    cpu_clang clang;
} unit;

/* Whether the program links this file's code for devices with that of other files. */
static bool is_linked(const unit *u) { return u->options->links_device_code && u->options->action != LABCC_IMAGE; }

/* Both passes. Places in the library's and the system's headers count as the line that calls them (ir/debug.h). */
static void add_front_end(arguments *command, const unit *u)
{
    arguments_add(command, u->clang.program, NULL);
    arguments_add_list(command, clang_cuda);
    arguments_add(command, "-I", u->places->cuda_headers, "-include", u->prelude, NULL);
    if (u->overlay.files) arguments_add(command, "-ivfsoverlay", u->overlay.path, NULL);
    if (u->options->standard) arguments_add(command, u->options->standard, NULL);
    arguments_add_all(command, &u->options->all);
}

static bool is_of_others(const unit *u, const char *path)
{
    return strncmp(path, "/usr/", 5) == 0 ||
           strncmp(path, u->places->cuda_headers, strlen(u->places->cuda_headers)) == 0;
}

/* Adds the program's own headers, as far as their launches are spaced. Whether there are any. */
static bool close_launches_of_headers(unit *u)
{
    arguments command = {0};
    char *text;
    add_front_end(&command, u);
    arguments_add(&command, "--cuda-device-only", "--cuda-gpu-arch=sm_70", "-w", "-E", "-H", "-o", "/dev/null", u->file,
                  NULL);
    const char *headers = arguments_text("%s/headers", u->folder);
    arguments_run(&command, NULL, headers, u->options->shows);
    if (text_file_read(&text, headers) != LAB_SUCCESS) return false;
    const int before = u->overlay.files;
    for (char *line = text, *end; line && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        const char *path = line + strspn(line, ".");
        if (path > line && *path == ' ' && !is_of_others(u, path + 1)) labcc_overlay_add(&u->overlay, path + 1);
    }
    free(text);
    return u->overlay.files > before;
}

/* ---- the device's code ---- */

/* The message about code that a kernel cannot have, with its line if the code tells. */
static void say_host_code(const unit *u, const host_code *found, const char *ir)
{
    debug_info debug;
    debug_place place = {0};
    bool known = debug_read(&debug, ir) && found->line.length && debug_find(&place, &debug, found->line);
    for (const char *at = ir; !known && found->name.length;) {
        const span line = ir_line(at);
        if (!line.length) break;
        const char *after;
        for (const char *use = *line.start == ' ' ? line.start : span_end(line); !known;) {
            const span used = ir_next_name('@', use, span_end(line), &after);
            if (!used.length) break;
            if (span_equal(used, found->name)) known = debug_find(&place, &debug, line);
            use = after;
        }
        at += line.length;
    }
    if (known)
        fprintf(stderr, "%.*s:%u: error: ", (int)place.file.length, place.file.start, place.line);
    else
        fprintf(stderr, "%s: error: ", u->file);
    const span name = cpu_ir_source_name(ir_without_managed(found->name));
    fprintf(stderr, "%.*s%s\n", (int)name.length, name.start, found->what);
    debug_free(&debug);
}

/* Finds what another file defines, if this file's code is not linked with that of others. */
static bool find_undefined(const unit *u, host_code *found, const char *ir)
{
    *found = (host_code){.what = " is declared, but not defined in this file, where kernels need it: compile all files "
                                 "with -rdc=true, as for nvcc"};
    return !is_linked(u) && cpu_ir_find_undefined(&found->name, ir);
}

/* The code of a file that may be linked with others. The caller frees it. */
static char *code_to_link(const unit *u, const char *code, const char *retargeted)
{
    char *text;
    span name;
    if (!is_linked(u)) return NULL;
    const char *needs = cpu_needs_others(&name, retargeted) ? PROGRAM_NEEDS : "";
    return asprintf(&text, "%s%s", needs, code) < 0 ? NULL : text;
}

static int write_image(const unit *u, const cpu_text *cpu, const char *code)
{
    char *ptx = NULL, *link = code_to_link(u, code, cpu->data);
    const int status = u->options->gpu ? labcc_make_ptx(&ptx, u->options, u->folder, u->file, cpu->data) : 0;
    if (status) return status;
    FILE *out = fopen(u->image, "w");
    const program_image image = {.cpu = cpu->data,
                                 .cpu_bytes = cpu->size,
                                 .ptx = ptx,
                                 .ptx_bytes = ptx ? strlen(ptx) : 0,
                                 .link = link,
                                 .link_bytes = link ? strlen(link) : 0};
    if (out) program_image_write(out, &image);
    free(ptx);
    free(link);
    if (out && fclose(out) == 0) return 0;
    fprintf(stderr, "labcc: %s cannot be written: %s\n", u->image, strerror(errno));
    return EXIT_FAILURE;
}

static int make_image(const unit *u)
{
    char *code;
    cpu_text made = {0};
    host_code found;
    int status = EXIT_FAILURE;
    if (text_file_read(&code, u->code) != LAB_SUCCESS) {
        fprintf(stderr, "labcc: %s\n", lab_error_message());
        return EXIT_FAILURE;
    }
    if (!cpu_ir_retarget(&made, code))
        fprintf(stderr, "labcc: no memory to compile %s\n", u->file);
    else if (find_undefined(u, &found, made.data) || ir_find_host_code(&found, made.data, !is_linked(u)))
        say_host_code(u, &found, made.data);
    else
        status = write_image(u, &made, code);
    free(made.data);
    free(code);
    return status;
}

static int run_device_pass(const unit *u)
{
    arguments command = {0};
    add_front_end(&command, u);
    arguments_add_list(&command, clang_cuda_device);
    if (u->options->action == LABCC_IMAGE) labcc_depends_ask(&command, u->options, u->folder, u->file);
    arguments_add(&command, arguments_text("-fdebug-prefix-map=%s=<CUDA headers>", u->places->cuda_headers), NULL);
    arguments_add_all(&command, &u->options->device);
    arguments_add(&command, "-o", u->code, u->file, NULL);
    return arguments_run(&command, NULL, u->errors, u->options->shows);
}

/* What headers are included shows only in a run: it is asked for where the file does not compile. */
static int compile_device_code(unit *u)
{
    int status = run_device_pass(u);
    if (status && close_launches_of_headers(u)) status = run_device_pass(u);
    labcc_explain(u->errors);
    return status ? status : make_image(u);
}

/* ---- the host's code ---- */

/* clang leaves memcpy and its sisters to the sanitizer's library, which takes their places. Here the object calls the
 * functions that tell of an access (cudart/host_accesses.c), and the library's own copies stay what they are. */
static int rename_copies(const unit *u, const char *object)
{
    arguments command = {0};
    arguments_add(&command, "objcopy", "--redefine-sym", "memcpy=__tsan_memcpy", "--redefine-sym",
                  "memmove=__tsan_memmove", "--redefine-sym", "memset=__tsan_memset", object, NULL);
    return arguments_run(&command, NULL, NULL, u->options->shows);
}

static void add_host_accesses(arguments *command, const unit *u)
{
    if (!u->options->host_accesses) return;
    arguments_add(command, "-g", "-fsanitize=thread", "-mllvm", "-tsan-instrument-atomics=0", "-mllvm",
                  "-tsan-instrument-func-entry-exit=0", NULL);
}

/* The host's code of a file whose variables the host shares stops on its way, where they get their linkage. */
static int compile_shared(const unit *u, const char *object)
{
    arguments command = {0};
    if (!labcc_share_variables(u->host_code, u->code, is_linked(u), u->options->gpu)) {
        fprintf(stderr, "labcc: %s cannot be written\n", u->host_code);
        return EXIT_FAILURE;
    }
    arguments_add(&command, u->clang.program, "--driver-mode=g++", "-x", "ir", "-w", NULL);
    arguments_add_all(&command, &u->options->host_compiler);
    add_host_accesses(&command, u);
    arguments_add(&command, "-c", "-o", object, u->host_code, NULL);
    return arguments_run(&command, NULL, NULL, u->options->shows);
}

static int compile_host_code(const unit *u, const char *object)
{
    arguments command = {0};
    const bool stops = object && u->host_code;
    add_front_end(&command, u);
    arguments_add_list(&command, clang_cuda_host);
    if (object) arguments_add(&command, "-Xclang", "-fcuda-include-gpubinary", "-Xclang", u->image, NULL);
    arguments_add_all(&command, &u->options->host_compiler);
    if (u->options->openmp) arguments_add(&command, "-fopenmp", NULL);
    if (u->options->action == LABCC_PREPROCESS) arguments_add(&command, "-E", NULL);
    if (object) add_host_accesses(&command, u);
    if (stops)
        arguments_add(&command, "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-o", u->host_code, NULL);
    else if (object)
        arguments_add(&command, "-c", NULL);
    if (!stops) labcc_add_output(&command, u->options, object);
    labcc_depends_ask(&command, u->options, u->folder, u->file);
    arguments_add(&command, u->file, NULL);
    int status = arguments_run(&command, NULL, u->errors, u->options->shows);
    labcc_explain(u->errors);
    if (status == 0 && stops) status = compile_shared(u, object);
    return status == 0 && object && u->options->host_accesses ? rename_copies(u, object) : status;
}

int labcc_compile_cuda(const labcc_options *options, const labcc_places *places, const char *folder, const char *file,
                       const char *object)
{
    unit u = {.options = options, .places = places, .folder = folder, .file = file};
    if (cpu_clang_find(&u.clang) != LAB_SUCCESS) {
        fprintf(stderr, "labcc: %s\n", lab_error_message());
        return EXIT_FAILURE;
    }
    if (options->openmp && !labcc_openmp_is_there(options, folder)) return EXIT_FAILURE;
    u.prelude = arguments_text("%s/" DEPENDS_PRELUDE, folder);
    u.code = arguments_text("%s/device.ll", folder);
    u.image = arguments_text("%s/image", folder);
    u.errors = arguments_text("%s/errors", folder);
    u.overlay = labcc_overlay_in(folder);
    if (!labcc_write_prelude(u.prelude, is_linked(&u)) || !labcc_overlay_add(&u.overlay, file)) {
        fprintf(stderr, "labcc: %s: the files for clang cannot be written\n", folder);
        return EXIT_FAILURE;
    }
    if (options->action == LABCC_IMAGE) {
        u.image = object;
        return compile_device_code(&u);
    }
    const int status = object ? compile_device_code(&u) : 0;
    if (status) return status;
    if (object && (is_linked(&u) || labcc_has_managed(u.code))) u.host_code = arguments_text("%s/host.ll", folder);
    return compile_host_code(&u, object);
}
