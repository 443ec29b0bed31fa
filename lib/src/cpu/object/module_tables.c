/* The tables are arrays of C, which the front end and the passes write (builtins_entry.cuh, facts.h). */
#include "module_tables.h"

#include "base/status.h"
#include "cpu/builtins/wait_name.h"
#include "cpu/passes/facts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMS = 4096, MOST_REGIONS = 255 };

/* ---- Reading ---- */

/* A kernel of the object's table, completed by what its code showed. */
static cpu_kernel complete_kernel(const cpu_kernel *listed, const cpu_facts *facts, const char *const text[CPU_TEXTS])
{
    cpu_kernel kernel = *listed;
    kernel.split = facts->split;
    const char *suspends = text[CPU_TEXT_SUSPENDS];
    kernel.suspends = *suspends ? suspends : kernel.split ? cpu_split_wait_name(kernel.split) : NULL;
    kernel.shared_bytes = facts->shared_bytes;
    kernel.dynamic_shared = facts->shared_dynamic != 0;
    kernel.access = strlen(text[CPU_TEXT_ACCESS]) == (size_t)kernel.params ? text[CPU_TEXT_ACCESS] : "";
    kernel.variable_access = text[CPU_TEXT_VARIABLES];
    return kernel;
}

/* Leaves out functions that are not kernels after all: removed by the preprocessor, or not extern "C". */
lab_status module_tables_read(cpu_module *module, module_symbol find, void *object, const char *name)
{
    const cpu_kernel *table = find(object, "lab_kernels");
    const cpu_facts *facts = find(object, "lab_facts");
    const char *text = find(object, "lab_texts");
    module->variable = find(object, "lab_variable_table");
    module->variable_names = find(object, "lab_variable_names");
    int count = 0;
    while (table && table[count].name) ++count;
    if (!table || (count > 0 && !(facts && text && module->variable && module->variable_names)))
        return lab_fail(LAB_ERROR_UNKNOWN, "the compiled code of %s has no table of kernels", name);
    cpu_kernel *kernel = calloc((size_t)count + 1, sizeof *kernel);
    if (!kernel) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to load %s", name);
    module->kernel = kernel;
    for (int i = 0; i < count; ++i) {
        const char *own[CPU_TEXTS];
        for (int t = 0; t < CPU_TEXTS; ++t, text += strlen(text) + 1) own[t] = text;
        if (!facts[i].callable) continue;
        cpu_kernel *made = &kernel[module->kernels++];
        *made = complete_kernel(&table[i], &facts[i], own);
        *(void **)&made->variables = find(object, "lab_variables");
    }
    return LAB_SUCCESS;
}

/* ---- Checking ---- */

/* Whether `count` elements lie in the image, aligned as every table is. */
static bool holds(const object_image *image, const void *table, uint64_t count, size_t element)
{
    const uint64_t at = (uint64_t)((uintptr_t)table - (uintptr_t)image->memory);
    return at < image->bytes && at % 8 == 0 && count <= (image->bytes - at) / element;
}

static bool has_letter(const object_image *image, const char *text)
{
    return (uintptr_t)text - (uintptr_t)image->memory < image->bytes;
}

/* The end of so many texts, one after another; NULL if the image ends before. */
static const char *skip_texts(const object_image *image, const char *text, uint64_t count)
{
    for (; count > 0; count--) {
        if (!text || !has_letter(image, text)) return NULL;
        text += strlen(text) + 1;
    }
    return text;
}

static bool param_is_sound(const object_image *image, const cpu_param *param)
{
    const bool number = param->kind == CPU_PARAM_INTEGER || param->kind == CPU_PARAM_FLOAT;
    return has_letter(image, param->name) && has_letter(image, param->type) &&
           (unsigned)param->kind <= CPU_PARAM_BYTES && (unsigned)param->element <= CPU_ELEMENT_BFLOAT16 &&
           param->size <= MODULE_MOST_ARGUMENT_BYTES && (!number || param->size <= 16) &&
           (param->kind != CPU_PARAM_POINTER || param->size == sizeof(void *));
}

static bool kernel_is_sound(const object_image *image, const cpu_kernel *kernel)
{
    size_t bytes = 0;
    if (!has_letter(image, kernel->name) || kernel->params < 0 || kernel->params > MOST_PARAMS ||
        !holds(image, kernel->param, (uint64_t)kernel->params, sizeof *kernel->param))
        return false;
    for (int i = 0; i < kernel->params; i++) {
        if (!param_is_sound(image, &kernel->param[i])) return false;
        bytes += module_argument_bytes(&kernel->param[i]);
    }
    return bytes <= MODULE_MOST_ARGUMENT_BYTES;
}

static bool split_is_sound(const object_image *image, const cpu_split *split)
{
    if (!split) return true;
    if (!holds(image, split, 1, sizeof *split) || split->regions > MOST_REGIONS ||
        !holds(image, split->place, split->regions, sizeof *split->place))
        return false;
    for (unsigned long i = 0; i < split->regions; i++)
        if (split->place[i].kind != ~0u && split->place[i].kind > CPU_WAIT_REDUCE_MAX) return false;
    return true;
}

/* The number of the module's variables, with the end of the table; -1 if they do not lie in the image. */
static int64_t count_variables(const object_image *image, const cpu_variable *table, const char *names)
{
    int64_t count = 0;
    for (;; count++, table++) {
        if (!holds(image, table, 1, sizeof *table)) return -1;
        if (!table->address) break;
        const uint64_t at = table->address - (uintptr_t)image->memory;
        if (at > image->bytes || table->bytes > image->bytes - at) return -1;
    }
    return skip_texts(image, names, (uint64_t)count) ? count : -1;
}

const char *module_tables_check(const object_image *image, int kernels)
{
    static const char fault[] = "its tables of kernels do not fit each other";
    const cpu_kernel *table = object_image_symbol(image, "lab_kernels");
    const cpu_facts *facts = object_image_symbol(image, "lab_facts");
    const char *text = object_image_symbol(image, "lab_texts");
    const cpu_variable *variable = object_image_symbol(image, "lab_variable_table");
    const char *names = object_image_symbol(image, "lab_variable_names");
    if (!table || !holds(image, table, (uint64_t)kernels + 1, sizeof *table) || table[kernels].name) return fault;
    if (kernels == 0) return NULL;
    const int64_t variables = variable && names ? count_variables(image, variable, names) : -1;
    if (variables < 0 || !facts || !holds(image, facts, (uint64_t)kernels, sizeof *facts)) return fault;
    for (int i = 0; i < kernels; i++) {
        const char *letters = skip_texts(image, text, CPU_TEXT_VARIABLES);
        text = skip_texts(image, text, CPU_TEXTS);
        if (!text || strlen(letters) > (size_t)variables || !kernel_is_sound(image, &table[i]) ||
            !split_is_sound(image, facts[i].split))
            return fault;
    }
    return NULL;
}
