/* CUDA's compiler at run time: it keeps the source with its definitions and headers, compiles it to find its errors,
 * and gives it as an image. */
#include "../../../include/cuda/nvrtc.h"

#include "base/system/text_file.h"
#include "cudart/image.h"
#include "lab.h"
#include "seam/kernel_headers.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A list of texts that the program owns. */
typedef struct texts {
    char **text;
    int count;
} texts;

struct _nvrtcProgram {
    char *source, *name;
    texts header_text, header_name, expression;
    texts folder, file; /* of headers: those that the options name, and the files read from them */
    char *image, *log;  /* NULL before compilation */
    lab_module *module; /* of the compilation; it ends with its context, as unloading would wait for the device */
    bool failed;
};

static bool add_text(texts *list, const char *text)
{
    char **larger = realloc(list->text, ((size_t)list->count + 1) * sizeof *larger);
    if (!larger) return false;
    list->text = larger;
    list->text[list->count] = strdup(text);
    return list->text[list->count++] != NULL;
}

static void free_texts(texts *list)
{
    for (int i = 0; i < list->count; i++) free(list->text[i]);
    free(list->text);
    *list = (texts){0};
}

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
    free_texts(&(*program)->header_text);
    free_texts(&(*program)->header_name);
    free_texts(&(*program)->expression);
    free_texts(&(*program)->folder);
    free_texts(&(*program)->file);
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
        is_whole = add_text(&made->header_text, header_texts[i]) && add_text(&made->header_name, header_names[i]);
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
            const size_t name = strcspn(value, "=");
            fprintf(out, "#define %.*s %s\n", (int)name, value, value[name] ? value + name + 1 : "1");
        } else if ((value = value_of(option, count, &i, "-U", "--undefine-macro"))) {
            fprintf(out, "#undef %s\n", value);
        } else if ((value = value_of(option, count, &i, "-I", "--include-path"))) {
            if (!add_text(&program->folder, value)) return false;
        } else if (!is_accepted(option[i])) {
            return false;
        } else if (strcmp(option[i], "-arch") == 0) {
            i++;
        }
    }
    return true;
}

/* ---- source ---- */

/* What an include names. */
typedef struct inclusion {
    const char *name; /* NULL if the line is no include */
    int length;
    bool is_quoted;
} inclusion;

static inclusion read_inclusion(const char *line)
{
    while (*line == ' ' || *line == '\t') line++;
    if (*line++ != '#') return (inclusion){0};
    while (*line == ' ' || *line == '\t') line++;
    if (strncmp(line, "include", strlen("include")) != 0) return (inclusion){0};
    line += strlen("include");
    while (*line == ' ' || *line == '\t') line++;
    const char closing = *line == '<' ? '>' : *line == '"' ? '"' : '\0';
    const size_t length = closing ? strcspn(line + 1, (char[]){closing, '\n', '\0'}) : 0;
    return length && line[1 + length] == closing ? (inclusion){line + 1, (int)length, closing == '"'} : (inclusion){0};
}

static int find_text(const texts *list, const char *text, int length)
{
    for (int i = 0; i < list->count; i++)
        if (strlen(list->text[i]) == (size_t)length && strncmp(list->text[i], text, (size_t)length) == 0) return i;
    return -1;
}

/* Reads the header from the folder, if it is there. The caller frees the path. */
static char *read_from(char **text, const char *folder, int folder_length, const inclusion *header)
{
    char *path;
    const bool needs_slash = folder_length > 0 && folder[folder_length - 1] != '/';
    if (asprintf(&path, "%.*s%s%.*s", folder_length, folder, needs_slash ? "/" : "", header->length, header->name) < 0)
        return NULL;
    if (text_file_read(text, path) == LAB_SUCCESS) return path;
    free(path);
    return NULL;
}

/* Reads a header that is a file: next to the file that includes it, or in a folder of the options. Those that every
 * device has are left to the compiler. NULL if there is none. */
static char *read_header(char **text, const nvrtcProgram program, const inclusion *header, const char *from)
{
    const char *slash = strrchr(from, '/');
    if (kernel_headers_find(header->name, (size_t)header->length)) return NULL;
    char *path = header->is_quoted ? read_from(text, from, slash ? (int)(slash + 1 - from) : 0, header) : NULL;
    for (int i = 0; !path && i < program->folder.count; i++)
        path = read_from(text, program->folder.text[i], (int)strlen(program->folder.text[i]), header);
    return path;
}

static void write_source(FILE *out, nvrtcProgram program, const char *text, const char *name, int depth);

/* Writes a header. What is in a list of headers has its number there, by which the text counts once if it says so. */
static void write_header(FILE *out, nvrtcProgram program, const char *text, const char *name, const char *list,
                         int number, int depth)
{
    const bool once = strstr(text, "#pragma once");
    if (once) fprintf(out, "#ifndef LAB_ONCE_%s_%d\n#define LAB_ONCE_%s_%d\n", list, number, list, number);
    fprintf(out, "#line 1 \"%s\"\n", name);
    write_source(out, program, text, name, depth);
    fputs(once ? "\n#endif\n" : "\n", out);
}

/* Writes the header in the place of its include. False if it is the compiler's to find. */
static bool write_included(FILE *out, nvrtcProgram program, const inclusion *header, const char *from, int depth)
{
    const int given = find_text(&program->header_name, header->name, header->length);
    if (given >= 0) {
        write_header(out, program, program->header_text.text[given], program->header_name.text[given], "TEXT", given,
                     depth);
        return true;
    }
    char *text, *path = read_header(&text, program, header, from);
    if (!path) return false;
    int number = find_text(&program->file, path, (int)strlen(path));
    if (number < 0) number = add_text(&program->file, path) ? program->file.count - 1 : 0;
    write_header(out, program, text, path, "FILE", number, depth);
    free(text);
    free(path);
    return true;
}

/* Writes a text with its headers, whose arrays of dynamic shared memory are then the source's own. */
static void write_source(FILE *out, nvrtcProgram program, const char *text, const char *name, int depth)
{
    enum { MOST_DEPTH = 64 };
    int line = 1;
    for (const char *next; *text && depth < MOST_DEPTH; text = next, line++) {
        const char *end = strchr(text, '\n');
        next = end ? end + 1 : text + strlen(text);
        const inclusion header = read_inclusion(text);
        if (header.name && write_included(out, program, &header, name, depth + 1))
            fprintf(out, "#line %d \"%s\"\n", line + 1, name);
        else
            fwrite(text, 1, (size_t)(next - text), out);
    }
}

/* The whole source, as the compiler gets it. */
static nvrtcResult write_image(nvrtcProgram program, int options, const char *const *option)
{
    size_t bytes;
    FILE *out = open_memstream(&program->image, &bytes);
    if (!out) return NVRTC_ERROR_OUT_OF_MEMORY;
    fprintf(out, "%s%s\n", IMAGE_FIRST_LINE, program->name);
    const long begin = ftell(out);
    free_texts(&program->folder);
    const bool is_valid = write_options(out, program, options, option);
    if (ftell(out) != begin) fprintf(out, "#line 1 \"%s\"\n", program->name);
    write_source(out, program, program->source, program->name, 0);
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
    return add_text(&program->expression, expression) ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
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
