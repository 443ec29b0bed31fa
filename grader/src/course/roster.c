/* Reading a roster; see roster.h. */
#include "roster.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/csv.h"
#include "base/folder.h"
#include "base/text.h"
#include "course.h"
#include "intake/submissions.h"
#include "roster_columns.h"

static char *make_name(const csv_reader *reader, const roster_columns *where)
{
    const char *first = roster_columns_field(reader, where->of[COLUMN_FIRST]),
               *last = roster_columns_field(reader, where->of[COLUMN_LAST]);
    text_buffer name = {0};
    if (where->of[COLUMN_NAME] != NO_COLUMN) return strdup(roster_columns_field(reader, where->of[COLUMN_NAME]));
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
    free(student->github);
    for (size_t i = 0; i < ROSTER_ALSO; i++) free(student->also[i]);
}

/* Moodle's worksheet calls "Participant 4711" or "Participante4711" what its downloads call 4711. Brightspace writes
 * "#0012345", so that no spreadsheet drops the zeros. */
static const char *plain_id(const char *id)
{
    static const char *const words[] = {
#define PARTICIPANT_NAME(word) word,
        PARTICIPANT_NAMES(PARTICIPANT_NAME)
#undef PARTICIPANT_NAME
    };
    if (*id == '#') return id + 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        const char *number = strncasecmp(id, words[i], length) == 0 ? id + length + strspn(id + length, " ") : "";
        if (*number && number[strspn(number, "0123456789")] == '\0') return number;
    }
    return id;
}

/* Canvas's gradebook has rows above its students: perhaps one about posting, and one with the points of each column. */
static bool is_points_possible(const roster_student *student)
{
    static const char words[] = "points possible";
    const char *name = student->name + strspn(student->name, " ");
    return !*student->id && strncasecmp(name, words, strlen(words)) == 0;
}

static bool is_nameless(const roster_student *student) { return !*student->id && !*student->name; }

static bool refuse_nameless(const char *path, int line, grader_fault *fault)
{
    return fault_set(fault, "%s:%d: a student with neither id nor name", path, line);
}

/* Reads a duration as Moodle writes it, such as "2 days 3 hours"; `end` is behind it. Returns -1 without one. */
static int64_t read_duration(const char *text, const char **end)
{
    static const struct {
        const char *name;
        int64_t seconds;
    } units[] = {{"year", 365 * 86400}, {"day", 86400}, {"hour", 3600}, {"min", 60}, {"sec", 1}};
    int64_t seconds = -1;
    for (;;) {
        char *rest;
        text += strspn(text, " ");
        const long number = strtol(text, &rest, 10);
        const char *unit = rest + strspn(rest, " ");
        size_t kind = 0, kinds = sizeof units / sizeof *units;
        while (kind < kinds && strncmp(unit, units[kind].name, strlen(units[kind].name)) != 0) kind++;
        if (rest == text || number < 0 || number > 1000000 || kind == kinds) break;
        seconds = (seconds < 0 ? 0 : seconds) + number * units[kind].seconds;
        text = unit + strspn(unit, "abcdefghijklmnopqrstuvwxyz");
    }
    *end = text;
    return seconds;
}

/* How late Moodle's status of a submission says that it is, in seconds; ROSTER_UNKNOWN where it says nothing. The parts
 * of a status stand with " - " between them: "Submitted for grading - 2 days 3 hours late". */
static int64_t read_lateness(const char *status)
{
    static const char handed_in[] = "submitted for grading", late[] = "late";
    if (strncasecmp(status, handed_in, strlen(handed_in)) != 0) return ROSTER_UNKNOWN;
    for (const char *part = status; (part = strstr(part, " - "));) {
        part += strlen(" - ");
        const int64_t seconds = read_duration(part, &part);
        if (seconds >= 0 && strncmp(part, late, strlen(late)) == 0) return seconds;
    }
    return 0;
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
    if (!copy) return fault_memory(fault, "the roster");
    out->member[out->members++] = (roster_member){.student = student, .group = copy};
    return true;
}

