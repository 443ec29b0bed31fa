/* Names that learning systems give; see download_names.h. */
#include "download_names.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/plain_text.h"

/* Reads a number of 1 to 15 digits; NULL for anything else. */
static const char *read_number(long long *out, const char *text)
{
    enum { MOST_DIGITS = 15 };
    int digits = 0;
    *out = 0;
    for (; isdigit((unsigned char)*text); text++) {
        if (++digits > MOST_DIGITS) return NULL;
        *out = *out * 10 + (*text - '0');
    }
    return digits ? text : NULL;
}

/* Reads the part of Canvas's name after the student and the "_". */
static bool read_canvas_rest(canvas_name *out, const char *at)
{
    out->late = strncmp(at, "LATE_", 5) == 0;
    if (out->late) at += 5;
    at = read_number(&out->id, at);
    if (!at || *at != '_') return false;
    at = read_number(&out->submission, at + 1);
    if (!at || *at != '_' || !at[1]) return false;
    out->file = at + 1;
    return true;
}

bool download_names_canvas(canvas_name *out, const char *name)
{
    *out = (canvas_name){.student = name};
    for (const char *at = strchr(name, '_'); at; at = strchr(at + 1, '_')) {
        out->student_length = (size_t)(at - name);
        if (at > name && read_canvas_rest(out, at + 1)) return true;
    }
    return false;
}

/* ---- other flat downloads ---------------------------------------------------------------------------------------- */

/* Takes the name from `begin` to `end` as the student's and as the identifier. */
static void take_student(flat_name *out, const char *begin, const char *end)
{
    out->student = out->id = begin;
    out->student_length = out->id_length = (size_t)(end - begin);
}

bool download_names_anonymous(flat_name *out, const char *name)
{
    *out = (flat_name){.late = strncmp(name, "LATE_", 5) == 0};
    const char *begin = out->late ? name + 5 : name, *id = begin + strlen("anon_");
    if (strncmp(begin, "anon_", strlen("anon_")) != 0) return false;
    size_t length = 0;
    while (isalnum((unsigned char)id[length])) length++;
    take_student(out, begin, id + length);
    out->id = id;
    out->id_length = length;
    const char *rest = length && id[length] == '_' ? read_number(&out->order, id + length + 1) : NULL;
    if (!rest || *rest != '_' || !rest[1]) return false;
    out->file = rest + 1;
    return true;
}

/* Reads digits between two limits; NULL for anything else. */
static const char *read_within(int *out, const char *text, int most_digits, int least, int most)
{
    int digits = 0;
    *out = 0;
    for (; digits < most_digits && isdigit((unsigned char)*text); text++, digits++) *out = *out * 10 + (*text - '0');
    return digits && *out >= least && *out <= most ? text : NULL;
}

typedef struct stamp {
    int year, month, day, hour, minute, second;
} stamp;

static void set_time(flat_name *out, const stamp *time)
{
    snprintf(out->submitted, sizeof out->submitted, "%04d-%02d-%02d %02d:%02d:%02d", time->year, time->month, time->day,
             time->hour, time->minute, time->second);
    out->order = time->year * 10000LL + time->month * 100 + time->day;
    out->order = out->order * 1000000 + time->hour * 10000 + time->minute * 100 + time->second;
}

/* Reads "2026-11-20-23-41-07". */
static const char *read_stamp(stamp *out, const char *text)
{
    int *const parts[] = {&out->year, &out->month, &out->day, &out->hour, &out->minute, &out->second};
    static const struct {
        int digits, least, most;
    } limits[] = {{4, 1971, 9999}, {2, 1, 12}, {2, 1, 31}, {2, 0, 23}, {2, 0, 59}, {2, 0, 60}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (i > 0 && *text++ != '-') return NULL;
        text = read_within(parts[i], text, limits[i].digits, limits[i].least, limits[i].most);
        if (!text) return NULL;
    }
    return text;
}

