/* Figures: what slides show of several runs. A test writes the file that labtrace reads, and looks at the drawing. */
#include "test.h"
#include "trace/drawing/figure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STREAM(id)                                                                                                     \
    "{\"ph\":\"M\",\"args\":{\"stream\":" #id ",\"device\":0,\"null_stream\":false,\"non_blocking\":true}},"
#define FINDING ",{\"ph\":\"i\",\"args\":{\"finding\":1,\"first\":1,\"second\":2,\"text\":\"t\",\"edge\":\"e\"}}"

static const char *const head = "\"title\":\"A title\",\"about\":\"What it shows\",\"width\":1150,\"height\":430,"
                                "\"host\":true,\"labels\":{\"work\":\"sum\"},";

/* A record with these operations, which are the args of events, and whatever follows them. */
static char *record_of(const char *ops, int count, const char *more)
{
    static char text[8192];
    snprintf(text, sizeof text,
             "{\"otherData\":{\"format\":\"lab-trace\",\"version\":1,\"device_name\":\"\",\"device_kind\":\"cpu\","
             "\"multiprocessors\":1,\"duration_ns\":1000000,\"operations\":%d},\"traceEvents\":[" STREAM(2)
                 STREAM(3) "%s%s]}",
             count, ops, more);
    return text;
}

#define WORK(id, kind, stream, thread, call, start, end)                                                               \
    "{\"ph\":\"X\",\"args\":{\"id\":" #id ",\"kind\":\"" kind "\",\"name\":\"work\",\"stream\":" #stream               \
    ",\"thread\":" #thread ",\"call_ns\":" #call ",\"return_ns\":900,\"start_ns\":" #start ",\"end_ns\":" #end "}}"
#define CALL(id, kind, name, thread, call, back)                                                                       \
    "{\"ph\":\"X\",\"args\":{\"id\":" #id ",\"kind\":\"" kind "\",\"name\":\"" name "\",\"thread\":" #thread           \
    ",\"call_ns\":" #call ",\"return_ns\":" #back "}}"

static const char *const two_kernels =
    WORK(1, "kernel", 2, 1, 10, 1000, 500000) "," WORK(2, "kernel", 3, 2, 20, 2000, 900000);

static char *figure_of(const char *rows, const char *bracket, const char *run, const char *record)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_not_null(out);
    fprintf(out, "{%s\"rows\":\"%s\",\"bracket\":\"%s\",\"columns\":[{\"head\":\"\",\"runs\":[{%s,\"record\":%s}]}]}",
            head, rows, bracket, run, record);
    fclose(out);
    return text;
}

static const char *const plain_run =
    "\"title\":\"a run\",\"verdict\":\"\",\"names\":[[2,\"one\"],[3,\"two\"]],\"steps\":[]";

/* The drawing; the text of the figure is freed. */
static char *svg_of(char *text)
{
    lab_figure *figure;
    char *svg;
    cr_assert_eq(lab_figure_load_bytes(&figure, text, strlen(text), "f.json"), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_eq(lab_figure_svg(&svg, figure), LAB_SUCCESS, "%s", lab_error_message());
    lab_figure_free(figure);
    free(text);
    return svg;
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) count++;
    return count;
}

static void assert_has(const char *svg, const char *part)
{
    cr_assert_not_null(strstr(svg, part), "%s in %s", part, svg);
}

Test(figure, rows_and_bars_have_the_names_that_it_gives_them)
{
    char *svg = svg_of(figure_of("streams", "", plain_run, record_of(two_kernels, 2, "")));
    assert_has(svg, "<title>A title</title>\n<desc>What it shows</desc>");
    assert_has(svg, ">a run</text>");
    for (const char *const *name = (const char *const[]){">host<", ">one<", ">two<", NULL}; *name; name++)
        assert_has(svg, *name);
    cr_assert_eq(count_of(svg, ">sum</text>"), 2);
    free(svg);
}

