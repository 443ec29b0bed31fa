/* The catalogue: which bytes two operations share. */
#include "catalogue.h"

enum { HALF = COUNT / 2, HALF_BYTES = BYTES / 2 };

RIGHT(two_halves_of_an_array, "two streams work on slices that do not overlap")
{
    lab_array *low, *high;
    DO(lab_array_slice(&low, kit->a, 0, HALF));
    DO(lab_array_slice(&high, kit->a, HALF, HALF));
    DO(lab_array_set_async(low, kit->pinned, kit->one));
    DO(lab_array_set_async(high, kit->pinned, kit->two));
    DO(lab_array_destroy(low));
    DO(lab_array_destroy(high));
}

WRONG(slices_that_overlap, "two slices have elements in common", .offset = BYTES / 4, .bytes = BYTES / 4,
      .edge = BY_EVENT)
{
    lab_array *low, *middle;
    DO(lab_array_slice(&low, kit->a, 0, HALF));
    DO(lab_array_slice(&middle, kit->a, COUNT / 4, HALF));
    FIRST(lab_array_set_async(low, kit->pinned, kit->one));
    SECOND(lab_array_set_async(middle, kit->pinned_too, kit->two));
    DO(lab_array_destroy(low));
    DO(lab_array_destroy(middle));
}

/* Columns of kit->a, as a square, from `first` on. */
static lab_status columns(lab_array **out, const ground *kit, size_t first)
{
    lab_array *square;
    LAB_TRY(lab_array_reshape(&square, kit->a, LAB_SHAPE(64, 64)));
    LAB_TRY(lab_array_slice_axis(out, square, 1, first, 32, 1));
    return lab_array_destroy(square);
}

RIGHT(two_halves_of_all_rows, "two streams work on different columns of one array")
{
    lab_array *left, *right;
    DO(columns(&left, kit, 0));
    DO(columns(&right, kit, 32));
    DO(lab_array_fill(left, LAB_ARG(1), kit->one));
    DO(lab_array_fill(right, LAB_ARG(2), kit->two));
    DO(lab_array_destroy(left));
    DO(lab_array_destroy(right));
}

WRONG(columns_in_common, "two views have columns in common", .offset = 64, .bytes = 64, .edge = BY_EVENT)
{
    lab_array *left, *middle;
    DO(columns(&left, kit, 0));
    DO(columns(&middle, kit, 16));
    FIRST(lab_array_fill(left, LAB_ARG(1), kit->one));
    SECOND(lab_array_fill(middle, LAB_ARG(2), kit->two));
    DO(lab_array_destroy(left));
    DO(lab_array_destroy(middle));
}

WRONG(a_view_in_another_shape, "a reshaped array is the same memory", .bytes = BYTES, .edge = BY_EVENT)
{
    lab_array *square;
    DO(lab_array_reshape(&square, kit->a, LAB_SHAPE(64, 64)));
    FIRST(SET(kit->one, square));
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
    DO(lab_array_destroy(square));
}

WRONG(copies_that_share_one_byte, "two fills meet in one byte", .offset = 99, .bytes = 1, .edge = BY_EVENT)
{
    lab_deviceptr memory = lab_array_data(kit->a);
    FIRST(lab_memset_async(memory, 1, 100, kit->one));
    SECOND(lab_memset_async(memory + 99, 2, 100, kit->two));
}

RIGHT(copies_side_by_side, "two fills end and begin at one address")
{
    lab_deviceptr memory = lab_array_data(kit->a);
    DO(lab_memset_async(memory, 1, 100, kit->one));
    DO(lab_memset_async(memory + 100, 2, 100, kit->two));
}

WRONG(a_pointer_into_the_array, "a plain address is used to the end of its allocation", .offset = HALF_BYTES,
      .bytes = HALF_BYTES, .edge = BY_EVENT)
{
    lab_deviceptr half = lab_array_data(kit->a) + HALF_BYTES;
    FIRST(SET(kit->one, kit->a));
    SECOND(lab_launch(kit->duplicate, LAB_DIM(HALF / 64), LAB_DIM(64), 0, kit->two, LAB_ARGS(kit->b, half)));
}

WRONG(two_arguments_of_one_array, "the second argument is the array that another stream writes", .bytes = BYTES,
      .edge = BY_EVENT)
{
    FIRST(SET(kit->one, kit->b));
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
}

RIGHT(two_sums_of_one_array, "a reduction only reads what it reduces, through pointers to const")
{
    lab_array *sum[2];
    for (int i = 0; i < 2; i++) DO(lab_array_empty(&sum[i], LAB_FLOAT32, LAB_SHAPE(1)));
    DO(lab_array_sum(sum[0], kit->a, kit->one));
    DO(lab_array_sum(sum[1], kit->a, kit->two));
}

