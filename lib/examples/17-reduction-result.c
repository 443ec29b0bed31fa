/*
 * The result of a reduction stays on the device.
 *
 * NumPy's sum is a number. Here, as in CuPy, it is an array of one element: to return a number, the host would have to
 * wait for the device. The next kernel uses the sum on the device, without a wait. Reading the sum costs the only wait.
 */
#include "lab.h"

#include <stdio.h>

int main(void)
{
    lab_array *numbers, *total, *shares;
    lab_expression *share;
    long long sum;
    double part[3];

    LAB_CHECK(lab_expression_create(&share, "x, total", "x / total", "share"));
    LAB_CHECK(lab_array_arange(&numbers, LAB_INT64, 3, LAB_ARG(0), LAB_ARG(1)));
    LAB_CHECK(lab_array_empty(&total, LAB_INT64, LAB_SHAPE(1)));
    LAB_CHECK(lab_array_empty(&shares, LAB_FLOAT64, LAB_SHAPE(3)));

    LAB_CHECK(lab_array_sum(total, numbers, NULL));
    LAB_CHECK(lab_expression_apply(share, NULL, LAB_ARGS(numbers, total, shares))); /* the host has not waited yet */
    LAB_CHECK(lab_array_get_item(total, 0, &sum));                                  /* now it has */
    LAB_CHECK(lab_array_get(shares, part));
    printf("the sum is an array of %zu element of type %s: %lld\n", lab_array_count(total),
           lab_dtype_name(lab_array_dtype(total)), sum);
    printf("shares: %.4f %.4f %.4f\n", part[0], part[1], part[2]);

    LAB_CHECK(lab_expression_destroy(share));
    LAB_CHECK(lab_array_destroy(numbers));
    LAB_CHECK(lab_array_destroy(total));
    LAB_CHECK(lab_array_destroy(shares));
    return 0;
}
