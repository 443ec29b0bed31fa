/* Folders of pictures; see checks_folder.h. */
#include "checks_folder.h"

#include "find.h"
#include "pictures.h"

#include <stdlib.h>
#include <string.h>

size_t folder_count(const folder *now) { return (size_t)now->size.width * (size_t)now->size.height; }

folder folder_begin(check_program *program, lab13_arguments size)
{
    folder made = {.program = program, .size = size};
    const size_t pictures = (size_t)size.pictures, bytes = pictures * folder_count(&made);
    made.pixels = check_alloc(bytes);
    made.edges = check_alloc(bytes);
    made.found = check_alloc(bytes);
    made.counts = check_alloc(pictures * COUNT_BYTES);
    made.found_counts = check_alloc(pictures * COUNT_BYTES);
    folder_draw(&made);
    check_call(program, "prepare", &size, sizeof size, NULL, 0);
    return made;
}

/* ---- The reference ----------------------------------------------------------------------------------------------- */

static int pixel_at(const unsigned char *from, const lab13_arguments *size, int x, int y)
{
    const int column = x < 0 ? 0 : x < size->width ? x : size->width - 1;
    const int row = y < 0 ? 0 : y < size->height ? y : size->height - 1;
    return from[row * size->width + column];
}

static unsigned char blurred_at(const unsigned char *from, const lab13_arguments *size, int x, int y)
{
    static const int weight[] = {1, 4, 6, 4, 1};
    int sum = 128;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) sum += weight[dy + 2] * weight[dx + 2] * pixel_at(from, size, x + dx, y + dy);
    return (unsigned char)(sum / 256);
}

static unsigned char edge_at(const unsigned char *from, const lab13_arguments *size, int x, int y)
{
    int across = 0, down = 0;
    for (int d = -1; d <= 1; d++) {
        const int weight = d == 0 ? 2 : 1;
        across += weight * (pixel_at(from, size, x + 1, y + d) - pixel_at(from, size, x - 1, y + d));
        down += weight * (pixel_at(from, size, x + d, y + 1) - pixel_at(from, size, x + d, y - 1));
    }
    const int steep = abs(across) + abs(down);
    return (unsigned char)(steep < 255 ? steep : 255);
}

/* ---- Pictures in and out ----------------------------------------------------------------------------------------- */

/* What draw_picture needs. */
typedef struct drawing {
    folder *now;
    void *memory;
    size_t *png_bytes;
    uint64_t first; /* number of picture 0 among all of this check */
} drawing;

static void draw_picture(void *user, int k)
{
    const drawing *drawn = user;
    folder *now = drawn->now;
    const lab13_arguments *size = &now->size;
    const size_t count = folder_count(now);
    unsigned char *pixels = now->pixels + (size_t)k * count, *blurred = malloc(count),
                  *edges = now->edges + (size_t)k * count;
    picture_draw(pixels, size->width, size->height, check_random_u64(0, drawn->first + (uint64_t)k));
    drawn->png_bytes[k] = lab13_png_most((int)count);
    if (!blurred || !picture_write_png((char *)drawn->memory + lab13_offset(size, k, LAB13_PNG), &drawn->png_bytes[k],
                                       pixels, size->width, size->height))
        drawn->png_bytes[k] = 0;
    for (int i = 0; blurred && i < (int)count; i++)
        blurred[i] = blurred_at(pixels, size, i % size->width, i / size->width);
    unsigned *counts = now->counts + k * LAB13_LEVELS;
    memset(counts, 0, COUNT_BYTES);
    for (int i = 0; blurred && i < (int)count; i++) {
        edges[i] = edge_at(blurred, size, i % size->width, i / size->width);
        counts[edges[i]]++;
    }
    free(blurred);
}

void folder_draw(folder *now)
{
    static uint64_t drawn;
    lab13_head *head = check_memory(now->program);
    size_t png_bytes[LAB13_MOST] = {0};
    check_each(now->size.pictures, draw_picture, &(drawing){now, head, png_bytes, drawn});
    drawn += (uint64_t)now->size.pictures;
    memcpy(head->png_bytes, png_bytes, sizeof png_bytes);
    for (int k = 0; k < now->size.pictures; k++) {
        if (!png_bytes[k]) check_fault("picture %d could not be written as a PNG file", k);
        memset((char *)head + lab13_offset(&now->size, k, LAB13_EDGES), 0xa5, folder_count(now));
        memset((char *)head + lab13_offset(&now->size, k, LAB13_HISTOGRAM), 0xa5, COUNT_BYTES);
    }
}

static const check_kernel kernels[CHECK_KERNELS] = {
    {"kernels.cu", "blur(unsigned char to[count], const unsigned char from[count], int width, int count)"},
    {"kernels.cu", "edge(unsigned char to[count], const unsigned char from[count], int width, int count)"},
    {"kernels.cu", "histogram(unsigned counts[256], const unsigned char from[count], int count), any grid"}};

