/* Compares a student's file with the starter; see open_tasks.h. */
#include "open_tasks.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result.h"

enum { TASKS = 64 };

static const char marker[] = "TODO(";

/* The next mark of a task in the text, or NULL: its number, and behind it. */
static const char *next_mark(const char *at, const char *end, unsigned long *number)
{
    while ((at = memmem(at, (size_t)(end - at), marker, sizeof marker - 1))) {
        char *behind;
        at += sizeof marker - 1;
        if (!isdigit((unsigned char)*at)) continue;
        *number = strtoul(at, &behind, 10);
        if (*behind == ')' && *number < TASKS) return behind;
    }
    return NULL;
}

uint64_t open_tasks_marked(const char *text, size_t count)
{
    uint64_t tasks = 0;
    unsigned long number;
    const char *end = text + count;
    for (const char *at = text; (at = next_mark(at, end, &number));) tasks |= (uint64_t)1 << number;
    return tasks;
}

/* ---- definitions ------------------------------------------------------------------------------------------------- */

/* Whole lines of a text. */
typedef struct lines {
    const char *begin, *end;
} lines;

/* The lines from one to another, counted from 1. */
static lines lines_of(const char *text, int first, int last)
{
    lines part = {text, text};
    for (int line = 1; *part.end && line <= last; line++) {
        if (line == first) part.begin = part.end;
        part.end += strcspn(part.end, "\n");
        part.end += *part.end == '\n';
    }
    return part;
}

static int first_of(const json_t *place) { return (int)json_integer_value(json_array_get(place, 0)); }
static int last_of(const json_t *place) { return (int)json_integer_value(json_array_get(place, 1)); }

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at)) at++;
    return at;
}

static bool same_but_for_blanks(lines one, lines other)
{
    const char *a = skip_blanks(one.begin, one.end), *b = skip_blanks(other.begin, other.end);
    while (a < one.end && b < other.end && *a == *b) {
        a = skip_blanks(a + 1, one.end);
        b = skip_blanks(b + 1, other.end);
    }
    return a == one.end && b == other.end;
}

/* Whether the name is that of an entry or a case, not of a whole definition. */
static bool is_part(const char *name) { return strpbrk(name, "[(") != NULL; }

/* The lines in which the starter marks the tasks of a definition: from the end of the one before, since a comment may
 * be the first thing in a function. */
static lines marked_lines(const char *starter, const json_t *definitions, const json_t *place)
{
    const char *name;
    json_t *other;
    int before = 0;
    json_object_foreach((json_t *)definitions, name, other)
    {
        if (!is_part(name) && last_of(other) < first_of(place) && last_of(other) > before) before = last_of(other);
    }
    return lines_of(starter, before + 1, last_of(place));
}

static uint64_t tasks_in(lines part) { return open_tasks_marked(part.begin, (size_t)(part.end - part.begin)); }

/* The tasks that the starter marks for a definition. 0 where the place is to be found. */
static uint64_t tasks_of(const char *starter, const json_t *definitions, const json_t *place)
{
    static const char found[] = " in this function";
    const lines part = marked_lines(starter, definitions, place);
    unsigned long number;
    for (const char *at = part.begin; (at = next_mark(at, part.end, &number));)
        if (strncmp(at + 1, found, sizeof found - 1) == 0) return 0;
    return tasks_in(part);
}

