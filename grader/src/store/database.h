/*
 * database.h: SQLite with the grader's faults: a file of tables, statements with their values, rows.
 *
 * A fault says what a person can do about it: make room on the disk, end the other program that holds the file, name
 * the right file. Independent of what is stored.
 */
#ifndef GRADER_STORE_DATABASE_H
#define GRADER_STORE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

/* Opens the file. A missing one is created, readable by this user alone; with `to_read` it must exist, and the folder
 * need not be writable. Writes go to a log first (WAL) and are on the disk when a transaction ends. Closed with
 * sqlite3_close. */
bool database_open(sqlite3 **out, const char *path, bool to_read, grader_fault *fault);

/* Prepares a statement and binds its values, one letter each in `types`: i for a 64-bit integer, r for a double, t for
 * a text (NULL is null), b for bytes (a pointer and a size_t). Values are copied. The caller ends the
 * statement with sqlite3_finalize. */
bool database_query(sqlite3_stmt **out, sqlite3 *database, grader_fault *fault, const char *sql, const char *types,
                    ...);

/* Steps to the next row; `row` is false after the last. */
bool database_next(sqlite3_stmt *statement, bool *row, grader_fault *fault);

/* Runs a statement from start to end and ignores its rows. */
bool database_run(sqlite3 *database, grader_fault *fault, const char *sql, const char *types, ...);

/* A transaction: everything between the two calls takes effect, or nothing if `keep` is false. */
bool database_begin(sqlite3 *database, grader_fault *fault);
bool database_end(sqlite3 *database, bool keep, grader_fault *fault);

/* The text of a column: "" for null, borrowed until the next row. */
const char *database_text(sqlite3_stmt *row, int column);

/* Sets the fault to the reason why the last call of SQLite failed, and returns false. */
bool database_failed(sqlite3 *database, grader_fault *fault);

#endif
