// cooperative_groups.h with its reduce.h, scan.h and memcpy_async.h: groups of threads, from CUDA's intrinsics. The CPU
// device has no other; the CUDA device takes the Toolkit's where it is found. Clusters are missing. Copies are finished
// when memcpy_async returns.
//
// A barrier or warp function tells the CPU device the line that calls it. Here that is the line that calls the group's
// member, a default argument of it.

#ifdef __CUDACC_RTC__
#define LAB_GROUP_CALL __device__ __forceinline__
#define LAB_LINE
#define LAB_AND_LINE
#define LAB_AND_PLACE
#define LAB_HERE
#define LAB_AND_HERE
#else
#define LAB_GROUP_CALL inline __attribute__((always_inline))
#define LAB_LINE const char *lab_file = __builtin_FILE(), unsigned lab_line = __builtin_LINE()
#define LAB_AND_LINE , LAB_LINE
#define LAB_AND_PLACE , const char *lab_file, unsigned lab_line
#define LAB_HERE lab_file, lab_line
#define LAB_AND_HERE , lab_file, lab_line
#endif

namespace cooperative_groups {

namespace lab_groups {

LAB_GROUP_CALL unsigned block_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
LAB_GROUP_CALL unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
LAB_GROUP_CALL unsigned lane() { return block_rank() % 32; }
LAB_GROUP_CALL unsigned below(unsigned lane) { return (1u << lane) - 1; }

// The lane that has a rank in a mask; 32 if the mask has fewer lanes.
LAB_GROUP_CALL unsigned lane_of(unsigned mask, unsigned rank)
{
    for (; rank > 0 && mask; rank--) mask &= mask - 1;
    return mask ? __ffs((int)mask) - 1 : 32;
}

// A value of any type that can be copied, as words of 32 bits.
template <class T> struct words {
    static const int count = (sizeof(T) + 3) / 4;
    unsigned word[count];
    LAB_GROUP_CALL words(const T &value) : word() { memcpy(word, &value, sizeof value); }
    LAB_GROUP_CALL T value() const
    {
        T result;
        memcpy((void *)&result, word, sizeof result);
        return result;
    }
};
#define LAB_GROUP_SHUFFLE(name, intrinsic)                                                                             \
    template <class T>                                                                                                 \
    LAB_GROUP_CALL T name(unsigned mask, const T &value, unsigned argument, int width LAB_AND_LINE)                    \
    {                                                                                                                  \
        words<T> all(value);                                                                                           \
        for (int i = 0; i < all.count; i++)                                                                            \
            all.word[i] = intrinsic(mask, all.word[i], argument, width LAB_AND_HERE);                                  \
        return all.value();                                                                                            \
    }
LAB_GROUP_SHUFFLE(shuffle, __shfl_sync)
LAB_GROUP_SHUFFLE(shuffle_up, __shfl_up_sync)
LAB_GROUP_SHUFFLE(shuffle_down, __shfl_down_sync)
LAB_GROUP_SHUFFLE(shuffle_xor, __shfl_xor_sync)
#undef LAB_GROUP_SHUFFLE

template <class T> struct plain {
    typedef T type;
};
template <class T> struct plain<T &> : plain<T> {};
template <class T> struct plain<T &&> : plain<T> {};
template <class T> struct plain<const T> : plain<T> {};

} // namespace lab_groups

// Any group, when its kind is known at run time only. A mask of 0 means the block.
class thread_group {
protected:
    unsigned mask, meta_rank, meta_count;
    LAB_GROUP_CALL thread_group(unsigned mask, unsigned meta_rank, unsigned meta_count)
        : mask(mask), meta_rank(meta_rank), meta_count(meta_count)
    {
    }
    LAB_GROUP_CALL unsigned rank_in_mask() const { return __popc(mask & lab_groups::below(lab_groups::lane())); }
    friend LAB_GROUP_CALL thread_group tiled_partition(const thread_group &parent, unsigned size);

public:
    LAB_GROUP_CALL unsigned long long size() const { return mask ? __popc(mask) : lab_groups::block_size(); }
    LAB_GROUP_CALL unsigned long long num_threads() const { return size(); }
    LAB_GROUP_CALL unsigned long long thread_rank() const { return mask ? rank_in_mask() : lab_groups::block_rank(); }
    LAB_GROUP_CALL void sync(LAB_LINE) const
    {
        if (mask)
            __syncwarp(mask LAB_AND_HERE);
        else
            __syncthreads(LAB_HERE);
    }
};

class thread_block : public thread_group {
    LAB_GROUP_CALL thread_block() : thread_group(0, 0, 1) {}
    friend LAB_GROUP_CALL thread_block this_thread_block();

public:
    static LAB_GROUP_CALL void sync(LAB_LINE) { __syncthreads(LAB_HERE); }
    static LAB_GROUP_CALL unsigned size() { return lab_groups::block_size(); }
    static LAB_GROUP_CALL unsigned num_threads() { return lab_groups::block_size(); }
    static LAB_GROUP_CALL unsigned thread_rank() { return lab_groups::block_rank(); }
    static LAB_GROUP_CALL dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static LAB_GROUP_CALL dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static LAB_GROUP_CALL dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static LAB_GROUP_CALL dim3 dim_threads() { return group_dim(); }
};
LAB_GROUP_CALL thread_block this_thread_block() { return thread_block(); }

// The members that all groups of at most a warp have, from `lanes()`, their mask, and `thread_rank()`.
#define LAB_GROUP_VOTES                                                                                                \
    LAB_GROUP_CALL void sync(LAB_LINE) const { __syncwarp(lanes() LAB_AND_HERE); }                                     \
    LAB_GROUP_CALL int any(int predicate LAB_AND_LINE) const { return __any_sync(lanes(), predicate LAB_AND_HERE); }   \
    LAB_GROUP_CALL int all(int predicate LAB_AND_LINE) const { return __all_sync(lanes(), predicate LAB_AND_HERE); }   \
    LAB_GROUP_CALL unsigned ballot(int predicate LAB_AND_LINE) const                                                   \
    {                                                                                                                  \
        return ranks(__ballot_sync(lanes(), predicate LAB_AND_HERE));                                                  \
    }                                                                                                                  \
    template <class T> LAB_GROUP_CALL unsigned match_any(T value LAB_AND_LINE) const                                   \
    {                                                                                                                  \
        return ranks(__match_any_sync(lanes(), value LAB_AND_HERE));                                                   \
    }                                                                                                                  \
    template <class T> LAB_GROUP_CALL unsigned match_all(T value, int &all LAB_AND_LINE) const                         \
    {                                                                                                                  \
        return ranks(__match_all_sync(lanes(), value, &all LAB_AND_HERE));                                             \
    }

// The lanes of a warp that came together, or a part of a group.
class coalesced_group : public thread_group {

