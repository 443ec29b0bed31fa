/* Tries to make the check compute for minutes, by a record of hundreds of thousands of operations. Every check
 * must end in seconds. */
#define EVENTS 200000

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_event *event;
    (void)honest, (void)arguments, (void)bytes, (void)out, (void)in, (void)count;
    for (int i = 0; i < EVENTS; i++) {
        LAB_TRY(lab_event_create(&event, LAB_EVENT_DEFAULT));
        LAB_TRY(lab_event_destroy(event));
    }
    return LAB_SUCCESS;
}
