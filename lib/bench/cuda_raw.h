/*
 * The other side of the comparisons on a GPU: the driver's own calls, made through the library that ours opened, in the
 * same context; and CuPy's figures, if there are any. Two things that are compared are measured by turns.
 */
#ifndef LAB_BENCH_CUDA_RAW_H
#define LAB_BENCH_CUDA_RAW_H

#include "bench.h"
#include "cuda/driver.h"

/* Fails the caller with the driver's word for what a call answered. */
#define RAW_TRY(call, ...)                                                                                             \
    do {                                                                                                               \
        CUresult raw_result_ = call(__VA_ARGS__);                                                                      \
        if (raw_result_ != CUDA_SUCCESS)                                                                               \
            return lab_fail(LAB_ERROR_UNKNOWN, "%s: %s", #call, cuda_error_name(raw_result_));                         \
    } while (0)

/* A call of the driver that the library does not make; NULL if there is none of the name. */
void *raw_symbol(const char *name);

/* Compiles for the first device and loads into the context that the driver has on this thread. */
lab_status raw_load(CUfunction *out, const char *source, const char *kernel);

/* Does something and says how long it took, in whatever unit; the device is idle before and after. */
typedef lab_status raw_timed(double *took, void *user);

typedef struct raw_comparison {
    bench_samples ours, raw, above, ratio; /* ours - raw and ours / raw, round by round */
} raw_comparison;

/* Rounds, after warm-ups. A round is the mean of `turns` of each, one after the other, now this first and now that: where
 * the difference is small beside what the machine does from one moment to the next, many short turns even that out. */
lab_status raw_compare(raw_comparison *into, raw_timed *ours, raw_timed *raw, int turns, void *user);

/* Runs CuPy's part and keeps what it says; a note says so if there is none. */
void cupy_measure(void);

/* Adds the row of what CuPy measured under this name, if it did. */
void cupy_add_row(const char *row, const char *unit, const char *measured);

/* The groups of rows. */
void bench_cuda_calls(void);
void bench_cuda_tracing(void);
void bench_cuda_lab03(void);
void bench_cuda_bandwidth(void);
void bench_cuda_first(const char *program);
void bench_cuda_devices(void);

#endif
