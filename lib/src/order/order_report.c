/* Findings, each kept once for each pair of call sites. */
#include "order_state.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FINDINGS = 1000 };

/* An operation's place in the order. The host has no lane. */
typedef struct place {
    uint32_t lane;
    uint64_t time, number;
} place;

/* A finding, the record_id of its two operations in the running record, or 0, and the place of the second. */
typedef struct kept_finding {
    lab_order_finding finding;
    uint64_t first, second;
    place second_place;
} kept_finding;

static kept_finding *kept;
static atomic_size_t kept_count; /* read at any time */
static size_t kept_capacity;

static lab_order_side side_of(const order_site *site, bool writes)
{
    return (lab_order_side){.kind = site->kind,
                            .name = site->name,
                            .number = site->number,
                            .stream = site->stream,
                            .thread = site->thread,
                            .graph = site->graph,
                            .file = site->file,
                            .line = site->line,
                            .writes = writes,
                            .null_stream = site->null_stream,
                            .context = site->context,
                            .stream_file = site->stream_made.file ? site->stream_made.file : "",
                            .stream_line = site->stream_made.line,
                            .launch_file = site->launched.file ? site->launched.file : "",
                            .launch_line = site->launched.line};
}

static bool same_place(const lab_order_side *one, const lab_order_side *other)
{
    return one->kind == other->kind && one->line == other->line && strcmp(one->name, other->name) == 0 &&
           strcmp(one->file, other->file) == 0;
}

static kept_finding *find_pair(const lab_order_finding *wanted)
{
    for (size_t i = 0; i < kept_count; i++)
        if (kept[i].finding.kind == wanted->kind && same_place(&kept[i].finding.first, &wanted->first) &&
            same_place(&kept[i].finding.second, &wanted->second))
            return &kept[i];
    return NULL;
}

static bool make_room(void)
{
    if (kept_count < kept_capacity) return true;
    if (kept_count == MOST_FINDINGS) return false;
    size_t capacity = kept_capacity ? 2 * kept_capacity : 16;
    kept_finding *larger = realloc(kept, capacity * sizeof *larger);
    if (!larger) return false;
    kept = larger;
    kept_capacity = capacity;
    return true;
}

static place place_of(const order_site *site) { return (place){site->lane, site->time, site->number}; }

/* Whether the second operation comes after that of an earlier finding. `known` is what it comes after. */
static bool comes_after(const kept_finding *earlier, const order_site *second, const order_clock *known)
{
    const place *before = &earlier->second_place;
    if (earlier->finding.second.stream)
        return before->time && order_clock_covers(known, before->lane, before->time); /* 0: it frees a block */
    return !second->stream && second->thread == earlier->finding.second.thread;
}

/* Whether the edge that is missing belongs into a graph. */
static bool is_in_graph(const lab_order_finding *finding)
{
    return finding->first.graph && finding->first.number == finding->second.number;
}

/* Whether one event can order several such pairs, and nothing else is told. */
static bool lacks_event(const lab_order_finding *finding)
{
    const bool lacks = finding->kind == LAB_ORDER_RACE ||
                       (finding->kind == LAB_ORDER_USE_BEFORE_ALLOCATION && order_spoken() == ORDER_CUDA);
    return lacks && !is_in_graph(finding);
}

/* The earlier finding, counted from 1, that one edge removes together with this one; 0 if there is none. The edge is an
 * event on the stream of both first operations, and a wait for it before the earlier of the second ones. The first ones
 * are enqueued by then. */
static uint64_t find_cause(const lab_order_finding *made, const order_site *second, const order_clock *known)
{
    if (!lacks_event(made)) return 0;
    for (size_t i = 0; i < kept_count; i++) {
        const kept_finding *each = &kept[i];
        if (!lacks_event(&each->finding)) continue;
        if (each->finding.first.stream != made->first.stream || made->first.number >= each->second_place.number)
            continue;
        if (second->number == each->second_place.number || comes_after(each, second, known))
            return each->finding.same_cause ? each->finding.same_cause : i + 1;
    }
    return 0;
}

lab_status order_report(lab_order_kind kind, const order_site *first, const order_site *second,
                        const order_clock *known_before, bool second_writes, const order_bytes *bytes)
{
    lab_order_finding made = {.kind = kind,
                              .first = side_of(first, bytes->use.writes),
                              .second = side_of(second, second_writes),
                              .host = bytes->space == ORDER_HOST,
                              .times = 1};
    kept_finding *known = find_pair(&made);
    int mode = atomic_load(&order_mode_now);
    if (known) {
        known->finding.times++;
        made = known->finding;
        if (!known->second) {
            known->first = first->record;
            known->second = second->record;
        }
    } else {
        made.first.file = order_intern(made.first.file);
        made.second.file = order_intern(made.second.file);
        made.first.stream_file = order_intern(made.first.stream_file);
        made.second.stream_file = order_intern(made.second.stream_file);
        made.first.launch_file = order_intern(made.first.launch_file);
        made.second.launch_file = order_intern(made.second.launch_file);
        made.same_cause = find_cause(&made, second, known_before);
        order_describe(&made, bytes, first, second);
        if (mode == LAB_ORDER_REPORT) order_print(&made, kept_count + 1);
        if (make_room()) kept[kept_count++] = (kept_finding){made, first->record, second->record, place_of(second)};
    }
    if (mode != LAB_ORDER_ERROR) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_NOT_ORDERED, "%s. To order them: %s", made.text, made.edge);
}

void order_report_clear(void)
{
    free(kept);
    kept = NULL;
    kept_count = kept_capacity = 0;
}

uint64_t order_report_count(void) { return kept_count; }

uint64_t order_report_causes(void)
{
    uint64_t causes = 0;
    for (size_t i = 0; i < kept_count; i++) causes += !kept[i].finding.same_cause;
    return causes;
}

void order_record_began(void)
{
    order_enter();
    for (size_t i = 0; i < kept_count; i++) kept[i].first = kept[i].second = 0;
    order_leave();
}

bool order_recorded_finding(lab_trace_finding *out, size_t number)
{
    order_enter();
    const bool known = number < kept_count;
    if (known)
        *out = (lab_trace_finding){kept[number].first, kept[number].second, kept[number].finding.text,
                                   kept[number].finding.edge};
    order_leave();
    return known;
}

lab_status lab_order_get_finding(lab_order_finding *out, size_t number)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_order_get_finding: out is NULL");
    order_enter();
    size_t count = kept_count;
    if (number < count) *out = kept[number].finding;
    order_leave();
    if (number < count) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_order_get_finding: there is no finding %zu; there are %zu", number,
                    count);
}
