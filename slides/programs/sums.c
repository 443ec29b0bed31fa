/*
 * A loop that divides COUNT floats by their sum, TURNS times. The host reads the sum
 *
 *     each COUNT TURNS    in each turn, before it launches the division
 *     last COUNT TURNS    once, when all turns are enqueued
 */
#include "slide.h"

#include <string.h>

#define BLOCK 256

static int count, turns;
static bool each;
static lab_stream *stream;
static lab_array *x, *total;
static lab_function divide;
static float *sum;

static void read_sum(void)
{
    LAB_CHECK(lab_array_get_async(total, sum, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    LAB_CHECK(lab_host_reads(sum, sizeof *sum));
}

static void loop(void)
{
    for (int k = 0; k < turns; k++) {
        LAB_CHECK(lab_array_sum(total, x, stream));
        if (each) read_sum();
        LAB_CHECK(lab_launch(divide, LAB_DIM(((unsigned)count + BLOCK - 1) / BLOCK), LAB_DIM(BLOCK), 0, stream,
                             LAB_ARGS(x, total, count)));
    }
    if (each)
        LAB_CHECK(lab_stream_synchronize(stream));
    else
        read_sum();
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 3);
    each = strcmp(slide_text(0), "each") == 0;
    count = slide_number(1);
    turns = slide_number(2);
    float *numbers = slide_pinned((size_t)count, 1, 2);
    sum = slide_pinned(1, 0, 0);
    divide = slide_kernel("labs/lab06-casts/kernels.cu", "divide");
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_array_from_host(&x, LAB_FLOAT32, LAB_SHAPE((size_t)count), numbers));
    LAB_CHECK(lab_array_empty(&total, LAB_FLOAT32, LAB_SHAPE(1)));
    slide_record(slide_text(0), 21, (slide_run){NULL, loop});
    return 0;
}
