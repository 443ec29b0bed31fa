/* The document around one or more drawn timelines: its size, its styles for light and dark, and the definitions that
 * shapes refer to. */
#include "timeline_look.h"
#include "timeline_svg.h"
#include "base/plain_text.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIGHT(name, light, dark) "--" name ":" light ";"
#define DARK(name, light, dark) "--" name ":" dark ";"

/* Of a drawing that no page gives any: its colours, its references to what it defines, its letters on a narrow page. */
static const char colors[] = ".lab-timeline{--paper:#fff;--ink:#1b1f24;--muted:#5b6570;--line:#dfe3e8;" TIMELINE_COLORS(
    LIGHT) "color-scheme:light dark;max-width:100%;height:auto;font-family:system-ui,sans-serif}"
           "@media(prefers-color-scheme:dark){.lab-timeline{--paper:#15181c;--ink:#e6e9ec;--muted:#a3adb8;"
           "--line:#30363d;" TIMELINE_COLORS(DARK) "}}";
static const char narrow[] =
    ".lab-timeline .a{marker-end:url(#lab-timeline-tip)}"
    "@media(max-width:480px){.lab-timeline text{font-size:21px}.lab-timeline .t{font-size:21px}"
    ".lab-timeline .n,.lab-timeline .b{display:none}}";

static const char style[] = ".lab-timeline{font-size:11px}"
                            ".lab-timeline text{fill:var(--ink)}"
                            ".lab-timeline .t{font-size:15px;font-weight:600}"
                            ".lab-timeline .m{fill:var(--muted)}"
                            ".lab-timeline .l{font-size:9px}"
                            ".lab-timeline .b{fill:var(--paper);font-size:10px;pointer-events:none}"
                            ".lab-timeline .g{stroke:var(--line);fill:none}"
                            ".lab-timeline .q{stroke:var(--muted);stroke-dasharray:1.5 3;fill:none}"
                            ".lab-timeline .c{stroke:var(--host);fill:none}"
                            ".lab-timeline .ra{stroke:var(--muted);fill:none}"
                            ".lab-timeline .e{fill:var(--ink)}"
                            ".lab-timeline .a{stroke:var(--ink);stroke-width:1.1;fill:none}"
                            ".lab-timeline .f{stroke:var(--wrong);stroke-width:1.8;stroke-dasharray:4 2;fill:none}"
                            ".lab-timeline .fn{fill:var(--wrong);font-weight:700;paint-order:stroke;"
                            "stroke:var(--paper);stroke-width:3}";

/* What only figures draw: titles of runs, names of bars, outlines of work to come, uses of memory, brackets. */
static const char figure_style[] =
    ".lab-timeline :is(.v,.x,.y,.p){paint-order:stroke;stroke:var(--paper);stroke-width:3px}"
    ".lab-timeline :is(.v,.x,.y){font-weight:600}"
    ".lab-timeline .x{fill:var(--wrong)}"
    ".lab-timeline .y{fill:var(--right)}"
    ".lab-timeline .p{font-size:10px}"
    ".lab-timeline .a{stroke-width:1.5}"
    ".lab-timeline .w{fill:var(--host)}"
    ".lab-timeline .u{fill:none;stroke-dasharray:2 2}"
    ".lab-timeline .r{stroke:var(--ink);stroke-width:1.3;fill:none}";

static const char tip[] =
    "<marker id=\"lab-timeline-tip\" viewBox=\"0 0 6 6\" refX=\"5.5\" refY=\"3\" markerWidth=\"5\" markerHeight=\"5\" "
    "orient=\"auto\"><path d=\"M0 0L6 3L0 6z\" style=\"fill:var(--ink)\"/></marker>";

