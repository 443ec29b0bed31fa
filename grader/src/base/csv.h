/*
 * csv.h: reads tables as spreadsheets write them: with or without a byte order mark; commas, semicolons or tabs; any
 * line ends; quoted fields with doubled quotes and line breaks.
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
    int line;     /* the line of the next row, from 1 */
    int row_line; /* the first line of the last row */
    char *text;   /* the fields of the last row, one after another */
    const char *field[CSV_MOST_FIELDS];
    size_t fields;
    size_t columns; /* fields of the first row that is not empty */
} csv_reader;

/* Begins to read `count` bytes. The separator is the most frequent one in the first line. */
void csv_begin(csv_reader *reader, const char *path, const char *bytes, size_t count);

/* Reads the next row that is not empty; `found` is false at the end. Fields are borrowed until the next call and have
 * no spaces around them. An open quote, bytes that are not UTF-8, and more
 * filled fields than the first row has are faults that name file and line. */
bool csv_next(csv_reader *reader, bool *found, grader_fault *fault);

void csv_end(csv_reader *reader);

#endif
