/*
 * Two kernels on two streams, ordered by an event, on COUNT floats. The lines of `pipeline` stand next to the player.
 *
 *     run COUNT
 */
#include "slide.h"

#include "labs/lab02-events/lab02.h"

static lab_array *between, *result;
static lab_stream *producer, *consumer;
static lab_event *produced;
static lab_function producing, consuming;
static int count;

static lab_status produce(lab_stream *stream)
{
    return lab_launch(producing, LAB02_GRID(count), LAB02_BLOCK, 0, stream, LAB_ARGS(between, count));
}

static lab_status consume(lab_stream *stream)
{
    return lab_launch(consuming, LAB02_GRID(count), LAB02_BLOCK, 0, stream, LAB_ARGS(result, between, count, 1.0f));
}

static lab_status pipeline(void)
{
    LAB_TRY(produce(producer));
    LAB_TRY(lab_event_record(produced, producer));
    LAB_TRY(lab_stream_wait_event(consumer, produced));
    LAB_TRY(consume(consumer));
    return lab_stream_synchronize(consumer);
}

static void run(void) { LAB_CHECK(pipeline()); }

int main(int argc, char **argv)
{
    slide_open(argc, argv, 2);
    count = slide_number(1);
    producing = slide_kernel("labs/lab02-events/kernels.cu", "produce");
    consuming = slide_kernel("labs/lab02-events/kernels.cu", "consume");
    LAB_CHECK(lab_array_zeros(&between, LAB_FLOAT32, LAB_SHAPE((size_t)count)));
    LAB_CHECK(lab_array_zeros(&result, LAB_FLOAT32, LAB_SHAPE((size_t)count)));
    LAB_CHECK(lab_stream_create(&producer, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&consumer, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_event_create(&produced, LAB_EVENT_DISABLE_TIMING));
    slide_record(slide_text(0), 21, (slide_run){NULL, run});
    return 0;
}
