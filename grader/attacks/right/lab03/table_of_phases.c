/* A right answer: copy in, launch, copy out and the marks are functions in tables; both orders are loops over them. */
#include "lab03.h"

#include <math.h>

lab_status lab03_serial(const lab03_work *work)
{
    for (int k = 0; k < work->arrays; k++) {
        LAB_TRY(lab_array_set(work->device[k], work->input[k]));
        LAB_TRY(lab_launch(work->advance, LAB03_GRID, LAB03_BLOCK, 0, lab_stream_null(),
                           LAB_ARGS(work->device[k], work->length, work->rate[k], work->steps)));
        LAB_TRY(lab_array_get(work->device[k], work->output[k]));
    }
    return LAB_SUCCESS;
}

typedef lab_status Phase(const lab03_work *, int, lab_stream *);

static Phase in, out, go, mark_start, mark_end, make, destroy_both;

static lab_status in(const lab03_work *w, int k, lab_stream *s)
{
    return lab_array_set_async(w->device[k], w->input[k], s);
}
static lab_status out(const lab03_work *w, int k, lab_stream *s)
{
    return lab_array_get_async(w->device[k], w->output[k], s);
}
static lab_status go(const lab03_work *w, int k, lab_stream *s)
{
    return lab_launch(w->advance, LAB03_GRID, LAB03_BLOCK, 0, s,
                      LAB_ARGS(w->device[k], w->length, w->rate[k], w->steps));
}
static lab_status mark_start(const lab03_work *w, int k, lab_stream *s) { return lab_event_record(w->start[k], s); }
static lab_status mark_end(const lab03_work *w, int k, lab_stream *s) { return lab_event_record(w->end[k], s); }
static lab_status make(const lab03_work *w, int k, lab_stream *s)
{
    (void)s;
    LAB_TRY(lab_event_create(w->start + k, LAB_EVENT_DEFAULT));
    return lab_event_create(w->end + k, LAB_EVENT_DEFAULT);
}
static lab_status destroy_both(const lab03_work *w, int k, lab_stream *s)
{
    (void)s;
    LAB_TRY(lab_event_destroy(w->end[k]));
    return lab_event_destroy(w->start[k]);
}

/* Phases inside, arrays outside; or the other way round. */
static lab_status deep(const lab03_work *w, Phase *const *phase)
{
    for (int k = 0; k < w->arrays; k++)
        for (Phase *const *p = phase; *p; p++) LAB_TRY((*p)(w, k, w->stream[k % w->streams]));
    return LAB_SUCCESS;
}

static lab_status broad(const lab03_work *w, Phase *const *phase)
{
    for (Phase *const *p = phase; *p; p++) LAB_TRY(deep(w, (Phase *const[]){*p, NULL}));
    return LAB_SUCCESS;
}

#define PHASES(...) ((Phase *const[]){__VA_ARGS__, NULL})

lab_status lab03_open(lab03_work *w)
{
    for (int s = w->streams; s-- > 0;)
        LAB_TRY(lab_stream_create_with_priority(&w->stream[s], LAB_STREAM_NON_BLOCKING, 0));
    return LAB_SUCCESS;
}

lab_status lab03_close(lab03_work *w)
{
    lab_status worst = LAB_SUCCESS;
    for (int s = w->streams; s-- > 0; w->stream[s] = NULL) {
        lab_status status = lab_stream_destroy(w->stream[s]);
        worst = status ? status : worst;
    }
    return worst;
}

lab_status lab03_depth_first(const lab03_work *w)
{
    LAB_TRY(deep(w, PHASES(in, go, out)));
    return lab_device_synchronize();
}

lab_status lab03_breadth_first(const lab03_work *w)
{
    LAB_TRY(broad(w, PHASES(in, go, out)));
    return lab_device_synchronize();
}

lab_status lab03_pin(const lab03_work *w)
{
    float **const sides[] = {w->output, w->input};
    for (int side = 0; side < 2; side++)
        for (int k = w->arrays; k--;) LAB_TRY(lab_host_register(sides[side][k], sizeof(float[w->length])));
    return LAB_SUCCESS;
}

lab_status lab03_unpin(const lab03_work *w)
{
    for (int k = 0; k < 2 * w->arrays; k++) LAB_TRY(lab_host_unregister((k & 1 ? w->input : w->output)[k / 2]));
    return LAB_SUCCESS;
}

lab_status lab03_time_kernels(lab03_times *times, const lab03_work *w)
{
    double n = w->arrays, mean = 0, variance = 0;
    LAB_TRY(broad(w, PHASES(make)));
    LAB_TRY(deep(w, PHASES(in, mark_start, go, mark_end, out)));
    LAB_TRY(lab_device_synchronize());
    for (int k = 0; k < w->arrays; k++) {
        LAB_TRY(lab_event_elapsed_time(times->milliseconds + k, w->start[k], w->end[k]));
        mean += times->milliseconds[k] / n;
    }
    for (int k = 0; k < w->arrays; k++)
        variance += (times->milliseconds[k] - mean) * (times->milliseconds[k] - mean) / n;
    times->mean = (float)mean, times->deviation = (float)sqrt(variance);
    return broad(w, PHASES(destroy_both));
}
