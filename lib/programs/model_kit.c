/* How programs for the model launch their kernels and wait. */
#include "model_programs.h"

enum { MANY = 4096 }; /* blocks that fill any device: more of them do not change the model's figure */

lab_status model_launch(const kit *k, kernel which, unsigned blocks, unsigned threads, int array, lab_stream *stream)
{
    const unsigned each = blocks ? blocks : (unsigned)(k->full + 255) / 256;
    const lab_dim grid = LAB_DIM(k->gpu || each < MANY ? each : MANY), block = LAB_DIM(threads);
    switch (which) {
    case ADD:
        return lab_launch(k->function[which], grid, block, 0, stream, LAB_ARGS(k->y[array], k->x[array], k->length));
    case TWICE: return lab_launch(k->function[which], grid, block, 0, stream, LAB_ARGS(k->x[array], k->length));
    default: return lab_launch(k->function[which], grid, block, 0, stream, LAB_ARGS(k->x[array]));
    }
}

lab_status model_wait_for_all(const entry *e, const kit *k)
{
    for (int s = 0; s < e->streams; s++) LAB_TRY(lab_stream_synchronize(k->stream[s]));
    return LAB_SUCCESS;
}
