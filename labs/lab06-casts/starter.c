/* Lab 06, casts. The lesson is in README.md, the contract in lab06.h. */
#include "lab06.h"

#include <stdint.h>

lab_status lab06_measure(void *to, lab_dtype type, const float *from, size_t count)
{
    /* TODO(1): make an array, convert it with lab_array_astype, copy the numbers back. */
    return LAB_SUCCESS;
}

/* Task 1: your prediction for the device. The columns: int8, uint8, int32, uint32. */
const long long lab06_device[LAB06_VALUES][LAB06_TYPES] = {
    [LAB06_MINUS_ONE] = {7, 7, 7, 7},  /* TODO(1) */
    [LAB06_MINUS_HALF] = {7, 7, 7, 7}, /* TODO(1) */
    [LAB06_300] = {7, 7, 7, 7},        /* TODO(1) */
    [LAB06_3E9] = {7, 7, 7, 7},        /* TODO(1) */
    [LAB06_1E10] = {7, 7, 7, 7},       /* TODO(1) */
    [LAB06_NAN] = {7, 7, 7, 7},        /* TODO(1) */
};

/* Task 1: your prediction for NumPy on x86-64. */
const long long lab06_numpy[LAB06_VALUES][LAB06_TYPES] = {
    [LAB06_MINUS_ONE] = {7, 7, 7, 7},  /* TODO(1) */
    [LAB06_MINUS_HALF] = {7, 7, 7, 7}, /* TODO(1) */
    [LAB06_300] = {7, 7, 7, 7},        /* TODO(1) */
    [LAB06_3E9] = {7, 7, 7, 7},        /* TODO(1) */
    [LAB06_1E10] = {7, 7, 7, 7},       /* TODO(1) */
    [LAB06_NAN] = {7, 7, 7, 7},        /* TODO(1) */
};

const char *lab06_numpy_body(lab_dtype type)
{
    /* TODO(2): truncate what fits into int32 or int64; else give the lowest. NaN never fits.
     * uint64 is another matter from 2^63 on: see the README. */
    return "y = x"; /* TODO(2) */
}

/* What the device makes of x for 32 and 64 bits. For 8 and 16 bits it keeps the low bits. */
static int32_t to_int32(float x)
{
    /* TODO(3): NaN, too low, too high, and the rest. */
    return 0; /* TODO(3) */
}

static uint32_t to_uint32(float x)
{
    /* TODO(3): NaN, too low, too high, and the rest. */
    return 0; /* TODO(3) */
}

static int64_t to_int64(float x)
{
    /* TODO(3): NaN, too low, too high, and the rest. */
    return 0; /* TODO(3) */
}

static uint64_t to_uint64(float x)
{
    /* TODO(3): NaN, too low, too high, and the rest. */
    return 0; /* TODO(3) */
}

/* Given: converts to every type with one of the four. */
lab_status lab06_as_device(void *to, lab_dtype type, const float *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        switch (type) {
        case LAB_INT8: ((int8_t *)to)[i] = (int8_t)to_int32(from[i]); break;
        case LAB_UINT8: ((uint8_t *)to)[i] = (uint8_t)to_uint32(from[i]); break;
        case LAB_INT16: ((int16_t *)to)[i] = (int16_t)to_int32(from[i]); break;
        case LAB_UINT16: ((uint16_t *)to)[i] = (uint16_t)to_uint32(from[i]); break;
        case LAB_INT32: ((int32_t *)to)[i] = to_int32(from[i]); break;
        case LAB_UINT32: ((uint32_t *)to)[i] = to_uint32(from[i]); break;
        case LAB_INT64: ((int64_t *)to)[i] = to_int64(from[i]); break;
        case LAB_UINT64: ((uint64_t *)to)[i] = to_uint64(from[i]); break;
        default: return LAB_ERROR_INVALID_VALUE;
        }
    }
    return LAB_SUCCESS;
}

lab_status lab06_normalize(float *sum, const lab06_work *work)
{
    /* TODO(4): the sum stays on the device, where the kernel finds it; the host reads it last. */
    return LAB_SUCCESS;
}
