/* A right answer: own macros that jump to one label for the end, where everything is released on every way out. */
#include "lab00.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define TRY(x)                                                                                                         \
    do {                                                                                                               \
        if ((rc = (x))) goto out;                                                                                      \
    } while (0)
#define EVENTS(a, b) lab_event *a = NULL, *b = NULL
#define MIN_OF(p, q)                                                                                                   \
    ({                                                                                                                 \
        __typeof__(p) p_ = (p), q_ = (q);                                                                              \
        p_ < q_ ? p_ : q_;                                                                                             \
    })
#define MAX_OF(p, q)                                                                                                   \
    ({                                                                                                                 \
        __typeof__(p) p_ = (p), q_ = (q);                                                                              \
        p_ > q_ ? p_ : q_;                                                                                             \
    })

lab_status lab00_first_kernel(lab_function label, lab_array *numbers, int count)
{
    lab_status rc;
    unsigned blocks = 0;
    for (int reached = 0; reached < count; reached += LAB00_BLOCK) blocks++;
    TRY(lab_launch(label, LAB_DIM(blocks), LAB_DIM(LAB00_BLOCK), 0, NULL, LAB_ARGS(numbers, count)));
    TRY(lab_stream_synchronize(NULL));
out:
    return rc;
}

lab_status lab00_wrong_time(double *ms, const lab00_task *t)
{
    lab_status rc;
    const double before = lab00_clock();
    TRY(t->enqueue(t->user));
    *ms = -before + lab00_clock();
out:
    return rc;
}

lab_status lab00_host_time(double *ms, const lab00_task *t)
{
    lab_status rc;
    double before;
    TRY(lab_stream_synchronize(t->stream));
    before = lab00_clock();
    TRY(t->enqueue(t->user));
    TRY(lab_stream_synchronize(t->stream));
    *ms = lab00_clock() - before;
out:
    return rc;
}

lab_status lab00_device_time(float *ms, const lab00_task *t)
{
    lab_status rc;
    EVENTS(a, b);
    TRY(lab_event_create(&a, LAB_EVENT_BLOCKING_SYNC));
    TRY(lab_event_create(&b, LAB_EVENT_BLOCKING_SYNC));
    TRY(lab_event_record(a, t->stream));
    TRY(t->enqueue(t->user));
    TRY(lab_event_record(b, t->stream));
    TRY(lab_event_synchronize(b));
    TRY(lab_event_elapsed_time(ms, a, b));
out:
    lab_event_destroy(b); /* NULL is accepted */
    lab_event_destroy(a);
    return rc;
}

/* The statistics without sorting: the middle two are those with half of the times below them. */
static double nth(const double *t, int n, int which)
{
    for (int i = 0; i < n; i++) {
        int below = 0, equal = 0;
        for (int k = 0; k < n; k++) below += t[k] < t[i], equal += t[k] == t[i];
        if (below <= which && which < below + equal) return t[i];
    }
    return NAN;
}

static void numbers_of(lab00_numbers *out, const double *t, int n)
{
    double sum = 0, squares = 0;
    *out = (lab00_numbers){.least = DBL_MAX, .most = -DBL_MAX};
    for (int i = 0; i < n; ++i) {
        out->least = MIN_OF(out->least, t[i]);
        out->most = MAX_OF(out->most, t[i]);
        sum += t[i];
    }
    out->mean = sum / n;
    for (int i = 0; i < n; ++i) squares += (t[i] - out->mean) * (t[i] - out->mean);
    out->deviation = sqrt(squares / n);
    out->median = 0.5 * nth(t, n, (n - 1) / 2) + 0.5 * nth(t, n, n / 2);
}

lab_status lab00_benchmark(lab00_result *result, const lab00_task *t, int warm_up, int repeats)
{
    lab_status rc;
    EVENTS(a, b);
    double *host = malloc(2 * sizeof *host * (size_t)repeats), *device = host ? host + repeats : NULL;
    if (!host) return LAB_ERROR_OUT_OF_MEMORY;
    TRY(lab_event_create(&a, 0));
    TRY(lab_event_create(&b, 0));
    while (warm_up-- > 0) TRY(t->enqueue(t->user));
    TRY(lab_device_synchronize());
    for (int k = 0; k < repeats; ++k) {
        float ms;
        TRY(lab_event_record(a, t->stream));
        double before = lab00_clock();
        TRY(t->enqueue(t->user));
        double after = lab00_clock();
        TRY(lab_event_record(b, t->stream));
        TRY(lab_stream_synchronize(t->stream));
        TRY(lab_event_elapsed_time(&ms, a, b));
        host[k] = after - before, device[k] = (double)ms;
    }
    numbers_of(&result->host, host, repeats);
    numbers_of(&result->device, device, repeats);
out:
    free(host);
    lab_event_destroy(a);
    lab_event_destroy(b);
    return rc;
}
