/* Arguments in the form of cuLaunchKernel: pointers, whose values have the sizes that the kernel declares. */
#include "base/status.h"

#include <string.h>

lab_status lab_args_raw(lab_raw_args *raw, lab_function function, void *const *arguments)
{
    if (!raw) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_args_raw: raw is NULL");
    memset(raw, 0, sizeof *raw);
    lab_parameters of;
    LAB_TRY(lab_function_get_parameters(&of, function));
    if (of.count > 0 && !arguments)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_args_raw: arguments is NULL, but the kernel has %d parameter%s",
                        of.count, of.count == 1 ? "" : "s");
    for (int i = 0; i < of.count; i++) {
        if (!arguments[i])
            return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_args_raw: the pointer to argument %d is NULL", i + 1);
        raw->arg[i] = (lab_arg){LAB_ARG_RAW, of.parameter[i].size, {.bytes = arguments[i]}};
    }
    raw->args = (lab_args){raw->arg, of.count};
    return LAB_SUCCESS;
}
