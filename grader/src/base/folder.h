/*
 * folder.h: private folders, their removal with everything in them, and whole small files.
 */
#ifndef GRADER_BASE_FOLDER_H
#define GRADER_BASE_FOLDER_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

#include "fault.h"

/* Makes a new folder that only this user can enter, under TMPDIR or /tmp, with a name that cannot be guessed. The path
 * is absolute; the caller frees it. */
bool folder_make_private(char **out, const char *prefix, grader_fault *fault);

/* The same in a folder that the caller names. */
bool folder_make_private_in(char **out, const char *folder, const char *prefix, grader_fault *fault);

/* Makes a folder, and the folders above it that are missing. */
bool folder_make(const char *path, grader_fault *fault);

/* Removes a folder with everything in it, without following links. What cannot be removed stays. */
void folder_remove(const char *path);

/* FOLDER/NAME; the caller frees it; NULL only if memory runs out. */
char *folder_path(const char *folder, const char *name);

/* The names in a folder, in order; `select` chooses among them as scandir(3) has it, NULL takes all. The caller
 * frees it with folder_names_free. */
typedef struct folder_names {
    struct dirent **entry;
    int count;
} folder_names;

bool folder_list(folder_names *out, const char *folder, int (*select)(const struct dirent *entry), grader_fault *fault);
void folder_names_free(folder_names *names);

/* The outcome of reading a file. */
typedef enum folder_found {
    FOLDER_FILE,
    FOLDER_NOTHING,    /* no such name */
    FOLDER_NO_FILE,    /* a folder, a link, a pipe, a device: not opened */
    FOLDER_LINKED,     /* has several names (hard links); only from folder_read_handed_in */
    FOLDER_TOO_LARGE,  /* more bytes than allowed */
    FOLDER_DENIED,     /* this user may not read it */
    FOLDER_UNREADABLE, /* the fault says why */
} folder_found;

/* Reads a whole regular file of at most `most` bytes. A path that is itself a link is not followed. The bytes end with
 * an extra NUL; the caller frees them. */
folder_found folder_read(char **out, size_t *bytes, const char *path, size_t most, grader_fault *fault);

/* The same for a file that somebody else put there. A file with several names (hard links) is refused: its other name
 * may be a file that its giver cannot read. */
folder_found folder_read_handed_in(char **out, size_t *bytes, const char *path, size_t most, grader_fault *fault);

/* Writes a file, which appears whole or not at all. */
bool folder_write(const char *path, const char *bytes, size_t count, grader_fault *fault);

/* Writes a new file in place of any earlier one. A crash of the machine may cut it, until folder_flush has brought
 * everything on the file system of `folder` to the disk: for many files that nobody relies on before. */
bool folder_write_unflushed(const char *path, const char *bytes, size_t count, grader_fault *fault);
bool folder_flush(const char *folder, grader_fault *fault);

/* Copies the regular files of `source` whose names end with `suffix` into `destination`. */
bool folder_copy_files(const char *source, const char *suffix, const char *destination, grader_fault *fault);

#endif
