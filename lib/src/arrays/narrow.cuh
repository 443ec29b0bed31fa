// float16 and bfloat16 in generated kernels: computed with as the float of the same value, and rounded once where they
// are stored, as in CuPy. They need no header of the CUDA Toolkit. lab_narrow.h precedes this text.

// A number from which one more rounding gives what rounding the argument once would.
LAB_BUILTIN LAB_BOTH float lab_narrowing(float x) { return x; }
LAB_BUILTIN LAB_BOTH float lab_narrowing(double x) { return lab_float_to_odd(x); }
LAB_BUILTIN LAB_BOTH float lab_narrowing(int x) { return lab_float_to_odd(x); }
LAB_BUILTIN LAB_BOTH float lab_narrowing(unsigned x) { return lab_float_to_odd(x); }
LAB_BUILTIN LAB_BOTH float lab_narrowing(long long x)
{
    const bool is_exact = x >= -(1ll << 53) && x <= 1ll << 53;
    return is_exact ? lab_float_to_odd((double)x) : lab_float_to_odd((double)(x >> 16 | ((x & 0xffff) != 0))) * 0x1p16f;
}
LAB_BUILTIN LAB_BOTH float lab_narrowing(unsigned long long x)
{
    const bool is_exact = x <= 1ull << 53;
    return is_exact ? lab_float_to_odd((double)x) : lab_float_to_odd((double)(x >> 16 | ((x & 0xffff) != 0))) * 0x1p16f;
}
LAB_BUILTIN LAB_BOTH float lab_narrowing(long x) { return lab_narrowing((long long)x); }
LAB_BUILTIN LAB_BOTH float lab_narrowing(unsigned long x) { return lab_narrowing((unsigned long long)x); }

template <int precision> struct lab_narrow_number {
    unsigned short bits;

    LAB_BOTH lab_narrow_number() = default;
    template <class T> LAB_BOTH lab_narrow_number(const T x) : bits(lab_narrow<precision>(lab_narrowing(x))) {}
    LAB_BOTH operator float() const { return lab_widen<precision>(bits); }
};
typedef lab_narrow_number<11> lab_float16;
typedef lab_narrow_number<8> lab_bfloat16;
