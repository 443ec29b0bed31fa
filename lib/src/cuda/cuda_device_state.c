/* The CUDA devices: their list and their properties. */
#include "cuda_device_state.h"

#include "seam/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CUdevice native[BACKEND_MOST_DEVICES];
static int devices;

CUdevice cuda_native_device(int device) { return native[device]; }

static int attribute(int device, CUdevice_attribute which)
{
    int value = 0;
    cuda.cuDeviceGetAttribute(&value, which, native[device]);
    return value;
}

int cuda_architecture(int device)
{
    return 10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
           attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

/* LAB_DEVICE=cuda:N selects one device; any other value selects all. */
lab_status cuda_devices_open(int *found)
{
    int count = 0, only = -1;
    const char *wish = getenv("LAB_DEVICE");
    if (wish && strncmp(wish, "cuda:", 5) == 0) only = (int)strtol(wish + 5, NULL, 10);
    LAB_TRY(cuda_driver_open());
    CUDA_TRY(cuDeviceGetCount, &count);
    if (count == 0) return lab_fail(LAB_ERROR_NO_DEVICE, "no CUDA device: the driver sees no GPU");
    if (only >= count)
        return lab_fail(LAB_ERROR_NO_DEVICE, "LAB_DEVICE=%s: there %s %d CUDA device%s, numbered from 0", wish,
                        count == 1 ? "is" : "are", count, count == 1 ? "" : "s");
    devices = 0;
    for (int i = 0; i < count && devices < BACKEND_MOST_DEVICES; i++)
        if (only < 0 || only == i) CUDA_TRY(cuDeviceGet, &native[devices++], i);
    *found = devices;
    return LAB_SUCCESS;
}

lab_status cuda_device_info(lab_device_info *info, int device)
{
    *info = (lab_device_info){
        .kind = "cuda",
        .multiprocessors = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        .copy_engines = attribute(device, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT),
        .max_block_threads = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .max_shared_bytes = (size_t)attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
    };
    CUDA_TRY(cuDeviceGetName, info->name, sizeof info->name, native[device]);
    CUDA_TRY(cuDeviceTotalMem, &info->total_memory, native[device]);
    CUDA_TRY(device_uuid, (CUuuid *)info->uuid, native[device]);
    CUDA_TRY(cuDeviceGetPCIBusId, info->pci_bus_id, sizeof info->pci_bus_id, native[device]);
    return LAB_SUCCESS;
}

bool cuda_can_access_peer(int device, int peer)
{
    int can = 0;
    return cuda.cuDeviceCanAccessPeer(&can, native[device], native[peer]) == CUDA_SUCCESS && can;
}
