/* Looking into the database of grades: gradings, labs, rows of results; see store.h. */
#include <stdlib.h>
#include <string.h>

#include "base/database.h"
#include "store.h"
#include "store_internal.h"

/* ---- gradings ------------------------------------------------------------------------------------------------ */

static const char grading_columns[] =
    "SELECT id, seconds, begun, COALESCE(ended, ''), who, why, folder, options FROM grading ";

void store_grading_free(store_grading *grading)
{
    char *texts[] = {grading->begun, grading->ended, grading->who, grading->why, grading->folder, grading->options};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    *grading = (store_grading){0};
}

static bool copy_grading(store_grading *out, sqlite3_stmt *row, grader_fault *fault)
{
    *out = (store_grading){.id = sqlite3_column_int64(row, 0), .seconds = sqlite3_column_double(row, 1)};
    char **text[] = {&out->begun, &out->ended, &out->who, &out->why, &out->folder, &out->options};
    bool ok = true;
    for (int i = 0; i < 6; i++) ok = (*text[i] = store_copy_text(row, 2 + i)) && ok;
    if (ok) return true;
    store_grading_free(out);
    return fault_set(fault, "not enough memory for a grading");
}

/* The statement for gradings that the rest of the SQL, with one number, picks. */
static bool pick_gradings(sqlite3_stmt **out, grade_store *store, const char *rest, int64_t number, grader_fault *fault)
{
    char sql[512];
    strcpy(sql, grading_columns);
    strcat(sql, rest);
    return database_query(out, store->database, fault, sql, "i", number);
}

bool store_find_grading(store_grading *out, grade_store *store, int64_t id, grader_fault *fault)
{
    sqlite3_stmt *statement;
    bool row = false;
    bool ok = pick_gradings(&statement, store, "WHERE ?1 IN (0, id) ORDER BY id DESC LIMIT 1", id, fault) &&
              database_next(statement, &row, fault);
    if (ok && !row && id)
        ok = fault_set(fault, "there is no grading %lld (labgrade list shows them)", (long long)id);
    else if (ok && !row)
        ok = fault_set(fault, "nothing was graded here yet");
    ok = ok && copy_grading(out, statement, fault);
    sqlite3_finalize(statement);
    return ok;
}

bool store_each_grading(grade_store *store, bool (*each)(void *user, const store_grading *grading), void *user,
                        grader_fault *fault)
{
    sqlite3_stmt *statement;
    bool row = true, more = true, ok = pick_gradings(&statement, store, "WHERE id > ? ORDER BY id", 0, fault);
    while (ok && more) {
        store_grading grading;
        ok = database_next(statement, &row, fault);
        if (!ok || !row) break;
        ok = copy_grading(&grading, statement, fault);
        if (!ok) break;
        more = each(user, &grading);
        store_grading_free(&grading);
    }
    sqlite3_finalize(statement);
    return ok;
}

/* ---- labs ---------------------------------------------------------------------------------------------------- */

void store_labs_free(store_lab *labs, size_t count)
{
    for (size_t i = 0; labs && i < count; i++) {
        free(labs[i].name);
        free(labs[i].about);
    }
    free(labs);
}

