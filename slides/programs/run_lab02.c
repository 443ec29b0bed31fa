/*
 * Lab 02's functions:
 *
 *     pipeline COUNT       two kernels on two streams
 *     time_kernel COUNT    a copy in, a kernel between two events, a copy out
 */
#include "slide.h"

#include "lab02.h"

#include <string.h>

#include ANSWER

static lab02_work work;

static void pipeline(void) { LAB_CHECK(lab02_pipeline(&work)); }

static void time_kernel(void)
{
    float milliseconds;
    LAB_CHECK(lab02_time_kernel(&milliseconds, &work));
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 2);
    const size_t count = (size_t)slide_number(1);
    work = (lab02_work){.count = (int)count,
                        .input = slide_pinned(count, 1, 2),
                        .output = slide_pinned(count, 0, 0),
                        .produce = slide_kernel("labs/lab02-events/kernels.cu", "produce"),
                        .consume = slide_kernel("labs/lab02-events/kernels.cu", "consume"),
                        .shift = 1};
    LAB_CHECK(lab_array_empty(&work.between, LAB_FLOAT32, LAB_SHAPE(count)));
    LAB_CHECK(lab_array_empty(&work.result, LAB_FLOAT32, LAB_SHAPE(count)));
    LAB_CHECK(lab_stream_create(&work.producer, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&work.consumer, LAB_STREAM_NON_BLOCKING));
    slide_record(slide_text(0), 21, (slide_run){NULL, strcmp(slide_text(0), "pipeline") == 0 ? pipeline : time_kernel});
    return 0;
}
