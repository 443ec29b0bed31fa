/* The file of a student's progress; see progress.h. */
#include "progress.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/text.h"

static const char schema[] = "lab-progress/1";

/* ---- the file -------------------------------------------------------------------------------------------------- */

/* Keeps other programs from the file until unlocked. It locks the folder, because writing replaces the file. -1 where
 * the folder cannot be locked: programs of one student rarely meet. */
static int lock_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int lock = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (lock >= 0) flock(lock, LOCK_EX);
    free(folder);
    return lock;
}

static void unlock(int lock)
{
    if (lock >= 0) close(lock);
}

static bool is_progress(const json_t *file)
{
    return strcmp(result_string(file, "schema"), schema) == 0 && json_is_object(json_object_get(file, "labs"));
}

/* Renames the file to the first name of its kind that is free: files put aside before may be worth more. */
static bool put_aside(const char *path, grader_fault *fault)
{
    text_buffer aside = {0};
    for (int number = 1; number == 1 || (!aside.failed && access(aside.text, F_OK) == 0); number++) {
        aside.length = 0;
        text_format(&aside, "%s.damaged", path);
        if (number > 1) text_format(&aside, "-%d", number);
    }
    bool ok = !aside.failed && rename(path, aside.text) == 0;
    if (ok)
        fprintf(stderr, "%s is damaged: it is kept as %s, and a new one is begun.\n", path, aside.text);
    else
        fault_errno(fault, "%s is damaged and cannot be put aside", path);
    free(aside.text);
    return ok;
}

/* Loads the file, yours to json_decref; an empty one if there is no file yet. */
static bool load(json_t **out, const char *path, grader_fault *fault)
{
    bool exists = access(path, F_OK) == 0;
    if (exists && access(path, R_OK) != 0) return fault_errno(fault, "cannot read %s", path);
    *out = json_load_file(path, 0, NULL);
    if (is_progress(*out)) return true;
    json_decref(*out);
    if (exists) FAULT_TRY(put_aside(path, fault));
    *out = json_pack("{s:s, s:{}}", "schema", schema, "labs");
    return *out || fault_memory(fault, "your progress");
}

static bool save(const json_t *file, const char *path, grader_fault *fault)
{
    char *text = json_dumps(file, JSON_INDENT(1) | JSON_SORT_KEYS);
    if (!text) return fault_memory(fault, "your progress");
    bool ok = folder_write(path, text, strlen(text), fault);
    free(text);
    return ok;
}

/* A change of the file: false without memory. */
typedef bool progress_change(json_t *labs, void *user);

/* Loads the file, changes it and saves it, while other programs wait. */
static bool change_file(const char *path, progress_change *change, void *user, grader_fault *fault)
{
    json_t *file;
    int lock = lock_folder_of(path);
    bool ok = load(&file, path, fault);
    if (ok) {
        bool changed = change(json_object_get(file, "labs"), user);
        ok = changed ? save(file, path, fault) : fault_memory(fault, "your progress");
        json_decref(file);
    }
    unlock(lock);
    return ok;
}

