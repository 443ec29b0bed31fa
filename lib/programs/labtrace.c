/*
 * labtrace: shows the record of a run that LAB_TRACE=FILE wrote.
 */
#include "lab_trace.h"
#include "base/status.h"
#include "base/terminal.h"
#include "trace/drawing/figure.h"
#include "trace/drawing/timeline.h"
#include "base/system/whole_file.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: labtrace text|svg|summary|model|figure FILE [OPTION]...\n"
    "\n"
    "Shows what a program did on the device. LAB_TRACE=FILE in a program's environment records it.\n"
    "\n"
    "  text      the timeline as text, one row per stream\n"
    "  svg       the timeline as an SVG document\n"
    "  summary   how much ran, and how much of it at the same time\n"
    "  model     how long the program would take on another device, its critical path, what to change\n"
    "  figure    FILE is a figure, which slides make of records: several runs in one SVG, in a page's colours\n"
    "\n"
    "  --columns N     width of the text (the terminal's, else 80)\n"
    "  --rows N        rows of streams; all others are combined in one row (16)\n"
    "  --title TEXT    a line above the timeline\n"
    "  --ascii         no characters outside ASCII (the default if the locale is not UTF-8)\n"
    "  --profile NAME  model: the device, h200 (the default), laptop, or the path of a profile; text, svg and\n"
    "                  summary: show modelled times instead of measured ones\n"
    "  --scale N       model: count every array as N times as large (1)\n"
    "  --host-work     model: what the host did between two calls counts as well, if it took 20 microseconds or more\n"
    "                  in the record; the figure then depends on the record's machine\n"
    "  --both          with --profile: the measured times above the modelled ones, to the same scale\n"
    "  --beside FILE   text, svg: a second record below the first, to the same scale; its title is its path\n"
    "  --save FILE     write the record for Perfetto, with modelled times if --profile is given\n"
    "  --output FILE   write to FILE, whole or not at all, instead of standard output\n"
    "  --help          show this text\n"
    "\n"
    "Colour is used only on a terminal, and never when NO_COLOR is set.\n";

enum { EXIT_USAGE = 2, HOST_WORK_US = 20 };

typedef struct request {
    const char *what, *file, *output, *profile, *save, *beside;
    int scale;
    double host_work; /* 0, or the least time between calls that counts, in microseconds */
    bool both;
    lab_timeline_options options;
    bool ascii;
} request;

static int usage_error(const char *message, const char *detail)
{
    fprintf(stderr, "labtrace: %s%s; see labtrace --help\n", message, detail);
    return EXIT_USAGE;
}

static bool to_number(const char *text, int *out)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    *out = (int)value;
    return errno == 0 && end != text && *end == '\0' && value > 0 && value <= INT_MAX;
}

static bool shows(const char *what, const char *word) { return strcmp(what, word) == 0; }

