/* Numbers of a timeline: the ticks of its axis, durations, and the summary of the record. */
#include "timeline.h"

#include <stdio.h>
#include <string.h>

static const int64_t units[] = {1000000000, 1000000, 1000, 1};

static int64_t unit_for(double nanoseconds)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (nanoseconds >= (double)units[i]) return units[i];
    return 1;
}

const char *lab_timeline_unit(int64_t unit_ns, bool ascii)
{
    switch (unit_ns) {
    case 1000000000: return "s";
    case 1000000: return "ms";
    case 1000: return ascii ? "us" : "µs";
    default: return "ns";
    }
}

timeline_axis lab_timeline_axis(const timeline *chart, int ticks)
{
    int64_t span = chart->end - chart->begin;
    int64_t step = 1;
    for (int turn = 0; span / step >= ticks && span > step; turn++) step = turn % 3 == 1 ? step / 2 * 5 : step * 2;

    timeline_axis axis = {step, unit_for((double)span), 0};
    int64_t scaled = step;
    for (; scaled % axis.unit_ns != 0; scaled *= 10) axis.decimals++;
    return axis;
}

void lab_timeline_duration(char *out, size_t size, double nanoseconds, bool ascii)
{
    int64_t unit = unit_for(nanoseconds);
    double value = nanoseconds / (double)unit;
    int decimals = unit == 1 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(out, size, "%.*f %s", decimals, value, lab_timeline_unit(unit, ascii));
}

/* Whether fills, host functions or copies within the device ran, which the figures ignore. */
static bool other_work_ran(const lab_trace *trace)
{
    for (size_t i = 0; i < trace->ops; i++)
        if (lab_trace_ran(&trace->op[i]) && *lab_op_kind_engine(trace->op[i].kind)) return true;
    return false;
}

timeline_figures lab_timeline_figures(const lab_trace *trace, bool ascii)
{
    timeline_figures figures = {"nothing ran on the device", ""};
    lab_trace_summary sum = lab_trace_summarize(trace);
    size_t copies = sum.copies_htod + sum.copies_dtoh;
    if (sum.kernels + copies == 0) {
        if (other_work_ran(trace)) strcpy(figures.extent, "no kernels, and no copies between host and device");
        return figures;
    }

    char span[32];
    lab_timeline_duration(span, sizeof span, sum.span_ms * 1e6, ascii);
    bool modelled = strcmp(trace->device_kind, "model") == 0; /* then its name says which device is modelled */
    snprintf(figures.extent, sizeof figures.extent, "%zu stream%s, %s%s%.100s", sum.streams_used,
             sum.streams_used == 1 ? "" : "s", span, modelled ? ", " : "", modelled ? trace->device_name : "");
    double percent = sum.span_ms > 0 ? 100 * sum.copy_kernel_overlap_ms / sum.span_ms : 0;
    if (sum.kernels == 0)
        strcpy(figures.overlap, "copies only, no kernels");
    else if (copies == 0)
        strcpy(figures.overlap, "kernels only, no copies");
    else if (sum.copy_kernel_overlap_ms <= 0)
        strcpy(figures.overlap, "copies and kernels never overlap");
    else
        snprintf(figures.overlap, sizeof figures.overlap, "copies and kernels overlap %s%.0f%% of the time",
                 percent < 1 ? "less than " : "", percent < 1 ? 1 : percent);
    return figures;
}
