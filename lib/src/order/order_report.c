/* Findings: kept once for each pair of places, and put in words that a student can act on. Also what there is to say
 * about memory: where it was made, and where it was given back. */
#include "order_state.h"

#include <stdarg.h>
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

/* ------------------------------------------------------------------------------------------------------
 * Texts
 */

typedef struct kept_text {
    struct kept_text *next;
    uint64_t hash;
    char text[];
} kept_text;

enum { TEXT_LISTS = 512, RECENT_TEXTS = 16 };
static kept_text *texts[TEXT_LISTS];

static const char *keep_text(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    for (const char *at = text; *at; at++) hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    kept_text **list = &texts[hash % TEXT_LISTS];
    for (const kept_text *each = *list; each; each = each->next)
        if (each->hash == hash && strcmp(each->text, text) == 0) return each->text;
    size_t bytes = strlen(text) + 1;
    kept_text *made = malloc(sizeof *made + bytes);
    if (!made) return "";
    made->next = *list;
    made->hash = hash;
    memcpy(made->text, text, bytes);
    *list = made;
    return made->text;
}

/* The same text mostly lies at the same address as before, where there may be another one by now. */
const char *order_intern(const char *text)
{
    static struct recent_text {
        const char *text, *kept;
    } recent_texts[RECENT_TEXTS];
    struct recent_text *recent = &recent_texts[(uintptr_t)text / 8 % RECENT_TEXTS];
    if (recent->text == text && strcmp(recent->kept, text) == 0) return recent->kept;
    *recent = (struct recent_text){text, keep_text(text)};
    return recent->kept;
}

/* ------------------------------------------------------------------------------------------------------
 * Allocations
 */

typedef struct allocation {
    uint64_t start, bytes;
    const char *file;
    int line;
    order_site *made;  /* a pool's memory: where it was allocated, in the order of its stream, */
    order_site *freed; /* and where it was given back */
} allocation;

/* Sorted by address. Memory of pools lies within memory of the device: a list of its own. */
typedef struct allocation_list {
    allocation *sorted;
    size_t count, capacity;
} allocation_list;

enum { POOLED = ORDER_SPACES };
static allocation_list allocations[ORDER_SPACES + 1];

/* How many begin at or before the address. */
static size_t count_up_to(const allocation_list *list, uint64_t address)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->sorted[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static allocation *find_allocation(const allocation_list *list, uint64_t address)
{
    size_t after = count_up_to(list, address);
    allocation *found = after ? &list->sorted[after - 1] : NULL;
    return found && address - found->start < found->bytes ? found : NULL;
}

static void forget_sites(allocation *of)
{
    if (of->made) order_site_release(of->made);
    free(of->freed);
}

static void remove_overlapping(allocation_list *list, uint64_t start, uint64_t end)
{
    size_t first = count_up_to(list, start), kept;
    while (first > 0 && list->sorted[first - 1].start + list->sorted[first - 1].bytes > start) first--;
    kept = first;
    for (; kept < list->count && list->sorted[kept].start < end; kept++) forget_sites(&list->sorted[kept]);
    if (kept == first) return;
    memmove(list->sorted + first, list->sorted + kept, (list->count - kept) * sizeof *list->sorted);
    list->count -= kept - first;
}

static allocation_list *list_of(order_space space, const lab_trace_op *op)
{
    bool pooled = op->kind == LAB_OP_POOL_ALLOC || op->kind == LAB_OP_POOL_FREE;
    return &allocations[pooled ? (int)POOLED : (int)space];
}

void order_allocations_add(order_space space, const lab_trace_op *op)
{
    allocation_list *list = list_of(space, op);
    remove_overlapping(list, op->object, op->object + op->bytes);
    /* Where a pool ended with its context, nobody said that its blocks did. */
    if (space == ORDER_DEVICE) remove_overlapping(&allocations[POOLED], op->object, op->object + op->bytes);
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 64;
        allocation *larger = realloc(list->sorted, capacity * sizeof *larger);
        if (!larger) return; /* texts will say less */
        list->sorted = larger;
        list->capacity = capacity;
    }
    size_t at = count_up_to(list, op->object);
    memmove(list->sorted + at + 1, list->sorted + at, (list->count - at) * sizeof *list->sorted);
    list->sorted[at] = (allocation){.start = op->object, .bytes = op->bytes, .file = op->file, .line = op->line};
    list->count++;
}

