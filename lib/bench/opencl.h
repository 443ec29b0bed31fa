/*
 * OpenCL on the machine's CPU, as PoCL has it, to measure beside the library: found at run time, so that nothing is
 * needed to build. Knows the few calls of OpenCL that a benchmark needs.
 */
#ifndef LAB_BENCH_OPENCL_H
#define LAB_BENCH_OPENCL_H

#include "lab.h"

typedef struct opencl opencl;
typedef struct opencl_kernel opencl_kernel;
typedef struct opencl_buffer opencl_buffer;

/* Opens the first CPU device. False if there is no OpenCL, or none for the CPU. */
bool opencl_open(opencl **out);
void opencl_close(opencl *of);

/* The platform's and the device's own names. */
const char *opencl_name(const opencl *of);

/* The rest fails as an internal error of this thread's, with OpenCL's number in the message. */
lab_status opencl_build(opencl_kernel **out, opencl *of, const char *source, const char *name);
void opencl_kernel_free(opencl *of, opencl_kernel *kernel);

/* A buffer of floats with these contents; zeros for NULL. */
lab_status opencl_buffer_create(opencl_buffer **out, opencl *of, const float *contents, size_t count);
lab_status opencl_buffer_read(float *into, opencl *of, opencl_buffer *buffer, size_t count);
void opencl_buffer_free(opencl *of, opencl_buffer *buffer);

lab_status opencl_set_buffer(opencl *of, opencl_kernel *kernel, unsigned argument, opencl_buffer *buffer);
lab_status opencl_set_value(opencl *of, opencl_kernel *kernel, unsigned argument, const void *value, size_t bytes);

/* Enqueues the kernel with so many threads, in blocks of so many; and waits for all that is enqueued. */
lab_status opencl_launch(opencl *of, opencl_kernel *kernel, const size_t threads[2], const size_t block[2]);
lab_status opencl_finish(opencl *of);

#endif
