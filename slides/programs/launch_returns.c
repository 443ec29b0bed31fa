/*
 * The host's clock around a kernel of STEPS steps: it stops when the launch returns, or after a wait. The lines of both
 * functions stand next to the player.
 *
 *     stops_early STEPS | stops_late STEPS
 */
#include "slide.h"

#include <string.h>

#define host_clock() slide_clock_at(__FILE__, __LINE__)
enum { COUNT = 4096 };

static lab_array *array;
static lab_stream *stream;
static lab_function kernel;
static int steps;
static double time;

static void launch_work(void)
{
    LAB_CHECK(lab_launch(kernel, LAB_DIM(COUNT / 128), LAB_DIM(128), 0, stream, LAB_ARGS(array, (int)COUNT, steps)));
}

static void stops_early(void)
{
    double start = host_clock();
    launch_work();
    time = host_clock() - start;
}

static void stops_late(void)
{
    double start = host_clock();
    launch_work();
    LAB_CHECK(lab_stream_synchronize(stream));
    time = host_clock() - start;
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 2);
    steps = slide_number(1);
    kernel = slide_kernel("labs/lab00-measure/kernels.cu", "work");
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_array_from_host(&array, LAB_FLOAT32, LAB_SHAPE(COUNT), slide_pinned(COUNT, 0.1f, 0.9f)));
    const bool early = strcmp(slide_text(0), "stops_early") == 0;
    slide_record(slide_text(0), 21, (slide_run){NULL, early ? stops_early : stops_late});
    return 0;
}
