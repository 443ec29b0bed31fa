/* What all parts of an SVG timeline are drawn with: text, lines of text, and where a moment and a row are. */
#include "base/plain_text.h"
#include "timeline_look.h"
#include "timeline_svg.h"

#define TIMELINE_LOOK(mark, class, words, color, lines, top, height) [mark] = {class, color, lines, top, height},
const timeline_look lab_timeline_looks[TIMELINE_MARKS] = {TIMELINE_LOOKS(TIMELINE_LOOK)};

void lab_svg_put_text(FILE *out, const char *text, int columns)
{
    size_t length = lab_text_fit(text, columns);
    bool whole = text[length] == '\0';
    if (!whole) length = lab_text_fit(text, columns - 1);
    for (size_t i = 0; i < length; i++) {
        switch (text[i]) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\'': fputs("&#39;", out); break;
        default: fputc(text[i], out);
        }
    }
    if (!whole) fputs("…", out);
}

void lab_svg_put_line(const svg_drawing *drawing, const char *class, double y, const char *text, int columns)
{
    fprintf(drawing->out, "<text class=\"%s\" x=\"%d\" y=\"%.4g\">", class, SVG_MARGIN, y);
    lab_svg_put_text(drawing->out, text, columns);
    fputs("</text>\n", drawing->out);
}

double lab_svg_x(const svg_drawing *drawing, double when)
{
    double share = (when - (double)drawing->chart->begin) / (double)(drawing->chart->end - drawing->chart->begin);
    return drawing->left + share * (drawing->right - drawing->left);
}

bool lab_svg_is_rest(const timeline_row *row) { return *row->label == '+'; }

double lab_svg_height(const svg_drawing *drawing, const timeline_row *row)
{
    const double high = row->lanes <= 2   ? 12
                        : row->lanes <= 4 ? 10
                                          : 7,
                 lane = high < drawing->bar ? high : drawing->bar;
    const double lanes = row->lanes > 1 ? lane * row->lanes : 0;
    const double gap = drawing->pitch - drawing->bar;
    return lab_svg_is_rest(row) ? SVG_REST_HEIGHT : lanes > drawing->bar ? lanes + gap : drawing->pitch;
}

double lab_svg_inner(const svg_drawing *drawing, const timeline_row *row)
{
    return lab_svg_is_rest(row) ? SVG_REST_HEIGHT : lab_svg_height(drawing, row) - (drawing->pitch - drawing->bar);
}

double lab_svg_middle(const svg_drawing *drawing, size_t row, double top)
{
    for (size_t r = 0; r < row; r++) top += lab_svg_height(drawing, &drawing->chart->row[r]);
    return top + lab_svg_height(drawing, &drawing->chart->row[row]) / 2;
}

void lab_svg_put_step(const svg_drawing *drawing)
{
    if (drawing->step > 0) fprintf(drawing->out, " data-step=\"%d\"", drawing->step);
}

void lab_svg_put_reference(const svg_drawing *drawing, const char *attribute, const char *name)
{
    if (drawing->chart->figure) fprintf(drawing->out, " %s=\"url(#lab-timeline-%s)\"", attribute, name);
}