static submission_student described(const roster_student *row)
{
    return (submission_student){.name = *row->name ? row->name : NULL, .email = *row->email ? row->email : NULL};
}

/* Takes another row of a student: it may name another group. */
static bool add_again(roster *out, size_t student, const roster_student *row, const csv_reader *reader,
                      const char *group, grader_fault *fault)
{
    const roster_student *first = &out->student[student];
    const submission_student one = described(first), other = described(row);
    bool has_other = false, has_this = !*group;
    const bool named = one.name && other.name; /* a roster is the instructor's: one name is one student */
    if (named ? strcasecmp(one.name, other.name) != 0 : submissions_are_of_two(&one, &other)) {
        return fault_set(fault, "%s:%d: the id %s occurs twice, for %s and for %s", reader->path, reader->row_line,
                         first->id, *first->name ? first->name : first->email, *row->name ? row->name : row->email);
    }
    for (size_t i = 0; i < out->members; i++) {
        if (out->member[i].student != student) continue;
        has_other = true;
        has_this = has_this || strcmp(out->member[i].group, group) == 0;
    }
    if (has_other && !has_this) return add_member(out, student, group, fault);
    return fault_set(fault, "%s:%d: the id %s occurs twice", reader->path, reader->row_line, out->student[student].id);
}

static bool find_id(size_t *student, const roster *students, const char *id)
{
    for (size_t i = 0; *id && i < students->count; i++) {
        *student = i;
        if (strcmp(students->student[i].id, id) == 0) return true;
    }
    return false;
}

static char *copy_field(const csv_reader *reader, size_t number)
{
    return strdup(plain_id(roster_columns_field(reader, number)));
}

/* Reads a row; the caller frees its texts, also after a failure. */
static bool read_student(roster_student *out, const csv_reader *reader, const roster_columns *where,
                         grader_fault *fault)
{
    const char *status = roster_columns_field(reader, where->of[COLUMN_STATUS]);
    const bool two = where->of[COLUMN_NAME] == NO_COLUMN;
    *out = (roster_student){.id = copy_field(reader, where->of[COLUMN_ID]),
                            .name = make_name(reader, where),
                            .email = strdup(roster_columns_field(reader, where->of[COLUMN_EMAIL])),
                            .section = strdup(roster_columns_field(reader, where->of[COLUMN_SECTION])),
                            .submitted = strdup(roster_columns_field(reader, where->of[COLUMN_SUBMITTED])),
                            .github = copy_field(reader, where->of[COLUMN_GITHUB]),
                            .first_length = two ? strlen(roster_columns_field(reader, where->of[COLUMN_FIRST])) : 0,
                            .late = read_lateness(status)};
    bool whole = out->id && out->name && out->email && out->section && out->submitted && out->github;
    for (size_t i = 0; i < ROSTER_ALSO; i++) {
        out->also[i] = copy_field(reader, where->also[i]);
        whole = whole && out->also[i];
    }
    return whole || fault_memory(fault, "the roster");
}

/* What becomes of a row. */
typedef enum row_kind {
    ROW_HEAD,  /* above the students: skipped */
    ROW_AGAIN, /* of a student who has a row already: the group alone counts */
    ROW_NEW,
} row_kind;

/* `nameless` is the line of a row before this one without id and name, 0 for none; only the end of Canvas's head may
 * follow it. `same` is the student of ROW_AGAIN. */
static bool judge_row(row_kind *kind, size_t *same, const roster *students, int *nameless,
                      const roster_student *student, const csv_reader *reader, grader_fault *fault)
{
    const bool first_nameless = is_nameless(student) && students->count == 0 && !*nameless;
    if (is_points_possible(student) || first_nameless) {
        *nameless = first_nameless ? reader->row_line : 0;
        *kind = ROW_HEAD;
        return true;
    }
    if (*nameless || is_nameless(student))
        return refuse_nameless(reader->path, *nameless ? *nameless : reader->row_line, fault);
    if (!has_time(student)) {
        return fault_set(fault, "%s:%d: \"%.64s\" is not a time such as 2026-11-20 23:59", reader->path,
                         reader->row_line, student->submitted);
    }
    *kind = find_id(same, students, student->id) ? ROW_AGAIN : ROW_NEW;
    return true;
}

