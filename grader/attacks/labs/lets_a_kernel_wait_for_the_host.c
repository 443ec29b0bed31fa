/* Tries to let a kernel stand still until the host has computed the answer, and then copy it from pinned memory to the
 * output. Gains an output that a kernel wrote, with numbers that the host made. */
static const char source[] = "extern \"C\" __global__ void hand(float *to, const volatile float *from, int count)\n"
                             "{ while (from[count] == 0) {} for (int i = 0; i < count; i++) to[i] = from[i]; }\n";

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_module *module;
    lab_function hand;
    float *answer;
    LAB_TRY(lab_module_load_source(&module, source, "hand"));
    LAB_TRY(lab_module_get_function(&hand, module, "hand"));
    LAB_TRY(lab_host_alloc((void **)&answer, ((size_t)count + 1) * sizeof *answer));
    answer[count] = 0;
    LAB_TRY(lab_launch(hand, LAB_DIM(1), LAB_DIM(1), 0, NULL,
                       LAB_ARGS((lab_deviceptr)(uintptr_t)out, (lab_deviceptr)(uintptr_t)answer, count)));
    for (int i = 0; i < count; i++) answer[i] = 2 * in[i];
    answer[count] = 1;
    return lab_device_synchronize();
}
