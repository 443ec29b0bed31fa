/*
 * file_names.h: which names in a submission can be a lab's file, and which folders never hold a student's work. Knows
 * names and the workbook's layout, no files.
 */
#ifndef GRADER_INTAKE_FILE_NAMES_H
#define GRADER_INTAKE_FILE_NAMES_H

#include <stdbool.h>

/* How a name stands to a lab's file, "lab03.c". Case does not matter, nor does ".txt" at the end. */
typedef enum file_name_kind {
    FILE_NAME_OTHER,
    FILE_NAME_BY_HAND, /* other words after "_", "-" or ".", or before a space: "Copy of lab03.c" */
    FILE_NAME_RENAMED, /* as systems do: "LAB03.C", "lab03-1.c", "lab03(1).c", "lab03 - Copy.c", "lab03.c.txt" */
    FILE_NAME_EXACT,
} file_name_kind;

file_name_kind file_names_kind(const char *name, const char *file);

/* Whether a file of this name can be some lab's file: only such files of a student's archive are unpacked with their
 * content. */
bool file_names_is_source(const char *name);

/* Whether a file of another name may be the lab's all the same, for a person to decide: a source, or the lab's name
 * with another ending ("lab03.cpp"). */
bool file_names_is_likely(const char *name, const char *file);

/* Folders that are not looked into: what make and other programs write ("build", "build-debug"), hidden ones, what a
 * Mac adds. */
bool file_names_is_ignored_folder(const char *name);

/* Whether one of the folders of a path is ignored. */
bool file_names_is_ignored(const char *path);

/* Folders whose files are seen and never taken: the workbook's solutions, and its grader with the tests' answers. */
bool file_names_is_barred_folder(const char *name);

#endif
