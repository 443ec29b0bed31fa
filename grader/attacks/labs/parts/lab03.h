/* Lab 03 around one function that cheats with one array on its stream; the waits are as they must be. */
#include <stdlib.h>
#include <string.h>

static lab_status cheat(const lab03_work *work, int k, lab_stream *stream);

__attribute__((unused)) static float *answer_of(const lab03_work *work, int k)
{
    static float *kept[256];
    float *answer = kept[k] = kept[k] ? kept[k] : malloc(work->bytes);
    for (int i = 0; i < work->length; i++) {
        float value = work->input[k][i];
        for (int step = 0; step < work->steps; step++) value = work->rate[k] * value * (1.0f - value);
        answer[i] = value;
    }
    return answer;
}

__attribute__((unused)) static lab_status launch_on(const lab03_work *work, lab_array *array, int k, int steps,
                                                    lab_stream *stream)
{
    return lab_launch(work->advance, LAB03_GRID, LAB03_BLOCK, 0, stream,
                      LAB_ARGS(array, work->length, work->rate[k], steps));
}

/* Not in lab03_open, so that nothing is earned for the streams themselves. */
static lab_status open_streams(const lab03_work *work)
{
    static int opened;
    for (; opened < work->streams; opened++) LAB_TRY(lab_stream_create(&work->stream[opened], LAB_STREAM_NON_BLOCKING));
    return LAB_SUCCESS;
}

lab_status lab03_depth_first(const lab03_work *work)
{
    LAB_TRY(open_streams(work));
    for (int k = 0; k < work->arrays; k++) LAB_TRY(cheat(work, k, work->stream[k % work->streams]));
    for (int s = 0; s < work->streams; s++) LAB_TRY(lab_stream_synchronize(work->stream[s]));
    return LAB_SUCCESS;
}

lab_status lab03_pin(const lab03_work *work)
{
    for (int k = 0; k < work->arrays; k++) {
        LAB_TRY(lab_host_register(work->input[k], work->bytes));
        LAB_TRY(lab_host_register(work->output[k], work->bytes));
    }
    return LAB_SUCCESS;
}
