/*
 * Looks for each output among the bytes that were delivered, and walks back from there. An output is proven if all its
 * bytes were delivered, kernels had written them, nothing that they came from was the host's own, and all bytes of its
 * inputs were read on the way.
 */
#include "flow.h"
#include "graph_runs.h"

#include "walk.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_PLACES = 4096 /* where an output is looked for */ };

/* A part of an output that was delivered. */
typedef struct place {
    size_t passage, offset; /* in the output */
    size_t run, at, size;   /* in a run of deliveries */
} place;

typedef struct flow {
    walk walk;
    const check_way *way;
    place *place; /* by passage */
    size_t places, capacity;
    size_t *places_of; /* how many each passage has */
    size_t run;        /* that is searched */
    visits origins;    /* the memory that the passage's output was copied from */
    spans spans;       /* of the output, or of an input */
} flow;

/* ---- Where outputs are ---- */

static bool take_place(void *user, const content_match *match)
{
    flow *now = user;
    if (now->places_of[match->text] == MOST_PLACES) return true;
    if (now->places == now->capacity) {
        const size_t capacity = now->capacity ? 2 * now->capacity : 256;
        place *larger = reallocarray(now->place, capacity, sizeof *larger);
        if (!larger) {
            now->walk.verdict = FLOW_NO_MEMORY;
            return false;
        }
        now->place = larger;
        now->capacity = capacity;
    }
    now->places_of[match->text]++;
    now->place[now->places++] = (place){match->text, match->offset, now->run, match->at, match->size};
    return true;
}

/* The longest first; of equal ones the latest. */
static int compare_places(const void *a, const void *b)
{
    const place *one = a, *other = b;
    if (one->passage != other->passage) return one->passage < other->passage ? -1 : 1;
    if (one->size != other->size) return one->size > other->size ? -1 : 1;
    return one->run > other->run ? -1 : one->run < other->run;
}

static void find_places(flow *now)
{
    const kept_runs *runs = &now->walk.deliveries;
    content_text *text = calloc(now->way->passages + 1, sizeof *text);
    now->places_of = calloc(now->way->passages + 1, sizeof *now->places_of);
    for (size_t i = 0; text && i < now->way->passages; i++)
        text[i] = (content_text){now->way->passage[i].output.bytes, now->way->passage[i].output.size};
    content_index *index = text && now->places_of ? content_index_create(text, now->way->passages) : NULL;
    if (!index) now->walk.verdict = FLOW_NO_MEMORY;
    for (now->run = 0; index && now->run < runs->runs; now->run++)
        content_find(index, runs->run[now->run].bytes, runs->run[now->run].size, take_place, now);
    content_index_free(index);
    free(text);
    if (now->places) qsort(now->place, now->places, sizeof *now->place, compare_places);
}

/* Puts on the stack, and among the origins, the memory from which this place was copied. */
static void push_place(flow *now, const place *found)
{
    const kept_runs *runs = &now->walk.deliveries;
    now->walk.stack.count = 0;
    for (size_t i = runs->run[found->run].part + 1; i; i = runs->part[i - 1].next) {
        const kept_part *part = &runs->part[i - 1];
        const size_t part_end = part->at + part->bytes, found_end = found->at + found->size,
                     first = part->at > found->at ? part->at : found->at,
                     end = part_end < found_end ? part_end : found_end;
        if (first < end)
            walk_push(&now->walk, part->op, part->device + (first - part->at), part->device + (end - part->at), true);
    }
    for (size_t i = 0; i < now->walk.stack.count; i++) walk_add(&now->walk, &now->origins, now->walk.stack.visit[i]);
}

/* ---- What is proven ---- */

/* "lab03_depth_first, array 12" */
static const char *name_of(char out[160], const check_way *way, const check_passage *passage)
{
    snprintf(out, 160, "%s%s%s", way->function, passage->what ? ", " : "", passage->what ? passage->what : "");
    return out;
}

static void refuse_missing(flow *now, const check_passage *passage)
{
    char name[160];
    walk_refuse(&now->walk, FLOW_REFUSED, 0, "%s: the output did not come from the device",
                name_of(name, now->way, passage));
    WALK_SAY(&now->walk, expected, "all its %zu bytes in copies from the device to the host", passage->output.size);
    WALK_SAY(&now->walk, found, "%zu of them; the first that is missing is byte %zu", spans_bytes(&now->spans),
             spans_first_missing(&now->spans, passage->output.size));
    WALK_SAY(&now->walk, cause, "the host wrote the output, or changed what the device returned");
}

