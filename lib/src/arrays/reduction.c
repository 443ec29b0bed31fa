/*
 * Reduction kernels: every element is mapped to a value, values are combined two by two, and the last one is written.
 * Blocks take tiles of elements, whose size depends only on the number of elements. The last block to finish combines
 * the blocks' results in their order. The result depends neither on timing nor on the device.
 */
#include "reduction.h"

#include "base/handle.h"
#include "contiguous.h"
#include "kernel_variants.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST_TILE = 64 * REDUCTION_LANES, SMALLEST_WIDTH = 64, SLOT_BYTES = 16 };

struct reduction {
    retired retired;
    signature signature;
    char *map, *reduce, *post_map;
    char *identity, *preamble; /* NULL if there is none */
    /* The type in which values are combined: at most one of these is set; if none is, the first output's type. */
    char *reduce_type; /* a type of the preamble */
    lab_dtype reduce_dtype;
    char reduce_letter;
    specializations specialized;
};

/* ---- the kernel's text ---- */

/* The type in which values are combined, in CUDA C. The types of 16 bits are combined as float32. */
static const char *value_type(const reduction *kernel, const operands *bound)
{
    if (kernel->reduce_type) return kernel->reduce_type;
    if (kernel->reduce_dtype) return dtype_c_name(dtype_computing(kernel->reduce_dtype));
    if (kernel->reduce_letter)
        return dtype_c_name(dtype_computing(bound->letter[(unsigned char)kernel->reduce_letter]));
    int output = 0;
    while (!kernel->signature.parameter[output].output) output++;
    return dtype_c_name(dtype_computing(bound->operand[output].dtype));
}

/* What a block does with a value: a partial value is stored for the last block, in whole words so that the compiler
 * cannot keep it in a register. */
static const char store_text[] =
    "union lab_slot { unsigned long long word[2]; lab_value value; };\n"
    "static_assert(sizeof(lab_slot) == 16, \"the reduce type has more than 16 bytes\");\n"
    "static inline __device__ void lab_keep(unsigned long long lab_scratch, long long lab_at, const lab_value &a) {\n"
    "lab_slot slot = {}; slot.value = a;\n"
    "volatile unsigned long long *const to = (volatile unsigned long long *)lab_scratch + 2 * lab_at;\n"
    "to[0] = slot.word[0]; if (sizeof(lab_value) > 8) to[1] = slot.word[1]; }\n"
    "static inline __device__ lab_value lab_kept(unsigned long long lab_scratch, long long lab_at) {\n"
    "const volatile unsigned long long *const from = (volatile unsigned long long *)lab_scratch + 2 * lab_at;\n"
    "lab_slot slot = {}; slot.word[0] = from[0]; if (sizeof(lab_value) > 8) slot.word[1] = from[1];\n"
    "return slot.value; }\n";

/* A tile of one result, whose elements are adjacent in memory. */
static const char range_text[] =
    "const long long lab_result = lab_group, lab_base = lab_result * n;\n"
    "const auto lab_map = [&](const long long i) -> lab_value { return lab_map_at(lab_base + i, i); };\n"
    "lab_value a;\n"
    "if (n > 0) a = lab_reduce_range<lab_value>(lab_first, lab_end, lab_map, lab_reduce);\n"
    "else a = lab_identity();\n"
    "if (threadIdx.x == 0) lab_done(lab_result, a);\n";

/* A tile of one result, whose elements are wherever lab_where says. */
static void write_places(FILE *out, const operands *bound)
{
    fprintf(out, "const long long lab_result = lab_group, lab_base = ");
    operands_write_place(out, bound, OF_RESULTS, "lab_result");
    fprintf(out, ";\nconst auto lab_map = [&](const long long i) -> lab_value { return lab_map_at(lab_base + ");
    operands_write_place(out, bound, OF_ELEMENTS, "i");
    fprintf(out, ", i); };\n"
                 "const lab_value a = lab_reduce_range<lab_value>(lab_first, lab_end, lab_map, lab_reduce);\n"
                 "if (threadIdx.x == 0) lab_done(lab_result, a);\n");
}

