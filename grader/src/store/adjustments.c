/* Adjustments in the database of grades; see adjustments.h. */
#include "adjustments.h"

#include "store_internal.h"
#include "database.h"

static bool add_adjustment(grade_store *store, store_adjustment *new, grader_fault *fault)
{
    char now[32];
    store_now(now, sizeof now);
    FAULT_TRY(database_run(store->database, fault,
                           "INSERT INTO adjustment (lab, student, student_id, says, made, who, why)"
                           " VALUES (?, ?, ?, ?, ?, ?, ?)",
                           "ttttttt", new->lab, new->student, new->id, new->says, now, new->who, new->why));
    new->number = sqlite3_last_insert_rowid(store->database);
    return true;
}

bool store_add_adjustments(grade_store *store, store_adjustment *list, size_t count, grader_fault *fault)
{
    bool ok = database_begin(store->database, fault);
    for (size_t i = 0; ok && i < count; i++) ok = add_adjustment(store, &list[i], fault);
    return database_end(store->database, ok, fault);
}

bool store_revoke(grade_store *store, int64_t number, const char *who, const char *why, grader_fault *fault)
{
    char now[32];
    store_now(now, sizeof now);
    FAULT_TRY(database_run(store->database, fault,
                           "UPDATE adjustment SET revoked = ?, revoked_by = ?, revoked_why = ? WHERE id = ? AND revoked"
                           " IS NULL",
                           "ttti", now, who, why, number));
    return sqlite3_changes64(store->database) > 0 ||
           fault_set(fault, "adjustment %lld does not exist or is revoked already (--list shows them)",
                     (long long)number);
}

bool store_each_adjustment(grade_store *store, const char *lab,
                           bool (*each)(void *user, const store_adjustment *adjustment), void *user,
                           grader_fault *fault)
{
    sqlite3_stmt *statement;
    bool found, more = true, ok = true;
    if (store->version < STORE_VERSION_ADJUSTMENTS) return true;
    FAULT_TRY(database_query(&statement, store->database, fault,
                             "SELECT id, lab, student, student_id, says, made, who, why, revoked, revoked_by,"
                             " revoked_why FROM adjustment WHERE ?1 IS NULL OR lab = ?1 ORDER BY id",
                             "t", lab));
    while (more && (ok = database_next(statement, &found, fault)) && found) {
        const store_adjustment adjustment = {
            .number = sqlite3_column_int64(statement, 0),
            .lab = database_text(statement, 1),
            .student = database_text(statement, 2),
            .id = database_text(statement, 3),
            .says = database_text(statement, 4),
            .made = database_text(statement, 5),
            .who = database_text(statement, 6),
            .why = database_text(statement, 7),
            .revoked = database_text(statement, 8),
            .revoked_by = database_text(statement, 9),
            .revoked_why = database_text(statement, 10),
        };
        more = each(user, &adjustment);
    }
    sqlite3_finalize(statement);
    return ok;
}

bool store_each_lab(grade_store *store, bool (*each)(void *user, const char *lab, int64_t grading), void *user,
                    grader_fault *fault)
{
    sqlite3_stmt *statement;
    bool found, more = true, ok = true;
    FAULT_TRY(database_query(&statement, store->database, fault,
                             "SELECT name, MAX(grading) FROM lab GROUP BY name ORDER BY name", ""));
    while (more && (ok = database_next(statement, &found, fault)) && found)
        more = each(user, database_text(statement, 0), sqlite3_column_int64(statement, 1));
    sqlite3_finalize(statement);
    return ok;
}
