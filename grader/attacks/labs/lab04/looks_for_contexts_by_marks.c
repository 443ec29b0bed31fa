/* Tries to leave marks of looks in the record, each where the right context is current for another reason.
 * Gains task 3 without the steps: all contexts are made before, and made current one by one. */
#include "lab_trace.h"

lab_status lab04_walk(lab04_look look)
{
    lab_context *a, *b, *primary = lab_context_current();
    LAB_TRY(lab_context_create(&a, 0));
    LAB_TRY(lab_context_create(&b, 0));
    lab_context *right[] = {primary, a, b, a, b, a, a, primary};
    for (int step = 1; step < LAB04_STEPS; step++) {
        LAB_TRY(lab_context_set(right[step]));
        look.call(look.user, step);
        lab_trace_mark("look");
    }
    LAB_TRY(lab_context_destroy(b));
    return lab_context_destroy(a);
}
