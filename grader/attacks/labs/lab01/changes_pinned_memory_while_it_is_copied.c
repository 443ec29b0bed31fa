/* Tries to show one input to whoever looks and another to the device: a second thread changes the pinned input back and
 * forth while the copy runs. Gains task 1 and 3, if the bytes are read twice. */
#include "parts/lab01.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static float *volatile flipped;
static float *real, *prepared;
static size_t length;
static volatile int over;

static void *flip(void *user)
{
    while (!over) {
        __asm__ volatile("" : : : "memory");
        memcpy(flipped, prepared, length);
        memcpy(flipped, real, length);
    }
    return user;
}

static lab_status cheat(float *sum, const float *input, const lab01_room *room, lab_stream *stream)
{
    pthread_t thread;
    length = room->count * sizeof(float);
    real = malloc(length);
    prepared = calloc(1, length);
    memcpy(real, input, length);
    prepared[0] = host_sum(input, room->count);
    LAB_TRY(lab_host_alloc((void **)&flipped, length));
    over = 0;
    if (pthread_create(&thread, NULL, flip, NULL)) return LAB_ERROR_UNKNOWN;
    for (int i = 0; i < 20; i++) LAB_TRY(lab_array_set_async(room->numbers, flipped, stream));
    LAB_TRY(lab_array_sum(room->total, room->numbers, stream));
    LAB_TRY(lab_array_get_async(room->total, sum, stream));
    LAB_TRY(lab_stream_synchronize(stream));
    over = 1;
    pthread_join(thread, NULL);
    return lab_host_free(flipped);
}
