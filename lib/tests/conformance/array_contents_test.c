/* Arrays with contents: constructors, views, copies, fills, single elements, and random numbers that are the same on
 * every device (Philox 4x32-10; known answers from the authors' Random123). */
#include "gate.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float *floats_of(const lab_array *array)
{
    float *host = malloc(lab_array_bytes(array) + 1);
    LAB_CHECK(lab_array_get(array, host));
    return host;
}

/* CuPy, ndarray: zeros, ones, full, arange. */
Test(array_contents, zeros_and_ones_hold_them_in_every_type)
{
    for (lab_dtype dtype = LAB_INT8; dtype <= LAB_BFLOAT16; dtype++) {
        lab_array *zeros, *ones;
        unsigned char bytes[7 * 8];
        double value;
        LAB_CHECK(lab_array_zeros(&zeros, dtype, LAB_SHAPE(7)));
        LAB_CHECK(lab_array_get(zeros, bytes));
        for (size_t i = 0; i < 7 * lab_dtype_size(dtype); i++) cr_assert_eq(bytes[i], 0);
        LAB_CHECK(lab_array_ones(&ones, dtype, LAB_SHAPE(7)));
        LAB_CHECK(lab_array_get(ones, bytes));
        for (size_t i = 0; i < 7; i++) {
            LAB_CHECK(lab_cast_as_device(&value, LAB_FLOAT64, bytes + i * lab_dtype_size(dtype), dtype, 1));
            cr_assert_eq(value, 1.0, "%s element %zu", lab_dtype_name(dtype), i);
        }
    }
}

/* CuPy, ndarray: zeros, ones, full, arange. */
Test(array_contents, full_takes_a_number_the_type_can_hold)
{
    lab_array *array;
    LAB_CHECK(lab_array_full(&array, LAB_FLOAT32, LAB_SHAPE(2, 3), LAB_ARG(2.5)));
    float *host = floats_of(array);
    for (int i = 0; i < 6; i++) cr_assert_eq(host[i], 2.5f);
    cr_assert_eq(lab_array_full(&array, LAB_UINT8, LAB_SHAPE(3), LAB_ARG(256)), LAB_ERROR_INVALID_VALUE);
    cr_assert_null(array);
    cr_assert_not_null(strstr(lab_error_message(), "256"), "%s", lab_error_message());
    cr_assert_eq(lab_array_full(&array, LAB_UINT8, LAB_SHAPE(3), LAB_ARG(-1)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_full(&array, LAB_INT32, LAB_SHAPE(3), LAB_ARG(1.5)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_full(&array, LAB_INT32, LAB_SHAPE(3), LAB_ARG((lab_array *)NULL)), LAB_ERROR_INVALID_VALUE);
    free(host);
}

/* CuPy, ndarray: zeros, ones, full, arange. */
Test(array_contents, full_keeps_every_bit_of_a_64_bit_integer)
{
    lab_array *array;
    uint64_t value;
    LAB_CHECK(lab_array_full(&array, LAB_UINT64, LAB_SHAPE(1), LAB_ARG(0xfedcba9876543211ull)));
    LAB_CHECK(lab_array_get_item(array, 0, &value));
    cr_assert_eq(value, 0xfedcba9876543211ull);
}

/* CuPy, ndarray: zeros, ones, full, arange. */
Test(array_contents, arange_counts_from_start_by_step)
{
    lab_array *integers, *floats;
    int counted[10];
    LAB_CHECK(lab_array_arange(&integers, LAB_INT32, 10, LAB_ARG(10), LAB_ARG(-3)));
    LAB_CHECK(lab_array_get(integers, counted));
    for (int i = 0; i < 10; i++) cr_assert_eq(counted[i], 10 - 3 * i);
    LAB_CHECK(lab_array_arange(&floats, LAB_FLOAT32, 100000, LAB_ARG(0), LAB_ARG(0.5)));
    float *host = floats_of(floats);
    for (int i = 0; i < 100000; i++) cr_assert_eq(host[i], 0.5f * (float)i);
    LAB_CHECK(lab_array_arange(&floats, LAB_FLOAT32, 0, LAB_ARG(0), LAB_ARG(1)));
    cr_assert_eq(lab_array_count(floats), 0);
    free(host);
}

/* CuPy, ndarray: zeros, ones, full, arange. */
Test(array_contents, constructors_enqueue_on_the_current_stream)
{
    gate closed = GATE_CLOSED;
    lab_stream *stream;
    lab_array *warm, *array;
    float value;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_array_ones(&warm, LAB_FLOAT32, LAB_SHAPE(4)));
    gate_close_stream(&closed, stream);
    LAB_WITH_STREAM(stream) LAB_CHECK(lab_array_ones(&array, LAB_FLOAT32, LAB_SHAPE(4)));
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_WITH_STREAM(stream) LAB_CHECK(lab_array_get_item(array, 3, &value));
    cr_assert_eq(value, 1.0f);
}

/* CuPy, ndarray: asarray. */
Test(array_contents, from_host_copies_and_leaves_the_host_free_to_change)
{
    float host[4] = {1, 2, 3, 4};
    lab_array *array;
    LAB_CHECK(lab_array_from_host(&array, LAB_FLOAT32, LAB_SHAPE(2, 2), host));
    host[0] = 9;
    float *back = floats_of(array);
    cr_assert_eq(back[0], 1.0f);
    cr_assert_eq(back[3], 4.0f);
    cr_assert_eq(lab_array_from_host(&array, LAB_FLOAT32, LAB_SHAPE(4), NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_null(array);
    free(back);
}

/* CuPy, ndarray: asarray. */
Test(array_contents, from_pinned_host_memory_on_a_stream_does_not_hold_the_host)
{
    gate closed = GATE_CLOSED;
    lab_stream *stream;
    lab_array *array;
    float *pinned, value;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_host_alloc((void **)&pinned, 4 * sizeof *pinned));
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_array_from_host_async(&array, LAB_FLOAT32, LAB_SHAPE(4), pinned, stream));
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_NOT_READY);
    for (int i = 0; i < 4; i++) pinned[i] = 7;
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stream));
    LAB_CHECK(lab_array_get_item(array, 2, &value));
    cr_assert_eq(value, 7.0f);
}

