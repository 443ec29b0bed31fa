/* A folder must be able to hold the largest file that the compiler leaves in it. */
#include "temporary_folder.h"

#include "base/status.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PROBE_BYTES = 256 * 1024 };

/* Whether a file fits that is larger than any of the compiler's. */
static bool has_room(const char *folder)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/probe", folder) >= (int)sizeof path) return false;
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) return false;
    const bool fits = posix_fallocate(descriptor, 0, PROBE_BYTES) == 0;
    close(descriptor);
    unlink(path);
    return fits;
}

void temporary_folder_remove(const char *path)
{
    DIR *files = opendir(path);
    for (struct dirent *file; files && (file = readdir(files));) unlinkat(dirfd(files), file->d_name, 0);
    if (files) closedir(files);
    rmdir(path);
}

lab_status temporary_folder_make(char path[PATH_MAX])
{
    const char *const parents[] = {getenv("TMPDIR"), P_tmpdir, "/var/tmp", "/dev/shm"};
    for (size_t i = 0; i < sizeof parents / sizeof *parents; ++i) {
        if (!parents[i] || !*parents[i]) continue;
        if (snprintf(path, PATH_MAX, "%s/lab-XXXXXX", parents[i]) >= PATH_MAX || !mkdtemp(path)) continue;
        if (has_room(path)) return LAB_SUCCESS;
        temporary_folder_remove(path);
    }
    return lab_fail(LAB_ERROR_IO, "no folder to compile kernels in: neither $TMPDIR nor " P_tmpdir " can hold a file; "
                                  "make room there, or set TMPDIR");
}
