// What follows a kernel source: a table for each kernel of what its parameters are, found by the compiler and read from
// the compiled code. All names begin with lab_, since macros of the source apply. The lines that name the kernels are
// generated.

struct lab_missing; // what the stand-in for a kernel that the preprocessor removed takes

// compile.c reads these and the tables as they lie in memory. A table begins with a number that is not 0: of a variable
// that is 0 all over the code holds no bytes.
struct lab_param_facts {
    int is_pointer, is_number, element, pointer_to_const; // element: a lab_dtype; of a pointer, what it points to
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

// The compiler's own spelling of the type is cut out of the function's: "... [with T=const float *]".
template <class T> __device__ constexpr lab_param_facts lab_facts_of()
{
    const int element = lab_element<typename lab_pointee<T>::type>::value;
    lab_param_facts facts = {lab_pointee<T>::is_pointer, element != 0, element, lab_pointee<T>::is_const, sizeof(T), {}};
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

// Of all functions of a kernel's name, CUDA's own among them, the one that returns nothing.
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
