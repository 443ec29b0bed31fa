/* LAB_INITCHECK on arrays that are larger than the part of memory whose notes a kernel looks at itself, on copies, and
 * on blocks of a pool that have a new owner while work of the one before is pending. */
#include "test.h"

#include "lab.h"

#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 100 * 1024, UNWRITTEN = 40 * 1024 + 5, SOME = 3, THREADS = 128 };

static const char SOURCE[] = "extern \"C\" __global__ void each(float *sum, const float *x, int n)\n"
                             "{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n) sum[i] = x[i];\n" /* 4 */
                             "}\n"
                             "extern \"C\" __global__ void all(float *sum, const float *x, int n)\n"
                             "{\n"
                             "    int t = threadIdx.x;\n"
                             "    sum[t] = 0;\n"
                             "    for (int i = t; i < n; i += blockDim.x) sum[t] += x[i] + x[n - 1 - i];\n" /* 10 */
                             "}\n"
                             "extern \"C\" __global__ void fill(float *x, int first, int n)\n"
                             "{\n"
                             "    for (int i = threadIdx.x; i < n; i += blockDim.x) x[first + i] = 1;\n"
                             "}\n";

static lab_deviceptr sum, x;

static void launch(const char *kernel, unsigned blocks, lab_args args)
{
    static lab_module *module;
    lab_function function;
    if (!module) LAB_CHECK(lab_module_load_source(&module, SOURCE, "large.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, kernel));
    LAB_CHECK(lab_launch(function, LAB_DIM(blocks), LAB_DIM(THREADS), 0, NULL, args));
}

/* Makes an array in which a few elements are not written. */
static void make(void)
{
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_INITCHECK", "1", 1);
    LAB_CHECK(lab_mem_alloc(&sum, COUNT * sizeof(float)));
    LAB_CHECK(lab_mem_alloc(&x, COUNT * sizeof(float)));
    launch("fill", 1, LAB_ARGS(x, 0, UNWRITTEN));
    launch("fill", 1, LAB_ARGS(x, UNWRITTEN + SOME, COUNT - UNWRITTEN - SOME));
    LAB_CHECK(lab_device_synchronize());
}

static void check_finding(const char *line, const char *times)
{
    const lab_status status = lab_device_synchronize();
    cr_assert(status != LAB_SUCCESS);
    cr_assert(strstr(lab_error_message(), line) && strstr(lab_error_message(), "which nothing has written") &&
                  strstr(lab_error_message(), times),
              "%s", lab_error_message());
}

Test(initcheck, finds_each_unwritten_element_of_a_large_array)
{
    make();
    launch("each", COUNT / THREADS, LAB_ARGS(sum, x, COUNT));
    check_finding("large.cu:4: reads 4 bytes, 163860 bytes into the 409600 bytes", "found 3 times");
}

/* The two reads of a round are in different parts, and mostly in others than those of the round before. */
Test(initcheck, finds_unwritten_elements_from_both_ends_of_a_large_array)
{
    make();
    launch("all", 1, LAB_ARGS(sum, x, COUNT));
    check_finding("large.cu:10: reads 4 bytes, ", "found 6 times");
}

Test(initcheck, takes_what_a_kernel_has_written_in_each_part_as_written)
{
    make();
    launch("fill", 1, LAB_ARGS(x, UNWRITTEN, SOME));
    launch("each", COUNT / THREADS, LAB_ARGS(sum, x, COUNT));
    launch("all", 1, LAB_ARGS(sum, x, COUNT));
    const lab_status status = lab_device_synchronize();
    cr_assert_eq(status, LAB_SUCCESS, "%s", lab_error_message());
}

/* ---- copies ---- */

/* Copies the array, and reads every element of the copy. */
static void read_copy(void)
{
    lab_deviceptr copy;
    LAB_CHECK(lab_mem_alloc(&copy, COUNT * sizeof(float)));
    LAB_CHECK(lab_memcpy_dtod_async(copy, x, COUNT * sizeof(float), NULL));
    LAB_CHECK(lab_device_synchronize());
    launch("each", COUNT / THREADS, LAB_ARGS(sum, copy, COUNT));
}

Test(initcheck, finds_an_element_of_a_copy_whose_source_nothing_has_written)
{
    make();
    read_copy();
    check_finding("large.cu:4: reads 4 bytes, 163860 bytes into the 409600 bytes", "found 3 times");
}

Test(initcheck, takes_a_copy_of_what_is_written_as_written)
{
    make();
    launch("fill", 1, LAB_ARGS(x, UNWRITTEN, SOME));
    read_copy();
    const lab_status status = lab_device_synchronize();
    cr_assert_eq(status, LAB_SUCCESS, "%s", lab_error_message());
}

/* ---- blocks of a pool ---- */

static sem_t gate;

static void wait_at_gate(void *user)
{
    (void)user;
    sem_wait(&gate);
}

/* Makes a block of the pool whose work waits at the gate. */
static lab_deviceptr make_block(void)
{
    lab_deviceptr block;
    make();
    sem_init(&gate, 0, 0);
    LAB_CHECK(lab_stream_launch_host_func(lab_stream_null(), wait_at_gate, NULL));
    LAB_CHECK(lab_mempool_alloc(&block, NULL, THREADS * sizeof(float), lab_stream_null()));
    return block;
}

/* Frees the block, and gets it again. Its work then begins. */
static lab_deviceptr make_again(lab_deviceptr block)
{
    lab_deviceptr again;
    LAB_CHECK(lab_mempool_free(NULL, block, lab_stream_null()));
    LAB_CHECK(lab_mempool_alloc(&again, NULL, THREADS * sizeof(float), lab_stream_null()));
    cr_assert_eq(again, block, "the test needs a pool that hands out the block again");
    sem_post(&gate);
    LAB_CHECK(lab_device_synchronize());
    return again;
}

Test(initcheck, counts_no_pending_fill_of_the_owner_before)
{
    const lab_deviceptr block = make_block();
    LAB_CHECK(lab_memset_async(block, 0, THREADS * sizeof(float), lab_stream_null()));
    launch("each", 1, LAB_ARGS(sum, make_again(block), THREADS));
    check_finding("large.cu:4: reads 4 bytes", "found 128 times");
}

Test(initcheck, counts_no_pending_copy_of_the_owner_before)
{
    const lab_deviceptr block = make_block();
    LAB_CHECK(lab_memcpy_dtod_async(block, x, THREADS * sizeof(float), lab_stream_null()));
    launch("each", 1, LAB_ARGS(sum, make_again(block), THREADS));
    check_finding("large.cu:4: reads 4 bytes", "found 128 times");
}

Test(initcheck, counts_no_pending_kernel_of_the_owner_before)
{
    const lab_deviceptr block = make_block();
    launch("fill", 1, LAB_ARGS(block, 0, THREADS));
    launch("each", 1, LAB_ARGS(sum, make_again(block), THREADS));
    check_finding("large.cu:4: reads 4 bytes", "found 128 times");
}

/* What the copy reads was written, though its block belongs to somebody else by then. */
Test(initcheck, takes_a_pending_copy_from_a_block_with_a_new_owner_as_written)
{
    const lab_deviceptr block = make_block();
    LAB_CHECK(lab_memset_async(block, 0, THREADS * sizeof(float), lab_stream_null()));
    LAB_CHECK(lab_memcpy_dtod_async(x, block, THREADS * sizeof(float), lab_stream_null()));
    make_again(block);
    launch("each", 1, LAB_ARGS(sum, x, THREADS));
    const lab_status status = lab_device_synchronize();
    cr_assert_eq(status, LAB_SUCCESS, "%s", lab_error_message());
}
