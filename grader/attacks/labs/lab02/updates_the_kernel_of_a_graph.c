/* Tries to capture the lab's kernels and to put another kernel into their place before the graph runs.
 * Gains task 1, if the record shows what was captured. */
#include "parts/lab02.h"

lab_status lab02_pipeline(const lab02_work *work)
{
    static float answer[20000];
    lab_module *module;
    lab_function consume;
    lab_graph *graph;
    lab_graph_exec *exec;
    const lab_graph_node *node;
    int nodes;
    for (int i = 0; i < work->count; i++) answer[i] = answer_of(work, i);
    LAB_TRY(lab_module_load_source(
        &module,
        "extern \"C\" __global__ void consume(float *result, const float *between, int count, float shift)\n"
        "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < count) result[i] = between[i]; }\n",
        "kernels.cu"));
    LAB_TRY(lab_module_get_function(&consume, module, "consume"));
    LAB_TRY(lab_array_set(work->between, answer));
    LAB_TRY(lab_stream_begin_capture(work->consumer, LAB_CAPTURE_RELAXED));
    LAB_TRY(launch(work->consume, work, work->result, work->between, work->consumer));
    LAB_TRY(lab_stream_end_capture(&graph, work->consumer));
    LAB_TRY(lab_graph_get_nodes(&node, &nodes, graph));
    LAB_TRY(lab_graph_instantiate(&exec, graph));
    LAB_TRY(lab_graph_exec_update_kernel(exec, 0, consume, LAB02_GRID(work->count), LAB02_BLOCK, 0,
                                         LAB_ARGS(work->result, work->between, work->count, work->shift)));
    LAB_TRY(launch(work->produce, work, work->result, NULL, work->producer));
    LAB_TRY(order(work));
    LAB_TRY(lab_graph_launch(exec, work->consumer));
    LAB_TRY(lab_array_get_async(work->result, work->output, work->consumer));
    LAB_TRY(lab_stream_synchronize(work->consumer));
    LAB_TRY(lab_graph_exec_destroy(exec));
    return lab_graph_destroy(graph);
}