json_t *open_tasks_untouched(const char *source, const json_t *definitions, const char *starter, const json_t *given)
{
    json_t *untouched = json_object(), *place;
    const char *name;
    bool ok = untouched;
    json_object_foreach((json_t *)given, name, place)
    {
        const json_t *own = json_object_get(definitions, name);
        const uint64_t tasks = own && !is_part(name) ? tasks_of(starter, given, place) : 0;
        if (!ok || !tasks ||
            !same_but_for_blanks(lines_of(source, first_of(own), last_of(own)),
                                 lines_of(starter, first_of(place), last_of(place))))
            continue;
        ok = json_object_set_new(untouched, name, json_integer((json_int_t)tasks)) == 0;
    }
    if (ok) return untouched;
    json_decref(untouched);
    return NULL;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Whether the check's line is in a definition that is untouched. */
static bool is_in(const json_t *check, const json_t *untouched, const json_t *definitions, const char *file)
{
    const json_t *location = json_object_get(check, "location");
    const int line = result_integer(location, "line");
    const char *name;
    json_t *tasks;
    if (strcmp(result_string(location, "file"), file) != 0) return false;
    json_object_foreach((json_t *)untouched, name, tasks)
    {
        const json_t *place = json_object_get(definitions, name);
        if (line >= first_of(place) && line <= last_of(place)) return true;
    }
    return false;
}

bool open_tasks_mark(json_t *checks, const json_t *untouched, const json_t *definitions, const char *file)
{
    json_t *check;
    size_t index;
    json_array_foreach(checks, index, check)
    {
        if (strcmp(result_string(check, "status"), "failed") != 0) continue;
        if (!is_in(check, untouched, definitions, file)) continue;
        if (json_object_set_new(check, "unwritten", json_true()) != 0) return false;
    }
    return true;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* Whether the line is in a definition that the starter has word for word, with nothing to do in it. */
static bool is_given(int line, const char *source, const json_t *definitions, const char *starter, const json_t *given)
{
    const char *name;
    json_t *own;
    json_object_foreach((json_t *)definitions, name, own)
    {
        const json_t *place = json_object_get(given, name);
        if (is_part(name) || line < first_of(own) || line > last_of(own) || !place) continue;
        return !tasks_in(marked_lines(starter, given, place)) &&
               same_but_for_blanks(lines_of(source, first_of(own), last_of(own)),
                                   lines_of(starter, first_of(place), last_of(place)));
    }
    return false;
}

bool open_tasks_mark_calls(json_t *checks, const char *file, const char *source, const json_t *definitions,
                           const char *starter, const json_t *given)
{
    json_t *check;
    size_t index;
    json_array_foreach(checks, index, check)
    {
        const json_t *edge = json_object_get(check, "edge");
        json_t *const places[] = {json_object_get(check, "location"), json_object_get(edge, "first"),
                                  json_object_get(edge, "second")};
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            const int line = result_integer(places[i], "line"), call = result_integer(places[i], "called_at");
            if (!call || strcmp(result_string(places[i], "file"), file) != 0) continue;
            if (!is_given(line, source, definitions, starter, given)) continue;
            if (json_object_set_new(places[i], "change", json_integer(call)) != 0) return false;
        }
    }
    return true;
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/* The task of a check, bit n of "Task n: " or "Program n: "; 0 if its title names none. */
static uint64_t task_of(const json_t *check)
{
    const char *title = result_string(check, "title"), *space = strchr(title, ' ');
    char *behind = NULL;
    const unsigned long number = space && isdigit((unsigned char)space[1]) ? strtoul(space + 1, &behind, 10) : TASKS;
    return number < TASKS && *behind == ':' ? (uint64_t)1 << number : 0;
}

char *open_tasks_left(uint64_t marked, const json_t *checks, const json_t *untouched)
{
    uint64_t passed = 0, open = 0;
    const char *name;
    json_t *check, *tasks;
    size_t index;
    json_array_foreach(checks, index, check)
    {
        if (strcmp(result_string(check, "status"), "passed") == 0)
            passed |= task_of(check);
        else
            open |= task_of(check);
    }
    json_object_foreach((json_t *)untouched, name, tasks) open |= (uint64_t)json_integer_value(tasks);
    text_buffer list = {0};
    text_append(&list, "", 0);
    for (int task = 0; task < TASKS; task++)
        if (marked & (open | ~passed) & (uint64_t)1 << task) text_format(&list, "%s%d", list.length ? ", " : "", task);
    if (!list.failed) return list.text;
    free(list.text);
    return NULL;
}
