/* Conversions on the device: every pair of types agrees with the host function's rule, and special values agree with an
 * H200 (casts_h200.h). */
#include "casts_h200.h"
#include "lab.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES = 1 << 20 };

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

/* Half of the values are any bit pattern; the others are numbers up to 2^70, around the limits of the integer types. */
static void fill_random(unsigned char *values, lab_dtype dtype)
{
    uint64_t state = dtype;
    size_t size = lab_dtype_size(dtype);
    for (size_t i = 0; i < VALUES; i++) {
        uint64_t bits = next_random(&state);
        if (i % 2 && (dtype == LAB_FLOAT32 || dtype == LAB_FLOAT64)) {
            double sized = (double)(int64_t)bits / 9223372036854775808.0;
            for (uint64_t power = next_random(&state) % 71; power > 0; power--) sized *= 2;
            float narrow = (float)sized;
            if (dtype == LAB_FLOAT32)
                memcpy(&bits, &narrow, sizeof narrow);
            else
                memcpy(&bits, &sized, sizeof sized);
        }
        memcpy(values + i * size, &bits, size);
    }
}

/* Equal bits, or both NaN: the device chooses the NaN's bits. */
static bool same_element(const unsigned char *a, const unsigned char *b, lab_dtype dtype)
{
    if (memcmp(a, b, lab_dtype_size(dtype)) == 0) return true;
    double wide[2];
    LAB_CHECK(lab_cast_as_device(&wide[0], LAB_FLOAT64, a, dtype, 1));
    LAB_CHECK(lab_cast_as_device(&wide[1], LAB_FLOAT64, b, dtype, 1));
    return wide[0] != wide[0] && wide[1] != wide[1];
}

/* The number of the first value that differs, or VALUES. Nearly all blocks have equal bits, which memcmp sees sooner,
 * above all under a sanitizer. */
static size_t find_difference(const unsigned char *a, const unsigned char *b, lab_dtype dtype)
{
    enum { BLOCK = 4096 };
    const size_t size = lab_dtype_size(dtype);
    for (size_t begin = 0; begin < VALUES; begin += BLOCK) {
        if (memcmp(a + begin * size, b + begin * size, BLOCK * size) == 0) continue;
        for (size_t i = begin; i < begin + BLOCK; i++)
            if (!same_element(a + i * size, b + i * size, dtype)) return i;
    }
    return VALUES;
}

