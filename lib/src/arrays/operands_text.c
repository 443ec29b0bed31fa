/* The text by which a generated kernel reaches its operands: written for one choice of types and forms. */
#include "operands.h"

static const char *type_of(const operands *of, int which) { return dtype_c_name(of->operand[which].dtype); }

void operands_write_parameters(FILE *out, const operands *of)
{
    for (int i = 0; i < of->signature->count; i++) {
        const parameter *formal = &of->signature->parameter[i];
        const char *name = formal->name, *type = type_of(of, i);
        if (of->operand[i].form == OPERAND_NUMBER)
            fprintf(out, "const %s %s, ", type, name);
        else
            fprintf(out, "%s%s *%s%s, ", formal->output ? "" : "const ", type,
                    of->operand[i].form == OPERAND_RAW ? "" : "lab_array_", name);
    }
    if (of->outer) fprintf(out, "const lab_rows lab_layout, ");
}

void operands_write_types(FILE *out, const operands *of)
{
    if (of->outer)
        fprintf(out, "struct lab_rows { long long width, extent[%d], stride[%d][%d]; };\n", LAB_MAX_DIMENSIONS - 2,
                MOST_PARAMETERS, LAB_MAX_DIMENSIONS - 1);
    for (int letter = 0; letter < 128; letter++)
        if (of->letter[letter]) fprintf(out, "typedef %s %c;\n", dtype_c_name(of->letter[letter]), letter);
}

void operands_write_row(FILE *out, const operands *of)
{
    fprintf(out, "long long lab_rest = lab_row;\n");
    for (int d = of->outer - 1; d > 0; d--)
        fprintf(out,
                "const long long lab_index%d = lab_rest %% lab_layout.extent[%d]; lab_rest /= lab_layout.extent[%d];\n",
                d, d - 1, d - 1);
    fprintf(out, "const long long lab_index0 = lab_rest;\n");
    for (int i = 0; i < of->signature->count; i++) {
        if (of->operand[i].form != OPERAND_ROWS && of->operand[i].form != OPERAND_COLUMNS) continue;
        const char *name = of->signature->parameter[i].name;
        fprintf(out, "const %s *const lab_start_%s = lab_array_%s", type_of(of, i), name, name);
        for (int d = 0; d < of->outer; d++) fprintf(out, " + lab_index%d * lab_layout.stride[%d][%d]", d, i, d);
        fprintf(out, ";\n");
    }
}

static bool is_input_of_elements(const operands *of, int which)
{
    return !of->signature->parameter[which].output && of->operand[which].form == OPERAND_ELEMENTS;
}

void operands_write_loads(FILE *out, const operands *of)
{
    const char *comma = "";
    fprintf(out, "struct lab_inputs {");
    for (int i = 0; i < of->signature->count; i++)
        if (is_input_of_elements(of, i)) fprintf(out, " %s %s;", type_of(of, i), of->signature->parameter[i].name);
    fprintf(out, " };\nconst auto lab_load = [&](const long long i) { return lab_inputs{");
    for (int i = 0; i < of->signature->count; i++) {
        if (!is_input_of_elements(of, i)) continue;
        fprintf(out, "%slab_array_%s[i]", comma, of->signature->parameter[i].name);
        comma = ", ";
    }
    fprintf(out, "}; };\n");
}

void operands_write_element(FILE *out, const operands *of, bool outputs)
{
    const bool reduces = of->signature->reduces;
    for (int i = 0; i < of->signature->count; i++) {
        const parameter *formal = &of->signature->parameter[i];
        const char *name = formal->name, *type = type_of(of, i);
        if (formal->output && (!outputs || of->operand[i].form == OPERAND_RAW)) continue;
        if (formal->output) {
            fprintf(out, "%s &%s = lab_array_%s[i];\n", type, name, name);
            continue;
        }
        switch (of->operand[i].form) {
        case OPERAND_ELEMENTS:
            fprintf(out, reduces ? "const %s %s = lab_array_%s[lab_at];\n" : "const %s %s = LAB_INPUT(%s, i);\n", type,
                    name, name);
            break;
        case OPERAND_SINGLE: fprintf(out, "const %s %s = lab_array_%s[0];\n", type, name, name); break;
        case OPERAND_ROWS: fprintf(out, "const %s %s = lab_start_%s[lab_column];\n", type, name, name); break;
        case OPERAND_COLUMNS: fprintf(out, "const %s %s = *lab_start_%s;\n", type, name, name); break;
        case OPERAND_NUMBER:
        case OPERAND_RAW:
        case OPERAND_RESULT: break;
        }
    }
}
