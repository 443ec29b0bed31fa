/* Tries to get the processor's conversion by its builtin in a kernel, and by assembly.
 * Gains task 2 without its comparison. */
const char *lab06_numpy_body(lab_dtype type)
{
    if (type == LAB_INT64 || type == LAB_UINT64)
        return "long long z; asm(\"cvttss2si %1, %0\" : \"=r\"(z) : \"x\"(x)); y = z";
    return "typedef float v4 __attribute__((vector_size(16))); v4 v = {x, 0, 0, 0}; y = __builtin_ia32_cvttss2si(v)";
}
