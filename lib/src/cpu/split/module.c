#include "module.h"
#include "cpu/regions/waits.h"

bool split_is_kernel(span name, const char *const *kernel, int count)
{
    for (int i = 0; i < count; ++i)
        if (kernel[i] && span_is(name, kernel[i])) return true;
    return false;
}