bool download_names_blackboard(flat_name *out, const char *name)
{
    static const char word[] = "_attempt_";
    *out = (flat_name){0};
    for (const char *mark = strstr(name, word); mark; mark = strstr(mark + 1, word)) {
        stamp time;
        const char *rest = read_stamp(&time, mark + strlen(word));
        const bool has_login = mark > name && mark[-1] != '_' && memchr(name + 1, '_', (size_t)(mark - name));
        if (!rest || !has_login) continue;
        const bool described = strcmp(rest, ".txt") == 0;
        if (!described && (*rest != '_' || !rest[1])) continue;
        take_student(out, name, mark);
        set_time(out, &time);
        out->file = described ? rest : rest + 1; /* ".txt" is hidden from the search for the lab's file */
        return true;
    }
    return false;
}

/* Reads "1141 PM" or "941 AM". */
static const char *read_clock(stamp *out, const char *text)
{
    int clock;
    text = read_within(&clock, text, 4, 0, 1259);
    if (!text || clock % 100 > 59 || (strncmp(text, " AM", 3) != 0 && strncmp(text, " PM", 3) != 0)) return NULL;
    out->hour = clock / 100 % 12 + (text[1] == 'P' ? 12 : 0);
    out->minute = clock % 100;
    return text + 3;
}

/* Reads "Nov 20, 2026 1141 PM". */
static const char *read_english_time(stamp *out, const char *text)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    *out = (stamp){0};
    for (int month = 0; month < 12 && !out->month; month++) {
        if (strncmp(text, months + 3 * month, 3) == 0) out->month = month + 1;
    }
    if (!out->month || text[3] != ' ') return NULL;
    text = read_within(&out->day, text + 4, 2, 1, 31);
    if (!text || strncmp(text, ", ", 2) != 0) return NULL;
    text = read_within(&out->year, text + 2, 4, 1971, 9999);
    return text && *text == ' ' ? read_clock(out, text + 1) : NULL;
}

/* The end of a time in another language: of what stands up to the next " - ", or to the end, and names a year. */
static const char *skip_time(const char *text)
{
    const char *dash = strstr(text, " - "), *end = dash ? dash : text + strlen(text);
    for (const char *at = text; at + 4 <= end; at++) {
        int year;
        if (strncmp(at, "20", 2) == 0 && read_within(&year, at, 4, 2000, 2099) == at + 4) return end;
    }
    return NULL;
}

/* Whether it is a student's own number, as "N0123456" is and "Anne-Marie" is not. */
static bool is_own_number(const char *begin, const char *end)
{
    bool digit = false;
    for (const char *at = begin; at < end; at++) {
        if (*at == ' ') return false;
        digit = digit || isdigit((unsigned char)*at);
    }
    return digit;
}

/* Takes "N0123456 - Ada Lovelace" or the name alone, which may be "Anne-Marie - Lou". */
static void take_brightspace_name(flat_name *out, const char *begin, const char *end)
{
    while (end > begin && strchr(" -", end[-1])) end--;
    out->student = begin;
    for (const char *dash = begin; dash + 3 < end; dash++) {
        if (strncmp(dash, " - ", 3) != 0) continue;
        if (!is_own_number(begin, dash)) break;
        out->id = begin;
        out->id_length = (size_t)(dash - begin);
        out->student = dash + 3;
        break;
    }
    out->student_length = (size_t)(end - out->student);
}

bool download_names_brightspace(flat_name *out, const char *name)
{
    long long number;
    const char *begin = read_number(&number, name);
    *out = (flat_name){.id = name, .id_length = begin ? (size_t)(begin - name) : 0};
    if (!begin || *begin != '-') return false;
    begin = read_number(&number, begin + 1);
    if (!begin || strncmp(begin, " - ", 3) != 0) return false;
    begin += 3;
    for (int english = 1; english >= 0; english--) {
        for (const char *dash = strstr(begin, "- "); dash; dash = strstr(dash + 1, "- ")) {
            stamp time;
            const char *end = english ? read_english_time(&time, dash + 2) : skip_time(dash + 2);
            if (!end || dash == begin || (*end && (strncmp(end, " - ", 3) != 0 || !end[3]))) continue;
            take_brightspace_name(out, begin, dash);
            if (english) set_time(out, &time);
            out->file = *end ? end + 3 : NULL;
            return out->student_length > 0;
        }
    }
    return false;
}

