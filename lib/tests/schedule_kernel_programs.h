/* Programs of schedule_programs.h whose edge is between threads or blocks of a kernel. */
#ifndef LAB_TESTS_SCHEDULE_KERNEL_PROGRAMS_H
#define LAB_TESTS_SCHEDULE_KERNEL_PROGRAMS_H

#include "schedule_kit.h"

/* Runs one block of the kernel from the first buffer to the second, and copies that to pinned[1]. */
static void run_block(kit *k, const char *kernel, int threads)
{
    lab_function function;
    LAB_CHECK(lab_module_get_function(&function, k->module, kernel));
    upload(k, 0, 0, k->a);
    LAB_CHECK(
        lab_launch(function, LAB_DIM(1), LAB_DIM((unsigned)threads), 0, k->a, LAB_ARGS(k->device[0], k->device[1])));
    download(k, 1, 1, k->a);
    synchronize(k->a);
}

static bool threads_of_a_block_wait_at_a_barrier(kit *k, bool right)
{
    run_block(k, right ? "shift_in_step" : "shift", THREADS);
    for (int i = 1; i < THREADS; i++)
        if (k->pinned[1][i] != number_at(i - 1)) return false;
    return true;
}

static bool threads_of_a_block_wait_at_every_barrier(kit *k, bool right)
{
    run_block(k, right ? "shift_twice_in_step" : "shift_twice", THREADS);
    for (int i = 2; i < THREADS; i++)
        if (k->pinned[1][i] != number_at(i - 2)) return false;
    return true;
}

enum { FEW_THREADS = 8, WARP = 32, SUMMED = 128, FEW_BLOCKS = 5 };

/* Whether each of the first `count` numbers is the first number of the run plus its own index. */
static bool all_heard(const int *found, int count)
{
    for (int i = 0; i < count; i++)
        if (found[i] != number_at(0) + i) return false;
    return true;
}

static bool threads_wait_for_what_the_first_one_says(kit *k, bool right)
{
    run_block(k, right ? "say_in_step" : "say", FEW_THREADS);
    return all_heard(k->pinned[1], FEW_THREADS);
}

static bool first_thread_waits_for_what_it_collects(kit *k, bool right)
{
    run_block(k, right ? "collect_in_step" : "collect", FEW_THREADS);
    for (int i = 0; i < FEW_THREADS; i++)
        if (k->pinned[1][i] != number_at(i)) return false;
    return true;
}

static bool adds_the_sum(kit *k, const char *kernel)
{
    int sum = 0;
    run_block(k, kernel, SUMMED);
    for (int i = 0; i < SUMMED; i++) sum += number_at(i);
    for (int i = 0; i < SUMMED; i++)
        if (k->pinned[1][i] != number_at(i) + sum) return false;
    return true;
}

static bool first_warp_waits_for_the_sums_of_all(kit *k, bool right)
{
    return adds_the_sum(k, right ? "add_sum" : "add_sum_of_parts_too_early");
}

static bool all_warps_wait_for_the_sum_of_the_first(kit *k, bool right)
{
    return adds_the_sum(k, right ? "add_sum" : "add_sum_too_early");
}

static bool lanes_of_a_warp_wait_for_each_other(kit *k, bool right)
{
    run_block(k, right ? "tell_warp_in_step" : "tell_warp", WARP);
    return all_heard(k->pinned[1], WARP);
}

static void tell_blocks(kit *k, int write, int read)
{
    lab_function function;
    LAB_CHECK(lab_module_get_function(&function, k->module, "tell_blocks"));
    LAB_CHECK(lab_launch(function, LAB_DIM(FEW_BLOCKS), LAB_DIM(1), 0, k->a,
                         LAB_ARGS(k->device[0], k->device[2], k->device[1], write, read)));
}

/* Nothing within a kernel orders its blocks. */
static bool blocks_wait_for_another_launch(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    tell_blocks(k, 1, !right);
    if (right) tell_blocks(k, 0, 1);
    download(k, 1, 1, k->a);
    synchronize(k->a);
    return all_heard(k->pinned[1], FEW_BLOCKS);
}

#endif
