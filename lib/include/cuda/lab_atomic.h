// cuda/atomic in CUDA files, for kernels and host code: atomic operations that order other accesses. Each is a relaxed
// one with fences around it, which are what the checks of kernels know. As for CUDA's functions, what is atomic for one
// block alone is volatile.

#define LAB_ATOMIC_CALL __host__ __device__ __forceinline__ __attribute__((nodebug))

namespace cuda
{

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread = 10 };

namespace std
{
enum memory_order {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
};
} // namespace std
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

LAB_ATOMIC_CALL void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system)
{
    if (order == memory_order_relaxed || scope == thread_scope_thread) return;
    if (scope == thread_scope_block)
        __atomic_thread_fence(__ATOMIC_ACQ_REL);
    else
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

namespace lab
{

template <int bytes> struct bits_of;
template <> struct bits_of<1> {
    using type = unsigned char;
};
template <> struct bits_of<2> {
    using type = unsigned short;
};
template <> struct bits_of<4> {
    using type = unsigned;
};
template <> struct bits_of<8> {
    using type = unsigned long long;
};

template <class T, bool alone> struct place_of {
    using type = T;
};
template <class T> struct place_of<T, true> {
    using type = volatile T;
};

// What is added to a value.
template <class T> struct step_of {
    using type = T;
};
template <class T> struct step_of<T *> {
    using type = decltype((T *)0 - (T *)0);
};

template <bool> struct kind {
};

// The operations on the value of an object that derives from this one, and says with place() where that is.
template <class T, thread_scope scope, class Object> class operations
{
    static_assert(__is_trivially_copyable(T), "an atomic value is copied byte by byte");
    static constexpr bool is_alone = scope == thread_scope_block || scope == thread_scope_thread;
    using bits = typename bits_of<sizeof(T)>::type;
    using bits_place = typename place_of<bits, is_alone>::type;
    using value_place = typename place_of<T, is_alone>::type;
    using step = typename step_of<T>::type;
    using integral = kind<__is_integral(T) && !__is_same(T, bool)>;

    LAB_ATOMIC_CALL T *at() const volatile { return static_cast<const volatile Object *>(this)->place(); }
    LAB_ATOMIC_CALL bits_place *bits_at() const volatile { return reinterpret_cast<bits_place *>(at()); }

    LAB_ATOMIC_CALL static void release(memory_order order)
    {
        if (order >= memory_order_release) atomic_thread_fence(order, scope);
    }
    LAB_ATOMIC_CALL static void acquire(memory_order order)
    {
        if (order != memory_order_release) atomic_thread_fence(order, scope);
    }

    // Replaces the value by one that is computed from it, and returns it.
    template <class F> LAB_ATOMIC_CALL T update(F next, memory_order order) const volatile
    {
        release(order);
        bits before = __atomic_load_n(bits_at(), __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(bits_at(), &before,
                                            __builtin_bit_cast(bits, next(__builtin_bit_cast(T, before))), true,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
        acquire(order);
        return __builtin_bit_cast(T, before);
    }

#define LAB_ATOMIC_FETCH(name, operand, function, expression)                                                          \
  private:                                                                                                             \
    LAB_ATOMIC_CALL T name(operand value, memory_order order, kind<true>) const volatile                               \
    {                                                                                                                  \
        release(order);                                                                                                \
        const T before = function((value_place *)at(), value, __ATOMIC_RELAXED);                                       \
        acquire(order);                                                                                                \
        return before;                                                                                                 \
    }                                                                                                                  \
    LAB_ATOMIC_CALL T name(operand value, memory_order order, kind<false>) const volatile                              \
    {                                                                                                                  \
        return update([=](T before) -> T { return expression; }, order);                                               \
    }                                                                                                                  \
                                                                                                                       \
  public:                                                                                                              \
    LAB_ATOMIC_CALL T name(operand value, memory_order order = memory_order_seq_cst) const volatile                    \
    {                                                                                                                  \
        return name(value, order, integral());                                                                         \
    }
    LAB_ATOMIC_FETCH(fetch_add, step, __atomic_fetch_add, before + value)
    LAB_ATOMIC_FETCH(fetch_sub, step, __atomic_fetch_sub, before - value)
    LAB_ATOMIC_FETCH(fetch_min, T, __atomic_fetch_min, value < before ? value : before)
    LAB_ATOMIC_FETCH(fetch_max, T, __atomic_fetch_max, before < value ? value : before)
    LAB_ATOMIC_FETCH(fetch_and, T, __atomic_fetch_and, before &value)
    LAB_ATOMIC_FETCH(fetch_or, T, __atomic_fetch_or, before | value)
    LAB_ATOMIC_FETCH(fetch_xor, T, __atomic_fetch_xor, before ^ value)
#undef LAB_ATOMIC_FETCH

    LAB_ATOMIC_CALL T load(memory_order order = memory_order_seq_cst) const volatile
    {
        if (order == memory_order_seq_cst) release(order);
        const bits read = __atomic_load_n(bits_at(), __ATOMIC_RELAXED);
        acquire(order);
        return __builtin_bit_cast(T, read);
    }
    LAB_ATOMIC_CALL void store(T value, memory_order order = memory_order_seq_cst) const volatile
    {
        release(order);
        __atomic_store_n(bits_at(), __builtin_bit_cast(bits, value), __ATOMIC_RELAXED);
        if (order == memory_order_seq_cst) acquire(order);
    }
    LAB_ATOMIC_CALL T exchange(T value, memory_order order = memory_order_seq_cst) const volatile
    {
        release(order);
        const bits before = __atomic_exchange_n(bits_at(), __builtin_bit_cast(bits, value), __ATOMIC_RELAXED);
        acquire(order);
        return __builtin_bit_cast(T, before);
    }
    LAB_ATOMIC_CALL bool compare_exchange_strong(T &expected, T value, memory_order success, memory_order failure) const
        volatile
    {
        bits before = __builtin_bit_cast(bits, expected);
        release(success);
        const bool is_replaced = __atomic_compare_exchange_n(bits_at(), &before, __builtin_bit_cast(bits, value), false,
                                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        acquire(is_replaced ? success : failure);
        if (!is_replaced) expected = __builtin_bit_cast(T, before);
        return is_replaced;
    }
    LAB_ATOMIC_CALL bool compare_exchange_strong(T &expected, T value, memory_order order = memory_order_seq_cst) const
        volatile
    {
        return compare_exchange_strong(expected, value, order,
                                       order == memory_order_release ? memory_order_relaxed : order);
    }
    LAB_ATOMIC_CALL bool compare_exchange_weak(T &expected, T value, memory_order success, memory_order failure) const
        volatile
    {
        return compare_exchange_strong(expected, value, success, failure);
    }
    LAB_ATOMIC_CALL bool compare_exchange_weak(T &expected, T value, memory_order order = memory_order_seq_cst) const
        volatile
    {
        return compare_exchange_strong(expected, value, order);
    }

    LAB_ATOMIC_CALL void wait(T old, memory_order order = memory_order_seq_cst) const volatile
    {
        while (__builtin_bit_cast(bits, load(order)) == __builtin_bit_cast(bits, old)) {}
    }
    LAB_ATOMIC_CALL void notify_one() const volatile {}
    LAB_ATOMIC_CALL void notify_all() const volatile {}

    LAB_ATOMIC_CALL operator T() const volatile { return load(); }
    LAB_ATOMIC_CALL T operator=(T value) const volatile
    {
        store(value);
        return value;
    }
    LAB_ATOMIC_CALL T operator++() const volatile { return fetch_add(1) + 1; }
    LAB_ATOMIC_CALL T operator++(int) const volatile { return fetch_add(1); }
    LAB_ATOMIC_CALL T operator--() const volatile { return fetch_sub(1) - 1; }
    LAB_ATOMIC_CALL T operator--(int) const volatile { return fetch_sub(1); }
    LAB_ATOMIC_CALL T operator+=(step value) const volatile { return fetch_add(value) + value; }
    LAB_ATOMIC_CALL T operator-=(step value) const volatile { return fetch_sub(value) - value; }
    LAB_ATOMIC_CALL T operator&=(T value) const volatile { return fetch_and(value) & value; }
    LAB_ATOMIC_CALL T operator|=(T value) const volatile { return fetch_or(value) | value; }
    LAB_ATOMIC_CALL T operator^=(T value) const volatile { return fetch_xor(value) ^ value; }

    using value_type = T;
    static constexpr bool is_always_lock_free = true;
    LAB_ATOMIC_CALL bool is_lock_free() const volatile { return true; }
};

} // namespace lab

// Atomic operations on a value of the program's.
template <class T, thread_scope scope = thread_scope_system>
class atomic_ref : public lab::operations<T, scope, atomic_ref<T, scope>>
{
    T *referred;

  public:
    LAB_ATOMIC_CALL explicit atomic_ref(T &value) : referred(&value) {}
    LAB_ATOMIC_CALL atomic_ref(const atomic_ref &other) : referred(other.referred) {}
    atomic_ref &operator=(const atomic_ref &) = delete;
    LAB_ATOMIC_CALL T *place() const volatile { return referred; }
    using lab::operations<T, scope, atomic_ref>::operator=;
};

// A value that only atomic operations use.
template <class T, thread_scope scope = thread_scope_system>
class atomic : public lab::operations<T, scope, atomic<T, scope>>
{
    mutable T value;

  public:
    atomic() = default;
    LAB_ATOMIC_CALL constexpr atomic(T initial) : value(initial) {}
    atomic(const atomic &) = delete;
    atomic &operator=(const atomic &) = delete;
    LAB_ATOMIC_CALL T *place() const volatile { return const_cast<T *>(&value); }
    using lab::operations<T, scope, atomic>::operator=;
};

namespace std
{
template <class T> using atomic_ref = cuda::atomic_ref<T, thread_scope_system>;
template <class T> using atomic = cuda::atomic<T, thread_scope_system>;
LAB_ATOMIC_CALL void atomic_thread_fence(memory_order order) { cuda::atomic_thread_fence(order); }
} // namespace std

} // namespace cuda

#undef LAB_ATOMIC_CALL
