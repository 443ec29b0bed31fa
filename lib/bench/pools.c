/* The cost of memory from a pool: a free block, and an array that uses one. */
#include "bench.h"

enum { HITS = 20000, BYTES = 1 << 20, SIZES = 200, UNIT = 512 };

typedef struct pools {
    lab_mempool *pool;
    lab_stream *stream;
} pools;

/* Allocates and frees blocks of `sizes` different sizes, one after another. */
static lab_status hits(const pools *setup, size_t smallest, int sizes, bench_samples *nanoseconds)
{
    double start = bench_now();
    for (int i = 0; i < HITS; i++) {
        lab_deviceptr memory;
        LAB_TRY(lab_mempool_alloc(&memory, setup->pool, smallest + (size_t)(i * 7 % sizes) * UNIT, setup->stream));
        LAB_TRY(lab_mempool_free(setup->pool, memory, setup->stream));
    }
    if (nanoseconds) bench_add_sample(nanoseconds, 1e9 * (bench_now() - start) / HITS);
    return LAB_SUCCESS;
}

static lab_status arrays(bench_samples *nanoseconds)
{
    double start = bench_now();
    for (int i = 0; i < HITS; i++) {
        lab_array *array;
        LAB_TRY(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(BYTES / 4)));
        LAB_TRY(lab_array_destroy(array));
    }
    if (nanoseconds) bench_add_sample(nanoseconds, 1e9 * (bench_now() - start) / HITS);
    return LAB_SUCCESS;
}

/* Leaves a free block of each size in the pool. */
static lab_status fill(const pools *setup)
{
    lab_deviceptr memory[SIZES];
    for (int i = 0; i < SIZES; i++)
        LAB_TRY(lab_mempool_alloc(&memory[i], setup->pool, (size_t)(i + 1) * UNIT, setup->stream));
    for (int i = 0; i < SIZES; i++) LAB_TRY(lab_mempool_free(setup->pool, memory[i], setup->stream));
    return LAB_SUCCESS;
}

static lab_status measure(const pools *setup, bench_samples samples[3])
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        bool counts = round >= 0;
        LAB_TRY(hits(setup, BYTES, 1, counts ? &samples[0] : NULL));
        LAB_TRY(hits(setup, UNIT, SIZES, counts ? &samples[1] : NULL));
        LAB_TRY(arrays(counts ? &samples[2] : NULL));
    }
    return LAB_SUCCESS;
}

void bench_pools(void)
{
    pools setup = {0};
    bench_samples samples[3] = {0};
    lab_status status = lab_mempool_create(&setup.pool, NULL);
    if (status == LAB_SUCCESS) status = lab_stream_create(&setup.stream, LAB_STREAM_NON_BLOCKING);
    if (status == LAB_SUCCESS) status = fill(&setup);
    if (status == LAB_SUCCESS) status = measure(&setup, samples);
    bench_add_row((bench_row){"pool, 1 MiB that is there, allocate and free", "ns", BENCH_AT_MOST, 100}, &samples[0],
                  status);
    bench_add_row((bench_row){"pool, one of 200 sizes", "ns", BENCH_NO_GOAL, 0}, &samples[1], status);
    bench_add_row((bench_row){"array of 1 MiB, make and destroy", "ns", BENCH_NO_GOAL, 0}, &samples[2], status);
    lab_stream_destroy(setup.stream);
    lab_mempool_destroy(setup.pool);
}
