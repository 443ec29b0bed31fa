/* The rules of lab 13's contract; see checks_rules.h. */
#include "checks_rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The copy's memory of the host, and of the device. */
static const lab_trace_access *host_of(const lab_trace_op *copy)
{
    return &copy->access[copy->kind != LAB_OP_COPY_HTOD];
}
static uint64_t device_of(const lab_trace_op *copy) { return copy->access[copy->kind == LAB_OP_COPY_HTOD].address; }

static bool is_copy(const lab_trace_op *op) { return op->kind == LAB_OP_COPY_HTOD || op->kind == LAB_OP_COPY_DTOH; }

/* The picture whose part is there in the program's memory; -1 for none. */
static int picture_at(const folder *now, uint64_t address, lab13_part part)
{
    for (int k = 0; k < now->size.pictures; k++)
        if (address == check_address(now->program) + lab13_offset(&now->size, k, part)) return k;
    return -1;
}

/* The picture that a copy brings to the device or, with these results, to the host; -1 for none. */
static int copied(const folder *now, const lab_trace_op *op, lab13_part part)
{
    const lab_op_kind kind = part == LAB13_PIXELS ? LAB_OP_COPY_HTOD : LAB_OP_COPY_DTOH;
    return op->kind == kind ? picture_at(now, host_of(op)->address, part) : -1;
}

/* The first copy of this part of picture k. Fails the check without one. */
static const lab_trace_op *copy_of(const folder *now, const lab_trace *trace, int k, lab13_part part)
{
    static const char *const place[] = {
        [LAB13_PIXELS] = "pixels", [LAB13_EDGES] = "edges", [LAB13_HISTOGRAM] = "histogram"};
    for (size_t i = 0; i < trace->ops; i++)
        if (copied(now, &trace->op[i], part) == k) return &trace->op[i];
    check_fail(CHECK_RULE, "lab13_run copies nothing %s picture[%d].%s", part == LAB13_PIXELS ? "from" : "to", k,
               place[part]);
}

/* ------------------------------------------------------------------------------------------------------
 * Where results come from: what each block holds, operation by operation
 */

typedef enum content { UNKNOWN, PICTURE, BLURRED, EDGES, CLEARED, COUNTS } content;

enum { MOST_BLOCKS = 4 * LAB13_MOST, MOST_WORDS = 5 };

typedef struct blocks {
    const folder *now;
    struct block {
        uint64_t address;
        content what;
        int picture;
    } block[MOST_BLOCKS];
    int count;
} blocks;

static struct block *block_at(blocks *all, uint64_t address)
{
    for (int i = 0; i < all->count; i++)
        if (all->block[i].address == address) return &all->block[i];
    if (all->count == MOST_BLOCKS) check_fail(CHECK_RULE, "the run uses more than %d blocks", MOST_BLOCKS);
    all->block[all->count] = (struct block){.address = address};
    return &all->block[all->count++];
}

/* An int as the record has it. */
static void word_of(char word[16], int value)
{
    unsigned char byte[sizeof value];
    memcpy(byte, &value, sizeof value);
    snprintf(word, 16, "%02x%02x%02x%02x", byte[0], byte[1], byte[2], byte[3]);
}

/* What a kernel of the lab makes of its arguments: `to` holds `made` if `from` held `needed`. */
static void run_kernel(blocks *all, const lab_trace_op *kernel)
{
    static const struct {
        const char *name;
        content needed, made;
        int words;
    } known[] = {{"blur", PICTURE, BLURRED, 4}, {"edge", BLURRED, EDGES, 4}, {"histogram", EDGES, COUNTS, 3}};
    char width[16], count[16], text[128], *word[MOST_WORDS], *kept;
    int words = 0;
    snprintf(text, sizeof text, "%s", kernel->arguments);
    for (char *next = strtok_r(text, " ", &kept); next && words < MOST_WORDS; next = strtok_r(NULL, " ", &kept))
        word[words++] = next;
    word_of(width, all->now->size.width);
    word_of(count, (int)folder_count(all->now));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(kernel->name, known[i].name) != 0 || words != known[i].words) continue;
        struct block *to = block_at(all, strtoull(word[0], NULL, 16));
        const struct block from = *block_at(all, strtoull(word[1], NULL, 16));
        const bool fits = from.what == known[i].needed && strcmp(word[words - 1], count) == 0 &&
                          (words == 3 ? to->what == CLEARED : strcmp(word[2], width) == 0);
        to->what = fits ? known[i].made : UNKNOWN;
        to->picture = from.picture;
    }
}

