/*
 * file_definitions.h: the definitions (definitions.h) of a file on disk: of a submission, and of the lab's starter,
 * which are the same for all submissions.
 */
#ifndef GRADER_JUDGE_FILE_DEFINITIONS_H
#define GRADER_JUDGE_FILE_DEFINITIONS_H

#include "lab_parts.h"
#include "sandbox/sandbox.h"

/* Finds the definitions of the file that the folder has under the lab's name; the compiler runs in the sandbox, NULL
 * for none. The caller frees *out with json_decref. */
bool file_definitions_find(json_t **out, const lab_parts *parts, const sandbox *box, const char *folder,
                           grader_fault *fault);

/* Finds those of the lab's starter: a reference to those that the lab knows (lab_parts.given), or new ones. */
bool file_definitions_of_starter(json_t **out, const lab_parts *parts, grader_fault *fault);

#endif
