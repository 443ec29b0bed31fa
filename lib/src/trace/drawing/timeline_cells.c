/* The cells of a row: how much of each part of the window each mark takes, and which mark to show there. */
#include "timeline.h"

#include <stdlib.h>

static int cell_at(const timeline *chart, int cells, int64_t when)
{
    double share = (double)(when - chart->begin) / (double)(chart->end - chart->begin);
    int cell = (int)(share * cells);
    return cell < cells ? cell : cells - 1;
}

double *lab_timeline_measure(const timeline *chart, const timeline_row *row, int cells)
{
    double *time = calloc((size_t)cells * TIMELINE_MARKS, sizeof *time);
    /* Cells that a span covers completely are counted by their beginning (+1) and end (-1). */
    double *whole = calloc(((size_t)cells + 1) * TIMELINE_MARKS, sizeof *whole);
    if (!time || !whole) {
        free(time);
        free(whole);
        return NULL;
    }
    const double width = (double)(chart->end - chart->begin) / cells;
    for (size_t i = 0; i < row->spans; i++) {
        const timeline_span *span = &row->span[i];
        int first = cell_at(chart, cells, span->begin);
        int last = cell_at(chart, cells, span->end);
        double begin = (double)(span->begin - chart->begin);
        double end = (double)(span->end - chart->begin);
        if (first == last) {
            time[first * TIMELINE_MARKS + span->mark] += end - begin;
            continue;
        }
        time[first * TIMELINE_MARKS + span->mark] += (first + 1) * width - begin;
        time[last * TIMELINE_MARKS + span->mark] += end - last * width;
        whole[(first + 1) * TIMELINE_MARKS + span->mark] += 1;
        whole[last * TIMELINE_MARKS + span->mark] -= 1;
    }
    for (int mark = 0; mark < TIMELINE_MARKS; mark++) {
        double covered = 0;
        for (int cell = 0; cell < cells; cell++) {
            covered += whole[cell * TIMELINE_MARKS + mark];
            time[cell * TIMELINE_MARKS + mark] += covered * width;
        }
    }
    free(whole);
    return time;
}

/* The mark that takes most of the cell's time. */
static timeline_mark majority(const double *time, double width)
{
    timeline_mark filling = TIMELINE_HTOD;
    double filled = 0;
    for (timeline_mark mark = TIMELINE_HTOD; mark <= TIMELINE_WAIT; mark++) {
        filled += time[mark];
        if (time[mark] > time[filling]) filling = mark;
    }
    timeline_mark waiting = time[TIMELINE_QUEUED] > 0  ? TIMELINE_QUEUED
                            : time[TIMELINE_RANGE] > 0 ? TIMELINE_RANGE
                                                       : TIMELINE_CALL;
    if (filled + time[waiting] < width / 2) return TIMELINE_IDLE;
    return filled >= time[waiting] ? filling : waiting;
}

/* The last cell from `first` to `last` with this mark; -1 if none has it. */
static int last_with(const timeline_mark *cell, int first, int last, timeline_mark mark)
{
    for (int c = last; c >= first; c--)
        if (cell[c] == mark) return c;
    return -1;
}

/* An operation that won no cell gets the one in its middle, or one next to it if another runs there. Cells before
 * `free_from` show earlier operations, so that the order stays. Returns the first cell for the next operation. */
static int keep_short(const timeline *chart, const timeline_span *span, timeline_mark *cell, int cells, int free_from)
{
    const int first = cell_at(chart, cells, span->begin), last = cell_at(chart, cells, span->end), reach = 2;
    const int from = first - 1 > free_from ? first - 1 : free_from, to = last < cells - 1 ? last + 1 : last;
    const int shown = last_with(cell, from, to, span->mark);
    if (shown >= 0) return shown + 1;

    const int middle = cell_at(chart, cells, span->begin + (span->end - span->begin) / 2);
    int at = middle > free_from ? middle : free_from;
    if (at < cells && timeline_fills(cell[at])) at--; /* by a later operation */
    if (at < free_from || at >= cells || at > last + reach || timeline_fills(cell[at])) return free_from;
    cell[at] = span->mark;
    return at + 1;
}

/* A moment may take one cell of an operation that has three or more. */
static bool can_spare(const timeline_mark *cell, int cells, int at)
{
    int first = at, last = at;
    while (first > 0 && cell[first - 1] == cell[at] && at - first < 3) first--;
    while (last < cells - 1 && cell[last + 1] == cell[at] && last - at < 3) last++;
    return last - first >= 2;
}

timeline_mark *lab_timeline_cells(const timeline *chart, const timeline_row *row, int cells)
{
    double *time = lab_timeline_measure(chart, row, cells);
    timeline_mark *cell = calloc((size_t)cells, sizeof *cell);
    if (!time || !cell) {
        free(time);
        free(cell);
        return NULL;
    }
    const double width = (double)(chart->end - chart->begin) / cells;
    for (int c = 0; c < cells; c++) cell[c] = majority(&time[c * TIMELINE_MARKS], width);
    free(time);

    int free_from = 0;
    for (size_t i = 0; i < row->spans; i++)
        if (timeline_fills(row->span[i].mark) || row->span[i].mark == TIMELINE_RANGE)
            free_from = keep_short(chart, &row->span[i], cell, cells, free_from);
    for (size_t i = 0; i < row->spans; i++) {
        int at = cell_at(chart, cells, row->span[i].begin);
        if (timeline_is_moment(row->span[i].mark) && (!timeline_fills(cell[at]) || can_spare(cell, cells, at)))
            cell[at] = row->span[i].mark;
    }
    return cell;
}
