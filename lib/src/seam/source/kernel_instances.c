/* The parameters' types are those of the function that the expression names, which only the compiler knows. */
#include "kernel_instances.h"

#include "base/status.h"
#include "seam/kernel_scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char parameters_text[] =
    "#line 1 \"<instances>\"\n"
    "template <int lab_n, class lab_f> struct lab_parameter;\n"
    "template <class lab_r, class lab_p, class... lab_q> struct lab_parameter<0, lab_r (*)(lab_p, lab_q...)>\n"
    "{ typedef lab_p type; };\n"
    "template <int lab_n, class lab_r, class lab_p, class... lab_q>\n"
    "struct lab_parameter<lab_n, lab_r (*)(lab_p, lab_q...)> : lab_parameter<lab_n - 1, lab_r (*)(lab_q...)> {};\n";

static bool is_name_character(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The function's own name in an expression: "scale" in "space::scale<float>". */
static const char *function_name(int *length, const char *expression)
{
    const char *end = expression + strcspn(expression, "<"), *begin;
    while (end > expression && isspace((unsigned char)end[-1])) end--;
    for (begin = end; begin > expression && is_name_character(begin[-1]);) begin--;
    *length = (int)(end - begin);
    return begin;
}

static bool has_name(const scanned_kernel *kernel, const char *expression)
{
    int length;
    const char *name = function_name(&length, expression);
    return strlen(kernel->name) == (size_t)length && strncmp(kernel->name, name, (size_t)length) == 0;
}

static const scanned_kernel *find_head(const kernel_scan *heads, const char *expression)
{
    for (int i = 0; i < heads->kernels; i++)
        if (heads->kernel[i].is_defined && has_name(&heads->kernel[i], expression)) return &heads->kernel[i];
    return NULL;
}

static bool is_taken(const kernel_instances *instances, const char *name, const char *source)
{
    for (int i = 0; i < instances->kernel.count; i++)
        if (strcmp(instances->kernel.text[i], name) == 0) return true;
    return strstr(source, name);
}

/* A name for the expression's kernel that is neither in the source nor that of another: "scale_float". */
static bool name_kernel(kernel_instances *instances, const char *expression, const char *source)
{
    size_t length = 0;
    char *name = calloc(strlen(expression) + (size_t)instances->kernel.count + strlen(source) + 2, 1);
    if (!name) return false;
    for (const char *c = expression; *c; c++)
        if (is_name_character(*c))
            name[length++] = *c;
        else if (length && name[length - 1] != '_')
            name[length++] = '_';
    while (length > 1 && name[length - 1] == '_') name[--length] = '\0';
    while (is_taken(instances, name, source)) name[length++] = '_';
    const bool added = text_list_add(&instances->kernel, name) && text_list_add(&instances->expression, expression);
    free(name);
    return added;
}

static void write_parameter(FILE *out, const scanned_kernel *head, int which)
{
    if (*head->param[which])
        fputs(head->param[which], out);
    else
        fprintf(out, "lab_unnamed_%d", which);
}

static void write_kernel(FILE *out, const scanned_kernel *head, const char *expression, const char *name)
{
    fprintf(out, "extern \"C\" __global__ void %s(", name);
    for (int i = 0; i < head->params; i++) {
        fprintf(out, "%slab_parameter<%d, decltype(&%s)>::type ", i ? ", " : "", i, expression);
        write_parameter(out, head, i);
    }
    fprintf(out, ") { %s(", expression);
    for (int i = 0; i < head->params; i++) {
        if (i) fputs(", ", out);
        write_parameter(out, head, i);
    }
    fprintf(out, "); }\n");
}

static bool is_named(const scanned_kernel *kernel, const char *const *expressions)
{
    for (; *expressions; expressions++)
        if (has_name(kernel, *expressions)) return true;
    return false;
}

/* Writes the head without what only a kernel can have. */
static void write_head(FILE *out, const scanned_kernel *kernel)
{
    static const char mark[] = "__global__", bounds[] = "__launch_bounds__";
    fputs("__device__", out);
    for (const char *c = kernel->head + strlen(mark); c < kernel->head_end;) {
        if (strncmp(c, bounds, strlen(bounds)) != 0) {
            fputc(*c++, out);
            continue;
        }
        int depth = 0;
        for (c += strlen(bounds); c < kernel->head_end; c++) {
            depth += (*c == '(') - (*c == ')');
            if (*c == '\n') fputc('\n', out);
            if (*c == ')' && depth == 0 && c++) break;
        }
    }
}

static void write_source(FILE *out, const kernel_scan *heads, const char *source, const char *const *expressions)
{
    for (int i = 0; i < heads->kernels; i++) {
        const scanned_kernel *kernel = &heads->kernel[i];
        if (!is_named(kernel, expressions)) continue;
        fwrite(source, 1, (size_t)(kernel->head - source), out);
        write_head(out, kernel);
        source = kernel->head_end;
    }
    fprintf(out, "%s\n%s", source, parameters_text);
}

static lab_status write_all(FILE *out, kernel_instances *instances, const kernel_scan *heads, const char *source,
                            const char *name, const char *const *expressions)
{
    write_source(out, heads, source, expressions);
    for (int i = 0; expressions[i]; i++) {
        const scanned_kernel *head = find_head(heads, expressions[i]);
        if (!head || strpbrk(expressions[i], "\n\r"))
            return lab_fail(LAB_ERROR_NOT_FOUND, "%s defines no kernel, nor a template of one, for the name '%s'", name,
                            expressions[i]);
        if (!name_kernel(instances, expressions[i], source))
            return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to read %s", name);
        write_kernel(out, head, expressions[i], instances->kernel.text[i]);
    }
    return LAB_SUCCESS;
}

lab_status kernel_instances_write(char **out, kernel_instances *instances, const char *source, const char *name,
                                  const char *const *expressions)
{
    kernel_scan heads;
    size_t bytes;
    *out = NULL;
    *instances = (kernel_instances){0};
    if (!kernel_scan_heads(&heads, source)) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to read %s", name);
    FILE *text = open_memstream(out, &bytes);
    lab_status status = text ? write_all(text, instances, &heads, source, name, expressions) : LAB_ERROR_OUT_OF_MEMORY;
    if (!text || fclose(text) != 0) status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to read %s", name);
    kernel_scan_free(&heads);
    if (status == LAB_SUCCESS) return status;
    kernel_instances_free(instances);
    free(*out);
    *out = NULL;
    return status;
}

const char *kernel_instances_find(const kernel_instances *instances, const char *name)
{
    for (int i = 0; i < instances->expression.count; i++)
        if (strcmp(instances->expression.text[i], name) == 0) return instances->kernel.text[i];
    return name;
}

void kernel_instances_free(kernel_instances *instances)
{
    text_list_free(&instances->expression);
    text_list_free(&instances->kernel);
}
