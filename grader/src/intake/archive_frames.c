/* libarchive's part of unpacking; see archive_frames.h. */
#include "archive_frames.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <string.h>

#include "base/system/write_all.h"
#include "file_names.h"
#include "unpack.h"

/* Writes a frame with the first bytes of a text or of data; a reader finds a path that was cut too long. */
static bool put(int frames, archive_frame_kind kind, const void *bytes, size_t count)
{
    const archive_frame frame = {kind, (uint32_t)(count < ARCHIVE_FRAME_BYTES ? count : ARCHIVE_FRAME_BYTES)};
    return write_all(frames, &frame, sizeof frame) && write_all(frames, bytes, frame.bytes);
}

static bool put_text(int frames, archive_frame_kind kind, const char *text)
{
    return put(frames, kind, text, strlen(text));
}

static archive_frame_kind kind_of(struct archive_entry *entry)
{
    if (archive_entry_hardlink(entry) || archive_entry_symlink(entry)) return ARCHIVE_LINK;
    if (archive_entry_filetype(entry) == AE_IFDIR) return ARCHIVE_FOLDER;
    if (archive_entry_filetype(entry) != AE_IFREG) return ARCHIVE_SPECIAL;
    return archive_entry_is_encrypted(entry) ? ARCHIVE_ENCRYPTED : ARCHIVE_FILE;
}

static bool put_data(int frames, struct archive *archive)
{
    static char bytes[ARCHIVE_FRAME_BYTES];
    la_ssize_t count;
    while ((count = archive_read_data(archive, bytes, sizeof bytes)) != 0) {
        if (count == ARCHIVE_RETRY) continue;
        if (count < 0) return put_text(frames, ARCHIVE_DAMAGED, "");
        if (!put(frames, ARCHIVE_DATA, bytes, (size_t)count)) return false;
    }
    return true;
}

/* Whether the content of a student's file can matter: it may be a lab's file, or an archive with one. */
static bool has_use(const char *path)
{
    size_t stem;
    return file_names_is_source(path) || unpack_is_archive(path, &stem);
}

static bool put_entry(int frames, struct archive *archive, struct archive_entry *entry, bool of_student)
{
    const archive_frame_kind kind = kind_of(entry);
    const char *path = archive_entry_pathname_utf8(entry);
    if (!path) path = archive_entry_pathname(entry);
    if (!path) path = "";
    if (of_student && file_names_is_ignored(path)) return true;
    if (!put_text(frames, kind, path)) return false;
    return kind != ARCHIVE_FILE || (of_student && !has_use(path)) || put_data(frames, archive);
}

static bool put_unreadable(int frames, struct archive *archive)
{
    const char *why = archive_error_string(archive);
    return put_text(frames, ARCHIVE_UNREADABLE, why ? why : "it is damaged");
}

static bool put_entries(int frames, struct archive *archive, bool of_student)
{
    for (;;) {
        struct archive_entry *entry;
        int code = archive_read_next_header(archive, &entry);
        if (code == ARCHIVE_EOF) return put_text(frames, ARCHIVE_END, "");
        if (code == ARCHIVE_RETRY) continue;
        if (code < ARCHIVE_WARN) return put_unreadable(frames, archive);
        if (!put_entry(frames, archive, entry, of_student)) return false;
    }
}

static bool put_archive(int frames, struct archive *archive, int descriptor, bool of_student)
{
    enum { BLOCK = 65536 };
    archive_read_support_format_zip(archive);
    archive_read_support_format_tar(archive);
    archive_read_support_filter_gzip(archive);
    if (archive_read_open_fd(archive, descriptor, BLOCK) != ARCHIVE_OK) return put_unreadable(frames, archive);
    return put_entries(frames, archive, of_student);
}

bool archive_frames_write(int archive, int frames, bool of_student)
{
    /* Names in archives are UTF-8 or bytes. In the plain C locale libarchive rejects both. */
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = (locale_t)0;
    if (utf8) before = uselocale(utf8);
    struct archive *reader = archive_read_new();
    bool put = reader && put_text(frames, ARCHIVE_READY, "") && put_archive(frames, reader, archive, of_student);
    archive_read_free(reader);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    return put;
}
