/* Benchmarks with a given clock, for tests. */
#ifndef LAB_OBJECTS_WORK_BENCHMARK_H
#define LAB_OBJECTS_WORK_BENCHMARK_H

#include "lab.h"

/* lab_benchmark, with `now_ns` as the host's clock. */
lab_status benchmark_run(lab_benchmark_result **out, lab_status (*function)(void *user), void *user,
                         const lab_benchmark_options *options, int64_t (*now_ns)(void));

#endif
