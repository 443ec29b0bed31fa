/* Expressions on the device: a kernel for each step and choice of types, and the steps of one computation, whose
 * intermediate values are in workspaces. */
#include "arrays/contiguous.h"
#include "expression.h"

#include "arrays/reduction.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What a kernel computes: nodes of the expression, where reductions are values that an earlier step computed, but for
 * `open`, if there is one; `given` says that so is its operand. */
typedef struct step {
    int result[MOST_RESULTS], results;
    int open;
    bool given;
} step;

typedef struct variant {
    step step;
    node_type input[MOST_INPUTS]; /* of the expression */
    expression_part part;
    elementwise *kernel; /* NULL if the step reduces */
    reduction *reduces;
    struct variant *next;
} variant;

struct expression_kernels {
    pthread_mutex_t lock;
    variant *first;
};

expression_kernels *expression_kernels_make(void)
{
    expression_kernels *made = calloc(1, sizeof *made);
    if (made) pthread_mutex_init(&made->lock, NULL);
    return made;
}

static void variant_free(variant *made)
{
    if (made->kernel) elementwise_free(made->kernel);
    if (made->reduces) reduction_free(made->reduces);
    free(made);
}

void expression_kernels_free(expression_kernels *kernels)
{
    for (variant *each = kernels->first, *next; each; each = next) {
        next = each->next;
        variant_free(each);
    }
    pthread_mutex_destroy(&kernels->lock);
    free(kernels);
}

/* ---- a step's kernel ---- */

/* Closes a memory stream. The caller frees the text; NULL if there is no memory. */
static char *finish_text(FILE *out, char **text)
{
    if (out && fclose(out) == 0) return *text;
    free(*text);
    return NULL;
}

/* "float32 x, int16 y" */
static char *write_inputs(const expression_tree *tree, const node_type *input)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; out && i < tree->inputs; i++)
        fprintf(out, "%s%s %s", i ? ", " : "", lab_dtype_name(input[i].dtype), tree->input[i]);
    return finish_text(out, &text);
}

/* The same for the results: "float32 out". */
static char *write_outputs(const expression_tree *tree, const node_type *type)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; out && i < tree->results; i++)
        fprintf(out, "%s%s %s", i ? ", " : "", lab_dtype_name(type[tree->result[i]].dtype), expression_results[i]);
    return finish_text(out, &text);
}

/* The same for what sets them: "out = x + 1; out2 = x" and so on. */
static char *write_results(const expression_tree *tree, const node_type *type)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; out && i < tree->results; i++) {
        fprintf(out, "%s%s = ", i ? "; " : "", expression_results[i]);
        expression_write(out, tree, type, tree->result[i]);
    }
    return finish_text(out, &text);
}

static char *write_map(const expression_tree *tree, const node_type *type)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) expression_write(out, tree, type, tree->node[tree->reduced].left);
    return finish_text(out, &text);
}

static lab_status make_reduction(reduction **out, const expression_tree *tree, const node_type *type,
                                 const char *inputs, const char *output, const char *result)
{
    const node *reduce = &tree->node[tree->reduced];
    lab_dtype dtype = type[tree->reduced].dtype;
    char *map = write_map(tree, type);
    if (!map) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for expression '%s'", tree->name);
    lab_status status = reduction_make_foreign(
        out, &(lab_reduction_source){.inputs = inputs,
                                     .outputs = output,
                                     .map = map,
                                     .reduce = dtype_floating(dtype) ? reduce->reduction->real_text
                                                                     : reduce->reduction->integer_text,
                                     .post_map = result,
                                     .identity = reduce->reduction->identity,
                                     .reduce_type = lab_dtype_name(dtype_computing(dtype)),
                                     .name = tree->name,
                                     .preamble = expression_preamble});
    free(map);
    return status;
}

