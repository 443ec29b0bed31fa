/* Links parts to runs by the addresses where runs begin and end. */
#include "kept_runs.h"

#include "base/number_map.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 4096 };

/* To the number of the run plus 1, by the addresses where it begins, or ends. */
typedef struct run_places {
    number_map device, host;
} run_places;

typedef struct maker {
    kept_runs *runs;
    const lab_trace *trace;
    const lab_trace_op **copy; /* the copies whose bytes were kept, by number */
    size_t copies;
    run_places begins, ends;
} maker;

/* ---- Parts ---- */

static bool list_copies(maker *now)
{
    now->copy = malloc((now->trace->ops + 1) * sizeof *now->copy);
    for (size_t i = 0; now->copy && i < now->trace->ops; i++)
        if (now->trace->op[i].kept) now->copy[now->copies++] = &now->trace->op[i];
    return now->copy;
}

/* Numbers grow in the order of the record. */
static const lab_trace_op *copy_of(const maker *now, uint64_t number)
{
    size_t low = 0, high = now->copies;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (now->copy[middle]->kept < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < now->copies && now->copy[low]->kept == number ? now->copy[low] : NULL;
}

static bool add_part(kept_runs *runs, const lab_trace_op *op, const evidence_entry *entry)
{
    const bool up = entry->way == EVIDENCE_UPLOAD;
    const lab_trace_access *host = &op->access[up ? 0 : 1], *device = &op->access[up ? 1 : 0];
    if (op->accesses != 2 || entry->address < host->address || entry->bytes > host->bytes ||
        entry->address - host->address > host->bytes - entry->bytes)
        return true;
    if (runs->parts == runs->part_capacity) {
        const size_t capacity = runs->parts ? 2 * runs->parts : 256;
        kept_part *larger = reallocarray(runs->part, capacity, sizeof *larger);
        if (!larger) return false;
        runs->part = larger;
        runs->part_capacity = capacity;
    }
    runs->part[runs->parts++] = (kept_part){.op = (uint32_t)op->id,
                                            .device = device->address + (entry->address - host->address),
                                            .host = entry->address,
                                            .content = kept_bytes_of(entry),
                                            .bytes = entry->bytes};
    return true;
}

static bool list_parts(maker *now, const check_evidence *kept, evidence_way way)
{
    for (const evidence_entry *entry = NULL; (entry = kept_bytes_next(kept, entry));) {
        const lab_trace_op *op = entry->way == (uint32_t)way ? copy_of(now, entry->copy) : NULL;
        if (op && !add_part(now->runs, op, entry)) return false;
    }
    return true;
}

/* ---- Runs ---- */

static void set(number_map *map, uint64_t key, size_t run)
{
    if (!key) return;
    number_map_remove(map, key);
    number_map_put(map, key, (void *)(run + 1));
}

static void set_place(run_places *places, uint64_t device, uint64_t host, size_t run)
{
    set(&places->device, device, run);
    set(&places->host, host, run);
}

/* The run that the part continues at this place. NULL if there is none, or both are too large to be put together. */
static kept_run *run_at(const maker *now, const run_places *places, const kept_part *part, size_t skipped)
{
    const kept_runs *runs = now->runs;
    void *found = number_map_get(&places->device, part->device + skipped);
    if (!found) found = number_map_get(&places->host, part->host + skipped);
    kept_run *run = found ? &runs->run[(size_t)found - 1] : NULL;
    const bool joins = run && (part->bytes < SMALL || run->size < SMALL || runs->part[run->last].op == part->op);
    return joins ? run : NULL;
}

static void link_part(maker *now, size_t number)
{
    kept_runs *runs = now->runs;
    kept_part *part = &runs->part[number];
    kept_run *behind = run_at(now, &now->ends, part, 0),
             *before = behind ? NULL : run_at(now, &now->begins, part, part->bytes),
             *run = behind   ? behind
                    : before ? before
                             : &runs->run[runs->runs++];
    const size_t of = (size_t)(run - runs->run);
    if (behind)
        runs->part[run->last].next = number + 1;
    else if (before)
        part->next = run->part + 1;
    if (!behind) run->part = number;
    if (!before) run->last = number;
    run->size += part->bytes;
    if (!behind) set_place(&now->begins, part->device, part->host, of);
    if (!before) set_place(&now->ends, part->device + part->bytes, part->host + part->bytes, of);
}

static bool put_together(const kept_runs *runs, kept_run *run)
{
    run->bytes = runs->part[run->part].content;
    if (run->part == run->last) return true;
    run->bytes = run->own = malloc(run->size);
    if (!run->own) return false;
    for (size_t i = run->part + 1, at = 0; i; i = runs->part[i - 1].next) {
        kept_part *part = &runs->part[i - 1];
        memcpy(run->own + at, part->content, part->bytes);
        part->at = at;
        at += part->bytes;
    }
    return true;
}

/* In the order of the calls, and of the places within a copy: the device may move the parts of one in any order. */
static bool link_all(maker *now)
{
    kept_runs *runs = now->runs;
    runs->run = calloc(runs->parts + 1, sizeof *runs->run);
    number_map *const map[] = {&now->begins.device, &now->begins.host, &now->ends.device, &now->ends.host};
    if (!runs->run) return false;
    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        if (!number_map_reserve(map[i], runs->parts)) return false;
    for (size_t i = 0; i < runs->parts; i++) link_part(now, runs->by_op[i]);
    for (size_t i = 0; i < runs->runs; i++)
        if (!put_together(runs, &runs->run[i])) return false;
    return true;
}

/* ---- */

static int compare_parts(const void *a, const void *b, void *user)
{
    const kept_part *part = user, *one = &part[*(const size_t *)a], *other = &part[*(const size_t *)b];
    if (one->op != other->op) return one->op < other->op ? -1 : 1;
    return one->device < other->device ? -1 : one->device > other->device;
}

static bool sort_parts(kept_runs *runs)
{
    runs->by_op = malloc((runs->parts + 1) * sizeof *runs->by_op);
    if (!runs->by_op) return false;
    for (size_t i = 0; i < runs->parts; i++) runs->by_op[i] = i;
    qsort_r(runs->by_op, runs->parts, sizeof *runs->by_op, compare_parts, runs->part);
    return true;
}

bool kept_runs_make(kept_runs *out, const check_evidence *kept, evidence_way way, const lab_trace *trace)
{
    maker now = {.runs = out, .trace = trace};
    *out = (kept_runs){0};
    const bool made = list_copies(&now) && list_parts(&now, kept, way) && sort_parts(out) && link_all(&now);
    free(now.copy);
    number_map_clear(&now.begins.device);
    number_map_clear(&now.begins.host);
    number_map_clear(&now.ends.device);
    number_map_clear(&now.ends.host);
    return made;
}

void kept_runs_free(kept_runs *runs)
{
    for (size_t i = 0; runs->run && i < runs->runs; i++) free(runs->run[i].own);
    free(runs->part);
    free(runs->run);
    free(runs->by_op);
    *runs = (kept_runs){0};
}

const kept_part *kept_runs_find(const kept_runs *runs, uint32_t op, uint64_t device)
{
    size_t low = 0, high = runs->parts; /* the last part that does not come after */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const kept_part *part = &runs->part[runs->by_op[middle]];
        if (part->op < op || (part->op == op && part->device <= device))
            low = middle + 1;
        else
            high = middle;
    }
    const kept_part *found = low ? &runs->part[runs->by_op[low - 1]] : NULL;
    return found && found->op == op && device - found->device < found->bytes ? found : NULL;
}
