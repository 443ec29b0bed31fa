/*
 * The other side of the comparisons on a GPU: the driver's own calls, made in the same context through the driver that
 * our library opened; and CuPy's figures, if there are any. Things that are compared are measured in turns.
 */
#ifndef LAB_BENCH_CUDA_RAW_H
#define LAB_BENCH_CUDA_RAW_H

#include "bench.h"
#include "cuda/libraries/driver.h"

/* Returns from the caller with the driver's name for the result of a failed call. */
#define RAW_TRY(call, ...)                                                                                             \
    do {                                                                                                               \
        CUresult raw_result_ = call(__VA_ARGS__);                                                                      \
        if (raw_result_ != CUDA_SUCCESS)                                                                               \
            return lab_fail(LAB_ERROR_UNKNOWN, "%s: %s", #call, cuda_error_name(raw_result_));                         \
    } while (0)

/* A driver call that the library does not use; NULL if the driver does not have it. */
void *raw_symbol(const char *name);

/* Compiles for the first device and loads into the driver's current context of this thread. */
lab_status raw_load(CUfunction *out, const char *source, const char *kernel);

/* Does something and gives its duration, in any unit; the device is idle before and after. */
typedef lab_status raw_timed(double *took, void *user);

typedef struct raw_comparison {
    bench_samples ours, raw, above, ratio; /* ours - raw and ours / raw, round by round */
} raw_comparison;

/* Compares both in rounds, after warm-ups. A round is the mean of `turns` runs of each, which alternate in who goes
 * first. If the machine's fluctuations exceed the difference, many short turns even them out. */
lab_status raw_compare(raw_comparison *comparison, raw_timed *ours, raw_timed *raw, int turns, void *user);

/* Runs CuPy's part and keeps its figures; adds a note if there is no CuPy. */
void cupy_measure(void);

/* Adds the row of CuPy's figures with this name, if there are any. */
void cupy_add_row(const char *row, const char *unit, const char *measured);

/* The groups of rows. */
void bench_cuda_calls(void);
void bench_cuda_tracing(void);
void bench_cuda_lab03(void);
void bench_cuda_bandwidth(void);
void bench_cuda_first(const char *program);
void bench_cuda_devices(void);

#endif
