/*
 * Reduction kernels: every element is mapped to a value, the values are combined two by two, and the one that is left
 * is written. Blocks take tiles of the elements whose size depends on the number of elements alone, and the last block
 * to finish combines the blocks' results in their order: the result depends neither on timing nor on the device.
 */
#include "reduction.h"

#include "handle.h"
#include "specialize.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 256, SMALLEST_TILE = 64 * LANES, MOST_TILES = 4096 };

struct reduction {
    signature signature;
    char *map, *reduce, *post_map, *identity; /* identity is NULL if there is none */
    lab_dtype reduce_dtype;                   /* 0: a letter, or as the output */
    char reduce_letter;
    specializations specialized;
};

/* ---- the kernel's text ---- */

/* The type in which values are combined. */
static lab_dtype reduce_dtype(const reduction *of, const operands *bound)
{
    if (of->reduce_dtype) return of->reduce_dtype;
    if (of->reduce_letter) return bound->letter[(unsigned char)of->reduce_letter];
    for (int i = 0; i < of->signature.count; i++)
        if (of->signature.parameter[i].output) return bound->operand[i].dtype;
    return 0;
}

static void write_kernel(FILE *out, const void *maker, const operands *bound)
{
    const reduction *of = maker;
    operands_write_types(out, bound);
    fprintf(out, "typedef %s lab_value;\n", dtype_c_name(reduce_dtype(of, bound)));
    fprintf(out, "extern \"C\" __global__ void %s(", of->signature.kernel);
    operands_write_parameters(out, bound);
    fprintf(out, "const unsigned long long lab_scratch, const long long lab_tile, const long long n) {\n"
                 "const auto lab_reduce = [&](const lab_value a, const lab_value b) -> lab_value {");
    write_own_text(out, bound, "return (", of->reduce, ");};");
    fprintf(out, "const auto lab_map = [&](const long long i) -> lab_value {\n");
    operands_write_element(out, bound, false);
    write_own_text(out, bound, "return (lab_value)(", of->map, ");};");
    fprintf(
        out,
        "volatile lab_value *const lab_of_block = (volatile lab_value *)(lab_scratch + %d);\n"
        "const long long lab_first = blockIdx.x * lab_tile;\n"
        "lab_value a;\n"
        "if (n > 0) a = lab_reduce_range<lab_value>(lab_first, min(lab_first + lab_tile, n), lab_map, lab_reduce);\n",
        SCRATCH_ZEROS);
    if (of->identity) write_own_text(out, bound, "else a = (lab_value)(", of->identity, ");");
    fprintf(out, "if (gridDim.x > 1) {\n"
                 "if (threadIdx.x == 0) lab_of_block[blockIdx.x] = a;\n"
                 "if (!lab_last_block((unsigned *)lab_scratch)) return;\n"
                 "a = lab_reduce_range<lab_value>(0, gridDim.x,\n"
                 "[&](const long long block) -> lab_value { return lab_of_block[block]; }, lab_reduce);\n"
                 "}\n"
                 "if (threadIdx.x != 0) return;\n");
    for (int i = 0; i < of->signature.count; i++) {
        const parameter *formal = &of->signature.parameter[i];
        if (formal->output)
            fprintf(out, "%s &%s = *lab_array_%s;\n", dtype_c_name(bound->operand[i].dtype), formal->name,
                    formal->name);
    }
    write_own_text(out, bound, "{", of->post_map, ";}}");
}

/* ---- making ---- */

static lab_status parse_reduce_type(reduction *into, const char *type)
{
    if (!type) return LAB_SUCCESS;
    into->reduce_dtype = dtype_named(type, strlen(type));
    if (into->reduce_dtype) return LAB_SUCCESS;
    for (int i = 0; i < into->signature.count; i++)
        if (strlen(type) == 1 && into->signature.parameter[i].letter == *type) into->reduce_letter = *type;
    if (into->reduce_letter) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "reduction kernel '%s': the reduce type '%.32s' is no type and no parameter's letter",
                    into->signature.kernel, type);
}

static lab_status check_parameters(const signature *of)
{
    if (signature_names(of, "a") || signature_names(of, "b"))
        return lab_fail(
            LAB_ERROR_INVALID_VALUE,
            "reduction kernel '%s': a parameter cannot be named a or b, which are the values that are combined",
            of->kernel);
    for (int i = 0; i < of->count; i++)
        if (of->parameter[i].output && of->parameter[i].raw)
            return lab_fail(LAB_ERROR_INVALID_VALUE,
                            "reduction kernel '%s', parameter '%s' is an output and cannot be raw", of->kernel,
                            of->parameter[i].name);
    return LAB_SUCCESS;
}

/* Takes the texts over; false if memory ran out. */
static bool copy_texts(reduction *into, const lab_reduction_source *source)
{
    into->map = strdup(source->map);
    into->reduce = strdup(source->reduce);
    into->post_map = strdup(source->post_map);
    if (source->identity) into->identity = strdup(source->identity);
    return into->map && into->reduce && into->post_map && (!source->identity || into->identity);
}

lab_status reduction_make(reduction **out, const lab_reduction_source *source)
{
    const char *name = source->name ? source->name : "reduction";
    reduction *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for reduction kernel '%s'", name);
    made->signature.kind = "reduction";
    made->signature.reduces = true;
    pthread_mutex_init(&made->specialized.lock, NULL);
    lab_status status = signature_set_name(&made->signature, name);
    if (status == LAB_SUCCESS) status = signature_parse(&made->signature, source->inputs, source->outputs);
    if (status == LAB_SUCCESS) status = check_parameters(&made->signature);
    if (status == LAB_SUCCESS) status = parse_reduce_type(made, source->reduce_type);
    if (status == LAB_SUCCESS && !copy_texts(made, source))
        status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for reduction kernel '%s'", name);
    if (status == LAB_SUCCESS)
        *out = made;
    else
        reduction_free(made);
    return status;
}