bool download_names_autolab(flat_name *out, const char *name)
{
    *out = (flat_name){0};
    const char *at = strchr(name, '@'), *mark = at ? strchr(at, '_') : NULL;
    const char *rest = at > name && mark ? read_number(&out->order, mark + 1) : NULL;
    if (!rest || *rest != '_' || !rest[1] || mark == at + 1) return false;
    take_student(out, name, mark);
    out->file = rest + 1;
    return true;
}

/* ---- attempts, Moodle -------------------------------------------------------------------------------------------- */

bool download_names_attempt(attempt_name *out, const char *name)
{
    static const char word[] = "attempt", separators[] = "-_ ";
    const char *number = name + strlen(name);
    while (number > name && isdigit((unsigned char)number[-1])) number--;
    const char *mark = number;
    if (mark > name && strchr(separators, mark[-1])) mark--;
    if (mark - name < (ptrdiff_t)strlen(word) || strncasecmp(mark - strlen(word), word, strlen(word)) != 0)
        return false;
    mark -= strlen(word);
    if (mark > name && !strchr(separators, mark[-1])) return false;
    out->rest_length = (size_t)(mark - name) - (mark > name);
    return read_number(&out->number, number) != NULL;
}

/* Reads the end of Moodle's name: nothing or "_", then perhaps the mark of an attempt. */
static bool read_moodle_end(long long *attempt, const char *rest)
{
    attempt_name marked;
    *attempt = 0;
    if (*rest == '_' && (!rest[1] || strncmp(rest, "_ (", 3) == 0)) rest++;
    if (!*rest) return true;
    if (strncmp(rest, " (", 2) == 0) {
        rest = read_number(attempt, rest + 2);
        return rest && strcmp(rest, ")") == 0;
    }
    bool is_marked = download_names_attempt(&marked, rest) && strspn(rest, "_") >= marked.rest_length;
    if (is_marked) *attempt = marked.number;
    return is_marked;
}

/* Reads Moodle's name up to the mark of a submission and returns the rest; NULL for any other name. */
static const char *read_moodle_head(moodle_name *out, const char *name)
{
    static const char *const kinds[] = {"file", "onlinetext"};
    const char *mark = strstr(name, "_assignsubmission_"), *kind = mark ? mark + strlen("_assignsubmission_") : NULL;
    *out = (moodle_name){0};
    const char *number = mark;
    while (mark && number > name && isdigit((unsigned char)number[-1])) number--;
    if (!mark || mark == name) return NULL;
    const bool has_id = number < mark && number > name && number[-1] == '_';
    out->id = DOWNLOAD_NAMES_NO_ID;
    out->student_length = (size_t)((has_id ? number - 1 : mark) - name);
    if (out->student_length == 0 || (has_id && read_number(&out->id, number) != mark)) return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strncmp(kind, kinds[i], strlen(kinds[i])) == 0) return kind + strlen(kinds[i]);
    }
    return NULL;
}

bool download_names_moodle(moodle_name *out, const char *name)
{
    const char *rest = read_moodle_head(out, name);
    return rest && read_moodle_end(&out->attempt, rest);
}

bool download_names_moodle_file(moodle_name *out, const char *name)
{
    const char *rest = read_moodle_head(out, name);
    if (!rest || *rest != '_' || !rest[1]) return false;
    out->file = rest + 1;
    return true;
}

long long download_names_gradescope_folder(const char *name)
{
    long long number;
    if (strncmp(name, "submission_", 11) != 0) return -1;
    const char *end = read_number(&number, name + 11);
    return end && !*end ? number : -1;
}

/* ---- submission_metadata.yml ------------------------------------------------------------------------------------- */

/* Reads the character after a backslash: itself, or the one that "\\xFC", "\\u00FC" or "\\U0001F600" stands for. What a
 * letter stands for, such as the tab of "\\t" and the no-break space of "\\_", becomes a space. Returns the number of
 * bytes read, at most `length`. */
