/* Modules: loads source, finds kernels and variables by name. The device compiles. */
#include "module.h"

#include "base/handle.h"
#include "base/status.h"
#include "base/system/digest.h"
#include "base/system/text_file.h"
#include "objects/contexts/context_stack.h"
#include "objects/contexts/ranges.h"
#include "record/submission.h"
#include "seam/source/kernel_instances.h"
#include "seam/ledger.h"
#include "seam/source_files.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct module {
    retired retired;
    struct context *context;
    char source[DIGEST_DIGITS]; /* lab_trace_op.module */
    module_origin origin;
    backend_module *native;
    const backend_kernel *kernel;
    int kernels;
    struct function *function; /* one for each kernel */
    uint64_t *handle;          /* one for each kernel */
    lab_module *own_handle;
    context_member member;
    kernel_instances instances; /* of name expressions */

    pthread_mutex_t lock; /* guards what follows */
    bool unloaded;
    range *variable; /* those whose address was asked for, which are also in variable_ranges */
    int variables;
};

const struct function *function_get(lab_function handle) { return handle_get(HANDLE_FUNCTION, handle.handle); }

/* Afterwards, no launch finds the module's kernels. */
static void remove_functions(const struct module *module)
{
    for (int i = 0; module->handle && i < module->kernels; i++)
        if (module->handle[i]) handle_remove(HANDLE_FUNCTION, module->handle[i]);
}

/* Afterwards, no copy and no launch accepts the module's variables as memory. */
static void remove_variables(struct module *module)
{
    range removed;
    pthread_mutex_lock(&module->lock);
    module->unloaded = true;
    for (int i = 0; i < module->variables; i++) {
        ranges_remove(variable_ranges, module->variable[i].address, &removed);
        ledger_remove(module->variable[i].address, module->variable[i].bytes);
    }
    pthread_mutex_unlock(&module->lock);
}

static void free_module(struct module *module)
{
    pthread_mutex_destroy(&module->lock);
    kernel_instances_free(&module->instances);
    free(module->variable);
    free(module->handle);
    free(module->function);
    free(module);
}

static void release(retired *object) { free_module((struct module *)object); }

/* Ends the module, whose handle has been removed. */
static lab_status end_module(struct module *removed)
{
    remove_functions(removed);
    remove_variables(removed);
    lab_status status = runtime_backend()->module_unload(removed->native, removed->context->native);
    retire(&removed->retired, release);
    return status;
}

/* The module's context ends, and the module with it. */
static void end_with_context(context_member *member)
{
    struct module *ended = (struct module *)((char *)member - offsetof(struct module, member));
    if (handle_remove(HANDLE_MODULE, (uintptr_t)ended->own_handle)) end_module(ended);
}

static lab_status make_functions(struct module *module)
{
    module->kernels = runtime_backend()->module_kernels(&module->kernel, module->native);
    module->function = calloc((size_t)module->kernels + 1, sizeof *module->function);
    module->handle = calloc((size_t)module->kernels + 1, sizeof *module->handle);
    bool made = module->function && module->handle;
    for (int i = 0; made && i < module->kernels; i++) {
        module->function[i] = (struct function){.kernel = &module->kernel[i],
                                                .module = module->native,
                                                .context = module->context,
                                                .source = module->source,
                                                .is_generated = module->origin != MODULE_OF_PROGRAM};
        module->handle[i] = handle_create(HANDLE_FUNCTION, &module->function[i]);
        made = module->handle[i] != 0;
    }
    return made ? LAB_SUCCESS : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for the module's kernels");
}

static lab_status load(struct module *module, const char *source, const char *name)
{
    record_entry *entry = record_begin(LAB_OP_MODULE_LOAD, module->context->device);
    record_name(entry, name);
    int64_t compile_ns = 0;
    lab_status status = source_files_check(source, name);
    if (status == LAB_SUCCESS)
        status = runtime_backend()->module_load(&module->native, &compile_ns, module->context->native, source, name);
    record_load(entry, module->source, compile_ns);
    record_end(entry, status);
    if (status == LAB_SUCCESS && record_is_on())
        runtime_backend()->module_find_accesses(module->native, module->context->native);
    return status;
}

lab_status module_load_on(lab_module **out, struct context *context, const char *source, const char *name,
                          module_origin origin)
{
    CONTEXT_HELD struct context *held = NULL;
    LAB_TRY(context_hold_found(&held, context, name));
    struct module *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a module");
    pthread_mutex_init(&made->lock, NULL);
    made->context = context;
    made->origin = origin;
    if (origin != MODULE_OWN) {
        const digest text = digest_of(source, strlen(source));
        digest_write(made->source, &text);
    }
    uint64_t handle = 0;
    lab_status status = load(made, source, name);
    if (status != LAB_SUCCESS) goto fail;
    status = make_functions(made);
    context_add(made->context, &made->member, end_with_context);
    if (status == LAB_SUCCESS && !(handle = handle_create(HANDLE_MODULE, made)))
        status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a module");
    if (status != LAB_SUCCESS) {
        context_remove(made->context, &made->member);
        end_module(made);
        return status;
    }
    made->own_handle = *out = (lab_module *)(uintptr_t)handle;
    return LAB_SUCCESS;
fail:
    free_module(made);
    return status;
}