static lab_status make_kernel(variant *made, const node_type *type, const node_type *input)
{
    const expression_tree *tree = &made->part.tree;
    char *inputs = write_inputs(tree, input), *outputs = write_outputs(tree, type),
         *results = write_results(tree, type);
    lab_status status = LAB_SUCCESS;
    if (!inputs || !outputs || !results)
        status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for expression '%s'", tree->name);
    else if (tree->reduced)
        status = make_reduction(&made->reduces, tree, type, inputs, outputs, results);
    else
        status = elementwise_make_foreign(
            &made->kernel, &(lab_elementwise_source){inputs, outputs, results, tree->name, expression_preamble, 0});
    free(inputs);
    free(outputs);
    free(results);
    return status;
}

static lab_status make_variant(variant *made, const expression_tree *tree, const node_type *type, const step *what,
                               const node_type *input)
{
    node_type own_type[MOST_NODES], own_input[MOST_INPUTS];
    LAB_TRY(expression_cut(&made->part, tree, what->result, what->results, what->open, what->given));
    for (int i = 0; i < made->part.tree.inputs; i++) {
        const int from = made->part.input[i];
        own_input[i] = from < MOST_INPUTS ? input[from] : (node_type){type[from - MOST_INPUTS].dtype, false};
    }
    LAB_TRY(expression_types(own_type, &made->part.tree, own_input));
    LAB_TRY(make_kernel(made, own_type, own_input));
    made->step = *what;
    memcpy(made->input, input, sizeof made->input);
    return LAB_SUCCESS;
}

static lab_status find_variant(const variant **out, expression_kernels *kernels, const expression_tree *tree,
                               const node_type *type, const node_type *input, const step *what)
{
    lab_status status = LAB_SUCCESS;
    pthread_mutex_lock(&kernels->lock);
    variant *found = kernels->first;
    while (found &&
           (memcmp(&found->step, what, sizeof *what) != 0 || memcmp(found->input, input, sizeof found->input) != 0))
        found = found->next;
    if (!found) {
        found = calloc(1, sizeof *found);
        status = found ? make_variant(found, tree, type, what, input)
                       : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for expression '%s'", tree->name);
        if (status == LAB_SUCCESS) {
            found->next = kernels->first;
            kernels->first = found;
        } else if (found) {
            variant_free(found);
        }
    }
    if (status == LAB_SUCCESS) *out = found;
    pthread_mutex_unlock(&kernels->lock);
    return status;
}

/* ---- the steps of a computation ---- */

typedef struct computation {
    expression_kernels *kernels;
    const expression_tree *tree;
    const node_type *type, *input;
    lab_args args;
    const struct stream *stream;
    lab_shape shape[MOST_NODES];   /* set if the expression reduces */
    contiguous values[MOST_NODES]; /* of a node */
} computation;

static lab_status run_step(const computation *state, const step *what, const lab_arg *output)
{
    const variant *found;
    lab_arg argument[MOST_INPUTS + MOST_RESULTS];
    LAB_TRY(find_variant(&found, state->kernels, state->tree, state->type, state->input, what));
    const expression_tree *part = &found->part.tree;
    for (int i = 0; i < part->inputs; i++) {
        const int from = found->part.input[i];
        argument[i] =
            from < MOST_INPUTS ? state->args.arg[from] : lab_arg_array(state->values[from - MOST_INPUTS].array);
    }
    memcpy(argument + part->inputs, output, (size_t)what->results * sizeof *output);
    const lab_args args = {argument, part->inputs + what->results};
    if (found->reduces)
        return reduction_launch(found->reduces, OPERANDS_SIZED_BY_ARRAYS, state->tree->node[what->open].axes,
                                state->stream->handle, args);
    return elementwise_launch(found->kernel, OPERANDS_SIZED_BY_ARRAYS, state->stream->handle, args);
}

/* Memory for the values of a node. */
static lab_status make_values(computation *state, int index)
{
    return contiguous_make(&state->values[index], state->type[index].dtype, state->shape[index], state->stream);
}

/* Whether a reduction's kernel cannot compute the operand: it does not broadcast. */
static bool broadcasts(const computation *state, int index)
{
    const node_set used = expression_uses(state->tree, index, -1);
    for (int i = 0; i <= index; i++) {
        const node_kind kind = state->tree->node[i].kind;
        if (!used.has[i] || (kind != NODE_INPUT && kind != NODE_REDUCE)) continue;
        const size_t count = elements_of(state->shape[i]);
        if (count != 1 && count != elements_of(state->shape[index])) return true;
    }
    return false;
}

