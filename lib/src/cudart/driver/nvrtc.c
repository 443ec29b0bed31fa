/* CUDA's compiler at run time: it keeps the source with its definitions and headers, compiles it to find its errors,
 * and gives it as an image. */
#include "../../../include/cuda/nvrtc.h"

#include "cudart/image.h"
#include "lab.h"
#include "seam/source/source_headers.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct _nvrtcProgram {
    char *source, *name;
    text_list expression;
    source_headers headers;
    char *image, *log;  /* NULL before compilation */
    lab_module *module; /* of the compilation; it ends with its context, as unloading would wait for the device */
    bool failed;
};

const char *nvrtcGetErrorString(nvrtcResult result)
{
    switch (result) {
#define NAME(name, code)                                                                                               \
    case name: return #name;
        LAB_NVRTC_RESULT_TABLE(NAME)
#undef NAME
    }
    return "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    if (!major || !minor) return NVRTC_ERROR_INVALID_INPUT;
    *major = 12;
    *minor = 4;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    if (!program || !*program) return NVRTC_ERROR_INVALID_PROGRAM;
    text_list_free(&(*program)->expression);
    source_headers_free(&(*program)->headers);
    free((*program)->source);
    free((*program)->name);
    free((*program)->image);
    free((*program)->log);
    free(*program);
    *program = NULL;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int headers,
                               const char *const *header_texts, const char *const *header_names)
{
    if (!program || !source || headers < 0 || (headers && (!header_texts || !header_names)))
        return NVRTC_ERROR_INVALID_INPUT;
    nvrtcProgram made = calloc(1, sizeof *made);
    bool is_whole = made && (made->source = strdup(source)) && (made->name = strdup(name ? name : "default_program"));
    for (int i = 0; is_whole && i < headers; i++)
        is_whole =
            text_list_add(&made->headers.text, header_texts[i]) && text_list_add(&made->headers.name, header_names[i]);
    if (is_whole)
        *program = made;
    else if (made)
        nvrtcDestroyProgram(&made);
    return is_whole ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
}

/* ---- options ---- */

/* Options that name the architecture, the language or how to optimise: no effect. */
static bool is_accepted(const char *option)
{
    static const char *const beginning[] = {"-arch",
                                            "--gpu-architecture",
                                            "-std",
                                            "--std",
                                            "-G",
                                            "-lineinfo",
                                            "--generate-line-info",
                                            "--device-debug",
                                            "-use_fast_math",
                                            "--use_fast_math",
                                            "-fmad",
                                            "--fmad",
                                            "-ftz",
                                            "--ftz",
                                            "-prec-",
                                            "--prec-",
                                            "-maxrregcount",
                                            "--maxrregcount",
                                            "-w",
                                            "--disable-warnings",
                                            "-restrict",
                                            "--restrict",
                                            "-default-device",
                                            "--device-as-default-execution-space",
                                            "-rdc",
                                            "--relocatable-device-code",
                                            "-dc",
                                            "-dw",
                                            "-O",
                                            "--dopt",
                                            "-dopt",
                                            "--diag",
                                            "-diag",
                                            "-no-source-include",
                                            "--extra-device-vectorization",
                                            "-extra-device-vectorization",
                                            "--ptxas-options",
                                            "-Xptxas",
                                            "--time"};
    for (size_t i = 0; i < sizeof beginning / sizeof *beginning; i++)
        if (strncmp(option, beginning[i], strlen(beginning[i])) == 0) return true;
    return false;
}

/* What follows the option's name: in the same text, or in the next. NULL if it is another option. */
static const char *value_of(const char *const *option, int count, int *at, const char *shorter, const char *longer)
{
    const char *text = option[*at];
    for (int i = 0; i < 2; i++) {
        const char *name = i ? longer : shorter;
        if (strncmp(text, name, strlen(name)) != 0) continue;
        const char *value = text + strlen(name) + (text[strlen(name)] == '=');
        return *value ? value : *at + 1 < count ? option[++*at] : NULL;
    }
    return NULL;
}

static bool write_options(FILE *out, nvrtcProgram program, int count, const char *const *option)
{
    for (int i = 0; i < count; i++) {
        const char *value;
        if ((value = value_of(option, count, &i, "-D", "--define-macro"))) {
            source_define(out, value);
        } else if ((value = value_of(option, count, &i, "-U", "--undefine-macro"))) {
            fprintf(out, "#undef %s\n", value);
        } else if ((value = value_of(option, count, &i, "-I", "--include-path"))) {
            if (!text_list_add(&program->headers.folder, value)) return false;
        } else if (!is_accepted(option[i])) {
            return false;
        } else if (strcmp(option[i], "-arch") == 0) {
            i++;
        }
    }
    return true;
}

