/* Tests that compare how much device memory is free before and after: they say something where nobody else allocates. */
#ifndef LAB_TESTS_ALONE_H
#define LAB_TESTS_ALONE_H

#include "lab.h"

#include <string.h>

/* Whether the device's memory is this process's alone. A GPU's is shared with all other processes, tests among them. */
static inline bool memory_is_ours(void)
{
    lab_device_info info;
    LAB_CHECK(lab_device_get_info(&info, 0));
    return strcmp(info.kind, "cpu") == 0;
}

#endif
