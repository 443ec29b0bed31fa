/* Private folders and whole files; see folder.h. */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab.h"
#include "text.h"
#include "base/whole_file.h"

static bool no_memory(grader_fault *fault, const char *what)
{
    return fault_set(fault, "not enough memory for %s", what);
}

char *folder_path(const char *folder, const char *name)
{
    text_buffer path = {0};
    text_format(&path, "%s/%s", folder, name);
    return path.failed ? NULL : path.text;
}

bool folder_make_private(char **out, const char *prefix, grader_fault *fault)
{
    const char *under = getenv("TMPDIR");
    return folder_make_private_in(out, under && *under ? under : "/tmp", prefix, fault);
}

bool folder_make_private_in(char **out, const char *folder, const char *prefix, grader_fault *fault)
{
    text_buffer path = {0};
    char *absolute = realpath(folder, NULL);
    if (!absolute) return fault_errno(fault, "cannot use %s for temporary files", folder);
    text_format(&path, "%s/%s-XXXXXX", absolute, prefix);
    free(absolute);
    if (path.failed) return no_memory(fault, "a temporary folder");
    if (!mkdtemp(path.text)) {
        fault_errno(fault, "cannot make a temporary folder %s", path.text);
        free(path.text);
        return false;
    }
    *out = path.text;
    return true;
}

bool folder_make(const char *path, grader_fault *fault)
{
    char *copy = strdup(path);
    if (!copy) return no_memory(fault, path);
    bool ok = true;
    for (char *at = copy; ok && *at; at++) {
        if (at == copy || *at != '/') continue;
        *at = '\0';
        ok = mkdir(copy, 0777) == 0 || errno == EEXIST;
        *at = '/';
    }
    ok = ok && (mkdir(copy, 0777) == 0 || errno == EEXIST);
    free(copy);
    return ok || fault_errno(fault, "cannot make the folder %s", path);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    remove(path);
    return 0;
}

/* A folder that its maker closed to himself is opened first: what is in it cannot be listed otherwise. */
static int open_folder(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)where;
    if (kind == FTW_D || kind == FTW_DNR) chmod(path, 0700);
    return 0;
}

void folder_remove(const char *path)
{
    enum { OPEN_FOLDERS = 16 };
    nftw(path, open_folder, OPEN_FOLDERS, FTW_PHYS);
    nftw(path, remove_entry, OPEN_FOLDERS, FTW_PHYS | FTW_DEPTH);
}

static bool read_all(char *to, size_t bytes, int descriptor)
{
    for (size_t have = 0; have < bytes;) {
        ssize_t count = read(descriptor, to + have, bytes - have);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        if (count == 0) {
            errno = EIO; /* it was longer a moment ago */
            return false;
        }
        have += (size_t)count;
    }
    return true;
}

static folder_found found_nothing_readable(const char *path, grader_fault *fault)
{
    folder_found found = errno == EACCES || errno == EPERM ? FOLDER_DENIED : FOLDER_UNREADABLE;
    fault_errno(fault, "cannot read %s", path);
    return found;
}

folder_found folder_read(char **out, size_t *bytes, const char *path, size_t most, grader_fault *fault)
{
    *out = NULL;
    struct stat status;
    if (lstat(path, &status) < 0) {
        if (errno == ENOENT || errno == ENOTDIR) return FOLDER_NOTHING;
        return found_nothing_readable(path, fault);
    }
    if (!S_ISREG(status.st_mode)) return FOLDER_NO_FILE;
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &status) < 0) {
        folder_found found = found_nothing_readable(path, fault);
        if (descriptor >= 0) close(descriptor);
        return found;
    }
    folder_found found = FOLDER_FILE;
    if (!S_ISREG(status.st_mode))
        found = FOLDER_NO_FILE;
    else if ((uintmax_t)status.st_size > most)
        found = FOLDER_TOO_LARGE;
    if (found == FOLDER_FILE) {
        *bytes = (size_t)status.st_size;
        *out = calloc(1, *bytes + 1);
        if (!*out) {
            found = FOLDER_UNREADABLE;
            no_memory(fault, path);
        } else if (!read_all(*out, *bytes, descriptor)) {
            found = FOLDER_UNREADABLE;
            fault_errno(fault, "cannot read %s", path);
            free(*out);
            *out = NULL;
        }
    }
    close(descriptor);
    return found;
}

bool folder_write(const char *path, const char *bytes, size_t count, grader_fault *fault)
{
    lab_whole_file *file;
    bool ok = lab_whole_file_create(&file, path) == LAB_SUCCESS;
    if (ok) {
        lab_whole_file_write(file, bytes, count);
        ok = lab_whole_file_finish(file) == LAB_SUCCESS;
    }
    return ok || fault_set(fault, "%s", lab_error_message());
}

static bool ends_with(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length >= end && strcmp(name + length - end, suffix) == 0;
}

static bool copy_file(const char *from, const char *to, const char *name, grader_fault *fault)
{
    enum { MOST = 16 << 20 };
    char *bytes = NULL, *source = folder_path(from, name), *target = folder_path(to, name);
    size_t count = 0;
    bool ok = source && target;
    if (!ok) {
        no_memory(fault, name);
    } else {
        fault_set(fault, "cannot copy %s: it is not a file of at most 16 MiB", source);
        ok = folder_read(&bytes, &count, source, MOST, fault) == FOLDER_FILE;
        FILE *file = ok ? fopen(target, "we") : NULL;
        if (ok) ok = file && fwrite(bytes, 1, count, file) == count;
        if (file && fclose(file) != 0) ok = false;
        if (!ok && bytes) fault_errno(fault, "cannot write %s", target);
    }
    free(bytes);
    free(source);
    free(target);
    return ok;
}

bool folder_copy_files(const char *from, const char *suffix, const char *to, grader_fault *fault)
{
    DIR *directory = opendir(from);
    if (!directory) return fault_errno(fault, "cannot list the folder %s", from);
    bool ok = true;
    for (const struct dirent *entry; ok && (entry = readdir(directory));) {
        if (ends_with(entry->d_name, suffix)) ok = copy_file(from, to, entry->d_name, fault);
    }
    closedir(directory);
    return ok;
}
