/* Memory is cut into cells at all ends of ranges that operations use, so that each cell has one writer at a time. */
#include "memory_ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1 << 26 }; /* cells that all operations together look at */

/* Device memory that an operation uses. */
typedef struct range {
    uint32_t op;
    bool reads, writes, whole; /* whole: it certainly writes every byte */
    uint64_t first, end;
} range;

typedef struct replay {
    memory_ways *ways;
    const flow_evidence *evidence;
    const check_way *way;
    range *range; /* of the operations in their order */
    size_t ranges, range_capacity;
    uint64_t *cut; /* cell i is from cut[i] to cut[i + 1] */
    size_t cuts;
    uint32_t *writer; /* of each cell */
    size_t steps;
    bool no_memory;
} replay;

static void *with_room(replay *now, void *list, size_t *capacity, size_t used, size_t size)
{
    if (used < *capacity) return list;
    const size_t more = *capacity ? 2 * *capacity : 256;
    void *larger = reallocarray(list, more, size);
    if (larger)
        *capacity = more;
    else
        now->no_memory = true;
    return larger ? larger : list;
}

/* ---- What operations use ---- */

static void add_range(replay *now, range added)
{
    now->range = with_room(now, now->range, &now->range_capacity, now->ranges, sizeof *now->range);
    if (!now->no_memory && added.first < added.end) now->range[now->ranges++] = added;
}

static range range_of(const lab_trace_op *op, const lab_trace_access *access, bool whole)
{
    return (range){(uint32_t)op->id,        access->reads,   access->writes,
                   whole && access->writes, access->address, access->address + access->bytes};
}

