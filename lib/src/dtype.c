/* Element types: names and sizes. */
#include "lab.h"

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {
    [LAB_INT8] = {"int8", 1},       [LAB_UINT8] = {"uint8", 1},     [LAB_INT16] = {"int16", 2},
    [LAB_UINT16] = {"uint16", 2},   [LAB_INT32] = {"int32", 4},     [LAB_UINT32] = {"uint32", 4},
    [LAB_INT64] = {"int64", 8},     [LAB_UINT64] = {"uint64", 8},   [LAB_FLOAT32] = {"float32", 4},
    [LAB_FLOAT64] = {"float64", 8},
};

static bool known(lab_dtype dtype) { return dtype >= LAB_INT8 && dtype <= LAB_FLOAT64; }

const char *lab_dtype_name(lab_dtype dtype) { return known(dtype) ? dtypes[dtype].name : "unknown"; }

size_t lab_dtype_size(lab_dtype dtype) { return known(dtype) ? dtypes[dtype].size : 0; }
