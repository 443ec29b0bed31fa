/*
 * Lab 05's functions:
 *
 *     smooth COUNT     a few steps of the loop that makes a new array in each
 *     lend COUNT       a block that another stream uses, freed, allocated again and overwritten
 *     lend_declared COUNT    the same, and the order checker is told of the use that neither it nor the pool can see
 */
#include "slide.h"

#include "lab05.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include ANSWER

/* ---- the loop --------------------------------------------------------------------------------------------------- */

static struct {
    int count;
    float *input, *output;
    lab_array *first;
    lab_function kernel;
} loop;

static void open_loop(void)
{
    LAB_CHECK(lab_array_from_host(&loop.first, LAB_FLOAT32, LAB_SHAPE((size_t)loop.count), loop.input));
}

static void smooth(void)
{
    enum { STEPS = 6 };
    LAB_CHECK(lab05_smooth(loop.output, loop.first, loop.count, STEPS, loop.kernel));
}

/* ---- a block that is lent -------------------------------------------------------------------------------------- */

static lab05_loan loan;
static float *input;
static lab_deviceptr again;
static bool declared;
static atomic_bool gate;

static void wait_at_gate(void *user)
{
    const struct timespec moment = {.tv_nsec = 20000};
    while (!atomic_load((atomic_bool *)user)) nanosleep(&moment, NULL);
}

static void open_loan(void)
{
    const size_t bytes = (size_t)loan.count * sizeof(float);
    if (again) LAB_CHECK(lab_mempool_free(loan.pool, again, loan.owner));
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_mempool_alloc(&loan.block, loan.pool, bytes, loan.owner));
    LAB_CHECK(lab_memcpy_htod_async(loan.block, input, bytes, loan.owner));
    LAB_CHECK(lab_array_set(loan.table, &loan.block));
    LAB_CHECK(lab_stream_synchronize(loan.owner));
    atomic_store(&gate, false);
}

/* The borrower is held until the owner has had time to overwrite the block. */
static void lend(void)
{
    const size_t bytes = (size_t)loan.count * sizeof(float);
    const struct timespec while_held = {.tv_nsec = 2000000};
    LAB_CHECK(lab_stream_launch_host_func(loan.borrower, wait_at_gate, &gate));
    if (declared) LAB_CHECK(lab_next_uses(loan.block, bytes, false));
    LAB_CHECK(lab05_lend(&loan));
    LAB_CHECK(lab_mempool_alloc(&again, loan.pool, bytes, loan.owner));
    LAB_CHECK(lab_memset_async(again, 0, bytes, loan.owner));
    nanosleep(&while_held, NULL);
    atomic_store(&gate, true);
    LAB_CHECK(lab_stream_synchronize(loan.borrower));
    LAB_CHECK(lab_stream_synchronize(loan.owner));
}

static void make_loan(int count)
{
    loan = (lab05_loan){.count = count, .gather = slide_kernel("labs/lab05-pools/kernels.cu", "gather")};
    input = slide_pinned((size_t)count, 1, 2);
    LAB_CHECK(lab_mempool_create(&loan.pool, NULL));
    LAB_CHECK(lab_stream_create(&loan.owner, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&loan.borrower, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_array_empty(&loan.to, LAB_FLOAT32, LAB_SHAPE((size_t)count)));
    LAB_CHECK(lab_array_empty(&loan.table, LAB_UINT64, LAB_SHAPE(1)));
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 2);
    if (strcmp(slide_text(0), "smooth") == 0) {
        loop.count = slide_number(1);
        loop.input = slide_pinned((size_t)loop.count, 1, 2);
        loop.output = slide_pinned((size_t)loop.count, 0, 0);
        loop.kernel = slide_kernel("labs/lab05-pools/kernels.cu", "smooth");
        slide_record("smooth", 21, (slide_run){open_loop, smooth});
        return 0;
    }
    make_loan(slide_number(1));
    declared = strcmp(slide_text(0), "lend_declared") == 0;
    slide_record(slide_text(0), 21, (slide_run){open_loan, lend});
    return 0;
}
