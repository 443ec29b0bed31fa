/* Findings, each kept once for each pair of places in the program. */
#include "order_state.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FINDINGS = 1000 };

/* A finding, and which entries of the running record its two operations are: record_id, 0 for none. */
typedef struct kept_finding {
    lab_order_finding told;
    uint64_t first, second;
} kept_finding;

static kept_finding *finding;
static size_t findings, finding_capacity;

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

static kept_finding *find_pair(const lab_order_finding *like)
{
    for (size_t i = 0; i < findings; i++)
        if (finding[i].told.kind == like->kind && same_place(&finding[i].told.first, &like->first) &&
            same_place(&finding[i].told.second, &like->second))
            return &finding[i];
    return NULL;
}

static bool make_room(void)
{
    if (findings < finding_capacity) return true;
    if (findings == MOST_FINDINGS) return false;
    size_t capacity = finding_capacity ? 2 * finding_capacity : 16;
    kept_finding *larger = realloc(finding, capacity * sizeof *larger);
    if (!larger) return false;
    finding = larger;
    finding_capacity = capacity;
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
        known->told.times++;
        made = known->told;
        if (!known->second) *known = (kept_finding){made, first->record, second->record};
    } else {
        made.first.file = order_intern(made.first.file);
        made.second.file = order_intern(made.second.file);
        order_describe(&made, use, first->exec && first->exec == second->exec);
        if (mode == LAB_ORDER_REPORT) fprintf(stderr, "LAB_ORDER: %s. To order them: %s.\n", made.text, made.edge);
        if (make_room()) finding[findings++] = (kept_finding){made, first->record, second->record};
    }
    if (mode != LAB_ORDER_ERROR) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_NOT_ORDERED, "%s; to order them: %s", made.text, made.edge);
}

void order_report_clear(void)
{
    free(finding);
    finding = NULL;
    findings = finding_capacity = 0;
}

uint64_t order_report_count(void) { return findings; }

void order_record_began(void)
{
    order_enter();
    for (size_t i = 0; i < findings; i++) finding[i].first = finding[i].second = 0;
    order_leave();
}

bool order_recorded_finding(lab_trace_finding *out, size_t number)
{
    order_enter();
    const bool known = number < findings;
    if (known)
        *out = (lab_trace_finding){finding[number].first, finding[number].second, finding[number].told.text,
                                   finding[number].told.edge};
    order_leave();
    return known;
}

lab_status lab_order_get_finding(lab_order_finding *out, size_t number)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_order_get_finding: out is NULL");
    order_enter();
    size_t count = findings;
    if (number < count) *out = finding[number].told;
    order_leave();
    if (number < count) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_order_get_finding: there is no finding %zu; there are %zu", number,
                    count);
}
