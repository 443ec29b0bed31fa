/* Reading a course's settings; see course.h. */
#include "course.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
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

static const char *const release_names[] = {[COURSE_AT_ONCE] = "at_once", [COURSE_HELD] = "held"};

const char *course_visibility_name(course_visibility visibility) { return visibility_names[visibility]; }

const char *course_attempts_name(course_attempts attempts) { return attempts_names[attempts]; }

const char *course_release_name(course_release release) { return release_names[release]; }

/* ---- times ------------------------------------------------------------------------------------------------------- */

static bool is_time_zone(const char *name)
{
    char path[PATH_MAX];
    const char *folder = getenv("TZDIR"); /* the C library reads there too */
    bool plain = *name && strlen(name) < 64 && !strstr(name, "..") && *name != '/' &&
                 strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/_+-") == strlen(name);
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "/usr/share/zoneinfo", name);
    return plain && (strcmp(name, "UTC") == 0 || access(path, R_OK) == 0);
}

/* The clocks are the time zone's until leave_zone. Returns the zone before. */
static char *enter_zone(const char *time_zone)
{
    char *before = getenv("TZ") ? strdup(getenv("TZ")) : NULL;
    setenv("TZ", time_zone, 1);
    tzset();
    return before;
}

static void leave_zone(char *before)
{
    if (before)
        setenv("TZ", before, 1);
    else
        unsetenv("TZ");
    tzset();
    free(before);
}

/* The number of times that the zone's clocks show a local time, in which *out is the latest: 0 in the hour that they
 * skip in spring, 2 in the hour that they repeat in autumn. mktime alone would choose by the time that it converted
 * before. */
static int times_shown(int64_t *out, const struct tm *local)
{
    int found = 0;
    for (int summer = 0; summer < 2; summer++) {
        struct tm copy = *local;
        copy.tm_isdst = summer;
        const int64_t seconds = mktime(&copy);
        if (copy.tm_isdst != summer || copy.tm_hour != local->tm_hour || copy.tm_min != local->tm_min) continue;
        if (!found || seconds > *out) *out = seconds;
        found++;
    }
    return found;
}

static int times_in_zone(int64_t *out, const struct tm *local, const char *time_zone)
{
    char *before = enter_zone(time_zone);
    const int found = times_shown(out, local);
    leave_zone(before);
    return found;
}

/* The time some calendar days later, at the same time of day by the zone's clocks, which are the current ones. If they
 * skip it, the time after the gap. */
static int64_t days_later(int64_t time, int days)
{
    int64_t later;
    struct tm local;
    localtime_r(&(time_t){time}, &local);
    local.tm_mday += days;
    local.tm_isdst = 0;
    return times_shown(&later, &local) ? later : mktime(&local);
}

void course_utc(char *text, size_t bytes, int64_t time)
{
    struct tm utc;
    strftime(text, bytes, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&(time_t){time}, &utc));
}

void course_local(char *text, size_t bytes, int64_t time, const char *time_zone)
{
    struct tm local;
    char *before = enter_zone(time_zone);
    const size_t length = strftime(text, bytes, "%Y-%m-%d %H:%M ", localtime_r(&(time_t){time}, &local));
    snprintf(text + length, bytes - length, "%s", time_zone);
    leave_zone(before);
}

/* Reads "Z", "UTC", "+0100" or "+01:00" as seconds east of Greenwich. */
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

/* The number of times that the text may mean, in which *out is the latest; 0 for a text that is no time. */
static int read_time(int64_t *out, const char *text, const char *time_zone)
{
    struct tm time = {0};
    int read = 0, more = 0, offset = 0;
    if (sscanf(text, "%4d-%2d-%2d%*1[ T]%2d:%2d%n", &time.tm_year, &time.tm_mon, &time.tm_mday, &time.tm_hour,
               &time.tm_min, &read) != 5 ||
        read == 0) {
        return 0;
    }
    const char *rest = text + read;
    if (sscanf(rest, ":%2d%n", &time.tm_sec, &more) == 1) rest += more;
    if (*rest == '.' && isdigit((unsigned char)rest[1])) rest += 1 + strspn(rest + 1, "0123456789");
    while (*rest == ' ') rest++;
    time.tm_year -= 1900;
    time.tm_mon -= 1;
    if (!is_in_calendar(&time)) return 0;
    if (*rest && !read_offset(&offset, rest)) return 0;
    if (!*rest) return times_in_zone(out, &time, time_zone);
    *out = (int64_t)timegm(&time) - offset;
    return 1;
}