static void check_pair(lab_array *input_array, const void *values, lab_dtype target, unsigned char *expected,
                       unsigned char *got)
{
    lab_array *converted;
    lab_dtype from_type = lab_array_dtype(input_array);
    cr_assert_eq(lab_array_astype(&converted, input_array, target, NULL), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_eq(lab_array_dtype(converted), target);
    LAB_CHECK(lab_array_get(converted, got));
    LAB_CHECK(lab_cast_as_device(expected, target, values, from_type, VALUES));
    const size_t different = find_difference(got, expected, target);
    cr_assert_eq(different, VALUES, "%s to %s: value %zu", lab_dtype_name(from_type), lab_dtype_name(target),
                 different);
    LAB_CHECK(lab_array_destroy(converted));
}

static void check_from(lab_dtype source)
{
    unsigned char *values = malloc(8 * VALUES), *expected = malloc(8 * VALUES), *got = malloc(8 * VALUES);
    fill_random(values, source);
    lab_array *array;
    LAB_CHECK(lab_array_from_host(&array, source, LAB_SHAPE(VALUES / 4, 4), values));
    for (lab_dtype target = LAB_INT8; target <= LAB_BFLOAT16; target++)
        check_pair(array, values, target, expected, got);
    LAB_CHECK(lab_array_destroy(array));
    free(values);
    free(expected);
    free(got);
}

/* CuPy, ndarray: astype. */
Test(astype, from_int8_follows_the_rule) { check_from(LAB_INT8); }
/* CuPy, ndarray: astype. */
Test(astype, from_uint8_follows_the_rule) { check_from(LAB_UINT8); }
/* CuPy, ndarray: astype. */
Test(astype, from_int16_follows_the_rule) { check_from(LAB_INT16); }
/* CuPy, ndarray: astype. */
Test(astype, from_uint16_follows_the_rule) { check_from(LAB_UINT16); }
/* CuPy, ndarray: astype. */
Test(astype, from_int32_follows_the_rule) { check_from(LAB_INT32); }
/* CuPy, ndarray: astype. */
Test(astype, from_uint32_follows_the_rule) { check_from(LAB_UINT32); }
/* CuPy, ndarray: astype. */
Test(astype, from_int64_follows_the_rule) { check_from(LAB_INT64); }
/* CuPy, ndarray: astype. */
Test(astype, from_uint64_follows_the_rule) { check_from(LAB_UINT64); }
/* CuPy, ndarray: astype. */
Test(astype, from_float32_follows_the_rule) { check_from(LAB_FLOAT32); }
/* CuPy, ndarray: astype. */
Test(astype, from_float64_follows_the_rule) { check_from(LAB_FLOAT64); }
/* CuPy, ndarray: astype. */
Test(astype, from_float16_follows_the_rule) { check_from(LAB_FLOAT16); }
/* CuPy, ndarray: astype. */
Test(astype, from_bfloat16_follows_the_rule) { check_from(LAB_BFLOAT16); }

static void check_measured(const casts_row *rows, size_t count, lab_dtype source)
{
    uint64_t values[256] = {0}, got[256];
    size_t from_size = lab_dtype_size(source);
    for (size_t i = 0; i < count; i++) memcpy((unsigned char *)values + i * from_size, &rows[i].bits, from_size);
    lab_array *array, *converted;
    LAB_CHECK(lab_array_from_host(&array, source, LAB_SHAPE(count), values));
    for (int column = 0; column < CASTS_TYPES; column++) {
        lab_dtype target;
        LAB_CHECK(lab_dtype_parse(&target, casts_type[column]));
        LAB_CHECK(lab_array_astype(&converted, array, target, NULL));
        LAB_CHECK(lab_array_get(converted, got));
        for (size_t i = 0; i < count; i++) {
            const unsigned char *element = (unsigned char *)got + i * lab_dtype_size(target);
            cr_assert_eq(memcmp(element, &rows[i].result[column], lab_dtype_size(target)), 0, "bits %llx to %s",
                         (unsigned long long)rows[i].bits, lab_dtype_name(target));
        }
        LAB_CHECK(lab_array_destroy(converted));
    }
}

/* H200, measured: float to integer casts, casts_h200.h. */
Test(astype, special_values_of_float32_become_what_an_h200_makes_of_them)
{
    check_measured(casts_float32, sizeof casts_float32 / sizeof *casts_float32, LAB_FLOAT32);
}

/* H200, measured: float to integer casts, casts_h200.h. */
Test(astype, special_values_of_float64_become_what_an_h200_makes_of_them)
{
    check_measured(casts_float64, sizeof casts_float64 / sizeof *casts_float64, LAB_FLOAT64);
}

/* CuPy, ndarray: astype. */
Test(astype, to_the_same_type_is_a_copy_with_memory_of_its_own)
{
    const int host[3] = {1, 2, 3};
    int back[3];
    lab_array *array, *same;
    LAB_CHECK(lab_array_from_host(&array, LAB_INT32, LAB_SHAPE(3), host));
    LAB_CHECK(lab_array_astype(&same, array, LAB_INT32, NULL));
    cr_assert_neq(lab_array_data(same), lab_array_data(array));
    LAB_CHECK(lab_array_get(same, back));
    cr_assert_eq(memcmp(back, host, sizeof host), 0);
}

/* CuPy, ndarray: astype. */
Test(astype, of_an_array_without_elements_has_none)
{
    lab_array *array, *converted;
    LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(0, 3)));
    LAB_CHECK(lab_array_astype(&converted, array, LAB_INT8, NULL));
    cr_assert_eq(lab_array_count(converted), 0);
    cr_assert_eq(lab_array_shape(converted).size[1], 3);
}

/* lab.h, Casts: invalid arguments are refused. */
Test(astype, misuse_is_refused_and_leaves_no_array)
{
    lab_array *array, *out = (lab_array *)&array;
    LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(4)));
    cr_assert_eq(lab_array_astype(NULL, array, LAB_INT8, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_astype(&out, array, (lab_dtype)77, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_null(out);
    LAB_CHECK(lab_array_destroy(array));
    cr_assert_eq(lab_array_astype(&out, array, LAB_INT8, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_not_null(strstr(lab_error_message(), "lab_array_astype"), "%s", lab_error_message());
}
