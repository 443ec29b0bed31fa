/* Drawing measured and modelled timelines; see timelines.h. */
#include "timelines.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/text.h"
#include "judge/job.h"
#include "judge/result.h"
#include "lab_trace.h"

static const char profile_name[] = "h200";

/* Several drawings share a page: each gets fewer rows then. */
enum { ROWS_ALONE = 16, ROWS_TOGETHER = 4 };

static void draw(const text_page *page, const lab_trace *trace, const char *title, int rows)
{
    const lab_timeline_options options = {
        .columns = page->terminal.columns,
        .ascii = !page->terminal.utf8,
        .color = page->terminal.color,
        .max_rows = rows,
        .title = title,
    };
    char *text;
    if (lab_timeline_text(&text, trace, &options) != LAB_SUCCESS) return;
    fputs(text, page->file);
    free(text);
}

/* ---- the model ------------------------------------------------------------------------------------------------- */

/* Whether the time of each kernel was measured on the modelled device. */
static bool has_known_kernels(const lab_trace *trace)
{
    lab_profile *profile;
    bool known = lab_profile_open(&profile, profile_name) == LAB_SUCCESS;
    if (!known) return false;
    for (size_t i = 0; i < trace->ops && known; i++)
        known = trace->op[i].kind != LAB_OP_KERNEL || lab_profile_has_kernel(profile, trace->op[i].name);
    lab_profile_free(profile);
    return known;
}

/* Whether a model shows what this machine cannot: work on several streams of the CPU device, in order. */
static bool is_worth_modelling(const lab_trace *trace)
{
    return trace->findings == 0 && strcmp(trace->device_kind, "cpu") == 0 &&
           lab_trace_summarize(trace).streams_used > 1 && has_known_kernels(trace);
}

/* Arrays are short here, so that a run takes no time; a large GPU needs 4 MiB to show what overlaps. */
static double choose_scale(const lab_trace *trace)
{
    const double wanted = 4 << 20;
    uint64_t largest = 1;
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_op_kind kind = trace->op[i].kind;
        const bool copy = kind == LAB_OP_COPY_HTOD || kind == LAB_OP_COPY_DTOH;
        if (copy && trace->op[i].bytes > largest) largest = trace->op[i].bytes;
    }
    return (double)largest < wanted ? wanted / (double)largest : 1;
}

/* Moves all work to the stream of the first. */
static void use_one_stream(lab_trace *trace)
{
    uint64_t stream = 0;
    for (size_t i = 0; i < trace->ops; i++) {
        lab_trace_op *op = &trace->op[i];
        if (!stream && op->start_ns >= 0) stream = op->stream;
        if (stream && op->stream) op->stream = stream;
    }
}

/* The model's result for the calls of a record, to be freed; NULL if it fails. */
static lab_model *run_model(const char *path, double *scale, bool on_one_stream)
{
    lab_trace *trace = NULL;
    lab_profile *profile = NULL;
    lab_model *model = NULL;
    if (lab_trace_load(&trace, path) == LAB_SUCCESS && lab_profile_open(&profile, profile_name) == LAB_SUCCESS) {
        *scale = choose_scale(trace);
        if (on_one_stream) use_one_stream(trace);
        if (lab_model_run(&model, trace, profile, &(lab_model_options){.scale = *scale}) != LAB_SUCCESS) model = NULL;
    }
    if (profile) lab_profile_free(profile);
    if (trace) lab_trace_free(trace);
    return model;
}

static void draw_modelled(const text_page *page, const lab_model *model, double scale, const char *what)
{
    char title[160];
    snprintf(title, sizeof title, scale > 1 ? "%s, %s, arrays %.0f times as large" : "%s, %s", what, model->label,
             scale);
    fputc('\n', page->file);
    draw(page, model->trace, title, ROWS_TOGETHER);
}

/* The streams gain nothing there either. */
static void say_equal(const text_page *page, const lab_model *model)
{
    text_buffer text = {0};
    text_format(&text, "On one stream these calls would take as long, %s.", model->label);
    if (*model->advice) text_format(&text, " The first thing to change: %s.", model->advice);
    fputc('\n', page->file);
    if (text.text) page_text(page, 0, text.text);
    free(text.text);
}