/* The number of an attribute, after a place in the drawing. */
static double number_after(const char *place, const char *attribute)
{
    return atof(strstr(place, attribute) + strlen(attribute));
}

Test(figure, name_next_to_a_short_bar_ends_before_the_next_bar)
{
    const double letter = 5.8; /* of the widest names that slides show */
    int named = 0, runs = 0;
    for (int next = 3000; next < 100000; next += 1000, runs++) {
        char ops[1024];
        snprintf(
            ops, sizeof ops,
            WORK(1, "kernel", 2, 1, 10, 1000, 2000) ",{\"ph\":\"X\",\"args\":{\"id\":2,\"kind\":\"kernel\",\"name\":"
                                                    "\"work\",\"stream\":2,\"thread\":1,\"call_ns\":20,\"return_ns\":"
                                                    "900,\"start_ns\":%d,\"end_ns\":%d}}",
            next, next + 800000);
        char *svg = svg_of(figure_of("streams", "", plain_run, record_of(ops, 2, "")));
        const char *name = strstr(svg, "<text class=\"p\""), *first = strstr(svg, "<rect class=\"k\"");
        const char *second = strstr(first + 1, "<rect class=\"k\"");
        if (name && name < second) {
            named++;
            cr_assert_lt(number_after(name, "x=\"") + 3 * letter, number_after(second, "x=\""), "%d", next);
        }
        free(svg);
    }
    cr_assert(named > 0 && named < runs, "%d of %d have a name", named, runs);
}

Test(figure, of_two_short_bars_at_one_place_one_has_its_name)
{
    char *svg =
        svg_of(figure_of("streams", "", plain_run,
                         record_of(WORK(1, "kernel", 2, 1, 10, 1000, 2000) "," WORK(
                                       2, "kernel", 2, 1, 20, 3000, 4000) "," WORK(3, "kernel", 3, 1, 30, 2000, 900000),
                                   3, "")));
    cr_assert_eq(count_of(svg, "<text class=\"p\""), 1, "%s", svg);
    free(svg);
}

Test(figure, colours_are_the_pages_and_references_can_be_renamed)
{
    char *svg = svg_of(figure_of("streams", "", plain_run, record_of(WORK(1, "fill", 2, 1, 10, 1000, 500000), 1, "")));
    cr_assert_null(strstr(svg, "--paper:"));
    cr_assert_null(strstr(svg, "{fill:url("));
    assert_has(svg, " fill=\"url(#lab-timeline-z)\"");
    free(svg);
}

Test(figure, hostile_texts_are_texts)
{
    char *text =
        figure_of("streams", "", "\"title\":\"</svg><b>\\u001b[2J\",\"verdict\":\"\",\"names\":[],\"steps\":[]",
                  record_of(two_kernels, 2, ""));
    char *svg = svg_of(text);
    cr_assert_null(strstr(svg, "<b>"));
    cr_assert_null(strchr(svg, '\033'));
    assert_has(svg, "&lt;/svg&gt;&lt;b&gt;");
    free(svg);
}

Test(figure, engines_have_a_lane_for_each_operation_that_overlaps)
{
    char *svg = svg_of(figure_of("engines", "", plain_run, record_of(two_kernels, 2, "")));
    for (const char *const *name = (const char *const[]){">copy<tspan", ">compute<", NULL}; *name; name++)
        assert_has(svg, *name);
    assert_has(svg, "y=\"0\" width");
    assert_has(svg, "y=\"14.5\" width"); /* the second lane, in the lower half */
    free(svg);
}

Test(figure, threads_without_a_name_are_not_drawn)
{
    char *svg = svg_of(figure_of(
        "threads", "", "\"title\":\"a run\",\"verdict\":\"\",\"names\":[[1,\"first\"]],\"steps\":[]",
        record_of(WORK(1, "kernel", 2, 1, 10, 900000, 950000) "," WORK(2, "kernel", 3, 2, 20, 2000, 900000) "," CALL(
                      3, "module load", "m", 1, 30, 800000) "," CALL(4, "module load", "m", 2, 30, 800000),
                  4, "")));
    assert_has(svg, ">first<");
    assert_has(svg, ">a run: 950 \u00B5s</text>");
    cr_assert_eq(count_of(svg, ">load</text>"), 1);
    cr_assert_eq(count_of(svg, "<rect class=\"k\""), 1 + 1, "the kernel, and the one in the legend");
    free(svg);
}

