/*
 * archive_frames.h: what an archive holds, as a stream of frames from the process that reads the archive to the process
 * that writes the files. libarchive reads untrusted bytes, so it runs in the sandbox and can write nothing but frames.
 *
 *   READY  (entry DATA* DAMAGED?)*  END or UNREADABLE
 *
 * A frame is an archive_frame and then `bytes` bytes. The reader of frames trusts none of them (unpack.h).
 */
#ifndef GRADER_INTAKE_ARCHIVE_FRAMES_H
#define GRADER_INTAKE_ARCHIVE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

typedef enum archive_frame_kind {
    ARCHIVE_READY,
    ARCHIVE_FILE, /* the first of the kinds of entries; each has the path, which is "" if it cannot be read */
    ARCHIVE_FOLDER,
    ARCHIVE_LINK,
    ARCHIVE_SPECIAL,
    ARCHIVE_ENCRYPTED, /* the last */
    ARCHIVE_DATA,
    ARCHIVE_DAMAGED,    /* the data of the entry end too early */
    ARCHIVE_UNREADABLE, /* libarchive's sentence */
    ARCHIVE_END,
} archive_frame_kind;

typedef struct archive_frame {
    uint32_t kind, bytes;
} archive_frame;

enum { ARCHIVE_FRAME_BYTES = 65536 };

/* Reads the archive (zip, tar, tar.gz) that one descriptor has and writes its frames to the other. Of a student's
 * archive ignored folders are left out, and only sources and archives have data (file_names.h). False if frames cannot
 * be written, which is how their reader ends it. */
bool archive_frames_write(int archive, int frames, bool of_student);

#endif
