/*
 * Lab 06's last function on COUNT floats: a sum, a division by the sum, and the sum on the host, which reads it as soon
 * as the function has returned.
 */
#include "slide.h"

#include "lab06.h"

#include ANSWER

static lab06_work work;
static float *sum;

static void normalize(void)
{
    LAB_CHECK(lab06_normalize(sum, &work));
    LAB_CHECK(lab_host_reads(sum, sizeof *sum));
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 2);
    const size_t count = (size_t)slide_number(1);
    float *numbers = slide_pinned(count, 1, 2);
    sum = slide_pinned(1, 0, 0);
    work = (lab06_work){.count = (int)count, .divide = slide_kernel("labs/lab06-casts/kernels.cu", "divide")};
    LAB_CHECK(lab_stream_create(&work.stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_array_from_host(&work.x, LAB_FLOAT32, LAB_SHAPE(count), numbers));
    LAB_CHECK(lab_array_empty(&work.total, LAB_FLOAT32, LAB_SHAPE(1)));
    slide_record(slide_text(0), 21, (slide_run){NULL, normalize});
    return 0;
}
