/* A reset of a device, and what ends with it. */
#include "array.h"
#include "cudart.h"
#include "graph_memory.h"
#include "texture.h"

void cudart_forget(int device)
{
    cudart_graph_memory_forget(device);
    cudart_textures_forget(device);
    cudart_arrays_forget(device);
}

cudaError_t cudaDeviceReset(void)
{
    CUDART_OPEN;
    int device;
    if (cudart_reset_after_failure()) return cudaSuccess;
    lab_status status = lab_device_current(&device);
    if (status == LAB_SUCCESS) status = lab_device_reset(device);
    if (status == LAB_SUCCESS) cudart_forget(device);
    return cudart_end(status);
}

cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }
