/* The compiled variants of one elementwise or reduction kernel. */
#include "kernel_variants.h"

#include "objects/work/module.h"
#include "record/record.h"

#include <stdlib.h>
#include <string.h>

/* float16 and bfloat16, for kernels that name them. The assembler includes the files; their paths are relative to the
 * folder in which make runs. */
extern const char narrow_types[];
__asm__(".pushsection .rodata\n"
        ".global narrow_types\n"
        "narrow_types:\n"
        ".incbin \"lib/include/cuda/lab_narrow.h\"\n"
        ".incbin \"lib/src/arrays/narrow.cuh\"\n"
        ".byte 0\n"
        ".popsection\n");

struct specialization {
    operands_key key;
    struct context *context;
    lab_module *module;
    lab_function function;
    specialization *next;
};

void write_own_text(FILE *out, const operands *bound, const char *before, const char *text, const char *after)
{
    fprintf(out,
            "%s\n#line 1 \"%s\"\n%s\n%s\n#line 1 "
            "\"<generated>\"\n",
            before, bound->signature->kernel, text, after);
}

static char *write_kernel(const operands *bound, kernel_writer write, const void *maker)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    write(out, maker, bound);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

static char *write_source(const operands *bound, kernel_writer write, const void *maker)
{
    char *text = NULL, *kernel = write_kernel(bound, write, maker);
    const backend_generated *how = runtime_backend()->generated;
    const bool narrow =
        kernel && (strstr(kernel, dtype_c_name(LAB_FLOAT16)) || strstr(kernel, dtype_c_name(LAB_BFLOAT16)));
    const int length = kernel
                           ? asprintf(&text, GENERATED_SOURCE "#define LAB_LANES 256\n#define LAB_COLUMNS %u\n%s\n%s%s",
                                      how->reduction_columns, how->prelude, narrow ? narrow_types : "", kernel)
                           : -1;
    free(kernel);
    return length < 0 ? NULL : text;
}

static lab_status compile(specialization *made, const operands *bound, kernel_writer write, const void *maker, bool own)
{
    const char *name = bound->signature->kernel;
    char *source = write_source(bound, write, maker);
    if (!source) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to generate kernel '%s'", name);
    lab_status status = module_load_on(&made->module, made->context, source, name, own ? MODULE_OWN : MODULE_GENERATED);
    free(source);
    if (status == LAB_SUCCESS) status = lab_module_get_function(&made->function, made->module, name);
    return status;
}

/* Called with the lock held. Skips variants whose module ended with its context. */
static specialization *find(const specializations *all, const operands_key *key, const struct context *context)
{
    for (specialization *each = all->first; each; each = each->next)
        if (each->context == context && memcmp(&each->key, key, sizeof *key) == 0 && function_get(each->function))
            return each;
    return NULL;
}

lab_status specialize(lab_function *out, specializations *all, const operands *bound, struct context *context,
                      kernel_writer write, const void *maker)
{
    operands_key key = operands_key_of(bound);
    lab_status status = LAB_SUCCESS;
    pthread_mutex_lock(&all->lock);
    specialization *found = find(all, &key, context);
    if (!found) {
        specialization *made = calloc(1, sizeof *made);
        if (made) *made = (specialization){.key = key, .context = context};
        status = made ? compile(made, bound, write, maker, !all->foreign)
                      : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for kernel '%s'", bound->signature->kernel);
        if (status == LAB_SUCCESS) {
            made->next = all->first;
            all->first = found = made;
        } else {
            free(made);
        }
    }
    if (found) *out = found->function;
    pthread_mutex_unlock(&all->lock);
    return status;
}

void specializations_unload(specializations *all)
{
    RETIRE_SCOPE;
    for (specialization *each = all->first, *next; each; each = next) {
        next = each->next;
        if (function_get(each->function)) lab_module_unload(each->module);
        free(each);
    }
    all->first = NULL;
}
