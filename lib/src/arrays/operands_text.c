/* The text by which a generated kernel reaches its operands, for one choice of types and forms. */
#include "operands.h"

static const char *type_of(const operands *bound, int which) { return dtype_c_name(bound->operand[which].dtype); }

void operands_write_parameters(FILE *out, const operands *bound)
{
    for (int i = 0; i < bound->signature->count; i++) {
        const parameter *formal = &bound->signature->parameter[i];
        const char *name = formal->name, *type = type_of(bound, i);
        if (bound->operand[i].form == OPERAND_NUMBER)
            fprintf(out, "const %s %s, ", type, name);
        else
            fprintf(out, "%s%s *%s%s, ", formal->output ? "" : "const ", type,
                    bound->operand[i].form == OPERAND_RAW ? "" : "lab_array_", name);
    }
    if (bound->outer) fprintf(out, "const lab_rows lab_layout, ");
    if (bound->groups[OF_ELEMENTS]) fprintf(out, "const lab_places lab_where, ");
}

void operands_write_types(FILE *out, const operands *bound)
{
    if (bound->outer)
        fprintf(out, "struct lab_rows { long long width, extent[%d], stride[%d][%d]; };\n", LAB_MAX_DIMENSIONS - 2,
                MOST_PARAMETERS, LAB_MAX_DIMENSIONS);
    if (bound->groups[OF_ELEMENTS])
        fprintf(out, "struct lab_places { long long size[2][%d], stride[2][%d]; };\n", MOST_GROUPS, MOST_GROUPS);
    for (int letter = 0; letter < 128; letter++)
        if (bound->letter[letter]) fprintf(out, "typedef %s %c;\n", dtype_c_name(bound->letter[letter]), letter);
}

void operands_write_row(FILE *out, const operands *bound)
{
    fprintf(out, "long long lab_rest = lab_row;\n");
    for (int d = bound->outer - 1; d > 0; d--)
        fprintf(out,
                "const long long lab_index%d = lab_rest %% lab_layout.extent[%d]; lab_rest /= lab_layout.extent[%d];\n",
                d, d - 1, d - 1);
    fprintf(out, "const long long lab_index0 = lab_rest;\n");
    for (int i = 0; i < bound->signature->count; i++) {
        const operand_form form = bound->operand[i].form;
        if (form != OPERAND_ROWS && form != OPERAND_COLUMNS && form != OPERAND_STRIDED) continue;
        const char *name = bound->signature->parameter[i].name;
        fprintf(out, "%s%s *const lab_start_%s = lab_array_%s", bound->signature->parameter[i].output ? "" : "const ",
                type_of(bound, i), name, name);
        for (int d = 0; d < bound->outer; d++) fprintf(out, " + lab_index%d * lab_layout.stride[%d][%d]", d, i, d);
        fprintf(out, ";\n");
    }
}

void operands_write_place(FILE *out, const operands *bound, int which, const char *index)
{
    const int groups = bound->groups[which];
    if (groups == 0) fprintf(out, "0ll");
    for (int group = 0; group < groups; group++) {
        fprintf(out, "%s%s", group ? " + " : "", index);
        for (int faster = 0; faster < group; faster++) fprintf(out, " / lab_where.size[%d][%d]", which, faster);
        if (group + 1 < groups) fprintf(out, " %% lab_where.size[%d][%d]", which, group);
        fprintf(out, " * lab_where.stride[%d][%d]", which, group);
    }
}

static bool is_input_of_elements(const operands *bound, int which)
{
    return !bound->signature->parameter[which].output && bound->operand[which].form == OPERAND_ELEMENTS;
}

void operands_write_loads(FILE *out, const operands *bound)
{
    const char *comma = "";
    fprintf(out, "struct lab_inputs {");
    for (int i = 0; i < bound->signature->count; i++)
        if (is_input_of_elements(bound, i))
            fprintf(out, " %s %s;", type_of(bound, i), bound->signature->parameter[i].name);
    fprintf(out, " };\nconst auto lab_load = [&](const long long i) { return lab_inputs{");
    for (int i = 0; i < bound->signature->count; i++) {
        if (!is_input_of_elements(bound, i)) continue;
        fprintf(out, "%slab_array_%s[i]", comma, bound->signature->parameter[i].name);
        comma = ", ";
    }
    fprintf(out, "}; };\n");
}

void operands_write_element(FILE *out, const operands *bound, bool outputs)
{
    const bool reduces = bound->signature->reduces;
    for (int i = 0; i < bound->signature->count; i++) {
        const parameter *formal = &bound->signature->parameter[i];
        const char *name = formal->name, *type = type_of(bound, i);
        if (formal->output && (!outputs || bound->operand[i].form == OPERAND_RAW)) continue;
        if (formal->output && bound->operand[i].form == OPERAND_ELEMENTS) {
            fprintf(out, "%s &%s = lab_array_%s[i];\n", type, name, name);
            continue;
        }
        switch (bound->operand[i].form) {
        case OPERAND_ELEMENTS:
            fprintf(out, "const %s %s = ", type, name);
            fprintf(out, reduces ? "lab_array_%s[lab_at];\n" : "LAB_INPUT(lab_array_%s, lab_in.%s, i);\n", name, name);
            break;
        case OPERAND_SINGLE: fprintf(out, "const %s %s = lab_array_%s[0];\n", type, name, name); break;
        case OPERAND_ROWS: fprintf(out, "const %s %s = lab_start_%s[lab_column];\n", type, name, name); break;
        case OPERAND_COLUMNS: fprintf(out, "const %s %s = *lab_start_%s;\n", type, name, name); break;
        case OPERAND_STRIDED:
            fprintf(out, "%s%s %s%s = lab_start_%s[lab_column * lab_layout.stride[%d][%d]];\n",
                    formal->output ? "" : "const ", type, formal->output ? "&" : "", name, name, i, bound->outer);
            break;
        case OPERAND_NUMBER:
        case OPERAND_RAW:
        case OPERAND_RESULT: break;
        }
    }
}
