/* Reading a roster; see roster.h. */
#include "roster.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "csv.h"
#include "folder.h"
#include "text.h"

enum { NO_COLUMN = CSV_MOST_FIELDS };

typedef enum column { COLUMN_ID, COLUMN_NAME, COLUMN_FIRST, COLUMN_LAST, COLUMN_EMAIL, COLUMN_SECTION, COLUMNS } column;

/* What systems call the columns, compared without case; the first that a file has counts. */
static const char *const column_names[COLUMNS][8] = {
    [COLUMN_ID] = {"id", "student id", "sid", "sis user id", "id number", "user id", "identifier"},
    [COLUMN_NAME] = {"name", "student", "full name", "student name"},
    [COLUMN_FIRST] = {"first name", "given name", "firstname"},
    [COLUMN_LAST] = {"last name", "surname", "family name", "lastname"},
    [COLUMN_EMAIL] = {"e-mail", "email", "email address", "e-mail address", "mail"},
    [COLUMN_SECTION] = {"section", "group", "sections"},
};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool find_columns(size_t *where, const csv_reader *reader, grader_fault *fault)
{
    for (int of = 0; of < COLUMNS; of++) {
        where[of] = NO_COLUMN;
        for (int i = 0; i < 8 && column_names[of][i] && where[of] == NO_COLUMN; i++) {
            for (size_t k = 0; k < reader->fields && where[of] == NO_COLUMN; k++) {
                if (strcasecmp(reader->field[k], column_names[of][i]) == 0) where[of] = k;
            }
        }
    }
    if (where[COLUMN_ID] != NO_COLUMN || where[COLUMN_NAME] != NO_COLUMN || where[COLUMN_LAST] != NO_COLUMN)
        return true;
    return fault_set(fault, "%s:%d: the first row must name the columns, one of them \"id\" or \"name\"", reader->path,
                     reader->row_line);
}

static const char *field_of(const csv_reader *reader, size_t number)
{
    return number < reader->fields ? reader->field[number] : "";
}

static char *make_name(const csv_reader *reader, const size_t *where)
{
    const char *first = field_of(reader, where[COLUMN_FIRST]), *last = field_of(reader, where[COLUMN_LAST]);
    text_buffer name = {0};
    if (where[COLUMN_NAME] != NO_COLUMN) return strdup(field_of(reader, where[COLUMN_NAME]));
    text_format(&name, "%s%s%s", first, *first && *last ? " " : "", last);
    return name.failed ? NULL : name.text;
}

static void free_student(roster_student *student)
{
    free(student->id);
    free(student->name);
    free(student->email);
    free(student->section);
}

static bool add_student(roster *out, const csv_reader *reader, const size_t *where, grader_fault *fault)
{
    roster_student student = {.id = strdup(field_of(reader, where[COLUMN_ID])),
                              .name = make_name(reader, where),
                              .email = strdup(field_of(reader, where[COLUMN_EMAIL])),
                              .section = strdup(field_of(reader, where[COLUMN_SECTION]))};
    roster_student *larger = realloc(out->student, (out->count + 1) * sizeof *larger);
    if (larger) out->student = larger;
    bool ok = larger && student.id && student.name && student.email && student.section;
    if (!ok) {
        fault_set(fault, "not enough memory for the roster");
    } else if (!*student.id && !*student.name) {
        ok = fault_set(fault, "%s:%d: a student with neither id nor name", reader->path, reader->row_line);
    }
    for (size_t i = 0; ok && *student.id && i < out->count; i++) {
        if (strcmp(out->student[i].id, student.id) == 0) {
            ok = fault_set(fault, "%s:%d: the id %s is there twice", reader->path, reader->row_line, student.id);
        }
    }
    if (ok)
        out->student[out->count++] = student;
    else
        free_student(&student);
    return ok;
}

bool roster_parse(roster *out, const char *path, const char *bytes, size_t count, grader_fault *fault)
{
    enum { MOST_STUDENTS = 20000 };
    csv_reader reader;
    size_t where[COLUMNS];
    bool found;
    *out = (roster){0};
    csv_begin(&reader, path, bytes, count);
    bool ok = csv_next(&reader, &found, fault);
    if (ok && !found) ok = fault_set(fault, "%s: the roster is empty", path);
    ok = ok && find_columns(where, &reader, fault);
    while (ok && (ok = csv_next(&reader, &found, fault)) && found) {
        if (out->count == MOST_STUDENTS)
            ok = fault_set(fault, "%s: more than %d students", path, MOST_STUDENTS);
        else
            ok = add_student(out, &reader, where, fault);
    }
    csv_end(&reader);
    if (!ok) roster_free(out);
    return ok;
}

bool roster_read(roster *out, const char *path, grader_fault *fault)
{
    enum { MOST_BYTES = 16 << 20 };
    char *bytes;
    size_t count = 0;
    *out = (roster){0};
    fault_set(fault, "%s: there is no such file of at most 16 MiB", path);
    if (folder_read(&bytes, &count, path, MOST_BYTES, fault) != FOLDER_FILE) return false;
    bool ok = roster_parse(out, path, bytes, count, fault);
    free(bytes);
    return ok;
}

void roster_free(roster *students)
{
    for (size_t i = 0; i < students->count; i++) free_student(&students->student[i]);
    free(students->student);
    *students = (roster){0};
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

/* Letters and digits of a name in lower case, and all bytes beyond ASCII; `last_first` moves the last word to the
 * front: "Ada Lovelace" is "lovelaceada" to Canvas. */
static void normalize(char *out, size_t room, const char *name, bool last_first)
{
    size_t used = 0;
    const char *last = strrchr(name, ' '), *begin = last_first && last ? last : name, *at = begin;
    const char *end = name + strlen(name);
    for (int pass = 0; pass < 2; pass++) {
        for (; at < end && used + 1 < room; at++) {
            unsigned char byte = (unsigned char)*at;
            if (isalnum(byte) || byte >= 0x80) out[used++] = (char)tolower(byte);
        }
        if (begin == name) break;
        at = name;
        end = begin;
    }
    out[used] = '\0';
}

static bool same_name(const char *on_roster, const char *handed_in)
{
    char one[256], other[256];
    normalize(other, sizeof other, handed_in, false);
    for (int order = 0; order < 2; order++) {
        normalize(one, sizeof one, on_roster, order == 1);
        if (*one && strcmp(one, other) == 0) return true;
    }
    return false;
}

const roster_student *roster_find(const roster *students, const submission *entry)
{
    for (size_t i = 0; i < students->count; i++) {
        const roster_student *student = &students->student[i];
        bool by_id = *student->id &&
                     ((entry->id && strcmp(student->id, entry->id) == 0) || strcmp(student->id, entry->name) == 0);
        bool by_email = *student->email && ((entry->email && strcasecmp(student->email, entry->email) == 0) ||
                                            strcasecmp(student->email, entry->name) == 0);
        if (by_id || by_email) return student;
    }
    for (size_t i = 0; i < students->count; i++) {
        if (same_name(students->student[i].name, entry->name)) return &students->student[i];
    }
    return NULL;
}