    LAB_GROUP_CALL unsigned ranks(unsigned set) const
    {
        unsigned packed = 0, rank = 0;
        for (unsigned left = mask; left; left &= left - 1, rank++)
            if (set & left & -left) packed |= 1u << rank;
        return packed;
    }

public:
    LAB_GROUP_CALL coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_count = 1)
        : thread_group(mask, meta_rank, meta_count)
    {
    }
    LAB_GROUP_CALL unsigned lanes() const { return mask; }
    LAB_GROUP_CALL unsigned size() const { return __popc(mask); }
    LAB_GROUP_CALL unsigned num_threads() const { return __popc(mask); }
    LAB_GROUP_CALL unsigned thread_rank() const { return rank_in_mask(); }
    LAB_GROUP_CALL unsigned meta_group_rank() const { return meta_rank; }
    LAB_GROUP_CALL unsigned meta_group_size() const { return meta_count; }
    LAB_GROUP_VOTES

    template <class T> LAB_GROUP_CALL T shfl(T value, unsigned rank LAB_AND_LINE) const
    {
        return lab_groups::shuffle(mask, value, lab_groups::lane_of(mask, rank), 32 LAB_AND_HERE);
    }
    // A thread whose source would lie outside the group keeps its own value.
    template <class T> LAB_GROUP_CALL T shfl_up(T value, unsigned delta LAB_AND_LINE) const
    {
        const unsigned rank = thread_rank(), source = rank >= delta ? rank - delta : rank;
        return lab_groups::shuffle(mask, value, lab_groups::lane_of(mask, source), 32 LAB_AND_HERE);
    }
    template <class T> LAB_GROUP_CALL T shfl_down(T value, unsigned delta LAB_AND_LINE) const
    {
        const unsigned rank = thread_rank(), source = delta < size() - rank ? rank + delta : rank;
        return lab_groups::shuffle(mask, value, lab_groups::lane_of(mask, source), 32 LAB_AND_HERE);
    }
};
LAB_GROUP_CALL coalesced_group coalesced_threads(LAB_LINE) { return coalesced_group(__activemask(LAB_HERE)); }

