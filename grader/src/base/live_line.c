/* Writing over a line; see live_line.h. */
#include "live_line.h"

/* To the line's beginning, and nothing from there on. */
static const char anew[] = "\r\033[K";

void live_line_show(live_line *line, const char *text)
{
    if (!line->page.terminal.rewrites) return;
    fprintf(line->page.to, "%s%s", line->shown ? anew : "", text);
    fflush(line->page.to);
    line->shown = true;
}

void live_line_clear(live_line *line)
{
    if (!line->shown) return;
    fputs(anew, line->page.to);
    fflush(line->page.to);
    line->shown = false;
}
