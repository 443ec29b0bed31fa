/*
 * The limit of a pool: set by the environment, in bytes, or as a part of the device's memory.
 *
 * LAB_GPU_MEMORY_LIMIT applies to the pools that are created while it is set. lab_mempool_set_limit overrides it for
 * one pool, and so for one device. A request above the limit fails with a status; the memory in use stays.
 */
#include "lab.h"

#include <stdio.h>
#include <stdlib.h>

enum { MEBIBYTE = 1 << 20 };

int main(void)
{
    lab_deviceptr memory;
    size_t available, total;
    int devices;
    setenv("LAB_GPU_MEMORY_LIMIT", "1073741824", 1); /* before the first use; "50%" would be half of the memory */
    setenv("LAB_CPU_DEVICES", "2", 0);
    printf("by the environment: %zu MiB\n", lab_mempool_get_limit(NULL) / MEBIBYTE);

    LAB_CHECK(lab_device_count(&devices));
    for (int device = 0; device < devices && device < 2; device++) LAB_WITH_DEVICE(device)
        {
            LAB_CHECK(lab_mempool_set_limit(NULL, (size_t)(device + 1) * 256 * MEBIBYTE));
            printf("device %d: %zu MiB\n", device, lab_mempool_get_limit(NULL) / MEBIBYTE);
        }

    LAB_CHECK(lab_mempool_set_limit(NULL, MEBIBYTE));
    lab_status status = lab_mempool_alloc(&memory, NULL, 2 * MEBIBYTE, NULL);
    printf("2 MiB where 1 is allowed: %s\n", lab_status_name(status));

    LAB_CHECK(lab_mem_get_info(&available, &total));
    LAB_CHECK(lab_mempool_set_limit_percent(NULL, 50));
    printf("50%% is half of the device's memory: %s\n", lab_mempool_get_limit(NULL) == total / 2 ? "yes" : "no");
    LAB_CHECK(lab_mempool_alloc(&memory, NULL, 2 * MEBIBYTE, NULL));
    printf("then 2 MiB are given: %zu MiB used\n", lab_mempool_used_bytes(NULL) / MEBIBYTE);
    LAB_CHECK(lab_mempool_free(NULL, memory, NULL));
    return 0;
}