RIGHT(a_kernel_works_in_place, "one kernel may read and write the same array")
{
    DO(DUPLICATE(kit->one, kit->a, kit->a));
}

RIGHT(a_kernel_only_reads, "a kernel that only reads through a plain pointer is a reader")
{
    DO(lab_launch(kit->look, LAB_DIM(1), LAB_DIM(1), 0, kit->one, LAB_ARGS(kit->a, kit->b)));
    DO(lab_launch(kit->look, LAB_DIM(1), LAB_DIM(1), 0, kit->two, LAB_ARGS(kit->a, kit->c)));
}

WRONG(a_pointer_in_memory, "the kernel finds the address in memory, and the program declares it", .bytes = BYTES,
      .edge = BY_EVENT)
{
    lab_array *list;
    lab_deviceptr data = lab_array_data(kit->a);
    DO(lab_array_empty(&list, LAB_UINT64, LAB_SHAPE(1)));
    memcpy(kit->pinned, &data, sizeof data);
    DO(lab_array_set_async(list, kit->pinned, kit->one));
    DO(lab_next_uses(data, BYTES, true));
    FIRST(lab_launch(kit->follow, LAB_DIM(COUNT / 64), LAB_DIM(64), 0, kit->one, LAB_ARGS(lab_array_data(list))));
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
    DO(lab_device_synchronize());
    DO(lab_array_destroy(list));
}

WRONG(a_pinned_buffer_in_a_kernel, "a kernel writes pinned memory that the host reads", .bytes = BYTES, .edge = BY_WAIT)
{
    lab_deviceptr mapped = (lab_deviceptr)(uintptr_t)kit->pinned;
    FIRST(SET(kit->one, mapped));
    SECOND(lab_host_reads(kit->pinned, BYTES));
}

WRONG(a_pinned_buffer_that_a_kernel_finds, "the program declares the kernel's use, by the device address",
      .bytes = BYTES, .edge = BY_WAIT)
{
    DO(lab_next_uses((lab_deviceptr)(uintptr_t)kit->pinned, BYTES, true));
    FIRST(SET(kit->one, kit->a));
    SECOND(lab_host_reads(kit->pinned, BYTES));
}

#define COUNT_ON(stream) lab_launch(kit->count, LAB_DIM(1), LAB_DIM(1), 0, (stream), LAB_NO_ARGS)
#define GET_COUNT_ON(stream, target) lab_launch(kit->get_count, LAB_DIM(1), LAB_DIM(1), 0, (stream), LAB_ARGS(target))

WRONG(a_variable_of_the_module, "two kernels share a __device__ variable, which is not an argument",
      .bytes = sizeof(int), .edge = BY_EVENT, .variable = "calls")
{
    FIRST(COUNT_ON(kit->one));
    SECOND(GET_COUNT_ON(kit->two, kit->a));
}

RIGHT(a_variable_that_is_only_read, "two kernels read a __device__ variable")
{
    DO(GET_COUNT_ON(kit->one, kit->a));
    DO(GET_COUNT_ON(kit->two, kit->b));
}

WRONG(a_variable_that_is_copied_to, "a copy sets a __device__ variable beside a kernel that reads it",
      .bytes = sizeof(int), .edge = BY_EVENT, .variable = "calls")
{
    FIRST(GET_COUNT_ON(kit->one, kit->a));
    SECOND(lab_memcpy_htod_async(kit->calls, kit->pinned, sizeof(int), kit->two));
}

RIGHT(a_variable_that_is_copied_to_before, "a copy sets a __device__ variable before a kernel of its stream reads it")
{
    DO(lab_memcpy_htod_async(kit->calls, kit->pinned, sizeof(int), kit->one));
    DO(GET_COUNT_ON(kit->one, kit->a));
}

#define SCALE_ON(stream, x) lab_launch(kit->scale, LAB_DIM(COUNT / 64), LAB_DIM(64), 0, (stream), LAB_ARGS(x))

RIGHT(a_constant_beside_a_kernel_with_a_barrier, "two kernels read a __constant__ variable of a module with barriers")
{
    DO(SCALE_ON(kit->one, kit->a));
    DO(SCALE_ON(kit->two, kit->b));
}

WRONG(a_constant_that_is_replaced, "a copy sets a __constant__ variable beside a kernel that reads it",
      .bytes = 4 * sizeof(float), .edge = BY_EVENT, .variable = "factor")
{
    FIRST(SCALE_ON(kit->one, kit->a));
    SECOND(lab_memcpy_htod_async(kit->factor, kit->pinned, 4 * sizeof(float), kit->two));
}
