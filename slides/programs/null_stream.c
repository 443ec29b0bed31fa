/*
 * Who waits for the null stream. Kernels of STEPS steps on two blocking streams, then one on the null stream, then
 * later ones on both blocking streams; and five on a non-blocking stream, which takes no part.
 *
 *     run STEPS
 */
#include "slide.h"

enum { STREAMS = 4, COUNT = 64 };

static lab_stream *first, *second, *apart;
static lab_array *array[STREAMS];
static lab_function kernel;
static int steps;

static void enqueue(lab_stream *stream, int which)
{
    LAB_CHECK(lab_launch(kernel, LAB_DIM(1), LAB_DIM(COUNT), 0, stream, LAB_ARGS(array[which], (int)COUNT, steps)));
}

static void run(void)
{
    for (int k = 0; k < 5; k++) enqueue(apart, 3);
    enqueue(first, 0);
    enqueue(second, 1);
    enqueue(lab_stream_null(), 2);
    enqueue(first, 0);
    enqueue(second, 1);
    LAB_CHECK(lab_device_synchronize());
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 2);
    steps = slide_number(1);
    kernel = slide_kernel("labs/lab00-measure/kernels.cu", "work");
    LAB_CHECK(lab_stream_create(&first, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_stream_create(&second, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_stream_create(&apart, LAB_STREAM_NON_BLOCKING));
    float *numbers = slide_pinned(COUNT, 0.1f, 0.9f);
    for (int k = 0; k < STREAMS; k++) LAB_CHECK(lab_array_from_host(&array[k], LAB_FLOAT32, LAB_SHAPE(COUNT), numbers));
    slide_record(slide_text(0), 21, (slide_run){NULL, run});
    return 0;
}