/* ---- Results ----------------------------------------------------------------------------------------------------- */

/* Why a histogram is wrong, as far as its last count and the kernels show it; NULL if they do not. */
static const char *cause_of_counts(const folder *now, const unsigned *found)
{
    if (found[LAB13_LEVELS - 1] == 0xa5a5a5a5)
        return check_text("not all counts were copied: a histogram has %d of %zu bytes each", LAB13_LEVELS,
                          sizeof *found);
    return check_cause_unread(now->trace, "edge", "histogram");
}

/* The same, as far as its sum shows it. */
static const char *cause_of_sum(const folder *now, const unsigned *found)
{
    uint64_t sum = 0;
    for (int v = 0; v < LAB13_LEVELS; v++) sum += found[v];
    return sum > folder_count(now)
               ? "the counts add up to more than the picture has pixels: not all become 0 for each picture"
               : NULL;
}

/* Why edges are wrong, as far as the record shows it; NULL if it does not. */
static const char *cause_of_edges(const folder *now, const unsigned char *found)
{
    const char *unordered = check_unordered(now->program);
    size_t unwritten = 0;
    while (unwritten < folder_count(now) && found[unwritten] == 0xa5) unwritten++;
    if (unordered) return unordered;
    const char *nothing = unwritten == folder_count(now) ? "nothing was copied to picture->edges in this call"
                                                         : check_cause_unread(now->trace, "blur", "edge");
    return check_explain_calls(now->program, now->span, (check_finding){.cause = nothing}).cause;
}

const lab_trace_op *folder_copy(const folder *now, int k, lab13_part part)
{
    const lab_op_kind kind = part == LAB13_PIXELS ? LAB_OP_COPY_HTOD : LAB_OP_COPY_DTOH;
    const uint64_t address = check_address(now->program) + lab13_offset(&now->size, k, part);
    const lab_trace_op *own = NULL;
    for (const lab_trace_op *op = now->trace->op; op < now->trace->op + now->trace->ops; op++)
        if (op->kind == kind && check_host_access(op).address == address) own = op;
    return own;
}

/* The kernel that makes the result, and the line of the first operation of lab13_enqueue. */
static check_place place_of_kernel(const folder *now, const char *kernel)
{
    const lab_trace_op *made = check_find_last(now->trace, (check_sought){LAB_OP_KERNEL, .name = kernel}),
                       *first = now->span.begins;
    while (made && first < made && first->kind != LAB_OP_KERNEL && first->kind != LAB_OP_FILL) first++;
    return made ? check_at_after(made, first) : check_at(NULL);
}

/* What brings a wrong result of picture k to the host, and the line of the copy in. */
static check_place place_of_result(const folder *now, int k, lab13_part part)
{
    const char *function = now->span.function;
    const lab_trace_op *out = folder_copy(now, k, part), *in = folder_copy(now, k, LAB13_PIXELS);
    if (!out) out = check_last_op(now->trace, LAB_OP_COPY_DTOH);
    if (!in) in = check_last_op(now->trace, LAB_OP_COPY_HTOD);
    if (strcmp(function, "lab13_enqueue") == 0) return place_of_kernel(now, part == LAB13_EDGES ? "edge" : "histogram");
    if (strcmp(function, "lab13_run") != 0) return check_at_name("enqueue in lab13_open");
    return out || in ? check_at_after(out ? out : in, in ? in : out) : check_at(NULL);
}

/* Why a result of picture k is wrong, as far as its copy out and the launches show it; else `why`. */
static check_finding explain_by_record(const folder *now, int k, lab13_part part, check_finding why)
{
    const check_argument argument[CHECK_ARGUMENTS] = {{"width", now->size.width}};
    const lab_trace_op *out = folder_copy(now, k, part), *op = folder_copy(now, k, LAB13_PIXELS);
    if (!out || !op) return why;
    while (op < now->span.ends && (op->kind != LAB_OP_GRAPH_LAUNCH || op->stream != out->stream)) op++;
    if (op < now->span.ends && out < op)
        return (check_finding){.at = check_at(out),
                               .cause = check_text("this copy comes before the launch of the graph at line %d, which "
                                                   "makes what it copies",
                                                   op->line)};
    why = check_explain_memory(now->span, check_device_access(out), why);
    return why.cause ? why : check_explain_arguments(now->span, kernels, argument, why);
}

/* Counts or bytes in numbers that check_equal can show. */
static const float *shown(const void *from, size_t count, bool counts)
{
    float *made = check_alloc(count * sizeof *made);
    for (size_t i = 0; i < count; i++)
        made[i] = (float)(counts ? ((const unsigned *)from)[i] : ((const unsigned char *)from)[i]);
    return made;
}

