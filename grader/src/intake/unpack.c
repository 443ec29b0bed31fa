/* Unpacking archives from strangers; see unpack.h. */
#include "unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"

enum { MOST_DEPTH = 16, MOST_PART = 255, MOST_PATH = 2048 };

/* An archive under way. */
typedef struct unpacking {
    struct archive *archive;
    const char *name;
    const unpack_limits *limits;
    intake_notes *notes;
    grader_fault *fault;
    int folder;
    size_t entries;
    uint64_t bytes;
    bool full; /* a bound was reached: no more of it */
} unpacking;

/* Whether the name ends in one of them, the last of which is NULL. */
static bool has_end(const char *name, size_t *stem, const char *const *ends)
{
    size_t length = strlen(name);
    for (; *ends; ends++) {
        size_t end = strlen(*ends);
        if (length <= end || strcasecmp(name + length - end, *ends) != 0) continue;
        *stem = length - end;
        return true;
    }
    return false;
}

bool unpack_is_archive(const char *name, size_t *stem)
{
    static const char *const ends[] = {".zip", ".tar", ".tar.gz", ".tgz", NULL};
    return has_end(name, stem, ends);
}

bool unpack_is_other_archive(const char *name, size_t *stem)
{
    static const char *const ends[] = {".7z", ".rar", ".tar.xz", ".tar.bz2", ".tar.zst", ".gz", ".xz", ".bz2", NULL};
    return has_end(name, stem, ends);
}

bool unpack_path_is_plain(const char *path)
{
    int depth = 0;
    if (!*path || strlen(path) > MOST_PATH) return false;
    for (const char *part = path; part; depth++) {
        size_t length = strcspn(part, "/");
        bool dots = (length == 1 && part[0] == '.') || (length == 2 && part[0] == '.' && part[1] == '.');
        if (length == 0 || length > MOST_PART || dots || depth >= MOST_DEPTH) return false;
        part = part[length] ? part + length + 1 : NULL;
    }
    return true;
}

