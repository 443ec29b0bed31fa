/* Timelines as text and as SVG: places of marks, fitting into the width, and safe display of text. */
#include "base/plain_text.h"
#include "test.h"
#include "trace/trace.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- Records and drawings --------------------------------------------------------------------------------------- */

static lab_trace *new_record(void)
{
    lab_trace *trace = NULL;
    cr_assert_eq(lab_trace_create(&trace), LAB_SUCCESS, "%s", lab_error_message());
    lab_trace_set_device(trace, "Test CPU", "cpu", 2);
    trace->duration_ns = 100000;
    return trace;
}

static void add_stream(lab_trace *trace, uint64_t id)
{
    lab_trace_stream stream = {.id = id, .null_stream = id == 1};
    cr_assert_eq(lab_trace_append_stream(trace, &stream), LAB_SUCCESS, "%s", lab_error_message());
}

static void add(lab_trace *trace, lab_trace_op op)
{
    op.thread = 1;
    op.lane = -1;
    cr_assert_eq(lab_trace_append(trace, &op), LAB_SUCCESS, "%s", lab_error_message());
}

/* Adds work to a stream that was enqueued when it began. */
static void add_work(lab_trace *trace, lab_op_kind kind, uint64_t stream, int64_t start_ns, int64_t end_ns)
{
    add(trace, (lab_trace_op){.kind = kind,
                              .stream = stream,
                              .name = kind == LAB_OP_KERNEL ? "scale" : "",
                              .call_ns = start_ns,
                              .return_ns = start_ns,
                              .start_ns = start_ns,
                              .end_ns = end_ns});
}

/* A copy in, a kernel and a copy out on each stream, one stream after another with overlap; all enqueued at 0. */
static lab_trace *pipeline(uint64_t streams)
{
    lab_trace *trace = new_record();
    for (uint64_t s = 0; s < streams; s++) {
        add_stream(trace, s + 2);
        int64_t begin = (int64_t)s * 1000;
        const lab_op_kind kinds[] = {LAB_OP_COPY_HTOD, LAB_OP_EVENT_RECORD, LAB_OP_KERNEL, LAB_OP_EVENT_RECORD,
                                     LAB_OP_COPY_DTOH};
        const int64_t starts[] = {0, 1000, 1000, 3000, 3000}, ends[] = {1000, 1000, 3000, 3000, 4000};
        for (size_t i = 0; i < 5; i++)
            add(trace, (lab_trace_op){.kind = kinds[i],
                                      .stream = s + 2,
                                      .name = i == 2 ? "double_then_add" : "",
                                      .call_ns = 0,
                                      .return_ns = 0,
                                      .start_ns = begin + starts[i],
                                      .end_ns = begin + ends[i],
                                      .bytes = i % 4 == 0 ? 1 << 20 : 0,
                                      .file = "lab03.c",
                                      .line = 40 + (int)i,
                                      .host_memory = i % 4 == 0 ? LAB_HOST_PINNED : LAB_HOST_NONE});
    }
    trace->duration_ns = (int64_t)streams * 1000 + 3000;
    return trace;
}

/* Both free the record: these tests need only the drawing. */
static char *text_of(lab_trace *trace, lab_timeline_options options)
{
    char *text = NULL;
    cr_assert_eq(lab_timeline_text(&text, trace, &options), LAB_SUCCESS, "%s", lab_error_message());
    lab_trace_free(trace);
    return text;
}

static char *svg_of(lab_trace *trace, lab_timeline_options options)
{
    char *text = NULL;
    cr_assert_eq(lab_timeline_svg(&text, trace, &options), LAB_SUCCESS, "%s", lab_error_message());
    lab_trace_free(trace);
    return text;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) count++;
    return count;
}

/* The text between the bars of the row with this label, in a buffer that the next call overwrites. */
static const char *row_of(const char *text, const char *label)
{
    static char row[256];
    const char *line = text;
    while (line && strncmp(line, label, strlen(label)) != 0) {
        line = strchr(line, '\n');
        if (line) line++;
    }
    cr_assert_not_null(line, "no row \"%s\" in\n%s", label, text);
    const char *contents = strchr(line, '|') + 1;
    size_t length = (size_t)(strchr(contents, '|') - contents);
    memcpy(row, contents, length);
    row[length] = '\0';
    return row;
}

/* Tests of single characters use 60 columns: 47 cells after labels of 10. */
enum { COLUMNS = 60, CELLS = 47 };
#define PLAIN_TEXT ((lab_timeline_options){.columns = COLUMNS, .ascii = true})

/* --- Places ----------------------------------------------------------------------------------------------------- */

