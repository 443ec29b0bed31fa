/* The rows of a figure, where they differ from those of other timelines: engines, threads, and what they show. */
#include "timeline.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES_MOST = 64 };

static const char *const engines[] = {"copy in", "compute", "copy out"};
enum { ENGINES = sizeof engines / sizeof *engines };

const char *lab_figure_name_of(const lab_figure_run *run, uint64_t id)
{
    for (size_t i = 0; i < run->names; i++)
        if (run->name[i].id == id) return run->name[i].text;
    return NULL;
}

uint64_t lab_figure_key_of(const lab_figure *figure, const lab_trace_op *op)
{
    if (figure->rows == LAB_FIGURE_THREADS) return op->thread;
    return op->kind == LAB_OP_COPY_HTOD ? 1 : op->kind == LAB_OP_COPY_DTOH ? ENGINES : 2;
}

int lab_figure_step_of(const lab_figure_run *run, uint64_t op)
{
    for (size_t i = 0; i < run->steps; i++)
        if (run->step[i].op == op) return run->step[i].number;
    return 0;
}

int lab_figure_step_at(const lab_figure_run *run, int64_t when)
{
    for (size_t i = 0; i < run->steps; i++)
        if (when <= run->step[i].until) return run->step[i].number;
    return run->steps ? run->step[run->steps - 1].number : 0;
}

lab_status lab_figure_choose_rows(timeline *chart)
{
    const bool threads = chart->figure->rows == LAB_FIGURE_THREADS;
    chart->rows = 1 + (threads ? chart->run->names : ENGINES);
    chart->row = calloc(chart->rows, sizeof *chart->row);
    if (!chart->row) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the timeline");
    chart->streams = chart->rows - 1;
    strcpy(chart->row[0].label, "host");
    for (size_t r = 1; r < chart->rows; r++) {
        const lab_figure_name *name = threads ? &chart->run->name[r - 1] : NULL;
        snprintf(chart->row[r].label, sizeof chart->row[r].label, "%.90s", name ? name->text : engines[r - 1]);
        chart->row[r].key = name ? name->id : r;
        chart->row[r].streams = 1;
    }
    return LAB_SUCCESS;
}

/* The program's uses of memory and its clock have their own signs, and a figure with steps shows their calls alone. */
bool lab_figure_shows_call(const timeline *chart, const lab_trace_op *op)
{
    if (!chart->figure) return true;
    if (!chart->figure->host || op->kind == LAB_OP_HOST_READ || op->kind == LAB_OP_HOST_WRITE) return false;
    if (op->kind == LAB_OP_MARK) return chart->figure->bracket == LAB_FIGURE_CLOCK && strcmp(op->name, "clock") == 0;
    return chart->run->steps == 0 || lab_figure_step_of(chart->run, op->id) > 0;
}

const char *lab_figure_call_words(const timeline *chart, const lab_trace_op *op)
{
    if (!chart->figure || chart->figure->rows != LAB_FIGURE_THREADS) return NULL;
    if (!lab_figure_name_of(chart->run, op->thread)) return NULL;
    switch (op->kind) {
    case LAB_OP_CONTEXT_CREATE: return "make a context";
    case LAB_OP_CONTEXT_DESTROY: return "destroy";
    case LAB_OP_MODULE_LOAD: return "load";
    case LAB_OP_MODULE_UNLOAD: return "unload";
    case LAB_OP_MEMORY_ALLOC: return "alloc";
    case LAB_OP_MEMORY_FREE: return "free";
    default: return NULL;
    }
}

/* The first free lane for each span of a row of engines, in which operations of several streams overlap. */
void lab_figure_assign_lanes(timeline *chart)
{
    if (chart->figure->rows != LAB_FIGURE_ENGINES) return;
    for (size_t r = 0; r < chart->rows; r++) {
        timeline_row *row = &chart->row[r];
        int64_t end[LANES_MOST] = {0};
        for (size_t i = 0; i < row->spans && row->key; i++) {
            timeline_span *span = &row->span[i];
            while (span->lane < row->lanes && end[span->lane] > span->begin) span->lane++;
            if (span->lane == row->lanes && row->lanes < LANES_MOST) row->lanes++;
            if (span->lane == LANES_MOST) span->lane--;
            end[span->lane] = span->end;
        }
    }
}
