/* The sentence for a person who waits; see waiting_line.h. */
#include "waiting_line.h"

#include <stdlib.h>

/* Most checks end within this time. */
enum { PATIENCE_SECONDS = 2 };

/* The limit applies to the student's program: the check's own work may continue after it, and then no end is named. */
static void say_running(void *user, const char *title, double seconds, double limit)
{
    live_line *line = user;
    char since[64], *text = NULL;
    size_t bytes;
    if (seconds < PATIENCE_SECONDS) return;
    int length = snprintf(since, sizeof since, ": running for %d s", (int)seconds);
    if (seconds < limit) snprintf(since + length, sizeof since - (size_t)length, ", ended at %.0f s", limit);
    text_page page = {.file = open_memstream(&text, &bytes), .terminal = line->page.terminal};
    if (!page.file) return;
    fputs("  ", page.file);
    page_cut(&page, page.terminal.columns - 3 - page_columns(since), title);
    fputs(since, page.file);
    if (fclose(page.file) == 0) live_line_show(line, text);
    free(text);
}

static void say_no_more(void *user) { live_line_clear(user); }

job_watcher waiting_line_watcher(live_line *line)
{
    return (job_watcher){.running = say_running, .ended = say_no_more, .user = line};
}