Test(figure, bracket_spans_what_the_clock_or_two_events_measured)
{
    char *svg = svg_of(
        figure_of("streams", "clock", plain_run,
                  record_of(CALL(1, "mark", "clock", 1, 0, 0) "," WORK(2, "kernel", 2, 1, 10, 1000, 500000) "," CALL(
                                3, "mark", "clock", 1, 600000, 600000),
                            3, "")));
    assert_has(svg, ">600 \u00B5s by the clock</text>");
    free(svg);
    svg = svg_of(figure_of(
        "streams", "events", plain_run,
        record_of(WORK(1, "event record", 2, 1, 10, 1000, 1000) "," WORK(2, "kernel", 2, 1, 10, 1000, 500000) "," WORK(
                      3, "event record", 2, 1, 10, 501000, 501000),
                  3, "")));
    assert_has(svg, ">500 \u00B5s between the events</text>");
    free(svg);
}

Test(figure, interval_with_one_end_is_an_error_that_names_the_run)
{
    lab_figure *figure;
    char *svg, *text = figure_of("streams", "events", plain_run, record_of(two_kernels, 2, ""));
    cr_assert_eq(lab_figure_load_bytes(&figure, text, strlen(text), "f.json"), LAB_SUCCESS);
    cr_assert_eq(lab_figure_svg(&svg, figure), LAB_ERROR_INVALID_VALUE);
    cr_assert_str_eq(lab_error_message(), "the run \"a run\" has 0 of the two ends of an interval");
    lab_figure_free(figure);
    free(text);
}

Test(figure, finding_is_marked_in_one_sentence_unless_the_run_is_right)
{
    char *svg = svg_of(figure_of("streams", "", plain_run, record_of(two_kernels, 2, FINDING)));
    assert_has(svg, "order checker: nothing orders sum and sum</text>");
    cr_assert_eq(count_of(svg, "<rect class=\"f\""), 2);
    free(svg);
    svg = svg_of(figure_of("streams", "", "\"title\":\"a run\",\"verdict\":\"right\",\"names\":[],\"steps\":[]",
                           record_of(two_kernels, 2, FINDING)));
    cr_assert_null(strstr(svg, "order checker"));
    free(svg);
}

Test(figure, step_shows_a_call_and_the_work_until_it_returned)
{
    char *svg = svg_of(figure_of("streams", "",
                                 "\"title\":\"\",\"verdict\":\"\",\"names\":[],\"steps\":[[1,200000],[2,900000]]",
                                 record_of(two_kernels, 2, "")));
    cr_assert_eq(count_of(svg, "<rect class=\"u\""), 2 + 1, "what each call enqueues, and the one in the legend");
    cr_assert_eq(count_of(svg, "<rect class=\"k\""), 4 + 1, "both steps show a part of both kernels");
    assert_has(svg, "data-step=\"1\"");
    assert_has(svg, "data-step=\"2\"");
    cr_assert_null(strstr(svg, "data-step=\"3\""));
    free(svg);
}

static double shape_of(const char *svg) /* its height by its width */
{
    double width, height;
    cr_assert_eq(sscanf(strstr(svg, "viewBox="), "viewBox=\"0 0 %lf %lf\"", &width, &height), 2);
    return height / width;
}