void lab_svg_put_styles(FILE *out, bool own)
{
    fprintf(out, "<style>%s%s%s", own ? colors : "", style, own ? "" : figure_style);
    for (timeline_mark mark = TIMELINE_HTOD; mark <= TIMELINE_WAIT; mark++) {
        const timeline_look *look = &lab_timeline_looks[mark];
        if (!*look->lines)
            fprintf(out, ".lab-timeline .%s{fill:var(--%s)}", look->class, look->color);
        else if (own)
            fprintf(out, ".lab-timeline .%s{fill:url(#lab-timeline-%s);stroke:var(--%s);stroke-width:.8}", look->class,
                    look->class, look->color);
        else
            fprintf(out, ".lab-timeline .%s{stroke:var(--%s);stroke-width:.8}", look->class, look->color);
    }
    fprintf(out, "%s</style>\n<defs>", own ? narrow : "");
    for (timeline_mark mark = TIMELINE_HTOD; mark <= TIMELINE_WAIT; mark++) {
        const timeline_look *look = &lab_timeline_looks[mark];
        if (!*look->lines) continue;
        fprintf(out,
                "<pattern id=\"lab-timeline-%s\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" "
                "patternTransform=\"scale(.6)\"><path d=\"%s\" style=\"stroke:var(--%s);stroke-width:1.6;fill:none\"/>"
                "</pattern>",
                look->class, look->lines, look->color);
    }
    fprintf(out, "%s</defs>\n", tip);
}

static void put_document(FILE *out, const char *drawn, double height, const char *title)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"lab-timeline\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
            "height=\"%.0f\" role=\"img\" aria-label=\"Timeline",
            SVG_WIDTH, height, SVG_WIDTH, height);
    if (*title) fputs(": ", out);
    lab_svg_put_text(out, title, 200);
    fputs("\">\n", out);
    lab_svg_put_styles(out, true);
    fprintf(out, "<rect width=\"%d\" height=\"%.0f\" style=\"fill:var(--paper)\"/>\n%s</svg>\n", SVG_WIDTH, height,
            drawn);
}

static lab_status make_document(char **out, const char *drawn, double height, const char *title)
{
    char *text = NULL;
    size_t size = 0;
    FILE *document = open_memstream(&text, &size);
    if (document) {
        put_document(document, drawn, height, title);
        bool failed = ferror(document) != 0;
        if (fclose(document) == 0 && !failed) {
            *out = text;
            return LAB_SUCCESS;
        }
    }
    free(text);
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the timeline");
}

lab_status lab_timelines_svg(char **out, const lab_timeline_run *run, size_t runs, const lab_timeline_options *given)
{
    lab_timeline_options options[LAB_TIMELINE_RUNS];
    timeline chart[LAB_TIMELINE_RUNS];
    char title[LAB_TIMELINE_RUNS][LAB_TRACE_TEXT_BYTES] = {""}, *drawn = NULL;
    const char *titles[LAB_TIMELINE_RUNS];
    size_t laid_out = 0;
    double height;
    LAB_TRY(lab_timeline_same_scale(options, run, runs, given));
    lab_status status = LAB_SUCCESS;
    for (size_t i = 0; i < runs && status == LAB_SUCCESS; i++) {
        titles[i] = title[i];
        if (run[i].title) lab_text_clean(title[i], sizeof title[i], run[i].title, strlen(run[i].title));
        status = lab_timeline_lay_out(&chart[i], run[i].trace, &options[i]);
        laid_out += status == LAB_SUCCESS;
    }
    if (status == LAB_SUCCESS) status = lab_svg_draw(&drawn, chart, titles, runs, &height);
    if (status == LAB_SUCCESS) status = make_document(out, drawn, height, title[0]);
    for (size_t i = 0; i < laid_out; i++) lab_timeline_clear(&chart[i]);
    free(drawn);
    return status;
}

lab_status lab_timeline_svg(char **out, const lab_trace *trace, const lab_timeline_options *options)
{
    return lab_timelines_svg(out, &(lab_timeline_run){trace, options ? options->title : NULL}, 1, options);
}
