/* The names and numbers are those of the OpenCL 1.2 specification. */
#include "opencl.h"
#include "base/status.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEVICE_TYPE_CPU = 1 << 1,
    MEM_READ_WRITE = 1 << 0,
    MEM_COPY_HOST_PTR = 1 << 5,
    DEVICE_NAME = 0x102B,
    PLATFORM_NAME = 0x0902,
    MOST_PLATFORMS = 8
};

typedef int32_t answer;

/* Each call as OpenCL declares it, all handles being pointers to what is not known here. */
#define CALLS(X)                                                                                                       \
    X(answer, clGetPlatformIDs, (uint32_t, void **, uint32_t *))                                                       \
    X(answer, clGetPlatformInfo, (void *, uint32_t, size_t, void *, size_t *))                                         \
    X(answer, clGetDeviceIDs, (void *, uint64_t, uint32_t, void **, uint32_t *))                                       \
    X(answer, clGetDeviceInfo, (void *, uint32_t, size_t, void *, size_t *))                                           \
    X(void *, clCreateContext, (const intptr_t *, uint32_t, void *const *, void *, void *, answer *))                  \
    X(answer, clReleaseContext, (void *))                                                                              \
    X(void *, clCreateCommandQueue, (void *, void *, uint64_t, answer *))                                              \
    X(answer, clReleaseCommandQueue, (void *))                                                                         \
    X(void *, clCreateProgramWithSource, (void *, uint32_t, const char **, const size_t *, answer *))                  \
    X(answer, clBuildProgram, (void *, uint32_t, void *const *, const char *, void *, void *))                         \
    X(answer, clReleaseProgram, (void *))                                                                              \
    X(void *, clCreateKernel, (void *, const char *, answer *))                                                        \
    X(answer, clReleaseKernel, (void *))                                                                               \
    X(void *, clCreateBuffer, (void *, uint64_t, size_t, void *, answer *))                                            \
    X(answer, clReleaseMemObject, (void *))                                                                            \
    X(answer, clEnqueueReadBuffer,                                                                                     \
      (void *, void *, uint32_t, size_t, size_t, void *, uint32_t, void *const *, void **))                            \
    X(answer, clSetKernelArg, (void *, uint32_t, size_t, const void *))                                                \
    X(answer, clEnqueueNDRangeKernel,                                                                                  \
      (void *, void *, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t, void *const *, void **))    \
    X(answer, clFinish, (void *))

struct opencl {
    void *library, *device, *context, *queue;
    char name[256];
#define DECLARE(type, call, parameters) type(*call) parameters;
    CALLS(DECLARE)
#undef DECLARE
};

static lab_status check(answer code, const char *what)
{
    if (code == 0) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_UNKNOWN, "OpenCL: %s failed with %d", what, code);
}

static bool find_calls(opencl *of)
{
#define FIND(type, call, parameters)                                                                                   \
    *(void **)&of->call = dlsym(of->library, #call);                                                                   \
    if (!of->call) return false;
    CALLS(FIND)
#undef FIND
    return true;
}

static bool find_device(opencl *of)
{
    void *platform[MOST_PLATFORMS];
    uint32_t platforms = 0;
    if (of->clGetPlatformIDs(MOST_PLATFORMS, platform, &platforms) != 0) return false;
    for (uint32_t i = 0; i < platforms && i < MOST_PLATFORMS; i++) {
        char platform_name[100] = "", device_name[100] = "";
        if (of->clGetDeviceIDs(platform[i], DEVICE_TYPE_CPU, 1, &of->device, NULL) != 0) continue;
        of->clGetPlatformInfo(platform[i], PLATFORM_NAME, sizeof platform_name, platform_name, NULL);
        of->clGetDeviceInfo(of->device, DEVICE_NAME, sizeof device_name, device_name, NULL);
        snprintf(of->name, sizeof of->name, "%s, %s", platform_name, device_name);
        return true;
    }
    return false;
}

bool opencl_open(opencl **out)
{
    opencl *made = calloc(1, sizeof *made);
    if (!made) return false;
    made->library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (made->library && find_calls(made) && find_device(made)) {
        made->context = made->clCreateContext(NULL, 1, &made->device, NULL, NULL, NULL);
        made->queue = made->context ? made->clCreateCommandQueue(made->context, made->device, 0, NULL) : NULL;
    }
    if (!made->queue) {
        opencl_close(made);
        return false;
    }
    *out = made;
    return true;
}

void opencl_close(opencl *of)
{
    if (!of) return;
    if (of->queue) of->clReleaseCommandQueue(of->queue);
    if (of->context) of->clReleaseContext(of->context);
    free(of); /* the library stays: its threads may still run */
}

const char *opencl_name(const opencl *of) { return of->name; }

lab_status opencl_build(opencl_kernel **out, opencl *of, const char *source, const char *name)
{
    answer code;
    void *program = of->clCreateProgramWithSource(of->context, 1, &source, NULL, &code);
    LAB_TRY(check(code, "clCreateProgramWithSource"));
    code = of->clBuildProgram(program, 1, &of->device, "-cl-mad-enable", NULL, NULL);
    if (code == 0) *out = of->clCreateKernel(program, name, &code);
    of->clReleaseProgram(program);
    return check(code, name);
}

void opencl_kernel_free(opencl *of, opencl_kernel *kernel)
{
    if (kernel) of->clReleaseKernel(kernel);
}

lab_status opencl_buffer_create(opencl_buffer **out, opencl *of, const float *contents, size_t count)
{
    answer code;
    float *zeros = contents ? NULL : calloc(count, sizeof *zeros);
    if (!contents && !zeros) return LAB_ERROR_OUT_OF_MEMORY;
    *out = of->clCreateBuffer(of->context, MEM_READ_WRITE | MEM_COPY_HOST_PTR, count * sizeof *contents,
                              contents ? (void *)contents : zeros, &code);
    free(zeros);
    return check(code, "clCreateBuffer");
}

lab_status opencl_buffer_read(float *into, opencl *of, opencl_buffer *buffer, size_t count)
{
    return check(of->clEnqueueReadBuffer(of->queue, buffer, 1, 0, count * sizeof *into, into, 0, NULL, NULL),
                 "clEnqueueReadBuffer");
}

void opencl_buffer_free(opencl *of, opencl_buffer *buffer)
{
    if (buffer) of->clReleaseMemObject(buffer);
}

lab_status opencl_set_buffer(opencl *of, opencl_kernel *kernel, unsigned argument, opencl_buffer *buffer)
{
    return check(of->clSetKernelArg(kernel, argument, sizeof buffer, &buffer), "clSetKernelArg");
}

lab_status opencl_set_value(opencl *of, opencl_kernel *kernel, unsigned argument, const void *value, size_t bytes)
{
    return check(of->clSetKernelArg(kernel, argument, bytes, value), "clSetKernelArg");
}

lab_status opencl_launch(opencl *of, opencl_kernel *kernel, const size_t threads[2], const size_t block[2])
{
    return check(of->clEnqueueNDRangeKernel(of->queue, kernel, 2, NULL, threads, block, 0, NULL, NULL),
                 "clEnqueueNDRangeKernel");
}

lab_status opencl_finish(opencl *of) { return check(of->clFinish(of->queue), "clFinish"); }