Test(figure, figure_with_steps_has_higher_rows_within_the_same_room)
{
    static const char *const steps =
        "\"title\":\"a run\",\"verdict\":\"\",\"names\":[[2,\"one\"],[3,\"two\"]],\"steps\":[[1,600],[2,900]]";
    char *plain = svg_of(figure_of("streams", "", plain_run, record_of(two_kernels, 2, "")));
    char *stepped = svg_of(figure_of("streams", "", steps, record_of(two_kernels, 2, "")));
    cr_assert_gt(shape_of(stepped), shape_of(plain));
    cr_assert_leq(shape_of(stepped), 430.0 / 1150); /* the head's */
    free(plain);
    free(stepped);
}

Test(figure, host_uses_have_a_sign_and_their_word)
{
    char *svg = svg_of(figure_of(
        "streams", "", plain_run,
        record_of(WORK(1, "kernel", 2, 1, 10, 1000, 500000) "," CALL(2, "host read", "", 1, 600000, 600010), 2, "")));
    assert_has(svg, "<title>the host reads</title>");
    assert_has(svg, ">reads</text>");
    free(svg);
}

Test(figure, records_of_two_machines_stand_next_to_each_other)
{
    char *text = NULL, *record = record_of(two_kernels, 2, "");
    cr_assert_gt(asprintf(&text,
                          "{%s\"rows\":\"streams\",\"bracket\":\"\",\"columns\":[{\"head\":\"here\",\"runs\":[{%s,"
                          "\"record\":%s}]},{\"head\":\"there\",\"runs\":[{%s,\"record\":%s}]}]}",
                          head, plain_run, record, plain_run, record),
                 0);
    char *svg = svg_of(text);
    assert_has(svg, ">here</text>");
    assert_has(svg, ">there</text>");
    assert_has(svg, "<g transform=\"translate(370 0)\">");
    cr_assert_eq(count_of(svg, ">kernel</text>"), 1, "one legend");
    free(svg);
}

Test(figure, damage_is_an_error_that_names_the_field)
{
    static const struct {
        const char *from, *to, *says;
    } damaged[] = {
        {"{\"title\"", "[\"title\"", "line 1"},
        {"\"A title\"", "7", "the field \"title\" must be a text"},
        {"\"width\":1150", "\"width\":-1", "the field \"width\" must be an integer from 300 to 4000"},
        {"\"height\"", "\"high\"", "the field \"height\""},
        {"\"streams\"", "\"lakes\"", "the field \"rows\" must be \"streams\", \"engines\" or \"threads\""},
        {"\"bracket\":\"\"", "\"bracket\":1", "the field \"bracket\""},
        {"\"host\":true", "\"host\":1", "the field \"host\" must be true or false"},
        {"{\"work\":\"sum\"}", "[]", "the field \"labels\""},
        {"\"columns\":[", "\"columns\":[],\"x\":[", "the field \"columns\" must be a list of 1 to 4 items"},
        {"\"verdict\":\"\"", "\"verdict\":\"good\"", "the field \"verdict\""},
        {"[[2,\"one\"]", "[[\"one\"]", "an item of \"names\""},
        {"\"steps\":[]", "\"steps\":[[1,5],[2,4]]", "an item of \"steps\""},
        {"\"record\":{", "\"record\":[],\"x\":{", "the field \"record\" must be a record"},
        {"lab-trace", "trace", "f.json is not a record of this library"},
    };
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        char *whole = figure_of("streams", "", plain_run, record_of(two_kernels, 2, "")), *text = NULL;
        const char *at = strstr(whole, damaged[i].from);
        cr_assert_not_null(at, "%s", damaged[i].from);
        cr_assert_gt(asprintf(&text, "%.*s%s%s", (int)(at - whole), whole, damaged[i].to, at + strlen(damaged[i].from)),
                     0);
        lab_figure *figure = NULL;
        cr_assert_eq(lab_figure_load_bytes(&figure, text, strlen(text), "f.json"), LAB_ERROR_INVALID_VALUE, "%s", text);
        cr_assert_not_null(strstr(lab_error_message(), damaged[i].says), "%s: %s", damaged[i].says,
                           lab_error_message());
        free(text);
        free(whole);
    }
}