Test(timeline, small_record_looks_like_this)
{
    lab_trace *trace = new_record();
    for (uint64_t id = 1; id <= 3; id++) add_stream(trace, id);
    add_work(trace, LAB_OP_COPY_HTOD, 2, 0, 10000);
    add_work(trace, LAB_OP_KERNEL, 2, 10000, 30000);
    add_work(trace, LAB_OP_COPY_HTOD, 3, 10000, 20000);
    add_work(trace, LAB_OP_COPY_DTOH, 2, 30000, 47000);
    char *text = text_of(trace, (lab_timeline_options){.columns = COLUMNS, .ascii = true, .title = "Two streams"});
    cr_assert_str_eq(text,
                     "Two streams\n"
                     "time in us  0         10        20        30        40\n"
                     "            +---------+---------+---------+---------+------\n"
                     "stream 2   |>>>>>>>>>>####################<<<<<<<<<<<<<<<<<|\n"
                     "stream 3   |          >>>>>>>>>>                           |\n"
                     "> copy in   # kernel   < copy out\n"
                     "2 streams, 47.0 us\n"
                     "copies and kernels overlap 21% of the time\n",
                     "%s", text);
    free(text);
}

Test(timeline, empty_record_says_that_nothing_ran)
{
    char *text = text_of(new_record(), PLAIN_TEXT);
    cr_assert_str_eq(text, "nothing ran on the device\n");
    free(text);
}

Test(timeline, one_operation_fills_the_line)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_work(trace, LAB_OP_KERNEL, 2, 500, 900);
    char *text = text_of(trace, PLAIN_TEXT);
    cr_assert_str_eq(row_of(text, "stream 2"), "###############################################");
    free(text);
}

Test(timeline, work_of_no_length_is_drawn)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_work(trace, LAB_OP_KERNEL, 2, 500, 500);
    char *text = text_of(trace, PLAIN_TEXT);
    cr_assert_eq(count_of(row_of(text, "stream 2"), "#"), 1);
    free(text);
}

Test(timeline, unfinished_work_reaches_to_the_end_of_the_record)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_work(trace, LAB_OP_COPY_HTOD, 2, 0, 50000);
    add_work(trace, LAB_OP_KERNEL, 2, 50000, -1);
    char *text = text_of(trace, PLAIN_TEXT);
    const char *row = row_of(text, "stream 2");
    cr_assert(row[0] == '>' && row[CELLS - 1] == '#', "%s", row);
    free(text);
}

Test(timeline, queued_work_is_not_drawn_as_running)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_stream(trace, 3);
    add_work(trace, LAB_OP_KERNEL, 2, 0, 30000);
    add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL,
                              .stream = 3,
                              .call_ns = 10000,
                              .return_ns = 10000,
                              .start_ns = 30000,
                              .end_ns = 47000});
    char *text = text_of(trace, PLAIN_TEXT);
    cr_assert_str_eq(row_of(text, "stream 3"), "          ....................#################");
    cr_assert_not_null(strstr(text, ". queued"));
    free(text);
}

Test(timeline, cell_shows_the_mark_that_takes_most_of_it)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    for (int64_t i = 0; i < 47; i++) {
        add_work(trace, LAB_OP_COPY_HTOD, 2, i * 1000, i * 1000 + 300);
        add_work(trace, LAB_OP_KERNEL, 2, i * 1000 + 300, i * 1000 + 1000);
    }
    char *text = text_of(trace, PLAIN_TEXT);
    cr_assert_str_eq(row_of(text, "stream 2"), "###############################################");
    free(text);
}

Test(timeline, short_work_is_not_lost)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_work(trace, LAB_OP_COPY_HTOD, 2, 0, 1);
    add_work(trace, LAB_OP_KERNEL, 2, 20500, 20510);
    add_work(trace, LAB_OP_COPY_DTOH, 2, 46999, 47000);
    char *text = text_of(trace, PLAIN_TEXT);
    cr_assert_str_eq(row_of(text, "stream 2"), ">                   #                         <");
    free(text);
}

Test(timeline, copies_around_a_short_kernel_stand_beside_it)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_stream(trace, 3);
    add_work(trace, LAB_OP_KERNEL, 2, 0, 47000);
    add_work(trace, LAB_OP_COPY_HTOD, 3, 20000, 20200);
    add_work(trace, LAB_OP_KERNEL, 3, 20200, 20800);
    add_work(trace, LAB_OP_COPY_DTOH, 3, 20800, 21000);
    char *text = text_of(trace, PLAIN_TEXT);
    cr_assert_str_eq(row_of(text, "stream 3"), "                   >#<                         ");
    free(text);
}