void order_allocations_end(order_space space, const lab_trace_op *op)
{
    allocation_list *list = list_of(space, op);
    if (op->kind != LAB_OP_POOL_FREE) {
        remove_overlapping(list, op->object, op->object + op->bytes);
        if (space == ORDER_DEVICE) remove_overlapping(&allocations[POOLED], op->object, op->object + op->bytes);
        return;
    }
    allocation *found = find_allocation(list, op->object);
    if (!found || found->freed) return;
    found->freed = calloc(1, sizeof *found->freed);
    if (found->freed)
        *found->freed = (order_site){.kind = op->kind,
                                     .name = "",
                                     .file = op->file,
                                     .line = op->line,
                                     .stream = op->stream,
                                     .thread = op->thread,
                                     .record = op->id};
}

void order_allocations_made_by(uint64_t address, order_site *site)
{
    allocation *found = find_allocation(&allocations[POOLED], address);
    if (found && !found->made)
        found->made = site;
    else if (site)
        order_site_release(site);
}

const order_site *order_allocations_made(uint64_t address)
{
    const allocation *found = find_allocation(&allocations[POOLED], address);
    return found ? found->made : NULL;
}

const order_site *order_allocations_freed(uint64_t address)
{
    const allocation *found = find_allocation(&allocations[POOLED], address);
    return found ? found->freed : NULL;
}

void order_allocations_clear(void)
{
    for (size_t i = 0; i < sizeof allocations / sizeof *allocations; i++) {
        for (size_t k = 0; k < allocations[i].count; k++) forget_sites(&allocations[i].sorted[k]);
        free(allocations[i].sorted);
        allocations[i] = (allocation_list){0};
    }
}

static const allocation *allocation_of(order_space space, uint64_t address)
{
    const allocation *found = space == ORDER_DEVICE ? find_allocation(&allocations[POOLED], address) : NULL;
    return found ? found : find_allocation(&allocations[space], address);
}

/* ------------------------------------------------------------------------------------------------------
 * Findings in words
 */

typedef struct words {
    char text[1600];
    size_t used;
} words;

static void say(words *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(words *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to->text + to->used, sizeof to->text - to->used, format, arguments);
    va_end(arguments);
    if (length > 0) to->used += (size_t)length;
    if (to->used >= sizeof to->text) to->used = sizeof to->text - 1;
}

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* "kernel scale (lab02.c:40)" */
static void say_place(words *to, const lab_order_side *side)
{
    if (side->graph) say(to, "graph node ");
    say(to, "%s", lab_op_kind_name(side->kind));
    if (*side->name) say(to, " %s", side->name);
    if (*side->file)
        say(to, " (%s:%d)", base_name(side->file), side->line);
    else
        say(to, " (operation %llu)", (unsigned long long)side->number);
}

/* ", operation 7, on stream 5, thread 1" */
static void say_whose(words *to, const lab_order_side *side)
{
    say(to, " [operation %llu", (unsigned long long)side->number);
    if (side->stream) say(to, ", stream %llu", (unsigned long long)side->stream);
    say(to, ", host thread %llu]", (unsigned long long)side->thread);
}

static void say_bytes(words *to, const lab_order_finding *of)
{
    if (!of->allocation_bytes) {
        say(to, "%llu bytes of %s memory at 0x%llx", (unsigned long long)of->bytes, of->host ? "host" : "device",
            (unsigned long long)of->address);
        return;
    }
    say(to, "bytes %llu to %llu of the %llu bytes of %s memory", (unsigned long long)of->offset,
        (unsigned long long)(of->offset + of->bytes - 1), (unsigned long long)of->allocation_bytes,
        of->host ? "host" : "device");
    if (*of->allocation_file) say(to, " made at %s:%d", base_name(of->allocation_file), of->allocation_line);
}

static const char *does(const lab_order_side *side) { return side->writes ? "writes" : "reads"; }

