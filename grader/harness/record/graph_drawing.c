/* check_artifact_graph: the graph that was asked for and the captured one next to it, from top to bottom in layers, as
 * SVG and as DOT. */
#include "check_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { PANEL = 300, LAYER = 64, TOP = 60, RADIUS = 16, LEFT_EDGES = 24 };

static const char style[] =
    "<style>.graph{--paper:#fff;--ink:#1b1f24;--bad:#b84a00;--gone:#86358a;color-scheme:light dark;max-width:100%;"
    "height:auto;font:13px system-ui,sans-serif}@media(prefers-color-scheme:dark){.graph{--paper:#15181c;--ink:#e6e9ec;"
    "--bad:#f0a030;--gone:#d58bd8}}.graph text{fill:var(--ink);text-anchor:middle}.graph .t{font-weight:600}"
    ".graph circle{fill:var(--paper);stroke:var(--ink);stroke-width:1.5}.graph path{stroke:var(--ink);stroke-width:1.3;"
    "fill:none;marker-end:url(#graph-tip)}.graph .more{stroke:var(--bad);stroke-width:3}.graph "
    ".less{stroke:var(--gone);"
    "stroke-width:2;stroke-dasharray:5 4}</style><defs><marker id=\"graph-tip\" viewBox=\"0 0 8 8\" refX=\"7\" "
    "refY=\"4\" "
    "markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" "
    "style=\"fill:var(--ink);stroke:none;marker-end:none\"/></marker></defs>";

typedef bool edges[CHECK_GRAPH_NODES][CHECK_GRAPH_NODES];

/* Where the nodes stand in a panel: each one layer below the last that it waits for. */
typedef struct layout {
    int x[CHECK_GRAPH_NODES], y[CHECK_GRAPH_NODES], height;
} layout;

static layout lay_out(const check_graph *graph, const edges *edge)
{
    layout made = {.height = 0};
    int layer[CHECK_GRAPH_NODES] = {0}, width[CHECK_GRAPH_NODES] = {0}, place[CHECK_GRAPH_NODES];
    for (int round = 0; round < graph->nodes; round++)
        for (int from = 0; from < graph->nodes; from++)
            for (int to = 0; to < graph->nodes; to++)
                if ((*edge)[from][to] && layer[to] <= layer[from] && layer[from] + 1 < graph->nodes)
                    layer[to] = layer[from] + 1;
    for (int i = 0; i < graph->nodes; i++) place[i] = width[layer[i]]++;
    for (int i = 0; i < graph->nodes; i++) {
        made.x[i] = PANEL * (2 * place[i] + 1) / (2 * width[layer[i]]);
        made.y[i] = TOP + LAYER * layer[i];
        if (made.y[i] > made.height) made.height = made.y[i];
    }
    return made;
}

/* Whether an edge passes a node that stands between its ends: it is drawn around it then. */
static bool is_in_the_way(const layout *at, int nodes, int from, int to)
{
    for (int i = 0; i < nodes; i++)
        if (at->x[i] == at->x[from] && at->x[i] == at->x[to] && at->y[i] > at->y[from] && at->y[i] < at->y[to])
            return true;
    return false;
}

static void draw_edge(text_buffer *out, const layout *at, int nodes, int from, int to, const char *class)
{
    const int y = at->y[from] + RADIUS, end = at->y[to] - RADIUS,
              aside = is_in_the_way(at, nodes, from, to) ? at->x[from] - PANEL / 5 : 0;
    text_format(out, "<path%s d=\"M%d %d", class, at->x[from], y);
    if (aside)
        text_format(out, "C%d %d %d %d %d %d\"/>\n", aside, y + LEFT_EDGES, aside, end - LEFT_EDGES, at->x[to], end);
    else
        text_format(out, "L%d %d\"/>\n", at->x[to], end);
}

/* A panel with these edges; those that the other graph lacks are `more`, and its edges that are missing here `less`. */
static void draw_panel(text_buffer *out, const check_graph *graph, const layout *at, const edges *edge,
                       const edges *other, const char *heading, int left)
{
    text_format(out, "<g transform=\"translate(%d 0)\"><text class=\"t\" x=\"%d\" y=\"24\">%s</text>\n", left,
                PANEL / 2, heading);
    for (int from = 0; from < graph->nodes; from++)
        for (int to = 0; to < graph->nodes; to++) {
            const bool here = (*edge)[from][to], there = other ? (*other)[from][to] : here;
            if (here || there)
                draw_edge(out, at, graph->nodes, from, to,
                          here && there ? ""
                          : here        ? " class=\"more\""
                                        : " class=\"less\"");
        }
    for (int i = 0; i < graph->nodes; i++)
        text_format(out, "<circle cx=\"%d\" cy=\"%d\" r=\"%d\"/><text x=\"%d\" y=\"%d\">%s</text>\n", at->x[i],
                    at->y[i], RADIUS, at->x[i], at->y[i] + 4, graph->name[i]);
    text_format(out, "</g>\n");
}

static char *draw(const check_graph *graph)
{
    text_buffer out = {0};
    const layout at = lay_out(graph, &graph->wanted);
    const int height = at.height + 2 * RADIUS + 20;
    text_format(&out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                "height=\"%d\" role=\"img\" aria-label=\"%s: the graph asked for, and the captured one\">%s\n<rect "
                "width=\"%d\" height=\"%d\" style=\"fill:var(--paper)\"/>\n",
                2 * PANEL, height, 2 * PANEL, height, graph->title, style, 2 * PANEL, height);
    draw_panel(&out, graph, &at, &graph->wanted, NULL, "asked for", 0);
    draw_panel(&out, graph, &at, &graph->found, &graph->wanted, "captured", PANEL);
    text_format(&out, "<text x=\"%d\" y=\"%d\">thick: an edge too many; dashed: one that is missing</text>\n</svg>\n",
                PANEL, height - 8);
    return out.text;
}

/* The captured graph, with the differences as attributes. */
static char *write_dot(const check_graph *graph)
{
    text_buffer out = {0};
    text_format(&out, "%s\ndigraph %s {\n", graph->title, graph->title);
    for (int from = 0; from < graph->nodes; from++)
        for (int to = 0; to < graph->nodes; to++) {
            const bool found = graph->found[from][to], wanted = graph->wanted[from][to];
            if (found || wanted)
                text_format(&out, "    %s -> %s%s;\n", graph->name[from], graph->name[to],
                            found && wanted ? ""
                            : found         ? " [label=\"too many\", penwidth=3]"
                                            : " [label=\"missing\", style=dashed]");
        }
    text_format(&out, "}\n");
    return out.text;
}

static size_t count_differences(const check_graph *graph)
{
    size_t count = 0;
    for (int from = 0; from < graph->nodes; from++)
        for (int to = 0; to < graph->nodes; to++) count += graph->found[from][to] != graph->wanted[from][to];
    return count;
}

void check_artifact_graph(const lab_trace *trace, const check_graph *graph)
{
    if (this_check.findings) return;
    check_artifact_trace(trace, graph->title);
    this_check.findings = count_differences(graph);
    free(this_check.timeline_svg);
    free(this_check.timeline_text);
    this_check.timeline_svg = draw(graph);
    this_check.timeline_text = write_dot(graph);
    if (!this_check.timeline_svg || !this_check.timeline_text) check_fault("there is no memory for a drawing");
}