/* All three are shorter than the part of the line that one character shows. */
Test(timeline, operations_in_one_cell_keep_their_order)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_stream(trace, 3);
    add_work(trace, LAB_OP_KERNEL, 2, 0, 47000);
    add_work(trace, LAB_OP_COPY_HTOD, 3, 20010, 20020);
    add_work(trace, LAB_OP_KERNEL, 3, 20100, 20110);
    add_work(trace, LAB_OP_COPY_DTOH, 3, 20300, 20310);
    char *text = text_of(trace, PLAIN_TEXT);
    cr_assert_not_null(strstr(row_of(text, "stream 3"), ">#<"), "%s", text);
    free(text);
}

Test(timeline, event_records_are_marks)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_work(trace, LAB_OP_KERNEL, 2, 0, 20000);
    add_work(trace, LAB_OP_EVENT_RECORD, 2, 30500, 30500);
    add_work(trace, LAB_OP_COPY_DTOH, 2, 40000, 47000);
    char *text = text_of(trace, PLAIN_TEXT);
    cr_assert_str_eq(row_of(text, "stream 2"), "####################          !         <<<<<<<");
    cr_assert_not_null(strstr(text, "! event"));
    free(text);
}

Test(timeline, event_record_does_not_hide_a_short_operation)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_work(trace, LAB_OP_KERNEL, 2, 0, 1000);
    add_work(trace, LAB_OP_EVENT_RECORD, 2, 500, 500);
    add_work(trace, LAB_OP_COPY_DTOH, 2, 40000, 47000);
    char *text = text_of(trace, PLAIN_TEXT);
    cr_assert_eq(row_of(text, "stream 2")[0], '#');
    free(text);
}

Test(timeline, host_row_tells_waiting_from_calling)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add(trace,
        (lab_trace_op){
            .kind = LAB_OP_KERNEL, .stream = 2, .call_ns = 0, .return_ns = 10000, .start_ns = 0, .end_ns = 47000});
    add(trace, (lab_trace_op){.kind = LAB_OP_STREAM_SYNC,
                              .stream = 2,
                              .call_ns = 20000,
                              .return_ns = 47000,
                              .host_waits = true,
                              .start_ns = -1,
                              .end_ns = -1});
    char *text = text_of(trace, PLAIN_TEXT);
    cr_assert_str_eq(row_of(text, "host"), "----------          ===========================");
    free(text);
}

Test(timeline, pageable_copy_holds_the_host)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    for (int i = 0; i < 2; i++)
        add(trace, (lab_trace_op){.kind = LAB_OP_COPY_HTOD,
                                  .stream = 2,
                                  .call_ns = i * 23500,
                                  .return_ns = i * 23500 + 23500,
                                  .start_ns = i * 23500,
                                  .end_ns = i * 23500 + 23500,
                                  .host_memory = i == 0 ? LAB_HOST_PAGEABLE : LAB_HOST_PINNED});
    char *text = text_of(trace, PLAIN_TEXT);
    const char *row = row_of(text, "host");
    cr_assert(row[0] == '=' && row[CELLS - 1] == '-', "%s", row);
    free(text);
}

Test(timeline, null_stream_comes_first_then_the_order_of_first_use)
{
    lab_trace *trace = new_record();
    for (uint64_t id = 1; id <= 4; id++) add_stream(trace, id);
    add_work(trace, LAB_OP_KERNEL, 4, 0, 10000);
    add_work(trace, LAB_OP_KERNEL, 2, 10000, 20000);
    add_work(trace, LAB_OP_KERNEL, 1, 20000, 30000);
    char *text = text_of(trace, PLAIN_TEXT);
    const char *null_row = strstr(text, "null stream"), *fourth = strstr(text, "stream 4"),
               *second = strstr(text, "stream 2");
    cr_assert(null_row && fourth && second && null_row < fourth && fourth < second, "%s", text);
    cr_assert_null(strstr(text, "stream 3"), "a stream without work has no row");
    free(text);
}

Test(timeline, streams_of_several_devices_say_which)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    lab_trace_stream other = {.id = 3, .device = 1};
    cr_assert_eq(lab_trace_append_stream(trace, &other), LAB_SUCCESS);
    add_work(trace, LAB_OP_KERNEL, 2, 0, 10000);
    add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL, .device = 1, .stream = 3, .start_ns = 0, .end_ns = 10000});
    char *text = text_of(trace, PLAIN_TEXT);
    cr_assert_not_null(strstr(text, "stream 2 (device 0)"), "%s", text);
    cr_assert_not_null(strstr(text, "stream 3 (device 1)"), "%s", text);
    free(text);
}