/* CuPy, ndarray: reshape, slices, copy. */
Test(array_contents, reshape_shares_the_memory_and_outlives_the_original)
{
    lab_array *line, *square;
    LAB_CHECK(lab_array_arange(&line, LAB_FLOAT32, 12, LAB_ARG(0), LAB_ARG(1)));
    LAB_CHECK(lab_array_reshape(&square, line, LAB_SHAPE(3, 4)));
    cr_assert_eq(lab_array_data(square), lab_array_data(line));
    cr_assert_eq(lab_array_shape(square).dimensions, 2);
    LAB_CHECK(lab_array_set_item(line, 5, &(float){50}));
    LAB_CHECK(lab_array_destroy(line));
    float *host = floats_of(square);
    cr_assert(host[5] == 50 && host[11] == 11);
    LAB_CHECK(lab_array_destroy(square));
    cr_assert_eq(lab_array_set(square, host), LAB_ERROR_INVALID_HANDLE);
    free(host);
}

/* CuPy, ndarray: reshape, slices, copy. */
Test(array_contents, the_last_view_gives_the_memory_back)
{
    lab_array *array, *view;
    LAB_CHECK(lab_array_empty(&array, LAB_INT8, LAB_SHAPE(1 << 24)));
    LAB_CHECK(lab_array_reshape(&view, array, LAB_SHAPE(1 << 12, 1 << 12)));
    LAB_CHECK(lab_array_destroy(array));
    cr_assert_eq(lab_mempool_used_bytes(NULL), 1 << 24);
    LAB_CHECK(lab_array_destroy(view));
    cr_assert_eq(lab_mempool_used_bytes(NULL), 0);
}

/* CuPy, ndarray: reshape, slices, copy. */
Test(array_contents, reshape_to_another_count_is_refused)
{
    lab_array *array, *view;
    LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(12)));
    cr_assert_eq(lab_array_reshape(&view, array, LAB_SHAPE(5, 2)), LAB_ERROR_INVALID_VALUE);
    cr_assert_null(view);
    cr_assert_eq(lab_array_reshape(&view, array, LAB_SHAPE(SIZE_MAX, 2)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_reshape(&view, array, (lab_shape){5, {12, 1, 1, 1}}), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_reshape(NULL, array, LAB_SHAPE(12)), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_array_destroy(array));
    cr_assert_eq(lab_array_reshape(&view, array, LAB_SHAPE(12)), LAB_ERROR_INVALID_HANDLE);
}

/* CuPy, ndarray: reshape, slices, copy. */
Test(array_contents, slice_is_a_part_of_the_first_dimension_in_place)
{
    lab_array *array, *rows, *none;
    LAB_CHECK(lab_array_arange(&array, LAB_FLOAT32, 12, LAB_ARG(0), LAB_ARG(1)));
    lab_array *square;
    LAB_CHECK(lab_array_reshape(&square, array, LAB_SHAPE(4, 3)));
    LAB_CHECK(lab_array_slice(&rows, square, 1, 2));
    cr_assert_eq(lab_array_data(rows), lab_array_data(array) + 3 * sizeof(float));
    cr_assert(lab_array_shape(rows).size[0] == 2 && lab_array_shape(rows).size[1] == 3);
    LAB_CHECK(lab_array_fill(rows, LAB_ARG(-1), NULL));
    float *host = floats_of(array);
    for (int i = 0; i < 12; i++) cr_assert_eq(host[i], i >= 3 && i < 9 ? -1.0f : (float)i);
    LAB_CHECK(lab_array_slice(&none, square, 4, 0));
    cr_assert_eq(lab_array_count(none), 0);
    cr_assert_eq(lab_array_slice(&none, square, 3, 2), LAB_ERROR_INVALID_VALUE);
    cr_assert_null(none);
    cr_assert_eq(lab_array_slice(&none, square, SIZE_MAX, 2), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_slice(&none, NULL, 0, 0), LAB_ERROR_INVALID_HANDLE);
    free(host);
}

