/*
 * roster_columns.h: which column of a table holds what, by the names that systems give them or by an instructor's word.
 * It knows the first row alone.
 */
#ifndef GRADER_COURSE_ROSTER_COLUMNS_H
#define GRADER_COURSE_ROSTER_COLUMNS_H

#include "base/fault.h"
#include "column_names.h"
#include "base/csv.h"
#include "roster.h"

typedef enum column {
#define COLUMN_KIND(kind, word) COLUMN_##kind,
    COLUMN_KINDS(COLUMN_KIND)
#undef COLUMN_KIND
        COLUMNS,
} column;

enum { NO_COLUMN = CSV_MOST_FIELDS };

typedef struct roster_columns {
    size_t of[COLUMNS];       /* NO_COLUMN for none */
    size_t also[ROSTER_ALSO]; /* other columns with identifiers; NO_COLUMN for none */
} roster_columns;

/* Finds the columns by the row that was read last. `said` is what --columns says, 'id=ID,name="Full name"', or NULL.
 * Without an id and a name it fails, and names the columns. */
bool roster_columns_find(roster_columns *out, const csv_reader *head, const char *said, grader_fault *fault);

/* 'id is "ID", name is "Full name"; not known: "Degree"': the caller frees it; NULL without memory. */
char *roster_columns_text(const roster_columns *columns, const csv_reader *head);

/* The text of a column in the row that was read last; "" without the column. */
const char *roster_columns_field(const csv_reader *reader, size_t number);

#endif
