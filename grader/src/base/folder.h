/*
 * folder.h: private folders that go away with everything in them, and whole small files in them.
 * It knows paths and bytes, and nothing of what they are for.
 */
#ifndef GRADER_BASE_FOLDER_H
#define GRADER_BASE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"

/* Makes a new folder that only this user can enter, under TMPDIR or /tmp, with a name nobody can guess. The path is
 * absolute and yours to free. */
bool folder_make_private(char **out, const char *prefix, grader_fault *fault);

/* The same in a folder that the caller names. */
bool folder_make_private_in(char **out, const char *folder, const char *prefix, grader_fault *fault);

/* Makes a folder and those above it, where they are missing. */
bool folder_make(const char *path, grader_fault *fault);

/* Removes a folder with everything in it, never following a link. What cannot be removed stays. */
void folder_remove(const char *path);

/* dir/name, yours to free; NULL only without memory. */
char *folder_path(const char *folder, const char *name);

/* What became of a file that is to be read. */
typedef enum folder_found {
    FOLDER_FILE,
    FOLDER_NOTHING,    /* no such name */
    FOLDER_NO_FILE,    /* a folder, a link, a pipe, a device: not opened */
    FOLDER_TOO_LARGE,  /* more bytes than allowed */
    FOLDER_DENIED,     /* this user may not read it */
    FOLDER_UNREADABLE, /* the fault says why */
} folder_found;

/* Reads a whole regular file of at most `most` bytes; never follows a link at its end. The bytes end with an extra NUL
 * and are yours to free. */
folder_found folder_read(char **out, size_t *bytes, const char *path, size_t most, grader_fault *fault);

/* Writes a whole file, which appears whole or not at all. */
bool folder_write(const char *path, const char *bytes, size_t count, grader_fault *fault);

/* Copies the regular files of `from` whose names end with `suffix` into `to`. */
bool folder_copy_files(const char *from, const char *suffix, const char *to, grader_fault *fault);

#endif
