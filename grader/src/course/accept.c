/* What an instructor accepts; see accept.h. */
#include "accept.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/csv.h"
#include "base/folder.h"
#include "roster_match.h"

typedef enum accept_column { SUBMISSION, ACCEPTED_FILE, STUDENT, ACCEPT_COLUMNS } accept_column;

static const char *const names[ACCEPT_COLUMNS] = {"submission", "file", "student"};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool read_head(size_t *where, csv_reader *reader, grader_fault *fault)
{
    bool found;
    FAULT_TRY(csv_next(reader, &found, fault));
    for (int kind = 0; kind < ACCEPT_COLUMNS; kind++) {
        where[kind] = CSV_MOST_FIELDS;
        for (size_t i = 0; found && i < reader->fields; i++) {
            if (strcasecmp(reader->field[i], names[kind]) == 0) where[kind] = i;
        }
    }
    if (where[SUBMISSION] < CSV_MOST_FIELDS) return true;
    return fault_set(fault, "%s:1: the first row must be \"submission,file,student\"", reader->path);
}

static char *copy_field(const csv_reader *reader, size_t number)
{
    return strdup(number < reader->fields ? reader->field[number] : "");
}

static bool add_row(acceptances *out, const csv_reader *reader, const size_t *where, grader_fault *fault)
{
    acceptance *larger = realloc(out->row, (out->count + 1) * sizeof *larger);
    if (!larger) return fault_memory(fault, reader->path);
    out->row = larger;
    acceptance *row = &out->row[out->count++];
    *row = (acceptance){.submission = copy_field(reader, where[SUBMISSION]),
                        .file = copy_field(reader, where[ACCEPTED_FILE]),
                        .student = copy_field(reader, where[STUDENT]),
                        .line = reader->row_line};
    if (!row->submission || !row->file || !row->student) return fault_memory(fault, reader->path);
    if (*row->submission && (*row->file || *row->student)) return true;
    return fault_set(fault, "%s:%d: a submission, and its file or its student, are needed", reader->path, row->line);
}

static bool read_rows(acceptances *out, csv_reader *reader, grader_fault *fault)
{
    size_t where[ACCEPT_COLUMNS];
    bool found = true;
    FAULT_TRY(read_head(where, reader, fault));
    for (;;) {
        FAULT_TRY(csv_next(reader, &found, fault));
        if (!found) return true;
        FAULT_TRY(add_row(out, reader, where, fault));
    }
}

bool accept_read(acceptances *out, const char *path, grader_fault *fault)
{
    enum { MOST_BYTES = 1 << 20 };
    char *bytes;
    size_t count = 0;
    csv_reader reader;
    *out = (acceptances){.path = strdup(path)};
    if (!out->path) return fault_memory(fault, path);
    fault_set(fault, "%s: there is no such file of at most 1 MiB", path);
    FAULT_TRY(folder_read(&bytes, &count, path, MOST_BYTES, fault) == FOLDER_FILE);
    csv_begin(&reader, path, bytes, count);
    bool ok = read_rows(out, &reader, fault);
    csv_end(&reader);
    free(bytes);
    return ok;
}

void accept_free(acceptances *accepted)
{
    for (size_t i = 0; i < accepted->count; i++) {
        free(accepted->row[i].submission);
        free(accepted->row[i].file);
        free(accepted->row[i].student);
    }
    free(accepted->row);
    free(accepted->path);
    *accepted = (acceptances){0};
}

/* ---- applying ---------------------------------------------------------------------------------------------------- */

static bool is_about(const acceptance *row, const submission *entry)
{
    return strcmp(row->submission, "*") == 0 || strcmp(row->submission, entry->name) == 0 ||
           (entry->id && strcmp(row->submission, entry->id) == 0);
}

static bool give(submission *entry, const acceptance *row, const acceptances *accepted, const roster *students,
                 grader_fault *fault)
{
    const submission named = {.name = row->student};
    const roster_student *student = roster_find(students, &named);
    if (!student) {
        return fault_set(fault, "%s:%d: \"%.64s\" %s", accepted->path, row->line, row->student,
                         roster_fits_several(students, &named) ? "fits several students of the roster: give the id"
                                                               : "is no student of the roster");
    }
    const submission_student owner = {.name = *student->id || *student->email ? entry->name : student->name,
                                      .id = *student->id ? student->id : NULL,
                                      .email = *student->email ? student->email : NULL};
    entry->has_accepted_owner = true;
    return submissions_give(entry, &owner, fault);
}

bool accept_students(intake *taken, const acceptances *accepted, const roster *students, grader_fault *fault)
{
    for (size_t k = 0; k < accepted->count; k++) {
        const acceptance *row = &accepted->row[k];
        size_t about = 0;
        for (size_t i = 0; i < taken->list.count; i++) {
            submission *entry = &taken->list.entry[i];
            if (!is_about(row, entry)) continue;
            if (*row->student) FAULT_TRY(give(entry, row, accepted, students, fault));
            about++;
        }
        if (about) continue;
        intake_notes_add(&taken->notes, row->submission, "no submission has this name (%s:%d)", accepted->path,
                         row->line);
    }
    return true;
}

static bool set_file(submission *entry, const char *file, grader_fault *fault)
{
    free(entry->accepted);
    entry->accepted = strdup(file);
    return entry->accepted || fault_memory(fault, "the submissions");
}

bool accept_files(intake *taken, const acceptances *accepted, grader_fault *fault)
{
    for (size_t k = 0; k < accepted->count; k++) {
        const acceptance *row = &accepted->row[k];
        for (size_t i = 0; *row->file && i < taken->list.count; i++) {
            if (is_about(row, &taken->list.entry[i])) FAULT_TRY(set_file(&taken->list.entry[i], row->file, fault));
        }
    }
    return true;
}