bool store_labs(store_lab **out, size_t *count, grade_store *store, int64_t grading, grader_fault *fault)
{
    sqlite3_stmt *statement;
    bool row = true;
    *out = NULL;
    *count = 0;
    bool ok = database_query(&statement, store->database, fault,
                             "SELECT name, kit, seed, seed_secret, about FROM lab WHERE grading = ? ORDER BY name", "i",
                             grading);
    while (ok && (ok = database_next(statement, &row, fault)) && row) {
        store_lab *larger = realloc(*out, (*count + 1) * sizeof *larger);
        if (larger) *out = larger;
        store_lab lab = {.name = store_copy_text(statement, 0), .about = store_copy_text(statement, 4)};
        ok = larger && lab.name && lab.about && sqlite3_column_bytes(statement, 1) == sizeof lab.kit.byte;
        if (!ok) {
            free(lab.name);
            free(lab.about);
            fault_set(fault, "not enough memory for the labs of a grading");
            break;
        }
        memcpy(lab.kit.byte, sqlite3_column_blob(statement, 1), sizeof lab.kit.byte);
        lab.seed = strtoull(database_text(statement, 2), NULL, 10);
        lab.seed_secret = sqlite3_column_int(statement, 3) != 0;
        (*out)[(*count)++] = lab;
    }
    sqlite3_finalize(statement);
    if (ok) return true;
    store_labs_free(*out, *count);
    *out = NULL;
    return false;
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

bool store_count_jobs(grade_store *store, int64_t grading, store_counts *out, grader_fault *fault)
{
    sqlite3_stmt *statement;
    bool row = false;
    bool ok = database_query(&statement, store->database, fault,
                             "SELECT COUNT(*) FILTER (WHERE state = 'waiting'), COUNT(*) FILTER (WHERE state ="
                             " 'running'), COUNT(*) FILTER (WHERE state = 'done') FROM job WHERE grading = ?",
                             "i", grading) &&
              database_next(statement, &row, fault);
    if (ok) {
        *out = (store_counts){.waiting = sqlite3_column_int64(statement, 0),
                              .running = sqlite3_column_int64(statement, 1),
                              .done = sqlite3_column_int64(statement, 2)};
    }
    sqlite3_finalize(statement);
    return ok;
}

/* Calls `each` for the rows of a statement whose columns are those below, and ends it. */
static bool each_row(sqlite3_stmt *statement, bool (*each)(void *user, const store_row *row), void *user,
                     grader_fault *fault)
{
    bool found = true, more = true, ok = true;
    while (ok && more && (ok = database_next(statement, &found, fault)) && found) {
        const store_row row = {
            .grading = sqlite3_column_int64(statement, 0),
            .result = sqlite3_column_int64(statement, 1),
            .lab = database_text(statement, 2),
            .name = database_text(statement, 3),
            .directory = database_text(statement, 4),
            .verdict = database_text(statement, 5),
            .json = database_text(statement, 6),
            .made = database_text(statement, 7),
            .who = database_text(statement, 8),
            .why = database_text(statement, 9),
            .points = sqlite3_column_int(statement, 10),
            .max_points = sqlite3_column_int(statement, 11),
            .has_source = sqlite3_column_type(statement, 12) != SQLITE_NULL,
            .about = database_text(statement, 13),
            .kept_only = sqlite3_column_int(statement, 14) != 0,
        };
        more = each(user, &row);
    }
    sqlite3_finalize(statement);
    return ok;
}

bool store_each_row(grade_store *store, int64_t grading, const char *lab,
                    bool (*each)(void *user, const store_row *row), void *user, grader_fault *fault)
{
    sqlite3_stmt *statement;
    return database_query(&statement, store->database, fault,
                          "SELECT job.grading, result.id, job.lab, job.name, job.directory, verdict, json, made, who,"
                          " why, points, max_points, job.source, job.about, state = 'done' AND job.result IS NULL FROM "
                          "job LEFT JOIN result ON state = 'done' AND"
                          " result.id = job.result JOIN grading ON grading.id = job.grading WHERE job.grading = ?1 AND"
                          " (?2 IS NULL OR job.lab = ?2) ORDER BY job.lab, job.id",
                          "it", grading, lab) &&
           each_row(statement, each, user, fault);
}

bool store_each_of_student(grade_store *store, const char *name, bool (*each)(void *user, const store_row *row),
                           void *user, grader_fault *fault)
{
    sqlite3_stmt *statement;
    return database_query(
               &statement, store->database, fault,
               "SELECT grading, result.id, lab, name, directory, verdict, json, made, who, why, points,"
               " max_points, source, '{}', 0 FROM result JOIN grading ON grading.id = result.grading WHERE name = ?1"
               " OR directory = ?1 UNION ALL SELECT grading, 0, lab, name, directory, 'kept', '', begun, who, why, 0, "
               "0,"
               " source, about, 1 FROM job JOIN grading ON grading.id = job.grading WHERE state = 'done' AND result IS"
               " NULL AND (name = ?1 OR directory = ?1) ORDER BY 1, 2",
               "t", name) &&
           each_row(statement, each, user, fault);
}
