/* A right answer with words that are forbidden elsewhere, in comments, strings and names; newer C. */
#include "lab03.h"

#include <math.h>

/* Given: one array after another, and the host waits for every copy. */
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

/* The stream of array k. */
static lab_stream *stream_of(const lab03_work *work, int k) { return work->stream[k % work->streams]; }

/* Given: the kernel of array k on the array's stream. */
static lab_status launch(const lab03_work *work, int k)
{
    return lab_launch(work->advance, LAB03_GRID, LAB03_BLOCK, 0, stream_of(work, k),
                      LAB_ARGS(work->device[k], work->length, work->rate[k], work->steps));
}

lab_status lab03_open(lab03_work *work)
{

    for (int s = 0; s < work->streams; s++) LAB_TRY(lab_stream_create(&work->stream[s], LAB_STREAM_NON_BLOCKING));
    return LAB_SUCCESS;
}

lab_status lab03_close(lab03_work *work)
{

    for (int s = 0; s < work->streams; s++) LAB_TRY(lab_stream_destroy(work->stream[s]));
    return LAB_SUCCESS;
}

/* Waits for every stream: an output may be read only when its copy is done. */
static lab_status wait_for_streams(const lab03_work *work)
{

    for (int s = 0; s < work->streams; s++) LAB_TRY(lab_stream_synchronize(work->stream[s]));
    return LAB_SUCCESS;
}

lab_status lab03_depth_first(const lab03_work *work)
{

    for (int k = 0; k < work->arrays; k++) {
        LAB_TRY(lab_array_set_async(work->device[k], work->input[k], stream_of(work, k)));
        LAB_TRY(launch(work, k));
        LAB_TRY(lab_array_get_async(work->device[k], work->output[k], stream_of(work, k)));
    }
    return wait_for_streams(work);
}

lab_status lab03_pin(const lab03_work *work)
{

    for (int k = 0; k < work->arrays; k++) {
        LAB_TRY(lab_host_register(work->input[k], work->bytes));
        LAB_TRY(lab_host_register(work->output[k], work->bytes));
    }
    return LAB_SUCCESS;
}

lab_status lab03_unpin(const lab03_work *work)
{

    for (int k = 0; k < work->arrays; k++) {
        LAB_TRY(lab_host_unregister(work->input[k]));
        LAB_TRY(lab_host_unregister(work->output[k]));
    }
    return LAB_SUCCESS;
}

lab_status lab03_breadth_first(const lab03_work *work)
{

    for (int k = 0; k < work->arrays; k++)
        LAB_TRY(lab_array_set_async(work->device[k], work->input[k], stream_of(work, k)));
    for (int k = 0; k < work->arrays; k++) LAB_TRY(launch(work, k));
    for (int k = 0; k < work->arrays; k++)
        LAB_TRY(lab_array_get_async(work->device[k], work->output[k], stream_of(work, k)));
    return wait_for_streams(work);
}

/* Given: mean and standard deviation of times->milliseconds. */
static void summarize(lab03_times *times, int count)
{
    double sum = 0, squares = 0;
    for (int k = 0; k < count; k++) sum += times->milliseconds[k];
    for (int k = 0; k < count; k++) squares += pow(times->milliseconds[k] - sum / count, 2);
    times->mean = (float)(sum / count);
    times->deviation = (float)sqrt(squares / count);
}

lab_status lab03_time_kernels(lab03_times *times, const lab03_work *work)
{

    for (int k = 0; k < work->arrays; k++) {
        LAB_TRY(lab_event_create(&work->start[k], LAB_EVENT_DEFAULT));
        LAB_TRY(lab_event_create(&work->end[k], LAB_EVENT_DEFAULT));
        LAB_TRY(lab_array_set_async(work->device[k], work->input[k], stream_of(work, k)));
        LAB_TRY(lab_event_record(work->start[k], stream_of(work, k)));
        LAB_TRY(launch(work, k));
        LAB_TRY(lab_event_record(work->end[k], stream_of(work, k)));
        LAB_TRY(lab_array_get_async(work->device[k], work->output[k], stream_of(work, k)));
    }
    LAB_TRY(wait_for_streams(work));
    for (int k = 0; k < work->arrays; k++) {
        LAB_TRY(lab_event_elapsed_time(&times->milliseconds[k], work->start[k], work->end[k]));
        LAB_TRY(lab_event_destroy(work->start[k]));
        LAB_TRY(lab_event_destroy(work->end[k]));
    }
    summarize(times, work->arrays);
    return LAB_SUCCESS;
}

/* What is below is not needed, and is no harm: the words asm("nop"), #line and __attribute__((constructor)) in a comment,
 * names that are words elsewhere, and what C and its compilers have to offer. */
_Static_assert(sizeof(float) == 4, "a float has 32 bits; this is no __asm__");

enum { section = 1, alias = 2, weak = 4, constructor = 8 };

typedef struct pair {
    double asm_time, line_time;
    union {
        unsigned bits;
        float number;
    };
} pair;

#define KIND_OF(x) _Generic((x), float : "float", double : "double", default : "neither: asm, #line")
#define line 7

static _Thread_local int index_of_thread;
static const char *const words[] = {[0] = "__asm__(\"syscall\")", [1] = "#include </etc/passwd>", [2] = "main"};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
__attribute__((unused, noinline, cold)) static double read_all(double *restrict to, const double *restrict from, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (to[i] = from[i] * (double)(section | alias | weak | constructor));
    return sum + index_of_thread++;
}
#pragma GCC diagnostic pop

__attribute__((__unused__)) static inline const char *open_words(int which)
{
    pair first = {.asm_time = 1.5, .line_time = line, .bits = 0x3f800000u};
    return which < 3 ? words[which] : KIND_OF(first.number);
}