/* Looks at the places where the output was found until each byte is proven at one. If that fails, the refusal is that
 * of the first place. */
static void prove_output(flow *now, const check_passage *passage, const place *first, const place *end)
{
    walk *back = &now->walk;
    flow_finding refusal = {.op = NULL};
    flow_verdict verdict = FLOW_PROVEN;
    now->spans.count = now->origins.count = 0;
    back->number++;
    for (const place *each = first; each < end; each++) {
        const size_t origins = now->origins.count;
        if (spans_have(&now->spans, each->offset, each->offset + each->size)) continue;
        push_place(now, each);
        if (walk_back(back, passage)) {
            if (!spans_add(&now->spans, each->offset, each->offset + each->size)) back->verdict = FLOW_NO_MEMORY;
            continue;
        }
        if (back->verdict != FLOW_REFUSED && back->verdict != FLOW_UNORDERED) return;
        if (verdict == FLOW_PROVEN) {
            refusal = *back->finding;
            verdict = back->verdict;
        }
        now->origins.count = origins;
        back->verdict = FLOW_PROVEN;
        back->number++; /* what was seen on a way that is refused is looked at again */
    }
    if (spans_first_missing(&now->spans, passage->output.size) == passage->output.size) return;
    if (verdict == FLOW_PROVEN) {
        refuse_missing(now, passage);
        return;
    }
    *back->finding = refusal;
    back->verdict = verdict;
}

static void prove_input(flow *now, const check_passage *passage, size_t number)
{
    char name[160];
    walk *back = &now->walk;
    const size_t size = passage->input[number].size, index = (size_t)(passage - now->way->passage);
    now->spans.count = back->stack.count = 0;
    for (size_t i = 0; i < now->origins.count; i++) walk_add(back, &back->stack, now->origins.visit[i]);
    walk_collect(back, &now->spans, index * CHECK_INPUTS + number);
    const size_t missing = spans_first_missing(&now->spans, size);
    if (back->verdict != FLOW_PROVEN || missing == size) return;
    walk_refuse(back, FLOW_REFUSED, 0, "%s: the output does not come from all of the input",
                name_of(name, now->way, passage));
    WALK_SAY(back, expected, "all %zu bytes of the input, copied to the device and read there", size);
    WALK_SAY(back, found, "%zu of them; the first that is missing is byte %zu", spans_bytes(&now->spans), missing);
    WALK_SAY(back, cause, "the kernel ran on other data, or the input was changed before it was copied");
}

static void examine(flow *now)
{
    find_places(now);
    const place *next = now->place, *last = next + now->places;
    for (size_t i = 0; i < now->way->passages && now->walk.verdict == FLOW_PROVEN; i++) {
        const check_passage *passage = &now->way->passage[i];
        const place *first = next;
        while (next < last && next->passage == i) next++;
        prove_output(now, passage, first, next);
        for (size_t k = 0; k < CHECK_INPUTS && now->walk.verdict == FLOW_PROVEN; k++)
            if (passage->input[k].size) prove_input(now, passage, k);
    }
}

/* Examines a record without launches of graphs. */
static flow_verdict examine_evidence(flow_finding *finding, const flow_evidence *evidence, const check_way *way)
{
    flow now = {.way = way};
    walk_begin(&now.walk, finding, evidence, way);
    if (now.walk.verdict == FLOW_PROVEN && kept_bytes_are_incomplete(evidence->kept)) {
        walk_refuse(&now.walk, FLOW_FLOOD, 0, "%s copies more between host and device than its check keeps",
                    way->function);
        WALK_SAY(&now.walk, found, "more than %zu MiB", evidence->kept->bytes >> 20);
    }
    if (now.walk.verdict == FLOW_PROVEN) examine(&now);
    walk_end(&now.walk);
    free(now.place);
    free(now.places_of);
    free(now.origins.visit);
    free(now.spans.span);
    return now.walk.verdict;
}

flow_verdict flow_examine(flow_finding *finding, const flow_evidence *evidence, const check_way *way)
{
    graph_runs runs;
    flow_evidence of_nodes = *evidence;
    flow_verdict verdict = FLOW_NO_MEMORY;
    of_nodes.trace = &runs.trace;
    if (graph_runs_make(&runs, evidence->trace)) verdict = examine_evidence(finding, &of_nodes, way);
    if (verdict != FLOW_NO_MEMORY && finding->op)
        finding->op = &evidence->trace->op[runs.origin[finding->op - runs.trace.op] - 1];
    graph_runs_free(&runs);
    return verdict;
}
