/*
 * database.h: SQLite with the grader's faults: a file of tables, statements with their values, rows.
 *
 * A fault says what a person can do about it: room on the disk, another program that holds the file, a file that is
 * something else. It knows SQLite and nothing of what is stored.
 */
#ifndef GRADER_CLASS_DATABASE_H
#define GRADER_CLASS_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "fault.h"

/* Opens the file, made for this user alone if it is not there, or only for reading, and then it must be there. Writes
 * go to a log first (WAL) and are on the disk when a transaction ends. Ended with sqlite3_close. */
bool database_open(sqlite3 **out, const char *path, bool to_read, grader_fault *fault);

/* Prepares a statement and gives it its values, one letter each in `types`: i a 64-bit integer, r a double, t a text
 * (NULL is null), b bytes (a pointer and a size_t). Yours to end with sqlite3_finalize; values are copied. */
bool database_query(sqlite3_stmt **out, sqlite3 *database, grader_fault *fault, const char *sql, const char *types,
                    ...);

/* The next row. False for a fault; `row` is false after the last. */
bool database_next(sqlite3_stmt *statement, bool *row, grader_fault *fault);

/* A statement from start to end, its rows not looked at. */
bool database_run(sqlite3 *database, grader_fault *fault, const char *sql, const char *types, ...);

/* A transaction: everything between the two happens or nothing does. */
bool database_begin(sqlite3 *database, grader_fault *fault);
bool database_end(sqlite3 *database, bool keep, grader_fault *fault);

/* The text of a column: "" for null, borrowed until the next row. */
const char *database_text(sqlite3_stmt *row, int column);

/* Says why the last call of SQLite failed. */
bool database_failed(sqlite3 *database, grader_fault *fault);

#endif