/* A tile of several results, whose elements at the same index are adjacent in memory. */
static const char columns_text[] =
    "const long long lab_chunk = lab_group % lab_chunks * lab_width, lab_row = lab_group / lab_chunks;\n"
    "const long long lab_base = lab_row * n * lab_stride + lab_chunk, lab_result = lab_row * lab_stride + lab_chunk;\n"
    "const auto lab_map = [&](const long long c, const long long i) -> lab_value {\n"
    "return lab_map_at(lab_base + i * lab_stride + c, i); };\n"
    "const auto lab_store = [&](const long long c, const lab_value &a) { lab_done(lab_result + c, a); };\n"
    "lab_reduce_columns<lab_value>(min(lab_width, lab_stride - lab_chunk), lab_first, lab_end, lab_map, lab_reduce,\n"
    "lab_store);\n";

static void write_functions(FILE *out, const reduction *kernel, const operands *bound)
{
    fprintf(out, "const auto lab_reduce = [&](const lab_value a, const lab_value b) -> lab_value {");
    write_own_text(out, bound, "return (", kernel->reduce, ");};");
    fprintf(out, "const auto lab_map_at = [&](const long long lab_at, const long long i) -> lab_value {\n");
    operands_write_element(out, bound, false);
    write_own_text(out, bound, "return (lab_value)(", kernel->map, ");};");
    write_own_text(out, bound, "const auto lab_identity = [&]() -> lab_value { return (lab_value)(",
                   kernel->identity ? kernel->identity : "lab_value()", ");};");
    fprintf(out, "const auto lab_finish = [&](const long long lab_result, lab_value a) {\n");
    for (int i = 0; i < kernel->signature.count; i++) {
        const parameter *formal = &kernel->signature.parameter[i];
        if (formal->output)
            fprintf(out, "%s &%s = lab_array_%s[lab_result];\n", dtype_c_name(bound->operand[i].dtype), formal->name,
                    formal->name);
    }
    write_own_text(out, bound, "{", kernel->post_map, ";}};");
}

static void write_kernel(FILE *out, const void *maker, const operands *bound)
{
    const reduction *kernel = maker;
    operands_write_types(out, bound);
    if (kernel->preamble) write_own_text(out, bound, "", kernel->preamble, "");
    fprintf(out, "typedef %s lab_value;\n%s", value_type(kernel, bound), store_text);
    fprintf(out, "extern \"C\" __global__ LAB_ONE_COPY void %s(", kernel->signature.kernel);
    operands_write_parameters(out, bound);
    fprintf(out,
            "const unsigned long long lab_scratch, const long long lab_results, const long long lab_stride,\n"
            "const long long lab_width, const long long lab_chunks, const long long lab_tile,\n"
            "const long long lab_tiles, const long long lab_units, const long long lab_share, const long long n) {\n");
    write_functions(out, kernel, bound);
    fprintf(out,
            "const unsigned long long lab_partial = lab_scratch + %d;\n"
            "const long long lab_last = min((blockIdx.x + 1ll) * lab_share, lab_units);\n"
            "for (long long lab_unit = blockIdx.x * lab_share; lab_unit < lab_last; ++lab_unit) {\n"
            "const long long lab_group = lab_unit / lab_tiles, lab_number = lab_unit %% lab_tiles;\n"
            "const long long lab_first = lab_number * lab_tile, lab_end = min(lab_first + lab_tile, n);\n"
            "const auto lab_done = [&](const long long lab_result, const lab_value &a) {\n"
            "if (lab_tiles > 1) lab_keep(lab_partial, lab_result * lab_tiles + lab_number, a);\n"
            "else lab_finish(lab_result, a); };\n",
            WORKSPACE_ZEROS);
    if (bound->groups[OF_ELEMENTS])
        write_places(out, bound);
    else
        fputs(bound->stride > 1 ? columns_text : range_text, out);
    fputs("}\n"
          "if (lab_tiles == 1 || !lab_last_block((unsigned *)lab_scratch)) return;\n"
          "for (long long lab_result = 0; lab_result < lab_results; ++lab_result) {\n"
          "const auto lab_map = [&](const long long i) { return lab_kept(lab_partial, lab_result * lab_tiles + i); };\n"
          "const lab_value a = lab_reduce_partial<lab_value>(lab_tiles, lab_map, lab_reduce);\n"
          "if (threadIdx.x == 0) lab_finish(lab_result, a);\n"
          "}\n}\n",
          out);
}

