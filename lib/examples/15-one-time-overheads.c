/*
 * One-time costs: the first call creates a context, and the first use of a kernel compiles it.
 *
 * Compiled kernels are kept on disk (LAB_CACHE_DIR, or ~/.cache/lab), keyed by everything that went into them. Run this
 * twice: the second time nothing is compiled. To measure a kernel, run it once before.
 */
#include "arrays.h"

int main(void)
{
    lab_module *module;
    lab_function add_fifty;
    lab_array *array;
    float first;

    const double begin = host_clock();
    LAB_CHECK(lab_device_synchronize());
    const double ready = host_clock();
    printf("first call, which makes the context: %.2f ms\n", ready - begin);

    LAB_CHECK(lab_module_load_file(&module, add_fifty_file));
    LAB_CHECK(lab_module_get_function(&add_fifty, module, "add_fifty"));
    const double loaded = host_clock();
    printf("kernel, compiled or from the cache: %.2f ms\n", loaded - ready);

    LAB_CHECK(lab_array_zeros(&array, LAB_FLOAT32, LAB_SHAPE(1000))); /* runs a kernel of the library */
    LAB_CHECK(lab_device_synchronize());
    for (int k = 0; k < 3; k++) {
        const double before = host_clock();
        LAB_CHECK(lab_launch(add_fifty, LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(array, 1000)));
        LAB_CHECK(lab_device_synchronize());
        printf("launch %d: %.3f ms\n", k + 1, host_clock() - before);
    }
    LAB_CHECK(lab_array_get_item(array, 0, &first));
    printf("three times fifty: %g\n", (double)first);

    LAB_CHECK(lab_array_destroy(array));
    LAB_CHECK(lab_module_unload(module));
    return 0;
}
