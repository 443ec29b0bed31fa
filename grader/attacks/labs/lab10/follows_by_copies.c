/* Tries to leave the graph as it is, and to bring each input to x and each result from r by copies. Gains task 2. */
lab_status lab10_follow(lab_array *const to[], lab_array *const from[], int rounds, lab_graph *graph,
                        const lab10_work *work)
{
    lab_graph_exec *exec;
    LAB_TRY(lab_graph_instantiate(&exec, graph));
    for (int k = 0; k < rounds; k++) {
        LAB_TRY(lab_memcpy_dtod_async(lab_array_data(work->x), lab_array_data(from[k]), lab_array_bytes(from[k]),
                                      work->other));
        LAB_TRY(lab_graph_launch(exec, work->other));
        LAB_TRY(
            lab_memcpy_dtod_async(lab_array_data(to[k]), lab_array_data(work->r), lab_array_bytes(to[k]), work->other));
    }
    return lab_graph_exec_destroy(exec);
}
