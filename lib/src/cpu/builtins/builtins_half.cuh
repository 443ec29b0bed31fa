// Pointers to the types of cuda_fp16.h and cuda_bf16.h as parameters of kernels.

template <> struct lab_element<__half> {
    static constexpr cpu_element kind = CPU_ELEMENT_FLOAT16;
};
template <> struct lab_element<__nv_bfloat16> {
    static constexpr cpu_element kind = CPU_ELEMENT_BFLOAT16;
};