// A part of a block, of a size that the compiler knows.
template <unsigned Size, class Parent = void, bool IsLarge = (Size > 32)>
class thread_block_tile : public thread_group {
    static_assert(Size >= 1 && (Size & (Size - 1)) == 0, "the number of threads of a tile is a power of two");
    static LAB_GROUP_CALL unsigned ranks(unsigned set) { return set >> (lab_groups::lane() & ~(Size - 1)) & ~0u >> (32 - Size); }

public:
    LAB_GROUP_CALL thread_block_tile(unsigned meta_rank, unsigned meta_count)
        : thread_group(lanes(), meta_rank, meta_count)
    {
    }
    template <class Other> LAB_GROUP_CALL thread_block_tile(const thread_block_tile<Size, Other, false> &other)
        : thread_block_tile(other.meta_group_rank(), other.meta_group_size())
    {
    }
    static LAB_GROUP_CALL unsigned lanes() { return ~0u >> (32 - Size) << (lab_groups::lane() & ~(Size - 1)); }
    static LAB_GROUP_CALL unsigned size() { return Size; }
    static LAB_GROUP_CALL unsigned num_threads() { return Size; }
    static LAB_GROUP_CALL unsigned thread_rank() { return lab_groups::lane() & (Size - 1); }
    LAB_GROUP_CALL unsigned meta_group_rank() const { return meta_rank; }
    LAB_GROUP_CALL unsigned meta_group_size() const { return meta_count; }
    LAB_GROUP_VOTES

    template <class T> LAB_GROUP_CALL T shfl(T value, int rank LAB_AND_LINE) const
    {
        return lab_groups::shuffle(lanes(), value, rank, Size LAB_AND_HERE);
    }
    template <class T> LAB_GROUP_CALL T shfl_up(T value, unsigned delta LAB_AND_LINE) const
    {
        return lab_groups::shuffle_up(lanes(), value, delta, Size LAB_AND_HERE);
    }
    template <class T> LAB_GROUP_CALL T shfl_down(T value, unsigned delta LAB_AND_LINE) const
    {
        return lab_groups::shuffle_down(lanes(), value, delta, Size LAB_AND_HERE);
    }
    template <class T> LAB_GROUP_CALL T shfl_xor(T value, unsigned bits LAB_AND_LINE) const
    {
        return lab_groups::shuffle_xor(lanes(), value, bits, Size LAB_AND_HERE);
    }
};
#undef LAB_GROUP_VOTES

// Where the warps of a large tile find each other's values is shared memory of the functions below.
template <unsigned Size = 1024> struct block_tile_memory {
    char unused;
};
template <unsigned Size> LAB_GROUP_CALL thread_block this_thread_block(block_tile_memory<Size> &)
{
    return this_thread_block();
}

namespace lab_groups {

// A value for each warp of a block.
template <class T> class warp_slots {
    static_assert(sizeof(T) <= 8, "what the threads of a tile of several warps combine has at most 8 bytes");
    unsigned *word;
    static const int count = words<T>::count;

public:
    LAB_GROUP_CALL warp_slots()
    {
        __shared__ unsigned slot[32 * count];
        word = slot;
    }
    LAB_GROUP_CALL void put(unsigned warp, const T &value) const
    {
        const words<T> all(value);
        for (int i = 0; i < count; i++) word[warp * count + i] = all.word[i];
    }
    LAB_GROUP_CALL T get(unsigned warp) const
    {
        words<T> all(T{});
        for (int i = 0; i < count; i++) all.word[i] = word[warp * count + i];
        return all.value();
    }
    template <class F> LAB_GROUP_CALL T combine(unsigned first, unsigned end, F operation) const
    {
        T result = get(first);
        while (++first < end) result = operation(result, get(first));
        return result;
    }
};

} // namespace lab_groups

