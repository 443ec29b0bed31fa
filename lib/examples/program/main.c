/* y becomes 2 x + y on the device. The kernel is in kernels.cu, which is compiled when this program runs. */
#include "lab.h"

#include <stdio.h>

enum { COUNT = 1000, BLOCK = 256 };

int main(void)
{
    lab_module *module;
    lab_function saxpy;
    lab_array *x, *y;
    float result[COUNT];

    LAB_CHECK(lab_module_load_file(&module, "kernels.cu"));
    LAB_CHECK(lab_module_get_function(&saxpy, module, "saxpy"));
    LAB_CHECK(lab_array_arange(&x, LAB_FLOAT32, COUNT, LAB_ARG(0), LAB_ARG(1)));
    LAB_CHECK(lab_array_arange(&y, LAB_FLOAT32, COUNT, LAB_ARG(7), LAB_ARG(1)));

    LAB_CHECK(
        lab_launch(saxpy, LAB_DIM((COUNT + BLOCK - 1) / BLOCK), LAB_DIM(BLOCK), 0, NULL, LAB_ARGS(2.0f, x, y, COUNT)));
    LAB_CHECK(lab_array_get(y, result)); /* waits for the kernel, then copies */
    printf("2 * 999 + 1006 = %.0f\n", result[COUNT - 1]);

    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_array_destroy(y));
    LAB_CHECK(lab_module_unload(module));
    return 0;
}
