/*
 * Casts that give different numbers on a GPU and in NumPy on x86-64.
 *
 * In C the cast of a floating-point number that the integer type cannot hold is undefined: each machine has its own
 * answer. A GPU saturates; x86-64 gives the lowest integer, or the low bits of a wider one. "Casts" in lab.h lists all
 * types. This example computes NumPy's answers by rule, not by casting.
 */
#include "lab.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { COUNT = 5 };

int main(void)
{
    const float value[COUNT] = {-1.0f, INFINITY, NAN, 3e9f, 2.9f};
    uint32_t device_u32[COUNT], numpy_u32[COUNT];
    int32_t device_s32[COUNT], numpy_s32[COUNT];
    lab_array *x, *u32, *s32;

    LAB_CHECK(lab_array_from_host(&x, LAB_FLOAT32, LAB_SHAPE(COUNT), value));
    LAB_CHECK(lab_array_astype(&u32, x, LAB_UINT32, NULL));
    LAB_CHECK(lab_array_astype(&s32, x, LAB_INT32, NULL));
    LAB_CHECK(lab_array_get(u32, device_u32));
    LAB_CHECK(lab_array_get(s32, device_s32));
    LAB_CHECK(lab_cast_as_numpy(numpy_u32, LAB_UINT32, value, LAB_FLOAT32, COUNT));
    LAB_CHECK(lab_cast_as_numpy(numpy_s32, LAB_INT32, value, LAB_FLOAT32, COUNT));

    printf("float32    to uint32: device      NumPy    to int32: device      NumPy\n");
    for (int i = 0; i < COUNT; i++)
        printf("%-8g %19" PRIu32 " %10" PRIu32 " %19" PRId32 " %11" PRId32 "\n", (double)value[i], device_u32[i],
               numpy_u32[i], device_s32[i], numpy_s32[i]);

    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_array_destroy(u32));
    LAB_CHECK(lab_array_destroy(s32));
    return 0;
}
