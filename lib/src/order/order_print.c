/* What LAB_ORDER=report prints: findings and their number, folded to the width of the terminal. */
#include "base/plain_text.h"
#include "base/terminal.h"
#include "base/text_writer.h"
#include "order_state.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_TEXT = 4096, INDENT = 2 };

/* Prints the text in lines of whole words. All lines but the first are indented. */
static void print_folded(const char *text)
{
    const int columns = lab_terminal_describe(STDERR_FILENO).columns;
    for (int indent = 0; *text; indent = INDENT) {
        size_t length = lab_text_fit(text, columns - indent);
        if (text[length] != '\0') {
            while (length > 0 && text[length] != ' ') length--;
            if (length == 0) length = strcspn(text, " ");
        }
        fprintf(stderr, "%*s%.*s\n", indent, "", (int)length, text);
        text += length + strspn(text + length, " ");
    }
}

void order_print(const lab_order_finding *finding, size_t number)
{
    char text[MOST_TEXT];
    text_writer out = {text, sizeof text, 0};
    text_write(&out, "LAB_ORDER: finding %zu: %s.", number, finding->text);
    print_folded(text);
    out.length = 0;
    if (finding->same_cause)
        text_write(&out,
                   "  It has the cause of finding %llu: an event recorded after both of the earlier operations orders "
                   "both pairs. For this pair alone: %s.",
                   (unsigned long long)finding->same_cause, finding->edge);
    else
        text_write(&out, "  To order them: %s.", finding->edge);
    print_folded(text);
}

static void write_findings(text_writer *out, unsigned long long findings)
{
    if (findings)
        text_write(out, "LAB_ORDER: %llu finding%s", findings, findings == 1 ? "" : "s");
    else
        text_write(out, "LAB_ORDER: no findings");
}

void order_print_count(const lab_order_counts *counts, uint64_t causes)
{
    char text[MOST_TEXT];
    text_writer out = {text, sizeof text, 0};
    const unsigned long long followers = counts->findings - causes;
    write_findings(&out, counts->findings);
    text_write(&out, " in %llu operations", (unsigned long long)counts->operations);
    if (followers)
        text_write(&out, "; %llu of them %s the cause of another", followers, followers == 1 ? "has" : "have");
    if (counts->gave_up) text_write(&out, "; the checker stopped before the end");
    print_folded(text);
}

void order_print_count_in_host_function(uint64_t findings)
{
    char text[MOST_TEXT];
    text_writer out = {text, sizeof text, 0};
    write_findings(&out, findings);
    text_write(&out, " before the program ended inside a host function");
    print_folded(text);
}