static size_t read_escape(char *out, size_t room, size_t *used, const char *text, size_t length)
{
    const size_t wanted = *text == 'x' ? 2 : *text == 'u' ? 4 : *text == 'U' ? 8 : 0;
    uint32_t code = 0;
    size_t digits = 0;
    for (; digits < wanted && 1 + digits < length && isxdigit((unsigned char)text[1 + digits]); digits++) {
        const char digit = text[1 + digits];
        code = code * 16 +
               (uint32_t)(isdigit((unsigned char)digit) ? digit - '0' : tolower((unsigned char)digit) - 'a' + 10);
    }
    if (digits == 0 || digits < wanted) {
        if (*used + 1 < room) out[(*used)++] = strchr("0abtnvfre_NLP", *text) ? ' ' : *text;
        return 1;
    }
    if (code == 0 || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) code = '?'; /* no character */
    char bytes[4];
    const size_t count = lab_text_encode(bytes, code);
    if (*used + count < room) {
        memcpy(out + *used, bytes, count);
        *used += count;
    }
    return 1 + digits;
}

/* Reads a scalar that YAML has on one line: plain, 'quoted' or "quoted". Cuts what does not fit. */
static void read_scalar(char *out, size_t room, const char *text, size_t length)
{
    size_t used = 0;
    while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
    char quote = length >= 2 && (*text == '\'' || *text == '"') && text[length - 1] == *text ? *text : '\0';
    size_t i = quote ? 1 : 0, end = quote ? length - 1 : length;
    while (i < end && used + 1 < room) {
        if (quote == '"' && text[i] == '\\' && i + 1 < end) {
            i++;
            i += read_escape(out, room, &used, text + i, end - i);
            continue;
        }
        if (quote == '\'' && text[i] == '\'' && i + 1 < end && text[i + 1] == '\'') i++;
        out[used++] = text[i++];
    }
    out[used] = '\0';
    if (!quote && (strcasecmp(out, "null") == 0 || strcmp(out, "~") == 0)) *out = '\0';
}

/* Reads the value of a line that begins with the key, unless `out` already has a value. */
static bool take_key(char *out, size_t room, const char *line, size_t length, const char *key)
{
    size_t key_length = strlen(key);
    if (length < key_length || strncmp(line, key, key_length) != 0) return false;
    if (!*out) read_scalar(out, room, line + key_length, length - key_length);
    return true;
}

/* The first field of a submitter follows "- ", the others are below it. */
static void take_submitter(gradescope_submission *out, const char *line, size_t length)
{
    if (length < 4 || (strncmp(line, "  - ", 4) != 0 && strncmp(line, "    ", 4) != 0)) return;
    if (line[2] == '-') out->submitters++;
    if (out->submitters < 1 || out->submitters > GRADESCOPE_SUBMITTERS) return;
    gradescope_submitter *who = &out->submitter[out->submitters - 1];
    take_key(who->name, sizeof who->name, line + 4, length - 4, ":name: ");
    take_key(who->sid, sizeof who->sid, line + 4, length - 4, ":sid: ");
    take_key(who->email, sizeof who->email, line + 4, length - 4, ":email: ");
}

/* A submission has other lists of the same form: `among` says whether the line is in the list of submitters. */
static void take_line(gradescope_submission *out, bool *among, const char *line, size_t length)
{
    static const char head[] = "  :submitters:";
    if (length > 2 && strncmp(line, "  ", 2) == 0 && !strchr(" -#", line[2]))
        *among = length >= strlen(head) && strncmp(line, head, strlen(head)) == 0;
    if (*among) take_submitter(out, line, length);
    take_key(out->created, sizeof out->created, line, length, "  :created_at: ");
}

static bool take_head(gradescope_submission *out, const char *line, size_t length)
{
    char name[64];
    if (length < 2 || length >= sizeof name || line[length - 1] != ':') return false;
    memcpy(name, line, length - 1);
    name[length - 1] = '\0';
    long long number = download_names_gradescope_folder(name);
    if (number < 0) return false;
    *out = (gradescope_submission){.number = number};
    return true;
}

bool download_names_gradescope_next(gradescope_submission *out, const char **text)
{
    bool found = false, among = false;
    const char *at = *text;
    while (*at) {
        size_t whole = strcspn(at, "\n"), length = whole;
        if (length > 0 && at[length - 1] == '\r') length--;
        bool at_margin = length > 0 && *at != ' ' && *at != '-' && *at != '#';
        if (found && at_margin) break;
        if (at_margin)
            found = take_head(out, at, length);
        else if (found)
            take_line(out, &among, at, length);
        at += whole + (at[whole] == '\n');
    }
    *text = at;
    return found;
}
