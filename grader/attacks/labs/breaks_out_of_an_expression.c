/* Tries to break out of the texts of elementwise kernels, reductions and expressions: braces, lines, directives, names.
 * Gains code in the device process that looks like the library's own. */
static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const char *bodies[] = {"y = x; } extern \"C\" __global__ void lab_sum(float *x) { *x = 7",
                            "y = x;\n#include \"/etc/passwd\"\n",
                            "y = x; asm volatile(\"ud2\")",
                            "y = *(float *)0",
                            "y = x; for (;;) {}",
                            "y = x\n#define x 7\n",
                            "y = x; __builtin_trap()",
                            "y = x; (&y)[1 << 20] = 3; (&y)[-(1 << 20)] = 3",
                            "%s%n",
                            "\\\n\\\n"};
    const char *names[] = {"lab_array_sum", "a\nb", "k(", "\"", "lab_kernels", "", "__global__", "main", "x y", "k"};
    lab_elementwise *kernel;
    lab_reduction *reduction;
    lab_expression *expression;
    lab_array *x, *y;
    LAB_TRY(lab_array_ones(&x, LAB_FLOAT32, LAB_SHAPE(100)));
    LAB_TRY(lab_array_ones(&y, LAB_FLOAT32, LAB_SHAPE(100)));
    for (int i = 0; i < 10; i++) {
        const lab_reduction_source source = {.inputs = "float32 x",
                                             .outputs = "float32 y",
                                             .map = bodies[i],
                                             .reduce = bodies[9 - i],
                                             .post_map = bodies[i],
                                             .identity = bodies[i],
                                             .name = names[i],
                                             .preamble = bodies[i]};
        if (lab_elementwise_create(&kernel, "float32 x", "float32 y", bodies[i], names[i]) == LAB_SUCCESS && i != 4)
            lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, y));
        lab_reduction_create(&reduction, &source);
        if (lab_expression_create(&expression, "x", bodies[i], names[i]) == LAB_SUCCESS)
            lab_expression_apply(expression, NULL, LAB_ARGS(x, y));
        lab_device_synchronize();
    }
    return LAB_SUCCESS;
}
