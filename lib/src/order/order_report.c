/* Findings, each kept once for each pair of call sites. */
#include "order_state.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FINDINGS = 1000 };

/* A finding, and the record_id of its two operations in the running record, or 0. */
typedef struct kept_finding {
    lab_order_finding finding;
    uint64_t first, second;
} kept_finding;

static kept_finding *kept;
static size_t kept_count, kept_capacity;

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
                            .writes = writes};
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

lab_status order_report(lab_order_kind kind, const order_site *first, const order_site *second, bool second_writes,
                        order_space space, const order_use *use)
{
    lab_order_finding made = {.kind = kind,
                              .first = side_of(first, use->writes),
                              .second = side_of(second, second_writes),
                              .host = space == ORDER_HOST,
                              .times = 1};
    kept_finding *known = find_pair(&made);
    int mode = atomic_load(&order_mode_now);
    if (known) {
        known->finding.times++;
        made = known->finding;
        if (!known->second) *known = (kept_finding){made, first->record, second->record};
    } else {
        made.first.file = order_intern(made.first.file);
        made.second.file = order_intern(made.second.file);
        order_describe(&made, use, first->exec && first->exec == second->exec);
        if (mode == LAB_ORDER_REPORT) fprintf(stderr, "LAB_ORDER: %s. To order them: %s.\n", made.text, made.edge);
        if (make_room()) kept[kept_count++] = (kept_finding){made, first->record, second->record};
    }
    if (mode != LAB_ORDER_ERROR) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_NOT_ORDERED, "%s; to order them: %s", made.text, made.edge);
}

void order_report_clear(void)
{
    free(kept);
    kept = NULL;
    kept_count = kept_capacity = 0;
}

uint64_t order_report_count(void) { return kept_count; }

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