/* Skips the byte order mark that editors on Windows put before UTF-8. */
static lab_status load_module(lab_module **out, const char *source, const char *name)
{
    RETIRE_SCOPE;
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    CONTEXT_HELD struct context *context = NULL;
    LAB_TRY(context_hold_current(&context));
    if (strncmp(source, byte_order_mark, strlen(byte_order_mark)) == 0) source += strlen(byte_order_mark);
    return module_load_on(out, context, source, name, MODULE_OF_PROGRAM);
}

lab_status lab_module_load_source(lab_module **out, const char *source, const char *name)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_module_load_source: out is NULL");
    *out = NULL;
    if (!source) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_module_load_source: source is NULL");
    return load_module(out, source, name ? name : "kernel.cu");
}

lab_status lab_module_load_file(lab_module **out, const char *path)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_module_load_file: out is NULL");
    *out = NULL;
    if (!path) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_module_load_file: path is NULL");
    LAB_TRY(runtime_check());
    char *source;
    LAB_TRY(text_file_read(&source, path));
    lab_status status = load_module(out, source, path);
    free(source);
    return status;
}

static lab_status load_instances(lab_module **out, const char *source, const char *name, const char *const *expressions)
{
    RETIRE_SCOPE;
    kernel_instances instances;
    char *text;
    LAB_TRY(kernel_instances_write(&text, &instances, source, name, expressions));
    lab_status status = load_module(out, text, name);
    struct module *made = status == LAB_SUCCESS ? handle_get(HANDLE_MODULE, (uintptr_t)*out) : NULL;
    if (made)
        made->instances = instances;
    else
        kernel_instances_free(&instances);
    free(text);
    return status;
}

lab_status lab_module_load_with(lab_module **out, const char *source, const char *name,
                                const lab_module_options *options)
{
    static const lab_module_options none;
    const lab_module_options *with = options ? options : &none;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_module_load_with: out is NULL");
    *out = NULL;
    if (!source) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_module_load_with: source is NULL");
    LAB_TRY(runtime_check());
    char *text;
    if (!name) name = "kernel.cu";
    if (with->include_paths && *with->include_paths && source_files_are_refused()) return source_files_fail(name);
    LAB_TRY(source_prepare(&text, source, name, with));
    const lab_status status = with->name_expressions && *with->name_expressions
                                  ? load_instances(out, text, name, with->name_expressions)
                                  : load_module(out, text, name);
    free(text);
    return status;
}

lab_status lab_module_unload(lab_module *handle)
{
    RETIRE_SCOPE;
    if (!handle) return LAB_SUCCESS;
    LAB_TRY(runtime_check());
    if (handle_get(HANDLE_MODULE, (uintptr_t)handle))
        LAB_TRY(runtime_backend()->capture_check_unsafe("lab_module_unload"));
    struct module *removed = handle_remove(HANDLE_MODULE, (uintptr_t)handle);
    if (!removed)
        return lab_fail(LAB_ERROR_INVALID_HANDLE,
                        "lab_module_unload: the module was already unloaded, or never loaded");
    CONTEXT_HELD struct context *held = NULL;
    if (context_try_hold(&held, removed->context, removed->context->handle)) retire_keep(NULL);
    record_entry *entry = record_begin(LAB_OP_MODULE_UNLOAD, removed->context->device);
    record_waits_for_context(entry, removed->context->number);
    context_remove(removed->context, &removed->member);
    lab_status status = end_module(removed);
    record_end(entry, status);
    return status;
}

lab_status lab_module_get_device(int *device, const lab_module *handle)
{
    RETIRE_SCOPE;
    if (!device) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_module_get_device: device is NULL");
    LAB_TRY(runtime_check());
    const struct module *found = handle_get(HANDLE_MODULE, (uintptr_t)handle);
    if (!found)
        return lab_fail(LAB_ERROR_INVALID_HANDLE, "lab_module_get_device: the module %s",
                        handle ? "was unloaded before this call, or never loaded" : "is NULL");
    *device = found->context->device;
    return LAB_SUCCESS;
}

/* Writes "advance, scale", as much as fits, or "none" if the module has no kernel. */
static void list_kernels(char *text, size_t bytes, const struct module *module)
{
    size_t used = 0;
    snprintf(text, bytes, "none");
    for (int i = 0; i < module->kernels && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? ", " : "", module->kernel[i].name);
}

