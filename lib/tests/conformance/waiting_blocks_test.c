/* Blocks that wait for a flag of another block (CUDA C++ Programming Guide, "Independent Thread Scheduling" and
 * "Memory Fence Functions"): a block that has begun goes on, whatever others do. Blocks begin in no promised order, so
 * that each takes its number when it begins, and waits for lower numbers alone. */
#include "test.h"

#include "lab.h"

enum { BLOCKS = 200, THREADS = 64, EACH = 3 };

/* Sums of all numbers up to each block's last. Each block waits for the sum of the one before, in four ways. */
static const char source[] =
    "__device__ int numbers_given;\n"
    "__device__ int block_number()\n"
    "{\n"
    "    __shared__ int number;\n"
    "    if (threadIdx.x == 0) number = atomicAdd(&numbers_given, 1);\n"
    "    __syncthreads();\n"
    "    return number;\n"
    "}\n"
    "__device__ void pass_on(volatile unsigned *sum, volatile int *done, int number)\n"
    "{\n"
    "    __threadfence();\n"
    "    sum[number] = (number > 0 ? sum[number - 1] : 0) + 3 * (number + 1);\n"
    "    __threadfence();\n"
    "    done[number] = 1;\n"
    "}\n"
    "extern \"C\" __global__ void look_at_flag(unsigned *sum, int *done)\n"
    "{\n"
    "    const int number = block_number();\n"
    "    if (threadIdx.x == 0) {\n"
    "        while (number > 0 && ((volatile int *)done)[number - 1] == 0) {}\n"
    "        pass_on(sum, done, number);\n"
    "    }\n"
    "    __syncthreads();\n"
    "}\n"
    "extern \"C\" __global__ void ask_atomically(unsigned *sum, int *done)\n"
    "{\n"
    "    if (threadIdx.x > 0) return;\n"
    "    const int number = atomicAdd(&numbers_given, 1);\n"
    "    while (number > 0 && atomicCAS(&done[number - 1], 1, 1) == 0) {}\n"
    "    pass_on(sum, done, number);\n"
    "}\n"
    "extern \"C\" __global__ void look_back_by_warp(unsigned *sum, int *done)\n"
    "{\n"
    "    const int number = block_number(), before = number - 1 - (int)threadIdx.x;\n"
    "    if (threadIdx.x >= 32) return;\n"
    "    int ready = 1;\n"
    "    do {\n"
    "        if (before >= 0) ready = ((volatile int *)done)[before];\n"
    "    } while (__any_sync(0xffffffff, !ready));\n"
    "    if (threadIdx.x == 0) pass_on(sum, done, number);\n"
    "}\n"
    "extern \"C\" __global__ void meet_at_barriers(unsigned *sum, int *done)\n"
    "{\n"
    "    const int number = block_number();\n"
    "    while (__syncthreads_or(threadIdx.x == 0 && number > 0 && ((volatile int *)done)[number - 1] == 0)) {}\n"
    "    if (threadIdx.x == 0) pass_on(sum, done, number);\n"
    "}\n";

static void check_sums(const char *kernel)
{
    lab_module *module;
    lab_function function;
    lab_deviceptr sums, done;
    unsigned host[BLOCKS];
    LAB_CHECK(lab_module_load_source(&module, source, "waiting_blocks.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, kernel));
    LAB_CHECK(lab_mem_alloc(&sums, sizeof host));
    LAB_CHECK(lab_mem_alloc(&done, sizeof host));
    LAB_CHECK(lab_memset_async(done, 0, sizeof host, NULL));
    LAB_CHECK(lab_launch(function, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(sums, done)));
    LAB_CHECK(lab_memcpy_dtoh(host, sums, sizeof host));
    for (unsigned i = 0; i < BLOCKS; i++) cr_assert_eq(host[i], EACH * (i + 1) * (i + 2) / 2, "sum %u: %u", i, host[i]);
}

/* CUDA C++ Programming Guide, "Memory Fence Functions": a volatile read sees what was written before a fence. */
Test(waiting_blocks, a_block_that_reads_a_flag_sees_it_set) { check_sums("look_at_flag"); }

/* CUDA C++ Programming Guide, "Atomic Functions": an atomic operation is seen by the blocks of the device. */
Test(waiting_blocks, a_block_that_asks_atomically_is_answered) { check_sums("ask_atomically"); }

/* CUDA C++ Programming Guide, "Independent Thread Scheduling": a warp that waits lets the others go on. */
Test(waiting_blocks, a_warp_that_looks_back_goes_on) { check_sums("look_back_by_warp"); }

/* CUDA C++ Programming Guide, "Synchronization Functions": a barrier waits for the threads of its block alone. */
Test(waiting_blocks, a_block_that_waits_round_by_round_at_its_barrier_goes_on) { check_sums("meet_at_barriers"); }
