/* The images list the kernels, and the driver knows the sizes of their parameters. */
#include "cuda_program.h"

#include "cpu/compiler/link_parts.h"
#include "cpu/ir/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- kernels ---- */

static bool has_kernel(const cuda_program *program, const char *name, bool by_symbol)
{
    for (int i = 0; i < program->kernels; i++)
        if (strcmp(by_symbol ? program->kernel[i].symbol : program->kernel[i].name, name) == 0) return true;
    return false;
}

/* A name in the list as that of a linked module, if it is of one. The caller frees it. */
static char *part_name(const char *text, int length, int number)
{
    char *plain = strndup(text, (size_t)length), *made = plain;
    if (plain && number >= 0) {
        made = program_part_name(plain, number);
        free(plain);
    }
    return made;
}

/* Several files may have a template's instance, which is one kernel. A name that another kernel has is the mangled one,
 * as on the CPU device. */
static bool add_kernel(cuda_program *program, const program_kernel *listed, int number)
{
    cuda_program_kernel made = {.symbol = part_name(listed->symbol, listed->symbol_length, number),
                                .name = strndup(listed->name, (size_t)listed->name_length),
                                .kinds = listed->kinds,
                                .params = listed->params};
    char *mangled = part_name(listed->mangled, listed->mangled_length, number);
    if (mangled) made.ptx_name = program_ptx_name(mangled);
    bool done = made.symbol && made.name && made.ptx_name;
    const bool is_there = done && has_kernel(program, made.symbol, true);
    if (done && !is_there && has_kernel(program, made.name, false)) {
        free(made.name);
        made.name = mangled;
        mangled = NULL;
    }
    free(mangled);
    cuda_program_kernel *larger =
        done && !is_there ? realloc(program->kernel, ((size_t)program->kernels + 1) * sizeof *larger) : NULL;
    if (larger) {
        program->kernel = larger;
        program->kernel[program->kernels++] = made;
        return true;
    }
    done = is_there;
    free(made.symbol);
    free(made.name);
    free(made.ptx_name);
    return done;
}

bool cuda_program_read(cuda_program *out, const char *images)
{
    program_image image;
    *out = (cuda_program){.images = strdup(images)};
    if (!out->images) return false;
    const char *second = out->images;
    program_image_take(&image, &second);
    out->is_linked = *second || program_image_needs_link(images);
    int number = out->is_linked ? 0 : -1;
    bool done = true;
    for (const char *at = out->images; done && program_image_take(&image, &at); number++) {
        program_kernel listed;
        for (const char *next = image.cpu; done && program_image_next_kernel(&listed, &next);)
            done = add_kernel(out, &listed, number);
    }
    return done;
}

void cuda_program_free(cuda_program *program)
{
    for (int i = 0; i < program->kernels; i++) {
        free(program->kernel[i].symbol);
        free(program->kernel[i].name);
        free(program->kernel[i].ptx_name);
    }
    free(program->kernel);
    free(program->images);
    *program = (cuda_program){0};
}

lab_status cuda_program_param(cuda_param_facts *facts, CUfunction function, const cuda_program_kernel *kernel,
                              int number)
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

/* A program of one file has its own code for the CPU, linked ones are linked as for the CPU device. */
bool cuda_program_accesses(kernel_accesses *found, const cuda_program *program)
{
    program_image image;
    const char *at = program->images;
    cpu_text code = {0};
    *found = (kernel_accesses){0};
    if (!program->is_linked && program_image_take(&image, &at)) {
        code.data = strndup(image.cpu, image.cpu_bytes);
    } else {
        status_try_begin();
        const lab_status status = cpu_link_parts(&code, program->images, "the program");
        status_try_end();
        if (status != LAB_SUCCESS) return status != LAB_ERROR_OUT_OF_MEMORY;
    }
    const bool done = code.data && kernel_accesses_find_in_code(found, code.data);
    free(code.data);
    return done;
}

/* ---- code ---- */

static lab_status no_memory(const char *name)
{
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to load %s", name);
}

static lab_status load_one(CUmodule *native, const cuda_program *program, const char *name)
{
    program_image image;
    CUresult result;
    const char *at = program->images;
    program_image_take(&image, &at);
    char *ptx = program_part_ptx(&image, -1);
    if (!ptx) return no_memory(name);
    CUDA_RELAXED(result, cuda.cuModuleLoadData(native, ptx));
    free(ptx);
    return cuda_status(result, "cuModuleLoadData");
}

