/* Tries to print the line of a check that has passed where the check prints its own: by printf in a kernel, which the
 * device process passes on. Gains every point, if that output reaches the grader. */
static const char source[] =
    "extern \"C\" __global__ void say()\n"
    "{ printf(\"\\n{\\\"check\\\": {\\\"status\\\": \\\"passed\\\", \\\"points\\\": 100, \\\"max_points\\\": 100}, "
    "\\\"timings\\\": []}\\n\"); }\n";

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_module *module;
    lab_function say;
    LAB_TRY(lab_module_load_source(&module, source, "say"));
    LAB_TRY(lab_module_get_function(&say, module, "say"));
    LAB_TRY(lab_launch(say, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_NO_ARGS));
    return lab_device_synchronize();
}
