/*
 * Many arrays, one after another on the null stream: the baseline for the next two examples.
 *
 * Every copy waits until it is done, and every kernel of one block leaves all multiprocessors but one idle.
 * Arguments: the number of arrays (20) and their length (65536). The seed has 200 arrays of 1048576 elements.
 */
#include "arrays.h"

int main(int argc, char **argv)
{
    const int arrays = number_argument(argc, argv, 1, 20), length = number_argument(argc, argv, 2, 65536);
    lab_array **on_device = calloc((size_t)arrays, sizeof *on_device);
    float *memory = malloc((size_t)arrays * (size_t)length * sizeof *memory);
    lab_module *module;
    lab_function add_fifty;
    int wrong = 0;
    if (!on_device || !memory) return 1;

    LAB_CHECK(lab_module_load_file(&module, add_fifty_file));
    LAB_CHECK(lab_module_get_function(&add_fifty, module, "add_fifty"));
    for (int k = 0; k < arrays; k++) fill_array(memory + (size_t)k * length, k, length);

    const double begin = host_clock();
    for (int k = 0; k < arrays; k++)
        LAB_CHECK(lab_array_from_host(&on_device[k], LAB_FLOAT32, LAB_SHAPE(length), memory + (size_t)k * length));
    for (int k = 0; k < arrays; k++)
        LAB_CHECK(lab_launch(add_fifty, LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(on_device[k], length)));
    for (int k = 0; k < arrays; k++) LAB_CHECK(lab_array_get(on_device[k], memory + (size_t)k * length));
    const double end = host_clock(); /* the last copy has waited for everything, so the time is complete */

    for (int k = 0; k < arrays; k++) wrong += count_wrong(memory + (size_t)k * length, k, length);
    printf("serial: %.1f ms\nwrong elements: %d\n", end - begin, wrong);

    for (int k = 0; k < arrays; k++) LAB_CHECK(lab_array_destroy(on_device[k]));
    LAB_CHECK(lab_module_unload(module));
    free(on_device);
    free(memory);
    return wrong > 0;
}
