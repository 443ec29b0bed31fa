/* The program's ranges in records and timelines: which ends belong together, their rows, and their events in files. */
#include "record_kit.h"
#include "test_folder.h"
#include "trace/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A record of 100 us with a stream, on which a kernel runs for the first 47 us. */
static lab_trace *new_record(void)
{
    lab_trace *trace = NULL;
    LAB_CHECK(lab_trace_create(&trace));
    trace->duration_ns = 100000;
    LAB_CHECK(lab_trace_append_stream(trace, &(lab_trace_stream){.id = 2}));
    LAB_CHECK(lab_trace_append(
        trace, &(lab_trace_op){
                   .kind = LAB_OP_KERNEL, .name = "scale", .stream = 2, .thread = 1, .end_ns = 47000, .file = ""}));
    return trace;
}

static void add_colored(lab_trace *trace, const char *name, uint64_t thread, int64_t when, uint32_t color)
{
    LAB_CHECK(lab_trace_append(trace, &(lab_trace_op){.kind = name ? LAB_OP_RANGE_PUSH : LAB_OP_RANGE_POP,
                                                      .name = name ? name : "",
                                                      .thread = thread,
                                                      .object = color,
                                                      .call_ns = when,
                                                      .return_ns = when,
                                                      .start_ns = -1,
                                                      .end_ns = -1,
                                                      .lane = -1,
                                                      .file = ""}));
}

static void add(lab_trace *trace, const char *name, uint64_t thread, int64_t when)
{
    add_colored(trace, name, thread, when, 0);
}

static char *text_of(lab_trace *trace)
{
    char *text;
    LAB_CHECK(lab_timeline_text(&text, trace, &(lab_timeline_options){.columns = 60, .ascii = true}));
    return text;
}

Test(timeline_ranges, a_name_is_a_row_above_the_streams)
{
    lab_trace *trace = new_record();
    add(trace, "load", 1, 10000);
    add(trace, "parse", 1, 15000);
    add(trace, NULL, 1, 20000);
    add(trace, NULL, 1, 25000);
    add(trace, "load", 1, 40000);
    char *text = text_of(trace);
    cr_assert_str_eq(text,
                     "time in us   0        10        20        30        40\n"
                     "             +--------+---------+---------+---------+------\n"
                     "range load  |          ~~~~~~~~~~~~~~               ~~~~~~~|\n"
                     "range parse |               ~~~~~                          |\n"
                     "stream 2    |##############################################|\n"
                     "# kernel   ~ range\n"
                     "1 stream, 47.0 us; kernels only, no copies\n",
                     "%s", text);
    free(text);
    lab_trace_free(trace);
}

Test(timeline_ranges, ends_belong_together_by_thread)
{
    lab_trace *trace = new_record();
    add(trace, NULL, 1, 100); /* the record began within this range */
    add(trace, "a", 1, 200);
    add(trace, "b", 2, 300);
    add(trace, "c", 1, 400);
    add(trace, NULL, 1, 500);
    add(trace, NULL, 2, 600);
    add(trace, NULL, 1, 700);
    add(trace, "open", 3, 800);
    const size_t none = SIZE_MAX, expected[] = {none, none, 7, 6, 5, 4, 3, 2, none};
    size_t *partner;
    LAB_CHECK(lab_trace_ranges(&partner, trace));
    for (size_t i = 0; i < trace->ops; i++) cr_assert_eq(partner[i], expected[i], "operation %zu", i + 1);
    free(partner);
    lab_trace_free(trace);
}

Test(timeline_ranges, many_names_share_the_last_row)
{
    lab_trace *trace = new_record();
    char name[16];
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "step %d", i);
        add(trace, name, 1, 1000 * i);
        add(trace, NULL, 1, 1000 * i + 900);
    }
    char *text = text_of(trace);
    cr_assert_not_null(strstr(text, "\nrange step 6 "), "%s", text);
    cr_assert_null(strstr(text, "range step 7"), "%s", text);
    cr_assert_not_null(strstr(text, "\nother ranges "), "%s", text);
    free(text);
    lab_trace_free(trace);
}

