/* Lab 12, audit. The lesson with its rules is in README.md, the contract in lab12.h. */
#include "lab12.h"

#include <string.h>

/* Program 1: the total of all rows. */
lab_status lab12_total(const lab12_work *work)
{
    /* TODO(1) in this function */
    LAB_TRY(lab_memset_async(work->total, 0, work->bytes, lab_stream_null()));
    for (int k = 0; k < LAB12_ROWS; k++)
        LAB_TRY(LAB12_ADD(work, work->v[0], work->x[k], work->one));
    return LAB_SUCCESS;
}

/* Program 2: rows through one piece of pinned memory to the device. */
lab_status lab12_stage(const lab12_work *work)
{
    /* TODO(2) in this function */
    lab_event *copied = work->event[0];
    for (int k = 0; k < LAB12_ROWS; k++) {
        LAB_TRY(lab_host_writes(work->staging, work->bytes));
        memcpy(work->staging, work->row[k], work->bytes);
        LAB_TRY(lab_array_set_async(work->x[k], work->staging, work->one));
        LAB_TRY(lab_event_record(copied, work->one));
        LAB_TRY(lab_stream_wait_event(work->two, copied));
        LAB_TRY(LAB12_ADVANCE(work, work->u[k], work->x[k], work->two));
    }
    return LAB_SUCCESS;
}

/* Program 3: two streams compute, a third one needs both results. */
lab_status lab12_meet(const lab12_work *work)
{
    /* TODO(3) in this function */
    lab_event *done = work->event[0];
    LAB_TRY(LAB12_ADVANCE(work, work->u[0], work->x[0], work->one));
    LAB_TRY(lab_event_record(done, work->one));
    LAB_TRY(LAB12_ADVANCE(work, work->u[1], work->x[1], work->two));
    LAB_TRY(lab_event_record(done, work->two));
    LAB_TRY(lab_stream_wait_event(work->three, done));
    LAB_TRY(LAB12_MIX(work, work->v[0], work->u[0], work->u[1], work->three));
    return LAB_SUCCESS;
}

/* Program 4: a block of the pool is read once more, then it goes back. */
lab_status lab12_lend(const lab12_work *work)
{
    /* TODO(4) in this function */
    lab_deviceptr z;
    LAB_TRY(lab_next_uses(work->block, work->bytes, false));
    LAB_TRY(LAB12_GATHER(work, work->u[0], work->table, work->two));
    LAB_TRY(lab_mempool_free(work->pool, work->block, work->one));
    LAB_TRY(lab_mempool_alloc(&z, work->pool, work->bytes, work->one));
    LAB_TRY(LAB12_ADVANCE(work, z, work->x[1], work->one));
    LAB_TRY(LAB12_MIX(work, work->v[0], z, work->x[1], work->one));
    LAB_TRY(lab_mempool_free(work->pool, z, work->one));
    return LAB_SUCCESS;
}

/* Program 5: two steps for each row, on two streams. */
lab_status lab12_pipeline(const lab12_work *work)
{
    /* TODO(5) in this function */
    for (int k = 0; k < LAB12_ROWS; k++) {
        LAB_TRY(LAB12_ADVANCE(work, work->u[k], work->x[k], work->one));
        LAB_TRY(lab_device_synchronize());
        LAB_TRY(LAB12_MIX(work, work->v[k], work->u[k], work->x[k], work->two));
    }
    return LAB_SUCCESS;
}

/* Program 6: two kernels as a graph, next to work of another stream. */
lab_status lab12_replay(const lab12_work *work)
{
    /* TODO(6) in this function */
    lab_deviceptr t, z;
    lab_graph *graph;
    lab_graph_exec *exec;
    LAB_TRY(lab_mempool_alloc(&t, work->pool, work->bytes, work->one));
    LAB_TRY(lab_stream_begin_capture(work->one, LAB_CAPTURE_RELAXED));
    LAB_TRY(LAB12_ADVANCE(work, t, work->x[0], work->one));
    LAB_TRY(LAB12_ADVANCE(work, work->u[0], t, work->one));
    LAB_TRY(lab_stream_end_capture(&graph, work->one));
    LAB_TRY(lab_graph_instantiate(&exec, graph));
    LAB_TRY(lab_graph_destroy(graph));
    LAB_TRY(lab_mempool_free(work->pool, t, work->one));
    LAB_TRY(lab_graph_launch(exec, work->one));
    LAB_TRY(lab_mempool_alloc(&z, work->pool, work->bytes, work->two));
    LAB_TRY(LAB12_ADVANCE(work, z, work->x[1], work->two));
    LAB_TRY(LAB12_MIX(work, work->v[0], z, work->x[1], work->two));
    LAB_TRY(lab_mempool_free(work->pool, z, work->two));
    LAB_TRY(lab_graph_exec_destroy(exec));
    return LAB_SUCCESS;
}

/* Program 7: copies and kernels take turns with two buffers. */
lab_status lab12_two_buffers(const lab12_work *work)
{
    /* TODO(7) in this function */
    for (int k = 0; k < LAB12_ROWS; k++) {
        lab_array *buffer = work->buffer[k % 2];
        lab_event *filled = work->event[k % 2];
        LAB_TRY(lab_array_set_async(buffer, work->pinned[k], work->one));
        LAB_TRY(lab_event_record(filled, work->one));
        LAB_TRY(lab_stream_wait_event(work->two, filled));
        LAB_TRY(LAB12_ADVANCE(work, work->u[k], buffer, work->two));
    }
    return LAB_SUCCESS;
}

/* clang-format off */
/* Program 8: each thread takes the mean with its right neighbour, round after round. */
const char *lab12_smooth(void)
{
    /* TODO(8) in this function */
    return LAB12_KERNEL
        "extern \"C\" __global__ void smooth(float *x, int count, int rounds)\n"
        "{\n"
        "    __shared__ float old[64];\n"
        "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
        "    int right = t + 1 < 64 ? t + 1 : t;\n"
        "    float value = i < count ? x[i] : 0.0f;\n"
        "    for (int round = 0; round < rounds; round++) {\n"
        "        old[t] = value;\n"
        "        __syncthreads();\n"
        "        value = 0.5f * value + 0.5f * old[right];\n"
        "    }\n"
        "    if (i < count) x[i] = value;\n"
        "}\n";
}
/* clang-format on */

/* The rule that programs 1 to 8 broke. */
const int lab12_rule[LAB12_PROGRAMS] = {0}; /* TODO(8): and of all others */
