/*
 * (x - y) * (x - y) + z on COUNT floats, as three elementwise kernels and as one: the bytes that each kernel reads and
 * writes, and the time that it takes on the device.
 *
 *     separate COUNT | fused COUNT
 */
#include "slide.h"

#include <string.h>

static lab_array *x, *y, *z, *difference, *square, *result;
static lab_elementwise *subtract, *multiply, *add, *fused;

static void separate(void)
{
    LAB_CHECK(lab_elementwise_launch(subtract, NULL, LAB_ARGS(x, y, difference)));
    LAB_CHECK(lab_elementwise_launch(multiply, NULL, LAB_ARGS(difference, square)));
    LAB_CHECK(lab_elementwise_launch(add, NULL, LAB_ARGS(square, z, result)));
    LAB_CHECK(lab_device_synchronize());
}

static void as_one(void)
{
    LAB_CHECK(lab_elementwise_launch(fused, NULL, LAB_ARGS(x, y, z, result)));
    LAB_CHECK(lab_device_synchronize());
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 2);
    const lab_shape shape = LAB_SHAPE((size_t)slide_number(1));
    lab_array **const inputs[] = {&x, &y, &z}, **const others[] = {&difference, &square, &result};
    for (int k = 0; k < 3; k++) {
        LAB_CHECK(lab_array_random_uniform(inputs[k], LAB_FLOAT32, shape, 0, 1, (uint64_t)k));
        LAB_CHECK(lab_array_zeros(others[k], LAB_FLOAT32, shape));
    }
    LAB_CHECK(lab_elementwise_create(&subtract, "float32 x, float32 y", "float32 d", "d = x - y", "subtract"));
    LAB_CHECK(lab_elementwise_create(&multiply, "float32 d", "float32 s", "s = d * d", "square"));
    LAB_CHECK(lab_elementwise_create(&add, "float32 s, float32 z", "float32 r", "r = s + z", "add"));
    LAB_CHECK(lab_elementwise_create(&fused, "float32 x, float32 y, float32 z", "float32 r",
                                     "r = (x - y) * (x - y) + z", "fused"));
    slide_record(slide_text(0), 21, (slide_run){NULL, strcmp(slide_text(0), "fused") == 0 ? as_one : separate});
    return 0;
}
