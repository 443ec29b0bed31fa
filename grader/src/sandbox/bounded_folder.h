/*
 * bounded_folder.h: folders whose files together can never exceed a size.
 *
 * Each is a file system of that size in memory. Only the calling process and its children see the mount, so it goes
 * away with them, however they end. It needs the same rights as bubblewrap.
 */
#ifndef GRADER_SANDBOX_BOUNDED_FOLDER_H
#define GRADER_SANDBOX_BOUNDED_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"

/* Tries it in another process. */
bool bounded_folders_are_possible(void);

/* Makes the folder at `path` with room for `bytes`. The first call gives the calling process, which must have a single
 * thread, mounts of its own. */
bool bounded_folder_make(const char *path, uint64_t bytes, grader_fault *fault);

/* Whether the folder is full: fewer than BOUNDED_FOLDER_REST bytes or hardly any new files fit. For any other folder
 * this is asked of the file system that holds it. */
enum { BOUNDED_FOLDER_REST = 1 << 20 };
bool bounded_folder_is_full(const char *path);

/* Releases the memory. The folder stays and is empty. */
void bounded_folder_release(const char *path);

#endif
