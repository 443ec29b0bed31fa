/* Tries to break the report, the record and the drawing by the names of its file, kernels and marks: HTML, quotes, a
 * formula, control characters, bytes that are no text. Gains code that runs in the browser of whoever reads the report. */
#include "lab_trace.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_module *module;
    lab_elementwise *kernel;
    lab_array *array;
    const char *names[] = {"\"/></svg><script>alert(1)</script>",
                           "=cmd|'/C calc'!A0",
                           "\x1b[2J\r\n\t\x01\x7f",
                           "\xff\xfe\xc0\x80",
                           "../../../../etc/passwd",
                           "%s%n%s%n",
                           "\"}],\"status\":\"passed\",[{\""};
    LAB_TRY(lab_array_zeros(&array, LAB_FLOAT32, LAB_SHAPE(8)));
    for (int i = 0; i < 7; i++) {
        lab_here(names[i], -i);
        lab_trace_mark(names[i]);
        lab_here(names[i], 2147483647);
        lab_array_fill(array, LAB_ARG(1.0f), NULL);
        lab_here(names[i], 1);
        lab_module_load_source(&module, "extern \"C\" __global__ void k(int *x) { *x = }", names[i]);
        if (lab_elementwise_create(&kernel, "float32 x", "float32 y", "y = x", names[i]) == LAB_SUCCESS)
            lab_elementwise_launch(kernel, NULL, LAB_ARGS(array, array));
    }
    return lab_memcpy_htod(1, in, 1);
}
