/* Reading a course's settings; see course.h. */
#include "course.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/text.h"

static const char *const visibility_names[] = {
    [COURSE_HIDDEN] = "hidden", [COURSE_AFTER_DUE] = "after_due", [COURSE_VISIBLE] = "visible"};

static const char *const attempts_names[] = {[COURSE_LATEST] = "latest", [COURSE_BEST] = "best"};

const char *course_visibility_name(course_visibility visibility) { return visibility_names[visibility]; }

const char *course_attempts_name(course_attempts attempts) { return attempts_names[attempts]; }

/* ---- times ------------------------------------------------------------------------------------------------------- */

static bool is_time_zone(const char *name)
{
    char path[128];
    bool plain = *name && strlen(name) < 64 && !strstr(name, "..") && *name != '/' &&
                 strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/_+-") == strlen(name);
    snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", name);
    return plain && (strcmp(name, "UTC") == 0 || access(path, R_OK) == 0);
}

/* False for a time that a clock there skips in spring. Of one that it shows twice in autumn the later is meant: left to
 * itself, mktime would take the one that is like the last it was asked for. */
static bool in_zone(int64_t *out, const struct tm *local, const char *time_zone)
{
    char *before = getenv("TZ") ? strdup(getenv("TZ")) : NULL;
    bool found = false;
    setenv("TZ", time_zone, 1);
    tzset();
    for (int summer = 0; summer < 2; summer++) {
        struct tm copy = *local;
        copy.tm_isdst = summer;
        const int64_t seconds = mktime(&copy);
        if (copy.tm_isdst != summer || copy.tm_hour != local->tm_hour || copy.tm_min != local->tm_min) continue;
        if (!found || seconds > *out) *out = seconds;
        found = true;
    }
    if (before)
        setenv("TZ", before, 1);
    else
        unsetenv("TZ");
    tzset();
    free(before);
    return found;
}

/* "Z", "UTC", "+0100" or "+01:00" in seconds east of Greenwich. */
static bool read_offset(int *seconds, const char *text)
{
    int hours, minutes, read = 0;
    *seconds = 0;
    if (strcmp(text, "Z") == 0 || strcmp(text, "UTC") == 0) return true;
    if (*text != '+' && *text != '-') return false;
    if (sscanf(text + 1, "%2d%*1[:]%2d%n", &hours, &minutes, &read) != 2 || text[1 + read]) {
        read = 0;
        if (sscanf(text + 1, "%2d%2d%n", &hours, &minutes, &read) != 2 || text[1 + read]) return false;
    }
    if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59) return false;
    *seconds = (*text == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

static bool is_in_calendar(const struct tm *time)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = time->tm_year + 1900, month = time->tm_mon;
    if (year < 1971 || year > 9999 || month < 0 || month > 11) return false;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    int most = days[month] + (month == 1 && leap);
    return time->tm_mday >= 1 && time->tm_mday <= most && time->tm_hour >= 0 && time->tm_hour <= 23 &&
           time->tm_min >= 0 && time->tm_min <= 59 && time->tm_sec >= 0 && time->tm_sec <= 60;
}

