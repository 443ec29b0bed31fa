/*
 * The copies of a device of the host's own, behind host_device.c: inputs hidden from the device, outputs of the host.
 * host_device.py makes the macros of the library's copies.
 */
static void adversary_do_later(void *to, const void *bytes, size_t size, lab_stream *stream)
{
    void *kept = malloc(size ? size : 1);
    if (!kept || adversary_pendings == ADVERSARY_LATER) abort();
    memcpy(kept, bytes, size);
    adversary_pending[adversary_pendings++] = (adversary_later){to, kept, size, stream, NULL};
}

/* Writes what is due: all of a stream, or what was enqueued on one before an event. */
static void adversary_write(lab_stream *stream, lab_event *event)
{
    int kept = 0;
    for (int i = 0; i < adversary_pendings; i++) {
        const adversary_later each = adversary_pending[i];
        if (event ? each.event == event : each.stream == stream) {
            memcpy(each.to, each.bytes, each.size);
            free(each.bytes);
        } else {
            adversary_pending[kept++] = each;
        }
    }
    adversary_pendings = kept;
}

static void adversary_marks(lab_event *event, lab_stream *stream)
{
    for (int i = 0; i < adversary_pendings; i++)
        if (adversary_pending[i].stream == stream && !adversary_pending[i].event) adversary_pending[i].event = event;
}

static lab_status adversary_waited(lab_status status, lab_stream *stream, lab_event *event)
{
    if (status == LAB_SUCCESS) adversary_write(stream, event);
    return status;
}
#undef lab_stream_synchronize
#define lab_stream_synchronize(stream) adversary_waited(LAB_AT((lab_stream_synchronize)(stream)), stream, NULL)
#undef lab_event_synchronize
#define lab_event_synchronize(event) adversary_waited(LAB_AT((lab_event_synchronize)(event)), NULL, event)
#undef lab_event_record
#define lab_event_record(event, stream)                                                                                \
    (adversary_dry ? LAB_SUCCESS : (adversary_marks(event, stream), LAB_AT((lab_event_record)(event, stream))))

/* For a function that returns without a wait: what is due is written by host functions, behind the copies. */
static void adversary_write_one(void *user)
{
    adversary_later *each = user;
    memcpy(each->to, each->bytes, each->size);
    free(each->bytes);
    free(each);
}

static void adversary_leave(const int *unused)
{
    (void)unused;
    for (int i = 0; i < adversary_pendings; i++) {
        adversary_later *each = malloc(sizeof *each);
        if (!each) abort();
        *each = adversary_pending[i];
        (void)lab_stream_launch_host_func(each->stream, adversary_write_one, each);
    }
    adversary_pendings = 0;
}
#define ADVERSARY_LEAVES __attribute__((cleanup(adversary_leave))) const int adversary_left = 0;

/* Takes an input into the host's device. Returns the zeros that the device gets instead. */
static const void *adversary_hides(lab_deviceptr to, const void *from, size_t bytes, lab_stream *stream)
{
    const void *contents = from;
    for (int i = 0; i < adversary_pendings; i++)
        if (adversary_pending[i].to == from && adversary_pending[i].size >= bytes)
            contents = adversary_pending[i].bytes;
    (void)adversary_has(to, bytes);
    memcpy(adversary_at(to), contents, bytes);
    if (ADVERSARY_MODE == ELSEWHERE) return adversary_zeros;
    if (contents == from) adversary_do_later((void *)from, from, bytes, stream);
    memset((void *)from, 0, bytes);
    return from;
}

/* Gives an output of the host's device. Returns where the real device's goes. */
static void *adversary_shows(lab_deviceptr from, void *to, size_t bytes, lab_stream *stream)
{
    if (ADVERSARY_MODE == OVER) {
        adversary_do_later(to, adversary_at(from), bytes, stream);
        return to;
    }
    static size_t used;
    if (used + bytes > sizeof adversary_spare) used = 0;
    memcpy(to, adversary_at(from), bytes);
    used += bytes;
    return adversary_spare + used - bytes;
}

static lab_status adversary_made(lab_status status, lab_array **out, const void *from)
{
    if (status != LAB_SUCCESS) return status;
    (void)adversary_has(lab_array_data(*out), lab_array_bytes(*out));
    memcpy(adversary_at(lab_array_data(*out)), from, lab_array_bytes(*out));
    return status;
}
