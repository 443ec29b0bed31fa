/*
 * Files that appear whole or not at all: written under another name in the same folder, flushed to the disk, then
 * renamed. Knows files; refuses to know their contents.
 */
#ifndef LAB_BASE_WHOLE_FILE_H
#define LAB_BASE_WHOLE_FILE_H

#include "lab.h"

typedef struct lab_whole_file lab_whole_file;

/* Begins a file that will be at `path`. Something there that is not a regular file (a folder, a device) is refused. */
lab_status lab_whole_file_create(lab_whole_file **out, const char *path);

/* Appends bytes. After a failure every further call fails alike, and so does lab_whole_file_finish. */
lab_status lab_whole_file_write(lab_whole_file *file, const void *bytes, size_t count);

/* Makes the file appear at its path, in place of what was there, and frees `file`. If anything failed since its
 * creation, nothing appears, what was there is unchanged and the status is LAB_ERROR_IO. */
lab_status lab_whole_file_finish(lab_whole_file *file);

/* Gives the file up: nothing appears. NULL is accepted. */
void lab_whole_file_abandon(lab_whole_file *file);

#endif