/* Operations of the library's that compute nothing: their values are arguments, which the host chooses. */
static bool sets_values(const lab_trace_op *op)
{
    static const char *const name[] = {"fill", "arange", "random_uniform", "random_normal"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (!*op->module && strcmp(op->name, name[i]) == 0) return true;
    return false;
}

/* An operation of the library's, which uses its arrays and fills its outputs; or a kernel of which only its name is
 * known. */
static void use_arrays(replay *now, way_node *node, const lab_trace_op *op)
{
    for (int i = 0; i < op->accesses - op->declared; i++) {
        const lab_trace_access *access = &op->access[i];
        if (access->host) node->uses_host = true;
        if (access->host) continue;
        add_range(now, range_of(op, access, true));
    }
    node->kind = sets_values(op) ? WAY_FILL : WAY_KERNEL;
}

/* The extent in one dimension is enough: the kernels of labs have one. */
static double threads_of(const lab_trace_op *op) { return (double)op->grid.x * op->block.x; }

/* The arrays of a declared kernel. False if the launch is not as declared or goes past the end of an array. */
static bool use_declared(replay *now, way_node *node, const lab_trace_op *op)
{
    const declaration *kernel = &now->ways->kernel[node->kernel];
    launch_arguments arguments;
    int used = 0;
    if (!launch_arguments_read(&arguments, kernel, op->arguments)) return false;
    for (int i = 0; i < kernel->parameters; i++) {
        if (!kernel->parameter[i].array || !arguments.address[i]) continue;
        if (used == op->accesses - op->declared) return false;
        const lab_trace_access *access = &op->access[used++];
        const uint64_t bytes = launch_arguments_bytes(&arguments, kernel, i);
        if (access->address != arguments.address[i] || bytes > access->bytes) return false;
        if (access->host) node->uses_host = true;
        if (access->host) continue;
        const bool covers = kernel->any_grid || threads_of(op) >= launch_arguments_count(&arguments, kernel, i);
        range used_range = range_of(op, access, covers);
        used_range.end = used_range.first + bytes;
        add_range(now, used_range);
    }
    node->kind = WAY_KERNEL;
    return true;
}

/* The number of the check's kernel that this operation runs, or -1. */
static int find_kernel(const replay *now, const lab_trace_op *op)
{
    for (int i = 0; i < CHECK_KERNELS && now->way->kernel[i].declaration; i++)
        if (strcmp(op->name, now->ways->kernel[i].name) == 0 &&
            (!now->way->kernel[i].file || strcmp(op->module, now->evidence->module[i]) == 0))
            return i;
    return -1;
}

static void add_unknown(replay *now, const lab_trace_op *op)
{
    /* Without times it may have run at any time. */
    const bool known = op->start_ns >= 0 && op->end_ns >= op->start_ns;
    way_unknown *added = &now->ways->unknown[now->ways->unknowns++];
    *added = (way_unknown){.op = (uint32_t)op->id,
                           .start_ns = known ? op->start_ns : op->call_ns,
                           .end_ns = known ? op->end_ns : INT64_MAX};
}

static void use_kernel(replay *now, way_node *node, const lab_trace_op *op)
{
    node->kernel = *op->module ? find_kernel(now, op) : -1;
    if (!*op->module || (node->kernel >= 0 && !now->way->kernel[node->kernel].file))
        use_arrays(now, node, op);
    else if (node->kernel < 0 || !use_declared(now, node, op))
        add_unknown(now, op);
}

static void use_memory(replay *now, const lab_trace_op *op)
{
    static const way_kind kind[] = {[LAB_OP_COPY_HTOD] = WAY_UPLOAD,
                                    [LAB_OP_COPY_DTOH] = WAY_DELIVERY,
                                    [LAB_OP_COPY_DTOD] = WAY_COPY,
                                    [LAB_OP_FILL] = WAY_FILL};
    way_node *node = &now->ways->node[op->id];
    if (op->kind == LAB_OP_KERNEL) use_kernel(now, node, op);
    if (op->kind == LAB_OP_GRAPH_LAUNCH) add_unknown(now, op);
    if (op->kind >= sizeof kind / sizeof *kind || !kind[op->kind]) return;
    node->kind = kind[op->kind];
    for (int i = 0; i < op->accesses; i++)
        if (!op->access[i].host) add_range(now, range_of(op, &op->access[i], true));
}

/* ---- Cells ---- */

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

static void cut_memory(replay *now)
{
    now->cut = calloc(2 * now->ranges + 1, sizeof *now->cut);
    now->writer = calloc(2 * now->ranges + 1, sizeof *now->writer);
    now->no_memory = now->no_memory || !now->cut || !now->writer;
    if (now->no_memory) return;
    for (size_t i = 0; i < now->ranges; i++) {
        now->cut[2 * i] = now->range[i].first;
        now->cut[2 * i + 1] = now->range[i].end;
    }
    qsort(now->cut, 2 * now->ranges, sizeof *now->cut, compare_numbers);
    for (size_t i = 0; i < 2 * now->ranges; i++)
        if (i == 0 || now->cut[i] != now->cut[now->cuts - 1]) now->cut[now->cuts++] = now->cut[i];
}

static size_t cell_at(const replay *now, uint64_t address)
{
    const uint64_t *found = bsearch(&address, now->cut, now->cuts, sizeof *now->cut, compare_numbers);
    return (size_t)(found - now->cut);
}

/* ---- The replay ---- */

static void add_edge(replay *now, way_node *node, way_edge added)
{
    memory_ways *ways = now->ways;
    way_edge *last = node->edges ? &ways->edge[ways->edges - 1] : NULL;
    if (last && last->writer == added.writer && last->end == added.first && last->under == added.under) {
        last->end = added.end;
        return;
    }
    ways->edge = with_room(now, ways->edge, &ways->edge_capacity, ways->edges, sizeof *ways->edge);
    if (now->no_memory) return;
    if (!node->edges) node->edge = ways->edges;
    ways->edge[ways->edges++] = added;
    node->edges++;
}

static void look(replay *now, const range *used, bool under)
{
    const size_t end = cell_at(now, used->end);
    for (size_t i = cell_at(now, used->first); i < end; i++, now->steps++)
        add_edge(now, &now->ways->node[used->op], (way_edge){now->writer[i], under, now->cut[i], now->cut[i + 1]});
}

static void write_cells(replay *now, const range *used)
{
    const size_t end = cell_at(now, used->end);
    for (size_t i = cell_at(now, used->first); i < end; i++, now->steps++) now->writer[i] = used->op;
}

/* Replays the operation whose ranges begin at number `first`. Returns where those of the next one begin. */
static size_t replay_op(replay *now, size_t first)
{
    size_t end = first;
    while (end < now->ranges && now->range[end].op == now->range[first].op) end++;
    for (size_t i = first; i < end; i++)
        if (now->range[i].reads) look(now, &now->range[i], false);
    for (size_t i = first; i < end; i++)
        if (now->range[i].writes && !now->range[i].whole) look(now, &now->range[i], true);
    for (size_t i = first; i < end; i++)
        if (now->range[i].writes) write_cells(now, &now->range[i]);
    return end;
}

static flow_verdict replay_all(replay *now, flow_finding *finding)
{
    cut_memory(now);
    for (size_t next = 0; next < now->ranges && !now->no_memory;) {
        const lab_trace_op *op = &now->ways->trace->op[now->range[next].op - 1];
        next = replay_op(now, next);
        if (now->steps <= MOST_STEPS) continue;
        finding->op = op;
        snprintf(finding->message, sizeof finding->message, "%s uses its memory in too many pieces to be followed",
                 now->way->function);
        return FLOW_FLOOD;
    }
    return now->no_memory ? FLOW_NO_MEMORY : FLOW_PROVEN;
}

/* ---- Unknown operations ---- */

static int compare_starts(const void *a, const void *b)
{
    const way_unknown *one = a, *other = b;
    return one->start_ns < other->start_ns ? -1 : one->start_ns > other->start_ns;
}

static void sort_unknowns(memory_ways *ways)
{
    qsort(ways->unknown, ways->unknowns, sizeof *ways->unknown, compare_starts);
    for (size_t i = 0, latest = 0; i < ways->unknowns; i++) {
        if (ways->unknown[i].end_ns > ways->unknown[latest].end_ns) latest = i;
        ways->unknown[i].latest = (uint32_t)latest;
    }
}

uint32_t memory_ways_unknown(const memory_ways *ways, uint32_t writer, uint32_t reader)
{
    const lab_trace_op *op = ways->trace->op;
    const int64_t from = writer ? op[writer - 1].start_ns : 0, read = reader ? op[reader - 1].end_ns : -1,
                  to = read >= 0 ? read : INT64_MAX;
    size_t low = 0, high = ways->unknowns; /* those before `low` started by then */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (ways->unknown[middle].start_ns <= to)
            low = middle + 1;
        else
            high = middle;
    }
    const way_unknown *latest = low ? &ways->unknown[ways->unknown[low - 1].latest] : NULL;
    return latest && latest->end_ns >= from ? latest->op : 0;
}

