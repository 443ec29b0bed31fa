/*
 * OpenCL on the machine's CPU, such as PoCL, for comparisons: found at run time, so a build needs nothing. Has only the
 * calls that the benchmarks use.
 */
#ifndef LAB_BENCH_OPENCL_H
#define LAB_BENCH_OPENCL_H

#include "lab.h"

typedef struct opencl opencl;
typedef struct opencl_kernel opencl_kernel;
typedef struct opencl_buffer opencl_buffer;

/* Opens the first CPU device. False if there is no OpenCL, or none for the CPU. */
bool opencl_open(opencl **out);
void opencl_close(opencl *device);

/* The names of the platform and the device. */
const char *opencl_name(const opencl *device);

/* The functions below fail with this thread's message, which has OpenCL's error number. */
lab_status opencl_build(opencl_kernel **out, opencl *device, const char *source, const char *name);
void opencl_kernel_free(opencl *device, opencl_kernel *kernel);

/* A buffer of floats with these contents; zeros for NULL. */
lab_status opencl_buffer_create(opencl_buffer **out, opencl *device, const float *contents, size_t count);
lab_status opencl_buffer_read(float *out, opencl *device, opencl_buffer *buffer, size_t count);
void opencl_buffer_free(opencl *device, opencl_buffer *buffer);

lab_status opencl_set_buffer(opencl *device, opencl_kernel *kernel, unsigned argument, opencl_buffer *buffer);
lab_status opencl_set_value(opencl *device, opencl_kernel *kernel, unsigned argument, const void *value, size_t bytes);

/* Enqueue the kernel with this number of threads, in blocks of that size; and wait for all enqueued work. */
lab_status opencl_launch(opencl *device, opencl_kernel *kernel, const size_t threads[2], const size_t block[2]);
lab_status opencl_finish(opencl *device);

#endif
