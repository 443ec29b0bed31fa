/* Folders and whole files; see folder.h. */
#include "folder.h"

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
#include "base/system/whole_file.h"

/* ---- folders ------------------------------------------------------------------------------------------- */

char *folder_path(const char *folder, const char *name) { return text_make("%s/%s", folder, name); }

bool folder_list(folder_names *out, const char *folder, int (*select)(const struct dirent *entry), grader_fault *fault)
{
    *out = (folder_names){0};
    out->count = scandir(folder, &out->entry, select, alphasort);
    return out->count >= 0 || fault_errno(fault, "cannot list the folder %s", folder);
}

void folder_names_free(folder_names *names)
{
    for (int i = 0; i < names->count; i++) free(names->entry[i]);
    free(names->entry);
    *names = (folder_names){0};
}

bool folder_make_private(char **out, const char *prefix, grader_fault *fault)
{
    const char *under = getenv("TMPDIR");
    return folder_make_private_in(out, under && *under ? under : "/tmp", prefix, fault);
}

bool folder_make_private_in(char **out, const char *folder, const char *prefix, grader_fault *fault)
{
    char *absolute = realpath(folder, NULL);
    if (!absolute) return fault_errno(fault, "cannot use %s for temporary files", folder);
    char *path = text_make("%s/%s-XXXXXX", absolute, prefix);
    free(absolute);
    if (!path) return fault_memory(fault, "a temporary folder");
    if (!mkdtemp(path)) {
        fault_errno(fault, "cannot make a temporary folder %s", path);
        free(path);
        return false;
    }
    *out = path;
    return true;
}

static bool make_one(const char *path) { return mkdir(path, 0777) == 0 || errno == EEXIST; }

bool folder_make(const char *path, grader_fault *fault)
{
    char *above = strdup(path);
    if (!above) return fault_memory(fault, path);
    bool made = true;
    for (char *slash = above; made && (slash = strchr(slash + (*slash != '\0'), '/')); *slash = '/') {
        *slash = '\0';
        made = make_one(above);
    }
    free(above);
    return (made && make_one(path)) || fault_errno(fault, "cannot make the folder %s", path);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    remove(path);
    return 0;
}

/* A folder without permissions for its own user gets them first: its content cannot be listed otherwise. */
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

/* ---- files --------------------------------------------------------------------------------------------- */

static bool read_all(char *out, size_t bytes, int descriptor)
{
    for (size_t have = 0; have < bytes;) {
        ssize_t count = read(descriptor, out + have, bytes - have);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        if (count == 0) {
            errno = EIO; /* the file has become shorter */
            return false;
        }
        have += (size_t)count;
    }
    return true;
}

static folder_found not_readable(const char *path, grader_fault *fault)
{
    folder_found found = errno == EACCES || errno == EPERM ? FOLDER_DENIED : FOLDER_UNREADABLE;
    fault_errno(fault, "cannot read %s", path);
    return found;
}

static folder_found read_descriptor(char **out, size_t *bytes, int descriptor, const char *path, size_t most,
                                    nlink_t names, grader_fault *fault)
{
    struct stat status;
    if (fstat(descriptor, &status) < 0) return not_readable(path, fault);
    if (!S_ISREG(status.st_mode)) return FOLDER_NO_FILE;
    if (status.st_nlink > names) return FOLDER_LINKED;
    if ((uintmax_t)status.st_size > most) return FOLDER_TOO_LARGE;
    char *content = calloc(1, (size_t)status.st_size + 1);
    if (!content) {
        fault_memory(fault, path);
        return FOLDER_UNREADABLE;
    }
    if (!read_all(content, (size_t)status.st_size, descriptor)) {
        fault_errno(fault, "cannot read %s", path);
        free(content);
        return FOLDER_UNREADABLE;
    }
    *out = content;
    *bytes = (size_t)status.st_size;
    return FOLDER_FILE;
}

static folder_found read_path(char **out, size_t *bytes, const char *path, size_t most, nlink_t names,
                              grader_fault *fault)
{
    *out = NULL;
    struct stat status;
    if (lstat(path, &status) < 0) {
        if (errno == ENOENT || errno == ENOTDIR) return FOLDER_NOTHING;
        return not_readable(path, fault);
    }
    if (!S_ISREG(status.st_mode)) return FOLDER_NO_FILE;
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return not_readable(path, fault);
    folder_found found = read_descriptor(out, bytes, descriptor, path, most, names, fault);
    close(descriptor);
    return found;
}

folder_found folder_read(char **out, size_t *bytes, const char *path, size_t most, grader_fault *fault)
{
    return read_path(out, bytes, path, most, (nlink_t)-1, fault);
}

folder_found folder_read_handed_in(char **out, size_t *bytes, const char *path, size_t most, grader_fault *fault)
{
    return read_path(out, bytes, path, most, 1, fault);
}

bool folder_write(const char *path, const char *bytes, size_t count, grader_fault *fault)
{
    lab_whole_file *file;
    if (lab_whole_file_create(&file, path) != LAB_SUCCESS) return fault_set(fault, "%s", lab_error_message());
    lab_whole_file_write(file, bytes, count);
    return lab_whole_file_finish(file) == LAB_SUCCESS || fault_set(fault, "%s", lab_error_message());
}

bool folder_write_unflushed(const char *path, const char *bytes, size_t count, grader_fault *fault)
{
    unlink(path);
    FILE *file = fopen(path, "wxe");
    bool written = file && fwrite(bytes, 1, count, file) == count;
    if (file && fclose(file) != 0) written = false;
    return written || fault_errno(fault, "cannot write %s", path);
}

bool folder_flush(const char *folder, grader_fault *fault)
{
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool flushed = descriptor >= 0 && syncfs(descriptor) == 0;
    if (!flushed) fault_errno(fault, "cannot write %s to the disk", folder);
    if (descriptor >= 0) close(descriptor);
    return flushed;
}

static bool ends_with(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length >= end && strcmp(name + length - end, suffix) == 0;
}

static bool copy_file(const char *source, const char *destination, grader_fault *fault)
{
    enum { MOST_BYTES = 16 << 20 };
    char *bytes;
    size_t count;
    fault_set(fault, "cannot copy %s: it is not a file of at most 16 MiB", source);
    FAULT_TRY(folder_read(&bytes, &count, source, MOST_BYTES, fault) == FOLDER_FILE);
    FILE *file = fopen(destination, "we");
    bool written = file && fwrite(bytes, 1, count, file) == count;
    if (file && fclose(file) != 0) written = false;
    if (!written) fault_errno(fault, "cannot write %s", destination);
    free(bytes);
    return written;
}

static bool copy_named(const char *source, const char *destination, const char *name, grader_fault *fault)
{
    char *old = folder_path(source, name), *new = folder_path(destination, name);
    bool copied = old && new ? copy_file(old, new, fault) : fault_memory(fault, name);
    free(old);
    free(new);
    return copied;
}

bool folder_copy_files(const char *source, const char *suffix, const char *destination, grader_fault *fault)
{
    folder_names names;
    bool copied = true;
    FAULT_TRY(folder_list(&names, source, NULL, fault));
    for (int i = 0; copied && i < names.count; i++) {
        const char *name = names.entry[i]->d_name;
        if (ends_with(name, suffix)) copied = copy_named(source, destination, name, fault);
    }
    folder_names_free(&names);
    return copied;
}
