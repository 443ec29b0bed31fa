/* Feeds arbitrary bytes to everything that reads a class's submissions and what comes with them: names, the metadata of
 * a download, a roster, a course's file, an archive. Nothing may be written outside the folder, and the results must
 * have the right form. */
#include <assert.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "course/course.h"
#include "base/folder.h"
#include "intake/download_names.h"
#include "course/roster.h"
#include "course/roster_match.h"
#include "intake/archive_frames.h"
#include "intake/file_names.h"
#include "intake/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_names(const char *text)
{
    canvas_name canvas;
    moodle_name moodle;
    if (download_names_canvas(&canvas, text)) assert(canvas.id >= 0 && canvas.student_length > 0 && *canvas.file);
    attempt_name attempt;
    if (download_names_moodle(&moodle, text))
        assert(moodle.id >= DOWNLOAD_NAMES_NO_ID && moodle.student_length < strlen(text));
    if (download_names_moodle_file(&moodle, text)) assert(moodle.student_length < strlen(text) && *moodle.file);
    if (download_names_attempt(&attempt, text)) assert(attempt.number >= 0 && attempt.rest_length < strlen(text));
    static bool (*const flat[])(flat_name * out, const char *name) = {
        download_names_anonymous, download_names_blackboard, download_names_brightspace, download_names_autolab};
    for (size_t i = 0; i < sizeof flat / sizeof *flat; i++) {
        flat_name name;
        int64_t time;
        if (!flat[i](&name, text)) continue;
        assert(name.student_length > 0 && name.student >= text && name.id >= text && name.order >= 0);
        assert(name.student + name.student_length <= text + strlen(text) && name.id_length <= strlen(name.id));
        assert(!name.file || (name.file > name.student && *name.file));
        assert(!*name.submitted || strlen(name.submitted) == strlen("2026-11-20 23:41:07"));
        course_time(&time, name.submitted, "UTC");
    }
    file_names_is_likely(text, "lab03.c");
    if (file_names_kind(text, "lab03.c") != FILE_NAME_OTHER)
        assert(strlen(text) >= strlen("lab03.c") && file_names_is_source(text));
    file_names_is_ignored(text);
    assert(download_names_gradescope_folder(text) >= -1);
    if (unpack_path_is_plain(text)) assert(*text != '/' && strncmp(text, "../", 3) != 0 && !strstr(text, "/../"));
    gradescope_submission next;
    const char *at = text, *before = at;
    while (download_names_gradescope_next(&next, &at)) {
        assert(at > before && next.number >= 0 && next.submitters >= 0);
        before = at;
    }
}

/* The columns of a roster named by the first line of the bytes. */
static void read_columns(const char *bytes, size_t size)
{
    grader_fault fault = {0};
    roster students;
    const char *end = size ? memchr(bytes, '\n', size) : NULL;
    if (!end) return;
    const size_t line = (size_t)(end - bytes);
    char *columns = strndup(bytes, line);
    const roster_reading how = {.columns = columns, .dropped_zeros = true};
    assert(columns);
    if (roster_parse(&students, &how, "roster.csv", bytes + line, size - line, &fault)) {
        char name[] = "Ada-0012";
        const submission entry = {.name = name, .id = columns};
        const roster_student *near[3];
        roster_find(&students, &entry);
        assert(roster_nearest(near, 3, &students, &entry) <= 3 && *students.columns);
        roster_free(&students);
    } else {
        assert(*fault.text);
    }
    free(columns);
}

static void read_tables(const char *bytes, size_t size)
{
    read_columns(bytes, size);
    static course settings;
    grader_fault fault = {0};
    roster students;
    if (roster_parse(&students, NULL, "roster.csv", bytes, size, &fault)) {
        for (size_t i = 0; i < students.count; i++) assert(*students.student[i].id || *students.student[i].name);
        for (size_t i = 0; i < students.members; i++) {
            const roster_member *member = &students.member[i];
            bool several;
            assert(member->student < students.count && *member->group);
            assert(strcmp(roster_find_group(&students, member->group, &several), member->group) == 0 && !several);
            assert(roster_is_member(&students, &students.student[member->student], member->group));
        }
        roster_free(&students);
    } else {
        assert(*fault.text);
    }
    if (!course_parse(&settings, "course.txt", bytes, size, &fault)) return;
    for (size_t i = 0; i < settings.labs; i++) {
        course_lateness late = course_late(&settings.lab[i], settings.lab[i].due + 1000000, settings.time_zone);
        assert(late.percent >= 0 && late.percent <= 100);
    }
}

static int found;

static int require_plain(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)path;
    (void)where;
    assert(kind == FTW_D || (kind == FTW_F && S_ISREG(status->st_mode) && status->st_size <= 101));
    found += kind == FTW_F;
    return 0;
}

static char *place;

static void remove_place(void) { folder_remove(place); }

/* Writes the files that these frames hold. Frames that end early are not a fault once labunpack is ready. */
static void write_files(int frames)
{
    static char *folder;
    grader_fault fault;
    intake_notes notes = {0};
    const unpack_limits limits = {.entries = 8, .bytes = 300, .file_bytes = 100, .seconds = 10};
    if (!place) {
        assert(folder_make_private(&place, "fuzz-intake", &fault));
        folder = folder_path(place, "out");
        atexit(remove_place);
    }
    mkdir(folder, 0700);
    bool cut = false;
    unpack_frames(frames, "archive", folder, &limits, &notes, &cut, &fault);
    found = 0;
    nftw(folder, require_plain, 16, FTW_PHYS);
    assert(found <= 8);
    struct stat status;
    assert(stat(place, &status) == 0 && status.st_nlink == 3);
    folder_remove(folder);
    intake_notes_free(&notes);
}

static int make_file(const uint8_t *data, size_t size)
{
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    assert(file >= 0 && write(file, data, size) == (ssize_t)size && lseek(file, 0, SEEK_SET) == 0);
    return file;
}

/* As an archive, and as the frames that something in labunpack's place might send. */
static void read_archive(const uint8_t *data, size_t size)
{
    int archive = make_file(data, size), frames = make_file(data, 0), forged = make_file(data, size);
    assert(archive_frames_write(archive, frames, size % 2) && lseek(frames, 0, SEEK_SET) == 0);
    write_files(frames);
    write_files(forged);
    close(archive);
    close(frames);
    close(forged);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = calloc(1, size + 1);
    memcpy(text, data, size);
    read_names(text);
    read_tables(text, size);
    read_archive(data, size);
    free(text);
    return 0;
}
