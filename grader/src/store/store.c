/* Gradings and jobs in the database of grades; see store.h. Functions that only read are in store_rows.c. */
#include "store.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "adjustments.h"
#include "database.h"
#include "base/folder.h"
#include "base/text.h"
#include "one_grader.h"
#include "store_internal.h"

enum { SCHEMA_VERSION = STORE_VERSION_ADJUSTMENTS };

/* grader/docs/database.md describes these tables. */
static const char *const schema[] = {
    "CREATE TABLE IF NOT EXISTS grading (id INTEGER PRIMARY KEY, begun TEXT NOT NULL, ended TEXT,"
    " seconds REAL NOT NULL DEFAULT 0, who TEXT NOT NULL, why TEXT NOT NULL, folder TEXT NOT NULL,"
    " options TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS lab (grading INTEGER NOT NULL REFERENCES grading, name TEXT NOT NULL,"
    " kit BLOB NOT NULL, seed TEXT NOT NULL, seed_secret INTEGER NOT NULL, about TEXT NOT NULL,"
    " PRIMARY KEY (grading, name))",
    "CREATE TABLE IF NOT EXISTS source (id INTEGER PRIMARY KEY, hash BLOB NOT NULL, bytes BLOB NOT NULL)",
    "CREATE INDEX IF NOT EXISTS source_hash ON source (hash)",
    "CREATE TABLE IF NOT EXISTS result (id INTEGER PRIMARY KEY, grading INTEGER NOT NULL REFERENCES grading,"
    " key BLOB NOT NULL, lab TEXT NOT NULL, name TEXT NOT NULL, directory TEXT NOT NULL,"
    " source INTEGER REFERENCES source, made TEXT NOT NULL, verdict TEXT NOT NULL, points INTEGER NOT NULL,"
    " max_points INTEGER NOT NULL, json TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS result_key ON result (key)",
    "CREATE TABLE IF NOT EXISTS job (id INTEGER PRIMARY KEY, grading INTEGER NOT NULL REFERENCES grading,"
    " lab TEXT NOT NULL, name TEXT NOT NULL, directory TEXT NOT NULL, about TEXT NOT NULL, refusal TEXT,"
    " source INTEGER REFERENCES source, only_check TEXT, key BLOB NOT NULL, state TEXT NOT NULL CHECK (state IN "
    "('waiting', 'running', 'done')),"
    " tries INTEGER NOT NULL DEFAULT 0, result INTEGER REFERENCES result, group_name TEXT,"
    " UNIQUE (grading, lab, directory))",
    "CREATE INDEX IF NOT EXISTS job_state ON job (grading, state)",
    "CREATE TABLE IF NOT EXISTS adjustment (id INTEGER PRIMARY KEY, lab TEXT NOT NULL, student TEXT NOT NULL,"
    " student_id TEXT NOT NULL, says TEXT NOT NULL, made TEXT NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL,"
    " revoked TEXT, revoked_by TEXT, revoked_why TEXT)",
};