/* CuPy, ndarray: reshape, slices, copy. */
Test(array_contents, copy_has_memory_of_its_own)
{
    lab_array *array, *copy;
    float value;
    LAB_CHECK(lab_array_ones(&array, LAB_FLOAT32, LAB_SHAPE(3)));
    LAB_CHECK(lab_array_copy(&copy, array, NULL));
    LAB_CHECK(lab_array_fill(array, LAB_ARG(5), NULL));
    LAB_CHECK(lab_array_get_item(copy, 2, &value));
    cr_assert_eq(value, 1.0f);
    cr_assert_eq(lab_array_copy(&copy, NULL, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_null(copy);
    cr_assert_eq(lab_array_copy(NULL, array, NULL), LAB_ERROR_INVALID_VALUE);
}

/* CuPy, ndarray: item. */
Test(array_contents, single_elements_outside_the_array_are_refused)
{
    lab_array *array;
    float value = 0;
    LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(4)));
    cr_assert_eq(lab_array_get_item(array, 4, &value), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "no element 4"), "%s", lab_error_message());
    cr_assert_eq(lab_array_set_item(array, SIZE_MAX, &value), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_get_item(array, 0, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_get_item(NULL, 0, &value), LAB_ERROR_INVALID_HANDLE);
    LAB_CHECK(lab_array_destroy(array));
    cr_assert_eq(lab_array_set_item(array, 0, &value), LAB_ERROR_INVALID_HANDLE);
}

/* CuPy, ndarray: zeros, ones, full, arange. */
Test(array_contents, constructors_refuse_no_out_and_no_type)
{
    lab_array *array = (lab_array *)&array;
    cr_assert_eq(lab_array_zeros(NULL, LAB_INT8, LAB_SHAPE(1)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_ones(NULL, LAB_INT8, LAB_SHAPE(1)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_arange(NULL, LAB_INT8, 1, LAB_ARG(0), LAB_ARG(1)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_random_uniform(NULL, LAB_FLOAT32, LAB_SHAPE(1), 0, 1, 0), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_random_normal(&array, LAB_INT32, LAB_SHAPE(1), 0, 1, 0), LAB_ERROR_INVALID_VALUE);
    cr_assert_null(array);
    cr_assert_eq(lab_array_zeros(&array, (lab_dtype)0, LAB_SHAPE(1)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_full(&array, LAB_INT8, LAB_SHAPE(SIZE_MAX, 2), LAB_ARG(1)), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "lab_array_full"), "%s", lab_error_message());
}

/* ---- random numbers ---- */

static void philox(uint32_t out[4], uint64_t block, uint64_t seed)
{
    uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), 0, 0}, k[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int round = 0; round < 10; round++) {
        uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k[1],
                            (uint32_t)a};
        memcpy(c, next, sizeof c);
        k[0] += 0x9E3779B9;
        k[1] += 0xBB67AE85;
    }
    memcpy(out, c, sizeof c);
}

/* lab.h, Arrays with contents: Philox 4x32-10, as in Random123. */
Test(random, the_words_are_those_of_philox_4x32_10)
{
    static const uint32_t known[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}; /* counter 0, key 0 */
    lab_array *array;
    LAB_CHECK(lab_array_random_uniform(&array, LAB_FLOAT32, LAB_SHAPE(4), 0, 1, 0));
    float *host = floats_of(array);
    for (int i = 0; i < 4; i++) cr_assert_eq(host[i], (float)(known[i] >> 8) / 16777216.0f);
    free(host);
}

/* lab.h, Arrays with contents: Philox 4x32-10, as in Random123. */
Test(random, uniform_numbers_depend_on_seed_and_index_alone)
{
    enum { COUNT = 100003 };
    const uint64_t seed = 0x123456789abcdef0;
    lab_array *narrow, *wide;
    double *doubles = malloc(COUNT * sizeof *doubles);
    LAB_CHECK(lab_array_random_uniform(&narrow, LAB_FLOAT32, LAB_SHAPE(COUNT), 0, 1, seed));
    LAB_CHECK(lab_array_random_uniform(&wide, LAB_FLOAT64, LAB_SHAPE(COUNT), -1, 3, seed));
    float *floats = floats_of(narrow);
    LAB_CHECK(lab_array_get(wide, doubles));
    uint32_t word[4];
    for (uint64_t i = 0; i < COUNT; i++) {
        philox(word, i / 4, seed);
        cr_assert_eq(floats[i], (float)(word[i % 4] >> 8) / 16777216.0f, "float32 %d", (int)i);
        philox(word, i / 2, seed);
        uint64_t bits = (uint64_t)word[i % 2 * 2] << 32 | word[i % 2 * 2 + 1];
        cr_assert_eq(doubles[i], fma(4.0, (double)(bits >> 11) * 0x1p-53, -1.0), "float64 %d", (int)i);
    }
    free(doubles);
    free(floats);
}

