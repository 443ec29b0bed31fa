/* Kernels of programs that labcc compiled: the image lists them, and the driver knows the sizes of their parameters. */
#include "cuda_program.h"

#include <stdlib.h>
#include <string.h>

static bool list_kernel(kernel_scan *scan, const program_kernel *kernel)
{
    scanned_kernel *larger = realloc(scan->kernel, ((size_t)scan->kernels + 1) * sizeof *larger);
    if (!larger) return false;
    scan->kernel = larger;
    char *name = strndup(kernel->name, (size_t)kernel->name_length);
    if (!name) return false;
    scan->kernel[scan->kernels++] = (scanned_kernel){.name = name, .line = kernel->line, .params = kernel->params};
    return true;
}

bool cuda_program_list(kernel_scan *scan, const program_image *program)
{
    program_kernel kernel;
    *scan = (kernel_scan){.source = strndup(program->cpu, program->cpu_bytes), .source_size = program->cpu_bytes};
    bool done = scan->source != NULL;
    for (const char *at = scan->source; done && program_image_next_kernel(&kernel, &at);)
        done = list_kernel(scan, &kernel);
    return done;
}

lab_status cuda_program_function(CUfunction *function, CUmodule native, const program_kernel *kernel)
{
    char *mangled = strndup(kernel->mangled, (size_t)kernel->mangled_length);
    char *name = mangled ? program_ptx_name(mangled) : NULL;
    lab_status status = LAB_ERROR_OUT_OF_MEMORY;
    if (name)
        status = cuda_status(cuda.cuModuleGetFunction(function, native, name), "cuModuleGetFunction");
    else
        lab_fail(status, "no host memory for a kernel's name");
    free(name);
    free(mangled);
    return status;
}

const kernel_access *cuda_program_next_access(const kernel_accesses *found, const char **at)
{
    program_kernel kernel;
    char *symbol = program_image_next_kernel(&kernel, at) ? strndup(kernel.symbol, (size_t)kernel.symbol_length) : NULL;
    const kernel_access *access = symbol ? kernel_accesses_of(found, symbol) : NULL;
    free(symbol);
    return access;
}

lab_status cuda_program_param(cuda_param_facts *facts, CUfunction function, const program_kernel *kernel, int number)
{
    const char kind = kernel->kinds[number];
    size_t offset, bytes;
    if (!cuda.param_info)
        return lab_fail(LAB_ERROR_NOT_SUPPORTED,
                        "the driver does not tell the sizes of parameters: programs of labcc need one of CUDA 12.4 or "
                        "later");
    CUDA_TRY(param_info, function, (size_t)number, &offset, &bytes);
    *facts = (cuda_param_facts){.is_pointer = kind == 'p', .is_number = kind == 'i' || kind == 'f'};
    facts->size = (unsigned)bytes;
    facts->element = kind == 'f' ? (bytes == sizeof(double) ? LAB_FLOAT64 : LAB_FLOAT32) : 0;
    if (kind == 'p') memcpy(facts->type, "a pointer", sizeof "a pointer");
    return LAB_SUCCESS;
}
