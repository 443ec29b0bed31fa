/* Reading tables; see csv.h. */
#include "csv.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

static char find_separator(const char *at, const char *end)
{
    static const char separators[] = {',', ';', '\t'};
    size_t counts[sizeof separators] = {0}, best = 0;
    bool quoted = false;
    for (; at < end && (quoted || (*at != '\n' && *at != '\r')); at++) {
        if (*at == '"') quoted = !quoted;
        for (size_t i = 0; !quoted && i < sizeof separators; i++) counts[i] += *at == separators[i];
    }
    for (size_t i = 1; i < sizeof separators; i++) {
        if (counts[i] > counts[best]) best = i;
    }
    return separators[best];
}

void csv_begin(csv_reader *reader, const char *path, const char *bytes, size_t count)
{
    *reader = (csv_reader){.path = path, .at = bytes, .end = bytes + count, .line = 1};
    if (count >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) reader->at += 3;
    reader->separator = find_separator(reader->at, reader->end);
}

void csv_end(csv_reader *reader)
{
    free(reader->text);
    reader->text = NULL;
}

/* Steps over a line end: \n, \r or \r\n. */
static void end_line(csv_reader *reader)
{
    if (reader->at < reader->end && *reader->at == '\r') {
        reader->at++;
        if (reader->at < reader->end && *reader->at == '\n') reader->at++;
    } else if (reader->at < reader->end) {
        reader->at++;
    }
    reader->line++;
}

/* Reads a quoted field, from after its first quote, into `out`. Returns its end in `out`, NULL if no quote closes
 * it. */
static char *read_quoted(csv_reader *reader, char *out)
{
    while (reader->at < reader->end) {
        char byte = *reader->at++;
        if (byte == '"' && (reader->at == reader->end || *reader->at != '"')) return out;
        if (byte == '"') reader->at++;
        if (byte == '\n') reader->line++;
        *out++ = byte;
    }
    return NULL;
}

static bool at_field_end(const csv_reader *reader)
{
    return reader->at == reader->end || *reader->at == reader->separator || *reader->at == '\n' || *reader->at == '\r';
}

/* Reads one field into `out`, without spaces around it. Returns the place for the next field in `out`, NULL for a quote
 * that is not closed. */
static char *read_field(csv_reader *reader, char *out)
{
    char *begin = out;
    while (!at_field_end(reader) && *reader->at == ' ') reader->at++;
    if (reader->at < reader->end && *reader->at == '"') {
        reader->at++;
        out = read_quoted(reader, out);
        if (!out) return NULL;
    }
    while (!at_field_end(reader)) *out++ = *reader->at++;
    while (out > begin && out[-1] == ' ') out--;
    *out++ = '\0';
    return out;
}

/* A spreadsheet may end a row with empty cells. Others come from a comma without quotes, and would be lost. */
static bool fits_columns(csv_reader *reader)
{
    if (!reader->columns) reader->columns = reader->fields;
    while (reader->fields > reader->columns && !*reader->field[reader->fields - 1]) reader->fields--;
    return reader->fields <= reader->columns;
}

static bool refuse_bytes(const csv_reader *reader, grader_fault *fault)
{
    return fault_set(fault, "%s:%d: this is no text in UTF-8 (save it as CSV in UTF-8)", reader->path,
                     reader->row_line);
}

static bool read_row(csv_reader *reader, grader_fault *fault)
{
    char *field = reader->text;
    reader->fields = 0;
    reader->row_line = reader->line;
    for (;;) {
        if (reader->fields == CSV_MOST_FIELDS) {
            return fault_set(fault, "%s:%d: more than %d fields in a row", reader->path, reader->row_line,
                             CSV_MOST_FIELDS);
        }
        reader->field[reader->fields++] = field;
        field = read_field(reader, field);
        if (!field)
            return fault_set(fault, "%s:%d: a quote that is opened here is not closed", reader->path, reader->row_line);
        if (!text_is_utf8(reader->field[reader->fields - 1])) return refuse_bytes(reader, fault);
        if (reader->at == reader->end || *reader->at != reader->separator) break;
        reader->at++;
    }
    end_line(reader);
    return true;
}

bool csv_next(csv_reader *reader, bool *found, grader_fault *fault)
{
    *found = false;
    size_t left = (size_t)(reader->end - reader->at);
    if (left && memchr(reader->at, '\0', left)) {
        reader->row_line = reader->line;
        return refuse_bytes(reader, fault);
    }
    /* A field needs no more room than in the file, and one byte for its end. */
    if (!reader->text) reader->text = malloc(left + CSV_MOST_FIELDS + 1);
    if (!reader->text) return fault_memory(fault, reader->path);
    while (!*found && reader->at < reader->end) {
        if (!read_row(reader, fault)) return false;
        for (size_t i = 0; i < reader->fields; i++) *found = *found || *reader->field[i];
    }
    return !*found || fits_columns(reader) ||
           fault_set(fault, "%s:%d: %zu cells below %zu columns: a cell with a %s in it needs quotes around it",
                     reader->path, reader->row_line, reader->fields, reader->columns,
                     reader->separator == ','   ? "comma"
                     : reader->separator == ';' ? "semicolon"
                                                : "tab");
}
