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

/* The state of unpacking one archive. */
typedef struct unpacking {
    struct archive *archive;
    const char *name;
    const unpack_limits *limits;
    intake_notes *notes;
    grader_fault *fault;
    int folder;
    size_t entries;
    uint64_t bytes;
    bool full; /* a limit was reached: unpacking stops */
} unpacking;

/* Whether the name ends in one of `ends`, a list that ends with NULL. */
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

/* Creates a file under the folder, and the folders on the way to it. Each part is opened relative to the one before and
 * no link is followed, so the file cannot be anywhere else. Returns -1 with errno on failure. */
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

static void reach_bound(unpacking *run, const char *what)
{
    run->full = true;
    intake_notes_add(run->notes, run->name, "holds %s: the rest of it is left out", what);
}

/* Copies the data of an entry up to the limits. A damaged entry is removed again: half a file would be judged as if it
 * had been handed in. */
static bool copy_data(unpacking *run, int file, const char *path)
{
    static char bytes[65536];
    uint64_t most = run->limits->file_bytes + 1, have = 0;
    la_ssize_t count;
    while (have < most && (count = archive_read_data(run->archive, bytes, sizeof bytes)) != 0) {
        if (count == ARCHIVE_RETRY) continue;
        if (count < 0) {
            intake_notes_add(run->notes, run->name, "%s in it is damaged: left out", path);
            unlinkat(run->folder, path, 0);
            return true;
        }
        uint64_t take = (uint64_t)count < most - have ? (uint64_t)count : most - have;
        if (run->bytes + take > run->limits->bytes) {
            reach_bound(run, "more than a class needs");
            return true;
        }
        if (!write_all(file, bytes, (size_t)take)) return fault_errno(run->fault, "cannot unpack %s", run->name);
        have += take;
        run->bytes += take;
    }
    return true;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

/* Why an entry is left out; NULL for a plain file, which is taken. */
static const char *why_not(struct archive_entry *entry, const char *path)
{
    if (!path) return "has a name that cannot be read";
    if (archive_entry_hardlink(entry) || archive_entry_symlink(entry)) return "is a link";
    if (archive_entry_filetype(entry) != AE_IFREG) return "is no regular file";
    if (archive_entry_is_encrypted(entry)) return "is encrypted";
    if (!unpack_path_is_plain(path)) return "leads out of the archive or is no fit name";
    return NULL;
}

static bool take_entry(unpacking *run, struct archive_entry *entry)
{
    const char *path = archive_entry_pathname_utf8(entry);
    if (!path) path = archive_entry_pathname(entry);
    while (path && path[0] == '.' && path[1] == '/') path += 2;
    bool is_folder = archive_entry_filetype(entry) == AE_IFDIR && !archive_entry_symlink(entry);
    if (is_folder || (path && unpack_is_litter(path))) return true;
    const char *why = why_not(entry, path);
    if (why) {
        intake_notes_add(run->notes, run->name, "%s in it %s: left out", path ? path : "a file", why);
        return true;
    }
    /* libarchive would read a large entry to its end to reach the next one. */
    if (archive_entry_size_is_set(entry) && (uint64_t)archive_entry_size(entry) > run->limits->bytes) {
        reach_bound(run, "a file larger than all files together may be");
        return true;
    }
    int file = create_under(run->folder, path);
    if (file < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EMFILE || errno == EIO)) {
        return fault_errno(run->fault, "cannot unpack %s", run->name);
    }
    if (file < 0) {
        intake_notes_add(run->notes, run->name, "%s in it is left out: %s", path, strerror(errno));
        return true;
    }
    bool copied = copy_data(run, file, path);
    if (close(file) < 0 && copied) return fault_errno(run->fault, "cannot unpack %s", run->name);
    return copied;
}

static const char *archive_reason(struct archive *archive)
{
    const char *why = archive_error_string(archive);
    return why ? why : "it is damaged";
}

static bool take_entries(unpacking *run)
{
    struct archive_entry *entry;
    while (!run->full) {
        int code = archive_read_next_header(run->archive, &entry);
        if (code == ARCHIVE_EOF) return true;
        if (code == ARCHIVE_RETRY) continue;
        if (code < ARCHIVE_WARN) {
            intake_notes_add(run->notes, run->name, "cannot be read%s as an archive: %s",
                             run->entries ? " further" : "", archive_reason(run->archive));
            return true;
        }
        if (run->entries++ == run->limits->entries)
            reach_bound(run, "more files than a class needs");
        else
            FAULT_TRY(take_entry(run, entry));
    }
    return true;
}

static bool read_archive(unpacking *run, const char *path)
{
    enum { BLOCK = 65536 };
    archive_read_support_format_zip(run->archive);
    archive_read_support_format_tar(run->archive);
    archive_read_support_filter_gzip(run->archive);
    if (archive_read_open_filename(run->archive, path, BLOCK) == ARCHIVE_OK) return take_entries(run);
    intake_notes_add(run->notes, run->name, "cannot be read as an archive: %s", archive_reason(run->archive));
    return true;
}

bool unpack_archive(const char *path, const char *name, const char *folder, const unpack_limits *limits,
                    intake_notes *notes, grader_fault *fault)
{
    unpacking run = {.name = name, .limits = limits, .notes = notes, .fault = fault};
    run.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (run.folder < 0) return fault_errno(fault, "cannot open the folder %s", folder);
    /* Names in archives are UTF-8 or bytes. In the plain C locale libarchive rejects both. */
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = (locale_t)0;
    if (utf8) before = uselocale(utf8);
    run.archive = archive_read_new();
    bool done = run.archive ? read_archive(&run, path) : fault_memory(fault, name);
    archive_read_free(run.archive);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    close(run.folder);
    return done;
}
