/*
 * Lab 01's functions on pinned memory, so that no copy waits by itself:
 *
 *     sum COUNT         one sum; the program then reads it, as a caller would
 *     two_sums COUNT    two sums
 */
#include "slide.h"

#include "lab01.h"

#include <string.h>

#include ANSWER

static lab01_room room[2];
static const float *input[2];
static float *sum;

static void one_sum(void)
{
    LAB_CHECK(lab01_sum(sum, input[0], &room[0]));
    LAB_CHECK(lab_host_reads(sum, sizeof *sum));
}

static void two_sums(void) { LAB_CHECK(lab01_two_sums(sum, input, room)); }

int main(int argc, char **argv)
{
    slide_open(argc, argv, 2);
    const size_t count = (size_t)slide_number(1);
    sum = slide_pinned(2, 0, 0);
    for (int k = 0; k < 2; k++) {
        input[k] = slide_pinned(count, 0, 1);
        room[k].count = count;
        LAB_CHECK(lab_array_empty(&room[k].numbers, LAB_FLOAT32, LAB_SHAPE(count)));
        LAB_CHECK(lab_array_empty(&room[k].total, LAB_FLOAT32, LAB_SHAPE(1)));
    }
    slide_record(slide_text(0), 21, (slide_run){NULL, strcmp(slide_text(0), "sum") == 0 ? one_sum : two_sums});
    return 0;
}
