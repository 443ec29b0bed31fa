/* The program around the student's functions: device memory for the sums, steps that mark the current stream in the
 * record, and the streams of the experiment. */
#include "lab01.h"
#include "shared.h"
#include "worker.h"

#include <stdio.h>

#include "lab_trace.h"

/* ---- sums ------------------------------------------------------------------------------------------------------ */

static lab_status make_room(lab01_room *room, size_t count)
{
    room->count = count;
    LAB_TRY(lab_array_empty(&room->numbers, LAB_FLOAT32, LAB_SHAPE(count)));
    return lab_array_empty(&room->total, LAB_FLOAT32, LAB_SHAPE(1));
}

static lab_status give_room_back(lab01_room *room)
{
    LAB_TRY(lab_array_destroy(room->numbers));
    return lab_array_destroy(room->total);
}

/* Compiles the kernel before the run whose timeline is drawn. */
static lab_status warm_up(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)arguments, (void)result;
    lab01_room room;
    LAB_TRY(make_room(&room, 1));
    LAB_TRY(lab_array_fill(room.numbers, LAB_ARG(1.0f), lab_stream_null()));
    LAB_TRY(lab_array_sum(room.total, room.numbers, lab_stream_null()));
    LAB_TRY(lab_stream_synchronize(lab_stream_null()));
    return give_room_back(&room);
}

static lab_status sum(void *memory, const void *arguments, void *result)
{
    (void)result;
    const lab01_counts *counts = arguments;
    lab01_memory *shared = memory;
    lab01_room room;
    LAB_TRY(make_room(&room, counts->count[0]));
    if (counts->pinned) LAB_TRY(lab_host_register(memory, sizeof *shared));
    worker_lend(shared->input[0], counts->count[0] * sizeof(float));
    worker_lend(&shared->sum[0], sizeof(float));
    const lab_status status = WORKER_CALL(lab01_sum(&shared->sum[0], shared->input[0], &room));
    if (counts->pinned) LAB_TRY(lab_host_unregister(memory));
    LAB_TRY(give_room_back(&room));
    return status;
}

static lab_status two_sums(void *memory, const void *arguments, void *result)
{
    (void)result;
    const lab01_counts *counts = arguments;
    lab01_memory *shared = memory;
    const float *const input[2] = {shared->input[0], shared->input[1]};
    lab01_room room[2];
    for (int k = 0; k < 2; k++) LAB_TRY(make_room(&room[k], counts->count[k]));
    if (counts->pinned) LAB_TRY(lab_host_register(memory, sizeof *shared));
    for (int k = 0; k < 2; k++) worker_lend(shared->input[k], counts->count[k] * sizeof(float));
    worker_lend(shared->sum, sizeof shared->sum);
    const lab_status status = WORKER_CALL(lab01_two_sums(shared->sum, input, room));
    if (counts->pinned) LAB_TRY(lab_host_unregister(memory));
    for (int k = 0; k < 2; k++) LAB_TRY(give_room_back(&room[k]));
    return status;
}

/* ---- which stream is current ----------------------------------------------------------------------------------- */

static void mark_number(const char *format, int number)
{
    char name[64];
    snprintf(name, sizeof name, format, number);
    lab_trace_mark(name);
}

static lab01_failure failure;
static char token;       /* nothing is in it: the student's code has its address */
static lab_stream *left; /* what a step leaves current; NULL: what it was */

static lab_status observe(void *user, int number)
{
    mark_number(user == &token ? LAB01_STEP_MARK : LAB01_STRANGE_STEP_MARK, number);
    if (left) LAB_TRY(lab_stream_use(left));
    return number == failure.step ? (lab_status)failure.status : LAB_SUCCESS;
}

/* Runs the student's function with a current stream that is neither the null stream nor one that the function gets. The
 * step of lab01_use leaves a third one current: what is current afterwards shows what the function has used last. */
static lab_status watch(bool use)
{
    static const char *const marks[] = {LAB01_FIRST_MARK, LAB01_SECOND_MARK};
    const lab01_step step = {observe, &token};
    lab_stream *outer, *given[2];
    for (int k = 0; k < 2; k++) {
        LAB_TRY(lab_stream_create(&given[k], LAB_STREAM_NON_BLOCKING));
        LAB_TRY(lab_stream_use(given[k]));
        lab_trace_mark(marks[k]);
    }
    LAB_TRY(lab_stream_create(&outer, LAB_STREAM_DEFAULT));
    LAB_TRY(lab_stream_use(outer));
    lab_trace_mark(LAB01_BEFORE_MARK);
    left = use ? given[1] : NULL;
    lab_status status = use ? lab01_use(given[0], step) : lab01_nested(given[0], given[1], step);
    mark_number(LAB01_AFTER_MARK, (int)status);
    LAB_TRY(lab_stream_use(lab_stream_null()));
    for (int k = 0; k < 2; k++) LAB_TRY(lab_stream_destroy(given[k]));
    return lab_stream_destroy(outer);
}

static lab_status nested(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)result;
    failure = *(const lab01_failure *)arguments;
    return watch(false);
}

static lab_status use(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)result;
    failure = *(const lab01_failure *)arguments;
    return watch(true);
}

/* ---- who waits for whom ---------------------------------------------------------------------------------------- */

static lab_status experiment(lab01_memory *shared, lab_stream *const stream[LAB01_STREAMS], lab_array *const array[2])
{
    for (int pair = 0; pair < LAB01_PAIRS; pair++) {
        const int earlier = pair / LAB01_STREAMS, later = pair % LAB01_STREAMS;
        char name[32];
        snprintf(name, sizeof name, LAB01_PAIR_MARK, earlier, later);
        lab_trace_mark(name);
        LAB_TRY(lab01_pair(array[0], stream[earlier], array[1], stream[later]));
        worker_runtime_returned("lab01_pair");
        LAB_TRY(lab_device_synchronize());
        for (int k = 0; k < 2; k++) LAB_TRY(lab_array_get(array[k], shared->filled[pair][k]));
    }
    return LAB_SUCCESS;
}

static lab_status pairs(void *memory, const void *arguments, void *result)
{
    (void)arguments, (void)result;
    static const char *const names[] = LAB01_STREAM_MARKS;
    lab_stream *stream[LAB01_STREAMS] = {[LAB01_NULL] = lab_stream_null()};
    lab_array *array[2];
    LAB_TRY(lab_stream_create(&stream[LAB01_BLOCKING], LAB_STREAM_DEFAULT));
    LAB_TRY(lab_stream_create(&stream[LAB01_OTHER_BLOCKING], LAB_STREAM_DEFAULT));
    LAB_TRY(lab_stream_create(&stream[LAB01_NON_BLOCKING], LAB_STREAM_NON_BLOCKING));
    for (int s = 0; s < LAB01_STREAMS; s++) LAB_WITH_STREAM(stream[s]) lab_trace_mark(names[s]);
    for (int k = 0; k < 2; k++) LAB_TRY(lab_array_empty(&array[k], LAB_FLOAT32, LAB_SHAPE(LAB01_FILLED)));
    lab_status status = experiment(memory, stream, array);
    for (int k = 0; k < 2; k++) LAB_TRY(lab_array_destroy(array[k]));
    for (int s = LAB01_BLOCKING; s < LAB01_STREAMS; s++) LAB_TRY(lab_stream_destroy(stream[s]));
    return status;
}

const worker_entry worker_entries[] = {
    {"lab01_sum", sum},
    {"lab01_two_sums", two_sums},
    {"lab01_nested", nested},
    {"lab01_use", use},
    {"lab01_pair", pairs},
    {"warm_up", warm_up},
    {0},
};
