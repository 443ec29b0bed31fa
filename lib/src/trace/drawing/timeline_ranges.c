/* The rows of the program's ranges: one for each name, in the order of first use, and one for all names beyond these.
 * Ranges of one name overlap only if they are of several threads or within each other. */
#include "base/plain_text.h"
#include "timeline.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_MOST = TIMELINE_RANGES - 1 };

int64_t lab_timeline_range_end(const timeline *chart, size_t index)
{
    const lab_trace *trace = chart->trace;
    const size_t partner = chart->range[index];
    return partner == SIZE_MAX ? trace->duration_ns : trace->op[partner].call_ns;
}

static bool is_shown(const timeline *chart, size_t index)
{
    const lab_trace_op *op = &chart->trace->op[index];
    return op->kind == LAB_OP_RANGE_PUSH && op->call_ns <= chart->end &&
           lab_timeline_range_end(chart, index) >= chart->begin;
}

/* The label of a name, which it cuts. Only characters of ASCII: a label's width is that of its bytes. */
static void write_label(char label[sizeof((timeline_row *)0)->label], const char *name)
{
    const int characters = 24;
    size_t bytes;
    char *to = label + sprintf(label, TIMELINE_RANGE_WORD);
    if (!*name) name = "without a name";
    for (int i = 0; i < characters && *name; i++, name += bytes) {
        const uint32_t character = lab_text_character(name, &bytes);
        *to++ = character < 0x80 ? (char)character : '?';
    }
    *to = 0;
}

size_t lab_timeline_range_row(const timeline *chart, size_t index)
{
    timeline_row wanted;
    write_label(wanted.label, chart->trace->op[index].name);
    size_t row = 1;
    while (row < chart->ranges && strcmp(chart->row[row].label, wanted.label) != 0) row++;
    return row;
}

lab_status lab_timeline_choose_ranges(timeline *chart)
{
    if (chart->figure) return LAB_SUCCESS;
    LAB_TRY(lab_trace_ranges(&chart->range, chart->trace));
    for (size_t i = 0; i < chart->trace->ops; i++) {
        if (!is_shown(chart, i)) continue;
        timeline_row *last = &chart->row[chart->ranges + 1];
        if (chart->ranges && strcmp(chart->row[chart->ranges].label, TIMELINE_OTHER_RANGES) == 0) break;
        write_label(last->label, chart->trace->op[i].name);
        timeline_row *row = chart->ranges ? &chart->row[lab_timeline_range_row(chart, i)] : last;
        const uint32_t color = (uint32_t)chart->trace->op[i].object;
        if (chart->ranges && strcmp(row->label, last->label) == 0) {
            if (!row->color) row->color = color;
            continue;
        }
        if (++chart->ranges > NAMES_MOST)
            strcpy(last->label, TIMELINE_OTHER_RANGES);
        else
            last->color = color;
    }
    return LAB_SUCCESS;
}