void store_now(char *text, size_t bytes)
{
    struct tm utc;
    time_t now = time(NULL);
    strftime(text, bytes, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

/* ---- opening ------------------------------------------------------------------------------------------------- */

static bool read_version(sqlite3 *database, int *version, grader_fault *fault)
{
    sqlite3_stmt *statement;
    bool row;
    FAULT_TRY(database_query(&statement, database, fault, "PRAGMA user_version", ""));
    bool ok = database_next(statement, &row, fault);
    if (ok) *version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return ok;
}

/* Makes the tables, or brings those of an older version to this one. */
static bool make_tables(sqlite3 *database, int version, grader_fault *fault)
{
    char new_version[64];
    snprintf(new_version, sizeof new_version, "PRAGMA user_version = %d", SCHEMA_VERSION);
    if (version == 1) FAULT_TRY(database_run(database, fault, "ALTER TABLE job ADD COLUMN group_name TEXT", ""));
    for (size_t i = 0; i < sizeof schema / sizeof *schema; i++) FAULT_TRY(database_run(database, fault, schema[i], ""));
    return database_run(database, fault, new_version, "");
}

static bool make_schema(sqlite3 *database, int version, grader_fault *fault)
{
    bool ok = database_begin(database, fault) && make_tables(database, version, fault);
    return database_end(database, ok, fault);
}

bool store_is_there(const char *folder, grader_fault *fault)
{
    char *path = folder_path(folder, "grades.db");
    if (!path) return fault_memory(fault, "a path");
    bool there = access(path, F_OK) == 0 || fault_set(fault, "there are no grades in %s: %s is missing", folder, path);
    free(path);
    return there;
}

/* Opens the file and brings its tables to this version; one that is only read must have them. */
static bool open_tables(grade_store *store, const char *path, bool to_read, grader_fault *fault)
{
    FAULT_TRY(database_open(&store->database, path, to_read, fault));
    FAULT_TRY(read_version(store->database, &store->version, fault));
    const int version = store->version;
    if (version > SCHEMA_VERSION) return fault_set(fault, "%s was made by a newer labgrade than this one", path);
    if (to_read) return version > 0 || fault_set(fault, "there are no grades in %s yet", path);
    store->version = SCHEMA_VERSION;
    return version == SCHEMA_VERSION || make_schema(store->database, version, fault);
}

static bool open_database(grade_store *store, const char *folder, bool to_read, grader_fault *fault)
{
    if (to_read)
        FAULT_TRY(store_is_there(folder, fault));
    else
        FAULT_TRY(one_grader_enter(&store->lock, folder, fault));
    char *path = folder_path(folder, "grades.db");
    if (!path) return fault_memory(fault, "a path");
    bool ok = open_tables(store, path, to_read, fault);
    free(path);
    return ok;
}

static bool open_store(grade_store **out, const char *folder, bool to_read, grader_fault *fault)
{
    grade_store *store = calloc(1, sizeof *store);
    if (!store) return fault_memory(fault, "the database of grades");
    store->lock = -1;
    if (!open_database(store, folder, to_read, fault)) {
        store_close(store);
        return false;
    }
    *out = store;
    return true;
}

bool store_open(grade_store **out, const char *folder, grader_fault *fault)
{
    return open_store(out, folder, false, fault);
}

bool store_open_to_read(grade_store **out, const char *folder, grader_fault *fault)
{
    return open_store(out, folder, true, fault);
}

void store_close(grade_store *store)
{
    if (!store) return;
    sqlite3_close(store->database);
    if (store->lock >= 0) one_grader_leave(store->lock);
    free(store);
}

/* ---- beginning a grading ------------------------------------------------------------------------------------- */

char *store_user(void)
{
    char host[128] = "";
    text_buffer text = {0};
    gethostname(host, sizeof host - 1);
    const struct passwd *user = getpwuid(getuid());
    text_format(&text, "%s@%s", user ? user->pw_name : "?", host);
    return text.failed ? NULL : text.text;
}

static bool add_grading(grade_store *store, const char *who, const char *why, const char *folder, const char *options,
                        grader_fault *fault)
{
    char now[32];
    store_now(now, sizeof now);
    FAULT_TRY(database_begin(store->database, fault));
    return database_run(store->database, fault,
                        "INSERT INTO grading (begun, who, why, folder, options) VALUES (?, ?, ?, ?, ?)", "ttttt", now,
                        who, why, folder, options);
}

bool store_begin(grade_store *store, int64_t *id, const char *why, const char *folder, const char *options,
                 grader_fault *fault)
{
    char *who = store_user();
    if (!who) return fault_memory(fault, "a name");
    bool ok = add_grading(store, who, why, folder, options, fault);
    if (ok) *id = sqlite3_last_insert_rowid(store->database);
    free(who);
    return ok;
}

bool store_begun(grade_store *store, bool keep, grader_fault *fault)
{
    return database_end(store->database, keep, fault);
}

bool store_add_lab(grade_store *store, int64_t grading, const store_lab *lab, grader_fault *fault)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)lab->seed);
    return database_run(store->database, fault,
                        "INSERT INTO lab (grading, name, kit, seed, seed_secret, about) VALUES (?, ?, ?, ?, ?, ?)",
                        "itbtit", grading, lab->name, lab->key.byte, sizeof lab->key.byte, digits,
                        (int64_t)lab->seed_secret, lab->facts);
}

