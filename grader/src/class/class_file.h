/*
 * class_file.h: results.json, "lab-class/1", as grader/docs/results.md describes it. Results are written one by one, so
 * that a class of any size takes the memory of one result; the file appears when it is whole. Independent of how
 * results come about.
 */
#ifndef GRADER_CLASS_CLASS_FILE_H
#define GRADER_CLASS_CLASS_FILE_H

#include <stdbool.h>

#include "base/fault.h"
#include "judge/lab_parts.h"
#include "judge/result.h"

typedef struct class_file class_file;

/* Begins the file; `folder` names the folder of submissions, `sandbox` describes in a line what they run in. The fields
 * of the object `more` become fields of the class; NULL for none. */
bool class_file_begin(class_file **out, const char *path, const lab_parts *parts, const char *folder,
                      const char *sandbox, const json_t *more, grader_fault *fault);

/* Begins the file again, with the fields `head` of an earlier one, which are borrowed. */
bool class_file_begin_again(class_file **out, const char *path, const json_t *head, grader_fault *fault);

/* Adds a result, in the form of its schema. */
bool class_file_add(class_file *file, json_t *result, grader_fault *fault);

/* Makes the file appear, and frees `file` in any case. */
bool class_file_finish(class_file *file, double seconds, grader_fault *fault);

/* Gives the file up. Accepts NULL. */
void class_file_abandon(class_file *file);

#endif
