/* What is wrong with a launch, by what it was given; see find.h. */
#include "check_state.h"
#include "find.h"

#include <string.h>

#include "flow/declaration.h"

/* The first value of a launch that is not the argument of its name, in words; NULL if all are. */
static const char *other_value(const declaration *kernel, const launch_arguments *found, const check_argument *argument)
{
    for (int i = 0; i < kernel->parameters; i++)
        for (int a = 0; a < CHECK_ARGUMENTS && argument && argument[a].name && !kernel->parameter[i].array; a++)
            if (strcmp(kernel->parameter[i].name, argument[a].name) == 0 && found->value[i] != argument[a].value)
                return check_text("the kernel %s is launched with %.9g as its `%s` instead of %.9g", kernel->name,
                                  found->value[i], argument[a].name, argument[a].value);
    return NULL;
}

/* The first array of a launch with fewer elements than its count says, in words; NULL if all have enough, or if that is
 * not known: a view with gaps has several accesses. */
static const char *short_array(const declaration *kernel, const launch_arguments *found, const lab_trace_op *op)
{
    int arrays = 0;
    for (int i = 0; i < kernel->parameters; i++) arrays += kernel->parameter[i].array;
    for (int i = 0; i < kernel->parameters && arrays == op->accesses; i++) {
        const declared_parameter *array = &kernel->parameter[i];
        for (int a = 0; a < op->accesses && array->array && array->counter >= 0; a++)
            if (op->access[a].address == found->address[i] &&
                op->access[a].bytes < launch_arguments_bytes(found, kernel, i))
                return check_text("the kernel %s is launched with an array of length %zu as its `%s` and with %.9g as "
                                  "its `%s`: which of the two is meant?",
                                  kernel->name, (size_t)op->access[a].bytes / array->size, array->name,
                                  found->value[array->counter], kernel->parameter[array->counter].name);
    }
    return NULL;
}

void check_expect_launches(const check_kernel *kernel, const check_argument *argument)
{
    this_check.launches.kernel = kernel;
    this_check.launches.argument = argument;
}

check_finding check_explain_arguments(check_span span, const check_kernel *kernel, const check_argument *argument,
                                      check_finding why)
{
    const char *fault, *cause;
    launch_arguments found;
    for (int k = 0; k < CHECK_KERNELS && kernel[k].declaration; k++) {
        declaration of;
        if (!declaration_read(&of, kernel[k].declaration, &fault)) continue;
        for (const lab_trace_op *op = span.begins; op < span.ends; op++)
            if (op->kind == LAB_OP_KERNEL && strcmp(op->name, of.name) == 0 &&
                launch_arguments_read(&found, &of, op->arguments) &&
                ((cause = other_value(&of, &found, argument)) || (cause = short_array(&of, &found, op))))
                return (check_finding){.at = check_at(op), .cause = cause};
    }
    return why;
}
