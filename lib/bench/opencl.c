/* Names and numbers are from the OpenCL 1.2 specification. */
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

/* Each call as OpenCL declares it, with opaque pointers as handles. */
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

static bool find_calls(opencl *device)
{
#define FIND(type, call, parameters)                                                                                   \
    *(void **)&device->call = dlsym(device->library, #call);                                                           \
    if (!device->call) return false;
    CALLS(FIND)
#undef FIND
    return true;
}

static bool find_device(opencl *device)
{
    void *platform[MOST_PLATFORMS];
    uint32_t platforms = 0;
    if (device->clGetPlatformIDs(MOST_PLATFORMS, platform, &platforms) != 0) return false;
    for (uint32_t i = 0; i < platforms && i < MOST_PLATFORMS; i++) {
        char platform_name[100] = "", device_name[100] = "";
        if (device->clGetDeviceIDs(platform[i], DEVICE_TYPE_CPU, 1, &device->device, NULL) != 0) continue;
        device->clGetPlatformInfo(platform[i], PLATFORM_NAME, sizeof platform_name, platform_name, NULL);
        device->clGetDeviceInfo(device->device, DEVICE_NAME, sizeof device_name, device_name, NULL);
        snprintf(device->name, sizeof device->name, "%s, %s", platform_name, device_name);
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

void opencl_close(opencl *device)
{
    if (!device) return;
    if (device->queue) device->clReleaseCommandQueue(device->queue);
    if (device->context) device->clReleaseContext(device->context);
    free(device); /* the library stays open: its threads may still run */
}

const char *opencl_name(const opencl *device) { return device->name; }

lab_status opencl_build(opencl_kernel **out, opencl *device, const char *source, const char *name)
{
    answer code;
    void *program = device->clCreateProgramWithSource(device->context, 1, &source, NULL, &code);
    LAB_TRY(check(code, "clCreateProgramWithSource"));
    code = device->clBuildProgram(program, 1, &device->device, "-cl-mad-enable", NULL, NULL);
    if (code == 0) *out = device->clCreateKernel(program, name, &code);
    device->clReleaseProgram(program);
    return check(code, name);
}

void opencl_kernel_free(opencl *device, opencl_kernel *kernel)
{
    if (kernel) device->clReleaseKernel(kernel);
}

lab_status opencl_buffer_create(opencl_buffer **out, opencl *device, const float *contents, size_t count)
{
    answer code;
    float *zeros = contents ? NULL : calloc(count, sizeof *zeros);
    if (!contents && !zeros) return LAB_ERROR_OUT_OF_MEMORY;
    *out = device->clCreateBuffer(device->context, MEM_READ_WRITE | MEM_COPY_HOST_PTR, count * sizeof *contents,
                                  contents ? (void *)contents : zeros, &code);
    free(zeros);
    return check(code, "clCreateBuffer");
}

lab_status opencl_buffer_read(float *out, opencl *device, opencl_buffer *buffer, size_t count)
{
    return check(device->clEnqueueReadBuffer(device->queue, buffer, 1, 0, count * sizeof *out, out, 0, NULL, NULL),
                 "clEnqueueReadBuffer");
}

void opencl_buffer_free(opencl *device, opencl_buffer *buffer)
{
    if (buffer) device->clReleaseMemObject(buffer);
}

lab_status opencl_set_buffer(opencl *device, opencl_kernel *kernel, unsigned argument, opencl_buffer *buffer)
{
    return check(device->clSetKernelArg(kernel, argument, sizeof buffer, &buffer), "clSetKernelArg");
}

lab_status opencl_set_value(opencl *device, opencl_kernel *kernel, unsigned argument, const void *value, size_t bytes)
{
    return check(device->clSetKernelArg(kernel, argument, bytes, value), "clSetKernelArg");
}

lab_status opencl_launch(opencl *device, opencl_kernel *kernel, const size_t threads[2], const size_t block[2])
{
    return check(device->clEnqueueNDRangeKernel(device->queue, kernel, 2, NULL, threads, block, 0, NULL, NULL),
                 "clEnqueueNDRangeKernel");
}

lab_status opencl_finish(opencl *device) { return check(device->clFinish(device->queue), "clFinish"); }
