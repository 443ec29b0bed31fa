/* Reading the database of grades: gradings, labs, rows of results; see store.h. */
#include <stdlib.h>
#include <string.h>

#include "database.h"
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
    enum { TEXTS = 6, FIRST = 2 };
    *out = (store_grading){.id = sqlite3_column_int64(row, 0), .seconds = sqlite3_column_double(row, 1)};
    char **text[TEXTS] = {&out->begun, &out->ended, &out->who, &out->why, &out->folder, &out->options};
    for (int i = 0; i < TEXTS; i++) {
        *text[i] = store_copy_text(row, FIRST + i);
        if (*text[i]) continue;
        store_grading_free(out);
        return fault_memory(fault, "a grading");
    }
    return true;
}

/* The statement for the gradings that the rest of the SQL, with one number, selects. */
static bool pick_gradings(sqlite3_stmt **out, grade_store *store, const char *rest, int64_t number, grader_fault *fault)
{
    char sql[512];
    strcpy(sql, grading_columns);
    strcat(sql, rest);
    return database_query(out, store->database, fault, sql, "i", number);
}

/* Copies the one grading that a statement gives, number `id` or the last for 0. */
static bool copy_only_grading(store_grading *out, sqlite3_stmt *statement, int64_t id, grader_fault *fault)
{
    bool row = false;
    FAULT_TRY(database_next(statement, &row, fault));
    if (row) return copy_grading(out, statement, fault);
    return id ? fault_set(fault, "there is no grading %lld (labgrade list shows them)", (long long)id)
              : fault_set(fault, "nothing was graded here yet");
}

bool store_find_grading(store_grading *out, grade_store *store, int64_t id, grader_fault *fault)
{
    sqlite3_stmt *statement;
    FAULT_TRY(pick_gradings(&statement, store, "WHERE ?1 IN (0, id) ORDER BY id DESC LIMIT 1", id, fault));
    bool ok = copy_only_grading(out, statement, id, fault);
    sqlite3_finalize(statement);
    return ok;
}

bool store_each_grading(grade_store *store, bool (*each)(void *user, const store_grading *grading), void *user,
                        grader_fault *fault)
{
    sqlite3_stmt *statement;
    store_grading grading;
    bool row, more = true, ok = true;
    FAULT_TRY(pick_gradings(&statement, store, "WHERE id > ? ORDER BY id", 0, fault));
    while (more && (ok = database_next(statement, &row, fault)) && row) {
        ok = copy_grading(&grading, statement, fault);
        if (!ok) break;
        more = each(user, &grading);
        store_grading_free(&grading);
    }
    sqlite3_finalize(statement);
    return ok;
}

/* ---- labs ---------------------------------------------------------------------------------------------------- */

static void free_lab(store_lab *lab)
{
    free(lab->name);
    free(lab->facts);
}

void store_labs_free(store_lab *labs, size_t count)
{
    for (size_t i = 0; labs && i < count; i++) free_lab(&labs[i]);
    free(labs);
}

static bool append_lab(store_lab **labs, size_t *count, sqlite3_stmt *row, grader_fault *fault)
{
    store_lab *larger = realloc(*labs, (*count + 1) * sizeof *larger);
    if (larger) *labs = larger;
    store_lab lab = {
        .name = store_copy_text(row, 0),
        .seed = strtoull(database_text(row, 2), NULL, 10),
        .seed_secret = sqlite3_column_int(row, 3) != 0,
        .facts = store_copy_text(row, 4),
    };
    if (!larger || !lab.name || !lab.facts || sqlite3_column_bytes(row, 1) != sizeof lab.key.byte) {
        free_lab(&lab);
        return fault_memory(fault, "the labs of a grading");
    }
    memcpy(lab.key.byte, sqlite3_column_blob(row, 1), sizeof lab.key.byte);
    (*labs)[(*count)++] = lab;
    return true;
}

