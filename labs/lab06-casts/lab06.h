/*
 * Lab 06, casts: what you are given and what you write.
 */
#ifndef LAB06_H
#define LAB06_H

#include "lab.h"

/* A function that succeeds has released what it made. If a call fails, it returns that status at once. */

/* Task 1. Converts count floats to another type on the device, with lab_array_astype: a C cast in a kernel of the
 * library. `to` has room for count elements of that type. */
lab_status lab06_measure(void *to, lab_dtype type, const float *from, size_t count);

/* Task 1. The values and types of the table, and your predictions: the device's results, and NumPy's on x86-64. */
enum { LAB06_MINUS_ONE, LAB06_MINUS_HALF, LAB06_300, LAB06_3E9, LAB06_1E10, LAB06_NAN, LAB06_VALUES };
enum { LAB06_TO_INT8, LAB06_TO_UINT8, LAB06_TO_INT32, LAB06_TO_UINT32, LAB06_TYPES };
extern const long long lab06_device[LAB06_VALUES][LAB06_TYPES];
extern const long long lab06_numpy[LAB06_VALUES][LAB06_TYPES];

/* Task 2. The body of an elementwise kernel, in CUDA C, such as "y = x". From the float x it must compute the y that
 * NumPy gives on x86-64. y has the given type, one of the eight integer types. Borrowed. */
const char *lab06_numpy_body(lab_dtype type);

/* Task 3. The same numbers as lab06_measure, for the eight integer types, computed on the host, without a cast that C
 * leaves undefined and without the library. */
lab_status lab06_as_device(void *to, lab_dtype type, const float *from, size_t count);

/* Task 4. Divides each element of x, float32, by the sum of all elements, on the stream. *sum holds the sum when the
 * function returns. The host waits once. The kernel is divide(float *x, const float *by, int count) of kernels.cu; `by`
 * is one number. `total` is room for the sum on the device. */
typedef struct lab06_work {
    int count;
    lab_array *x, *total;
    lab_function divide;
    lab_stream *stream;
} lab06_work;
#define LAB06_BLOCK LAB_DIM(128)
#define LAB06_GRID(count) LAB_DIM((unsigned)((count) + 127) / 128)
lab_status lab06_normalize(float *sum, const lab06_work *work);

#endif