/* ---- making ---- */

static lab_status copy_text(char **out, const char *text, const reduction *kernel)
{
    if (!text) return LAB_SUCCESS;
    *out = strdup(text);
    if (*out) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for reduction kernel '%s'", kernel->signature.kernel);
}

static lab_status copy_texts(reduction *kernel, const lab_reduction_source *source)
{
    LAB_TRY(copy_text(&kernel->map, source->map, kernel));
    LAB_TRY(copy_text(&kernel->reduce, source->reduce, kernel));
    LAB_TRY(copy_text(&kernel->post_map, source->post_map, kernel));
    LAB_TRY(copy_text(&kernel->identity, source->identity, kernel));
    return copy_text(&kernel->preamble, source->preamble, kernel);
}

static lab_status parse_reduce_type(reduction *kernel, const char *type)
{
    if (!type) return LAB_SUCCESS;
    kernel->reduce_dtype = dtype_named(type, strlen(type));
    if (kernel->reduce_dtype) return LAB_SUCCESS;
    for (int i = 0; i < kernel->signature.count; i++)
        if (strlen(type) == 1 && kernel->signature.parameter[i].letter == *type) kernel->reduce_letter = *type;
    if (kernel->reduce_letter) return LAB_SUCCESS;
    if (kernel->preamble) return copy_text(&kernel->reduce_type, type, kernel);
    return lab_fail(
        LAB_ERROR_INVALID_VALUE,
        "reduction kernel '%s': the reduce type '%.32s' is neither a type nor a parameter's letter, and there is "
        "no preamble that could define it",
        kernel->signature.kernel, type);
}

static lab_status check_outputs(const signature *sig)
{
    for (int i = 0; i < sig->count; i++)
        if (sig->parameter[i].output && sig->parameter[i].raw)
            return lab_fail(LAB_ERROR_INVALID_VALUE,
                            "reduction kernel '%s', parameter '%s' is an output and cannot be raw", sig->kernel,
                            sig->parameter[i].name);
    return LAB_SUCCESS;
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
    if (status == LAB_SUCCESS) status = check_outputs(&made->signature);
    if (status == LAB_SUCCESS) status = copy_texts(made, source);
    if (status == LAB_SUCCESS) status = parse_reduce_type(made, source->reduce_type);
    if (status == LAB_SUCCESS)
        *out = made;
    else
        reduction_free(made);
    return status;
}

lab_status reduction_make_foreign(reduction **out, const lab_reduction_source *source)
{
    const lab_status status = reduction_make(out, source);
    if (status == LAB_SUCCESS) (*out)->specialized.foreign = true;
    return status;
}

void reduction_free(reduction *kernel)
{
    specializations_unload(&kernel->specialized);
    pthread_mutex_destroy(&kernel->specialized.lock);
    free(kernel->map);
    free(kernel->reduce);
    free(kernel->post_map);
    free(kernel->identity);
    free(kernel->preamble);
    free(kernel->reduce_type);
    free(kernel);
}

/* ---- launching ---- */

size_t reduction_tile(size_t length)
{
    size_t tile = length / REDUCTION_MOST_TILES + 1;
    return tile <= SMALLEST_TILE ? SMALLEST_TILE : (tile + REDUCTION_LANES - 1) / REDUCTION_LANES * REDUCTION_LANES;
}

/* How the work is divided: a unit is a tile of one result, or of several adjacent results side by side; a block takes
 * `share` units. */
typedef struct partition {
    size_t tile, tiles;          /* elements per tile, tiles per result */
    size_t width, chunks;        /* results side by side; groups of them along the stride */
    size_t units, share, blocks; /* all units, units per block, blocks */
} partition;

static size_t divide_up(size_t a, size_t b) { return a / b + (a % b > 0); }

