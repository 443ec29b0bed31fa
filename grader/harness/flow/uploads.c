/* Searches the uploaded runs for the inputs, and for what was delivered. */
#include "uploads.h"

#include <stdlib.h>

enum { MOST_KNOWN = 1 << 22 }; /* more are not looked for */

typedef struct search {
    uploads *all;
    const kept_run *run;         /* that is searched */
    const kept_runs *deliveries; /* whose runs are the texts; NULL if the inputs are */
    bool no_memory;
} search;

static bool add(search *now, known_bytes found)
{
    uploads *all = now->all;
    if (all->knowns == MOST_KNOWN) return false;
    if (all->knowns == all->capacity) {
        const size_t capacity = all->capacity ? 2 * all->capacity : 256;
        known_bytes *larger = reallocarray(all->known, capacity, sizeof *larger);
        now->no_memory = !larger;
        if (!larger) return false;
        all->known = larger;
        all->capacity = capacity;
    }
    all->known[all->knowns++] = found;
    return true;
}

/* The part of the bytes from `at` to `end` of a run that lies in the part of the run. */
static bool clip(size_t *first, size_t *last, const kept_part *part, size_t at, size_t end)
{
    *first = part->at > at ? part->at : at;
    *last = part->at + part->bytes < end ? part->at + part->bytes : end;
    return *first < *last;
}

/* The upload of `part`, whose bytes from `first` to `end` of its run equal those of a run that was delivered, which
 * begin there at `offset`. */
static bool add_deliveries(search *now, const kept_part *part, size_t first, size_t end, size_t text, size_t offset)
{
    const kept_runs *from = now->deliveries;
    size_t low, high;
    for (size_t i = from->run[text].part + 1; i; i = from->part[i - 1].next) {
        const kept_part *source = &from->part[i - 1];
        if (source->op >= part->op || !clip(&low, &high, source, offset, offset + (end - first))) continue;
        const uint64_t begin = part->device + (first + (low - offset) - part->at);
        if (!add(now, (known_bytes){.op = part->op,
                                    .delivery = source->op,
                                    .delivered = source->device + (low - source->at),
                                    .first = begin,
                                    .end = begin + (high - low)}))
            return false;
    }
    return true;
}

static bool take(void *user, const content_match *match)
{
    search *now = user;
    const kept_runs *runs = &now->all->runs;
    size_t first, end;
    for (size_t i = now->run->part + 1; i; i = runs->part[i - 1].next) {
        const kept_part *part = &runs->part[i - 1];
        if (!clip(&first, &end, part, match->at, match->at + match->size)) continue;
        const size_t offset = match->offset + (first - match->at);
        if (now->deliveries) {
            if (!add_deliveries(now, part, first, end, match->text, offset)) return false;
            continue;
        }
        const uint64_t begin = part->device + (first - part->at);
        if (!add(now, (known_bytes){.op = part->op,
                                    .first = begin,
                                    .end = begin + (end - first),
                                    .input = match->text,
                                    .offset = offset}))
            return false;
    }
    return true;
}

static int compare_known(const void *a, const void *b)
{
    const known_bytes *one = a, *other = b;
    if (one->op != other->op) return one->op < other->op ? -1 : 1;
    return one->first < other->first ? -1 : one->first > other->first;
}

static void sort(uploads *all)
{
    if (all->knowns) qsort(all->known, all->knowns, sizeof *all->known, compare_known);
    for (size_t i = 0; i < all->knowns; i++) {
        known_bytes *known = &all->known[i];
        known->reach = known->end;
        if (i > 0 && known[-1].op == known->op && known[-1].reach > known->reach) known->reach = known[-1].reach;
    }
}

static bool search_runs(uploads *all, const content_text *text, size_t texts, const kept_runs *deliveries)
{
    content_index *index = content_index_create(text, texts);
    search now = {.all = all, .deliveries = deliveries, .no_memory = !index};
    for (size_t i = 0; i < all->runs.runs && !now.no_memory; i++) {
        now.run = &all->runs.run[i];
        content_find(index, now.run->bytes, now.run->size, take, &now);
    }
    content_index_free(index);
    sort(all);
    return !now.no_memory;
}

bool uploads_read(uploads *out, const check_evidence *kept, const lab_trace *trace, const content_text *input,
                  size_t inputs)
{
    *out = (uploads){0};
    return kept_runs_make(&out->runs, kept, EVIDENCE_UPLOAD, trace) && search_runs(out, input, inputs, NULL);
}

bool uploads_add_delivered(uploads *all, const kept_runs *deliveries)
{
    content_text *text = calloc(deliveries->runs + 1, sizeof *text);
    if (!text) return false;
    for (size_t i = 0; i < deliveries->runs; i++)
        text[i] = (content_text){deliveries->run[i].bytes, deliveries->run[i].size};
    const bool searched = search_runs(all, text, deliveries->runs, deliveries);
    free(text);
    return searched;
}

void uploads_free(uploads *read)
{
    kept_runs_free(&read->runs);
    free(read->known);
    *read = (uploads){0};
}

size_t uploads_find(const uploads *all, uint32_t op, uint64_t address)
{
    size_t low = 0, high = all->knowns; /* known bytes reach further the later they begin */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const known_bytes *known = &all->known[middle];
        if (known->op < op || (known->op == op && known->reach <= address))
            low = middle + 1;
        else
            high = middle;
    }
    return low < all->knowns && all->known[low].op == op ? low : all->knowns;
}

/* Where the zeros that begin at the address end, at `end` at the latest. */
static uint64_t skip_zeros(const uploads *all, uint32_t op, uint64_t address, uint64_t end)
{
    const kept_part *part = kept_runs_find(&all->runs, op, address);
    if (!part) return address;
    const uint64_t last = part->device + part->bytes < end ? part->device + part->bytes : end;
    while (address < last && !part->content[address - part->device]) address++;
    return address;
}

uint64_t uploads_first_not(const uploads *all, uint32_t op, uint64_t first, uint64_t end, unsigned kinds)
{
    for (size_t i = uploads_find(all, op, first); first < end;) {
        const known_bytes *known = i < all->knowns && all->known[i].op == op ? &all->known[i] : NULL;
        if (known && known->first <= first) {
            const bool wanted = kinds & (known->delivery ? UPLOADED_DELIVERED : UPLOADED_INPUT);
            if (wanted && known->end > first) first = known->end;
            i++;
            continue;
        }
        const uint64_t next = known && known->first < end ? known->first : end,
                       after = kinds & UPLOADED_ZERO ? skip_zeros(all, op, first, next) : first;
        if (after == first) return first;
        first = after;
    }
    return end;
}
