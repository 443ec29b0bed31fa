/*
 * csv.h: tables as spreadsheets write them: a byte order mark or none, commas, semicolons or tabs, any line ends,
 * quoted fields with doubled quotes and line breaks in them. It knows fields and rows; not what they mean.
 */
#ifndef GRADER_BASE_CSV_H
#define GRADER_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"

enum { CSV_MOST_FIELDS = 256 };

typedef struct csv_reader {
    const char *path; /* for faults */
    const char *at, *end;
    char separator;
    int line;     /* where the next row begins, from 1 */
    int row_line; /* where the last row began */
    char *text;   /* the fields of the last row, one after another */
    const char *field[CSV_MOST_FIELDS];
    size_t fields;
} csv_reader;

/* Begins to read `count` bytes; the separator is the one that the first line has most of. */
void csv_begin(csv_reader *reader, const char *path, const char *bytes, size_t count);

/* Reads the next row that is not empty; `found` is false at the end. Fields are borrowed until the next call, without
 * spaces around them. A quote that is not closed, too many fields or a NUL byte: the fault names file and line. */
bool csv_next(csv_reader *reader, bool *found, grader_fault *fault);

void csv_end(csv_reader *reader);

#endif