/* Runs a node of a graph, or what has replaced it. A kernel that is not the lab's makes nothing that is known. */
static void run_node(blocks *all, const lab_trace_op *node)
{
    const bool ours = node->module && node->module == check_module("kernels.cu");
    for (int i = 0; i < node->accesses && !ours; i++)
        if (node->access[i].writes && !node->access[i].host)
            block_at(all, node->access[i].address)->what = strcmp(node->name, "fill") == 0 ? CLEARED : UNKNOWN;
    if (ours) run_kernel(all, node);
}

/* The node with this number, counted from 0, as the launch runs it. */
static const lab_trace_op *node_of(const lab_trace *trace, const lab_trace_op *launch, uint64_t number)
{
    const lab_trace_op *found = NULL;
    uint64_t graph = 0, nodes = 0;
    sscanf(launch->name, "graph %" SCNu64, &graph);
    for (const lab_trace_op *op = trace->op; op < launch; op++) {
        if (op->kind == LAB_OP_GRAPH_NODE && op->object == graph && nodes++ == number) found = op;
        if (op->kind == LAB_OP_EXEC_UPDATE && op->object == launch->object && op->bytes == number) found = op;
    }
    return found;
}

/* Fails the check unless a copy to a result comes from a block that holds it. */
static void check_result(blocks *all, const lab_trace_op *copy, const char *function)
{
    const int edges = copied(all->now, copy, LAB13_EDGES), counts = copied(all->now, copy, LAB13_HISTOGRAM);
    const struct block *from = block_at(all, device_of(copy));
    const int k = edges >= 0 ? edges : counts;
    if (k < 0) return;
    check_locate(copy);
    check_expected("the %s that the graph's kernels made of picture %d", edges >= 0 ? "edges" : "histogram", k);
    check_found("device memory that holds something else");
    check_cause("the lane's graph is not the work of lab13_enqueue on the lane's blocks, or the copies name others");
    CHECK_THAT(from->what == (edges >= 0 ? EDGES : COUNTS) && from->picture == k, CHECK_RULE,
               "in %s, what is copied out of picture %d was not made by the lane's graph", function, k);
}

void rule_replays(const folder *now, const lab_trace *trace, check_span span)
{
    blocks all = {.now = now};
    const char *function = span.function;
    int launches = 0;
    for (const lab_trace_op *op = span.begins, *node; op < span.ends; op++) {
        launches += op->kind == LAB_OP_GRAPH_LAUNCH;
        check_locate(op);
        check_expected("kernels that run as nodes of a graph");
        check_found("a launch of the kernel %s", op->name);
        CHECK_THAT(op->kind != LAB_OP_KERNEL, CHECK_RULE, "%s launches kernels one by one", function);
        for (uint64_t n = 0; op->kind == LAB_OP_GRAPH_LAUNCH && (node = node_of(trace, op, n)); n++)
            run_node(&all, node);
        if (op->kind == LAB_OP_FILL || op->kind == LAB_OP_COPY_DTOD)
            block_at(&all, op->access[op->accesses - 1].address)->what = UNKNOWN;
        if (op->kind == LAB_OP_COPY_HTOD) {
            const int k = copied(now, op, LAB13_PIXELS);
            *block_at(&all, device_of(op)) =
                (struct block){device_of(op), k >= 0 && op->bytes == folder_count(now) ? PICTURE : UNKNOWN, k};
        }
        if (op->kind == LAB_OP_COPY_DTOH) check_result(&all, op, function);
    }
    const int pictures = now->size.pictures;
    check_location("", 0, NULL);
    for (const lab_trace_op *op = span.begins; op < span.ends; op++)
        if (op->kind == LAB_OP_GRAPH_LAUNCH) check_locate(op);
    check_expected("%d launches of graphs, one for each picture", pictures);
    check_found("%d", launches);
    CHECK_THAT(launches == pictures, CHECK_RULE, "%s does not launch a graph once for each picture", function);
}

/* ------------------------------------------------------------------------------------------------------
 * Memory, lanes and overlap
 */

void rule_no_allocation(check_span span)
{
    for (const lab_trace_op *op = span.begins; op < span.ends; op++) {
        const bool allocates = op->kind == LAB_OP_POOL_ALLOC || op->kind == LAB_OP_PINNED_POOL_ALLOC ||
                               op->kind == LAB_OP_MEMORY_ALLOC || op->kind == LAB_OP_HOST_ALLOC ||
                               op->kind == LAB_OP_HOST_REGISTER;
        check_locate(op);
        check_expected("the lane's blocks, which lab13_open has allocated");
        check_found("%s of %llu bytes in lab13_run", lab_op_kind_name(op->kind), (unsigned long long)op->bytes);
        CHECK_THAT(!allocates, CHECK_RULE, "lab13_run allocates memory");
    }
}

