/*
 * unpack.h: archives from strangers (zip, tar, tar.gz), unpacked into a folder and nowhere else.
 *
 * Only regular files come out, each written anew under a path whose every part was checked; what an archive holds
 * beside that (links, devices, names that lead elsewhere) is noted and left out. How much comes out is bounded: an
 * archive that holds more is given up where it reaches the bound. It knows libarchive and paths; not submissions.
 */
#ifndef GRADER_INTAKE_UNPACK_H
#define GRADER_INTAKE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "intake_notes.h"

typedef struct unpack_limits {
    size_t entries;
    uint64_t bytes;      /* of all files together */
    uint64_t file_bytes; /* of one file; a larger one is cut one byte after that, so that it is seen to be too large */
} unpack_limits;

/* Whether a file's name ends as an archive's does; `stem` is then the length of the name without that. */
bool unpack_is_archive(const char *name, size_t *stem);

/* The same for kinds of archives that are not read here: .7z, .rar, ... */
bool unpack_is_other_archive(const char *name, size_t *stem);

/* Whether a path is what other systems put beside files without being asked: "__MACOSX/...", ".DS_Store". */
bool unpack_is_litter(const char *path);

/* Unpacks the archive into the folder, which exists and is empty. What was left out, and why it ended early if it did,
 * is noted under `name`. False only for a fault of the grader: the disk is full, the folder has gone. */
bool unpack_archive(const char *path, const char *name, const char *folder, const unpack_limits *limits,
                    intake_notes *notes, grader_fault *fault);

/* Whether a path inside an archive is a plain one: relative, no part of it "." or "..", none empty, none too long, not
 * too deep. */
bool unpack_path_is_plain(const char *path);

#endif
