// The text that follows a kernel source: for each kernel a table of its parameters, which the compiler fills in and the
// library reads from the compiled code. All names begin with lab_, since macros of the source apply. The lines that
// name the kernels are generated.

struct lab_missing; // the parameter of the stand-in for a kernel that the preprocessor removed

// cuda_compile.c reads these structs and the tables from the code's bytes. A table begins with a number other than 0,
// because the code holds no bytes for a variable that is all 0.
struct lab_param_facts {
    int is_pointer, is_number, element, pointer_to_const; // element: a lab_dtype; for a pointer, the type it points to
    unsigned size;
    char type[108];
};

template <class T> struct lab_element {
    static constexpr int value = __is_enum(T) ? -1 : 0;
};
template <> struct lab_element<void> {
    static constexpr int value = 0;
};
#define LAB_ELEMENT(type, number)                                                                                      \
    template <> struct lab_element<type> {                                                                             \
        static constexpr int value = number;                                                                           \
    };
LAB_ELEMENT(bool, 2)
LAB_ELEMENT(char, 1)
LAB_ELEMENT(signed char, 1)
LAB_ELEMENT(unsigned char, 2)
LAB_ELEMENT(short, 3)
LAB_ELEMENT(unsigned short, 4)
LAB_ELEMENT(int, 5)
LAB_ELEMENT(unsigned, 6)
LAB_ELEMENT(long, 7)
LAB_ELEMENT(unsigned long, 8)
LAB_ELEMENT(long long, 7)
LAB_ELEMENT(unsigned long long, 8)
LAB_ELEMENT(float, 9)
LAB_ELEMENT(double, 10)
#ifdef __CUDA_FP16_H__
LAB_ELEMENT(__half, 11)
#endif
#ifdef __CUDA_BF16_H__
LAB_ELEMENT(__nv_bfloat16, 12)
#endif
#undef LAB_ELEMENT

template <class T> struct lab_pointee {
    static constexpr int is_pointer = 0, is_const = 0;
    typedef T type;
};
template <class T> struct lab_pointee<T *> {
    static constexpr int is_pointer = 1, is_const = 0;
    typedef T type;
};
template <class T> struct lab_pointee<volatile T *> : lab_pointee<T *> {};
template <class T> struct lab_pointee<const T *> {
    static constexpr int is_pointer = 1, is_const = 1;
    typedef T type;
};
template <class T> struct lab_pointee<const volatile T *> : lab_pointee<const T *> {};

// The type as the compiler spells it, cut from the function's name: "... [with T=const float *]".
template <class T> __device__ constexpr lab_param_facts lab_facts_of()
{
    const int element = lab_element<typename lab_pointee<T>::type>::value;
    const bool is_number = element != 0 && element <= 10; // the others are structs
    lab_param_facts facts = {lab_pointee<T>::is_pointer, is_number, element, lab_pointee<T>::is_const, sizeof(T), {}};
    const char *from = __PRETTY_FUNCTION__;
    int at = 0;
    while (from[at] && !(from[at] == 'T' && from[at + 1] == '=') && !(from[at] == 'T' && from[at + 2] == '=')) ++at;
    while (from[at] && from[at] != '=') ++at;
    if (from[at]) ++at;
    if (from[at] == ' ') ++at;
    for (int i = 0; from[at] && from[at + 1] && i + 1 < (int)sizeof facts.type; ++i) facts.type[i] = from[at++];
    return facts;
}

template <class F> struct lab_kernel_facts;
template <class... P> struct lab_kernel_facts<void (*)(P...)> {
    struct table {
        int params_and_one;
        lab_param_facts param[sizeof...(P) + 1];
    };
    static constexpr table value = {sizeof...(P) + 1, {lab_facts_of<P>()..., {}}};
};
template <> struct lab_kernel_facts<void (*)(lab_missing *)> {
    struct table {
        int params_and_one;
    };
    static constexpr table value = {0};
};

// Of all functions with a kernel's name, including CUDA's own, the one that returns nothing.
template <class... P> __device__ lab_kernel_facts<void (*)(P...)> lab_facts_by_type(void (*)(P...));

namespace lab_absent {}
using namespace lab_absent;
#define LAB_KERNEL(name)                                                                                               \
    namespace lab_absent {                                                                                             \
    __device__ void name(lab_missing *);                                                                                          \
    }                                                                                                                  \
    extern "C" {                                                                                                       \
    __device__ decltype(lab_facts_by_type(&::name))::table lab_facts_##name =                                         \
        decltype(lab_facts_by_type(&::name))::value;                                                                  \
    }