bool store_labs(store_lab **out, size_t *count, grade_store *store, int64_t grading, grader_fault *fault)
{
    sqlite3_stmt *statement;
    bool row, ok;
    *out = NULL;
    *count = 0;
    FAULT_TRY(database_query(&statement, store->database, fault,
                             "SELECT name, kit, seed, seed_secret, about FROM lab WHERE grading = ? ORDER BY name", "i",
                             grading));
    while ((ok = database_next(statement, &row, fault)) && row) {
        ok = append_lab(out, count, statement, fault);
        if (!ok) break;
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
    FAULT_TRY(database_query(&statement, store->database, fault,
                             "SELECT COUNT(*) FILTER (WHERE state = 'waiting'), COUNT(*) FILTER (WHERE state ="
                             " 'running'), COUNT(*) FILTER (WHERE state = 'done'),"
                             " COUNT(*) FILTER (WHERE state = 'done' AND result IS NOT NULL) FROM job"
                             " WHERE grading = ?",
                             "i", grading));
    bool ok = database_next(statement, &row, fault);
    if (ok) {
        *out = (store_counts){.waiting = sqlite3_column_int64(statement, 0),
                              .running = sqlite3_column_int64(statement, 1),
                              .done = sqlite3_column_int64(statement, 2),
                              .kept = sqlite3_column_int64(statement, 3)};
    }
    sqlite3_finalize(statement);
    return ok;
}

/* Calls `each` for the rows of a statement with the columns below, and finalizes it. */
static bool each_row(sqlite3_stmt *statement, bool (*each)(void *user, const store_row *row), void *user,
                     grader_fault *fault)
{
    bool found, more = true, ok = true;
    while (more && (ok = database_next(statement, &found, fault)) && found) {
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
            .facts = database_text(statement, 13),
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
    FAULT_TRY(database_query(&statement, store->database, fault,
                             "SELECT job.grading, result.id, job.lab, job.name, job.directory, verdict, json, made,"
                             " who, why, points, max_points, job.source, job.about, state = 'done' AND job.result IS"
                             " NULL FROM job LEFT JOIN result ON state = 'done' AND result.id = job.result JOIN grading"
                             " ON grading.id = job.grading WHERE job.grading = ?1 AND (?2 IS NULL OR job.lab = ?2)"
                             " ORDER BY job.lab, job.id",
                             "it", grading, lab));
    return each_row(statement, each, user, fault);
}

bool store_each_of_student(grade_store *store, const char *name, bool (*each)(void *user, const store_row *row),
                           void *user, grader_fault *fault)
{
    sqlite3_stmt *statement;
    FAULT_TRY(database_query(&statement, store->database, fault,
                             "SELECT grading, result.id, lab, name, directory, verdict, json, made, who, why, points,"
                             " max_points, source, '{}', 0 FROM result JOIN grading ON grading.id = result.grading"
                             " WHERE name = ?1 OR directory = ?1 UNION ALL SELECT grading, 0, lab, name, directory,"
                             " 'kept', '', begun, who, why, 0, 0, source, about, 1 FROM job JOIN grading ON grading.id"
                             " = job.grading WHERE state = 'done' AND result IS NULL AND (name = ?1 OR directory = ?1)"
                             " ORDER BY 1, 2",
                             "t", name));
    return each_row(statement, each, user, fault);
}

/* ---- jobs that wait ---------------------------------------------------------------------------------------------- */

void store_waiting_free(store_waiting_job *jobs, size_t count)
{
    for (size_t i = 0; jobs && i < count; i++) {
        free(jobs[i].lab);
        free(jobs[i].directory);
    }
    free(jobs);
}

static bool append_waiting(store_waiting_job **jobs, size_t *count, sqlite3_stmt *row, grader_fault *fault)
{
    if ((*count & (*count - 1)) == 0) {
        store_waiting_job *larger = realloc(*jobs, (*count ? 2 * *count : 1) * sizeof *larger);
        if (!larger) return fault_memory(fault, "the jobs of a grading");
        *jobs = larger;
    }
    store_waiting_job *job = &(*jobs)[(*count)++];
    *job = (store_waiting_job){.id = sqlite3_column_int64(row, 0),
                               .lab = store_copy_text(row, 1),
                               .directory = store_copy_text(row, 2),
                               .leads = sqlite3_column_int(row, 3) != 0};
    return (job->lab && job->directory) || fault_memory(fault, "the jobs of a grading");
}

bool store_waiting(store_waiting_job **out, size_t *count, grade_store *store, int64_t grading, grader_fault *fault)
{
    sqlite3_stmt *statement;
    bool row, ok;
    *out = NULL;
    *count = 0;
    FAULT_TRY(database_query(
        &statement, store->database, fault,
        "SELECT id, lab, directory, group_name IS NULL OR ROW_NUMBER() OVER (PARTITION BY lab, group_name, key, source,"
        " refusal ORDER BY id) = 1 FROM job WHERE grading = ? AND state = 'waiting' ORDER BY id",
        "i", grading));
    while ((ok = database_next(statement, &row, fault)) && row) {
        ok = append_waiting(out, count, statement, fault);
        if (!ok) break;
    }
    sqlite3_finalize(statement);
    if (ok) return true;
    store_waiting_free(*out, *count);
    *out = NULL;
    return false;
}
