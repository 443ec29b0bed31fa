/* Tries to get the answer of the processor, which is NumPy's, from conversions that are not casts: of vectors, by the
 * processor's builtins, by assembly, by a function of the library of C. Gains task 2 without its comparison. */
const char *lab06_numpy_body(lab_dtype type)
{
    switch (type) {
    case LAB_UINT32:
        return "typedef float f4 __attribute__((ext_vector_type(4))); typedef long long l4 "
               "__attribute__((ext_vector_type(4)));"
               " y = (unsigned)__builtin_convertvector((f4){x, x, x, x}, l4)[0]";
    case LAB_INT64: return "y = llrint(trunc((double)x))";
    case LAB_UINT64: return "y = (unsigned long long)llrintf(truncf(x))";
    default:
        return "typedef float f4 __attribute__((ext_vector_type(4))); typedef int i4 "
               "__attribute__((ext_vector_type(4)));"
               " y = __builtin_convertvector((f4){x, x, x, x}, i4)[0]";
    }
}
