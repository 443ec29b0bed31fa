/* Lab 13, a pipeline of pictures. The lesson is in README.md, the contract in lab13.h. */
#include "lab13.h"

enum { COUNTS = LAB13_LEVELS * sizeof(unsigned) }; /* bytes of a histogram */

lab_status lab13_enqueue(const lab13_lane *lane, const lab13_work *work)
{
    /* Task 1: clear the counts; blur, edge, histogram, each from the result of the one before. */
    LAB_TRY(lab_memset_async(lane->histogram, 0, COUNTS, lane->stream));
    LAB_TRY(lab_launch(work->blur, LAB13_GRID(work->count), LAB13_BLOCK, 0, lane->stream,
                       LAB_ARGS(lane->blurred, lane->picture, work->width, work->count)));
    LAB_TRY(lab_launch(work->edge, LAB13_GRID(work->count), LAB13_BLOCK, 0, lane->stream,
                       LAB_ARGS(lane->edges, lane->blurred, work->width, work->count)));
    LAB_TRY(lab_launch(work->histogram, LAB13_HISTOGRAM_GRID, LAB13_BLOCK, 0, lane->stream,
                       LAB_ARGS(lane->histogram, lane->edges, work->count)));
    return LAB_SUCCESS;
}

lab_status lab13_open(lab13_lane *lane, const lab13_work *work)
{
    /* Task 2: the stream, and four blocks of the pool. */
    const size_t bytes = (size_t)work->count;
    LAB_TRY(lab_stream_create(&lane->stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_mempool_alloc(&lane->picture, work->pool, bytes, lane->stream));
    LAB_TRY(lab_mempool_alloc(&lane->blurred, work->pool, bytes, lane->stream));
    LAB_TRY(lab_mempool_alloc(&lane->edges, work->pool, bytes, lane->stream));
    LAB_TRY(lab_mempool_alloc(&lane->histogram, work->pool, COUNTS, lane->stream));
    /* Task 2: capture work->enqueue, and make the executable graph. */
    lab_graph *graph;
    LAB_TRY(lab_stream_begin_capture(lane->stream, LAB_CAPTURE_GLOBAL));
    LAB_TRY(work->enqueue(lane, work));
    LAB_TRY(lab_stream_end_capture(&graph, lane->stream));
    LAB_TRY(lab_graph_instantiate(&lane->graph, graph));
    LAB_TRY(lab_graph_destroy(graph));
    return LAB_SUCCESS;
}

lab_status lab13_close(lab13_lane *lane, const lab13_work *work)
{
    /* Task 2: release all of it. */
    LAB_TRY(lab_graph_exec_destroy(lane->graph));
    LAB_TRY(lab_mempool_free(work->pool, lane->picture, lane->stream));
    LAB_TRY(lab_mempool_free(work->pool, lane->blurred, lane->stream));
    LAB_TRY(lab_mempool_free(work->pool, lane->edges, lane->stream));
    LAB_TRY(lab_mempool_free(work->pool, lane->histogram, lane->stream));
    LAB_TRY(lab_stream_destroy(lane->stream));
    return LAB_SUCCESS;
}

lab_status lab13_run(const lab13_lane *lane, const lab13_work *work)
{
    for (int k = 0; k < work->pictures; k++) {
        /* Task 3: copy in, launch the lane's graph, copy edges and histogram out. */
        const lab13_picture *picture = &work->picture[k];
        const lab13_lane *own = &lane[k % work->lanes];
        const size_t bytes = (size_t)work->count;
        LAB_TRY(lab_memcpy_htod_async(own->picture, picture->pixels, bytes, own->stream));
        LAB_TRY(lab_graph_launch(own->graph, own->stream));
        LAB_TRY(lab_memcpy_dtoh_async(picture->edges, own->edges, bytes, own->stream));
        LAB_TRY(lab_memcpy_dtoh_async(picture->histogram, own->histogram, COUNTS, own->stream));
        /* Task 4: an event behind the picture's last copy. */
        LAB_TRY(lab_event_create(&work->done[k], LAB_EVENT_DISABLE_TIMING));
        LAB_TRY(lab_event_record(work->done[k], own->stream));
    }
    for (int k = 0; k < work->pictures; k++) {
        /* Task 4: wait for picture k alone; save it; release the event. */
        LAB_TRY(lab_event_synchronize(work->done[k]));
        LAB_TRY(work->save(k));
        LAB_TRY(lab_event_destroy(work->done[k]));
    }
    return LAB_SUCCESS;
}
