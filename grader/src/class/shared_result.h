/*
 * shared_result.h: copies a student's result for another student who shares the submission. It knows the form of a
 * result and the files next to it. Independent of who shares what.
 */
#ifndef GRADER_CLASS_SHARED_RESULT_H
#define GRADER_CLASS_SHARED_RESULT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/fault.h"

/* Makes `result`, whose files are in OUT/SOURCE, the result of the student called `name`, any bytes. The files of the
 * job are copied to OUT/DIRECTORY, which must exist. */
bool shared_result_give(json_t *result, const char *out, const char *source, const char *directory, const char *name,
                        grader_fault *fault);

#endif
