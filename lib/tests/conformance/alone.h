/* For tests that compare the free device memory before and after, which is meaningful only if no other process
 * allocates. */
#ifndef LAB_TESTS_ALONE_H
#define LAB_TESTS_ALONE_H

#include "lab.h"

#include <string.h>

/* Whether only this process uses the device's memory. All processes, including other tests, share a GPU's memory. */
static inline bool memory_is_ours(void)
{
    lab_device_info info;
    LAB_CHECK(lab_device_get_info(&info, 0));
    return strcmp(info.kind, "cpu") == 0;
}

#endif
