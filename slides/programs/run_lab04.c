/*
 * Lab 04's threads, each with an array of COUNT floats in pinned memory:
 *
 *     own COUNT       ten contexts
 *     shared COUNT    the primary context
 */
#include "slide.h"

#include "lab04.h"

#include <string.h>
#include <unistd.h>

#include ANSWER

enum { THREADS = 10 };

static lab04_job job[THREADS];

static void own(void) { LAB_CHECK(lab04_run_threads(lab04_own_context, job, THREADS)); }
static void shared(void) { LAB_CHECK(lab04_run_threads(lab04_shared_context, job, THREADS)); }

int main(int argc, char **argv)
{
    slide_open(argc, argv, 2);
    const int count = slide_number(1);
    if (chdir("labs/lab04-contexts") != 0) return 1; /* lab04.c loads kernels.cu */
    const lab_function shift = slide_kernel("kernels.cu", "shift");
    for (int k = 0; k < THREADS; k++)
        job[k] = (lab04_job){count, slide_pinned((size_t)count, 0, 1), slide_pinned((size_t)count, 0, 0), 1, shift};
    slide_record(slide_text(0), 5, (slide_run){NULL, strcmp(slide_text(0), "own") == 0 ? own : shared});
    return 0;
}
