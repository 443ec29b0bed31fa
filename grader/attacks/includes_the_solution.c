/* Tries to include the solution, which lies next to the lab's header.
 * Beats a naive harness by: points.  Verdict: build error. */
#include "toylab.h"

#include "solution/toylab.c"
