/*
 * A first kernel: 1000 numbers on the device, each written by a thread of its own.
 *
 * The kernel is in a file that is compiled when this program runs: first_kernel.cu, or the one named on the command
 * line. Change a line there and run the program again; nothing has to be built.
 */
#include "lab.h"

#include <stdio.h>

enum { COUNT = 1000, BLOCK = 256 };

int main(int count, char **argument)
{
    static const int shown[] = {0, 1, 255, 256, 999};
    const unsigned blocks = (COUNT + BLOCK - 1) / BLOCK; /* rounded up */
    lab_module *module;
    lab_function label;
    lab_array *numbers;
    int result[COUNT];

    LAB_CHECK(lab_module_load_file(&module, count > 1 ? argument[1] : "lib/examples/first_kernel.cu"));
    LAB_CHECK(lab_module_get_function(&label, module, "label"));
    LAB_CHECK(lab_array_zeros(&numbers, LAB_INT32, LAB_SHAPE(COUNT)));

    LAB_CHECK(lab_launch(label, LAB_DIM(blocks), LAB_DIM(BLOCK), 0, NULL, LAB_ARGS(numbers, COUNT)));
    LAB_CHECK(lab_array_get(numbers, result)); /* waits for the kernel, then copies */

    printf("%u blocks of %d threads for %d numbers\n", blocks, BLOCK, COUNT);
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) printf("number %3d is %4d\n", shown[k], result[shown[k]]);

    LAB_CHECK(lab_array_destroy(numbers));
    LAB_CHECK(lab_module_unload(module));
    return 0;
}