Test(timeline_ranges, a_row_has_the_color_of_its_first_colored_range)
{
    lab_trace *trace = new_record();
    char *svg;
    add(trace, "load", 1, 1000);
    add(trace, NULL, 1, 2000);
    add_colored(trace, "load", 1, 3000, 0xff00c0de);
    add(trace, NULL, 1, 4000);
    add_colored(trace, "load", 1, 5000, 0xff112233);
    add(trace, NULL, 1, 6000);
    add(trace, "plain", 1, 7000);
    LAB_CHECK(lab_timeline_svg(&svg, trace, NULL));
    const char *colored = strstr(svg, "class=\"ra\" style=\"stroke:#00c0de\"");
    cr_assert_not_null(colored, "%s", svg);
    cr_assert_not_null(strstr(colored, "class=\"ra\" stroke-width"), "the row without a colour: %s", svg);
    cr_assert_null(strstr(svg, "#112233"));
    free(svg);
    lab_trace_free(trace);
}

Test(timeline_ranges, hostile_names_are_text)
{
    lab_trace *trace = new_record();
    char *svg;
    add(trace, "<b>\"&\033[2J\xC3\xA4", 1, 1000);
    char *text = text_of(trace);
    LAB_CHECK(lab_timeline_svg(&svg, trace, NULL));
    cr_assert_null(strchr(text, '\033'));
    for (const char *at = text; *at; at++) cr_assert_gt(*at, 0, "not ASCII: %s", text);
    cr_assert_null(strstr(svg, "<b>"));
    cr_assert_not_null(strstr(svg, "&lt;b&gt;&quot;&amp;"), "%s", svg);
    cr_assert_not_null(strstr(svg, ">range</text>"), "%s", svg);
    free(text);
    free(svg);
    lab_trace_free(trace);
}

static void *work(void *unused)
{
    (void)unused;
    LAB_WITH_RANGE("worker") LAB_CHECK(lab_device_synchronize());
    return NULL;
}

Test(timeline_ranges, a_record_keeps_their_colors)
{
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_range_push_color("red", 0xffff0000));
    LAB_CHECK(lab_range_push("plain"));
    LAB_CHECK(lab_range_pop());
    LAB_CHECK(lab_range_pop());
    lab_trace *trace = end();
    cr_assert_eq(find(trace, LAB_OP_RANGE_PUSH, 0)->object, 0xffff0000);
    cr_assert_eq(find(trace, LAB_OP_RANGE_PUSH, 1)->object, 0);
    lab_trace_free(trace);
}

Test(timeline_ranges, a_record_has_them_with_thread_line_and_time_and_a_file_keeps_them)
{
    const test_folder folder = test_folder_make("ranges.json");
    pthread_t other;
    lab_trace *loaded;
    size_t *partner;
    LAB_CHECK(lab_range_push("before the record"));
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_range_push("outer"));
    LAB_WITH_RANGE("inner") LAB_CHECK(lab_device_synchronize());
    const int line = __LINE__ - 1;
    cr_assert_eq(pthread_create(&other, NULL, work, NULL), 0);
    pthread_join(other, NULL);
    LAB_CHECK(lab_range_pop());
    LAB_CHECK(lab_range_pop());
    lab_trace *trace = end();
    LAB_CHECK(lab_range_push("after the record"));
    cr_assert_eq(count(trace, LAB_OP_RANGE_PUSH), 3);
    cr_assert_eq(count(trace, LAB_OP_RANGE_POP), 4);
    const lab_trace_op *inner = find(trace, LAB_OP_RANGE_PUSH, 1);
    cr_assert_str_eq(inner->name, "inner");
    cr_assert_eq(inner->line, line);
    cr_assert_neq(find(trace, LAB_OP_RANGE_PUSH, 2)->thread, inner->thread);
    LAB_CHECK(lab_trace_save(trace, folder.file));
    LAB_CHECK(lab_trace_load(&loaded, folder.file));
    LAB_CHECK(lab_trace_ranges(&partner, loaded));
    const size_t begins = (size_t)(inner - trace->op), ends = partner[begins];
    cr_assert_eq(ends, begins + 2, "the wait is within the range");
    cr_assert_str_eq(loaded->op[begins].name, "inner");
    cr_assert_leq(loaded->op[begins].call_ns, loaded->op[begins + 1].call_ns);
    free(partner);
    lab_trace_free(loaded);
    lab_trace_free(trace);
    test_folder_remove(&folder);
}
