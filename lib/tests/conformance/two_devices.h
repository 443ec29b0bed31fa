/* For tests that need two devices. */
#ifndef LAB_TESTS_TWO_DEVICES_H
#define LAB_TESTS_TWO_DEVICES_H

#include "lab.h"

#include <stdlib.h>

/* Whether there are devices 0 and 1; asks for two CPU devices, so it must be the test's first call of the library. */
static inline bool two_devices(void)
{
    int count;
    setenv("LAB_CPU_DEVICES", "2", 1);
    LAB_CHECK(lab_device_count(&count));
    return count >= 2;
}

#endif
