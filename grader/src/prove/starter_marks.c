/* Comparing a starter with its solution; see starter_marks.h. */
#include "starter_marks.h"

#include <stdlib.h>
#include <string.h>

typedef struct source_line {
    const char *text;
    size_t length;
    bool marked;
} source_line;

typedef struct source_lines {
    source_line *line;
    size_t count;
} source_lines;

static bool contains(const source_line *line, const char *words)
{
    return memmem(line->text, line->length, words, strlen(words)) != NULL;
}

/* Whether the line begins a comment without ending it. */
static bool leaves_comment_open(const source_line *line)
{
    bool open = false;
    for (size_t i = 0; i + 1 < line->length; i++) {
        if (!open && line->text[i] == '/' && line->text[i + 1] == '*') open = true;
        if (open && line->text[i] == '*' && line->text[i + 1] == '/') open = false;
    }
    return open;
}

static bool read_lines(source_lines *out, const char *text)
{
    size_t most = 1;
    for (const char *at = text; (at = strchr(at, '\n')); at++) most++;
    *out = (source_lines){.line = calloc(most, sizeof *out->line)};
    bool in_marked_comment = false, in_marked_function = false;
    for (const char *at = text; out->line && *at;) {
        size_t length = strcspn(at, "\n");
        source_line *line = &out->line[out->count++];
        *line = (source_line){.text = at, .length = length};
        if (*at == '}') in_marked_function = false;
        line->marked = in_marked_comment || in_marked_function || contains(line, "TODO(");
        if (contains(line, "TODO(") && contains(line, ") in this function")) in_marked_function = true;
        if (in_marked_comment)
            in_marked_comment = !contains(line, "*/");
        else
            in_marked_comment = line->marked && leaves_comment_open(line);
        at += length + (at[length] == '\n');
    }
    return out->line != NULL;
}

static bool same(const source_line *one, const source_line *other)
{
    return one->length == other->length && memcmp(one->text, other->text, one->length) == 0;
}

/* Tries every way to align the starter's lines with the solution's. A state is how many lines of each are done, and
 * whether the place is marked, so that the solution may continue alone; reached[] has one byte for each state. */
static starter_marks_finding compare(const source_lines *starter, const source_lines *solution, unsigned char *reached)
{
    size_t rows = starter->count + 1, columns = solution->count + 1, furthest = 0;
#define REACHED(row, column, open) reached[((row)*columns + (column)) * 2 + (open)]
    REACHED(0, 0, 0) = 1;
    for (size_t row = 0; row < rows; row++) {
        for (size_t column = 0; column < columns; column++) {
            for (int open = 0; open < 2; open++) {
                if (!REACHED(row, column, open)) continue;
                furthest = row;
                const source_line *line = row < starter->count ? &starter->line[row] : NULL;
                bool more = column < solution->count;
                if (line && line->marked) REACHED(row + 1, column, 1) = 1;
                if (line && !line->marked && more && same(line, &solution->line[column]))
                    REACHED(row + 1, column + 1, 0) = 1;
                if (open && more) REACHED(row, column + 1, 1) = 1;
            }
        }
    }
    bool agree = REACHED(rows - 1, columns - 1, 0) || REACHED(rows - 1, columns - 1, 1);
#undef REACHED
    return (starter_marks_finding){.agree = agree, .line = (int)furthest + 1};
}

starter_marks_finding starter_marks_compare(const char *starter, const char *solution)
{
    source_lines starter_lines = {0}, solution_lines = {0};
    starter_marks_finding finding = {.out_of_memory = true};
    if (read_lines(&starter_lines, starter) && read_lines(&solution_lines, solution)) {
        unsigned char *reached = calloc((starter_lines.count + 1) * (solution_lines.count + 1), 2);
        if (reached) finding = compare(&starter_lines, &solution_lines, reached);
        free(reached);
    }
    free(starter_lines.line);
    free(solution_lines.line);
    return finding;
}
