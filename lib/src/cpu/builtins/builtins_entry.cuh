// Makes a kernel an entry of the module's table: describes its parameters, and runs it for blocks and threads. This file has only templates; translation_unit.c generates the lines that name the kernels.

struct lab_missing; // the parameter of the stand-in for a kernel that the preprocessor removed

template <class T> struct lab_element {
    static constexpr cpu_element kind = CPU_ELEMENT_UNKNOWN;
};
#define LAB_ELEMENT(type, value)                                                                                       \
    template <> struct lab_element<type> {                                                                             \
        static constexpr cpu_element kind = value;                                                                     \
    };
LAB_ELEMENT(bool, CPU_ELEMENT_UINT8)
LAB_ELEMENT(char, CPU_ELEMENT_INT8)
LAB_ELEMENT(signed char, CPU_ELEMENT_INT8)
LAB_ELEMENT(unsigned char, CPU_ELEMENT_UINT8)
LAB_ELEMENT(short, CPU_ELEMENT_INT16)
LAB_ELEMENT(unsigned short, CPU_ELEMENT_UINT16)
LAB_ELEMENT(int, CPU_ELEMENT_INT32)
LAB_ELEMENT(unsigned, CPU_ELEMENT_UINT32)
LAB_ELEMENT(long, CPU_ELEMENT_INT64)
LAB_ELEMENT(unsigned long, CPU_ELEMENT_UINT64)
LAB_ELEMENT(long long, CPU_ELEMENT_INT64)
LAB_ELEMENT(unsigned long long, CPU_ELEMENT_UINT64)
LAB_ELEMENT(float, CPU_ELEMENT_FLOAT32)
LAB_ELEMENT(double, CPU_ELEMENT_FLOAT64)
#undef LAB_ELEMENT

// The compiler's spelling of a type, from a function's signature: "... [T = const float *]".
template <unsigned size> struct lab_text {
    char text[size];
};
template <class T> constexpr auto lab_spell_type()
{
    constexpr unsigned size = sizeof __PRETTY_FUNCTION__;
    lab_text<size> result = {};
    const char *from = __PRETTY_FUNCTION__;
    while (from[0] != 'T' || from[1] != ' ' || from[2] != '=') ++from;
    from += 4;
    for (unsigned i = 0; from[i + 1]; ++i) result.text[i] = from[i];
    return result;
}
template <class T> constexpr auto lab_type_text = lab_spell_type<T>();

template <class T> constexpr cpu_param_kind lab_kind = __is_integral(T) || __is_enum(T) ? CPU_PARAM_INTEGER
                                                       : __is_floating_point(T)         ? CPU_PARAM_FLOAT
                                                                                        : CPU_PARAM_BYTES;
template <class T> constexpr cpu_param_kind lab_kind<T *> = CPU_PARAM_POINTER;

// sizeof, or 0 for void, functions and incomplete types.
template <class T, unsigned = 0> struct lab_size {
    static constexpr unsigned value = 0;
};
template <class T> struct lab_size<T, 0 * sizeof(T)> {
    static constexpr unsigned value = sizeof(T);
};
template <> struct lab_size<void> {
    static constexpr unsigned value = 0;
};

template <class T> struct lab_pointee {
    static constexpr cpu_element element = CPU_ELEMENT_UNKNOWN;
    static constexpr unsigned size = 0;
    static constexpr bool is_const = false;
};
template <class T> struct lab_pointee<T *> {
    static constexpr cpu_element element = lab_element<T>::kind;
    static constexpr unsigned size = lab_size<T>::value;
    static constexpr bool is_const = false;
};
template <class T> struct lab_pointee<const T *> : lab_pointee<T *> {
    static constexpr bool is_const = true;
};
template <class T> struct lab_pointee<volatile T *> : lab_pointee<T *> {};
template <class T> struct lab_pointee<const volatile T *> : lab_pointee<const T *> {};
template <class T> struct lab_pointee<T *__restrict> : lab_pointee<T *> {};

template <class T>
constexpr cpu_param lab_param_of = {"",        lab_type_text<T>.text,   lab_kind<T>,          sizeof(T),
                                 alignof(T), lab_pointee<T>::element, lab_pointee<T>::size, lab_pointee<T>::is_const};

template <auto kernel, class T = decltype(kernel)> struct lab_kernel {
    static_assert(kernel == nullptr, "a kernel returns void");
};

// The stand-in does nothing. Its entry in the table is dropped.
template <auto kernel> struct lab_kernel<kernel, void (*)(lab_missing *)> {
    static constexpr int lab_params = 0;
    struct lab_table {
        cpu_param lab_param[1];
        template <int names> constexpr lab_table(const char *const (&)[names]) : lab_param{} {}
    };
    LAB_BUILTIN void lab_run(const void *const *, const cpu_launch *, unsigned long, unsigned long) {}
    LAB_BUILTIN void lab_run_thread(const void *const *, const cpu_launch *, const unsigned *, const unsigned *) {}
};

template <auto kernel, class... P> struct lab_kernel<kernel, void (*)(P...)> {
    static constexpr int lab_params = sizeof...(P);

    // The table of parameters, with the names from the source.
    struct lab_table {
        cpu_param lab_param[lab_params ? lab_params : 1];
        template <int names> constexpr lab_table(const char *const (&name)[names]) : lab_param{lab_param_of<P>...}
        {
            for (int i = 0; i < lab_params && i < names; ++i) lab_param[i].name = name[i];
        }
    };

    LAB_BUILTIN void lab_run(const void *const *args, const cpu_launch *launch, unsigned long first,
                             unsigned long count)
    {
        run_with(launch, first, count, args, __make_integer_seq<index_sequence, int, lab_params>());
    }

    LAB_BUILTIN void lab_run_thread(const void *const *args, const cpu_launch *launch, const unsigned *block,
                                    const unsigned *thread)
    {
        lab_set_thread(launch, block, thread);
        run_thread_with(args, __make_integer_seq<index_sequence, int, lab_params>());
    }

private:
    template <class T, T...> struct index_sequence {};

    template <int... I> LAB_BUILTIN void run_thread_with(const void *const *args, index_sequence<int, I...>)
    {
        kernel(*(const P *)args[I]...);
    }

    template <int... I>
    LAB_BUILTIN void run_with(const cpu_launch *launch, unsigned long first, unsigned long count,
                              const void *const *args, index_sequence<int, I...>)
    {
        run_blocks(launch, first, count, *(const P *)args[I]...);
    }

    LAB_BUILTIN void run_blocks(const cpu_launch *launch, unsigned long first, unsigned long count, P... args)
    {
        LAB_RUN_BLOCKS(launch, first, count, kernel(args...));
    }
};