/* The whole source, as the compiler gets it. */
static nvrtcResult write_image(nvrtcProgram program, int options, const char *const *option)
{
    size_t bytes;
    FILE *out = open_memstream(&program->image, &bytes);
    if (!out) return NVRTC_ERROR_OUT_OF_MEMORY;
    fprintf(out, "%s%s\n", IMAGE_FIRST_LINE, program->name);
    const long begin = ftell(out);
    text_list_free(&program->headers.folder);
    const bool is_valid = write_options(out, program, options, option);
    if (ftell(out) != begin) fprintf(out, "#line 1 \"%s\"\n", program->name);
    source_write(out, &program->headers, program->source, program->name);
    if (fclose(out) != 0) return NVRTC_ERROR_OUT_OF_MEMORY;
    return is_valid ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_OPTION;
}

/* ---- compilation ---- */

/* Whether the name is that of a kernel or variable, as it stands. */
static bool is_found(nvrtcProgram program, const char *name)
{
    lab_function function;
    lab_deviceptr address;
    size_t bytes;
    while (*name == '&' || isspace((unsigned char)*name)) name++;
    return lab_module_get_function(&function, program->module, name) == LAB_SUCCESS ||
           lab_module_get_global(&address, &bytes, program->module, name) == LAB_SUCCESS;
}

static nvrtcResult compile(nvrtcProgram program)
{
    const char *source = strchr(program->image, '\n') + 1;
    const lab_status status = lab_module_load_source(&program->module, source, program->name);
    if (status != LAB_SUCCESS) {
        program->log = strdup(lab_error_message());
        return status == LAB_ERROR_INVALID_SOURCE ? NVRTC_ERROR_COMPILATION : NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
    for (int i = 0; i < program->expression.count; i++) {
        if (is_found(program, program->expression.text[i])) continue;
        if (asprintf(&program->log, "'%s' is no kernel or variable; instances of templates have no lowered names here",
                     program->expression.text[i]) < 0)
            program->log = NULL;
        return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    }
    program->log = strdup("");
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int options, const char *const *option)
{
    if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
    if (options < 0 || (options && !option)) return NVRTC_ERROR_INVALID_INPUT;
    free(program->image);
    free(program->log);
    program->image = program->log = NULL;
    nvrtcResult result = write_image(program, options, option);
    if (result == NVRTC_SUCCESS) result = compile(program);
    program->failed = result != NVRTC_SUCCESS;
    return result;
}

/* ---- what compilation gives ---- */

static nvrtcResult give_size(nvrtcProgram program, size_t *bytes, bool is_log)
{
    if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
    const char *text = is_log ? program->log : program->image;
    if (!bytes || (program->failed && !is_log)) return NVRTC_ERROR_INVALID_INPUT;
    *bytes = (text ? strlen(text) : 0) + 1;
    return NVRTC_SUCCESS;
}

static nvrtcResult give_text(nvrtcProgram program, char *out, bool is_log)
{
    size_t bytes;
    const nvrtcResult failed = give_size(program, out ? &bytes : NULL, is_log);
    if (failed != NVRTC_SUCCESS) return failed;
    const char *text = is_log ? program->log : program->image;
    memcpy(out, text ? text : "", bytes);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes) { return give_size(program, bytes, false); }
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *image) { return give_text(program, image, false); }
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes) { return give_size(program, bytes, false); }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *image) { return give_text(program, image, false); }
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes) { return give_size(program, bytes, true); }
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log) { return give_text(program, log, true); }

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression)
{
    if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression) return NVRTC_ERROR_INVALID_INPUT;
    if (program->image) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    return text_list_add(&program->expression, expression) ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **lowered)
{
    if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression || !lowered) return NVRTC_ERROR_INVALID_INPUT;
    if (!program->image) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (int i = 0; i < program->expression.count; i++) {
        if (strcmp(program->expression.text[i], expression) != 0) continue;
        *lowered = program->expression.text[i];
        while (**lowered == '&' || isspace((unsigned char)**lowered)) ++*lowered;
        return NVRTC_SUCCESS;
    }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}