bool course_time(int64_t *out, const char *text, const char *time_zone)
{
    struct tm time = {0};
    int read = 0, more = 0, offset = 0;
    if (sscanf(text, "%4d-%2d-%2d%*1[ T]%2d:%2d%n", &time.tm_year, &time.tm_mon, &time.tm_mday, &time.tm_hour,
               &time.tm_min, &read) != 5 ||
        read == 0) {
        return false;
    }
    const char *rest = text + read;
    if (sscanf(rest, ":%2d%n", &time.tm_sec, &more) == 1) rest += more;
    if (*rest == '.' && isdigit((unsigned char)rest[1])) rest += 1 + strspn(rest + 1, "0123456789");
    while (*rest == ' ') rest++;
    time.tm_year -= 1900;
    time.tm_mon -= 1;
    if (!is_in_calendar(&time)) return false;
    if (*rest && !read_offset(&offset, rest)) return false;
    if (!*rest) return in_zone(out, &time, time_zone);
    *out = (int64_t)timegm(&time) - offset;
    return true;
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/* Where a line is, for faults. */
typedef struct place {
    const char *path;
    int line;
    const char *key;
    const char *time_zone;
    grader_fault *fault;
} place;

static bool wrong(const place *at, const char *value, const char *needed)
{
    return fault_set(at->fault, "%s:%d: %s: \"%.64s\" is not %s", at->path, at->line, at->key, value, needed);
}

static bool read_number(double *out, const place *at, const char *value, double most, const char *needed)
{
    char *end;
    *out = strtod(value, &end);
    bool plain = strspn(value, "0123456789.") == strlen(value);
    return (plain && end > value && !*end && isfinite(*out) && *out <= most) || wrong(at, value, needed);
}

/* The number of a word in a list. */
static bool read_word(int *out, const place *at, const char *value, const char *const *words, int count,
                      const char *needed)
{
    for (*out = 0; *out < count; ++*out) {
        if (strcmp(value, words[*out]) == 0) return true;
    }
    return wrong(at, value, needed);
}

static bool read_seed(uint64_t *out, const place *at, const char *value)
{
    char *end;
    errno = 0;
    *out = strtoull(value, &end, 10);
    bool plain = isdigit((unsigned char)*value) && !*end && errno == 0;
    return plain || wrong(at, value, "a whole number from 0 to 18446744073709551615");
}

/* Keys that a lab has, or all labs. */
#define LAB_KEYS "attempts, due, grace, most, penalty, visibility and weight"
static bool take_lab_key(course_lab *lab, const place *at, const char *value, bool *known)
{
    int word;
    *known = true;
    if (strcmp(at->key, "penalty") == 0)
        return read_number(&lab->penalty, at, value, 100, "a percentage from 0 to 100");
    if (strcmp(at->key, "most") == 0) return read_number(&lab->most, at, value, 100, "a percentage from 0 to 100");
    if (strcmp(at->key, "grace") == 0) return read_number(&lab->grace, at, value, 1e6, "a number of minutes");
    if (strcmp(at->key, "weight") == 0) return read_number(&lab->weight, at, value, 1e6, "a number such as 1 or 2.5");
    if (strcmp(at->key, "visibility") == 0) {
        if (!read_word(&word, at, value, visibility_names, 3, "hidden, after_due or visible")) return false;
        lab->visibility = (course_visibility)word;
        return true;
    }
    if (strcmp(at->key, "attempts") == 0) {
        if (!read_word(&word, at, value, attempts_names, 2, "latest or best")) return false;
        lab->attempts = (course_attempts)word;
        return true;
    }
    if (strcmp(at->key, "due") == 0) {
        return course_time(&lab->due, value, at->time_zone) || wrong(at, value, "a time such as 2026-11-20 23:59");
    }
    *known = false;
    return true;
}

static bool take_text(char *out, size_t room, const place *at, const char *value)
{
    if (!*value || strlen(value) >= room) {
        return fault_set(at->fault, "%s:%d: %s: a text of 1 to %zu bytes is needed", at->path, at->line, at->key,
                         room - 1);
    }
    strcpy(out, value);
    return true;
}

/* Keys of the course, which stand before the first lab. */
#define COURSE_KEYS "name, seed, seed_file and time_zone, and, for all labs, " LAB_KEYS
static bool take_course_key(course *out, const place *at, const char *value)
{
    if (strcmp(at->key, "name") == 0) return take_text(out->name, sizeof out->name, at, value);
    if (strcmp(at->key, "seed_file") == 0) return take_text(out->seed_file, sizeof out->seed_file, at, value);
    if (strcmp(at->key, "seed") == 0) return (out->has_seed = read_seed(&out->seed, at, value));
    if (strcmp(at->key, "time_zone") == 0) {
        return is_time_zone(value) ? take_text(out->time_zone, sizeof out->time_zone, at, value)
                                   : wrong(at, value, "a time zone such as Europe/Berlin");
    }
    return fault_set(at->fault, "%s:%d: there is no key \"%.64s\"; there are " COURSE_KEYS, at->path, at->line,
                     at->key);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static char *trim(char *text)
{
    while (isspace((unsigned char)*text)) text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) text[--length] = '\0';
    return text;
}

/* Cuts what follows a # at the beginning or after a space. */
static void cut_comment(char *line)
{
    for (char *at = line; *at; at++) {
        if (*at == '#' && (at == line || isspace((unsigned char)at[-1]))) *at = '\0';
        if (!*at) break;
    }
}

typedef struct parser {
    course *out;
    course_lab defaults;
    course_lab *lab; /* NULL before the first */
    char *keys;      /* ",due,weight,": those that the lab, or what stands before the first, has had */
    const char *path;
    int line;
    grader_fault *fault;
} parser;

static bool take_key_once(parser *of, const char *key)
{
    text_buffer wanted = {0}, more = {0};
    text_format(&wanted, ",%s,", key);
    text_format(&more, "%s%s,", of->keys ? of->keys : ",", key);
    bool ok = (!wanted.failed && !more.failed) || fault_set(of->fault, "not enough memory for %s", of->path);
    if (ok && of->keys && strstr(of->keys, wanted.text)) {
        ok = fault_set(of->fault, "%s:%d: %s is there twice", of->path, of->line, key);
    }
    free(wanted.text);
    free(of->keys);
    of->keys = more.text;
    return ok;
}

static bool begin_lab(parser *of, char *line)
{
    size_t length = strlen(line);
    if (line[length - 1] != ']') return fault_set(of->fault, "%s:%d: a lab is written [lab01]", of->path, of->line);
    line[length - 1] = '\0';
    const char *name = trim(line + 1);
    if (!*name || strlen(name) >= sizeof of->lab->name ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789") != strlen(name)) {
        return fault_set(of->fault, "%s:%d: \"%.64s\" is no name of a lab such as lab01", of->path, of->line, name);
    }
    if (course_find(of->out, name)) return fault_set(of->fault, "%s:%d: [%s] is there twice", of->path, of->line, name);
    if (of->out->labs == COURSE_MOST_LABS) {
        return fault_set(of->fault, "%s:%d: more than %d labs", of->path, of->line, COURSE_MOST_LABS);
    }
    free(of->keys);
    of->keys = NULL;
    of->lab = &of->out->lab[of->out->labs++];
    *of->lab = of->defaults;
    strcpy(of->lab->name, name);
    return true;
}

static bool take_line(parser *of, char *line)
{
    cut_comment(line);
    line = trim(line);
    if (!*line) return true;
    if (*line == '[') return begin_lab(of, line);
    char *equals = strchr(line, '=');
    if (!equals) return fault_set(of->fault, "%s:%d: neither \"key = value\" nor [lab]", of->path, of->line);
    *equals = '\0';
    const char *zone = *of->out->time_zone ? of->out->time_zone : "UTC";
    const place at = {.path = of->path, .line = of->line, .key = trim(line), .time_zone = zone, .fault = of->fault};
    const char *value = trim(equals + 1);
    bool known, ok = take_lab_key(of->lab ? of->lab : &of->defaults, &at, value, &known);
    if (!known && of->lab) {
        ok = fault_set(of->fault, "%s:%d: a lab has no key \"%.64s\"; it has " LAB_KEYS, at.path, at.line, at.key);
    } else if (!known && of->defaults.due && strcmp(at.key, "time_zone") == 0) {
        ok = fault_set(of->fault, "%s:%d: time_zone: it must stand before the first due", at.path, at.line);
    } else if (!known) {
        ok = take_course_key(of->out, &at, value);
    }
    return ok && take_key_once(of, at.key);
}

bool course_parse(course *out, const char *path, const char *bytes, size_t count, grader_fault *fault)
{
    *out = (course){0};
    parser of = {.out = out,
                 .defaults = {.weight = 1, .most = 100, .visibility = COURSE_AFTER_DUE},
                 .path = path,
                 .fault = fault};
    if (count && memchr(bytes, '\0', count)) return fault_set(fault, "%s: this is no text", path);
    if (count >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        bytes += 3;
        count -= 3;
    }
    char *copy = strndup(bytes, count), *rest = copy;
    bool ok = copy || fault_set(fault, "not enough memory for %s", path);
    for (char *line; ok && (line = strsep(&rest, "\n"));) {
        of.line++;
        ok = take_line(&of, line);
    }
    free(copy);
    free(of.keys);
    if (ok && out->has_seed && *out->seed_file) {
        ok = fault_set(fault, "%s: seed and seed_file: only one of them can be there", path);
    }
    return ok;
}

bool course_read(course *out, const char *path, grader_fault *fault)
{
    enum { MOST_BYTES = 1 << 20 };
    char *bytes;
    size_t count = 0;
    fault_set(fault, "%s: there is no such file of at most 1 MiB", path);
    if (folder_read(&bytes, &count, path, MOST_BYTES, fault) != FOLDER_FILE) return false;
    bool ok = course_parse(out, path, bytes, count, fault);
    free(bytes);
    return ok;
}

const course_lab *course_find(const course *settings, const char *lab)
{
    for (size_t i = 0; i < settings->labs; i++) {
        if (strcmp(settings->lab[i].name, lab) == 0) return &settings->lab[i];
    }
    return NULL;
}

course_lateness course_late(const course_lab *lab, int64_t submitted)
{
    enum { DAY = 86400 };
    course_lateness late = {0};
    int64_t seconds = lab->due ? submitted - lab->due : 0;
    if (seconds <= (int64_t)(lab->grace * 60)) return late;
    late.days = (int)((seconds + DAY - 1) / DAY);
    late.percent = fmin(late.days * lab->penalty, lab->most);
    return late;
}
