/* Elementwise kernels: a body of CUDA C that runs for every element, in a loop that the device provides. */
#include "elementwise.h"

#include "base/handle.h"
#include "kernel_variants.h"

#include <stdlib.h>
#include <string.h>

struct elementwise {
    retired retired;
    signature signature;
    char *body, *preamble; /* the preamble is NULL if there is none */
    unsigned block_threads;
    specializations specialized;
};

/* ---- the kernel's text ---- */

static void write_body(FILE *out, const elementwise *kernel, const operands *bound)
{
    operands_write_element(out, bound, true);
    write_own_text(out, bound, "{", kernel->body, ";}");
}

static void write_kernel(FILE *out, const void *maker, const operands *bound)
{
    const elementwise *kernel = maker;
    operands_write_types(out, bound);
    if (kernel->preamble) write_own_text(out, bound, "", kernel->preamble, "");
    fprintf(out, "extern \"C\" __global__ LAB_ONE_COPY void %s(", kernel->signature.kernel);
    operands_write_parameters(out, bound);
    fprintf(out, "const long long n) {\n");
    operands_write_loads(out, bound);
    if (bound->outer) {
        fprintf(out, "LAB_EACH_ROW(lab_row, n, lab_layout.width) {\n");
        operands_write_row(out, bound);
        fprintf(out, "LAB_EACH_IN_ROW(i, lab_column, lab_row) {\n");
        write_body(out, kernel, bound);
        fprintf(out, "}\n}\n}\n");
    } else {
        fprintf(out, "LAB_EACH(i, n) {\n");
        write_body(out, kernel, bound);
        fprintf(out, "}\n}\n");
    }
}

/* ---- making and launching ---- */

lab_status elementwise_make(elementwise **out, const lab_elementwise_source *source)
{
    const char *name = source->name ? source->name : "elementwise";
    elementwise *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for elementwise kernel '%s'", name);
    made->signature.kind = "elementwise";
    made->block_threads = source->block_threads;
    made->body = strdup(source->body);
    if (source->preamble) made->preamble = strdup(source->preamble);
    pthread_mutex_init(&made->specialized.lock, NULL);
    lab_status status = signature_set_name(&made->signature, name);
    if (status == LAB_SUCCESS) status = signature_parse(&made->signature, source->inputs, source->outputs);
    if (status == LAB_SUCCESS && (!made->body || (source->preamble && !made->preamble)))
        status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for elementwise kernel '%s'", name);
    if (status == LAB_SUCCESS)
        *out = made;
    else
        elementwise_free(made);
    return status;
}

lab_status elementwise_make_foreign(elementwise **out, const lab_elementwise_source *source)
{
    const lab_status status = elementwise_make(out, source);
    if (status == LAB_SUCCESS) (*out)->specialized.foreign = true;
    return status;
}

void elementwise_free(elementwise *kernel)
{
    specializations_unload(&kernel->specialized);
    pthread_mutex_destroy(&kernel->specialized.lock);
    free(kernel->body);
    free(kernel->preamble);
    free(kernel);
}

/* The threads of a block: what the program asks for, where a block can have more than one. */
static unsigned threads_of(const elementwise *kernel)
{
    const unsigned usual = runtime_backend()->generated->block_threads;
    return kernel->block_threads && usual > 1 ? kernel->block_threads : usual;
}

/* As many blocks as are worth their cost, but no more than keep the device busy. */
static unsigned count_blocks(size_t elements, unsigned threads, const struct stream *stream)
{
    const backend_generated *how = runtime_backend()->generated;
    const size_t block_elements = how->block_elements / how->block_threads * threads;
    size_t blocks = elements / block_elements + (elements % block_elements > 0);
    size_t most = (size_t)stream->context->info.multiprocessors * how->blocks_per_multiprocessor;
    return (unsigned)(blocks < most ? blocks : most);
}