void reduction_free(reduction *of)
{
    specializations_unload(&of->specialized);
    pthread_mutex_destroy(&of->specialized.lock);
    free(of->map);
    free(of->reduce);
    free(of->post_map);
    free(of->identity);
    free(of);
}

/* ---- launching ---- */

/* Elements of a block: a function of their number alone, so that the order of combining is, too. */
static size_t tile_of(size_t count)
{
    size_t tile = count / MOST_TILES + 1;
    return tile <= SMALLEST_TILE ? SMALLEST_TILE : (tile + LANES - 1) / LANES * LANES;
}

static lab_status enqueue(lab_function function, operands *bound, const struct stream *on)
{
    size_t tile = tile_of(bound->count), blocks = bound->count ? (bound->count - 1) / tile + 1 : 1;
    lab_arg argument[MOST_PARAMETERS + 3];
    scratch *partial = NULL;
    if (blocks > 1) LAB_TRY(scratch_take(&partial, blocks * sizeof(double), on));
    int count = operands_arguments(argument, bound);
    /* As a number, not a pointer: scratch memory is no part of what the launch is recorded to use. */
    argument[count++] = (lab_arg){LAB_ARG_INTEGER, 8, {.integer = partial ? scratch_address(partial) : 0}};
    argument[count++] = lab_arg_sll((long long)tile);
    argument[count++] = lab_arg_sll((long long)bound->count);
    lab_status status =
        lab_launch(function, LAB_DIM((unsigned)blocks), LAB_DIM(runtime_backend()->generated->reduction_threads), 0,
                   on->handle, (lab_args){argument, count});
    scratch_give(partial, on);
    return status;
}

lab_status reduction_launch(reduction *of, long long size, lab_stream *stream, lab_args args)
{
    struct stream *on;
    operands bound;
    lab_function function;
    LAB_TRY(stream_resolve(&on, stream, of->signature.kernel));
    LAB_TRY(operands_bind(&bound, &of->signature, args, size, on));
    if (bound.outer)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "reduction kernel '%s': its inputs differ in shape; they are not broadcast",
                        of->signature.kernel);
    if (bound.count == 0 && !of->identity)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "reduction kernel '%s': there are no elements, and no identity says what their result is",
                        of->signature.kernel);
    LAB_TRY(specialize(&function, &of->specialized, &bound, on->context, write_kernel, of));
    lab_status status = operands_separate(&bound, on);
    if (status == LAB_SUCCESS) status = enqueue(function, &bound, on);
    operands_release(&bound, on);
    return status;
}

lab_status reduction_once(reduction **out, _Atomic(reduction *) *kept, const lab_reduction_source *source)
{
    *out = atomic_load(kept);
    if (*out) return LAB_SUCCESS;
    LAB_TRY(reduction_make(out, source));
    reduction *other = NULL;
    if (atomic_compare_exchange_strong(kept, &other, *out)) return LAB_SUCCESS;
    reduction_free(*out);
    *out = other;
    return LAB_SUCCESS;
}

/* ---- lab.h's ---- */

static lab_status resolve(reduction **out, const lab_reduction *handle, const char *call)
{
    *out = handle_get(HANDLE_REDUCTION, (uintptr_t)handle);
    if (*out) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_HANDLE, "%s: the kernel %s", call,
                    handle ? "was destroyed before this call, or never created" : "is NULL");
}

lab_status lab_reduction_create(lab_reduction **out, const lab_reduction_source *source)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_reduction_create: out is NULL");
    *out = NULL;
    if (!source || !source->inputs || !source->outputs || !source->map || !source->reduce || !source->post_map)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "lab_reduction_create: source must have inputs, outputs, map, reduce and post_map");
    reduction *made;
    LAB_TRY(reduction_make(&made, source));
    uint64_t handle = handle_create(HANDLE_REDUCTION, made);
    if (!handle) {
        reduction_free(made);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_reduction_create: no host memory for the kernel");
    }
    *out = (lab_reduction *)(uintptr_t)handle;
    return LAB_SUCCESS;
}

lab_status lab_reduction_destroy(lab_reduction *handle)
{
    if (!handle) return LAB_SUCCESS;
    reduction *removed = handle_remove(HANDLE_REDUCTION, (uintptr_t)handle);
    if (!removed)
        return lab_fail(LAB_ERROR_INVALID_HANDLE,
                        "lab_reduction_destroy: the kernel was already destroyed, or never created");
    reduction_free(removed);
    return LAB_SUCCESS;
}

lab_status lab_reduction_launch(lab_reduction *handle, lab_stream *stream, lab_args args)
{
    reduction *found;
    LAB_TRY(resolve(&found, handle, "lab_reduction_launch"));
    return reduction_launch(found, OPERANDS_SIZED_BY_ARRAYS, stream, args);
}

lab_status lab_reduction_launch_sized(lab_reduction *handle, size_t size, lab_stream *stream, lab_args args)
{
    reduction *found;
    LAB_TRY(resolve(&found, handle, "lab_reduction_launch_sized"));
    if (size > INT64_MAX)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "reduction kernel '%s': a size of %zu is more than there can be",
                        found->signature.kernel, size);
    return reduction_launch(found, (long long)size, stream, args);
}
