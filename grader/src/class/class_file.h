/*
 * class_file.h: results.json, "lab-class/1", as grader/docs/results.md describes it: written as results come, so that
 * a class of any size takes the memory of one; there when it is whole. It knows the form; not how results come about.
 */
#ifndef GRADER_CLASS_CLASS_FILE_H
#define GRADER_CLASS_CLASS_FILE_H

#include <stdbool.h>

#include "base/fault.h"
#include "judge/lab_parts.h"
#include "judge/result.h"

typedef struct class_file class_file;

/* Begins the file; `folder` names the folder of submissions, `sandbox` says in a line what they run in. The fields of
 * the object `about` become fields of the class; NULL for none. */
bool class_file_begin(class_file **out, const char *path, const lab_parts *parts, const char *folder,
                      const char *sandbox, const json_t *about, grader_fault *fault);

/* A result in the form of its schema. */
bool class_file_add(class_file *file, json_t *result, grader_fault *fault);

/* Makes the file appear, and frees `file`, whatever comes of it. */
bool class_file_finish(class_file *file, double seconds, grader_fault *fault);

/* Gives the file up. NULL is accepted. */
void class_file_abandon(class_file *file);

#endif