/* lab.h, Arrays with contents: Philox 4x32-10, as in Random123. */
Test(random, a_longer_array_begins_with_the_shorter_one)
{
    lab_array *longer, *shorter;
    LAB_CHECK(lab_array_random_normal(&longer, LAB_FLOAT32, LAB_SHAPE(100, 100), 2, 3, 42));
    LAB_CHECK(lab_array_random_normal(&shorter, LAB_FLOAT32, LAB_SHAPE(777), 2, 3, 42));
    float *all = floats_of(longer), *first = floats_of(shorter);
    cr_assert_eq(memcmp(all, first, 777 * sizeof *all), 0);
    free(all);
    free(first);
}

/* Box and Muller's deviates from the same words, computed with the C library. */
/* lab.h, Arrays with contents: Philox 4x32-10, as in Random123. */
Test(random, normal_numbers_are_those_of_box_and_muller)
{
    enum { COUNT = 50000 };
    lab_array *narrow, *wide;
    double *doubles = malloc(COUNT * sizeof *doubles);
    LAB_CHECK(lab_array_random_normal(&narrow, LAB_FLOAT32, LAB_SHAPE(COUNT), 0, 1, 9));
    LAB_CHECK(lab_array_random_normal(&wide, LAB_FLOAT64, LAB_SHAPE(COUNT), 0, 1, 9));
    float *floats = floats_of(narrow);
    LAB_CHECK(lab_array_get(wide, doubles));
    const double turn = 6.283185307179586;
    for (uint64_t i = 0; i < COUNT; i += 2) {
        uint32_t word[4];
        philox(word, i / 4, 9);
        double u = (word[i % 4] + 1.0) * 0x1p-32, v = word[i % 4 + 1] * 0x1p-32, radius = sqrt(-2 * log(u));
        cr_assert_float_eq(floats[i], radius * sin(turn * v), 1e-6);
        cr_assert_float_eq(floats[i + 1], radius * cos(turn * v), 1e-6);
        philox(word, i / 2, 9);
        u = (double)(((uint64_t)word[0] << 32 | word[1]) >> 11) * 0x1p-53 + 0x1p-53;
        v = (double)(((uint64_t)word[2] << 32 | word[3]) >> 11) * 0x1p-53;
        radius = sqrt(-2 * log(u));
        cr_assert_float_eq(doubles[i], radius * sin(turn * v), 1e-14);
        cr_assert_float_eq(doubles[i + 1], radius * cos(turn * v), 1e-14);
    }
    free(doubles);
    free(floats);
}

/* A hash of the bits of 2^16 numbers detects a device that rounds differently. */
/* lab.h, Arrays with contents: Philox 4x32-10, as in Random123. */
Test(random, normal_numbers_have_the_same_bits_on_every_device)
{
    enum { COUNT = 1 << 16 };
    uint64_t *bits = malloc(COUNT * sizeof *bits);
    lab_array *array;
    uint64_t hash = 14695981039346656037ull;
    LAB_CHECK(lab_array_random_normal(&array, LAB_FLOAT64, LAB_SHAPE(COUNT), 0, 1, 2026));
    LAB_CHECK(lab_array_get(array, bits));
    for (int i = 0; i < COUNT; i++) hash = (hash ^ bits[i]) * 1099511628211ull;
    free(bits);
    cr_assert_eq(hash, 0x9e42e81342ce4213, "the hash is 0x%016llx", (unsigned long long)hash);
}

/* lab.h, Arrays with contents: Philox 4x32-10, as in Random123. */
Test(random, seeds_give_different_numbers)
{
    lab_array *a, *b;
    LAB_CHECK(lab_array_random_uniform(&a, LAB_FLOAT32, LAB_SHAPE(64), 0, 1, 1));
    LAB_CHECK(lab_array_random_uniform(&b, LAB_FLOAT32, LAB_SHAPE(64), 0, 1, 1ull << 32));
    float *first = floats_of(a), *second = floats_of(b);
    int equal = 0;
    for (int i = 0; i < 64; i++) equal += first[i] == second[i];
    cr_assert_lt(equal, 3);
    free(first);
    free(second);
}
