/* store_internal.h: what the files of the store share. */
#ifndef GRADER_STORE_STORE_INTERNAL_H
#define GRADER_STORE_STORE_INTERNAL_H

#include <sqlite3.h>

#include "store.h"

enum { STORE_VERSION_ADJUSTMENTS = 3 }; /* the first version of the tables that has adjustments */

struct grade_store {
    sqlite3 *database;
    int version;   /* of its tables */
    int lock;      /* -1 for a store that is only read */
    bool together; /* results are kept in the caller's transaction */
};

/* The time now, as the tables have it. */
void store_now(char *text, size_t bytes);

/* A copy of a column's text, yours; NULL for null, and without memory. */
char *store_copy_text(sqlite3_stmt *row, int column);

#endif
