/* A right answer with words that are forbidden elsewhere, in comments, strings and names; newer C. */
#include "lab01.h"

/* Enqueues one sum on a stream; does not wait. */
static lab_status enqueue_sum(float *sum, const float *input, const lab01_room *room, lab_stream *stream)
{

    LAB_TRY(lab_array_set_async(room->numbers, input, stream));
    LAB_TRY(lab_array_sum(room->total, room->numbers, stream));
    LAB_TRY(lab_array_get_async(room->total, sum, stream));
    return LAB_SUCCESS;
}

lab_status lab01_sum(float *sum, const float *input, const lab01_room *room)
{

    lab_stream *stream;
    LAB_TRY(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(enqueue_sum(sum, input, room, stream));
    LAB_TRY(lab_stream_synchronize(stream));
    LAB_TRY(lab_stream_destroy(stream));
    return LAB_SUCCESS;
}

lab_status lab01_nested(lab_stream *first, lab_stream *second, lab01_step step)
{

    LAB_WITH_STREAM(first)
    {
        LAB_TRY(step.call(step.user, 1));
        LAB_WITH_STREAM(second) { LAB_TRY(step.call(step.user, 2)); }
        LAB_TRY(step.call(step.user, 3));
    }
    return LAB_SUCCESS;
}

lab_status lab01_use(lab_stream *stream, lab01_step step)
{

    lab_stream *before = lab_stream_current();
    LAB_TRY(lab_stream_use(stream));
    lab_status status = step.call(step.user, 1);
    LAB_TRY(lab_stream_use(before));
    return status;
}

lab_status lab01_two_sums(float sum[2], const float *const input[2], const lab01_room room[2])
{

    lab_stream *stream[2];
    for (int k = 0; k < 2; k++) LAB_TRY(lab_stream_create(&stream[k], LAB_STREAM_NON_BLOCKING));
    for (int k = 0; k < 2; k++) LAB_TRY(enqueue_sum(&sum[k], input[k], &room[k], stream[k]));
    for (int k = 0; k < 2; k++) LAB_TRY(lab_stream_synchronize(stream[k]));
    for (int k = 0; k < 2; k++) LAB_TRY(lab_stream_destroy(stream[k]));
    return LAB_SUCCESS;
}

lab_status lab01_pair(lab_array *first, lab_stream *earlier, lab_array *second, lab_stream *later)
{

    LAB_TRY(lab_array_fill(first, LAB_ARG(1.0f), earlier));
    LAB_TRY(lab_array_fill(second, LAB_ARG(2.0f), later));
    return LAB_SUCCESS;
}

const bool lab01_waits[LAB01_STREAMS][LAB01_STREAMS] = {
    [LAB01_NULL] = {true, true, true, false},
    [LAB01_BLOCKING] = {true, true, false, false},
    [LAB01_OTHER_BLOCKING] = {true, false, true, false},
    [LAB01_NON_BLOCKING] = {false, false, false, true},
};

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