/* Reads the command line; returns EXIT_SUCCESS or, after a message, EXIT_USAGE. Sets *done if --help is given. */
static int parse(request *out, int count, char **argument, bool *done)
{
    static const struct option known[] = {
        {"columns", required_argument, NULL, 'c'},
        {"rows", required_argument, NULL, 'r'},
        {"title", required_argument, NULL, 't'},
        {"ascii", no_argument, NULL, 'a'},
        {"profile", required_argument, NULL, 'p'},
        {"scale", required_argument, NULL, 's'},
        {"save", required_argument, NULL, 'S'},
        {"both", no_argument, NULL, 'b'},
        {"beside", required_argument, NULL, 'B'},
        {"output", required_argument, NULL, 'o'},
        {"host-work", no_argument, NULL, 'w'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    *out = (request){0};
    for (int option; (option = getopt_long(count, argument, "h", known, NULL)) != -1;) {
        switch (option) {
        case 'c':
            if (!to_number(optarg, &out->options.columns)) return usage_error("--columns needs a number, not ", optarg);
            break;
        case 'r':
            if (!to_number(optarg, &out->options.max_rows)) return usage_error("--rows needs a number, not ", optarg);
            break;
        case 't': out->options.title = optarg; break;
        case 'a': out->ascii = true; break;
        case 'p': out->profile = optarg; break;
        case 's':
            if (!to_number(optarg, &out->scale)) return usage_error("--scale needs a number, not ", optarg);
            break;
        case 'w': out->host_work = HOST_WORK_US; break;
        case 'S': out->save = optarg; break;
        case 'b': out->both = true; break;
        case 'B': out->beside = optarg; break;
        case 'o': out->output = optarg; break;
        case 'h': *done = true; return EXIT_SUCCESS;
        default: return usage_error("unknown or incomplete option", "");
        }
    }
    if (count - optind != 2)
        return usage_error("it takes one of text, svg, summary, model and figure, and one FILE", "");
    out->what = argument[optind];
    out->file = argument[optind + 1];
    if (!shows(out->what, "text") && !shows(out->what, "svg") && !shows(out->what, "summary") &&
        !shows(out->what, "model") && !shows(out->what, "figure"))
        return usage_error("it can show text, svg, summary, model and figure, not ", out->what);
    if (shows(out->what, "figure") && (out->profile || out->save))
        return usage_error("--profile and --save are for a record, not for a figure", "");
    if (shows(out->what, "model") && !out->profile) out->profile = "h200";
    if (out->both && !out->profile) return usage_error("--both needs --profile", "");
    if ((out->both || out->beside) && !shows(out->what, "text") && !shows(out->what, "svg"))
        return usage_error("--both and --beside are for text and svg, not for ", out->what);
    return EXIT_SUCCESS;
}

/* Adapts the options to where the output goes. */
static void fit_to_reader(request *wanted)
{
    lab_terminal terminal = lab_terminal_describe(wanted->output ? -1 : STDOUT_FILENO);
    if (wanted->options.columns == 0) wanted->options.columns = terminal.columns;
    wanted->options.ascii = wanted->ascii || !terminal.utf8;
    wanted->options.color = terminal.color;
}

static int columns_of(const request *wanted)
{
    return wanted->options.columns ? wanted->options.columns : (lab_timeline_options){LAB_TIMELINE_DEFAULTS}.columns;
}

static void put_count(FILE *out, const char *what, size_t count, double together_ms, bool ascii)
{
    char time[32];
    lab_timeline_duration(time, sizeof time, together_ms * 1e6, ascii);
    fprintf(out, "%-22s %zu, %s together\n", what, count, time);
}

static void put_overlap(FILE *out, const char *what, double ms, double span_ms, bool ascii)
{
    char time[32];
    lab_timeline_duration(time, sizeof time, ms * 1e6, ascii);
    fprintf(out, "%-22s %s, %.0f%% of the time\n", what, time, span_ms > 0 ? 100 * ms / span_ms : 0);
}

static lab_status no_memory(void) { return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the summary"); }

static lab_status summary_text(char **out, const lab_trace *trace, bool ascii)
{
    size_t size;
    FILE *text = open_memstream(out, &size);
    if (!text) return no_memory();
    lab_trace_summary sum = lab_trace_summarize(trace);
    char span[32];
    lab_timeline_duration(span, sizeof span, sum.span_ms * 1e6, ascii);
    fprintf(text, "%-22s %s, %s device, %d multiprocessors\n", "device", trace->device_name, trace->device_kind,
            trace->multiprocessors);
    fprintf(text, "%-22s %zu\n%-22s %zu\n%-22s %s\n", "operations", trace->ops, "streams used", sum.streams_used,
            "from first to last", span);
    put_count(text, "kernels", sum.kernels, sum.kernel_ms, ascii);
    put_count(text, "copies to device", sum.copies_htod, sum.htod_ms, ascii);
    put_count(text, "copies to host", sum.copies_dtoh, sum.dtoh_ms, ascii);
    put_overlap(text, "a copy and a kernel", sum.copy_kernel_overlap_ms, sum.span_ms, ascii);
    put_overlap(text, "two kernels or more", sum.kernel_kernel_overlap_ms, sum.span_ms, ascii);
    put_overlap(text, "copies both ways", sum.both_ways_ms, sum.span_ms, ascii);
    return fclose(text) == 0 ? LAB_SUCCESS : no_memory();
}

/* Draws the timelines of the runs. */
static lab_status draw(char **out, const request *wanted, const lab_timeline_run *run, size_t runs)
{
    return shows(wanted->what, "text") ? lab_timelines_text(out, run, runs, &wanted->options)
                                       : lab_timelines_svg(out, run, runs, &wanted->options);
}

/* Shows what is wanted of one record, which has measured or modelled times. */
static lab_status show(char **out, const request *wanted, const lab_trace *trace)
{
    if (shows(wanted->what, "summary")) return summary_text(out, trace, wanted->options.ascii);
    if (!wanted->beside) return draw(out, wanted, &(lab_timeline_run){trace, wanted->options.title}, 1);
    lab_trace *other;
    LAB_TRY(lab_trace_load(&other, wanted->beside));
    const lab_timeline_run runs[] = {{trace, wanted->options.title ? wanted->options.title : wanted->file},
                                     {other, wanted->beside}};
    lab_status status = draw(out, wanted, runs, 2);
    lab_trace_free(other);
    return status;
}

static lab_status show_modelled(char **out, const request *wanted, const lab_trace *measured, const lab_model *model)
{
    if (wanted->save) LAB_TRY(lab_trace_save(model->trace, wanted->save));
    if (shows(wanted->what, "model")) return lab_model_text(out, model, columns_of(wanted), wanted->options.ascii);
    if (!wanted->both) return show(out, wanted, model->trace);
    char title[192];
    snprintf(title, sizeof title, "measured on %s", measured->device_name);
    return draw(out, wanted, (const lab_timeline_run[]){{measured, title}, {model->trace, model->label}}, 2);
}

static lab_status model(char **out, const request *wanted, const lab_trace *trace)
{
    lab_profile *profile;
    lab_model *made;
    LAB_TRY(lab_profile_open(&profile, wanted->profile));
    lab_status status = lab_model_run(&made, trace, profile, &(lab_model_options){wanted->scale, wanted->host_work});
    lab_profile_free(profile);
    LAB_TRY(status);
    status = show_modelled(out, wanted, trace, made);
    lab_model_free(made);
    return status;
}

static lab_status draw_figure(char **out, const request *wanted)
{
    lab_figure *figure;
    LAB_TRY(lab_figure_load(&figure, wanted->file));
    lab_status status = lab_figure_svg(out, figure);
    lab_figure_free(figure);
    return status;
}

static lab_status make(char **out, const request *wanted)
{
    if (shows(wanted->what, "figure")) return draw_figure(out, wanted);
    lab_trace *trace;
    LAB_TRY(lab_trace_load(&trace, wanted->file));
    lab_status status = LAB_SUCCESS;
    if (wanted->profile) {
        status = model(out, wanted, trace);
    } else {
        if (wanted->save) status = lab_trace_save(trace, wanted->save);
        if (status == LAB_SUCCESS) status = show(out, wanted, trace);
    }
    lab_trace_free(trace);
    return status;
}

static lab_status write_file(const char *path, const char *text)
{
    lab_whole_file *file;
    LAB_TRY(lab_whole_file_create(&file, path));
    (void)lab_whole_file_write(file, text, strlen(text)); /* finishing reports its error */
    return lab_whole_file_finish(file);
}

int main(int count, char **argument)
{
    request wanted;
    bool done = false;
    int exit_status = parse(&wanted, count, argument, &done);
    if (done) fputs(help, stdout);
    if (done || exit_status != EXIT_SUCCESS) return exit_status;
    fit_to_reader(&wanted);

    char *text = NULL;
    lab_status status = make(&text, &wanted);
    if (status == LAB_SUCCESS && wanted.output) status = write_file(wanted.output, text);
    if (status == LAB_SUCCESS && !wanted.output && (fputs(text, stdout) == EOF || fflush(stdout) != 0)) {
        fprintf(stderr, "labtrace: cannot write the output: %s\n", strerror(errno));
        exit_status = EXIT_FAILURE;
    }
    if (status != LAB_SUCCESS) {
        fprintf(stderr, "labtrace: %s\n", lab_error_message());
        exit_status = EXIT_FAILURE;
    }
    free(text);
    return exit_status;
}
