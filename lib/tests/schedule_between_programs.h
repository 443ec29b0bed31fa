/* Programs of schedule_programs.h that lack the edge behind an operation that belongs between two uses of its memory.
 * The first use does not mind on which side of the operation it runs. Without the edge, an order that puts the
 * operation before both uses gives the right numbers, so only some seeds show the mistake. */
#ifndef LAB_TESTS_SCHEDULE_BETWEEN_PROGRAMS_H
#define LAB_TESTS_SCHEDULE_BETWEEN_PROGRAMS_H

#include "schedule_kit.h"

enum { HALF = COUNT / 2, HALF_BYTES = HALF * sizeof(int) };

static void compute_half(kit *k, size_t half)
{
    LAB_CHECK(lab_launch(k->step, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, k->b,
                         LAB_ARGS(k->device[0] + half * HALF_BYTES, k->device[1] + half * HALF_BYTES, (int)HALF, 1)));
}

static bool copy_of_a_half_comes_before_its_kernel(kit *k, bool right, bool copy_is_waited_for_first)
{
    LAB_CHECK(lab_memcpy_htod_async(k->device[0], k->pinned[0], HALF_BYTES, k->b));
    compute_half(k, 0);
    LAB_CHECK(lab_memcpy_htod_async(k->device[0] + HALF_BYTES, k->pinned[0] + HALF, HALF_BYTES, k->a));
    record(k->e, k->a);
    if (right) wait_for(k->e, k->b);
    compute_half(k, 1);
    download(k, 1, 1, k->b);
    if (copy_is_waited_for_first) synchronize(k->a);
    LAB_CHECK(lab_device_synchronize());
    return holds_steps(k->pinned[1], 1);
}

static bool second_kernel_waits_for_its_half(kit *k, bool right)
{
    return copy_of_a_half_comes_before_its_kernel(k, right, false);
}

static bool second_kernel_waits_for_its_half_though_the_host_does(kit *k, bool right)
{
    return copy_of_a_half_comes_before_its_kernel(k, right, true);
}

#endif