lab_status elementwise_launch(elementwise *kernel, long long size, lab_stream *stream, lab_args args)
{
    struct stream *resolved;
    operands bound;
    lab_function function;
    LAB_TRY(stream_resolve(&resolved, stream, kernel->signature.kernel));
    LAB_TRY(operands_bind(&bound, &kernel->signature, args, size, resolved));
    if (bound.count == 0) return LAB_SUCCESS;
    LAB_TRY(specialize(&function, &kernel->specialized, &bound, resolved->context, write_kernel, kernel));
    lab_status status = operands_separate(&bound, resolved);
    if (status == LAB_SUCCESS) {
        lab_arg argument[MOST_PARAMETERS + 2];
        int count = operands_arguments(argument, &bound);
        argument[count++] = lab_arg_sll((long long)bound.count);
        const unsigned threads = threads_of(kernel);
        status = lab_launch(function, LAB_DIM(count_blocks(bound.count, threads, resolved)), LAB_DIM(threads), 0,
                            resolved->handle, (lab_args){argument, count});
    }
    operands_release(&bound, resolved);
    return status;
}

lab_status elementwise_once(elementwise **out, _Atomic(elementwise *) *kept, const lab_elementwise_source *source)
{
    *out = atomic_load(kept);
    if (*out) return LAB_SUCCESS;
    LAB_TRY(elementwise_make(out, source));
    elementwise *other = NULL;
    if (atomic_compare_exchange_strong(kept, &other, *out)) return LAB_SUCCESS;
    elementwise_free(*out);
    *out = other;
    return LAB_SUCCESS;
}

/* ---- lab.h's ---- */

static lab_status resolve(elementwise **out, const lab_elementwise *handle, const char *call)
{
    *out = handle_get(HANDLE_ELEMENTWISE, (uintptr_t)handle);
    if (*out) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_HANDLE, "%s: the kernel %s", call,
                    handle ? "was destroyed before this call, or never created" : "is NULL");
}

static lab_status create(lab_elementwise **out, const lab_elementwise_source *source, const char *call)
{
    enum { MOST_BLOCK_THREADS = 1024 };
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: out is NULL", call);
    *out = NULL;
    if (!source || !source->inputs || !source->outputs || !source->body)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: %s is NULL", call,
                        !source            ? "source"
                        : !source->inputs  ? "inputs"
                        : !source->outputs ? "outputs"
                                           : "body");
    if (source->block_threads > MOST_BLOCK_THREADS)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: a block of %u threads; at most %d are allowed", call,
                        source->block_threads, MOST_BLOCK_THREADS);
    LAB_TRY(runtime_check());
    elementwise *made;
    LAB_TRY(elementwise_make_foreign(&made, source));
    uint64_t handle = handle_create(HANDLE_ELEMENTWISE, made);
    if (!handle) {
        elementwise_free(made);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no host memory for the kernel", call);
    }
    *out = (lab_elementwise *)(uintptr_t)handle;
    return LAB_SUCCESS;
}

lab_status lab_elementwise_create(lab_elementwise **out, const char *inputs, const char *outputs, const char *body,
                                  const char *name)
{
    return create(out, &(lab_elementwise_source){inputs, outputs, body, name, NULL, 0}, "lab_elementwise_create");
}

lab_status lab_elementwise_create_from(lab_elementwise **out, const lab_elementwise_source *source)
{
    return create(out, source, "lab_elementwise_create_from");
}

static void release(retired *object) { elementwise_free((elementwise *)object); }

lab_status lab_elementwise_destroy(lab_elementwise *handle)
{
    RETIRE_SCOPE;
    if (!handle) return LAB_SUCCESS;
    LAB_TRY(runtime_check());
    elementwise *removed = handle_remove(HANDLE_ELEMENTWISE, (uintptr_t)handle);
    if (!removed)
        return lab_fail(LAB_ERROR_INVALID_HANDLE,
                        "lab_elementwise_destroy: the kernel was already destroyed, or never created");
    retire(&removed->retired, release);
    return LAB_SUCCESS;
}

lab_status lab_elementwise_launch(lab_elementwise *handle, lab_stream *stream, lab_args args)
{
    RETIRE_SCOPE;
    elementwise *found;
    LAB_TRY(resolve(&found, handle, "lab_elementwise_launch"));
    return elementwise_launch(found, OPERANDS_SIZED_BY_ARRAYS, stream, args);
}

lab_status lab_elementwise_launch_sized(lab_elementwise *handle, size_t size, lab_stream *stream, lab_args args)
{
    RETIRE_SCOPE;
    elementwise *found;
    LAB_TRY(resolve(&found, handle, "lab_elementwise_launch_sized"));
    if (size > INT64_MAX)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "elementwise kernel '%s': a size of %zu is too large",
                        found->signature.kernel, size);
    return elementwise_launch(found, (long long)size, stream, args);
}