Test(timeline, null_streams_of_several_contexts_say_which)
{
    lab_trace *trace = new_record();
    const lab_trace_stream streams[] = {{.id = 1, .context = 1, .null_stream = true},
                                        {.id = 2, .context = 3, .null_stream = true},
                                        {.id = 5, .context = 3}};
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(lab_trace_append_stream(trace, &streams[i]), LAB_SUCCESS);
        add_work(trace, LAB_OP_KERNEL, streams[i].id, 0, 10000);
    }
    char *text = text_of(trace, PLAIN_TEXT);
    static const char *const labels[] = {"context 1, null stream |", "context 3, null stream |",
                                         "context 3, stream 5    |"};
    for (size_t i = 0; i < 3; i++) cr_assert_not_null(strstr(text, labels[i]), "%s", text);
    free(text);
}

Test(timeline, window_shows_a_part)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_stream(trace, 3);
    add_work(trace, LAB_OP_COPY_HTOD, 2, 0, 20000);
    add_work(trace, LAB_OP_KERNEL, 2, 20000, 80000);
    add_work(trace, LAB_OP_KERNEL, 3, 80000, 90000);
    char *text =
        text_of(trace, (lab_timeline_options){.columns = COLUMNS, .ascii = true, .from_ns = 10000, .to_ns = 57000});
    cr_assert_str_eq(row_of(text, "stream 2"), ">>>>>>>>>>#####################################");
    cr_assert_null(strstr(text, "stream 3"), "%s", text);
    free(text);
}

Test(timeline, many_streams_are_an_even_choice_and_a_sum)
{
    char *text = text_of(pipeline(200), PLAIN_TEXT);
    cr_assert_eq(count_of(text, "\nstream "), 16, "%s", text);
    cr_assert_not_null(strstr(text, "\nstream 2 "));
    cr_assert_not_null(strstr(text, "\nstream 201"));
    cr_assert_not_null(strstr(text, "+184 streams"));
    const char *row = row_of(text, "+184");
    cr_assert_eq(strspn(row, "234"), strlen(row), "at any time four streams are at work, 184 of 200 in this row: %s",
                 row);
    cr_assert_not_null(strstr(text, "1-9,+ streams at work"));
    free(text);
}

Test(timeline, sum_of_many_streams_at_once_is_a_plus)
{
    lab_trace *trace = new_record();
    for (uint64_t id = 2; id < 40; id++) {
        add_stream(trace, id);
        add_work(trace, LAB_OP_KERNEL, id, 0, 47000);
    }
    char *text = text_of(trace, PLAIN_TEXT);
    cr_assert_eq(strspn(row_of(text, "+22 streams"), "+"), strlen(row_of(text, "+22 streams")));
    free(text);
}

/* --- Fitting and safe text -------------------------------------------------------------------------------------- */

/* Columns of the widest line; Chinese, Japanese and Korean characters and emoji are wide. */
static size_t widest_line(const char *text)
{
    size_t widest = 0, columns = 0, bytes;
    for (uint32_t c; (c = lab_text_character(text, &bytes)) != 0; text += bytes) {
        columns = c == '\n' ? 0 : columns + (c >= 0x2E80 ? 2 : 1);
        if (columns > widest) widest = columns;
    }
    return widest;
}

Test(timeline, every_line_fits_every_width)
{
    static const char title[] =
        "\u8A08\u7B97\u306E\u6642\u9593 \U0001F680 a title that goes on and on, longer than any of the lines below it, "
        "to "
        "see it cut where the line ends, whatever characters it is made of: \u8A08\u7B97\u306E\u6642\u9593";
    for (int streams = 1; streams <= 200; streams += 66)
        for (int columns = 40; columns <= 130; columns++)
            for (int ascii = 0; ascii <= 1; ascii++) {
                char *text = text_of(pipeline((uint64_t)streams),
                                     (lab_timeline_options){.columns = columns, .ascii = ascii == 1, .title = title});
                cr_assert_leq(widest_line(text), (size_t)columns, "%d streams:\n%s", streams, text);
                free(text);
            }
}

Test(timeline, long_stream_numbers_leave_room_for_the_drawing)
{
    lab_trace *trace = new_record();
    add_stream(trace, UINT64_MAX);
    add_work(trace, LAB_OP_KERNEL, UINT64_MAX, 0, 47000);
    char *text = text_of(trace, (lab_timeline_options){.columns = 40, .ascii = true});
    cr_assert_leq(widest_line(text), 40);
    cr_assert_eq(strlen(row_of(text, "stream 1844674407370")), 16);
    free(text);
}

