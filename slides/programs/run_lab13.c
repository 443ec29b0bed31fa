/*
 * Lab 13's pipeline of PICTURES pictures, WIDTH times WIDTH pixels each, in LANES lanes. To save a picture is to read
 * it.
 *
 *     run PICTURES WIDTH LANES
 */
#include "slide.h"

#include "lab13.h"

#include ANSWER

enum { MOST = 64 };

static lab13_work work;
static lab13_picture picture[MOST];
static lab13_lane lane[MOST];
static lab_event *done[MOST];

static lab_status save(int k) { return lab_host_reads(picture[k].edges, (size_t)work.count); }

static void run(void) { LAB_CHECK(lab13_run(lane, &work)); }

static void *pinned(size_t bytes)
{
    void *memory;
    LAB_CHECK(lab_host_alloc(&memory, bytes));
    return memory;
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 4);
    const char *const kernels = "labs/lab13-pipeline/kernels.cu";
    const int width = slide_number(2);
    work = (lab13_work){.pictures = slide_number(1) < MOST ? slide_number(1) : MOST,
                        .picture = picture,
                        .width = width,
                        .count = width * width,
                        .blur = slide_kernel(kernels, "blur"),
                        .edge = slide_kernel(kernels, "edge"),
                        .histogram = slide_kernel(kernels, "histogram"),
                        .lanes = slide_number(3) < MOST ? slide_number(3) : MOST,
                        .done = done,
                        .save = save,
                        .enqueue = lab13_enqueue};
    LAB_CHECK(lab_mempool_create(&work.pool, NULL));
    for (int k = 0; k < work.pictures; k++) {
        unsigned char *pixels = pinned((size_t)work.count);
        for (int i = 0; i < work.count; i++) pixels[i] = (unsigned char)(i * (k + 3) ^ i / width);
        picture[k] = (lab13_picture){pixels, pinned((size_t)work.count), pinned(LAB13_LEVELS * sizeof(unsigned))};
    }
    for (int k = 0; k < work.lanes; k++) LAB_CHECK(lab13_open(&lane[k], &work));
    slide_record(slide_text(0), 21, (slide_run){NULL, run});
    return 0;
}
