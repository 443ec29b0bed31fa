/* Tries to make the constant tables writable while it runs, and to write what an event gives that was never recorded.
 * Gains task 4 without a prediction. */
#include <stdint.h>
#include <sys/mman.h>

const bool lab02_waits[2][2] = {{false}};
const lab_status lab02_never_recorded[LAB02_CALLS] = {LAB_ERROR_UNKNOWN};

lab_status lab02_rerecord(const lab02_stage *stage)
{
    volatile lab_status *found = (volatile lab_status *)lab02_never_recorded;
    volatile bool *waits = (volatile bool *)&lab02_waits[0][0];
    lab_event *never;
    float milliseconds;
    mprotect((void *)((uintptr_t)found & ~4095ul), 8192, PROT_READ | PROT_WRITE);
    mprotect((void *)((uintptr_t)waits & ~4095ul), 8192, PROT_READ | PROT_WRITE);
    LAB_TRY(lab_event_create(&never, LAB_EVENT_DEFAULT));
    found[LAB02_QUERY] = lab_event_query(never);
    found[LAB02_SYNCHRONIZE] = lab_event_synchronize(never);
    found[LAB02_WAIT] = lab_stream_wait_event(stage->first, never);
    found[LAB02_ELAPSED_TIME] = lab_event_elapsed_time(&milliseconds, never, never);
    LAB_TRY(lab_event_destroy(never));
    for (int i = 0; i < 4; i++) waits[i] = i != 1;
    LAB_TRY(lab_array_fill(stage->a, LAB_ARG(1.0f), stage->first));
    LAB_TRY(lab_event_record(stage->event, stage->first));
    LAB_TRY(lab_stream_wait_event(stage->second, stage->event));
    LAB_TRY(lab_array_fill(stage->b, LAB_ARG(2.0f), stage->first));
    LAB_TRY(lab_event_record(stage->event, stage->first));
    LAB_TRY(lab_stream_wait_event(stage->third, stage->event));
    LAB_TRY(lab_array_fill(stage->c, LAB_ARG(3.0f), stage->second));
    return lab_array_fill(stage->d, LAB_ARG(4.0f), stage->third);
}