bool unpack_is_litter(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    return strncmp(path, "__MACOSX/", 9) == 0 || strcmp(base, "__MACOSX") == 0 || strcmp(base, ".DS_Store") == 0 ||
           strcmp(base, "Thumbs.db") == 0;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Opens a new file under the folder, with the folders on the way to it. Every part is opened from the one before and no
 * link is followed, so it is there and nowhere else. -1 with errno if it cannot be. */
static int create_under(int folder, const char *path)
{
    char part[MOST_PART + 1];
    int here = dup(folder);
    for (const char *slash; here >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
        memcpy(part, path, (size_t)(slash - path));
        part[slash - path] = '\0';
        int next = -1;
        if (mkdirat(here, part, 0700) == 0 || errno == EEXIST)
            next = openat(here, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int error = errno;
        close(here);
        errno = error;
        here = next;
    }
    if (here < 0) return -1;
    int file = openat(here, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int error = errno;
    close(here);
    errno = error;
    return file;
}

static bool write_all(int file, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

static void reach_bound(unpacking *of, const char *what)
{
    of->full = true;
    intake_notes_add(of->notes, of->name, "holds %s: the rest of it is left out", what);
}

/* Takes the data of an entry as far as the bounds go. What of a damaged one came out is taken back: half a file would be
 * judged as if it had been handed in. */
static bool copy_data(unpacking *of, int file, const char *path)
{
    static char bytes[65536];
    uint64_t most = of->limits->file_bytes + 1, have = 0;
    la_ssize_t count;
    while (have < most && (count = archive_read_data(of->archive, bytes, sizeof bytes)) != 0) {
        if (count == ARCHIVE_RETRY) continue;
        if (count < 0) {
            intake_notes_add(of->notes, of->name, "%s in it is damaged: left out", path);
            unlinkat(of->folder, path, 0);
            return true;
        }
        uint64_t take = (uint64_t)count < most - have ? (uint64_t)count : most - have;
        if (of->bytes + take > of->limits->bytes) {
            reach_bound(of, "more than a class needs");
            return true;
        }
        if (!write_all(file, bytes, (size_t)take)) return fault_errno(of->fault, "cannot unpack %s", of->name);
        have += take;
        of->bytes += take;
    }
    return true;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

/* Why an entry that is not a plain file is left out; NULL for one that is taken. */
static const char *why_not(struct archive_entry *entry, const char *path)
{
    if (!path) return "has a name that cannot be read";
    if (archive_entry_hardlink(entry) || archive_entry_symlink(entry)) return "is a link";
    if (archive_entry_filetype(entry) != AE_IFREG) return "is no regular file";
    if (archive_entry_is_encrypted(entry)) return "is encrypted";
    if (!unpack_path_is_plain(path)) return "leads out of the archive or is no fit name";
    return NULL;
}

static bool take_entry(unpacking *of, struct archive_entry *entry)
{
    const char *path = archive_entry_pathname_utf8(entry);
    if (!path) path = archive_entry_pathname(entry);
    while (path && path[0] == '.' && path[1] == '/') path += 2;
    bool is_folder = archive_entry_filetype(entry) == AE_IFDIR && !archive_entry_symlink(entry);
    if (is_folder || (path && unpack_is_litter(path))) return true;
    const char *why = why_not(entry, path);
    if (why) {
        intake_notes_add(of->notes, of->name, "%s in it %s: left out", path ? path : "a file", why);
        return true;
    }
    /* A large one would be read to its end to come to the next. */
    if (archive_entry_size_is_set(entry) && (uint64_t)archive_entry_size(entry) > of->limits->bytes) {
        reach_bound(of, "a file larger than all files together may be");
        return true;
    }
    int file = create_under(of->folder, path);
    if (file < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EMFILE || errno == EIO)) {
        return fault_errno(of->fault, "cannot unpack %s", of->name);
    }
    if (file < 0) {
        intake_notes_add(of->notes, of->name, "%s in it is left out: %s", path, strerror(errno));
        return true;
    }
    bool ok = copy_data(of, file, path);
    if (close(file) < 0 && ok) ok = fault_errno(of->fault, "cannot unpack %s", of->name);
    return ok;
}

static bool take_entries(unpacking *of)
{
    struct archive_entry *entry;
    bool ok = true;
    while (ok && !of->full) {
        int code = archive_read_next_header(of->archive, &entry);
        if (code == ARCHIVE_EOF) break;
        if (code == ARCHIVE_RETRY) continue;
        if (code < ARCHIVE_WARN) {
            const char *why = archive_error_string(of->archive);
            intake_notes_add(of->notes, of->name, "cannot be read%s as an archive: %s", of->entries ? " further" : "",
                             why ? why : "it is damaged");
            break;
        }
        if (of->entries++ == of->limits->entries)
            reach_bound(of, "more files than a class needs");
        else
            ok = take_entry(of, entry);
    }
    return ok;
}

bool unpack_archive(const char *path, const char *name, const char *folder, const unpack_limits *limits,
                    intake_notes *notes, grader_fault *fault)
{
    enum { BLOCK = 65536 };
    unpacking of = {.name = name, .limits = limits, .notes = notes, .fault = fault};
    of.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (of.folder < 0) return fault_errno(fault, "cannot open the folder %s", folder);
    bool ok = (of.archive = archive_read_new()) != NULL || fault_set(fault, "not enough memory to unpack %s", name);
    /* Names in archives are UTF-8 or bytes; libarchive gives up on both where the locale is plain C. */
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = (locale_t)0;
    if (utf8) before = uselocale(utf8);
    if (ok) {
        archive_read_support_format_zip(of.archive);
        archive_read_support_format_tar(of.archive);
        archive_read_support_filter_gzip(of.archive);
        if (archive_read_open_filename(of.archive, path, BLOCK) == ARCHIVE_OK) {
            ok = take_entries(&of);
        } else {
            const char *why = archive_error_string(of.archive);
            intake_notes_add(notes, name, "cannot be read as an archive: %s", why ? why : "it is damaged");
        }
    }
    archive_read_free(of.archive);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    close(of.folder);
    return ok;
}
