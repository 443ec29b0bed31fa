/* Finding columns by their names; see roster_columns.h. */
#include "roster_columns.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

static const char *const kind_words[COLUMNS] = {
#define COLUMN_KIND(kind, word) [COLUMN_##kind] = word,
    COLUMN_KINDS(COLUMN_KIND)
#undef COLUMN_KIND
};

static const struct column_name {
    column kind;
    const char *name;
} column_names[] = {
#define COLUMN_NAME(kind, name) {COLUMN_##kind, name},
    COLUMN_NAMES(COLUMN_NAME)
#undef COLUMN_NAME
};

enum { NAMES = sizeof column_names / sizeof *column_names };

const char *roster_columns_field(const csv_reader *reader, size_t number)
{
    return number < reader->fields ? reader->field[number] : "";
}

static size_t find_field(const csv_reader *head, const char *name)
{
    for (size_t i = 0; i < head->fields; i++) {
        if (strcasecmp(head->field[i], name) == 0) return i;
    }
    return NO_COLUMN;
}

static void find_by_names(roster_columns *out, const csv_reader *head)
{
    for (int kind = 0; kind < COLUMNS; kind++) out->of[kind] = NO_COLUMN;
    for (size_t i = 0; i < NAMES; i++) {
        size_t *of = &out->of[column_names[i].kind];
        if (*of == NO_COLUMN) *of = find_field(head, column_names[i].name);
    }
}

/* Whether the table of names has the column as one of the kinds from `first` to `last`. */
static bool is_named(const char *column_name, column first, column last)
{
    for (size_t i = 0; i < NAMES; i++) {
        const column kind = column_names[i].kind;
        if (kind >= first && kind <= last && strcasecmp(column_names[i].name, column_name) == 0) return true;
    }
    return false;
}

/* Canvas has two ids and a login with each name, and files may be named by any of them. */
static void find_others(roster_columns *out, const csv_reader *head)
{
    size_t found = 0;
    for (size_t i = 0; i < ROSTER_ALSO; i++) out->also[i] = NO_COLUMN;
    if (out->of[COLUMN_LOGIN] != NO_COLUMN) out->also[found++] = out->of[COLUMN_LOGIN];
    for (size_t i = 0; i < head->fields && found < ROSTER_ALSO; i++) {
        const bool other = i != out->of[COLUMN_ID] && i != out->of[COLUMN_LOGIN];
        if (other && is_named(head->field[i], COLUMN_ID, COLUMN_LOGIN)) out->also[found++] = i;
    }
}

/* ---- what is told ------------------------------------------------------------------------------------------------ */

static void list_columns(text_buffer *text, const csv_reader *head, bool (*leave_out)(const char *name))
{
    enum { MOST_LISTED = 12 };
    size_t listed = 0;
    for (size_t i = 0; i < head->fields; i++) {
        if (!*head->field[i] || (leave_out && leave_out(head->field[i]))) continue;
        if (listed < MOST_LISTED) text_format(text, "%s\"%.64s\"", listed ? ", " : "", head->field[i]);
        listed++;
    }
    if (listed > MOST_LISTED) text_format(text, " and %zu more", listed - MOST_LISTED);
}

static bool is_known(const char *name) { return is_named(name, 0, COLUMNS - 1); }

char *roster_columns_text(const roster_columns *columns, const csv_reader *head)
{
    text_buffer text = {0}, unknown = {0};
    for (int kind = 0; kind <= COLUMN_EMAIL; kind++) {
        const size_t of = columns->of[kind];
        if (of != NO_COLUMN)
            text_format(&text, "%s%s is \"%.64s\"", text.length ? ", " : "", kind_words[kind], head->field[of]);
    }
    list_columns(&unknown, head, is_known);
    if (unknown.length) text_format(&text, "; not known: %s", unknown.text);
    const bool failed = text.failed || unknown.failed;
    free(unknown.text);
    if (!failed) return text.text;
    free(text.text);
    return NULL;
}

static bool refuse_head(const csv_reader *head, grader_fault *fault)
{
    text_buffer text = {0};
    list_columns(&text, head, NULL);
    fault_set(fault,
              "%s:%d: the first row must name the columns, one of them \"id\" or \"name\"; it has %s. --columns "
              "'id=COLUMN,name=COLUMN' says which is which",
              head->path, head->row_line, text.failed ? "others" : text.text);
    free(text.text);
    return false;
}

static bool refuse_column(const csv_reader *head, const char *name, grader_fault *fault)
{
    text_buffer text = {0};
    list_columns(&text, head, NULL);
    fault_set(fault, "--columns: %s has no column \"%.64s\"; it has %s", head->path, name,
              text.failed ? "others" : text.text);
    free(text.text);
    return false;
}

static bool refuse_kind(const char *word, grader_fault *fault)
{
    text_buffer text = {0};
    for (int kind = 0; kind < COLUMN_GRADE; kind++) text_format(&text, "%s%s", kind ? ", " : "", kind_words[kind]);
    fault_set(fault, "--columns: \"%.64s\" is not one of %s, each with = and the name of a column", word,
              text.failed ? "the columns" : text.text);
    free(text.text);
    return false;
}

/* ---- --columns --------------------------------------------------------------------------------------------------- */

/* Cuts 'name="Full name",...' at its next comma outside quotes, and takes the quotes away. Returns the rest. */
static char *cut_said(char *said)
{
    char *out = said;
    bool quoted = false;
    for (; *said && (quoted || *said != ','); said++) {
        if (*said == '"')
            quoted = !quoted;
        else
            *out++ = *said;
    }
    char *rest = *said ? said + 1 : said;
    *out = '\0';
    return rest;
}

static bool take_said(roster_columns *out, const csv_reader *head, char *word, grader_fault *fault)
{
    char *equals = strchr(word, '=');
    if (!equals) return refuse_kind(word, fault);
    *equals = '\0';
    for (int kind = 0; kind < COLUMN_GRADE; kind++) {
        if (strcasecmp(kind_words[kind], word) != 0) continue;
        out->of[kind] = find_field(head, equals + 1);
        return out->of[kind] != NO_COLUMN || refuse_column(head, equals + 1, fault);
    }
    return refuse_kind(word, fault);
}

static bool find_said(roster_columns *out, const csv_reader *head, const char *said, grader_fault *fault)
{
    char *copy = strdup(said ? said : ""), *word = copy;
    bool ok = copy || fault_memory(fault, "the roster");
    while (ok && *word) {
        char *rest = cut_said(word);
        ok = take_said(out, head, word, fault);
        word = rest;
    }
    free(copy);
    return ok;
}

bool roster_columns_find(roster_columns *out, const csv_reader *head, const char *said, grader_fault *fault)
{
    find_by_names(out, head);
    FAULT_TRY(find_said(out, head, said, fault));
    find_others(out, head);
    const size_t *of = out->of;
    if (of[COLUMN_ID] != NO_COLUMN || of[COLUMN_NAME] != NO_COLUMN || of[COLUMN_LAST] != NO_COLUMN) return true;
    return refuse_head(head, fault);
}