static partition cut(const operands *bound, const struct stream *stream)
{
    const backend_generated *how = runtime_backend()->generated;
    partition plan = {.tile = reduction_tile(bound->length), .width = bound->stride};
    size_t wanted = 2 * (size_t)stream->context->info.multiprocessors;
    plan.tiles = bound->length ? divide_up(bound->length, plan.tile) : 1;
    if (plan.width > how->reduction_columns) plan.width = how->reduction_columns;
    while (plan.width > SMALLEST_WIDTH && bound->results / plan.width * plan.tiles < wanted) plan.width /= 2;
    plan.chunks = divide_up(bound->stride, plan.width);
    plan.units = bound->results / bound->stride * plan.chunks * plan.tiles;
    size_t elements = plan.width * (plan.tiles > 1 ? plan.tile : bound->length);
    plan.share = divide_up(how->block_elements, elements ? elements : 1);
    plan.blocks = divide_up(plan.units, plan.share);
    return plan;
}

static lab_status enqueue(lab_function function, operands *bound, const struct stream *stream)
{
    partition plan = cut(bound, stream);
    if (plan.blocks > INT_MAX)
        return lab_fail(LAB_ERROR_NOT_SUPPORTED, "reduction kernel '%s': %zu results are more than one launch can make",
                        bound->signature->kernel, bound->results);
    workspace *partial = NULL;
    if (plan.tiles > 1) LAB_TRY(workspace_take(&partial, bound->results * plan.tiles * SLOT_BYTES, stream));
    lab_arg argument[MOST_PARAMETERS + 11];
    int count = operands_arguments(argument, bound);
    /* A number, not a pointer: the record of the launch does not include the workspace. */
    argument[count++] = (lab_arg){LAB_ARG_INTEGER, 8, {.integer = partial ? workspace_address(partial) : 0}};
    const size_t more[] = {bound->results, bound->stride, plan.width, plan.chunks,  plan.tile,
                           plan.tiles,     plan.units,    plan.share, bound->length};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) argument[count++] = lab_arg_sll((long long)more[i]);
    lab_status status =
        lab_launch(function, LAB_DIM((unsigned)plan.blocks), LAB_DIM(runtime_backend()->generated->reduction_threads),
                   0, stream->handle, (lab_args){argument, count});
    workspace_give(partial, stream);
    return status;
}

static lab_status launch(reduction *kernel, long long size, lab_axes axes, const struct stream *stream, lab_args args)
{
    operands bound;
    lab_function function;
    LAB_TRY(operands_bind_reduction(&bound, &kernel->signature, args, size, axes, stream));
    if (bound.results == 0) return LAB_SUCCESS;
    if (bound.length == 0 && !kernel->identity)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "reduction kernel '%s': there are no elements, and no identity to be their result",
                        kernel->signature.kernel);
    LAB_TRY(specialize(&function, &kernel->specialized, &bound, stream->context, write_kernel, kernel));
    lab_status status = operands_separate(&bound, stream);
    if (status == LAB_SUCCESS) status = enqueue(function, &bound, stream);
    operands_release(&bound, stream);
    return status;
}

static bool is_strided(const lab_arg *argument)
{
    const struct array *found = argument->kind == LAB_ARG_ARRAY ? array_get(argument->value.array) : NULL;
    return found && found->strided;
}

/* Contiguous arrays in place of those whose elements are apart: gathered before the reduction, spread after it. */
static lab_status launch_gathered(reduction *kernel, long long size, lab_axes axes, const struct stream *stream,
                                  lab_args args)
{
    contiguous between[MOST_PARAMETERS] = {{NULL, NULL}};
    lab_arg argument[MOST_PARAMETERS];
    lab_status status = LAB_SUCCESS;
    for (int i = 0; i < args.count && status == LAB_SUCCESS; i++) {
        argument[i] = args.arg[i];
        if (!is_strided(&argument[i])) continue;
        status = contiguous_of(&between[i], argument[i].value.array, stream);
        argument[i] = lab_arg_array(between[i].array);
    }
    if (status == LAB_SUCCESS) status = launch(kernel, size, axes, stream, (lab_args){argument, args.count});
    for (int i = 0; i < args.count; i++) {
        if (status == LAB_SUCCESS && between[i].array && kernel->signature.parameter[i].output)
            status = contiguous_move(args.arg[i].value.array, between[i].array, stream->handle);
        contiguous_end(&between[i], stream);
    }
    return status;
}