Test(timeline, ascii_is_all_ascii)
{
    char *text = text_of(pipeline(40), (lab_timeline_options){.ascii = true, .title = "caf\u00E9 \u8A08\u7B97"});
    for (const char *at = text; *at; at++) cr_assert(*at == '\n' || (*at >= ' ' && *at <= '~'), "byte %d", *at);
    cr_assert_eq(strncmp(text, "caf? ??\n", 8), 0);
    free(text);
}

Test(timeline, unicode_has_blocks)
{
    char *text = text_of(pipeline(4), (lab_timeline_options){0});
    cr_assert(strstr(text, "\u2580\u2580") && strstr(text, "\u2588\u2588") && strstr(text, "\u2584\u2584"), "%s", text);
    free(text);
}

Test(timeline, colour_adds_nothing_but_colour)
{
    char *plain = text_of(pipeline(5), (lab_timeline_options){0});
    char *colored = text_of(pipeline(5), (lab_timeline_options){.color = true});
    cr_assert_null(strchr(plain, '\033'));
    cr_assert_not_null(strchr(colored, '\033'));
    char *target = colored;
    for (const char *at = colored; *at;) {
        if (*at == '\033')
            at = strchr(at, 'm') + 1;
        else
            *target++ = *at++;
    }
    *target = '\0';
    cr_assert_str_eq(colored, plain);
    free(plain);
    free(colored);
}

Test(timeline, title_cannot_steer_the_terminal)
{
    char *text = text_of(pipeline(1), (lab_timeline_options){.ascii = true, .title = "a\033[2J\nb\rc"});
    cr_assert_eq(strncmp(text, "a?[2J b c\n", 10), 0, "%s", text);
    free(text);
}

Test(timeline, options_that_show_nothing_are_refused)
{
    lab_trace *trace = pipeline(2);
    char *text = NULL;
    cr_assert_eq(lab_timeline_text(&text, trace, &(lab_timeline_options){.columns = 39}), LAB_ERROR_INVALID_VALUE);
    cr_assert_str_eq(lab_error_message(), "a timeline cannot have 39 columns; the number must be 40 to 10000");
    cr_assert_eq(lab_timeline_svg(&text, trace, &(lab_timeline_options){.max_rows = -1}), LAB_ERROR_INVALID_VALUE);
    cr_assert_str_eq(lab_error_message(), "a timeline of -1 rows shows nothing");
    cr_assert_eq(lab_timeline_svg(&text, trace, &(lab_timeline_options){.from_ns = 9, .to_ns = 8}),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_null(text);
    lab_trace_free(trace);
}

Test(timeline, no_options_are_the_defaults)
{
    lab_trace *trace = pipeline(3);
    char *drawn = NULL, *without = NULL;
    cr_assert_eq(lab_timeline_text(&drawn, trace, &(lab_timeline_options){0}), LAB_SUCCESS);
    cr_assert_eq(lab_timeline_text(&without, trace, NULL), LAB_SUCCESS);
    cr_assert_str_eq(drawn, without);
    free(drawn);
    free(without);
    lab_trace_free(trace);
}

/* --- SVG -------------------------------------------------------------------------------------------------------- */

/* Checks that elements nest and close, attributes are quoted and `&` begins one of XML's own entities. */
static void assert_well_formed(const char *xml)
{
    char open[32][16];
    int depth = 0;
    for (const char *at = xml; *at;) {
        if (*at == '&') {
            static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
            bool known = false;
            for (size_t i = 0; i < 5; i++) known |= strncmp(at, entities[i], strlen(entities[i])) == 0;
            cr_assert(known, "%.40s", at);
        }
        cr_assert(*at == '\n' || (unsigned char)*at >= ' ', "control character %d", *at);
        if (*at++ != '<') continue;
        bool closes = *at == '/';
        if (closes) at++;
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzG");
        cr_assert(length > 0 && length < 16, "%.40s", at);
        char name[16] = "";
        memcpy(name, at, length);
        for (at += length; *at != '>'; at++) {
            cr_assert(*at != '\0' && *at != '<', "%s does not end", name);
            if (*at == '"') at = strchr(at + 1, '"');
        }
        bool empty = at++ [-1] == '/';
        if (closes) {
            cr_assert(depth > 0 && strcmp(open[--depth], name) == 0, "</%s> closes %s", name, open[depth]);
        } else if (!empty) {
            cr_assert_lt(depth, 32);
            memcpy(open[depth++], name, sizeof name);
        }
    }
    cr_assert_eq(depth, 0);
}

Test(timeline_svg, is_one_self_contained_document)
{
    char *svg = svg_of(pipeline(12), (lab_timeline_options){.title = "Twelve"});
    assert_well_formed(svg);
    cr_assert_eq(strncmp(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\"", 39), 0);
    cr_assert_eq(count_of(svg, "http"), 1, "only the name of the namespace");
    cr_assert_eq(count_of(svg, "<script"), 0);
    cr_assert_not_null(strstr(svg, "viewBox=\"0 0 720 "));
    cr_assert_not_null(strstr(svg, "prefers-color-scheme:dark"));
    cr_assert_not_null(strstr(svg, ">Twelve</text>"));
    cr_assert_not_null(strstr(svg, "Test CPU, cpu device, 2 multiprocessors"));
    free(svg);
}

Test(timeline_svg, each_operation_has_a_tooltip)
{
    char *svg = svg_of(pipeline(3), (lab_timeline_options){0});
    cr_assert_eq(count_of(svg, "<title>"), 3 * 5);
    cr_assert_not_null(
        strstr(svg, "<title>kernel double_then_add, stream 3\n2.00 \u00B5s, from 2.00 \u00B5s to 4.00 \u00B5s\n"
                    "grid 0\u00D70\u00D70, block 0\u00D70\u00D70\nlab03.c:42</title>"),
        "%s", svg);
    cr_assert_not_null(strstr(svg,
                              "<title>copy in, stream 2\n1.00 \u00B5s, from 0 ns to 1.00 \u00B5s\n1.00 MiB, pinned\n"
                              "lab03.c:40</title>"),
                       "%s", svg);
    free(svg);
}

Test(timeline_svg, empty_record_says_that_nothing_ran)
{
    char *svg = svg_of(new_record(), (lab_timeline_options){0});
    assert_well_formed(svg);
    cr_assert_not_null(strstr(svg, "nothing ran on the device"));
    free(svg);
}

Test(timeline_svg, hostile_names_are_text)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    static const char name[] = "</title><script>alert('1')</script> \" & \033[2J\n\xFF \u8A08\u7B97";
    add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL, .stream = 2, .name = name, .file = name, .end_ns = 47000});
    add(trace, (lab_trace_op){.kind = LAB_OP_MARK, .name = name, .start_ns = -1, .end_ns = -1});
    lab_trace_set_device(trace, name, "cpu", 2);
    char *svg = svg_of(trace, (lab_timeline_options){.title = name});
    assert_well_formed(svg);
    cr_assert_null(strstr(svg, "<script"));
    cr_assert_null(strchr(svg, '\033'));
    cr_assert_not_null(strstr(svg, "&lt;/title&gt;&lt;script&gt;alert(&#39;1&#39;)"));
    free(svg);
}