/* The student's own calls stand last: that is what the page ends with. */
static void draw_models(const text_page *page, const char *path)
{
    const double gain = 1.05; /* worth a drawing */
    double scale;
    lab_model *serial = run_model(path, &scale, true), *own = run_model(path, &scale, false);
    if (serial && own && serial->makespan_ms < gain * own->makespan_ms) {
        say_equal(page, own);
    } else if (serial && own) {
        draw_modelled(page, serial, scale, "The same calls on one stream");
        draw_modelled(page, own, scale, "Your calls");
    }
    if (serial) lab_model_free(serial);
    if (own) lab_model_free(own);
}

static bool draw_record(const text_page *page, const char *path, const char *title, grader_fault *fault)
{
    lab_trace *trace;
    if (lab_trace_load(&trace, path) != LAB_SUCCESS) return fault_set(fault, "%s", lab_error_message());
    const bool modelled = is_worth_modelling(trace);
    char measured[160];
    snprintf(measured, sizeof measured, "Measured on %.140s", trace->device_name);
    if (*title) page_cut(page, page->terminal.columns, title);
    if (*title) fputc('\n', page->file);
    draw(page, trace, measured, modelled ? ROWS_TOGETHER : ROWS_ALONE);
    lab_trace_free(trace);
    if (modelled) draw_models(page, path);
    return true;
}

/* ---- the records of a run -------------------------------------------------------------------------------------- */

/* Lists the other checks that have a record of their own. */
static void list_others(const text_page *page, const lab_parts *parts, const timelines_choice *choice)
{
    const json_t *check;
    bool listed = false;
    for (size_t i = 1; (check = lab_parts_check(parts, i - 1)); i++) {
        char *path = job_record_path(choice->out, i);
        const bool exists = path && access(path, R_OK) == 0;
        free(path);
        if (!exists || i == choice->check) continue;
        if (!listed)
            fprintf(page->file, "\nOther timelines, by `make %s-timeline CHECK=N%s`:\n", parts->name,
                    choice->variables);
        listed = true;
        fprintf(page->file, "%4zu  ", i);
        page_cut(page, page->terminal.columns - 6, result_string(check, "title"));
        fputc('\n', page->file);
    }
}

/* The text of what the verdict shows; its first line is the title. */
static char *shown_text(const char *out)
{
    enum { MOST_BYTES = 1 << 20 };
    grader_fault unread = {0};
    char *path = folder_path(out, "timeline.txt"), *text = NULL;
    size_t bytes;
    if (path && folder_read(&text, &bytes, path, MOST_BYTES, &unread) != FOLDER_FILE) text = NULL;
    free(path);
    return text;
}

/* Where the text is a graph, it is shown as it is: a capture runs nothing that a timeline could show. */
static bool print_graph(const text_page *page, const char *text)
{
    const char *line = strchr(text, '\n');
    if (!line || strncmp(line + 1, "digraph ", 8) != 0) return false;
    fprintf(page->file, "The captured graph:\n\n%s", line + 1);
    return true;
}

bool timelines_draw_shown(const text_page *page, const char *out, grader_fault *fault)
{
    char *path = folder_path(out, "trace.json"), *text = shown_text(out);
    bool ok = path || fault_memory(fault, "a path");
    if (ok && !(text && print_graph(page, text))) {
        if (text) text[strcspn(text, "\n")] = '\0';
        ok = draw_record(page, path, text ? text : "", fault);
    }
    free(path);
    free(text);
    return ok;
}

static bool draw_own(const text_page *page, const lab_parts *parts, const timelines_choice *choice, grader_fault *fault)
{
    const json_t *check = lab_parts_check(parts, choice->check - 1);
    if (!check) return fault_set(fault, "%s has the checks 1 to %zu", parts->name, json_array_size(parts->manifest));
    char *path = job_record_path(choice->out, choice->check);
    bool ok = path != NULL || fault_memory(fault, "a path");
    if (ok && access(path, R_OK) != 0)
        ok = fault_set(fault, "check %llu left no record in the last run", (unsigned long long)choice->check);
    ok = ok && draw_record(page, path, result_string(check, "title"), fault);
    free(path);
    return ok;
}

bool timelines_print(const text_page *page, const lab_parts *parts, const timelines_choice *choice, grader_fault *fault)
{
    char *shown = folder_path(choice->out, "trace.json");
    const bool has_shown = shown && access(shown, R_OK) == 0;
    free(shown);
    if (choice->check)
        FAULT_TRY(draw_own(page, parts, choice, fault));
    else if (has_shown)
        FAULT_TRY(timelines_draw_shown(page, choice->out, fault));
    list_others(page, parts, choice);
    return true;
}
