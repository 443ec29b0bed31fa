/*
 * Devices and transfers: from the host to a device, from device to device, and back.
 *
 * A thread creates arrays on its current device. An array stays on the device where it was created; to use its contents
 * elsewhere, copy them. Without a GPU this example asks for two CPU devices.
 */
#include "lab.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    const int numbers[5] = {1, 2, 3, 4, 5};
    int devices, current, back[5] = {0};
    lab_array *here, *there;

    setenv("LAB_CPU_DEVICES", "2", 0);
    LAB_CHECK(lab_device_count(&devices));
    if (devices < 2) {
        printf("this takes two devices\n");
        return 0;
    }

    LAB_CHECK(lab_array_from_host(&here, LAB_INT32, LAB_SHAPE(5), numbers)); /* host to device 0 */
    LAB_WITH_DEVICE(1) LAB_CHECK(lab_array_empty(&there, LAB_INT32, LAB_SHAPE(5)));
    LAB_CHECK(lab_device_current(&current));
    printf("arrays on devices %d and %d; current again: %d\n", lab_array_device(here), lab_array_device(there),
           current);

    LAB_CHECK(lab_memcpy_peer(lab_array_data(there), 1, lab_array_data(here), 0, lab_array_bytes(here)));
    LAB_CHECK(lab_array_get(there, back)); /* device 1 to host */
    printf("by way of both:");
    for (int i = 0; i < 5; i++) printf(" %d", back[i]);
    printf("\n");

    LAB_CHECK(lab_array_destroy(here));
    LAB_CHECK(lab_array_destroy(there));
    return 0;
}
