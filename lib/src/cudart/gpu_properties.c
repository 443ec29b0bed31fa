/* What NVIDIA's driver says of a GPU: its attributes. The driver is the one that the CUDA device has opened. */
#include "cudart.h"

#include <dlfcn.h>
#include <string.h>

typedef struct driver_calls {
    int (*count)(int *count);
    int (*uuid)(void *uuid, int device);
    int (*attribute)(int *value, int attribute, int device);
} driver_calls;

static bool find_calls(driver_calls *found)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver) return false;
    *(void **)&found->count = dlsym(driver, "cuDeviceGetCount");
    *(void **)&found->uuid = dlsym(driver, "cuDeviceGetUuid_v2");
    *(void **)&found->attribute = dlsym(driver, "cuDeviceGetAttribute");
    return found->count && found->uuid && found->attribute;
}

/* The driver's number of the device, which LAB_DEVICE may have given another one. */
static int find_device(const driver_calls *driver, const struct cudaDeviceProp *properties)
{
    int count = 0;
    char uuid[sizeof properties->uuid.bytes];
    if (driver->count(&count) != 0) return -1;
    for (int i = 0; i < count; i++)
        if (driver->uuid(uuid, i) == 0 && memcmp(uuid, properties->uuid.bytes, sizeof uuid) == 0) return i;
    return -1;
}

void cudart_gpu_properties(struct cudaDeviceProp *properties)
{
    driver_calls driver;
    int value;
    if (!find_calls(&driver)) return;
    const int device = find_device(&driver, properties);
    if (device < 0) return;
#define ATTRIBUTE(runtime, name, number, field)                                                                        \
    if (driver.attribute(&value, number, device) == 0) properties->field = (__typeof__(properties->field))value;
    LAB_CUDA_ATTRIBUTE_TABLE(ATTRIBUTE)
#undef ATTRIBUTE
}
