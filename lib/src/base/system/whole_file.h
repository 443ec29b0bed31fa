/*
 * Files that appear whole or not at all: they are written under another name in the same folder, flushed to the disk,
 * then renamed.
 */
#ifndef LAB_BASE_SYSTEM_WHOLE_FILE_H
#define LAB_BASE_SYSTEM_WHOLE_FILE_H

#include "lab.h"

typedef struct lab_whole_file lab_whole_file;

/* Begins a file that will be at `path`. Fails if something other than a regular file is there, such as a folder. */
lab_status lab_whole_file_create(lab_whole_file **out, const char *path);

/* Appends bytes. After a failure, every further call and lab_whole_file_finish fail too. */
lab_status lab_whole_file_write(lab_whole_file *file, const void *bytes, size_t count);

/* Makes the file appear at its path, replacing any earlier one, and frees `file`. If anything has failed since its
 * creation, the path is left unchanged and the status is LAB_ERROR_IO. */
lab_status lab_whole_file_finish(lab_whole_file *file);

/* Frees `file` without making it appear. NULL is accepted. */
void lab_whole_file_abandon(lab_whole_file *file);

#endif
