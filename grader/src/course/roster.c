/* Reading a roster; see roster.h. */
#include "roster.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "course.h"
#include "base/csv.h"
#include "base/folder.h"
#include "base/text.h"

enum { NO_COLUMN = CSV_MOST_FIELDS };

typedef enum column {
    COLUMN_ID,
    COLUMN_NAME,
    COLUMN_FIRST,
    COLUMN_LAST,
    COLUMN_EMAIL,
    COLUMN_SECTION,
    COLUMN_GROUP,
    COLUMN_SUBMITTED,
    COLUMNS
} column;

/* What systems call the columns, compared without case; the first that a file has counts. */
static const char *const column_names[COLUMNS][8] = {
    [COLUMN_ID] = {"id", "student id", "sid", "sis user id", "id number", "user id", "identifier", "canvas_user_id"},
    [COLUMN_NAME] = {"name", "student", "full name", "student name"},
    [COLUMN_FIRST] = {"first name", "given name", "firstname"},
    [COLUMN_LAST] = {"last name", "surname", "family name", "lastname"},
    [COLUMN_EMAIL] = {"e-mail", "email", "email address", "e-mail address", "mail"},
    [COLUMN_SECTION] = {"section", "sections", "group"},
    [COLUMN_GROUP] = {"group", "group name", "group_name", "team"},
    [COLUMN_SUBMITTED] = {"submitted", "submitted at", "handed in", "submission time"},
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
    free(student->submitted);
}

/* Moodle's worksheet has "Participant 4711" for what its downloads call 4711. */
static const char *plain_id(const char *id)
{
    static const char word[] = "participant ";
    return strncasecmp(id, word, strlen(word)) == 0 ? id + strlen(word) : id;
}

/* Canvas's gradebook has rows above its students: perhaps one about posting, and one of the points of each column. */
static bool is_points_possible(const roster_student *student)
{
    static const char words[] = "points possible";
    const char *name = student->name + strspn(student->name, " ");
    return !*student->id && strncasecmp(name, words, strlen(words)) == 0;
}

static bool is_nobody(const roster_student *student) { return !*student->id && !*student->name; }

static bool refuse_nobody(const char *path, int line, grader_fault *fault)
{
    return fault_set(fault, "%s:%d: a student with neither id nor name", path, line);
}

static bool has_time(const roster_student *student)
{
    int64_t seconds;
    return !*student->submitted || course_time(&seconds, student->submitted, "UTC");
}

static bool add_member(roster *out, size_t student, const char *group, grader_fault *fault)
{
    roster_member *larger = realloc(out->member, (out->members + 1) * sizeof *larger);
    if (larger) out->member = larger;
    char *copy = larger ? strdup(group) : NULL;
    if (!copy) return fault_set(fault, "not enough memory for the roster");
    out->member[out->members++] = (roster_member){.student = student, .group = copy};
    return true;
}

/* A row of a student who is there already. */
static bool add_again(roster *out, size_t student, const csv_reader *reader, const char *group, grader_fault *fault)
{
    bool has_other = false, has_this = !*group;
    for (size_t i = 0; i < out->members; i++) {
        if (out->member[i].student != student) continue;
        has_other = true;
        has_this = has_this || strcmp(out->member[i].group, group) == 0;
    }
    if (has_other && !has_this) return add_member(out, student, group, fault);
    return fault_set(fault, "%s:%d: the id %s is there twice", reader->path, reader->row_line,
                     out->student[student].id);
}

static bool find_id(size_t *student, const roster *students, const char *id)
{
    for (size_t i = 0; *id && i < students->count; i++) {
        *student = i;
        if (strcmp(students->student[i].id, id) == 0) return true;
    }
    return false;
}

/* `nobody` is the line of a row before this one that was no student's, 0 for none. */
static bool add_student(roster *out, int *nobody, const csv_reader *reader, const size_t *where, grader_fault *fault)
{
    roster_student student = {.id = strdup(plain_id(field_of(reader, where[COLUMN_ID]))),
                              .name = make_name(reader, where),
                              .email = strdup(field_of(reader, where[COLUMN_EMAIL])),
                              .section = strdup(field_of(reader, where[COLUMN_SECTION])),
                              .submitted = strdup(field_of(reader, where[COLUMN_SUBMITTED]))};
    roster_student *larger = realloc(out->student, (out->count + 1) * sizeof *larger);
    if (larger) out->student = larger;
    bool ok = larger && student.id && student.name && student.email && student.section && student.submitted;
    const bool above = ok && (is_points_possible(&student) || (is_nobody(&student) && out->count == 0 && !*nobody));
    if (!ok) {
        fault_set(fault, "not enough memory for the roster");
    } else if (above) {
        *nobody = is_nobody(&student) ? reader->row_line : 0;
        free_student(&student);
        return true;
    } else if (*nobody || is_nobody(&student)) {
        ok = refuse_nobody(reader->path, *nobody ? *nobody : reader->row_line, fault);
    } else if (!has_time(&student)) {
        ok = fault_set(fault, "%s:%d: \"%.64s\" is not a time such as 2026-11-20 23:59", reader->path, reader->row_line,
                       student.submitted);
    }
    const char *group = field_of(reader, where[COLUMN_GROUP]);
    size_t same;
    const bool again = ok && find_id(&same, out, student.id);
    if (again) ok = add_again(out, same, reader, group, fault);
    if (!ok || again) {
        free_student(&student);
        return ok;
    }
    out->has_times = out->has_times || *student.submitted;
    out->student[out->count++] = student;
    return !*group || add_member(out, out->count - 1, group, fault);
}

bool roster_parse(roster *out, const char *path, const char *bytes, size_t count, grader_fault *fault)
{
    enum { MOST_STUDENTS = 20000 };
    csv_reader reader;
    size_t where[COLUMNS];
    int nobody = 0;
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
            ok = add_student(out, &nobody, &reader, where, fault);
    }
    if (ok && nobody) ok = refuse_nobody(path, nobody, fault);
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
    for (size_t i = 0; i < students->members; i++) free(students->member[i].group);
    free(students->student);
    free(students->member);
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

bool roster_is_name(const roster_student *student, const char *name)
{
    char one[256], other[256];
    normalize(other, sizeof other, name, false);
    for (int order = 0; order < 2; order++) {
        normalize(one, sizeof one, student->name, order == 1);
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
        if (roster_is_name(&students->student[i], entry->name)) return &students->student[i];
    }
    return NULL;
}

static bool is_exact(const char *on_roster, const char *name) { return strcmp(on_roster, name) == 0; }

static bool is_alike(const char *on_roster, const char *name)
{
    char one[256], other[256];
    normalize(one, sizeof one, on_roster, false);
    normalize(other, sizeof other, name, false);
    return *one && strcmp(one, other) == 0;
}

const char *roster_find_group(const roster *students, const char *name, bool *several)
{
    bool (*const fits[])(const char *, const char *) = {is_exact, is_alike};
    const char *found = NULL;
    *several = false;
    for (int form = 0; form < 2 && !found; form++) {
        for (size_t i = 0; i < students->members; i++) {
            const char *group = students->member[i].group;
            if (!fits[form](group, name)) continue;
            *several = *several || (found && strcmp(found, group) != 0);
            if (!found) found = group;
        }
    }
    return *several ? NULL : found;
}

bool roster_is_member(const roster *students, const roster_student *student, const char *group)
{
    for (size_t i = 0; i < students->members; i++) {
        const roster_member *member = &students->member[i];
        if (&students->student[member->student] == student && strcmp(member->group, group) == 0) return true;
    }
    return false;
}
