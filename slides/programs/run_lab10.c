/*
 * The five kernels of lab 10 on COUNT numbers, whose kernel advance takes STEPS steps, ROUNDS times:
 *
 *     calls COUNT STEPS ROUNDS       by calls
 *     launches COUNT STEPS ROUNDS    by launches of their graph
 */
#include "slide.h"

#include "lab10.h"

#include <string.h>

#include ANSWER

static lab10_work work;
static lab_graph_exec *exec;
static int rounds;

void lab10_start(void) {}
void lab10_stop(int way) { (void)way; }

static void calls(void)
{
    for (int k = 0; k < rounds; k++) LAB_CHECK(lab10_enqueue(&work));
    LAB_CHECK(lab_stream_synchronize(work.one));
}

static void launches(void)
{
    for (int k = 0; k < rounds; k++) LAB_CHECK(lab_graph_launch(exec, work.other));
    LAB_CHECK(lab_stream_synchronize(work.other));
}

int main(int argc, char **argv)
{
    lab_graph *graph;
    slide_open(argc, argv, 4);
    const size_t count = (size_t)slide_number(1);
    const float *numbers = slide_pinned(count, 0.05f, 0.95f);
    lab_array **const result[] = {&work.u, &work.p, &work.q, &work.s, &work.r};
    lab_stream **const stream[] = {&work.one, &work.two, &work.other};
    work.count = (int)count;
    work.steps = slide_number(2);
    rounds = slide_number(3);
    work.advance = slide_kernel("labs/lab10-graphs/kernels.cu", "advance");
    work.mix = slide_kernel("labs/lab10-graphs/kernels.cu", "mix");
    LAB_CHECK(lab_array_from_host(&work.x, LAB_FLOAT32, LAB_SHAPE(count), numbers));
    LAB_CHECK(lab_array_from_host(&work.y, LAB_FLOAT32, LAB_SHAPE(count), numbers));
    for (size_t k = 0; k < sizeof result / sizeof *result; k++)
        LAB_CHECK(lab_array_empty(result[k], LAB_FLOAT32, LAB_SHAPE(count)));
    for (size_t k = 0; k < sizeof stream / sizeof *stream; k++)
        LAB_CHECK(lab_stream_create(stream[k], LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_event_create(&work.forked, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_event_create(&work.joined, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab10_record(&graph, &work));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    slide_record(slide_text(0), 21, (slide_run){NULL, strcmp(slide_text(0), "calls") == 0 ? calls : launches});
    return 0;
}
