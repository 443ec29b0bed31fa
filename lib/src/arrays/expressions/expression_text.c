/* Expressions in CUDA C. Integers wrap as in NumPy: they are computed as unsigned, for which C defines it. */
#include "expression.h"

#include <math.h>

const char expression_preamble[] =
    "template <class T> static inline __device__ T lab_maximum(T a, T b) { return a >= b || a != a ? a : b; }\n"
    "template <class T> static inline __device__ T lab_minimum(T a, T b) { return a <= b || a != a ? a : b; }\n"
    "template <class T> static inline __device__ T lab_absolute(T a)\n"
    "{\n"
    "    return a < 0 ? (T)(0ull - (unsigned long long)a) : a;\n"
    "}\n";

static void write_node(FILE *out, const expression_tree *tree, const node_type *type, int index);

static void write_as(FILE *out, const expression_tree *tree, const node_type *type, int index, const char *c_type)
{
    fprintf(out, "(%s)(", c_type);
    write_node(out, tree, type, index);
    fputc(')', out);
}

/* Writes the operation in a type in which it cannot overflow, and converts the result to the node's type. */
static void write_arithmetic(FILE *out, const expression_tree *tree, const node_type *type, int index,
                             const char *operator)
{
    const node *each = &tree->node[index];
    bool negated = each->kind == NODE_NEGATE;
    const char *own = dtype_c_name(type[index].dtype), *in = own;
    if (!dtype_floating(type[index].dtype))
        in = lab_dtype_size(type[index].dtype) == 8 ? "unsigned long long" : "unsigned";
    fprintf(out, "(%s)(", own);
    if (!negated) write_as(out, tree, type, each->left, in);
    fprintf(out, " %s ", operator);
    write_as(out, tree, type, negated ? each->left : each->right, in);
    fputc(')', out);
}

/* Functions have no types of 16 bits: the operands become float, and the result is rounded. */
static void write_call(FILE *out, const expression_tree *tree, const node_type *type, int index, const char *name)
{
    const node *each = &tree->node[index];
    const char *own = dtype_c_name(type[index].dtype), *in = dtype_narrow(type[index].dtype) ? "(float)" : "";
    bool binary = each->kind == NODE_MINIMUM || each->kind == NODE_MAXIMUM;
    if (*in) fprintf(out, "(%s)(", own);
    fprintf(out, "%s(%s", name, in);
    write_as(out, tree, type, each->left, own);
    if (binary) fprintf(out, ", %s", in);
    if (binary) write_as(out, tree, type, each->right, own);
    fputs(*in ? "))" : ")", out);
}

static void write_node(FILE *out, const expression_tree *tree, const node_type *type, int index)
{
    const node *each = &tree->node[index];
    switch (each->kind) {
    case NODE_INPUT: fputs(tree->input[each->input], out); break;
    case NODE_INTEGER: fprintf(out, "%lldll", (long long)each->integer); break;
    case NODE_REAL:
        if (isfinite(each->real))
            fprintf(out, "%a", each->real);
        else
            fprintf(out, "__longlong_as_double(0x7ff%d000000000000ll)", isinf(each->real) ? 0 : 8);
        break;
    case NODE_NEGATE: write_arithmetic(out, tree, type, index, "-"); break;
    case NODE_ABSOLUTE:
        write_call(out, tree, type, index, dtype_floating(type[index].dtype) ? "fabs" : "lab_absolute");
        break;
    case NODE_ADD: write_arithmetic(out, tree, type, index, "+"); break;
    case NODE_SUBTRACT: write_arithmetic(out, tree, type, index, "-"); break;
    case NODE_MULTIPLY: write_arithmetic(out, tree, type, index, "*"); break;
    case NODE_DIVIDE: write_arithmetic(out, tree, type, index, "/"); break;
    case NODE_MINIMUM: write_call(out, tree, type, index, "lab_minimum"); break;
    case NODE_MAXIMUM: write_call(out, tree, type, index, "lab_maximum"); break;
    case NODE_WHERE:
        fputc('(', out);
        write_as(out, tree, type, each->condition, dtype_c_name(dtype_computing(type[each->condition].dtype)));
        fputs(" != 0 ? ", out);
        write_as(out, tree, type, each->left, dtype_c_name(type[index].dtype));
        fputs(" : ", out);
        write_as(out, tree, type, each->right, dtype_c_name(type[index].dtype));
        fputc(')', out);
        break;
    case NODE_CAST: write_as(out, tree, type, each->left, dtype_c_name(type[index].dtype)); break;
    case NODE_FUNCTION: write_call(out, tree, type, index, each->function->c_name); break;
    case NODE_REDUCE: fputc('a', out); break;
    }
}

void expression_write(FILE *out, const expression_tree *tree, const node_type *type, int index)
{
    write_node(out, tree, type, index);
}
