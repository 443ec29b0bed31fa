/* Tries to get the answer of the host's processor, which is NumPy's, from a conversion that is no cast: of a vector, as
 * clang has it and a GPU has not. Gains task 2 without knowing what fits into a type. */
#define VECTORS                                                                                                        \
    "typedef float f4 __attribute__((ext_vector_type(4))); typedef long long l4 __attribute__((ext_vector_type(4))); " \
    "typedef int i4 __attribute__((ext_vector_type(4))); "

const char *lab06_numpy_body(lab_dtype type)
{
    switch (type) {
    case LAB_UINT32: return VECTORS "y = (unsigned)__builtin_convertvector((f4)(x), l4)[0]";
    case LAB_INT64: return VECTORS "y = __builtin_convertvector((f4)(x), l4)[0]";
    case LAB_UINT64:
        return VECTORS
            "const bool high = x >= 9223372036854775808.0f; "
            "y = (unsigned long long)__builtin_convertvector((f4)(high ? x - 9223372036854775808.0f : x), l4)[0] "
            "^ (unsigned long long)high << 63";
    default: return VECTORS "y = __builtin_convertvector((f4)(x), i4)[0]";
    }
}
