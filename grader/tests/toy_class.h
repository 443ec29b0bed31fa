/* toy_class.h: a checkout with the toy lab alone, submissions for it, and calls of the grader's programs. */
#ifndef GRADER_TESTS_TOY_CLASS_H
#define GRADER_TESTS_TOY_CLASS_H

#include <jansson.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/folder.h"
#include "judge/result.h"
#include "base/subprocess.h"
#include "test.h"
#include "base/text.h"
#include "toy.h"

/* A checkout whose only lab is the toy lab, and places for submissions and results. */
static char *root;
static char *submissions;
static char *out;

static inline char *absolute(const char *path)
{
    char *whole = realpath(path, NULL);
    cr_assert_not_null(whole, "%s is not there (make builds the toy lab before the tests)", path);
    return whole;
}

static inline void begin(void)
{
    grader_fault fault;
    cr_assert(folder_make_private(&root, "programs-test", &fault), "%s", fault.text);
    char *labs = folder_path(root, "labs"), *lab = folder_path(labs, "toylab-first"), *toy = absolute(TOY_FOLDER);
    char *other = folder_path(labs, "lab01-other");
    char *lib = folder_path(root, "lib"), *real_lib = absolute("lib");
    submissions = folder_path(root, "submissions");
    out = folder_path(root, "out");
    mkdir(labs, 0700);
    mkdir(other, 0700);
    mkdir(submissions, 0700);
    cr_assert_eq(symlink(toy, lab), 0);
    cr_assert_eq(symlink(real_lib, lib), 0);
    char *made[] = {labs, lab, other, toy, lib, real_lib};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) free(made[i]);
}

static inline void end(void)
{
    folder_remove(root);
    free(root);
    free(submissions);
    free(out);
}

/* Runs BUILD/bin/NAME with these places and these arguments, which both end with NULL.
 * A subcommand and its words come first. */
static inline subprocess_result call_in(const char *name, const char *const *places, const char *const *more)
{
    text_buffer program = {0};
    text_format(&program, "%s/bin/%s", toy_build(), name);
    const char *arguments[28] = {program.text};
    int count = 1;
    bool subcommand = more[0] && more[0][0] != '-';
    if (subcommand) arguments[count++] = *more++;
    while (subcommand && more[0] && more[0][0] != '-') arguments[count++] = *more++;
    for (int i = 0; places[i]; i++) arguments[count++] = places[i];
    for (int i = 0; more[i]; i++) arguments[count++] = more[i];
    char **environment = environment_make(NULL);
    subprocess_options options = {.arguments = arguments, .environment = (const char *const *)environment};
    options.output_limit = 1 << 20;
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 200, &fault), "%s", fault.text);
    environment_free(environment);
    free(program.text);
    return result;
}

/* The same with --root and --build. */
static inline subprocess_result call(const char *name, const char *const *more)
{
    return call_in(name, (const char *const[]){"--root", root, "--build", toy_build(), NULL}, more);
}

/* Fails the test unless the call ended so. Frees the result. */
static inline void assert_said(subprocess_result result, int status, const char *says)
{
    cr_assert_eq(result.exit.status, status, "status %d: %s", result.exit.status, result.output);
    cr_assert_not_null(strstr(result.output, says), "no \"%s\" in: %s", says, result.output);
    subprocess_result_free(&result);
}

static inline void assert_call(const char *name, const char *const *more, int status, const char *says)
{
    assert_said(call(name, more), status, says);
}

/* Submits a variant of the toy lab under a name. */
static inline void hand_in(const char *name, const char *variant)
{
    text_buffer source = {0};
    grader_fault fault;
    char *folder = folder_path(submissions, name);
    text_format(&source, "%s/class/%s", TOY_FOLDER, variant);
    cr_assert_eq(mkdir(folder, 0700), 0);
    cr_assert(folder_copy_files(source.text, ".c", folder, &fault), "%s", fault.text);
    free(folder);
    free(source.text);
}

static inline json_t *results(void)
{
    char *path = folder_path(out, "results.json");
    json_t *json = json_load_file(path, 0, NULL);
    cr_assert_not_null(json, "%s", path);
    free(path);
    return json;
}

/* ---- calls and the database -------------------------------------------------------------------------------------- */

#define GRADE "grade", "--lab", "toylab", "--submissions", submissions, "--out", out
#define WORDS(...)                                                                                                     \
    (const char *const[]) { __VA_ARGS__, NULL }

/* The text of one value in the database of grades. Free it. */
static inline char *query(const char *sql)
{
    sqlite3 *database;
    sqlite3_stmt *statement;
    char *path = folder_path(out, "grades.db");
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    cr_assert_eq(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK, "%s", sqlite3_errmsg(database));
    cr_assert_eq(sqlite3_step(statement), SQLITE_ROW, "%s", sql);
    const char *text = (const char *)sqlite3_column_text(statement, 0);
    char *copy = strdup(text ? text : "");
    sqlite3_finalize(statement);
    sqlite3_close(database);
    free(path);
    return copy;
}

/* Changes the database behind the grader's back. */
static inline void change(const char *sql)
{
    sqlite3 *database;
    char *path = folder_path(out, "grades.db");
    cr_assert_eq(sqlite3_open(path, &database), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK, "%s", sqlite3_errmsg(database));
    sqlite3_close(database);
    free(path);
}

static inline void assert_query(const char *sql, const char *expected)
{
    char *found = query(sql);
    cr_assert_str_eq(found, expected, "%s: %s", sql, found);
    free(found);
}

/* Writes a file next to the submissions. Returns its path; free it. */
static inline char *put(const char *name, const char *text)
{
    grader_fault fault;
    char *path = folder_path(root, name);
    cr_assert(folder_write(path, text, strlen(text), &fault), "%s", fault.text);
    return path;
}

static inline void begin_class(void)
{
    begin();
    hand_in("ada", "right");
    hand_in("grace", "wrong");
    hand_in("zuse", "does_not_compile");
}

/* Removes what depends on when, where and how fast results.json was made. */
static inline void forget_times(json_t *json)
{
    static const char *const fields[] = {"created", "seconds", "started", "median_ms",
                                         "min_ms",  "max_ms",  "timings", "node"};
    const char *key;
    json_t *value;
    size_t index;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) json_object_del(json, fields[i]);
    json_object_foreach(json, key, value) forget_times(value);
    json_array_foreach(json, index, value) forget_times(value);
}

#endif
