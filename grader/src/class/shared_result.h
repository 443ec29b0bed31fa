/*
 * shared_result.h: what a submission came to for one student, made that of another who shares the submission. It knows
 * the form of a result and the files beside it; not who shares what.
 */
#ifndef GRADER_CLASS_SHARED_RESULT_H
#define GRADER_CLASS_SHARED_RESULT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/fault.h"

/* Makes `result`, whose files are in OUT/FROM, that of the student called `name`, any bytes, whose files are in OUT/TO:
 * what is in FROM is copied to TO, which must be there, except for result.json. */
bool shared_result_give(json_t *result, const char *out, const char *from, const char *to, const char *name,
                        grader_fault *fault);

#endif
