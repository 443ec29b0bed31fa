// How generated kernels run on the CPU device: a block is one thread. It takes a contiguous part of the elements, in a
// loop that the compiler turns into vector code; backend.h says what these names promise.

static inline long long lab_share(long long n)
{
    return ((n + gridDim.x - 1) / gridDim.x + 63) / 64 * 64; // whole cache lines: no two blocks write to one
}

// Elements do not depend on each other, so a loop over them may be vectorised even if its pointers alias.
#define LAB_INDEPENDENT _Pragma("clang loop vectorize(assume_safety) interleave(assume_safety)")

// The same for a loop over few elements, in code that is made several times: a kernel compiles in two thirds of the time.
#define LAB_SHORT _Pragma("clang loop vectorize(assume_safety) interleave(disable) unroll(disable)")

#define LAB_PART(n)                                                                                                    \
    long long lab_at = blockIdx.x * lab_share(n);                                                                      \
    const long long lab_end = min(lab_at + lab_share(n), (long long)(n));

// Its entries call a kernel and have no copy of it: it compiles in half of the time.
#define LAB_ONE_COPY __noinline__

// Names are not pasted together here: the device's functions that a source may name would all be compiled with it.
#define LAB_INPUT(array, loaded, i) array[i]

#define LAB_EACH(i, n)                                                                                                 \
    LAB_PART(n)                                                                                                        \
    LAB_INDEPENDENT for (long long i = lab_at; i < lab_end; ++i)

#define LAB_EACH_ROW(row, n, width)                                                                                    \
    LAB_PART(n)                                                                                                        \
    const long long lab_width = width;                                                                                 \
    for (long long row, lab_stop; lab_at < lab_end; lab_at = lab_stop)                                                 \
        if (row = lab_at / lab_width, lab_stop = min((row + 1) * lab_width, lab_end), true)

#define LAB_EACH_IN_ROW(i, column, row)                                                                                \
    const long long lab_row_start = row * lab_width;                                                                   \
    LAB_INDEPENDENT for (long long i = lab_at; i < lab_stop; ++i)                                                      \
        if (const long long column = i - lab_row_start; true)

// The lanes stand for the threads of a block on a GPU: each has its own result, and they are combined at the end, in
// eight steps, of which `copies` are written out.
template <int copies, class T, class Reduce> LAB_BUILTIN T lab_combine_lanes(T *lane, long long width, Reduce reduce)
{
    static_assert(LAB_LANES == 256, "a tree over 256 lanes has eight steps");
    _Pragma("clang loop unroll_count(copies)") for (long long step = LAB_LANES / 2; step > 0; step /= 2)
    {
        const long long pairs = min(step, width - step);
        LAB_SHORT for (long long t = 0; t < pairs; ++t) lane[t] = reduce(lane[t], lane[t + step]);
    }
    return lane[0];
}

template <class T, class Map, class Reduce>
LAB_BUILTIN T lab_reduce_range(long long first, long long end, Map map, Reduce reduce)
{
    T lane[LAB_LANES];
    const long long width = min(end - first, (long long)LAB_LANES);
    for (long long t = 0; t < width; ++t) lane[t] = map(first + t);
    long long row = first + LAB_LANES;
    // Three rows at a time: each lane is then read and written once for three elements. A whole tile has 63 such rows.
    for (; row + 3 * LAB_LANES <= end; row += 3 * LAB_LANES) {
        LAB_INDEPENDENT for (long long t = 0; t < LAB_LANES; ++t)
        {
            const T value = reduce(lane[t], map(row + t)), next = reduce(value, map(row + LAB_LANES + t));
            lane[t] = reduce(next, map(row + 2 * LAB_LANES + t));
        }
    }
    for (; row + LAB_LANES <= end; row += LAB_LANES) {
        LAB_INDEPENDENT for (long long t = 0; t < LAB_LANES; ++t) lane[t] = reduce(lane[t], map(row + t));
    }
    for (long long t = 0; row + t < end; ++t) lane[t] = reduce(lane[t], map(row + t));
    return lab_combine_lanes<8>(lane, width, reduce);
}

// What other blocks left is little, and read one by one: fast code for it would take longer to compile than it saves.
template <class T, class Map, class Reduce>
LAB_BUILTIN T lab_reduce_partial(long long count, Map map, Reduce reduce)
{
    T lane[LAB_LANES];
    const long long width = min(count, (long long)LAB_LANES);
    for (long long t = 0; t < width; ++t) lane[t] = map(t);
    _Pragma("clang loop unroll(disable)") for (long long i = LAB_LANES; i < count; ++i)
    {
        T &to = lane[i % LAB_LANES];
        to = reduce(to, map(i));
    }
    return lab_combine_lanes<1>(lane, width, reduce);
}

// All columns at once. The tree over the lanes is walked from its first lane to its last, so that one row of partial
// results for each of its levels is enough. The bits of t are the steps taken, the largest first.
template <class T, class Map, class Reduce, class Store>
LAB_BUILTIN void lab_reduce_columns(long long columns, long long first, long long end, Map map, Reduce reduce,
                                    Store store)
{
    T level[9][LAB_COLUMNS];
    static_assert(LAB_LANES == 256, "a tree over 256 lanes has nine levels");
    const long long width = min(end - first, (long long)LAB_LANES);
    long long largest = LAB_LANES / 2;
    while (largest >= width) largest /= 2;
    long long t = 0, depth = 0;
    for (;;) {
        T *const lane = level[depth];
        if (t < width) {
            LAB_INDEPENDENT for (long long c = 0; c < columns; ++c) lane[c] = map(c, first + t);
            for (long long i = first + t + LAB_LANES; i < end; i += LAB_LANES) {
                LAB_INDEPENDENT for (long long c = 0; c < columns; ++c) lane[c] = reduce(lane[c], map(c, i));
            }
        }
        long long step = largest;
        for (; t & step; step /= 2, --depth) {
            if (t < width) {
                T *const left = level[depth - 1], *const right = level[depth];
                LAB_INDEPENDENT for (long long c = 0; c < columns; ++c) left[c] = reduce(left[c], right[c]);
            }
            t -= step;
        }
        if (step == 0) break;
        t += step;
        ++depth;
    }
    for (long long c = 0; c < columns; ++c) store(c, level[0][c]);
}

LAB_BUILTIN bool lab_last_block(unsigned *counter)
{
    if (__atomic_add_fetch(counter, 1, __ATOMIC_ACQ_REL) < gridDim.x) return false;
    *counter = 0;
    return true;
}
