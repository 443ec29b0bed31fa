/*
 * Lab 11's split on all devices, of COUNT numbers, with a kernel of STEPS steps:
 *
 *     split COUNT STEPS
 */
#include "slide.h"

#include "lab11.h"

#include ANSWER

static lab11_work work;
static float *in, *out;

static void split(void) { LAB_CHECK(lab11_split(&work, out, in)); }

static lab_status open_device(int d)
{
    lab11_device *device = &work.device[d];
    LAB_WITH_DEVICE(d)
    {
        LAB_TRY(lab_stream_create(&device->stream, LAB_STREAM_NON_BLOCKING));
        device->advance = slide_kernel("labs/lab11-devices/kernels.cu", "advance");
        device->mix = slide_kernel("labs/lab11-devices/kernels.cu", "mix");
    }
    return LAB_SUCCESS;
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 3);
    LAB_CHECK(lab_device_count(&work.devices));
    if (work.devices > LAB11_DEVICES) work.devices = LAB11_DEVICES;
    work.count = slide_number(1);
    work.steps = slide_number(2);
    in = slide_pinned((size_t)work.count, 0.05f, 0.95f);
    out = slide_pinned((size_t)work.count, 0, 0);
    for (int d = 0; d < work.devices; d++) LAB_CHECK(open_device(d));
    work.make = lab11_make;
    work.advance = lab11_advance;
    slide_record(slide_text(0), 21, (slide_run){NULL, split});
    return 0;
}
