/* lab_key.h: the key of everything in a lab that a result depends on besides the submission: checks, reference, library,
 * the lab's files, the headers, the compiler, the device, this grader. */
#ifndef GRADER_JUDGE_LAB_KEY_H
#define GRADER_JUDGE_LAB_KEY_H

#include "base/content_key.h"
#include "lab_parts.h"

bool lab_key_make(content_key *out, const lab_parts *parts, grader_fault *fault);

#endif
