/* Modules and launches of the CUDA devices. */
#include "base/system/own_time.h"
#include "cuda/libraries/cuda_compile.h"
#include "cuda_device_state.h"
#include "cuda_program.h"
#include "seam/kernel_accesses.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct backend_module {
    retired retired;
    CUmodule native;
    kernel_scan scan;     /* holds the names */
    cuda_program program; /* holds them instead if labcc compiled it */
    int kernels;
    backend_kernel *kernel;
    backend_param *param; /* of all kernels, one after another */
    cuda_param_facts *facts;

    char *name;
    pthread_mutex_t lock; /* protects the members below until they are found */
    bool accesses_found;
    backend_variable *variable; /* of all kernels, one after another */
};

static lab_arg_kind kind_of(const cuda_param_facts *facts)
{
    if (facts->is_pointer) return LAB_ARG_POINTER;
    if (!facts->is_number) return LAB_ARG_BYTES;
    return facts->element == LAB_FLOAT32 || facts->element == LAB_FLOAT64 ? LAB_ARG_FLOAT : LAB_ARG_INTEGER;
}

/* Replaces the compiler's own name for bool. */
static void rename_bool(char *type)
{
    static const char own[] = "__nv_bool", name[] = "bool";
    for (char *found; (found = strstr(type, own));) {
        memcpy(found, name, strlen(name));
        memmove(found + strlen(name), found + strlen(own), strlen(found + strlen(own)) + 1);
    }
}

static void describe_param(backend_param *param, const cuda_param_facts *facts, const char *name)
{
    *param = (backend_param){
        .name = name,
        .type = facts->type,
        .kind = kind_of(facts),
        .size = facts->size,
        .element = facts->is_pointer && facts->element > 0 ? (lab_dtype)facts->element : 0,
        .pointer_to_const = facts->pointer_to_const,
        .reads = facts->is_pointer,
        .writes = facts->is_pointer && !facts->pointer_to_const,
    };
}

