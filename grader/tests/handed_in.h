/* handed_in.h: makes a class's work for tests, in folders and archives, and reads it through the intake. */
#ifndef GRADER_TESTS_HANDED_IN_H
#define GRADER_TESTS_HANDED_IN_H

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "intake/intake.h"
#include "toy.h"
#include "test.h"
#include "base/text.h"

static char *place;
static intake taken;
static grader_fault fault;
static const intake_wanted wanted = {.file = "lab03.c"};

static inline void begin(void) { cr_assert(folder_make_private(&place, "intake-test", &fault), "%s", fault.text); }

static inline void end(void)
{
    intake_close(&taken);
    folder_remove(place);
    free(place);
}

static inline void put(const char *name, const char *text)
{
    char *path = folder_path(place, name), *folder = strdup(path);
    *strrchr(folder, '/') = '\0';
    cr_assert(folder_make(folder, &fault) && folder_write(path, text, strlen(text), &fault), "%s", fault.text);
    free(path);
    free(folder);
}

/* ---- archives ---------------------------------------------------------------------------------------------------- */

static inline struct archive *create(const char *name, bool zip)
{
    struct archive *archive = archive_write_new();
    char *path = folder_path(place, name);
    if (zip) {
        archive_write_set_format_zip(archive);
    } else {
        archive_write_set_format_pax_restricted(archive);
        archive_write_add_filter_gzip(archive);
    }
    cr_assert_eq(archive_write_open_filename(archive, path), ARCHIVE_OK, "%s", archive_error_string(archive));
    free(path);
    return archive;
}

static inline void pack(struct archive *archive, const char *name, const void *bytes, size_t count)
{
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (la_int64_t)count);
    cr_assert(archive_write_header(archive, entry) >= ARCHIVE_WARN, "%s", archive_error_string(archive));
    archive_write_data(archive, bytes, count);
    archive_entry_free(entry);
}

static inline void pack_text(struct archive *archive, const char *name, const char *text)
{
    pack(archive, name, text, strlen(text));
}

static inline void pack_kind(struct archive *archive, const char *name, unsigned kind, const char *link)
{
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, kind);
    archive_entry_set_perm(entry, 0644);
    if (link && kind == AE_IFLNK) archive_entry_set_symlink(entry, link);
    if (link && kind == AE_IFREG) archive_entry_set_hardlink(entry, link);
    cr_assert(archive_write_header(archive, entry) >= ARCHIVE_WARN, "%s", archive_error_string(archive));
    archive_entry_free(entry);
}

static inline void finish(struct archive *archive) { archive_write_free(archive); }

/* ---- asking ------------------------------------------------------------------------------------------------------ */

/* The path of labunpack; the caller frees it. */
static inline char *unpack_program(void)
{
    char *program = folder_path(toy_build(), "bin/labunpack"), *whole = realpath(program, NULL);
    cr_assert_not_null(whole, "make builds %s before the tests", program);
    free(program);
    return whole;
}

static inline void open_place(const char *name)
{
    char *path = *name ? folder_path(place, name) : strdup(place);
    char *program = unpack_program();
    const unpack_reader reader = {.program = program};
    cr_assert(intake_open(&taken, path, "/nowhere", &reader, &fault), "%s", fault.text);
    free(path);
    free(program);
}

static inline const submission *find(const char *name)
{
    for (size_t i = 0; i < taken.list.count; i++) {
        if (strcmp(taken.list.entry[i].name, name) == 0) return &taken.list.entry[i];
    }
    cr_assert(false, "%s has no submission", name);
    return NULL;
}

/* The student's lab03.c; free it with submissions_file_free. */
static inline submission_file find_file(const char *name)
{
    submission_file found;
    cr_assert(intake_find(&found, find(name), &wanted, &fault), "%s", fault.text);
    return found;
}

/* The student's lab03.c is refused for this reason. */
static inline void assert_refused(const char *name, const char *refusal)
{
    submission_file found = find_file(name);
    cr_assert_null(found.path, "%s", found.path);
    cr_assert_str_eq(found.refusal, refusal, "%s", found.refusal);
    submissions_file_free(&found);
}

static inline void assert_file(const char *name, const char *expected)
{
    submission_file found = find_file(name);
    char *text = NULL;
    size_t bytes;
    cr_assert_not_null(found.path, "%s: %s", name, found.refusal);
    cr_assert_eq(folder_read(&text, &bytes, found.path, 4 << 20, &fault), FOLDER_FILE, "%s", found.path);
    cr_assert_str_eq(text, expected);
    free(text);
    submissions_file_free(&found);
}

static inline void assert_note(const char *name, const char *reason)
{
    for (size_t i = 0; i < taken.notes.count; i++) {
        if (strcmp(taken.notes.note[i].name, name) == 0 && strstr(taken.notes.note[i].reason, reason)) return;
    }
    for (size_t i = 0; i < taken.notes.count; i++) {
        fprintf(stderr, "%s: %s\n", taken.notes.note[i].name, taken.notes.note[i].reason);
    }
    cr_assert(false, "no note on %s: %s", name, reason);
}

/* The number of files below a folder. */
static inline int count_files(const char *folder)
{
    text_buffer command = {0};
    int count = -1;
    text_format(&command, "find '%s' ! -type d -printf x | wc -c", folder);
    FILE *pipe = popen(command.text, "r");
    cr_assert(pipe && fscanf(pipe, "%d", &count) == 1);
    pclose(pipe);
    free(command.text);
    return count;
}

#endif
