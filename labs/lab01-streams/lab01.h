/*
 * Lab 01, streams: what you are given and what you write.
 */
#ifndef LAB01_H
#define LAB01_H

#include "lab.h"

/* A function whose work could not be enqueued does not return LAB_SUCCESS. */

/* Room on the device for one sum: made before your functions are called, and released after. */
typedef struct lab01_room {
    size_t count;       /* how many numbers */
    lab_array *numbers; /* float32, count elements */
    lab_array *total;   /* float32, one element */
} lab01_room;

/* Task 1. Writes the sum of the room->count numbers at input to *sum, by way of the device: copy in, lab_array_sum,
 * copy out, all on a stream of your own. When it returns, *sum is there and the stream is released. */
lab_status lab01_sum(float *sum, const float *input, const lab01_room *room);

/* Work that asks which stream is current: step.call(step.user, 1) is step 1. */
typedef struct lab01_step {
    lab_status (*call)(void *user, int number);
    void *user;
} lab01_step;

/* Task 2. Calls step 1 with `first` current, step 2 with `second` current, and step 3 with `first` current again, with
 * LAB_WITH_STREAM. Afterwards the stream that was current before is current. If a step fails, its status is returned at
 * once, and the stream from before is current all the same. */
lab_status lab01_nested(lab_stream *first, lab_stream *second, lab01_step step);

/* Task 2. Calls step 1 with the stream current, with lab_stream_use. The rest is as above. */
lab_status lab01_use(lab_stream *stream, lab01_step step);

/* Task 3. Two sums as in task 1, each on a stream of its own, so that they can run at the same time: sum[k] of
 * input[k], in room[k]. */
lab_status lab01_two_sums(float sum[2], const float *const input[2], const lab01_room room[2]);

/* Task 4. Enqueues two fills: ones (LAB_ARG(1.0f)) into `first` on the stream `earlier`, then twos into `second` on the
 * stream `later`. Does not wait. */
lab_status lab01_pair(lab_array *first, lab_stream *earlier, lab_array *second, lab_stream *later);

/* Task 4. The four streams of the experiment, and your prediction: lab01_waits[earlier][later] says whether the work of
 * lab01_pair on `later` waits, on the device, for its work on `earlier`. */
enum { LAB01_NULL, LAB01_BLOCKING, LAB01_OTHER_BLOCKING, LAB01_NON_BLOCKING, LAB01_STREAMS };
extern const bool lab01_waits[LAB01_STREAMS][LAB01_STREAMS];

#endif
