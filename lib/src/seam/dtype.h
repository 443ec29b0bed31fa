/* Properties of element types beyond lab.h, for generated kernels and conversions. */
#ifndef LAB_SEAM_DTYPE_H
#define LAB_SEAM_DTYPE_H

#include "lab.h"

static inline bool dtype_known(lab_dtype dtype) { return dtype >= LAB_INT8 && dtype <= LAB_BFLOAT16; }
static inline bool dtype_floating(lab_dtype dtype) { return dtype >= LAB_FLOAT32; }

/* A floating-point type of 16 bits. */
static inline bool dtype_narrow(lab_dtype dtype) { return dtype >= LAB_FLOAT16; }

/* The type in which numbers of this type are computed with: a sum of many float16 is rounded to float16 once. */
static inline lab_dtype dtype_computing(lab_dtype dtype) { return dtype_narrow(dtype) ? LAB_FLOAT32 : dtype; }

/* For an integer type. */
static inline bool dtype_signed(lab_dtype dtype) { return dtype % 2 == 1; }

/* A number in a floating-point type of 16 bits, rounded once to nearest even. */
uint16_t dtype_narrowed(long double value, lab_dtype dtype);

/* The type in generated kernels: "unsigned char". */
const char *dtype_c_name(lab_dtype dtype);

/* The type whose name is the first `length` characters; 0 if there is none. */
lab_dtype dtype_named(const char *name, size_t length);

#endif