Test(timeline_svg, work_is_not_queued_while_earlier_work_of_its_stream_runs)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_work(trace, LAB_OP_COPY_HTOD, 2, 0, 20000);
    add(trace,
        (lab_trace_op){
            .kind = LAB_OP_KERNEL, .stream = 2, .call_ns = 0, .return_ns = 0, .start_ns = 20000, .end_ns = 47000});
    char *svg = svg_of(trace, (lab_timeline_options){0});
    cr_assert_eq(count_of(svg, "<path class=\"q\""), 0);
    free(svg);
}

Test(timeline_svg, arrows_lead_from_events_to_what_waits)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_stream(trace, 3);
    add_work(trace, LAB_OP_KERNEL, 2, 0, 20000);
    add_work(trace, LAB_OP_EVENT_RECORD, 2, 20000, 20000);
    add(trace, (lab_trace_op){.kind = LAB_OP_EVENT_WAIT,
                              .stream = 3,
                              .start_ns = -1,
                              .end_ns = -1,
                              .waits_for = (const uint64_t[]){2},
                              .waits = 1});
    add_work(trace, LAB_OP_KERNEL, 3, 25000, 47000);
    char *svg = svg_of(trace, (lab_timeline_options){0});
    cr_assert_eq(count_of(svg, "<path class=\"a\""), 2, "the arrow, and the one in the legend");
    cr_assert_not_null(strstr(svg, ">event wait</text>"));
    free(svg);
}

Test(timeline_svg, two_hundred_streams_stay_small)
{
    char *svg = svg_of(pipeline(200), (lab_timeline_options){.max_rows = 200});
    assert_well_formed(svg);
    cr_assert_lt(strlen(svg), 400000u);
    cr_assert_eq(count_of(svg, "<rect class=\"k\""), 200 + 1, "each kernel, and the one in the legend");
    free(svg);
}

Test(timeline_svg, very_long_records_stay_small)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    for (int64_t i = 0; i < 20000; i++) add_work(trace, LAB_OP_KERNEL, 2, i * 100, i * 100 + 80);
    char *svg = svg_of(trace, (lab_timeline_options){0});
    assert_well_formed(svg);
    cr_assert_lt(strlen(svg), 400000u);
    cr_assert_not_null(strstr(svg, "<title>mostly kernel, stream 2"));
    free(svg);
}