/* ---- */

static bool read_declarations(memory_ways *ways, flow_finding *finding, const check_way *way)
{
    for (int i = 0; i < CHECK_KERNELS && way->kernel[i].declaration; i++) {
        const check_kernel *kernel = &way->kernel[i];
        const char *fault = "its name is too long";
        bool read = strlen(kernel->declaration) < DECLARATION_NAME;
        if (kernel->file)
            read = declaration_read(&ways->kernel[i], kernel->declaration, &fault);
        else if (read)
            strcpy(ways->kernel[i].name, kernel->declaration);
        if (read) continue;
        snprintf(finding->message, sizeof finding->message, "check_flow: the declaration '%s': %s", kernel->declaration,
                 fault);
        return false;
    }
    return true;
}

flow_verdict memory_ways_find(memory_ways *out, flow_finding *finding, const flow_evidence *evidence,
                              const check_way *way)
{
    const lab_trace *trace = evidence->trace;
    replay now = {.ways = out, .evidence = evidence, .way = way};
    *out = (memory_ways){.trace = trace};
    if (!read_declarations(out, finding, way)) return FLOW_WRONG_CHECK;
    out->node = calloc(trace->ops + 1, sizeof *out->node);
    out->unknown = calloc(trace->ops + 1, sizeof *out->unknown);
    if (!out->node || !out->unknown) return FLOW_NO_MEMORY;
    for (size_t i = 0; i < trace->ops; i++) use_memory(&now, &trace->op[i]);
    const flow_verdict verdict = replay_all(&now, finding);
    sort_unknowns(out);
    free(now.range);
    free(now.cut);
    free(now.writer);
    return verdict;
}

void memory_ways_free(memory_ways *ways)
{
    free(ways->node);
    free(ways->edge);
    free(ways->unknown);
    *ways = (memory_ways){0};
}
