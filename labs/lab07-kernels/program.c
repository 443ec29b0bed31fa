/* The program around the student's functions and kernels. */
#include "lab07.h"
#include "lab_trace.h"
#include "shared.h"
#include "worker.h"

#include <stdio.h>
#include <string.h>

/* Makes an array of count elements that hold a number. Unless it must be exact, more of them follow: `room` is the
 * array with these. */
static lab_status make_room(lab_array **array, lab_array **room, const lab07_arguments *given, lab_arg number)
{
    const lab_dtype type = given->type ? (lab_dtype)given->type : LAB_FLOAT32;
    const size_t count = (size_t)given->count;
    LAB_TRY(lab_array_full(room, type, LAB_SHAPE(count + (given->exact ? 0 : LAB07_BEHIND)), number));
    return lab_array_slice(array, *room, 0, count);
}

/* The same with these contents. */
static lab_status upload(lab_array **array, lab_array **room, const lab07_arguments *given, const void *contents)
{
    LAB_TRY(make_room(array, room, given, given->type == LAB_INT32 ? LAB_ARG(LAB07_UNWRITTEN) : LAB_ARG(LAB07_LARGE)));
    return lab_array_set(*array, contents);
}

typedef lab_status elementwise(lab_array *out, lab_array *x, lab_array *y, lab_array *z);

static lab_status difference(lab_array *out, lab_array *x, lab_array *y, lab_array *z)
{
    (void)z;
    return lab07_difference(out, x, y);
}

static lab_status wave(lab_array *out, lab_array *x, lab_array *y, lab_array *z) { return lab07_wave(out, x, y, z); }

static lab_status wave_in_steps(lab_array *out, lab_array *x, lab_array *y, lab_array *z)
{
    return lab07_steps(out, x, y, z);
}

static lab_status softplus(lab_array *out, lab_array *x, lab_array *y, lab_array *z)
{
    (void)y, (void)z;
    return lab07_softplus(LAB_ARG(x), LAB_ARG(out));
}

