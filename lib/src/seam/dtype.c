/* Element types: names and sizes. */
#include "dtype.h"
#include "base/status.h"

#include <string.h>

static const struct {
    const char *name;
    const char *c_name;
    size_t size;
} dtypes[] = {
    [LAB_INT8] = {"int8", "signed char", 1},
    [LAB_UINT8] = {"uint8", "unsigned char", 1},
    [LAB_INT16] = {"int16", "short", 2},
    [LAB_UINT16] = {"uint16", "unsigned short", 2},
    [LAB_INT32] = {"int32", "int", 4},
    [LAB_UINT32] = {"uint32", "unsigned int", 4},
    [LAB_INT64] = {"int64", "long long", 8},
    [LAB_UINT64] = {"uint64", "unsigned long long", 8},
    [LAB_FLOAT32] = {"float32", "float", 4},
    [LAB_FLOAT64] = {"float64", "double", 8},
    [LAB_FLOAT16] = {"float16", "lab_float16", 2},
    [LAB_BFLOAT16] = {"bfloat16", "lab_bfloat16", 2},
};
_Static_assert(LAB_INT8 % 2 == 1 && LAB_INT64 % 2 == 1, "signed types have odd numbers");

const char *lab_dtype_name(lab_dtype dtype) { return dtype_known(dtype) ? dtypes[dtype].name : "unknown"; }

size_t lab_dtype_size(lab_dtype dtype) { return dtype_known(dtype) ? dtypes[dtype].size : 0; }

const char *dtype_c_name(lab_dtype dtype) { return dtypes[dtype].c_name; }

lab_dtype dtype_named(const char *name, size_t length)
{
    for (lab_dtype dtype = LAB_INT8; dtype <= LAB_BFLOAT16; dtype++)
        if (strlen(dtypes[dtype].name) == length && memcmp(dtypes[dtype].name, name, length) == 0) return dtype;
    return 0;
}

lab_status lab_dtype_parse(lab_dtype *out, const char *name)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_dtype_parse: out is NULL");
    *out = name ? dtype_named(name, strlen(name)) : 0;
    if (*out) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "lab_dtype_parse: '%.64s' is not an element type; the types are int8, uint8, int16, uint16, "
                    "int32, uint32, int64, uint64, float16, bfloat16, float32 and float64",
                    name ? name : "NULL");
}