/* Computes a result that has one reduction, or the reduction alone. */
static lab_status run_reduction(computation *state, int result, int reduce, const lab_arg *output)
{
    const int left = state->tree->node[reduce].left;
    step what;
    memset(&what, 0, sizeof what);
    what.result[0] = left;
    what.results = 1;
    if (broadcasts(state, left) && !state->values[left].array) {
        LAB_TRY(make_values(state, left));
        const lab_arg values = lab_arg_array(state->values[left].array);
        LAB_TRY(run_step(state, &what, &values));
    }
    what.result[0] = result;
    what.open = reduce;
    what.given = state->values[left].array;
    return run_step(state, &what, output);
}

/* The reductions whose values another step uses. */
static node_set find_needed(const expression_tree *tree)
{
    node_set needed = {.has = {[0] = false}};
    for (int k = 0; k < tree->results; k++) {
        const int direct = expression_direct(tree, k);
        const node_set used = expression_uses(tree, tree->result[k], direct);
        for (int i = 0; i < tree->nodes; i++)
            needed.has[i] |= used.has[i] && i != direct && tree->node[i].kind == NODE_REDUCE;
    }
    for (int i = tree->nodes - 1; i >= 0; i--) {
        if (!needed.has[i]) continue;
        const node_set used = expression_uses(tree, tree->node[i].left, -1);
        for (int k = 0; k < i; k++) needed.has[k] |= used.has[k] && tree->node[k].kind == NODE_REDUCE;
    }
    return needed;
}

static lab_status run_group(computation *state, const result_groups *groups, int group)
{
    const expression_tree *tree = state->tree;
    lab_arg output[MOST_RESULTS];
    step what;
    memset(&what, 0, sizeof what);
    for (int i = 0; i < tree->results; i++) {
        if (groups->group[i] != group) continue;
        const int direct = expression_direct(tree, i);
        const lab_arg *to = &state->args.arg[tree->inputs + i];
        if (direct) return run_reduction(state, tree->result[i], direct, to);
        output[what.results] = *to;
        what.result[what.results++] = tree->result[i];
    }
    return run_step(state, &what, output);
}

/* The shape of an argument; no dimensions for a number. */
static lab_shape shape_of(const lab_arg *argument)
{
    const struct array *array = argument->kind == LAB_ARG_ARRAY ? array_get(argument->value.array) : NULL;
    return array ? array->shape : (lab_shape){.dimensions = 0};
}

static lab_status run(computation *state)
{
    const expression_tree *tree = state->tree;
    lab_shape input[MOST_INPUTS], result[MOST_RESULTS];
    for (int i = 0; i < tree->inputs; i++) input[i] = shape_of(&state->args.arg[i]);
    for (int i = 0; i < tree->results; i++) result[i] = shape_of(&state->args.arg[tree->inputs + i]);
    const result_groups groups = expression_group(tree, result);
    LAB_TRY(expression_check_order(tree, &groups, state->args.arg));
    if (tree->reduced) {
        const node_set needed = find_needed(tree);
        LAB_TRY(expression_shapes(state->shape, tree, input));
        for (int i = 0; i < tree->nodes; i++) {
            if (!needed.has[i]) continue;
            LAB_TRY(make_values(state, i));
            const lab_arg values = lab_arg_array(state->values[i].array);
            LAB_TRY(run_reduction(state, i, i, &values));
        }
    }
    for (int i = 0; i < groups.groups; i++) LAB_TRY(run_group(state, &groups, i));
    return LAB_SUCCESS;
}

lab_status expression_enqueue(expression_kernels *kernels, const expression_tree *tree, const node_type *type,
                              const node_type *input, lab_stream *stream, lab_args args)
{
    struct stream *resolved;
    computation state = {kernels, tree, type, input, args, NULL, {{0}}, {{NULL, NULL}}};
    LAB_TRY(stream_resolve(&resolved, stream, tree->name));
    state.stream = resolved;
    lab_status status = run(&state);
    for (int i = 0; i < tree->nodes; i++) contiguous_end(&state.values[i], resolved);
    return status;
}
