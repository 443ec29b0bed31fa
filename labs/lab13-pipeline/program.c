/* The program around the student's functions: reads the PNG files of the shared memory into pinned memory, and gives
 * the student kernels, a pool and a function that saves. */
#include "lab13.h"
#include "lab_trace.h"
#include "pictures.h"
#include "shared.h"
#include "worker.h"

#include <stdio.h>

static lab13_arguments size;
static lab13_head *head;
static lab13_work work;
static lab13_picture picture[LAB13_MOST];
static lab13_lane lane[LAB13_MOST];
static lab_event *done[LAB13_MOST];
static int refused = -1; /* the picture that is not saved */

static void *part_of(int k, lab13_part part) { return (char *)head + lab13_offset(&size, k, part); }

static lab_status save(int k)
{
    char mark[48];
    if (k < 0 || k >= size.pictures) return LAB_ERROR_INVALID_VALUE;
    snprintf(mark, sizeof mark, LAB13_SAVES "%d", k);
    lab_trace_mark(mark);
    if (k == refused) return LAB_ERROR_FILE_NOT_FOUND;
    head->saved_bytes[k] = lab13_part_bytes(&size, LAB13_SAVED);
    if (!size.compresses) return LAB_SUCCESS;
    LAB_TRY(lab_host_reads(picture[k].edges, (size_t)work.count));
    LAB_TRY(lab_host_reads(picture[k].histogram, LAB13_LEVELS * sizeof(unsigned)));
    if (!picture_write_png(part_of(k, LAB13_SAVED), &head->saved_bytes[k], picture[k].edges, size.width, size.height))
        return LAB_ERROR_INVALID_VALUE;
    return LAB_SUCCESS;
}

static lab_status read_picture(int k)
{
    unsigned char *pixels = part_of(k, LAB13_PIXELS);
    if (!picture_read_png(pixels, size.width, size.height, part_of(k, LAB13_PNG), head->png_bytes[k]))
        return LAB_ERROR_INVALID_VALUE;
    picture[k] = (lab13_picture){pixels, part_of(k, LAB13_EDGES), part_of(k, LAB13_HISTOGRAM)};
    return LAB_SUCCESS;
}

/* What lab13_enqueue must do, for the tasks that build on it. */
WORKER_SOLVES(1) static lab_status enqueue_rightly(const lab13_lane *on, const lab13_work *of)
{
    LAB_TRY(lab_memset_async(on->histogram, 0, LAB13_LEVELS * sizeof(unsigned), on->stream));
    LAB_TRY(lab_launch(of->blur, LAB13_GRID(of->count), LAB13_BLOCK, 0, on->stream,
                       LAB_ARGS(on->blurred, on->picture, of->width, of->count)));
    LAB_TRY(lab_launch(of->edge, LAB13_GRID(of->count), LAB13_BLOCK, 0, on->stream,
                       LAB_ARGS(on->edges, on->blurred, of->width, of->count)));
    return lab_launch(of->histogram, LAB13_HISTOGRAM_GRID, LAB13_BLOCK, 0, on->stream,
                      LAB_ARGS(on->histogram, on->edges, of->count));
}

/* What work->enqueue is in task 1, which it would do for the student. */
static lab_status enqueue_nothing(const lab13_lane *on, const lab13_work *of)
{
    (void)on, (void)of;
    lab_trace_mark(LAB13_ASKED);
    return LAB_SUCCESS;
}

static lab_status prepare(void *memory, const void *arguments, void *result)
{
    (void)result;
    size = *(const lab13_arguments *)arguments;
    head = memory;
    LAB_TRY(worker_pin(memory));
    work = (lab13_work){.pictures = size.pictures,
                        .picture = picture,
                        .width = size.width,
                        .count = size.width * size.height,
                        .lanes = size.lanes,
                        .done = done,
                        .save = save,
                        .enqueue = enqueue_rightly};
    LAB_TRY(worker_runtime_kernel(&work.blur, "blur"));
    LAB_TRY(worker_runtime_kernel(&work.edge, "edge"));
    LAB_TRY(worker_runtime_kernel(&work.histogram, "histogram"));
    for (int k = 0; k < size.pictures; k++) LAB_TRY(read_picture(k));
    return lab_mempool_create(&work.pool, NULL);
}

