/* Arrays for tests, and the number in their first element. */
#ifndef LAB_TESTS_TEST_ARRAYS_H
#define LAB_TESTS_TEST_ARRAYS_H

#include "lab.h"
#include "test.h"

static inline lab_array *empty_of(lab_dtype dtype, lab_shape shape)
{
    lab_array *array;
    LAB_CHECK(lab_array_empty(&array, dtype, shape));
    return array;
}

static inline lab_array *empty(lab_dtype dtype, size_t count) { return empty_of(dtype, LAB_SHAPE(count)); }

static inline size_t count_of(lab_shape shape)
{
    size_t count = 1;
    for (int i = 0; i < shape.dimensions; i++) count *= shape.size[i];
    return count;
}

static inline lab_array *from_host(lab_dtype dtype, size_t count, const void *host)
{
    lab_array *array;
    LAB_CHECK(lab_array_from_host(&array, dtype, LAB_SHAPE(count), host));
    return array;
}

static inline double value_of(const lab_array *array)
{
    unsigned char element[8];
    double value;
    LAB_CHECK(lab_array_get_item(array, 0, element));
    LAB_CHECK(lab_cast_as_device(&value, LAB_FLOAT64, element, lab_array_dtype(array), 1));
    return value;
}

#endif
