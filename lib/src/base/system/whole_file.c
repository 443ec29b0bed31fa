/* Writes to a temporary file, flushes it to the disk, and renames it. */
#include "whole_file.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 64 * 1024 };

struct lab_whole_file {
    char *path;
    char *temporary;
    int descriptor;
    int error; /* errno of the first failure; 0 if none */
    size_t buffered;
    char buffer[BUFFER_BYTES];
};

static lab_status fail(const char *path, int error)
{
    return lab_fail(LAB_ERROR_IO, "cannot write %s: %s", path, strerror(error));
}

/* Keeps the first error; later ones follow from it. */
static void note(lab_whole_file *file, int error)
{
    if (file->error == 0) file->error = error;
}

static void release(lab_whole_file *file)
{
    if (!file) return;
    if (file->descriptor >= 0) close(file->descriptor);
    free(file->temporary);
    free(file->path);
    free(file);
}

/* The process number and a serial number make the temporary name unique on this machine. Another machine that shares
 * the folder may use the same name: then the next one is tried. */
static int open_temporary(lab_whole_file *file)
{
    static atomic_uint serial;
    for (int attempt = 0; attempt < 100; attempt++) {
        free(file->temporary);
        unsigned number = atomic_fetch_add(&serial, 1);
        if (asprintf(&file->temporary, "%s.%ld.%u.part", file->path, (long)getpid(), number) < 0) {
            file->temporary = NULL;
            return ENOMEM;
        }
        file->descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file->descriptor >= 0) return 0;
        if (errno != EEXIST) return errno;
    }
    return EEXIST;
}

lab_status lab_whole_file_create(lab_whole_file **out, const char *path)
{
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return lab_fail(LAB_ERROR_IO, "cannot write %s: it is not a regular file, and would have to be replaced", path);

    lab_whole_file *file = calloc(1, sizeof *file);
    if (!file) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory to write %s", path);
    file->descriptor = -1;
    file->path = strdup(path);
    int error = file->path ? open_temporary(file) : ENOMEM;
    if (error != 0) {
        release(file);
        return fail(path, error);
    }
    *out = file;
    return LAB_SUCCESS;
}

static void flush(lab_whole_file *file)
{
    size_t written = 0;
    while (file->error == 0 && written < file->buffered) {
        ssize_t count = write(file->descriptor, file->buffer + written, file->buffered - written);
        if (count > 0)
            written += (size_t)count;
        else if (count == 0 || errno != EINTR)
            note(file, count == 0 ? ENOSPC : errno);
    }
    file->buffered = 0;
}

lab_status lab_whole_file_write(lab_whole_file *file, const void *bytes, size_t count)
{
    const char *next = bytes;
    while (count > 0 && file->error == 0) {
        size_t room = sizeof file->buffer - file->buffered;
        size_t part = count < room ? count : room;
        memcpy(file->buffer + file->buffered, next, part);
        file->buffered += part;
        next += part;
        count -= part;
        if (file->buffered == sizeof file->buffer) flush(file);
    }
    return file->error == 0 ? LAB_SUCCESS : fail(file->path, file->error);
}

/* Flushes the folder, and with it the rename, to the disk. Where that is not possible, the file is still whole. */
static void flush_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int descriptor = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
    free(folder);
}

lab_status lab_whole_file_finish(lab_whole_file *file)
{
    flush(file);
    if (file->error == 0 && fsync(file->descriptor) != 0) note(file, errno);
    if (close(file->descriptor) != 0) note(file, errno);
    file->descriptor = -1;
    if (file->error == 0 && rename(file->temporary, file->path) != 0) note(file, errno);

    lab_status status = LAB_SUCCESS;
    if (file->error == 0) {
        flush_folder(file->path);
    } else {
        unlink(file->temporary);
        status = fail(file->path, file->error);
    }
    release(file);
    return status;
}

void lab_whole_file_abandon(lab_whole_file *file)
{
    if (!file) return;
    unlink(file->temporary);
    release(file);
}
