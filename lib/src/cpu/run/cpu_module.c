/* A module is described for the seam once, when it is loaded. */
#include "cpu_module.h"

#include "base/retire.h"
#include "cpu/apart/apart.h"
#include "cpu/compiler/compile.h"
#include "cpu/kernel/kernel_signals.h"
#include "cpu_context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct backend_module {
    retired retired;
    cpu_module *loaded;
    int kernels;
    backend_kernel *kernel;
    backend_param *param; /* of all kernels, one after another */
    backend_variable *variable;
};

static lab_dtype find_dtype(cpu_element element)
{
    static const lab_dtype dtype[] = {
        [CPU_ELEMENT_INT8] = LAB_INT8,       [CPU_ELEMENT_UINT8] = LAB_UINT8,     [CPU_ELEMENT_INT16] = LAB_INT16,
        [CPU_ELEMENT_UINT16] = LAB_UINT16,   [CPU_ELEMENT_INT32] = LAB_INT32,     [CPU_ELEMENT_UINT32] = LAB_UINT32,
        [CPU_ELEMENT_INT64] = LAB_INT64,     [CPU_ELEMENT_UINT64] = LAB_UINT64,   [CPU_ELEMENT_FLOAT32] = LAB_FLOAT32,
        [CPU_ELEMENT_FLOAT64] = LAB_FLOAT64, [CPU_ELEMENT_FLOAT16] = LAB_FLOAT16, [CPU_ELEMENT_BFLOAT16] = LAB_BFLOAT16,
    };
    return dtype[element];
}

static lab_arg_kind find_kind(cpu_param_kind kind)
{
    switch (kind) {
    case CPU_PARAM_INTEGER: return LAB_ARG_INTEGER;
    case CPU_PARAM_FLOAT: return LAB_ARG_FLOAT;
    case CPU_PARAM_POINTER: return LAB_ARG_POINTER;
    case CPU_PARAM_BYTES: break;
    }
    return LAB_ARG_BYTES;
}

/* `access` is the parameter's letter in cpu_kernel.access; 0 if it is unknown. */
static backend_param describe_param(const cpu_param *param, char access)
{
    bool pointer = param->kind == CPU_PARAM_POINTER;
    return (backend_param){
        .name = param->name,
        .type = param->type,
        .kind = find_kind(param->kind),
        .size = param->size,
        .element = find_dtype(param->element),
        .pointer_to_const = param->pointer_to_const,
        .reads = pointer && access != 'n' && access != 'w',
        .writes = pointer && (access == 'w' || (access != 'n' && access != 'r' && !param->pointer_to_const)),
    };
}

/* Describes the variables that the kernel uses, from *next on. */
static void describe_variables(backend_kernel *kernel, const char *access, const cpu_module *loaded,
                               backend_variable **next)
{
    const cpu_variable *variable = loaded->variable;
    const char *name = loaded->variable_names;
    kernel->variable = *next;
    for (const char *letter = access; *letter; letter++, variable++, name += strlen(name) + 1) {
        if (*letter == 'n') continue;
        backend_variable *made = (*next)++;
        *made = (backend_variable){
            .address = variable->address, .bytes = variable->bytes, .reads = *letter != 'w', .writes = *letter != 'r'};
        snprintf(made->name, sizeof made->name, "%s", name);
        kernel->variables++;
    }
}

static lab_status describe_kernels(backend_module *module)
{
    const cpu_kernel *kernel = module->loaded->kernel;
    module->kernels = module->loaded->kernels;
    size_t params = 0, variables = 0;
    for (int i = 0; i < module->kernels; i++) {
        params += (size_t)kernel[i].params;
        variables += strlen(kernel[i].variable_access);
    }
    module->kernel = calloc((size_t)module->kernels + 1, sizeof *module->kernel);
    module->param = calloc(params + 1, sizeof *module->param);
    module->variable = calloc(variables + 1, sizeof *module->variable);
    if (!module->kernel || !module->param || !module->variable)
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a module's kernels");
    backend_param *next = module->param;
    backend_variable *next_variable = module->variable;
    for (int i = 0; i < module->kernels; i++) {
        module->kernel[i] = (backend_kernel){.name = kernel[i].name,
                                             .params = kernel[i].params,
                                             .param = next,
                                             .shared_bytes = kernel[i].shared_bytes,
                                             .native = (void *)&kernel[i]};
        describe_variables(&module->kernel[i], kernel[i].variable_access, module->loaded, &next_variable);
        for (int p = 0; p < kernel[i].params; p++)
            *next++ = describe_param(&kernel[i].param[p], *kernel[i].access ? kernel[i].access[p] : 0);
    }
    return LAB_SUCCESS;
}

static void free_module(backend_module *module)
{
    if (module->loaded) (apart_is_on() ? apart_unload : cpu_module_unload)(module->loaded);
    free(module->kernel);
    free(module->param);
    free(module->variable);
    free(module);
}

/* Compiles here and loads in the process of kernels. */
static lab_status load_apart(cpu_module **out, int64_t *compile_ns, const char *source, const char *name)
{
    cpu_text object = {0};
    int kernels = 0;
    lab_status status = cpu_module_compile(&object, &kernels, compile_ns, source, name);
    if (status == LAB_SUCCESS) status = apart_load(out, object.data, object.size, kernels, name);
    free(object.data);
    return status;
}

lab_status cpu_module_open(backend_module **out, int64_t *compile_ns, backend_context *context, const char *source,
                           const char *name)
{
    (void)context;
    backend_module *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a module");
    const bool apart = apart_is_on();
    cpu_compile_result result = {0};
    lab_status status = apart ? load_apart(&made->loaded, &result.compile_ns, source, name)
                              : cpu_module_load(&made->loaded, source, name, &result);
    *compile_ns = result.compile_ns;
    if (status == LAB_SUCCESS) status = describe_kernels(made);
    if (status == LAB_SUCCESS && !apart) cpu_kernel_signals_prepare();
    if (status != LAB_SUCCESS) {
        free_module(made);
        return status;
    }
    *out = made;
    return LAB_SUCCESS;
}

static void release(retired *module) { free_module((backend_module *)module); }

/* Other threads may have found a kernel, but enqueue it no more: see cpu_launch_check_loaded. */
lab_status cpu_module_close(backend_module *module, backend_context *context)
{
    cpu_context_drain(context);
    retire(&module->retired, release);
    return LAB_SUCCESS;
}

int cpu_module_kernels(const backend_kernel **first, const backend_module *module)
{
    *first = module->kernel;
    return module->kernels;
}

bool cpu_module_global(uint64_t *address, size_t *bytes, backend_module *module, backend_context *context,
                       const char *name)
{
    (void)context;
    const cpu_variable *variable = module->loaded->variable;
    const char *word = module->loaded->variable_names;
    for (; variable && word && variable->address; variable++, word += strlen(word) + 1) {
        if (strcmp(word, name) != 0) continue;
        *address = variable->address;
        *bytes = variable->bytes;
        return true;
    }
    return false;
}

/* The accesses are known since the module was compiled. */
void cpu_module_find_accesses(backend_module *module, backend_context *context)
{
    (void)module;
    (void)context;
}
