/* SQLite with the grader's faults; see database.h. */
#include "database.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* How long to wait for another program that holds the file: ten seconds, or LABGRADE_PATIENCE_MS. */
static int patience_ms(void)
{
    enum { DEFAULT_MS = 10000 };
    const char *text = getenv("LABGRADE_PATIENCE_MS");
    return text ? atoi(text) : DEFAULT_MS;
}

static const char *advice(int code)
{
    switch (code & 0xff) {
    case SQLITE_FULL: return "the disk is full; what was kept before stays: make room, then run the command again";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "another program holds it; what was kept before stays: end that program, then run the command again";
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH: return "it cannot be written by this user";
    case SQLITE_NOTADB: return "it is no database of grades";
    case SQLITE_CORRUPT: return "it is damaged: take a copy from before, or begin a new one next to it";
    case SQLITE_CANTOPEN: return "it cannot be opened; copy a folder that cannot be written first";
    case SQLITE_IOERR:
        return "it cannot be read or written; is the disk full? What was kept before stays: make room, then run the "
               "command again";
    case SQLITE_NOMEM: return "not enough memory";
    default: return NULL;
    }
}

bool database_failed(sqlite3 *database, grader_fault *fault)
{
    const char *path = sqlite3_db_filename(database, "main"), *why = advice(sqlite3_errcode(database));
    return fault_set(fault, "%s: %s", path && *path ? path : "the database of grades",
                     why ? why : sqlite3_errmsg(database));
}

/* A path as SQLite's address of a file that does not change. */
static char *unchanging_address(const char *path)
{
    text_buffer address = {0};
    text_format(&address, "file:");
    for (; *path; path++) text_format(&address, strchr("%?#", *path) ? "%%%02X" : "%c", (unsigned char)*path);
    text_format(&address, "?immutable=1");
    return address.failed ? NULL : address.text;
}

static bool has_log(const char *path)
{
    char *log = text_make("%s-wal", path);
    bool has = !log || access(log, F_OK) == 0;
    free(log);
    return has;
}

static int open_to_read(sqlite3 **database, const char *path)
{
    int code = sqlite3_open_v2(path, database, SQLITE_OPEN_READONLY, NULL);
    if (code != SQLITE_OK) return code;
    sqlite3_busy_timeout(*database, patience_ms());
    code = sqlite3_exec(*database, "PRAGMA schema_version", NULL, NULL, NULL);
    /* Reading makes files next to this one. Where none can be made no grader works, and without a log the file is whole
     * by itself. */
    if ((code != SQLITE_CANTOPEN && code != SQLITE_READONLY) || has_log(path)) return code;
    char *address = unchanging_address(path);
    if (!address) return code;
    sqlite3_close(*database);
    *database = NULL;
    code = sqlite3_open_v2(address, database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    free(address);
    return code;
}

static int open_to_write(sqlite3 **database, const char *path)
{
    return sqlite3_open_v2(path, database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
}

static bool open_file(sqlite3 **database, const char *path, bool to_read, grader_fault *fault)
{
    if ((to_read ? open_to_read : open_to_write)(database, path) != SQLITE_OK) {
        return *database ? database_failed(*database, fault) : fault_memory(fault, path);
    }
    sqlite3_extended_result_codes(*database, 1);
    sqlite3_busy_timeout(*database, patience_ms());
    FAULT_TRY(database_run(*database, fault, "PRAGMA foreign_keys = ON", ""));
    if (to_read) return true;
    FAULT_TRY(database_run(*database, fault, "PRAGMA journal_mode = WAL", ""));
    return database_run(*database, fault, "PRAGMA synchronous = FULL", "");
}

bool database_open(sqlite3 **out, const char *path, bool to_read, grader_fault *fault)
{
    *out = NULL;
    sqlite3 *database = NULL;
    mode_t mask = umask(0077);
    bool opened = open_file(&database, path, to_read, fault);
    umask(mask);
    if (opened)
        *out = database;
    else
        sqlite3_close(database);
    return opened;
}

static int bind(sqlite3_stmt *statement, const char *types, va_list values)
{
    int code = SQLITE_OK;
    for (int i = 0; types[i] && code == SQLITE_OK; i++) {
        const char *text;
        switch (types[i]) {
        case 'i': code = sqlite3_bind_int64(statement, i + 1, va_arg(values, int64_t)); break;
        case 'r': code = sqlite3_bind_double(statement, i + 1, va_arg(values, double)); break;
        case 't':
            text = va_arg(values, const char *);
            code = sqlite3_bind_text(statement, i + 1, text, -1, SQLITE_TRANSIENT);
            break;
        default:
            text = va_arg(values, const char *);
            code = sqlite3_bind_blob64(statement, i + 1, text, va_arg(values, size_t), SQLITE_TRANSIENT);
            break;
        }
    }
    return code;
}

static bool prepare(sqlite3_stmt **out, sqlite3 *database, grader_fault *fault, const char *sql, const char *types,
                    va_list values)
{
    *out = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, out, NULL) == SQLITE_OK && bind(*out, types, values) == SQLITE_OK) {
        return true;
    }
    database_failed(database, fault);
    sqlite3_finalize(*out);
    *out = NULL;
    return false;
}

bool database_query(sqlite3_stmt **out, sqlite3 *database, grader_fault *fault, const char *sql, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    bool prepared = prepare(out, database, fault, sql, types, values);
    va_end(values);
    return prepared;
}

bool database_next(sqlite3_stmt *statement, bool *row, grader_fault *fault)
{
    int code = sqlite3_step(statement);
    *row = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE || database_failed(sqlite3_db_handle(statement), fault);
}

bool database_run(sqlite3 *database, grader_fault *fault, const char *sql, const char *types, ...)
{
    va_list values;
    sqlite3_stmt *statement;
    va_start(values, types);
    bool row = true, done = prepare(&statement, database, fault, sql, types, values);
    va_end(values);
    while (done && row) done = database_next(statement, &row, fault);
    sqlite3_finalize(statement);
    return done;
}

bool database_begin(sqlite3 *database, grader_fault *fault)
{
    return database_run(database, fault, "BEGIN IMMEDIATE", "");
}

bool database_end(sqlite3 *database, bool keep, grader_fault *fault)
{
    grader_fault second;
    if (keep && database_run(database, fault, "COMMIT", "")) return true;
    if (!sqlite3_get_autocommit(database)) database_run(database, &second, "ROLLBACK", "");
    return false;
}

const char *database_text(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? text : "";
}
