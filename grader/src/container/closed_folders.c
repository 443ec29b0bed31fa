/* Permissions of files, changed one graders' process at a time; see closed_folders.h. */
#include "closed_folders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVERYBODY = S_IRWXO, PASSED = S_IXOTH, PERMISSIONS = 07777 };

static const char folders_file[] = "/run/labgrade-folders.lock";

static int lock_folders(grader_fault *fault)
{
    int lock = open(folders_file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock >= 0 && flock(lock, LOCK_EX) == 0) return lock;
    fault_errno(fault, "cannot lock %s", folders_file);
    if (lock >= 0) close(lock);
    return -1;
}

/* Takes everybody's permissions from what is in the folder. A folder that can only be passed is closed itself. */
static bool close_entries(DIR *folder)
{
    bool closed = true;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0) continue;
        const mode_t now = status.st_mode & EVERYBODY;
        if (S_ISLNK(status.st_mode) || now == 0 || (S_ISDIR(status.st_mode) && now == PASSED)) continue;
        const mode_t own = status.st_mode & PERMISSIONS & ~(mode_t)EVERYBODY;
        if (fchmodat(dirfd(folder), entry->d_name, own, 0) < 0 && errno != ENOENT) closed = false;
    }
    return closed;
}

static bool close_folder(const char *path, grader_fault *fault)
{
    struct stat status;
    DIR *folder = opendir(path);
    if (!folder && errno == ENOENT) return true;
    bool closed = folder && fstat(dirfd(folder), &status) == 0 && close_entries(folder) &&
                  fchmod(dirfd(folder), (status.st_mode & PERMISSIONS & ~(mode_t)EVERYBODY) | PASSED) == 0;
    if (!closed) fault_errno(fault, "cannot close the folder %s", path);
    if (folder) closedir(folder);
    return closed;
}

bool closed_folder_make(const char *path, grader_fault *fault)
{
    int lock = lock_folders(fault);
    bool made = lock >= 0 && close_folder(path, fault);
    if (lock >= 0) close(lock);
    return made;
}

void closed_folder_protect(const char *path)
{
    struct stat status;
    if (lstat(path, &status) < 0 || !S_ISDIR(status.st_mode) || (status.st_mode & EVERYBODY) == PASSED) return;
    chmod(path, status.st_mode & PERMISSIONS & ~(mode_t)EVERYBODY);
}

/* ---- the way to a file ------------------------------------------------------------------------------------------- */

static bool is_in(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || !path[length]);
}

static bool must_be_closed(const char *path, const char *const *closed)
{
    struct stat status;
    for (size_t i = 0; closed && closed[i]; i++)
        if (is_in(path, closed[i])) return true;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && !(status.st_mode & PASSED);
}

/* Lets everybody pass along the folders above `path`. */
static bool open_way(const char *path, const char *const *closed, grader_fault *fault)
{
    char *above = strdup(path);
    bool open = above || fault_memory(fault, path);
    for (char *slash = above; open && (slash = strchr(slash + 1, '/')); *slash = '/') {
        *slash = '\0';
        char *real = realpath(above, NULL);
        if (real && must_be_closed(real, closed)) open = close_folder(real, fault);
        free(real);
    }
    free(above);
    return open;
}

/* Along the names as they are written, and along those that symbolic links lead to. */
static bool open_both_ways(const char *path, const char *const *closed, grader_fault *fault)
{
    char *real = realpath(path, NULL);
    bool open = real ? open_way(path, closed, fault) && open_way(real, closed, fault)
                     : fault_errno(fault, "cannot show %s to a program", path);
    free(real);
    return open;
}

/* What untrusted code built may be a link to what its author must not see, or another name of it. */
static bool show(const char *path, unsigned group, grader_fault *fault)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool shown = file >= 0 && fstat(file, &status) == 0;
    if (shown && S_ISREG(status.st_mode) && status.st_nlink > 1) {
        close(file);
        return fault_set(fault, "cannot show %s to a program: it has another name", path);
    }
    const mode_t run = shown ? (status.st_mode & S_IXUSR) >> 3 : 0;
    shown =
        shown && fchown(file, (uid_t)-1, group) == 0 && fchmod(file, (status.st_mode & S_IRWXU) | S_IRGRP | run) == 0;
    if (!shown) fault_errno(fault, "cannot show %s to a program", path);
    if (file >= 0) close(file);
    return shown;
}

bool closed_folder_show(const char *path, unsigned group, const char *const *closed, grader_fault *fault)
{
    int lock = lock_folders(fault);
    bool shown = lock >= 0 && open_both_ways(path, closed, fault) && show(path, group, fault);
    if (lock >= 0) close(lock);
    return shown;
}

/* ---- a user's own ------------------------------------------------------------------------------------------------ */

static unsigned giver, taker; /* of the folder that is given: nftw has no room for them */

static int give_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)kind;
    (void)where;
    return status->st_uid == giver ? lchown(path, taker, taker) : 0;
}

bool closed_folder_give(const char *path, unsigned from, unsigned user, const char *const *closed, grader_fault *fault)
{
    enum { OPEN_FOLDERS = 16 };
    int lock = lock_folders(fault);
    giver = from;
    taker = user;
    bool given = lock >= 0 && open_both_ways(path, closed, fault);
    if (given && nftw(path, give_entry, OPEN_FOLDERS, FTW_PHYS) != 0)
        given = fault_errno(fault, "cannot give %s to a program", path);
    if (lock >= 0) close(lock);
    return given;
}
