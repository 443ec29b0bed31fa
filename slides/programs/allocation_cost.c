/*
 * What 1 MiB of device memory costs: allocated and freed by the driver, taken from a pool and returned, and both in a
 * loop whose steps launch a kernel of STEPS steps.
 */
#include "slide.h"

enum { BYTES = 1 << 20, TIMES = 200, COUNT = 4096 };

static lab_mempool *pool;
static lab_function kernel;
static int steps;

static void launch(lab_deviceptr memory)
{
    LAB_CHECK(lab_launch(kernel, LAB_DIM(COUNT / 128), LAB_DIM(128), 0, lab_stream_null(),
                         LAB_ARGS(memory, (int)COUNT, steps)));
}

static void driver(bool works)
{
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, BYTES));
    if (works) launch(memory);
    LAB_CHECK(lab_mem_free(memory));
}

static void pooled(bool works)
{
    lab_deviceptr memory;
    LAB_CHECK(lab_mempool_alloc(&memory, pool, BYTES, lab_stream_null()));
    if (works) launch(memory);
    LAB_CHECK(lab_mempool_free(pool, memory, lab_stream_null()));
}

/* Microseconds a call, the wait at the end included. */
static double time_of(void (*function)(bool), bool works)
{
    function(works);
    LAB_CHECK(lab_device_synchronize());
    const double begin = slide_clock();
    for (int k = 0; k < TIMES; k++) function(works);
    LAB_CHECK(lab_device_synchronize());
    return (slide_clock() - begin) * 1e3 / TIMES;
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 1);
    steps = slide_number(0);
    kernel = slide_kernel("labs/lab00-measure/kernels.cu", "work");
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    json_t *rows = json_array();
    /* The driver first: its calls are cheaper while the pool holds memory as well. */
    const double from_driver = time_of(driver, false), step_from_driver = time_of(driver, true);
    json_array_append_new(rows, slide_row("driver: allocate and free", "us", from_driver));
    json_array_append_new(rows, slide_row("pool: allocate and free", "us", time_of(pooled, false)));
    json_array_append_new(rows, slide_row("a step of a loop, from the driver", "us", step_from_driver));
    json_array_append_new(rows, slide_row("a step of a loop, from the pool", "us", time_of(pooled, true)));
    slide_save(json_pack("{s:o}", "rows", rows));
    return 0;
}