Test(timeline_svg, legend_names_only_what_is_there)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_work(trace, LAB_OP_KERNEL, 2, 0, 47000);
    char *svg = svg_of(trace, (lab_timeline_options){0});
    cr_assert_not_null(strstr(svg, ">kernel</text>"));
    cr_assert_null(strstr(svg, ">copy in</text>"));
    cr_assert_null(strstr(svg, ">queued</text>"));
    free(svg);
}

/* --- Findings and several runs ---------------------------------------------------------------------------------- */

static const lab_trace_finding found_between_streams = {1, 2, "nothing orders the copy behind the kernel",
                                                        "record an event on stream 2, and let stream 3 wait for it"};

static lab_trace *record_with_a_finding(lab_trace_finding finding)
{
    lab_trace *trace = new_record();
    add_stream(trace, 2);
    add_stream(trace, 3);
    add_work(trace, LAB_OP_KERNEL, 2, 0, 60000);
    add_work(trace, LAB_OP_COPY_DTOH, 3, 30000, 90000);
    cr_assert_eq(lab_trace_append_finding(trace, &finding), LAB_SUCCESS);
    return trace;
}

Test(timeline, findings_are_marked_below_their_operations_and_told_at_the_end)
{
    lab_trace *trace = record_with_a_finding(found_between_streams);
    char *text;
    const lab_timeline_options options = {.columns = 60, .ascii = true};
    cr_assert_eq(lab_timeline_text(&text, trace, &options), LAB_SUCCESS);
    char *kernel = strstr(text, "stream 2"), *copy = strstr(text, "stream 3");
    char *first = strchr(strchr(kernel, '\n'), 'A'), *second = strchr(strchr(copy, '\n'), 'A');
    cr_assert(first < copy, "the first mark stands below stream 2: %s", text);
    /* A cell shows the mark that takes most of it, so a bar may begin one cell later. */
    ptrdiff_t below_kernel = (first - strchr(kernel, '\n') - 1) - (strchr(kernel, '#') - kernel);
    ptrdiff_t below_copy = (second - strchr(copy, '\n') - 1) - (strchr(copy, '<') - copy);
    cr_assert(below_kernel <= 0 && below_kernel >= -1, "and below the kernel's beginning: %s", text);
    cr_assert(below_copy <= 0 && below_copy >= -1, "and the second below the copy's: %s", text);
    cr_assert_not_null(strstr(text, "\nA nothing orders the copy"), "%s", text);
    cr_assert_not_null(
        strstr(text, "\n  To order them: record an event on stream 2, and let stream\n  3 wait for it\n"), "%s", text);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) cr_assert_leq(strlen(line), 60, "%s", line);
    free(text);
    lab_trace_free(trace);
}

Test(timeline, findings_of_nothing_known_are_told_and_not_marked)
{
    lab_trace *trace = record_with_a_finding(
        (lab_trace_finding){0, 99, "a\033[31m<b>\nc averyveryveryveryveryveryveryveryveryveryverylongword", ""});
    char *text;
    const lab_timeline_options options = {.columns = 40};
    cr_assert_eq(lab_timeline_text(&text, trace, &options), LAB_SUCCESS);
    cr_assert_null(strchr(text, '\033'));
    cr_assert_not_null(strstr(text, "averyvery"));
    free(text);
    cr_assert_eq(lab_timeline_svg(&text, trace, &options), LAB_SUCCESS);
    cr_assert_null(strstr(text, "<b>"));
    cr_assert_null(strstr(text, "<rect class=\"f\""));
    free(text);
    lab_trace_free(trace);
}

Test(timeline_svg, findings_have_frames_a_line_and_their_text)
{
    lab_trace *trace = record_with_a_finding(found_between_streams);
    char *text;
    cr_assert_eq(lab_timeline_svg(&text, trace, NULL), LAB_SUCCESS);
    char *frame = strstr(text, "<rect class=\"f\"");
    cr_assert_not_null(frame);
    cr_assert_not_null(strstr(frame + 1, "<rect class=\"f\""));
    cr_assert_not_null(strstr(frame, "<path class=\"f\""));
    cr_assert_not_null(strstr(text, "nothing orders the copy"));
    cr_assert_not_null(strstr(text, "To order them: record an event on stream 2"));
    free(text);
    lab_trace_free(trace);
}