bool store_secret_seed(grade_store *store, const char *lab, uint64_t *seed, bool *found, grader_fault *fault)
{
    sqlite3_stmt *statement;
    FAULT_TRY(database_query(&statement, store->database, fault,
                             "SELECT seed FROM lab WHERE name = ? AND seed_secret ORDER BY grading DESC LIMIT 1", "t",
                             lab));
    bool ok = database_next(statement, found, fault);
    if (ok && *found) *seed = strtoull(database_text(statement, 0), NULL, 10);
    sqlite3_finalize(statement);
    return ok;
}

/* ---- adding jobs --------------------------------------------------------------------------------------------- */

/* The row of a source, 0 for none. */
static bool find_source(grade_store *store, content_key hash, const char *bytes, size_t count, int64_t *id,
                        grader_fault *fault)
{
    sqlite3_stmt *statement;
    bool found = false;
    FAULT_TRY(database_query(&statement, store->database, fault, "SELECT id FROM source WHERE hash = ? AND bytes = ?",
                             "bb", hash.byte, sizeof hash.byte, bytes, count));
    bool ok = database_next(statement, &found, fault);
    *id = ok && found ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return ok;
}

/* The row of a source, added unless there is one: equal bytes are kept once. */
static bool add_source(grade_store *store, const char *bytes, size_t count, int64_t *id, grader_fault *fault)
{
    content_key hash = content_key_of(bytes, count);
    FAULT_TRY(find_source(store, hash, bytes, count, id, fault));
    if (*id) return true;
    FAULT_TRY(database_run(store->database, fault, "INSERT INTO source (hash, bytes) VALUES (?, ?)", "bb", hash.byte,
                           sizeof hash.byte, bytes, count));
    *id = sqlite3_last_insert_rowid(store->database);
    return true;
}

bool store_find_result(grade_store *store, const store_entry *entry, int64_t *result, char **json, grader_fault *fault)
{
    sqlite3_stmt *statement;
    int64_t source;
    bool found = false;
    *result = 0;
    *json = NULL;
    if (entry->refusal) return true;
    content_key hash = content_key_of(entry->source, entry->bytes);
    FAULT_TRY(find_source(store, hash, entry->source, entry->bytes, &source, fault));
    if (source == 0) return true;
    FAULT_TRY(database_query(&statement, store->database, fault,
                             "SELECT id, json FROM result WHERE key = ? AND lab = ? AND name = ? AND directory = ? AND"
                             " source = ? AND verdict <> 'grader fault' ORDER BY id DESC LIMIT 1",
                             "bttti", entry->key.byte, sizeof entry->key.byte, entry->lab, entry->name,
                             entry->directory, source));
    bool ok = database_next(statement, &found, fault);
    if (ok && found) *json = store_copy_text(statement, 1);
    if (*json) *result = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return ok;
}

bool store_add_job(grade_store *store, int64_t grading, const store_entry *entry, grader_fault *fault)
{
    int64_t source = 0;
    if (!entry->refusal) FAULT_TRY(add_source(store, entry->source, entry->bytes, &source, fault));
    bool done = entry->kept_only || (entry->previous && !entry->check);
    const char *state = done ? "done" : "waiting";
    return database_run(store->database, fault,
                        "INSERT INTO job (grading, lab, name, directory, about, refusal, source, only_check, key,"
                        " state, result, group_name)"
                        " VALUES (?, ?, ?, ?, ?, ?, NULLIF(?, 0), ?, ?, ?, NULLIF(?, 0), ?)",
                        "itttttitbtit", grading, entry->lab, entry->name, entry->directory, entry->facts,
                        entry->refusal, source, entry->check, entry->key.byte, sizeof entry->key.byte, state,
                        entry->previous, entry->group);
}

