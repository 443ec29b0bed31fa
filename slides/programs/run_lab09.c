/*
 * Lab 09's functions on COUNT numbers, whose kernel advance takes STEPS steps:
 *
 *     in_order COUNT STEPS    two kernels on one stream, and one on another that needs the first
 *     ask COUNT STEPS         a long job, and a question on a stream of higher priority
 */
#include "slide.h"

#include "lab09.h"

#include <string.h>

#include ANSWER

static lab09_work work;
static lab_stream *stream[LAB09_STREAMS];
static float *answer;

static void in_order(void)
{
    LAB_CHECK(lab09_in_order(&work));
    LAB_CHECK(lab_stream_synchronize(work.two));
    LAB_CHECK(lab_stream_synchronize(work.one));
}

static void ask(void)
{
    LAB_CHECK(lab09_ask(answer, &work, stream));
    LAB_CHECK(lab_stream_synchronize(stream[LAB09_BACKGROUND]));
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 3);
    const size_t count = (size_t)slide_number(1);
    const float *numbers = slide_pinned(count, 0.05f, 0.95f);
    lab_array **const result[] = {&work.u, &work.v, &work.p, &work.q, &work.r};
    work.count = (int)count;
    work.steps = slide_number(2);
    work.advance = slide_kernel("labs/lab09-ordering/kernels.cu", "advance");
    work.mix = slide_kernel("labs/lab09-ordering/kernels.cu", "mix");
    answer = slide_pinned(count, 0, 0);
    LAB_CHECK(lab_array_from_host(&work.x, LAB_FLOAT32, LAB_SHAPE(count), numbers));
    LAB_CHECK(lab_array_from_host(&work.y, LAB_FLOAT32, LAB_SHAPE(count), numbers));
    for (size_t k = 0; k < sizeof result / sizeof *result; k++)
        LAB_CHECK(lab_array_empty(result[k], LAB_FLOAT32, LAB_SHAPE(count)));
    LAB_CHECK(lab_stream_create(&work.one, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&work.two, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab09_open_streams(stream));
    slide_record(slide_text(0), 21, (slide_run){NULL, strcmp(slide_text(0), "ask") == 0 ? ask : in_order});
    return 0;
}
