/*
 * Reads a figure from JSON:
 *
 *   {"title": TEXT, "about": TEXT, "width": 1150, "height": 430,
 *    "rows": "streams", "engines" or "threads", "host": true, "bracket": "", "events" or "clock",
 *    "labels": {KERNEL: TEXT},
 *    "columns": [{"head": TEXT, "runs": [RUN]}]}
 *
 *   RUN  "title": TEXT, "verdict": "", "wrong" or "right",
 *        "names": [[STREAM OR THREAD, TEXT]], in the order of the rows of threads,
 *        "steps": [[OPERATION, NANOSECONDS]], in the order of time; a figure numbers its steps from 1,
 *        "record": a record as lab_trace_load reads it
 *
 * Every field must be there. The bytes may come from anybody.
 */
#include "figure.h"
#include "base/plain_text.h"
#include "base/status.h"
#include "base/system/text_file.h"
#include "trace/fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 4, RUNS_MOST = 16, LIST_MOST = 1000, WIDTH_LEAST = 300, SIZE_MOST = 4000 };

typedef struct reader {
    const char *name; /* the file's, for messages */
    lab_figure *figure;
    int steps; /* numbered so far */
} reader;

__attribute__((format(printf, 2, 3))) static lab_status refuse(const reader *input, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return lab_fail(LAB_ERROR_INVALID_VALUE, "%s is not a figure: %s", input->name, what);
}