Test(timeline, record_of_fills_alone_does_not_say_that_nothing_ran)
{
    lab_trace *trace = new_record();
    char *text;
    add_stream(trace, 2);
    add_work(trace, LAB_OP_FILL, 2, 0, 1000);
    cr_assert_eq(lab_timeline_text(&text, trace, &(lab_timeline_options){.columns = 60}), LAB_SUCCESS);
    cr_assert_null(strstr(text, "nothing ran"), "%s", text);
    cr_assert_not_null(strstr(text, "no kernels, and no copies between host and device"), "%s", text);
    free(text);
    lab_trace_free(trace);
}

/* Of many streams most have no row, but those of a finding do. */
Test(timeline, streams_of_findings_have_rows_of_their_own)
{
    enum { STREAMS = 100, ROWS = 4 };
    lab_trace *trace = new_record();
    char *text;
    for (int i = 0; i < STREAMS; i++) {
        add_stream(trace, (uint64_t)i + 2);
        add_work(trace, LAB_OP_KERNEL, (uint64_t)i + 2, 1000 * i, 1000 * i + 5000);
    }
    const lab_timeline_options options = {.columns = 60, .ascii = true, .max_rows = ROWS};
    cr_assert_eq(lab_timeline_text(&text, trace, &options), LAB_SUCCESS);
    cr_assert_null(strstr(text, "stream 48 "), "%s", text);
    free(text);
    const lab_trace_finding found = {47, 38, "these two", "wait"};
    cr_assert_eq(lab_trace_append_finding(trace, &found), LAB_SUCCESS);
    cr_assert_eq(lab_timeline_text(&text, trace, &options), LAB_SUCCESS);
    const char *first = strstr(text, "stream 39 "), *second = strstr(text, "stream 48 ");
    cr_assert(first && second && first < second, "%s", text);
    cr_assert_not_null(strstr(text, "stream 2 "), "the others are still an even choice: %s", text);
    cr_assert_not_null(strstr(text, "stream 101"), "%s", text);
    cr_assert_not_null(strstr(text, "+96 streams"), "%s", text);
    free(text);
    lab_trace_free(trace);
}

Test(timeline, axis_of_several_runs_is_above_the_first_that_did_something)
{
    lab_trace *idle = new_record(), *busy = new_record();
    add_stream(busy, 2);
    add_work(busy, LAB_OP_KERNEL, 2, 5000, 85000);
    const lab_timeline_run runs[] = {{idle, "before"}, {busy, "after"}, {busy, "again"}};
    char *text;
    cr_assert_eq(lab_timelines_svg(&text, runs, 3, NULL), LAB_SUCCESS);
    const char *after = strstr(text, ">after<"), *axis = strstr(text, ">time in <"), *again = strstr(text, ">again<");
    cr_assert(after && axis && again && after < axis && axis < again, "%s", text);
    free(text);
    lab_trace_free(idle);
    lab_trace_free(busy);
}

Test(timeline, several_runs_have_one_scale_of_time)
{
    lab_trace *slow = new_record(), *fast = new_record();
    add_stream(slow, 2);
    add_stream(fast, 2);
    add_work(slow, LAB_OP_KERNEL, 2, 5000, 85000);
    add_work(fast, LAB_OP_KERNEL, 2, 40000, 60000);
    const lab_timeline_run runs[] = {{slow, "before"}, {fast, "after"}};
    char *text;
    cr_assert_eq(lab_timelines_text(&text, runs, 2, &(lab_timeline_options){.columns = 60, .ascii = true}),
                 LAB_SUCCESS);
    char *before = strstr(text, "before"), *after = strstr(text, "after");
    cr_assert(before && after && before < after, "%s", text);
    size_t long_bar = strspn(strchr(before, '#'), "#"), short_bar = strspn(strchr(after, '#'), "#");
    cr_assert_float_eq((double)long_bar / (double)short_bar, 4, 0.5, "%s", text);
    free(text);
    cr_assert_eq(lab_timelines_svg(&text, runs, 2, NULL), LAB_SUCCESS);
    cr_assert_not_null(strstr(text, ">before<"));
    cr_assert_not_null(strstr(text, ">after<"));
    static const char *const once[] = {"<style>", ">time in <", ">kernel<"}; /* one document, axis and legend */
    for (size_t i = 0; i < sizeof once / sizeof *once; i++) {
        const char *first = strstr(text, once[i]);
        cr_assert(first && !strstr(first + 1, once[i]), "%s in %s", once[i], text);
    }
    free(text);
    cr_assert_eq(lab_timelines_text(&text, runs, 0, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_timelines_svg(&text, runs, 99, NULL), LAB_ERROR_INVALID_VALUE);
    lab_trace_free(slow);
    lab_trace_free(fast);
}
