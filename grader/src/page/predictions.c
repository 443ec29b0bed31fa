/* The table of predicted times; see predictions.h. */
#include "predictions.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "judge/job.h"
#include "lab_trace.h"

enum { NUMBER = 4, MEASURED = 12, LEAST_MODELLED = 12 };

typedef struct prediction_table {
    const text_page *page;
    const lab_profile *profile;
    int title, modelled; /* columns */
    text_buffer unknown; /* names of kernels that the profile does not list */
    int rows;
} prediction_table;

static void print_milliseconds(const text_page *page, int columns, double value)
{
    char text[32];
    page_write_milliseconds(text, sizeof text, value);
    page_right(page, columns, text);
}

static void print_head(prediction_table *table, const lab_model *model)
{
    const int columns = table->page->terminal.columns, label = page_columns(model->label) + 2;
    table->modelled = label > LEAST_MODELLED ? label : LEAST_MODELLED;
    table->title = columns - NUMBER - MEASURED - table->modelled;
    fputc('\n', table->page->file);
    page_left(table->page, NUMBER + table->title, "milliseconds of the checks' records");
    page_right(table->page, MEASURED, "here");
    page_right(table->page, table->modelled, model->label);
    fputc('\n', table->page->file);
}

static bool is_listed(const text_buffer *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = names->text; at && (at = strstr(at, name)); at += length)
        if ((at == names->text || at[-1] == ' ') && (at[length] == ',' || !at[length])) return true;
    return false;
}

static void note_unknown(prediction_table *table, const lab_trace *trace)
{
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (op->kind != LAB_OP_KERNEL || !*op->name || lab_profile_has_kernel(table->profile, op->name)) continue;
        if (is_listed(&table->unknown, op->name)) continue;
        text_format(&table->unknown, "%s%s", table->unknown.text ? ", " : "", op->name);
    }
}

static bool print_row(prediction_table *table, const grading_result *result, size_t number, const char *path,
                      grader_fault *fault)
{
    lab_trace *trace;
    lab_model *model;
    const text_page *page = table->page;
    if (lab_trace_load(&trace, path) != LAB_SUCCESS) return fault_set(fault, "%s", lab_error_message());
    const lab_status status = lab_model_run(&model, trace, table->profile, NULL);
    if (status == LAB_SUCCESS) note_unknown(table, trace);
    lab_trace_free(trace);
    if (status != LAB_SUCCESS) return fault_set(fault, "%s", lab_error_message());
    if (model->steps > 0) {
        const char *title = result_string(json_array_get(result->checks, number - 1), "title");
        if (table->rows++ == 0) print_head(table, model);
        const int room = table->title - 1;
        fprintf(page->file, "%2zu  ", number);
        page_cut(page, room, title);
        page_left(page, table->title - (page_columns(title) < room ? page_columns(title) : room), "");
        print_milliseconds(page, MEASURED, model->measured_ms);
        print_milliseconds(page, table->modelled, model->total_ms);
        fputc('\n', page->file);
    }
    lab_model_free(model);
    return true;
}

static void print_notes(const prediction_table *table, const char *device)
{
    text_buffer text = {0};
    if (table->rows == 0) {
        page_text(table->page, 0, "\nNothing to predict: no check left a record with work in it.");
        return;
    }
    text_format(
        &text,
        "\"here\" is %s. Each row is the last record of its check, with arrays of the same size; rows further up "
        "that are modelled have the size that the lesson names.",
        device);
    if (table->unknown.text)
        text_format(&text, " Of the kernels %s the profile has no time: only their memory counts.",
                    table->unknown.text);
    if (text.text) page_text(table->page, 0, text.text);
    free(text.text);
}

bool predictions_print(const text_page *page, const char *out, const grading_result *result, const char *profile,
                       grader_fault *fault)
{
    lab_profile *opened;
    bool ok = true;
    if (lab_profile_open(&opened, profile) != LAB_SUCCESS) return fault_set(fault, "%s", lab_error_message());
    prediction_table table = {.page = page, .profile = opened};
    for (size_t i = 1; ok && i <= json_array_size(result->checks); i++) {
        char *path = job_record_path(out, i);
        ok = path != NULL || fault_memory(fault, "a path");
        if (ok && access(path, R_OK) == 0) ok = print_row(&table, result, i, path, fault);
        free(path);
    }
    if (ok) print_notes(&table, result->device.name);
    free(table.unknown.text);
    lab_profile_free(opened);
    return ok;
}
