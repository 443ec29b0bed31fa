/* Replacing a terminal's last line; see live_line.h. */
#include "live_line.h"

/* Moves to the beginning of the line and erases the line. */
static const char erase[] = "\r\033[K";

void live_line_show(live_line *line, const char *text)
{
    if (!line->page.terminal.rewrites) return;
    fprintf(line->page.file, "%s%s", line->shown ? erase : "", text);
    fflush(line->page.file);
    line->shown = true;
}

void live_line_clear(live_line *line)
{
    if (!line->shown) return;
    fputs(erase, line->page.file);
    fflush(line->page.file);
    line->shown = false;
}