/* Appends a student, and takes its texts over. */
static bool append_student(roster *out, roster_student *student, grader_fault *fault)
{
    roster_student *larger = realloc(out->student, (out->count + 1) * sizeof *larger);
    if (!larger) return fault_memory(fault, "the roster");
    out->student = larger;
    out->has_times = out->has_times || *student->submitted || student->late > 0;
    out->student[out->count++] = *student;
    *student = (roster_student){0};
    return true;
}

/* Adds the student of a row; `student` is room for its texts, which the caller frees. */
static bool add_row(roster *out, roster_student *student, int *nameless, const csv_reader *reader,
                    const roster_columns *where, grader_fault *fault)
{
    row_kind kind = ROW_HEAD;
    size_t same = 0;
    const char *group = roster_columns_field(reader, where->of[COLUMN_GROUP]);
    FAULT_TRY(read_student(student, reader, where, fault));
    FAULT_TRY(judge_row(&kind, &same, out, nameless, student, reader, fault));
    if (kind == ROW_HEAD) return true;
    if (kind == ROW_AGAIN) return add_again(out, same, student, reader, group, fault);
    FAULT_TRY(append_student(out, student, fault));
    return !*group || add_member(out, out->count - 1, group, fault);
}

/* Reads the rows after the one that names the columns. */
static bool read_students(roster *out, csv_reader *reader, const roster_columns *where, grader_fault *fault)
{
    enum { MOST_STUDENTS = 20000 };
    int nameless = 0;
    for (;;) {
        bool found;
        FAULT_TRY(csv_next(reader, &found, fault));
        if (!found) return !nameless || refuse_nameless(reader->path, nameless, fault);
        if (out->count == MOST_STUDENTS)
            return fault_set(fault, "%s: more than %d students", reader->path, MOST_STUDENTS);
        roster_student student;
        bool added = add_row(out, &student, &nameless, reader, where, fault);
        free_student(&student);
        FAULT_TRY(added);
    }
}

static bool read_rows(roster *out, const roster_reading *how, csv_reader *reader, grader_fault *fault)
{
    roster_columns where;
    bool found;
    FAULT_TRY(csv_next(reader, &found, fault));
    if (!found) return fault_set(fault, "%s: the roster is empty", reader->path);
    FAULT_TRY(roster_columns_find(&where, reader, how ? how->columns : NULL, fault));
    out->columns = roster_columns_text(&where, reader);
    return out->columns ? read_students(out, reader, &where, fault) : fault_memory(fault, "the roster");
}

bool roster_parse(roster *out, const roster_reading *how, const char *path, const char *bytes, size_t count,
                  grader_fault *fault)
{
    csv_reader reader;
    *out = (roster){.dropped_zeros = how && how->dropped_zeros};
    csv_begin(&reader, path, bytes, count);
    bool ok = read_rows(out, how, &reader, fault);
    csv_end(&reader);
    if (!ok) roster_free(out);
    return ok;
}

bool roster_read(roster *out, const roster_reading *how, const char *path, grader_fault *fault)
{
    enum { MOST_BYTES = 16 << 20 };
    char *bytes;
    size_t count = 0;
    *out = (roster){0};
    fault_set(fault, "%s: there is no such file of at most 16 MiB", path);
    FAULT_TRY(folder_read(&bytes, &count, path, MOST_BYTES, fault) == FOLDER_FILE);
    bool ok = roster_parse(out, how, path, bytes, count, fault);
    free(bytes);
    return ok;
}

void roster_free(roster *students)
{
    for (size_t i = 0; i < students->count; i++) free_student(&students->student[i]);
    for (size_t i = 0; i < students->members; i++) free(students->member[i].group);
    free(students->student);
    free(students->member);
    free(students->columns);
    *students = (roster){0};
}
