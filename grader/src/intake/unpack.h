/*
 * unpack.h: unpacks untrusted archives (zip, tar, tar.gz) into a folder and nowhere else.
 *
 * labunpack reads the archive in the sandbox, within limits of time and memory, and sends what it finds
 * (archive_frames.h). Here files are written, only regular ones, each as a new file under a path whose every part was
 * checked. Everything else in an archive (links, devices, names that lead elsewhere) is noted and left out. The amount
 * is bounded: unpacking stops where an archive reaches a limit.
 */
#ifndef GRADER_INTAKE_UNPACK_H
#define GRADER_INTAKE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "intake_notes.h"
#include "sandbox/sandbox.h"

typedef struct unpack_limits {
    size_t entries;
    uint64_t bytes;      /* of all files together */
    uint64_t file_bytes; /* of one file; a larger one is cut one byte later, so that it is seen to be too large */
    unsigned seconds;
    bool of_student; /* a student's: of its files only sources and archives have content, ignored folders are left out
                        (file_names.h), and an archive with a second name (a hard link) is not read */
} unpack_limits;

/* How archives are read. */
typedef struct unpack_reader {
    const char *program; /* the absolute path of labunpack */
    const sandbox *box;  /* NULL for none */
} unpack_reader;

/* Whether a file's name ends like an archive's. `stem` is then the length of the name without that ending. */
bool unpack_is_archive(const char *name, size_t *stem);

/* The same for kinds of archives that unpack_archive does not read: .7z, .rar, ... */
bool unpack_is_other_archive(const char *name, size_t *stem);

/* Whether a path is one that other systems add without being asked: "__MACOSX/...", ".DS_Store". */
bool unpack_is_litter(const char *path);

/* Unpacks the archive into the folder, which exists and is empty. Notes under `name` what was left out, and why
 * unpacking ended early; `*cut` becomes true where it did, and is left alone otherwise. Fails only for a fault of the
 * grader: the disk is full, the folder is gone, labunpack does not start. */
bool unpack_archive(const unpack_reader *reader, const char *path, const char *name, const char *folder,
                    const unpack_limits *limits, intake_notes *notes, bool *cut, grader_fault *fault);

/* The same for an archive that a descriptor has as frames. */
bool unpack_frames(int frames, const char *name, const char *folder, const unpack_limits *limits, intake_notes *notes,
                   bool *cut, grader_fault *fault);

/* Whether a path inside an archive is plain: relative, without "." or "..", without empty or overlong parts, and not
 * too deep. */
bool unpack_path_is_plain(const char *path);

#endif