static lab_status add_function(backend_module *module, const char *name, CUfunction function, int params,
                               const backend_param *param)
{
    int shared = 0;
    if (cuda.load_function) CUDA_TRY(load_function, function);
    CUDA_TRY(cuFuncGetAttribute, &shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
    module->kernel[module->kernels++] = (backend_kernel){
        .name = name, .params = params, .param = param, .shared_bytes = (size_t)shared, .native = function};
    return LAB_SUCCESS;
}

/* Adds the kernel if the code has it: the preprocessor may have removed it, or it may not be extern "C". */
static lab_status add_kernel(backend_module *module, const cuda_image *image, const scanned_kernel *scanned,
                             backend_param **next)
{
    const cuda_param_facts *facts;
    CUfunction function;
    int params;
    if (!cuda_compiled_kernel(&facts, &params, image, scanned->name)) return LAB_SUCCESS;
    CUresult result = cuda.cuModuleGetFunction(&function, module->native, scanned->name);
    if (result == CUDA_ERROR_NOT_FOUND || params > scanned->params) return LAB_SUCCESS;
    if (result != CUDA_SUCCESS) return cuda_fail(result, "cuModuleGetFunction");
    LAB_TRY(add_function(module, scanned->name, function, params, *next));
    for (int i = 0; i < params; i++) {
        cuda_param_facts *kept = &module->facts[*next - module->param];
        memcpy(kept, facts + i, sizeof *kept);
        kept->type[sizeof kept->type - 1] = '\0';
        rename_bool(kept->type);
        describe_param((*next)++, kept, scanned->param[i]);
    }
    return LAB_SUCCESS;
}

static lab_status make_room_for_kernels(backend_module *module)
{
    const int kernels = module->scan.kernels + module->program.kernels;
    size_t params = 0;
    for (int i = 0; i < module->scan.kernels; i++) params += (size_t)module->scan.kernel[i].params;
    for (int i = 0; i < module->program.kernels; i++) params += (size_t)module->program.kernel[i].params;
    module->kernel = calloc((size_t)kernels + 1, sizeof *module->kernel);
    module->param = calloc(params + 1, sizeof *module->param);
    module->facts = calloc(params + 1, sizeof *module->facts);
    if (!module->kernel || !module->param || !module->facts)
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a module's kernels");
    return LAB_SUCCESS;
}

static lab_status describe(backend_module *module, const cuda_image *image)
{
    LAB_TRY(make_room_for_kernels(module));
    backend_param *next = module->param;
    for (int i = 0; i < module->scan.kernels; i++) LAB_TRY(add_kernel(module, image, &module->scan.kernel[i], &next));
    return LAB_SUCCESS;
}

static lab_status describe_program(backend_module *module)
{
    LAB_TRY(make_room_for_kernels(module));
    backend_param *next = module->param;
    for (int k = 0; k < module->program.kernels; k++) {
        const cuda_program_kernel *kernel = &module->program.kernel[k];
        CUfunction function;
        CUDA_TRY(cuModuleGetFunction, &function, module->native, kernel->ptx_name);
        LAB_TRY(add_function(module, kernel->name, function, kernel->params, next));
        for (int i = 0; i < kernel->params; i++, next++) {
            cuda_param_facts *facts = &module->facts[next - module->param];
            LAB_TRY(cuda_program_param(facts, function, kernel, i));
            describe_param(next, facts, "");
        }
    }
    return LAB_SUCCESS;
}

static void unload(CUmodule native)
{
    CUresult ignored;
    CUDA_RELAXED(ignored, cuda.cuModuleUnload(native));
    (void)ignored;
}

static void release(retired *object)
{
    backend_module *module = (backend_module *)object;
    kernel_scan_free(&module->scan);
    cuda_program_free(&module->program);
    free(module->kernel);
    free(module->param);
    free(module->facts);
    free(module->variable);
    free(module->name);
    pthread_mutex_destroy(&module->lock);
    free(module);
}

static void free_module(backend_module *module)
{
    if (module->native) unload(module->native);
    retire(&module->retired, release);
}

static lab_status load_code(backend_module *module, backend_context *context, const char *code)
{
    CUresult result;
    LAB_TRY(cuda_enter(context));
    own_time_begins();
    CUDA_RELAXED(result, cuda.cuModuleLoadData(&module->native, code));
    own_time_ends();
    return cuda_status(result, "cuModuleLoadData");
}

static lab_status load_program(backend_module *module, backend_context *context, const char *images, const char *name)
{
    if (!cuda_program_read(&module->program, images))
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to read %s", name);
    LAB_TRY(cuda_enter(context));
    own_time_begins();
    const lab_status status = cuda_program_load(&module->native, &module->program, name);
    own_time_ends();
    LAB_TRY(status);
    return describe_program(module);
}

static lab_status load(backend_module *module, int64_t *compile_ns, backend_context *context, const char *source,
                       const char *name)
{
    cuda_image image = {NULL, 0};
    program_image last;
    if (program_images_last(&last, source)) return load_program(module, context, source, name);
    if (!kernel_scan_source(&module->scan, source))
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to read %s", name);
    LAB_TRY(cuda_compile(&image, compile_ns, &module->scan, name, cuda_architecture(context->device)));
    lab_status status = load_code(module, context, image.data);
    if (status == LAB_SUCCESS) status = describe(module, &image);
    free(image.data);
    return status;
}

lab_status cuda_module_load(backend_module **out, int64_t *compile_ns, backend_context *context, const char *source,
                            const char *name)
{
    backend_module *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a module");
    pthread_mutex_init(&made->lock, NULL);
    made->name = strdup(name);
    lab_status status = made->name ? load(made, compile_ns, context, source, name)
                                   : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to load %s", name);
    if (status == LAB_SUCCESS)
        *out = made;
    else
        free_module(made);
    return status;
}

lab_status cuda_module_unload(backend_module *module, backend_context *context)
{
    lab_status status = cuda_context_wait(context);
    cuda_forget_suspects(module->kernel, module->kernels);
    free_module(module);
    return status;
}

int cuda_module_kernels(const backend_kernel **first, const backend_module *module)
{
    *first = module->kernel;
    return module->kernels;
}

/* The variable's address and size; false if the code has no such variable. Called with the module's context current. */
static bool find_variable(uint64_t *address, size_t *bytes, CUmodule native, const char *name)
{
    CUdeviceptr found = 0;
    CUresult result;
    CUDA_RELAXED(result, cuda.cuModuleGetGlobal(&found, bytes, native, name));
    *address = found;
    return result == CUDA_SUCCESS;
}

bool cuda_module_global(uint64_t *address, size_t *bytes, backend_module *module, backend_context *context,
                        const char *name)
{
    if (cuda_enter(context) != LAB_SUCCESS) return false;
    if (!module->program.images) return find_variable(address, bytes, module->native, name);
    char *ptx_name = program_ptx_name(name);
    const bool found = ptx_name && find_variable(address, bytes, module->native, ptx_name);
    free(ptx_name);
    return found;
}

/* ---- what kernels read and write ---- */

/* Adds the variable if the code has it. */
static void add_variable(backend_kernel *kernel, backend_variable *variable, const backend_module *module,
                         const kernel_variable_access *access)
{
    char *name = program_ptx_name(access->name);
    backend_variable found = {.reads = access->letter != 'w', .writes = access->letter != 'r'};
    if (name && (cuda_program_place(&found.address, &found.bytes, &module->program, access->name) ||
                 find_variable(&found.address, &found.bytes, module->native, name))) {
        snprintf(found.name, sizeof found.name, "%s", name);
        variable[kernel->variables++] = found;
    }
    free(name);
}

static void refine(backend_kernel *kernel, backend_param *param, backend_variable *variable,
                   const backend_module *module, const kernel_access *access)
{
    for (int i = 0; i < kernel->params && strlen(access->params) == (size_t)kernel->params; i++) {
        const char letter = access->params[i];
        if (param[i].kind != LAB_ARG_POINTER) continue;
        param[i].reads = letter == 'r' || letter == 'b';
        param[i].writes = letter == 'w' || (letter == 'b' && !param[i].pointer_to_const);
    }
    kernel->variable = variable;
    for (int i = 0; i < access->variables; i++) add_variable(kernel, variable, module, &access->variable[i]);
}

/* Allocates room for all the variables that the kernels use. */
static bool make_room(backend_module *module, const kernel_accesses *found)
{
    size_t variables = 0;
    for (int i = 0; i < found->kernels; i++) variables += (size_t)found->kernel[i].variables;
    return (module->variable = calloc(variables + 1, sizeof *module->variable));
}

static void take_accesses(backend_module *module, const kernel_accesses *found)
{
    backend_variable *next = module->variable;
    for (int i = 0; i < module->kernels; i++) {
        backend_kernel *kernel = &module->kernel[i];
        const kernel_access *access =
            kernel_accesses_of(found, module->program.images ? module->program.kernel[i].symbol : kernel->name);
        if (!access) continue;
        refine(kernel, &module->param[kernel->param - module->param], next, module, access);
        next += kernel->variables;
    }
}

/* On failure, only the types of the parameters are known. */
void cuda_module_find_accesses(backend_module *module, backend_context *context)
{
    kernel_accesses found = {0};
    pthread_mutex_lock(&module->lock);
    if (!module->accesses_found &&
        (module->program.images ? cuda_program_accesses(&found, &module->program)
                                : kernel_accesses_find(&found, &module->scan, module->name)) &&
        cuda_enter(context) == LAB_SUCCESS && make_room(module, &found))
        take_accesses(module, &found);
    module->accesses_found = true;
    pthread_mutex_unlock(&module->lock);
    kernel_accesses_free(&found);
}

lab_status cuda_function_info(lab_function_info *info, const backend_kernel *kernel, backend_context *context)
{
    int local = 0, constant = 0;
    LAB_TRY(cuda_enter(context));
    CUDA_TRY(cuFuncGetAttribute, &info->registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel->native);
    CUDA_TRY(cuFuncGetAttribute, &info->max_block_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel->native);
    CUDA_TRY(cuFuncGetAttribute, &info->ptx_version, CU_FUNC_ATTRIBUTE_PTX_VERSION, kernel->native);
    CUDA_TRY(cuFuncGetAttribute, &info->binary_version, CU_FUNC_ATTRIBUTE_BINARY_VERSION, kernel->native);
    CUDA_TRY(cuFuncGetAttribute, &local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, kernel->native);
    CUDA_TRY(cuFuncGetAttribute, &constant, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, kernel->native);
    info->local_bytes = (size_t)local;
    info->constant_bytes = (size_t)constant;
    return LAB_SUCCESS;
}

static lab_status note_launch(backend_stream *stream, const backend_launch *launch)
{
    return cuda_capture_note(stream, &(cuda_captured){.node = {.kind = LAB_NODE_KERNEL,
                                                               .name = launch->kernel->name,
                                                               .grid = launch->grid,
                                                               .block = launch->block},
                                                      .function = launch->function});
}

static CUresult enqueue(backend_stream *stream, const backend_launch *launch)
{
    const lab_dim grid = launch->grid, block = launch->block;
    const unsigned shared_bytes = (unsigned)launch->shared_bytes;
    void **arguments = (void **)launch->arguments;
    if (launch->cooperative)
        return cuda.cuLaunchCooperativeKernel(launch->kernel->native, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                              shared_bytes, stream->native, arguments);
    return cuda.cuLaunchKernel(launch->kernel->native, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared_bytes,
                               stream->native, arguments, NULL);
}

lab_status cuda_launch(backend_stream *stream, const backend_launch *launch, backend_times *times)
{
    LAB_TRY(cuda_enter(stream->context));
    cuda_note_suspect(launch->kernel);
    cuda_span span = cuda_span_begin(stream, times);
    const CUresult result = enqueue(stream, launch);
    cuda_span_end(&span, stream, result);
    if (result != CUDA_SUCCESS)
        return cuda_fail(result, launch->cooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel");
    return cuda_capture_possible() ? note_launch(stream, launch) : LAB_SUCCESS;
}