/* Adds the PTX of all files. */
static CUresult add_parts(CUlinkState link, const cuda_program *program)
{
    program_image image;
    CUresult result = CUDA_SUCCESS;
    int number = 0;
    for (const char *at = program->images; result == CUDA_SUCCESS && program_image_take(&image, &at); number++) {
        char *ptx = program_part_ptx(&image, number);
        if (!ptx) return CUDA_ERROR_OUT_OF_MEMORY;
        result = cuda.cuLinkAddData(link, CU_JIT_INPUT_PTX, ptx, strlen(ptx) + 1, NULL, 0, NULL, NULL);
        free(ptx);
    }
    return result;
}

static CUresult link_parts(CUmodule *native, const cuda_program *program, char *said, size_t room)
{
    CUjit_option option[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *value[] = {said, (void *)(uintptr_t)room}; /* the driver takes numbers as pointers */
    CUlinkState link;
    void *code;
    size_t bytes;
    CUresult result = cuda.cuLinkCreate(2, option, value, &link);
    if (result != CUDA_SUCCESS) return result;
    result = add_parts(link, program);
    if (result == CUDA_SUCCESS) result = cuda.cuLinkComplete(link, &code, &bytes);
    if (result == CUDA_SUCCESS) result = cuda.cuModuleLoadData(native, code);
    cuda.cuLinkDestroy(link);
    return result;
}

static lab_status load_linked(CUmodule *native, const cuda_program *program, const char *name)
{
    char said[4096] = "";
    CUresult result;
    CUDA_RELAXED(result, link_parts(native, program, said, sizeof said));
    if (result == CUDA_SUCCESS || !*said) return cuda_status(result, "cuLinkComplete");
    said[strcspn(said, "\n")] = '\0';
    return lab_fail(LAB_ERROR_INVALID_SOURCE, "%s: the device code of its files cannot be linked: %s", name, said);
}

/* ---- managed variables ---- */

/* The next place; *at is NULL at first. The last image has all. */
static bool next_place(program_place *place, const char **at, const cuda_program *program)
{
    program_image image;
    if (!*at) *at = program->images && program_images_last(&image, program->images) ? image.places : "";
    return program_image_next_place(place, at);
}

bool cuda_program_place(uint64_t *address, size_t *bytes, const cuda_program *program, const char *name)
{
    program_place place;
    const span mangled = ir_without_managed(span_of(name));
    if (mangled.length == strlen(name)) return false;
    for (const char *at = NULL; next_place(&place, &at, program);) {
        if (!span_equal((span){place.mangled, (size_t)place.mangled_length}, mangled)) continue;
        *address = place.address;
        *bytes = (size_t)place.bytes;
        return true;
    }
    return false;
}

/* Tells the code the variable's address. Code that uses it nowhere may not have the place for that. */
static CUresult set_place(CUmodule native, const program_place *place, CUstream stream)
{
    CUdeviceptr where;
    size_t bytes;
    char *at = NULL, *name = strndup(place->mangled, (size_t)place->mangled_length);
    char *ptx_name = name ? program_ptx_name(name) : NULL;
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
    if (ptx_name && asprintf(&at, "%s" PROGRAM_PTX_PLACE, ptx_name) >= 0) {
        result = cuda.cuModuleGetGlobal(&where, &bytes, native, at);
        if (result == CUDA_SUCCESS)
            result = cuda.cuMemcpyHtoDAsync(where, &place->address, sizeof place->address, stream);
        if (result == CUDA_SUCCESS) result = cuda.cuStreamSynchronize(stream);
        if (result == CUDA_ERROR_NOT_FOUND) result = CUDA_SUCCESS;
        free(at);
    }
    free(ptx_name);
    free(name);
    return result;
}

/* Uses a stream of its own, which waits for no other. */
static CUresult set_places(CUmodule native, const cuda_program *program)
{
    CUstream stream;
    program_place place;
    const char *at = NULL;
    if (!next_place(&place, &at, program)) return CUDA_SUCCESS;
    CUresult result = cuda.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0);
    if (result != CUDA_SUCCESS) return result;
    do result = set_place(native, &place, stream);
    while (result == CUDA_SUCCESS && next_place(&place, &at, program));
    cuda.cuStreamDestroy(stream);
    return result;
}

lab_status cuda_program_load(CUmodule *native, const cuda_program *program, const char *name)
{
    program_image image;
    CUresult result;
    for (const char *at = program->images; program_image_take(&image, &at);)
        if (!image.ptx_bytes)
            return lab_fail(LAB_ERROR_NOT_SUPPORTED,
                            "%s has no code for a GPU; compile its files with labcc --gpu where nvcc is, or run it "
                            "with LAB_DEVICE=cpu",
                            name);
    LAB_TRY((program->is_linked ? load_linked : load_one)(native, program, name));
    CUDA_RELAXED(result, set_places(*native, program));
    return cuda_status(result, "cuModuleGetGlobal");
}