/* Reads the pictures that the check has drawn again. */
static lab_status refill(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)arguments, (void)result;
    for (int k = 0; k < size.pictures; k++) LAB_TRY(read_picture(k));
    return LAB_SUCCESS;
}

static void lend_pictures(void)
{
    for (int k = 0; k < size.pictures; k++) {
        worker_lend(picture[k].pixels, (size_t)work.count);
        worker_lend(picture[k].edges, (size_t)work.count);
        worker_lend(picture[k].histogram, LAB13_LEVELS * sizeof(unsigned));
        worker_lend(part_of(k, LAB13_SAVED), lab13_part_bytes(&size, LAB13_SAVED)); /* save writes it */
    }
}

/* A lane of this program's own making, without a graph. */
WORKER_SOLVES(2) static lab_status make_lane(lab13_lane *made)
{
    const size_t bytes = (size_t)work.count;
    *made = (lab13_lane){0};
    LAB_TRY(lab_stream_create(&made->stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_mempool_alloc(&made->picture, work.pool, bytes, made->stream));
    LAB_TRY(lab_mempool_alloc(&made->blurred, work.pool, bytes, made->stream));
    LAB_TRY(lab_mempool_alloc(&made->edges, work.pool, bytes, made->stream));
    return lab_mempool_alloc(&made->histogram, work.pool, LAB13_LEVELS * sizeof(unsigned), made->stream);
}

/* Lanes for lab13_run, which a mistake in tasks 1 and 2 does not reach. */
WORKER_SOLVES(2) static lab_status give_lanes(void *memory, const void *arguments, void *result)
{
    lab_graph *graph;
    (void)memory, (void)arguments, (void)result;
    for (int i = 0; i < size.lanes; i++) {
        LAB_TRY(make_lane(&lane[i]));
        LAB_TRY(lab_stream_begin_capture(lane[i].stream, LAB_CAPTURE_GLOBAL));
        LAB_TRY(enqueue_rightly(&lane[i], &work));
        LAB_TRY(lab_stream_end_capture(&graph, lane[i].stream));
        LAB_TRY(lab_graph_instantiate(&lane[i].graph, graph));
        LAB_TRY(lab_graph_destroy(graph));
    }
    return LAB_SUCCESS;
}

/* The lane of the first picture, of this program's own making; twice, so that all counts must become 0. */
static lab_status enqueue(void *memory, const void *arguments, void *result)
{
    lab13_lane own;
    const size_t bytes = (size_t)work.count, counts = LAB13_LEVELS * sizeof(unsigned);
    (void)memory, (void)arguments, (void)result;
    lab13_work asked = work;
    asked.enqueue = enqueue_nothing;
    LAB_TRY(make_lane(&own));
    LAB_TRY(lab_memset_async(own.histogram, 1, counts, own.stream));
    LAB_TRY(lab_memcpy_htod_async(own.picture, picture[0].pixels, bytes, own.stream));
    LAB_TRY(lab_stream_synchronize(own.stream));
    LAB_TRY(worker_settle(WORKER_CALL(lab13_enqueue(&own, &asked))));
    LAB_TRY(lab_memcpy_dtoh_async(picture[0].edges, own.edges, bytes, own.stream));
    LAB_TRY(lab_memcpy_dtoh_async(picture[0].histogram, own.histogram, counts, own.stream));
    LAB_TRY(lab_stream_synchronize(own.stream));
    LAB_TRY(lab_mempool_free(work.pool, own.picture, own.stream));
    LAB_TRY(lab_mempool_free(work.pool, own.blurred, own.stream));
    LAB_TRY(lab_mempool_free(work.pool, own.edges, own.stream));
    LAB_TRY(lab_mempool_free(work.pool, own.histogram, own.stream));
    return lab_stream_destroy(own.stream);
}

static lab_status open(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)arguments;
    const size_t before = lab_mempool_used_bytes(work.pool);
    for (int i = 0; i < size.lanes; i++) {
        lane[i] = (lab13_lane){0};
        lab_trace_mark(LAB13_OPENS);
        LAB_TRY(lab13_open(&lane[i], &work));
        lab_trace_mark(LAB13_OPENED);
    }
    const lab13_lane *last = &lane[size.lanes - 1];
    *(lab13_opened *)result = (lab13_opened){.used = lab_mempool_used_bytes(work.pool) - before,
                                             .picture = last->picture,
                                             .blurred = last->blurred,
                                             .edges = last->edges,
                                             .histogram = last->histogram,
                                             .graph = last->graph != NULL};
    return LAB_SUCCESS;
}

