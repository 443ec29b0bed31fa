/* Tries a handle of each kind in the calls of all other kinds, and handles that were destroyed a moment ago by another
 * thread. Gains an object that is taken for one of another type. */
#include <pthread.h>
#include <stdint.h>

static lab_event *volatile dying;
static volatile int over;

static void *destroy(void *user)
{
    while (!over) lab_event_destroy(dying);
    return user;
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    pthread_t thread;
    lab_stream *stream;
    lab_event *event;
    lab_array *array;
    lab_mempool *pool;
    LAB_TRY(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_TRY(lab_array_zeros(&array, LAB_FLOAT32, LAB_SHAPE(8)));
    LAB_TRY(lab_mempool_create(&pool, NULL));
    void *handles[] = {stream, event, array, pool, lab_context_current(), (void *)-1, (void *)1};
    for (int i = 0; i < 7; i++) {
        void *handle = handles[i];
        lab_event_record(handle, handle);
        lab_stream_wait_event(handle, handle);
        lab_array_sum(handle, handle, handle);
        lab_mempool_free_all_blocks(handle);
        lab_graph_launch(handle, handle);
        lab_context_push(handle);
        lab_module_unload(handle);
        lab_elementwise_launch(handle, handle, LAB_ARGS((lab_array *)handle));
    }
    if (pthread_create(&thread, NULL, destroy, NULL)) return LAB_SUCCESS;
    for (int i = 0; i < 5000; i++) {
        if (lab_event_create(&event, LAB_EVENT_DEFAULT)) break;
        dying = event;
        lab_event_record(event, stream);
        lab_event_query(event);
        lab_stream_wait_event(stream, event);
        lab_event_synchronize(event);
    }
    over = 1;
    pthread_join(thread, NULL);
    return LAB_SUCCESS;
}
