/* What memory costs from a pool: a block that is there, and an array around it. */
#include "bench.h"

enum { HITS = 20000, BYTES = 1 << 20, SIZES = 200, UNIT = 512 };

typedef struct pools {
    lab_mempool *pool;
    lab_stream *stream;
} pools;

/* `sizes` different sizes, one after the other. */
static lab_status hits(const pools *of, size_t smallest, int sizes, bench_samples *nanoseconds)
{
    double start = bench_now();
    for (int i = 0; i < HITS; i++) {
        lab_deviceptr memory;
        LAB_TRY(lab_mempool_alloc(&memory, of->pool, smallest + (size_t)(i * 7 % sizes) * UNIT, of->stream));
        LAB_TRY(lab_mempool_free(of->pool, memory, of->stream));
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

/* A free block of each of the sizes. */
static lab_status fill(const pools *of)
{
    lab_deviceptr memory[SIZES];
    for (int i = 0; i < SIZES; i++)
        LAB_TRY(lab_mempool_alloc(&memory[i], of->pool, (size_t)(i + 1) * UNIT, of->stream));
    for (int i = 0; i < SIZES; i++) LAB_TRY(lab_mempool_free(of->pool, memory[i], of->stream));
    return LAB_SUCCESS;
}

static lab_status measure(const pools *of, bench_samples samples[3])
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        bool counts = round >= 0;
        LAB_TRY(hits(of, BYTES, 1, counts ? &samples[0] : NULL));
        LAB_TRY(hits(of, UNIT, SIZES, counts ? &samples[1] : NULL));
        LAB_TRY(arrays(counts ? &samples[2] : NULL));
    }
    return LAB_SUCCESS;
}

void bench_pools(void)
{
    pools of = {0};
    bench_samples samples[3] = {0};
    lab_status status = lab_mempool_create(&of.pool, NULL);
    if (status == LAB_SUCCESS) status = lab_stream_create(&of.stream, LAB_STREAM_NON_BLOCKING);
    if (status == LAB_SUCCESS) status = fill(&of);
    if (status == LAB_SUCCESS) status = measure(&of, samples);
    bench_add_row((bench_row){"pool, 1 MiB that is there, allocate and free", "ns", BENCH_AT_MOST, 100}, &samples[0],
                  status);
    bench_add_row((bench_row){"pool, one of 200 sizes", "ns", BENCH_NO_GOAL, 0}, &samples[1], status);
    bench_add_row((bench_row){"array of 1 MiB, make and destroy", "ns", BENCH_NO_GOAL, 0}, &samples[2], status);
    lab_stream_destroy(of.stream);
    lab_mempool_destroy(of.pool);
}