lab_status reduction_launch(reduction *kernel, long long size, lab_axes axes, lab_stream *stream, lab_args args)
{
    struct stream *resolved;
    LAB_TRY(stream_resolve(&resolved, stream, kernel->signature.kernel));
    if (args.count == kernel->signature.count)
        for (int i = 0; i < args.count; i++)
            if (is_strided(&args.arg[i])) return launch_gathered(kernel, size, axes, resolved, args);
    return launch(kernel, size, axes, resolved, args);
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

/* Checks that no parameter is named a or b, which name the combined values in the program's texts. */
static lab_status check_names(const signature *sig)
{
    if (!signature_names(sig, "a") && !signature_names(sig, "b")) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "reduction kernel '%s': a parameter cannot be named a or b, which are the values that are combined",
                    sig->kernel);
}

lab_status lab_reduction_create(lab_reduction **out, const lab_reduction_source *source)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_reduction_create: out is NULL");
    *out = NULL;
    if (!source || !source->inputs || !source->outputs || !source->map || !source->reduce || !source->post_map)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "lab_reduction_create: source must have inputs, outputs, map, reduce and post_map");
    LAB_TRY(runtime_check());
    reduction *made;
    LAB_TRY(reduction_make_foreign(&made, source));
    lab_status status = check_names(&made->signature);
    uint64_t handle = status == LAB_SUCCESS ? handle_create(HANDLE_REDUCTION, made) : 0;
    if (status == LAB_SUCCESS && !handle)
        status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_reduction_create: no host memory for the kernel");
    if (status != LAB_SUCCESS) {
        reduction_free(made);
        return status;
    }
    *out = (lab_reduction *)(uintptr_t)handle;
    return LAB_SUCCESS;
}

static void release(retired *object) { reduction_free((reduction *)object); }

lab_status lab_reduction_destroy(lab_reduction *handle)
{
    RETIRE_SCOPE;
    if (!handle) return LAB_SUCCESS;
    LAB_TRY(runtime_check());
    reduction *removed = handle_remove(HANDLE_REDUCTION, (uintptr_t)handle);
    if (!removed)
        return lab_fail(LAB_ERROR_INVALID_HANDLE,
                        "lab_reduction_destroy: the kernel was already destroyed, or never created");
    retire(&removed->retired, release);
    return LAB_SUCCESS;
}

lab_status lab_reduction_launch(lab_reduction *handle, lab_stream *stream, lab_args args)
{
    RETIRE_SCOPE;
    reduction *found;
    LAB_TRY(resolve(&found, handle, "lab_reduction_launch"));
    return reduction_launch(found, OPERANDS_SIZED_BY_ARRAYS, OPERANDS_NO_AXES, stream, args);
}

lab_status lab_reduction_launch_sized(lab_reduction *handle, size_t size, lab_stream *stream, lab_args args)
{
    RETIRE_SCOPE;
    reduction *found;
    LAB_TRY(resolve(&found, handle, "lab_reduction_launch_sized"));
    if (size > INT64_MAX)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "reduction kernel '%s': a size of %zu is too large",
                        found->signature.kernel, size);
    return reduction_launch(found, (long long)size, OPERANDS_NO_AXES, stream, args);
}

lab_status lab_reduction_launch_axis(lab_reduction *handle, int axis, lab_stream *stream, lab_args args)
{
    RETIRE_SCOPE;
    reduction *found;
    LAB_TRY(resolve(&found, handle, "lab_reduction_launch_axis"));
    return reduction_launch(found, OPERANDS_SIZED_BY_ARRAYS, LAB_AXES(axis), stream, args);
}

lab_status lab_reduction_launch_axes(lab_reduction *handle, lab_axes axes, lab_stream *stream, lab_args args)
{
    RETIRE_SCOPE;
    reduction *found;
    LAB_TRY(resolve(&found, handle, "lab_reduction_launch_axes"));
    return reduction_launch(found, OPERANDS_SIZED_BY_ARRAYS, reduction_axes(axes), stream, args);
}