/* Makes a stream current on which nothing orders work by itself, and returns it. */
static lab_status begin(lab_stream **stream)
{
    LAB_TRY(lab_stream_create(stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_device_synchronize());
    LAB_TRY(lab_stream_use(*stream));
    worker_begins();
    return LAB_SUCCESS;
}

static lab_status end(lab_stream *stream)
{
    worker_ends(LAB_SUCCESS);
    LAB_TRY(lab_stream_synchronize(stream));
    LAB_TRY(lab_stream_use(lab_stream_null()));
    return lab_stream_destroy(stream);
}

static lab_status compute(elementwise *function, lab07_memory *shared, const lab07_arguments *given)
{
    lab_array *array[LAB07_INPUTS + 1], *room[LAB07_INPUTS + 1];
    lab_stream *stream;
    for (int i = 0; i < LAB07_INPUTS; i++) LAB_TRY(upload(&array[i], &room[i], given, shared->input[i]));
    LAB_TRY(make_room(&array[LAB07_INPUTS], &room[LAB07_INPUTS], given, LAB_ARG(LAB07_UNWRITTEN)));
    LAB_TRY(begin(&stream));
    LAB_TRY(function(array[LAB07_INPUTS], array[0], array[1], array[2]));
    LAB_TRY(end(stream));
    LAB_TRY(lab_array_get(room[LAB07_INPUTS], shared->output));
    for (int i = 0; i <= LAB07_INPUTS; i++) {
        LAB_TRY(lab_array_destroy(array[i]));
        LAB_TRY(lab_array_destroy(room[i]));
    }
    return LAB_SUCCESS;
}

static lab_status run_difference(void *memory, const void *arguments, void *result)
{
    (void)result;
    return compute(difference, memory, arguments);
}

static lab_status run_wave(void *memory, const void *arguments, void *result)
{
    (void)result;
    return compute(wave, memory, arguments);
}

static lab_status run_wave_in_steps(void *memory, const void *arguments, void *result)
{
    (void)result;
    return compute(wave_in_steps, memory, arguments);
}

static lab_status run_softplus(void *memory, const void *arguments, void *result)
{
    const lab07_arguments *given = arguments;
    lab07_memory *shared = memory;
    const size_t count = (size_t)given->count;
    (void)result;
    if (!given->on_host) return compute(softplus, memory, arguments);
    worker_lend(shared->input[0], count * sizeof(float));
    worker_lend(shared->output, count * sizeof(float));
    return WORKER_CALL(lab07_softplus(LAB_HOST_ARRAY(shared->input[0], LAB_FLOAT32, LAB_SHAPE(count)),
                                      LAB_HOST_ARRAY(shared->output, LAB_FLOAT32, LAB_SHAPE(count))));
}

/* Loads a tree with an operation's words in front of it, and a kernel that tells what IDENTITY is. */
static lab_status load_tree(lab_module **module, lab_function *tree, const char *text, const lab07_operation *operation)
{
    enum { MOST_BYTES = 1 << 16 };
    static char source[MOST_BYTES];
    snprintf(source, sizeof source,
             "#define IDENTITY (%s)\nstatic __device__ float combine(float a, float b) { return %s; } "
             "extern \"C\" __global__ void lab07_identity(float *out) { *out = IDENTITY; }\n%s",
             operation->identity, operation->combine, text ? text : "");
    LAB_TRY(lab_module_load_source(module, source, "lab07.c"));
    return lab_module_get_function(tree, *module, "tree");
}

/* Where the message about a wrong result points depends on this: at the operation, or at the tree. */
static lab_status tell_identity(lab07_memory *shared, lab_module *module, lab_array *out)
{
    lab_function identity;
    LAB_TRY(lab_module_get_function(&identity, module, "lab07_identity"));
    LAB_TRY(lab_launch(identity, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(out)));
    return lab_array_get(out, &shared->identity);
}

/* Loads the tree that is asked for. A sum modulo a number is an operation that no text knows before. */
static lab_status load_asked(lab_module **module, lab_function *tree, const lab07_arguments *given, bool shuffles)
{
    char modulo[128];
    const lab07_operation own = {modulo, "0.0f"};
    const char *text = shuffles ? lab07_shuffle() : lab07_tree();
    snprintf(modulo, sizeof modulo, "a + b < %d ? a + b : a + b - %d", given->modulus, given->modulus);
    return load_tree(module, tree, text, given->modulus ? &own : given->largest ? &lab07_max : &lab07_sum);
}

/* Reduces with the student's lab07_reduce or with the tree of shuffles, or launches either tree once. */
static lab_status reduce(lab07_memory *shared, const lab07_arguments *given, bool shuffles)
{
    const unsigned blocks = given->blocks ? (unsigned)given->blocks : LAB07_BLOCKS;
    lab07_work work = {.count = given->count};
    lab_array *room;
    lab_module *module;
    lab_stream *stream;
    LAB_TRY(load_asked(&module, &work.tree, given, shuffles));
    LAB_TRY(upload(&work.x, &room, given, shared->input[0]));
    LAB_TRY(lab_array_full(&work.partial, LAB_FLOAT32, LAB_SHAPE(blocks), LAB_ARG(LAB07_UNWRITTEN)));
    LAB_TRY(lab_array_full(&work.out, LAB_FLOAT32, LAB_SHAPE(1), LAB_ARG(LAB07_UNWRITTEN)));
    const lab_dim block = LAB_DIM(shuffles ? LAB07_WARP : LAB07_THREADS);
    LAB_TRY(begin(&stream));
    if (shuffles || given->blocks)
        LAB_TRY(lab_launch(work.tree, LAB_DIM(blocks), block, 0, NULL, LAB_ARGS(work.partial, work.x, work.count)));
    else
        LAB_TRY(lab07_reduce(&work));
    if (shuffles && !given->blocks)
        LAB_TRY(lab_launch(work.tree, LAB_DIM(1), block, 0, NULL, LAB_ARGS(work.out, work.partial, (int)blocks)));
    LAB_TRY(end(stream));
    LAB_TRY(lab_array_get(given->blocks ? work.partial : work.out, shared->output));
    LAB_TRY(tell_identity(shared, module, work.out));
    LAB_TRY(lab_array_destroy(work.x));
    LAB_TRY(lab_array_destroy(room));
    LAB_TRY(lab_array_destroy(work.partial));
    LAB_TRY(lab_array_destroy(work.out));
    return lab_module_unload(module);
}

static lab_status run_reduce(void *memory, const void *arguments, void *result)
{
    (void)result;
    return reduce(memory, arguments, false);
}

static lab_status run_shuffle(void *memory, const void *arguments, void *result)
{
    (void)result;
    return reduce(memory, arguments, true);
}

static lab_status run_scale(void *memory, const void *arguments, void *result)
{
    const lab07_arguments *given = arguments;
    lab07_memory *shared = memory;
    lab_array *x, *room;
    lab_module *module;
    lab_function scale;
    const char *scale_text = lab07_scale();
    (void)result;
    LAB_TRY(lab_module_load_source(&module, scale_text ? scale_text : "", "lab07.c"));
    LAB_TRY(lab_module_get_function(&scale, module, "scale"));
    LAB_TRY(upload(&x, &room, given, shared->input[0]));
    LAB_TRY(WORKER_CALL(lab_launch(scale, LAB_DIM((unsigned)given->blocks), LAB_DIM((unsigned)given->threads), 0, NULL,
                                   LAB_ARGS(x, given->factor, given->count))));
    LAB_TRY(lab_array_get(room, shared->output));
    LAB_TRY(lab_array_destroy(x));
    LAB_TRY(lab_array_destroy(room));
    return lab_module_unload(module);
}

const worker_entry worker_entries[] = {
    {"lab07_difference", run_difference}, {"lab07_wave", run_wave},         {"lab07_steps", run_wave_in_steps},
    {"lab07_reduce", run_reduce},         {"lab07_softplus", run_softplus}, {"lab07_scale", run_scale},
    {"lab07_tree", run_reduce},           {"lab07_shuffle", run_shuffle},   {0},
};