void rule_lanes(const folder *now, const lab_trace *trace)
{
    uint64_t stream[LAB13_MOST] = {0};
    int lanes = 0;
    for (size_t i = 0; i < trace->ops && lanes < now->size.lanes; i++)
        if (trace->op[i].kind == LAB_OP_STREAM_CREATE) stream[lanes++] = trace->op[i].stream;
    for (int k = 0; k < now->size.pictures; k++) {
        for (lab13_part part = LAB13_PIXELS; part <= LAB13_HISTOGRAM; part++) {
            const lab_trace_op *copy = copy_of(now, trace, k, part);
            check_locate(copy);
            check_expected("picture %d on the stream of lane %d", k, k % now->size.lanes);
            check_found("a copy of it on another stream");
            CHECK_THAT(copy->stream == stream[k % now->size.lanes], CHECK_RULE,
                       "lab13_run does not take picture %d through lane[%d]", k, k % now->size.lanes);
        }
    }
}

/* Points to a wait of the host between two operations; without one, to the later operation. */
static void locate_later(const lab_trace *trace, uint64_t first, uint64_t second)
{
    const lab_trace_op *wait = lab_trace_host_wait_between(trace, first, second);
    check_locate(wait ? wait : &trace->op[second - 1]);
}

void rule_overlap(const lab_trace *trace)
{
    static const lab_op_kind kind[] = {LAB_OP_COPY_HTOD, LAB_OP_GRAPH_LAUNCH, LAB_OP_COPY_DTOH};
    static const char *const word[] = {"copy in", "graph", "copy out"};
    lab_relations *relations;
    lab_op_set set[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        uint64_t *id = check_alloc(trace->ops * sizeof *id);
        set[i].id = id;
        for (size_t op = 0; op < trace->ops; op++)
            if (trace->op[op].kind == kind[i]) id[set[i].count++] = trace->op[op].id;
    }
    if (lab_relations_create(&relations, trace) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    for (int i = 0; i < 3; i++) {
        const int other = (i + 1) % 3;
        if (set[other].count > 1) locate_later(trace, set[other].id[0], set[other].id[1]);
        check_expected("a %s that may run beside the %s of another picture", word[i], word[other]);
        check_found("none: each waits for the other, in every run");
        check_cause("something orders the lanes: a stream in common, a wait for an event, or a wait of the host");
        CHECK_THAT(lab_relations_sets_may_overlap(relations, set[i], set[other], NULL), CHECK_RULE,
                   "in lab13_run no %s can run beside a %s", word[i], word[other]);
    }
    lab_relations_free(relations);
}

void rule_waits(const lab_trace *trace, check_span span)
{
    const lab_trace_op *last = span.begins;
    for (const lab_trace_op *op = span.begins; op < span.ends; op++)
        if (is_copy(op) || op->kind == LAB_OP_GRAPH_LAUNCH) last = op;
    const lab_trace_op *wait = lab_trace_host_wait_between(trace, span.begins->id, last->id);
    if (!wait) return;
    check_locate(wait);
    check_expected("the whole folder enqueued before the host waits");
    check_found("a wait (%s) before the %s", lab_op_kind_name(wait->kind), lab_op_kind_name(last->kind));
    check_cause("while the host stands still here, nothing more is enqueued, and the lanes run empty");
    check_fail(CHECK_RULE, "lab13_run waits for the device before everything is enqueued");
}

/* The first copy that has ended between the calls of two operations; NULL without one. */
static const lab_trace_op *ended_between(check_span span, const lab_trace_op *first, const lab_trace_op *second)
{
    for (const lab_trace_op *op = span.begins; op < second; op++)
        if (is_copy(op) && op->end_ns > first->call_ns && op->end_ns < second->call_ns) return op;
    return NULL;
}

void rule_enqueued_first(check_span span)
{
    enum { BY_LUCK = 2 }; /* on a machine so busy that the program seems to stand still */
    const lab_trace_op *last = span.begins;
    int stops = 0;
    for (const lab_trace_op *op = span.begins; op < span.ends; op++) {
        if (!is_copy(op) && op->kind != LAB_OP_GRAPH_LAUNCH) continue;
        const lab_trace_op *ended = ended_between(span, last, op);
        last = op;
        if (!ended || ++stops <= BY_LUCK) continue;
        check_locate(op);
        check_expected("the whole folder enqueued before the host waits");
        check_found("a %s that is enqueued when the %s of line %d is done", lab_op_kind_name(op->kind),
                    lab_op_kind_name(ended->kind), ended->line);
        check_cause("nothing runs here before the host has waited for long: it waits for a flag, or for a number that "
                    "a copy brings");
        check_fail(CHECK_RULE, "lab13_run waits for the device before everything is enqueued");
    }
}

void rule_locate_repeated(const lab_trace *trace, check_span span)
{
    for (const lab_trace_op *op = span.begins; op < span.ends; op++)
        for (const lab_trace_op *later = op + 1; later < span.ends && is_copy(op); later++)
            if (later->kind == op->kind && host_of(later)->address == host_of(op)->address) check_locate(later);
}

/* ------------------------------------------------------------------------------------------------------
 * Saves
 */

/* The picture that this operation says is saved; -1 for none. */
static int saved_by(const lab_trace_op *op)
{
    const size_t length = strlen(LAB13_SAVES);
    return op->kind == LAB_OP_MARK && strncmp(op->name, LAB13_SAVES, length) == 0 ? atoi(op->name + length) : -1;
}

int rule_count_saves(const lab_trace *trace)
{
    int found = 0;
    for (size_t i = 0; i < trace->ops; i++) found += saved_by(&trace->op[i]) >= 0;
    return found;
}

/* Whether the thread of an operation was joined before another operation: its end is handed on to its joiner. */
static bool is_joined(const lab_trace *trace, const lab_trace_op *of, const lab_trace_op *before)
{
    const lab_trace_op *end = of;
    for (const lab_trace_op *op = of; op < trace->op + trace->ops; op++)
        if (op->thread == of->thread) end = op;
    for (const lab_trace_op *op = end; op < before && end->kind == LAB_OP_HOST_RELEASE; op++)
        if (op->kind == LAB_OP_HOST_ACQUIRE && op->object == end->object) return true;
    return false;
}

/* Fails the check if picture k is saved when later ones have been waited for, by this thread or one that it has joined.
 * A thread that waits ahead, and hands on what has arrived, is no fault. */
static void check_saved_first(const folder *now, lab_relations *relations, const lab_trace *trace,
                              const lab_trace_op *save, int k)
{
    const lab_trace_op *later = copy_of(now, trace, k + 1, LAB13_HISTOGRAM),
                       *wait = lab_relations_waited_by(relations, later->id);
    const bool early = wait && wait->host_waits && wait < save && /* no question in passing */
                       (wait->thread == save->thread || is_joined(trace, wait, save));
    if (early) check_locate(wait);
    check_expected("picture %d saved before the host waits for picture %d", k, k + 1);
    check_found("a wait for both");
    check_cause("this call waits for more than picture %d: the host could compress it while the device goes on", k);
    CHECK_THAT(!early, CHECK_RULE, "lab13_run waits for later pictures before it saves picture %d", k);
}

void rule_saves(const folder *now, const lab_trace *trace, check_span span)
{
    lab_relations *relations;
    int next = 0;
    if (lab_relations_create(&relations, trace) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    for (const lab_trace_op *op = span.begins; op < span.ends; op++) {
        const int k = saved_by(op);
        if (k < 0) continue;
        check_locate(op);
        check_expected("pictures saved in the order of the folder, each once: now picture %d", next);
        check_found("picture %d", k);
        CHECK_THAT(k == next, CHECK_RULE, "lab13_run saves the pictures in another order");
        next++;
        for (lab13_part part = LAB13_EDGES; part <= LAB13_HISTOGRAM; part++) {
            const lab_trace_op *copy = copy_of(now, trace, k, part),
                               *wait = lab_relations_waited_by(relations, copy->id);
            check_locate_after(op, copy);
            check_expected("a wait of the host for picture %d, then its save", k);
            check_found("nothing before this save waits for the copy at line %d", copy->line);
            check_cause("an event behind the last copy of the picture stands for all of it");
            CHECK_THAT(wait && wait < op, CHECK_RACE_SUSPECTED,
                       "lab13_run saves picture %d while it may still be on its way", k);
        }
        if (k + 1 < now->size.pictures) check_saved_first(now, relations, trace, op, k);
    }
    lab_relations_free(relations);
    check_location("", 0, NULL);
    check_expected("%d pictures saved", now->size.pictures);
    check_found("%d", next);
    check_cause("work->save is called once for each picture");
    CHECK_THAT(next == now->size.pictures, CHECK_RULE, "lab13_run does not save every picture");
}
