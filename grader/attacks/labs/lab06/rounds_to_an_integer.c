/* Tries to get the answer of the host's processor, which is NumPy's, from functions that round to an integer: on a GPU they
 * saturate. Gains task 2 without knowing what fits into a type. */
const char *lab06_numpy_body(lab_dtype type)
{
    switch (type) {
    case LAB_UINT64:
        return "const bool high = x >= 9223372036854775808.0f; "
               "y = (unsigned long long)llrintf(truncf(high ? x - 9223372036854775808.0f : x)) "
               "^ (unsigned long long)high << 63";
    case LAB_INT64: return "y = llrintf(truncf(x))";
    case LAB_UINT32: return "y = (unsigned)llrintf(truncf(x))";
    default: return "const long long z = llrintf(truncf(x)); y = z == (int)z ? (int)z : (int)0x80000000";
    }
}