static bool is_host_access(lab_op_kind kind) { return kind == LAB_OP_HOST_READ || kind == LAB_OP_HOST_WRITE; }

static void say_wait_for_event(words *edge, const lab_order_finding *of)
{
    say(edge, "record an event on stream %llu after ", (unsigned long long)of->first.stream);
    say_place(edge, &of->first);
    say(edge, ", and let stream %llu wait for it before ", (unsigned long long)of->second.stream);
    say_place(edge, &of->second);
}

static void say_race(words *text, words *edge, const lab_order_finding *of, bool one_launch)
{
    const lab_order_side *first = &of->first, *second = &of->second;
    say_place(text, second);
    say_whose(text, second);
    say(text, " %s ", does(second));
    say_bytes(text, of);
    say(text, ", which ");
    say_place(text, first);
    say_whose(text, first);
    say(text, " %s, and nothing orders the two", does(first));
    if (one_launch) {
        say(edge, "while the graph is captured, record an event after ");
        say_place(edge, first);
        say(edge, " and let the stream of ");
        say_place(edge, second);
        say(edge, " wait for it before that call");
        return;
    }
    if (is_host_access(second->kind)) {
        say(edge, "after ");
        say_place(edge, first);
        say(edge,
            " wait for stream %llu, with lab_stream_synchronize or for an event recorded there, before the host "
            "%s the memory at %s:%d",
            (unsigned long long)first->stream, does(second), base_name(second->file), second->line);
        return;
    }
    say_wait_for_event(edge, of);
}

static void say_use_before_allocation(words *text, words *edge, const lab_order_finding *of)
{
    say_place(text, &of->second);
    say_whose(text, &of->second);
    say(text, " %s ", does(&of->second));
    say_bytes(text, of);
    say(text, ", which ");
    say_place(text, &of->first);
    say_whose(text, &of->first);
    say(text, " gives to its own stream: another may still be using them, and nothing orders the two");
    say_wait_for_event(edge, of);
}

static void say_use_after_free(words *text, words *edge, const lab_order_finding *of)
{
    say_place(text, &of->second);
    say_whose(text, &of->second);
    say(text, " %s ", does(&of->second));
    say_bytes(text, of);
    say(text, ", which were given back by ");
    say_place(text, &of->first);
    say_whose(text, &of->first);
    say(edge, "give the memory back after the last use: move ");
    say_place(edge, &of->first);
    say(edge, " behind ");
    say_place(edge, &of->second);
}

static void say_free_in_use(words *text, words *edge, const lab_order_finding *of)
{
    say_place(text, &of->second);
    say_whose(text, &of->second);
    say(text, " gives back ");
    say_bytes(text, of);
    say(text, ", which ");
    say_place(text, &of->first);
    say_whose(text, &of->first);
    say(text, " %s, and nothing orders the two", does(&of->first));
    say_wait_for_event(edge, of);
}

/* ------------------------------------------------------------------------------------------------------
 * Findings
 */

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

static void describe(lab_order_finding *made, const order_use *use, bool one_launch)
{
    const allocation *in = allocation_of(made->host ? ORDER_HOST : ORDER_DEVICE, use->start);
    made->address = use->start;
    made->bytes = use->end - use->start;
    made->allocation_file = in ? order_intern(in->file) : "";
    if (in) {
        made->offset = use->start - in->start;
        made->allocation_bytes = in->bytes;
        made->allocation_line = in->line;
    }
    words text = {0}, edge = {0};
    switch (made->kind) {
    case LAB_ORDER_RACE: say_race(&text, &edge, made, one_launch); break;
    case LAB_ORDER_USE_BEFORE_ALLOCATION: say_use_before_allocation(&text, &edge, made); break;
    case LAB_ORDER_USE_AFTER_FREE: say_use_after_free(&text, &edge, made); break;
    case LAB_ORDER_FREE_IN_USE: say_free_in_use(&text, &edge, made); break;
    }
    made->text = order_intern(text.text);
    made->edge = order_intern(edge.text);
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
        describe(&made, use, first->exec && first->exec == second->exec);
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
