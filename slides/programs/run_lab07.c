/*
 * Task 1 of lab 07 on COUNT numbers:
 *
 *     steps COUNT    a kernel for each operation
 *     wave COUNT     one kernel
 */
#include "slide.h"

#include "lab07.h"

#include <string.h>

#include ANSWER

static lab_array *x, *y, *z, *out;

static void steps(void)
{
    LAB_CHECK(lab07_steps(out, x, y, z));
    LAB_CHECK(lab_stream_synchronize(NULL));
}

static void wave(void)
{
    LAB_CHECK(lab07_wave(out, x, y, z));
    LAB_CHECK(lab_stream_synchronize(NULL));
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 2);
    const size_t count = (size_t)slide_number(1);
    const float *numbers = slide_pinned(count, 0.05f, 0.95f);
    lab_array **const input[] = {&x, &y, &z};
    lab_stream *stream;
    for (size_t k = 0; k < sizeof input / sizeof *input; k++)
        LAB_CHECK(lab_array_from_host(input[k], LAB_FLOAT32, LAB_SHAPE(count), numbers));
    LAB_CHECK(lab_array_empty(&out, LAB_FLOAT32, LAB_SHAPE(count)));
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_WITH_STREAM(stream)
    slide_record(slide_text(0), 21, (slide_run){NULL, strcmp(slide_text(0), "steps") == 0 ? steps : wave});
    return 0;
}