lab_status lab_module_get_function(lab_function *out, lab_module *handle, const char *name)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_module_get_function: function is NULL");
    *out = (lab_function){0};
    if (!name) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_module_get_function: name is NULL");
    LAB_TRY(runtime_check());
    const struct module *found = handle_get(HANDLE_MODULE, (uintptr_t)handle);
    if (!found)
        return lab_fail(LAB_ERROR_INVALID_HANDLE, "lab_module_get_function: the module %s",
                        handle ? "was unloaded before this call, or never loaded" : "is NULL");
    const char *kernel = kernel_instances_find(&found->instances, name);
    for (int i = 0; i < found->kernels; i++)
        if (strcmp(found->kernel[i].name, kernel) == 0) {
            out->handle = found->handle[i];
            return LAB_SUCCESS;
        }
    char kernels[512];
    list_kernels(kernels, sizeof kernels, found);
    return lab_fail(
        LAB_ERROR_NOT_FOUND,
        "the module has no kernel named '%s'; its kernels are: %s (a kernel is declared extern \"C\" __global__)", name,
        kernels);
}

static lab_status resolve_function(const struct function **out, lab_function handle, const char *call)
{
    LAB_TRY(runtime_check());
    *out = function_get(handle);
    if (*out) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_HANDLE,
                    "%s: the kernel's module was unloaded, or the function was never set by lab_module_get_function",
                    call);
}

lab_status lab_function_get_info(lab_function_info *info, lab_function handle)
{
    RETIRE_SCOPE;
    const struct function *found;
    if (!info) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_function_get_info: info is NULL");
    memset(info, 0, sizeof *info);
    LAB_TRY(resolve_function(&found, handle, "lab_function_get_info"));
    const lab_device_info *device = &found->context->info;
    info->max_block_threads = device->max_block_threads;
    info->shared_bytes = found->kernel->shared_bytes;
    info->max_launch_bytes = device->max_shared_bytes - found->kernel->shared_bytes;
    if (!runtime_backend()->function_info) return LAB_SUCCESS;
    return runtime_backend()->function_info(info, found->kernel, found->context->native);
}

lab_status lab_function_get_parameters(lab_parameters *out, lab_function handle)
{
    RETIRE_SCOPE;
    const struct function *found;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_function_get_parameters: parameters is NULL");
    memset(out, 0, sizeof *out);
    LAB_TRY(resolve_function(&found, handle, "lab_function_get_parameters"));
    if (found->kernel->params > LAB_MOST_PARAMETERS)
        return lab_fail(LAB_ERROR_NOT_SUPPORTED, "kernel '%s' has %d parameters; at most %d are supported",
                        found->kernel->name, found->kernel->params, LAB_MOST_PARAMETERS);
    out->count = found->kernel->params;
    for (int i = 0; i < out->count; i++) {
        out->parameter[i].kind = found->kernel->param[i].kind;
        out->parameter[i].size = found->kernel->param[i].size;
    }
    return LAB_SUCCESS;
}

/* ---- variables ---- */

static bool is_known(const struct module *module, uint64_t address)
{
    for (int i = 0; i < module->variables; i++)
        if (module->variable[i].address == address) return true;
    return false;
}

/* Makes the variable memory that copies and launches accept. The module's lock is held. */
static lab_status publish(struct module *module, range variable, const char *name)
{
    if (module->unloaded)
        return lab_fail(LAB_ERROR_INVALID_HANDLE, "lab_module_get_global: another thread unloads the module");
    if (is_known(module, variable.address)) return LAB_SUCCESS;
    bool overlap;
    range *larger = realloc(module->variable, ((size_t)module->variables + 1) * sizeof *larger);
    if (larger) module->variable = larger;
    if (!larger || !ranges_add(variable_ranges, variable, &overlap))
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_module_get_global: no host memory for the list of variables");
    ledger_add(variable.address, variable.bytes, variable.context->native);
    ledger_set_internal(variable.address);
    module->variable[module->variables++] = variable;
    order_enter();
    if (order_is_on()) order_memory_is_variable(variable.address, variable.bytes, false, name);
    order_leave();
    return LAB_SUCCESS;
}

lab_status lab_module_get_global(lab_deviceptr *address, size_t *bytes, lab_module *handle, const char *name)
{
    RETIRE_SCOPE;
    if (!address || !bytes)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_module_get_global: %s is NULL", address ? "bytes" : "address");
    *address = 0;
    *bytes = 0;
    if (!name) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_module_get_global: name is NULL");
    LAB_TRY(runtime_check());
    struct module *found = handle_get(HANDLE_MODULE, (uintptr_t)handle);
    if (!found)
        return lab_fail(LAB_ERROR_INVALID_HANDLE, "lab_module_get_global: the module %s",
                        handle ? "was unloaded before this call, or never loaded" : "is NULL");
    range variable = {.context = found->context};
    if (!runtime_backend()->module_global(&variable.address, &variable.bytes, found->native, found->context->native,
                                          name))
        return lab_fail(LAB_ERROR_NOT_FOUND,
                        "the module has no variable named '%s' that can be found by name: it is __device__ or "
                        "__constant__, stands outside of functions and namespaces, and is not const",
                        name);
    pthread_mutex_lock(&found->lock);
    lab_status status = publish(found, variable, name);
    pthread_mutex_unlock(&found->lock);
    if (status != LAB_SUCCESS) return status;
    *address = variable.address;
    *bytes = variable.bytes;
    return LAB_SUCCESS;
}