bool store_copy_jobs(grade_store *store, int64_t earlier, int64_t grading, const store_choice *choice, int64_t *chosen,
                     grader_fault *fault)
{
    FAULT_TRY(database_run(
        store->database, fault,
        "INSERT INTO job (grading, lab, name, directory, about, refusal, source, key, state, result, group_name)"
        " SELECT ?, lab, name, directory, about, refusal, source, key, state, result, group_name FROM job"
        " WHERE grading = ? ORDER BY id",
        "ii", grading, earlier));
    FAULT_TRY(database_run(store->database, fault,
                           "UPDATE job SET state = 'waiting', only_check = ?2 WHERE grading = ?1 AND state = 'done' AND"
                           " result IS NOT NULL AND"
                           " (?3 IS NULL OR name = ?3 OR directory = ?3 OR EXISTS (SELECT 1 FROM job AS mate WHERE"
                           " mate.grading = ?1 AND mate.lab = job.lab AND mate.group_name = job.group_name AND"
                           " mate.result IS NOT NULL AND (mate.name = ?3 OR mate.directory = ?3))) AND"
                           " (?4 IS NULL OR lab = ?4)",
                           "ittt", grading, choice->check, choice->student, choice->lab));
    *chosen = sqlite3_changes64(store->database);
    return database_run(store->database, fault,
                        "UPDATE job SET state = 'waiting' WHERE grading = ? AND state = 'running'", "i", grading);
}

/* ---- doing jobs ---------------------------------------------------------------------------------------------- */

void store_job_free(store_job *job)
{
    char *texts[] = {job->lab,   job->name,   job->directory, job->refusal,
                     job->check, job->source, job->previous,  job->group};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    *job = (store_job){0};
}

char *store_copy_text(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? NULL : strdup(database_text(row, column));
}

/* A missing value and missing memory look alike; whether the column has a value tells them apart. */
static bool copy_column(char **out, sqlite3_stmt *row, int column)
{
    *out = store_copy_text(row, column);
    return *out || sqlite3_column_type(row, column) == SQLITE_NULL;
}

static bool copy_columns(store_job *out, sqlite3_stmt *row)
{
    enum { TEXTS = 7, FIRST = 2, SOURCE = FIRST + TEXTS, KEY };
    char **text[TEXTS] = {&out->lab,   &out->name,     &out->directory, &out->refusal,
                          &out->check, &out->previous, &out->group};
    for (int i = 0; i < TEXTS; i++) {
        if (!copy_column(text[i], row, FIRST + i)) return false;
    }
    out->bytes = (size_t)sqlite3_column_bytes(row, SOURCE);
    out->source = calloc(1, out->bytes + 1);
    if (!out->source || sqlite3_column_bytes(row, KEY) != sizeof out->key.byte) return false;
    if (out->bytes) memcpy(out->source, sqlite3_column_blob(row, SOURCE), out->bytes);
    memcpy(out->key.byte, sqlite3_column_blob(row, KEY), sizeof out->key.byte);
    return true;
}

static bool copy_job(store_job *out, sqlite3_stmt *row, grader_fault *fault)
{
    *out = (store_job){.id = sqlite3_column_int64(row, 0), .tries = sqlite3_column_int(row, 1) + 1};
    if (copy_columns(out, row)) return true;
    store_job_free(out);
    return fault_memory(fault, "a job");
}

#define JOB_COLUMNS                                                                                                    \
    "SELECT job.id, tries, job.lab, job.name, job.directory, refusal, only_check,"                                     \
    " CASE WHEN only_check IS NULL THEN NULL ELSE result.json END, group_name, source.bytes,"                          \
    " job.key FROM job LEFT JOIN source ON source.id = job.source LEFT JOIN result ON result.id = job.result"

/* Copies the job that a statement gives, if it gives one, and finalizes it. */
static bool copy_found(store_job *out, bool *found, sqlite3_stmt *statement, grader_fault *fault)
{
    bool ok = database_next(statement, found, fault) && (!*found || copy_job(out, statement, fault));
    sqlite3_finalize(statement);
    return ok;
}

bool store_read_job(grade_store *store, int64_t id, store_job *out, grader_fault *fault)
{
    sqlite3_stmt *statement;
    bool found;
    FAULT_TRY(database_query(&statement, store->database, fault, JOB_COLUMNS " WHERE job.id = ?", "i", id));
    FAULT_TRY(copy_found(out, &found, statement, fault));
    return found || fault_set(fault, "job %lld is not in the database of grades", (long long)id);
}

/* Finds a job that waits, in the order of tries. */
static bool find_waiting(grade_store *store, int64_t grading, store_job *out, bool *found, grader_fault *fault)
{
    sqlite3_stmt *statement;
    FAULT_TRY(database_query(&statement, store->database, fault,
                             JOB_COLUMNS
                             " WHERE job.grading = ? AND state = 'waiting' AND NOT EXISTS"
                             " (SELECT 1 FROM job AS mate WHERE mate.grading = job.grading AND mate.state = 'running'"
                             " AND mate.lab = job.lab AND mate.group_name = job.group_name) ORDER BY tries, job.id"
                             " LIMIT 1",
                             "i", grading));
    return copy_found(out, found, statement, fault);
}

