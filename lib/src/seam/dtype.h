/* Properties of element types beyond lab.h, for generated kernels and conversions. */
#ifndef LAB_SEAM_DTYPE_H
#define LAB_SEAM_DTYPE_H

#include "lab.h"

enum { DTYPES = LAB_FLOAT64 + 1 };

static inline bool dtype_known(lab_dtype dtype) { return dtype >= LAB_INT8 && dtype <= LAB_FLOAT64; }
static inline bool dtype_floating(lab_dtype dtype) { return dtype == LAB_FLOAT32 || dtype == LAB_FLOAT64; }

/* For an integer type. */
static inline bool dtype_signed(lab_dtype dtype) { return dtype % 2 == 1; }

/* The type in CUDA C: "unsigned char". */
const char *dtype_c_name(lab_dtype dtype);

/* The type whose name is the first `length` characters; 0 if there is none. */
lab_dtype dtype_named(const char *name, size_t length);

#endif