bool course_time(int64_t *out, const char *text, const char *time_zone) { return read_time(out, text, time_zone) > 0; }

bool course_time_is_skipped(const char *text, const char *time_zone)
{
    int64_t time;
    return !course_time(&time, text, time_zone) && course_time(&time, text, "UTC");
}

bool course_time_is_repeated(const char *text, const char *time_zone)
{
    int64_t time;
    return read_time(&time, text, time_zone) > 1;
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/* A key in its line. */
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

static bool wrong_time(const place *at, const char *value)
{
    char skipped[128];
    if (!course_time_is_skipped(value, at->time_zone)) return wrong(at, value, "a time such as 2026-11-20 23:59");
    snprintf(skipped, sizeof skipped, "a time in %.64s: the clocks there skip it", at->time_zone);
    return wrong(at, value, skipped);
}

static bool read_number(double *out, const place *at, const char *value, double most, const char *needed)
{
    char *end;
    *out = strtod(value, &end);
    bool plain = strspn(value, "0123456789.") == strlen(value);
    return (plain && end > value && !*end && isfinite(*out) && *out <= most) || wrong(at, value, needed);
}

/* Reads a word as its number in the list. */
static bool read_word(int *out, const place *at, const char *value, const char *const *words, int count,
                      const char *needed)
{
    for (*out = 0; *out < count; ++*out) {
        if (strcmp(value, words[*out]) == 0) return true;
    }
    return wrong(at, value, needed);
}

static bool read_text(char *out, size_t room, const place *at, const char *value)
{
    if (!*value || strlen(value) >= room) {
        return fault_set(at->fault, "%s:%d: %s: a text of 1 to %zu bytes is needed", at->path, at->line, at->key,
                         room - 1);
    }
    strcpy(out, value);
    return true;
}

static bool read_penalty(course_lab *lab, const place *at, const char *value)
{
    return read_number(&lab->penalty, at, value, 100, "a percentage from 0 to 100");
}

static bool read_most(course_lab *lab, const place *at, const char *value)
{
    return read_number(&lab->most, at, value, 100, "a percentage from 0 to 100");
}

static bool read_grace(course_lab *lab, const place *at, const char *value)
{
    return read_number(&lab->grace, at, value, 1e6, "a number of minutes");
}

static bool read_weight(course_lab *lab, const place *at, const char *value)
{
    return read_number(&lab->weight, at, value, 1e6, "a number such as 1 or 2.5");
}

static bool read_visibility(course_lab *lab, const place *at, const char *value)
{
    int word;
    FAULT_TRY(read_word(&word, at, value, visibility_names, 3, "hidden, after_due or visible"));
    lab->visibility = (course_visibility)word;
    return true;
}

static bool read_attempts(course_lab *lab, const place *at, const char *value)
{
    int word;
    FAULT_TRY(read_word(&word, at, value, attempts_names, 2, "latest or best"));
    lab->attempts = (course_attempts)word;
    return true;
}

static bool read_moment(int64_t *out, const place *at, const char *value)
{
    char clear[160];
    FAULT_TRY(course_time(out, value, at->time_zone) || wrong_time(at, value));
    if (!course_time_is_repeated(value, at->time_zone)) return true;
    snprintf(clear, sizeof clear, "one time in %.64s: the clocks there show it twice; add the offset, such as +0100",
             at->time_zone);
    return wrong(at, value, clear);
}

static bool read_due(course_lab *lab, const place *at, const char *value) { return read_moment(&lab->due, at, value); }

/* A word, or the time until which results are held back. */
static bool read_release(course_lab *lab, const place *at, const char *value)
{
    int word = COURSE_HELD;
    lab->release_at = 0;
    if (isdigit((unsigned char)*value))
        FAULT_TRY(read_moment(&lab->release_at, at, value));
    else
        FAULT_TRY(read_word(&word, at, value, release_names, 2, "at_once, held or a time such as 2026-12-01 12:00"));
    lab->release = (course_release)word;
    return true;
}

/* Keys of a lab, or of all labs before the first one. */
#define LAB_KEYS "attempts, due, grace, most, penalty, release, visibility and weight"
static const struct lab_key {
    const char *name;
    bool (*read)(course_lab *lab, const place *at, const char *value);
} lab_keys[] = {
    {"attempts", read_attempts}, {"due", read_due},         {"grace", read_grace},           {"most", read_most},
    {"penalty", read_penalty},   {"release", read_release}, {"visibility", read_visibility}, {"weight", read_weight},
};

static const struct lab_key *find_lab_key(const char *name)
{
    for (size_t i = 0; i < sizeof lab_keys / sizeof *lab_keys; i++) {
        if (strcmp(lab_keys[i].name, name) == 0) return &lab_keys[i];
    }
    return NULL;
}

static bool read_seed(course *out, const place *at, const char *value)
{
    char *end;
    errno = 0;
    out->seed = strtoull(value, &end, 10);
    out->has_seed = isdigit((unsigned char)*value) && !*end && errno == 0;
    return out->has_seed || wrong(at, value, "a whole number from 0 to 18446744073709551615");
}

/* Keys of the course, which come before the first lab. */
#define COURSE_KEYS "name, seed, seed_file and time_zone, and, for all labs, " LAB_KEYS
static bool take_course_key(course *out, const place *at, const char *value)
{
    if (strcmp(at->key, "name") == 0) return read_text(out->name, sizeof out->name, at, value);
    if (strcmp(at->key, "seed_file") == 0) return read_text(out->seed_file, sizeof out->seed_file, at, value);
    if (strcmp(at->key, "seed") == 0) return read_seed(out, at, value);
    if (strcmp(at->key, "time_zone") == 0) {
        return is_time_zone(value) ? read_text(out->time_zone, sizeof out->time_zone, at, value)
                                   : wrong(at, value, "a time zone such as Europe/Berlin");
    }
    return fault_set(at->fault, "%s:%d: unknown key \"%.64s\"; the keys are " COURSE_KEYS, at->path, at->line, at->key);
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

typedef struct course_reader {
    course *out;
    course_lab defaults;
    course_lab *lab; /* NULL before the first */
    char *keys;      /* ",due,weight,": the keys so far of the lab, or of the lines before the first lab */
    const char *path;
    int line;
    grader_fault *fault;
} course_reader;

static bool take_key_once(course_reader *reader, const char *key)
{
    text_buffer wanted = {0}, more = {0};
    text_format(&wanted, ",%s,", key);
    text_format(&more, "%s%s,", reader->keys ? reader->keys : ",", key);
    bool whole = !wanted.failed && !more.failed;
    bool again = whole && reader->keys && strstr(reader->keys, wanted.text);
    free(wanted.text);
    free(reader->keys);
    reader->keys = more.text;
    if (!whole) return fault_memory(reader->fault, reader->path);
    return !again || fault_set(reader->fault, "%s:%d: %s is set twice", reader->path, reader->line, key);
}

static bool begin_lab(course_reader *reader, char *line)
{
    size_t length = strlen(line);
    if (line[length - 1] != ']')
        return fault_set(reader->fault, "%s:%d: a lab is written [lab01]", reader->path, reader->line);
    line[length - 1] = '\0';
    const char *name = trim(line + 1);
    if (!*name || strlen(name) >= sizeof reader->lab->name ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789") != strlen(name)) {
        return fault_set(reader->fault, "%s:%d: \"%.64s\" is not the name of a lab, such as lab01", reader->path,
                         reader->line, name);
    }
    if (course_find(reader->out, name))
        return fault_set(reader->fault, "%s:%d: [%s] occurs twice", reader->path, reader->line, name);
    if (reader->out->labs == COURSE_MOST_LABS)
        return fault_set(reader->fault, "%s:%d: more than %d labs", reader->path, reader->line, COURSE_MOST_LABS);
    free(reader->keys);
    reader->keys = NULL;
    reader->lab = &reader->out->lab[reader->out->labs++];
    *reader->lab = reader->defaults;
    strcpy(reader->lab->name, name);
    return true;
}

static bool take_key(course_reader *reader, const place *at, const char *value)
{
    const struct lab_key *key = find_lab_key(at->key);
    if (key) return key->read(reader->lab ? reader->lab : &reader->defaults, at, value);
    if (reader->lab)
        return fault_set(reader->fault, "%s:%d: a lab has no key \"%.64s\"; it has " LAB_KEYS, at->path, at->line,
                         at->key);
    const bool has_times = reader->defaults.due || reader->defaults.release_at;
    if (has_times && strcmp(at->key, "time_zone") == 0)
        return fault_set(reader->fault, "%s:%d: time_zone: it must stand before the first time", at->path, at->line);
    return take_course_key(reader->out, at, value);
}

static bool take_line(course_reader *reader, char *line)
{
    cut_comment(line);
    line = trim(line);
    if (!*line) return true;
    if (*line == '[') return begin_lab(reader, line);
    char *equals = strchr(line, '=');
    if (!equals)
        return fault_set(reader->fault, "%s:%d: neither \"key = value\" nor [lab]", reader->path, reader->line);
    *equals = '\0';
    const place at = {.path = reader->path,
                      .line = reader->line,
                      .key = trim(line),
                      .time_zone = *reader->out->time_zone ? reader->out->time_zone : "UTC",
                      .fault = reader->fault};
    FAULT_TRY(take_key(reader, &at, trim(equals + 1)));
    return take_key_once(reader, at.key);
}

/* Takes the lines of a text, which it cuts into pieces. */
static bool take_lines(course_reader *reader, char *text)
{
    for (char *line; (line = strsep(&text, "\n"));) {
        reader->line++;
        FAULT_TRY(take_line(reader, line));
    }
    return true;
}

bool course_parse(course *out, const char *path, const char *bytes, size_t count, grader_fault *fault)
{
    *out = (course){0};
    course_reader reader = {.out = out,
                            .defaults = {.weight = 1, .most = 100, .visibility = COURSE_AFTER_DUE},
                            .path = path,
                            .fault = fault};
    if (count && memchr(bytes, '\0', count)) return fault_set(fault, "%s: this is not a text file", path);
    if (count >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        bytes += 3;
        count -= 3;
    }
    char *copy = strndup(bytes, count);
    bool ok = copy || fault_memory(fault, path);
    ok = ok && (text_is_utf8(copy) || fault_set(fault, "%s: this is no text in UTF-8", path));
    ok = ok && take_lines(&reader, copy);
    free(copy);
    free(reader.keys);
    FAULT_TRY(ok);
    if (!out->has_seed || !*out->seed_file) return true;
    return fault_set(fault, "%s: seed and seed_file cannot both be set", path);
}

bool course_read(course *out, const char *path, grader_fault *fault)
{
    enum { MOST_BYTES = 1 << 20 };
    char *bytes;
    size_t count = 0;
    fault_set(fault, "%s: there is no such file of at most 1 MiB", path);
    FAULT_TRY(folder_read(&bytes, &count, path, MOST_BYTES, fault) == FOLDER_FILE);
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

/* The calendar days begun between the times by the clocks of the zone; `time` is after `due`. */
static int days_begun(int64_t due, int64_t time, const char *time_zone)
{
    enum { DAY = 86400, MOST_DAYS = 4000000 }; /* more than between two times of four-digit years */
    const int64_t whole = (time - due) / DAY;
    if (whole >= MOST_DAYS) return MOST_DAYS;
    int days = whole > 1 ? (int)whole - 1 : 1; /* no change of the clocks is longer than a day */
    char *before = enter_zone(time_zone);
    while (days_later(due, days) < time) days++;
    leave_zone(before);
    return days;
}

course_lateness course_late(const course_lab *lab, int64_t submitted, const char *time_zone)
{
    course_lateness late = {0};
    int64_t seconds = lab->due ? submitted - lab->due : 0;
    if (seconds <= (int64_t)(lab->grace * 60)) return late;
    late.days = days_begun(lab->due, submitted, time_zone);
    late.percent = fmin(late.days * lab->penalty, lab->most);
    return late;
}

int64_t course_seconds_over(const course_lab *lab, int64_t submitted, const char *time_zone, int64_t most)
{
    const double percent = course_late(lab, submitted, time_zone).percent;
    int64_t over = most, short_of = 0;
    if (course_late(lab, submitted - most, time_zone).percent >= percent) return 0;
    while (over - short_of > 1) {
        const int64_t middle = short_of + (over - short_of) / 2;
        if (course_late(lab, submitted - middle, time_zone).percent < percent)
            over = middle;
        else
            short_of = middle;
    }
    return over;
}