static lab_status no_memory(void) { return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the figure"); }

/* --- Fields ----------------------------------------------------------------------------------------------------- */

/* The text, without what could steer a page or a terminal; it lives as long as the value. */
static lab_status clean(const reader *input, json_t *value, const char *what, const char **out)
{
    char text[LAB_TRACE_TEXT_BYTES];
    if (!json_is_string(value)) return refuse(input, "%s must be a text", what);
    lab_text_clean(text, sizeof text, json_string_value(value), json_string_length(value));
    if (json_string_set(value, text) != 0) return no_memory();
    *out = json_string_value(value);
    return LAB_SUCCESS;
}

static lab_status read_text(const reader *input, const json_t *part, const char *key, const char **out)
{
    char what[64];
    snprintf(what, sizeof what, "the field \"%s\"", key);
    return clean(input, json_object_get(part, key), what, out);
}

/* The index of the field's word in a list that ends with NULL; `words` says them for a message. */
static lab_status read_word(const reader *input, const json_t *part, const char *key, const char *const *list,
                            const char *words, int *out)
{
    const char *word = json_string_value(json_object_get(part, key));
    for (*out = 0; list[*out]; ++*out)
        if (word && strcmp(word, list[*out]) == 0) return LAB_SUCCESS;
    return refuse(input, "the field \"%s\" must be %s", key, words);
}

static lab_status read_size(const reader *input, const json_t *part, const char *key, int least, int *out)
{
    const json_t *value = json_object_get(part, key);
    if (!json_is_integer(value) || json_integer_value(value) < least || json_integer_value(value) > SIZE_MOST)
        return refuse(input, "the field \"%s\" must be an integer from %d to %d", key, least, SIZE_MOST);
    *out = (int)json_integer_value(value);
    return LAB_SUCCESS;
}

/* The list, and zeroed room for its items. */
static lab_status read_list(const reader *input, const json_t *part, const char *key, size_t least, size_t most,
                            json_t **list, size_t item, void **items)
{
    *list = json_object_get(part, key);
    const size_t count = json_array_size(*list);
    if (!json_is_array(*list) || count < least || count > most)
        return refuse(input, "the field \"%s\" must be a list of %zu to %zu items", key, least, most);
    *items = calloc(count + 1, item);
    return *items ? LAB_SUCCESS : no_memory();
}

/* --- Runs ------------------------------------------------------------------------------------------------------- */

static lab_status read_names(const reader *input, const json_t *part, lab_figure_run *run)
{
    json_t *list, *item;
    void *items = NULL;
    LAB_TRY(read_list(input, part, "names", 0, LIST_MOST, &list, sizeof *run->name, &items));
    run->name = items;
    size_t i;
    json_array_foreach(list, i, item)
    {
        if (json_array_size(item) != 2 || !lab_fields_to_number(json_array_get(item, 0), &run->name[i].id))
            return refuse(input, "an item of \"names\" must be a number and a text");
        LAB_TRY(clean(input, json_array_get(item, 1), "a name", &run->name[i].text));
        run->names++;
    }
    return LAB_SUCCESS;
}

static lab_status read_steps(reader *input, const json_t *part, lab_figure_run *run)
{
    json_t *list, *item;
    void *items = NULL;
    LAB_TRY(read_list(input, part, "steps", 0, LIST_MOST, &list, sizeof *run->step, &items));
    run->step = items;
    size_t i;
    json_array_foreach(list, i, item)
    {
        const json_t *until = json_array_get(item, 1);
        if (json_array_size(item) != 2 || !lab_fields_to_number(json_array_get(item, 0), &run->step[i].op) ||
            !json_is_integer(until) || json_integer_value(until) < (i ? run->step[i - 1].until : 0))
            return refuse(input, "an item of \"steps\" must be an operation and a time that is not before the last");
        run->step[i].until = json_integer_value(until);
        run->step[i].number = ++input->steps;
        run->steps++;
    }
    return LAB_SUCCESS;
}

static lab_status read_record(const reader *input, const json_t *part, lab_figure_run *run)
{
    const json_t *record = json_object_get(part, "record");
    if (!json_is_object(record)) return refuse(input, "the field \"record\" must be a record");
    char *bytes = json_dumps(record, JSON_COMPACT);
    if (!bytes) return no_memory();
    lab_status status = lab_trace_load_bytes(&run->trace, bytes, strlen(bytes), input->name);
    free(bytes);
    return status;
}

static lab_status read_run(reader *input, const json_t *part, lab_figure_run *run)
{
    static const char *const verdicts[] = {"", "wrong", "right", NULL};
    int verdict;
    LAB_TRY(read_text(input, part, "title", &run->title));
    LAB_TRY(read_word(input, part, "verdict", verdicts, "\"\", \"wrong\" or \"right\"", &verdict));
    run->verdict = (lab_figure_verdict)verdict;
    LAB_TRY(read_names(input, part, run));
    LAB_TRY(read_steps(input, part, run));
    return read_record(input, part, run);
}

static lab_status read_column(reader *input, const json_t *part, lab_figure_column *column)
{
    json_t *list, *item;
    void *items = NULL;
    LAB_TRY(read_text(input, part, "head", &column->head));
    LAB_TRY(read_list(input, part, "runs", 1, RUNS_MOST, &list, sizeof *column->run, &items));
    column->run = items;
    size_t i;
    json_array_foreach(list, i, item)
    {
        column->runs++;
        LAB_TRY(read_run(input, item, &column->run[i]));
    }
    return LAB_SUCCESS;
}

/* --- The figure ------------------------------------------------------------------------------------------------- */

static lab_status read_labels(const reader *input, json_t *root)
{
    lab_figure *figure = input->figure;
    json_t *labels = json_object_get(root, "labels"), *value;
    const char *kernel;
    if (!json_is_object(labels)) return refuse(input, "the field \"labels\" must be an object");
    figure->label = calloc(json_object_size(labels) + 1, sizeof *figure->label);
    if (!figure->label) return no_memory();
    json_object_foreach(labels, kernel, value)
    {
        lab_figure_label *label = &figure->label[figure->labels++];
        label->kernel = kernel;
        LAB_TRY(clean(input, value, "a label", &label->text));
    }
    return LAB_SUCCESS;
}

static lab_status read_figure(reader *input, json_t *root)
{
    static const char *const all_rows[] = {"streams", "engines", "threads", NULL};
    static const char *const brackets[] = {"", "events", "clock", NULL};
    lab_figure *figure = input->figure;
    int rows, bracket;
    LAB_TRY(read_text(input, root, "title", &figure->title));
    LAB_TRY(read_text(input, root, "about", &figure->about));
    LAB_TRY(read_size(input, root, "width", WIDTH_LEAST, &figure->width));
    LAB_TRY(read_size(input, root, "height", 1, &figure->height));
    LAB_TRY(read_word(input, root, "rows", all_rows, "\"streams\", \"engines\" or \"threads\"", &rows));
    LAB_TRY(read_word(input, root, "bracket", brackets, "\"\", \"events\" or \"clock\"", &bracket));
    figure->rows = (lab_figure_rows)rows;
    figure->bracket = (lab_figure_bracket)bracket;
    if (!json_is_boolean(json_object_get(root, "host")))
        return refuse(input, "the field \"host\" must be true or false");
    figure->host = json_is_true(json_object_get(root, "host"));
    LAB_TRY(read_labels(input, root));
    json_t *list, *item;
    void *items = NULL;
    LAB_TRY(read_list(input, root, "columns", 1, COLUMNS_MOST, &list, sizeof *figure->column, &items));
    figure->column = items;
    size_t i;
    json_array_foreach(list, i, item)
    {
        figure->columns++;
        LAB_TRY(read_column(input, item, &figure->column[i]));
    }
    return LAB_SUCCESS;
}

lab_status lab_figure_load_bytes(lab_figure **out, const char *bytes, size_t size, const char *name)
{
    json_error_t error;
    json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
    reader input = {.name = name};
    if (!root) {
        char why[JSON_ERROR_TEXT_LENGTH * 3];
        lab_text_clean(why, sizeof why, error.text, strlen(error.text));
        return refuse(&input, "line %d: %s", error.line, why);
    }
    input.figure = calloc(1, sizeof *input.figure);
    if (!input.figure) {
        json_decref(root);
        return no_memory();
    }
    input.figure->storage = root;
    lab_status status = read_figure(&input, root);
    if (status == LAB_SUCCESS)
        *out = input.figure;
    else
        lab_figure_free(input.figure);
    return status;
}

lab_status lab_figure_load(lab_figure **out, const char *path)
{
    char *text;
    LAB_TRY(text_file_read(&text, path));
    lab_status status = lab_figure_load_bytes(out, text, strlen(text), path);
    free(text);
    return status;
}

void lab_figure_free(lab_figure *figure)
{
    if (!figure) return;
    for (size_t c = 0; c < figure->columns; c++) {
        for (size_t r = 0; r < figure->column[c].runs; r++) {
            lab_trace_free(figure->column[c].run[r].trace);
            free(figure->column[c].run[r].name);
            free(figure->column[c].run[r].step);
        }
        free(figure->column[c].run);
    }
    free(figure->column);
    free(figure->label);
    json_decref(figure->storage);
    free(figure);
}