static lab_status refuse(const lab13_lane *on, const lab13_work *of)
{
    (void)on, (void)of;
    return LAB_ERROR_FILE_NOT_FOUND;
}

/* Calls lab13_open with a work->enqueue that fails; what it returns is the result. */
static lab_status open_refused(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)arguments;
    lab13_lane own = {0};
    lab13_work asked = work;
    asked.enqueue = refuse;
    *(int *)result = (int)lab13_open(&own, &asked);
    return LAB_SUCCESS;
}

static lab_status close(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)arguments, (void)result;
    for (int i = 0; i < size.lanes; i++) LAB_TRY(lab13_close(&lane[i], &work));
    return LAB_SUCCESS;
}

static lab_status run(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)arguments, (void)result;
    lend_pictures();
    return worker_settle(WORKER_CALL(lab13_run(lane, &work)));
}

/* Calls lab13_run with a save that fails for the second picture; what it returns is the result. */
static lab_status run_refused(void *memory, const void *arguments, void *result)
{
    refused = 1;
    *(int *)result = (int)run(memory, arguments, NULL);
    refused = -1;
    return LAB_SUCCESS;
}

/* The same lanes, if no earlier call has made them. */
static lab_status lanes_if_needed(void *memory, const void *arguments, void *result)
{
    static bool made;
    if (made) return LAB_SUCCESS;
    made = true;
    return give_lanes(memory, arguments, result);
}

/* The first picture through the graph of the first lane. */
WORKER_SOLVES(3) static lab_status replay(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)arguments, (void)result;
    worker_begins();
    LAB_TRY(lab_memcpy_htod_async(lane[0].picture, picture[0].pixels, (size_t)work.count, lane[0].stream));
    LAB_TRY(lab_graph_launch(lane[0].graph, lane[0].stream));
    LAB_TRY(lab_memcpy_dtoh_async(picture[0].edges, lane[0].edges, (size_t)work.count, lane[0].stream));
    LAB_TRY(lab_memcpy_dtoh_async(picture[0].histogram, lane[0].histogram, LAB13_LEVELS * sizeof(unsigned),
                                  lane[0].stream));
    worker_ends(LAB_SUCCESS);
    return lab_stream_synchronize(lane[0].stream);
}

/* As many bytes as the folder needs, in both directions at once, with nothing in between. */
WORKER_SOLVES(3) static lab_status copies(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)arguments, (void)result;
    for (int k = 0; k < size.pictures; k++) {
        LAB_TRY(lab_memcpy_htod_async(lane[0].picture, picture[k].pixels, (size_t)work.count, lane[0].stream));
        LAB_TRY(lab_memcpy_dtoh_async(picture[k].edges, lane[1].edges, (size_t)work.count, lane[1].stream));
        LAB_TRY(lab_memcpy_dtoh_async(picture[k].histogram, lane[1].histogram, LAB13_LEVELS * sizeof(unsigned),
                                      lane[1].stream));
    }
    return lab_device_synchronize();
}

const worker_entry worker_entries[] = {
    {"prepare", prepare},
    {"refill", refill},
    {"lab13_enqueue", enqueue},
    {"lab13_open", open},
    {"give_lanes", give_lanes},
    {"lanes_if_needed", lanes_if_needed},
    {"replay", replay},
    {"lab13_run", run},
    {"run_refused", run_refused},
    {"lab13_close", close},
    {"copies", copies},
    {"open_refused", open_refused},
    {0},
};