// Several warps of a block. They wait with the whole block, where CUDA lets them wait alone: a kernel in which others
// wait at another barrier meanwhile fails.
template <unsigned Size, class Parent> class thread_block_tile<Size, Parent, true> {
    static_assert(Size <= 1024 && (Size & (Size - 1)) == 0, "the number of threads of a tile is a power of two");
    unsigned meta_rank, meta_count;

public:
    LAB_GROUP_CALL thread_block_tile(unsigned meta_rank, unsigned meta_count)
        : meta_rank(meta_rank), meta_count(meta_count)
    {
    }
    template <class Other> LAB_GROUP_CALL thread_block_tile(const thread_block_tile<Size, Other, true> &other)
        : thread_block_tile(other.meta_group_rank(), other.meta_group_size())
    {
    }
    static LAB_GROUP_CALL unsigned size() { return Size; }
    static LAB_GROUP_CALL unsigned num_threads() { return Size; }
    static LAB_GROUP_CALL unsigned thread_rank() { return lab_groups::block_rank() & (Size - 1); }
    LAB_GROUP_CALL unsigned meta_group_rank() const { return meta_rank; }
    LAB_GROUP_CALL unsigned meta_group_size() const { return meta_count; }

    static LAB_GROUP_CALL unsigned warp() { return lab_groups::block_rank() / 32; }
    static LAB_GROUP_CALL unsigned first_warp() { return (lab_groups::block_rank() & ~(Size - 1)) / 32; }
    static LAB_GROUP_CALL unsigned end_warp()
    {
        const unsigned end = first_warp() + Size / 32, all = (lab_groups::block_size() + 31) / 32;
        return end < all ? end : all;
    }

    static LAB_GROUP_CALL void sync(LAB_LINE)
    {
        if (!__syncthreads_and(1 LAB_AND_HERE)) __trap();
    }
    template <class T> LAB_GROUP_CALL T shfl(T value, unsigned rank LAB_AND_LINE) const
    {
        const lab_groups::warp_slots<T> slots;
        if (thread_rank() == rank) slots.put(first_warp(), value);
        sync(LAB_HERE);
        value = slots.get(first_warp());
        sync(LAB_HERE);
        return value;
    }
    LAB_GROUP_CALL int any(int predicate LAB_AND_LINE) const;
    LAB_GROUP_CALL int all(int predicate LAB_AND_LINE) const;
};

template <unsigned Size> LAB_GROUP_CALL thread_block_tile<Size, thread_block> tiled_partition(const thread_block &)
{
    return thread_block_tile<Size, thread_block>(lab_groups::block_rank() / Size,
                                                 (lab_groups::block_size() + Size - 1) / Size);
}
template <unsigned Size, unsigned Whole, class Parent, bool IsLarge>
LAB_GROUP_CALL thread_block_tile<Size, thread_block_tile<Whole, Parent, IsLarge>>
tiled_partition(const thread_block_tile<Whole, Parent, IsLarge> &parent)
{
    static_assert(Size <= Whole, "a part has at most as many threads as the group");
    return {parent.thread_rank() / Size, Whole / Size};
}

// Parts whose size is known at run time only.
LAB_GROUP_CALL coalesced_group tiled_partition(const coalesced_group &parent, unsigned size)
{
    if (size == 0 || size > 32 || (size & (size - 1))) __trap();
    if (parent.size() <= size) return parent;
    const unsigned part = parent.thread_rank() / size;
    unsigned mask = 0;
    for (unsigned rank = part * size; rank < part * size + size && rank < parent.size(); rank++)
        mask |= 1u << lab_groups::lane_of(parent.lanes(), rank);
    return coalesced_group(mask, part, (parent.size() + size - 1) / size);
}
LAB_GROUP_CALL thread_group tiled_partition(const thread_group &parent, unsigned size)
{
    if (size == 0 || size > 32 || (size & (size - 1))) __trap();
    if (parent.mask) return tiled_partition(coalesced_group(parent.mask), size);
    const unsigned rank = lab_groups::block_rank(), first = rank & ~(size - 1), left = lab_groups::block_size() - first;
    return thread_group(~0u >> (32 - (left < size ? left : size)) << first % 32, rank / size,
                        (lab_groups::block_size() + size - 1) / size);
}

template <class Group> LAB_GROUP_CALL coalesced_group binary_partition(const Group &group, bool predicate LAB_AND_LINE)
{
    const unsigned mask = group.lanes(), set = __ballot_sync(mask, predicate LAB_AND_HERE);
    if (set == mask || set == 0) return coalesced_group(mask, 0, 1);
    return coalesced_group(predicate ? set : mask & ~set, predicate, 2);
}
template <class Group, class T>
LAB_GROUP_CALL coalesced_group labeled_partition(const Group &group, T label LAB_AND_LINE)
{
    const unsigned same = __match_any_sync(group.lanes(), label LAB_AND_HERE), first = __ffs((int)same) - 1;
    const unsigned leaders = __ballot_sync(group.lanes(), lab_groups::lane() == first LAB_AND_HERE);
    return coalesced_group(same, __popc(leaders & lab_groups::below(first)), __popc(leaders));
}
template <class Group> LAB_GROUP_CALL coalesced_group labeled_partition(const Group &group, bool label LAB_AND_LINE)
{
    return binary_partition(group, label LAB_AND_HERE);
}

