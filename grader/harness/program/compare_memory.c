/* Compares floats that the program left in its shared memory; see check.h. */
#include "check.h"

const float *check_floats(check_program *program, size_t offset, const float *expected, size_t count,
                          check_finding finding)
{
    float *found = check_alloc(count * sizeof *found);
    check_difference difference = {0};
    check_snapshot(program, found, offset, count * sizeof *found);
    check_compare_floats(&difference, 0, expected, found, count);
    check_fail_if_different(&difference, finding);
    return found;
}