static void check_result(const folder *now, int k, lab13_part part)
{
    const bool counts = part == LAB13_HISTOGRAM;
    const size_t count = counts ? LAB13_LEVELS : folder_count(now), bytes = counts ? COUNT_BYTES : count;
    void *found = counts ? (void *)(now->found_counts + k * LAB13_LEVELS) : now->found + (size_t)k * count,
         *expected = counts ? (void *)(now->counts + k * LAB13_LEVELS) : now->edges + (size_t)k * count;
    check_difference difference = {.array = "picture"};
    check_snapshot(now->program, found, lab13_offset(&now->size, k, part), bytes);
    if (memcmp(found, expected, bytes) == 0) return;
    check_compare_floats(&difference, (size_t)k, shown(expected, count, counts), shown(found, count, counts), count);
    check_finding why = {.at = place_of_result(now, k, part),
                         .cause = counts ? cause_of_counts(now, found) : cause_of_edges(now, found)};
    if (!why.cause) why = explain_by_record(now, k, part, why);
    if (!why.cause && counts) why.cause = cause_of_sum(now, found);
    why.message = check_text("%s leaves %s", now->span.function, counts ? "a wrong histogram" : "wrong edges");
    check_fail_if_different(&difference, why);
}

void folder_compare(folder *now)
{
    for (int k = 0; k < now->size.pictures; k++)
        for (lab13_part part = LAB13_EDGES; part <= LAB13_HISTOGRAM; part++) check_result(now, k, part);
}

void folder_check(folder *now)
{
    const int pictures = now->size.pictures;
    folder_compare(now);
    const size_t count = folder_count(now);
    check_passage *passage = check_alloc((size_t)pictures * 2 * sizeof *passage);
    for (int k = 0; k < pictures; k++) {
        const check_passage common = {.input = {{now->pixels + (size_t)k * count, count}},
                                      .argument = {{"width", now->size.width}}};
        passage[2 * k] = passage[2 * k + 1] = common;
        passage[2 * k].what = check_text("the edges of picture %d", k);
        passage[2 * k].output = (check_bytes){now->found + (size_t)k * count, count};
        passage[2 * k + 1].what = check_text("the histogram of picture %d", k);
        passage[2 * k + 1].output = (check_bytes){now->found_counts + k * LAB13_LEVELS, COUNT_BYTES};
    }
    check_way way = {.function = now->span.function, .passage = passage, .passages = 2 * (size_t)pictures};
    memcpy(way.kernel, kernels, sizeof kernels);
    check_flow(now->program, now->trace, &way);
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

/* Draws new pictures and begins a record. */
static void begin_record(folder *now)
{
    folder_draw(now);
    check_call(now->program, "refill", NULL, 0, NULL, 0);
    check_trace_begin(now->program);
}

static void open_lanes(folder *now)
{
    const size_t least = (size_t)now->size.lanes * (3 * folder_count(now) + COUNT_BYTES);
    check_call(now->program, "lab13_open", NULL, 0, &now->lane, sizeof now->lane);
    if (now->lane.used >= least) return;
    const lab_trace *trace = check_trace(now->program);
    const lab_trace_op *freed = check_last_op(trace, LAB_OP_POOL_FREE);
    check_fail(CHECK_RULE, "lab13_open does not take the lane's memory from work->pool",
               .at = check_at(freed ? freed : check_last_op(trace, LAB_OP_POOL_ALLOC)),
               .expected = check_text("four blocks of work->pool for each of %d lanes: at least %zu bytes",
                                      now->size.lanes, least),
               .found = check_text("%d blocks taken, %d given back, %zu bytes of the pool in use",
                                   check_count_ops(trace, LAB_OP_POOL_ALLOC), check_count_ops(trace, LAB_OP_POOL_FREE),
                                   now->lane.used),
               .cause = freed ? "a block goes back to the pool here, but the graph keeps its address: it is the lane's "
                                "until lab13_close"
                              : NULL);
}

static void call_last(folder *now, const char *entry, const char *function)
{
    check_call(now->program, entry, NULL, 0, NULL, 0);
    now->trace = check_trace(now->program);
    now->span = check_span_of(now->trace, function);
}

void folder_open(folder *now)
{
    begin_record(now);
    open_lanes(now);
    now->trace = check_trace(now->program);
}

void folder_enqueue(folder *now)
{
    begin_record(now);
    call_last(now, "lab13_enqueue", "lab13_enqueue");
}

void folder_replay(folder *now)
{
    begin_record(now);
    open_lanes(now);
    call_last(now, "replay", "the graph of lab13_open");
}

void folder_run(folder *now)
{
    begin_record(now);
    check_call(now->program, "give_lanes", NULL, 0, NULL, 0);
    call_last(now, "lab13_run", "lab13_run");
}
