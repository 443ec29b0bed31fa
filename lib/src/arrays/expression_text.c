/* Expressions in CUDA C. Integers wrap as NumPy's do: they are computed without sign, where C defines that. */
#include "expression.h"

const char expression_preamble[] =
    "template <class T> static inline __device__ T lab_maximum(T a, T b) { return a >= b || a != a ? a : b; }\n"
    "template <class T> static inline __device__ T lab_minimum(T a, T b) { return a <= b || a != a ? a : b; }\n"
    "template <class T> static inline __device__ T lab_absolute(T a)\n"
    "{\n"
    "    return a < 0 ? (T)(0ull - (unsigned long long)a) : a;\n"
    "}\n";

static void write_node(FILE *out, const expression_tree *of, const node_type *type, int index);

static void write_as(FILE *out, const expression_tree *of, const node_type *type, int index, const char *c_type)
{
    fprintf(out, "(%s)(", c_type);
    write_node(out, of, type, index);
    fputc(')', out);
}

/* The operation in a type that has it without overflow, and the result in the node's own. */
static void write_arithmetic(FILE *out, const expression_tree *of, const node_type *type, int index,
                             const char *operator)
{
    const node *each = &of->node[index];
    bool negated = each->kind == NODE_NEGATE;
    const char *own = dtype_c_name(type[index].dtype), *in = own;
    if (!dtype_floating(type[index].dtype))
        in = lab_dtype_size(type[index].dtype) == 8 ? "unsigned long long" : "unsigned";
    fprintf(out, "(%s)(", own);
    if (!negated) write_as(out, of, type, each->left, in);
    fprintf(out, " %s ", operator);
    write_as(out, of, type, negated ? each->left : each->right, in);
    fputc(')', out);
}

static void write_call(FILE *out, const expression_tree *of, const node_type *type, int index, const char *name)
{
    const node *each = &of->node[index];
    const char *own = dtype_c_name(type[index].dtype);
    bool binary = each->kind == NODE_MINIMUM || each->kind == NODE_MAXIMUM;
    fprintf(out, "%s(", name);
    write_as(out, of, type, each->left, own);
    if (binary) fputs(", ", out);
    if (binary) write_as(out, of, type, each->right, own);
    fputc(')', out);
}

static void write_node(FILE *out, const expression_tree *of, const node_type *type, int index)
{
    const node *each = &of->node[index];
    switch (each->kind) {
    case NODE_INPUT: fputs(of->input[each->input], out); break;
    case NODE_INTEGER: fprintf(out, "%lldll", (long long)each->integer); break;
    case NODE_REAL: fprintf(out, "%a", each->real); break;
    case NODE_NEGATE: write_arithmetic(out, of, type, index, "-"); break;
    case NODE_ABSOLUTE:
        write_call(out, of, type, index, dtype_floating(type[index].dtype) ? "fabs" : "lab_absolute");
        break;
    case NODE_ADD: write_arithmetic(out, of, type, index, "+"); break;
    case NODE_SUBTRACT: write_arithmetic(out, of, type, index, "-"); break;
    case NODE_MULTIPLY: write_arithmetic(out, of, type, index, "*"); break;
    case NODE_DIVIDE: write_arithmetic(out, of, type, index, "/"); break;
    case NODE_MINIMUM: write_call(out, of, type, index, "lab_minimum"); break;
    case NODE_MAXIMUM: write_call(out, of, type, index, "lab_maximum"); break;
    case NODE_FUNCTION: write_call(out, of, type, index, each->function->c_name); break;
    case NODE_REDUCE: fputc('a', out); break;
    }
}

void expression_write(FILE *out, const expression_tree *of, const node_type *type, int index)
{
    write_node(out, of, type, index);
}