// All threads of the launch.
class grid_group {
    friend LAB_GROUP_CALL grid_group this_grid();
    LAB_GROUP_CALL grid_group() {}

public:
#ifdef __CUDACC_RTC__
    static LAB_GROUP_CALL bool is_valid() { return false; }
    static LAB_GROUP_CALL void sync() { __trap(); }
#else
    static LAB_GROUP_CALL bool is_valid() { return lab_launch->grid_wait; }
    static LAB_GROUP_CALL void sync(LAB_LINE)
    {
        __syncthreads(LAB_HERE);
        if (lab_groups::block_rank() == 0) lab_grid_wait(LAB_HERE);
        __syncthreads(LAB_HERE);
    }
#endif
    static LAB_GROUP_CALL unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    static LAB_GROUP_CALL unsigned long long block_rank()
    {
        return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
    static LAB_GROUP_CALL unsigned long long num_threads() { return num_blocks() * lab_groups::block_size(); }
    static LAB_GROUP_CALL unsigned long long size() { return num_threads(); }
    static LAB_GROUP_CALL unsigned long long thread_rank()
    {
        return block_rank() * lab_groups::block_size() + lab_groups::block_rank();
    }
    static LAB_GROUP_CALL dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static LAB_GROUP_CALL dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static LAB_GROUP_CALL dim3 group_dim() { return dim_blocks(); }
};
LAB_GROUP_CALL grid_group this_grid() { return grid_group(); }

template <class Group> LAB_GROUP_CALL void sync(const Group &group LAB_AND_LINE) { group.sync(LAB_HERE); }
template <class Group> LAB_GROUP_CALL unsigned long long thread_rank(const Group &group) { return group.thread_rank(); }
template <class Group> LAB_GROUP_CALL unsigned long long group_size(const Group &group) { return group.size(); }

// reduce.h

#define LAB_GROUP_OPERATION(name, expression)                                                                          \
    template <class T> struct name {                                                                                   \
        LAB_GROUP_CALL T operator()(T x, T y) const { return expression; }                                             \
    };
LAB_GROUP_OPERATION(plus, x + y)
LAB_GROUP_OPERATION(less, y < x ? y : x)
LAB_GROUP_OPERATION(greater, x < y ? y : x)
LAB_GROUP_OPERATION(bit_and, x & y)
LAB_GROUP_OPERATION(bit_or, x | y)
LAB_GROUP_OPERATION(bit_xor, x ^ y)
#undef LAB_GROUP_OPERATION

// The sum of the values of all threads up to this one. Each step doubles the distance.
template <class Group, class T, class F>
LAB_GROUP_CALL T inclusive_scan(const Group &group, T value, F operation LAB_AND_LINE)
{
    const unsigned rank = group.thread_rank();
    for (unsigned step = 1; step < group.size(); step *= 2) {
        const T before = group.shfl_up(value, step LAB_AND_HERE);
        if (rank >= step) value = operation(before, value);
    }
    return value;
}
template <class Group, class T> LAB_GROUP_CALL T inclusive_scan(const Group &group, T value LAB_AND_LINE)
{
    return inclusive_scan(group, value, plus<T>() LAB_AND_HERE);
}
// The first thread has no values before it: its result is 0 for a sum, and not defined for other operations.
template <class Group, class T, class F>
LAB_GROUP_CALL T exclusive_scan(const Group &group, T value, F operation LAB_AND_LINE)
{
    const T before = group.shfl_up(inclusive_scan(group, value, operation LAB_AND_HERE), 1u LAB_AND_HERE);
    return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T> LAB_GROUP_CALL T exclusive_scan(const Group &group, T value LAB_AND_LINE)
{
    return exclusive_scan(group, value, plus<T>() LAB_AND_HERE);
}

// All threads combine in the same order, so that they have the same result to the last bit.
template <unsigned Size, class Parent, class T, class F>
LAB_GROUP_CALL T reduce(const thread_block_tile<Size, Parent, false> &group, T value, F operation LAB_AND_LINE)
{
    for (unsigned step = Size / 2; step > 0; step /= 2)
        value = operation(value, group.shfl_xor(value, step LAB_AND_HERE));
    return value;
}
template <class T, class F>
LAB_GROUP_CALL T reduce(const coalesced_group &group, T value, F operation LAB_AND_LINE)
{
    if (group.size() == 32) return reduce(thread_block_tile<32>(0, 1), value, operation LAB_AND_HERE);
    return group.shfl(inclusive_scan(group, value, operation LAB_AND_HERE), group.size() - 1 LAB_AND_HERE);
}

// The same of large tiles: in each warp, then of the warps' results.
template <unsigned Size, class Parent, class T, class F>
LAB_GROUP_CALL T reduce(const thread_block_tile<Size, Parent, true> &group, T value, F operation LAB_AND_LINE)
{
    const lab_groups::warp_slots<T> slots;
    value = reduce(thread_block_tile<32>(0, 1), value, operation LAB_AND_HERE);
    if (lab_groups::lane() == 0) slots.put(group.warp(), value);
    group.sync(LAB_HERE);
    value = slots.combine(group.first_warp(), group.end_warp(), operation);
    group.sync(LAB_HERE);
    return value;
}
template <unsigned Size, class Parent>
LAB_GROUP_CALL int thread_block_tile<Size, Parent, true>::any(int predicate LAB_AND_PLACE) const
{
    return reduce(*this, predicate != 0, bit_or<int>() LAB_AND_HERE);
}
template <unsigned Size, class Parent>
LAB_GROUP_CALL int thread_block_tile<Size, Parent, true>::all(int predicate LAB_AND_PLACE) const
{
    return reduce(*this, predicate != 0, bit_and<int>() LAB_AND_HERE);
}

// The sum of the warps before this one, if there are any, into *before; `value` is this thread's sum in its warp.
template <unsigned Size, class Parent, class T, class F>
LAB_GROUP_CALL bool scan_warps(T *before, const thread_block_tile<Size, Parent, true> &group, T value,
                               F operation LAB_AND_LINE)
{
    const lab_groups::warp_slots<T> slots;
    const bool is_first = group.warp() == group.first_warp();
    if (lab_groups::lane() == 31) slots.put(group.warp(), value);
    group.sync(LAB_HERE);
    if (!is_first) *before = slots.combine(group.first_warp(), group.warp(), operation);
    group.sync(LAB_HERE);
    return !is_first;
}
template <unsigned Size, class Parent, class T, class F>
LAB_GROUP_CALL T inclusive_scan(const thread_block_tile<Size, Parent, true> &group, T value, F operation LAB_AND_LINE)
{
    T before;
    value = inclusive_scan(thread_block_tile<32>(0, 1), value, operation LAB_AND_HERE);
    return scan_warps(&before, group, value, operation LAB_AND_HERE) ? operation(before, value) : value;
}
template <unsigned Size, class Parent, class T, class F>
LAB_GROUP_CALL T exclusive_scan(const thread_block_tile<Size, Parent, true> &group, T value, F operation LAB_AND_LINE)
{
    T before;
    const thread_block_tile<32> warp(0, 1);
    value = inclusive_scan(warp, value, operation LAB_AND_HERE);
    const T previous = warp.shfl_up(value, 1u LAB_AND_HERE);
    const bool has_before = scan_warps(&before, group, value, operation LAB_AND_HERE);
    if (lab_groups::lane() == 0) return has_before ? before : T();
    return has_before ? operation(before, previous) : previous;
}

// memcpy_async.h

template <class Group, class T>
LAB_GROUP_CALL void memcpy_async(const Group &group, T *destination, const T *source, size_t bytes LAB_AND_LINE)
{
    for (size_t i = group.thread_rank(); i < bytes; i += group.size())
        ((char *)destination)[i] = ((const char *)source)[i];
}
template <unsigned Stage, class Group> LAB_GROUP_CALL void wait_prior(const Group &group LAB_AND_LINE)
{
    group.sync(LAB_HERE);
}
template <class Group> LAB_GROUP_CALL void wait(const Group &group LAB_AND_LINE) { group.sync(LAB_HERE); }

} // namespace cooperative_groups

#undef LAB_GROUP_CALL
#undef LAB_LINE
#undef LAB_AND_LINE
#undef LAB_AND_PLACE
#undef LAB_HERE
#undef LAB_AND_HERE
