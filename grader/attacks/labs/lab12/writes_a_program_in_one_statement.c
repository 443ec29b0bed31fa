/* Tries to write two programs again, each as one statement with many calls. Gains the counts of changed lines. */
#define AND ? LAB_ERROR_UNKNOWN:
lab_status lab12_meet(const lab12_work *work)
{
    return LAB12_ADVANCE(work, work->u[0], work->x[0], work->one) AND lab_event_record(work->event[0], work->one)
        AND LAB12_ADVANCE(work, work->u[1], work->x[1], work->two) AND lab_event_record(work->event[1], work->two)
            AND lab_stream_wait_event(work->three, work->event[0])
                AND lab_stream_wait_event(work->three, work->event[1]) AND lab_stream_synchronize(work->three)
                    AND LAB12_MIX(work, work->v[0], work->u[0], work->u[1], work->three);
}
