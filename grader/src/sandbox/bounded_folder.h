/*
 * bounded_folder.h: folders whose files together can never exceed a size.
 *
 * Each is a file system in memory of that size, mounted where only the calling process and what it starts can see it, so
 * that it is gone with them, whatever ends them. It needs no rights but those that bubblewrap needs too.
 * It knows mounts; it refuses to know what is written.
 */
#ifndef GRADER_SANDBOX_BOUNDED_FOLDER_H
#define GRADER_SANDBOX_BOUNDED_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"

/* Tries it, in another process. */
bool bounded_folders_are_possible(void);

/* Makes the folder at `path`, of which the one above exists, with room for `bytes`. The first call gives the calling
 * process, which must have no other threads, mounts of its own. */
bool bounded_folder_make(const char *path, uint64_t bytes, grader_fault *fault);

/* Whether somebody has filled it: less than BOUNDED_FOLDER_REST bytes, or no file more, have room. A folder that is none
 * of this kind counts as what it lies on. */
enum { BOUNDED_FOLDER_REST = 1 << 20 };
bool bounded_folder_is_full(const char *path);

/* Gives the room back; the folder stays, and is empty. */
void bounded_folder_release(const char *path);

#endif