/* The object under a name, made if it is missing. Borrowed; NULL without memory. */
static json_t *part(json_t *object, const char *name)
{
    json_t *found = json_object_get(object, name);
    if (json_is_object(found)) return found;
    return json_object_set_new(object, name, json_object()) == 0 ? json_object_get(object, name) : NULL;
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

static bool set_integer(json_t *lab, const char *field, int value)
{
    return json_object_set_new(lab, field, json_integer(value)) == 0;
}

static bool note_run(json_t *labs, void *user)
{
    const grading_result *result = user;
    json_t *lab = part(labs, result->lab_name);
    bool better = !json_object_get(lab, "best") || result->points > result_integer(lab, "best");
    bool solved = result->verdict == RESULT_PASSED || json_is_true(json_object_get(lab, "solved"));
    bool noted = lab && json_object_set_new(lab, "solved", json_boolean(solved)) == 0 &&
                 set_integer(lab, "last", result->points) &&
                 json_object_set_new(lab, "last_at", json_string(result->started)) == 0 &&
                 set_integer(lab, "max", result->max_points) &&
                 set_integer(lab, "runs", result_integer(lab, "runs") + 1);
    if (!noted || !better) return noted;
    return set_integer(lab, "best", result->points) &&
           json_object_set_new(lab, "best_at", json_string(result->started)) == 0;
}

bool progress_note(const char *path, const grading_result *result, grader_fault *fault)
{
    return change_file(path, note_run, (void *)result, fault);
}

/* ---- hints ----------------------------------------------------------------------------------------------------- */

typedef struct hint_taken {
    const char *lab, *check;
    int level, levels;
} hint_taken;

static bool take_hint(json_t *labs, void *user)
{
    hint_taken *hint = user;
    json_t *lab = part(labs, hint->lab), *hints = lab ? part(lab, "hints") : NULL;
    hint->level = result_integer(hints, hint->check) + 1;
    if (hint->level < 1) hint->level = 1;
    if (hint->level > hint->levels) hint->level = hint->levels;
    return hints && set_integer(hints, hint->check, hint->level);
}

bool progress_next_hint(int *level, const char *path, const char *lab, const char *check, int levels,
                        grader_fault *fault)
{
    hint_taken hint = {.lab = lab, .check = check, .level = 1, .levels = levels};
    bool ok = change_file(path, take_hint, &hint, fault);
    *level = hint.level;
    return ok;
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

enum { NAME = 8, TITLE = 20, TITLE_AT_LEAST = 11, POINTS = 9, DAY = 12, STATE = 11 };

/* As wide as fits on the page. */
static int title_columns(const text_page *page)
{
    int room = page->terminal.columns - NAME - 2 * POINTS - DAY - STATE;
    return room > TITLE ? TITLE : room < TITLE_AT_LEAST ? TITLE_AT_LEAST : room;
}

static void print_points(const text_page *page, const json_t *lab, const char *field)
{
    char text[32] = "-";
    if (json_object_get(lab, field))
        snprintf(text, sizeof text, "%d/%d", result_integer(lab, field), result_integer(lab, "max"));
    page_right(page, POINTS, text);
}

static void print_lab(const text_page *page, const json_t *labs, const char *folder, int *done)
{
    const char *base = strrchr(folder, '/') ? strrchr(folder, '/') + 1 : folder;
    size_t length = strcspn(base, "-");
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, base);
    const json_t *lab = json_object_get(labs, name);
    bool begun = json_object_get(lab, "best") != NULL;
    /* A file of an older workbook has the points alone. */
    bool all = result_integer(lab, "best") == result_integer(lab, "max");
    bool solved = begun && (all || json_is_true(json_object_get(lab, "solved")));
    char day[11];
    snprintf(day, sizeof day, "%.10s", result_string(lab, "last_at"));
    *done += solved;
    page_left(page, NAME, name);
    page_left(page, title_columns(page), base[length] ? base + length + 1 : "");
    print_points(page, lab, "best");
    print_points(page, lab, "last");
    page_right(page, DAY, day);
    fputs("  ", page->file);
    page_colored(page,
                 solved  ? PAGE_GOOD
                 : begun ? PAGE_WARN
                         : PAGE_DIM,
                 "%s",
                 solved  ? "solved"
                 : begun ? "begun"
                         : "not begun");
    fputc('\n', page->file);
}

bool progress_print(const text_page *page, const char *path, const char *const *folders, grader_fault *fault)
{
    json_t *file;
    int lock = lock_folder_of(path);
    bool ok = load(&file, path, fault);
    unlock(lock);
    if (!ok) return false;
    int done = 0, count = 0;
    page_left(page, NAME + title_columns(page), "lab");
    page_right(page, POINTS, "best");
    page_right(page, POINTS, "last");
    page_right(page, DAY, "last run");
    fputc('\n', page->file);
    for (; folders[count]; count++) print_lab(page, json_object_get(file, "labs"), folders[count], &done);
    fprintf(page->file, "\n%d of %d solved\n", done, count);
    json_decref(file);
    return true;
}
