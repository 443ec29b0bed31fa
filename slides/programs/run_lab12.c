/*
 * Programs of lab 12 on rows of COUNT numbers:
 *
 *     pipeline COUNT       two kernels for each row, on two streams
 *     two_buffers COUNT    copies to two buffers in turn, and a kernel for each
 */
#include "slide.h"

#include "lab12.h"

#include <string.h>

#include ANSWER

static lab12_work work;

static void pipeline(void)
{
    LAB_CHECK(lab12_pipeline(&work));
    LAB_CHECK(lab_device_synchronize());
}

static void two_buffers(void)
{
    LAB_CHECK(lab12_two_buffers(&work));
    LAB_CHECK(lab_device_synchronize());
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 2);
    const size_t count = (size_t)slide_number(1);
    work.count = (int)count;
    work.bytes = count * sizeof(float);
    work.advance = slide_kernel("labs/lab12-audit/kernels.cu", "advance");
    work.mix = slide_kernel("labs/lab12-audit/kernels.cu", "mix");
    LAB_CHECK(lab_stream_create(&work.one, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&work.two, LAB_STREAM_NON_BLOCKING));
    for (int k = 0; k < LAB12_EVENTS; k++) LAB_CHECK(lab_event_create(&work.event[k], LAB_EVENT_DISABLE_TIMING));
    for (int k = 0; k < 2; k++) LAB_CHECK(lab_array_empty(&work.buffer[k], LAB_FLOAT32, LAB_SHAPE(count)));
    for (int k = 0; k < LAB12_ROWS; k++) {
        work.pinned[k] = slide_pinned(count, 0.05f, 0.95f);
        LAB_CHECK(lab_array_from_host(&work.x[k], LAB_FLOAT32, LAB_SHAPE(count), work.pinned[k]));
        LAB_CHECK(lab_array_empty(&work.u[k], LAB_FLOAT32, LAB_SHAPE(count)));
        LAB_CHECK(lab_array_empty(&work.v[k], LAB_FLOAT32, LAB_SHAPE(count)));
    }
    slide_record(slide_text(0), 21, (slide_run){NULL, strcmp(slide_text(0), "pipeline") == 0 ? pipeline : two_buffers});
    return 0;
}
