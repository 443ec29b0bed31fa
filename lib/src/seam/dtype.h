/* Element types above lab.h: what generated kernels and conversions need to know of them. */
#ifndef LAB_SEAM_DTYPE_H
#define LAB_SEAM_DTYPE_H

#include "lab.h"

enum { DTYPES = LAB_FLOAT64 + 1 };

static inline bool dtype_known(lab_dtype dtype) { return dtype >= LAB_INT8 && dtype <= LAB_FLOAT64; }
static inline bool dtype_floating(lab_dtype dtype) { return dtype == LAB_FLOAT32 || dtype == LAB_FLOAT64; }

/* Of an integer type. */
static inline bool dtype_signed(lab_dtype dtype) { return dtype % 2 == 1; }

/* The type in CUDA C: "unsigned char". */
const char *dtype_c_name(lab_dtype dtype);

/* The first `length` characters as a type's name; 0 if they are none. */
lab_dtype dtype_named(const char *name, size_t length);

#endif