bool store_take_job(grade_store *store, int64_t grading, store_job *out, bool *found, grader_fault *fault)
{
    *found = false;
    FAULT_TRY(find_waiting(store, grading, out, found, fault));
    if (!*found) return true;
    bool ok = database_run(store->database, fault, "UPDATE job SET state = 'running', tries = ? WHERE id = ?", "ii",
                           (int64_t)out->tries, out->id);
    if (!ok) store_job_free(out);
    return ok;
}

static bool copy_shared(char **directory, char **json, sqlite3_stmt *row, grader_fault *fault)
{
    *directory = store_copy_text(row, 0);
    *json = store_copy_text(row, 1);
    if (*directory && *json) return true;
    free(*directory);
    free(*json);
    return fault_memory(fault, "a result");
}

bool store_find_shared(char **directory, char **json, grade_store *store, const store_job *job, grader_fault *fault)
{
    sqlite3_stmt *statement;
    bool found = false;
    *directory = *json = NULL;
    if (!job->group) return true;
    FAULT_TRY(
        database_query(&statement, store->database, fault,
                       "SELECT mate.directory, result.json FROM job JOIN job AS mate ON mate.grading = job.grading"
                       " AND mate.lab = job.lab AND mate.group_name = job.group_name AND mate.key = job.key AND"
                       " mate.source IS job.source AND mate.state = 'done' JOIN result ON result.id = mate.result"
                       " WHERE job.id = ? ORDER BY mate.id LIMIT 1",
                       "i", job->id));
    bool ok = database_next(statement, &found, fault) && (!found || copy_shared(directory, json, statement, fault));
    sqlite3_finalize(statement);
    return ok;
}

bool store_put_back_all(grade_store *store, int64_t grading, grader_fault *fault)
{
    return database_run(store->database, fault,
                        "UPDATE job SET state = 'waiting', tries = 0 WHERE grading = ? AND state = 'running'", "i",
                        grading);
}

bool store_put_back(grade_store *store, int64_t job, grader_fault *fault)
{
    return database_run(store->database, fault, "UPDATE job SET state = 'waiting' WHERE id = ?", "i", job);
}

static bool add_result(grade_store *store, const store_job *job, const store_result *result, grader_fault *fault)
{
    char now[32];
    store_now(now, sizeof now);
    FAULT_TRY(database_run(store->database, fault,
                           "INSERT INTO result (grading, key, lab, name, directory, source, made, verdict, points,"
                           " max_points, json) SELECT grading, ?, lab, name, directory, source, ?, ?, ?, ?, ? FROM job"
                           " WHERE id = ?",
                           "bttiiti", job->key.byte, sizeof job->key.byte, now, result->verdict,
                           (int64_t)result->points, (int64_t)result->max_points, result->json, job->id));
    return database_run(store->database, fault,
                        "UPDATE job SET state = 'done', result = last_insert_rowid() WHERE id = ?", "i", job->id);
}

bool store_keep_together(grade_store *store, grader_fault *fault)
{
    FAULT_TRY(database_begin(store->database, fault));
    store->together = true;
    return true;
}

bool store_keep_together_end(grade_store *store, bool keep, grader_fault *fault)
{
    store->together = false;
    return database_end(store->database, keep, fault);
}

bool store_finish_job(grade_store *store, const store_job *job, const store_result *result, grader_fault *fault)
{
    if (store->together) return add_result(store, job, result, fault);
    bool ok = database_begin(store->database, fault) && add_result(store, job, result, fault);
    return database_end(store->database, ok, fault);
}

bool store_worked(grade_store *store, int64_t grading, double seconds, grader_fault *fault)
{
    char now[32];
    store_now(now, sizeof now);
    return database_run(store->database, fault,
                        "UPDATE grading SET seconds = seconds + ?2, ended = CASE WHEN EXISTS (SELECT 1 FROM job WHERE"
                        " job.grading = ?1 AND state <> 'done') THEN NULL ELSE ?3 END WHERE id = ?1",
                        "irt", grading, seconds, now);
}
