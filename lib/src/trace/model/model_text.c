/* A modelled run as text: figures with their label, what to change, and the critical path with repetitions combined. */
#include "trace/drawing/timeline.h"
#include "base/plain_text.h"
#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_LEAST = 40, PATH_LINES = 12 };

/* Writes words in lines of at most `columns` columns; lines after the first are indented. */
static void put_wrapped(FILE *out, const char *text, int columns, int indent)
{
    int column = 0;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column > 0 && column + 1 + length > columns) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > 0) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, (size_t)length, out);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static const char *why(const lab_model_step *step)
{
    switch (step->reason) {
    case LAB_MODEL_HOST: return "as soon as it was called";
    case LAB_MODEL_ORDER: return "after what it waits for";
    case LAB_MODEL_ENGINE: return "when its engine was free";
    case LAB_MODEL_QUEUE: return "when its hardware queue reached it";
    }
    return "";
}

static void name_step(char *out, size_t size, const lab_model *model, const lab_model_step *step)
{
    const lab_trace_op *op = &model->trace->op[step->op];
    if (step->host && op->host_waits)
        snprintf(out, size, "host waits: %s", lab_op_kind_name(op->kind));
    else if (step->host)
        snprintf(out, size, "host enqueues");
    else if (*op->name)
        snprintf(out, size, "%s %.60s", lab_op_kind_name(op->kind), op->name);
    else
        snprintf(out, size, "%s", lab_op_kind_name(op->kind));
}

static bool alike(const lab_model *model, const lab_model_step *a, const lab_model_step *b)
{
    char first[128], second[128];
    name_step(first, sizeof first, model, a);
    name_step(second, sizeof second, model, b);
    return a->host == b->host && strcmp(first, second) == 0 && (a->host || a->reason == b->reason);
}

/* The number of steps, beginning at `at`, that repeat the `period` steps there, those included; 0 if none do. */
static size_t repetition(const lab_model *model, size_t at, size_t period)
{
    size_t length = period;
    while (at + length < model->steps && alike(model, &model->step[at + length], &model->step[at + length - period]))
        length++;
    length -= length % period;
    return length >= 2 * period ? length : 0;
}

static void put_step(FILE *out, const lab_model *model, const lab_model_step *step, int64_t duration, size_t count,
                     int columns, bool ascii)
{
    char name[128], time[32], line[512];
    const lab_trace_op *op = &model->trace->op[step->op];
    name_step(name, sizeof name, model, step);
    lab_timeline_duration(time, sizeof time, (double)duration, ascii);
    int used = snprintf(line, sizeof line, "%10s  %s", time, name);
    if (count > 1) used += snprintf(line + used, sizeof line - (size_t)used, ", %zu times", count);
    if (!step->host) used += snprintf(line + used, sizeof line - (size_t)used, ", %s", why(step));
    if (*op->file) {
        const char *slash = strrchr(op->file, '/');
        snprintf(line + used, sizeof line - (size_t)used, " (%.60s:%d)", slash ? slash + 1 : op->file, op->line);
    }
    size_t fit = lab_text_fit(line, columns);
    fprintf(out, "%.*s\n", (int)fit, line);
}

/* Writes repetitions of a step, or of a few steps, once, with their number and total time. */
static void put_path(FILE *out, const lab_model *model, int columns, bool ascii)
{
    enum { PERIOD_MOST = 6 };
    int lines = 0;
    for (size_t at = 0; at < model->steps;) {
        size_t period = 1, length = 0;
        for (; period <= PERIOD_MOST && length == 0; period++) length = repetition(model, at, period);
        period = length ? period - 1 : 1;
        if (!length) length = 1;
        if (lines >= PATH_LINES) {
            fprintf(out, "%10s  and %zu more\n", "", model->steps - at);
            return;
        }
        for (size_t part = 0; part < period; part++, lines++) {
            int64_t sum = 0;
            for (size_t s = at + part; s < at + length; s += period)
                sum += model->step[s].to_ns - model->step[s].from_ns;
            put_step(out, model, &model->step[at + part], sum, length / period, columns, ascii);
        }
        at += length;
    }
}

static void put_figure(FILE *out, const char *what, double ms, const lab_model *model, bool ascii)
{
    char time[32];
    lab_timeline_duration(time, sizeof time, ms * 1e6, ascii);
    fprintf(out, "%-18s %s, %s\n", what, time, model->label);
}

static void put_model(FILE *out, const lab_model *model, int columns, bool ascii)
{
    char line[640];
    put_figure(out, "makespan", model->makespan_ms, model, ascii);
    put_figure(out, "one after another", model->serial_ms, model, ascii);
    put_figure(out, "best order", model->best_ms, model, ascii);
    snprintf(line, sizeof line, "copies and kernels %.0f%% of the time, %s",
             model->summary.span_ms > 0 ? 100 * model->summary.copy_kernel_overlap_ms / model->summary.span_ms : 0,
             model->label);
    put_wrapped(out, line, columns, 2);
    snprintf(line, sizeof line, "First thing to change: %s.", model->advice);
    put_wrapped(out, line, columns, 2);
    fprintf(out, "Critical path:\n");
    put_path(out, model, columns, ascii);
}

lab_status lab_model_text(char **out, const lab_model *model, int columns, bool ascii)
{
    if (columns < COLUMNS_LEAST)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_model_text: %d columns are too few; it needs %d", columns,
                        COLUMNS_LEAST);
    size_t size;
    char *text = NULL;
    FILE *file = open_memstream(&text, &size);
    if (file) {
        put_model(file, model, columns, ascii);
        bool failed = ferror(file) != 0;
        if (fclose(file) == 0 && !failed) {
            *out = text;
            return LAB_SUCCESS;
        }
    }
    free(text);
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the model's text");
}
